#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tools/lab/figure/figure.h"

#include "tools/lab/workload/plan.h"
#include "tools/load/find.h"
#include "tools/load/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------- */

static void read_names(const struct load_tree *root, const char *key, struct load_arena *arena,
                       unsigned *n_p, const char *const **names_p)
{
    const struct load_tree *list = load_tree_get(root, key);
    const char **names;

    if (list == NULL)
        return;
    if (list->type != LOAD_LIST)
        load_fail(list, NULL, "expected a list of names");
    names = load_alloc(arena, (list->n + 1) * sizeof(*names));
    for (unsigned i = 0; i < list->n; i++) {
        if (list->items[i].type != LOAD_SCALAR)
            load_fail(&list->items[i], NULL, "expected a name");
        names[i] = list->items[i].text;
    }
    *n_p = list->n;
    *names_p = names;
}

static const struct load_tree *read_axis(const struct load_tree *root, const char *name,
                                         const char *const *keys, const char **label_p,
                                         const char **scale_p)
{
    const struct load_tree *axis = load_tree_need(root, name, LOAD_MAP);

    *label_p = name;
    *scale_p = "log";
    load_tree_only(axis, keys);
    load_tree_text(axis, "label", label_p);
    load_tree_text(axis, "scale", scale_p);
    if (strcmp(*scale_p, "log") != 0 && strcmp(*scale_p, "log2") != 0 &&
        strcmp(*scale_p, "linear") != 0)
        load_fail(load_tree_get(axis, "scale"), NULL, "expected log, log2 or linear");
    return axis;
}

/** @return whether it is yes; absent: no */
static bool read_switch(const struct load_tree *root, const char *key)
{
    const char *text = "no";

    load_tree_text(root, key, &text);
    if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
        load_fail(load_tree_get(root, key), NULL, "expected yes or no");
    return strcmp(text, "yes") == 0;
}

void lab_figure_read_axes(const struct load_tree *root, struct lab_figure *figure)
{
    static const char *const x_keys[] = { "key", "label", "scale", NULL };
    static const char *const y_keys[] = { "label", "scale", "quantity", "unit", NULL };
    const struct load_tree *axis, *quantity;

    axis = read_axis(root, "x", x_keys, &figure->x_label, &figure->x_scale);
    load_tree_text(axis, "key", &figure->x_key);
    figure->bounds = read_switch(root, "bounds");
    axis = read_axis(root, "y", y_keys, &figure->y_label, &figure->y_scale);
    quantity = load_tree_get(axis, "quantity");
    if (quantity != NULL && quantity->type == LOAD_LIST && figure->nquantities > 1)
        quantity = &quantity->items[0]; /* the others have been read */
    else
        quantity = load_tree_need(axis, "quantity", LOAD_SCALAR);
    figure->quantity_item = quantity;
    figure->quantity = quantity->text;
    figure->unit_item = load_tree_get(axis, "unit");
    figure->bandwidth = strcmp(quantity->text, "bandwidth") == 0;
}

/** A quantity of a whole exchange or program: a published row shows it only if it has this very
 * one, since it cannot be computed from another. */
static bool is_of_whole_run(const char *quantity)
{
    return strcmp(quantity, "round_trip") == 0 || strcmp(quantity, "time") == 0 ||
           strcmp(quantity, "speedup") == 0;
}

/** A quantity that is computed from the times of any result, so that no key of it is needed. */
static bool is_computed(const char *quantity)
{
    return strcmp(quantity, "latency") == 0 || strcmp(quantity, "bandwidth") == 0 ||
           is_of_whole_run(quantity);
}

/** @return ps in the unit of the axis, for keys in ps; other quantities have units of their own */
static double read_ps_per_unit(const struct load_tree *y, const struct lab_figure *figure)
{
    static const struct {
        const char *name;
        double ps;
    } units[] = { { "us", 1e6 }, { "ms", 1e9 }, { "s", 1e12 } };
    const char *name = units[0].name;

    if (figure->unit_item == NULL)
        return units[0].ps;
    for (unsigned i = 0; i < figure->nquantities; i++)
        if (is_computed(figure->quantities[i]))
            load_fail(figure->unit_item, NULL, "expected keys in ps as quantity beside it");
    load_tree_text(y, "unit", &name);
    for (unsigned i = 0; i < SIM_COUNT(units); i++)
        if (strcmp(name, units[i].name) == 0)
            return units[i].ps;
    load_fail(figure->unit_item, NULL, "expected us, ms or s");
}

static void read_axes(const struct load_tree *root, struct load_arena *arena,
                      struct lab_figure *figure)
{
    const struct load_tree *y = load_tree_get(root, "y");

    if (y != NULL && load_tree_get(y, "quantity") != NULL &&
        load_tree_get(y, "quantity")->type == LOAD_LIST)
        read_names(y, "quantity", arena, &figure->nquantities, &figure->quantities);
    lab_figure_read_axes(root, figure);
    if (figure->nquantities == 0) {
        const char **one = load_alloc(arena, sizeof(*one));

        *one = figure->quantity;
        figure->nquantities = 1;
        figure->quantities = one;
    }

    if (figure->x_key != NULL)
        load_fail(load_tree_get(load_tree_get(root, "x"), "key"), NULL,
                  "expected in sweeps only: a series of an experiment has one list");
    figure->ps_per_unit = read_ps_per_unit(y, figure);
    for (unsigned i = 0; i < figure->nquantities; i++) {
        const char *text = figure->quantities[i];

        if (!is_computed(text) && strstr(text, "_ps") == NULL)
            load_fail(load_tree_get(y, "quantity"), NULL,
                      "expected latency, bandwidth, round_trip, time, speedup or a key of "
                      "the result in ps");
    }
}

void lab_figure_read(const char *path, struct load_arena *arena, struct lab_figure *figure)
{
    static const char *const keys[] = { "description", "experiments", "series",    "x", "y",
                                        "bounds",      "bars",        "published", NULL };
    struct load_tree *root = load_tree_read(path, arena);

    *figure = (struct lab_figure){ .description = "" };
    figure->name = load_find_stem(path, arena);
    load_tree_only(root, keys);
    load_tree_text(root, "description", &figure->description);
    load_tree_text(root, "published", &figure->published);
    read_names(root, "experiments", arena, &figure->nexperiments, &figure->experiments);
    read_names(root, "series", arena, &figure->nseries, &figure->series);
    figure->series_item = load_tree_get(root, "series");
    read_axes(root, arena, figure);
    if (figure->nexperiments == 0)
        load_fail(root, NULL, "expected the key experiments");
    figure->bars = read_switch(root, "bars");
    if (figure->bars && strcmp(figure->y_scale, "linear") != 0)
        load_fail(load_tree_get(root, "bars"), NULL,
                  "expected y with scale: linear: the parts of a bar stand on each other");
    if (figure->bars && figure->bounds)
        load_fail(load_tree_get(root, "bars"), NULL, "expected bounds: no beside it");
}

static void check_quantity(const struct lab_figure *figure, const struct lab_series *series,
                           const char *quantity)
{
    char prints[LAB_PRINTS_MAX];

    if (is_computed(quantity) || lab_workload_has(series->workload, quantity, prints))
        return;
    load_fail(figure->quantity_item, NULL,
              "%s: expected latency, bandwidth, round_trip, time, speedup or a key in ps of "
              "the result of %s: %s",
              quantity, series->workload, prints);
}

void lab_figure_check(const struct lab_figure *figure, const struct lab_experiment *exp)
{
    for (unsigned s = 0; s < exp->n; s++)
        for (unsigned q = 0; q < figure->nquantities; q++)
            if (lab_figure_shows(figure, &exp->series[s]))
                check_quantity(figure, &exp->series[s], figure->quantities[q]);
}

void lab_figure_check_series(const struct lab_figure *figure, const struct lab_experiment *exps,
                             unsigned n)
{
    for (unsigned i = 0; i < figure->nseries; i++) {
        bool found = false;

        for (unsigned e = 0; e < n; e++)
            for (unsigned s = 0; s < exps[e].n; s++)
                found |= strcmp(exps[e].series[s].name, figure->series[i]) == 0;
        if (!found)
            load_fail(&figure->series_item->items[i], NULL,
                      "expected the name of a series of the experiments");
    }
}

bool lab_figure_shows(const struct lab_figure *figure, const struct lab_series *series)
{
    for (unsigned i = 0; i < figure->nseries; i++)
        if (strcmp(figure->series[i], series->name) == 0)
            return true;
    return figure->nseries == 0;
}

/* ---- the CSV ---------------------------------------------------------------------------- */

enum { SERIES, KIND, X, Y, Y2, SOURCE };

void lab_figure_begin(struct lab_table *table)
{
    lab_table_begin(table, "series, kind, x#, y#, y2#, source");
}

void lab_figure_add(struct lab_table *table, const char *series, const char *kind, const char *x,
                    double y, const char *source)
{
    unsigned row = lab_table_add(table);

    lab_table_set(table, row, SERIES, "%s\t%s\t%s\t%.6g", series, kind, x, y);
    lab_table_set(table, row, SOURCE, "%s", source);
}

static void add_bound(struct lab_table *table, const char *name, const struct lab_sample *s,
                      double bytes_per_s)
{
    if (bytes_per_s > 0)
        lab_figure_add(table, name, "bound", s->x, bytes_per_s * 1e-6, s->series->name);
}

/** In the figure's unit. `first`: of the series. False: the result has no such key. */
static bool value_of(const struct lab_figure *figure, const struct lab_sample *first,
                     const struct lab_sample *s, const char *quantity, double *y_p)
{
    uint64_t ps;

    if (strcmp(quantity, "bandwidth") == 0)
        *y_p = s->bytes_per_s * 1e-6;
    else if (strcmp(quantity, "latency") == 0 || strcmp(quantity, "time") == 0)
        *y_p = s->min_s * 1e6;
    else if (strcmp(quantity, "round_trip") == 0)
        *y_p = 2 * s->min_s * 1e6;
    else if (strcmp(quantity, "speedup") == 0)
        *y_p = first->min_s / s->min_s;
    else if (lab_line_get(s->result->lines, quantity, &ps))
        *y_p = (double)ps / figure->ps_per_unit;
    else
        return false;
    return true;
}

/** "p99" of "latency_ps_p99", "halo" of "halo_ps" */
static const char *short_name(const char *quantity, struct load_arena *arena)
{
    const char *ps = strstr(quantity, "_ps");

    if (ps == NULL)
        return quantity;
    return ps[3] == '_' ? ps + 4 : load_text(arena, "%.*s", (int)(ps - quantity), quantity);
}

/** "one hop, p99" of "latency_ps_p99" where there are several. */
static const char *line_name(const struct lab_figure *figure, const struct lab_sample *s,
                             const char *quantity, struct load_arena *arena)
{
    if (figure->nquantities == 1)
        return s->series->name;
    return load_text(arena, "%s, %s", s->series->name, short_name(quantity, arena));
}

static void add_bounds(struct lab_table *table, const struct lab_sample *s)
{
    if (s->bound.link_bytes_per_s <= 0 && s->bound.bus_bytes_per_s <= 0)
        add_bound(table, "bound from link loads", s, s->bound.bytes_per_s);
    add_bound(table, "link", s, s->bound.link_bytes_per_s);
    add_bound(table, "bus of the hub", s, s->bound.bus_bytes_per_s);
}

static void add_sample(const struct lab_figure *figure, const char *quantity,
                       const struct lab_sample *first, const struct lab_sample *s,
                       struct lab_table *table)
{
    double y;

    if (s->min_s <= 0 || !value_of(figure, first, s, quantity, &y))
        return;
    lab_figure_add(table, line_name(figure, s, quantity, &table->arena), "simulated", s->x, y, "");
    if (figure->bounds && strcmp(quantity, "bandwidth") == 0)
        add_bounds(table, s);
}

void lab_figure_add_samples(const struct lab_figure *figure, const struct lab_samples *samples,
                            struct lab_table *table)
{
    unsigned end;

    for (unsigned i = 0; i < samples->n; i = end) { /* those of a series stand together */
        const struct lab_series *series = samples->samples[i].series;

        for (end = i; end < samples->n && samples->samples[end].series == series;)
            end++;
        for (unsigned q = 0; q < figure->nquantities && lab_figure_shows(figure, series); q++)
            for (unsigned k = i; k < end; k++)
                add_sample(figure, figure->quantities[q], &samples->samples[i],
                           &samples->samples[k], table);
    }
}

const char *lab_figure_styles(const struct lab_figure *figure, const struct lab_table *table,
                              struct load_arena *arena)
{
    const char *last = "", *styles;
    char *text = NULL;
    size_t size = 0;
    unsigned n = 0;
    FILE *f;

    if (figure->nquantities < 2)
        return figure->styles;
    f = open_memstream(&text, &size);
    SIM_ASSERT(f != NULL);
    for (unsigned i = 0; i < table->nrows; i++) {
        const char *name = lab_table_get(table, i, SERIES);

        if (strcmp(name, last) == 0 || strcmp(lab_table_get(table, i, KIND), "simulated") != 0)
            continue;
        (void)fputs(n > 0 ? ", " : "", f);
        lab_json_text(f, name);
        (void)fprintf(f, ": [%u, %u]", n / figure->nquantities, n % figure->nquantities % 4);
        last = name;
        n++;
    }
    SIM_ASSERT(fclose(f) == 0);
    styles = load_text(arena, "{%s}", text);
    free(text);
    return styles;
}

/* ---- published rows ------------------------------------------------------------------------ */

/** Keys that make two setups different measurements, and what their absence says. */
static const struct {
    const char *key, *absent;
} telling[] = {
    { "mode", "" },           { "src", "cpu" },
    { "dst", "cpu" },         { "count", "1" },
    { "api", "tca" },         { "uva", "" },
    { "hops", "1" },          { "op", "" },
    { "duplex", "" },         { "staging", "" },
    { "gpu", "peach2-side" }, { "method", "" },
    { "gdr_limit", "" },      { "gdr_receive_limit", "" },
    { "system", "native" },   { "layout", "" },
    { "split", "" },
};

/* The shape of a transfer may be given by other keys, so only what both say can differ. */
static const char *const shape[] = { "n", "blocks", "block_bytes", "pitch_bytes" };

static const char *word_of(const struct lab_setup *setup, const char *key, const char *absent)
{
    const char *value = lab_setup_get(setup, key);

    if (value == NULL)
        return absent;
    return strcmp(value, "cpu-store") == 0 ? "cpu" : value;
}

static bool row_agrees(const struct lab_row *row, const struct lab_series *series)
{
    if (strcmp(row->workload, series->workload) != 0 || series->of_file == NULL ||
        strcmp(row->platform, series->of_file) != 0)
        return false;
    for (unsigned i = 0; i < SIM_COUNT(telling); i++) {
        const char *key = telling[i].key;

        if (strcmp(key, series->key) != 0 &&
            strcmp(word_of(&row->setup, key, telling[i].absent),
                   word_of(&series->setup, key, telling[i].absent)) != 0)
            return false;
    }
    for (unsigned i = 0; i < SIM_COUNT(shape); i++) {
        const char *a = lab_setup_get(&row->setup, shape[i]);
        const char *b = lab_setup_get(&series->setup, shape[i]);

        if (a != NULL && b != NULL && strcmp(shape[i], series->key) != 0 && strcmp(a, b) != 0)
            return false;
    }
    return true;
}

/** Units of time to us, of bandwidth to MB/s; 0: another unit. */
static double scale_of(const struct lab_row *row)
{
    static const struct {
        const char *unit;
        double scale;
    } units[] = { { "us", 1 }, { "ns", 1e-3 }, { "ms", 1e3 }, { "MB/s", 1 }, { "GB/s", 1e3 } };

    for (unsigned i = 0; i < SIM_COUNT(units); i++)
        if (strcmp(units[i].unit, row->unit) == 0)
            return units[i].scale;
    return 0;
}

/** A value in the figure's unit: time and bandwidth follow from each other by the bytes moved. */
static bool convert_value(const struct lab_figure *figure, const struct lab_row *row, double value,
                          double *y_p)
{
    bool is_bandwidth = strcmp(row->quantity, "bandwidth") == 0;
    const char *bytes = lab_setup_get(&row->setup, "bytes");
    uint64_t moved = 0;

    if (is_of_whole_run(figure->quantity)) { /* us, s and a ratio in the rows, too */
        *y_p = value;
        return strcmp(row->quantity, figure->quantity) == 0;
    }
    value *= scale_of(row);
    if (value <= 0 || (!is_bandwidth && strcmp(row->quantity, "latency") != 0))
        return false;
    if (is_bandwidth != figure->bandwidth) {
        if (bytes == NULL || !load_number(bytes, false, &moved))
            return false;
        value = (double)moved / value; /* bytes / us = MB/s, and the reverse */
    }
    *y_p = value;
    return true;
}

/** Where a row's interval ends; that of runs with a spread is from the best to the median. @return
 * false: it has none. */
static bool upper_value(const struct lab_row *row, double *value_p)
{
    const char *spread = lab_setup_get(&row->setup, "spread_pct");

    *value_p = spread != NULL ? row->value * (1 + strtod(spread, NULL) / 100) : row->value2;
    return spread != NULL || row->relation == LAB_BETWEEN;
}

static bool is_value(const struct lab_row *row)
{
    return row->relation == LAB_EQ || row->relation == LAB_APPROX || row->relation == LAB_BETWEEN;
}

/** Where a row's point of the series lies; @return false: it has none. */
static bool point_of(const struct lab_figure *figure, const struct lab_series *series,
                     const struct lab_row *row, const char **x_p, double *y_p)
{
    const char *x = lab_setup_get(&row->setup, series->key);
    uint64_t number;

    *x_p = lab_setup_get(&row->setup, "take") != NULL ? "" : x; /* "": a level */
    return x != NULL && (**x_p == '\0' || load_number(x, false, &number)) &&
           convert_value(figure, row, row->value, y_p);
}

static bool suits(const struct lab_figure *figure, const struct lab_series *series,
                  const struct lab_row *row)
{
    const char *x;
    double y;

    return lab_figure_shows(figure, series) && is_value(row) && row_agrees(row, series) &&
           lab_setup_get(&row->setup, "over") == NULL && lab_row_measure(row) == NULL &&
           point_of(figure, series, row, &x, &y);
}

/** Series may differ in what rows do not say, such as the cabling: the first one has the point. */
static bool is_drawn(const struct lab_figure *figure, const struct lab_experiment *exp, unsigned s,
                     const struct lab_row *row)
{
    while (s-- > 0)
        if (suits(figure, &exp->series[s], row))
            return true;
    return false;
}

static void add_row(const struct lab_figure *figure, const struct lab_series *series,
                    const struct lab_row *row, struct lab_table *table)
{
    const char *x;
    double y, y2, high;

    if (!point_of(figure, series, row, &x, &y))
        return;
    lab_figure_add(table, series->name, *x == '\0' ? "level" : "published", x, y, row->source);
    if (upper_value(row, &high) && convert_value(figure, row, high, &y2))
        lab_table_set(table, table->nrows - 1, Y2, "%.6g", y2);
}

void lab_figure_add_rows(const struct lab_figure *figure, const struct lab_experiment *exp,
                         const struct lab_rows *rows, struct lab_table *table)
{
    for (unsigned s = 0; s < exp->n; s++)
        for (unsigned i = 0; i < rows->n; i++) {
            const struct lab_row *row = &rows->rows[i];

            if (suits(figure, &exp->series[s], row) && !is_drawn(figure, exp, s, row))
                add_row(figure, &exp->series[s], row, table);
        }
}

static void check_coordinate(const struct lab_csv *csv, unsigned i, const char *column,
                             const char *scale)
{
    const char *text = lab_csv_cell(csv, i, column);
    bool linear = strcmp(scale, "linear") == 0;
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !isfinite(value) || (!linear && value <= 0))
        load_raise(SIM_ERR_CONFIG, "%s:%u: %s = %s: expected a finite number%s", csv->file,
                   csv->row_lines[i], column, text,
                   linear ? "" : " above 0, as the axis of the figure is logarithmic");
}

void lab_figure_check_points(const struct lab_figure *figure, const struct lab_csv *csv)
{
    static const char *const columns[] = { "series", "x", "y", NULL };

    lab_csv_need(csv, columns);
    if (csv->nrows == 0)
        load_raise(SIM_ERR_CONFIG, "%s:2: expected a point: series, x, y", csv->file);
    for (unsigned i = 0; i < csv->nrows; i++) {
        check_coordinate(csv, i, "x", figure->x_scale);
        check_coordinate(csv, i, "y", figure->y_scale);
    }
}

void lab_figure_add_points(const struct lab_csv *csv, struct lab_table *table)
{
    for (unsigned i = 0; i < csv->nrows; i++)
        lab_figure_add(table, lab_csv_cell(csv, i, "series"), "own", lab_csv_cell(csv, i, "x"),
                       strtod(lab_csv_cell(csv, i, "y"), NULL), csv->file);
}

/** What the parts of a bar are, from below. */
static void write_parts(const struct lab_figure *figure, FILE *out)
{
    struct load_arena arena = { 0 };

    for (unsigned q = 0; q < figure->nquantities; q++) {
        (void)fputs(q == 0 ? ", \"bars\": [" : ", ", out);
        lab_json_text(out, short_name(figure->quantities[q], &arena));
    }
    (void)fputs("]", out);
    load_arena_fini(&arena);
}

void lab_figure_write_axes(const struct lab_figure *figure, FILE *out)
{
    const char *const pairs[][2] = { { "title", figure->description },
                                     { "x_label", figure->x_label },
                                     { "x_scale", figure->x_scale },
                                     { "y_label", figure->y_label },
                                     { "y_scale", figure->y_scale } };

    for (unsigned i = 0; i < SIM_COUNT(pairs); i++) {
        (void)fprintf(out, "%s\"%s\": ", i == 0 ? "{" : ", ", pairs[i][0]);
        lab_json_text(out, pairs[i][1]);
    }
    if (figure->styles != NULL)
        (void)fprintf(out, ", \"styles\": %s", figure->styles);
    if (figure->bars)
        write_parts(figure, out);
    (void)fputs("}\n", out);
}
