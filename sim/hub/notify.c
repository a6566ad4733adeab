/*
 * Interrupts, and the ring of notifications. A full ring blocks nothing: what it has no room for
 * waits beside it, and what finds no place there either is lost, counted and reported.
 */
#include "hub/internal.h"

#include <string.h>

static void send_to_host(struct hub *hub, uint64_t addr, uint64_t value, uint32_t size,
                         uint64_t cause)
{
    uint64_t edge = hub_clock_edge(hub) + hub->cfg.output_cycles;
    uint8_t bytes[8];
    struct pcie_tlp tlp;

    sim_store(bytes, value, 8);
    tlp = pcie_tlp_write(hub->pool, hub_host(hub)->function.id, addr, bytes, size);
    tlp.trace_id = hub_mark(hub, HUB_STAGE_OUTPUT, edge, cause);
    hub_push_local(hub, &tlp, HUB_HOST, edge);
    hub->local_edge = hub_clock_edge(hub) + 1;
}

void hub_raise(struct hub *hub, uint32_t bits)
{
    hub->irq_raised |= bits;
    hub->irq_wanted |= bits & hub->irq_mask;
    hub->irq_cause = hub->cause;
}

/* A bit that is raised while it is cleared stays set and is new, so that no event is lost. */
uint64_t hub_interrupt_step(struct hub *hub, uint64_t edge)
{
    uint32_t kept = hub->irq_status & ~hub->irq_cleared, data;
    uint64_t addr;

    hub->interrupts |= (hub->irq_wanted & ~kept) != 0;
    hub->irq_status = kept | hub->irq_raised;
    hub->irq_raised = hub->irq_wanted = hub->irq_cleared = 0;
    if (!hub->interrupts)
        return UINT64_MAX;
    if (hub->local_edge > edge)
        return hub->local_edge;
    hub->interrupts = false;
    if (pcie_function_msi(&hub_host(hub)->function, &addr, &data))
        send_to_host(hub, addr, data, 4, hub->irq_cause);
    return UINT64_MAX;
}

static uint64_t ring_entries(const struct hub *hub)
{
    return UINT64_C(1) << (hub->ring_size & 0x1f);
}

static bool ring_has_room(const struct hub *hub)
{
    return hub->ring_head - hub->ring_tail < ring_entries(hub);
}

static void to_internal(struct hub *hub, uint32_t at, uint64_t entry)
{
    memcpy(&hub->internal[at], &entry, 8);
    dma_internal_written(hub, at, 8);
}

/* The entry is the value with bit 63 as the lap, so that a reader sees which entries are fresh. */
static void append(struct hub *hub, uint64_t value)
{
    uint64_t entries = ring_entries(hub);
    uint64_t at = hub->ring_head & (entries - 1);
    uint64_t lap = (hub->ring_head / entries + 1) & 1;
    uint64_t entry = (value & ~(UINT64_C(1) << 63)) | lap << 63;

    hub->notifications++;
    hub->ring_head++;
    if ((hub->ring_size & HUB_RING_INTERNAL) != 0)
        to_internal(hub, (uint32_t)(hub->ring_base + at * 8) & (HUB_INTERNAL_BYTES - 8), entry);
    else
        send_to_host(hub, hub->ring_base + at * 8, entry, 8, hub->cause);
    if (hub->ring_head - hub->ring_tail >= entries / 2)
        hub_raise(hub, HUB_IRQ_RING);
}

void hub_notify(struct hub *hub, uint64_t value)
{
    uint32_t waiting = hub->notify_tail - hub->notify_head;

    if (waiting == 0 && ring_has_room(hub)) {
        append(hub, value);
    } else if (waiting < HUB_RING_WAITS) {
        hub->notify_wait[hub->notify_tail++ % HUB_RING_WAITS] = value;
    } else {
        hub->notify_lost++;
        hub_raise(hub, HUB_IRQ_LOST);
    }
}

bool hub_notify_may(const struct hub *hub, uint64_t edge, uint64_t *next_p)
{
    uint64_t at = sim_max(hub->output[OUT_SELF].free_edge, hub->local_edge);

    if (!ring_has_room(hub) || !hub_local_room(hub))
        return false; /* a write to registers, or a packet that leaves, wakes the hub */
    if (hub->interrupts || at > edge)
        *next_p = sim_min(*next_p, sim_max(at, edge + 1));
    return !hub->interrupts && at <= edge;
}

/* For an observer the last write made room: that of the ring's tail. */
uint64_t hub_notify_append(struct hub *hub, uint64_t edge)
{
    hub->cause = hub->write.cause;
    append(hub, hub->notify_wait[hub->notify_head++ % HUB_RING_WAITS]);
    return hub->notify_head != hub->notify_tail ? edge + 1 : UINT64_MAX;
}
