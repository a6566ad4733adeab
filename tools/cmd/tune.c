#include "tools/lab/rows/tune.h"
#include "tools/cmd/session.h"

#include <stdio.h>
#include <stdlib.h>

#define FILES_MAX 64u

struct options {
    struct cmd_common common;
    const char *files[FILES_MAX];
    unsigned n;
    double margin_pct;
};

enum { OPT_MARGIN = 256 };

static const struct argp_option options[] = {
    { "margin", OPT_MARGIN, "PERCENT", 0,
      "Leave the choice to the library where it takes at most so much longer (default 1)", 0 },
    { 0 },
};

static double percent(struct argp_state *state, const char *text)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value >= 0 && value <= 1000))
        argp_error(state, "--margin %s: expected a percentage from 0 to 1000", text);
    return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *opt = state->input;

    cmd_expect_text(state, options, key, arg);
    switch (key) {
    case ARGP_KEY_INIT:
        for (unsigned i = 0; i < 2; i++)
            state->child_inputs[i] = &opt->common;
        return 0;
    case OPT_MARGIN:
        opt->margin_pct = percent(state, arg);
        return 0;
    case ARGP_KEY_ARG:
        if (opt->n == FILES_MAX)
            argp_error(state, "expected at most %u experiments", FILES_MAX);
        opt->files[opt->n++] = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected an experiment, such as mpi-allgather");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void tell(const struct lab_experiment *exp, const struct lab_table *table,
                 const char *choices, enum lab_format format)
{
    if (format == LAB_TEXT)
        (void)printf("%s\n", exp->description);
    lab_table_write(table, format, stdout);
    if (format != LAB_TEXT)
        return;
    if (*choices != '\0')
        (void)printf("\nhubrun --algorithm %s\n\n", choices);
    else
        (void)fputs("\nthe library chooses well by itself\n\n", stdout);
}

/** `want`: only tells the pool what will be asked for, so that all files run at once. */
static int tune(const struct options *opt, struct cmd_session *session, const char *file, bool want,
                struct sim_error *err)
{
    struct lab_experiment exp;
    struct lab_samples samples;
    struct lab_table table;
    const char *choices;
    char path[2048];
    int rc = load_find(&session->site.roots, "experiments", file, path, sizeof(path), err);

    if (rc == SIM_OK)
        rc = lab_experiment_read(path, &session->arena, &exp, err);
    if (rc == SIM_OK)
        rc = lab_tune_check(&exp, err);
    for (unsigned i = 0; rc == SIM_OK && opt->common.platform != NULL && i < exp.n; i++)
        exp.series[i].platform = opt->common.platform;
    if (rc == SIM_OK)
        rc = lab_experiment_want(&exp, &session->ev, &session->site, &samples, err);
    if (rc != SIM_OK || want)
        return rc;
    rc = cmd_check_samples(&samples, err);
    if (rc != SIM_OK)
        return rc;
    lab_tune(&samples, opt->margin_pct, &session->arena, &table, &choices);
    tell(&exp, &table, choices, opt->common.format);
    lab_table_fini(&table);
    return SIM_OK;
}

int cmd_tune(int argc, char **argv)
{
    static const struct argp_child children[] = { { &cmd_format_argp, 0, NULL, 0 },
                                                  { &cmd_work_argp, 0, NULL, 0 },
                                                  { 0 } };
    static const struct argp argp = {
        options,
        parse,
        "EXPERIMENT...",
        "Finds the fastest algorithm of a collective of MPI at each size. The experiment has a "
        "series for each algorithm and one in which the library chooses; the last line is what to "
        "say to hubrun.",
        children,
        NULL,
        NULL,
    };
    struct options opt = { .margin_pct = 1 };
    struct cmd_session session;
    struct sim_error err = { 0 };
    int rc = SIM_OK;

    cmd_common_init(&opt.common);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &opt);
    cmd_session_init(&session, &opt.common);
    for (unsigned i = 0; i < opt.n && rc == SIM_OK; i++)
        rc = tune(&opt, &session, opt.files[i], true, &err);
    if (rc == SIM_OK)
        rc = lab_pool_work(session.ev.pool, &err);
    for (unsigned i = 0; i < opt.n && rc == SIM_OK; i++)
        rc = tune(&opt, &session, opt.files[i], false, &err);
    cmd_session_fini(&session);
    return rc == SIM_OK ? CMD_OK : cmd_fail(&err);
}
