/* All to all, and what allgather shares with it. The own block has been copied when a schedule
 * begins. */
#include "hosts/mpi/coll/collective.h"

/* All at once, each rank beginning with the next one further on. */
void mpi_spread(struct mpi_coll *c)
{
    bool gathers = mpi_coll_gathers(c);

    for (int i = 1; i < c->size; i++) {
        int from = mpi_coll_beside(c, -i);

        mpi_coll_receive(c, from, mpi_block_in(c, from));
    }
    for (int i = 1; i < c->size; i++) {
        int to = mpi_coll_beside(c, i);

        mpi_coll_send(c, to, gathers ? mpi_block_in(c, c->rank) : mpi_block_out(c, to));
    }
}

/* All at once, each rank in the order of ranks. */
static void alltoall_linear(struct mpi_coll *c)
{
    for (int r = 0; r < c->size; r++)
        if (r != c->rank)
            mpi_coll_receive(c, r, mpi_block_in(c, r));
    for (int r = 0; r < c->size; r++)
        if (r != c->rank)
            mpi_coll_send(c, r, mpi_block_out(c, r));
}

/* One after the other: each rank sends to one and receives from one at a time. */
static void alltoall_pairwise(struct mpi_coll *c)
{
    bool cube = mpi_coll_is_cube(c);

    for (int i = 1; i < c->size; i++) {
        int from = cube ? c->rank ^ i : mpi_coll_beside(c, -i);
        int to = cube ? from : mpi_coll_beside(c, i);

        mpi_coll_exchange(c, from, mpi_block_in(c, from), to, mpi_block_out(c, to));
    }
}

/* Bruck: held block i is for the rank i further on; in round k all whose i has bit k go 2^k ranks
 * on, together. */
static void alltoall_bruck(struct mpi_coll *c)
{
    uint64_t b = c->bytes, all = b * (uint64_t)c->size;
    struct mpi_data held = mpi_coll_memory(c, all);
    struct mpi_data going = mpi_coll_memory(c, all);
    struct mpi_data coming = mpi_coll_memory(c, all);

    for (int i = 0; i < c->size; i++)
        mpi_coll_copy(c, mpi_block_out(c, mpi_coll_beside(c, i)), mpi_pieces(held, b, i, 1));
    for (int step = 1; step < c->size; step *= 2) {
        int n = 0;

        for (int i = step; i < c->size; i++)
            if ((i & step) != 0)
                mpi_coll_copy(c, mpi_pieces(held, b, i, 1), mpi_pieces(going, b, n++, 1));
        mpi_coll_exchange(c, mpi_coll_beside(c, -step), mpi_pieces(coming, b, 0, n),
                          mpi_coll_beside(c, step), mpi_pieces(going, b, 0, n));
        n = 0;
        for (int i = step; i < c->size; i++)
            if ((i & step) != 0)
                mpi_coll_copy(c, mpi_pieces(coming, b, n++, 1), mpi_pieces(held, b, i, 1));
    }
    for (int i = 1; i < c->size; i++)
        mpi_coll_copy(c, mpi_pieces(held, b, i, 1), mpi_block_in(c, mpi_coll_beside(c, -i)));
}

const struct mpi_algorithm mpi_alltoall_algorithms[] = {
    { MPI_COLL_ALLTOALL, "spread", NULL, mpi_spread },
    { MPI_COLL_ALLTOALL, "linear", NULL, alltoall_linear },
    { MPI_COLL_ALLTOALL, "pairwise", NULL, alltoall_pairwise },
    { MPI_COLL_ALLTOALL, "bruck", NULL, alltoall_bruck },
    { MPI_COLL_ALLTOALLV, "spread", NULL, mpi_spread },
    { MPI_COLL_ALLTOALLV, "linear", NULL, alltoall_linear },
    { MPI_COLL_ALLTOALLV, "pairwise", NULL, alltoall_pairwise },
    { 0 },
};
