/*
 * Collectives that know the cables. Ranks are taken in an order in which neighbours are joined (see
 * order.c), and travel both ways around the ring at once:
 *
 *   both-ways   ring of n: data come from both sides, n / 2 rounds instead of n - 1
 *   two-rings   first across, by S, then both ways in each of the two rings, with both rings' data
 *   two-levels  the ranks of a node in its memory, then one of each node by recursive doubling
 *   pipeline    one way around, in segments: of the root's memory each byte is read but once
 *
 * What a node can give and take at N limits them all (docs/collectives.md): the two ways of a ring
 * save rounds, not bytes.
 */
#include "hosts/mpi/collective.h"
#include "hosts/mpi/peach2/internal.h"

#define SEGMENTS_MAX 64u
#define ROUND_BYTES  12288u /* what a channel moves in the 3.5 us that a round costs besides */

/** The ranks of a communicator in order. */
struct order {
    int n, half; /* half: see p2_sort() */
    int place;   /* of this rank */
    int *at;     /* rank by place */
};

static struct p2 *p2_of_coll(const struct mpi_coll *c)
{
    struct mpi_transport *t = c->mr->transport;

    return t->ops == &mpi_transport_peach2 ? p2_of(t) : NULL;
}

/* False: out of memory, which the schedule knows. */
static bool order_init(const struct mpi_coll *c, struct order *o)
{
    size_t n = (size_t)c->size;
    int *memory = (int *)(void *)mpi_schedule_memory(c->s, 2 * n * sizeof(int));

    if (memory == NULL)
        return false;
    *o = (struct order){ .n = c->size, .at = memory + n };
    for (int r = 0; r < c->size; r++) {
        memory[r] = c->comm->world[r];
        o->at[r] = r;
    }
    o->half = p2_sort(p2_of_coll(c), memory, o->at, o->n);
    while (o->at[o->place] != c->rank)
        o->place++;
    return true;
}

static int at(const struct order *o, int place)
{
    return o->at[mpi_wrap(place, o->n)];
}

static bool near(const struct mpi_coll *c)
{
    const struct p2 *p2 = p2_of_coll(c);

    return p2 != NULL && c->far == NULL && c->size > 2 && p2_all_near(p2, c->comm->world, c->size);
}

static bool near_and_commutes(const struct mpi_coll *c)
{
    return near(c) && c->commutes;
}

/* ---- allgather ------------------------------------------------------------------------------ */

/* One round: the block of the rank at `east` goes east, where that of the rank before it comes
 * from; likewise for west. */
static void pass(const struct mpi_coll *c, const struct order *o, int place, int round, bool west)
{
    int to_east = at(o, place + 1), to_west = at(o, place - 1);

    mpi_coll_receive(c, to_west, mpi_block(c, &c->in, at(o, place - round)));
    if (west)
        mpi_coll_receive(c, to_east, mpi_block(c, &c->in, at(o, place + round)));
    mpi_coll_send(c, to_east, mpi_block(c, &c->in, at(o, place - round + 1)));
    if (west)
        mpi_coll_send(c, to_west, mpi_block(c, &c->in, at(o, place + round - 1)));
    mpi_coll_fence(c);
}

static void allgather_both_ways(struct mpi_coll *c)
{
    struct order o;

    if (!order_init(c, &o))
        return;
    for (int i = 1; i <= o.n / 2; i++)
        pass(c, &o, o.place, i, 2 * i <= o.n - 1);
}

/* A rank in a ring of its own: places count along it, and `over` is whom it faces. */
struct ring {
    int n, place, first;
    int step; /* of the order, for a step east */
};

static struct ring ring_of(const struct order *o)
{
    bool second = o->place >= o->half;

    return (struct ring){ o->half, second ? o->n - 1 - o->place : o->place, second ? o->n - 1 : 0,
                          second ? -1 : 1 };
}

static int in_ring(const struct order *o, const struct ring *r, int place)
{
    return at(o, r->first + r->step * mpi_wrap(place, r->n));
}

/* Who faces the rank at that place of the own ring. */
static int across(const struct order *o, const struct ring *r, int place)
{
    return at(o, o->n - 1 - (r->first + r->step * mpi_wrap(place, r->n)));
}

static void exchange(const struct mpi_coll *c, int peer, struct mpi_data in, struct mpi_data out)
{
    mpi_coll_receive(c, peer, in);
    mpi_coll_send(c, peer, out);
}

static void allgather_two_rings(struct mpi_coll *c)
{
    struct order o;
    struct ring r;

    if (!order_init(c, &o))
        return;
    if (o.half == 0) {
        allgather_both_ways(c);
        return;
    }
    r = ring_of(&o);
    exchange(c, across(&o, &r, r.place), mpi_block(c, &c->in, across(&o, &r, r.place)),
             mpi_block(c, &c->in, c->rank));
    mpi_coll_fence(c);
    for (int i = 1; i <= r.n / 2; i++) {
        int east = in_ring(&o, &r, r.place + 1), west = in_ring(&o, &r, r.place - 1);
        int from_west = r.place - i, from_east = r.place + i;
        bool both = 2 * i <= r.n - 1;

        mpi_coll_receive(c, west, mpi_block(c, &c->in, in_ring(&o, &r, from_west)));
        mpi_coll_receive(c, west, mpi_block(c, &c->in, across(&o, &r, from_west)));
        if (both) {
            mpi_coll_receive(c, east, mpi_block(c, &c->in, in_ring(&o, &r, from_east)));
            mpi_coll_receive(c, east, mpi_block(c, &c->in, across(&o, &r, from_east)));
        }
        mpi_coll_send(c, east, mpi_block(c, &c->in, in_ring(&o, &r, from_west + 1)));
        mpi_coll_send(c, east, mpi_block(c, &c->in, across(&o, &r, from_west + 1)));
        if (both) {
            mpi_coll_send(c, west, mpi_block(c, &c->in, in_ring(&o, &r, from_east - 1)));
            mpi_coll_send(c, west, mpi_block(c, &c->in, across(&o, &r, from_east - 1)));
        }
        mpi_coll_fence(c);
    }
}

/* ---- broadcast ---------------------------------------------------------------------------------
 */

/* A chain of `ranks` takes (segments + ranks) rounds; more segments make them shorter, but a round
 * costs besides what it moves. The least sum is where segments^2 = ranks * bytes / ROUND_BYTES. */
static uint64_t segments_of(uint64_t bytes, int ranks)
{
    uint64_t n = 1;

    while (n < SEGMENTS_MAX && (n + 1) * (n + 1) * ROUND_BYTES <= (uint64_t)ranks * bytes)
        n++;
    return n;
}

static struct mpi_data segment(struct mpi_data all, uint64_t i, uint64_t n)
{
    return mpi_part(all, all.count * i / n, all.count * (i + 1) / n);
}

/* Segment i comes while segment i - 1 goes on. -1: from nobody, to nobody. */
static void relay(const struct mpi_coll *c, struct mpi_data all, uint64_t n, int from, int to,
                  int also_to)
{
    uint64_t lag = from >= 0;

    for (uint64_t i = 0; i < n + lag; i++) {
        if (from >= 0 && i < n)
            mpi_coll_receive(c, from, segment(all, i, n));
        if (i >= lag && to >= 0)
            mpi_coll_send(c, to, segment(all, i - lag, n));
        if (i >= lag && also_to >= 0)
            mpi_coll_send(c, also_to, segment(all, i - lag, n));
        mpi_coll_fence(c);
    }
}

/* `east` ranks on the one side of the root are reached that way, the others the other way. */
static void bcast_chain(struct mpi_coll *c, int east)
{
    struct order o;
    int root = 0, way;
    struct mpi_data all = mpi_block_range(&c->in, 0, 1);
    uint64_t n;

    if (!order_init(c, &o))
        return;
    while (o.at[root] != c->root)
        root++;
    way = mpi_wrap(o.place - root, o.n); /* steps east of the root */
    n = segments_of(c->bytes, east);
    if (way == 0)
        relay(c, all, n, -1, at(&o, o.place + 1), east < o.n - 1 ? at(&o, o.place - 1) : -1);
    else if (way <= east)
        relay(c, all, n, at(&o, o.place - 1), way < east ? at(&o, o.place + 1) : -1, -1);
    else
        relay(c, all, n, at(&o, o.place + 1), way > east + 1 ? at(&o, o.place - 1) : -1, -1);
}

static void bcast_both_ways(struct mpi_coll *c)
{
    bcast_chain(c, c->size / 2);
}

static void bcast_pipeline(struct mpi_coll *c)
{
    bcast_chain(c, c->size - 1);
}

/* ---- reduce-scatter and allreduce
 * ----------------------------------------------------------------- */

/** Two pieces of scratch memory that change roles: what came, and what goes next. */
struct flow {
    struct mpi_data come, go;
};

static struct flow flow_init(const struct mpi_coll *c, uint64_t most, struct mpi_type *type)
{
    struct flow f = { mpi_coll_scratch(c, most, type), mpi_coll_scratch(c, most, type) };

    return f;
}

/* What came for a part goes on with the own data for it. */
static void add_own(const struct mpi_coll *c, struct mpi_data own, struct flow *f)
{
    struct mpi_data come = mpi_part(f->come, 0, own.count);

    mpi_step_combine(c->s, own, come);
    f->come = f->go;
    f->go = come;
}

/*
 * The sum of the part of each place comes to be at the rank at that place, in `own`, where its own
 * data are already. It starts on both sides, half a ring away, and each rank that it passes adds
 * its own. `parts` are by place.
 */
static void sum_both_ways(const struct mpi_coll *c, const struct order *o,
                          const struct mpi_data *parts, struct mpi_data own)
{
    int east = o->n / 2, west = (o->n - 1) / 2; /* ranks on a part's west and east side */
    int to_east = at(o, o->place + 1), to_west = at(o, o->place - 1);
    struct flow e, w;
    uint64_t most = 0;

    for (int i = 0; i < o->n; i++)
        most = parts[i].count > most ? parts[i].count : most;
    e = flow_init(c, most, own.type);
    w = flow_init(c, most, own.type);
    for (int t = 1; t <= east; t++) {
        int s = t - (east - west); /* the other way may begin a round later */
        int out_e = mpi_wrap(o->place + (east - t + 1), o->n), in_e = mpi_wrap(out_e - 1, o->n);
        int out_w = mpi_wrap(o->place - (west - s + 1), o->n), in_w = mpi_wrap(out_w + 1, o->n);

        mpi_coll_receive(c, to_west, mpi_part(e.come, 0, parts[in_e].count));
        if (s > 0)
            mpi_coll_receive(c, to_east, mpi_part(w.come, 0, parts[in_w].count));
        mpi_coll_send(c, to_east, t == 1 ? parts[out_e] : e.go);
        if (s > 0)
            mpi_coll_send(c, to_west, s == 1 ? parts[out_w] : w.go);
        mpi_coll_fence(c);
        if (t < east)
            add_own(c, parts[in_e], &e);
        if (s > 0 && s < west)
            add_own(c, parts[in_w], &w);
    }
    mpi_step_combine(c->s, mpi_part(e.come, 0, own.count), own);
    if (west > 0)
        mpi_step_combine(c->s, mpi_part(w.come, 0, own.count), own);
}

/* And from there to all. */
static void spread_both_ways(const struct mpi_coll *c, const struct order *o,
                             const struct mpi_data *parts)
{
    int east = at(o, o->place + 1), west = at(o, o->place - 1), p = o->place, n = o->n;

    for (int i = 1; i <= n / 2; i++) {
        bool both = 2 * i <= n - 1;

        mpi_coll_receive(c, west, parts[mpi_wrap(p - i, n)]);
        if (both)
            mpi_coll_receive(c, east, parts[mpi_wrap(p + i, n)]);
        mpi_coll_send(c, east, parts[mpi_wrap(p - i + 1, n)]);
        if (both)
            mpi_coll_send(c, west, parts[mpi_wrap(p + i - 1, n)]);
        mpi_coll_fence(c);
    }
}

/* NULL: out of memory, which the schedule knows. */
static struct mpi_data *parts_init(const struct mpi_coll *c, int n)
{
    return (struct mpi_data *)(void *)mpi_schedule_memory(c->s,
                                                          (size_t)n * sizeof(struct mpi_data));
}

static void allreduce_in(const struct mpi_coll *c, const struct order *o, struct mpi_data all)
{
    struct mpi_data *parts = parts_init(c, o->n);
    uint64_t n = (uint64_t)o->n;

    if (parts == NULL)
        return;
    for (uint64_t i = 0; i < n; i++)
        parts[i] = mpi_part(all, all.count * i / n, all.count * (i + 1) / n);
    sum_both_ways(c, o, parts, parts[o->place]);
    spread_both_ways(c, o, parts);
}

static void allreduce_both_ways(struct mpi_coll *c)
{
    struct mpi_data all = mpi_block_range(&c->in, 0, 1);
    struct order o;

    if (!order_init(c, &o))
        return;
    mpi_coll_move(c, mpi_block_range(&c->out, 0, 1), all);
    allreduce_in(c, &o, all);
}

/* Each ring has one half of the data, across and back again by S. */
static void allreduce_two_rings(struct mpi_coll *c)
{
    struct mpi_data all = mpi_block_range(&c->in, 0, 1), half[2], got;
    struct order o, ring;
    int mine, peer;

    if (!order_init(c, &o))
        return;
    mpi_coll_move(c, mpi_block_range(&c->out, 0, 1), all);
    if (o.half == 0) {
        allreduce_in(c, &o, all);
        return;
    }
    mine = o.place >= o.half;
    peer = at(&o, o.n - 1 - o.place);
    ring =
        (struct order){ .n = o.half, .place = o.place - mine * o.half, .at = o.at + mine * o.half };
    half[0] = mpi_part(all, 0, all.count / 2);
    half[1] = mpi_part(all, all.count / 2, all.count);
    got = mpi_coll_scratch(c, half[mine].count, all.type);
    exchange(c, peer, got, half[!mine]);
    mpi_coll_fence(c);
    mpi_step_combine(c->s, got, half[mine]);
    allreduce_in(c, &ring, half[mine]);
    exchange(c, peer, half[!mine], half[mine]);
}

/* First place and number of the ranks on the node of this one; *nodes_p: how many nodes. */
static int on_node(const struct mpi_coll *c, const struct order *o, int *first_p, int *nodes_p,
                   int *node_p)
{
    const struct p2 *p2 = p2_of_coll(c);
    int n = 0;

    *nodes_p = *node_p = *first_p = 0;
    for (int i = 0; i < o->n; i++) {
        uint32_t slot = p2->peers[c->comm->world[o->at[i]]].slot;
        bool next = i == 0 || p2->peers[c->comm->world[o->at[i - 1]]].slot != slot;

        *nodes_p += next;
        if (slot != p2->peers[c->comm->world[c->rank]].slot)
            continue;
        if (next) {
            *first_p = i;
            *node_p = *nodes_p - 1;
        }
        n++;
    }
    return n;
}

/* All ranks, several on each of a power of two of nodes: those of a node meet in memory, and one of
 * them takes part in recursive doubling among the nodes. */
static bool has_levels(const struct mpi_coll *c)
{
    const struct p2 *p2 = p2_of_coll(c);
    int here = 1, nodes;

    if (!near_and_commutes(c))
        return false;
    for (int r = 0; r < c->size; r++)
        here += r != c->rank &&
                p2->peers[c->comm->world[r]].slot == p2->peers[c->comm->world[c->rank]].slot;
    nodes = c->size / here;
    return here > 1 && (nodes & (nodes - 1)) == 0 && p2->even && c->size == (int)p2->nranks;
}

static void allreduce_two_levels(struct mpi_coll *c)
{
    struct mpi_data sum = mpi_block_range(&c->in, 0, 1), got;
    int first, nodes, node, here, each;
    struct order o;

    if (!order_init(c, &o))
        return;
    here = on_node(c, &o, &first, &nodes, &node);
    each = here; /* has_levels() */
    mpi_coll_move(c, mpi_block_range(&c->out, 0, 1), sum);
    if (o.place != first) {
        mpi_coll_send(c, o.at[first], sum);
        mpi_coll_fence(c);
        mpi_coll_receive(c, o.at[first], sum);
        return;
    }
    got = mpi_coll_scratch(c, sum.count * (uint64_t)here, sum.type);
    for (int i = 1; i < here; i++)
        mpi_coll_receive(c, o.at[first + i],
                         mpi_part(got, sum.count * (uint64_t)i, sum.count * (uint64_t)(i + 1)));
    mpi_coll_fence(c);
    for (int i = 1; i < here; i++)
        mpi_step_combine(
            c->s, mpi_part(got, sum.count * (uint64_t)i, sum.count * (uint64_t)(i + 1)), sum);
    got = mpi_part(got, 0, sum.count);
    for (int step = 1; step < nodes; step *= 2) {
        int peer = node ^ step;

        exchange(c, o.at[peer * each], got, sum);
        mpi_coll_fence(c);
        mpi_coll_combine(c, peer < node, &sum, &got);
    }
    for (int i = 1; i < here; i++)
        mpi_coll_send(c, o.at[first + i], sum);
    mpi_coll_move(c, sum, mpi_block_range(&c->in, 0, 1));
}

static void reduce_scatter_both_ways(struct mpi_coll *c)
{
    struct mpi_data own = mpi_block_range(&c->in, 0, 1), *parts = parts_init(c, c->size);
    struct order o;

    if (parts == NULL || !order_init(c, &o))
        return;
    for (int i = 0; i < o.n; i++)
        parts[i] = mpi_block(c, &c->out, o.at[i]);
    mpi_coll_move(c, parts[o.place], own);
    sum_both_ways(c, &o, parts, own);
}

/* ---- all-to-all
 * -------------------------------------------------------------------------------------- */

/* All at once, the nearest ones first and both ways in turn, so that all cables of a ring have
 * work. */
static void alltoall_both_ways(struct mpi_coll *c)
{
    struct order o;

    if (!order_init(c, &o))
        return;
    mpi_coll_move(c, mpi_block(c, &c->out, c->rank), mpi_block(c, &c->in, c->rank));
    for (int d = 1; d <= o.n / 2; d++) {
        int east = at(&o, o.place + d), west = at(&o, o.place - d);

        mpi_coll_receive(c, west, mpi_block(c, &c->in, west));
        if (east != west)
            mpi_coll_receive(c, east, mpi_block(c, &c->in, east));
    }
    for (int d = 1; d <= o.n / 2; d++) {
        int east = at(&o, o.place + d), west = at(&o, o.place - d);

        mpi_coll_send(c, east, mpi_block(c, &c->out, east));
        if (east != west)
            mpi_coll_send(c, west, mpi_block(c, &c->out, west));
    }
}

static const struct mpi_algorithm algorithms[] = {
    { MPI_COLL_ALLGATHER, "both-ways", near, allgather_both_ways },
    { MPI_COLL_ALLGATHER, "two-rings", near, allgather_two_rings },
    { MPI_COLL_BCAST, "both-ways", near, bcast_both_ways },
    { MPI_COLL_BCAST, "pipeline", near, bcast_pipeline },
    { MPI_COLL_ALLREDUCE, "both-ways", near_and_commutes, allreduce_both_ways },
    { MPI_COLL_ALLREDUCE, "two-rings", near_and_commutes, allreduce_two_rings },
    { MPI_COLL_ALLREDUCE, "two-levels", has_levels, allreduce_two_levels },
    { MPI_COLL_REDUCE_SCATTER, "both-ways", near_and_commutes, reduce_scatter_both_ways },
    { MPI_COLL_ALLTOALL, "both-ways", near, alltoall_both_ways },
};

/*
 * Where `hubsim run mpi-allgather`, mpi-broadcast, mpi-allreduce and mpi-alltoall, each on 16
 * nodes, change their minds (docs/collectives.md). Small ones: a message costs its sender 0.2 us,
 * so few ranks tell all others at once; then what has the fewest rounds; then what moves each byte
 * to the next node only. All-to-all: of up to P2_PIO_MAX bytes a message costs its sender 0.1 us
 * each 8 bytes, of more 1 us in a channel however long, and ten ranks have so few that no other
 * way saves any.
 */
#define KB 1024u
static const struct mpi_choice choices[] = {
    { MPI_COLL_ALLGATHER, "linear", 0, 32, 0, 17 },
    { MPI_COLL_ALLGATHER, "recursive-doubling", 0, 2 * KB, 0, 0 },
    { MPI_COLL_ALLGATHER, "bruck", 0, 2 * KB, 0, 0 },
    { MPI_COLL_ALLGATHER, "two-rings", 2 * KB, 0, 0, 0 },
    { MPI_COLL_BCAST, "binomial", 0, 12 * KB, 0, 0 },
    { MPI_COLL_BCAST, "both-ways", 12 * KB, 192 * KB, 0, 0 },
    { MPI_COLL_BCAST, "pipeline", 192 * KB, 0, 0, 0 },
    { MPI_COLL_ALLREDUCE, "two-levels", 0, 4 * KB, 0, 0 },
    { MPI_COLL_ALLREDUCE, "two-rings", 16 * KB, 0, 0, 0 },
    { MPI_COLL_REDUCE_SCATTER, "both-ways", 32 * KB, 0, 0, 0 },
    { MPI_COLL_ALLTOALL, "spread", 0, 128 * KB, 0, 11 },
    { MPI_COLL_ALLTOALL, "spread", 0, P2_PIO_MAX + 1, 0, 15 },
    { MPI_COLL_ALLTOALL, "spread", 0, 56, 0, 21 },
    { MPI_COLL_ALLTOALL, "bruck", 0, 192, 0, 0 },
    { MPI_COLL_ALLTOALL, "spread", 0, 128 * KB, 0, 0 },
};

int p2_collectives(struct mpi_rank *mr)
{
    int code = mpi_algorithms_add(mr, algorithms, sizeof(algorithms) / sizeof(algorithms[0]));

    if (code == MPI_SUCCESS)
        code = mpi_choices_add(mr, choices, sizeof(choices) / sizeof(choices[0]));
    return code;
}
