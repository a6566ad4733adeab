/* Gather and scatter. */
#include "hosts/mpi/coll/collective.h"

static void gather_linear(struct mpi_coll *c)
{
    struct mpi_data own = mpi_block_range(&c->out, 0, 1);

    if (c->rank != c->root) {
        mpi_coll_send(c, c->root, own);
        return;
    }
    for (int r = 0; r < c->size; r++)
        if (r != c->root)
            mpi_coll_receive(c, r, mpi_block(c, &c->in, r));
}

static void scatter_linear(struct mpi_coll *c)
{
    struct mpi_data own = mpi_block_range(&c->in, 0, 1);

    if (c->rank != c->root) {
        mpi_coll_receive(c, c->root, own);
        return;
    }
    for (int r = 0; r < c->size; r++)
        if (r != c->root)
            mpi_coll_send(c, r, mpi_block(c, &c->out, r));
}

/* How many ranks, itself included, are below `me` of `size` in a binomial tree. */
static int subtree(int me, int size)
{
    int span = mpi_tree_span(me, size);

    return span < size - me ? span : size - me;
}

/* The root's blocks of ranks [first, first + n) relative to it, without gaps: as they lie, or in
 * scratch memory. */
static struct mpi_data root_range(const struct mpi_coll *c, const struct mpi_blocks *b, int first,
                                  int n, bool load)
{
    int r = mpi_wrap(first + c->root, c->size);
    struct mpi_data d;

    if (r + n <= c->size)
        return mpi_block_range(b, r, n);
    d = mpi_bytes(c, mpi_schedule_memory(c->s, (uint64_t)n * c->bytes), (uint64_t)n * c->bytes);
    for (int i = 0; load && i < n; i++)
        mpi_coll_copy(c, mpi_block_range(b, mpi_wrap(r + i, c->size), 1),
                      mpi_part(d, (uint64_t)i * c->bytes, (uint64_t)(i + 1) * c->bytes));
    return d;
}

static void gather_binomial(struct mpi_coll *c)
{
    struct mpi_data own = mpi_block_range(&c->out, 0, 1), d;
    int me = mpi_wrap(c->rank - c->root, c->size), below = subtree(me, c->size);
    uint64_t b = c->bytes;
    struct mpi_data held = own;

    if (me != 0 && below > 1) {
        held = mpi_bytes(c, mpi_schedule_memory(c->s, (uint64_t)below * b), (uint64_t)below * b);
        mpi_coll_copy(c, own, mpi_part(held, 0, b));
    }
    for (int step = 1; step < below; step *= 2) {
        int n = subtree(me + step, c->size);

        d = me != 0 ? mpi_part(held, (uint64_t)step * b, (uint64_t)(step + n) * b)
                    : root_range(c, &c->in, step, n, false);
        mpi_coll_receive(c, mpi_wrap(c->rank + step, c->size), d);
        if (me == 0 && mpi_wrap(step + c->root, c->size) + n > c->size) {
            mpi_coll_fence(c);
            for (int i = 0; i < n; i++)
                mpi_coll_copy(c, mpi_part(d, (uint64_t)i * b, (uint64_t)(i + 1) * b),
                              mpi_block_range(&c->in, mpi_wrap(c->root + step + i, c->size), 1));
        }
    }
    mpi_coll_fence(c);
    if (me != 0)
        mpi_coll_send(c, mpi_wrap(c->rank - mpi_tree_span(me, c->size), c->size), held);
}

static void scatter_binomial(struct mpi_coll *c)
{
    struct mpi_data own = mpi_block_range(&c->in, 0, 1), held = own;
    int me = mpi_wrap(c->rank - c->root, c->size), below = subtree(me, c->size);
    int step = mpi_tree_span(me, c->size);
    uint64_t b = c->bytes;

    if (me != 0) {
        if (below > 1)
            held =
                mpi_bytes(c, mpi_schedule_memory(c->s, (uint64_t)below * b), (uint64_t)below * b);
        mpi_coll_receive(c, mpi_wrap(c->rank - step, c->size), held);
        mpi_coll_fence(c);
    }
    for (step /= 2; step >= 1; step /= 2) {
        int n = me + step < c->size ? subtree(me + step, c->size) : 0;

        if (n > 0)
            mpi_coll_send(c, mpi_wrap(c->rank + step, c->size),
                          me != 0 ? mpi_part(held, (uint64_t)step * b, (uint64_t)(step + n) * b)
                                  : root_range(c, &c->out, step, n, true));
    }
    if (me != 0 && below > 1)
        mpi_coll_copy(c, mpi_part(held, 0, b), own);
}

const struct mpi_algorithm mpi_gather_algorithms[] = {
    { MPI_COLL_GATHER, "binomial", NULL, gather_binomial },
    { MPI_COLL_GATHER, "linear", NULL, gather_linear },
    { MPI_COLL_GATHERV, "linear", NULL, gather_linear },
    { MPI_COLL_SCATTER, "binomial", NULL, scatter_binomial },
    { MPI_COLL_SCATTER, "linear", NULL, scatter_linear },
    { MPI_COLL_SCATTERV, "linear", NULL, scatter_linear },
    { 0 },
};
