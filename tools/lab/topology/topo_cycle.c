/*
 * Cycles of dependencies. A vertex is a virtual channel of a link, 2 * link + channel; where
 * channels do not matter, or a link has but one, all is channel 0.
 */
#include "tools/lab/topology/topology.h"

#include <string.h>

struct waits {
    unsigned n;    /* vertices */
    bool *follows; /* [vertex * n + vertex]: some route takes the second directly after the first */
};

static bool follows(const struct waits *w, unsigned in, unsigned out)
{
    return w->follows[(size_t)in * w->n + out];
}

/** Do packets go straight on from one to the other, as in by E and out by W? */
static bool straight_on(const struct lab_topo_link *in, const struct lab_topo_link *out)
{
    return out->partner != NULL && strcmp(in->port_to, out->partner) == 0;
}

/** As hubs choose it: channel 1 from the date line to the end of the way in the ring. */
static unsigned channel_of(const struct lab_topology *topo, unsigned before, unsigned link)
{
    const struct lab_topo_link *l = &topo->links[link];

    if (!l->vc1 || l->date_line)
        return l->vc1;
    return before != LAB_TOPO_NONE && straight_on(&topo->links[before / 2], l) ? before % 2 : 0;
}

static void add_way(const struct lab_topology *topo, unsigned from, unsigned to, bool channels,
                    struct waits *w)
{
    unsigned before = LAB_TOPO_NONE;

    for (unsigned at = from; at != to; at = topo->links[before / 2].to) {
        unsigned link = topo->next[(size_t)at * topo->nhubs + to];
        unsigned vertex = 2 * link + (channels ? channel_of(topo, before, link) : 0);

        if (before != LAB_TOPO_NONE)
            w->follows[(size_t)before * w->n + vertex] = true;
        before = vertex;
    }
}

static struct waits find_dependencies(struct lab_topology *topo, bool channels)
{
    struct waits w = { .n = 2 * topo->nlinks };

    w.follows = load_alloc(&topo->arena, (size_t)w.n * w.n);
    for (unsigned from = 0; from < topo->nhubs; from++)
        for (unsigned to = 0; to < topo->nhubs; to++)
            if (topo->hops[(size_t)from * topo->nhubs + to] != LAB_TOPO_NONE)
                add_way(topo, from, to, channels, &w);
    return w;
}

/** Depth first; what is in progress is the path in `path`. */
enum state { UNSEEN, ON_PATH, DONE };

/** Goes on from the end of the path. @return the link that closes a cycle, or LAB_TOPO_NONE */
static unsigned extend_path(unsigned n, const bool *follows, unsigned *path, unsigned *length,
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

/** A cycle of a relation among n vertices, as links. @return its length, 0: none */
static unsigned find_cycle(struct lab_topology *topo, unsigned n, const bool *follows,
                           unsigned *cycle)
{
    unsigned length = 0, first = 0;
    unsigned *resume = load_alloc(&topo->arena, n * sizeof(*resume));
    enum state *state = load_alloc(&topo->arena, n * sizeof(*state));

    for (unsigned root = 0; root < n; root++) {
        if (state[root] != UNSEEN)
            continue;
        state[root] = ON_PATH;
        cycle[length++] = root;
        while (length > 0) {
            unsigned closed = extend_path(n, follows, cycle, &length, resume, state);

            if (closed == LAB_TOPO_NONE)
                continue;
            while (cycle[first] != closed)
                first++;
            for (unsigned i = first; i < length; i++)
                cycle[i - first] = cycle[i] / 2;
            return length - first;
        }
    }
    return 0;
}

unsigned lab_topology_cycle(struct lab_topology *topo, unsigned *cycle)
{
    struct waits w = find_dependencies(topo, false);

    return find_cycle(topo, w.n, w.follows, cycle);
}

/** The same ring, whose hubs keep a place free in it. */
static bool guarded_straight(const struct lab_topology *topo, unsigned in, unsigned out)
{
    return topo->links[out / 2].guarded[out % 2] &&
           straight_on(&topo->links[in / 2], &topo->links[out / 2]);
}

/** Numbers vertices by the first one of their ring. */
static void find_rings(const struct lab_topology *topo, const struct waits *w, unsigned *ring)
{
    bool moved = true;

    for (unsigned i = 0; i < w->n; i++)
        ring[i] = i;
    while (moved) {
        moved = false;
        for (unsigned in = 0; in < w->n; in++)
            for (unsigned out = 0; out < w->n; out++) {
                if (!follows(w, in, out) || ring[in] == ring[out] ||
                    !guarded_straight(topo, in, out))
                    continue;
                ring[in] = ring[out] = ring[in] < ring[out] ? ring[in] : ring[out];
                moved = true;
            }
    }
}

/** The one vertex that packets go straight on to, or LAB_TOPO_NONE. */
static unsigned straight_after(const struct lab_topology *topo, const struct waits *w, unsigned in)
{
    for (unsigned out = 0; out < w->n; out++)
        if (follows(w, in, out) && guarded_straight(topo, in, out))
            return out;
    return LAB_TOPO_NONE;
}

/** A chain of links with an end is no ring: its links drain one by one, as any others. */
static void open_chains(struct lab_topology *topo, const struct waits *w, const unsigned *ring,
                        bool *opened)
{
    unsigned *after = load_alloc(&topo->arena, w->n * sizeof(*after));

    for (unsigned i = 0; i < w->n; i++) {
        after[i] = straight_after(topo, w, i);
        opened[i] = true;
    }
    for (unsigned i = 0; i < w->n; i++) {
        unsigned at = i;

        for (unsigned steps = 0; at != LAB_TOPO_NONE && steps < w->n; steps++)
            at = after[at];
        if (at != LAB_TOPO_NONE) /* it goes round */
            opened[ring[i]] = false;
    }
}

/** Do packets go straight on to it from both channels of the link before? At a date line they do:
 * those from channel 0 come into a ring of channel 1, and no hub asks for a free place there. */
static bool is_joined(const struct lab_topology *topo, const struct waits *w, unsigned out)
{
    unsigned n = 0;

    for (unsigned in = 0; in < w->n; in++)
        n += follows(w, in, out) && straight_on(&topo->links[in / 2], &topo->links[out / 2]);
    return n > 1;
}

/** A ring with one hub that does not guard it, with a way that turns back into it, or with two
 * channels that become one, is none. */
static void open_rings(struct lab_topology *topo, const struct waits *w, unsigned *ring)
{
    bool *opened = load_alloc(&topo->arena, w->n);

    open_chains(topo, w, ring, opened);
    for (unsigned i = 0; i < w->n; i++)
        if (is_joined(topo, w, i))
            opened[ring[i]] = true;
    for (unsigned in = 0; in < w->n; in++)
        for (unsigned out = 0; out < w->n; out++)
            if (follows(w, in, out) && ring[in] == ring[out] && !guarded_straight(topo, in, out))
                opened[ring[in]] = true;
    for (unsigned i = w->n; i-- > 0;) /* the first one of a ring at last */
        if (opened[ring[i]])
            ring[i] = i;
}

unsigned lab_topology_deadlock(struct lab_topology *topo, unsigned *cycle)
{
    struct waits w = find_dependencies(topo, true);
    size_t n = w.n;
    bool *rings = load_alloc(&topo->arena, n * n * sizeof(*rings));
    unsigned *ring = load_alloc(&topo->arena, n * sizeof(*ring));

    for (unsigned in = 0; in < n; in++)
        for (unsigned out = 0; out < n; out += 2) /* channel 0 */
            if (topo->links[out / 2].endless)
                w.follows[in * n + out] = false;
    find_rings(topo, &w, ring);
    open_rings(topo, &w, ring);
    for (unsigned in = 0; in < n; in++)
        for (unsigned out = 0; out < n; out++)
            if (follows(&w, in, out) && ring[in] != ring[out])
                rings[ring[in] * n + ring[out]] = true;
    return find_cycle(topo, w.n, rings, cycle);
}
