/* hubrun: runs a program made by hubcc on the simulated nodes of a machine. */
#define _POSIX_C_SOURCE 200809L
#include "hosts/launch/launch.h"
#include "tools/cmd/cmd.h"
#include "tools/hubrun/habits.h"
#include "tools/hubrun/keep.h"
#include "tools/hubrun/place.h"
#include "tools/hubrun/profile.h"
#include "tools/lab/repairs.h"
#include "tools/lab/simulate.h"
#include "tools/lab/software.h"
#include "tools/load/value.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX    4096u
#define PATIENCE_MAX 1000000u

struct options {
    struct cmd_common common;
    struct habits habits;
    const char *profile; /* a file, or "" */
    const char *machine, *place, *out, *mpi, *algorithm;
    unsigned nranks, patience_s;
    sim_time_t max_time_ps, block_ps;
    enum launch_compute compute;
    bool label, quiet, fingerprint;
    char shares[32]; /* --place of -ppn */
    int argc;        /* the program and its arguments */
    char **argv;
};

enum {
    OPT_PLACE = 256,
    OPT_MAX_TIME,
    OPT_LABEL,
    OPT_PATIENCE,
    OPT_COMPUTE,
    OPT_BLOCK,
    OPT_FINGERPRINT,
    OPT_OUT,
    OPT_MPI,
    OPT_ALGORITHM,
    OPT_PROFILE
};

static const struct argp_option options[] = {
    { "ranks", 'n', "N", 0, "Ranks (default: one on each node)", 0 },
    { "machine", 'm', "MACHINE", 0, "Machine file, by name or path (default two-node)", 0 },
    { "place", OPT_PLACE, "HOW", 0,
      "Node of each rank: cyclic (default), block, block:2 (two on each), or a list 0,0,1,1", 0 },
    { "max-time", OPT_MAX_TIME, "TIME", 0,
      "Stop at this simulated time: a number and ns, us, ms or s", 0 },
    { "compute", OPT_COMPUTE, "HOW", 0,
      "What the program computes between its calls takes: none, no time (default); measured, the "
      "processor's time that it takes here, which differs from run to run; counted, --block-time "
      "for each block that it runs, the same in each run of a program made by hubcc --count",
      0 },
    { "block-time", OPT_BLOCK, "TIME", 0, "Of one block of the program (default 1ns)", 0 },
    { "patience", OPT_PATIENCE, "SECONDS", 0,
      "End a rank that has had the processor so long without a call that takes simulated time, and "
      "a run in which nothing but polling happens (default 60; 0: never)",
      0 },
    { "algorithm", OPT_ALGORITHM, "COLLECTIVE=NAME,...", 0,
      "Algorithms of MPI's collectives, wherever they apply: allgather=ring,bcast=chain", 0 },
    { "mpi", OPT_MPI, "NAME[,KEY=VALUE...]", 0,
      "Transport of MPI and its settings, instead of the platform's: net, mbcf, tcp, ib or peach2; "
      "requests=on|off, eager_bytes=N, write_bytes=N, fifo_bytes=N, entry_ps=N; ib: rails=N, "
      "gdr=on|off, gdr_limit=N, library=NAME",
      0 },
    { "profile", OPT_PROFILE, "FILE", OPTION_ARG_OPTIONAL,
      "Calls of MPI on stderr: how often, bytes, time in them; and each rank's in FILE (CSV, "
      "or JSON by its name), who sent how much to whom in FILE's .matrix.csv, for scripts/matrix",
      0 },
    { "label", OPT_LABEL, NULL, 0, "Put the rank in front of each line", 0 },
    { "fingerprint", OPT_FINGERPRINT, NULL, 0,
      "A last line on stderr with hashes of what software saw and of each packet", 0 },
    { "out", OPT_OUT, "DIR", 0,
      "Keep the result in DIR/PROGRAM, for `hubsim check` and `hubsim diff`: a row for each rank "
      "and "
      "what it printed in lines `result key=value ...`",
      0 },
    { "quiet", 'q', NULL, 0, "No closing line on stderr", 0 },
    { 0 },
};

static unsigned parse_ranks(struct argp_state *state, const char *text)
{
    uint64_t n = 0;

    if (!load_number(text, false, &n) || n == 0 || n > RANKS_MAX)
        argp_error(state, "-n %s: expected 1 to %u", text, RANKS_MAX);
    return (unsigned)n;
}

static unsigned parse_patience(struct argp_state *state, const char *text)
{
    uint64_t s = 0;

    if (!load_number(text, false, &s) || s > PATIENCE_MAX)
        argp_error(state, "--patience %s: expected 0 to %u seconds", text, PATIENCE_MAX);
    return (unsigned)s;
}

static enum launch_compute parse_compute(struct argp_state *state, const char *text)
{
    if (strcmp(text, "measured") == 0)
        return LAUNCH_COMPUTE_MEASURED;
    if (strcmp(text, "counted") == 0)
        return LAUNCH_COMPUTE_COUNTED;
    if (strcmp(text, "none") != 0)
        argp_error(state, "--compute %s: expected none, measured or counted", text);
    return LAUNCH_COMPUTE_NONE;
}

static void take_habits(struct argp_state *state, struct options *opt)
{
    const struct habits *habits = &opt->habits;

    if (habits->ranks != NULL)
        opt->nranks = parse_ranks(state, habits->ranks);
    if (habits->per_node != NULL && opt->place == NULL) {
        (void)parse_ranks(state, habits->per_node);
        (void)snprintf(opt->shares, sizeof(opt->shares), "block:%s", habits->per_node);
        opt->place = opt->shares;
    }
    opt->label |= habits->label;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *opt = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &opt->common;
        state->child_inputs[2] = &opt->habits;
        return 0;
    case 'n':
        opt->nranks = parse_ranks(state, arg);
        return 0;
    case 'm':
        opt->machine = arg;
        return 0;
    case OPT_PLACE:
        opt->place = arg;
        return 0;
    case OPT_MAX_TIME:
        opt->max_time_ps = cmd_time(state, "--max-time", arg);
        return 0;
    case OPT_COMPUTE:
        opt->compute = parse_compute(state, arg);
        return 0;
    case OPT_BLOCK:
        opt->block_ps = cmd_time(state, "--block-time", arg);
        return 0;
    case OPT_PATIENCE:
        opt->patience_s = parse_patience(state, arg);
        return 0;
    case OPT_MPI:
        opt->mpi = arg;
        return 0;
    case OPT_ALGORITHM:
        opt->algorithm = arg;
        return 0;
    case OPT_PROFILE:
        opt->profile = arg != NULL ? arg : "";
        return 0;
    case OPT_LABEL:
        opt->label = true;
        return 0;
    case OPT_OUT:
        opt->out = arg;
        return 0;
    case OPT_FINGERPRINT:
        opt->fingerprint = true;
        return 0;
    case 'q':
        opt->quiet = true;
        return 0;
    case ARGP_KEY_ARG: /* the program: what follows is its own */
        opt->argv = state->argv + state->next - 1;
        opt->argc = state->argc - state->next + 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected a program made by hubcc");
        return 0;
    case ARGP_KEY_END:
        take_habits(state, opt);
        if (opt->common.watch.usage && opt->out == NULL)
            argp_error(state, "--utilisation: expected --out DIR, too");
        return 0;
    case ARGP_KEY_SUCCESS:
        if (opt->out != NULL && opt->compute == LAUNCH_COMPUTE_MEASURED)
            argp_error(state,
                       "--out %s: expected --compute none or counted, as what is measured "
                       "differs from run to run",
                       opt->out);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

#define STALL_LINES 100u

struct listener {
    bool label;
    struct keep *keep; /* NULL: nothing is kept */
};

static void print_line(void *arg, unsigned rank, enum output_stream stream, sim_time_t time,
                       const char *line)
{
    const struct listener *listener = arg;
    FILE *out = stream == OUTPUT_STDERR ? stderr : stdout;

    (void)time;
    if (listener->label)
        (void)fprintf(out, "%u: ", rank);
    (void)fprintf(out, "%s\n", line);
    if (listener->keep != NULL)
        keep_line(listener->keep, rank, stream == OUTPUT_STDOUT, line);
}

/* Where each rank was when the run ended early. */
static void tell_where(const struct launch_result *result)
{
    for (unsigned r = 0; r < result->nranks; r++) {
        const struct launch_rank_result *rank = &result->ranks[r];

        if (rank->ended)
            (void)fprintf(stderr, "hubrun: rank %u on node %u ended with status %d at %.3f us\n", r,
                          rank->node, rank->exit_code, (double)rank->end_ps / 1e6);
        else
            (void)fprintf(stderr, "hubrun: rank %u on node %u at %.3f us: %s\n", r, rank->node,
                          (double)result->end_ps / 1e6, rank->where);
    }
}

static void tell_line(void *arg, const char *line)
{
    (void)arg;
    (void)fprintf(stderr, "hubrun: %s\n", line);
}

/* Where each rank was when the run stood still, and the packets that cannot go on. */
static void tell_stall(const struct machine *machine, const struct launch_result *result)
{
    (void)fflush(stdout);
    tell_where(result);
    (void)machine_stall_tell(machine, STALL_LINES, tell_line, NULL);
}

static int status_of(int code)
{
    return (code & 0xff) != 0 ? code & 0xff : CMD_FAILED;
}

/* The first rank that failed tells its status; a run that went well says so in one line. */
static int conclude(const struct launch_result *result)
{
    (void)fflush(stdout);
    if (result->signal != 0) {
        tell_where(result);
        return 128 + result->signal;
    }
    if (result->aborted) {
        int code = result->ranks[result->abort_rank].exit_code;

        (void)fprintf(stderr, "hubrun: rank %u ended all %u ranks with status %d at %.3f us\n",
                      result->abort_rank, result->nranks, code,
                      (double)result->ranks[result->abort_rank].end_ps / 1e6);
        return status_of(code);
    }
    for (unsigned r = 0; r < result->nranks; r++) {
        int code = result->ranks[r].exit_code;

        if (!result->ranks[r].ended || code == 0)
            continue;
        (void)fprintf(stderr, "hubrun: rank %u ended with status %d at %.3f us\n", r, code,
                      (double)result->ranks[r].end_ps / 1e6);
        return status_of(code);
    }
    return CMD_OK;
}

static void add_stat(void *arg, const char *path, const char *unit, const char *meaning,
                     uint64_t value)
{
    (void)unit;
    (void)meaning;
    lab_repairs_add(arg, path, value);
}

/* Also when the run came to no good end: then most of all. */
static void print_faults(const struct load_machine *file, struct machine *machine)
{
    struct lab_repairs repairs = { { 0 } };

    sim_stat_each(machine_sim(machine), add_stat, &repairs);
    lab_repairs_write_faults(file, "hubrun: fault: ", stderr);
    lab_repairs_write(&repairs, "hubrun: ", stderr);
}

/* Also of a run that failed. @return the first thing that went wrong. */
static int show_profile(const char *path, const struct launch_result *result, int rc,
                        struct sim_error *err)
{
    struct sim_error own = { 0 };
    int written;

    profile_tell(result, stderr);
    if (*path == '\0')
        return rc;
    written = profile_write(result, path, rc == SIM_OK ? err : &own);
    return rc == SIM_OK ? written : rc;
}

/*
 * From here on malloc serves messages, each of which is copied where it waits. Pages that go back
 * to the kernel with every long one, and come as zeros with the next, took half of the time of a
 * bandwidth test. 32 MB is the most that the first of the limits may be (mallopt(3)).
 */
static void reuse_memory(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, 32 * 1024 * 1024);
    (void)mallopt(M_TRIM_THRESHOLD, 256 * 1024 * 1024);
}

static int run_on(const struct options *opt, struct machine *machine, struct keep *keep,
                  int *status_p, struct sim_error *err)
{
    unsigned nnodes = launch_hosts(machine);
    unsigned nranks = opt->nranks != 0 ? opt->nranks : nnodes;
    unsigned *nodes = calloc(nranks, sizeof(*nodes));
    char *program = habits_find(opt->argv[0]);
    struct listener listener = { opt->label, keep };
    struct launch_software software = lab_software(machine, 0);
    struct launch_result result = { 0 };
    int rc;

    if (nodes == NULL || program == NULL) {
        free(program);
        free(nodes);
        return sim_error_set(err, SIM_ERR_NOMEM, "out of memory");
    }
    rc = place_ranks(opt->place, nranks, nnodes, nodes, err);
    if (rc == SIM_OK && opt->mpi != NULL)
        rc = lab_software_mpi(&software, opt->mpi, NULL, err);
    if (opt->algorithm != NULL)
        lab_software_algorithms(&software, opt->algorithm);
    if (rc == SIM_OK) {
        reuse_memory();
        rc = launch_run(machine,
                        &(struct launch_config){ .program = program,
                                                 .argc = opt->argc,
                                                 .argv = (const char *const *)opt->argv,
                                                 .nranks = nranks,
                                                 .nodes = nodes,
                                                 .max_time_ps = opt->max_time_ps,
                                                 .patience_s = opt->patience_s,
                                                 .profile = opt->profile != NULL,
                                                 .signals = true,
                                                 .compute = opt->compute,
                                                 .block_ps = opt->block_ps,
                                                 .output = print_line,
                                                 .output_arg = &listener,
                                                 .software = &software },
                        &result, err);
        *status_p = conclude(&result);
        if (rc == SIM_ERR_STALLED || (rc == SIM_ERR_LIMIT && result.signal == 0))
            tell_stall(machine, &result);
        if (rc == SIM_OK && keep != NULL)
            keep_ranks(keep, &result);
        if (rc == SIM_OK && *status_p == CMD_OK && !opt->quiet)
            (void)fprintf(stderr, "hubrun: %u ranks ended well at %.3f us\n", nranks,
                          (double)result.end_ps / 1e6);
        if (opt->profile != NULL)
            rc = show_profile(opt->profile, &result, rc, err);
        launch_result_fini(&result);
    }
    free(program);
    free(nodes);
    return rc;
}

/** The command without what changes no result. */
static unsigned command_words(const struct options *opt, struct load_arena *arena,
                              const char *const **words_p)
{
    static const char *const computes[] = { [LAUNCH_COMPUTE_NONE] = "none",
                                            [LAUNCH_COMPUTE_COUNTED] = "counted",
                                            [LAUNCH_COMPUTE_MEASURED] = "measured" };
    const char **words =
        load_alloc(arena, (CMD_WORDS_MAX + 16 + (size_t)opt->argc) * sizeof(*words));
    unsigned n = 0;

    if (opt->nranks != 0) {
        words[n++] = "-n";
        words[n++] = load_text(arena, "%u", opt->nranks);
    }
    words[n++] = "-m";
    words[n++] = opt->machine;
    if (opt->place != NULL) {
        words[n++] = "--place";
        words[n++] = opt->place;
    }
    if (opt->max_time_ps != 0) {
        words[n++] = "--max-time";
        words[n++] = load_text(arena, "%" PRIu64 "ps", opt->max_time_ps);
    }
    if (opt->compute != LAUNCH_COMPUTE_NONE) {
        words[n++] = "--compute";
        words[n++] = computes[opt->compute];
        words[n++] = "--block-time";
        words[n++] = load_text(arena, "%" PRIu64 "ps", opt->block_ps);
    }
    if (opt->mpi != NULL) {
        words[n++] = "--mpi";
        words[n++] = opt->mpi;
    }
    if (opt->algorithm != NULL) {
        words[n++] = "--algorithm";
        words[n++] = opt->algorithm;
    }
    n += cmd_words(&opt->common, arena, words + n);
    for (int i = 0; i < opt->argc; i++)
        words[n++] = opt->argv[i];
    *words_p = words;
    return n;
}

static int write_result(const struct options *opt, const struct load_machine *file,
                        struct keep *keep, struct sim_error *err)
{
    struct load_arena arena = { 0 };
    struct lab_out_machine machine = { opt->machine, opt->common.platform, file };
    struct lab_out out = { .kind = "program",
                           .description = "What each rank has printed",
                           .command = "hubrun",
                           .seed = opt->common.seed,
                           .nsets = opt->common.nsets,
                           .sets = opt->common.sets,
                           .nmachines = 1,
                           .machines = &machine };
    int rc;

    out.nwords = command_words(opt, &arena, &out.words);
    lab_tell_faults(file, keep_stream(keep));
    rc = keep_write(keep, opt->out, opt->argv[0], &out, err);
    load_arena_fini(&arena);
    return rc;
}

static int run_observed(const struct options *opt, const struct load_machine *file,
                        const struct lab_watch *watch, struct keep *keep, int *status_p,
                        struct sim_error *err)
{
    struct sim_config cfg = { .seed = opt->common.seed,
                              .fingerprint = opt->fingerprint || keep != NULL,
                              .probe = lab_watch_probe(watch) };
    struct launch_memory *memory;
    struct machine *machine;
    int rc;

    memory = launch_memory_create();
    if (memory == NULL) {
        rc = sim_error_set(err, SIM_ERR_NOMEM, "%s: no address space for its memories",
                           opt->machine);
    } else {
        rc =
            machine_create(load_machine_desc(file), &cfg, launch_memory_map, memory, &machine, err);
        if (rc == SIM_OK) {
            rc = run_on(opt, machine, keep, status_p, err);
            if (rc == SIM_OK && opt->fingerprint)
                lab_tell_prints(machine, stderr);
            if (rc == SIM_OK && keep != NULL) {
                lab_tell_prints(machine, keep_stream(keep));
                lab_tell_counts(machine, keep_stream(keep));
                rc = lab_watch_tell(watch, sim_reached(machine_sim(machine)), keep_stream(keep),
                                    err);
            }
            if (!opt->quiet && machine_description(machine)->nfaults > 0)
                print_faults(file, machine);
            machine_destroy(machine);
        }
        launch_memory_destroy(memory);
    }
    return rc;
}

static int run(const struct options *opt, int *status_p, struct sim_error *err)
{
    struct load_machine *file;
    struct lab_watch *watch;
    struct keep *keep = opt->out != NULL ? keep_create() : NULL;
    int rc = cmd_load(&opt->common, opt->machine, &file, err), closed;

    if (rc != SIM_OK)
        goto out_keep;
    rc = lab_watch_open(&opt->common.watch, NULL, &watch, err);
    if (rc == SIM_OK) {
        rc = run_observed(opt, file, watch, keep, status_p, err);
        closed = lab_watch_close(watch, err);
        rc = rc != SIM_OK ? rc : closed;
    }
    if (rc == SIM_OK && keep != NULL)
        rc = write_result(opt, file, keep, err);
    load_machine_destroy(file);
out_keep:
    keep_destroy(keep);
    return rc;
}

int main(int argc, char **argv)
{
    static const struct argp_child children[] = { { &cmd_machine_argp, 0, NULL, 0 },
                                                  { &cmd_watch_argp, 0, NULL, 0 },
                                                  { &habits_argp, 0, NULL, 0 },
                                                  { 0 } };
    static const struct argp argp = {
        options,
        parse,
        "PROGRAM [ARGUMENT...]",
        "Runs a program made by hubcc on a simulated machine, one copy for each rank. Its lines "
        "come out in order of simulated time. What the program computes between its calls takes no "
        "simulated time unless --compute says so; what it calls does. The exit status is that of "
        "the first rank that failed.",
        children,
        NULL,
        NULL,
    };
    struct options opt = { .machine = "two-node", .patience_s = 60, .block_ps = SIM_NS };
    struct sim_error err = { 0 };
    int status = CMD_FAILED;

    /* Large tables stay zero pages until they are used, of caches and BARs for example: once set,
     * the limit no longer follows what is freed. */
    (void)mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    argp_err_exit_status = CMD_USAGE;
    cmd_common_init(&opt.common);
    (void)argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_LONG_ONLY, NULL, &opt);
    if (run(&opt, &status, &err) == SIM_OK)
        return status;
    (void)fflush(stdout);
    (void)fprintf(stderr, "hubrun: %s\n", err.text);
    return status != CMD_OK ? status : CMD_FAILED;
}
