#include "tools/lab/distance.h"

#include "tools/lab/bounds.h"
#include "tools/lab/topology.h"

#include <limits.h>
#include <string.h>

/** Nodes that are shown one by one. */
#define ALL_NODES 8u

unsigned lab_hops(const struct machine_desc *desc, unsigned from, unsigned to)
{
    unsigned hops[1024];
    bool moved = true;

    for (unsigned i = 0; i < desc->nnodes; i++)
        hops[i] = i == from ? 0 : UINT_MAX;
    while (moved) { /* as many rounds as the machine is wide */
        moved = false;
        for (unsigned i = 0; i < desc->ncables; i++) {
            unsigned a = desc->cables[i].node_a, b = desc->cables[i].node_b;

            if (hops[a] != UINT_MAX && hops[a] + 1 < hops[b]) {
                hops[b] = hops[a] + 1;
                moved = true;
            }
            if (hops[b] != UINT_MAX && hops[b] + 1 < hops[a]) {
                hops[a] = hops[b] + 1;
                moved = true;
            }
        }
    }
    return hops[to];
}

enum { PIO, DMA, LARGE, KINDS };

static int plan_kind(const struct lab_evaluator *ev, const char *machine, const char *platform,
                     unsigned from, unsigned to, unsigned kind, struct lab_plan *plan,
                     struct sim_error *err)
{
    static const char *const setups[KINDS] = {
        [PIO] = "bytes=8;mode=pio;src=cpu;dst=cpu",
        [DMA] = "bytes=8;mode=dma-chain-internal;src=cpu;dst=cpu",
        [LARGE] = "bytes=262144;mode=dma-chain-internal;src=cpu;dst=cpu",
    };
    struct lab_setup setup;
    struct lab_point point = { machine, platform, "pingpong", &setup, machine };
    int rc = lab_setup_parse(setups[kind], machine, ev->arena, &setup, err);

    if (rc == SIM_OK)
        rc = lab_plan_make(&point, &ev->protocol, ev->arena, plan, err);
    plan->runs[0].nodes[0] = from;
    plan->runs[0].nodes[1] = to;
    return rc;
}

/** Cables on the way, there and back where these differ: "2", "1 + 7". */
static const char *hops_text(const struct lab_evaluator *ev, const struct lab_topology *topo,
                             unsigned to)
{
    unsigned there = topo->hops[to], back = topo->hops[(size_t)to * topo->nhubs];

    return there == back ? load_text(ev->arena, "%u", there)
                         : load_text(ev->arena, "%u + %u", there, back);
}

static const char *run_text(const struct lab_evaluator *ev, const struct lab_plan *plan)
{
    struct lab_run run = lab_run_with(ev, &plan->runs[0]);

    return lab_run_text(&run, ev->arena);
}

static int fill_row(const struct lab_evaluator *ev, const struct machine_desc *desc,
                    const struct lab_topology *topo, const char *machine, const char *platform,
                    unsigned hub, struct lab_table *table, struct lab_out_point *point,
                    struct sim_error *err)
{
    struct lab_bound bound = lab_path_bound(desc, true, false);
    unsigned row = lab_table_add(table), to = topo->node_of[hub];

    point->name = load_text(ev->arena, "nodes %u - %u", topo->node_of[0], to);
    point->nruns = KINDS;
    lab_table_set(table, row, 0, "%u - %u", topo->node_of[0], to);
    lab_table_set(table, row, 1, "%s", hops_text(ev, topo, hub));
    for (unsigned kind = 0; kind < KINDS; kind++) {
        struct lab_reading reading = { 0 };
        struct lab_plan plan;
        int rc = plan_kind(ev, machine, platform, topo->node_of[0], to, kind, &plan, err);

        if (rc == SIM_OK)
            rc = lab_read_plan(ev, &plan, kind == LARGE ? "bandwidth" : "latency", &reading);
        if (rc != SIM_OK)
            return rc;
        if (reading.failure != NULL)
            return sim_error_set(err, SIM_ERR_IO, "%s", reading.failure);
        point->runs[kind] = run_text(ev, &plan);
        lab_table_set(table, row, 2 + kind, kind == LARGE ? "%.1f" : "%.4f",
                      reading.value * (kind == LARGE ? 1e-6 : 1e6));
    }
    if (bound.name != NULL)
        lab_table_set(table, row, 5, "%.1f", bound.bytes_per_s * 1e-6);
    return SIM_OK;
}

/** Is there an earlier hub at this distance, there and back, in hops and in time? */
static bool distance_shown(const struct lab_topology *topo, unsigned hub)
{
    size_t n = topo->nhubs;

    for (unsigned i = 1; i < hub; i++)
        if (topo->hops[i] == topo->hops[hub] && topo->hops[i * n] == topo->hops[hub * n] &&
            topo->latency_ps[i] == topo->latency_ps[hub] &&
            topo->latency_ps[i * n] == topo->latency_ps[hub * n])
            return true;
    return false;
}

/** From the first hub to each other one that it reaches; of many the first of each distance. */
static int walk(const struct lab_evaluator *ev, const struct machine_desc *desc,
                const struct lab_topology *topo, const char *machine, const char *platform,
                struct lab_table *table, struct lab_out_point *points, struct sim_error *err)
{
    int rc = SIM_OK;

    table->nrows = 0;
    for (unsigned hub = 1; hub < topo->nhubs && rc == SIM_OK; hub++)
        if (topo->hops[hub] != LAB_TOPO_NONE &&
            (topo->nhubs <= ALL_NODES || !distance_shown(topo, hub)))
            rc =
                fill_row(ev, desc, topo, machine, platform, hub, table, &points[table->nrows], err);
    return rc;
}

static int measure(const struct lab_evaluator *ev, const struct machine_desc *desc,
                   const char *machine, const char *platform, struct lab_table *table,
                   const struct lab_out_point **points_p, struct sim_error *err)
{
    struct lab_topology topo;
    struct lab_out_point *points;
    int rc;

    if (desc->nnodes < 2)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s: one node: expected an experiment, or a machine of two or more",
                             machine);
    rc = lab_topology_create(desc, &topo, err);
    if (rc != SIM_OK)
        return rc;
    points = load_alloc(ev->arena, topo.nhubs * sizeof(*points));
    rc = walk(ev, desc, &topo, machine, platform, table, points, err);
    if (rc == SIM_OK)
        rc = lab_pool_work(ev->pool, err);
    if (rc == SIM_OK)
        rc = walk(ev, desc, &topo, machine, platform, table, points, err);
    lab_topology_fini(&topo);
    *points_p = points;
    return rc;
}

int lab_distance(const struct lab_evaluator *ev, const struct lab_site *site, const char *machine,
                 const char *platform, struct lab_table *table,
                 const struct lab_out_point **points_p, struct sim_error *err)
{
    static const struct lab_column columns[] = {
        { "nodes", false },          { "hops", true },
        { "pio_8B_us", true },       { "dma_8B_us", true },
        { "dma_256KiB_MBps", true }, { "bound_MBps", true },
    };
    struct lab_run run = {
        .machine = machine, .platform = platform, .sets = ev->sets, .nsets = ev->nsets
    };
    struct load_machine *loaded;
    int rc = lab_load_run(site, &run, &loaded, err);

    if (rc != SIM_OK)
        return rc;
    lab_table_init(table, columns, sizeof(columns) / sizeof(columns[0]));
    rc = measure(ev, load_machine_desc(loaded), machine, platform, table, points_p, err);
    if (rc != SIM_OK)
        lab_table_fini(table);
    load_machine_destroy(loaded);
    return rc;
}
