/* What a hub shows an observer: times of its pipeline, and what its DMA channels wait for. */
#include "hub/internal.h"

#define STAGE(stage, name, kind, phase, text)                                                      \
    [HUB_STAGE_##stage] = { (name), SIM_KIND_##kind, SIM_STAGE_PLAIN, (phase), (text) }

static const struct sim_stage stages[HUB_STAGES] = {
    STAGE(CLOCK, "clock edge", HUB, NULL, "to the next edge of the hub's clock"),
    STAGE(CONFIGURE, "configuration", HUB, NULL,
          "until the hard IP's answer to a configuration request"),
    STAGE(STREAM, "stream busy", BUS, NULL, "behind the beats of earlier packets of the port"),
    STAGE(RECEIVE, "receive stream", HUB, NULL, "from the hard IP to the routing unit"),
    STAGE(ROUTE, "routing", HUB, NULL, "mask, comparison with the ranges, translation"),
    STAGE(OUTPUT, "output stage", HUB, NULL, "to the transmit stream of the hard IP"),
    STAGE(DDR, "DDR3", BUFFER, NULL, "into the memory beside the chip and out again"),
    [HUB_STAGE_QUEUE] = { .name = "ordering",
                          .kind = SIM_KIND_ARBITER,
                          .use = SIM_STAGE_QUEUE,
                          .meaning = "behind an earlier packet that may not be overtaken" },
    STAGE(BUS, "internal bus", HUB, NULL, "until the link cannot run out of the packet's beats"),
    STAGE(REGISTER, "register", HUB, NULL, "reading a register or internal memory"),
    STAGE(DMA_START, "DMA start", DMA, "descriptor", "from the register to the channel"),
    STAGE(FETCH, "descriptor request", DMA, "descriptor", "from the pointer to the read request"),
    STAGE(FETCH_INTERNAL, "internal memory", DMA, "descriptor",
          "reading a descriptor in internal memory"),
    STAGE(FETCHED, "completion", DMA, NULL, "from the bus into the channel's buffer"),
    STAGE(DECODE, "descriptor decode", DMA, NULL, "decoding a descriptor"),
    STAGE(BEGIN, "descriptor begin", DMA, NULL, "behind the descriptor before it"),
    STAGE(PACE, "read interval", DMA, "data read", "from one read request to the next"),
    STAGE(READ, "read request", DMA, "data read", "room in the window, and a tag"),
    STAGE(READ_INTERNAL, "internal memory", DMA, NULL, "reading data in internal memory"),
    STAGE(READ_DONE, "completion", DMA, NULL, "from the bus into the channel's buffer"),
    STAGE(WRITE, "write", DMA, "data write", "behind the data before it"),
    STAGE(TAG, "last beat", DMA, NULL, "until a request's data have left its buffer"),
    STAGE(PREPARE, "firmware", NOTIFICATION, "notification",
          "from the last read request until the status word is prepared"),
    STAGE(STATUS, "status word", NOTIFICATION, "notification", "behind all data"),
};

uint64_t hub_probe_mark(const struct hub *hub, enum hub_stage stage, uint64_t edge,
                        uint64_t cause_a, uint64_t cause_b, uint64_t cause_c)
{
    const struct sim_mark mark = {
        .stage = &stages[stage],
        .where = hub->path,
        .time = sim_clock_time(&hub->clk, edge),
        .cause = { cause_a, cause_b, cause_c },
    };

    return hub->probe->mark(hub->probe->arg, &mark);
}

uint64_t hub_probe_received(struct hub *hub, const struct hub_port *port,
                            const struct pcie_tlp *tlp, uint32_t out, uint64_t arrived)
{
    static const enum hub_stage way[] = { HUB_STAGE_CLOCK, HUB_STAGE_STREAM, HUB_STAGE_RECEIVE,
                                          HUB_STAGE_ROUTE };
    const uint64_t cycles[] = { 0, hub_clock_edge(hub) - arrived, hub->cfg.receive_cycles,
                                hub->cfg.route_cycles };
    const char *where = pcie_port_path(port->edge.pcie);
    uint32_t source = port->index * PCIE_CLASSES + pcie_tlp_class(tlp);
    uint64_t edge = arrived, cause = tlp->trace_id;

    if (hub->probe->level != NULL)
        hub_level_queue(hub, source, hub->fifo[source].tail - hub->fifo[source].head + 1);

    for (unsigned i = 0; i < SIM_COUNT(way); i++) {
        edge += cycles[i];
        if (way[i] == HUB_STAGE_STREAM && cycles[i] == 0)
            continue;
        cause = sim_probe_mark(hub->probe, &stages[way[i]], where, sim_clock_time(&hub->clk, edge),
                               cause);
    }
    return out < HUB_MAX_PORTS ? hub_probe_routed(hub, port, edge + hub->cfg.output_cycles, cause)
                               : cause;
}

uint64_t hub_probe_routed(const struct hub *hub, const struct hub_port *port, uint64_t edge,
                          uint64_t cause)
{
    return sim_probe_mark(hub->probe, &stages[HUB_STAGE_OUTPUT], pcie_port_path(port->edge.pcie),
                          sim_clock_time(&hub->clk, edge), cause);
}

uint64_t hub_probe_lag(const struct hub *hub, uint32_t out, sim_time_t time, uint64_t cause)
{
    return sim_probe_mark(hub->probe, &stages[HUB_STAGE_BUS],
                          pcie_port_path(hub->ports[out].edge.pcie), time, cause);
}

/** Two outputs are the same when these are: paths of ports, or names of what is inside. */
static const char *output_of(const struct hub *hub, uint32_t out)
{
    static const char self[] = "self", sink[] = "sink";

    if (out < HUB_MAX_PORTS)
        return pcie_port_path(hub->ports[out].edge.pcie);
    return out == OUT_SELF ? self : sink;
}

uint64_t hub_probe_granted(struct hub *hub, uint32_t source, uint32_t out,
                           const struct pcie_tlp *tlp, uint64_t free_edge, bool entering)
{
    const struct sim_mark mark = {
        .stage = &stages[HUB_STAGE_QUEUE],
        .where = hub->path,
        .time = sim_now(hub->dom),
        .cause = { tlp->trace_id },
        .toward = output_of(hub, out),
        .queue = source,
        .toward_queues = pcie_probe_queues(pcie_tlp_class(tlp), entering),
        .until = sim_clock_time(&hub->clk, free_edge),
    };

    if (hub->probe->level != NULL)
        hub_level_grant(hub, source, out, free_edge);
    return hub->cause = hub->probe->mark(hub->probe->arg, &mark);
}

void hub_set_watch(void *component, const struct hub_watch *watch)
{
    struct hub *hub = component;

    hub->watch = watch;
}
