/* Collectives among neighbours of a topology. */
#include "hosts/mpi/coll/call.h"

/*
 * Messages of one pair match in order. Where a periodic dimension has one or two ranks, both
 * neighbours in it are the same, and what was sent up has to come in from below: so on grids the
 * receives of a dimension are posted from above first.
 */
static void build_messages(struct mpi_coll *c, const struct mpi_topology *t)
{
    bool one_out = c->kind == MPI_COLL_NEIGHBOR_ALLGATHER;
    int turn = t->kind == MPI_CART;

    for (int i = 0; i < t->nin; i++)
        mpi_coll_receive(c, t->in[i ^ turn], mpi_block_in(c, i ^ turn));
    for (int i = 0; i < t->nout; i++)
        mpi_coll_send(c, t->out[i], mpi_block_out(c, one_out ? 0 : i));
}

void mpi_prepare_neighbors(struct mpi_coll *c, const struct mpi_sides *a)
{
    const struct mpi_topology *t;

    if (!mpi_coll_check_intra(c))
        return;
    t = c->comm->topology;
    if (t == NULL)
        c->code = mpi_fail(c->mr, MPI_ERR_TOPOLOGY, "comm = %d: no topology", c->comm->handle);
    else if (mpi_coll_check(c, &c->out, &a->out, t->nout) &&
             mpi_coll_check(c, &c->in, &a->in, t->nin))
        build_messages(c, t);
}
