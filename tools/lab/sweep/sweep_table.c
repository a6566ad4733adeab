/* The rows of a sweep as a table. */
#include "tools/lab/sweep/sweep_parts.h"

#include "tools/lab/sweep/sweep_run.h"
#include "tools/load/value.h"

#include <stdlib.h>
#include <string.h>

/* The columns that are no key's. */
#define SERIES  "series"
#define FAILURE "failure"

/* ---- results ---------------------------------------------------------------------------- */

struct reading {
    const struct lab_sweep *sweep;
    struct load_arena *arena;
    struct lab_sweep_results *results;
};

static void read_row(void *arg, const struct lab_sweep_row *row)
{
    struct reading *r = arg;
    struct lab_sweep_result *out = &r->results->results[r->results->n];
    struct sim_error err = { 0 };

    if (row->point >= r->sweep->n)
        return;
    *out = (struct lab_sweep_result){ .point = &r->sweep->points[row->point] };
    r->results->n++;
    if (row->rc != SIM_OK)
        out->failure = load_text(r->arena, "%s", row->text);
    else if (lab_result_try(row->text, r->arena, &out->result, &err) != SIM_OK)
        out->failure = load_text(r->arena, "%s", err.text);
    else if (out->point->planned)
        out->failure = lab_read_times(&out->result, &out->times);
    if (out->failure == NULL && out->point->planned)
        out->bytes = lab_read_bytes(out->point->bytes, &out->result);
    else if (out->failure == NULL && out->result.nlines == 0)
        out->failure = "the program did not print a result";
    if (row->rc == SIM_OK)
        lab_bound_parse(row->text, &out->bound);
    if (out->failure != NULL && r->results->failed++ == 0)
        r->results->failure = load_text(
            r->arena, "%s: %s", lab_sweep_label(r->sweep, out->point, r->arena), out->failure);
}

struct lab_sweep_results lab_sweep_collect(const struct lab_sweep *sweep, struct lab_sweep_db *db,
                                           struct load_arena *arena)
{
    struct lab_sweep_results results = { .results = load_alloc(
                                             arena, (sweep->n + 1) * sizeof(*results.results)) };

    lab_sweep_db_each(db, read_row, &(struct reading){ sweep, arena, &results });
    return results;
}

/* ---- columns ---------------------------------------------------------------------------- */

struct columns {
    unsigned n, room;
    struct lab_column *columns;
    struct load_arena *arena;
    unsigned napart, apart_room;
    const char **apart; /* keys of results with which something else is called */
};

static bool is_apart(const struct columns *c, const char *key)
{
    for (unsigned i = 0; i < c->napart; i++)
        if (strcmp(c->apart[i], key) == 0)
            return true;
    return false;
}

/** The column of a key of a program's result: "bytes", or "result.bytes". */
static const char *result_column(const struct columns *c, const char *key)
{
    return is_apart(c, key) ? load_text(c->arena, LAB_SWEEP_RESULT "%s", key) : key;
}

static unsigned find_column(const struct columns *c, const char *name)
{
    unsigned i;

    for (i = 0; i < c->n && strcmp(c->columns[i].name, name) != 0;)
        i++;
    return i;
}

static void add_column(struct columns *c, const char *name, bool number)
{
    if (find_column(c, name) < c->n)
        return;
    c->columns = load_grow(c->arena, c->columns, c->n, &c->room, sizeof(*c->columns));
    c->columns[c->n++] = (struct lab_column){ name, number };
}

/** Whether a column has more than one value. */
static bool axis_varies(const struct lab_sweep *sweep, const char *name)
{
    const char *only = NULL;

    for (unsigned s = 0; s < sweep->nseries; s++) {
        const struct lab_axis *axis = lab_sweep_axis(&sweep->series[s], name);

        if (axis == NULL || axis->list.n > 1 || (s > 0 && strcmp(axis->list.items[0], only) != 0))
            return true;
        only = axis->list.items[0];
    }
    return false;
}

const char *lab_sweep_label(const struct lab_sweep *sweep, const struct lab_sweep_point *point,
                            struct load_arena *arena)
{
    const struct lab_sweep_series *series = point->series;
    const char *label = series->name != NULL ? series->name : "";

    for (unsigned i = 0; i < series->naxes; i++)
        if (axis_varies(sweep, series->axes[i].name))
            label = load_text(arena, "%s%s%s = %s", label, label[0] != '\0' ? ", " : "",
                              series->axes[i].name, lab_sweep_value(point, &series->axes[i]));
    return label[0] != '\0' ? label : sweep->name;
}

bool lab_sweep_is_number(const char *text)
{
    char *end;

    (void)strtod(text, &end);
    return end != text && *end == '\0';
}

static bool all_numbers(const struct lab_sweep *sweep, const char *name)
{
    for (unsigned s = 0; s < sweep->nseries; s++) {
        const struct lab_axis *axis = lab_sweep_axis(&sweep->series[s], name);

        for (unsigned i = 0; axis != NULL && i < axis->list.n; i++)
            if (!lab_sweep_is_number(axis->list.items[i]))
                return false;
    }
    return true;
}

static void add_parameters(const struct lab_sweep *sweep, struct columns *c)
{
    if (sweep->series[0].name != NULL)
        add_column(c, SERIES, false);
    for (unsigned s = 0; s < sweep->nseries; s++)
        for (unsigned i = 0; i < sweep->series[s].naxes; i++) {
            const char *name = sweep->series[s].axes[i].name;

            if (axis_varies(sweep, name))
                add_column(c, name, all_numbers(sweep, name));
        }
}

static bool is_same_value(const char *a, const char *b)
{
    uint64_t whole_a, whole_b;

    if (load_number(a, true, &whole_a) && load_number(b, true, &whole_b)) /* 1KiB is 1024 */
        return whole_a == whole_b;
    if (lab_sweep_is_number(a) && lab_sweep_is_number(b))
        return strtod(a, NULL) == strtod(b, NULL);
    return strcmp(a, b) == 0;
}

bool lab_sweep_is_own_column(const char *name)
{
    return strcmp(name, SERIES) == 0 || strcmp(name, FAILURE) == 0;
}

bool lab_sweep_is_apart(const struct lab_sweep_point *point, const struct lab_pair *pair)
{
    const struct lab_axis *axis = lab_sweep_axis(point->series, pair->key);

    return lab_sweep_is_own_column(pair->key) ||
           (axis != NULL && !is_same_value(lab_sweep_value(point, axis), pair->value));
}

typedef void (*pair_fn)(struct columns *c, const struct lab_sweep_result *r,
                        const struct lab_pair *pair);

static void each_pair(const struct lab_sweep_results *results, struct columns *c, pair_fn fn)
{
    for (unsigned i = 0; i < results->n; i++) {
        const struct lab_sweep_result *r = &results->results[i];

        for (unsigned l = 0; !r->point->planned && l < r->result.nlines; l++)
            for (unsigned p = 0; p < r->result.lines[l].n; p++)
                fn(c, r, &r->result.lines[l].pairs[p]);
    }
}

static void add_apart(struct columns *c, const struct lab_sweep_result *r,
                      const struct lab_pair *pair)
{
    if (!lab_sweep_is_apart(r->point, pair) || is_apart(c, pair->key))
        return;
    c->apart = load_grow(c->arena, c->apart, c->napart, &c->apart_room, sizeof(*c->apart));
    c->apart[c->napart++] = pair->key;
}

static void add_result(struct columns *c, const struct lab_sweep_result *r,
                       const struct lab_pair *pair)
{
    (void)r;
    add_column(c, result_column(c, pair->key), lab_sweep_is_number(pair->value));
}

/** What programs print beside the keys that are columns already. */
static void add_results(const struct lab_sweep_results *results, struct columns *c)
{
    each_pair(results, c, add_apart);
    each_pair(results, c, add_result);
}

/* ---- rows ------------------------------------------------------------------------------- */

static void set_cell(struct lab_table *table, const struct columns *c, unsigned row,
                     const char *name, const char *text)
{
    unsigned column = find_column(c, name);

    if (column < c->n)
        lab_table_set(table, row, column, "%s", text);
}

static unsigned begin_row(struct lab_table *table, const struct columns *c,
                          const struct lab_sweep_result *r)
{
    const struct lab_sweep_series *series = r->point->series;
    unsigned row = lab_table_add(table);

    if (series->name != NULL)
        set_cell(table, c, row, SERIES, series->name);
    for (unsigned i = 0; i < series->naxes; i++)
        set_cell(table, c, row, series->axes[i].name, lab_sweep_value(r->point, &series->axes[i]));
    if (r->failure != NULL)
        set_cell(table, c, row, FAILURE, r->failure);
    return row;
}

/** Columns of workloads, one beside the other. */
static const struct lab_column measured[] = {
    { "latency_us_min", true }, { "latency_us_median", true }, { "bandwidth_MBps", true },
    { "bound_MBps", true },     { "of_bound_pct", true },      { "bound", false },
};

static void add_planned(struct lab_table *table, const struct columns *c,
                        const struct lab_sweep_result *r)
{
    unsigned row = begin_row(table, c, r), first = find_column(c, measured[0].name);
    double bandwidth = 0;

    if (r->failure == NULL) {
        bandwidth = (double)r->bytes / r->times.min_s;
        lab_table_set(table, row, first, "%.6f\t%.6f\t%.3f", r->times.min_s * 1e6,
                      r->times.median_s * 1e6, bandwidth * 1e-6);
    }
    if (r->bound.name == NULL)
        return;
    lab_table_set(table, row, first + 3, "%.3f", r->bound.bytes_per_s * 1e-6);
    if (r->failure == NULL)
        lab_table_set(table, row, first + 4, "%.1f", 100 * bandwidth / r->bound.bytes_per_s);
    lab_table_set(table, row, first + 5, "%s", r->bound.name);
}

/** A program's row for each line that it printed. */
static void add_program(struct lab_table *table, const struct columns *c,
                        const struct lab_sweep_result *r)
{
    if (r->result.nlines == 0)
        (void)begin_row(table, c, r);
    for (unsigned l = 0; l < r->result.nlines; l++) {
        const struct lab_line *line = &r->result.lines[l];
        unsigned row = begin_row(table, c, r);

        for (unsigned p = 0; p < line->n; p++)
            set_cell(table, c, row, result_column(c, line->pairs[p].key), line->pairs[p].value);
    }
}

void lab_sweep_table(const struct lab_sweep *sweep, const struct lab_sweep_results *results,
                     struct load_arena *arena, struct lab_table *table)
{
    struct columns c = { .arena = arena };
    bool planned = false;

    for (unsigned i = 0; i < sweep->n && !planned; i++)
        planned = sweep->points[i].planned;
    add_parameters(sweep, &c);
    for (size_t i = 0; planned && i < SIM_COUNT(measured); i++)
        add_column(&c, measured[i].name, measured[i].number);
    add_results(results, &c);
    add_column(&c, FAILURE, false);
    lab_table_init(table, c.columns, c.n);
    for (unsigned i = 0; i < results->n; i++) {
        const struct lab_sweep_result *r = &results->results[i];

        if (r->point->planned)
            add_planned(table, &c, r);
        else
            add_program(table, &c, r);
    }
}
