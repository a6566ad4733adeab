/* The figure of a sweep file: its keys are those of the series, and of what programs print. */
#include "tools/lab/sweep/sweep_parts.h"

#include "tools/load/nearest.h"
#include "tools/load/value.h"

#include <string.h>

/* ---- keys that there are ------------------------------------------------------------------- */

static bool has_numbers(const struct lab_axis *axis)
{
    uint64_t number;

    for (unsigned i = 0; i < axis->list.n; i++)
        if (!load_number(axis->list.items[i], false, &number))
            return false;
    return true;
}

/** Whether all series have the key; `numbers`: with numbers as its values. */
static bool is_shared(const struct lab_sweep *sweep, const char *key, bool numbers)
{
    for (unsigned s = 0; s < sweep->nseries; s++) {
        const struct lab_axis *axis = lab_sweep_axis(&sweep->series[s], key);

        if (axis == NULL || (numbers && !has_numbers(axis)))
            return false;
    }
    return true;
}

/** Names of columns, each once, and the one that is near to a wrong one. */
struct names {
    struct lab_list list;
    struct load_nearest near;
    struct load_arena *arena;
};

static void add_name(struct names *names, const struct lab_axis *axis)
{
    for (unsigned i = 0; i < names->list.n; i++)
        if (strcmp(names->list.items[i], axis->name) == 0)
            return;
    lab_list_add(&names->list, axis->name, axis->where, names->arena);
    load_nearest_offer(&names->near, axis->name);
}

/** "bytes, lanes, did you mean lanes?" */
static const char *names_text(const struct names *names)
{
    const char *text = names->list.n == 0 ? "there is none" : names->list.items[0];

    for (unsigned i = 1; i < names->list.n; i++)
        text = load_text(names->arena, "%s, %s", text, names->list.items[i]);
    return load_text(names->arena, "%s%s", text, names->near.hint);
}

static _Noreturn void refuse_x(const struct lab_sweep *sweep, const struct load_tree *key,
                               const char *why, struct load_arena *arena)
{
    const struct lab_sweep_series *first = &sweep->series[0];
    struct names names = { .arena = arena };

    load_nearest_init(&names.near, key->text, true);
    for (unsigned i = 0; i < first->naxes; i++)
        if (is_shared(sweep, first->axes[i].name, true))
            add_name(&names, &first->axes[i]);
    load_fail(key, NULL, "%sexpected a key with numbers that each series has: %s", why,
              names_text(&names));
}

static _Noreturn void refuse_line(const struct lab_sweep *sweep, const struct load_tree *item,
                                  struct load_arena *arena)
{
    struct names names = { .arena = arena };

    load_nearest_init(&names.near, item->key, true);
    for (unsigned s = 0; s < sweep->nseries; s++)
        for (unsigned i = 0; i < sweep->series[s].naxes; i++)
            add_name(&names, &sweep->series[s].axes[i]);
    load_fail(item, NULL, "expected a key that a series has: %s", names_text(&names));
}

/* ---- x and y ------------------------------------------------------------------------------- */

/** What a program prints may have the key; that is known when it has run once. */
static void check_x(const struct lab_sweep *sweep, const struct lab_sweep_series *series,
                    struct load_arena *arena)
{
    const struct load_tree *key = sweep->figure.x_item;
    const struct lab_axis *axis = lab_sweep_axis(series, key->text);

    if (axis == NULL && lab_sweep_axis_of(series, LAB_AXIS_PROGRAM) == NULL)
        refuse_x(sweep, key,
                 series->name != NULL ? load_text(arena, "not in %s: ", series->name) : "", arena);
    if (axis != NULL && !has_numbers(axis))
        refuse_x(sweep, key, "has no numbers: ", arena);
}

/** For workloads, whose results are known; a program's are when its first point has run. */
static void check_quantity(const struct lab_sweep_series *series, const struct lab_figure *figure)
{
    const struct lab_axis *workloads = lab_sweep_axis_of(series, LAB_AXIS_WORKLOAD);

    if (figure->bandwidth || strcmp(figure->quantity, "latency") == 0) {
        if (workloads == NULL)
            load_fail(figure->quantity_item, NULL,
                      "expected a key of the result that the program prints: latency and "
                      "bandwidth are of workloads");
        return;
    }
    for (unsigned i = 0; workloads != NULL && i < workloads->list.n; i++) {
        const char *workload = workloads->list.items[i];
        char prints[LAB_PRINTS_MAX];

        if (!lab_workload_has(workload, figure->quantity, prints))
            load_fail(figure->quantity_item, NULL,
                      "expected latency, bandwidth or a number of the result of %s: %s", workload,
                      prints);
    }
}

/* ---- lines --------------------------------------------------------------------------------- */

/** A key's values in the legend: "% kHz". */
static void read_words(const struct load_tree *item, struct lab_sweep *sweep,
                       struct load_arena *arena)
{
    bool found = false;

    if (item->type != LOAD_SCALAR || item->text == NULL || strchr(item->text, '%') == NULL)
        load_fail(item, NULL, "expected words with a %% where the value stands");
    for (unsigned s = 0; s < sweep->nseries; s++) {
        struct lab_sweep_series *series = &sweep->series[s];

        for (unsigned i = 0; i < series->naxes; i++)
            if (strcmp(series->axes[i].name, item->key) == 0) {
                series->axes[i].words = item->text;
                found = true;
            }
    }
    if (!found)
        refuse_line(sweep, item, arena);
}

static void read_lines(const struct load_tree *figure, struct lab_sweep *sweep,
                       struct load_arena *arena)
{
    const struct load_tree *lines = load_tree_get(figure, "lines");

    if (lines != NULL && lines->type != LOAD_MAP)
        load_fail(lines, NULL, "expected a mapping of keys to words");
    for (unsigned i = 0; lines != NULL && i < lines->n; i++)
        read_words(&lines->items[i], sweep, arena);
}

void lab_sweep_read_figure(const struct load_tree *root, struct lab_sweep *sweep,
                           struct load_arena *arena)
{
    static const char *const keys[] = { "x", "y", "bounds", "lines", NULL };
    const struct load_tree *figure = load_tree_get(root, "figure");

    if (figure == NULL)
        return;
    if (figure->type != LOAD_MAP)
        load_fail(figure, NULL, "expected a mapping with x and y");
    sweep->has_figure = true;
    sweep->figure.name = sweep->name;
    sweep->figure.description = sweep->description;
    load_tree_only(figure, keys);
    lab_figure_read_axes(figure, &sweep->figure);
    if (sweep->figure.unit_item != NULL)
        load_fail(sweep->figure.unit_item, NULL, "expected in figures of experiments only");
    sweep->figure.x_item =
        load_tree_need(load_tree_need(figure, "x", LOAD_MAP), "key", LOAD_SCALAR);
    for (unsigned s = 0; s < sweep->nseries; s++) {
        check_x(sweep, &sweep->series[s], arena);
        check_quantity(&sweep->series[s], &sweep->figure);
    }
    read_lines(figure, sweep, arena);
}
