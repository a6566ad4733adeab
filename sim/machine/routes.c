#include "machine/routes.h"

#include "machine/network.h"

#include <stdlib.h>
#include <string.h>

struct search {
    struct machine_network net;
    unsigned *distance; /* to the present targets, by router */
    unsigned *queue;
    unsigned *group;      /* by router: those that later dimensions join have the same */
    unsigned *subcluster; /* by router */
    unsigned *slot;       /* by router */
    unsigned *next;       /* [router * n + destination]: index of the port, or MACHINE_NONE */
};

static unsigned ordered(const struct machine_graph *g, unsigned k)
{
    return g->order != NULL ? g->order[k] : k;
}

/* ---- dimensions ------------------------------------------------------------------ */

static unsigned dimensions(const struct machine_policy *p)
{
    return p->ndimensions != 0 ? p->ndimensions : 1;
}

static bool leaves_by(const struct search *s, unsigned dimension, unsigned router, unsigned port)
{
    const struct machine_policy *p = &s->net.graph->policy;
    const char *name = s->net.graph->routers[router].ports[port];

    if (p->ndimensions == 0)
        return true;
    for (const char *const *of = p->dimensions[dimension].ports; *of != NULL; of++)
        if (strcmp(*of, name) == 0)
            return true;
    return false;
}

/** Does the cable at this port belong to a dimension from `first` on, in either direction? */
static bool joins_from(const struct search *s, unsigned first, unsigned router, unsigned port)
{
    const struct machine_far *far = machine_network_far(&s->net, router, port);

    for (unsigned d = first; d < dimensions(&s->net.graph->policy); d++)
        if (leaves_by(s, d, router, port) || leaves_by(s, d, far->router, far->port))
            return true;
    return false;
}

/** Gives `group` to all routers that cables of dimensions from `first` on join to `router`. */
static void spread_group(struct search *s, unsigned *groups, unsigned group, unsigned first,
                         unsigned router)
{
    unsigned read = 0, filled = 0;

    groups[router] = group;
    s->queue[filled++] = router;
    while (read < filled) {
        unsigned at = s->queue[read++];

        for (unsigned port = 0; port < s->net.nports; port++) {
            unsigned other = machine_network_far(&s->net, at, port)->router;

            if (other == MACHINE_NONE || groups[other] != MACHINE_NONE ||
                (first != MACHINE_NONE && !joins_from(s, first, at, port)))
                continue;
            groups[other] = group;
            s->queue[filled++] = other;
        }
    }
}

/** @param first MACHINE_NONE: by all cables. Groups are numbered in the order of parts. */
static void find_groups(struct search *s, unsigned *groups, unsigned first)
{
    unsigned n = 0;

    for (unsigned i = 0; i < s->net.n; i++)
        groups[i] = MACHINE_NONE;
    for (unsigned k = 0; k < s->net.n; k++) {
        unsigned router = ordered(s->net.graph, k);

        if (groups[router] == MACHINE_NONE)
            spread_group(s, groups, n++, first, router);
    }
}

/* ---- ways ------------------------------------------------------------------------- */

/** Distances, by ports of the dimension, to the nearest router of the group of `to`. */
static void measure_distances(struct search *s, unsigned dimension, unsigned to)
{
    unsigned read = 0, filled = 0;

    for (unsigned i = 0; i < s->net.n; i++) {
        s->distance[i] = s->group[i] == s->group[to] ? 0 : MACHINE_NONE;
        if (s->distance[i] == 0)
            s->queue[filled++] = i;
    }
    while (read < filled) {
        unsigned at = s->queue[read++];

        for (unsigned port = 0; port < s->net.nports; port++) {
            const struct machine_far *far = machine_network_far(&s->net, at, port);

            if (far->router == MACHINE_NONE || s->distance[far->router] != MACHINE_NONE ||
                !leaves_by(s, dimension, far->router, far->port))
                continue;
            s->distance[far->router] = s->distance[at] + 1;
            s->queue[filled++] = far->router;
        }
    }
}

static unsigned first_step(const struct search *s, unsigned dimension, unsigned router)
{
    for (unsigned port = 0; port < s->net.nports; port++) {
        unsigned over = machine_network_far(&s->net, router, port)->router;

        if (over != MACHINE_NONE && s->distance[router] == s->distance[over] + 1 &&
            leaves_by(s, dimension, router, port))
            return port;
    }
    return MACHINE_NONE;
}

static void step_along(struct search *s, unsigned dimension)
{
    for (unsigned to = 0; to < s->net.n; to++) {
        measure_distances(s, dimension, to);
        for (unsigned i = 0; i < s->net.n; i++)
            if (s->distance[i] != 0 && s->distance[i] != MACHINE_NONE)
                s->next[(size_t)i * s->net.n + to] = first_step(s, dimension, i);
    }
}

static unsigned *step_of(const struct search *s, const struct machine_hop *hop)
{
    return &s->next[(size_t)hop->at * s->net.n + hop->to];
}

static int set_step(struct search *s, const struct machine_hop *hop, struct sim_error *err)
{
    const struct machine_router *at = &s->net.graph->routers[hop->at];
    const char *to = s->net.graph->routers[hop->to].path;
    unsigned port = machine_network_port(&s->net, hop->at, hop->port), *step = step_of(s, hop);

    if (port >= s->net.nports ||
        machine_network_far(&s->net, hop->at, port)->router == MACHINE_NONE)
        return sim_error_set_at(err, SIM_ERR_CONFIG, hop->file, hop->line,
                                "%s.%s: the route to %s begins at a port without a cable to "
                                "another hub",
                                at->path, hop->port, to);
    if (*step != MACHINE_NONE && *step != port)
        return sim_error_set_at(err, SIM_ERR_CONFIG, hop->file, hop->line,
                                "%s.%s: the route to %s begins at %s, too: expected one port",
                                at->path, hop->port, to, at->ports[*step]);
    *step = port;
    return SIM_OK;
}

/** In place of what the policy says; of two ports by hand none would be meant. */
static int step_by_hand(struct search *s, struct sim_error *err)
{
    const struct machine_policy *p = &s->net.graph->policy;
    int code = SIM_OK;

    for (unsigned i = 0; i < p->nhops; i++)
        *step_of(s, &p->hops[i]) = MACHINE_NONE;
    for (unsigned i = 0; code == SIM_OK && i < p->nhops; i++)
        code = set_step(s, &p->hops[i], err);
    return code;
}

/** Later dimensions first: where an earlier one still has a step to make, that one counts. */
static int find_ways(struct search *s, struct sim_error *err)
{
    const struct machine_policy *p = &s->net.graph->policy;

    for (size_t i = 0; i < (size_t)s->net.n * s->net.n; i++)
        s->next[i] = MACHINE_NONE;
    for (unsigned d = p->by_hand ? 0 : dimensions(p); d-- > 0;) {
        find_groups(s, s->group, d + 1);
        step_along(s, d);
    }
    return step_by_hand(s, err);
}

/* ---- ranges ------------------------------------------------------------------------- */

static int add_range(const struct search *s, unsigned router, unsigned port, unsigned slot,
                     struct machine_routes *r, struct sim_error *err)
{
    const char *name = s->net.graph->routers[router].ports[port];
    struct machine_route_range *last = r->nranges != 0 ? &r->ranges[r->nranges - 1] : NULL;

    if (last != NULL && last->port == name && last->last + 1 == slot) {
        last->last = slot;
        return SIM_OK;
    }
    if (r->nranges == SIM_COUNT(r->ranges))
        return sim_error_set_at(
            err, SIM_ERR_CONFIG, s->net.graph->policy.file, s->net.graph->policy.line,
            "%s.%s: its routes take more ranges of window parts than a hub has pairs of "
            "registers",
            s->net.graph->routers[router].path, name);
    r->ranges[r->nranges++] = (struct machine_route_range){ name, slot, slot };
    return SIM_OK;
}

/** In the order of parts, so neighbours can be merged. */
static int make_ranges(const struct search *s, unsigned router, struct machine_routes *r,
                       struct sim_error *err)
{
    int code = SIM_OK;

    for (unsigned k = 0; k < s->net.n && code == SIM_OK; k++) {
        unsigned to = ordered(s->net.graph, k);
        unsigned port = s->next[(size_t)router * s->net.n + to];

        if (to != router && port != MACHINE_NONE && s->subcluster[to] == s->subcluster[router])
            code = add_range(s, router, port, s->slot[to], r, err);
    }
    return code;
}

/** Parts are counted in each sub-cluster anew. */
static int give_slots(struct search *s, struct sim_error *err)
{
    const struct machine_graph *g = s->net.graph;
    uint64_t parts = g->window_bytes / g->part_bytes;

    find_groups(s, s->subcluster, MACHINE_NONE);
    memset(s->queue, 0, s->net.n * sizeof(*s->queue)); /* by sub-cluster: parts given so far */
    for (unsigned k = 0; k < s->net.n; k++) {
        unsigned router = ordered(g, k);

        s->slot[router] = s->queue[s->subcluster[router]]++;
    }
    for (unsigned i = 0; i < s->net.n; i++)
        if (s->queue[s->subcluster[i]] > parts)
            return sim_error_set_at(err, SIM_ERR_CONFIG, g->policy.file, g->policy.line,
                                    "%s: %u hubs are joined, but the window has %llu parts",
                                    g->routers[i].path, s->queue[s->subcluster[i]],
                                    (unsigned long long)parts);
    return SIM_OK;
}

static int solve_routes(struct search *s, struct machine_routes *routes, struct sim_error *err)
{
    int code = give_slots(s, err);

    if (code == SIM_OK)
        code = find_ways(s, err);
    for (unsigned i = 0; i < s->net.n && code == SIM_OK; i++) {
        routes[i] = (struct machine_routes){ .slot = s->slot[i],
                                             .subcluster = s->subcluster[i],
                                             .window_bytes = s->net.graph->window_bytes,
                                             .part_bytes = s->net.graph->part_bytes };
        code = make_ranges(s, i, &routes[i], err);
    }
    return code;
}

int machine_routes_compute(const struct machine_graph *graph, struct machine_routes *routes_p,
                           struct sim_error *err)
{
    struct search s = { .distance = NULL };
    size_t n = graph->nrouters;
    int code = SIM_ERR_NOMEM;

    if (n == 0)
        return SIM_OK;
    s.distance = calloc(n * (5 + n), sizeof(*s.distance)); /* all of them in one block */
    if (machine_network_init(&s.net, graph) && s.distance != NULL) {
        s.queue = s.distance + n;
        s.group = s.queue + n;
        s.subcluster = s.group + n;
        s.slot = s.subcluster + n;
        s.next = s.slot + n;
        code = solve_routes(&s, routes_p, err);
    }
    free(s.distance);
    machine_network_fini(&s.net);
    return code;
}
