/* From the description's routes to the routers' registers. */
#include "machine/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct routing {
    struct machine_graph graph;
    struct machine_router *routers;
    struct machine_edge *edges;
    unsigned *order;
    struct machine_hop *hops;
    struct component **components;
};

static unsigned router_of(const struct routing *r, const struct component *c)
{
    unsigned i = 0;

    while (i < r->graph.nrouters && r->components[i] != c)
        i++;
    return i;
}

static void list_routers(struct machine *m, struct routing *r)
{
    unsigned n = 0;

    for (unsigned i = 0; i < m->ncomponents; i++)
        if (machine_is_router(m->components[i].desc)) {
            m->components[i].routes = &m->routes[n];
            r->components[n] = &m->components[i];
            r->routers[n++] = (struct machine_router){ m->components[i].desc->kind->ports,
                                                       m->components[i].path };
        }
    r->graph.nrouters = n;
}

static void list_edges(const struct machine *m, struct routing *r)
{
    for (unsigned i = 0; i < m->desc->ncables; i++) {
        const struct machine_link_desc *l = &m->desc->cables[i];
        unsigned a = router_of(r, machine_find(m, l->node_a, l->component_a));
        unsigned b = router_of(r, machine_find(m, l->node_b, l->component_b));

        if (a < r->graph.nrouters && b < r->graph.nrouters)
            r->edges[r->graph.nedges++] = (struct machine_edge){ a, b, l->port_a, l->port_b };
    }
}

static void list_order(const struct machine *m, struct routing *r)
{
    unsigned n = 0;

    for (unsigned k = 0; k < m->desc->nnodes; k++)
        for (unsigned i = 0; i < r->graph.nrouters; i++)
            if (r->components[i]->node == m->desc->slot_order[k])
                r->order[n++] = i;
    SIM_ASSERT(n == r->graph.nrouters); /* each node once */
    r->graph.order = r->order;
}

/** For each router of the nodes that a line by hand names. @return how many. */
static unsigned list_hops(const struct machine *m, const struct routing *r,
                          struct machine_hop *hops)
{
    unsigned n = 0;

    for (unsigned i = 0; i < m->desc->routing.nhand; i++) {
        const struct machine_hand_desc *hand = &m->desc->routing.hand[i];
        unsigned at = router_of(r, machine_find(m, hand->node, hand->component));

        for (unsigned to = 0; at < r->graph.nrouters && to < r->graph.nrouters; to++) {
            unsigned node = r->components[to]->node;

            if (node < hand->first || node > hand->last || to == at)
                continue;
            if (hops != NULL)
                hops[n] = (struct machine_hop){ at, to, hand->port, hand->file, hand->line };
            n++;
        }
    }
    return n;
}

static bool leads_on(const struct machine *m, const struct routing *r,
                     const struct machine_hand_desc *hand)
{
    unsigned at = router_of(r, machine_find(m, hand->node, hand->component));

    for (unsigned to = 0; to < r->graph.nrouters; to++)
        if (to != at && r->components[to]->node >= hand->first &&
            r->components[to]->node <= hand->last &&
            m->routes[to].subcluster == m->routes[at].subcluster)
            return true;
    return false;
}

/** A line by hand is for another router at least, one that a packet could reach. */
static int check_hands(const struct machine *m, const struct routing *r, struct sim_error *err)
{
    for (unsigned i = 0; i < m->desc->routing.nhand; i++) {
        const struct machine_hand_desc *hand = &m->desc->routing.hand[i];
        char last[16] = "";

        if (leads_on(m, r, hand))
            continue;
        if (hand->last != hand->first)
            (void)snprintf(last, sizeof(last), "-%u", hand->last);
        return sim_error_set_at(err, SIM_ERR_CONFIG, hand->file, hand->line,
                                "node%u.%s.%s = %u%s: expected another node, with a hub that "
                                "cables join to node%u.%s",
                                hand->node, hand->component, hand->port, hand->first, last,
                                hand->node, hand->component);
    }
    return SIM_OK;
}

static bool power_of_two(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static int check_window(const struct machine_desc *desc, struct sim_error *err)
{
    if (power_of_two(desc->window_bytes) && power_of_two(desc->part_bytes) &&
        desc->part_bytes <= desc->window_bytes)
        return SIM_OK;
    return sim_error_set(err, SIM_ERR_CONFIG,
                         "%s: window_bytes = %llu, part_bytes = %llu: expected powers of two, "
                         "the part within the window",
                         desc->name, (unsigned long long)desc->window_bytes,
                         (unsigned long long)desc->part_bytes);
}

/** The registers of a router lead where its routes say. */
static void check_registers(const struct component *c)
{
    for (unsigned i = 0; c->desc->kind->route != NULL && i < c->routes->nranges; i++) {
        const struct machine_route_range *range = &c->routes->ranges[i];

        for (unsigned slot = range->first; slot <= range->last; slot++) {
            const char *port = c->desc->kind->route(c->it, slot);

            SIM_ASSERT(port != NULL && strcmp(port, range->port) == 0);
        }
    }
}

/** What a router refuses is reported with the place of the routes when it names no value of its
 * own. */
static int program_router(const struct machine *m, const struct component *c, struct sim_error *err)
{
    const struct machine_routing_desc *routing = &m->desc->routing;
    struct sim_error why = { 0 };
    int code = c->desc->kind->set_routes(c->it, c->routes, &why);

    if (code == SIM_OK)
        check_registers(c);
    return machine_located(c, code, &why, routing->file, routing->line, err);
}

static int set_routes(const struct machine *m, struct routing *r, struct sim_error *err)
{
    const struct machine_routing_desc *routing = &m->desc->routing;
    int code = check_window(m->desc, err);

    if (code != SIM_OK)
        return code;
    r->graph.routers = r->routers;
    r->graph.edges = r->edges;
    r->graph.window_bytes = m->desc->window_bytes;
    r->graph.part_bytes = m->desc->part_bytes;
    r->graph.policy = (struct machine_policy){ routing->ndimensions,
                                               routing->dimensions,
                                               routing->by_hand,
                                               list_hops(m, r, r->hops),
                                               r->hops,
                                               routing->file,
                                               routing->line };
    if (m->desc->slot_order != NULL)
        list_order(m, r);
    code = machine_routes_compute(&r->graph, m->routes, err);
    if (code == SIM_OK)
        code = check_hands(m, r, err);
    for (unsigned i = 0; code == SIM_OK && i < r->graph.nrouters; i++)
        code = program_router(m, r->components[i], err);
    return code != SIM_OK ? code : machine_routes_walk(&r->graph, m->routes, err);
}

int machine_route(struct machine *m, struct sim_error *err)
{
    struct routing r = { .routers = NULL };
    size_t n = m->ncomponents + 1u;
    int code = SIM_OK;

    m->routes = calloc(n, sizeof(*m->routes));
    r.routers = calloc(n, sizeof(*r.routers));
    r.components = calloc(n, sizeof(struct component *));
    r.edges = calloc(m->desc->ncables + 1u, sizeof(*r.edges));
    r.order = calloc(n, sizeof(*r.order));
    if (m->routes == NULL || r.routers == NULL || r.components == NULL || r.edges == NULL ||
        r.order == NULL)
        code = SIM_ERR_NOMEM;
    if (code == SIM_OK) {
        list_routers(m, &r);
        list_edges(m, &r);
        r.hops = calloc(list_hops(m, &r, NULL) + 1u, sizeof(*r.hops));
        code = r.hops != NULL ? SIM_OK : SIM_ERR_NOMEM;
    }
    if (code == SIM_OK && r.graph.nrouters != 0)
        code = set_routes(m, &r, err);
    free(r.hops);
    free(r.order);
    free(r.edges);
    free(r.components);
    free(r.routers);
    return code;
}
