/*
 * Interrupts, and the ring of notifications. A full ring blocks nothing: what it has no room for
 * waits beside it, and what finds no place there either is lost, counted and reported.
 */
#include "hub/internal.h"

#include <string.h>

static void send_to_host(struct hub *hub, uint64_t addr, uint64_t value, uint32_t size)
{
    uint64_t edge = hub_clock_edge(hub) + hub->cfg.output_cycles;
    uint8_t bytes[8];
    struct pcie_tlp tlp;

    sim_store(bytes, value, 8);
    tlp = pcie_tlp_write(hub->pool, hub_host(hub)->function.id, addr, bytes, size);
    tlp.trace_id = hub_mark(hub, HUB_STAGE_OUTPUT, edge, hub->cause);
    hub_push_local(hub, &tlp, HUB_HOST, edge);
}

void hub_raise(struct hub *hub, uint32_t bits)
{
    hub->interrupts |= (bits & ~hub->irq_status & hub->irq_mask) != 0;
    hub->irq_status |= bits;
}

void hub_send_interrupt(struct hub *hub)
{
    uint64_t addr;
    uint32_t data;

    hub->interrupts = false;
    if (pcie_function_msi(&hub_host(hub)->function, &addr, &data))
        send_to_host(hub, addr, data, 4);
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
        send_to_host(hub, hub->ring_base + at * 8, entry, 8);
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

uint64_t hub_notify_step(struct hub *hub, uint64_t edge)
{
    if (!ring_has_room(hub) || !hub_local_room(hub))
        return UINT64_MAX;
    append(hub, hub->notify_wait[hub->notify_head++ % HUB_RING_WAITS]);
    return edge + 1;
}
