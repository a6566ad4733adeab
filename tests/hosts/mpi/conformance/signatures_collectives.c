/*
 * Chapters 5 and 7: each rank describes its data by datatypes of its own, of the same signature as
 * those of the others, in every collective; see signatures.h.
 */
#include "signatures_calls.h"

/* ---- one root --------------------------------------------------------------------------- */

static void bcast(struct call *c)
{
    int units = size_below(&c->common, options.most / c->unit.bytes);
    int root = below(&c->common, c->size);
    struct side s;

    side_open(&s, c, ALIKE, 1, &units, 1);
    side_make(&s, c, 0, root, 0, units, c->rank == root, 1);
    finish(c, CALL(c, Bcast, bcast, side_buffer(&s), s.counts[0], s.types[0], root, c->comm));
    side_check(&s, c, "buffer");
    side_close(&s);
}

/** The side of the root of a gather or a scatter, and that of each rank. */
struct rooted {
    int root, units[BLOCKS_MAX];
    enum form form;
    struct side all, one;
    int in_place;
};

static void rooted_open(struct call *c, struct rooted *r, enum form form)
{
    struct sizes s = draw_sizes(c, form == ALIKE, c->size);

    r->form = form;
    r->root = below(&c->common, c->size);
    r->in_place = below(&c->common, 3) == 0 && c->rank == r->root;
    for (int i = 0; i < c->size; i++)
        r->units[i] = units_of(c, &s, i, 0);
    side_open(&r->one, c, ALIKE, 1, &r->units[c->rank], 1);
    side_open(&r->all, c, form, c->rank == r->root ? c->size : 0, r->units, s.part);
}

static void rooted_close(struct rooted *r)
{
    side_close(&r->all);
    side_close(&r->one);
}

static void gather_form(struct call *c, enum form form)
{
    struct rooted r;
    struct side *one = &r.one, *all = &r.all;
    const void *from;

    rooted_open(c, &r, form);
    side_make(one, c, 0, c->rank, 0, r.units[c->rank], 1, 1);
    for (int i = 0; i < all->n; i++)
        side_make(all, c, i, i, 0, r.units[i], r.in_place && i == c->rank, 1);
    from = r.in_place ? MPI_IN_PLACE : side_buffer(one);
    finish(c, form == ALIKE
                  ? CALL(c, Gather, gather, from, one->counts[0], one->types[0], side_buffer(all),
                         all->counts[0], all->layouts[0].type, r.root, c->comm)
                  : CALL(c, Gatherv, gatherv, from, one->counts[0], one->types[0], side_buffer(all),
                         all->counts, all->displs, all->layouts[0].type, r.root, c->comm));
    if (!r.in_place)
        side_check(one, c, "sent");
    side_check(all, c, "gathered");
    rooted_close(&r);
}

static void gather(struct call *c)
{
    gather_form(c, ALIKE);
}

static void gatherv(struct call *c)
{
    gather_form(c, COUNTS);
}

static void scatter_form(struct call *c, enum form form)
{
    struct rooted r;
    struct side *one = &r.one, *all = &r.all;
    void *to;

    rooted_open(c, &r, form);
    side_make(one, c, 0, c->rank, 0, r.units[c->rank], 0, 1);
    for (int i = 0; i < all->n; i++)
        side_make(all, c, i, i, 0, r.units[i], 1, 1);
    to = r.in_place ? MPI_IN_PLACE : side_buffer(one);
    finish(c, form == ALIKE
                  ? CALL(c, Scatter, scatter, side_buffer(all), all->counts[0],
                         all->layouts[0].type, to, one->counts[0], one->types[0], r.root, c->comm)
                  : CALL(c, Scatterv, scatterv, side_buffer(all), all->counts, all->displs,
                         all->layouts[0].type, to, one->counts[0], one->types[0], r.root, c->comm));
    if (!r.in_place)
        side_check(one, c, "received");
    side_check(all, c, "scattered");
    rooted_close(&r);
}

static void scatter(struct call *c)
{
    scatter_form(c, ALIKE);
}

static void scatterv(struct call *c)
{
    scatter_form(c, COUNTS);
}

/* ---- all ranks ---------------------------------------------------------------------------- */

static void allgather_form(struct call *c, enum form form)
{
    struct sizes s = draw_sizes(c, form == ALIKE, c->size);
    int units[BLOCKS_MAX], in_place = below(&c->common, 3) == 0;
    struct side one, all;
    const void *from;

    for (int i = 0; i < c->size; i++)
        units[i] = units_of(c, &s, i, 0);
    side_open(&one, c, ALIKE, 1, &units[c->rank], 1);
    side_open(&all, c, form, c->size, units, s.part);
    side_make(&one, c, 0, c->rank, 0, units[c->rank], 1, 1);
    for (int i = 0; i < c->size; i++)
        side_make(&all, c, i, i, 0, units[i], in_place && i == c->rank, 1);
    from = in_place ? MPI_IN_PLACE : side_buffer(&one);
    finish(c, form == ALIKE
                  ? CALL(c, Allgather, allgather, from, one.counts[0], one.types[0],
                         side_buffer(&all), all.counts[0], all.types[0], c->comm)
                  : CALL(c, Allgatherv, allgatherv, from, one.counts[0], one.types[0],
                         side_buffer(&all), all.counts, all.displs, all.types[0], c->comm));
    if (!in_place)
        side_check(&one, c, "sent");
    side_check(&all, c, "gathered");
    side_close(&one);
    side_close(&all);
}

static void allgather(struct call *c)
{
    allgather_form(c, ALIKE);
}

static void allgatherv(struct call *c)
{
    allgather_form(c, COUNTS);
}

static int call_alltoall(struct call *c, const void *from, const struct side *out, struct side *in)
{
    void *to = side_buffer(in);

    switch (in->form) {
    case ALIKE:
        return CALL(c, Alltoall, alltoall, from, out->counts[0], out->types[0], to, in->counts[0],
                    in->types[0], c->comm);
    case COUNTS:
        return CALL(c, Alltoallv, alltoallv, from, out->counts, out->displs, out->types[0], to,
                    in->counts, in->displs, in->types[0], c->comm);
    default:
        return CALL(c, Alltoallw, alltoallw, from, out->counts, out->displs, out->types, to,
                    in->counts, in->displs, in->types, c->comm);
    }
}

static void alltoall_form(struct call *c, enum form form)
{
    struct sizes s = draw_sizes(c, form == ALIKE, c->size);
    int out_units[BLOCKS_MAX], in_units[BLOCKS_MAX], in_place = below(&c->common, 3) == 0;
    struct side out, in;

    s.symmetric = in_place;
    for (int i = 0; i < c->size; i++) {
        out_units[i] = units_of(c, &s, c->rank, i);
        in_units[i] = units_of(c, &s, i, c->rank);
    }
    side_open(&out, c, form, c->size, out_units, s.part);
    side_open(&in, c, form, c->size, in_units, s.part);
    for (int i = 0; i < c->size; i++) {
        side_make(&out, c, i, c->rank, i, out_units[i], 1, 1);
        if (in_place)
            side_make(&in, c, i, c->rank, i, in_units[i], 1, 0);
        side_make(&in, c, i, i, c->rank, in_units[i], 0, 1);
    }
    finish(c, call_alltoall(c, in_place ? MPI_IN_PLACE : side_buffer(&out), &out, &in));
    if (!in_place)
        side_check(&out, c, "sent");
    side_check(&in, c, "received");
    side_close(&out);
    side_close(&in);
}

static void alltoall(struct call *c)
{
    alltoall_form(c, ALIKE);
}

static void alltoallv(struct call *c)
{
    alltoall_form(c, COUNTS);
}

static void alltoallw(struct call *c)
{
    alltoall_form(c, TYPES);
}

/* ---- neighbours --------------------------------------------------------------------------- */

/** Who sends to this rank, by which of its messages, and to whom this rank sends. */
struct neighbors {
    MPI_Comm comm;
    int nin, nout, in[BLOCKS_MAX], slots[BLOCKS_MAX], out[BLOCKS_MAX];
};

static void make_grid(struct call *c, struct neighbors *nb)
{
    int ndims = 1 + below(&c->common, 3), dims[3] = { 0, 0, 0 }, periods[3];

    for (int i = 0; i < 3; i++)
        periods[i] = below(&c->common, 2);
    MPI_Dims_create(c->size, ndims, dims);
    MPI_Cart_create(c->comm, ndims, dims, periods, 0, &nb->comm);
    nb->nin = nb->nout = 2 * ndims;
    for (int i = 0; i < ndims; i++) {
        MPI_Cart_shift(nb->comm, i, 1, &nb->in[2 * i], &nb->in[2 * i + 1]);
        nb->slots[2 * i] = 2 * i + 1; /* what comes from below was sent up */
        nb->slots[2 * i + 1] = 2 * i;
    }
    memcpy(nb->out, nb->in, sizeof(nb->out));
}

static void make_graph(struct call *c, struct neighbors *nb)
{
    int counts[BLOCKS_MAX] = { 0 }; /* what each rank sends so far */

    for (int from = 0; from < c->size; from++) {
        for (int to = 0; to < c->size; to++) {
            if (below(&c->common, 5) >= 2)
                continue;
            if (to == c->rank) {
                nb->slots[nb->nin] = counts[from];
                nb->in[nb->nin++] = from;
            }
            if (from == c->rank)
                nb->out[nb->nout++] = to;
            counts[from]++;
        }
    }
    MPI_Dist_graph_create_adjacent(c->comm, nb->nin, nb->in, MPI_UNWEIGHTED, nb->nout, nb->out,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &nb->comm);
}

static int call_neighbors(struct call *c, MPI_Comm comm, int gathers, struct side *out,
                          struct side *in)
{
    void *from = side_buffer(out), *to = side_buffer(in);
    MPI_Datatype type = in->layouts[0].type; /* also of no block */

    if (gathers && in->form == ALIKE)
        return CALL(c, Neighbor_allgather, neighbor_allgather, from, out->counts[0], out->types[0],
                    to, in->counts[0], type, comm);
    if (gathers)
        return CALL(c, Neighbor_allgatherv, neighbor_allgatherv, from, out->counts[0],
                    out->types[0], to, in->counts, in->displs, type, comm);
    if (in->form == ALIKE)
        return CALL(c, Neighbor_alltoall, neighbor_alltoall, from, out->counts[0],
                    out->layouts[0].type, to, in->counts[0], type, comm);
    if (in->form == COUNTS)
        return CALL(c, Neighbor_alltoallv, neighbor_alltoallv, from, out->counts, out->displs,
                    out->layouts[0].type, to, in->counts, in->displs, type, comm);
    return CALL(c, Neighbor_alltoallw, neighbor_alltoallw, from, out->counts, out->far, out->types,
                to, in->counts, in->far, in->types, comm);
}

static void neighbors_form(struct call *c, int gathers, enum form form)
{
    struct sizes s = draw_sizes(c, form == ALIKE, 6);
    struct neighbors nb = { .nin = 0 };
    int in_units[BLOCKS_MAX] = { 0 }, out_units[BLOCKS_MAX] = { 0 };
    struct side out, in;

    (below(&c->common, 2) ? make_grid : make_graph)(c, &nb);
    for (int i = 0; i < nb.nin; i++)
        in_units[i] = units_of(c, &s, nb.in[i], gathers ? 0 : nb.slots[i]);
    for (int i = 0; i < nb.nout || i == 0; i++)
        out_units[i] = units_of(c, &s, c->rank, i);
    side_open(&out, c, gathers ? ALIKE : form, gathers ? 1 : nb.nout, out_units, s.part);
    side_open(&in, c, form, nb.nin, in_units, s.part);
    for (int i = 0; i < out.n; i++)
        side_make(&out, c, i, c->rank, i, out_units[i], 1, 1);
    for (int i = 0; i < in.n; i++)
        if (nb.in[i] != MPI_PROC_NULL)
            side_make(&in, c, i, nb.in[i], gathers ? 0 : nb.slots[i], in_units[i], 0, 1);
    finish(c, call_neighbors(c, nb.comm, gathers, &out, &in));
    side_check(&out, c, "sent");
    side_check(&in, c, "received");
    side_close(&out);
    side_close(&in);
    MPI_Comm_free(&nb.comm);
}

static void neighbors_gather(struct call *c)
{
    neighbors_form(c, 1, below(&c->common, 2) ? ALIKE : COUNTS);
}

static void neighbors_exchange(struct call *c)
{
    static const enum form forms[] = { ALIKE, COUNTS, TYPES };

    neighbors_form(c, 0, forms[below(&c->common, 3)]);
}

/* ---- reductions --------------------------------------------------------------------------- */

/* The result of the first `n` ranks is to be in `in`. */
static void expect_sum(struct call *c, struct sums *s, int n)
{
    unsigned char *sum = sum_of(c, 0, n, s->count * s->units);

    side_put(&s->in, c, 0, sum, s->count * s->units, 0, 1);
    free(sum);
}

static void reduce(struct call *c)
{
    int units, count = draw_count(c, &units, 1), root = below(&c->common, c->size), in_place;
    struct sums s;

    sums_open(c, &s, count, count, units);
    in_place = s.in_place && c->rank == root;
    if (in_place)
        side_put(&s.in, c, 0, s.own, count * units, 1, 0);
    if (c->rank == root)
        expect_sum(c, &s, c->size);
    finish(c, CALL(c, Reduce, reduce, sums_from(&s, in_place), side_buffer(&s.in), count,
                   s.element.type, s.op, root, c->comm));
    sums_close(c, &s, in_place);
}

static void to_all(struct call *c, int kind)
{
    int units, count = draw_count(c, &units, 1), n = kind == 0 ? c->size : c->rank + (kind == 1);
    struct sums s;
    const void *from;
    void *to;

    sums_open(c, &s, count, count, units);
    if (s.in_place)
        side_put(&s.in, c, 0, s.own, count * units, 1, n == 0);
    if (n > 0)
        expect_sum(c, &s, n);
    from = sums_from(&s, s.in_place);
    to = side_buffer(&s.in);
    if (kind == 0)
        finish(c, CALL(c, Allreduce, allreduce, from, to, count, s.element.type, s.op, c->comm));
    else if (kind == 1)
        finish(c, CALL(c, Scan, scan, from, to, count, s.element.type, s.op, c->comm));
    else
        finish(c, CALL(c, Exscan, exscan, from, to, count, s.element.type, s.op, c->comm));
    sums_close(c, &s, s.in_place);
}

static void allreduce(struct call *c)
{
    to_all(c, 0);
}

static void scan(struct call *c)
{
    to_all(c, 1);
}

static void exscan(struct call *c)
{
    to_all(c, 2);
}

/* Not in place: what is left of the rest of the buffer then is not said. */
static void reduce_scatter(struct call *c)
{
    int units, counts[BLOCKS_MAX], all = 0, before = 0, alike = below(&c->common, 2);
    int each = draw_count(c, &units, c->size);
    struct sums s;
    unsigned char *sum;

    for (int i = 0; i < c->size; i++) {
        counts[i] = alike ? each : below(&c->common, each + 1);
        before += i < c->rank ? counts[i] : 0;
        all += counts[i];
    }
    sums_open(c, &s, all, counts[c->rank], units);
    sum = sum_of(c, 0, c->size, all * units);
    side_put(&s.in, c, 0, sum + (size_t)before * (size_t)(units * c->unit.bytes),
             counts[c->rank] * units, 0, 1);
    free(sum);
    finish(c, alike ? CALL(c, Reduce_scatter_block, reduce_scatter_block, side_buffer(&s.out),
                           side_buffer(&s.in), each, s.element.type, s.op, c->comm)
                    : CALL(c, Reduce_scatter, reduce_scatter, side_buffer(&s.out),
                           side_buffer(&s.in), counts, s.element.type, s.op, c->comm));
    sums_close(c, &s, 0);
}

int main(int argc, char **argv)
{
    static const struct kind kinds[] = {
        { "bcast", bcast },
        { "bcast", bcast }, /* the one with most algorithms */
        { "gather", gather },
        { "gatherv", gatherv },
        { "scatter", scatter },
        { "scatterv", scatterv },
        { "allgather", allgather },
        { "allgatherv", allgatherv },
        { "alltoall", alltoall },
        { "alltoallv", alltoallv },
        { "alltoallw", alltoallw },
        { "neighbor_allgather", neighbors_gather },
        { "neighbor_alltoall", neighbors_exchange },
        { "reduce", reduce },
        { "allreduce", allreduce },
        { "reduce_scatter", reduce_scatter },
        { "scan", scan },
        { "exscan", exscan },
    };

    check_begin(&argc, &argv, "signatures_collectives");
    read_options(argc, argv);
    run_cases(kinds, sizeof(kinds) / sizeof(kinds[0]));
    return check_end();
}
