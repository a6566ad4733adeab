#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tools/lab/sweep/sweep_parts.h"

#include "tools/lab/sweep/sweep_run.h"

#include "tools/lab/bounds/bounds_traffic.h"
#include "tools/lab/format/table.h"
#include "tools/lab/rows/evaluate.h"
#include "tools/lab/run/worker.h"

#include <stdlib.h>
#include <string.h>

/* ---- in the worker -------------------------------------------------------------------------- */

/* Beside SIM_ERR_*: the run did not begin as planned, so the point gets no row. */
enum { NOT_BEGUN = -100 };

/** Files may be edited while a long sweep runs; one study must not mix two models. */
static int check_model(const struct lab_site *site, const struct lab_sweep_point *point,
                       const struct load_machine *machine, struct sim_error *err)
{
    uint64_t on_machine = 0, of_program = 0;
    int rc = lab_sweep_hash_machine(site, &point->run, machine, &on_machine, err);

    if (rc == SIM_OK)
        rc = lab_sweep_hash_program(site, &point->run, &of_program, err);
    if (rc == SIM_OK &&
        (on_machine ^ of_program ^ lab_sweep_hash_faults(site, &point->run)) != point->model)
        rc = sim_error_set(err, SIM_ERR_CONFIG,
                           "%s or %s has changed since the sweep began: expected the same files "
                           "till its end",
                           point->run.machine, point->run.program);
    return rc;
}

static int run_path(const struct lab_site *site, const struct lab_sweep_point *point,
                    const struct load_machine *machine, FILE *out, struct sim_error *err)
{
    struct lab_bound bound = lab_run_bound(load_machine_desc(machine), &point->run, point->stores);

    if (point->directions > 1)
        lab_bound_scale(&bound, point->directions);
    lab_bound_write(&bound, out);
    return lab_simulate_on(site, &point->run, machine, out, err);
}

/** The program itself reports how much it moved, and where. */
static int run_traffic(const struct lab_site *site, const struct lab_sweep_point *point,
                       const struct load_machine *machine, FILE *out, struct sim_error *err)
{
    struct load_arena arena = { NULL };
    struct lab_result result;
    struct lab_traffic traffic;
    struct lab_traffic_time time;
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    int rc;

    SIM_ASSERT(f != NULL);
    rc = lab_simulate_on(site, &point->run, machine, f, err);
    (void)fclose(f);
    if (rc == SIM_OK)
        rc = lab_result_parse(text, &arena, &result, err);
    if (rc == SIM_OK)
        rc = lab_traffic_read(&point->run, &result, &arena, &traffic, err);
    if (rc == SIM_OK && traffic.n > 0)
        rc = lab_traffic_bound(load_machine_desc(machine), &traffic, &time, err);
    if (rc == SIM_OK && traffic.n > 0) {
        double bytes = (double)lab_read_bytes(point->bytes, &result);
        bool link = time.link > time.bus;

        lab_bound_write(
            &(struct lab_bound){ .link_bytes_per_s = bytes / (link ? time.all : time.link),
                                 .bus_bytes_per_s = bytes / (link ? time.bus : time.all),
                                 .name = link ? "link" : "bus" },
            out);
    }
    if (rc == SIM_OK)
        fputs(text, out);
    free(text);
    load_arena_fini(&arena);
    return rc;
}

/** The bound is of the machine that is there already; loading it takes as long as a short run. */
static int run_point(void *arg, const struct lab_run *run, FILE *out, struct sim_error *err)
{
    const struct lab_site *site = arg;
    /* the run is the first thing in its point */
    const struct lab_sweep_point *point = (const struct lab_sweep_point *)(const void *)run;
    struct load_machine *machine;
    int rc = lab_load_run(site, run, &machine, err);

    if (rc != SIM_OK)
        return NOT_BEGUN; /* all values were good one by one */
    rc = check_model(site, point, machine, err) == SIM_OK ? SIM_OK : NOT_BEGUN;
    if (rc == SIM_OK && point->planned)
        rc = (point->directions != 0 ? run_path : run_traffic)(site, point, machine, out, err);
    else if (rc == SIM_OK)
        rc = lab_simulate_on(site, run, machine, out, err);
    load_machine_destroy(machine);
    return rc;
}

/* ---- in the parent -------------------------------------------------------------------------- */

struct work {
    const struct lab_sweep *sweep;
    struct lab_sweep_db *db;
    const struct lab_sweep_config *cfg;
    bool *done; /* by point: has a row */
    unsigned ndone;
    unsigned *todo; /* points of the runs given to the workers */
    unsigned nlost;
    const char *lost; /* the first one */
    struct load_arena *arena;
    int rc;
    struct sim_error *err;
};

static void mark_done(void *arg, const struct lab_sweep_row *row)
{
    struct work *work = arg;

    if (row->point < work->sweep->n && !work->done[row->point]) {
        work->done[row->point] = true;
        work->ndone++;
    }
}

/** {"mode": "pio", "lanes": "8"}, all axes in their order. */
static const char *parameters_of(const struct lab_sweep_point *point, struct load_arena *arena)
{
    const struct lab_sweep_series *series = point->series;
    const char *text = "";

    if (series->name != NULL)
        text = load_text(arena, "\"series\": %s", lab_json_quote(series->name, arena));
    for (unsigned i = 0; i < series->naxes; i++)
        text = load_text(arena, "%s%s%s: %s", text, text[0] != '\0' ? ", " : "",
                         lab_json_quote(series->axes[i].key, arena),
                         lab_json_quote(lab_sweep_value(point, &series->axes[i]), arena));
    return load_text(arena, "{%s}", text);
}

/** Nothing is known of a run whose worker was killed, so no row says that it has been run. */
static void lose_point(struct work *work, const struct lab_sweep_point *point, const char *why)
{
    if (work->nlost++ == 0)
        work->lost =
            load_text(work->arena, "%s: %s", lab_sweep_label(work->sweep, point, work->arena), why);
}

static bool keep_finished(void *arg, const struct lab_finished *end)
{
    struct work *work = arg;
    unsigned index = work->todo[end->index];
    const struct lab_sweep_point *point = &work->sweep->points[index];
    struct lab_sweep_row row = { .point = index, .rc = end->rc, .text = end->text };
    struct load_arena scratch = { 0 };
    struct lab_result result = { 0 };

    if (work->rc != SIM_OK)
        return false; /* the database cannot be written, or the figure not be drawn */
    if (end->died || end->rc == NOT_BEGUN || end->rc == SIM_ERR_NOMEM) {
        lose_point(work, point, end->text);
        return true;
    }
    if (end->rc == SIM_OK && lab_result_parse(end->text, &scratch, &result, NULL) == SIM_OK) {
        row.visible = result.visible;
        row.wire = result.wire;
    }
    row.run = lab_run_text(&point->run, &scratch);
    row.parameters = parameters_of(point, &scratch);
    work->rc = lab_sweep_db_add(work->db, &row, work->err);
    if (work->rc == SIM_OK && result.nlines > 0)
        work->rc = lab_sweep_check_result(work->sweep, point, &result, work->err);
    load_arena_fini(&scratch);
    work->ndone++;
    if (work->cfg->progress != NULL)
        work->cfg->progress(work->cfg->progress_arg, work->ndone, work->sweep->n);
    return work->rc == SIM_OK;
}

static int run_all(struct work *work, unsigned n, const struct lab_run *const *runs,
                   struct sim_error *err)
{
    struct lab_site site = *work->cfg->site;
    struct lab_pool_config pool = { .workers = work->cfg->workers,
                                    .execute = run_point,
                                    .execute_arg = &site };
    int rc = lab_workers_run(&pool, runs, n, keep_finished, work, err);

    if (rc == SIM_OK)
        rc = work->rc;
    if (rc == SIM_OK && work->nlost > 0)
        rc = sim_error_set(err, SIM_ERR_IO,
                           "%u of %u points have no result, the same command runs them again: %s",
                           work->nlost, work->sweep->n, work->lost);
    return rc;
}

int lab_sweep_run(const struct lab_sweep *sweep, struct lab_sweep_db *db,
                  const struct lab_sweep_config *cfg, struct sim_error *err)
{
    struct load_arena arena = { 0 };
    const struct lab_run **runs = load_alloc(&arena, (sweep->n + 1) * sizeof(*runs));
    struct work work = { .sweep = sweep,
                         .db = db,
                         .cfg = cfg,
                         .done = load_alloc(&arena, sweep->n * sizeof(bool)),
                         .todo = load_alloc(&arena, (sweep->n + 1) * sizeof(unsigned)),
                         .arena = &arena,
                         .err = err };
    int rc = lab_sweep_db_each(db, mark_done, &work, err);
    unsigned n = 0;

    for (unsigned i = 0; i < sweep->n; i++) {
        if (work.done[i])
            continue;
        work.todo[n] = i;
        runs[n++] = &sweep->points[i].run;
    }
    if (rc == SIM_OK && cfg->progress != NULL)
        cfg->progress(cfg->progress_arg, work.ndone, sweep->n);
    if (rc == SIM_OK && n > 0)
        rc = run_all(&work, n, runs, err);
    load_arena_fini(&arena);
    return rc;
}
