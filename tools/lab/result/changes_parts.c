/* Changes of parameters, statistics and faults. See changes.h. */
#include "tools/lab/result/changes.h"

#include "tools/lab/format/index.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------ */

/** Every value in force under the name of its own node. */
struct flat {
    struct lab_index keys;
    const char **values;
};

static void flatten(const struct lab_kept_machine *m, struct load_arena *arena, struct flat *flat)
{
    size_t most = 1;

    for (unsigned i = 0; i < m->nparams; i++)
        most += strncmp(m->params[i].key, "node*.", 6) == 0 ? m->nnodes : 1;
    flat->values = load_alloc(arena, most * sizeof(*flat->values));
    for (unsigned i = 0; i < m->nparams; i++) {
        const char *key = m->params[i].key;
        bool all = strncmp(key, "node*.", 6) == 0;

        for (unsigned n = 0; n < (all ? m->nnodes : 1); n++) {
            const char *name = all ? load_text(arena, "node%u%s", n, key + 5) : key;

            flat->values[lab_index_put(&flat->keys, name, arena)] = m->params[i].value;
        }
    }
}

static const char *value_of(const struct flat *flat, const char *key)
{
    unsigned i = lab_index_get(&flat->keys, key);

    return i != LAB_INDEX_NONE ? flat->values[i] : "";
}

struct parameters {
    const struct lab_kept_machine *a, *b;
    bool named; /* several machines: each line names its own */
    struct flat flat_a, flat_b;
    struct lab_index groups; /* pattern, before and after */
    unsigned first;
    struct load_arena *arena;
    struct lab_changes *changes;
};

static void add_parameter(struct parameters *p, const char *key)
{
    const char *a = value_of(&p->flat_a, key), *b = value_of(&p->flat_b, key);
    const char *pattern = lab_pattern(key, p->arena), *group;
    struct lab_change *change;
    double x, y;
    unsigned g;

    if (strcmp(a, b) == 0)
        return;
    group = load_text(p->arena, "%s %s %s", pattern, a, b);
    g = lab_index_put(&p->groups, group, p->arena);
    if (p->first + g == p->changes->n) {
        change = lab_changes_add(p->changes, LAB_CHANGE_PARAMETER, p->arena);
        change->name = p->named ? load_text(p->arena, "%s: %s", p->a->name, key) : key;
        change->a = a;
        change->b = b;
        change->of = pattern != key ? p->a->nnodes : 0;
        change->numbers = lab_is_number(a, &x) && lab_is_number(b, &y);
        change->weight = 1;
        if (change->numbers) {
            change->weight = fabs(lab_relative(x, y));
            change->change_pct = change->least_pct = change->most_pct = lab_change_pct(x, y);
        }
    }
    change = &p->changes->list[p->first + g];
    change->n++;
    if (change->n == 2)
        change->name = p->named ? load_text(p->arena, "%s: %s", p->a->name, pattern) : pattern;
}

/** What no value shows: cables, routes, slots. */
static void add_topology(struct parameters *p, bool values_differ)
{
    struct lab_change *change;

    if (strcmp(p->a->hash, p->b->hash) == 0 || values_differ)
        return;
    change = lab_changes_add(p->changes, LAB_CHANGE_PARAMETER, p->arena);
    change->name = load_text(p->arena, "%s%scomponents, cables, routes or slots",
                             p->named ? p->a->name : "", p->named ? ": " : "");
    change->a = load_text(p->arena, "hash %s", p->a->hash);
    change->b = load_text(p->arena, "hash %s", p->b->hash);
    change->weight = 2;
}

static void compare_machines(struct parameters *p)
{
    p->first = p->changes->n;
    flatten(p->a, p->arena, &p->flat_a);
    flatten(p->b, p->arena, &p->flat_b);
    for (unsigned i = 0; i < p->flat_a.keys.n; i++)
        add_parameter(p, p->flat_a.keys.texts[i]);
    for (unsigned i = 0; i < p->flat_b.keys.n; i++)
        if (lab_index_get(&p->flat_a.keys, p->flat_b.keys.texts[i]) == LAB_INDEX_NONE)
            add_parameter(p, p->flat_b.keys.texts[i]);
    add_topology(p, p->changes->n > p->first);
}

static const char *full_name(const struct lab_kept_machine *m, struct load_arena *arena)
{
    return m->platform != NULL ? load_text(arena, "%s of %s", m->name, m->platform) : m->name;
}

static const struct lab_kept_machine *find_machine(const struct lab_manifest *m, const char *name,
                                                   struct load_arena *arena)
{
    for (unsigned i = 0; i < m->nmachines; i++)
        if (strcmp(full_name(&m->machines[i], arena), name) == 0)
            return &m->machines[i];
    return NULL;
}

static void add_machine(const char *name, bool before, struct load_arena *arena,
                        struct lab_changes *changes)
{
    struct lab_change *change = lab_changes_add(changes, LAB_CHANGE_PARAMETER, arena);

    change->name = load_text(arena, "machine %s", name);
    change->a = before ? "there" : "";
    change->b = before ? "" : "there";
    change->weight = 3;
}

void lab_changes_parameters(const struct lab_kept *a, const struct lab_kept *b,
                            struct load_arena *arena, struct lab_changes *changes)
{
    const struct lab_manifest *x = &a->manifest, *y = &b->manifest;
    bool single = x->nmachines == 1 && y->nmachines == 1;

    for (unsigned i = 0; i < x->nmachines; i++) {
        const char *name = full_name(&x->machines[i], arena);
        struct parameters p = { .a = &x->machines[i],
                                .b = find_machine(y, name, arena),
                                .named = !single,
                                .arena = arena,
                                .changes = changes };

        if (p.b == NULL)
            add_machine(name, true, arena, changes);
        if (p.b == NULL && single) /* one with another: what differs between them */
            p.b = &y->machines[0];
        if (p.b != NULL)
            compare_machines(&p);
    }
    for (unsigned i = 0; i < y->nmachines; i++)
        if (find_machine(x, full_name(&y->machines[i], arena), arena) == NULL)
            add_machine(full_name(&y->machines[i], arena), false, arena, changes);
}

/* ---- statistics ------------------------------------------------------------------ */

struct pairs { /* of runs */
    unsigned n;
    struct {
        unsigned a, b;
    } * list;
};

static struct pairs pair_runs(const struct lab_kept *a, const struct lab_comparison *comparison,
                              struct load_arena *arena)
{
    struct pairs pairs = { .list =
                               load_alloc(arena, (a->manifest.nruns + 1) * sizeof(*pairs.list)) };
    bool *taken = load_alloc(arena, a->manifest.nruns + 1);

    for (unsigned i = 0; i < comparison->npoints; i++) {
        const struct lab_point_pair *pair = &comparison->points[i];

        for (unsigned k = 0;
             pair->a != NULL && pair->b != NULL && k < pair->a->nruns && k < pair->b->nruns; k++) {
            if (taken[pair->a->runs[k]]) /* points may share a run */
                continue;
            taken[pair->a->runs[k]] = true;
            pairs.list[pairs.n].a = pair->a->runs[k];
            pairs.list[pairs.n++].b = pair->b->runs[k];
        }
    }
    return pairs;
}

struct sums {
    const char *unit;
    uint64_t a, b;
    unsigned n, of;
    double least_pct, most_pct;
};

static void add_stat(struct sums *s, const struct pairs *pairs, const struct lab_kept_stat *a,
                     const struct lab_kept_stat *b)
{
    s->unit = a != NULL ? a->unit : b->unit;
    for (unsigned i = 0; i < pairs->n; i++) {
        uint64_t x = a != NULL ? a->values[pairs->list[i].a] : 0;
        uint64_t y = b != NULL ? b->values[pairs->list[i].b] : 0;
        double pct = lab_change_pct((double)x, (double)y);

        s->a += x;
        s->b += y;
        s->of++;
        if (x == y)
            continue;
        s->least_pct = s->n == 0 ? pct : fmin(s->least_pct, pct);
        s->most_pct = s->n == 0 ? pct : fmax(s->most_pct, pct);
        s->n++;
    }
}

/** Twice a million weighs more than twice one. */
static double weigh(uint64_t a, uint64_t b, double least_pct, double most_pct)
{
    double largest = fmax(fabs(least_pct), fabs(most_pct)) / 100;

    return fmax(fabs(lab_relative((double)a, (double)b)), fmin(largest, 1) / 10) *
           log2(2 + fmax((double)a, (double)b));
}

static void index_stats(const struct lab_kept *kept, struct load_arena *arena,
                        struct lab_index *index)
{
    for (unsigned i = 0; i < kept->nstats; i++)
        (void)lab_index_put(index, kept->stats[i].path, arena);
}

void lab_changes_statistics(const struct lab_kept *a, const struct lab_kept *b,
                            const struct lab_comparison *comparison, struct load_arena *arena,
                            struct lab_changes *changes)
{
    struct pairs pairs = pair_runs(a, comparison, arena);
    struct lab_index in_a = { 0 }, in_b = { 0 }, patterns = { 0 };
    struct sums *sums = load_alloc(arena, (a->nstats + b->nstats + 1) * sizeof(*sums));

    index_stats(a, arena, &in_a);
    index_stats(b, arena, &in_b);
    for (unsigned i = 0; i < a->nstats; i++) {
        unsigned other = lab_index_get(&in_b, a->stats[i].path);
        unsigned p = lab_index_put(&patterns, lab_pattern(a->stats[i].path, arena), arena);

        add_stat(&sums[p], &pairs, &a->stats[i], other != LAB_INDEX_NONE ? &b->stats[other] : NULL);
    }
    for (unsigned i = 0; i < b->nstats; i++)
        if (lab_index_get(&in_a, b->stats[i].path) == LAB_INDEX_NONE)
            add_stat(&sums[lab_index_put(&patterns, lab_pattern(b->stats[i].path, arena), arena)],
                     &pairs, NULL, &b->stats[i]);
    for (unsigned i = 0; i < patterns.n; i++) {
        const struct sums *s = &sums[i];
        struct lab_change *change;

        if (s->n == 0)
            continue;
        change = lab_changes_add(changes, LAB_CHANGE_STATISTIC, arena);
        *change = (struct lab_change){ .kind = LAB_CHANGE_STATISTIC,
                                       .name = patterns.texts[i],
                                       .unit = s->unit,
                                       .n = s->n,
                                       .of = s->of,
                                       .a = load_text(arena, "%" PRIu64, s->a),
                                       .b = load_text(arena, "%" PRIu64, s->b),
                                       .numbers = true,
                                       .change_pct = lab_change_pct((double)s->a, (double)s->b),
                                       .least_pct = s->least_pct,
                                       .most_pct = s->most_pct,
                                       .weight = weigh(s->a, s->b, s->least_pct, s->most_pct) };
    }
}

/* ---- faults ---------------------------------------------------------------------- */

/** "link node0.hub.e drop tlp=9": all that faults.csv has of one, but the run. */
static const char *describe(const struct lab_csv *csv, unsigned row, struct load_arena *arena)
{
    const char *text = "";

    for (unsigned c = 0; c < csv->ncolumns; c++) {
        const char *cell = csv->cells[(size_t)row * csv->ncolumns + c];
        double number;
        bool named = lab_is_number(cell, &number);

        if (cell[0] != '\0' && strcmp(csv->names[c], "run") != 0)
            text = load_text(arena, "%s%s%s%s%s", text, text[0] != '\0' ? " " : "",
                             named ? csv->names[c] : "", named ? "=" : "", cell);
    }
    return text;
}

void lab_changes_faults(const struct lab_kept *a, const struct lab_kept *b,
                        struct load_arena *arena, struct lab_changes *changes)
{
    struct lab_index kinds = { 0 };
    unsigned *counts =
        load_alloc(arena, 2 * sizeof(*counts) * (a->faults.nrows + b->faults.nrows + 1));

    for (unsigned i = 0; i < a->faults.nrows; i++)
        counts[2 * lab_index_put(&kinds, describe(&a->faults, i, arena), arena)]++;
    for (unsigned i = 0; i < b->faults.nrows; i++)
        counts[2 * lab_index_put(&kinds, describe(&b->faults, i, arena), arena) + 1]++;
    for (unsigned i = 0; i < kinds.n; i++) {
        double before = counts[2 * i], after = counts[2 * i + 1];
        struct lab_change *change;

        if (counts[2 * i] == counts[2 * i + 1])
            continue;
        change = lab_changes_add(changes, LAB_CHANGE_FAULT, arena);
        change->name = kinds.texts[i];
        change->a = load_text(arena, "%u", counts[2 * i]);
        change->b = load_text(arena, "%u", counts[2 * i + 1]);
        change->unit = "runs";
        change->numbers = true;
        change->change_pct = change->least_pct = change->most_pct = lab_change_pct(before, after);
        change->weight = fabs(after - before);
    }
}
