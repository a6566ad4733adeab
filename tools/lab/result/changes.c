#include "tools/lab/result/changes.h"

#include "tools/lab/format/index.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

struct lab_change *lab_changes_add(struct lab_changes *changes, struct lab_change change)
{
    struct lab_change *added;

    changes->list =
        load_grow(changes->arena, changes->list, changes->n, &changes->room, sizeof(change));
    changes->counts[change.kind]++;
    added = &changes->list[changes->n++];
    *added = change;
    added->where = or_empty(change.where);
    added->unit = or_empty(change.unit);
    added->a = or_empty(change.a);
    added->b = or_empty(change.b);
    return added;
}

double lab_change_pct(double a, double b)
{
    if (a == 0)
        return b == 0 ? 0 : INFINITY;
    return 100 * (b - a) / fabs(a);
}

/* ---- how they were made ---------------------------------------------------------- */

static void find_made(struct lab_changes *changes)
{
    const struct lab_manifest *a = &changes->a->manifest, *b = &changes->b->manifest;
    const struct {
        const char *name, *a, *b;
    } texts[] = {
        { "version", a->hubsim, b->hubsim },
        { "commit", a->commit, b->commit },
        { "name", a->name, b->name },
        { "command", lab_kept_command(a->command, a->words, a->nwords, changes->arena),
          lab_kept_command(b->command, b->words, b->nwords, changes->arena) },
        { "program", a->program, b->program },
    };

    for (unsigned i = 0; i < SIM_COUNT(texts); i++)
        if (strcmp(texts[i].a, texts[i].b) != 0)
            lab_changes_add(changes, (struct lab_change){ .kind = LAB_CHANGE_MADE,
                                                          .name = texts[i].name,
                                                          .a = texts[i].a,
                                                          .b = texts[i].b,
                                                          .weight = -(double)i });
}

/* ---- points and their values ----------------------------------------------------- */

static void find_points(struct lab_changes *changes)
{
    for (unsigned i = 0; i < changes->comparison->npoints; i++) {
        const struct lab_point_pair *pair = &changes->comparison->points[i];

        if (pair->a == NULL || pair->b == NULL)
            lab_changes_add(changes, (struct lab_change){ .kind = LAB_CHANGE_POINT,
                                                          .name = pair->name,
                                                          .a = pair->a != NULL ? "there" : "",
                                                          .b = pair->b != NULL ? "there" : "",
                                                          .weight = -(double)i });
    }
}

/** "PIO, CPU to CPU: latency_us_min": the first column names the series of a point. */
static const char *group_of(const struct lab_changes *changes, const struct lab_point_pair *pair,
                            const char *column)
{
    const struct lab_kept *kept = changes->a;

    if (kept->manifest.nkeys < 3) /* ranks or nodes */
        return column;
    return load_text(changes->arena, "%s: %s",
                     kept->table.cells[(size_t)pair->row_a * kept->table.ncolumns], column);
}

/** Widens the range; takes over a and b where the change is the largest so far. */
static void add_value(struct lab_change *change, const struct lab_point_pair *pair,
                      const struct lab_cell *cell)
{
    double a = 0, b = 0, pct = 0, weight = 0; /* of words */

    if (cell->numbers) {
        (void)lab_is_number(cell->a, &a);
        (void)lab_is_number(cell->b, &b);
        weight = fabs(lab_relative(a, b)) *
                 fmax(0, 1 - lab_resolution(cell->a) / fmax(fabs(b - a), 1e-30));
        pct = lab_change_pct(a, b);
        change->least_pct = change->numbers ? fmin(change->least_pct, pct) : pct;
        change->most_pct = change->numbers ? fmax(change->most_pct, pct) : pct;
        change->numbers = true;
    }
    if (cell->b == NULL || (cell->a[0] == '\0') != (cell->b[0] == '\0'))
        weight = 2; /* a failure, a column that is gone: before all numbers */
    if (change->n++ > 0 && weight <= change->weight)
        return;
    change->weight = weight;
    change->where = pair->name;
    change->a = cell->a;
    change->b = or_empty(cell->b);
    change->change_pct = cell->numbers ? pct : 0;
}

/** How many values there are in each group that has a change. */
static void count_values(struct lab_changes *changes, unsigned first,
                         const struct lab_index *groups)
{
    const struct lab_kept *kept = changes->a;

    for (unsigned i = 0; i < changes->comparison->npoints && groups->n > 0; i++) {
        const struct lab_point_pair *pair = &changes->comparison->points[i];

        for (unsigned c = kept->manifest.nkeys;
             pair->a != NULL && pair->b != NULL && c < kept->table.ncolumns; c++) {
            unsigned g = lab_index_get(groups, group_of(changes, pair, kept->table.names[c]));

            if (g != LAB_INDEX_NONE)
                changes->list[first + g].of++;
        }
    }
}

static void find_values(struct lab_changes *changes)
{
    unsigned first = changes->n;
    struct lab_index groups = { 0 };

    for (unsigned i = 0; i < changes->comparison->npoints; i++) {
        const struct lab_point_pair *pair = &changes->comparison->points[i];

        for (unsigned c = 0; c < pair->ncells; c++) {
            const char *name = group_of(changes, pair, pair->cells[c].name);
            unsigned g = lab_index_put(&groups, name, changes->arena);

            if (first + g == changes->n)
                lab_changes_add(changes,
                                (struct lab_change){ .kind = LAB_CHANGE_VALUE, .name = name });
            add_value(&changes->list[first + g], pair, &pair->cells[c]);
        }
    }
    count_values(changes, first, &groups);
}

static void find_fingerprints(struct lab_changes *changes)
{
    static const char *const names[] = { "visible: what software saw, and when",
                                         "wire: packets, and when they passed",
                                         "edge: packets, and at which edges of hubs" };
    unsigned both = 0, differ[3] = { 0 };

    for (unsigned i = 0; i < changes->comparison->npoints; i++) {
        const struct lab_point_pair *pair = &changes->comparison->points[i];

        both += pair->a != NULL && pair->b != NULL;
        differ[0] += pair->visible;
        differ[1] += pair->wire;
        differ[2] += pair->edge;
    }
    for (unsigned i = 0; i < SIM_COUNT(names); i++)
        if (differ[i] > 0)
            lab_changes_add(changes, (struct lab_change){ .kind = LAB_CHANGE_FINGERPRINT,
                                                          .name = names[i],
                                                          .n = differ[i],
                                                          .of = both,
                                                          .weight = -(double)i });
}

/* ---- all of them ----------------------------------------------------------------- */

static int by_importance(const void *x, const void *y)
{
    const struct lab_change *a = x, *b = y;

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return strcmp(a->name, b->name);
}

void lab_changes_find(const struct lab_kept *a, const struct lab_kept *b,
                      const struct lab_comparison *comparison, struct load_arena *arena,
                      struct lab_changes *changes_p)
{
    struct lab_changes changes = { .a = a, .b = b, .comparison = comparison, .arena = arena };

    find_made(&changes);
    lab_changes_parameters(&changes);
    find_points(&changes);
    find_values(&changes);
    find_fingerprints(&changes);
    lab_changes_statistics(&changes);
    lab_changes_faults(&changes);
    if (changes.n > 0)
        qsort(changes.list, changes.n, sizeof(*changes.list), by_importance);
    *changes_p = changes;
}

bool lab_changes_any(const struct lab_changes *changes)
{
    return changes->n > changes->counts[LAB_CHANGE_MADE];
}

/* ---- as a table ------------------------------------------------------------------ */

const char *lab_change_word(enum lab_change_kind kind)
{
    static const char *const words[LAB_CHANGE_KINDS] = { [LAB_CHANGE_MADE] = "made",
                                                         [LAB_CHANGE_PARAMETER] = "parameter",
                                                         [LAB_CHANGE_POINT] = "point",
                                                         [LAB_CHANGE_VALUE] = "value",
                                                         [LAB_CHANGE_STATISTIC] = "statistic",
                                                         [LAB_CHANGE_FAULT] = "fault",
                                                         [LAB_CHANGE_FINGERPRINT] = "fingerprint" };

    return words[kind];
}

enum { WHAT, NAME, UNIT, N, OF, BEFORE, AFTER, CHANGE, LEAST, MOST, WHERE };

/** A change from nothing has no percentage. */
static void set_pct(struct lab_table *t, unsigned row, unsigned column, double pct)
{
    if (isfinite(pct))
        lab_table_set(t, row, column, "%.*f", fabs(pct) < 0.01 ? 6 : 2, pct);
}

static void add_row(struct lab_table *t, const struct lab_change *change)
{
    unsigned row = lab_table_add(t);

    lab_table_set(t, row, WHAT, "%s\t%s\t%s", lab_change_word(change->kind), change->name,
                  change->unit);
    if (change->of > 0)
        lab_table_set(t, row, N, "%u\t%u", change->n, change->of);
    lab_table_set(t, row, BEFORE, "%s\t%s", change->a, change->b);
    lab_table_set(t, row, WHERE, "%s", change->where);
    if (!change->numbers)
        return;
    set_pct(t, row, CHANGE, change->change_pct);
    set_pct(t, row, LEAST, change->least_pct);
    set_pct(t, row, MOST, change->most_pct);
}

/** All but the first ones. */
static void add_rows(const struct lab_changes *changes, unsigned first, unsigned limit,
                     struct lab_table *table,
                     void (*add)(struct lab_table *t, const struct lab_change *change))
{
    unsigned shown[LAB_CHANGE_KINDS] = { 0 };

    for (unsigned i = first; i < changes->n; i++)
        if (limit == 0 || shown[changes->list[i].kind]++ < limit)
            add(table, &changes->list[i]);
}

void lab_changes_table(const struct lab_changes *changes, unsigned limit, struct lab_table *table)
{
    lab_table_begin(
        table,
        "what, name, unit, n#, of#, before, after, change_pct#, least_pct#, most_pct#, where");
    add_rows(changes, 0, limit, table, add_row);
}

#define SHORT_DIGITS 6

enum { T_WHAT, T_NAME, T_BEFORE, T_AFTER, T_CHANGE, T_N, T_RANGE, T_WHERE };

static const char *pct_text(double pct, struct load_arena *arena)
{
    if (!isfinite(pct))
        return "new";
    return load_text(arena, "%+.*f %%", fabs(pct) < 0.01 ? 4 : fabs(pct) < 10 ? 2 : 1, pct);
}

/** More digits than a double has, as 17 of them are written to be exact? */
static bool is_exact(const char *text)
{
    return strchr(text, '.') != NULL && strlen(text) > DBL_DIG + 1;
}

/** Of exact numbers as many digits as show the change. */
static void set_ends(struct lab_table *t, unsigned row, const struct lab_change *change)
{
    const char *before = change->a, *after = change->b;
    double a, b;

    if ((is_exact(before) || is_exact(after)) && lab_is_number(before, &a) &&
        lab_is_number(after, &b)) {
        int digits = SHORT_DIGITS;

        do {
            before = load_text(&t->arena, "%.*g", digits, a);
            after = load_text(&t->arena, "%.*g", digits, b);
        } while (strcmp(before, after) == 0 && digits++ < DBL_DECIMAL_DIG);
    }
    lab_table_set(t, row, T_BEFORE, "%s\t%s", before, after);
}

static void add_text_row(struct lab_table *t, const struct lab_change *change)
{
    unsigned row = lab_table_add(t);
    const char *least = pct_text(change->least_pct, &t->arena);
    const char *most = pct_text(change->most_pct, &t->arena);
    const char *pct = pct_text(change->change_pct, &t->arena);
    const char *unit = change->unit[0] != '\0' ? load_text(&t->arena, " [%s]", change->unit) : "";
    bool alike = strcmp(least, most) == 0;

    lab_table_set(t, row, T_WHAT, "%s\t%s%s", lab_change_word(change->kind), change->name, unit);
    set_ends(t, row, change);
    if (change->of > 0)
        lab_table_set(t, row, T_N, "%u of %u", change->n, change->of);
    if (change->numbers)
        lab_table_set(t, row, T_CHANGE, "%s", pct);
    if (change->numbers && (!alike || strcmp(least, pct) != 0))
        lab_table_set(t, row, T_RANGE, "%s%s%s", least, alike ? "" : " .. ", alike ? "" : most);
    lab_table_set(t, row, T_WHERE, "%s", change->where);
}

void lab_changes_text(const struct lab_changes *changes, unsigned limit, struct lab_table *table)
{
    lab_table_begin(table, "what, name, before#, after#, change#, differ#, range, most at");
    add_rows(changes, changes->counts[LAB_CHANGE_MADE], limit, table, add_text_row);
}
