/*
 * Collectives between two groups, each of whose ranks describes its data by datatypes of its own;
 * see signatures.h. Ranks of the second group have numbers from SECOND on here.
 */
#include "signatures_calls.h"

#define SECOND 1000

/** The two groups of a case, in which this rank is one. */
struct groups {
    MPI_Comm local;
    int mine, n[2]; /* the group of this rank; their sizes */
    int rank;       /* in it */
};

static int id_of(int group, int rank)
{
    return group * SECOND + rank;
}

static void groups_open(struct call *c, struct groups *g)
{
    int first = 1 + below(&c->common, c->size - 1); /* so many ranks are the first group */
    MPI_Comm inter;

    g->mine = c->rank >= first;
    g->n[0] = first;
    g->n[1] = c->size - first;
    MPI_Comm_split(c->comm, g->mine, c->rank, &g->local);
    MPI_Comm_rank(g->local, &g->rank);
    MPI_Intercomm_create(g->local, 0, c->comm, g->mine ? 0 : first, 3, &inter);
    c->comm = inter;
    c->rank = id_of(g->mine, g->rank);
}

static void groups_close(struct call *c, struct groups *g)
{
    MPI_Comm_free(&c->comm);
    MPI_Comm_free(&g->local);
}

/** Who is the root of a call, and what a rank passes for that. */
struct root {
    int group, rank, here; /* here: this rank is */
    int argument;
};

static struct root draw_root(struct call *c, const struct groups *g)
{
    struct root r = { .group = below(&c->common, 2) };

    r.rank = below(&c->common, g->n[r.group]);
    r.here = g->mine == r.group && g->rank == r.rank;
    r.argument = g->mine != r.group ? r.rank : r.here ? MPI_ROOT : MPI_PROC_NULL;
    return r;
}

static void bcast(struct call *c)
{
    int units = size_below(&c->common, options.most / c->unit.bytes);
    struct groups g;
    struct root r;
    struct side s;

    groups_open(c, &g);
    r = draw_root(c, &g);
    side_open(&s, c, ALIKE, 1, &units, 1);
    if (r.argument != MPI_PROC_NULL)
        side_make(&s, c, 0, id_of(r.group, r.rank), 0, units, r.here, 1);
    finish(c, CALL(c, Bcast, bcast, side_buffer(&s), s.counts[0], s.types[0], r.argument, c->comm));
    side_check(&s, c, "buffer");
    side_close(&s);
    groups_close(c, &g);
}

/* What passes between the root, which has blocks for all ranks of the other group, and these. */
static void rooted_form(struct call *c, int gathers, enum form form)
{
    int units[BLOCKS_MAX] = { 0 }, n, own = 0;
    struct sizes sizes = draw_sizes(c, form == ALIKE, c->size);
    struct side all, one, *out = gathers ? &one : &all, *in = gathers ? &all : &one;
    struct groups g;
    struct root r;

    groups_open(c, &g);
    r = draw_root(c, &g);
    n = r.here ? g.n[!g.mine] : 0;
    for (int i = 0; i < n; i++)
        units[i] = units_of(c, &sizes, id_of(!g.mine, i), 0);
    if (g.mine != r.group)
        own = units_of(c, &sizes, c->rank, 0);
    side_open(&all, c, form, n, units, sizes.part);
    side_open(&one, c, ALIKE, 1, &own, 1);
    for (int i = 0; i < n; i++)
        side_make(&all, c, i, id_of(!g.mine, i), 0, units[i], !gathers, 1);
    side_make(&one, c, 0, c->rank, 0, own, gathers, 1);
    if (gathers && form == ALIKE)
        finish(c, CALL(c, Gather, gather, side_buffer(out), one.counts[0], one.types[0],
                       side_buffer(in), all.counts[0], all.layouts[0].type, r.argument, c->comm));
    else if (gathers)
        finish(c, CALL(c, Gatherv, gatherv, side_buffer(out), one.counts[0], one.types[0],
                       side_buffer(in), all.counts, all.displs, all.layouts[0].type, r.argument,
                       c->comm));
    else if (form == ALIKE)
        finish(c, CALL(c, Scatter, scatter, side_buffer(out), all.counts[0], all.layouts[0].type,
                       side_buffer(in), one.counts[0], one.types[0], r.argument, c->comm));
    else
        finish(c, CALL(c, Scatterv, scatterv, side_buffer(out), all.counts, all.displs,
                       all.layouts[0].type, side_buffer(in), one.counts[0], one.types[0],
                       r.argument, c->comm));
    side_check(out, c, "sent");
    side_check(in, c, "received");
    side_close(out);
    side_close(in);
    groups_close(c, &g);
}

static void gather(struct call *c)
{
    rooted_form(c, 1, below(&c->common, 2) ? ALIKE : COUNTS);
}

static void scatter(struct call *c)
{
    rooted_form(c, 0, below(&c->common, 2) ? ALIKE : COUNTS);
}

static void allgather(struct call *c)
{
    enum form form = below(&c->common, 2) ? ALIKE : COUNTS;
    struct sizes sizes = draw_sizes(c, form == ALIKE, c->size);
    int units[BLOCKS_MAX] = { 0 }, own, n;
    struct groups g;
    struct side out, in;

    groups_open(c, &g);
    n = g.n[!g.mine];
    own = units_of(c, &sizes, c->rank, 0);
    for (int i = 0; i < n; i++)
        units[i] = units_of(c, &sizes, id_of(!g.mine, i), 0);
    side_open(&out, c, ALIKE, 1, &own, 1);
    side_open(&in, c, form, n, units, sizes.part);
    side_make(&out, c, 0, c->rank, 0, own, 1, 1);
    for (int i = 0; i < n; i++)
        side_make(&in, c, i, id_of(!g.mine, i), 0, units[i], 0, 1);
    finish(c, form == ALIKE
                  ? CALL(c, Allgather, allgather, side_buffer(&out), out.counts[0], out.types[0],
                         side_buffer(&in), in.counts[0], in.types[0], c->comm)
                  : CALL(c, Allgatherv, allgatherv, side_buffer(&out), out.counts[0], out.types[0],
                         side_buffer(&in), in.counts, in.displs, in.types[0], c->comm));
    side_check(&out, c, "sent");
    side_check(&in, c, "received");
    side_close(&out);
    side_close(&in);
    groups_close(c, &g);
}

static int call_alltoall(struct call *c, struct side *out, struct side *in)
{
    void *from = side_buffer(out), *to = side_buffer(in);

    if (in->form == ALIKE)
        return CALL(c, Alltoall, alltoall, from, out->counts[0], out->types[0], to, in->counts[0],
                    in->types[0], c->comm);
    if (in->form == COUNTS)
        return CALL(c, Alltoallv, alltoallv, from, out->counts, out->displs, out->types[0], to,
                    in->counts, in->displs, in->types[0], c->comm);
    return CALL(c, Alltoallw, alltoallw, from, out->counts, out->displs, out->types, to, in->counts,
                in->displs, in->types, c->comm);
}

static void alltoall(struct call *c)
{
    static const enum form forms[] = { ALIKE, COUNTS, TYPES };
    enum form form = forms[below(&c->common, 3)];
    struct sizes sizes = draw_sizes(c, form == ALIKE, c->size);
    int out_units[BLOCKS_MAX] = { 0 }, in_units[BLOCKS_MAX] = { 0 }, n;
    struct groups g;
    struct side out, in;

    groups_open(c, &g);
    n = g.n[!g.mine];
    for (int i = 0; i < n; i++) {
        out_units[i] = units_of(c, &sizes, c->rank, i);
        in_units[i] = units_of(c, &sizes, id_of(!g.mine, i), g.rank);
    }
    side_open(&out, c, form, n, out_units, sizes.part);
    side_open(&in, c, form, n, in_units, sizes.part);
    for (int i = 0; i < n; i++) {
        side_make(&out, c, i, c->rank, i, out_units[i], 1, 1);
        side_make(&in, c, i, id_of(!g.mine, i), g.rank, in_units[i], 0, 1);
    }
    finish(c, call_alltoall(c, &out, &in));
    side_check(&out, c, "sent");
    side_check(&in, c, "received");
    side_close(&out);
    side_close(&in);
    groups_close(c, &g);
}

/* ---- reductions: of what the other group gives -------------------------------------------- */

static void reduce(struct call *c)
{
    int units, count = draw_count(c, &units, 1);
    struct groups g;
    struct root r;
    struct sums s;
    unsigned char *sum;

    groups_open(c, &g);
    r = draw_root(c, &g);
    sums_open(c, &s, count, count, units);
    sum = sum_of(c, id_of(!g.mine, 0), g.n[!g.mine], count * units);
    if (r.here)
        side_put(&s.in, c, 0, sum, count * units, 0, 1);
    free(sum);
    finish(c, CALL(c, Reduce, reduce, side_buffer(&s.out), side_buffer(&s.in), count,
                   s.element.type, s.op, r.argument, c->comm));
    sums_close(c, &s, 0);
    groups_close(c, &g);
}

static void allreduce(struct call *c)
{
    int units, count = draw_count(c, &units, 1);
    struct groups g;
    struct sums s;
    unsigned char *sum;

    groups_open(c, &g);
    sums_open(c, &s, count, count, units);
    sum = sum_of(c, id_of(!g.mine, 0), g.n[!g.mine], count * units);
    side_put(&s.in, c, 0, sum, count * units, 0, 1);
    free(sum);
    finish(c, CALL(c, Allreduce, allreduce, side_buffer(&s.out), side_buffer(&s.in), count,
                   s.element.type, s.op, c->comm));
    sums_close(c, &s, 0);
    groups_close(c, &g);
}

/* Both groups give as many elements, each cut into blocks for its own ranks. */
static void reduce_scatter(struct call *c)
{
    int units, counts[BLOCKS_MAX], all, before = 0, left, alike = below(&c->common, 2);
    int each = draw_count(c, &units, c->size);
    struct groups g;
    struct sums s;
    unsigned char *sum;

    groups_open(c, &g);
    each /= g.n[0] < g.n[1] ? g.n[0] : g.n[1];
    all = left = each * g.n[0] * g.n[1];
    for (int i = 0; i < g.n[g.mine]; i++) {
        int rest = below(&c->common, left + 1);

        counts[i] = alike ? all / g.n[g.mine] : i == g.n[g.mine] - 1 ? left : rest;
        left -= counts[i];
        before += i < g.rank ? counts[i] : 0;
    }
    c->common = key_of(c, 0, 77); /* the groups have drawn unlike many numbers */
    sums_open(c, &s, all, counts[g.rank], units);
    sum = sum_of(c, id_of(!g.mine, 0), g.n[!g.mine], all * units);
    side_put(&s.in, c, 0, sum + (size_t)before * (size_t)(units * c->unit.bytes),
             counts[g.rank] * units, 0, 1);
    free(sum);
    finish(c, alike ? CALL(c, Reduce_scatter_block, reduce_scatter_block, side_buffer(&s.out),
                           side_buffer(&s.in), counts[0], s.element.type, s.op, c->comm)
                    : CALL(c, Reduce_scatter, reduce_scatter, side_buffer(&s.out),
                           side_buffer(&s.in), counts, s.element.type, s.op, c->comm));
    sums_close(c, &s, 0);
    groups_close(c, &g);
}

int main(int argc, char **argv)
{
    static const struct kind kinds[] = {
        { "bcast", bcast },         { "gather", gather },
        { "scatter", scatter },     { "allgather", allgather },
        { "alltoall", alltoall },   { "reduce", reduce },
        { "allreduce", allreduce }, { "reduce_scatter", reduce_scatter },
    };

    check_begin(&argc, &argv, "signatures_inter");
    read_options(argc, argv);
    if (check_size > 1)
        run_cases(kinds, sizeof(kinds) / sizeof(kinds[0]));
    return check_end();
}
