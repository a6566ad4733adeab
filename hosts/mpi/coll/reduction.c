/* Collectives that combine data. */
#include "hosts/mpi/coll/call.h"

/* What is given is of the same count and type as what is got. */
static struct mpi_side given_side(const struct mpi_sides *a)
{
    struct mpi_side given = a->in;

    given.buf = a->out.buf;
    return given;
}

/* The same count of elements on both sides. */
static void check_sums(struct mpi_coll *c, const struct mpi_sides *a, bool has_in, bool has_out)
{
    bool in_place = has_in && c->far == NULL && a->out.buf == MPI_IN_PLACE;
    const struct mpi_side out = given_side(a);
    struct mpi_data given, got;

    if (has_in && !mpi_coll_check(c, &c->in, &a->in, 1))
        return;
    if (in_place)
        c->out = c->in;
    else if (has_out && !mpi_coll_check(c, &c->out, &out, 1))
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

void mpi_prepare_reduce(struct mpi_coll *c, const struct mpi_sides *a)
{
    if (mpi_coll_check_root(c, a->root))
        check_sums(c, a, mpi_coll_is_root(c), c->far == NULL || !mpi_coll_is_root(c));
}

/* Rank 0 does not get the result of the exclusive scan. */
void mpi_prepare_sums(struct mpi_coll *c, const struct mpi_sides *a)
{
    bool has_in = c->kind != MPI_COLL_EXSCAN || c->rank > 0 || a->out.buf == MPI_IN_PLACE;

    if (c->kind == MPI_COLL_ALLREDUCE || mpi_coll_check_intra(c))
        check_sums(c, a, has_in, true);
}

/* In place: `out` is where the result goes to, too. It moves to scratch memory. */
static void set_aside(struct mpi_coll *c, struct mpi_data given)
{
    struct mpi_data to = mpi_coll_like(c, given);

    mpi_coll_copy(c, given, to);
    c->out.at = to.at;
}

/* A rank gets its own block of the whole that is given, with or without counts. */
void mpi_prepare_reduce_scatter(struct mpi_coll *c, const struct mpi_sides *a)
{
    bool in_place = c->far == NULL && a->out.buf == MPI_IN_PLACE;
    const struct mpi_side all = in_place ? a->in : given_side(a);
    struct mpi_side own = { .buf = a->in.buf, .count = a->in.count, .type = a->in.type };
    struct mpi_data given;

    if (!mpi_coll_check(c, &c->out, &all, c->size))
        return;
    if (all.counts != NULL)
        own.count = all.counts[c->rank];
    if (!mpi_coll_check(c, &c->in, &own, 1) ||
        (!in_place && !mpi_coll_check_own(c, mpi_block_out(c, 0), mpi_coll_in(c))) ||
        !mpi_coll_check_op(c, a->op, own.type))
        return;
    given = mpi_coll_given(c);
    c->bytes = mpi_data_bytes(given);
    if (in_place)
        set_aside(c, given);
}
