#include "forward.h"

#include "hub/edge.h"

#include <stdio.h>
#include <stdlib.h>

#define QUEUE  128u   /* packets; more than the credits that a port gives out */
#define CLOCK  200000 /* kHz */
#define CYCLES 12u    /* from one port to the other */

struct forward {
    struct sim_domain *dom;
    struct sim_clock clk;
    struct mem_pool *pool;
    struct sim_event tick; /* where a core in RTL would be clocked */
    struct forward_port {
        struct forward *hub;
        struct hub_edge edge;
        uint64_t free_edge;  /* from which it can send */
        uint32_t head, tail; /* free-running */
        struct {
            struct pcie_tlp tlp;
            uint64_t edge; /* at which it has come through the core */
        } queue[QUEUE];
    } ports[2];
};

static const struct pcie_port_config usual = {
    .gen = 2, .lanes = 8, .tx_latency_ps = 80000, .rx_latency_ps = 80000
};
static const struct machine_group groups[] = {
    { .key = "link.", .rows = pcie_port_params, .defaults = &usual }, { .key = NULL }
};

static void wake(struct forward *hub, uint64_t edge)
{
    sim_schedule_by(hub->dom, &hub->tick, sim_clock_time(&hub->clk, edge), SIM_CLOCK);
}

static void received(void *user, struct pcie_tlp *tlp)
{
    struct forward_port *p = user;
    uint64_t edge = sim_clock_edge(&p->hub->clk, sim_now(p->hub->dom)) + CYCLES;

    SIM_ASSERT(p->tail - p->head < QUEUE);
    p->queue[p->tail % QUEUE].tlp = *tlp;
    p->queue[p->tail++ % QUEUE].edge = edge;
    wake(p->hub, edge);
}

static void ready(void *user, enum pcie_class cls)
{
    (void)user; /* it looks at each edge while packets wait */
    (void)cls;
}

/** The first packet of a port goes on: a write to the other one, all else is answered. */
static void forward_first(struct forward_port *from, uint64_t edge)
{
    struct forward *hub = from->hub;
    struct pcie_tlp in = from->queue[from->head % QUEUE].tlp, out = in;
    bool write = in.kind == PCIE_MWR;
    sim_time_t last;
    struct forward_port *to = write == (from == hub->ports) ? &hub->ports[1] : &hub->ports[0];

    if (to->free_edge > edge || !hub_edge_ready(&to->edge, write ? PCIE_POSTED : PCIE_COMPLETION))
        return;
    from->head++;
    hub_edge_release(&from->edge, pcie_tlp_class(&in), &in);
    if (write) {
        out.addr = FORWARD_TO + in.addr % FORWARD_BAR_BYTES;
    } else {
        out = in.kind == PCIE_MRD ? hub_edge_completion(&from->edge, &in, PCIE_CPL_UR)
                                  : hub_edge_configure(&from->edge, hub->pool, &in);
        pcie_tlp_drop(&in);
    }
    to->free_edge = edge + hub_edge_beats(&out, 16);
    last = sim_clock_time(&hub->clk, to->free_edge) - sim_now(hub->dom);
    hub_edge_send(&to->edge, &out, hub_edge_lag(&to->edge, &out, last));
}

static void on_tick(struct sim_event *ev)
{
    struct forward *hub = SIM_CONTAINER_OF(ev, struct forward, tick);
    uint64_t edge = sim_clock_edge(&hub->clk, sim_now(hub->dom));

    for (struct forward_port *p = hub->ports; p < hub->ports + 2; p++) {
        if (p->head != p->tail && p->queue[p->head % QUEUE].edge <= edge)
            forward_first(p, edge);
        if (p->head != p->tail)
            wake(hub, edge + 1);
    }
}

static void forward_destroy(void *component)
{
    struct forward *hub = component;

    pcie_port_destroy(hub->ports[0].edge.pcie);
    pcie_port_destroy(hub->ports[1].edge.pcie);
    mem_pool_destroy(hub->pool);
    free(hub);
}

static int forward_create(const struct machine_place *place, const void *config, void **component_p,
                          struct sim_error *err)
{
    struct forward *hub = calloc(1, sizeof(*hub));
    int rc = SIM_OK;

    hub->dom = place->dom;
    hub->pool = mem_pool_create();
    sim_clock_init(&hub->clk, CLOCK);
    sim_event_init(&hub->tick, on_tick);
    for (uint32_t p = 0; p < 2 && rc == SIM_OK; p++) {
        struct forward_port *port = &hub->ports[p];
        const struct pcie_port_user core = { .received = received, .ready = ready, .user = port };
        char path[128];

        (void)snprintf(path, sizeof(path), "%s.%c", place->path, 'a' + (int)p);
        port->hub = hub;
        pcie_function_init(&port->edge.function, 0x1234, 0x0002, 0x068000);
        pcie_function_add_bar(&port->edge.function, 0, FORWARD_BAR_BYTES);
        rc = hub_edge_create(&port->edge, hub->dom, hub->pool, path, HUB_ENDPOINT, config, &core,
                             err);
    }
    if (rc != SIM_OK)
        forward_destroy(hub);
    *component_p = hub;
    return rc;
}

static struct machine_port forward_port(void *component, unsigned index)
{
    return hub_edge_plug(&((struct forward *)component)->ports[index].edge);
}

static const char *const ports[] = { "a", "b", NULL };

const struct machine_kind forward_kind = {
    .name = "example.forward",
    .groups = groups,
    .config_bytes = sizeof(struct pcie_port_config),
    .ports = ports,
    .create = forward_create,
    .port = forward_port,
    .destroy = forward_destroy,
};
