/* All to all in its three forms. */
#include "hosts/mpi/coll/call.h"

/* In place: what is to be sent is set aside first, each block without gaps. */
static void set_aside(struct mpi_coll *c)
{
    uint64_t n = (uint64_t)c->size, all = 0;
    int *counts = (int *)(void *)mpi_schedule_memory(c->s, n * sizeof(int));
    MPI_Aint *at = (MPI_Aint *)(void *)mpi_schedule_memory(c->s, n * sizeof(*at));
    MPI_Datatype *types = (MPI_Datatype *)(void *)mpi_schedule_memory(c->s, n * sizeof(*types));
    struct mpi_data d;
    char *to;

    if (counts == NULL || at == NULL || types == NULL)
        return;
    for (int r = 0; r < c->size; r++) {
        d = mpi_block(c, &c->in, r);
        at[r] = (MPI_Aint)all;
        counts[r] = (int)mpi_data_bytes(&d);
        types[r] = MPI_BYTE;
        all += mpi_data_bytes(&d);
    }
    to = mpi_schedule_memory(c->s, all);
    c->out = (struct mpi_blocks){ .at = to, .counts = counts, .far = at, .types = types };
    if (c->in.counts == NULL) { /* all of one size */
        d = mpi_block(c, &c->in, 0);
        c->out = (struct mpi_blocks){ .at = to, .count = mpi_data_bytes(&d) };
        c->out.type = mpi_type_of(c->mr, MPI_BYTE);
    }
    for (int r = 0; to != NULL && r < c->size; r++)
        mpi_coll_copy(c, mpi_block(c, &c->in, r), mpi_block(c, &c->out, r));
}

static int end(struct mpi_coll *c, const char *call, int code, bool in_place, MPI_Request *request)
{
    if (code == MPI_SUCCESS && c->far == NULL && !in_place)
        code = mpi_coll_check_own(c, mpi_block(c, &c->out, c->rank), mpi_block(c, &c->in, c->rank));
    if (code != MPI_SUCCESS)
        return mpi_coll_end(c, call, code, request);
    if (c->far != NULL) {
        mpi_inter_alltoall(c);
        return mpi_coll_end(c, call, code, request);
    }
    if (in_place)
        set_aside(c);
    else
        mpi_coll_copy(c, mpi_block(c, &c->out, c->rank), mpi_block(c, &c->in, c->rank));
    if (c->kind == MPI_COLL_ALLTOALLV || c->bytes > 0)
        mpi_coll_build(c);
    return mpi_coll_end(c, call, code, request);
}

static int peers(const struct mpi_coll *c)
{
    return c->far != NULL ? c->far->npeers : c->size;
}

static int alltoall(const char *call, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                    void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, MPI_COLL_ALLTOALL, comm);
    bool in_place = code == MPI_SUCCESS && c.far == NULL && sendbuf == MPI_IN_PLACE;

    if (code == MPI_SUCCESS)
        code = mpi_coll_check(&c, &c.in, recvbuf, recvcount, recvtype);
    if (code == MPI_SUCCESS && !in_place)
        code = mpi_coll_check(&c, &c.out, sendbuf, sendcount, sendtype);
    if (code == MPI_SUCCESS)
        c.bytes = mpi_block_bytes(&c.in);
    return end(&c, call, code, in_place, request);
}

int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoall(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                    NULL);
}

int MPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return alltoall(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                    request);
}

static int alltoallv(const char *call, const void *sendbuf, const int sendcounts[],
                     const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                     const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, MPI_COLL_ALLTOALLV, comm);
    bool in_place = code == MPI_SUCCESS && c.far == NULL && sendbuf == MPI_IN_PLACE;

    if (code == MPI_SUCCESS)
        code = mpi_coll_check_v(&c, &c.in, recvbuf, peers(&c), recvcounts, rdispls, recvtype);
    if (code == MPI_SUCCESS && !in_place)
        code = mpi_coll_check_v(&c, &c.out, sendbuf, peers(&c), sendcounts, sdispls, sendtype);
    return end(&c, call, code, in_place, request);
}

int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                  MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
                  MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoallv(__func__, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                     recvtype, comm, NULL);
}

int MPI_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return alltoallv(__func__, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                     recvtype, comm, request);
}

static int alltoallw(const char *call, const void *sendbuf, const int sendcounts[],
                     const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                     const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                     MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, MPI_COLL_ALLTOALLV, comm);
    bool in_place = code == MPI_SUCCESS && c.far == NULL && sendbuf == MPI_IN_PLACE;

    if (code == MPI_SUCCESS)
        code =
            mpi_coll_check_w(&c, &c.in, recvbuf, peers(&c), recvcounts, rdispls, NULL, recvtypes);
    if (code == MPI_SUCCESS && !in_place)
        code =
            mpi_coll_check_w(&c, &c.out, sendbuf, peers(&c), sendcounts, sdispls, NULL, sendtypes);
    return end(&c, call, code, in_place, request);
}

int MPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                  const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                  const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return alltoallw(__func__, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                     rdispls, recvtypes, comm, NULL);
}

int MPI_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                   const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                   MPI_Request *request)
{
    return alltoallw(__func__, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                     rdispls, recvtypes, comm, request);
}
