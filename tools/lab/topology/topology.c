#include "tools/lab/topology/topology.h"

#include "pcie/port/phy.h"
#include "tools/lab/run/simulate.h"
#include "tools/lab/topology/link.h"

#include <string.h>

/* A posted write of 8 bytes: on cables addresses lie above 4 GiB, so 4-DW headers (PCIe Base
 * 2.2.1). */
#define WRITE_SYMBOLS (PCIE_TLP_FRAMING + 16u + 8u)
/* Picoseconds of one cycle at 1 kHz. */
#define PS_KHZ UINT64_C(1000000000)

/** What is needed only until the routes are known. */
struct build {
    const struct machine_desc *desc;
    struct lab_topology *topo;
    struct hub {
        unsigned node;
        const struct machine_component_desc *component;
    } * hubs;
    const struct machine_routes **routes; /* each hub's */
};

/* ---- hubs ---------------------------------------------------------------------- */

static void list_hubs(struct build *b)
{
    struct lab_topology *topo = b->topo;
    unsigned all = 0;

    for (unsigned node = 0; node < b->desc->nnodes; node++)
        all += b->desc->nodes[node].ncomponents;
    b->hubs = load_alloc(&topo->arena, (all + 1) * sizeof(*b->hubs));
    topo->hubs = load_alloc(&topo->arena, (all + 1) * sizeof(*topo->hubs));
    topo->node_of = load_alloc(&topo->arena, (all + 1) * sizeof(*topo->node_of));
    for (unsigned node = 0; node < b->desc->nnodes; node++)
        for (unsigned i = 0; i < b->desc->nodes[node].ncomponents; i++) {
            const struct machine_component_desc *c = &b->desc->nodes[node].components[i];

            if (!machine_is_router(c))
                continue;
            topo->node_of[topo->nhubs] = node;
            topo->hubs[topo->nhubs] = load_text(&topo->arena, "node%u.%s", node, c->name);
            b->hubs[topo->nhubs++] = (struct hub){ node, c };
        }
}

static unsigned find_hub(const struct build *b, unsigned node, const char *component)
{
    for (unsigned i = 0; i < b->topo->nhubs; i++)
        if (b->hubs[i].node == node && strcmp(b->hubs[i].component->name, component) == 0)
            return i;
    return LAB_TOPO_NONE;
}

/* ---- links --------------------------------------------------------------------- */

static uint64_t hub_value(const struct build *b, unsigned hub, const char *key)
{
    return lab_value(b->desc, b->hubs[hub].node, b->hubs[hub].component->name, key, 0);
}

static uint64_t port_value(const struct build *b, unsigned hub, const char *port, const char *key)
{
    return lab_port_value(b->desc, b->hubs[hub].node, b->hubs[hub].component->name, port, key);
}

/** The packet, two hard blocks and the wire; then the next edge of the receiver's clock, and the
 * stages of its core. */
static uint64_t hop_ps(const struct build *b, const struct lab_topo_link *l,
                       const struct pcie_phy *phy, uint64_t length_mm)
{
    uint64_t khz = hub_value(b, l->to, "clock_khz");
    uint64_t cycles = hub_value(b, l->to, "receive_cycles") + hub_value(b, l->to, "route_cycles") +
                      hub_value(b, l->to, "output_cycles");
    uint64_t ps = pcie_phy_ps(phy, WRITE_SYMBOLS) + length_mm * b->desc->ps_per_m / 1000 +
                  hub_value(b, l->from, "hard_block_ps") + hub_value(b, l->to, "hard_block_ps") +
                  port_value(b, l->from, l->port_from, "tx_latency_ps") +
                  port_value(b, l->to, l->port_to, "rx_latency_ps");

    if (khz == 0) /* a router without a clock */
        return ps;
    return ((ps * khz + PS_KHZ - 1) / PS_KHZ + cycles) * PS_KHZ / khz;
}

static struct machine_ring ring_of(const struct build *b, unsigned hub, const char *port)
{
    const struct machine_component_desc *c = b->hubs[hub].component;
    struct machine_ring none = { NULL, false, false };
    void *config;

    if (c->kind->ring == NULL)
        return none;
    config = load_alloc(&b->topo->arena, c->kind->config_bytes);
    machine_component_config(c, config);
    return c->kind->ring(config, port);
}

/**
 * Bubble flow control counts places for packets. It holds where a free header means room for the
 * largest packet: scraps of data space too small for any packet add up to no place. Credits of 0
 * are without end.
 */
static bool has_places(uint64_t headers, uint64_t data, uint64_t mps)
{
    return headers > 1 && (data == 0 || data >= headers * mps / 16);
}

static void watch_buffer(const struct build *b, struct lab_topo_link *l)
{
    uint64_t headers = port_value(b, l->to, l->port_to, "ph_credits");
    uint64_t data = port_value(b, l->to, l->port_to, "pd_credits");
    uint64_t mps = lab_least(port_value(b, l->from, l->port_from, "mps_bytes"),
                             port_value(b, l->to, l->port_to, "mps_bytes"));
    struct machine_ring from = ring_of(b, l->from, l->port_from);
    bool asks = hub_value(b, l->from, "bubble_tlps") > 1;

    l->partner = from.partner;
    l->vc1 = from.vc1 && ring_of(b, l->to, l->port_to).vc1;
    l->date_line = l->vc1 && from.date_line;
    l->endless = headers == 0 && data == 0;
    l->guarded[0] = asks && (l->endless || has_places(headers, data, mps));
    l->guarded[1] = asks && has_places(hub_value(b, l->to, "vc1.ph_credits"),
                                       hub_value(b, l->to, "vc1.pd_credits"), mps);
}

static void add_link(const struct build *b, struct lab_topo_link link, uint64_t length_mm)
{
    uint64_t gen = lab_least(port_value(b, link.from, link.port_from, "gen"),
                             port_value(b, link.to, link.port_to, "gen"));
    uint64_t lanes = lab_least(port_value(b, link.from, link.port_from, "lanes"),
                               port_value(b, link.to, link.port_to, "lanes"));
    struct pcie_phy phy;

    if (gen != 0 && lanes != 0) {
        pcie_phy_init(&phy, (uint32_t)gen, (uint32_t)lanes, 0);
        link.latency_ps = hop_ps(b, &link, &phy, length_mm);
        link.bytes_per_s = lab_link_rate(gen, lanes);
    }
    watch_buffer(b, &link);
    b->topo->links[b->topo->nlinks++] = link;
}

static void list_links(struct build *b)
{
    b->topo->links =
        load_alloc(&b->topo->arena, (2 * (size_t)b->desc->ncables + 1) * sizeof(*b->topo->links));
    for (unsigned i = 0; i < b->desc->ncables; i++) {
        const struct machine_link_desc *l = &b->desc->cables[i];
        unsigned from = find_hub(b, l->node_a, l->component_a);
        unsigned to = find_hub(b, l->node_b, l->component_b);

        if (from == LAB_TOPO_NONE || to == LAB_TOPO_NONE)
            continue;
        add_link(b,
                 (struct lab_topo_link){
                     .from = from, .to = to, .port_from = l->port_a, .port_to = l->port_b },
                 l->length_mm);
        add_link(b,
                 (struct lab_topo_link){
                     .from = to, .to = from, .port_from = l->port_b, .port_to = l->port_a },
                 l->length_mm);
    }
}

/* ---- routes --------------------------------------------------------------------- */

/** The link at the port whose ranges hold part `slot`. */
static unsigned link_to_slot(const struct build *b, unsigned at, unsigned slot)
{
    const char *port = machine_routes_port(b->routes[at], slot);

    for (unsigned i = 0; port != NULL && i < b->topo->nlinks; i++)
        if (b->topo->links[i].from == at && strcmp(b->topo->links[i].port_from, port) == 0)
            return i;
    return LAB_TOPO_NONE;
}

/** Follows the routes, and loads the links with one message if they lead there. */
static void follow_route(struct lab_topology *topo, unsigned from, unsigned to)
{
    size_t pair = (size_t)from * topo->nhubs + to;
    unsigned at = from, hops = 0, link;
    uint64_t ps = 0;

    topo->hops[pair] = LAB_TOPO_NONE;
    for (; at != to; at = topo->links[link].to) {
        link = topo->next[(size_t)at * topo->nhubs + to];
        if (link == LAB_TOPO_NONE || hops++ == topo->nhubs)
            return;
        ps += topo->links[link].latency_ps;
    }
    topo->hops[pair] = hops;
    topo->latency_ps[pair] = ps;
    for (at = from; at != to; at = topo->links[link].to) {
        link = topo->next[(size_t)at * topo->nhubs + to];
        topo->links[link].load++;
    }
}

static void follow_all(struct build *b)
{
    struct lab_topology *topo = b->topo;
    size_t n = topo->nhubs, pairs = n * n;

    topo->next = load_alloc(&topo->arena, pairs * sizeof(*topo->next));
    topo->hops = load_alloc(&topo->arena, pairs * sizeof(*topo->hops));
    topo->latency_ps = load_alloc(&topo->arena, pairs * sizeof(*topo->latency_ps));
    for (size_t i = 0; i < pairs; i++)
        topo->next[i] = b->routes[i / n]->subcluster == b->routes[i % n]->subcluster
                            ? link_to_slot(b, (unsigned)(i / n), b->routes[i % n]->slot)
                            : LAB_TOPO_NONE;
    for (size_t i = 0; i < pairs; i++)
        follow_route(topo, (unsigned)(i / n), (unsigned)(i % n));
}

/* ---- all of it -------------------------------------------------------------------- */

/** From the machine that was built: it knows which ports may be joined, and what routes hubs have.
 */
static void measure_machine(struct build *b, const struct machine *m)
{
    struct lab_topology *topo = b->topo;

    list_hubs(b);
    list_links(b);
    if (topo->nlinks == 0)
        load_raise(SIM_ERR_CONFIG,
                   "%s: cables = 0: expected a machine with a cable between two hubs",
                   b->desc->name);
    b->routes = load_alloc(&topo->arena, topo->nhubs * sizeof(*b->routes));
    for (unsigned i = 0; i < topo->nhubs; i++)
        b->routes[i] = machine_routes_of(m, b->hubs[i].node, b->hubs[i].component->name);
    follow_all(b);
}

void lab_topology_create(const struct machine_desc *desc, struct lab_topology *topo)
{
    struct build b = { .desc = desc, .topo = topo };
    struct sim_config cfg = { .seed = 1 };
    struct load_arena arena = { 0 };

    *topo = (struct lab_topology){ .name = desc->name, .nnodes = desc->nnodes };
    measure_machine(&b, lab_machine(desc, &cfg, &arena));
    load_arena_fini(&arena);
}

void lab_topology_fini(struct lab_topology *topo)
{
    load_arena_fini(&topo->arena);
}
