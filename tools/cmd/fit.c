#include "tools/cmd/session.h"

#define FREE_MAX 64u
#define WORDS    (CMD_WORDS_MAX + 2 * FREE_MAX + 64u) /* with all roots */

struct options {
    struct cmd_common common;
    const char *system, *rows, *of, *ranges, *free[FREE_MAX], *cache, *out, *make_rows;
    unsigned nfree, step_pct, rounds;
    bool json;
};

static void take_free(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    struct options *opt = to;

    if (opt->nfree == FREE_MAX)
        argp_error(state, "--%s: expected at most %u", o->name, FREE_MAX);
    opt->free[opt->nfree++] = text;
}

static const struct cmd_option options[] = {
    { "rows", 0, "FILE", "Fit to these rows instead; versus= may name rows of SYSTEM", 0,
      cmd_take_text, CMD_AT(rows) },
    { "of", 0, "PLATFORM", "Only to rows of this platform, where there are several", 0,
      cmd_take_text, CMD_AT(of) },
    { "free", 'f', "KEY=LOW..HIGH",
      "May be changed in this range, e.g. 'node*.host.cpu.irq_ps=500000..3000000'", 0,
      .take = take_free },
    { "ranges", 0, "FILE", "YAML with a line KEY: [LOW, HIGH] for each key that is free", 0,
      cmd_take_text, CMD_AT(ranges) },
    { "step", 0, "PERCENT", "Of a range, by which a value is moved to see what follows (default 5)",
      0, cmd_take_unsigned, CMD_AT(step_pct) },
    { "rounds", 0, "N", "At most so many steps towards the answer (default 10)", 0,
      cmd_take_unsigned, CMD_AT(rounds) },
    { "out", 0, "FILE", "Write the platform with the fitted values, and the rows that fix each", 0,
      cmd_take_text, CMD_AT(out) },
    { "make-rows", 0, "FILE",
      "Fit nothing; write the rows with what the simulation says in place of the measurement", 0,
      cmd_take_text, CMD_AT(make_rows) },
    { "cache", 0, "DIR", "Keep what was simulated here (default out/fit)", 0, cmd_take_text,
      CMD_AT(cache) },
    { "json", 'j', NULL, "Write JSON", 1, cmd_take_flag, CMD_AT(json) },
    { 0 },
};

static void check_steps(struct argp_state *state, void *arg)
{
    const struct options *opt = arg;

    if (opt->system == NULL)
        argp_error(state, "expected a system, e.g. peach2");
    if (opt->step_pct < 1 || opt->step_pct > 50)
        argp_error(state, "--step %u: expected 1 to 50 percent", opt->step_pct);
}

/** For scripts/fit.py: what it needs itself, and after `--` what each simulation is given. */
static unsigned make_words(const struct options *opt, struct load_arena *arena, const char **words)
{
    const struct cmd_common *common = &opt->common;
    unsigned n = cmd_add_option(words, 0, "--hubsim", cmd_find_program("hubsim", arena));

    n = cmd_add_option(words, n, "--system", opt->system);
    n = cmd_add_option(words, n, "--published",
                       cmd_find_published(&common->roots, opt->system, arena));
    n = cmd_add_option(words, n, "--rows", opt->rows);
    n = cmd_add_option(words, n, "--of", opt->of);
    n = cmd_add_option(words, n, "--platform", common->platform);
    n = cmd_add_option(words, n, "--ranges", opt->ranges);
    n = cmd_add_option(words, n, "--cache", opt->cache);
    n = cmd_add_option(words, n, "--out", opt->out);
    n = cmd_add_option(words, n, "--make-rows", opt->make_rows);
    n = cmd_add_option(words, n, "--jobs", load_text(arena, "%u", common->jobs));
    n = cmd_add_option(words, n, "--rounds", load_text(arena, "%u", opt->rounds));
    n = cmd_add_option(words, n, "--step-pct", load_text(arena, "%u", opt->step_pct));
    for (unsigned i = 0; i < opt->nfree; i++)
        n = cmd_add_option(words, n, "--free", opt->free[i]);
    for (unsigned i = 0; i < common->roots.n; i++)
        n = cmd_add_option(words, n, "--roots", common->roots.paths[i]);
    if (opt->json)
        words[n++] = "--json";
    words[n++] = "--";
    return cmd_words(common, arena, words, n);
}

static void fit(struct cmd_session *session)
{
    const struct options *opt = session->options;
    const char **words = load_alloc(&session->arena, WORDS * sizeof(*words));
    unsigned n = make_words(opt, &session->arena, words);
    int status = cmd_python(&session->site.roots, "fit.py", words, n);

    if (status < 0 || status == 127)
        load_raise(SIM_ERR_IO, "fit: scripts/python beside %s could not be run",
                   session->site.roots.paths[0]);
    if (status != 0)
        session->status = CMD_FAILED;
}

const struct cmd_command cmd_fit = {
    .usage = {
            .words = "SYSTEM",
            .about = "Finds values of parameters from measured rows: those of SYSTEM, or of a file. Prints "
                     "each value with its 95 % interval and the rows that fix it, values between which rows cannot "
                     "decide, and the error of each row when it is left out.",
            .options = { { options, 0 }, { cmd_jobs_options, 0 }, { cmd_machine_options, 0 } },
            CMD_ONE_WORD("SYSTEM", system),
            .check = check_steps,
    },
    .defaults = &(const struct options){ .cache = "out/fit", .step_pct = 5, .rounds = 10 },
    .size = sizeof(struct options),
    .run = fit,
};
