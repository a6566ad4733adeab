#include "tools/lab/bounds/bounds_route.h"

#include "tools/lab/bounds/bounds_errors.h"
#include "tools/lab/bounds/rank_hub.h"

#include <math.h>
#include <string.h>

struct route {
    const struct machine_desc *desc;
    const struct lab_topology *topo;
    unsigned from, to;
    bool stores;
};

static uint64_t hub_value(const struct route *r, unsigned hub, const char *key)
{
    return lab_value(r->desc, r->topo->node_of[hub], lab_hub_component(r->topo, hub), key, 0);
}

static uint64_t port_value(const struct route *r, unsigned hub, const char *port, const char *key)
{
    return lab_port_value(r->desc, r->topo->node_of[hub], lab_hub_component(r->topo, hub), port,
                          key);
}

/** A value that the ends of the link between a hub and its host agree on. */
static uint64_t host_value(const struct route *r, unsigned hub, const char *key)
{
    return lab_link_value(r->desc, r->topo->node_of[hub], lab_hub_component(r->topo, hub), "n",
                          key);
}

static unsigned next_link(const struct route *r, unsigned at)
{
    return r->topo->next[(size_t)at * r->topo->nhubs + r->to];
}

/** Payload of the largest packet that all links of the route take. */
static uint64_t largest_packet(const struct route *r)
{
    uint64_t bytes =
        lab_least(host_value(r, r->from, "mps_bytes"), host_value(r, r->to, "mps_bytes"));

    for (unsigned at = r->from; at != r->to; at = r->topo->links[next_link(r, at)].to) {
        const struct lab_topo_link *l = &r->topo->links[next_link(r, at)];

        bytes = lab_least(bytes, lab_least(port_value(r, l->from, l->port_from, "mps_bytes"),
                                           port_value(r, l->to, l->port_to, "mps_bytes")));
    }
    if (r->stores)
        bytes = lab_least(bytes, lab_store_bytes(r->desc, r->topo->node_of[r->from]));
    return bytes;
}

/** To or from the host. */
static double host_rate(const struct route *r, unsigned hub, uint64_t packet_bytes)
{
    return lab_link_payload_rate(host_value(r, hub, "gen"), host_value(r, hub, "lanes"),
                                 packet_bytes, LAB_TLP_OVERHEAD_BYTES);
}

static double cable_rate(const struct route *r, const struct lab_topo_link *l,
                         uint64_t packet_bytes)
{
    uint64_t packet = packet_bytes + LAB_TLP_OVERHEAD_BYTES;

    return l->bytes_per_s * (double)packet_bytes / (double)packet *
           lab_error_share(r->desc, r->topo->node_of[l->from], lab_hub_component(r->topo, l->from),
                           l->port_from, packet);
}

static double bus_rate(const struct route *r, unsigned hub, uint64_t packet_bytes)
{
    double rate = lab_bus_rate(hub_value(r, hub, "bus_bytes"), hub_value(r, hub, "clock_khz"),
                               hub_value(r, hub, "bus_gap_cycles"), packet_bytes);

    return rate > 0 ? rate : INFINITY; /* a router of another kind */
}

/** In one direction: what the slowest link or bus of a hub on the route carries. The links between
 * the two hubs and their hosts count, too. `from` and `to` are hubs of `topo` with a route. */
static struct lab_bound route_bound(const struct machine_desc *desc,
                                    const struct lab_topology *topo, unsigned from, unsigned to,
                                    bool stores)
{
    const struct route r = { desc, topo, from, to, stores };
    struct lab_bound bound = { .name = NULL };
    uint64_t bytes = largest_packet(&r);
    double link = fmin(host_rate(&r, from, bytes), host_rate(&r, to, bytes));
    double bus = bus_rate(&r, from, bytes);

    if (bytes == 0)
        return bound;
    for (unsigned at = from; at != to; at = topo->links[next_link(&r, at)].to) {
        const struct lab_topo_link *l = &topo->links[next_link(&r, at)];

        link = fmin(link, cable_rate(&r, l, bytes));
        bus = fmin(bus, bus_rate(&r, l->to, bytes));
    }
    bound.link_bytes_per_s = link;
    bound.bus_bytes_per_s = isinf(bus) ? 0 : bus;
    lab_bound_name(&bound);
    return bound;
}

static double mean_rate(double a, double b)
{
    return a > 0 && b > 0 ? 2 / (1 / a + 1 / b) : 0;
}

struct lab_bound lab_exchange_bound(const struct machine_desc *desc,
                                    const struct lab_topology *topo, unsigned from, unsigned to)
{
    struct lab_bound there = route_bound(desc, topo, from, to, false);
    struct lab_bound back = route_bound(desc, topo, to, from, false);
    struct lab_bound slower = there.bytes_per_s <= back.bytes_per_s ? there : back;

    slower.bytes_per_s = mean_rate(there.bytes_per_s, back.bytes_per_s);
    slower.link_bytes_per_s = mean_rate(there.link_bytes_per_s, back.link_bytes_per_s);
    slower.bus_bytes_per_s = mean_rate(there.bus_bytes_per_s, back.bus_bytes_per_s);
    return slower;
}

/* ---- ranks ------------------------------------------------------------------------- */

/** Else it is no topology. */
static bool cables_join_hubs(const struct machine_desc *desc)
{
    for (unsigned i = 0; i < desc->ncables; i++) {
        const struct machine_link_desc *l = &desc->cables[i];

        if (lab_is_hub(desc, l->node_a, l->component_a) &&
            lab_is_hub(desc, l->node_b, l->component_b))
            return true;
    }
    return false;
}

/** Ranks on the same node before this one. */
static unsigned local_of(const struct lab_run *run, unsigned rank)
{
    unsigned n = 0;

    for (unsigned i = 0; i < rank; i++)
        n += run->nodes[i] == run->nodes[rank];
    return n;
}

static unsigned hub_of(const struct machine_desc *desc, const struct lab_topology *topo,
                       const struct lab_run *run, unsigned rank)
{
    return lab_rank_hub(desc, topo, run->nodes[rank], local_of(run, rank));
}

static void keep_faster(const struct machine_desc *desc, const struct lab_topology *topo,
                        unsigned from, unsigned to, bool stores, struct lab_bound *best)
{
    struct lab_bound bound;

    if (from == LAB_TOPO_NONE || to == LAB_TOPO_NONE || from == to ||
        topo->hops[(size_t)from * topo->nhubs + to] == LAB_TOPO_NONE)
        return;
    bound = route_bound(desc, topo, from, to, stores);
    if (bound.name != NULL && bound.bytes_per_s > best->bytes_per_s)
        *best = bound;
}

struct lab_bound lab_ranks_bound(const struct machine_desc *desc, const struct lab_run *run,
                                 bool stores)
{
    struct lab_bound best = { .name = NULL };
    struct lab_topology topo;

    if (!cables_join_hubs(desc))
        return best;
    lab_topology_create(desc, &topo);
    for (unsigned i = 1; i < run->nranks; i++) {
        unsigned first = hub_of(desc, &topo, run, 0), other = hub_of(desc, &topo, run, i);

        keep_faster(desc, &topo, first, other, stores, &best);
        keep_faster(desc, &topo, other, first, stores, &best);
    }
    lab_topology_fini(&topo);
    return best;
}
