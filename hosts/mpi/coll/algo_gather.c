/* Gather and scatter. */
#include "hosts/mpi/coll/collective.h"

/* All in the order of ranks; both scatter and gather, which differ in the direction. */
static void exchange_linear(struct mpi_coll *c)
{
    bool gathers = mpi_coll_gathers(c);
    const struct mpi_blocks *all = gathers ? &c->in : &c->out;

    if (c->rank != c->root && gathers)
        mpi_coll_send(c, c->root, mpi_coll_out(c));
    else if (c->rank != c->root)
        mpi_coll_receive(c, c->root, mpi_coll_in(c));
    for (int r = 0; c->rank == c->root && r < c->size; r++)
        if (r != c->root)
            (gathers ? mpi_coll_receive : mpi_coll_send)(c, r, mpi_block(c, all, r));
}

/* How many ranks, itself included, are below `me` of `size` in a binomial tree. */
static int subtree_ranks(int me, int size)
{
    int span = mpi_tree_span(me, size);

    return span < size - me ? span : size - me;
}

/* The root's blocks of ranks [first, first + n) relative to it, without gaps: as they lie, or in
 * scratch memory. */
static struct mpi_data root_range(const struct mpi_coll *c, const struct mpi_blocks *b, int first,
                                  int n, bool load)
{
    int r = mpi_wrap(first + c->root, c->size);
    struct mpi_data d;

    if (r + n <= c->size)
        return mpi_block_range(b, r, n);
    d = mpi_coll_memory(c, (uint64_t)n * c->bytes);
    for (int i = 0; load && i < n; i++)
        mpi_coll_copy(c, mpi_block_range(b, mpi_wrap(r + i, c->size), 1),
                      mpi_pieces(d, c->bytes, i, 1));
    return d;
}

static void gather_binomial(struct mpi_coll *c)
{
    struct mpi_data own = mpi_coll_out(c), d;
    int me = mpi_wrap(c->rank - c->root, c->size), below = subtree_ranks(me, c->size);
    uint64_t b = c->bytes;
    struct mpi_data held = own;

    if (me != 0 && below > 1) {
        held = mpi_coll_memory(c, (uint64_t)below * b);
        mpi_coll_copy(c, own, mpi_pieces(held, b, 0, 1));
    }
    for (int step = 1; step < below; step *= 2) {
        int n = subtree_ranks(me + step, c->size);

        d = me != 0 ? mpi_pieces(held, b, step, n) : root_range(c, &c->in, step, n, false);
        mpi_coll_receive(c, mpi_coll_beside(c, step), d);
        if (me == 0 && mpi_wrap(step + c->root, c->size) + n > c->size) {
            mpi_coll_fence(c);
            for (int i = 0; i < n; i++)
                mpi_coll_copy(c, mpi_pieces(d, b, i, 1),
                              mpi_block_in(c, mpi_wrap(c->root + step + i, c->size)));
        }
    }
    mpi_coll_fence(c);
    if (me != 0)
        mpi_coll_send(c, mpi_coll_beside(c, -mpi_tree_span(me, c->size)), held);
}

static void scatter_binomial(struct mpi_coll *c)
{
    struct mpi_data own = mpi_coll_in(c), held = own;
    int me = mpi_wrap(c->rank - c->root, c->size), below = subtree_ranks(me, c->size);
    int step = mpi_tree_span(me, c->size);
    uint64_t b = c->bytes;

    if (me != 0) {
        if (below > 1)
            held = mpi_coll_memory(c, (uint64_t)below * b);
        mpi_coll_receive(c, mpi_coll_beside(c, -step), held);
        mpi_coll_fence(c);
    }
    for (step /= 2; step >= 1; step /= 2) {
        int n = me + step < c->size ? subtree_ranks(me + step, c->size) : 0;

        if (n > 0)
            mpi_coll_send(c, mpi_coll_beside(c, step),
                          me != 0 ? mpi_pieces(held, b, step, n)
                                  : root_range(c, &c->out, step, n, true));
    }
    if (me != 0 && below > 1)
        mpi_coll_copy(c, mpi_pieces(held, b, 0, 1), own);
}

const struct mpi_algorithm mpi_gather_algorithms[] = {
    { MPI_COLL_GATHER, "binomial", NULL, gather_binomial },
    { MPI_COLL_GATHER, "linear", NULL, exchange_linear },
    { MPI_COLL_GATHERV, "linear", NULL, exchange_linear },
    { MPI_COLL_SCATTER, "binomial", NULL, scatter_binomial },
    { MPI_COLL_SCATTER, "linear", NULL, exchange_linear },
    { MPI_COLL_SCATTERV, "linear", NULL, exchange_linear },
    { 0 },
};
