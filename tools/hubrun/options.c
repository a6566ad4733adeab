#include "tools/hubrun/options.h"

#include "tools/load/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RANKS_MAX    4096u
#define PATIENCE_MAX 1000000u

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
    { "algorithm", OPT_ALGORITHM, "COLLECTIVE=NAME[@FROM..BELOW][/RANKS],...", 0,
      "Algorithms of MPI's collectives, wherever they apply, from and below so many bytes and for "
      "so "
      "many ranks: allgather=ring@4K..64K/16,bcast=chain; `hubsim tune` finds the fastest",
      0 },
    { "mpi", OPT_MPI, "NAME[,KEY=VALUE...]", 0,
      "Transport of MPI and its settings, instead of the platform's: net, mbcf, tcp, ib or peach2; "
      "progress=calls|helper, requests=on|off, eager_bytes=N, write_bytes=N, fifo_bytes=N, "
      "entry_ps=N; ib: rails=N, "
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
      "and what it printed in lines `result key=value ...`",
      0 },
    { "quiet", 'q', NULL, 0, "Neither a closing line on stderr nor the line that names the network",
      0 },
    { 0 },
};

static unsigned parse_ranks(struct argp_state *state, const char *option, const char *text)
{
    uint64_t n = 0;

    if (!load_number(text, false, &n) || n == 0 || n > RANKS_MAX)
        argp_error(state, "%s %s: expected 1 to %u", option, text, RANKS_MAX);
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
        opt->nranks = parse_ranks(state, "-np", habits->ranks);
    if (habits->per_node != NULL && opt->place == NULL) {
        (void)parse_ranks(state, "-ppn", habits->per_node);
        (void)snprintf(opt->shares, sizeof(opt->shares), "block:%s", habits->per_node);
        opt->place = opt->shares;
    }
    opt->label |= habits->label;
}

/* Where an option's text, or its flag, goes. NULL: it is none of these. */
static const char **text_of(struct options *opt, int key)
{
    switch (key) {
    case 'm':
        return &opt->machine;
    case OPT_PLACE:
        return &opt->place;
    case OPT_MPI:
        return &opt->mpi;
    case OPT_ALGORITHM:
        return &opt->algorithm;
    case OPT_OUT:
        return &opt->out;
    default:
        return NULL;
    }
}

static bool *flag_of(struct options *opt, int key)
{
    switch (key) {
    case OPT_LABEL:
        return &opt->label;
    case OPT_FINGERPRINT:
        return &opt->fingerprint;
    case 'q':
        return &opt->quiet;
    default:
        return NULL;
    }
}

static void check(struct argp_state *state, struct options *opt)
{
    take_habits(state, opt);
    if (opt->common.watch.usage && opt->out == NULL)
        argp_error(state, "--utilisation: expected --out DIR, too");
    if (opt->out != NULL && opt->compute == LAUNCH_COMPUTE_MEASURED)
        argp_error(state,
                   "--out %s: expected --compute none or counted, as what is measured differs from "
                   "run to run",
                   opt->out);
}

static error_t parse_value(int key, const char *arg, struct argp_state *state)
{
    struct options *opt = state->input;

    switch (key) {
    case 'n':
        opt->nranks = parse_ranks(state, "-n", arg);
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
    case OPT_PROFILE:
        opt->profile = arg != NULL ? arg : "";
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *opt = state->input;

    cmd_expect_text(state, options, key, arg);
    if (text_of(opt, key) != NULL) {
        *text_of(opt, key) = arg;
        return 0;
    }
    if (flag_of(opt, key) != NULL) {
        *flag_of(opt, key) = true;
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &opt->common;
        state->child_inputs[2] = &opt->habits;
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
        check(state, opt);
        return 0;
    default:
        return parse_value(key, arg, state);
    }
}

void options_parse(int argc, char **argv, struct options *opt_p)
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

    *opt_p = (struct options){ .machine = "two-node", .patience_s = 60, .block_ps = SIM_NS };
    argp_err_exit_status = CMD_USAGE;
    cmd_common_init(&opt_p->common);
    (void)argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_LONG_ONLY, NULL, opt_p);
}

unsigned options_words(const struct options *opt, struct load_arena *arena,
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
