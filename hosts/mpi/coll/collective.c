/*
 * Collectives that move data. Each one's arguments are checked and its steps written in one place,
 * for both forms: `request` is NULL for the blocking one.
 *
 * The caller's own block is copied first of all, so that algorithms see no MPI_IN_PLACE.
 */
#include "hosts/mpi/coll/call.h"

static struct mpi_data first(const struct mpi_blocks *b)
{
    return mpi_block_range(b, 0, 1);
}

static int barrier(const char *call, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, MPI_COLL_BARRIER, comm);

    if (code == MPI_SUCCESS && c.far != NULL)
        mpi_inter_barrier(&c);
    else if (code == MPI_SUCCESS)
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

int MPI_Barrier(MPI_Comm comm)
{
    return barrier(__func__, comm, NULL);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    return barrier(__func__, comm, request);
}

static int bcast(const char *call, void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                 MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, MPI_COLL_BCAST, comm);

    if (code == MPI_SUCCESS)
        code = mpi_coll_check_root(&c, root);
    if (code == MPI_SUCCESS && root != MPI_PROC_NULL)
        code = mpi_coll_check(&c, &c.in, buf, count, type);
    if (code != MPI_SUCCESS || root == MPI_PROC_NULL)
        return mpi_coll_end(&c, call, code, request);
    c.bytes = mpi_block_bytes(&c.in);
    if (c.far != NULL)
        mpi_inter_bcast(&c);
    else if (c.bytes > 0)
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return bcast(__func__, buf, count, type, root, comm, NULL);
}

int MPI_Ibcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request)
{
    return bcast(__func__, buf, count, type, root, comm, request);
}

/** What a program passes for the side with a block for each rank, and for the other side. */
struct sides {
    const void *one;
    int one_count;
    MPI_Datatype one_type;
    const void *all;
    int all_count; /* when counts is NULL */
    const int *counts, *displs;
    MPI_Datatype all_type;
    int root;
    bool v; /* counts and displs */
};

static int check_all(struct mpi_coll *c, struct mpi_blocks *b, const struct sides *a)
{
    int n = c->far != NULL ? c->far->npeers : c->size;

    if (a->v)
        return mpi_coll_check_v(c, b, a->all, n, a->counts, a->displs, a->all_type);
    return mpi_coll_check(c, b, a->all, a->all_count, a->all_type);
}

/* One root has blocks for all ranks in `all`, each rank one in `one`. */
static int rooted(const char *call, enum mpi_collective kind, const struct sides *a, MPI_Comm comm,
                  MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, kind, comm);
    bool gathers = kind == MPI_COLL_GATHER || kind == MPI_COLL_GATHERV, is_root, has_one;
    struct mpi_blocks *all = gathers ? &c.in : &c.out, *one = gathers ? &c.out : &c.in;

    if (code == MPI_SUCCESS)
        code = mpi_coll_check_root(&c, a->root);
    if (code != MPI_SUCCESS || a->root == MPI_PROC_NULL)
        return mpi_coll_end(&c, call, code, request);
    is_root = mpi_coll_is_root(&c);
    has_one = c.far != NULL ? !is_root : !is_root || a->one != MPI_IN_PLACE;
    if (is_root)
        code = check_all(&c, all, a);
    if (code == MPI_SUCCESS && has_one)
        code = mpi_coll_check(&c, one, a->one, a->one_count, a->one_type);
    else if (code == MPI_SUCCESS)
        *one = *all; /* not looked at */
    if (code == MPI_SUCCESS && c.far == NULL && is_root && has_one)
        code = mpi_coll_check_own(&c, first(one), mpi_block(&c, all, c.rank));
    if (code != MPI_SUCCESS)
        return mpi_coll_end(&c, call, code, request);
    if (!a->v)
        c.bytes = mpi_block_bytes(is_root ? all : one);
    if (c.far != NULL)
        (gathers ? mpi_inter_gather : mpi_inter_scatter)(&c);
    else if (is_root && has_one)
        mpi_coll_copy(&c, gathers ? first(one) : mpi_block(&c, all, c.rank),
                      gathers ? mpi_block(&c, all, c.rank) : first(one));
    if (c.far == NULL && (a->v || c.bytes > 0))
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

static int gather(const char *call, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request *request)
{
    struct sides a = { .one = sendbuf,
                       .one_count = sendcount,
                       .one_type = sendtype,
                       .all = recvbuf,
                       .all_count = recvcount,
                       .all_type = recvtype,
                       .root = root };

    return rooted(call, MPI_COLL_GATHER, &a, comm, request);
}

int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return gather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  NULL);
}

int MPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    return gather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                  request);
}

static int gatherv(const char *call, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                   void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                   int root, MPI_Comm comm, MPI_Request *request)
{
    struct sides a = { .one = sendbuf,
                       .one_count = sendcount,
                       .one_type = sendtype,
                       .all = recvbuf,
                       .counts = recvcounts,
                       .displs = displs,
                       .all_type = recvtype,
                       .root = root,
                       .v = true };

    return rooted(call, MPI_COLL_GATHERV, &a, comm, request);
}

int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                MPI_Comm comm)
{
    return gatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                   root, comm, NULL);
}

int MPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                 MPI_Comm comm, MPI_Request *request)
{
    return gatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                   root, comm, request);
}

static int scatter(const char *call, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                   void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Request *request)
{
    struct sides a = { .one = recvbuf,
                       .one_count = recvcount,
                       .one_type = recvtype,
                       .all = sendbuf,
                       .all_count = sendcount,
                       .all_type = sendtype,
                       .root = root };

    return rooted(call, MPI_COLL_SCATTER, &a, comm, request);
}

int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return scatter(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                   NULL);
}

int MPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request *request)
{
    return scatter(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                   request);
}

static int scatterv(const char *call, const void *sendbuf, const int sendcounts[],
                    const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    struct sides a = { .one = recvbuf,
                       .one_count = recvcount,
                       .one_type = recvtype,
                       .all = sendbuf,
                       .counts = sendcounts,
                       .displs = displs,
                       .all_type = sendtype,
                       .root = root,
                       .v = true };

    return rooted(call, MPI_COLL_SCATTERV, &a, comm, request);
}

int MPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[],
                 MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                 int root, MPI_Comm comm)
{
    return scatterv(__func__, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                    root, comm, NULL);
}

int MPI_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[],
                  MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm, MPI_Request *request)
{
    return scatterv(__func__, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                    root, comm, request);
}

static int gather_to_all(const char *call, enum mpi_collective kind, const struct sides *a,
                         MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, kind, comm);
    bool in_place = code == MPI_SUCCESS && c.far == NULL && a->one == MPI_IN_PLACE;

    if (code == MPI_SUCCESS)
        code = check_all(&c, &c.in, a);
    if (code == MPI_SUCCESS && !in_place)
        code = mpi_coll_check(&c, &c.out, a->one, a->one_count, a->one_type);
    if (code == MPI_SUCCESS && c.far == NULL && !in_place)
        code = mpi_coll_check_own(&c, first(&c.out), mpi_block(&c, &c.in, c.rank));
    if (code != MPI_SUCCESS)
        return mpi_coll_end(&c, call, code, request);
    if (c.far != NULL) {
        mpi_inter_allgather(&c);
        return mpi_coll_end(&c, call, code, request);
    }
    if (!in_place)
        mpi_coll_copy(&c, first(&c.out), mpi_block(&c, &c.in, c.rank));
    if (!a->v)
        c.bytes = mpi_block_bytes(&c.in);
    for (int r = 0; a->v && r < c.size; r++)
        c.bytes += (uint64_t)a->counts[r] * c.in.type->bytes;
    if (c.bytes > 0)
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

static int allgather(const char *call, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                     void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                     MPI_Request *request)
{
    struct sides a = { .one = sendbuf,
                       .one_count = sendcount,
                       .one_type = sendtype,
                       .all = recvbuf,
                       .all_count = recvcount,
                       .all_type = recvtype };

    return gather_to_all(call, MPI_COLL_ALLGATHER, &a, comm, request);
}

int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     NULL);
}

int MPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return allgather(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                     request);
}

static int allgatherv(const char *call, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                      void *recvbuf, const int recvcounts[], const int displs[],
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    struct sides a = { .one = sendbuf,
                       .one_count = sendcount,
                       .one_type = sendtype,
                       .all = recvbuf,
                       .counts = recvcounts,
                       .displs = displs,
                       .all_type = recvtype,
                       .v = true };

    return gather_to_all(call, MPI_COLL_ALLGATHERV, &a, comm, request);
}

int MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                      comm, NULL);
}

int MPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                    MPI_Comm comm, MPI_Request *request)
{
    return allgatherv(__func__, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                      comm, request);
}
