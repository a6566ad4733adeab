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

static void take_sensitivity(struct argp_state *state, const struct cmd_option *o, void *to,
                             char *text)
{
    struct options *opt = to;

    (void)state;
    (void)o;
    opt->sensitivity = true;
    opt->pattern = text;
}

static const struct cmd_option options[] = {
    { "rows", 0, "FILE", "Score these rows instead; versus= may name rows of SYSTEM", 0,
      cmd_take_text, CMD_AT(rows) },
    { "sensitivity", 0, "KEYS",
      "Move each parameter (KEYS: a pattern, node0.hub.*) by 10 % and print what follows", 0,
      .take = take_sensitivity, .flags = OPTION_ARG_OPTIONAL },
    { "whole-protocol", 0, NULL, "As many rounds and repeats as on the hardware", 0, cmd_take_flag,
      CMD_AT(whole_protocol) },
    { 0 },
};

static void print_summary(const struct lab_scores *scores)
{
    unsigned fitted = 0;

    for (unsigned i = 0; i < scores->n; i++)
        fitted += scores->rows[i].calibrated;
    printf("\n%u primary rows pass, %u fail", scores->passed, scores->failed);
    if (scores->not_run > 0)
        printf(", %u could not be run", scores->not_run);
    printf("; %u rows were calibrated to\n", fitted);
}

/** On stderr too, where it is seen when the table goes to a file. */
static void report_failures(const struct lab_scores *scores)
{
    for (unsigned i = 0; i < scores->n; i++)
        if (scores->rows[i].score.reason != NULL)
            fprintf(stderr, "hubsim: %s: %s\n", scores->rows[i].row->id,
                    scores->rows[i].score.reason);
}

static int print_scores(const struct options *opt, struct cmd_session *session,
                        struct sim_error *err)
{
    struct lab_scores scores;
    struct lab_table table;
    int rc = lab_score_all(&session->ev, &session->site, &scores, err);

    if (rc != SIM_OK)
        return rc;
    if (opt->common.format == LAB_TEXT)
        lab_score_report(&scores, &table);
    else
        lab_score_table(&scores, &table);
    cmd_print_table(&table, opt->common.format);
    if (opt->common.format == LAB_TEXT)
        print_summary(&scores);
    report_failures(&scores);
    return scores.failed + scores.not_run == 0 ? CMD_OK : CMD_FAILED;
}

static int print_sensitivity(const struct options *opt, struct cmd_session *session,
                             struct sim_error *err)
{
    struct lab_table table = { 0 };
    int rc = lab_sensitivity(&session->ev, &session->site, opt->pattern, &table, err);

    if (rc == SIM_OK)
        cmd_print_table(&table, opt->common.format);
    return rc;
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

static int score(void *arg, struct cmd_session *session, struct sim_error *err)
{
    const struct options *opt = arg;
    struct lab_rows rows = { 0 }, library = { 0 };
    int rc;

    if (opt->whole_protocol)
        session->ev.protocol = (struct lab_protocol){ 0 };
    rc = read_rows(opt, session, &rows, &library, err);
    if (rc != SIM_OK)
        return rc;
    return (opt->sensitivity ? print_sensitivity : print_scores)(opt, session, err);
}

const struct cmd_command cmd_score = {
    .usage = {
            .words = "SYSTEM",
            .about = "Builds each published measurement of SYSTEM from its setup alone, simulates it "
                     "and compares. A row that cannot be built, or whose words are wrong, is not-run, "
                     "with the reason. Exit status 1 when a primary row fails or could not be run.",
            .options = { { options, 0 },
                         { cmd_format_options, 0 },
                         { cmd_jobs_options, 0 },
                         { cmd_machine_options, 0 } },
            CMD_ONE_WORD("SYSTEM", system),
            .none = "expected a system, e.g. peach2",
    },
    .size = sizeof(struct options),
    .run = score,
};
