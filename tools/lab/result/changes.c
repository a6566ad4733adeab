#include "tools/lab/result/changes.h"

#include "tools/lab/format/index.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lab_change *lab_changes_add(struct lab_changes *changes, enum lab_change_kind kind,
                                   struct load_arena *arena)
{
    struct lab_change *change;

    changes->list =
        load_grow(arena, changes->list, changes->n, &changes->room, sizeof(*changes->list));
    change = &changes->list[changes->n++];
    *change = (struct lab_change){ .kind = kind };
    changes->counts[kind]++;
    return change;
}

const char *lab_pattern(const char *path, struct load_arena *arena)
{
    size_t digits = strncmp(path, "node", 4) == 0 ? strspn(path + 4, "0123456789") : 0;

    return digits > 0 ? load_text(arena, "node*%s", path + 4 + digits) : path;
}

double lab_change_pct(double a, double b)
{
    if (a == 0)
        return b == 0 ? 0 : INFINITY;
    return 100 * (b - a) / fabs(a);
}

/* ---- how they were made ---------------------------------------------------------- */

/** As a shell would take it; nothing that is typed for hubsim has an apostrophe in it. */
static const char *join(const char *first, const char *const *words, unsigned n,
                        struct load_arena *arena)
{
    for (unsigned i = 0; i < n; i++) {
        const char *quote = strpbrk(words[i], " *?[]{}()$&;|<>\"\\~#") != NULL ? "'" : "";

        first = load_text(arena, "%s %s%s%s", first, quote, words[i], quote);
    }
    return first;
}

static void find_made(const struct lab_manifest *a, const struct lab_manifest *b,
                      struct load_arena *arena, struct lab_changes *changes)
{
    const struct {
        const char *name, *a, *b;
    } texts[] = {
        { "version", a->hubsim, b->hubsim },
        { "commit", a->commit, b->commit },
        { "name", a->name, b->name },
        { "command", join(a->command, a->words, a->nwords, arena),
          join(b->command, b->words, b->nwords, arena) },
    };

    for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct lab_change *change;

        if (strcmp(texts[i].a, texts[i].b) == 0)
            continue;
        change = lab_changes_add(changes, LAB_CHANGE_MADE, arena);
        change->name = texts[i].name;
        change->a = texts[i].a;
        change->b = texts[i].b;
        change->weight = -(double)i;
    }
}

/* ---- points and their values ----------------------------------------------------- */

static void find_points(const struct lab_comparison *comparison, struct load_arena *arena,
                        struct lab_changes *changes)
{
    for (unsigned i = 0; i < comparison->npoints; i++) {
        const struct lab_point_pair *pair = &comparison->points[i];
        struct lab_change *change;

        if (pair->a != NULL && pair->b != NULL)
            continue;
        change = lab_changes_add(changes, LAB_CHANGE_POINT, arena);
        change->name = pair->name;
        change->a = pair->a != NULL ? "there" : "";
        change->b = pair->b != NULL ? "there" : "";
        change->weight = -(double)i;
    }
}

/** "PIO, CPU to CPU: latency_us_min": the first column names the series of a point. */
static const char *group_of(const struct lab_kept *kept, const struct lab_point_pair *pair,
                            const char *column, struct load_arena *arena)
{
    if (kept->manifest.nkeys < 3) /* ranks or nodes */
        return column;
    return load_text(arena, "%s: %s", kept->table.cells[(size_t)pair->row_a * kept->table.ncolumns],
                     column);
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
    change->n++;
    if (change->where != NULL && weight <= change->weight)
        return;
    change->weight = weight;
    change->where = pair->name;
    change->a = cell->a;
    change->b = cell->b != NULL ? cell->b : "";
    change->change_pct = cell->numbers ? pct : 0;
}

static void find_values(const struct lab_kept *kept, const struct lab_comparison *comparison,
                        struct load_arena *arena, struct lab_changes *changes)
{
    unsigned first = changes->n;
    struct lab_index groups = { 0 };

    for (unsigned i = 0; i < comparison->npoints; i++) {
        const struct lab_point_pair *pair = &comparison->points[i];

        for (unsigned c = 0; c < pair->ncells; c++) {
            const char *name = group_of(kept, pair, pair->cells[c].name, arena);
            unsigned g = lab_index_put(&groups, name, arena);

            if (first + g == changes->n)
                lab_changes_add(changes, LAB_CHANGE_VALUE, arena)->name = name;
            add_value(&changes->list[first + g], pair, &pair->cells[c]);
        }
    }
    for (unsigned i = 0; i < comparison->npoints && groups.n > 0; i++) {
        const struct lab_point_pair *pair = &comparison->points[i];

        for (unsigned c = kept->manifest.nkeys;
             pair->a != NULL && pair->b != NULL && c < kept->table.ncolumns; c++) {
            unsigned g = lab_index_get(&groups, group_of(kept, pair, kept->table.names[c], arena));

            if (g != LAB_INDEX_NONE)
                changes->list[first + g].of++;
        }
    }
}

static void find_fingerprints(const struct lab_comparison *comparison, struct load_arena *arena,
                              struct lab_changes *changes)
{
    unsigned both = 0, visible = 0, wire = 0;

    for (unsigned i = 0; i < comparison->npoints; i++) {
        both += comparison->points[i].a != NULL && comparison->points[i].b != NULL;
        visible += comparison->points[i].visible;
        wire += comparison->points[i].wire;
    }
    for (unsigned i = 0; i < 2; i++) {
        unsigned n = i == 0 ? visible : wire;
        struct lab_change *change;

        if (n == 0)
            continue;
        change = lab_changes_add(changes, LAB_CHANGE_FINGERPRINT, arena);
        change->name =
            i == 0 ? "visible: what software saw, and when" : "wire: packets, and when they passed";
        change->a = change->b = "";
        change->n = n;
        change->of = both;
        change->weight = -(double)i;
    }
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
    struct lab_changes changes = { 0 };

    find_made(&a->manifest, &b->manifest, arena, &changes);
    lab_changes_parameters(a, b, arena, &changes);
    find_points(comparison, arena, &changes);
    find_values(a, comparison, arena, &changes);
    find_fingerprints(comparison, arena, &changes);
    lab_changes_statistics(a, b, comparison, arena, &changes);
    lab_changes_faults(a, b, arena, &changes);
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

    lab_table_set(t, row, WHAT, "%s\t%s", lab_change_word(change->kind), change->name);
    if (change->unit != NULL)
        lab_table_set(t, row, UNIT, "%s", change->unit);
    if (change->of > 0) {
        lab_table_set(t, row, N, "%u\t%u", change->n, change->of);
    }
    lab_table_set(t, row, BEFORE, "%s\t%s", change->a, change->b);
    if (change->where != NULL)
        lab_table_set(t, row, WHERE, "%s", change->where);
    if (!change->numbers)
        return;
    set_pct(t, row, CHANGE, change->change_pct);
    set_pct(t, row, LEAST, change->least_pct);
    set_pct(t, row, MOST, change->most_pct);
}

void lab_changes_table(const struct lab_changes *changes, unsigned limit, struct lab_table *table)
{
    unsigned shown[LAB_CHANGE_KINDS] = { 0 };

    lab_table_begin(
        table,
        "what, name, unit, n#, of#, before, after, change_pct#, least_pct#, most_pct#, where");
    for (unsigned i = 0; i < changes->n; i++)
        if (limit == 0 || shown[changes->list[i].kind]++ < limit)
            add_row(table, &changes->list[i]);
}

enum { T_WHAT, T_NAME, T_BEFORE, T_AFTER, T_CHANGE, T_N, T_RANGE, T_WHERE };

static const char *pct_text(double pct, struct load_arena *arena)
{
    if (!isfinite(pct))
        return "new";
    return load_text(arena, "%+.*f %%", fabs(pct) < 0.01 ? 4 : fabs(pct) < 10 ? 2 : 1, pct);
}

static void add_text_row(struct lab_table *t, const struct lab_change *change)
{
    unsigned row = lab_table_add(t);
    const char *least = pct_text(change->least_pct, &t->arena);
    const char *most = pct_text(change->most_pct, &t->arena);
    const char *pct = pct_text(change->change_pct, &t->arena);
    bool alike = strcmp(least, most) == 0;

    lab_table_set(t, row, T_WHAT, "%s\t%s%s%s%s\t%s\t%s", lab_change_word(change->kind),
                  change->name, change->unit != NULL ? " [" : "",
                  change->unit != NULL ? change->unit : "", change->unit != NULL ? "]" : "",
                  change->a, change->b);
    if (change->of > 0)
        lab_table_set(t, row, T_N, "%u of %u", change->n, change->of);
    if (change->numbers)
        lab_table_set(t, row, T_CHANGE, "%s", pct);
    if (change->numbers && (!alike || strcmp(least, pct) != 0))
        lab_table_set(t, row, T_RANGE, "%s%s%s", least, alike ? "" : " .. ", alike ? "" : most);
    if (change->where != NULL)
        lab_table_set(t, row, T_WHERE, "%s", change->where);
}

void lab_changes_text(const struct lab_changes *changes, unsigned limit, struct lab_table *table)
{
    unsigned shown[LAB_CHANGE_KINDS] = { 0 };

    lab_table_begin(table, "what, name, before#, after#, change#, differ#, range, most at");
    for (unsigned i = changes->counts[LAB_CHANGE_MADE]; i < changes->n; i++)
        if (limit == 0 || shown[changes->list[i].kind]++ < limit)
            add_text_row(table, &changes->list[i]);
}
