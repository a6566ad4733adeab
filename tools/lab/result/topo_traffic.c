/* What a kept run has sent over the links of a topology, beside the load that its routes foretell.
 */
#include "tools/lab/result/topo_traffic.h"

#include "tools/lab/run/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** The statistic of port `port` of a hub; 0: it is not among those that are kept, so it was 0. */
static uint64_t stat_of(const struct lab_kept *kept, uint64_t run, const char *hub,
                        const char *port, const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "%s%s%s%s%s", hub, port[0] != '\0' ? "." : "", port,
             hub[0] != '\0' ? "." : "", name);
    for (unsigned i = 0; i < kept->nstats; i++)
        if (strcmp(kept->stats[i].path, path) == 0)
            return kept->stats[i].values[run];
    return 0;
}

static void read_link(struct lab_topology *topo, unsigned link, const struct lab_kept *kept,
                      uint64_t run)
{
    struct lab_topo_link *l = &topo->links[link];
    const char *hub = topo->hubs[l->from], *prefix;
    double seconds = (double)topo->traffic->time_ps * 1e-12;
    uint64_t symbols = stat_of(kept, run, hub, l->port_from, "tx.wire_symbols"), stalled = 0;

    prefix = load_text(&topo->arena, "%s.%s.tx.stall_", hub, l->port_from);
    for (unsigned i = 0; i < kept->nstats; i++)
        if (strncmp(kept->stats[i].path, prefix, strlen(prefix)) == 0)
            stalled += kept->stats[i].values[run];
    l->used.tlps = stat_of(kept, run, hub, l->port_from, "tx.tlps");
    l->used.payload_bytes = stat_of(kept, run, hub, l->port_from, "tx.payload_bytes");
    /* A symbol is a byte of the rate after line coding. */
    l->used.busy = l->bytes_per_s > 0 ? (double)symbols / l->bytes_per_s / seconds : 0;
    l->used.stalled = (double)stalled * 1e-12 / seconds;
}

void lab_topology_traffic(struct lab_topology *topo, const struct lab_kept *kept, uint64_t run)
{
    const struct lab_manifest *m = &kept->manifest;
    struct lab_topo_traffic *traffic = load_alloc(&topo->arena, sizeof(*traffic));
    const struct lab_kept_machine *on;
    uint64_t tlps = 0;

    if (run >= m->nruns)
        load_raise(SIM_ERR_CONFIG, "%s: run %" PRIu64 ": expected 0 to %u", kept->dir, run,
                   m->nruns > 0 ? m->nruns - 1 : 0);
    on = &m->machines[m->runs[run].machine];
    if (on->nnodes != topo->nnodes)
        load_raise(SIM_ERR_CONFIG, "%s: run %" PRIu64 " was on %s of %u nodes: expected %s of %u",
                   kept->dir, run, on->name, on->nnodes, topo->name, topo->nnodes);
    traffic->time_ps = stat_of(kept, run, "", "", LAB_STAT_TIME);
    if (traffic->time_ps == 0)
        load_raise(SIM_ERR_CONFIG, "%s: no statistic %s: expected a result of this version",
                   kept->dir, LAB_STAT_TIME);
    topo->traffic = traffic;
    for (unsigned i = 0; i < topo->nlinks; i++) {
        read_link(topo, i, kept, run);
        tlps += topo->links[i].used.tlps;
        if (topo->links[i].used.busy > traffic->max_busy)
            traffic->max_busy = topo->links[i].used.busy;
        if (topo->links[i].used.payload_bytes > traffic->max_payload)
            traffic->max_payload = topo->links[i].used.payload_bytes;
    }
    if (tlps == 0)
        load_raise(SIM_ERR_CONFIG,
                   "%s: run %" PRIu64 " sent nothing over a cable of %s: expected one that did",
                   kept->dir, run, topo->name);
}

/* ---- the table ------------------------------------------------------------------------ */

static int by_busy(const void *a, const void *b)
{
    const struct lab_topo_link *x = *(const struct lab_topo_link *const *)a;
    const struct lab_topo_link *y = *(const struct lab_topo_link *const *)b;

    if (x->used.busy != y->used.busy)
        return x->used.busy < y->used.busy ? 1 : -1;
    return x < y ? -1 : x > y;
}

static double percent_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

void lab_topology_busiest(const struct lab_topology *topo, bool all, struct lab_table *table)
{
    const struct lab_topo_link **order = malloc((topo->nlinks + 1) * sizeof(*order));
    struct lab_topo_summary s = lab_topology_summarise(topo);

    SIM_ASSERT(order != NULL);
    lab_table_begin(
        table, "from, to, busy_%#, stalled_%#, payload_MB#, MBps#, of_busiest_%#, routes_say_%#");
    for (unsigned i = 0; i < topo->nlinks; i++)
        order[i] = &topo->links[i];
    qsort(order, topo->nlinks, sizeof(*order), by_busy);
    for (unsigned i = 0; i < topo->nlinks; i++) {
        const struct lab_topo_link *l = order[i];
        double bytes = (double)l->used.payload_bytes;
        unsigned row;

        if (!all && l->used.tlps == 0)
            break;
        row = lab_table_add(table);
        lab_table_set(table, row, 0, "%s.%s\t%s.%s\t%.2f\t%.2f\t%.3f\t%.1f\t%.1f\t%.1f",
                      topo->hubs[l->from], l->port_from, topo->hubs[l->to], l->port_to,
                      100 * l->used.busy, 100 * l->used.stalled, bytes * 1e-6,
                      bytes * 1e6 / (double)topo->traffic->time_ps,
                      percent_of(bytes, (double)topo->traffic->max_payload),
                      percent_of((double)l->load, (double)s.max_load));
    }
    free(order);
}
