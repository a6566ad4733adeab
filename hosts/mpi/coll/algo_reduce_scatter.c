/* Reduce and scatter: `out` has a block for each rank, `in` is the own one. */
#include "hosts/mpi/coll/collective.h"

/* To rank 0, which sends the blocks out. */
static void reduce_scatterv(struct mpi_coll *c)
{
    struct mpi_coll all = *c;
    struct mpi_data own = mpi_coll_in(c), sum = mpi_coll_given(c);

    all.out = (struct mpi_blocks){ .at = sum.at, .count = sum.count, .type = sum.type };
    if (c->rank == 0)
        sum = mpi_coll_like(c, sum);
    mpi_reduce_tree(&all, 0, sum);
    mpi_coll_fence(c);
    if (c->rank != 0) {
        mpi_coll_receive(c, 0, own);
        return;
    }
    all.out = c->out;
    all.out.at = sum.at;
    mpi_coll_copy(c, mpi_block(&all, &all.out, 0), own);
    for (int r = 1; r < c->size; r++)
        mpi_coll_send(c, r, mpi_block(&all, &all.out, r));
}

/* In step i each rank sends the block of the rank i further on to it. */
static void reduce_scatter_pairwise(struct mpi_coll *c)
{
    struct mpi_data own = mpi_coll_in(c);
    struct mpi_data got = mpi_coll_like(c, own);

    mpi_coll_copy(c, mpi_block_out(c, c->rank), own);
    for (int i = 1; i < c->size; i++) {
        int to = mpi_coll_beside(c, i);

        mpi_coll_exchange(c, mpi_coll_beside(c, -i), got, to, mpi_block_out(c, to));
        mpi_coll_sum(c, got, own);
    }
}

/* The sum of a block travels around the ring and ends where it belongs. */
static void reduce_scatter_ring(struct mpi_coll *c)
{
    struct mpi_data own = mpi_coll_in(c), sum[2], out;
    uint64_t most = 0;

    for (int r = 0; r < c->size; r++) {
        uint64_t n = mpi_block_out(c, r).count;

        most = n > most ? n : most;
    }
    sum[0] = mpi_coll_scratch(c, most, own.type);
    sum[1] = mpi_coll_scratch(c, most, own.type);
    out = mpi_block_out(c, mpi_coll_beside(c, -1));
    if (c->size == 1)
        mpi_coll_copy(c, out, own);
    for (int i = 0; i < c->size - 1; i++) {
        struct mpi_data add = mpi_block_out(c, mpi_coll_beside(c, -2 - i));
        struct mpi_data in = i == c->size - 2 ? own : mpi_part(sum[i % 2], 0, add.count);

        mpi_coll_exchange(c, mpi_coll_beside(c, -1), in, mpi_coll_beside(c, 1), out);
        mpi_coll_sum(c, add, in);
        out = in;
    }
}

static bool commutes_on_cube(const struct mpi_coll *c)
{
    return c->commutes && mpi_coll_is_cube(c);
}

static void reduce_scatter_halving(struct mpi_coll *c)
{
    struct mpi_data out = mpi_coll_given(c), sum = mpi_coll_like(c, out);
    struct mpi_halves h;

    mpi_halves_init(c, &h, -1, out.count);
    for (int r = 0; r < c->size; r++)
        h.cuts[r + 1] = h.cuts[r] + mpi_block_out(c, r).count;
    mpi_coll_copy(c, out, sum);
    mpi_halves_reduce(c, &h, sum);
    mpi_coll_copy(c, mpi_part(sum, h.cuts[c->rank], h.cuts[c->rank + 1]), mpi_coll_in(c));
}

const struct mpi_algorithm mpi_reduce_scatter_algorithms[] = {
    { MPI_COLL_REDUCE_SCATTER, "pairwise", mpi_coll_commutes, reduce_scatter_pairwise },
    { MPI_COLL_REDUCE_SCATTER, "reduce-scatterv", NULL, reduce_scatterv },
    { MPI_COLL_REDUCE_SCATTER, "ring", mpi_coll_commutes, reduce_scatter_ring },
    { MPI_COLL_REDUCE_SCATTER, "halving", commutes_on_cube, reduce_scatter_halving },
    { 0 },
};
