#include "tools/lab/result/distance.h"

#include "tools/lab/bounds/bounds_route.h"
#include "tools/lab/bounds/rank_hub.h"
#include "tools/lab/run/bare_link.h"
#include "tools/lab/topology/link.h"
#include "tools/lab/topology/topology.h"

/** A machine of so many hubs still has a row for each; in a larger one, each distance and each make
 * of node at it has a row. */
#define EACH_HUB_MAX 8u

/* The exchanges of a row. */
enum { PIO, DMA, LARGE, KINDS };

/** A ping-pong of this kind between two nodes. */
static struct lab_plan plan_kind(const struct lab_evaluator *ev, const char *machine,
                                 const char *platform, unsigned from, unsigned to, unsigned kind)
{
    static const char *const setups[KINDS] = {
        [PIO] = "bytes=8;mode=pio;src=cpu;dst=cpu",
        [DMA] = "bytes=8;mode=dma-chain-internal;src=cpu;dst=cpu",
        [LARGE] = "bytes=262144;mode=dma-chain-internal;src=cpu;dst=cpu",
    };
    struct lab_setup setup = lab_setup_parse(setups[kind], machine, ev->arena);
    struct lab_point point = { machine, platform, "pingpong", &setup, machine };
    struct lab_plan plan = lab_plan_make(&point, &ev->protocol, ev->arena);

    plan.runs[0].nodes[0] = from;
    plan.runs[0].nodes[1] = to;
    return plan;
}

/** The number of cables of the route; of both routes where they differ: "2", "1 + 7". */
static const char *hops_text(const struct lab_evaluator *ev, const struct lab_topology *topo,
                             unsigned from, unsigned to)
{
    unsigned there = topo->hops[(size_t)from * topo->nhubs + to];
    unsigned back = topo->hops[(size_t)to * topo->nhubs + from];

    return there == back ? load_text(ev->arena, "%u", there)
                         : load_text(ev->arena, "%u + %u", there, back);
}

static const char *run_text(const struct lab_evaluator *ev, const struct lab_plan *plan)
{
    struct lab_run run = lab_run_with(ev, &plan->runs[0]);

    return lab_run_text(&run, ev->arena);
}

/* ---- parts ----------------------------------------------------------------------- */

/** "3", the node of a hub; "3.hub1" where it has several. */
static const char *hub_text(const struct machine_desc *desc, const struct lab_topology *topo,
                            unsigned hub, struct load_arena *arena)
{
    unsigned node = topo->node_of[hub];

    return lab_node_hubs(desc, node) > 1
               ? load_text(arena, "%u.%s", node, lab_hub_component(topo, hub))
               : load_text(arena, "%u", node);
}

/** Is there a route in both directions? */
static bool are_joined(const struct lab_topology *topo, unsigned a, unsigned b)
{
    return topo->hops[(size_t)a * topo->nhubs + b] != LAB_TOPO_NONE &&
           topo->hops[(size_t)b * topo->nhubs + a] != LAB_TOPO_NONE;
}

/** Sets part[hub] to the first hub of its part: hubs of one part have routes to each other, as
 * those of a sub-cluster. @return the number of parts */
static unsigned find_parts(const struct lab_topology *topo, unsigned *part)
{
    unsigned n = 0;

    for (unsigned hub = 0; hub < topo->nhubs; hub++)
        part[hub] = LAB_TOPO_NONE;
    for (unsigned first = 0; first < topo->nhubs; first++) {
        if (part[first] != LAB_TOPO_NONE)
            continue;
        n++;
        for (unsigned hub = first; hub < topo->nhubs; hub++)
            if (part[hub] == LAB_TOPO_NONE && (hub == first || are_joined(topo, first, hub)))
                part[hub] = first;
    }
    return n;
}

/** "0 .. 15", "3", "0, 2, 4 .. 7": the nodes of a part. */
static const char *part_text(const struct machine_desc *desc, const struct lab_topology *topo,
                             const unsigned *part, unsigned first, struct load_arena *arena)
{
    const char *text = "";

    for (unsigned hub = first; hub < topo->nhubs; hub++) {
        unsigned last = hub;

        if (part[hub] != first)
            continue;
        while (last + 1 < topo->nhubs && part[last + 1] == first)
            last++;
        text = load_text(arena, "%s%s%s", text, text[0] != '\0' ? ", " : "",
                         hub_text(desc, topo, hub, arena));
        if (last > hub)
            text = load_text(arena, last > hub + 1 ? "%s .. %s" : "%s, %s", text,
                             hub_text(desc, topo, last, arena));
        hub = last;
    }
    return text;
}

/** "0 .. 15; 16 .. 31; ...", all parts. */
static const char *parts_text(const struct machine_desc *desc, const struct lab_topology *topo,
                              const unsigned *part, struct load_arena *arena)
{
    const char *text = "";

    for (unsigned hub = 0; hub < topo->nhubs; hub++)
        if (part[hub] == hub)
            text = load_text(arena, "%s%s%s", text, hub > 0 ? "; " : "",
                             part_text(desc, topo, part, hub, arena));
    return text;
}

/* ---- the table ------------------------------------------------------------------- */

struct distances {
    const struct lab_evaluator *ev;
    const struct machine_desc *desc;
    struct lab_topology topo;
    const char *machine, *platform;
    const unsigned *part;
    struct lab_table *table;
    struct lab_out_point *points;
};

/** Can ranks of two nodes both use these hubs? A run has one number for all of its nodes. */
static bool are_partners(const struct distances *d, unsigned a, unsigned b)
{
    return d->topo.node_of[a] != d->topo.node_of[b] &&
           lab_hub_number(d->desc, &d->topo, a) == lab_hub_number(d->desc, &d->topo, b);
}

/** Ranks use the hubs of the row, where their nodes have several. */
static void choose_hub(const struct distances *d, unsigned hub, struct lab_run *run)
{
    unsigned node = d->topo.node_of[hub], number = lab_hub_number(d->desc, &d->topo, hub);

    if (lab_node_hubs(d->desc, node) < 2)
        return;
    if (lab_value(d->desc, node, "software", "rank_hub", LAB_TOPO_NONE) == LAB_TOPO_NONE)
        load_raise(SIM_ERR_CONFIG,
                   "%s: node%u has several hubs: expected a component software of kind software, "
                   "whose rank_hub says which one ranks use",
                   d->machine, node);
    SIM_ASSERT(run->nfixed < LAB_FIXED_MAX);
    run->fixed[run->nfixed++] = load_text(d->ev->arena, "node*.software.rank_hub=%u", number);
}

static void fill_row(const struct distances *d, unsigned first, unsigned hub,
                     struct lab_out_point *point)
{
    const struct lab_evaluator *ev = d->ev;
    struct lab_bound bound = lab_exchange_bound(d->desc, &d->topo, first, hub);
    unsigned row = lab_table_add(d->table);
    unsigned from = d->topo.node_of[first], to = d->topo.node_of[hub];
    const char *ends =
        load_text(ev->arena, "%s - %s", hub_text(d->desc, &d->topo, first, ev->arena),
                  hub_text(d->desc, &d->topo, hub, ev->arena));

    point->name = load_text(ev->arena, "nodes %s", ends);
    point->nruns = KINDS;
    lab_table_set(d->table, row, 0, "%s\t%s", ends, hops_text(ev, &d->topo, first, hub));
    for (unsigned kind = 0; kind < KINDS; kind++) {
        struct lab_reading reading = { 0 };
        struct lab_plan plan = plan_kind(ev, d->machine, d->platform, from, to, kind);

        choose_hub(d, first, &plan.runs[0]);
        lab_read_plan(ev, &plan, kind == LARGE ? "bandwidth" : "latency", &reading);
        if (reading.failure != NULL)
            load_raise(SIM_ERR_IO, "%s", reading.failure);
        point->runs[kind] = run_text(ev, &plan);
        lab_table_set(d->table, row, 2 + kind, kind == LARGE ? "%.1f" : "%.4f",
                      reading.value * (kind == LARGE ? 1e-6 : 1e6));
    }
    if (bound.name != NULL)
        lab_table_set(d->table, row, 5, "%.1f", bound.bytes_per_s * 1e-6);
}

/** Is there an earlier hub at this distance from the first one, there and back, in hops and in
 * time, on a node that is like this one? */
static bool distance_shown(const struct distances *d, unsigned first, unsigned hub)
{
    const struct lab_topology *topo = &d->topo;
    size_t n = topo->nhubs, there = first * n, back = hub * n + first;

    for (unsigned i = 0; i < hub; i++)
        if (d->part[i] == d->part[first] && are_partners(d, first, i) &&
            topo->hops[there + i] == topo->hops[there + hub] &&
            topo->hops[i * n + first] == topo->hops[back] &&
            topo->latency_ps[there + i] == topo->latency_ps[there + hub] &&
            topo->latency_ps[i * n + first] == topo->latency_ps[back] &&
            machine_node_alike(&d->desc->nodes[topo->node_of[i]],
                               &d->desc->nodes[topo->node_of[hub]]))
            return true;
    return false;
}

/** Is the hub on the first node of its part? */
static bool is_first(const struct distances *d, unsigned hub)
{
    return d->topo.node_of[hub] == d->topo.node_of[d->part[hub]];
}

/** A row for each pair of a hub on the first node of a part and another hub of that part. Runs that
 * have no result yet are given to the pool, and their cells are wrong until it has made them. */
static void fill_table(const struct distances *d)
{
    d->table->nrows = 0;
    for (unsigned first = 0; first < d->topo.nhubs; first++) {
        if (!is_first(d, first))
            continue;
        for (unsigned hub = 0; hub < d->topo.nhubs; hub++)
            if (d->part[hub] == d->part[first] && are_partners(d, first, hub) &&
                (d->topo.nhubs <= EACH_HUB_MAX || !distance_shown(d, first, hub)))
                fill_row(d, first, hub, &d->points[d->table->nrows]);
    }
}

static _Noreturn void refuse_crossed(const struct distances *d)
{
    load_raise(SIM_ERR_CONFIG,
               "%s: no two nodes to measure: ranks use the hub of one number in all nodes "
               "(software.rank_hub): expected a route between two such hubs, and there are only "
               "those within %s",
               d->machine, parts_text(d->desc, &d->topo, d->part, d->ev->arena));
}

/** @return a line that names the parts, or NULL */
static const char *measure_distances(struct distances *d)
{
    struct load_arena *arena = d->ev->arena;
    const char *parts;
    unsigned *part, nparts;

    if (lab_is_bare(d->desc))
        load_raise(SIM_ERR_CONFIG,
                   "%s: links alone: expected an experiment with workload: bare-link", d->machine);
    if (d->desc->nnodes < 2)
        load_raise(SIM_ERR_CONFIG,
                   "%s: one node: expected an experiment, or a machine of two or more", d->machine);
    lab_topology_create(d->desc, &d->topo);
    d->points = load_alloc(arena, d->topo.nhubs * sizeof(*d->points));
    d->part = part = load_alloc(arena, d->topo.nhubs * sizeof(*part));
    nparts = find_parts(&d->topo, part);
    fill_table(d);
    if (d->table->nrows == 0)
        refuse_crossed(d);
    lab_pool_work(d->ev->pool);
    fill_table(d);
    parts = nparts == 1 ? NULL
                        : load_text(arena, "%u parts without routes between them: nodes %s", nparts,
                                    parts_text(d->desc, &d->topo, part, arena));
    lab_topology_fini(&d->topo);
    return parts;
}

void lab_distance(const struct lab_evaluator *ev, const struct lab_site *site, const char *machine,
                  const char *platform, struct lab_table *table,
                  const struct lab_out_point **points_p, const char **parts_p)
{
    struct lab_run run = {
        .machine = machine, .platform = platform, .sets = ev->sets, .nsets = ev->nsets
    };
    struct distances d = { .ev = ev, .machine = machine, .platform = platform, .table = table };
    struct load_machine *loaded = lab_load_run(site, &run);

    lab_table_begin(table, "nodes, hops#, pio_8B_us#, dma_8B_us#, dma_256KiB_MBps#, bound_MBps#");
    d.desc = load_machine_desc(loaded);
    *parts_p = measure_distances(&d);
    *points_p = d.points;
    load_machine_destroy(loaded);
}
