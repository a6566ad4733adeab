/* Collectives that combine data; both forms of each, as in collective.c. */
#include "hosts/mpi/coll/twins.h"

#define SUMS const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op
#define SIDES                                                                                      \
    .out = { .buf = sendbuf, .count = count, .type = type },                                       \
    .in = { .buf = recvbuf, .count = count, .type = type }, .op = op

/* The same count of elements on both sides. */
static void check_sums(struct mpi_coll *c, const struct mpi_sides *a, bool has_in, bool has_out)
{
    bool in_place = has_in && c->far == NULL && a->out.buf == MPI_IN_PLACE;
    struct mpi_data given, got;

    if (has_in && !mpi_coll_check(c, &c->in, &a->in, 1))
        return;
    if (in_place)
        c->out = c->in;
    else if (has_out && !mpi_coll_check(c, &c->out, &a->out, 1))
        return;
    if ((has_in || c->kind == MPI_COLL_EXSCAN) && !in_place && has_out) {
        given = got = mpi_coll_out(c);
        got.at = (char *)(uintptr_t)a->in.buf;
        if (!mpi_coll_check_own(c, given, got))
            return;
    }
    if (!mpi_coll_check_op(c, a->op, a->in.type))
        return;
    if (!has_in) {
        c->in = c->out;
        c->in.at = NULL;
    }
    c->bytes = mpi_block_bytes(&c->in);
}

static void prepare_reduce(struct mpi_coll *c, const struct mpi_sides *a)
{
    if (mpi_coll_check_root(c, a->root))
        check_sums(c, a, mpi_coll_is_root(c), c->far == NULL || !mpi_coll_is_root(c));
}

/* Rank 0 does not get the result of the exclusive scan. */
static void prepare_sums(struct mpi_coll *c, const struct mpi_sides *a)
{
    bool has_in = c->kind != MPI_COLL_EXSCAN || c->rank > 0 || a->out.buf == MPI_IN_PLACE;

    if (c->kind == MPI_COLL_ALLREDUCE || mpi_coll_check_intra(c))
        check_sums(c, a, has_in, true);
}

/* In place: `out` is where the result goes to, too. It moves to scratch memory. */
static void set_aside(struct mpi_coll *c, struct mpi_data given)
{
    struct mpi_data to = mpi_coll_scratch(c, given.count, given.type);

    mpi_coll_copy(c, given, to);
    c->out.at = to.at;
}

/* A rank gets its own block of the whole that is given, with or without counts. */
static void prepare_reduce_scatter(struct mpi_coll *c, const struct mpi_sides *a)
{
    bool in_place = c->far == NULL && a->out.buf == MPI_IN_PLACE;
    struct mpi_side all = a->out, own = a->in;
    struct mpi_data given;

    if (in_place)
        all.buf = own.buf;
    if (!mpi_coll_check(c, &c->out, &all, c->size))
        return;
    if (all.form == MPI_SIDE_V)
        own.count = all.counts[c->rank];
    if (!mpi_coll_check(c, &c->in, &own, 1) ||
        (!in_place && !mpi_coll_check_own(c, mpi_block_out(c, 0), mpi_coll_in(c))) ||
        !mpi_coll_check_op(c, a->op, own.type))
        return;
    given = mpi_coll_given(c);
    c->bytes = mpi_data_bytes(&given);
    if (in_place)
        set_aside(c, given);
}

COLLECTIVE(Reduce, Ireduce, (SUMS, int root), prepare_reduce, MPI_COLL_REDUCE, SIDES, .root = root)
COLLECTIVE(Allreduce, Iallreduce, (SUMS), prepare_sums, MPI_COLL_ALLREDUCE, SIDES)
COLLECTIVE(Scan, Iscan, (SUMS), prepare_sums, MPI_COLL_SCAN, SIDES)
COLLECTIVE(Exscan, Iexscan, (SUMS), prepare_sums, MPI_COLL_EXSCAN, SIDES)
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, (SUMS), prepare_reduce_scatter,
           MPI_COLL_REDUCE_SCATTER, SIDES)
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void *sendbuf, void *recvbuf, const int counts[], MPI_Datatype type, MPI_Op op),
           prepare_reduce_scatter, MPI_COLL_REDUCE_SCATTER,
           .out = { .buf = sendbuf, .counts = counts, .type = type, .form = MPI_SIDE_V },
           .in = { .buf = recvbuf, .type = type }, .op = op)
