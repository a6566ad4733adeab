/* Machines of a sweep, each value of `set` and of `faults` tried on them: what is wrong is refused
 * where it is written. */
#include "tools/lab/sweep/sweep_parts.h"

#include <string.h>

/* ---- values of `set` ------------------------------------------------------------------------- */

/** The place in the file takes that of the option by which the value was set. */
static _Noreturn void refuse_set(const struct lab_axis *axis, const char *value,
                                 const struct sim_error *why)
{
    load_raise(SIM_ERR_CONFIG, "%s: set %s = %s: %s", axis->where, axis->key, value,
               sim_error_why(why));
}

struct building {
    const struct lab_site *site;
    const struct lab_run *run;
    struct load_machine *machine;
};

/** Components may refuse values that are in their range, so they are made, too. */
static void build_run(void *arg)
{
    struct building *building = arg;
    struct load_machine *machine = lab_load_run(building->site, building->run);
    struct load_arena arena = { 0 };

    (void)lab_machine(load_machine_desc(machine), &(struct sim_config){ .seed = 1 }, &arena);
    load_arena_fini(&arena);
    building->machine = machine;
}

/**
 * The machine of the point, with another value of one axis.
 * @param value of `axis`; NULL: as if the file had no such key
 * @return NULL, and why it cannot be built
 */
static struct load_machine *build_with(const struct lab_site *site,
                                       const struct lab_sweep_point *point,
                                       const struct lab_axis *axis, const char *value,
                                       struct sim_error *why_p)
{
    const struct lab_sweep_series *series = point->series;
    struct load_arena scratch = { 0 };
    const char **sets = load_alloc(&scratch, (series->naxes + 1) * sizeof(*sets));
    struct lab_run run = point->run;
    struct building building = { .site = site, .run = &run };

    run.sets = sets;
    run.nsets = run.nfaults = 0; /* faults are tried by themselves */
    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *own = &series->axes[i];
        const char *text = axis != NULL && own == axis ? value : lab_sweep_value(point, own);

        if (own->kind == LAB_AXIS_SET && text != NULL)
            sets[run.nsets++] = load_text(&scratch, "%s=%s", own->key, text);
    }
    (void)load_attempt(build_run, &building, why_p);
    load_arena_fini(&scratch);
    return building.machine;
}

static bool can_build(const struct lab_site *site, const struct lab_sweep_point *point,
                      const struct lab_axis *axis, const char *value, struct sim_error *why_p)
{
    struct load_machine *machine = build_with(site, point, axis, value, why_p);

    load_machine_destroy(machine);
    return machine != NULL;
}

/** The first value of some key is wrong: of the one without which the machine can be built. */
static _Noreturn void refuse_first(const struct lab_site *site, const struct lab_sweep_point *point,
                                   const struct sim_error *why)
{
    const struct lab_sweep_series *series = point->series;

    for (unsigned i = 0; i < series->naxes; i++)
        if (series->axes[i].kind == LAB_AXIS_SET &&
            can_build(site, point, &series->axes[i], NULL, NULL))
            refuse_set(&series->axes[i], lab_sweep_value(point, &series->axes[i]), why);
    load_raise(SIM_ERR_CONFIG, "%s: %s",
               lab_sweep_where(series, lab_sweep_axis_of(series, LAB_AXIS_MACHINE)), why->text);
}

struct load_machine *lab_sweep_build(const struct lab_site *site,
                                     const struct lab_sweep_point *point)
{
    const struct lab_sweep_series *series = point->series;
    struct sim_error why = { 0 };
    struct load_machine *machine = build_with(site, point, NULL, NULL, &why);

    if (machine == NULL)
        refuse_first(site, point, &why);
    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *axis = &series->axes[i];

        for (unsigned v = 1; axis->kind == LAB_AXIS_SET && v < axis->list.n; v++)
            if (!can_build(site, point, axis, axis->list.items[v], &why))
                refuse_set(axis, axis->list.items[v], &why);
    }
    return machine;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static bool is_checked(const struct lab_list *checked, const char *fault)
{
    for (unsigned i = 0; i < checked->n; i++)
        if (strcmp(checked->items[i], fault) == 0)
            return true;
    return false;
}

static _Noreturn void refuse_fault(const struct lab_sweep_point *point, const char *fault,
                                   const struct sim_error *why)
{
    const struct lab_axis *axis = lab_sweep_axis_of(point->series, LAB_AXIS_FAULTS);
    struct lab_setup setup;
    struct lab_point pt = lab_sweep_setup(point, &setup);

    if (axis != NULL && strcmp(lab_sweep_value(point, axis), fault) == 0)
        load_raise(SIM_ERR_CONFIG, "%s: faults = %s: %s", axis->where, fault, sim_error_why(why));
    lab_plan_refuse_fault(&setup, pt.where, fault, why);
}

void lab_sweep_check_faults(const struct lab_site *site, const struct lab_sweep_point *point,
                            struct lab_list *checked, struct load_arena *arena)
{
    for (unsigned i = 0; i < point->run.nfaults; i++) {
        struct lab_run run = point->run;
        struct building building = { .site = site, .run = &run };
        struct sim_error why = { 0 };

        if (is_checked(checked, run.faults[i]))
            continue;
        run.faults[0] = run.faults[i];
        run.nfaults = 1;
        if (load_attempt(build_run, &building, &why) != SIM_OK)
            refuse_fault(point, run.faults[0], &why);
        load_machine_destroy(building.machine);
        lab_list_add(checked, run.faults[0], point->series->where, arena);
    }
}
