/* Allreduce. All ranks get the same bits. */
#include "hosts/mpi/coll/collective.h"

/* To rank 0 and back along a tree. */
static void reduce_bcast(struct mpi_coll *c)
{
    struct mpi_data to = mpi_coll_in(c);

    mpi_reduce_tree(c, 0, to);
    mpi_coll_fence(c);
    mpi_bcast_tree(c, 0, to);
}

/* Pairs exchange all they have. For each rank beyond a power of two an even one stands back for the
 * odd one behind it, so that sums are always of ranks in a row. */
static void allreduce_doubling(struct mpi_coll *c)
{
    struct mpi_data to = mpi_coll_in(c), sum = to, got;
    int cube = mpi_cube_below(c->size), pairs = c->size - cube;
    int place = c->rank < 2 * pairs ? c->rank / 2 : c->rank - pairs;

    if (c->rank < 2 * pairs && c->rank % 2 == 0) {
        mpi_coll_send(c, c->rank + 1, mpi_coll_out(c));
        mpi_coll_fence(c); /* both may be the same memory */
        mpi_coll_receive(c, c->rank + 1, to);
        return;
    }
    got = mpi_coll_like(c, sum);
    mpi_coll_move(c, mpi_coll_out(c), sum);
    if (c->rank < 2 * pairs) {
        mpi_coll_receive(c, c->rank - 1, got);
        mpi_coll_fence(c);
        mpi_coll_combine(c, true, &sum, &got);
    }
    for (int step = 1; step < cube; step *= 2) {
        int far = place ^ step, peer = far < pairs ? 2 * far + 1 : far + pairs;

        mpi_coll_exchange(c, peer, got, peer, sum);
        mpi_coll_combine(c, far < place, &sum, &got);
    }
    if (c->rank < 2 * pairs)
        mpi_coll_send(c, c->rank - 1, sum);
    mpi_coll_move(c, sum, to);
}

/* Reduce and scatter by halves, then gather by doubling. */
static void allreduce_halves(struct mpi_coll *c)
{
    struct mpi_data sum = mpi_coll_in(c);
    struct mpi_halves h;

    mpi_coll_move(c, mpi_coll_out(c), sum);
    mpi_halves_init(c, &h, -1, sum.count);
    mpi_halves_reduce(c, &h, sum);
    mpi_halves_allgather(c, &h, sum);
}

/* Sums of parts travel around a ring, then the results do. */
static void allreduce_ring(struct mpi_coll *c)
{
    struct mpi_data sum = mpi_coll_in(c), got;
    int next = mpi_coll_beside(c, 1), last = mpi_coll_beside(c, -1);

    mpi_coll_move(c, mpi_coll_out(c), sum);
    got = mpi_coll_like(c, sum);
    for (int i = 0; i < c->size - 1; i++) {
        mpi_coll_exchange(c, last, mpi_nth_part(got, c->size, c->rank - i - 1), next,
                          mpi_nth_part(sum, c->size, c->rank - i));
        mpi_coll_sum(c, mpi_nth_part(got, c->size, c->rank - i - 1),
                     mpi_nth_part(sum, c->size, c->rank - i - 1));
    }
    for (int i = 0; i < c->size - 1; i++) {
        mpi_coll_exchange(c, last, mpi_nth_part(sum, c->size, c->rank - i), next,
                          mpi_nth_part(sum, c->size, c->rank + 1 - i));
    }
}

const struct mpi_algorithm mpi_allreduce_algorithms[] = {
    { MPI_COLL_ALLREDUCE, "recursive-doubling", NULL, allreduce_doubling },
    { MPI_COLL_ALLREDUCE, "reduce-bcast", NULL, reduce_bcast },
    { MPI_COLL_ALLREDUCE, "rabenseifner", mpi_coll_commutes, allreduce_halves },
    { MPI_COLL_ALLREDUCE, "ring", mpi_coll_commutes, allreduce_ring },
    { 0 },
};
