/*
 * Collectives that know the cables. Ranks are taken in an order in which neighbours are joined (see
 * p2_sort()), and travel both ways around the ring at once:
 *
 *   both-ways   ring of n: data come from both sides, n / 2 rounds instead of n - 1
 *   two-rings   first across, by S, then both ways in each of the two rings, with both rings' data
 *   two-levels  the ranks of a node in its memory, then one of each node by recursive doubling
 *   pipeline    one way around, in segments: of the root's memory each byte is read but once
 *
 * What a node can give and take at N limits them all (docs/collectives.md): the two ways of a ring
 * save rounds, not bytes.
 */
#include "hosts/mpi/coll/cables.h"

#define SEGMENT_MAX 8192u  /* one entry: longer ones ask, and go in several */
#define WORD_BYTES  8u     /* segments end where the words of copies do */
#define ROUND_BYTES 12288u /* what a channel moves in the 3.5 us that a round costs besides */

struct p2 *p2_of_coll(const struct mpi_coll *c)
{
    return p2_of_transport(c->mr->transport);
}

void p2_coll_order(const struct mpi_coll *c, struct p2_order *o)
{
    size_t n = (size_t)c->size;
    int *memory = mpi_schedule_memory(c->s, 2 * n * sizeof(int));

    *o = (struct p2_order){ .n = c->size, .at = memory + n };
    for (int r = 0; r < c->size; r++) {
        memory[r] = c->comm->world[r];
        o->at[r] = r;
    }
    o->half = p2_sort(p2_of_coll(c), memory, o->at, o->n);
    while (o->at[o->place] != c->rank)
        o->place++;
}

static bool are_all_near(const struct mpi_coll *c)
{
    const struct p2 *p2 = p2_of_coll(c);

    return p2 != NULL && c->far == NULL && c->size > 2 && p2_all_near(p2, c->comm->world, c->size);
}

bool p2_near_and_commutes(const struct mpi_coll *c)
{
    return are_all_near(c) && c->commutes;
}

/* ---- allgather ---- */

static void allgather_both_ways(struct mpi_coll *c)
{
    struct p2_order o;
    struct mpi_data *blocks = p2_coll_parts(c, c->size);

    p2_coll_order(c, &o);
    for (int i = 0; i < o.n; i++)
        blocks[i] = mpi_block_in(c, o.at[i]);
    p2_spread_both_ways(c, &o, blocks, 1);
}

/* Ranks exchange their blocks with those that they face in the other ring. Then each ring passes on
 * its own blocks and those of the other one. */
static void allgather_two_rings(struct mpi_coll *c)
{
    struct p2_order o, ring;
    struct mpi_data *blocks = p2_coll_parts(c, c->size);
    int *at = mpi_schedule_memory(c->s, (uint64_t)c->size * sizeof(int)), peer;

    p2_coll_order(c, &o);
    if (o.half == 0) {
        allgather_both_ways(c);
        return;
    }
    ring = (struct p2_order){ .n = o.half, .place = o.place, .at = at };
    if (o.place >= o.half)
        ring.place = o.n - 1 - o.place;
    for (int i = 0; i < o.half; i++) {
        at[i] = o.at[o.place < o.half ? i : o.n - 1 - i];
        blocks[i] = mpi_block_in(c, at[i]);
        blocks[o.half + i] = mpi_block_in(c, o.at[o.place < o.half ? o.n - 1 - i : i]);
    }
    peer = p2_at(&o, o.n - 1 - o.place);
    mpi_coll_exchange(c, peer, mpi_block_in(c, peer), peer, mpi_block_in(c, c->rank));
    p2_spread_both_ways(c, &ring, blocks, 2);
}

/* ---- broadcast ---- */

/* A chain of `ranks` takes (segments + ranks) rounds; more segments make them shorter, but a round
 * costs besides what it moves. The least sum is where segments^2 = ranks * bytes / ROUND_BYTES. */
static uint64_t segments_of(uint64_t bytes, int ranks)
{
    uint64_t n = (bytes + SEGMENT_MAX - 1) / SEGMENT_MAX;

    while ((n + 1) * (n + 1) * ROUND_BYTES <= (uint64_t)ranks * bytes)
        n++;
    return n > 0 ? n : 1;
}

/* Of bytes without gaps: how many elements they are may differ between ranks. */
static struct mpi_data segment_at(struct mpi_data flat, uint64_t i, uint64_t n)
{
    uint64_t words = flat.count / WORD_BYTES;
    uint64_t end = i + 1 < n ? words * (i + 1) / n * WORD_BYTES : flat.count;

    return mpi_part(flat, words * i / n * WORD_BYTES, end);
}

/* Segment i comes while segment i - 1 goes on. -1: from no rank, to no rank. */
static void relay_segments(const struct mpi_coll *c, struct mpi_data flat, uint64_t n, int from,
                           int to, int also_to)
{
    uint64_t lag = from >= 0;

    for (uint64_t i = 0; i < n + lag; i++) {
        if (from >= 0 && i < n)
            mpi_coll_receive(c, from, segment_at(flat, i, n));
        if (i >= lag && to >= 0)
            mpi_coll_send(c, to, segment_at(flat, i - lag, n));
        if (i >= lag && also_to >= 0)
            mpi_coll_send(c, also_to, segment_at(flat, i - lag, n));
        mpi_coll_fence(c);
    }
}

/* `east` ranks on the one side of the root are reached that way, the others the other way. */
static void bcast_chain(struct mpi_coll *c, int east)
{
    struct p2_order o;
    int root = 0, way, step;
    struct mpi_data all = mpi_coll_in(c), flat;
    bool is_last;

    p2_coll_order(c, &o);
    while (o.at[root] != c->root)
        root++;
    way = mpi_wrap(o.place - root, o.n); /* steps east of the root */
    step = way <= east ? 1 : -1;         /* on from the root */
    is_last = way == east || way == east + 1;
    flat = mpi_coll_packed(c, all, way == 0);
    relay_segments(c, flat, segments_of(c->bytes, east), way > 0 ? p2_at(&o, o.place - step) : -1,
                   is_last ? -1 : p2_at(&o, o.place + step),
                   way == 0 && east < o.n - 1 ? p2_at(&o, o.place - 1) : -1);
    if (way != 0)
        mpi_coll_unpacked(c, flat, all);
}

static void bcast_both_ways(struct mpi_coll *c)
{
    bcast_chain(c, c->size / 2);
}

static void bcast_pipeline(struct mpi_coll *c)
{
    bcast_chain(c, c->size - 1);
}

/* ---- all-to-all ---- */

/* All at once, the nearest ones first and both ways in turn, so that all cables of a ring have
 * work. */
static void alltoall_both_ways(struct mpi_coll *c)
{
    struct p2_order o;

    p2_coll_order(c, &o);
    mpi_coll_move(c, mpi_block_out(c, c->rank), mpi_block_in(c, c->rank));
    for (int d = 1; d <= o.n / 2; d++) {
        int east = p2_at(&o, o.place + d), west = p2_at(&o, o.place - d);

        mpi_coll_receive(c, west, mpi_block_in(c, west));
        if (east != west)
            mpi_coll_receive(c, east, mpi_block_in(c, east));
    }
    for (int d = 1; d <= o.n / 2; d++) {
        int east = p2_at(&o, o.place + d), west = p2_at(&o, o.place - d);

        mpi_coll_send(c, east, mpi_block_out(c, east));
        if (east != west)
            mpi_coll_send(c, west, mpi_block_out(c, west));
    }
}

static const struct mpi_algorithm algorithms[] = {
    { MPI_COLL_ALLGATHER, "both-ways", are_all_near, allgather_both_ways },
    { MPI_COLL_ALLGATHER, "two-rings", are_all_near, allgather_two_rings },
    { MPI_COLL_BCAST, "both-ways", are_all_near, bcast_both_ways },
    { MPI_COLL_BCAST, "pipeline", are_all_near, bcast_pipeline },
    { MPI_COLL_ALLREDUCE, "both-ways", p2_near_and_commutes, p2_allreduce_both_ways },
    { MPI_COLL_ALLREDUCE, "two-rings", p2_near_and_commutes, p2_allreduce_two_rings },
    { MPI_COLL_ALLREDUCE, "two-levels", p2_has_levels, p2_allreduce_two_levels },
    { MPI_COLL_REDUCE_SCATTER, "both-ways", p2_near_and_commutes, p2_reduce_scatter_both_ways },
    { MPI_COLL_ALLTOALL, "both-ways", are_all_near, alltoall_both_ways },
    { 0 },
};

_Static_assert(P2_PIO_MAX + 1 == 65, "limit of all-to-all by spread on 12 to 14 ranks");
/*
 * Who is quickest on 4, 8 and 16 nodes, one ring and two (docs/mpi-peach2.md has the tables). Few
 * ranks do best to send to all others at once: a message costs its sender 0.2 us, or 1 us in a
 * channel however long. Then small ones go to what has the fewest rounds, and large ones to what
 * moves each byte to the next node only. All-to-all: of up to 64 bytes (P2_PIO_MAX) a message costs
 * its sender 0.1 us each 8 bytes, and ten ranks have so few that no other way saves any.
 */
static const char choices[] = "allgather=two-rings@2K..,"
                              "allgather=bruck@..2K,"
                              "allgather=recursive-doubling@..2K,"
                              "allgather=linear@384..3K/12..17,"
                              "allgather=linear@..48/..17,"
                              "allgather=linear@384..12K/..12,"
                              "allgather=linear@..96/..12,"
                              "allgather=linear@..24K/..6,"
                              "bcast=pipeline@192K..,"
                              "bcast=both-ways@24K..192K,"
                              "bcast=binomial@..24K,"
                              "bcast=linear@..48/..17,"
                              "bcast=pipeline@96K../..12,"
                              "bcast=linear@3K..12K/..12,"
                              "bcast=pipeline@48K../..6,"
                              "bcast=linear@..24K/..6,"
                              "allreduce=two-rings@3K..,"
                              "allreduce=rabenseifner@3K..6K/6..,"
                              "allreduce=recursive-doubling@..3K,"
                              "allreduce=two-levels@..4K,"
                              "reduce_scatter=both-ways@6K..,"
                              "reduce_scatter=both-ways@3K../..12,"
                              "reduce_scatter=both-ways@384../..6,"
                              "alltoall=spread@..128K,"
                              "alltoall=bruck@..192,"
                              "alltoall=spread@..56/..21,"
                              "alltoall=spread@..65/..15,"
                              "alltoall=spread@..128K/..11";

/* Where S joins two rings, no way is long; looked at first. */
static const char joined[] = "allgather=linear@3K..6K/12..17,"
                             "allgather=linear@..48K/..6,"
                             "allgather=recursive-doubling@384..768/6..17,"
                             "bcast=binomial@12..24K/12..,"
                             "bcast=binomial@24..3K/6..12,"
                             "allreduce=rabenseifner@3K..12K/12..,"
                             "reduce_scatter=halving@..24K/12..,"
                             "reduce_scatter=halving@..6K/6..12,"
                             "reduce_scatter=halving@..1536/..6";

int p2_collectives(struct mpi_rank *mr)
{
    const struct p2 *p2 = p2_of_transport(mr->transport);
    int code;

    if (p2 == NULL)
        return MPI_SUCCESS;
    code = mpi_algorithms_add(mr, algorithms);
    if (code == MPI_SUCCESS)
        code = mpi_choices_add(mr, choices);
    /* Not whether this rank has: all choose alike, where only some nodes have a cable at S, too. */
    if (code == MPI_SUCCESS && p2_all_have_across(p2))
        code = mpi_choices_add(mr, joined);
    return code;
}
