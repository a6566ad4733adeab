/* hubrun: runs a program made by hubcc on the simulated nodes of a machine. */
#define _DEFAULT_SOURCE /* on_exit */
#include "hosts/launch/launch.h"
#include "tools/hubrun/environment.h"
#include "tools/hubrun/errors.h"
#include "tools/hubrun/keep.h"
#include "tools/hubrun/options.h"
#include "tools/hubrun/place.h"
#include "tools/hubrun/profile.h"
#include "tools/hubrun/repeat.h"
#include "tools/hubrun/unused.h"
#include "tools/lab/format/out.h"
#include "tools/lab/process/processes.h"
#include "tools/lab/result/kept.h"
#include "tools/lab/result/write.h"
#include "tools/lab/rows/repairs.h"
#include "tools/lab/run/simulate.h"
#include "tools/lab/run/software.h"
#include "tools/load/value.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STALL_LINES 100u
#define NOBODY      UINT_MAX

struct listener {
    bool label;
    struct keep *keep;         /* NULL: nothing is kept */
    int codes[OUTPUT_STREAMS]; /* error numbers of what could not be written */
};

struct run {
    int argc;
    char **argv;
    bool repeats; /* see repeat.h */
    struct options opt;
    struct listener listener;
    struct load_arena arena;
    struct load_machine *file;
    struct lab_watch *watch;
    struct machine *machine;
    struct errors errors;
    int status;
};

static void print_line(void *arg, unsigned rank, enum output_stream stream, sim_time_t time,
                       const char *line)
{
    struct listener *listener = &((struct run *)arg)->listener;
    FILE *out = stream == OUTPUT_STDOUT ? stdout : stderr;

    (void)time;
    if (listener->label)
        fprintf(out, "%u: ", rank);
    if (fprintf(out, "%s\n", line) < 0 && listener->codes[stream] == 0)
        listener->codes[stream] = errno;
    if (listener->keep != NULL)
        keep_line(listener->keep, rank, stream == OUTPUT_STDOUT, line);
}

static void print_remark(void *arg, const char *line)
{
    (void)arg;
    fprintf(stderr, "hubrun: %s\n", line);
}

static void print_refusal(void *arg, unsigned rank, const char *line)
{
    (void)rank; /* the line names it */
    print_remark(arg, line);
}

static void print_mistake(void *arg, const char *line)
{
    struct keep *keep = ((struct run *)arg)->listener.keep;

    print_remark(NULL, line);
    if (keep != NULL)
        keep_mistake(keep, line);
}

static void begin_ranks(void *arg)
{
    struct run *run = arg;

    errors_begin(&run->errors, machine_sim(run->machine), &run->arena);
}

static void report_end(unsigned r, const struct launch_rank_result *rank)
{
    double us = (double)rank->end_ps / 1e6;

    if (rank->signal != 0)
        fprintf(stderr, "hubrun: rank %u on node %u was ended by signal %d (%s) at %.3f us\n", r,
                rank->node, rank->signal, strsignal(rank->signal), us);
    else
        fprintf(stderr, "hubrun: rank %u on node %u ended with status %d at %.3f us\n", r,
                rank->node, rank->exit_code, us);
}

/* Where each rank was when the run ended early; that of `reported` is known. */
static void report_where(const struct launch_result *result, unsigned reported)
{
    for (unsigned r = 0; r < result->nranks; r++) {
        const struct launch_rank_result *rank = &result->ranks[r];

        if (r == reported)
            continue;
        if (rank->ended)
            report_end(r, rank);
        else
            fprintf(stderr, "hubrun: rank %u on node %u at %.3f us: %s\n", r, rank->node,
                    (double)result->end_ps / 1e6, rank->where);
    }
}

/* A collective that one rank has left out is not where the others wait in the end. Messages are
 * named as they are waited for. */
static void suggest_check(const struct options *opt, const struct launch_result *result)
{
    bool in_collective = false;

    for (unsigned r = 0; r < result->nranks; r++)
        in_collective |= result->ranks[r].in_collective;
    if (in_collective && (opt->checks & HOST_CHECK_MPI) == 0 && !opt->quiet)
        print_remark(NULL, "--check mpi finds calls that do not fit together, and their places");
}

/* Where each rank was when the run was blocked, and the packets that cannot go on. */
static void report_stall(const struct run *run, const struct launch_result *result, int code,
                         unsigned reported)
{
    fflush(stdout);
    report_where(result, reported);
    (void)machine_stall_report(run->machine, STALL_LINES, print_remark, NULL);
    if (reported == NOBODY && code == SIM_ERR_STALLED)
        suggest_check(&run->opt, result);
}

/* A shell sees 8 bits; a failure is one all the same. */
static int status_of(int code)
{
    return (code & 0xff) != 0 || code == 0 ? code & 0xff : CMD_FAILED;
}

/* "WHO with status 3 at 1.500 us" @return the status */
static int report_status(const char *who, int code, sim_time_t end_ps)
{
    int status = status_of(code);
    char own[48] = "";

    if (status != code)
        (void)snprintf(own, sizeof(own), " (that of hubrun is %d)", status);
    fprintf(stderr, "hubrun: %s with status %d%s at %.3f us\n", who, code, own,
            (double)end_ps / 1e6);
    return status;
}

/* The status is that of the rank that ended all, which may be 0 (GASNet specification 1.8,
 * "gasnet_exit"; MPI's MPI_Abort is likewise), or of the first one that failed. Its number goes to
 * *reported_p. */
static int conclude_run(const struct launch_result *result, unsigned *reported_p)
{
    char who[64];

    fflush(stdout);
    *reported_p = NOBODY;
    if (result->signal != 0) {
        report_where(result, NOBODY);
        return 128 + result->signal;
    }
    if (result->aborted) {
        (void)snprintf(who, sizeof(who), "rank %u ended all %u rank%s", result->abort_rank,
                       result->nranks, load_plural(result->nranks));
        return report_status(who, result->ranks[result->abort_rank].exit_code,
                             result->ranks[result->abort_rank].end_ps);
    }
    for (unsigned r = 0; r < result->nranks; r++) {
        int code = result->ranks[r].exit_code;

        if (!result->ranks[r].ended || code == 0)
            continue;
        *reported_p = r;
        if (result->ranks[r].signal != 0) {
            report_end(r, &result->ranks[r]);
            return status_of(code);
        }
        (void)snprintf(who, sizeof(who), "rank %u ended", r);
        return report_status(who, code, result->ranks[r].end_ps);
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

/* Where faults are asked for, they are reported with the others. */
static void judge_errors(struct run *run)
{
    if (run->opt.allow_errors || machine_description(run->machine)->nfaults > 0 ||
        !errors_report(&run->errors, machine_sim(run->machine)))
        return;
    fprintf(stderr, "hubrun: packets were refused or lost, and no rank has failed: "
                    "--allow-errors lets such a run end well\n");
    run->status = CMD_FAILED;
}

/* Also with --quiet: without it no race found would be taken for none. */
static void remark_unseen(const struct options *opt, const struct launch_result *result)
{
    if ((opt->checks & HOST_CHECK_RACES) != 0 && result->start_ps != 0 && !result->announces)
        fprintf(
            stderr,
            "hubrun: races: loads and stores of %s itself are not seen, or few of them: expected "
            "a program made by hubcc --races\n",
            opt->argv[0]);
}

static void judge_found(struct run *run, const struct launch_result *result)
{
    if (result->found == 0)
        return;
    fprintf(stderr, "hubrun: --check has found %llu mistake%s%s\n",
            (unsigned long long)result->found, load_plural(result->found),
            result->found_lines > launch_found_max(run->opt.checks)
                ? ", of which the first ones are shown"
                : "");
    if (run->status == CMD_OK)
        run->status = CMD_FAILED;
}

static void free_result(void *result)
{
    launch_result_fini(result);
}

static void run_program(struct run *run, const struct launch_config *cfg)
{
    const struct options *opt = &run->opt;
    struct keep *keep = run->listener.keep;
    struct launch_result *result = load_alloc(&run->arena, sizeof(*result));
    unsigned reported;
    int code;

    reuse_memory();
    code = launch_run(run->machine, cfg, load_own(&run->arena, free_result, result), load_error());
    run->status = conclude_run(result, &reported);
    if (code == SIM_ERR_STALLED || (code == SIM_ERR_LIMIT && result->signal == 0))
        report_stall(run, result, code, reported);
    if (code == SIM_OK && keep != NULL)
        keep_ranks(keep, result, opt->checks);
    if (code == SIM_OK && run->status == CMD_OK)
        judge_errors(run);
    if (code == SIM_OK && run->status == CMD_OK && !opt->quiet)
        unused_remark(opt, result);
    remark_unseen(opt, result);
    judge_found(run, result);
    if (code == SIM_OK && run->status == CMD_OK && !result->aborted && !opt->quiet)
        fprintf(stderr, "hubrun: %u rank%s ended well at %.3f us\n", result->nranks,
                load_plural(result->nranks), (double)result->end_ps / 1e6);
    if (opt->profile != NULL && result->start_ps != 0) { /* else no rank has begun */
        profile_report(result, stderr);
        if (*opt->profile != '\0' && lab_processes_first())
            profile_write(result, opt->profile);
    }
    load_check(code);
}

static void run_ranks(void *arg)
{
    struct run *run = arg;
    const struct options *opt = &run->opt;
    struct keep *keep = run->listener.keep;
    unsigned nnodes = launch_hosts(run->machine);
    unsigned nranks = opt->nranks != 0 ? opt->nranks : nnodes;
    unsigned *nodes = load_alloc(&run->arena, nranks * sizeof(*nodes));
    struct launch_software software = lab_software(run->machine, 0);
    struct launch_config cfg = { .program = habits_find(opt->argv[0], &run->arena),
                                 .argc = opt->argc,
                                 .argv = (const char *const *)opt->argv,
                                 .nranks = nranks,
                                 .nodes = nodes,
                                 .max_time_ps = opt->max_time_ps,
                                 .patience_s = opt->patience_s,
                                 .profile = opt->profile != NULL,
                                 .checks = opt->checks,
                                 .lists = true,
                                 .signals = true,
                                 .compute = opt->compute,
                                 .block_ps = opt->block_ps,
                                 .visible = opt->visible,
                                 .output = print_line,
                                 .remark = opt->quiet ? NULL : print_remark,
                                 .refused = opt->quiet ? NULL : print_refusal,
                                 .found = print_mistake,
                                 .output_arg = run,
                                 .begins = begin_ranks,
                                 .output_codes = run->listener.codes,
                                 .software = &software };

    place_ranks(opt->place, nranks, nnodes, nodes);
    if (opt->algorithm != NULL)
        lab_software_algorithms(&software, opt->algorithm);
    if (opt->mpi != NULL)
        lab_software_mpi(&software, run->machine, opt->mpi, NULL, &run->arena);
    if (opt->gasnet != NULL)
        lab_software_gasnet(&software, run->machine, opt->gasnet, NULL, &run->arena);
    lab_software_segment(&software, run->machine, nodes, nranks);
    cfg.beside = lab_software_beside(&software, run->machine);
    run_program(run, &cfg);
    if (opt->fingerprint)
        lab_report_prints(run->machine, stderr);
    if (keep == NULL)
        return;
    lab_report_prints(run->machine, keep_stream(keep));
    lab_report_counts(run->machine, keep_stream(keep));
    lab_watch_report(run->watch, sim_reached(machine_sim(run->machine)), keep_stream(keep));
}

static const char *result_name(struct run *run)
{
    const struct options *opt = &run->opt;

    return opt->name != NULL ? opt->name : load_find_stem(opt->argv[0], &run->arena);
}

static const char *result_folder(struct run *run)
{
    return load_text(&run->arena, "%s/%s", run->opt.out, result_name(run));
}

static void write_result(struct run *run)
{
    const struct options *opt = &run->opt;
    struct keep *keep = run->listener.keep;
    struct lab_out_machine machine = { opt->machine, opt->common.platform, run->file };
    const char *dir = result_folder(run);
    struct lab_out out = { .kind = "program",
                           .name = result_name(run),
                           .description = "What each rank has printed",
                           .command = "hubrun",
                           .seed = opt->common.seed,
                           .nsets = opt->common.nsets,
                           .sets = opt->common.sets,
                           .nmachines = 1,
                           .machines = &machine };

    out.nwords = options_words(opt, &run->arena, &out.words);
    lab_report_faults(run->file, keep_stream(keep));
    if (!opt->quiet)
        cmd_remark_replaced("hubrun", dir, &out, "--name NAME");
    keep_write(keep, dir, &out);
}

/* A machine, while its program runs. */
static void run_observed(struct run *run)
{
    const struct options *opt = &run->opt;
    struct load_arena arena = { 0 };
    struct sim_config cfg = { .seed = opt->common.seed,
                              .fingerprint = opt->fingerprint || opt->out != NULL,
                              .probe = lab_watch_probe(run->watch) };
    int code;

    run->machine = lab_machine(load_machine_desc(run->file), &cfg, &arena);
    code = load_attempt(run_ranks, run, load_error());
    if (!opt->quiet && machine_description(run->machine)->nfaults > 0)
        print_faults(run->file, run->machine);
    load_check(code);
    load_arena_fini(&arena);
}

/* Ranks find addresses of our heap in bytes that they never set. `hubsim check` runs a result again
 * with another --out: what lies there must not depend on how long its path is. */
static void try_folder(struct run *run)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s/%s", run->opt.out, result_name(run)) >= PATH_MAX)
        load_raise(SIM_ERR_IO, "--out %s: %s", run->opt.out, strerror(ENAMETOOLONG));
    lab_out_try_folder(path);
}

static void try_words(const struct options *opt)
{
    struct load_arena arena = { 0 };
    const char *const *words;
    unsigned n = options_words(opt, &arena, &words);

    lab_out_try_words(words, n);
    load_arena_fini(&arena);
}

/* A run that a missing program or an output in the wrong place would end has no effect. */
static void check_files(struct run *run)
{
    const struct options *opt = &run->opt;
    const char *program = habits_find(opt->argv[0], &run->arena);
    struct lab_claims claims = { 0 };

    habits_examine(program);
    lab_watch_claim(&opt->common.watch, &claims);
    if (opt->profile != NULL && *opt->profile != '\0') {
        lab_claims_add(&claims, "--profile", opt->profile);
        lab_claims_add(&claims, "--profile", profile_matrix_path(opt->profile, &run->arena));
    }
    lab_claims_spare(&claims, "the program", program);
    cmd_spare_inputs(&opt->common, "-m", opt->machine, &claims);
    lab_claims_spare_machine(&claims, run->file);
    if (opt->out != NULL) {
        try_words(opt);
        try_folder(run);
    }
}

/* What watches all nodes from one place has to have them in one process. */
static void begin_processes(const struct options *opt)
{
    const char *option = lab_watch_wanted(&opt->common.watch)    ? "--timeline and the like"
                         : (opt->checks & HOST_CHECK_RACES) != 0 ? "--check races"
                                                                 : NULL;

    lab_processes_begin();
    if (lab_processes_several() && option != NULL)
        load_raise(SIM_ERR_CONFIG, "%s: expected one process, without mpirun", option);
}

static void run_machine(void *arg)
{
    struct run *run = arg;
    const struct options *opt = &run->opt;

    options_parse(run->argc, run->argv, &run->opt);
    begin_processes(&run->opt);
    if (!run->repeats && (opt->out != NULL || opt->fingerprint))
        print_remark(NULL, "addresses are random here, as the system refuses to keep them fixed: a "
                           "program that sends its own, or bytes that it never set, does not "
                           "repeat");
    run->file = cmd_load(&opt->common, opt->machine);
    environment_take(&run->opt, load_machine_desc(run->file));
    check_files(run);
    run->listener.label = opt->label;
    if (opt->out != NULL)
        run->listener.keep = keep_create(&run->arena, habits_find(opt->argv[0], &run->arena));
    lab_watch_check(&opt->common.watch, load_machine_desc(run->file));
    run->watch = lab_watch_open(&opt->common.watch, NULL);
    run_observed(run);
    lab_watch_close(run->watch);
    if (opt->out != NULL && lab_processes_first())
        write_result(run);
    load_machine_destroy(run->file);
    load_arena_fini(&run->arena);
}

/* A stream that could not take all is a failure, whichever way the process ends. */
static void close_streams(int status, void *arg)
{
    const struct listener *listener = arg;
    int code = fflush(stdout) != 0 ? errno : listener->codes[OUTPUT_STDOUT];
    bool out = ferror(stdout) != 0;

    if (out)
        fprintf(stderr, "hubrun: stdout: %s\n",
                code != 0 ? strerror(code) : "could not be written");
    if (out || ferror(stderr) != 0)
        _exit(status != 0 ? status : CMD_FAILED);
}

static int run_command(int argc, char **argv, bool repeats)
{
    static struct run run = { .status = CMD_FAILED };
    static char lines[BUFSIZ]; /* not from malloc(), by the kind of file */
    struct sim_error err = { 0 };

    /* Large tables stay zero pages until they are used, of caches and BARs for example: once set,
     * the limit no longer follows what is freed. */
    (void)mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    (void)setvbuf(stdout, lines, _IOLBF, BUFSIZ); /* people follow the lines of a run in a file */
    (void)on_exit(close_streams, &run.listener);
    run.argc = argc;
    run.argv = argv;
    run.repeats = repeats;
    if (load_attempt(run_machine, &run, &err) == SIM_OK)
        return run.status;
    fflush(stdout);
    fprintf(stderr, "hubrun: %s\n", err.text);
    return run.status != CMD_OK ? run.status : CMD_FAILED;
}

int main(int argc, char **argv)
{
    lab_out_prepare();
    repeat_run(argc, argv, run_command);
}
