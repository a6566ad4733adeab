/* What is counted on the graph: sums, the bisection. */
#include "tools/lab/topology/topology.h"

#include <string.h>

#define EXACT_HUBS 16u /* 2^15 splits of 16 hubs take milliseconds */
#define SEARCHES   16u
#define SAME_BYTES 1e-3 /* bytes per second: sums of equal rates in another order */
#define NO_CUT_YET UINT32_MAX

/* ---- sums ---------------------------------------------------------------------- */

static void count_loads(const struct lab_topology *topo, struct lab_topo_summary *s)
{
    s->min_load = UINT64_MAX;
    for (unsigned i = 0; i < topo->nlinks; i++) {
        uint64_t load = topo->links[i].load;

        if (load < s->min_load)
            s->min_load = load;
        if (s->nmost_loaded == 0 || load > s->max_load) {
            s->max_load = load;
            s->most_loaded = i;
            s->nmost_loaded = 0;
        }
        s->nmost_loaded += load == s->max_load;
    }
}

struct lab_topo_summary lab_topology_summarise(const struct lab_topology *topo)
{
    struct lab_topo_summary s = { 0 };

    for (size_t i = 0; i < (size_t)topo->nhubs * topo->nhubs; i++) {
        if (i / topo->nhubs == i % topo->nhubs)
            continue;
        if (topo->hops[i] == LAB_TOPO_NONE) {
            s.unrouted++;
            continue;
        }
        s.routed++;
        s.total_hops += topo->hops[i];
        s.total_latency_ps += topo->latency_ps[i];
        if (topo->hops[i] > s.diameter)
            s.diameter = topo->hops[i];
        if (topo->latency_ps[i] > s.max_latency_ps)
            s.max_latency_ps = topo->latency_ps[i];
    }
    count_loads(topo, &s);
    return s;
}

/* ---- bisection ------------------------------------------------------------------ */

static struct lab_topo_cut measure_cut(const struct lab_topology *topo, const bool *side)
{
    struct lab_topo_cut cut = { 0, 0, false };

    for (unsigned i = 0; i < topo->nlinks; i += 2)
        if (side[topo->links[i].from] != side[topo->links[i].to]) {
            cut.cables++;
            cut.bytes_per_s += topo->links[i].bytes_per_s;
        }
    return cut;
}

/** Fewest cables; of those the slowest. */
static void keep_better(struct lab_topo_cut *best, struct lab_topo_cut cut)
{
    if (cut.cables < best->cables ||
        (cut.cables == best->cables && cut.bytes_per_s < best->bytes_per_s - SAME_BYTES))
        *best = cut;
}

/** All splits with the last hub on one side. */
static void try_all(const struct lab_topology *topo, bool *side, struct lab_topo_cut *best)
{
    SIM_ASSERT(topo->nhubs >= 1 && topo->nhubs <= EXACT_HUBS);
    for (uint32_t mask = 0; mask < UINT32_C(1) << (topo->nhubs - 1); mask++) {
        unsigned ones = (unsigned)__builtin_popcount(mask);

        if (ones != topo->nhubs / 2 && ones != topo->nhubs - topo->nhubs / 2)
            continue;
        for (unsigned i = 0; i < topo->nhubs; i++)
            side[i] = (mask >> i & 1) != 0;
        keep_better(best, measure_cut(topo, side));
    }
}

/** Cables that `hub` has to the other side, less those to its own. */
static void count_gains(const struct lab_topology *topo, const bool *side, int *gain)
{
    memset(gain, 0, topo->nhubs * sizeof(*gain));
    for (unsigned i = 0; i < topo->nlinks; i++)
        gain[topo->links[i].from] += side[topo->links[i].from] != side[topo->links[i].to] ? 1 : -1;
}

static int cables_between(const struct lab_topology *topo, unsigned a, unsigned b)
{
    int n = 0;

    for (unsigned i = 0; i < topo->nlinks; i++)
        n += topo->links[i].from == a && topo->links[i].to == b;
    return n;
}

/** Swaps one hub of each side when that cuts fewer cables (a step of Kernighan and Lin). */
static bool swap_one(const struct lab_topology *topo, bool *side, const int *gain)
{
    for (unsigned a = 0; a < topo->nhubs; a++)
        for (unsigned b = 0; side[a] && b < topo->nhubs; b++)
            if (!side[b] && gain[a] + gain[b] > 0 &&
                gain[a] + gain[b] > 2 * cables_between(topo, a, b)) {
                side[a] = false;
                side[b] = true;
                return true;
            }
    return false;
}

/** From halves in the order of the hubs, begun at several places, as far as single swaps lead. */
static void search_cuts(const struct lab_topology *topo, bool *side, int *gain,
                        struct lab_topo_cut *best)
{
    for (unsigned start = 0; start < SEARCHES; start++) {
        unsigned first = start * topo->nhubs / SEARCHES;

        for (unsigned i = 0; i < topo->nhubs; i++)
            side[(first + i) % topo->nhubs] = i < topo->nhubs / 2;
        do
            count_gains(topo, side, gain);
        while (swap_one(topo, side, gain));
        keep_better(best, measure_cut(topo, side));
    }
}

struct lab_topo_cut lab_topology_bisect(struct lab_topology *topo)
{
    struct lab_topo_cut best = { NO_CUT_YET, 0, false };
    bool *side = load_alloc(&topo->arena, topo->nhubs * sizeof(*side));
    int *gain = load_alloc(&topo->arena, topo->nhubs * sizeof(*gain));

    if (topo->nhubs <= EXACT_HUBS)
        try_all(topo, side, &best);
    else
        search_cuts(topo, side, gain, &best);
    best.exact = topo->nhubs <= EXACT_HUBS;
    return best;
}
