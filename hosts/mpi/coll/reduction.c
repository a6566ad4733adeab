/* Collectives that combine data; both forms of each, as in collective.c. */
#include "hosts/mpi/coll/call.h"

/** What a program passes. */
struct sum_args {
    const void *sendbuf;
    void *recvbuf;
    int count;
    MPI_Datatype type;
    MPI_Op op;
    int root;
};

/* The same count of elements on both sides. */
static int check_sums(struct mpi_coll *c, const struct sum_args *a, bool has_in, bool has_out)
{
    bool in_place = has_in && c->far == NULL && a->sendbuf == MPI_IN_PLACE;
    int code = MPI_SUCCESS;

    if (has_in)
        code = mpi_coll_check(c, &c->in, a->recvbuf, a->count, a->type);
    if (code == MPI_SUCCESS && in_place)
        c->out = c->in;
    else if (code == MPI_SUCCESS && has_out)
        code = mpi_coll_check(c, &c->out, a->sendbuf, a->count, a->type);
    if (code == MPI_SUCCESS && (has_in || c->kind == MPI_COLL_EXSCAN) && !in_place && has_out) {
        struct mpi_data given = mpi_block_range(&c->out, 0, 1), got = given;

        got.at = a->recvbuf;
        code = mpi_coll_check_own(c, given, got);
    }
    if (code == MPI_SUCCESS)
        code = mpi_coll_check_op(c, a->op, a->type);
    if (code != MPI_SUCCESS)
        return code;
    if (!has_in) {
        c->in = c->out;
        c->in.at = NULL;
    }
    c->bytes = mpi_block_bytes(&c->in);
    return MPI_SUCCESS;
}

static int reduce(const char *call, const struct sum_args *a, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, MPI_COLL_REDUCE, comm);
    bool is_root;

    if (code == MPI_SUCCESS)
        code = mpi_coll_check_root(&c, a->root);
    if (code != MPI_SUCCESS || a->root == MPI_PROC_NULL)
        return mpi_coll_end(&c, call, code, request);
    is_root = mpi_coll_is_root(&c);
    code = check_sums(&c, a, is_root, c.far == NULL || !is_root);
    if (code == MPI_SUCCESS && c.far != NULL)
        mpi_inter_reduce(&c);
    else if (code == MPI_SUCCESS && c.bytes > 0)
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
               int root, MPI_Comm comm)
{
    struct sum_args a = { sendbuf, recvbuf, count, type, op, root };

    return reduce(__func__, &a, comm, NULL);
}

int MPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                int root, MPI_Comm comm, MPI_Request *request)
{
    struct sum_args a = { sendbuf, recvbuf, count, type, op, root };

    return reduce(__func__, &a, comm, request);
}

static int allreduce(const char *call, const struct sum_args *a, MPI_Comm comm,
                     MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, MPI_COLL_ALLREDUCE, comm);

    if (code == MPI_SUCCESS)
        code = check_sums(&c, a, true, true);
    if (code == MPI_SUCCESS && c.far != NULL)
        mpi_inter_allreduce(&c);
    else if (code == MPI_SUCCESS && c.bytes > 0)
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    struct sum_args a = { sendbuf, recvbuf, count, type, op, 0 };

    return allreduce(__func__, &a, comm, NULL);
}

int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request)
{
    struct sum_args a = { sendbuf, recvbuf, count, type, op, 0 };

    return allreduce(__func__, &a, comm, request);
}

/* Also the exclusive one, whose result rank 0 does not get. */
static int scan(const char *call, enum mpi_collective kind, const struct sum_args *a, MPI_Comm comm,
                MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin_intra(&c, kind, comm);

    if (code == MPI_SUCCESS)
        code = check_sums(&c, a, kind == MPI_COLL_SCAN || c.rank > 0 || a->sendbuf == MPI_IN_PLACE,
                          true);
    if (code == MPI_SUCCESS && c.bytes > 0)
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

int MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)
{
    struct sum_args a = { sendbuf, recvbuf, count, type, op, 0 };

    return scan(__func__, MPI_COLL_SCAN, &a, comm, NULL);
}

int MPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm, MPI_Request *request)
{
    struct sum_args a = { sendbuf, recvbuf, count, type, op, 0 };

    return scan(__func__, MPI_COLL_SCAN, &a, comm, request);
}

int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm)
{
    struct sum_args a = { sendbuf, recvbuf, count, type, op, 0 };

    return scan(__func__, MPI_COLL_EXSCAN, &a, comm, NULL);
}

int MPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, MPI_Request *request)
{
    struct sum_args a = { sendbuf, recvbuf, count, type, op, 0 };

    return scan(__func__, MPI_COLL_EXSCAN, &a, comm, request);
}

/* In place: `out` is where the result goes to, too. It moves to scratch memory. */
static void set_aside(struct mpi_coll *c, uint64_t count)
{
    struct mpi_data from = { c->out.at, count, c->out.type };
    struct mpi_data to = mpi_coll_scratch(c, count, c->out.type);

    mpi_coll_copy(c, from, to);
    c->out.at = to.at;
}

/* counts NULL: `a->count` for each rank. */
static int reduce_scatter(const char *call, const struct sum_args *a, const int counts[],
                          bool has_counts, MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, MPI_COLL_REDUCE_SCATTER, comm);
    bool in_place = code == MPI_SUCCESS && c.far == NULL && a->sendbuf == MPI_IN_PLACE;
    const void *from = in_place ? a->recvbuf : a->sendbuf;
    uint64_t count = 0;

    if (code == MPI_SUCCESS && has_counts)
        code = mpi_coll_check_v(&c, &c.out, from, c.size, counts, NULL, a->type);
    else if (code == MPI_SUCCESS)
        code = mpi_coll_check(&c, &c.out, from, a->count, a->type);
    if (code == MPI_SUCCESS)
        code =
            mpi_coll_check(&c, &c.in, a->recvbuf, has_counts ? counts[c.rank] : a->count, a->type);
    if (code == MPI_SUCCESS && !in_place && c.far == NULL)
        code = mpi_coll_check_own(&c, mpi_block(&c, &c.out, 0), mpi_block_range(&c.in, 0, 1));
    if (code == MPI_SUCCESS)
        code = mpi_coll_check_op(&c, a->op, a->type);
    if (code != MPI_SUCCESS)
        return mpi_coll_end(&c, call, code, request);
    for (int r = 0; r < c.size; r++)
        count += mpi_block(&c, &c.out, r).count;
    c.bytes = count * c.out.type->bytes;
    if (in_place)
        set_aside(&c, count);
    if (c.far != NULL)
        mpi_inter_reduce_scatter(&c);
    else if (c.bytes > 0)
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                       MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    struct sum_args a = { sendbuf, recvbuf, 0, type, op, 0 };

    return reduce_scatter(__func__, &a, recvcounts, true, comm, NULL);
}

int MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                        MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    struct sum_args a = { sendbuf, recvbuf, 0, type, op, 0 };

    return reduce_scatter(__func__, &a, recvcounts, true, comm, request);
}

int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm)
{
    struct sum_args a = { sendbuf, recvbuf, recvcount, type, op, 0 };

    return reduce_scatter(__func__, &a, NULL, false, comm, NULL);
}

int MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    struct sum_args a = { sendbuf, recvbuf, recvcount, type, op, 0 };

    return reduce_scatter(__func__, &a, NULL, false, comm, request);
}
