/* One host with the board in slot 0: software finds it, stores to it and asks it for the time. */
#include "machine/machine.h"
#include "node/host.h"
#include "pcie/port/config.h"
#include "stamp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BAR        UINT64_C(0x80000000)
#define FIRST_SLOT 0x0100u /* bus 1, behind root port 0 */

static struct machine_param *table(const struct machine_kind *kind)
{
    struct machine_param *rows = machine_table_create(kind->params, kind->groups);

    if (rows == NULL)
        abort();
    return rows;
}

/* Values of a component: the table's defaults, and one without a row. */
static struct machine_value *defaults(const struct machine_param *rows)
{
    struct machine_value *values;
    size_t n = 0;

    while (rows[n].key != NULL)
        n++;
    values = calloc(n + 1, sizeof(*values));
    if (values == NULL)
        abort();
    for (size_t i = 0; i < n; i++) {
        values[i].param = &rows[i];
        values[i].value = rows[i].def;
    }
    return values;
}

struct program {
    struct node_core *core;
    struct sim_domain *dom;
    int step;
};

/* What the software does, one operation of the core at a time. */
static void step(void *arg, uint64_t value)
{
    struct program *p = arg;
    const uint64_t word = UINT64_C(0x1122334455667788);

    switch (p->step++) {
    case 0:
        node_core_config(p->core, true, FIRST_SLOT, PCIE_CFG_BAR(0), (uint32_t)BAR, step, p);
        break;
    case 1:
        node_core_config(p->core, true, FIRST_SLOT, PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY, step, p);
        break;
    case 2:
        node_core_store(p->core, BAR + STAMP_SCRATCH, &word, sizeof(word), NODE_UNCACHED, step, p);
        break;
    case 3:
        node_core_load(p->core, BAR + STAMP_SCRATCH, 8, step, p);
        break;
    case 4:
        printf("scratch %#" PRIx64 "\n", value);
        node_core_load(p->core, BAR + STAMP_WRITES, 8, step, p);
        break;
    case 5:
        printf("writes %" PRIu64 "\n", value);
        node_core_load(p->core, BAR + STAMP_NOW, 8, step, p);
        break;
    default:
        printf("answered %s the load returned\n", value < sim_now(p->dom) ? "before" : "after");
        sim_stop(p->dom);
    }
}

int main(void)
{
    struct machine_param *host_rows = table(&node_host_kind), *stamp_rows = table(&stamp_kind);
    struct machine_component_desc components[] = {
        { "host", &node_host_kind, defaults(host_rows) },
        { "stamp", &stamp_kind, defaults(stamp_rows) },
    };
    struct machine_link_desc slot = { .component_a = "host",
                                      .port_a = "p0",
                                      .component_b = "stamp",
                                      .port_b = "pcie",
                                      .length_mm = 200 };
    struct machine_node_desc node = { "bench", 2, components, 1, &slot };
    struct machine_desc desc = {
        .name = "one board",
        .window_bytes = UINT64_C(1) << 39,
        .part_bytes = UINT64_C(1) << 35,
        .ps_per_m = 5000,
        .nnodes = 1,
        .nodes = &node,
        .net_latency_ps = SIM_US,
        .net_bytes_per_us = 1000,
    };
    struct sim_config sim = { .seed = 1 };
    struct sim_error err = { 0 };
    struct machine *m;
    struct program program = { 0 };
    struct node_host *host;

    if (machine_create(&desc, &sim, NULL, NULL, &m, &err) != SIM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    host = machine_component(m, 0, "host", NULL);
    program.core = node_host_core(host, 0);
    program.dom = node_host_domain(host);
    if (node_host_claim(host, 0, BAR, STAMP_BAR_BYTES, &err) != SIM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    node_core_spend(program.core, SIM_US, step, &program);
    (void)sim_run(machine_sim(m), SIM_MS);
    machine_destroy(m);
    free(components[0].values);
    free(components[1].values);
    free(host_rows);
    free(stamp_rows);
    return 0;
}
