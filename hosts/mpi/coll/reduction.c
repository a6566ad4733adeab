/* Collectives that combine data; both forms of each, as in collective.c. */
#include "hosts/mpi/coll/twins.h"

#define SUMS const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op
#define SIDES                                                                                      \
    .out = { .buf = sendbuf, .count = count, .type = type },                                       \
    .in = { .buf = recvbuf, .count = count, .type = type }, .op = op

/* The same count of elements on both sides. */
static int check_sums(struct mpi_coll *c, const struct mpi_sides *a, bool has_in, bool has_out)
{
    bool in_place = has_in && c->far == NULL && a->out.buf == MPI_IN_PLACE;
    int code = MPI_SUCCESS;

    if (has_in)
        code = mpi_coll_check(c, &c->in, &a->in, 1);
    if (code == MPI_SUCCESS && in_place)
        c->out = c->in;
    else if (code == MPI_SUCCESS && has_out)
        code = mpi_coll_check(c, &c->out, &a->out, 1);
    if (code == MPI_SUCCESS && (has_in || c->kind == MPI_COLL_EXSCAN) && !in_place && has_out) {
        struct mpi_data given = mpi_block_range(&c->out, 0, 1), got = given;

        got.at = (char *)(uintptr_t)a->in.buf;
        code = mpi_coll_check_own(c, given, got);
    }
    if (code == MPI_SUCCESS)
        code = mpi_coll_check_op(c, a->op, a->in.type);
    if (code != MPI_SUCCESS)
        return code;
    if (!has_in) {
        c->in = c->out;
        c->in.at = NULL;
    }
    c->bytes = mpi_block_bytes(&c->in);
    return MPI_SUCCESS;
}

static int reduce(const char *call, enum mpi_collective kind, const struct mpi_sides *a,
                  MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, kind, comm);
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

static int allreduce(const char *call, enum mpi_collective kind, const struct mpi_sides *a,
                     MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, kind, comm);

    if (code == MPI_SUCCESS)
        code = check_sums(&c, a, true, true);
    if (code == MPI_SUCCESS && c.far != NULL)
        mpi_inter_allreduce(&c);
    else if (code == MPI_SUCCESS && c.bytes > 0)
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

/* Also the exclusive one, whose result rank 0 does not get. */
static int scan(const char *call, enum mpi_collective kind, const struct mpi_sides *a,
                MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin_intra(&c, kind, comm);

    if (code == MPI_SUCCESS)
        code = check_sums(&c, a, kind == MPI_COLL_SCAN || c.rank > 0 || a->out.buf == MPI_IN_PLACE,
                          true);
    if (code == MPI_SUCCESS && c.bytes > 0)
        mpi_coll_build(&c);
    return mpi_coll_end(&c, call, code, request);
}

/* In place: `out` is where the result goes to, too. It moves to scratch memory. */
static void set_aside(struct mpi_coll *c, uint64_t count)
{
    struct mpi_data from = { c->out.at, count, c->out.type };
    struct mpi_data to = mpi_coll_scratch(c, count, c->out.type);

    mpi_coll_copy(c, from, to);
    c->out.at = to.at;
}

/* Of the whole that is given, with or without counts, a rank gets its own block. */
static int reduce_scatter(const char *call, enum mpi_collective kind, const struct mpi_sides *a,
                          MPI_Comm comm, MPI_Request *request)
{
    struct mpi_coll c;
    int code = mpi_coll_begin(&c, kind, comm);
    bool in_place = code == MPI_SUCCESS && c.far == NULL && a->out.buf == MPI_IN_PLACE;
    struct mpi_side all = a->out, own = a->in;
    uint64_t count = 0;

    if (in_place)
        all.buf = own.buf;
    if (code == MPI_SUCCESS)
        code = mpi_coll_check(&c, &c.out, &all, c.size);
    if (code == MPI_SUCCESS && all.form == MPI_SIDE_V)
        own.count = all.counts[c.rank];
    if (code == MPI_SUCCESS)
        code = mpi_coll_check(&c, &c.in, &own, 1);
    if (code == MPI_SUCCESS && !in_place && c.far == NULL)
        code = mpi_coll_check_own(&c, mpi_block(&c, &c.out, 0), mpi_block_range(&c.in, 0, 1));
    if (code == MPI_SUCCESS)
        code = mpi_coll_check_op(&c, a->op, own.type);
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

COLLECTIVE(Reduce, Ireduce, (SUMS, int root), reduce, MPI_COLL_REDUCE, SIDES, .root = root)
COLLECTIVE(Allreduce, Iallreduce, (SUMS), allreduce, MPI_COLL_ALLREDUCE, SIDES)
COLLECTIVE(Scan, Iscan, (SUMS), scan, MPI_COLL_SCAN, SIDES)
COLLECTIVE(Exscan, Iexscan, (SUMS), scan, MPI_COLL_EXSCAN, SIDES)
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, (SUMS), reduce_scatter,
           MPI_COLL_REDUCE_SCATTER, SIDES)
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void *sendbuf, void *recvbuf, const int counts[], MPI_Datatype type, MPI_Op op),
           reduce_scatter, MPI_COLL_REDUCE_SCATTER,
           .out = { .buf = sendbuf, .counts = counts, .type = type, .form = MPI_SIDE_V },
           .in = { .buf = recvbuf, .type = type }, .op = op)
