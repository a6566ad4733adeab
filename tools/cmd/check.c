/* hubsim check: runs kept results again and reports what has become different. */
#define _POSIX_C_SOURCE 200809L /* strsignal */
#include "tools/cmd/rerun.h"
#include "tools/cmd/session.h"
#include "tools/lab/format/out.h"
#include "tools/lab/result/changes.h"
#include "tools/lab/result/junit.h"
#include "tools/lab/result/write.h"
#include "tools/lab/watch/claims.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
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
      "Values may differ by this: 1% of the kept value, 0.5 in the unit of the column, or any, "
      "also "
      "where the value is a text; a pattern names several columns. Fingerprints may differ then. "
      "The last one that fits counts",
      0, .take = take_band },
    { "junit", 0, "FILE", "Write JUnit XML, a test case for each point", 0, cmd_take_text,
      CMD_AT(junit) },
    { "out", 0, "DIR", "Keep the new results in this folder, for `hubsim diff`", 0, cmd_take_text,
      CMD_AT(rerun.out) },
    { "limit", 0, "N", "At most so many lines (default 40, and all with --csv or --json; 0: all)",
      0, cmd_take_unsigned, CMD_AT(limit) },
    { "no-races", 0, NULL,
      "Do not look for memory that a program uses while a transfer does (hubrun --check races)", 0,
      cmd_take_flag, CMD_AT(rerun.no_races) },
    { "jobs", 'J', "N", "Worker processes (default: one for each processor)", 0, cmd_take_unsigned,
      CMD_AT(common.jobs) },
    { 0 },
};

/* ---- one result ------------------------------------------------------------------ */

/** A check of all results. */
struct check {
    const struct options *opt;
    struct load_arena *arena;
    struct lab_bands bands;
    struct checked *results; /* [opt->ndirs] */
};

struct checked {
    const struct check *check;
    const char *dir, *name;
    struct lab_kept kept, now;
    struct lab_comparison comparison;
    struct sim_error err;     /* its code is SIM_OK where it was read, and then run */
    struct sim_error refusal; /* why it could not be run with the check for races, if so */
};

static void read_result(void *arg)
{
    struct checked *c = arg;

    c->kept = lab_kept_read(c->dir, c->check->arena);
}

static void run_again(struct checked *c, const struct cmd_rerun *rerun)
{
    const struct check *check = c->check;

    c->now = lab_kept_read(cmd_rerun(rerun, &c->kept, check->arena), check->arena);
    c->comparison = (struct lab_comparison){ 0 };
    lab_compare(&c->kept, &c->now, &check->bands, check->arena, &c->comparison);
}

static void check_plainly(void *arg)
{
    struct checked *c = arg;
    struct cmd_rerun rerun = c->check->opt->rerun;

    rerun.no_races = true;
    run_again(c, &rerun);
}

/* The check for races runs on the stacks of ranks. So a program that reads bytes of its stack which
 * it never set may print something else by that alone: what differs is run once more without. */
static void check_for_races(void *arg)
{
    struct checked *c = arg;
    const struct lab_checks *checks;

    run_again(c, &c->check->opt->rerun);
    checks = c->now.checks;
    if (checks == NULL || lab_compare_passes(&c->comparison, &c->check->bands))
        return;
    check_plainly(c);
    c->now.checks = checks;
    lab_checks_write(c->now.dir, checks);
}

/* The check for races refuses what it cannot follow. A result is compared nevertheless, unless a
 * signal has come. */
static void check_result(struct checked *c)
{
    bool looks = !c->check->opt->rerun.no_races && strcmp(c->kept.manifest.command, "hubrun") == 0;

    if (!looks) {
        (void)load_attempt(check_plainly, c, &c->err);
    } else if (load_attempt(check_for_races, c, &c->refusal) != SIM_OK && lab_stop_signal() == 0) {
        (void)load_attempt(check_plainly, c, &c->err);
    }
}

/** Races of the program as it is now, whether or not it had them when the result was kept. */
static uint64_t races_of(const struct checked *c)
{
    return c->now.checks != NULL ? c->now.checks->found : 0;
}

/** What was found when the result was kept and is not now: heap and mpi are not looked for. */
static const struct lab_checks *earlier_of(const struct checked *c)
{
    const struct lab_checks *kept = c->kept.checks;

    return kept != NULL && kept->found > 0 && races_of(c) == 0 ? kept : NULL;
}

static int status_of(const struct checked *c)
{
    if (c->err.code != SIM_OK)
        return CHECK_TROUBLE;
    return lab_compare_passes(&c->comparison, &c->check->bands) && races_of(c) == 0 ? CHECK_EQUAL
                                                                                    : CHECK_DIFFERS;
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

    if (lab_point_prints(pair)[0] == '\0')
        return;
    lab_table_set(t, row, VALUE, "fingerprint");
    lab_table_set(t, row, NOW, "%s", lab_point_prints(pair));
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
    if (cell->band != NULL && isinf(cell->band->width))
        lab_table_set(t, row, BAND, "any");
    else if (cell->band != NULL && cell->numbers) /* no width fits a text */
        lab_table_set(t, row, BAND, "%g%s", cell->band->width, cell->band->percent ? "%" : "");
}

/** For people without values in their bands, which have fewer lines elsewhere. */
static void add_rows(struct lab_table *t, const struct checked *c, bool text)
{
    for (unsigned i = 0; i < c->comparison.npoints; i++) {
        const struct lab_point_pair *pair = &c->comparison.points[i];

        if (pair->verdict == LAB_POINT_EQUAL ||
            (text && lab_compare_point_passes(pair, &c->check->bands)))
            continue;
        if (pair->ncells == 0)
            add_prints(t, c, pair);
        for (unsigned k = 0; k < pair->ncells; k++)
            if (!text || !pair->cells[k].within)
                add_cell(t, c, pair, &pair->cells[k], text);
    }
}

/** A row for a whole result; people find it in the summary. */
static void add_reason(struct lab_table *t, const struct checked *c, const char *verdict,
                       const char *reason)
{
    unsigned row = lab_table_add(t);

    lab_table_set(t, row, RESULT, "%s", c->name);
    lab_table_set(t, row, VERDICT, "%s", verdict);
    lab_table_set(t, row, REASON, "%s", reason);
}

static void add_result(struct lab_table *t, const struct checked *c, bool text)
{
    const struct lab_checks *checks = c->now.checks;

    if (c->err.code == SIM_OK)
        add_rows(t, c, text);
    else if (!text)
        add_reason(t, c, "not-run", c->err.text);
    for (unsigned i = 0; !text && checks != NULL && i < checks->n; i++)
        add_reason(t, c, "race", checks->mistakes[i]);
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

            if (cell->column != column || !cell->within || !cell->numbers)
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

/** A component that only one of them has leaves its parameters without a value in the other. */
static const char *value_or_none(const char *value)
{
    return value[0] != '\0' ? value : "none";
}

/** Parameters that have changed explain the rest. */
static void print_parameters(const struct checked *c)
{
    struct lab_changes changes = { .a = &c->kept, .b = &c->now, .arena = c->check->arena };

    lab_changes_parameters(&changes);
    for (unsigned i = 0; i < changes.n && i < 5; i++)
        printf("%s: parameter %s was %s, is %s\n", c->name, changes.list[i].name,
               value_or_none(changes.list[i].a), value_or_none(changes.list[i].b));
    if (changes.n > 5)
        printf("%s: and %u more parameters\n", c->name, changes.n - 5);
}

/** Explains values that differ, as parameters do. */
static void print_program(const struct checked *c)
{
    const char *kept = c->kept.manifest.program, *now = c->now.manifest.program;

    if (kept[0] != '\0' && strcmp(kept, now) != 0 &&
        !lab_compare_passes(&c->comparison, &c->check->bands))
        printf("%s: the program is another one than the result was made by\n", c->name);
}

/** At most `limit` of them, 0: all that are known. */
static void print_earlier(const struct checked *c, unsigned limit)
{
    const struct lab_checks *earlier = earlier_of(c);

    if (earlier == NULL)
        return;
    for (unsigned i = 0; i < earlier->n && (limit == 0 || i < limit); i++)
        printf("%s: when it was kept: %s\n", c->name, earlier->mistakes[i]);
}

/** At most `limit` of them, 0: all that are known. */
static void print_races(const struct checked *c, unsigned limit)
{
    const struct lab_checks *checks = c->now.checks;
    uint64_t shown = 0;

    if (c->refusal.code != SIM_OK)
        printf("%s: not looked at for races: %s\n", c->name, c->refusal.text);
    if (checks == NULL)
        return;
    for (; shown < checks->n && (limit == 0 || shown < limit); shown++)
        printf("%s: %s\n", c->name, checks->mistakes[shown]);
    if (checks->found > shown)
        printf("%s: races that are not shown: %" PRIu64 "\n", c->name, checks->found - shown);
    if (checks->found > 0)
        printf("%s: the program uses memory while a transfer does: --no-races does not look for "
               "that\n",
               c->name);
    if (checks->accesses == LAB_ACCESSES_CALLS)
        printf("%s: races with its own loads and stores are not seen: expected a program made by "
               "hubcc --races\n",
               c->name);
}

static void print_summary(const struct checked *c)
{
    const struct lab_bands *bands = &c->check->bands;
    const char *const words[] = {
        [LAB_POINT_EQUAL] = "equal",
        [LAB_POINT_MODEL] = bands->n > 0 ? "with other fingerprints and values in their bands"
                                         : "with other fingerprints only",
        [LAB_POINT_VALUES] = "with other values",
        [LAB_POINT_GONE] = "gone",
        [LAB_POINT_NEW] = "new",
    };
    const char *between = ": ";
    const struct lab_checks *earlier = earlier_of(c);
    uint64_t races = races_of(c);

    printf("%s: %s, ", c->name,
           !lab_compare_passes(&c->comparison, bands) ? "DIFFERS"
           : races > 0                                ? "RACES"
                                                      : "passed");
    if (races > 0)
        printf("%" PRIu64 " race%s, ", races, races == 1 ? "" : "s");
    if (earlier != NULL)
        printf("kept with %" PRIu64 " mistake%s of the program, ", earlier->found,
               earlier->found == 1 ? "" : "s");
    printf("%u point%s", c->comparison.npoints, c->comparison.npoints == 1 ? "" : "s");
    for (unsigned v = 0; v <= LAB_POINT_NEW; v++) {
        if (c->comparison.counts[v] == 0)
            continue;
        printf("%s%u %s", between, c->comparison.counts[v], words[v]);
        between = ", ";
    }
    puts("");
}

static void print_results(const struct check *check)
{
    static const struct lab_column columns[COLUMNS] = {
        { "result", false },    { "point", false }, { "verdict", false },
        { "value", false },     { "kept", true },   { "now", true },
        { "change_pct", true }, { "band", false },  { "reason", false },
    };
    const struct options *opt = check->opt;
    const struct checked *all = check->results;
    bool text = opt->common.format == LAB_TEXT;
    unsigned limit = opt->limit != CMD_NO_LIMIT ? opt->limit : text ? TEXT_LIMIT : 0, rows;
    struct lab_table table;

    lab_table_init(&table, columns, text ? REASON : COLUMNS);
    for (unsigned i = 0; i < opt->ndirs; i++)
        add_result(&table, &all[i], text);
    rows = table.nrows;
    if (limit > 0 && rows > limit)
        table.nrows = limit;
    if (!text || rows > 0)
        lab_table_write(&table, opt->common.format, stdout);
    if (text && rows > table.nrows)
        printf("and %u more (--limit 0 shows all)\n", rows - table.nrows);
    lab_table_fini(&table);
    for (unsigned i = 0; i < opt->ndirs && text; i++) {
        if (all[i].err.code != SIM_OK) {
            printf("%s: NOT RUN\n", all[i].name); /* stderr has the reason */
            continue;
        }
        print_program(&all[i]);
        print_parameters(&all[i]);
        print_within(&all[i]);
        print_races(&all[i], limit);
        print_earlier(&all[i], limit);
        print_summary(&all[i]);
    }
}

static void write_junit(const struct check *check)
{
    const struct options *opt = check->opt;
    struct lab_junit_suite *suites = load_alloc(check->arena, opt->ndirs * sizeof(*suites));
    FILE *f = lab_out_open(opt->junit);

    for (unsigned i = 0; i < opt->ndirs; i++) {
        const struct checked *c = &check->results[i];

        suites[i] =
            (struct lab_junit_suite){ c->name, c->err.code == SIM_OK ? &c->comparison : NULL,
                                      c->err.text, c->now.checks, earlier_of(c) };
    }
    lab_junit_write(f, suites, opt->ndirs, &check->bands);
    lab_out_close(f, opt->junit);
}

/** The new results go to folders of these names, so that one would replace the other. */
static void check_names(const struct check *check)
{
    const struct options *opt = check->opt;

    for (unsigned i = 1; opt->rerun.out != NULL && i < opt->ndirs; i++)
        for (unsigned k = 0; k < i; k++)
            if (check->results[i].err.code == SIM_OK && check->results[k].err.code == SIM_OK &&
                strcmp(check->results[i].name, check->results[k].name) == 0)
                load_raise(
                    SIM_ERR_CONFIG,
                    "%s: --out %s: expected results of different names: %s is called %s, too",
                    opt->dirs[i], opt->rerun.out, opt->dirs[k], check->results[k].name);
}

/** A band is a mistake when no result has its columns. */
static void read_all(const struct check *check)
{
    const struct options *opt = check->opt;
    bool used[LAB_BANDS_MAX] = { false }, none = true;

    for (unsigned i = 0; i < opt->ndirs; i++) {
        struct checked *c = &check->results[i];

        c->check = check;
        c->dir = c->name = opt->dirs[i];
        if (load_attempt(read_result, c, &c->err) != SIM_OK)
            continue;
        none = false;
        c->name = c->kept.manifest.name;
        lab_bands_use(&check->bands, &c->kept, used);
    }
    for (unsigned i = 0; i < check->bands.n && !none; i++)
        if (!used[i])
            load_raise(SIM_ERR_CONFIG, "--band %s: expected a column of values of %s/table.csv",
                       opt->bands[i], opt->dirs[0]);
}

static void close_folder(void *folder)
{
    (void)closedir(folder);
}

/** The report may be no file of a result. */
static void spare_result(const struct lab_claims *claims, const char *dir, struct load_arena *arena)
{
    DIR *folder = opendir(dir);
    const struct dirent *entry;

    if (folder == NULL)
        return; /* read_all() has said so */
    (void)load_own(arena, close_folder, folder);
    while ((entry = readdir(folder)) != NULL)
        lab_claims_spare(claims, "RESULT", load_text(arena, "%s/%s", dir, entry->d_name));
}

/** A check of hours is not the time to learn that there can be no report. @return as lab_out_try()
 */
static int try_junit(const struct options *opt)
{
    struct load_arena arena = { 0 };
    struct lab_claims claims = { 0 };

    lab_claims_add(&claims, "--junit", opt->junit);
    for (unsigned i = 0; i < opt->ndirs; i++)
        spare_result(&claims, opt->dirs[i], &arena);
    load_arena_fini(&arena);
    return lab_out_try(opt->junit);
}

static void check_results(struct cmd_session *session)
{
    struct options *opt = session->options;
    struct load_arena *arena = &session->arena;
    struct check check = { .opt = opt, .arena = arena };
    int junit = -1;

    opt->rerun.jobs = opt->common.jobs;
    for (unsigned i = 0; i < opt->nbands; i++)
        lab_bands_add(&check.bands, opt->bands[i], arena);
    check.results = load_alloc(arena, opt->ndirs * sizeof(*check.results));
    read_all(&check);
    check_names(&check);
    cmd_rerun_begin(&opt->rerun, arena);
    if (opt->junit != NULL)
        junit = try_junit(opt);
    for (unsigned i = 0; i < opt->ndirs; i++) {
        struct checked *c = &check.results[i];

        cmd_show_progress("%s, %u of %u", c->name, i + 1, opt->ndirs);
        if (c->err.code == SIM_OK)
            check_result(c);
        cmd_show_progress("%s", "");
        if (lab_stop_signal() != 0)
            load_raise(SIM_ERR_IO, "%s: %u of %u results have been run again, none is compared",
                       strsignal(lab_stop_signal()), i, opt->ndirs);
        if (c->err.code != SIM_OK)
            cmd_fail(&c->err);
        if (status_of(c) > session->status)
            session->status = status_of(c);
    }
    print_results(&check);
    if (opt->junit != NULL)
        write_junit(&check);
    if (junit >= 0)
        (void)close(junit);
}

const struct cmd_command cmd_check = {
    .usage = {
            .words = "RESULT...",
            .about = "Runs kept results again and reports what differs: values, and fingerprints where "
                     "no value does. It runs what the manifest says, with the machines and programs of "
                     "today, and looks for memory that a program uses while a transfer does, as "
                     "`hubrun --check races`. Exit status: 0 equal (with --band: all values in their bands), 1 "
                     "something differs or a program has races, 2 a result cannot be read or run.",
            .options = { { options, 0 }, { cmd_format_options, 0 } },
            .words_at = offsetof(struct options, dirs),
            .nwords_at = offsetof(struct options, ndirs),
            .max = DIRS_MAX,
            .too_many = "%s: expected at most 1024 results",
            .none = "expected a result, a folder that `hubsim run FILE` or `hubrun --out DIR PROGRAM` makes",
    },
    .defaults = &(const struct options){ .limit = CMD_NO_LIMIT },
    .size = sizeof(struct options),
    .run = check_results,
};
