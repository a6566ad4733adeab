/* Two hosts, each of which writes to the other's memory through the hub between them. */
#include "forward.h"
#include "machine/machine.h"
#include "node/host.h"
#include "pcie/port/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BAR        UINT64_C(0x80000000)
#define FIRST_SLOT 0x0100u /* bus 1, behind root port 0 */
#define MAILBOX    0x40u

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
    const char *name;
    struct node_host *host;
    struct node_core *core;
    uint64_t sends;
    int step;
};

/* What the software of each host does, one operation of its core at a time. */
static void step(void *arg, uint64_t value)
{
    struct program *p = arg;
    const struct mem_ram *ram = node_host_ram(p->host);
    uint64_t got;

    (void)value;
    switch (p->step++) {
    case 0:
        node_core_config(p->core, true, FIRST_SLOT, PCIE_CFG_BAR(0), (uint32_t)BAR, step, p);
        break;
    case 1:
        node_core_config(p->core, true, FIRST_SLOT, PCIE_CFG_COMMAND,
                         PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER, step, p);
        break;
    case 2:
        node_core_spend(p->core, SIM_US, step, p); /* until the other one is there */
        break;
    case 3:
        node_core_store(p->core, BAR + MAILBOX, &p->sends, 8, NODE_UNCACHED, step, p);
        break;
    case 4:
        node_core_poll(p->core, ram->base + MAILBOX, 8, step, p);
        break;
    default:
        memcpy(&got, mem_ram_at(ram, ram->base + MAILBOX, sizeof(got)), sizeof(got));
        printf("%s got %#" PRIx64 "\n", p->name, got);
    }
}

int main(void)
{
    struct machine_param *host_rows = table(&node_host_kind), *forward_rows = table(&forward_kind);
    struct machine_component_desc components[] = {
        { "host0", &node_host_kind, defaults(host_rows) },
        { "host1", &node_host_kind, defaults(host_rows) },
        { "hub", &forward_kind, defaults(forward_rows) },
    };
    struct machine_link_desc links[] = {
        { .component_a = "host0", .port_a = "p0", .component_b = "hub", .port_b = "a" },
        { .component_a = "host1", .port_a = "p0", .component_b = "hub", .port_b = "b" },
    };
    struct machine_node_desc node = { "bench", 3, components, 2, links };
    struct machine_desc desc = {
        .name = "two hosts",
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
    struct program programs[] = { { .name = "host0", .sends = 0xaaaa },
                                  { .name = "host1", .sends = 0xbbbb } };

    if (machine_create(&desc, &sim, NULL, NULL, &m, &err) != SIM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (int i = 0; i < 2; i++) {
        struct program *p = &programs[i];

        p->host = machine_component(m, 0, p->name, NULL);
        p->core = node_host_core(p->host, 0);
        if (node_host_claim(p->host, 0, BAR, FORWARD_BAR_BYTES, &err) != SIM_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        node_core_spend(p->core, SIM_US, step, p);
    }
    (void)sim_run(machine_sim(m), SIM_MS);
    machine_destroy(m);
    for (int i = 0; i < 3; i++)
        free(components[i].values);
    free(host_rows);
    free(forward_rows);
    return 0;
}
