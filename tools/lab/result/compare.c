#define _POSIX_C_SOURCE 200809L
#include "tools/lab/result/compare.h"

#include "tools/lab/format/index.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers and bands ----------------------------------------------------------- */

bool lab_is_number(const char *text, double *value_p)
{
    char *end;

    if (text[strspn(text, "0123456789+-.eE")] != '\0') /* no words, no hexadecimals */
        return false;
    *value_p = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value_p);
}

double lab_relative(double a, double b)
{
    double larger = fmax(fabs(a), fabs(b));

    return larger > 0 ? fmax(-1, fmin(1, (b - a) / larger)) : 0;
}

double lab_resolution(const char *text)
{
    const char *point = strchr(text, '.');

    return point != NULL ? pow(10, -(double)strspn(point + 1, "0123456789")) : 1;
}

void lab_bands_add(struct lab_bands *bands, const char *text, struct load_arena *arena)
{
    const char *eq = strrchr(text, '='), *width = eq != NULL ? eq + 1 : text;
    size_t n = strlen(width);
    struct lab_band band = { .percent = n > 0 && width[n - 1] == '%' };

    if (bands->n == LAB_BANDS_MAX)
        load_raise(SIM_ERR_CONFIG, "--band %s: expected at most %u", text, LAB_BANDS_MAX);
    if (strcmp(width, "any") == 0)
        band.width = INFINITY;
    else if (!lab_is_number(load_text(arena, "%.*s", (int)(n - band.percent), width), &band.width))
        band.width = -1;
    if (!(band.width >= 0) || (!band.percent && eq == NULL) || eq == text)
        load_raise(SIM_ERR_CONFIG, "--band %s: expected 1%%, COLUMN=1%%, COLUMN=0.5 or COLUMN=any",
                   text);
    if (eq != NULL)
        band.column = load_text(arena, "%.*s", (int)(eq - text), text);
    bands->bands[bands->n++] = band;
}

static bool band_matches(const struct lab_band *band, const char *column)
{
    return band->column == NULL || fnmatch(band->column, column, 0) == 0;
}

static const struct lab_band *band_of(const struct lab_bands *bands, const char *column)
{
    for (unsigned i = bands->n; i-- > 0;)
        if (band_matches(&bands->bands[i], column))
            return &bands->bands[i];
    return NULL;
}

void lab_bands_use(const struct lab_bands *bands, const struct lab_kept *kept,
                   bool used[LAB_BANDS_MAX])
{
    for (unsigned i = 0; i < bands->n; i++)
        for (unsigned c = kept->manifest.nkeys; c < kept->table.ncolumns; c++)
            used[i] |= band_matches(&bands->bands[i], kept->table.names[c]);
}

static bool is_within(const struct lab_cell *cell, double a)
{
    double width;

    if (cell->band != NULL && isinf(cell->band->width))
        return cell->b != NULL;
    if (!cell->numbers || cell->band == NULL)
        return false;
    width = cell->band->percent ? cell->band->width / 100 * fabs(a) : cell->band->width;
    return fabs(cell->change) <= width * (1 + 1e-9); /* 1.01 is within 1 % of 1, as it is read */
}

/* ---- a point --------------------------------------------------------------------- */

static unsigned find_column(const struct lab_csv *table, const char *name)
{
    for (unsigned i = 0; i < table->ncolumns; i++)
        if (strcmp(table->names[i], name) == 0)
            return i;
    return LAB_INDEX_NONE;
}

static const char *cell_of(const struct lab_csv *table, unsigned row, unsigned column)
{
    return table->cells[(size_t)row * table->ncolumns + column];
}

static void compare_cells(const struct lab_kept *a, const struct lab_kept *b,
                          const struct lab_bands *bands, struct load_arena *arena,
                          struct lab_point_pair *pair)
{
    struct lab_cell *cells = load_alloc(arena, a->table.ncolumns * sizeof(*cells));

    pair->cells = cells;
    for (unsigned c = a->manifest.nkeys; c < a->table.ncolumns; c++) {
        unsigned other = find_column(&b->table, a->table.names[c]);
        struct lab_cell *cell = &cells[pair->ncells];
        double x = 0, y = 0;

        *cell = (struct lab_cell){ .column = c, .name = a->table.names[c] };
        cell->a = cell_of(&a->table, pair->row_a, c);
        cell->b = other != LAB_INDEX_NONE ? cell_of(&b->table, pair->row_b, other) : NULL;
        if (cell->b != NULL && strcmp(cell->a, cell->b) == 0)
            continue;
        cell->band = band_of(bands, cell->name);
        cell->numbers = cell->b != NULL && lab_is_number(cell->a, &x) && lab_is_number(cell->b, &y);
        cell->change = cell->numbers ? y - x : 0;
        cell->within = is_within(cell, x);
        if (!cell->within)
            pair->verdict = LAB_POINT_VALUES;
        else if (pair->verdict == LAB_POINT_EQUAL)
            pair->verdict = LAB_POINT_MODEL;
        pair->ncells++;
    }
}

/** Runs in their order: their texts change with a parameter. */
static void compare_runs(const struct lab_kept *a, const struct lab_kept *b,
                         struct lab_point_pair *pair)
{
    pair->visible = pair->wire = pair->edge = pair->a->nruns != pair->b->nruns;
    for (unsigned i = 0; i < pair->a->nruns && i < pair->b->nruns; i++) {
        const struct lab_kept_run *x = &a->manifest.runs[pair->a->runs[i]];
        const struct lab_kept_run *y = &b->manifest.runs[pair->b->runs[i]];

        pair->visible |= x->print.visible != y->print.visible;
        pair->wire |= x->print.wire != y->print.wire;
        pair->edge |= x->print.edge != y->print.edge;
    }
    if (pair->visible || pair->wire || pair->edge)
        pair->verdict = LAB_POINT_MODEL;
}

const char *lab_point_prints(const struct lab_point_pair *pair)
{
    static const char *const names[] = { "",           "visible",
                                         "wire",       "visible, wire",
                                         "edge",       "visible, edge",
                                         "wire, edge", "visible, wire, edge" };

    return names[pair->visible + 2 * pair->wire + 4 * pair->edge];
}

/* ---- all of them ----------------------------------------------------------------- */

/** Names of points; of several of one name the second is "NAME (2)". */
static void index_points(const struct lab_manifest *m, struct load_arena *arena,
                         struct lab_index *index)
{
    for (unsigned i = 0; i < m->npoints; i++) {
        const char *name = m->points[i].name;

        for (unsigned n = 2; lab_index_get(index, name) != LAB_INDEX_NONE; n++)
            name = load_text(arena, "%s (%u)", m->points[i].name, n);
        (void)lab_index_put(index, name, arena);
    }
}

static void count_verdicts(struct lab_comparison *comparison)
{
    memset(comparison->counts, 0, sizeof(comparison->counts));
    for (unsigned i = 0; i < comparison->npoints; i++)
        comparison->counts[comparison->points[i].verdict]++;
}

void lab_compare(const struct lab_kept *a, const struct lab_kept *b, const struct lab_bands *bands,
                 struct load_arena *arena, struct lab_comparison *comparison_p)
{
    unsigned most = a->manifest.npoints + b->manifest.npoints;
    struct lab_point_pair *points = load_alloc(arena, (most + 1) * sizeof(*points));
    struct lab_comparison all = { .points = points };
    struct lab_index in_a = { 0 }, in_b = { 0 };

    index_points(&a->manifest, arena, &in_a);
    index_points(&b->manifest, arena, &in_b);
    for (unsigned i = 0; i < in_a.n; i++) {
        struct lab_point_pair *pair = &points[all.npoints++];

        *pair = (struct lab_point_pair){ .name = in_a.texts[i], .a = &a->manifest.points[i] };
        pair->row_a = i;
        pair->row_b = lab_index_get(&in_b, pair->name);
        pair->verdict = pair->row_b == LAB_INDEX_NONE ? LAB_POINT_GONE : LAB_POINT_EQUAL;
        if (pair->verdict == LAB_POINT_EQUAL) {
            pair->b = &b->manifest.points[pair->row_b];
            compare_runs(a, b, pair);
            compare_cells(a, b, bands, arena, pair);
        }
    }
    for (unsigned i = 0; i < in_b.n; i++)
        if (lab_index_get(&in_a, in_b.texts[i]) == LAB_INDEX_NONE)
            points[all.npoints++] = (struct lab_point_pair){ .name = in_b.texts[i],
                                                             .verdict = LAB_POINT_NEW,
                                                             .b = &b->manifest.points[i],
                                                             .row_b = i };
    count_verdicts(&all);
    *comparison_p = all;
}

unsigned lab_compare_only(struct lab_comparison *comparison, const char *pattern)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < comparison->npoints; i++)
        if (fnmatch(pattern, comparison->points[i].name, 0) == 0)
            comparison->points[kept++] = comparison->points[i];
    comparison->npoints = kept;
    count_verdicts(comparison);
    return kept;
}

bool lab_compare_point_passes(const struct lab_point_pair *pair, const struct lab_bands *bands)
{
    return pair->verdict == LAB_POINT_EQUAL || (pair->verdict == LAB_POINT_MODEL && bands->n > 0);
}

bool lab_compare_passes(const struct lab_comparison *comparison, const struct lab_bands *bands)
{
    for (unsigned i = 0; i < comparison->npoints; i++)
        if (!lab_compare_point_passes(&comparison->points[i], bands))
            return false;
    return true;
}

const char *lab_point_word(enum lab_point_verdict verdict)
{
    static const char *const words[] = { [LAB_POINT_EQUAL] = "equal",
                                         [LAB_POINT_MODEL] = "model",
                                         [LAB_POINT_VALUES] = "value",
                                         [LAB_POINT_GONE] = "gone",
                                         [LAB_POINT_NEW] = "new" };

    return words[verdict];
}
