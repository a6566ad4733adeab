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
    double seconds;

    if (isatty(STDERR_FILENO) == 0)
        return;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (!p->begun)
        *p = (struct progress){ true, now, done };
    seconds =
        (double)(now.tv_sec - p->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - p->start.tv_nsec);
    fprintf(stderr, "\r%u of %u points", done, total);
    if (p->before > 0)
        fprintf(stderr, ", %u of them before", p->before);
    if (done > p->before && done < total) {
        unsigned left = (unsigned)(seconds / (done - p->before) * (total - done) + 0.5);

        fprintf(stderr, ", %u:%02u left", left / 60, left % 60);
    }
    fputs(done == total ? "\r\033[K" : "\033[K", stderr);
    fflush(stderr);
}

/* ---- results -------------------------------------------------------------------------- */

static int draw(struct cmd_session *session, struct lab_sweep *sweep,
                const struct lab_sweep_results *results, const char *dir, struct sim_error *err)
{
    const char *stem = load_text(&session->arena, "%s/figure", dir);
    struct lab_table table;
    int rc;

    rc = lab_sweep_figure(sweep, results, &session->arena, &table, err);
    if (rc == SIM_OK)
        rc = cmd_write_figure(&sweep->figure, &table, stem, &session->arena, err);
    lab_table_fini(&table);
    return rc == SIM_OK ? cmd_draw(&session->site.roots, &stem, 1, err) : rc;
}

/** What there is, on stdout and in the folder, whether all of it is there or not. */
static int report_results(const struct options *opt, struct cmd_session *session,
                          struct lab_sweep *sweep, struct lab_sweep_db *db, const char *dir,
                          struct sim_error *err)
{
    struct lab_sweep_results results;
    struct lab_table table;
    int rc = lab_sweep_collect(sweep, db, &session->arena, &results, err);

    if (rc != SIM_OK)
        return rc;
    lab_sweep_table(sweep, &results, &session->arena, &table);
    if (!opt->show)
        rc = lab_table_save(&table, load_text(&session->arena, "%s/table.csv", dir), err);
    if (rc == SIM_OK && sweep->has_figure && !opt->show && results.n > results.failed)
        rc = draw(session, sweep, &results, dir, err);
    lab_table_write(&table, opt->common.format, stdout); /* last: its reader may not want all */
    lab_table_fini(&table);
    if (rc == SIM_OK && results.failed > 0)
        rc = sim_error_set(err, SIM_ERR_IO, "%u of %u points failed: %s", results.failed, results.n,
                           results.failure);
    return rc;
}

/* ---- the command ------------------------------------------------------------------------ */

static int run_points(const struct options *opt, struct cmd_session *session,
                      const struct lab_sweep *sweep, const char *dir, const char *path,
                      struct lab_sweep_db **db_p, struct sim_error *err)
{
    struct progress progress = { .begun = false };
    int lock, rc = lab_out_folder(dir, err);

    if (rc == SIM_OK)
        rc = lab_sweep_lock(load_text(&session->arena, "%s/sweep.lock", dir), &lock, err);
    if (rc == SIM_OK && opt->fresh)
        rc = lab_sweep_db_set_aside(path, err);
    if (rc == SIM_OK)
        rc = lab_sweep_db_open(path, sweep, sweep->model, db_p, err);
    if (rc != SIM_OK)
        return rc;
    return lab_sweep_run(sweep, *db_p,
                         &(struct lab_sweep_config){ .workers = opt->common.jobs,
                                                     .site = &session->site,
                                                     .progress = show_progress,
                                                     .progress_arg = &progress },
                         err);
}

static int sweep_file(const struct options *opt, struct cmd_session *session, struct sim_error *err)
{
    struct lab_sweep_db *db = NULL;
    struct lab_sweep sweep;
    const char *dir, *path;
    char file[2048];
    int rc = load_find(&session->site.roots, "sweeps", opt->file, file, sizeof(file), err),
        reported;

    if (rc == SIM_OK)
        rc = lab_sweep_read(file, &session->site, &session->arena, &sweep, err);
    if (rc != SIM_OK)
        return rc;
    dir = load_text(&session->arena, "%s/%s", opt->out, sweep.name);
    path = load_text(&session->arena, "%s/sweep.db", dir);
    if (!opt->show)
        rc = run_points(opt, session, &sweep, dir, path, &db, err);
    else if (access(path, R_OK) != 0)
        rc = sim_error_set(err, SIM_ERR_IO, "%s: no results yet", path);
    else
        rc = lab_sweep_db_open(path, &sweep, 0, &db, err);
    if (db == NULL)
        return rc;
    reported =
        report_results(opt, session, &sweep, db, dir, err); /* the first error stays in err */
    lab_sweep_db_close(db);
    return rc == SIM_OK ? reported : rc;
}

static int sweep(void *arg, struct cmd_session *session, struct sim_error *err)
{
    session->site.fingerprint = true;
    return sweep_file(arg, session, err);
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
