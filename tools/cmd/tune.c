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

static void take_percent(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value >= 0 && value <= 1000))
        argp_error(state, "--%s %s: expected a percentage from 0 to 1000", o->name, text);
    *(double *)to = value;
}

static const struct cmd_option options[] = {
    { "margin", 0, "PERCENT",
      "Leave the choice to the library where it takes at most so much longer (default 1)", 0,
      take_percent, CMD_AT(margin_pct) },
    { 0 },
};

static void print_tuning(const struct lab_experiment *exp, const struct lab_table *table,
                         const char *choices, enum lab_format format)
{
    if (format == LAB_TEXT)
        printf("%s\n", exp->description);
    lab_table_write(table, format, stdout);
    if (format != LAB_TEXT)
        return;
    if (*choices != '\0')
        printf("\nhubrun --algorithm %s\n\n", choices);
    else
        fputs("\nthe library chooses well by itself\n\n", stdout);
}

/** `want`: only announces to the pool what will be asked for, so that all files run at once. */
static void tune_file(const struct options *opt, struct cmd_session *session, const char *file,
                      bool want)
{
    struct load_arena *arena = &session->arena;
    struct lab_experiment exp;
    struct lab_samples samples;
    struct lab_table table;
    const char *choices;

    lab_experiment_read(load_find(&session->site.roots, "experiments", file, arena), arena, &exp);
    lab_tune_check(&exp);
    lab_experiment_replace_platform(&exp, opt->common.platform);
    samples = lab_experiment_want(&exp, &session->ev, &session->site);
    if (want)
        return;
    cmd_check_samples(&samples);
    lab_tune(&samples, opt->margin_pct, arena, &table, &choices);
    print_tuning(&exp, &table, choices, opt->common.format);
    lab_table_fini(&table);
}

static void tune(struct cmd_session *session)
{
    const struct options *opt = session->options;

    for (unsigned i = 0; i < opt->n; i++)
        tune_file(opt, session, opt->files[i], true);
    lab_pool_work(session->ev.pool);
    for (unsigned i = 0; i < opt->n; i++)
        tune_file(opt, session, opt->files[i], false);
}

const struct cmd_command cmd_tune = {
    .usage = {
            .words = "EXPERIMENT...",
            .about = "Finds the fastest algorithm of a collective of MPI at each size. The experiment "
                     "has a series for each algorithm and one in which the library chooses; the last "
                     "line is what to say to hubrun.",
            .options = { { options, 0 },
                         { cmd_format_options, 0 },
                         { cmd_jobs_options, 0 },
                         { cmd_machine_options, 0 } },
            .words_at = offsetof(struct options, files),
            .nwords_at = offsetof(struct options, n),
            .max = FILES_MAX,
            .too_many = "expected at most 64 experiments",
            .none = "expected an experiment, such as mpi-allgather",
    },
    .defaults = &(const struct options){ .margin_pct = 1 },
    .size = sizeof(struct options),
    .run = tune,
};
