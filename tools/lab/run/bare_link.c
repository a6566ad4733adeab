#include "tools/lab/run/bare_link.h"

#include "traffic/traffic.h"

#include <inttypes.h>
#include <string.h>

/* Between looks at the counters: this, or a sixteenth of the time so far. */
#define SLICE_PS SIM_US
/* A flow that has had nothing for so long gets nothing more: the longest latencies of a link are
 * milliseconds. */
#define PATIENCE_PS (100 * SIM_MS)

/* ---- flows ---------------------------------------------------------------------------- */

/** NULL: that component is no generator. */
static const struct machine_component_desc *find_end(const struct machine_desc *desc, unsigned node,
                                                     const char *name)
{
    const struct machine_node_desc *n = &desc->nodes[node];

    for (unsigned i = 0; i < n->ncomponents; i++)
        if (strcmp(n->components[i].name, name) == 0 && n->components[i].kind == &traffic_kind)
            return &n->components[i];
    return NULL;
}

bool lab_is_bare(const struct machine_desc *desc)
{
    for (unsigned node = 0; node < desc->nnodes; node++)
        for (unsigned i = 0; i < desc->nodes[node].ncomponents; i++)
            if (desc->nodes[node].components[i].kind != &traffic_kind)
                return false;
    return true;
}

uint64_t lab_flow_value(const struct machine_component_desc *end, const char *key)
{
    const struct machine_value *value = machine_value_find(end, key);

    return value != NULL ? value->value : 0;
}

static void add_flow(struct lab_flows *flows, struct lab_flow flow)
{
    if (lab_flow_value(flow.from, "write_bytes") != 0 || lab_flow_value(flow.to, "read_bytes") != 0)
        flows->flows[flows->n++] = flow;
}

static void add_link(struct lab_flows *flows, const struct machine_desc *desc,
                     const struct machine_link_desc *l)
{
    const struct machine_component_desc *a = find_end(desc, l->node_a, l->component_a);
    const struct machine_component_desc *b = find_end(desc, l->node_b, l->component_b);

    if (a == NULL || b == NULL)
        return;
    add_flow(flows, (struct lab_flow){ l->node_a, l->node_b, a, b });
    add_flow(flows, (struct lab_flow){ l->node_b, l->node_a, b, a });
}

struct lab_flows lab_flows_of(const struct machine_desc *desc, struct load_arena *arena)
{
    unsigned nlinks = desc->ncables;
    struct lab_flows flows = { 0 };

    for (unsigned i = 0; i < desc->nnodes; i++)
        nlinks += desc->nodes[i].nlinks;
    flows.flows = load_alloc(arena, (2 * nlinks + 1) * sizeof(*flows.flows));
    for (unsigned i = 0; i < desc->nnodes; i++)
        for (unsigned k = 0; k < desc->nodes[i].nlinks; k++)
            add_link(&flows, desc, &desc->nodes[i].links[k]);
    for (unsigned i = 0; i < desc->ncables; i++)
        add_link(&flows, desc, &desc->cables[i]);
    return flows;
}

/* ---- measuring ------------------------------------------------------------------------ */

static struct traffic_count counted(struct machine *machine, const struct lab_flow *flow)
{
    return traffic_counted(machine_component(machine, flow->to_node, flow->to->name, NULL));
}

/** The flow that has the least of its measured payload; NULL: each has all. */
static const struct lab_flow *unmeasured(struct machine *machine, const struct lab_flows *flows,
                                         uint64_t *received_p)
{
    const struct lab_flow *least = NULL;

    for (unsigned i = 0; i < flows->n; i++) {
        struct traffic_count count = counted(machine, &flows->flows[i]);

        if (count.ps != 0 || (least != NULL && count.received_bytes >= *received_p))
            continue;
        least = &flows->flows[i];
        *received_p = count.received_bytes;
    }
    return least;
}

static void run_flows(const struct lab_site *site, struct machine *machine,
                      const struct lab_flows *flows)
{
    const struct lab_flow *slow, *before = NULL;
    sim_time_t now = 0, since = 0;
    uint64_t had = 0, has = 0;

    while ((slow = unmeasured(machine, flows, &has)) != NULL) {
        if (slow != before || has != had)
            since = now;
        if (now - since >= PATIENCE_PS)
            load_raise(SIM_ERR_STALLED,
                       "node%u.%s has received %" PRIu64 " bytes and for 100 ms no more",
                       slow->to_node, slow->to->name, has);
        if (site->max_time_ps != 0 && now >= site->max_time_ps)
            load_raise(SIM_ERR_LIMIT, "node%u.%s has received %" PRIu64 " bytes at the time limit",
                       slow->to_node, slow->to->name, has);
        before = slow;
        had = has;
        now += sim_max(SLICE_PS, now / 16);
        (void)sim_run(machine_sim(machine), now);
    }
}

void lab_measure_flows(const struct lab_site *site, struct machine *machine, FILE *out)
{
    struct load_arena arena = { 0 };
    struct lab_flows flows = lab_flows_of(machine_description(machine), &arena);
    uint64_t ps = 0, wrong = 0;
    double bytes = 0;

    if (flows.n == 0)
        load_raise(SIM_ERR_CONFIG,
                   "expected a link between two components of kind traffic, of which one has "
                   "write_bytes or read_bytes");
    run_flows(site, machine, &flows);
    for (unsigned i = 0; i < flows.n; i++)
        ps = sim_max(ps, counted(machine, &flows.flows[i]).ps);
    for (unsigned i = 0; i < flows.n; i++) { /* rates add up, and each flow has its own time */
        struct traffic_count count = counted(machine, &flows.flows[i]);

        bytes += (double)count.bytes * ((double)ps / (double)count.ps);
        wrong += count.wrong + count.refused;
    }
    lab_line_write(out, LAB_LINE_RESULT,
                   "bytes=%.0f latency_ps_min=%" PRIu64 " latency_ps_median=%" PRIu64
                   " bandwidth_kBps=%.0f verified=%d\n",
                   bytes, ps, ps, bytes * 1e9 / (double)ps, wrong == 0);
    load_arena_fini(&arena);
}
