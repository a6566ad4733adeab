#define _DEFAULT_SOURCE /* strsep */
#include "tools/hubrun/options.h"

#include "tools/lab/result/kept.h"
#include "tools/load/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RANKS_MAX    4096u
#define PATIENCE_MAX 1000000u

static unsigned parse_ranks(struct argp_state *state, const char *option, const char *text)
{
    uint64_t n = 0;

    if (!load_number(text, false, &n) || n == 0 || n > RANKS_MAX)
        argp_error(state, "%s %s: expected 1 to %u", option, text, RANKS_MAX);
    return (unsigned)n;
}

static void take_ranks(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    (void)o;
    *(unsigned *)to = parse_ranks(state, "-n", text);
}

static void take_patience(struct argp_state *state, const struct cmd_option *o, void *to,
                          char *text)
{
    uint64_t s = 0;

    if (!load_number(text, false, &s) || s > PATIENCE_MAX)
        argp_error(state, "--%s %s: expected 0 to %u seconds", o->name, text, PATIENCE_MAX);
    *(unsigned *)to = (unsigned)s;
}

static const char *const computes[] = { [LAUNCH_COMPUTE_NONE] = "none",
                                        [LAUNCH_COMPUTE_COUNTED] = "counted",
                                        [LAUNCH_COMPUTE_MEASURED] = "measured" };

static void take_compute(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    const size_t n = SIM_COUNT(computes);
    size_t i = 0;

    while (i < n && strcmp(text, computes[i]) != 0)
        i++;
    if (i == n)
        argp_error(state, "--%s %s: expected none, measured or counted", o->name, text);
    *(enum launch_compute *)to = (enum launch_compute)i;
}

static void take_checks(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    static const struct {
        const char *name;
        unsigned checks;
    } rows[] = { { "heap", HOST_CHECK_HEAP },
                 { "mpi", HOST_CHECK_MPI },
                 { "races", HOST_CHECK_RACES },
                 { "all-races", HOST_CHECK_RACES | HOST_CHECK_ALL_RACES } };
    unsigned *checks = to;

    for (char *rest = text; rest != NULL;) {
        char *name = strsep(&rest, ",");
        size_t i = 0;

        while (i < SIM_COUNT(rows) && strcmp(name, rows[i].name) != 0)
            i++;
        if (i == SIM_COUNT(rows))
            argp_error(state,
                       "--%s %s: expected heap, mpi, races or all-races, or several with commas",
                       o->name, name);
        *checks |= rows[i].checks;
    }
}

static void take_profile(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    static char no_file[] = "";

    cmd_take_text(state, o, to, text != NULL ? text : no_file);
}

static void take_name(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    if (!lab_manifest_is_name(text))
        argp_error(state, "--%s %s: expected the name of a folder", o->name, text);
    *(const char **)to = text;
}

static const struct cmd_option options[] = {
    { "ranks", 'n', "N", "Ranks (default: one on each node)", 0, take_ranks, CMD_AT(nranks) },
    { "machine", 'm', "MACHINE", "Machine file, by name or path (default two-node)", 0,
      cmd_take_text, CMD_AT(machine) },
    { "place", 0, "HOW",
      "Node of each rank: cyclic (default), block, block:2 (two on each), or a list 0,0,1,1", 0,
      cmd_take_text, CMD_AT(place) },
    { "max-time", 0, "TIME", "Stop at this simulated time: a number and ns, us, ms or s", 0,
      cmd_take_time, CMD_AT(max_time_ps) },
    { "compute", 0, "HOW",
      "What the program computes between its calls takes: none, no time (default); measured, the "
      "processor's time that it takes here, which differs from run to run; counted, --block-time "
      "for each block that it runs, the same in each run of a program made by hubcc --count. With "
      "none a program must not plan its loops by a rehearsal that it times",
      0, take_compute, CMD_AT(compute) },
    { "block-time", 0, "TIME", "Of one block of the program (default 1ns)", 0, cmd_take_time,
      CMD_AT(block_ps) },
    { "patience", 0, "SECONDS",
      "End a rank that has had the processor so long without a call that takes simulated time, and "
      "a run in which nothing but polling happens (default 60; 0: never)",
      0, take_patience, CMD_AT(patience_s) },
    { "algorithm", 0, "COLLECTIVE=NAME[@FROM..BELOW][/RANKS],...",
      "Algorithms of MPI's collectives, wherever they apply, from and below so many bytes and for "
      "so "
      "many ranks: allgather=ring@4K..64K/16,bcast=chain; `hubsim tune` finds the fastest",
      0, cmd_take_text, CMD_AT(algorithm) },
    { "mpi", 0, "NAME[,KEY=VALUE...]",
      "Transport of MPI and its settings, instead of the platform's: net, mbcf, tcp, ib or peach2; "
      "progress=calls|helper, requests=on|off, eager_bytes=N, write_bytes=N, fifo_bytes=N, "
      "entry_ps=N; ib: rails=N, "
      "gdr=on|off, gdr_limit=N, gdr_receive_limit=N, gdrcopy=on|off, library=NAME",
      0, cmd_take_text, CMD_AT(mpi) },
    { "gasnet", 0, "NAME[,KEY=VALUE...]",
      "Transport of GASNet, or a file of its settings by name or path, and settings above them: "
      "segment=host|gpu|gpuN, max_segment_bytes=N (default net, the control network)",
      0, cmd_take_text, CMD_AT(gasnet) },
    { "variables", 0, "LIBRARY",
      "Take settings of MPI from the variables of mvapich2 (MV2_*) or openmpi (OMPI_MCA_*), as far "
      "as they have the same here; a line on stderr names each",
      0, cmd_take_choice, CMD_AT(variables), .choices = "mvapich2|openmpi" },
    { "visible-devices", 0, "LIST",
      "GPUs of its node that each rank sees, and in which order: 2,3; the first one is where it "
      "begins (default: as CUDA_VISIBLE_DEVICES says, which a line on stderr names, else all)",
      0, cmd_take_text, CMD_AT(visible), .flags = CMD_OPTION_EMPTY },
    { "profile", 0, "FILE",
      "Calls of MPI and GASNet on stderr: how often, bytes, time in them; and each rank's in FILE "
      "(CSV, or JSON by its name), who sent how much to whom in FILE's .matrix.csv, for "
      "scripts/matrix",
      0, take_profile, CMD_AT(profile), .flags = OPTION_ARG_OPTIONAL },
    { "check", 0, "WHAT,...",
      "Look for mistakes of the program, which then ends badly: heap, bytes beyond a block of "
      "malloc and blocks after free; mpi, calls that do not fit together, messages never received "
      "and requests never completed; races, memory that it uses while a transfer does, or after "
      "tcaFree; all-races, with a line for each pair of places",
      0, take_checks, CMD_AT(checks) },
    { "allow-errors", 0, NULL,
      "A run may end well though PCI Express had uncorrectable errors, as when a write has met no "
      "memory",
      0, cmd_take_flag, CMD_AT(allow_errors) },
    { "label", 0, NULL, "Put the rank in front of each line", 0, cmd_take_flag, CMD_AT(label) },
    { "fingerprint", 0, NULL,
      "A last line on stderr with hashes of what software saw and of each packet", 0, cmd_take_flag,
      CMD_AT(fingerprint) },
    { "out", 0, "DIR",
      "Keep the result in DIR/PROGRAM, for `hubsim check` and `hubsim diff`: a row for each rank "
      "and what it printed in lines `result key=value ...`",
      0, cmd_take_text, CMD_AT(out) },
    { "name", 0, "NAME",
      "Keep the result in DIR/NAME: a folder for each of several runs of one program", 0, take_name,
      CMD_AT(name) },
    { "quiet", 'q', NULL,
      "No remarks on stderr: how the run ended, which network MPI took, why a call was refused", 0,
      cmd_take_flag, CMD_AT(quiet) },
    { 0 },
};

static void take_habits(struct argp_state *state, struct options *opt)
{
    const struct habits *habits = &opt->habits;

    if (habits->ranks != NULL)
        opt->nranks = parse_ranks(state, "-np", habits->ranks);
    if (habits->per_node != NULL && opt->place == NULL) {
        (void)parse_ranks(state, "-ppn", habits->per_node);
        snprintf(opt->shares, sizeof(opt->shares), "block:%s", habits->per_node);
        opt->place = opt->shares;
    }
    opt->label |= habits->label;
}

static void check_options(struct argp_state *state, void *arg)
{
    struct options *opt = arg;

    take_habits(state, opt);
    cmd_check_watch(state, &opt->common);
    if (opt->common.watch.usage && opt->out == NULL)
        argp_error(state, "--utilisation: expected --out DIR, too");
    if (opt->name != NULL && opt->out == NULL)
        argp_error(state, "--name %s: expected --out DIR, too", opt->name);
    if (opt->out != NULL && opt->compute == LAUNCH_COMPUTE_MEASURED)
        argp_error(state,
                   "--out %s: expected --compute none or counted, as what is measured differs from "
                   "run to run",
                   opt->out);
}

static void take_program(void *arg, int argc, char **argv)
{
    struct options *opt = arg;
    int n = habits_variables(argc, argv, &opt->habits);

    opt->argc = argc - n;
    opt->argv = argv + n;
}

void options_parse(int argc, char **argv, struct options *opt_p)
{
    static const struct cmd_usage usage = {
        .words = "PROGRAM [ARGUMENT...]",
        .about = "Runs a program made by hubcc on a simulated machine, one copy for each rank. Its "
                 "lines come out in order of simulated time. What the program computes between its "
                 "calls takes no simulated time unless --compute says so; what it calls does. The "
                 "exit status is that of the first rank that failed.",
        .options = { { options, 0 },
                     { cmd_machine_options, 0 },
                     { cmd_watch_options, 0 },
                     { cmd_usage_options, 0 },
                     { habits_options, offsetof(struct options, habits) } },
        .words_at = offsetof(struct options, argv),
        .none = "expected a program made by hubcc",
        .rest = take_program,
        .check = check_options,
        .flags = ARGP_IN_ORDER | ARGP_LONG_ONLY,
    };

    *opt_p = (struct options){ .machine = "two-node", .patience_s = 60, .block_ps = SIM_NS };
    argp_err_exit_status = CMD_USAGE;
    cmd_parse(&usage, argc, argv, opt_p);
}

unsigned options_words(const struct options *opt, struct load_arena *arena,
                       const char *const **words_p)
{
    const char **words = load_alloc(
        arena, (CMD_WORDS_MAX + HABITS_WORDS_MAX + 22 + (size_t)opt->argc) * sizeof(*words));
    unsigned n = 0;

    if (opt->nranks != 0)
        n = cmd_add_option(words, n, "-n", load_text(arena, "%u", opt->nranks));
    n = cmd_add_option(words, n, "-m", opt->machine);
    n = cmd_add_option(words, n, "--place", opt->place);
    if (opt->max_time_ps != 0)
        n = cmd_add_option(words, n, "--max-time",
                           load_text(arena, "%" PRIu64 "ps", opt->max_time_ps));
    if (opt->compute != LAUNCH_COMPUTE_NONE) {
        n = cmd_add_option(words, n, "--compute", computes[opt->compute]);
        n = cmd_add_option(words, n, "--block-time",
                           load_text(arena, "%" PRIu64 "ps", opt->block_ps));
    }
    n = cmd_add_option(words, n, "--mpi", opt->mpi);
    n = cmd_add_option(words, n, "--gasnet", opt->gasnet);
    n = cmd_add_option(words, n, "--algorithm", opt->algorithm);
    n = cmd_add_option(words, n, "--visible-devices", opt->visible);
    n = cmd_add_option(words, n, "--name", opt->name);
    n = cmd_words(&opt->common, arena, words, n);
    n = habits_words(&opt->habits, words, n);
    for (int i = 0; i < opt->argc; i++)
        words[n++] = opt->argv[i];
    *words_p = words;
    return n;
}
