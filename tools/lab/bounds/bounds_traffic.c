#include "tools/lab/bounds/bounds_traffic.h"

#include "tools/lab/bounds/bounds.h"
#include "tools/lab/bounds/rank_hub.h"

#include <stdlib.h>
#include <string.h>

/* Sequence number 2, LCRC 4, framing 2 (PCIe Base 3.5.2, 4.2.2), and a header of 4 DW where
 * addresses lie above 4 GiB, as all do in the window. Towards a host it is 3 DW, the least. */
#define CABLE_OVERHEAD 24u
#define HOST_OVERHEAD  20u

/* ---- what a program has printed ------------------------------------------------------ */

static unsigned node_of_rank(const struct lab_run *run, const struct lab_line *line,
                             const char *key)
{
    uint64_t rank;

    if (!lab_line_get(line, key, &rank) || rank >= run->nranks)
        load_raise(SIM_ERR_CONFIG, "%s: traffic without %s: expected a rank from 0 to %u",
                   run->program, key, run->nranks - 1);
    return run->nodes[rank];
}

struct lab_traffic lab_traffic_read(const struct lab_run *run, const struct lab_result *result,
                                    struct load_arena *arena)
{
    struct lab_traffic t = { .n = result->ntraffic };

    t.messages = load_alloc(arena, (t.n + 1) * sizeof(*t.messages));
    for (unsigned i = 0; i < t.n; i++) {
        const struct lab_line *line = &result->traffic[i];
        struct lab_message *m = &t.messages[i];
        uint64_t step = 0;

        m->blocks = 1;
        (void)lab_line_get(line, "blocks", &m->blocks);
        if (!lab_line_get(line, "step", &step) || !lab_line_get(line, "bytes", &m->bytes) ||
            m->blocks == 0)
            load_raise(SIM_ERR_CONFIG, "%s: traffic: expected step, src, dst and bytes",
                       run->program);
        m->step = (unsigned)step;
        m->src = node_of_rank(run, line, "src");
        m->dst = node_of_rank(run, line, "dst");
    }
    return t;
}

/* ---- loads of one step ---------------------------------------------------------------- */

/** Symbols on a link and cycles on the bus of the hub at one end, each with its rate. */
struct load {
    uint64_t bytes, cycles;
    double bytes_per_s, cycles_per_s;
};

struct loads {
    struct lab_topology topo;
    struct shape { /* what packets a hub sends and receives */
        uint64_t packet, request, bus, gap;
    } * shapes;
    unsigned *hub_of; /* node -> hub, or LAB_TOPO_NONE */
    unsigned n;       /* the cables' directions, then for each hub: to the host, from the host */
    struct load *loads;
};

static void add_hub(const struct machine_desc *desc, unsigned hub, struct loads *l)
{
    unsigned node = l->topo.node_of[hub];
    const char *name = lab_hub_component(&l->topo, hub);
    struct shape *s = &l->shapes[hub];
    uint64_t khz = lab_value(desc, node, name, "clock_khz", 0);
    double rate = lab_link_rate(lab_link_value(desc, node, name, "n", "gen"),
                                lab_link_value(desc, node, name, "n", "lanes"));

    s->request = lab_value(desc, node, name, "dma.read_bytes", 0);
    s->packet = lab_least(lab_link_value(desc, node, name, "n", "mps_bytes"), s->request);
    s->bus = lab_value(desc, node, name, "bus_bytes", 0);
    s->gap = lab_value(desc, node, name, "bus_gap_cycles", 0);
    if (s->packet == 0 || s->bus == 0 || khz == 0 || rate <= 0)
        load_raise(SIM_ERR_CONFIG, "%s: node%u.%s: a bound from link loads needs the keys of hub.c",
                   desc->name, node, name);
    for (unsigned i = 0; i < 2; i++) {
        struct load *host = &l->loads[l->topo.nlinks + 2 * hub + i];

        host->bytes_per_s = rate;
        host->cycles_per_s = (double)khz * 1e3;
    }
    for (unsigned i = 0; i < l->topo.nlinks; i++) {
        if (l->topo.links[i].from != hub)
            continue;
        l->loads[i].bytes_per_s = l->topo.links[i].bytes_per_s;
        l->loads[i].cycles_per_s = (double)khz * 1e3;
    }
}

static void loads_create(const struct machine_desc *desc, struct loads *l)
{
    struct load_arena *arena = &l->topo.arena;

    lab_topology_create(desc, &l->topo);
    l->n = l->topo.nlinks + 2 * l->topo.nhubs;
    l->loads = load_alloc(arena, l->n * sizeof(*l->loads));
    l->shapes = load_alloc(arena, l->topo.nhubs * sizeof(*l->shapes));
    l->hub_of = load_alloc(arena, desc->nnodes * sizeof(*l->hub_of));
    if (lab_rank_hubs_differ(desc))
        load_raise(
            SIM_ERR_CONFIG,
            "%s: software.rank_hub = turn: a bound from link loads counts one hub of a node: "
            "expected its number",
            desc->name);
    for (unsigned node = 0; node < desc->nnodes; node++)
        l->hub_of[node] = lab_rank_hub_name(desc, node, 0) != NULL
                              ? lab_rank_hub(desc, &l->topo, node, 0)
                              : LAB_TOPO_NONE;
    for (unsigned hub = 0; hub < l->topo.nhubs; hub++)
        if (lab_hub_number(desc, &l->topo, hub) != LAB_TOPO_NONE)
            add_hub(desc, hub, l);
}

/** Packets of at most `packet` bytes that carry m; each pays its headers and rounds up on the bus.
 */
static void add_packets(struct load *load, const struct lab_message *m, uint64_t packet,
                        uint64_t overhead, const struct shape *s)
{
    uint64_t block = m->bytes / m->blocks, whole = block / packet, rest = block % packet;

    load->bytes += m->bytes + m->blocks * (whole + (rest != 0)) * overhead;
    load->cycles += m->blocks * whole * (1 + (packet + s->bus - 1) / s->bus + s->gap);
    if (rest != 0)
        load->cycles += m->blocks * (1 + (rest + s->bus - 1) / s->bus + s->gap);
}

/** Read requests to the own host, its answers, the writes along the cables and to the other host.
 */
static void add_message(struct loads *l, const struct lab_message *m)
{
    unsigned from = l->hub_of[m->src], to = l->hub_of[m->dst];
    const struct shape *s = &l->shapes[from];
    uint64_t block = m->bytes / m->blocks;
    uint64_t requests = m->blocks * ((block + s->request - 1) / s->request);
    struct load *host = &l->loads[l->topo.nlinks];

    host[2 * from].bytes += requests * HOST_OVERHEAD;
    host[2 * from].cycles += requests;
    add_packets(&host[2 * from + 1], m, s->packet, HOST_OVERHEAD, s);
    add_packets(&host[2 * to], m, s->packet, HOST_OVERHEAD, &l->shapes[to]);
    for (unsigned at = from; at != to;) {
        unsigned link = l->topo.next[(size_t)at * l->topo.nhubs + to];

        if (link == LAB_TOPO_NONE)
            load_raise(SIM_ERR_CONFIG, "%s: traffic from node%u to node%u: no route", l->topo.name,
                       m->src, m->dst);
        add_packets(&l->loads[link], m, s->packet, CABLE_OVERHEAD, &l->shapes[at]);
        at = l->topo.links[link].to;
    }
}

/** Adds the step's time and empties the loads. */
static void end_step(struct loads *l, struct lab_traffic_time *time)
{
    double link = 0, bus = 0;

    for (unsigned i = 0; i < l->n; i++) {
        struct load *load = &l->loads[i];
        double bytes = load->bytes > 0 ? (double)load->bytes / load->bytes_per_s : 0;
        double cycles = load->cycles > 0 ? (double)load->cycles / load->cycles_per_s : 0;

        link = bytes > link ? bytes : link;
        bus = cycles > bus ? cycles : bus;
        load->bytes = load->cycles = 0;
    }
    time->link += link;
    time->bus += bus;
    time->all += link > bus ? link : bus;
}

static int by_step(const void *a, const void *b)
{
    const struct lab_message *x = a, *y = b;

    return (x->step > y->step) - (x->step < y->step);
}

struct lab_traffic_time lab_traffic_bound(const struct machine_desc *desc,
                                          const struct lab_traffic *traffic)
{
    struct lab_traffic_time time = { 0, 0, 0 };
    struct loads l;

    loads_create(desc, &l);
    qsort(traffic->messages, traffic->n, sizeof(*traffic->messages), by_step);
    for (unsigned i = 0; i < traffic->n; i++) {
        const struct lab_message *m = &traffic->messages[i];

        if (i > 0 && m->step != m[-1].step)
            end_step(&l, &time);
        if (m->src >= desc->nnodes || m->dst >= desc->nnodes || l.hub_of[m->src] == LAB_TOPO_NONE ||
            l.hub_of[m->dst] == LAB_TOPO_NONE)
            load_raise(SIM_ERR_CONFIG,
                       "%s: traffic from node%u to node%u: expected nodes with a hub", desc->name,
                       m->src, m->dst);
        add_message(&l, m);
    }
    end_step(&l, &time);
    lab_topology_fini(&l.topo);
    return time;
}
