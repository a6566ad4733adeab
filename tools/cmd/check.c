/* hubsim check: runs kept results again and reports what has become different. */
#define _POSIX_C_SOURCE 200809L /* isatty */
#include "tools/cmd/rerun.h"
#include "tools/cmd/session.h"
#include "tools/lab/format/out.h"
#include "tools/lab/result/changes.h"
#include "tools/lab/result/junit.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define DIRS_MAX 1024u

enum { CHECK_EQUAL, CHECK_DIFFERS, CHECK_TROUBLE }; /* exit status; the largest of all results */

struct options {
    struct cmd_common common;
    struct cmd_rerun rerun;
    const char *junit;
    const char *bands[LAB_BANDS_MAX];
    unsigned nbands, ndirs, limit; /* CMD_NO_LIMIT: not said */
    const char *dirs[DIRS_MAX];
};

enum { TEXT_LIMIT = 40 };

static void take_band(struct argp_state *state, const struct cmd_option *o, void *to, char *text)
{
    struct options *opt = to;

    (void)o;
    if (opt->nbands == LAB_BANDS_MAX)
        argp_error(state, "--band: expected at most %u", LAB_BANDS_MAX);
    opt->bands[opt->nbands++] = text;
}

static const struct cmd_option options[] = {
    { "band", 0, "[COLUMN=]WIDTH",
      "Values may differ by this: 1% of the kept value, or 0.5 in the unit of the column; a "
      "pattern names several columns. Fingerprints may differ then. The last one that fits counts",
      0, .take = take_band },
    { "junit", 0, "FILE", "Write JUnit XML, a test case for each point", 0, cmd_take_text,
      CMD_AT(junit) },
    { "out", 0, "DIR", "Keep the new results in this folder, for `hubsim diff`", 0, cmd_take_text,
      CMD_AT(rerun.out) },
    { "limit", 0, "N", "At most so many lines (default 40, and all with --csv or --json; 0: all)",
      0, cmd_take_unsigned, CMD_AT(limit) },
    { "jobs", 'J', "N", "Worker processes (default: one for each processor)", 0, cmd_take_unsigned,
      CMD_AT(common.jobs) },
    { 0 },
};

/* ---- one result ------------------------------------------------------------------ */

struct checked {
    const char *dir, *name;
    struct lab_kept kept, now;
    struct lab_comparison comparison;
    int rc;
    struct sim_error err;
};

static void check_result(const struct options *opt, const struct lab_bands *bands,
                         struct load_arena *arena, struct checked *c)
{
    const char *dir;

    c->rc = cmd_rerun(&opt->rerun, &c->kept, arena, &dir, &c->err);
    if (c->rc == SIM_OK)
        c->rc = lab_kept_read(dir, arena, &c->now, &c->err);
    if (c->rc == SIM_OK)
        lab_compare(&c->kept, &c->now, bands, arena, &c->comparison);
}

static int status_of(const struct checked *c, const struct lab_bands *bands)
{
    if (c->rc != SIM_OK)
        return CHECK_TROUBLE;
    return lab_compare_passes(&c->comparison, bands) ? CHECK_EQUAL : CHECK_DIFFERS;
}

/* ---- for people and programs ----------------------------------------------------- */

enum { RESULT, POINT, VERDICT, VALUE, KEPT, NOW, CHANGE_PCT, BAND, REASON, COLUMNS };

static unsigned add_row(struct lab_table *t, const struct checked *c,
                        const struct lab_point_pair *pair)
{
    unsigned row = lab_table_add(t);

    lab_table_set(t, row, RESULT, "%s\t%s\t%s", c->name, pair->name, lab_point_word(pair->verdict));
    return row;
}

static void add_prints(struct lab_table *t, const struct checked *c,
                       const struct lab_point_pair *pair)
{
    unsigned row = add_row(t, c, pair);

    if (!pair->visible && !pair->wire)
        return;
    lab_table_set(t, row, VALUE, "fingerprint");
    lab_table_set(t, row, NOW, "%s",
                  !pair->visible ? "wire"
                  : pair->wire   ? "visible, wire"
                                 : "visible");
}

static void add_cell(struct lab_table *t, const struct checked *c,
                     const struct lab_point_pair *pair, const struct lab_cell *cell, bool text)
{
    unsigned row = add_row(t, c, pair);
    double kept = 0;

    if (cell->within) /* the point may be out for another value */
        lab_table_set(t, row, VERDICT, "%s", lab_point_word(LAB_POINT_MODEL));
    lab_table_set(t, row, VALUE, "%s\t%s\t%s", cell->name, cell->a, cell->b != NULL ? cell->b : "");
    if (cell->numbers && lab_is_number(cell->a, &kept) && kept != 0)
        lab_table_set(t, row, CHANGE_PCT, text ? "%+.4f" : "%.4f",
                      lab_change_pct(kept, kept + cell->change));
    if (cell->band != NULL)
        lab_table_set(t, row, BAND, "%g%s", cell->band->width, cell->band->percent ? "%" : "");
}

/** For people without values in their bands, which have fewer lines elsewhere. */
static void add_rows(struct lab_table *t, const struct checked *c, const struct lab_bands *bands,
                     bool text)
{
    for (unsigned i = 0; i < c->comparison.npoints; i++) {
        const struct lab_point_pair *pair = &c->comparison.points[i];

        if (pair->verdict == LAB_POINT_EQUAL || (text && lab_compare_point_passes(pair, bands)))
            continue;
        if (pair->ncells == 0)
            add_prints(t, c, pair);
        for (unsigned k = 0; k < pair->ncells; k++)
            if (!text || !pair->cells[k].within)
                add_cell(t, c, pair, &pair->cells[k], text);
    }
}

/** People find it in the summary. */
static void add_not_run(struct lab_table *t, const struct checked *c)
{
    unsigned row = lab_table_add(t);

    lab_table_set(t, row, RESULT, "%s", c->name);
    lab_table_set(t, row, VERDICT, "not-run");
    lab_table_set(t, row, REASON, "%s", c->err.text);
}

/** The largest relative change of a column that its band lets pass, or NULL. */
static const struct lab_cell *largest_within(const struct checked *c, unsigned column,
                                             const char **where_p)
{
    const struct lab_cell *largest = NULL;
    double most = -1;

    for (unsigned i = 0; i < c->comparison.npoints; i++) {
        const struct lab_point_pair *pair = &c->comparison.points[i];

        for (unsigned k = 0; k < pair->ncells; k++) {
            const struct lab_cell *cell = &pair->cells[k];
            double kept = 0, relative;

            if (cell->column != column || !cell->within)
                continue;
            (void)lab_is_number(cell->a, &kept);
            relative = fabs(lab_relative(kept, kept + cell->change));
            if (relative <= most)
                continue;
            most = relative;
            largest = cell;
            *where_p = pair->name;
        }
    }
    return largest;
}

static void print_within(const struct checked *c)
{
    for (unsigned column = c->kept.manifest.nkeys; column < c->kept.table.ncolumns; column++) {
        const char *where = NULL;
        const struct lab_cell *cell = largest_within(c, column, &where);

        if (cell != NULL)
            printf("%s: %s in its band, farthest at %s: %s for %s\n", c->name, cell->name, where,
                   cell->b, cell->a);
    }
}

/** Parameters that have changed explain the rest. */
static void print_parameters(const struct checked *c, struct load_arena *arena)
{
    struct lab_changes changes = { .a = &c->kept, .b = &c->now, .arena = arena };

    lab_changes_parameters(&changes);
    for (unsigned i = 0; i < changes.n && i < 5; i++)
        printf("%s: parameter %s was %s, is %s\n", c->name, changes.list[i].name, changes.list[i].a,
               changes.list[i].b);
    if (changes.n > 5)
        printf("%s: and %u more parameters\n", c->name, changes.n - 5);
}

static void print_summary(const struct checked *c, const struct lab_bands *bands)
{
    const char *const words[] = {
        [LAB_POINT_EQUAL] = "equal",
        [LAB_POINT_MODEL] = bands->n > 0 ? "with other fingerprints and values in their bands"
                                         : "with other fingerprints only",
        [LAB_POINT_VALUES] = "with other values",
        [LAB_POINT_GONE] = "gone",
        [LAB_POINT_NEW] = "new",
    };
    const char *between = ": ";

    printf("%s: %s, %u point%s", c->name,
           lab_compare_passes(&c->comparison, bands) ? "passed" : "DIFFERS", c->comparison.npoints,
           c->comparison.npoints == 1 ? "" : "s");
    for (unsigned v = 0; v <= LAB_POINT_NEW; v++) {
        if (c->comparison.counts[v] == 0)
            continue;
        printf("%s%u %s", between, c->comparison.counts[v], words[v]);
        between = ", ";
    }
    puts("");
}

static void print_results(const struct options *opt, const struct checked *all,
                          const struct lab_bands *bands, struct load_arena *arena)
{
    static const struct lab_column columns[COLUMNS] = {
        { "result", false },    { "point", false }, { "verdict", false },
        { "value", false },     { "kept", true },   { "now", true },
        { "change_pct", true }, { "band", false },  { "reason", false },
    };
    bool text = opt->common.format == LAB_TEXT;
    unsigned limit = opt->limit != CMD_NO_LIMIT ? opt->limit : text ? TEXT_LIMIT : 0, rows;
    struct lab_table table;

    lab_table_init(&table, columns, text ? REASON : COLUMNS);
    for (unsigned i = 0; i < opt->ndirs; i++) {
        if (all[i].rc == SIM_OK)
            add_rows(&table, &all[i], bands, text);
        else if (!text)
            add_not_run(&table, &all[i]);
    }
    rows = table.nrows;
    if (limit > 0 && rows > limit)
        table.nrows = limit;
    if (!text || rows > 0)
        lab_table_write(&table, opt->common.format, stdout);
    if (text && rows > table.nrows)
        printf("and %u more (--limit 0 shows all)\n", rows - table.nrows);
    lab_table_fini(&table);
    for (unsigned i = 0; i < opt->ndirs && text; i++) {
        if (all[i].rc != SIM_OK) {
            printf("%s: NOT RUN\n", all[i].name); /* stderr has the reason */
            continue;
        }
        print_parameters(&all[i], arena);
        print_within(&all[i]);
        print_summary(&all[i], bands);
    }
}

static int write_junit(const struct options *opt, const struct checked *all,
                       const struct lab_bands *bands, struct load_arena *arena,
                       struct sim_error *err)
{
    struct lab_junit_suite *suites = load_alloc(arena, opt->ndirs * sizeof(*suites));
    FILE *f;
    int rc = lab_out_open(opt->junit, &f, err);

    if (rc != SIM_OK)
        return rc;
    for (unsigned i = 0; i < opt->ndirs; i++)
        suites[i] =
            (struct lab_junit_suite){ all[i].name, all[i].rc == SIM_OK ? &all[i].comparison : NULL,
                                      all[i].err.text };
    lab_junit_write(f, suites, opt->ndirs, bands);
    return lab_out_close(f, opt->junit, err);
}

/** A band is a mistake when no result has its columns. */
static int read_all(const struct options *opt, const struct lab_bands *bands,
                    struct load_arena *arena, struct checked *all, struct sim_error *err)
{
    bool used[LAB_BANDS_MAX] = { false }, none = true;

    for (unsigned i = 0; i < opt->ndirs; i++) {
        struct checked *c = &all[i];

        c->dir = c->name = opt->dirs[i];
        c->rc = lab_kept_read(c->dir, arena, &c->kept, &c->err);
        if (c->rc != SIM_OK)
            continue;
        none = false;
        c->name = c->kept.manifest.name;
        lab_bands_use(bands, &c->kept, used);
    }
    for (unsigned i = 0; i < bands->n && !none; i++)
        if (!used[i])
            return sim_error_set(err, SIM_ERR_CONFIG,
                                 "--band %s: expected a column of values of %s/table.csv",
                                 opt->bands[i], opt->dirs[0]);
    return SIM_OK;
}

/** On a terminal; `name` NULL: over. */
static void report_progress(unsigned i, unsigned n, const char *name)
{
    if (isatty(STDERR_FILENO) == 0)
        return;
    if (name != NULL)
        fprintf(stderr, "\r%s, %u of %u", name, i + 1, n);
    else
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

/** @return the exit status, or an error. */
static int check_all(const struct options *opt, const struct lab_bands *bands,
                     struct load_arena *arena, struct sim_error *err)
{
    struct checked *all = load_alloc(arena, opt->ndirs * sizeof(*all));
    int status = CHECK_EQUAL, rc = read_all(opt, bands, arena, all, err);

    if (rc != SIM_OK)
        return rc;
    for (unsigned i = 0; i < opt->ndirs; i++) {
        report_progress(i, opt->ndirs, all[i].name);
        if (all[i].rc == SIM_OK)
            check_result(opt, bands, arena, &all[i]);
        report_progress(i, opt->ndirs, NULL);
        if (all[i].rc != SIM_OK)
            cmd_fail(&all[i].err);
        if (status_of(&all[i], bands) > status)
            status = status_of(&all[i], bands);
    }
    print_results(opt, all, bands, arena);
    if (opt->junit != NULL)
        rc = write_junit(opt, all, bands, arena, err);
    return rc == SIM_OK ? status : rc;
}

static int check_results(void *arg, struct cmd_session *session, struct sim_error *err)
{
    struct options *opt = arg;
    struct lab_bands bands = { 0 };
    int rc = SIM_OK;

    opt->rerun.jobs = opt->common.jobs;
    for (unsigned i = 0; i < opt->nbands && rc == SIM_OK; i++)
        rc = lab_bands_add(&bands, opt->bands[i], &session->arena, err);
    if (rc == SIM_OK)
        rc = cmd_rerun_begin(&opt->rerun, err);
    if (rc != SIM_OK)
        return rc;
    rc = check_all(opt, &bands, &session->arena, err);
    cmd_rerun_end(&opt->rerun);
    return rc;
}

const struct cmd_command cmd_check = {
    .usage = {
            .words = "RESULT...",
            .about = "Runs again what the manifest of each result says, with the machines and programs "
                     "of today, and reports what differs: values, and fingerprints where no value does. "
                     "Exit status: 0 equal (with --band: all values in their bands), 1 something "
                     "differs, 2 a result cannot be read or run.",
            .options = { { options, 0 }, { cmd_format_options, 0 } },
            .words_at = offsetof(struct options, dirs),
            .nwords_at = offsetof(struct options, ndirs),
            .max = DIRS_MAX,
            .too_many = "%s: expected at most 1024 results",
            .none = "expected a result, a folder that hubsim run has written",
    },
    .defaults = &(const struct options){ .limit = CMD_NO_LIMIT },
    .size = sizeof(struct options),
    .run = check_results,
};
