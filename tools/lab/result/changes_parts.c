/* Changes of parameters, statistics and faults. See changes.h. */
#include "tools/lab/result/changes.h"

#include "tools/lab/format/index.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/** "node*.hub.e.tx.tlps" of "node12.hub.e.tx.tlps". */
static const char *pattern_of(const char *path, struct load_arena *arena)
{
    size_t digits = strncmp(path, "node", 4) == 0 ? strspn(path + 4, "0123456789") : 0;

    return digits > 0 ? load_text(arena, "node*%s", path + 4 + digits) : path;
}

/** For a change that is one pair of numbers. */
static void set_numbers(struct lab_change *change, double a, double b)
{
    change->numbers = true;
    change->change_pct = change->least_pct = change->most_pct = lab_change_pct(a, b);
}

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
    const char *prefix; /* of names: which one of several machines; else "" */
    struct flat flat_a, flat_b;
    struct lab_index groups; /* pattern, before and after */
    unsigned first;
    unsigned nnodes; /* that both have: of another one, all is different */
    struct lab_changes *changes;
};

static void add_nodes(struct parameters *p)
{
    unsigned a = p->a->nnodes, b = p->b->nnodes;
    struct lab_change *change;

    p->nnodes = a < b ? a : b;
    if (a == b)
        return;
    change = lab_changes_add(
        p->changes, (struct lab_change){ .kind = LAB_CHANGE_PARAMETER,
                                         .name = load_text(p->changes->arena, "%snodes", p->prefix),
                                         .a = load_text(p->changes->arena, "%u", a),
                                         .b = load_text(p->changes->arena, "%u", b),
                                         .weight = 3 });
    set_numbers(change, a, b);
}

static void add_parameter(struct parameters *p, const char *key)
{
    struct load_arena *arena = p->changes->arena;
    const char *a = value_of(&p->flat_a, key), *b = value_of(&p->flat_b, key);
    const char *pattern = pattern_of(key, arena);
    struct lab_change *change;
    double x, y;
    unsigned g, node;

    if (strcmp(a, b) == 0 || (sscanf(key, "node%u.", &node) == 1 && node >= p->nnodes))
        return;
    g = lab_index_put(&p->groups, load_text(arena, "%s %s %s", pattern, a, b), arena);
    if (p->first + g == p->changes->n) {
        change = lab_changes_add(
            p->changes, (struct lab_change){ .kind = LAB_CHANGE_PARAMETER,
                                             .name = load_text(arena, "%s%s", p->prefix, key),
                                             .a = a,
                                             .b = b,
                                             .of = pattern != key ? p->a->nnodes : 0,
                                             .weight = 1 });
        if (lab_is_number(a, &x) && lab_is_number(b, &y)) {
            set_numbers(change, x, y);
            change->weight = fabs(lab_relative(x, y));
        }
    }
    change = &p->changes->list[p->first + g];
    if (++change->n == 2)
        change->name = load_text(arena, "%s%s", p->prefix, pattern);
}

/** What no value shows: cables, routes, slots. */
static void add_topology(struct parameters *p)
{
    struct load_arena *arena = p->changes->arena;

    if (strcmp(p->a->hash, p->b->hash) == 0)
        return;
    lab_changes_add(p->changes, (struct lab_change){
                                    .kind = LAB_CHANGE_PARAMETER,
                                    .name = load_text(
                                        arena, "%scomponents, cables, routes or slots", p->prefix),
                                    .a = load_text(arena, "hash %s", p->a->hash),
                                    .b = load_text(arena, "hash %s", p->b->hash),
                                    .weight = 2 });
}

static void compare_machines(struct parameters *p)
{
    unsigned before = p->changes->n;

    add_nodes(p);
    p->first = p->changes->n;
    flatten(p->a, p->changes->arena, &p->flat_a);
    flatten(p->b, p->changes->arena, &p->flat_b);
    for (unsigned i = 0; i < p->flat_a.keys.n; i++)
        add_parameter(p, p->flat_a.keys.texts[i]);
    for (unsigned i = 0; i < p->flat_b.keys.n; i++)
        if (lab_index_get(&p->flat_a.keys, p->flat_b.keys.texts[i]) == LAB_INDEX_NONE)
            add_parameter(p, p->flat_b.keys.texts[i]);
    if (p->changes->n == before)
        add_topology(p);
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

static void add_machine(struct lab_changes *changes, const char *name, bool before)
{
    lab_changes_add(changes,
                    (struct lab_change){ .kind = LAB_CHANGE_PARAMETER,
                                         .name = load_text(changes->arena, "machine %s", name),
                                         .a = before ? "there" : "",
                                         .b = before ? "" : "there",
                                         .weight = 3 });
}

void lab_changes_parameters(struct lab_changes *changes)
{
    const struct lab_manifest *x = &changes->a->manifest, *y = &changes->b->manifest;
    struct load_arena *arena = changes->arena;
    bool single = x->nmachines == 1 && y->nmachines == 1;

    for (unsigned i = 0; i < x->nmachines; i++) {
        const struct lab_kept_machine *a = &x->machines[i];
        const char *name = full_name(a, arena);
        struct parameters p = { .a = a,
                                .b = find_machine(y, name, arena),
                                .prefix = single ? "" : load_text(arena, "%s: ", a->name),
                                .changes = changes };

        if (p.b == NULL)
            add_machine(changes, name, true);
        if (p.b == NULL && single) /* one with another: what differs between them */
            p.b = &y->machines[0];
        if (p.b != NULL)
            compare_machines(&p);
    }
    for (unsigned i = 0; i < y->nmachines; i++) {
        const char *name = full_name(&y->machines[i], arena);

        if (find_machine(x, name, arena) == NULL)
            add_machine(changes, name, false);
    }
}

/* ---- statistics ------------------------------------------------------------------ */

struct pairs { /* of runs */
    unsigned n;
    struct {
        unsigned a, b;
    } * list;
};

static struct pairs pair_runs(const struct lab_changes *changes)
{
    size_t most = changes->a->manifest.nruns + 1;
    struct pairs pairs = { .list = load_alloc(changes->arena, most * sizeof(*pairs.list)) };
    bool *taken = load_alloc(changes->arena, most);

    for (unsigned i = 0; i < changes->comparison->npoints; i++) {
        const struct lab_point_pair *pair = &changes->comparison->points[i];

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

void lab_changes_statistics(struct lab_changes *changes)
{
    const struct lab_kept *a = changes->a, *b = changes->b;
    struct load_arena *arena = changes->arena;
    struct pairs pairs = pair_runs(changes);
    struct lab_index in_a = { 0 }, in_b = { 0 }, patterns = { 0 };
    struct sums *sums = load_alloc(arena, (a->nstats + b->nstats + 1) * sizeof(*sums));

    index_stats(a, arena, &in_a);
    index_stats(b, arena, &in_b);
    for (unsigned i = 0; i < a->nstats; i++) {
        unsigned other = lab_index_get(&in_b, a->stats[i].path);
        unsigned p = lab_index_put(&patterns, pattern_of(a->stats[i].path, arena), arena);

        add_stat(&sums[p], &pairs, &a->stats[i], other != LAB_INDEX_NONE ? &b->stats[other] : NULL);
    }
    for (unsigned i = 0; i < b->nstats; i++)
        if (lab_index_get(&in_a, b->stats[i].path) == LAB_INDEX_NONE)
            add_stat(&sums[lab_index_put(&patterns, pattern_of(b->stats[i].path, arena), arena)],
                     &pairs, NULL, &b->stats[i]);
    for (unsigned i = 0; i < patterns.n; i++) {
        const struct sums *s = &sums[i];

        if (s->n > 0)
            lab_changes_add(changes, (struct lab_change){
                                         .kind = LAB_CHANGE_STATISTIC,
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
                                         .weight = weigh(s->a, s->b, s->least_pct, s->most_pct) });
    }
}

/* ---- faults ---------------------------------------------------------------------- */

/** "link node0.hub.e drop tlp=9": all that faults.csv has of one, but the run. */
static const char *describe_fault(const struct lab_csv *csv, unsigned row, struct load_arena *arena)
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

void lab_changes_faults(struct lab_changes *changes)
{
    const struct lab_csv *a = &changes->a->faults, *b = &changes->b->faults;
    struct load_arena *arena = changes->arena;
    struct lab_index kinds = { 0 };
    struct {
        unsigned a, b;
    } *counts = load_alloc(arena, ((size_t)a->nrows + b->nrows + 1) * sizeof(*counts));

    for (unsigned i = 0; i < a->nrows; i++)
        counts[lab_index_put(&kinds, describe_fault(a, i, arena), arena)].a++;
    for (unsigned i = 0; i < b->nrows; i++)
        counts[lab_index_put(&kinds, describe_fault(b, i, arena), arena)].b++;
    for (unsigned i = 0; i < kinds.n; i++) {
        double before = counts[i].a, after = counts[i].b;

        if (counts[i].a != counts[i].b)
            set_numbers(lab_changes_add(
                            changes, (struct lab_change){ .kind = LAB_CHANGE_FAULT,
                                                          .name = kinds.texts[i],
                                                          .a = load_text(arena, "%u", counts[i].a),
                                                          .b = load_text(arena, "%u", counts[i].b),
                                                          .unit = "runs",
                                                          .weight = fabs(after - before) }),
                        before, after);
    }
}
