/*
 * Collectives of an inter-communicator: what one group gives, the other gets. Ranks 0 speak for
 * their groups where one message is enough; what then happens within a group uses its own, local
 * communicator.
 */
#include "hosts/mpi/coll/call.h"

static bool is_receiver(const struct mpi_coll *c)
{
    return c->root >= 0; /* a rank of the other group is the root */
}

/* Rank 0 knows that its group is there when all have reported along the tree. */
static void inter_barrier(struct mpi_coll *c)
{
    struct mpi_data none = mpi_bytes(c, NULL, 0);

    c->out = c->in = (struct mpi_blocks){ .type = none.type };
    mpi_reduce_tree(c, 0, none);
    mpi_coll_fence(c);
    if (c->rank == 0) {
        mpi_coll_receive_far(c, 0, none);
        mpi_coll_send_far(c, 0, none);
        mpi_coll_fence(c);
    }
    mpi_bcast_tree(c, 0, none);
}

static void inter_bcast(struct mpi_coll *c)
{
    struct mpi_data all = mpi_coll_in(c);

    if (c->root == MPI_ROOT)
        mpi_coll_send_far(c, 0, all);
    if (!is_receiver(c))
        return;
    if (c->rank == 0) {
        mpi_coll_receive_far(c, c->root, all);
        mpi_coll_fence(c);
    }
    mpi_bcast_tree(c, 0, all);
}

static void inter_gather(struct mpi_coll *c)
{
    for (int r = 0; c->root == MPI_ROOT && r < c->far->npeers; r++)
        mpi_coll_receive_far(c, r, mpi_block_in(c, r));
    if (is_receiver(c))
        mpi_coll_send_far(c, c->root, mpi_coll_out(c));
}

static void inter_scatter(struct mpi_coll *c)
{
    for (int r = 0; c->root == MPI_ROOT && r < c->far->npeers; r++)
        mpi_coll_send_far(c, r, mpi_block_out(c, r));
    if (is_receiver(c))
        mpi_coll_receive_far(c, c->root, mpi_coll_in(c));
}

static void inter_to_all(struct mpi_coll *c)
{
    bool gathers = mpi_coll_gathers(c);

    for (int r = 0; r < c->far->npeers; r++)
        mpi_coll_receive_far(c, r, mpi_block_in(c, r));
    for (int r = 0; r < c->far->npeers; r++)
        mpi_coll_send_far(c, r, gathers ? mpi_coll_out(c) : mpi_block_out(c, r));
}

/* The group's sum on its rank 0. */
static struct mpi_data local_sum(struct mpi_coll *c)
{
    struct mpi_data own = mpi_coll_out(c);
    struct mpi_data sum = c->rank == 0 ? mpi_coll_like(c, own) : own;

    mpi_reduce_tree(c, 0, sum);
    mpi_coll_fence(c);
    return sum;
}

static void inter_reduce(struct mpi_coll *c)
{
    struct mpi_data sum;

    if (c->root == MPI_ROOT)
        mpi_coll_receive_far(c, 0, mpi_coll_in(c));
    if (!is_receiver(c))
        return;
    sum = local_sum(c);
    if (c->rank == 0)
        mpi_coll_send_far(c, c->root, sum);
}

static void inter_allreduce(struct mpi_coll *c)
{
    struct mpi_data sum = local_sum(c), to = mpi_coll_in(c);

    if (c->rank == 0) {
        mpi_coll_receive_far(c, 0, to);
        mpi_coll_send_far(c, 0, sum);
        mpi_coll_fence(c);
    }
    mpi_bcast_tree(c, 0, to);
}

/* `out` is cut into blocks for the ranks of the own group, which also cuts what the others sum. */
static void inter_reduce_scatter(struct mpi_coll *c)
{
    struct mpi_blocks cut = c->out;
    struct mpi_data sum, own = mpi_coll_in(c), all;

    c->out =
        (struct mpi_blocks){ cut.at, mpi_coll_given(c).count, cut.type, NULL, NULL, NULL, NULL };
    sum = local_sum(c);
    if (c->rank > 0) {
        mpi_coll_receive(c, 0, own);
        return;
    }
    all = mpi_coll_like(c, sum);
    mpi_coll_receive_far(c, 0, all);
    mpi_coll_send_far(c, 0, sum);
    mpi_coll_fence(c);
    cut.at = all.at;
    for (int r = 1; r < c->size; r++)
        mpi_coll_send(c, r, mpi_block(c, &cut, r));
    mpi_coll_copy(c, mpi_block(c, &cut, 0), own);
}

void mpi_inter_build(struct mpi_coll *c)
{
    static void (*const builders[MPI_COLLECTIVES])(struct mpi_coll * c) = {
        [MPI_COLL_BARRIER] = inter_barrier,
        [MPI_COLL_BCAST] = inter_bcast,
        [MPI_COLL_GATHER] = inter_gather,
        [MPI_COLL_GATHERV] = inter_gather,
        [MPI_COLL_SCATTER] = inter_scatter,
        [MPI_COLL_SCATTERV] = inter_scatter,
        [MPI_COLL_ALLGATHER] = inter_to_all,
        [MPI_COLL_ALLGATHERV] = inter_to_all,
        [MPI_COLL_ALLTOALL] = inter_to_all,
        [MPI_COLL_ALLTOALLV] = inter_to_all,
        [MPI_COLL_REDUCE] = inter_reduce,
        [MPI_COLL_ALLREDUCE] = inter_allreduce,
        [MPI_COLL_REDUCE_SCATTER] = inter_reduce_scatter,
    };

    builders[c->kind](c);
}
