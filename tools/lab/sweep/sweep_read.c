/* Sweep files: keys with lists become axes, axes become points. */
#include "tools/lab/sweep/sweep.h"

#include "tools/lab/sweep/sweep_parts.h"

#include "tools/lab/workload/plan.h"
#include "tools/load/find.h"
#include "tools/load/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key;
    enum lab_axis_kind kind;
} own_keys[] = {
    { "workload", LAB_AXIS_WORKLOAD }, { "platform", LAB_AXIS_PLATFORM },
    { "machine", LAB_AXIS_MACHINE },   { "program", LAB_AXIS_PROGRAM },
    { "ranks", LAB_AXIS_RANKS },       { "seed", LAB_AXIS_SEED },
    { "faults", LAB_AXIS_FAULTS },
};

/* ---- the values of one key ------------------------------------------------------------- */

struct parsing {
    const char *text, *where;
    struct load_arena *arena;
    struct lab_list list;
};

static void parse_list(void *arg)
{
    struct parsing *p = arg;

    p->list = lab_list_parse("", p->text, p->where, p->arena);
}

/** The value of a key of a setup, or of an argument: sizes in bytes where it counts them. */
static const char *size_of(const struct lab_sweep_series *series, const char *key, const char *text,
                           struct load_arena *arena)
{
    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *axis = &series->axes[i];
        bool describes = axis->kind == LAB_AXIS_WORKLOAD || axis->kind == LAB_AXIS_PROGRAM;

        for (unsigned v = 0; describes && v < axis->list.n; v++)
            text = lab_words_value(axis->list.items[v], key, text, arena);
    }
    return text;
}

/** A path may hold two dots, a range begins with a digit. */
static void add_values(const struct lab_sweep_series *series, const struct load_tree *item,
                       struct lab_axis *axis, struct load_arena *arena)
{
    bool path = axis->kind == LAB_AXIS_MACHINE || axis->kind == LAB_AXIS_PLATFORM ||
                axis->kind == LAB_AXIS_PROGRAM || axis->kind == LAB_AXIS_FAULTS;
    const char *name = axis->key, *text = item->text;
    const char *where = load_text(arena, "%s: %s", axis->where, name);
    struct parsing parsing = { .where = item->file, .arena = arena };
    struct sim_error why = { 0 };
    uint64_t number;

    if (item->type != LOAD_SCALAR || text == NULL)
        load_fail(item, name, "expected a value or a list of values");
    if (axis->word) {
        lab_list_add(&axis->list, text, where, arena);
        return;
    }
    if (strchr(text, '_') != NULL && load_number(text, false, &number)) /* 250_000 */
        text = load_text(arena, "%" PRIu64, number);
    if (axis->kind == LAB_AXIS_SETUP || axis->kind == LAB_AXIS_ARG)
        text = size_of(series, name, text, arena);
    if (path || ((text[0] < '0' || text[0] > '9') && strstr(text, "..") != NULL)) {
        lab_list_add(&axis->list, text, where, arena);
        return;
    }
    parsing.text = text;
    if (load_attempt(parse_list, &parsing, &why) != SIM_OK)
        load_fail(item, name, "%s", sim_error_why(&why));
    for (unsigned i = 0; i < parsing.list.n; i++)
        lab_list_add(&axis->list, parsing.list.items[i], where, arena);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void check_once(const struct load_tree *item, const struct lab_list *list,
                       struct load_arena *arena)
{
    const char **sorted;

    if (list->n < 2)
        return;
    sorted = load_alloc(arena, list->n * sizeof(*sorted));
    memcpy(sorted, list->items, list->n * sizeof(*sorted));
    qsort(sorted, list->n, sizeof(*sorted), by_text);
    for (unsigned i = 1; i < list->n; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            load_fail(item, NULL, "%s: expected each value once", sorted[i]);
}

static void read_values(const struct lab_sweep_series *series, struct lab_axis *axis,
                        struct load_arena *arena)
{
    const struct load_tree *item = axis->item;

    if (item->type == LOAD_LIST)
        for (unsigned i = 0; i < item->n; i++)
            add_values(series, &item->items[i], axis, arena);
    else
        add_values(series, item, axis, arena);
    if (axis->list.n == 0)
        load_fail(item, NULL, "expected at least one value");
    check_once(item, &axis->list, arena);
}

/** Those of workloads and programs first: they say which of the other keys count bytes. */
static void read_all_values(struct lab_sweep_series *series, struct load_arena *arena)
{
    for (int described = 0; described < 2; described++)
        for (unsigned i = 0; i < series->naxes; i++) {
            enum lab_axis_kind kind = series->axes[i].kind;

            if ((kind == LAB_AXIS_SETUP || kind == LAB_AXIS_ARG) == described)
                read_values(series, &series->axes[i], arena);
        }
}

/* ---- the axes of one series -------------------------------------------------------------- */

/** A series' own key takes the place of the file's. */
static void put_axis(struct lab_sweep_series *series, const struct load_tree *item, const char *key,
                     enum lab_axis_kind kind, struct load_arena *arena)
{
    struct lab_axis *axis = NULL;

    for (unsigned i = 0; i < series->naxes && axis == NULL; i++)
        if (series->axes[i].kind == kind && strcmp(series->axes[i].key, key) == 0)
            axis = &series->axes[i];
    series->axes =
        load_grow(arena, series->axes, series->naxes, &series->room, sizeof(*series->axes));
    if (axis == NULL)
        axis = &series->axes[series->naxes++];
    *axis = (struct lab_axis){ kind, .key = key, .name = key, .item = item };
    axis->where = load_text(arena, "%s:%u:%u", item->file, item->line, item->column);
}

static void put_map(struct lab_sweep_series *series, const struct load_tree *map,
                    enum lab_axis_kind kind, struct load_arena *arena)
{
    if (map->type != LOAD_MAP)
        load_fail(map, NULL, "expected a mapping of keys to values");
    for (unsigned i = 0; i < map->n; i++)
        put_axis(series, &map->items[i], map->items[i].key, kind, arena);
}

/** Those of the file, of which a series has others. */
static void drop_args(struct lab_sweep_series *series)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < series->naxes; i++)
        if (series->axes[i].kind != LAB_AXIS_ARG)
            series->axes[kept++] = series->axes[i];
    series->naxes = kept;
}

static bool has_words(const struct lab_sweep_series *series)
{
    for (unsigned i = 0; i < series->naxes; i++)
        if (series->axes[i].word)
            return true;
    return false;
}

/** A mapping, or a list of words that a program takes in their order: "arg1", "arg2" and so on. */
static void put_args(struct lab_sweep_series *series, const struct load_tree *args,
                     struct load_arena *arena)
{
    if (args->type == LOAD_LIST || has_words(series))
        drop_args(series);
    if (args->type == LOAD_SCALAR)
        load_fail(args, NULL, "expected a mapping of keys to values, or a list of words");
    if (args->type == LOAD_MAP)
        put_map(series, args, LAB_AXIS_ARG, arena);
    for (unsigned i = 0; args->type == LOAD_LIST && i < args->n; i++) {
        put_axis(series, &args->items[i], load_text(arena, "arg%u", i + 1), LAB_AXIS_ARG, arena);
        series->axes[series->naxes - 1].word = true;
    }
}

/** The keys that a file and a series share; a series may name keys of the setup without `setup`. */
static void put_all(struct lab_sweep_series *series, const struct load_tree *map, bool is_series,
                    struct load_arena *arena)
{
    for (unsigned i = 0; i < map->n; i++) {
        const struct load_tree *item = &map->items[i];
        const size_t nown = SIM_COUNT(own_keys);
        size_t own = 0;

        while (own < nown && strcmp(own_keys[own].key, item->key) != 0)
            own++;
        if (own < nown)
            put_axis(series, item, item->key, own_keys[own].kind, arena);
        else if (strcmp(item->key, "setup") == 0)
            put_map(series, item, LAB_AXIS_SETUP, arena);
        else if (strcmp(item->key, "set") == 0)
            put_map(series, item, LAB_AXIS_SET, arena);
        else if (strcmp(item->key, "args") == 0)
            put_args(series, item, arena);
        else if (is_series && strcmp(item->key, "name") != 0)
            put_axis(series, item, item->key, LAB_AXIS_SETUP, arena);
    }
}

/** Names the key that has the most values. */
static _Noreturn void refuse_points(const struct lab_sweep_series *series)
{
    const struct lab_axis *longest = &series->axes[0];

    for (unsigned i = 1; i < series->naxes; i++)
        if (series->axes[i].list.n > longest->list.n)
            longest = &series->axes[i];
    load_raise(SIM_ERR_CONFIG,
               "%s: %s: %u values, times those of the other keys: expected at most "
               "%u points",
               longest->where, longest->key, longest->list.n, LAB_SWEEP_POINTS_MAX);
}

/** The last axis has stride 1. */
static void count_points(struct lab_sweep_series *series)
{
    uint64_t n = 1;

    for (unsigned i = series->naxes; i-- > 0;) {
        series->axes[i].stride = (unsigned)n;
        n *= series->axes[i].list.n;
        if (n > LAB_SWEEP_POINTS_MAX)
            refuse_points(series);
    }
    series->npoints = (unsigned)n;
}

static void read_series(const struct load_tree *root, const struct load_tree *item,
                        struct load_arena *arena, struct lab_sweep_series *series)
{
    const struct load_tree *at = item != NULL ? item : root;

    *series = (struct lab_sweep_series){ .name = NULL };
    series->where = load_text(arena, "%s:%u:%u", at->file, at->line, at->column);
    put_all(series, root, false, arena);
    if (item != NULL) {
        if (item->type != LOAD_MAP)
            load_fail(item, NULL, "expected a mapping with a name");
        load_tree_text(item, "name", &series->name);
        if (series->name == NULL)
            lab_words_fail_unnamed(item);
        put_all(series, item, true, arena);
    }
    read_all_values(series, arena);
    count_points(series);
}

/* ---- columns ------------------------------------------------------------------------------ */

static bool ends_with(const char *key, const char *tail)
{
    size_t n = strlen(key), m = strlen(tail);

    return n >= m && strcmp(key + n - m, tail) == 0 && (n == m || key[n - m - 1] == '.');
}

/** Whether another key of the sweep ends like this too. */
static bool is_shared(const struct lab_sweep *sweep, const struct lab_axis *axis, const char *tail)
{
    for (unsigned s = 0; s < sweep->nseries; s++)
        for (unsigned i = 0; i < sweep->series[s].naxes; i++) {
            const struct lab_axis *other = &sweep->series[s].axes[i];

            if ((other->kind != axis->kind || strcmp(other->key, axis->key) != 0) &&
                ends_with(other->key, tail))
                return true;
        }
    return false;
}

/** Columns have that name for something else: a key of the file, or the table itself. */
static bool has_other_column(const struct lab_sweep *sweep, const struct lab_axis *axis)
{
    bool taken = lab_sweep_is_own_column(axis->key);

    for (unsigned s = 0; s < sweep->nseries && !taken; s++)
        for (unsigned i = 0; i < sweep->series[s].naxes && !taken; i++)
            taken = sweep->series[s].axes[i].kind != axis->kind &&
                    strcmp(sweep->series[s].axes[i].key, axis->key) == 0;
    return taken;
}

/** The shortest end of the key that no other key has: "lanes", or "e.link.lanes". */
static const char *short_name(const struct lab_sweep *sweep, const struct lab_axis *axis,
                              struct load_arena *arena)
{
    const char *tail = axis->key + strlen(axis->key);

    if (axis->kind == LAB_AXIS_ARG || axis->kind == LAB_AXIS_SETUP)
        return !has_other_column(sweep, axis)
                   ? axis->key
                   : load_text(arena, "%s.%s", axis->kind == LAB_AXIS_ARG ? "args" : "setup",
                               axis->key);
    if (axis->kind != LAB_AXIS_SET)
        return axis->key;
    while (tail > axis->key) {
        for (tail--; tail > axis->key && tail[-1] != '.';)
            tail--;
        if (!is_shared(sweep, axis, tail))
            break;
    }
    return tail;
}

/* ---- the file ------------------------------------------------------------------------------- */

static void read_all_series(const struct load_tree *root, struct load_arena *arena,
                            struct lab_sweep *sweep)
{
    const struct load_tree *list = load_tree_get(root, "series");

    if (list != NULL && (list->type != LOAD_LIST || list->n == 0))
        load_fail(list, NULL, "expected a list of series");
    sweep->nseries = list != NULL ? list->n : 1;
    sweep->series = load_alloc(arena, sweep->nseries * sizeof(*sweep->series));
    for (unsigned i = 0; i < sweep->nseries; i++)
        read_series(root, list != NULL ? &list->items[i] : NULL, arena, &sweep->series[i]);
    for (unsigned s = 0; s < sweep->nseries; s++)
        for (unsigned i = 0; i < sweep->series[s].naxes; i++)
            sweep->series[s].axes[i].name = short_name(sweep, &sweep->series[s].axes[i], arena);
}

const char *const lab_sweep_keys[] = { "description", "workload", "platform", "machine", "program",
                                       "args",        "ranks",    "setup",    "set",     "seed",
                                       "faults",      "series",   "figure",   NULL };

void lab_sweep_read(const char *path, const struct lab_site *site, struct load_arena *arena,
                    struct lab_sweep *sweep)
{
    const struct load_tree *root = load_tree_read(path, arena);

    *sweep = (struct lab_sweep){ .description = "" };
    sweep->path = load_text(arena, "%s", path);
    sweep->name = load_find_stem(path, arena);
    load_tree_only(root, lab_sweep_keys);
    load_tree_text(root, "description", &sweep->description);
    read_all_series(root, arena, sweep);
    lab_sweep_plan(sweep, arena);
    lab_sweep_read_figure(root, sweep, arena);
    lab_sweep_resolve(sweep, site, arena);
}
