/* Barrier and broadcast. */
#include "hosts/mpi/coll/collective.h"

/* Pieces of a pipeline: long enough that what each message costs besides is small. */
#define SEGMENT_BYTES 8192u

/* In round k each rank notifies the one 2^k further on. */
static void barrier_dissemination(struct mpi_coll *c)
{
    struct mpi_data none = mpi_bytes(c, NULL, 0);

    for (int step = 1; step < c->size; step *= 2) {
        mpi_coll_exchange(c, mpi_coll_beside(c, -step), none, mpi_coll_beside(c, step), none);
    }
}

/* Pairs along the edges of a hypercube; ranks beyond the last one report to their image in it. */
static void barrier_hypercube(struct mpi_coll *c)
{
    struct mpi_data none = mpi_bytes(c, NULL, 0);
    int cube = mpi_cube_below(c->size);

    if (c->rank >= cube) {
        mpi_coll_send(c, c->rank - cube, none);
        mpi_coll_fence(c);
        mpi_coll_receive(c, c->rank - cube, none);
        return;
    }
    if (c->rank + cube < c->size) {
        mpi_coll_receive(c, c->rank + cube, none);
        mpi_coll_fence(c);
    }
    for (int step = 1; step < cube; step *= 2) {
        mpi_coll_exchange(c, c->rank ^ step, none, c->rank ^ step, none);
    }
    if (c->rank + cube < c->size)
        mpi_coll_send(c, c->rank + cube, none);
}

/* All ranks notify rank 0, which then notifies all. */
static void barrier_linear(struct mpi_coll *c)
{
    struct mpi_data none = mpi_bytes(c, NULL, 0);

    if (c->rank > 0) {
        mpi_coll_send(c, 0, none);
        mpi_coll_receive(c, 0, none);
        return;
    }
    for (int r = 1; r < c->size; r++)
        mpi_coll_receive(c, r, none);
    mpi_coll_fence(c);
    for (int r = 1; r < c->size; r++)
        mpi_coll_send(c, r, none);
}

static void bcast_linear(struct mpi_coll *c)
{
    struct mpi_data all = mpi_coll_in(c);

    if (c->rank != c->root)
        mpi_coll_receive(c, c->root, all);
    for (int i = 1; c->rank == c->root && i < c->size; i++)
        mpi_coll_send(c, mpi_wrap(c->root + i, c->size), all);
}

void mpi_bcast_tree(const struct mpi_coll *c, int root, struct mpi_data all)
{
    int me = mpi_wrap(c->rank - root, c->size), step = mpi_tree_span(me, c->size);

    if (me != 0) {
        mpi_coll_receive(c, mpi_coll_beside(c, -step), all);
        mpi_coll_fence(c);
    }
    for (step /= 2; step >= 1; step /= 2)
        if (me + step < c->size)
            mpi_coll_send(c, mpi_coll_beside(c, step), all);
}

static void bcast_binomial(struct mpi_coll *c)
{
    mpi_bcast_tree(c, c->root, mpi_coll_in(c));
}

/* Each rank sends to k - 1 others at once, the most distant ones first, and waits before it turns
 * to nearer ones: by digits of the rank to the base k. */
static void knomial_tree(const struct mpi_coll *c, int k, struct mpi_data all)
{
    int me = mpi_wrap(c->rank - c->root, c->size), step = 1;

    while (step < c->size && me % (step * k) == 0)
        step *= k;
    if (me != 0) {
        mpi_coll_receive(c, mpi_coll_beside(c, -(me % (step * k))), all);
        mpi_coll_fence(c);
    }
    for (step /= k; step >= 1; step /= k) {
        for (int i = 1; i < k && me + i * step < c->size; i++)
            mpi_coll_send(c, mpi_coll_beside(c, i * step), all);
        mpi_coll_fence(c);
    }
}

static void bcast_knomial_2(struct mpi_coll *c)
{
    knomial_tree(c, 2, mpi_coll_in(c));
}

static void bcast_knomial_4(struct mpi_coll *c)
{
    knomial_tree(c, 4, mpi_coll_in(c));
}

static void bcast_knomial_8(struct mpi_coll *c)
{
    knomial_tree(c, 8, mpi_coll_in(c));
}

static struct mpi_data segment(struct mpi_data flat, uint64_t at)
{
    return mpi_part(flat, at, flat.count - at < SEGMENT_BYTES ? flat.count : at + SEGMENT_BYTES);
}

/* A binomial tree for each piece, so that ranks pass on one while the next one comes. */
static void bcast_pieces(struct mpi_coll *c)
{
    struct mpi_data all = mpi_coll_in(c), flat = mpi_coll_packed(c, all, mpi_coll_is_root(c));

    for (uint64_t at = 0; at < flat.count; at += SEGMENT_BYTES)
        knomial_tree(c, 2, segment(flat, at));
    if (!mpi_coll_is_root(c))
        mpi_coll_unpacked(c, flat, all);
}

/* A tree of slots, memory that the library has registered: ranks pass on what lies there, and only
 * the root copies into its slot, and others out of theirs. */
static void slots_tree(struct mpi_coll *c, int k, struct mpi_data all)
{
    struct mpi_data slot = mpi_coll_memory(c, mpi_data_bytes(all));

    slot.in_slot = true;
    if (mpi_coll_is_root(c))
        mpi_coll_copy(c, all, slot);
    knomial_tree(c, k, slot);
    if (!mpi_coll_is_root(c))
        mpi_coll_copy(c, slot, all);
}

static void bcast_knomial_4_slots(struct mpi_coll *c)
{
    slots_tree(c, 4, mpi_coll_in(c));
}

static void bcast_pieces_slots(struct mpi_coll *c)
{
    struct mpi_data all = mpi_coll_in(c), flat = mpi_coll_packed(c, all, mpi_coll_is_root(c));

    for (uint64_t at = 0; at < flat.count; at += SEGMENT_BYTES)
        slots_tree(c, 2, segment(flat, at));
    if (!mpi_coll_is_root(c))
        mpi_coll_unpacked(c, flat, all);
}

static bool has_slots(const struct mpi_coll *c)
{
    return c->mr->transport->caps.slots;
}

/* A chain from the root on: while a piece is received, the one before it is passed on. Pieces are
 * too short for networks to take them out of GPUs one by one. */
static void bcast_chain(struct mpi_coll *c)
{
    struct mpi_data all = mpi_coll_in(c), near = all, flat;
    bool far = mpi_on_device(c->mr, all.at);
    int me = mpi_wrap(c->rank - c->root, c->size);
    uint64_t n;

    if (far)
        near = mpi_coll_like(c, all);
    if (far && me == 0)
        mpi_coll_copy(c, all, near);
    flat = mpi_coll_packed(c, near, me == 0);
    n = (flat.count + SEGMENT_BYTES - 1) / SEGMENT_BYTES;
    for (uint64_t k = 0; k <= n; k++) {
        uint64_t at = k * SEGMENT_BYTES, before = at - SEGMENT_BYTES;
        uint64_t end = flat.count < at + SEGMENT_BYTES ? flat.count : at + SEGMENT_BYTES;

        if (me > 0 && k < n)
            mpi_coll_receive(c, mpi_coll_beside(c, -1), mpi_part(flat, at, end));
        if (me + 1 < c->size && k > 0)
            mpi_coll_send(c, mpi_coll_beside(c, 1),
                          mpi_part(flat, before, flat.count < at ? flat.count : at));
        mpi_coll_fence(c);
    }
    if (me > 0)
        mpi_coll_unpacked(c, flat, near);
    if (far && me > 0)
        mpi_coll_copy(c, near, all);
}

/* Parts [first, first + n) of the bytes, one for each rank relative to the root; later ones may be
 * short or empty. */
static struct mpi_data parts_of_ranks(const struct mpi_coll *c, struct mpi_data flat, int first,
                                      int n)
{
    uint64_t each = (flat.count + (uint64_t)c->size - 1) / (uint64_t)c->size;
    uint64_t from = each * (uint64_t)first, end = each * (uint64_t)(first + n);

    return mpi_part(flat, from < flat.count ? from : flat.count,
                    end < flat.count ? end : flat.count);
}

/* Each rank gets a part along a binomial tree; then the parts go around a ring. */
static void bcast_scatter_allgather(struct mpi_coll *c)
{
    struct mpi_data all = mpi_coll_in(c);
    int me = mpi_wrap(c->rank - c->root, c->size), step = mpi_tree_span(me, c->size);
    struct mpi_data flat = mpi_coll_packed(c, all, me == 0);

    if (me != 0) {
        mpi_coll_receive(c, mpi_coll_beside(c, -step),
                         parts_of_ranks(c, flat, me, step < c->size - me ? step : c->size - me));
        mpi_coll_fence(c);
    }
    for (step /= 2; step >= 1; step /= 2) {
        int left = c->size - me - step;

        if (left > 0)
            mpi_coll_send(c, mpi_coll_beside(c, step),
                          parts_of_ranks(c, flat, me + step, step < left ? step : left));
    }
    mpi_coll_fence(c);
    for (int i = 0; i < c->size - 1; i++) {
        mpi_coll_exchange(
            c, mpi_coll_beside(c, -1), parts_of_ranks(c, flat, mpi_wrap(me - i - 1, c->size), 1),
            mpi_coll_beside(c, 1), parts_of_ranks(c, flat, mpi_wrap(me - i, c->size), 1));
    }
    if (me > 0)
        mpi_coll_unpacked(c, flat, all);
}

const struct mpi_algorithm mpi_bcast_algorithms[] = {
    { MPI_COLL_BARRIER, "dissemination", NULL, barrier_dissemination },
    { MPI_COLL_BARRIER, "hypercube", NULL, barrier_hypercube },
    { MPI_COLL_BARRIER, "linear", NULL, barrier_linear },
    { MPI_COLL_BCAST, "binomial", NULL, bcast_binomial },
    { MPI_COLL_BCAST, "linear", NULL, bcast_linear },
    { MPI_COLL_BCAST, "chain", NULL, bcast_chain },
    { MPI_COLL_BCAST, "knomial-2", NULL, bcast_knomial_2 },
    { MPI_COLL_BCAST, "knomial-4", NULL, bcast_knomial_4 },
    { MPI_COLL_BCAST, "knomial-8", NULL, bcast_knomial_8 },
    { MPI_COLL_BCAST, "pieces", NULL, bcast_pieces },
    { MPI_COLL_BCAST, "knomial-4-slots", has_slots, bcast_knomial_4_slots },
    { MPI_COLL_BCAST, "pieces-slots", has_slots, bcast_pieces_slots },
    { MPI_COLL_BCAST, "scatter-allgather", NULL, bcast_scatter_allgather },
    { 0 },
};
