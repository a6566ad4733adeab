/* The kind "hub.c": parameters, creation, ports. */
#include "hub/ddr.h"
#include "hub/receive.h"
#include "hub/timeout.h"
#include "pcie/lossy/fault.h"

#include <stdio.h>
#include <stdlib.h>

/* clang-format off */
#define ROW(key, unit, min, max, def, field, meaning) \
    { key, unit, min, max, def, offsetof(struct hub_config, field), meaning, NULL }

#define WORD(port, ...) " " #port

static const struct machine_param params[] = {
    ROW("ports", "1", 2, HUB_MAX_PORTS, 4, ports, "Ports of the chip: the first of" HUB_PORTS(WORD) "."),
    ROW("route_pairs", "1", 1, HUB_ROUTE_PAIRS, HUB_ROUTE_PAIRS, route_pairs, "Pairs of a lower and an upper register that the routing unit has for each port."),
    ROW("clock_khz", "kHz", 1000, 2000000, 250000, clock_khz, "Clock of the core logic; 250025 is 100 ppm fast for 250000."),
    ROW("clock_phase_ps", "ps", 0, SIM_US, 0, clock_phase_ps, "Time of the first edge of that clock: chips have oscillators of their own."),
    ROW("bus_bytes", "bytes", 16, 128, 16, bus_bytes, "Width of the internal bus: bytes of one beat. A power of two."),
    ROW("bus_gap_cycles", "cycles", 0, 16, 1, bus_gap_cycles, "Idle cycles on the internal bus after a packet with data."),
    ROW("hard_block_ps", "ps", 0, SIM_US, 100000, hard_block_ps, "Latency of a port's hard PCI Express block and PHY, each way; the ports' own tx_latency_ps and rx_latency_ps come on top."),
    ROW("config_cycles", "cycles", 1, 4096, 20, config_cycles, "A hard block's time for the answer to a configuration request."),
    ROW("receive_cycles", "cycles", 1, 256, 4, receive_cycles, "From the hard block's receive stream to the routing unit."),
    ROW("route_cycles", "cycles", 1, 256, 5, route_cycles, "Address mask, comparison with the ranges, arbitration."),
    ROW("output_cycles", "cycles", 1, 256, 3, output_cycles, "From the arbiter to the hard block's transmit stream."),
    { "arbiter", "choice", 0, HUB_ARBITER_COUNT - 1, HUB_ARBITER_round_robin, offsetof(struct hub_config, arbiter), "Who gets an output that several inputs want (docs/architects.md).", hub_arbiter_choices },
    ROW("bubble_tlps", "1", 1, 16, 2, bubble_tlps, "A packet from outside enters a ring (by E, W, A or B) only while the next hub has room for so many of the largest; 1: no care is taken, and a full ring can deadlock."),
    ROW("vc1.ph_credits", "1", 0, 127, 0, vc1_ph_credits, "Receive buffers of virtual channel 1 behind E, W, A and B, posted headers; 0: the links have no such channel. Packets that have passed the date line of their ring are in it."),
    ROW("vc1.pd_credits", "16 bytes", 0, 2047, 0, vc1_pd_credits, "Receive buffers of virtual channel 1 behind E, W, A and B, posted data; 0 = infinite."),
    ROW("date_line.ew", "1", 0, 1, 0, date_line[HUB_PORT_e], "1: packets that go on by E or W have passed the date line, and are in virtual channel 1 from here to the end of their way in the ring."),
    ROW("date_line.ab", "1", 0, 1, 0, date_line[HUB_PORT_a], "1: packets that go on by A or B have passed the date line, and are in virtual channel 1 from here to the end of their way in the ring."),
    ROW("ddr.bytes", "bytes", 0, UINT64_C(1) << 40, 0, ddr_bytes, "Memory beside the chip for packets from cables that find many others waiting; each cable has an equal share; 0: none."),
    ROW("ddr.chip_tlps", "1", 1, 1024, 16, ddr_chip_tlps, "Packets of a port that wait on the chip before further ones go to that memory."),
    ROW("ddr.cycles", "cycles", 1, 65536, 50, ddr_cycles, "From the routing unit into that memory and out again, when it is idle."),
    ROW("ddr.bytes_per_cycle", "bytes", 1, 4096, 32, ddr_bytes_per_cycle, "What it reads or writes in one cycle of the core; a packet is written and read."),
    ROW("register_cycles", "cycles", 1, 1024, 8, register_cycles, "Reading a register or internal memory for the host."),
    ROW("bringup_cycles", "cycles", 2, 1000000, 100, bringup_cycles, "The management processor's time for one configuration access."),
    ROW("dma.start_cycles", "cycles", 1, 4096, 4, dma_start_cycles, "From the starting store at the register to the channel's work."),
    ROW("dma.decode_cycles", "cycles", 1, 4096, 4, dma_decode_cycles, "Decoding a descriptor that has been fetched."),
    ROW("dma.fetch_internal_cycles", "cycles", 1, 4096, 6, dma_fetch_internal_cycles, "Reading a descriptor, or data, from internal memory."),
    ROW("dma.fetch_host_cycles", "cycles", 0, 4096, 4, dma_fetch_host_cycles, "From the pointer of a descriptor in host memory to its read request."),
    ROW("dma.prefetch", "1", 1, HUB_PREFETCH_MAX, 4, dma_prefetch, "Descriptors that are fetched and not yet begun, at most."),
    ROW("dma.read_tags", "1", 1, HUB_TAGS_PER_CHANNEL, 8, dma_read_tags, "Read requests of one channel in flight."),
    ROW("dma.window_bytes", "bytes", 0, 65536, 0, dma_window_bytes, "A channel reads on while fewer than so many bytes are in flight; 0: only the tags count."),
    { "dma.read_bytes", "bytes", 64, 4096, 256, offsetof(struct hub_config, dma_read_bytes), "Largest read request, where the host's Max_Read_Request_Size allows it; requests end at multiples of it. A power of two.", NULL },
    ROW("dma.read_issue_cycles", "cycles", 1, 256, 6, dma_read_issue_cycles, "From one read request of a channel to the next."),
    ROW("dma.completion_cycles", "cycles", 2, 256, 4, dma_completion_cycles, "From the first beat of a completion on the bus to where the channel acts on it."),
    ROW("completion_timeout_ps", "ps", 0, PCIE_TIMEOUT_MAX_PS, PCIE_TIMEOUT_PS, completion_timeout_ps, "Longest wait for the answer to a request of a DMA channel or of the management processor; 0: without end."),
    ROW("firmware.status_register_cycles", "cycles", 0, 65535, 8, status_register_cycles, "From the last read request to the status word of the registers."),
    ROW("firmware.status_host_cycles", "cycles", 0, 65535, 8, status_host_cycles, "From the last read request to a status word whose descriptor was fetched from host memory."),
    ROW("firmware.status_internal_cycles", "cycles", 0, 65535, 8, status_internal_cycles, "From the last read request to a status word whose descriptor was fetched from internal memory."),
    MACHINE_PARAM_END,
};

static const struct machine_param port_weight[] = {
    { "", "1", 1, 255, 1, 0, "Grants of a round for each input of this port, where the arbiter is weighted.", NULL },
    MACHINE_PARAM_END,
};
static const struct machine_param own_weights[] = {
    ROW("dma", "1", 1, 255, 1, weight_dma, "Grants of a round for each DMA channel."),
    ROW("local", "1", 1, 255, 1, weight_local, "Grants of a round for answers of the hub's registers and memory."),
    MACHINE_PARAM_END,
};
static const struct machine_group groups[] = {
    { .key = "", .rows = hub_port_params },
    { .key = "*.link.", .names = hub_port_names, .rows = pcie_port_params, .offset = offsetof(struct hub_config, port), .stride = sizeof(struct pcie_port_config) },
    { .key = "weight.*", .names = hub_port_names, .rows = port_weight, .offset = offsetof(struct hub_config, weight), .stride = sizeof(uint64_t) },
    { .key = "weight.", .rows = own_weights },
    { .key = NULL },
};
/* clang-format on */

/** All that the channels can have asked for, in the smallest completions. */
static uint64_t most_completions(const struct hub_config *cfg)
{
    return HUB_DMA_CHANNELS * (cfg->dma_read_tags * (cfg->dma_read_bytes / 64 + 1) + 2);
}

/* One queue entry for each header credit; of completions where those are infinite, for all. */
uint32_t hub_queue_depth(const struct hub_config *cfg, uint32_t port, enum pcie_class cls)
{
    const struct pcie_port_config *link = &cfg->port[port];
    const uint64_t credits[] = { link->ph_credits, link->nph_credits, link->cplh_credits,
                                 cfg->vc1_ph_credits };

    if (credits[cls] != 0 || cls == PCIE_POSTED_VC1)
        return (uint32_t)credits[cls];
    return cls == PCIE_COMPLETION ? (uint32_t)most_completions(cfg) : 1024;
}

static int create_port(struct hub *hub, uint32_t index, struct sim_error *err)
{
    struct hub_port *port = &hub->ports[index];
    struct pcie_port_user user = { .received = hub_received, .ready = hub_ready, .user = port };
    struct pcie_port_config cfg = hub->cfg.port[index];
    uint32_t partner = hub_port_partner(&hub->cfg, index);
    char path[128];
    int rc;

    port->hub = hub;
    port->index = (uint8_t)index;
    (void)snprintf(path, sizeof(path), "%s.%s", hub->path, hub_port_names[index]);
    for (uint32_t cls = 0; cls < PCIE_CLASSES; cls++)
        if (!fifo_init(&hub->fifo[index * PCIE_CLASSES + cls],
                       hub_queue_depth(&hub->cfg, index, (enum pcie_class)cls)))
            return SIM_ERR_NOMEM;
    if (!fifo_init(&port->receive.wait, 1) || !fifo_init(&port->answers, 1) ||
        !fifo_init(&port->asks, 1))
        return SIM_ERR_NOMEM;
    if (partner != HUB_PORT_NONE) {
        hub->output[index].transit = HUB_PORT_SOURCES(partner);
        cfg.vc1_ph_credits = hub->cfg.vc1_ph_credits;
        cfg.vc1_pd_credits = hub->cfg.vc1_pd_credits;
    }
    cfg.tx_latency_ps += hub->cfg.hard_block_ps;
    cfg.rx_latency_ps += hub->cfg.hard_block_ps;
    rc = hub_edge_create(&port->edge, hub->dom, hub->pool, path,
                         (enum hub_role)hub->cfg.role[index], &cfg, &user, err);
    if (rc != SIM_OK)
        return rc;
    port->in_hash = sim_path_hash(path);
    port->out_hash = ~port->in_hash;
    port->order =
        pcie_order_watch_create(hub->dom, pcie_port_path(port->edge.pcie), "receive buffer");
    return SIM_OK;
}

static void hub_destroy(void *component)
{
    struct hub *hub = component;

    for (uint32_t c = 0; c < HUB_DMA_CHANNELS; c++)
        dma_fini(&hub->dma[c]);
    for (uint32_t p = 0; p < hub->nports; p++) {
        pcie_port_destroy(hub->ports[p].edge.pcie);
        pcie_order_watch_destroy(hub->ports[p].order);
    }
    if (hub->core_ops != NULL)
        hub->core_ops->destroy(hub->core);
    for (uint32_t p = 0; p < HUB_MAX_PORTS; p++) { /* also of a port that could not be made */
        fifo_fini(&hub->ports[p].receive.wait);
        fifo_fini(&hub->ports[p].answers);
        fifo_fini(&hub->ports[p].asks);
    }
    pcie_order_end_destroy(hub->order);
    for (uint32_t f = 0; f < HUB_SOURCES; f++)
        fifo_fini(&hub->fifo[f]);
    fifo_fini(&hub->sink);
    mem_pool_destroy(hub->pool);
    free(hub->misdeeds);
    free(hub);
}

static void register_stats(struct hub *hub)
{
    const struct sim_stat_row own[] = {
        { &hub->ddr_tlps, "ddr_tlps", "1", "packets that waited in the memory beside the chip" },
        { &hub->unsupported, "unsupported_requests", "1",
          "requests that nothing claimed, remote loads among them" },
        { &hub->notifications, "notifications", "1", "entries appended to the notification ring" },
        { &hub->notify_lost, "notifications_lost", "1", "notifications that found no place" },
    };

    sim_stats_register(hub->dom, hub->path, own, SIM_COUNT(own));
    for (uint32_t p = 0; p < hub->nports; p++) {
        const struct hub_port *port = &hub->ports[p];
        const struct sim_stat_row rows[] = {
            { &port->forwarded_tlps, "forwarded_tlps", "1",
              "packets that left the core by this port" },
            { &port->blocked_grants, "blocked_grants", "1",
              "packets that were ready and found no room in the port" },
        };

        sim_stats_register(hub->dom, pcie_port_path(port->edge.pcie), rows, SIM_COUNT(rows));
    }
    for (uint32_t c = 0; c < HUB_DMA_CHANNELS; c++) {
        char name[32];
        const struct sim_stat_row row = { &hub->dma[c].bytes, name, "bytes",
                                          "payload written by this DMA channel" };

        (void)snprintf(name, sizeof(name), "dma%u.bytes", (unsigned)c);
        sim_stats_register(hub->dom, hub->path, &row, 1);
    }
}

/* What enters a ring waits for so much room in the next hub: a buffer must have it. */
static int check_bubble(const char *head, const struct hub_config *cfg, struct sim_error *err)
{
    for (uint32_t i = HUB_HOST + 1; i < cfg->ports && cfg->bubble_tlps > 1; i++) {
        const struct pcie_port_config *port = &cfg->port[i];
        uint64_t headers = cfg->bubble_tlps, data = headers * port->mps_bytes / 16;
        bool few = port->ph_credits != 0 && port->ph_credits < headers;
        char key[32];

        (void)snprintf(key, sizeof(key), "%s.link.%s", hub_port_names[i],
                       few ? "ph_credits" : "pd_credits");
        if (few || (port->pd_credits != 0 && port->pd_credits < data))
            return sim_error_value(err, SIM_ERR_CONFIG, head, key,
                                   few ? port->ph_credits : port->pd_credits,
                                   "expected 0 or at least %llu, for the bubble_tlps",
                                   (unsigned long long)(few ? headers : data));
    }
    return SIM_OK;
}

/* DDR3 takes what finds so many packets of its port on the chip: a buffer must hold more. One
 * beat a cycle goes there, and the place on the chip is free behind the write: what comes into it
 * must not overtake the reader. */
static int check_ddr(const char *head, const struct hub_config *cfg, struct sim_error *err)
{
    for (uint32_t i = HUB_HOST + 1; i < cfg->ports && cfg->ddr_bytes != 0; i++) {
        uint64_t headers = cfg->port[i].ph_credits;

        if (headers != 0 && cfg->ddr_chip_tlps >= headers)
            return sim_error_value(err, SIM_ERR_CONFIG, head, "ddr.chip_tlps", cfg->ddr_chip_tlps,
                                   "expected less than %s.link.ph_credits, %llu, or ddr.bytes = 0",
                                   hub_port_names[i], (unsigned long long)headers);
    }
    if (cfg->ddr_bytes != 0 && cfg->ddr_bytes_per_cycle > 2 * cfg->bus_bytes)
        return sim_error_value(err, SIM_ERR_CONFIG, head, "ddr.bytes_per_cycle",
                               cfg->ddr_bytes_per_cycle,
                               "expected at most %llu, two beats of bus_bytes, or ddr.bytes = 0",
                               2ull * cfg->bus_bytes);
    return SIM_OK;
}

/* A descriptor is there when its last beat is. */
static int check_descriptors(const char *head, const struct hub_config *cfg, struct sim_error *err)
{
    uint64_t beats = hub_data_beats(HUB_DESC_BYTES, cfg->bus_bytes);
    char wanted[80];

    (void)snprintf(wanted, sizeof(wanted), "expected at least %llu, by the beats of a descriptor",
                   (unsigned long long)beats);
    if (cfg->dma_decode_cycles < beats)
        return sim_error_value(err, SIM_ERR_CONFIG, head, "dma.decode_cycles",
                               cfg->dma_decode_cycles, "%s", wanted);
    (void)snprintf(wanted, sizeof(wanted), "expected more than %llu, the beats of a descriptor",
                   (unsigned long long)beats);
    if (cfg->dma_fetch_internal_cycles <= beats)
        return sim_error_value(err, SIM_ERR_CONFIG, head, "dma.fetch_internal_cycles",
                               cfg->dma_fetch_internal_cycles, "%s", wanted);
    return SIM_OK;
}

int hub_check_config(const struct machine_place *place, const struct hub_config *cfg,
                     struct sim_error *err)
{
    const struct {
        const char *key;
        uint64_t value;
    } powers[] = { { "dma.read_bytes", cfg->dma_read_bytes }, { "bus_bytes", cfg->bus_bytes } };
    char head[160];
    int rc;

    (void)snprintf(head, sizeof(head), "%s.", place->path);
    for (unsigned i = 0; i < SIM_COUNT(powers); i++)
        if ((powers[i].value & (powers[i].value - 1)) != 0)
            return sim_error_value(err, SIM_ERR_CONFIG, head, powers[i].key, powers[i].value,
                                   "expected a power of two");
    rc = check_descriptors(head, cfg, err);
    if (rc == SIM_OK)
        rc = hub_check_rings(head, cfg, err);
    if (rc == SIM_OK)
        rc = check_bubble(head, cfg, err);
    return rc == SIM_OK ? check_ddr(head, cfg, err) : rc;
}

static struct hub *new_hub(const struct hub_core_ops *ops, void *core)
{
    struct hub *hub = sim_calloc(sizeof(*hub));

    if (hub == NULL && ops != NULL)
        ops->destroy(core);
    if (hub == NULL)
        return NULL;
    hub->core_ops = ops;
    hub->core = core;
    return hub;
}

int hub_create_around(const struct hub_core_ops *ops, void *core, const struct machine_place *place,
                      const void *config, void **component_p, struct sim_error *err)
{
    struct hub *hub = new_hub(ops, core);
    int rc;

    if (hub == NULL)
        return SIM_ERR_NOMEM;
    rc = hub_check_config(place, config, err);
    if (rc != SIM_OK)
        goto err_destroy;
    hub->dom = place->dom;
    hub->cfg = *(const struct hub_config *)config;
    hub->path = place->path;
    hub->pool = mem_pool_create();
    hub->probe = sim_probe_of(hub->dom);
    hub->watched = sim_order_checked(hub->dom);
    hub->hashed = sim_fingerprint_on(hub->dom);
    rc = SIM_ERR_NOMEM;
    if (hub->pool == NULL || !fifo_init(&hub->fifo[SRC_LOCAL], HUB_LOCAL_TLPS) ||
        !fifo_init(&hub->sink, (uint32_t)hub->cfg.dma_completion_cycles + 1)) /* one each edge */
        goto err_destroy;
    hub->order = pcie_order_end_create(hub->dom, hub->path);
    sim_clock_init(&hub->clk, hub->cfg.clock_khz);
    hub->clk.phase_ps = hub->cfg.clock_phase_ps;
    sim_event_init(&hub->tick, hub_tick);
    hub_timeout_init(hub);
    hub_arbiter_init(hub);
    for (; hub->nports < hub->cfg.ports; hub->nports++) {
        rc = create_port(hub, hub->nports, err);
        if (rc != SIM_OK)
            goto err_destroy;
    }
    for (uint32_t c = 0; c < HUB_DMA_CHANNELS; c++) {
        rc = dma_init(hub, c);
        if (rc != SIM_OK)
            goto err_destroy;
    }
    register_stats(hub);
    hub_wait_register(hub);
    *component_p = hub;
    return SIM_OK;

err_destroy:
    hub_destroy(hub);
    return rc;
}

static int hub_create(const struct machine_place *place, const void *config, void **component_p,
                      struct sim_error *err)
{
    return hub_create_around(NULL, NULL, place, config, component_p, err);
}

static struct machine_port hub_port(void *component, unsigned index)
{
    struct hub *hub = component;

    if (index < hub->nports)
        return hub_edge_plug(&hub->ports[index].edge);
    return (struct machine_port){ NULL, NULL, NULL };
}

static uint64_t hub_payload(void *component, const char *name)
{
    struct hub *hub = component;
    uint32_t p = hub_port_find(name);

    if (p < hub->nports && pcie_port_connected(hub->ports[p].edge.pcie))
        return pcie_port_mps(hub->ports[p].edge.pcie);
    return 0;
}

static void watch_channels(struct hub *hub, uint32_t p)
{
    if (!pcie_port_has_vc1(hub->ports[p].edge.pcie))
        return;
    hub->vc1 |= (uint16_t)(1u << p);
    if (hub_port_date_line(&hub->cfg, p))
        hub->date_line |= (uint16_t)(1u << p);
}

/* The window is known now: endpoints show one 64-bit prefetchable BAR of its size. */
static int hub_start(void *component, struct sim_error *err)
{
    struct hub *hub = component;

    if (hub->probe != NULL)
        hub_level_start(hub);
    if (hub->window_bytes == 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: no window and no routes: expected both",
                             hub->path);
    for (uint32_t p = 0; p < hub->nports; p++) {
        struct hub_port *port = &hub->ports[p];

        pcie_function_init(&port->edge.function, HUB_VENDOR_ID, HUB_DEVICE_ID, HUB_CLASS_CODE);
        port->mps_bytes = pcie_port_mps(port->edge.pcie);
        watch_channels(hub, p);
        if (port->edge.role == HUB_ROOT) {
            if (pcie_port_connected(port->edge.pcie))
                bringup_start(port);
            continue;
        }
        pcie_function_add_bar(&port->edge.function, 0, hub->window_bytes);
    }
    hub_ddr_start(hub);
    return hub->core_ops != NULL ? hub->core_ops->start(hub->core, hub, err) : SIM_OK;
}

static int hub_fault(void *component, void *end, const struct machine_fault_kind *what,
                     const void *config, struct sim_error *err)
{
    struct pcie_misbehavior how;

    if (end != NULL)
        return pcie_port_add_fault(end, what, config, err);
    how = pcie_misbehavior_of(what, config);
    return hub_misbehave(component, &how, err);
}

const struct machine_kind hub_kind = {
    .name = "hub.c",
    .summary = "PCI Express communication hub: routing unit, chaining DMA, internal memory.",
    .params = params,
    .groups = groups,
    .config_bytes = sizeof(struct hub_config),
    .ports = hub_port_names,
    .host_port = "n",
    .spare = hub_port_spare,
    .plugs = hub_port_names,
    .ring = hub_ring,
    .create = hub_create,
    .port = hub_port,
    .set_routes = hub_set_routes,
    .route = hub_route_of,
    .blocked = hub_blocked,
    .start = hub_start,
    .payload = hub_payload,
    .payload_key = "link.mps_bytes",
    .destroy = hub_destroy,
    .faults = pcie_faults,
    .fault = hub_fault,
};

int hub_misbehave(void *component, const struct pcie_misbehavior *how, struct sim_error *err)
{
    struct hub *hub = component;

    int rc = pcie_misdeeds_add(&hub->misdeeds, how, sim_seed(hub->dom), hub->path, err);

    hub->misbehaves = hub->misdeeds != NULL;
    return rc;
}
