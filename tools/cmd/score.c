#include "tools/lab/rows/score.h"
#include "tools/cmd/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct cmd_common common;
    const char *system, *rows, *pattern;
    bool sensitivity, whole_protocol;
};

enum { OPT_ROWS = 256, OPT_SENSITIVITY, OPT_PROTOCOL };

static const struct argp_option options[] = {
    { "rows", OPT_ROWS, "FILE", 0, "Score these rows instead; versus= may name rows of SYSTEM", 0 },
    { "sensitivity", OPT_SENSITIVITY, "KEYS", OPTION_ARG_OPTIONAL,
      "Move each parameter (KEYS: a pattern, node0.hub.*) by 10 % and tell what follows", 0 },
    { "whole-protocol", OPT_PROTOCOL, NULL, 0, "As many rounds and repeats as on the hardware", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *opt = state->input;

    cmd_expect_text(state, options, key, arg);
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &opt->common;
        return 0;
    case OPT_ROWS:
        opt->rows = arg;
        return 0;
    case OPT_SENSITIVITY:
        opt->sensitivity = true;
        opt->pattern = arg;
        return 0;
    case OPT_PROTOCOL:
        opt->whole_protocol = true;
        return 0;
    case ARGP_KEY_ARG:
        if (opt->system != NULL)
            argp_error(state, "%s: expected one SYSTEM", arg);
        opt->system = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected a system, e.g. peach2");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_summary(const struct lab_scores *scores)
{
    unsigned fitted = 0;

    for (unsigned i = 0; i < scores->n; i++)
        fitted += scores->rows[i].calibrated;
    (void)printf("\n%u primary rows pass, %u fail", scores->passed, scores->failed);
    if (scores->not_run > 0)
        (void)printf(", %u could not be run", scores->not_run);
    (void)printf("; %u rows were calibrated to\n", fitted);
}

/** On stderr too, where it is seen when the table goes to a file. */
static void tell_failures(const struct lab_scores *scores)
{
    for (unsigned i = 0; i < scores->n; i++)
        if (scores->rows[i].score.reason != NULL)
            (void)fprintf(stderr, "hubsim: %s: %s\n", scores->rows[i].row->id,
                          scores->rows[i].score.reason);
}

static int score(const struct options *opt, struct cmd_session *session, struct sim_error *err)
{
    struct lab_scores scores;
    struct lab_table table;

    if (lab_score_all(&session->ev, &session->site, &scores, err) != SIM_OK)
        return cmd_fail(err);
    if (opt->common.format == LAB_TEXT)
        lab_score_report(&scores, &table);
    else
        lab_score_table(&scores, &table);
    lab_table_write(&table, opt->common.format, stdout);
    lab_table_fini(&table);
    if (opt->common.format == LAB_TEXT)
        print_summary(&scores);
    tell_failures(&scores);
    return scores.failed + scores.not_run == 0 ? CMD_OK : CMD_FAILED;
}

static int sensitivity(const struct options *opt, struct cmd_session *session,
                       struct sim_error *err)
{
    struct lab_table table = { 0 };
    int rc = lab_sensitivity(&session->ev, &session->site, opt->pattern, &table, err);

    if (rc == SIM_OK)
        lab_table_write(&table, opt->common.format, stdout);
    lab_table_fini(&table);
    return rc == SIM_OK ? CMD_OK : cmd_fail(err);
}

static int read_rows(const struct options *opt, struct cmd_session *session, struct lab_rows *rows,
                     struct lab_rows *library, struct sim_error *err)
{
    char path[1024];
    int rc = cmd_find_published(&session->site.roots, opt->system, path, sizeof(path), err);

    if (rc == SIM_OK)
        rc = lab_rows_read(path, &session->arena, library, err);
    *rows = *library;
    if (rc == SIM_OK && opt->rows != NULL)
        rc = lab_rows_read(opt->rows, &session->arena, rows, err);
    session->ev.rows = rows;
    session->ev.library = library;
    return rc;
}

int cmd_score(int argc, char **argv)
{
    static const struct argp_child children[] = { { &cmd_format_argp, 0, NULL, 0 },
                                                  { &cmd_work_argp, 0, NULL, 0 },
                                                  { 0 } };
    static const struct argp argp = {
        options,
        parse,
        "SYSTEM",
        "Builds each published measurement of SYSTEM from its setup alone, simulates it and "
        "compares. A row that cannot be built, or whose words are wrong, is not-run, with the "
        "reason. Exit status 1 when a primary row fails or could not be run.",
        children,
        NULL,
        NULL,
    };
    struct options opt = { .system = NULL };
    struct lab_rows rows = { 0 }, library = { 0 };
    struct cmd_session session;
    struct sim_error err = { 0 };
    int status;

    cmd_common_init(&opt.common);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &opt);
    cmd_session_init(&session, &opt.common);
    if (opt.whole_protocol)
        session.ev.protocol = (struct lab_protocol){ 0 };
    if (read_rows(&opt, &session, &rows, &library, &err) != SIM_OK)
        status = cmd_fail(&err);
    else
        status = opt.sensitivity ? sensitivity(&opt, &session, &err) : score(&opt, &session, &err);
    cmd_session_fini(&session);
    return status;
}
