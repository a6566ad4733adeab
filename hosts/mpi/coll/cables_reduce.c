/* Reductions along the cables: what cables.c says of orders and rings holds here, too. */
#include "hosts/mpi/coll/cables.h"

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

    mpi_coll_sum(c, own, come);
    f->come = f->go;
    f->go = come;
}

/*
 * The sum of the part of each place comes to be at the rank at that place, in `own`, where its own
 * data are already. It starts on both sides, half a ring away, and each rank that it passes adds
 * its own. `parts` are by place.
 */
static void sum_both_ways(const struct mpi_coll *c, const struct p2_order *o,
                          const struct mpi_data *parts, struct mpi_data own)
{
    int east = o->n / 2, west = (o->n - 1) / 2; /* ranks on a part's west and east side */
    int to_east = p2_at(o, o->place + 1), to_west = p2_at(o, o->place - 1);
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
    mpi_coll_sum(c, mpi_part(e.come, 0, own.count), own);
    if (west > 0)
        mpi_coll_sum(c, mpi_part(w.come, 0, own.count), own);
}

/* A message for the same place of each set. */
static void each_set(const struct mpi_coll *c, const struct p2_order *o, int peer, bool sends,
                     const struct mpi_data *parts, int sets, int place)
{
    for (int s = 0; s < sets; s++)
        (sends ? mpi_coll_send : mpi_coll_receive)(c, peer,
                                                   parts[s * o->n + mpi_wrap(place, o->n)]);
}

void p2_spread_both_ways(const struct mpi_coll *c, const struct p2_order *o,
                         const struct mpi_data *parts, int sets)
{
    int east = p2_at(o, o->place + 1), west = p2_at(o, o->place - 1), p = o->place;

    for (int i = 1; i <= o->n / 2; i++) {
        bool both = 2 * i <= o->n - 1;

        each_set(c, o, west, false, parts, sets, p - i);
        if (both)
            each_set(c, o, east, false, parts, sets, p + i);
        each_set(c, o, east, true, parts, sets, p - i + 1);
        if (both)
            each_set(c, o, west, true, parts, sets, p + i - 1);
        mpi_coll_fence(c);
    }
}

struct mpi_data *p2_coll_parts(const struct mpi_coll *c, int n)
{
    return mpi_schedule_memory(c->s, (size_t)n * sizeof(struct mpi_data));
}

static void allreduce_in(const struct mpi_coll *c, const struct p2_order *o, struct mpi_data all)
{
    struct mpi_data *parts = p2_coll_parts(c, o->n);

    for (int i = 0; i < o->n; i++)
        parts[i] = mpi_nth_part(all, o->n, i);
    sum_both_ways(c, o, parts, parts[o->place]);
    p2_spread_both_ways(c, o, parts, 1);
}

void p2_allreduce_both_ways(struct mpi_coll *c)
{
    struct mpi_data all = mpi_coll_in(c);
    struct p2_order o;

    p2_coll_order(c, &o);
    mpi_coll_move(c, mpi_coll_out(c), all);
    allreduce_in(c, &o, all);
}

/* Each ring has one half of the data, across and back again by S. */
void p2_allreduce_two_rings(struct mpi_coll *c)
{
    struct mpi_data all = mpi_coll_in(c), half[2], got;
    struct p2_order o, ring;
    int mine, peer;

    p2_coll_order(c, &o);
    mpi_coll_move(c, mpi_coll_out(c), all);
    if (o.half == 0) {
        allreduce_in(c, &o, all);
        return;
    }
    mine = o.place >= o.half;
    peer = p2_at(&o, o.n - 1 - o.place);
    ring = (struct p2_order){ .n = o.half,
                              .place = o.place - mine * o.half,
                              .at = o.at + mine * o.half };
    half[0] = mpi_part(all, 0, all.count / 2);
    half[1] = mpi_part(all, all.count / 2, all.count);
    got = mpi_coll_scratch(c, half[mine].count, all.type);
    mpi_coll_exchange(c, peer, got, peer, half[!mine]);
    mpi_coll_sum(c, got, half[mine]);
    allreduce_in(c, &ring, half[mine]);
    mpi_coll_exchange(c, peer, half[!mine], peer, half[mine]);
}

/* Ranks on the node of this one. */
static int ranks_here(const struct mpi_coll *c)
{
    const struct p2 *p2 = p2_of_coll(c);
    int n = 1;

    for (int r = 0; r < c->size; r++)
        n += r != c->rank && p2_slot(p2, c->comm->world[r]) == p2_slot(p2, c->comm->world[c->rank]);
    return n;
}

/* All ranks, several on each of a power of two of nodes: those of a node meet in memory, and one of
 * them takes part in recursive doubling among the nodes. */
bool p2_has_levels(const struct mpi_coll *c)
{
    int here, nodes;

    if (!p2_near_and_commutes(c))
        return false;
    here = ranks_here(c);
    nodes = c->size / here;
    return here > 1 && (nodes & (nodes - 1)) == 0 && p2_is_even(p2_of_coll(c)) &&
           c->size == (int)c->mr->host->size;
}

void p2_allreduce_two_levels(struct mpi_coll *c)
{
    struct mpi_data sum = mpi_coll_in(c), got;
    int here = ranks_here(c), node, first;
    struct p2_order o;

    p2_coll_order(c, &o);
    node = o.place / here; /* ranks of a node follow each other */
    first = node * here;
    mpi_coll_move(c, mpi_coll_out(c), sum);
    if (o.place != first) {
        mpi_coll_send(c, o.at[first], sum);
        mpi_coll_fence(c);
        mpi_coll_receive(c, o.at[first], sum);
        return;
    }
    got = mpi_coll_scratch(c, sum.count * (uint64_t)here, sum.type);
    for (int i = 1; i < here; i++)
        mpi_coll_receive(c, o.at[first + i], mpi_pieces(got, sum.count, i, 1));
    mpi_coll_fence(c);
    for (int i = 1; i < here; i++)
        mpi_coll_sum(c, mpi_pieces(got, sum.count, i, 1), sum);
    got = mpi_part(got, 0, sum.count);
    for (int step = 1; step * here < o.n; step *= 2) {
        int peer = node ^ step;

        mpi_coll_exchange(c, o.at[peer * here], got, o.at[peer * here], sum);
        mpi_coll_combine(c, peer < node, &sum, &got);
    }
    for (int i = 1; i < here; i++)
        mpi_coll_send(c, o.at[first + i], sum);
    mpi_coll_move(c, sum, mpi_coll_in(c));
}

void p2_reduce_scatter_both_ways(struct mpi_coll *c)
{
    struct mpi_data own = mpi_coll_in(c), *parts = p2_coll_parts(c, c->size);
    struct p2_order o;

    p2_coll_order(c, &o);
    for (int i = 0; i < o.n; i++)
        parts[i] = mpi_block_out(c, o.at[i]);
    mpi_coll_move(c, parts[o.place], own);
    sum_both_ways(c, &o, parts, own);
}
