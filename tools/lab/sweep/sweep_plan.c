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

static _Noreturn void fail_value(const struct lab_axis *axis, const char *value,
                                 const char *expected)
{
    load_raise(SIM_ERR_CONFIG, "%s: %s = %.80s: expected %s", axis->where, axis->key, value,
               expected);
}

/* ---- values ------------------------------------------------------------------------------ */

/** A point is one simulation. */
static void check_mode(const struct lab_axis *axis, const char *workload, const char *mode)
{
    struct load_arena arena = { 0 };
    const char *modes = lab_words_single_modes(workload, &arena);

    if (!lab_words_is_single(mode))
        fail_value(axis, mode,
                   load_text(&arena, "one of %s, or a list of them: a point is one run, %s is %s",
                             modes, mode,
                             strcmp(mode, "dma") == 0 ? "the fastest of several" : "none"));
    load_arena_fini(&arena);
}

/* Which library a point is for: some names of workloads mean another one with it. */
static void add_library(const struct lab_sweep_series *series, const struct lab_axis *checked,
                        struct lab_setup *setup)
{
    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *axis = &series->axes[i];

        if (axis != checked && axis->list.n > 0 && axis->key != NULL &&
            (strcmp(axis->key, "api") == 0 || strcmp(axis->key, "system") == 0))
            setup->keys[setup->n++] = (struct lab_key){ axis->key, axis->list.items[0], NULL };
    }
}

static void check_word(const struct lab_sweep_series *series, const struct lab_axis *axis,
                       const char *value)
{
    struct lab_setup setup = { .n = 1, .keys = { { axis->key, value, NULL } } };
    struct lab_point point = { .where = axis->where, .setup = &setup };

    add_library(series, axis, &setup);
    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *workloads = &series->axes[i];

        for (unsigned w = 0; workloads->kind == LAB_AXIS_WORKLOAD && w < workloads->list.n; w++) {
            point.workload = workloads->list.items[w];
            lab_words_check(&point);
            if (strcmp(axis->key, "mode") == 0)
                check_mode(axis, point.workload, value);
        }
    }
}

static void check_arg(const struct lab_sweep_series *series, const struct lab_axis *axis,
                      const char *value)
{
    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *programs = &series->axes[i];

        for (unsigned p = 0; programs->kind == LAB_AXIS_PROGRAM && p < programs->list.n; p++)
            lab_words_check_arg(axis->where, programs->list.items[p], axis->key, value);
    }
}

static void check_value(const struct lab_sweep_series *series, const struct lab_axis *axis,
                        const char *value)
{
    static const struct lab_setup none = { .n = 0 };
    uint64_t number;

    switch (axis->kind) {
    case LAB_AXIS_WORKLOAD:
        lab_plan_check_keys(axis->where, value, &none);
        break;
    case LAB_AXIS_SETUP:
        check_word(series, axis, value);
        break;
    case LAB_AXIS_ARG:
        check_arg(series, axis, value);
        break;
    case LAB_AXIS_SEED:
        if (!load_number(value, false, &number))
            fail_value(axis, value, "a whole number");
        break;
    case LAB_AXIS_RANKS:
        if (!load_number(value, false, &number) || number == 0 || number > LAB_RANKS_MAX)
            fail_value(axis, value, "1 .. 64 ranks, one on each node");
        break;
    default:
        break; /* machines and their values are checked when they are loaded */
    }
}

/** A workload is described in words of published setups, a program takes its arguments as they are.
 */
static void check_kinds(const struct lab_sweep_series *series)
{
    bool program = has_axis(series, LAB_AXIS_PROGRAM);

    if (program == has_axis(series, LAB_AXIS_WORKLOAD))
        load_raise(SIM_ERR_CONFIG, "%s: expected the key %s", series->where,
                   program ? "workload or program, not both" : "workload or program");
    if (program && !has_axis(series, LAB_AXIS_MACHINE))
        load_raise(SIM_ERR_CONFIG, "%s: expected the key machine", series->where);
    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *axis = &series->axes[i];

        if (program && axis->kind == LAB_AXIS_SETUP)
            fail_value(axis, axis->list.items[0], "it in args: a program knows no setup");
        if (!program && axis->kind == LAB_AXIS_ARG)
            fail_value(axis, axis->list.items[0], "it in setup: a workload knows no args");
        if (!program && axis->kind == LAB_AXIS_RANKS)
            fail_value(axis, axis->list.items[0], "the key program: a workload has its own");
    }
}

static void check_series(const struct lab_sweep_series *series)
{
    check_kinds(series);
    for (unsigned i = 0; i < series->naxes; i++)
        for (unsigned v = 0; v < series->axes[i].list.n; v++)
            check_value(series, &series->axes[i], series->axes[i].list.items[v]);
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

static void plan_workload(struct lab_sweep_point *point, struct lab_point *pt,
                          struct load_arena *arena)
{
    struct lab_protocol protocol = protocol_of(pt->setup);
    struct lab_plan plan = lab_plan_make(pt, &protocol, arena);

    SIM_ASSERT(plan.nruns == 1); /* modes with several or none were refused */
    point->run = plan.runs[0];
    point->planned = true;
    point->stores = plan.stores;
    point->bytes = plan.bytes;
    point->directions = plan.directions;
    point->hops = plan.hops;
}

/** Which arguments of a series are memories of its program, whose description is read for each of
 * them once. */
struct memories {
    const char *program;
    uint32_t asked, are; /* by the number of the argument */
};

static bool is_memory(struct memories *memories, const char *program, const char *key, unsigned arg)
{
    uint32_t bit = UINT32_C(1) << arg;

    if (memories->program == NULL || strcmp(memories->program, program) != 0)
        *memories = (struct memories){ .program = program };
    if ((memories->asked & bit) == 0 && lab_words_is_memory(program, key))
        memories->are |= bit;
    memories->asked |= bit;
    return (memories->are & bit) != 0;
}

/** @param program of the point, which may stand behind its arguments */
static void add_arg(struct lab_run *run, const char *program, struct memories *memories,
                    const struct lab_axis *axis, const char *value, struct load_arena *arena)
{
    if (run->nargs == LAB_ARGS_MAX)
        fail_value(axis, value, "at most 24 arguments");
    if (!axis->word && strncmp(value, "gpu", 3) == 0 &&
        is_memory(memories, program, axis->key, run->nargs))
        run->memories |= UINT32_C(1) << run->nargs;
    run->args[run->nargs++] = axis->word ? value : load_text(arena, "%s=%s", axis->key, value);
}

static void plan_point(struct lab_sweep_point *point, struct memories *memories,
                       struct load_arena *arena)
{
    const struct lab_sweep_series *series = point->series;
    const char **sets = load_alloc(arena, (series->naxes + 1) * sizeof(*sets));
    struct lab_setup setup;
    struct lab_point pt = lab_sweep_setup(point, &setup);
    struct lab_run run = { .sets = sets, .seed = 1 };
    const struct lab_axis *program = lab_sweep_axis_of(series, LAB_AXIS_PROGRAM);
    uint64_t number = 0;

    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *axis = &series->axes[i];
        const char *value = lab_sweep_value(point, axis);

        switch (axis->kind) {
        case LAB_AXIS_WORKLOAD:
        case LAB_AXIS_SETUP:
            break; /* lab_sweep_setup() has them */
        case LAB_AXIS_PLATFORM:
            run.platform = value;
            break;
        case LAB_AXIS_MACHINE:
            run.machine = value;
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
        case LAB_AXIS_ARG:
            add_arg(&run, lab_sweep_value(point, program), memories, axis, value, arena);
            break;
        case LAB_AXIS_SET:
            sets[run.nsets++] = load_text(arena, "%s=%s", axis->key, value);
            break;
        }
    }
    point->run = run;
    if (run.program != NULL)
        return;
    plan_workload(point, &pt, arena);
    point->run.sets = run.sets;
    point->run.nsets = run.nsets;
    point->run.seed = run.seed;
    for (unsigned i = 0; i < run.nfaults && point->run.nfaults < LAB_FAULTS_MAX; i++)
        point->run.faults[point->run.nfaults++] = run.faults[i];
}

void lab_sweep_plan(struct lab_sweep *sweep, struct load_arena *arena)
{
    uint64_t n = 0;

    for (unsigned s = 0; s < sweep->nseries; s++) {
        check_series(&sweep->series[s]);
        n += sweep->series[s].npoints;
    }
    if (n > LAB_SWEEP_POINTS_MAX)
        load_raise(SIM_ERR_CONFIG, "%s: %" PRIu64 " points: expected at most %u", sweep->path, n,
                   LAB_SWEEP_POINTS_MAX);
    sweep->points = load_alloc(arena, n * sizeof(*sweep->points));
    for (unsigned s = 0; s < sweep->nseries; s++) {
        struct memories memories = { .program = NULL };

        for (unsigned i = 0; i < sweep->series[s].npoints; i++) {
            struct lab_sweep_point *point = &sweep->points[sweep->n++];

            point->series = &sweep->series[s];
            point->number = i;
            plan_point(point, &memories, arena);
        }
    }
}
