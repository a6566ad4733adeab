/* From axes to points: each value is checked where it is written, then each combination. */
#include "tools/lab/sweep/sweep_parts.h"

#include "tools/load/value.h"

#include <inttypes.h>
#include <string.h>

static bool has_axis(const struct lab_sweep_series *series, enum lab_axis_kind kind)
{
    for (unsigned i = 0; i < series->naxes; i++)
        if (series->axes[i].kind == kind)
            return true;
    return false;
}

static int fail_value(struct sim_error *err, const struct lab_axis *axis, const char *value,
                      const char *expected)
{
    return sim_error_set(err, SIM_ERR_CONFIG, "%s: %s = %.80s: expected %s", axis->where, axis->key,
                         value, expected);
}

/* ---- values ------------------------------------------------------------------------------ */

static int check_word(const struct lab_sweep_series *series, const struct lab_axis *axis,
                      const char *value, struct sim_error *err)
{
    struct lab_setup setup = { .n = 1, .keys = { { axis->key, value } } };
    struct lab_point point = { .where = axis->where, .setup = &setup };
    int rc = SIM_OK;

    if (strcmp(axis->key, "mode") == 0 &&
        (strcmp(value, "dma") == 0 || strcmp(value, "link-only") == 0))
        return fail_value(err, axis, value, "a mode that is one simulation, or a list of them");
    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *workloads = &series->axes[i];

        for (unsigned w = 0; workloads->kind == LAB_AXIS_WORKLOAD && w < workloads->list.n; w++) {
            point.workload = workloads->list.items[w];
            if (rc == SIM_OK)
                rc = lab_words_check(&point, err);
        }
    }
    return rc;
}

static int check_value(const struct lab_sweep_series *series, const struct lab_axis *axis,
                       const char *value, struct sim_error *err)
{
    static const struct lab_setup none = { .n = 0 };
    uint64_t number;

    switch (axis->kind) {
    case LAB_AXIS_WORKLOAD:
        return lab_plan_check_keys(axis->where, value, &none, err);
    case LAB_AXIS_SETUP:
        return check_word(series, axis, value, err);
    case LAB_AXIS_SEED:
        if (!load_number(value, false, &number))
            return fail_value(err, axis, value, "a whole number");
        return SIM_OK;
    case LAB_AXIS_RANKS:
        if (!load_number(value, false, &number) || number == 0 || number > LAB_RANKS_MAX)
            return fail_value(err, axis, value, "1 .. 64 ranks, one on each node");
        return SIM_OK;
    default:
        return SIM_OK; /* machines and their values are checked when they are loaded */
    }
}

/** A workload is described in words of published setups, a program takes its arguments as they are.
 */
static int check_kinds(const struct lab_sweep_series *series, struct sim_error *err)
{
    bool program = has_axis(series, LAB_AXIS_PROGRAM);

    if (program == has_axis(series, LAB_AXIS_WORKLOAD))
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: expected the key %s", series->where,
                             program ? "workload or program, not both" : "workload or program");
    if (program && !has_axis(series, LAB_AXIS_MACHINE))
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: expected the key machine", series->where);
    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *axis = &series->axes[i];

        if (program && axis->kind == LAB_AXIS_SETUP)
            return fail_value(err, axis, axis->list.items[0],
                              "it in args: a program knows no setup");
        if (!program && axis->kind == LAB_AXIS_ARG)
            return fail_value(err, axis, axis->list.items[0],
                              "it in setup: a workload knows no args");
        if (!program && axis->kind == LAB_AXIS_RANKS)
            return fail_value(err, axis, axis->list.items[0],
                              "the key program: a workload has its own");
    }
    return SIM_OK;
}

static int check_series(const struct lab_sweep_series *series, struct sim_error *err)
{
    int rc = check_kinds(series, err);

    for (unsigned i = 0; i < series->naxes; i++)
        for (unsigned v = 0; v < series->axes[i].list.n && rc == SIM_OK; v++)
            rc = check_value(series, &series->axes[i], series->axes[i].list.items[v], err);
    return rc;
}

/* ---- points ------------------------------------------------------------------------------ */

/** What the file says is measured, as it says; what it does not say, in few rounds. */
static struct lab_protocol protocol_of(const struct lab_setup *setup)
{
    struct lab_protocol protocol = lab_protocol_short;

    if (lab_setup_get(setup, "warmup") != NULL)
        protocol.warmup = 0;
    if (lab_setup_get(setup, "rounds") != NULL)
        protocol.rounds = protocol.bytes = 0;
    if (lab_setup_get(setup, "repeats") != NULL)
        protocol.repeats = protocol.bytes = 0;
    return protocol;
}

static int plan_workload(struct lab_sweep_point *point, struct lab_point *pt,
                         struct load_arena *arena, struct sim_error *err)
{
    struct lab_protocol protocol = protocol_of(pt->setup);
    struct lab_plan plan;
    int rc = lab_plan_make(pt, &protocol, arena, &plan, err);

    if (rc != SIM_OK)
        return rc;
    SIM_ASSERT(plan.nruns == 1); /* modes with several or none were refused */
    point->run = plan.runs[0];
    point->planned = true;
    point->stores = plan.stores;
    point->bytes = plan.bytes;
    point->directions = plan.directions;
    return SIM_OK;
}

static int add_arg(struct lab_run *run, const struct lab_axis *axis, const char *value,
                   struct load_arena *arena, struct sim_error *err)
{
    if (run->nargs == LAB_ARGS_MAX)
        return fail_value(err, axis, value, "at most 24 arguments");
    run->args[run->nargs++] = load_text(arena, "%s=%s", axis->key, value);
    return SIM_OK;
}

static int plan_point(struct lab_sweep_point *point, struct load_arena *arena,
                      struct sim_error *err)
{
    const struct lab_sweep_series *series = point->series;
    const char **sets = load_alloc(arena, (series->naxes + 1) * sizeof(*sets));
    struct lab_setup setup = { 0 };
    struct lab_point pt = { .where = series->where, .setup = &setup };
    struct lab_run run = { .sets = sets, .seed = 1 };
    uint64_t number = 0;
    int rc = SIM_OK;

    for (unsigned i = 0; i < series->naxes && rc == SIM_OK; i++) {
        const struct lab_axis *axis = &series->axes[i];
        const char *value = lab_sweep_value(point, axis);

        switch (axis->kind) {
        case LAB_AXIS_WORKLOAD:
            pt.workload = value;
            break;
        case LAB_AXIS_PLATFORM:
            run.platform = pt.platform = value;
            break;
        case LAB_AXIS_MACHINE:
            run.machine = pt.machine = value;
            break;
        case LAB_AXIS_PROGRAM:
            run.program = value;
            break;
        case LAB_AXIS_RANKS:
            SIM_ASSERT(load_number(value, false, &number));
            for (run.nranks = 0; run.nranks < number; run.nranks++)
                run.nodes[run.nranks] = run.nranks;
            break;
        case LAB_AXIS_SEED:
            SIM_ASSERT(load_number(value, false, &run.seed));
            break;
        case LAB_AXIS_FAULTS:
            if (strcmp(value, "none") != 0)
                run.faults[run.nfaults++] = value;
            break;
        case LAB_AXIS_SETUP:
            rc = lab_setup_put(&setup, axis->key, value, axis->where, err);
            break;
        case LAB_AXIS_ARG:
            rc = add_arg(&run, axis, value, arena, err);
            break;
        case LAB_AXIS_SET:
            sets[run.nsets++] = load_text(arena, "%s=%s", axis->key, value);
            break;
        }
    }
    point->run = run;
    if (rc != SIM_OK || run.program != NULL)
        return rc;
    rc = plan_workload(point, &pt, arena, err);
    point->run.sets = run.sets;
    point->run.nsets = run.nsets;
    point->run.seed = run.seed;
    for (unsigned i = 0; i < run.nfaults && point->run.nfaults < LAB_FAULTS_MAX; i++)
        point->run.faults[point->run.nfaults++] = run.faults[i];
    return rc;
}

int lab_sweep_plan(struct lab_sweep *sweep, struct load_arena *arena, struct sim_error *err)
{
    uint64_t n = 0;
    int rc = SIM_OK;

    for (unsigned s = 0; s < sweep->nseries && rc == SIM_OK; s++) {
        rc = check_series(&sweep->series[s], err);
        n += sweep->series[s].npoints;
    }
    if (rc == SIM_OK && n > LAB_SWEEP_POINTS_MAX)
        rc = sim_error_set(err, SIM_ERR_CONFIG, "%s: %" PRIu64 " points: expected at most %u",
                           sweep->path, n, LAB_SWEEP_POINTS_MAX);
    if (rc != SIM_OK)
        return rc;
    sweep->points = load_alloc(arena, n * sizeof(*sweep->points));
    for (unsigned s = 0; s < sweep->nseries; s++)
        for (unsigned i = 0; i < sweep->series[s].npoints && rc == SIM_OK; i++) {
            struct lab_sweep_point *point = &sweep->points[sweep->n++];

            point->series = &sweep->series[s];
            point->number = i;
            rc = plan_point(point, arena, err);
        }
    return rc;
}
