/* Collectives among neighbours of a topology. */
#include "hosts/mpi/coll/call.h"

/** What a program passes for one side. */
struct side {
    const void *buf;
    int count;
    MPI_Datatype type;
    const int *counts, *displs; /* of the v form, */
    const MPI_Aint *far;        /* and w */
    const MPI_Datatype *types;
    enum { ONE, EACH, V, W } form; /* one block for all, or one for each neighbour */
};

static int check(struct mpi_coll *c, struct mpi_blocks *b, const struct side *a, int n)
{
    if (a->form == W)
        return mpi_coll_check_w(c, b, a->buf, n, a->counts, NULL, a->far, a->types);
    if (a->form == V)
        return mpi_coll_check_v(c, b, a->buf, n, a->counts, a->displs, a->type);
    return mpi_coll_check(c, b, a->buf, a->count, a->type);
}

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

static int neighbors(const char *call, const struct side *out, const struct side *in, MPI_Comm comm,
                     MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin_intra(&c, MPI_COLL_ALLTOALLV, comm);

    if (code == MPI_SUCCESS && c.comm->topology == NULL)
        code = mpi_fail(c.mr, MPI_ERR_TOPOLOGY, "comm = %d: no topology", comm);
    if (code == MPI_SUCCESS)
        code = check(&c, &c.out, out, c.comm->topology->nout);
    if (code == MPI_SUCCESS)
        code = check(&c, &c.in, in, c.comm->topology->nin);
    if (code == MPI_SUCCESS)
        build(&c, out->form == ONE);
    return mpi_coll_end(&c, call, code, request);
}

static int allgather(const char *call, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                     void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                     MPI_Request *request)
{
    struct side out = { .buf = sendbuf, .count = sendcount, .type = sendtype, .form = ONE };
    struct side in = { .buf = recvbuf, .count = recvcount, .type = recvtype, .form = EACH };

    return neighbors(call, &out, &in, comm, request);
}

int MPI_Neighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     NULL);
}

int MPI_Ineighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                            void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                            MPI_Request *request)
{
    return allgather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     request);
}

static int allgatherv(const char *call, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                      void *recvbuf, const int recvcounts[], const int displs[],
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    struct side out = { .buf = sendbuf, .count = sendcount, .type = sendtype, .form = ONE };
    struct side in = {
        .buf = recvbuf, .counts = recvcounts, .displs = displs, .type = recvtype, .form = V
    };

    return neighbors(call, &out, &in, comm, request);
}

int MPI_Neighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                            void *recvbuf, const int recvcounts[], const int displs[],
                            MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                      comm, NULL);
}

int MPI_Ineighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                             void *recvbuf, const int recvcounts[], const int displs[],
                             MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return allgatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                      comm, request);
}

static int alltoall(const char *call, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                    void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request *request)
{
    struct side out = { .buf = sendbuf, .count = sendcount, .type = sendtype, .form = EACH };
    struct side in = { .buf = recvbuf, .count = recvcount, .type = recvtype, .form = EACH };

    return neighbors(call, &out, &in, comm, request);
}

int MPI_Neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                          int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoall(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                    NULL);
}

int MPI_Ineighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                           MPI_Request *request)
{
    return alltoall(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                    request);
}

static int alltoallv(const char *call, const void *sendbuf, const int sendcounts[],
                     const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                     const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Request *request)
{
    struct side out = {
        .buf = sendbuf, .counts = sendcounts, .displs = sdispls, .type = sendtype, .form = V
    };
    struct side in = {
        .buf = recvbuf, .counts = recvcounts, .displs = rdispls, .type = recvtype, .form = V
    };

    return neighbors(call, &out, &in, comm, request);
}

int MPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                           MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                           const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoallv(__func__, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                     recvtype, comm, NULL);
}

int MPI_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                            MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                            const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                            MPI_Request *request)
{
    return alltoallv(__func__, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                     recvtype, comm, request);
}

static int alltoallw(const char *call, const void *sendbuf, const int sendcounts[],
                     const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                     const int recvcounts[], const MPI_Aint rdispls[],
                     const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
    struct side out = {
        .buf = sendbuf, .counts = sendcounts, .far = sdispls, .types = sendtypes, .form = W
    };
    struct side in = {
        .buf = recvbuf, .counts = recvcounts, .far = rdispls, .types = recvtypes, .form = W
    };

    return neighbors(call, &out, &in, comm, request);
}

int MPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return alltoallw(__func__, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                     rdispls, recvtypes, comm, NULL);
}

int MPI_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                            MPI_Request *request)
{
    return alltoallw(__func__, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                     rdispls, recvtypes, comm, request);
}
