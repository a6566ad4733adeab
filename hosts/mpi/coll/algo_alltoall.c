/* All to all. The own block has been copied when a schedule begins. */
#include "hosts/mpi/coll/collective.h"

/* All at once, each rank beginning with the next one further on. */
static void spread(struct mpi_coll *c)
{
    for (int i = 1; i < c->size; i++) {
        int from = mpi_wrap(c->rank - i, c->size);

        mpi_coll_receive(c, from, mpi_block(c, &c->in, from));
    }
    for (int i = 1; i < c->size; i++) {
        int to = mpi_wrap(c->rank + i, c->size);

        mpi_coll_send(c, to, mpi_block(c, &c->out, to));
    }
}

/* All at once, everybody in the order of ranks. */
static void linear(struct mpi_coll *c)
{
    for (int r = 0; r < c->size; r++)
        if (r != c->rank)
            mpi_coll_receive(c, r, mpi_block(c, &c->in, r));
    for (int r = 0; r < c->size; r++)
        if (r != c->rank)
            mpi_coll_send(c, r, mpi_block(c, &c->out, r));
}

/* One after the other: each rank sends to one and receives from one at a time. */
static void pairwise(struct mpi_coll *c)
{
    bool cube = mpi_coll_is_cube(c);

    for (int i = 1; i < c->size; i++) {
        int from = cube ? c->rank ^ i : mpi_wrap(c->rank - i, c->size);
        int to = cube ? from : mpi_wrap(c->rank + i, c->size);

        mpi_coll_receive(c, from, mpi_block(c, &c->in, from));
        mpi_coll_send(c, to, mpi_block(c, &c->out, to));
        mpi_coll_fence(c);
    }
}

static struct mpi_data nth(struct mpi_data d, int i, uint64_t bytes)
{
    return mpi_part(d, (uint64_t)i * bytes, (uint64_t)(i + 1) * bytes);
}

/* Bruck: held block i is for the rank i further on; in round k all whose i has bit k go 2^k ranks
 * on, together. */
static void bruck(struct mpi_coll *c)
{
    uint64_t b = c->bytes, all = b * (uint64_t)c->size;
    struct mpi_data held = mpi_bytes(c, mpi_schedule_memory(c->s, all), all);
    struct mpi_data going = mpi_bytes(c, mpi_schedule_memory(c->s, all), all);
    struct mpi_data coming = mpi_bytes(c, mpi_schedule_memory(c->s, all), all);

    for (int i = 0; i < c->size; i++)
        mpi_coll_copy(c, mpi_block_range(&c->out, mpi_wrap(c->rank + i, c->size), 1),
                      nth(held, i, b));
    for (int step = 1; step < c->size; step *= 2) {
        int n = 0;

        for (int i = step; i < c->size; i++)
            if ((i & step) != 0)
                mpi_coll_copy(c, nth(held, i, b), nth(going, n++, b));
        mpi_coll_receive(c, mpi_wrap(c->rank - step, c->size),
                         mpi_part(coming, 0, (uint64_t)n * b));
        mpi_coll_send(c, mpi_wrap(c->rank + step, c->size), mpi_part(going, 0, (uint64_t)n * b));
        mpi_coll_fence(c);
        n = 0;
        for (int i = step; i < c->size; i++)
            if ((i & step) != 0)
                mpi_coll_copy(c, nth(coming, n++, b), nth(held, i, b));
    }
    for (int i = 1; i < c->size; i++)
        mpi_coll_copy(c, nth(held, i, b),
                      mpi_block_range(&c->in, mpi_wrap(c->rank - i, c->size), 1));
}

const struct mpi_algorithm mpi_alltoall_algorithms[] = {
    { MPI_COLL_ALLTOALL, "spread", NULL, spread },
    { MPI_COLL_ALLTOALL, "linear", NULL, linear },
    { MPI_COLL_ALLTOALL, "pairwise", NULL, pairwise },
    { MPI_COLL_ALLTOALL, "bruck", NULL, bruck },
    { MPI_COLL_ALLTOALLV, "spread", NULL, spread },
    { MPI_COLL_ALLTOALLV, "linear", NULL, linear },
    { MPI_COLL_ALLTOALLV, "pairwise", NULL, pairwise },
    { 0 },
};
