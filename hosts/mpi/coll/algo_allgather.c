/* Allgather. The own block is in place when a schedule begins. */
#include "hosts/mpi/coll/collective.h"

/* Each block travels once around. */
static void allgather_ring(struct mpi_coll *c)
{
    mpi_coll_came(c, c->rank);
    for (int i = 0; i < c->size - 1; i++) {
        int out = mpi_coll_beside(c, -i), in = mpi_wrap(out - 1, c->size);

        mpi_coll_exchange(c, mpi_coll_beside(c, -1), mpi_block_in(c, in), mpi_coll_beside(c, 1),
                          mpi_block_in(c, out));
        mpi_coll_came(c, in);
    }
}

bool mpi_coll_one_by_one(void (*build)(struct mpi_coll *c))
{
    return build == allgather_ring;
}

static void allgather_doubling(struct mpi_coll *c)
{
    for (int step = 1; step < c->size; step *= 2) {
        int peer = c->rank ^ step;

        mpi_coll_exchange(c, peer, mpi_block_range(&c->in, peer & ~(step - 1), step), peer,
                          mpi_block_range(&c->in, c->rank & ~(step - 1), step));
    }
}

/* Blocks are held from the own one on; in round k the first 2^k go 2^k ranks back. */
static void allgather_bruck(struct mpi_coll *c)
{
    uint64_t b = c->bytes;
    int after = c->size - c->rank - 1;
    struct mpi_data held = mpi_coll_memory(c, b * (uint64_t)c->size);

    mpi_coll_copy(c, mpi_block_in(c, c->rank), mpi_pieces(held, b, 0, 1));
    for (int step = 1; step < c->size; step *= 2) {
        int n = step < c->size - step ? step : c->size - step;

        mpi_coll_exchange(c, mpi_coll_beside(c, step), mpi_pieces(held, b, step, n),
                          mpi_coll_beside(c, -step), mpi_pieces(held, b, 0, n));
    }
    mpi_coll_copy(c, mpi_pieces(held, b, 1, after), mpi_block_range(&c->in, c->rank + 1, after));
    mpi_coll_copy(c, mpi_pieces(held, b, after + 1, c->rank), mpi_block_range(&c->in, 0, c->rank));
}

static bool is_even(const struct mpi_coll *c)
{
    return c->size % 2 == 0;
}

/* Pairs pass pairs of blocks to the left and to the right in turn (Chen, Zhang and others, 2005).
 */
static void neighbor_exchange(struct mpi_coll *c)
{
    int n = c->size, odd = c->rank % 2, way = odd ? -1 : 1;
    int peer[2] = { mpi_wrap(c->rank + way, n), mpi_wrap(c->rank - way, n) };
    int from[2], pair = c->rank - odd; /* the pair of blocks that is passed on next */

    from[0] = from[1] = pair;
    mpi_coll_exchange(c, peer[0], mpi_block_in(c, peer[0]), peer[0], mpi_block_in(c, c->rank));
    for (int i = 1; i < n / 2; i++) {
        int k = i % 2;

        from[k] = mpi_wrap(from[k] + ((k == 0) == (odd == 0) ? 2 : -2), n);
        mpi_coll_exchange(c, peer[k], mpi_block_range(&c->in, from[k], 2), peer[k],
                          mpi_block_range(&c->in, pair, 2));
        pair = from[k];
    }
}

const struct mpi_algorithm mpi_allgather_algorithms[] = {
    { MPI_COLL_ALLGATHER, "ring", NULL, allgather_ring },
    { MPI_COLL_ALLGATHER, "linear", NULL, mpi_spread },
    { MPI_COLL_ALLGATHER, "recursive-doubling", mpi_coll_is_cube, allgather_doubling },
    { MPI_COLL_ALLGATHER, "bruck", NULL, allgather_bruck },
    { MPI_COLL_ALLGATHER, "neighbor-exchange", is_even, neighbor_exchange },
    { MPI_COLL_ALLGATHERV, "ring", NULL, allgather_ring },
    { MPI_COLL_ALLGATHERV, "linear", NULL, mpi_spread },
    { 0 },
};
