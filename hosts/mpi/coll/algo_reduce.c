/* Reduce. Sums of lower ranks are always left of those of higher ranks, so that operations that do
 * not commute may be used. */
#include "hosts/mpi/coll/collective.h"

/* All send to the root, which combines in the order of ranks. */
static void reduce_linear(struct mpi_coll *c)
{
    struct mpi_data own = mpi_coll_out(c), sum, got;

    if (c->rank != c->root) {
        mpi_coll_send(c, c->root, own);
        return;
    }
    sum = mpi_coll_like(c, own);
    got = mpi_coll_like(c, own);
    for (int r = 0; r < c->size; r++) {
        if (r == c->rank)
            mpi_coll_copy(c, own, r == 0 ? sum : got);
        else
            mpi_coll_receive(c, r, r == 0 ? sum : got);
        mpi_coll_fence(c);
        if (r > 0)
            mpi_coll_combine(c, false, &sum, &got);
    }
    mpi_coll_move(c, sum, mpi_coll_in(c));
}

void mpi_reduce_tree(const struct mpi_coll *c, int top, struct mpi_data to)
{
    struct mpi_data sum = mpi_coll_out(c), got = sum;
    int me = mpi_wrap(c->rank - top, c->size);
    bool own = true; /* nothing has been combined yet */

    for (int step = 1; step < c->size; step *= 2) {
        if ((me & step) != 0) {
            mpi_coll_send(c, mpi_coll_beside(c, -step), sum);
            break;
        }
        if (me + step >= c->size)
            continue;
        if (own) {
            got = mpi_coll_like(c, got);
            sum = me == 0 ? to : mpi_coll_like(c, got);
            mpi_coll_move(c, mpi_coll_out(c), sum);
            own = false;
        }
        mpi_coll_receive(c, mpi_coll_beside(c, step), got);
        mpi_coll_fence(c);
        mpi_coll_combine(c, c->commutes, &sum, &got); /* then the sum stays where it is */
    }
    if (me == 0)
        mpi_coll_move(c, sum, to);
}

/* To the root, or, where the order of ranks counts, by way of rank 0. */
static void reduce_binomial(struct mpi_coll *c)
{
    struct mpi_data to = mpi_coll_in(c);
    int top = c->commutes ? c->root : 0;

    if (c->rank == top && top != c->root)
        to = mpi_coll_scratch(c, c->out.count, c->out.type);
    mpi_reduce_tree(c, top, to);
    mpi_coll_fence(c);
    if (top == c->root)
        return;
    if (c->rank == top)
        mpi_coll_send(c, c->root, to);
    else if (c->rank == c->root)
        mpi_coll_receive(c, top, to);
}

/* Rabenseifner: reduce and scatter parts, then gather them. */
static void scatter_gather(struct mpi_coll *c)
{
    struct mpi_data own = mpi_coll_out(c);
    struct mpi_data sum = c->rank == c->root ? mpi_coll_in(c) : mpi_coll_like(c, own);
    struct mpi_halves h;

    mpi_coll_move(c, own, sum);
    mpi_halves_init(c, &h, c->root, sum.count);
    mpi_halves_reduce(c, &h, sum);
    mpi_halves_gather(c, &h, sum);
}

const struct mpi_algorithm mpi_reduce_algorithms[] = {
    { MPI_COLL_REDUCE, "binomial", NULL, reduce_binomial },
    { MPI_COLL_REDUCE, "linear", NULL, reduce_linear },
    { MPI_COLL_REDUCE, "scatter-gather", mpi_coll_commutes, scatter_gather },
    { 0 },
};
