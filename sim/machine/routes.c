#include "machine/routes.h"

#include <stdlib.h>
#include <string.h>

#define FAR UINT32_MAX
#define MAX_RANGES                                                                                 \
    (sizeof(((struct machine_routes *)NULL)->ranges) / sizeof(struct machine_route_range))

struct graph {
    unsigned nrouters, nedges;
    const struct machine_router *routers;
    const struct machine_edge *edges;
    uint32_t *distance; /* to the present destination, by router */
    unsigned *queue;
    unsigned *slot; /* by router */
    unsigned *next; /* [router * nrouters + destination]: index of the port, or FAR */
};

/** Distances of all routers to `to`, breadth first. @return how many reach it. */
static unsigned measure(struct graph *g, unsigned to)
{
    unsigned read = 0, filled = 0;

    for (unsigned i = 0; i < g->nrouters; i++)
        g->distance[i] = FAR;
    g->distance[to] = 0;
    g->queue[filled++] = to;
    while (read < filled) {
        unsigned at = g->queue[read++];

        for (unsigned e = 0; e < g->nedges; e++) {
            const struct machine_edge *edge = &g->edges[e];
            unsigned other = edge->a == at ? edge->b : edge->a;

            if ((edge->a != at && edge->b != at) || g->distance[other] != FAR)
                continue;
            g->distance[other] = g->distance[at] + 1;
            g->queue[filled++] = other;
        }
    }
    return filled;
}

static unsigned port_index(const struct machine_router *r, const char *port)
{
    unsigned i = 0;

    while (r->ports[i] != NULL && strcmp(r->ports[i], port) != 0)
        i++;
    return i;
}

/** The first step of each router towards `to`. */
static void step_towards(struct graph *g, unsigned to)
{
    for (unsigned i = 0; i < g->nrouters; i++)
        g->next[(size_t)i * g->nrouters + to] = FAR;
    for (unsigned e = 0; e < 2 * g->nedges; e++) { /* each cable in both directions */
        const struct machine_edge *edge = &g->edges[e / 2];
        unsigned from = e % 2 == 0 ? edge->a : edge->b, over = e % 2 == 0 ? edge->b : edge->a;
        unsigned *best = &g->next[(size_t)from * g->nrouters + to];
        unsigned port;

        if (g->distance[from] == FAR || g->distance[from] != g->distance[over] + 1)
            continue;
        port = port_index(&g->routers[from], e % 2 == 0 ? edge->port_a : edge->port_b);
        if (port < *best)
            *best = port;
    }
}

/** A router's part is its place among the routers that it reaches. */
static unsigned place_among_reached(const struct graph *g, unsigned router)
{
    unsigned n = 0;

    for (unsigned i = 0; i < router; i++)
        n += g->distance[i] != FAR;
    return n;
}

static int add_range(const struct graph *g, unsigned router, unsigned port, unsigned slot,
                     struct machine_routes *r, struct sim_error *err)
{
    const char *name = g->routers[router].ports[port];
    struct machine_route_range *last = r->nranges != 0 ? &r->ranges[r->nranges - 1] : NULL;

    if (last != NULL && last->port == name && last->last + 1 == slot) {
        last->last = slot;
        return SIM_OK;
    }
    if (r->nranges == MAX_RANGES)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: more than %u ranges of parts in its routes",
                             g->routers[router].path, (unsigned)MAX_RANGES);
    r->ranges[r->nranges++] = (struct machine_route_range){ name, slot, slot };
    return SIM_OK;
}

/** Slots rise with the router's number inside a sub-cluster, so one pass meets them in order. */
static int merge_ranges(const struct graph *g, unsigned router, struct machine_routes *r,
                        struct sim_error *err)
{
    for (unsigned to = 0; to < g->nrouters; to++) {
        unsigned port = g->next[(size_t)router * g->nrouters + to];

        if (port != FAR && add_range(g, router, port, g->slot[to], r, err) != SIM_OK)
            return SIM_ERR_CONFIG;
    }
    return SIM_OK;
}

static int solve(struct graph *g, uint64_t window_bytes, uint64_t part_bytes,
                 struct machine_routes *routes, struct sim_error *err)
{
    for (unsigned i = 0; i < g->nrouters; i++) {
        unsigned members = measure(g, i);

        if (members > window_bytes / part_bytes)
            return sim_error_set(
                err, SIM_ERR_CONFIG, "%s: %u hubs are joined, but the window has %llu parts",
                g->routers[i].path, members, (unsigned long long)(window_bytes / part_bytes));
        g->slot[i] = place_among_reached(g, i);
        step_towards(g, i);
    }
    for (unsigned i = 0; i < g->nrouters; i++) {
        routes[i] = (struct machine_routes){ .slot = g->slot[i],
                                             .window_bytes = window_bytes,
                                             .part_bytes = part_bytes };
        if (merge_ranges(g, i, &routes[i], err) != SIM_OK)
            return SIM_ERR_CONFIG;
    }
    return SIM_OK;
}

int machine_routes_compute(unsigned nrouters, const struct machine_router *routers, unsigned nedges,
                           const struct machine_edge *edges, uint64_t window_bytes,
                           uint64_t part_bytes, struct machine_routes *routes_p,
                           struct sim_error *err)
{
    struct graph g = { .nrouters = nrouters, .nedges = nedges, .routers = routers, .edges = edges };
    int code = SIM_ERR_NOMEM;

    if (nrouters == 0)
        return SIM_OK;
    g.distance = calloc(nrouters, sizeof(*g.distance));
    g.queue = calloc(nrouters, sizeof(*g.queue));
    g.slot = calloc(nrouters, sizeof(*g.slot));
    g.next = calloc((size_t)nrouters * nrouters, sizeof(*g.next));
    if (g.distance != NULL && g.queue != NULL && g.slot != NULL && g.next != NULL)
        code = solve(&g, window_bytes, part_bytes, routes_p, err);
    else
        code = sim_error_set(err, SIM_ERR_NOMEM, "routes: out of memory");
    free(g.next);
    free(g.slot);
    free(g.queue);
    free(g.distance);
    return code;
}
