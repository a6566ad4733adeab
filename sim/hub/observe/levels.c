/* Queues, grants and DMA channels of a hub for an observer of levels. */
#include "hub/internal.h"

#define NO_SOURCE HUB_SOURCES
#define NO_OUTPUT HUB_OUTPUTS

/* clang-format off */
#define PORT_SOURCES(port, ...) #port ".p", #port ".np", #port ".cpl", #port ".p1",
#define PORT_OUTPUT(port, ...)  #port,
_Static_assert(PCIE_CLASSES == 4 && HUB_DMA_CHANNELS == 4, "names below");
_Static_assert(NO_SOURCE < 1 << 6 && NO_OUTPUT < 1 << 4, "bits of the signals below");
static const char *const sources[HUB_SOURCES + 2] = {
    HUB_PORTS(PORT_SOURCES) "local",
    "dma0.read", "dma1.read", "dma2.read", "dma3.read",
    "dma0.write", "dma1.write", "dma2.write", "dma3.write", "-", NULL
};
static const char *const outputs[HUB_OUTPUTS + 2] = { HUB_PORTS(PORT_OUTPUT) "self", "sink", "-", NULL };
/* clang-format on */

/* ---- ports ---- */

#define CLASS_SIGNALS(cls, name)                                                                   \
    [PCIE_##cls] = {                                                                               \
        { "rx." name ".queue", 16, NULL, SIM_SIGNAL_LENGTH,                                        \
          "TLPs that wait in the hub, some of them in DDR3" },                                     \
        { "rx." name ".to", 4, outputs, SIM_SIGNAL_PLAIN,                                          \
          "where a TLP of this queue goes, while its beats do" },                                  \
    }

static const struct sim_signal rx_signals[PCIE_CLASSES][2] = { CLASS_SIGNALS(POSTED, "p"),
                                                               CLASS_SIGNALS(NONPOSTED, "np"),
                                                               CLASS_SIGNALS(COMPLETION, "cpl"),
                                                               CLASS_SIGNALS(POSTED_VC1, "p1") };
static const struct sim_signal tx_source = {
    "tx.source", 6, sources, SIM_SIGNAL_OUTPUT,
    "who has the output, its beats and the gap behind them"
};
static const struct sim_signal tx_valid = { "tx.valid", 1, NULL, SIM_SIGNAL_PLAIN,
                                            "a beat goes to the hard block" };
static const struct sim_signal tx_beats = { "tx.beats", 9, NULL, SIM_SIGNAL_PLAIN,
                                            "beats of the TLP on its way" };
static const struct sim_signal tx_tlps = { "tx.tlps", 32, NULL, SIM_SIGNAL_PLAIN,
                                           "TLPs that the output has taken" };

static const char *path_of(const struct hub *hub, uint32_t port)
{
    return pcie_port_path(hub->ports[port].edge.pcie);
}

void hub_level_queue(const struct hub *hub, uint32_t source, uint32_t count)
{
    sim_probe_level(hub->probe, &rx_signals[source % PCIE_CLASSES][0],
                    path_of(hub, source / PCIE_CLASSES), sim_now(hub->dom), count);
}

/** `value` now, and `after` from an edge on. */
static void show_pulse(const struct hub *hub, const struct sim_signal *signal, const char *where,
                       uint64_t value, uint64_t edge, uint64_t after)
{
    sim_time_t now = sim_now(hub->dom);
    const struct sim_level over = { signal, where, now, sim_clock_time(&hub->clk, edge), after };

    sim_probe_level(hub->probe, signal, where, now, value);
    hub->probe->level(hub->probe->arg, &over);
}

void hub_level_grant(const struct hub *hub, uint32_t source, uint32_t out, uint64_t free_edge)
{
    uint64_t now = hub->edge_value, beats = free_edge - now;

    if (beats > 1) /* with data */
        beats -= hub->cfg.bus_gap_cycles;
    if (source < SRC_LOCAL) {
        const struct hub_fifo *f = &hub->fifo[source];

        hub_level_queue(hub, source, f->tail - f->head);
        show_pulse(hub, &rx_signals[source % PCIE_CLASSES][1], path_of(hub, source / PCIE_CLASSES),
                   out, free_edge, NO_OUTPUT);
    }
    if (out >= HUB_MAX_PORTS)
        return;
    show_pulse(hub, &tx_source, path_of(hub, out), source, free_edge, NO_SOURCE);
    show_pulse(hub, &tx_valid, path_of(hub, out), 1, now + beats, 0);
    show_pulse(hub, &tx_beats, path_of(hub, out), beats, now + beats, 0);
    sim_probe_level(hub->probe, &tx_tlps, path_of(hub, out), sim_now(hub->dom),
                    hub->ports[out].forwarded_tlps + 1);
}

/* ---- DMA ---- */

enum dma_state { STATE_IDLE, STATE_FETCH, STATE_READ, STATE_WRITE, STATE_STATUS };
static const char *const states[] = { "idle", "fetch", "read", "write", "status", NULL };

#define DMA_SIGNALS(name)                                                                          \
    {                                                                                              \
        { name ".state", 3, states, SIM_SIGNAL_STATE, "what the channel does, or waits for" },     \
            { name ".reads", 6, NULL, SIM_SIGNAL_LENGTH,                                           \
              "read requests whose data are not yet written" },                                    \
            { name ".ahead", 5, NULL, SIM_SIGNAL_PLAIN, "descriptors fetched and not yet begun" }, \
    }

enum { DMA_STATE, DMA_READS, DMA_AHEAD, DMA_SIGNAL_COUNT };
static const struct sim_signal dma_signals[HUB_DMA_CHANNELS][DMA_SIGNAL_COUNT] = {
    DMA_SIGNALS("dma0"), DMA_SIGNALS("dma1"), DMA_SIGNALS("dma2"), DMA_SIGNALS("dma3")
};

static enum dma_state state_of(const struct hub_dma *dma)
{
    if (dma->mode == DMA_IDLE)
        return STATE_IDLE;
    if (dma->active)
        return dma->now.status ? STATE_STATUS : STATE_READ;
    return dma->read_head != dma->read_tail ? STATE_WRITE : STATE_FETCH;
}

void hub_level_dma(const struct hub_dma *dma)
{
    const struct sim_probe *probe = dma->hub->probe;
    const struct sim_signal *s = dma_signals[dma->channel];
    sim_time_t now = sim_now(dma->hub->dom);

    sim_probe_level(probe, &s[DMA_STATE], dma->hub->path, now, state_of(dma));
    sim_probe_level(probe, &s[DMA_READS], dma->hub->path, now, dma->read_tail - dma->read_head);
    sim_probe_level(probe, &s[DMA_AHEAD], dma->hub->path, now, dma->ahead_tail - dma->ahead_head);
}

/* ---- before anything happens ---- */

void hub_level_start(const struct hub *hub)
{
    for (uint32_t p = 0; p < hub->nports; p++) {
        if (!pcie_port_connected(hub->ports[p].edge.pcie))
            continue;
        for (uint32_t cls = 0; cls < PCIE_CLASSES; cls++) {
            if (cls == PCIE_POSTED_VC1 && !pcie_port_has_vc1(hub->ports[p].edge.pcie))
                continue;
            hub_level_queue(hub, p * PCIE_CLASSES + cls, 0);
            sim_probe_level(hub->probe, &rx_signals[cls][1], path_of(hub, p), 0, NO_OUTPUT);
        }
        sim_probe_level(hub->probe, &tx_source, path_of(hub, p), 0, NO_SOURCE);
        sim_probe_level(hub->probe, &tx_valid, path_of(hub, p), 0, 0);
        sim_probe_level(hub->probe, &tx_beats, path_of(hub, p), 0, 0);
        sim_probe_level(hub->probe, &tx_tlps, path_of(hub, p), 0, 0);
    }
    for (uint32_t c = 0; c < HUB_DMA_CHANNELS; c++)
        hub_level_dma(&hub->dma[c]);
}
