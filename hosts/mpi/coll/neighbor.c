/* Collectives among neighbours of a topology. */
#include "hosts/mpi/coll/twins.h"

/*
 * Messages of one pair match in order. Where a periodic dimension has one or two ranks, both
 * neighbours in it are the same, and what was sent up has to come in from below: so on grids the
 * receives of a dimension are posted from above first.
 */
static void build(struct mpi_coll *c, bool one_out)
{
    const struct mpi_topology *t = c->comm->topology;
    int turn = t->kind == MPI_CART;

    for (int i = 0; i < t->nin; i++)
        mpi_coll_receive(c, t->in[i ^ turn], mpi_block(c, &c->in, i ^ turn));
    for (int i = 0; i < t->nout; i++)
        mpi_coll_send(c, t->out[i], mpi_block(c, &c->out, one_out ? 0 : i));
}

/* `kind`: allgather has one block for all neighbours. */
static int neighbors(const char *call, enum mpi_collective kind, const struct mpi_sides *a,
                     MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin_intra(&c, MPI_COLL_ALLTOALLV, comm);

    if (code == MPI_SUCCESS && c.comm->topology == NULL)
        code = mpi_fail(c.mr, MPI_ERR_TOPOLOGY, "comm = %d: no topology", comm);
    if (code == MPI_SUCCESS)
        code = mpi_coll_check(&c, &c.out, &a->out, c.comm->topology->nout);
    if (code == MPI_SUCCESS)
        code = mpi_coll_check(&c, &c.in, &a->in, c.comm->topology->nin);
    if (code == MPI_SUCCESS)
        build(&c, kind == MPI_COLL_ALLGATHER);
    return mpi_coll_end(&c, call, code, request);
}

COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, (SEND, RECV), neighbors, MPI_COLL_ALLGATHER,
           OUT, IN)
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, (SEND, RECV_V), neighbors, MPI_COLL_ALLGATHER,
           OUT, IN_V)
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, (SEND, RECV), neighbors, MPI_COLL_ALLTOALL, OUT,
           IN)
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, (SEND_V, RECV_V), neighbors, MPI_COLL_ALLTOALL,
           OUT_V, IN_V)
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, (SEND_W(MPI_Aint), RECV_W(MPI_Aint)), neighbors,
           MPI_COLL_ALLTOALL, OUT_W(far), IN_W(far))
