/* Which packets wait in the core and why, for reports of deadlocks. */
#include "hub/internal.h"

static const char *source_name(uint32_t source)
{
    static const char *const channels[HUB_DMA_CHANNELS] = { "dma0", "dma1", "dma2", "dma3" };

    if (source < SRC_LOCAL)
        return hub_port_names[source / PCIE_CLASSES];
    if (source == SRC_LOCAL)
        return "registers";
    return channels[(source - SRC_DMA_READ) % HUB_DMA_CHANNELS];
}

static const char *what_is(const struct pcie_tlp *tlp)
{
    switch (tlp->kind) {
    case PCIE_MWR:
        return "a write";
    case PCIE_MRD:
        return "a read";
    case PCIE_CPL:
    case PCIE_CPLD:
        return "a completion";
    default:
        return "a request";
    }
}

/** A write that leaves by a cable carries its offset in the window; what leaves by N is home. */
static unsigned slot_of(const struct hub *hub, const struct pcie_tlp *tlp, uint32_t out)
{
    if (tlp->kind != PCIE_MWR || out >= HUB_MAX_PORTS)
        return MACHINE_NO_SLOT;
    return out == HUB_HOST ? hub->slot : (unsigned)((tlp->addr - HUB_CABLE_BASE) / hub->part_bytes);
}

static void report_head(const struct hub *hub, uint32_t source, uint32_t out, machine_block_fn fn,
                        void *arg)
{
    const struct pcie_tlp *tlp = &fifo_head(&hub->fifo[source])->tlp;
    struct machine_block block = { .where = source_name(source),
                                   .what = what_is(tlp),
                                   .slot = slot_of(hub, tlp, out),
                                   .stands = source < SRC_LOCAL &&
                                             source % PCIE_CLASSES == PCIE_POSTED_VC1 };

    if (out < HUB_MAX_PORTS) {
        block.port = hub_port_names[out];
        block.leaves = pcie_tlp_class(tlp) == PCIE_POSTED_VC1;
        block.lacks = hub_edge_enabled(&hub->ports[out].edge, pcie_tlp_class(tlp))
                          ? pcie_port_lacks(hub->ports[out].edge.pcie, pcie_tlp_class(tlp))
                          : "Bus Master Enable";
        if (block.lacks == NULL) /* what enters a ring leaves a place free in it */
            block.lacks = "credits for bubble_tlps packets";
    } else {
        block.lacks = "room for answers";
    }
    fn(arg, &block);
}

/** Software that waits for the word behind a list that broke off waits for ever. */
static void report_broken(const struct hub *hub, uint32_t channel, machine_block_fn fn, void *arg)
{
    static const char *const met[] = {
        [HUB_DMA_ERR_LENGTH] = "a list with a bad length",
        [HUB_DMA_ERR_ALIGN] = "a list with a bad alignment",
        [HUB_DMA_ERR_SOURCE] = "a list whose source is not readable",
        [HUB_DMA_ERR_DEST] = "a list whose destination is outside of the window",
        [HUB_DMA_ERR_FETCH] = "a list with an unreadable descriptor",
        [HUB_DMA_ERR_TIMEOUT] = "a list whose read was not answered in time",
        [HUB_DMA_ERR_POISON] = "a list that read poisoned data",
        [HUB_DMA_ERR_ABORT] = "a list whose read was aborted",
    };
    const struct hub_dma *dma = &hub->dma[channel];

    if (!dma->failed || dma->mode != DMA_IDLE || dma->error >= SIM_COUNT(met) ||
        met[dma->error] == NULL)
        return;
    fn(arg, &(struct machine_block){ .where = source_name(SRC_DMA_READ + channel),
                                     .what = met[dma->error],
                                     .lacks = "a new start, after its error",
                                     .slot = MACHINE_NO_SLOT });
}

void hub_blocked(void *component, machine_block_fn fn, void *arg)
{
    const struct hub *hub = component;

    for (uint32_t source = 0; source < HUB_SOURCES; source++)
        for (uint32_t out = 0; out < HUB_OUTPUTS; out++)
            if ((hub->output[out].arbiter.requests >> source & 1) != 0 &&
                !hub_may_go(hub, source, out))
                report_head(hub, source, out, fn, arg);
    for (uint32_t channel = 0; channel < HUB_DMA_CHANNELS; channel++)
        report_broken(hub, channel, fn, arg);
}
