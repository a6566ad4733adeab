#define _POSIX_C_SOURCE 200809L
#include "tools/cmd/session.h"
#include "tools/lab/format/out.h"
#include "tools/lab/sweep/sweep_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options {
    struct cmd_common common;
    const char *file, *out;
    bool fresh, show;
};

static const struct cmd_option options[] = {
    { "out", 0, "DIR", "Folder of result folders (default out)", 0, cmd_take_text, CMD_AT(out) },
    { "fresh", 0, NULL, "Set results that are there aside and begin anew", 0, cmd_take_flag,
      CMD_AT(fresh) },
    { "show", 0, NULL, "Run nothing: the table of the results so far", 0, cmd_take_flag,
      CMD_AT(show) },
    { "jobs", 0, "N", "Worker processes (default: one for each processor)", 2, cmd_take_unsigned,
      CMD_AT(common.jobs) },
    { 0 },
};

/* ---- progress ------------------------------------------------------------------------- */

struct progress {
    bool begun;
    struct timespec start;
    unsigned before; /* points that had results when it began */
};

/** Points differ in length, so the time left is a guess from the mean of those made now. */
static void show_progress(void *arg, unsigned done, unsigned total)
{
    struct progress *p = arg;
    struct timespec now;
    char before[32] = "", left[32] = "";
    double seconds;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (!p->begun)
        *p = (struct progress){ true, now, done };
    if (done == total) {
        cmd_show_progress("%s", "");
        return;
    }
    seconds =
        (double)(now.tv_sec - p->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - p->start.tv_nsec);
    if (p->before > 0)
        (void)snprintf(before, sizeof(before), ", %u of them before", p->before);
    if (done > p->before) {
        unsigned s = (unsigned)(seconds / (done - p->before) * (total - done) + 0.5);

        (void)snprintf(left, sizeof(left), ", %u:%02u left", s / 60, s % 60);
    }
    cmd_show_progress("%u of %u points%s%s", done, total, before, left);
}

/* ---- results -------------------------------------------------------------------------- */

struct work {
    struct cmd_session *session;
    struct lab_sweep sweep;
    const char *dir; /* of its results */
    struct lab_sweep_db *db;
    struct lab_sweep_results results;
    struct lab_table table;
};

static void open_database(struct work *work, const struct options *opt)
{
    struct load_arena *arena = &work->session->arena;
    const char *path = load_text(arena, "%s/sweep.db", work->dir);

    if (!opt->show) {
        lab_out_folder(work->dir);
        (void)lab_sweep_lock(load_text(arena, "%s/sweep.lock", work->dir));
        if (work->sweep.has_figure)
            cmd_try_figure(load_text(arena, "%s/figure", work->dir), arena);
        if (opt->fresh)
            lab_sweep_db_set_aside(path);
    } else if (access(path, R_OK) != 0) {
        load_raise(SIM_ERR_IO, "%s: no results yet", path);
    }
    work->db = lab_sweep_db_open(path, &work->sweep, opt->show ? 0 : work->sweep.model);
}

static void run_points(void *arg)
{
    struct work *work = arg;
    const struct options *opt = work->session->options;
    struct progress progress = { .begun = false };

    lab_sweep_run(&work->sweep, work->db,
                  &(struct lab_sweep_config){ .workers = opt->common.jobs,
                                              .site = &work->session->site,
                                              .progress = show_progress,
                                              .progress_arg = &progress });
}

static void keep_results(void *arg)
{
    struct work *work = arg;
    struct load_arena *arena = &work->session->arena;
    const char *stem = load_text(arena, "%s/figure", work->dir);
    struct lab_table lines;

    lab_table_save(&work->table, load_text(arena, "%s/table.csv", work->dir));
    if (!work->sweep.has_figure || work->results.n == work->results.failed)
        return;
    lab_sweep_figure(&work->sweep, &work->results, arena, &lines);
    cmd_write_figure(&work->sweep.figure, &lines, stem, arena);
    lab_table_fini(&lines);
    cmd_draw(&work->session->site.roots, &stem, 1);
}

static void refuse_machine(const char *path, struct load_arena *arena)
{
    const struct load_tree *tree = load_tree_read(path, arena);

    if (!cmd_is_experiment(tree))
        load_fail(tree, NULL,
                  "expected a sweep, with workload or program; `hubsim run` runs a machine");
}

/** Points that fail alike say so once: the text is long, and people read the table. */
static void shorten_failures(struct lab_table *table)
{
    unsigned column = 0;
    const char *last = "";

    while (strcmp(table->columns[column].name, "failure") != 0) /* each sweep has it */
        column++;
    for (unsigned row = 0; row < table->nrows; row++) {
        const char *text = lab_table_get(table, row, column);

        if (text[0] != '\0' && strcmp(text, last) == 0)
            lab_table_set(table, row, column, "as above");
        else if (text[0] != '\0')
            last = text;
    }
}

/** What there is, on stdout and in the folder, whether all of it is there or not. */
static void sweep(struct cmd_session *session)
{
    const struct options *opt = session->options;
    struct load_arena *arena = &session->arena;
    const char *path = load_find(&session->site.roots, "sweeps", opt->file, arena);
    struct work work = { .session = session };
    int run = SIM_OK, kept = SIM_OK;

    session->site.fingerprint = true;
    refuse_machine(path, arena);
    lab_sweep_read(path, &session->site, arena, &work.sweep);
    work.dir = load_text(arena, "%s/%s", opt->out, work.sweep.name);
    open_database(&work, opt);
    if (!opt->show)
        run = load_attempt(run_points, &work, load_error());
    work.results = lab_sweep_collect(&work.sweep, work.db, arena);
    lab_sweep_table(&work.sweep, &work.results, arena, &work.table);
    if (!opt->show)
        kept = load_attempt(keep_results, &work, load_error());
    if (opt->common.format == LAB_TEXT)
        shorten_failures(&work.table);
    lab_table_write(&work.table, opt->common.format,
                    stdout); /* last: its reader may not want all */
    lab_table_fini(&work.table);
    lab_sweep_db_close(work.db);
    load_check(run);
    load_check(kept);
    if (work.results.failed > 0)
        load_raise(SIM_ERR_IO, "%u of %u points failed: %s", work.results.failed, work.results.n,
                   work.results.failure);
}

const struct cmd_command cmd_sweep = {
    .usage = {
            .words = "FILE",
            .about = "Runs every point of a sweep, on all processors: its table on stdout, the same "
                     "with a figure and the database of results in out/NAME/. After a kill at any "
                     "moment the same command goes on with the points that have no result yet.",
            .options = { { options, 0 }, { cmd_format_options, 0 } },
            CMD_ONE_WORD("FILE", file),
            .none = "expected a sweep",
    },
    .defaults = &(const struct options){ .out = "out" },
    .size = sizeof(struct options),
    .run = sweep,
};
