/* Axes of a series by their names and kinds, and what a point has of them. */
#include "tools/lab/sweep/sweep_parts.h"

#include <string.h>

const char *lab_sweep_value(const struct lab_sweep_point *point, const struct lab_axis *axis)
{
    return axis->list.items[point->number / axis->stride % axis->list.n];
}

const struct lab_axis *lab_sweep_axis(const struct lab_sweep_series *series, const char *name)
{
    for (unsigned i = 0; i < series->naxes; i++)
        if (strcmp(series->axes[i].name, name) == 0)
            return &series->axes[i];
    return NULL;
}

const struct lab_axis *lab_sweep_axis_of(const struct lab_sweep_series *series,
                                         enum lab_axis_kind kind)
{
    for (unsigned i = 0; i < series->naxes; i++)
        if (series->axes[i].kind == kind)
            return &series->axes[i];
    return NULL;
}

const char *lab_sweep_where(const struct lab_sweep_series *series, const struct lab_axis *axis)
{
    return axis != NULL ? axis->where : series->where;
}

struct lab_point lab_sweep_setup(const struct lab_sweep_point *point, struct lab_setup *setup)
{
    const struct lab_sweep_series *series = point->series;
    struct lab_point pt = { .where = series->where, .setup = setup };

    setup->n = 0;
    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *axis = &series->axes[i];
        const char *value = lab_sweep_value(point, axis);

        if (axis->kind == LAB_AXIS_WORKLOAD)
            pt.workload = value;
        else if (axis->kind == LAB_AXIS_PLATFORM)
            pt.platform = value;
        else if (axis->kind == LAB_AXIS_MACHINE)
            pt.machine = value;
        else if (axis->kind == LAB_AXIS_SETUP)
            lab_setup_put(setup, axis->key, value, axis->where);
    }
    return pt;
}
