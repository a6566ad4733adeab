/* What is counted on the graph: sums, the bisection, cycles of dependencies. */
#include "tools/lab/topology.h"

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

static struct lab_topo_cut measure(const struct lab_topology *topo, const bool *side)
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
        keep_better(best, measure(topo, side));
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
static void search(const struct lab_topology *topo, bool *side, int *gain,
                   struct lab_topo_cut *best)
{
    for (unsigned start = 0; start < SEARCHES; start++) {
        unsigned first = start * topo->nhubs / SEARCHES;

        for (unsigned i = 0; i < topo->nhubs; i++)
            side[(first + i) % topo->nhubs] = i < topo->nhubs / 2;
        do
            count_gains(topo, side, gain);
        while (swap_one(topo, side, gain));
        keep_better(best, measure(topo, side));
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
        search(topo, side, gain, &best);
    best.exact = topo->nhubs <= EXACT_HUBS;
    return best;
}

/* ---- cycles ---------------------------------------------------------------------- */

/** [link * nlinks + link]: some route takes the second directly after the first. */
static bool *find_dependencies(struct lab_topology *topo)
{
    size_t n = topo->nhubs;
    bool *follows = load_alloc(&topo->arena, (size_t)topo->nlinks * topo->nlinks);

    for (size_t pair = 0; pair < n * n; pair++) {
        unsigned to = (unsigned)(pair % n), link, then;

        if (topo->hops[pair] == LAB_TOPO_NONE || topo->hops[pair] < 2)
            continue;
        /* The rest of the way is that of the hubs on it, which have pairs of their own. */
        link = topo->next[pair];
        then = topo->next[topo->links[link].to * n + to];
        follows[(size_t)link * topo->nlinks + then] = true;
    }
    return follows;
}

/** Depth first; what is in progress is the path in `path`. */
enum state { UNSEEN, ON_PATH, DONE };

/** Goes on from the end of the path. @return the link that closes a cycle, or LAB_TOPO_NONE */
static unsigned step(unsigned n, const bool *follows, unsigned *path, unsigned *length,
                     unsigned *resume, enum state *state)
{
    unsigned at = path[*length - 1];

    while (resume[at] < n) {
        unsigned then = resume[at]++;

        if (!follows[(size_t)at * n + then] || state[then] == DONE)
            continue;
        if (state[then] == ON_PATH)
            return then;
        state[then] = ON_PATH;
        path[(*length)++] = then;
        return LAB_TOPO_NONE;
    }
    state[at] = DONE;
    (*length)--;
    return LAB_TOPO_NONE;
}

/** A cycle of the relation `follows` among n links. @return its length, 0: none */
static unsigned find_cycle(struct lab_topology *topo, const bool *follows, unsigned *cycle)
{
    unsigned n = topo->nlinks, length = 0, first = 0;
    unsigned *resume = load_alloc(&topo->arena, n * sizeof(*resume));
    enum state *state = load_alloc(&topo->arena, n * sizeof(*state));

    for (unsigned root = 0; root < n; root++) {
        if (state[root] != UNSEEN)
            continue;
        state[root] = ON_PATH;
        cycle[length++] = root;
        while (length > 0) {
            unsigned closed = step(n, follows, cycle, &length, resume, state);

            if (closed == LAB_TOPO_NONE)
                continue;
            while (cycle[first] != closed)
                first++;
            memmove(cycle, cycle + first, (length - first) * sizeof(*cycle));
            return length - first;
        }
    }
    return 0;
}

unsigned lab_topology_cycle(struct lab_topology *topo, unsigned *cycle)
{
    return find_cycle(topo, find_dependencies(topo), cycle);
}

/** Do packets go straight on from one to the other: in by E, out by W, or by A and B? */
static bool straight(const struct lab_topo_link *in, const struct lab_topo_link *out)
{
    static const char *const pairs[][2] = {
        { "e", "w" }, { "w", "e" }, { "a", "b" }, { "b", "a" }
    };

    for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (strcmp(in->port_to, pairs[i][0]) == 0 && strcmp(out->port_from, pairs[i][1]) == 0)
            return out->guarded;
    return false;
}

/** Numbers links by the first one of their ring. */
static void find_rings(const struct lab_topology *topo, const bool *follows, unsigned *ring)
{
    size_t n = topo->nlinks;
    bool moved = true;

    for (unsigned i = 0; i < n; i++)
        ring[i] = i;
    while (moved) {
        moved = false;
        for (size_t i = 0; i < n * n; i++) {
            unsigned *a = &ring[i / n], *b = &ring[i % n];

            if (!follows[i] || *a == *b || !straight(&topo->links[i / n], &topo->links[i % n]))
                continue;
            *a = *b = *a < *b ? *a : *b;
            moved = true;
        }
    }
}

/** A ring with one hub that does not guard it, or with a way that turns back into it, is none. */
static void open_rings(struct lab_topology *topo, const bool *follows, unsigned *ring)
{
    size_t n = topo->nlinks;
    bool *opened = load_alloc(&topo->arena, n);

    for (size_t i = 0; i < n * n; i++)
        if (follows[i] && ring[i / n] == ring[i % n] &&
            !straight(&topo->links[i / n], &topo->links[i % n]))
            opened[ring[i / n]] = true;
    for (unsigned i = (unsigned)n; i-- > 0;) /* the first one of a ring at last */
        if (opened[ring[i]])
            ring[i] = i;
}

unsigned lab_topology_deadlock(struct lab_topology *topo, unsigned *cycle)
{
    size_t n = topo->nlinks;
    bool *follows = find_dependencies(topo);
    bool *rings = load_alloc(&topo->arena, n * n * sizeof(*rings));
    unsigned *ring = load_alloc(&topo->arena, n * sizeof(*ring));

    for (size_t i = 0; i < n * n; i++)
        follows[i] = follows[i] && !topo->links[i % n].endless;
    find_rings(topo, follows, ring);
    open_rings(topo, follows, ring);
    for (size_t i = 0; i < n * n; i++)
        if (follows[i] && ring[i / n] != ring[i % n])
            rings[ring[i / n] * n + ring[i % n]] = true;
    return find_cycle(topo, rings, cycle);
}
