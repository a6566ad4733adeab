/* The rows of a sweep as lines of a figure. */
#include "tools/lab/sweep/sweep_parts.h"

#include "tools/lab/sweep/sweep_run.h"
#include "tools/lab/workload/values.h"
#include "tools/load/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DASHES 4u /* line styles that scripts/plot.py has */

/** A value to draw; several seeds give several of one place. */
struct place {
    unsigned line;
    double x, y;
    const struct lab_sweep_result *result;
};

struct drawing {
    const struct lab_sweep *sweep;
    struct load_arena *arena;
    unsigned nlines;
    struct line {
        const char *name, *group;
        unsigned color, dash;
        bool has_x, has_y, shown; /* on which axis it has a point, and whether it has one on both */
    } * lines;
    unsigned nplaces;
    struct place *places;
};

/* ---- lines ------------------------------------------------------------------------------- */

static bool tells_lines(const struct lab_sweep *sweep, const struct lab_axis *axis)
{
    return strcmp(axis->name, sweep->figure.x_key) != 0 && axis->kind != LAB_AXIS_SEED &&
           axis->list.n > 1;
}

/** The last key of a series that distinguishes lines has dashes, where it has few values. */
static const struct lab_axis *dashed_axis(const struct lab_sweep *sweep,
                                          const struct lab_sweep_series *series)
{
    const struct lab_axis *last = NULL;
    unsigned n = series->name != NULL && sweep->nseries > 1;

    for (unsigned i = 0; i < series->naxes; i++) {
        if (!tells_lines(sweep, &series->axes[i]))
            continue;
        last = &series->axes[i];
        n++;
    }
    return n > 1 && last != NULL && last->list.n <= DASHES ? last : NULL;
}

/** "gen = 2", or as the figure's words say: "Gen2". */
static const char *value_words(const struct lab_axis *axis, const char *value,
                               struct load_arena *arena)
{
    const char *place = axis->words != NULL ? strchr(axis->words, '%') : NULL;

    if (place == NULL)
        return load_text(arena, "%s = %s", axis->name, value);
    return load_text(arena, "%.*s%s%s", (int)(place - axis->words), axis->words, value, place + 1);
}

static const char *name_line(const struct drawing *d, const struct lab_sweep_point *point,
                             const struct lab_axis *without)
{
    const struct lab_sweep_series *series = point->series;
    const char *name = series->name != NULL && d->sweep->nseries > 1 ? series->name : "";

    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *axis = &series->axes[i];

        if (axis != without && tells_lines(d->sweep, axis))
            name = load_text(d->arena, "%s%s%s", name, name[0] != '\0' ? ", " : "",
                             value_words(axis, lab_sweep_value(point, axis), d->arena));
    }
    return name[0] != '\0' ? name : d->sweep->name;
}

/** Lines of one group share a colour. */
static unsigned color_of(const struct drawing *d, const char *group)
{
    unsigned color = 0;

    for (unsigned i = 0; i < d->nlines; i++) {
        if (strcmp(d->lines[i].group, group) == 0)
            return d->lines[i].color;
        if (d->lines[i].color >= color)
            color = d->lines[i].color + 1;
    }
    return color;
}

static unsigned find_line(struct drawing *d, const struct lab_sweep_point *point)
{
    const struct lab_axis *dashed = dashed_axis(d->sweep, point->series);
    const char *name = name_line(d, point, NULL);
    struct line *line = &d->lines[d->nlines];

    for (unsigned i = 0; i < d->nlines; i++)
        if (strcmp(d->lines[i].name, name) == 0)
            return i;
    line->name = name;
    line->group = name_line(d, point, dashed);
    line->color = color_of(d, line->group);
    line->dash = dashed != NULL ? point->number / dashed->stride % dashed->list.n : line->color;
    return d->nlines++;
}

/* ---- values ------------------------------------------------------------------------------- */

/** Formed of the times that each planned run has; all other quantities are keys of its result. */
static bool is_formed(const struct lab_figure *figure, const struct lab_sweep_point *point)
{
    return point->planned && (figure->bandwidth || strcmp(figure->quantity, "latency") == 0);
}

/** A number of a line that a program has printed; NULL: it has none of the key. */
static const char *find_number(const struct lab_line *line, const char *key)
{
    for (unsigned i = 0; i < line->n; i++)
        if (strcmp(line->pairs[i].key, key) == 0)
            return lab_sweep_is_number(line->pairs[i].value) ? line->pairs[i].value : NULL;
    return NULL;
}

/** Whether a column of that name has something else than what a program prints under it. */
static bool is_taken(const struct lab_sweep *sweep, const char *name)
{
    bool taken = lab_sweep_is_own_column(name);

    for (unsigned s = 0; s < sweep->nseries; s++)
        taken |= lab_sweep_axis(&sweep->series[s], name) != NULL;
    return taken;
}

/** By a key of the series, or of what the program has printed, as the table names it. */
static const char *find_x(const struct lab_sweep *sweep, const struct lab_sweep_point *point,
                          const struct lab_line *line)
{
    const char *key = sweep->figure.x_key;
    const struct lab_axis *axis = lab_sweep_axis(point->series, key);
    size_t head = strlen(LAB_SWEEP_RESULT);

    if (axis != NULL)
        return lab_sweep_value(point, axis);
    if (strncmp(key, LAB_SWEEP_RESULT, head) == 0 && is_taken(sweep, key + head))
        key += head;
    return find_number(line, key);
}

/** Those of numbers, for people. @param point NULL, or whose keys count first, as for x */
static const char *list_keys(const struct lab_result *result, const struct lab_sweep_point *point,
                             struct load_arena *arena)
{
    const char *text = "";

    for (unsigned l = 0; l < result->nlines; l++)
        for (unsigned i = 0; i < result->lines[l].n; i++) {
            const struct lab_pair *pair = &result->lines[l].pairs[i];
            bool apart = point != NULL && lab_sweep_is_apart(point, pair);
            const char *key = load_text(arena, "%s%s", apart ? LAB_SWEEP_RESULT : "", pair->key);

            if (lab_sweep_is_number(pair->value) && !lab_values_list(text, ", ", key))
                text = load_text(arena, "%s%s%s", text, text[0] != '\0' ? ", " : "", key);
        }
    return text[0] != '\0' ? text : "there is none";
}

/* ---- what a program must have printed ----------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double *p = a, *q = b;

    return (*p > *q) - (*p < *q);
}

/** One line is one place of the figure: they differ in x. */
static void check_places(const struct lab_sweep *sweep, const struct lab_sweep_point *point,
                         const struct lab_result *result, struct load_arena *arena)
{
    const struct lab_figure *figure = &sweep->figure;
    double *places = load_alloc(arena, result->nlines * sizeof(*places));
    unsigned n = 0;

    for (unsigned l = 0; l < result->nlines; l++) {
        const char *x = find_x(sweep, point, &result->lines[l]);

        if (x != NULL && find_number(&result->lines[l], figure->quantity) != NULL)
            places[n++] = strtod(x, NULL);
    }
    qsort(places, n, sizeof(*places), by_value);
    for (unsigned i = 1; i < n; i++)
        if (places[i] <= places[i - 1])
            load_fail(figure->x_item, NULL,
                      "a run of %s has printed several lines with %s at %g: expected a key that "
                      "differs in them: %s",
                      point->run.program, figure->quantity, places[i],
                      list_keys(result, point, arena));
}

void lab_sweep_check_result(const struct lab_sweep *sweep, const struct lab_sweep_point *point,
                            const struct lab_result *result)
{
    const struct lab_figure *figure = &sweep->figure;
    struct load_arena arena = { 0 };
    bool has_y = false, has_x = false;

    if (!sweep->has_figure || is_formed(figure, point))
        return;
    for (unsigned l = 0; l < result->nlines; l++)
        if (find_number(&result->lines[l], figure->quantity) != NULL) {
            has_y = true;
            has_x |= find_x(sweep, point, &result->lines[l]) != NULL;
        }
    if (!has_y)
        load_fail(figure->quantity_item, NULL, "expected a number of the result of %s: %s",
                  point->run.program, list_keys(result, NULL, &arena));
    if (!has_x)
        load_fail(figure->x_item, NULL,
                  "expected a key of the series, or a number beside %s in the result of %s: %s",
                  figure->quantity, point->run.program, list_keys(result, point, &arena));
    check_places(sweep, point, result, &arena);
    load_arena_fini(&arena);
}

/* ---- places ---------------------------------------------------------------------------------- */

/** No axis has a place for others. */
static void check_finite(const struct drawing *d, const struct lab_sweep_result *r,
                         const struct load_tree *column, double value)
{
    if (!isfinite(value))
        load_fail(column, NULL, "%g in the point %s: expected a finite number", value,
                  lab_sweep_label(d->sweep, r->point, d->arena));
}

static void add_place(struct drawing *d, const struct lab_sweep_result *r, const char *x, double y)
{
    const struct lab_figure *figure = &d->sweep->figure;

    check_finite(d, r, figure->x_item, strtod(x, NULL));
    check_finite(d, r, figure->quantity_item, y);
    d->places[d->nplaces++] = (struct place){ find_line(d, r->point), strtod(x, NULL), y, r };
}

/** At most, and at least 1. */
static size_t count_places(const struct lab_sweep_results *results)
{
    size_t n = 1;

    for (unsigned i = 0; i < results->n; i++)
        n += results->results[i].result.nlines + 1;
    return n;
}

/** A line that the program has printed is a place; of workloads, their times are one. */
static void add_places(struct drawing *d, const struct lab_sweep_result *r)
{
    const struct lab_figure *figure = &d->sweep->figure;

    if (r->failure != NULL)
        return;
    if (is_formed(figure, r->point)) {
        add_place(d, r, find_x(d->sweep, r->point, NULL),
                  figure->bandwidth ? (double)r->bytes / r->times.min_s * 1e-6
                                    : r->times.min_s * 1e6);
        return;
    }
    for (unsigned l = 0; l < r->result.nlines; l++) {
        const char *x = find_x(d->sweep, r->point, &r->result.lines[l]);
        const char *y = find_number(&r->result.lines[l], figure->quantity);

        if (x != NULL && y != NULL)
            add_place(d, r, x, strtod(y, NULL));
    }
}

static int by_place(const void *a, const void *b)
{
    const struct place *p = a, *q = b;

    if (p->line != q->line)
        return p->line < q->line ? -1 : 1;
    if (p->x < q->x || p->x > q->x)
        return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

/** A logarithmic axis has a place for what is above 0. */
static void note_place(const struct drawing *d, const struct place *place)
{
    const struct lab_figure *figure = &d->sweep->figure;
    struct line *line = &d->lines[place->line];
    bool x = place->x > 0 || strcmp(figure->x_scale, "linear") == 0;
    bool y = place->y > 0 || strcmp(figure->y_scale, "linear") == 0;

    line->has_x |= x;
    line->has_y |= y;
    line->shown |= x && y;
}

static void check_lines(const struct drawing *d)
{
    const struct lab_figure *figure = &d->sweep->figure;

    for (const struct line *line = d->lines; line < d->lines + d->nlines; line++)
        if (!line->shown)
            load_fail(line->has_y ? figure->x_item : figure->quantity_item, NULL,
                      "no point of the line %s is above 0%s: expected one that a logarithmic axis "
                      "can show, or scale: linear",
                      line->name, line->has_x && line->has_y ? " on both axes" : "");
}

static void draw_place(const struct drawing *d, const struct place *place, struct lab_table *table)
{
    const struct lab_figure *figure = &d->sweep->figure;
    const struct lab_sweep_result *r = place->result;
    const char *name = d->lines[place->line].name;
    const char *x = load_text(d->arena, "%.17g", place->x);

    lab_figure_add(table, name, "simulated", x, place->y, "");
    if (!figure->bounds || !figure->bandwidth || r->bound.name == NULL)
        return;
    lab_figure_add(table, "link", "bound", x, r->bound.link_bytes_per_s * 1e-6, name);
    if (r->bound.bus_bytes_per_s > 0)
        lab_figure_add(table, "bus of the hub", "bound", x, r->bound.bus_bytes_per_s * 1e-6, name);
}

/* ---- styles ------------------------------------------------------------------------------- */

static const char *styles_of(const struct drawing *d)
{
    const char *text = "{";

    for (unsigned i = 0; i < d->nlines; i++)
        text = load_text(d->arena, "%s%s%s: [%u, %u]", text, i > 0 ? ", " : "",
                         lab_json_quote(d->lines[i].name, d->arena), d->lines[i].color,
                         d->lines[i].dash);
    return load_text(d->arena, "%s}", text);
}

void lab_sweep_figure(struct lab_sweep *sweep, const struct lab_sweep_results *results,
                      struct load_arena *arena, struct lab_table *table)
{
    struct drawing d = { .sweep = sweep, .arena = arena };

    lab_figure_begin(table);
    for (unsigned i = 0; i < results->n; i++)
        if (results->results[i].failure == NULL)
            lab_sweep_check_result(sweep, results->results[i].point, &results->results[i].result);
    d.lines = load_alloc(arena, (results->n + 1) * sizeof(*d.lines));
    d.places = load_alloc(arena, count_places(results) * sizeof(*d.places));
    for (unsigned i = 0; i < results->n; i++)
        add_places(&d, &results->results[i]);
    qsort(d.places, d.nplaces, sizeof(*d.places), by_place);
    for (unsigned i = 0, n; i < d.nplaces; i += n) {
        for (n = 1; i + n < d.nplaces && d.places[i + n].line == d.places[i].line &&
                    d.places[i + n].x <= d.places[i].x;)
            n++;
        note_place(&d, &d.places[i + (n - 1) / 2]);
        draw_place(&d, &d.places[i + (n - 1) / 2], table);
    }
    check_lines(&d);
    sweep->figure.styles = styles_of(&d);
}
