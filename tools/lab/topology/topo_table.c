/* The tables of a topology. */
#include "tools/lab/topology/topology.h"

#include <inttypes.h>
#include <stdarg.h>

__attribute__((format(printf, 4, 5))) static void add(struct lab_table *t, const char *quantity,
                                                      const char *unit, const char *fmt, ...)
{
    char text[512];
    unsigned row = lab_table_add(t);
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    lab_table_set(t, row, 0, "%s\t%s\t%s", quantity, unit, text);
}

static double share(double sum, unsigned n)
{
    return n != 0 ? sum / n : 0;
}

/** "node0.hub.e" */
static const char *link_name(struct lab_topology *topo, unsigned link)
{
    const struct lab_topo_link *l = &topo->links[link];

    return load_text(&topo->arena, "%s.%s", topo->hubs[l->from], l->port_from);
}

/** How many pairs are how many hops apart: "1: 8, 2: 4". */
static const char *histogram(struct lab_topology *topo, unsigned diameter)
{
    const char *text = "";

    for (unsigned hops = 1; hops <= diameter; hops++) {
        unsigned pairs = 0;

        for (size_t i = 0; i < (size_t)topo->nhubs * topo->nhubs; i++)
            pairs += topo->hops[i] == hops;
        text = load_text(&topo->arena, "%s%s%u: %u", text, hops > 1 ? ", " : "", hops, pairs);
    }
    return text;
}

static void add_cut(struct lab_topology *topo, struct lab_table *t)
{
    struct lab_topo_cut cut = lab_topology_bisect(topo);

    add(t, "bisection", cut.exact ? "cables" : "cables, by local search: at most", "%u",
        cut.cables);
    add(t, "bisection, each way", "GB/s", "%.2f", cut.bytes_per_s * 1e-9);
}

static void add_loads(struct lab_topology *topo, const struct lab_topo_summary *s,
                      struct lab_table *t)
{
    add(t, "link load, min", "messages", "%" PRIu64, s->min_load);
    add(t, "link load, mean", "messages", "%.2f", share((double)s->total_hops, topo->nlinks));
    add(t, "link load, max", "messages", "%" PRIu64, s->max_load);
    add(t, "most loaded",
        s->nmost_loaded > 1 ? load_text(&topo->arena, "the first of %u", s->nmost_loaded) : "",
        "%s", link_name(topo, s->most_loaded));
}

static void add_cycle(struct lab_topology *topo, const char *quantity,
                      unsigned (*find)(struct lab_topology *, unsigned *), struct lab_table *t)
{
    unsigned *cycle = load_alloc(&topo->arena, 2 * (size_t)topo->nlinks * sizeof(*cycle));
    unsigned length = find(topo, cycle), row;
    const char *text = "none";

    for (unsigned i = 0; i < length; i++)
        text = load_text(&topo->arena, "%s%s%s", i > 0 ? text : "", i > 0 ? " -> " : "",
                         link_name(topo, cycle[i]));
    row = lab_table_add(t);
    lab_table_set(t, row, 0, "%s", quantity);
    lab_table_set(t, row, 2, "%s%s%s", text, length > 0 ? " -> " : "",
                  length > 0 ? link_name(topo, cycle[0]) : "");
}

void lab_topology_table(struct lab_topology *topo, struct lab_table *table)
{
    struct lab_topo_summary s = lab_topology_summarise(topo);

    lab_table_begin(table, "quantity, unit, value");
    add(table, "nodes", "", "%u", topo->nnodes);
    add(table, "cables", "", "%u", topo->nlinks / 2);
    add(table, "hops, mean", "", "%.4f", share((double)s.total_hops, s.routed));
    add(table, "hops: pairs", "", "%s", histogram(topo, s.diameter));
    add(table, "pairs without a route", "", "%u", s.unrouted);
    add(table, "diameter", "hops", "%u", s.diameter);
    add_cut(topo, table);
    add(table, "write of 8 B, mean", "ns", "%.1f",
        share((double)s.total_latency_ps * 1e-3, s.routed));
    add(table, "write of 8 B, max", "ns", "%.1f", (double)s.max_latency_ps * 1e-3);
    add_loads(topo, &s, table);
    add_cycle(topo, "dependency cycle", lab_topology_cycle, table);
    add_cycle(topo, "possible deadlock", lab_topology_deadlock, table);
}

void lab_topology_pairs(const struct lab_topology *topo, struct lab_table *table)
{
    lab_table_begin(table, "from, to, hops#, latency_ns#");
    for (size_t i = 0; i < (size_t)topo->nhubs * topo->nhubs; i++) {
        unsigned row;

        if (i / topo->nhubs == i % topo->nhubs)
            continue;
        row = lab_table_add(table);
        lab_table_set(table, row, 0, "%s\t%s", topo->hubs[i / topo->nhubs],
                      topo->hubs[i % topo->nhubs]);
        if (topo->hops[i] == LAB_TOPO_NONE)
            continue; /* empty cells */
        lab_table_set(table, row, 2, "%u\t%.3f", topo->hops[i], (double)topo->latency_ps[i] * 1e-3);
    }
}

void lab_topology_links(const struct lab_topology *topo, struct lab_table *table)
{
    lab_table_begin(table, "from, to, messages#, latency_ns#, GBps#");
    for (unsigned i = 0; i < topo->nlinks; i++) {
        const struct lab_topo_link *l = &topo->links[i];
        unsigned row = lab_table_add(table);

        lab_table_set(table, row, 0, "%s.%s\t%s.%s\t%" PRIu64 "\t%.3f\t%.2f", topo->hubs[l->from],
                      l->port_from, topo->hubs[l->to], l->port_to, l->load,
                      (double)l->latency_ps * 1e-3, l->bytes_per_s * 1e-9);
    }
}
