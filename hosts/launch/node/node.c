/* Nodes: their memory, GPUs and interrupts, and how they boot. */
#include "hosts/launch/node/node.h"
#include "hosts/launch/message.h"

#include <stdlib.h>
#include <string.h>

#include "hosts/driver/driver.h"
#include "hub/hub.h"
#include "ib/ib.h"

#define LAUNCH_VECTORS 32u /* of interrupts: bit i of the pending set */

/* ---- interrupts -------------------------------------------------------------- */

static void irq_arrived(void *arg, uint32_t vector)
{
    struct launch_node *node = arg;

    node->irq_pending |= 1u << vector % LAUNCH_VECTORS;
    launch_wake(&node->irq);
}

/* The handlers of one node run one after the other. */
static void irq_run(struct launch_thread *t)
{
    struct launch_node *node = t->node;

    for (;;) {
        uint32_t pending;

        launch_ether_handle(node);
        pending = node->irq_pending;

        if (pending == 0 || node->irq_fn == NULL) {
            launch_sleep(t, SIM_TIME_NEVER, "waiting for interrupts");
            continue;
        }
        node->irq_pending = 0;
        for (uint32_t v = 0; v < LAUNCH_VECTORS; v++)
            if ((pending & 1u << v) != 0)
                node->irq_fn(&t->host, node->irq_arg, v);
    }
}

/* ---- what a node has ---------------------------------------------------------- */

static const struct machine_node_desc *desc_of(const struct launch_node *node)
{
    return &machine_description(node->run->m)->nodes[node->shared.index];
}

static int add_gpu(struct launch_node *node, const char *name, struct sim_error *err)
{
    struct launch_gpu *gpu = &node->gpus[node->ngpus];
    const char *port = launch_root_port(desc_of(node), name);

    gpu->gpu = machine_component(node->run->m, node->shared.index, name, NULL);
    gpu->node = node;
    gpu->bytes = node_gpu_bytes(gpu->gpu);
    gpu->bdf = UINT16_MAX;
    if (port != NULL) { /* bus p + 1 lies behind root port p */
        gpu->port = (unsigned)strtoul(port + 1, NULL, 10);
        gpu->bdf = (uint16_t)((gpu->port + 1) << 8);
    }
    if (!range_init(&gpu->memory, 0, node_gpu_memory_bytes(gpu->gpu)))
        return sim_error_set(err, SIM_ERR_NOMEM, "node%u: out of memory", node->shared.index);
    for (unsigned i = 0; i < HOST_COPY_ENGINES; i++)
        gpu->engines[i] = (struct launch_engine){ gpu, i, i, HOST_COPY_ENGINES };
    gpu->engines[HOST_KERNEL_ENGINE] = (struct launch_engine){ gpu, HOST_KERNELS, HOST_KERNELS, 1 };
    node->ngpus++;
    return SIM_OK;
}

/** The node's first component of a kind, in whatever make; NULL: it has none. */
static const char *name_of_kind(const struct machine_desc *desc, unsigned node,
                                const struct machine_kind *kind)
{
    const struct machine_node_desc *nd = &desc->nodes[node];

    for (unsigned i = 0; i < nd->ncomponents; i++)
        if (machine_is_kind(&nd->components[i], kind))
            return nd->components[i].name;
    return NULL;
}

static void *component_of(const struct launch_node *node, const struct machine_kind *kind)
{
    struct machine *m = node->run->m;
    const char *name = name_of_kind(machine_description(m), node->shared.index, kind);

    return name != NULL ? machine_component(m, node->shared.index, name, NULL) : NULL;
}

static int find_components(struct launch_node *node, struct sim_error *err)
{
    const struct machine_node_desc *desc = desc_of(node);
    int code = SIM_OK;

    node->host = component_of(node, &node_host_kind);
    if (node->host == NULL)
        return sim_error_set(err, SIM_ERR_CONFIG, "node%u: expected a component of kind host",
                             node->shared.index);
    node->dom = node_host_domain(node->host);
    node->ether.adapter = component_of(node, &ether_adapter_kind);
    for (unsigned i = 0; i < desc->ncomponents && code == SIM_OK; i++)
        if (desc->components[i].kind == &node_gpu_kind && node->ngpus < LAUNCH_GPUS)
            code = add_gpu(node, desc->components[i].name, err);
    return code;
}

static void boot_event(struct sim_event *ev)
{
    struct launch_node *node = SIM_CONTAINER_OF(ev, struct launch_node, boot);

    launch_resume(&node->irq); /* until it sleeps */
    launch_resume(&node->kernel);
}

static void boot_run(struct launch_thread *t)
{
    struct launch_node *node = t->node;

    node->boot_code = driver_boot(&t->host);
    sim_part_ended(t->dom, sim_now(t->dom));
}

static int node_init(struct launch_node *node, struct launch *run, unsigned index,
                     struct sim_error *err)
{
    int code;

    node->run = run;
    node->shared.index = index;
    sim_event_init(&node->boot, boot_event);
    code = find_components(node, err);
    if (code != SIM_OK)
        return code;
    node->ram = node_host_ram(node->host);
    if (node->ram->size < LAUNCH_RESERVED + LAUNCH_KERNEL + LAUNCH_ARENA_ALIGN)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "node%u.host: ram_bytes = %llu: expected at least 16 MiB to run "
                             "programs",
                             index, (unsigned long long)node->ram->size);
    node->kernel.pins.segment = MEM_PINS_SEGMENTS - 1; /* ranks begin with the first one */
    node->irq.pins.segment = MEM_PINS_SEGMENTS - 2;
    code = launch_thread_init(&node->kernel, node, node_host_core(node->host, 0), boot_run, err);
    if (code == SIM_OK)
        code = launch_thread_init(&node->irq, node, node_host_interrupt_core(node->host), irq_run,
                                  err);
    if (code != SIM_OK)
        return code;
    if (!range_init(&node->kernel.arena, node->ram->base + LAUNCH_RESERVED, LAUNCH_KERNEL))
        return sim_error_set(err, SIM_ERR_NOMEM, "node%u: out of memory", index);
    node_host_set_irq(node->host, irq_arrived, node);
    launch_messages_init(node);
    launch_ether_init(node);
    return SIM_OK;
}

unsigned launch_hosts(const struct machine *m)
{
    const struct machine_desc *desc = machine_description(m);
    unsigned n = desc->nnodes;

    while (n > 0 && name_of_kind(desc, n - 1, &node_host_kind) == NULL)
        n--;
    return n;
}

/** Is the node part of the network that the first node's component of this kind is part of? Cables
 * join hubs into sub-clusters; all adapters have one fabric. */
static bool is_joined(const struct machine *m, unsigned node, const struct machine_kind *kind)
{
    const struct machine_desc *desc = machine_description(m);
    const char *own = name_of_kind(desc, node, kind), *first = name_of_kind(desc, 0, kind);
    const struct machine_routes *here, *there;

    if (own == NULL || first == NULL)
        return false;
    here = machine_routes_of(m, node, own);
    there = machine_routes_of(m, 0, first);
    return here == NULL || there == NULL || here->subcluster == there->subcluster;
}

/** What joins a node to each network but the control network, which all nodes have. */
static const struct machine_kind *const network_kinds[HOST_NETWORK_CONTROL] = {
    [HOST_NETWORK_HUBS] = &hub_kind,
    [HOST_NETWORK_IB] = &ib_hca_kind,
    [HOST_NETWORK_ETHER] = &ether_adapter_kind,
};

bool launch_has_network(const struct machine_desc *desc, enum host_network network)
{
    for (unsigned n = 0; n < desc->nnodes && network != HOST_NETWORK_CONTROL; n++)
        if (name_of_kind(desc, n, network_kinds[network]) != NULL)
            return true;
    return network == HOST_NETWORK_CONTROL;
}

enum host_network launch_network(const struct machine *m)
{
    unsigned nhosts = launch_hosts(m), net = HOST_NETWORK_HUBS;

    for (; net < HOST_NETWORK_CONTROL; net++) {
        unsigned n = 0;

        while (n < nhosts && is_joined(m, n, network_kinds[net]))
            n++;
        if (n == nhosts)
            break;
    }
    return (enum host_network)net;
}

int launch_nodes_init(struct launch *run, struct sim_error *err)
{
    int code = SIM_OK;

    run->nnodes = launch_hosts(run->m);
    if (run->nnodes == 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "expected a node with a component of kind host");
    run->nodes = calloc(run->nnodes, sizeof(*run->nodes));
    if (run->nodes == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "out of memory");
    for (unsigned i = 0; i < run->nnodes && code == SIM_OK; i++)
        code = node_init(&run->nodes[i], run, i, err);
    return code;
}

void launch_nodes_fini(struct launch *run)
{
    for (unsigned i = 0; run->nodes != NULL && i < run->nnodes; i++) {
        struct launch_node *node = &run->nodes[i];

        if (node->host != NULL) {
            sim_cancel(node->dom, &node->boot);
            launch_messages_cancel(node);
            launch_ether_fini(node);
            node_host_set_irq(node->host, NULL, NULL);
            node_net_set_receiver(node_host_net(node->host), NULL, NULL);
        }
        host_states_release(&node->shared.states);
        launch_thread_fini(&node->kernel);
        launch_thread_fini(&node->irq);
        for (unsigned g = 0; g < LAUNCH_GPUS; g++) {
            range_fini(&node->gpus[g].memory);
            sim_list_free(&node->gpus[g].kernels);
        }
    }
    free(run->nodes);
}

/* ---- boot ---------------------------------------------------------------------- */

static const char *boot_reason(int code)
{
    switch (code) {
    case DRIVER_ERR_NOMEM:
        return "out of memory";
    case DRIVER_ERR_CLAIM:
        return "the bus addresses of two devices overlap";
    case DRIVER_ERR_NO_HUB:
        return "the hub does not answer";
    default:
        return "a device cannot be reached";
    }
}

int launch_boot(struct launch *run, struct sim_error *err)
{
    struct sim *sim = machine_sim(run->m);

    sim_expect(sim, run->nnodes);
    for (unsigned i = 0; i < run->nnodes; i++) {
        struct sim_domain *dom = run->nodes[i].dom;

        sim_schedule_at(dom, &run->nodes[i].boot, sim_now(dom), SIM_TASK);
    }
    sim_run(sim, SIM_TIME_NEVER);
    for (unsigned i = 0; i < run->nnodes; i++)
        if (sim_is_here(run->nodes[i].dom) && run->nodes[i].kernel.waits != NULL)
            return sim_error_set(err, SIM_ERR_STALLED, "node%u: boot waits for ever in: %s", i,
                                 run->nodes[i].kernel.waits);
    for (unsigned i = 0; i < run->nnodes; i++)
        if (sim_is_here(run->nodes[i].dom) && run->nodes[i].boot_code != DRIVER_OK)
            return sim_error_set(err, SIM_ERR_CONFIG, "node%u: boot failed: %s", i,
                                 boot_reason(run->nodes[i].boot_code));
    return SIM_OK;
}
