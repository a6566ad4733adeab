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
static void check_model(const struct lab_site *site, const struct lab_sweep_point *point,
                        const struct load_machine *machine)
{
    uint64_t model = lab_sweep_hash_machine(site, &point->run, machine) ^
                     lab_sweep_hash_program(site, &point->run) ^
                     lab_sweep_hash_faults(site, &point->run);

    if (model != point->model)
        load_raise(SIM_ERR_CONFIG,
                   "%s or %s has changed since the sweep began: expected the same files till its "
                   "end",
                   point->run.machine,
                   point->run.program != NULL ? point->run.program : "what it includes");
}

static void run_path(const struct lab_site *site, const struct lab_sweep_point *point,
                     const struct load_machine *machine, FILE *out)
{
    struct lab_bound bound = lab_run_bound(load_machine_desc(machine), &point->run, point->stores);

    if (point->directions > 1)
        lab_bound_scale(&bound, point->directions);
    lab_bound_write(&bound, out);
    lab_simulate_on(site, &point->run, machine, out);
}

struct capture {
    FILE *f;
    char *text;
    size_t n;
};

static void drop_capture(void *arg)
{
    struct capture *capture = arg;

    (void)fclose(capture->f);
    free(capture->text);
}

/** The program itself reports how much it moved, and where. */
static void run_traffic(const struct lab_site *site, const struct lab_sweep_point *point,
                        const struct load_machine *machine, FILE *out)
{
    struct load_arena arena = { 0 };
    struct capture capture = { .f = NULL };
    struct lab_result result;
    struct lab_traffic traffic;

    capture.f = open_memstream(&capture.text, &capture.n);
    SIM_ASSERT(capture.f != NULL);
    (void)load_own(&arena, drop_capture, &capture);
    lab_simulate_on(site, &point->run, machine, capture.f);
    (void)fflush(capture.f);
    lab_result_parse(capture.text, &arena, &result);
    traffic = lab_traffic_read(&point->run, &result, &arena);
    if (traffic.n > 0) {
        struct lab_traffic_time time = lab_traffic_bound(load_machine_desc(machine), &traffic);
        double bytes = (double)lab_read_bytes(point->bytes, &result);
        bool link = time.link > time.bus;

        lab_bound_write(
            &(struct lab_bound){ .link_bytes_per_s = bytes / (link ? time.all : time.link),
                                 .bus_bytes_per_s = bytes / (link ? time.bus : time.all),
                                 .name = link ? "link" : "bus" },
            out);
    }
    fputs(capture.text, out);
    load_arena_fini(&arena);
}

struct beginning {
    const struct lab_site *site;
    const struct lab_sweep_point *point;
    struct load_machine *machine;
};

static void begin_point(void *arg)
{
    struct beginning *b = arg;

    b->machine = lab_load_run(b->site, &b->point->run);
    check_model(b->site, b->point, b->machine);
}

/** The bound is of the machine that is there already; loading it takes as long as a short run. */
static void run_point(void *arg, const struct lab_run *run, FILE *out)
{
    const struct lab_site *site = arg;
    /* the run is the first thing in its point */
    const struct lab_sweep_point *point = (const struct lab_sweep_point *)(const void *)run;
    struct beginning b = { .site = site, .point = point };
    struct sim_error why = { 0 };

    if (load_attempt(begin_point, &b, &why) != SIM_OK)
        load_raise(NOT_BEGUN, "%s", why.text); /* all values were good one by one */
    if (!point->planned)
        lab_simulate_on(site, run, b.machine, out);
    else if (point->directions != 0)
        run_path(site, point, b.machine, out);
    else
        run_traffic(site, point, b.machine, out);
    load_machine_destroy(b.machine);
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
    int rc; /* SIM_OK, or why a row could not be kept; err has the message */
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
    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *axis = &series->axes[i];
        const char *key = axis->kind == LAB_AXIS_SET ? axis->key : axis->name;

        text = load_text(arena, "%s%s%s: %s", text, text[0] != '\0' ? ", " : "",
                         lab_json_quote(key, arena),
                         lab_json_quote(lab_sweep_value(point, axis), arena));
    }
    return load_text(arena, "{%s}", text);
}

/** Nothing is known of a run whose worker was killed, so no row says that it has been run. */
static void lose_point(struct work *work, const struct lab_sweep_point *point, const char *why)
{
    if (work->nlost++ == 0)
        work->lost =
            load_text(work->arena, "%s: %s", lab_sweep_label(work->sweep, point, work->arena), why);
}

struct keeping {
    const struct work *work;
    struct lab_sweep_row row;
};

static void keep_row(void *arg)
{
    struct keeping *keeping = arg;
    const struct work *work = keeping->work;
    struct lab_sweep_row *row = &keeping->row;
    const struct lab_sweep_point *point = &work->sweep->points[row->point];
    struct load_arena scratch = { 0 };
    struct lab_result result = { 0 };

    row->run = lab_run_text(&point->run, &scratch);
    row->parameters = parameters_of(point, &scratch);
    if (row->rc == SIM_OK && lab_result_try(row->text, &scratch, &result, NULL) == SIM_OK)
        row->print = result.print;
    lab_sweep_db_add(work->db, row);
    if (result.nlines > 0)
        lab_sweep_check_result(work->sweep, point, &result);
    load_arena_fini(&scratch);
}

/** An error must not leave the workers, which would go on. */
static bool keep_finished(void *arg, const struct lab_finished *end)
{
    struct work *work = arg;
    struct keeping keeping = {
        work, { .point = work->todo[end->index], .rc = end->rc, .text = end->text }
    };

    if (work->rc != SIM_OK)
        return false; /* the database cannot be written, or the figure not be drawn */
    if (end->died || end->rc == NOT_BEGUN || end->rc == SIM_ERR_NOMEM) {
        lose_point(work, &work->sweep->points[keeping.row.point], end->text);
        return true;
    }
    work->rc = load_attempt(keep_row, &keeping, work->err);
    work->ndone++;
    if (work->cfg->progress != NULL)
        work->cfg->progress(work->cfg->progress_arg, work->ndone, work->sweep->n);
    return work->rc == SIM_OK;
}

static void run_all(struct work *work, unsigned n, const struct lab_run *const *runs)
{
    struct lab_site site = *work->cfg->site;
    struct lab_pool_config pool = { .workers = work->cfg->workers,
                                    .execute = run_point,
                                    .execute_arg = &site,
                                    .when_stopped = "the same command goes on with the others" };

    lab_workers_run(&pool, runs, n, keep_finished, work);
    load_check(work->rc);
    if (work->nlost > 0)
        load_raise(SIM_ERR_IO,
                   "%u of %u points have no result, the same command runs them again: %s",
                   work->nlost, work->sweep->n, work->lost);
}

void lab_sweep_run(const struct lab_sweep *sweep, struct lab_sweep_db *db,
                   const struct lab_sweep_config *cfg)
{
    struct load_arena arena = { 0 };
    const struct lab_run **runs = load_alloc(&arena, (sweep->n + 1) * sizeof(*runs));
    struct work work = { .sweep = sweep,
                         .db = db,
                         .cfg = cfg,
                         .done = load_alloc(&arena, sweep->n * sizeof(bool)),
                         .todo = load_alloc(&arena, (sweep->n + 1) * sizeof(unsigned)),
                         .arena = &arena,
                         .err = load_error() };
    unsigned n = 0;

    lab_sweep_db_each(db, mark_done, &work);
    for (unsigned i = 0; i < sweep->n; i++) {
        if (work.done[i])
            continue;
        work.todo[n] = i;
        runs[n++] = &sweep->points[i].run;
    }
    if (cfg->progress != NULL)
        cfg->progress(cfg->progress_arg, work.ndone, sweep->n);
    if (n > 0)
        run_all(&work, n, runs);
    load_arena_fini(&arena);
}
