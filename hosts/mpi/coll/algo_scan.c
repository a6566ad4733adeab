/* Scan and exscan. */
#include "hosts/mpi/coll/collective.h"

/* Each rank waits for the one before it. */
static void scan_linear(struct mpi_coll *c)
{
    bool own_too = c->kind == MPI_COLL_SCAN;
    struct mpi_data own = mpi_coll_out(c), to = mpi_coll_in(c);
    struct mpi_data got = mpi_coll_like(c, own);
    struct mpi_data sum = own_too ? to : mpi_coll_like(c, own);

    mpi_coll_move(c, own, sum);
    if (c->rank > 0) {
        mpi_coll_receive(c, c->rank - 1, got);
        mpi_coll_fence(c);
        mpi_coll_sum(c, got, sum);
        if (!own_too)
            mpi_coll_copy(c, got, to);
    }
    if (c->rank + 1 < c->size)
        mpi_coll_send(c, c->rank + 1, sum);
}

/* Pairs of groups exchange their sums; a higher one's go into the result of none. */
static void scan_doubling(struct mpi_coll *c)
{
    struct mpi_data own = mpi_coll_out(c), to = mpi_coll_in(c);
    struct mpi_data sum = mpi_coll_like(c, own);
    struct mpi_data got = mpi_coll_like(c, own);
    bool has = c->kind == MPI_COLL_SCAN;

    mpi_coll_copy(c, own, sum);
    if (has)
        mpi_coll_move(c, own, to);
    for (int step = 1; step < c->size; step *= 2) {
        int peer = c->rank ^ step;

        if (peer >= c->size)
            continue;
        mpi_coll_exchange(c, peer, got, peer, sum);
        if (peer < c->rank && has)
            mpi_coll_sum(c, got, to);
        else if (peer < c->rank)
            mpi_coll_copy(c, got, to);
        has = has || peer < c->rank;
        mpi_coll_combine(c, peer < c->rank, &sum, &got);
    }
}

const struct mpi_algorithm mpi_scan_algorithms[] = {
    { MPI_COLL_SCAN, "recursive-doubling", NULL, scan_doubling },
    { MPI_COLL_SCAN, "linear", NULL, scan_linear },
    { MPI_COLL_EXSCAN, "recursive-doubling", NULL, scan_doubling },
    { MPI_COLL_EXSCAN, "linear", NULL, scan_linear },
    { 0 },
};
