/* Interrupts, and the ring of notifications. */
#include "hub/internal.h"

#include <string.h>

static void send_to_host(struct hub *hub, uint64_t addr, uint64_t value, uint32_t size)
{
    uint64_t edge = hub_clock_edge(hub) + hub->cfg.output_cycles;
    struct pcie_tlp tlp = { .kind = PCIE_MWR,
                            .requester_id = hub_host(hub)->function.id,
                            .trace_id = hub_mark(hub, HUB_STAGE_OUTPUT, edge, hub->cause) };

    pcie_tlp_set_range(&tlp, addr, size);
    tlp.payload = mem_payload_alloc(hub->pool, size);
    sim_store(tlp.payload->data, value, size);
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

/* The entry is the value with bit 63 as the lap, so that a reader sees which entries are fresh. */
void hub_notify(struct hub *hub, uint64_t value)
{
    uint64_t entries = ring_entries(hub);
    uint64_t at = hub->ring_head & (entries - 1);
    uint64_t lap = (hub->ring_head / entries + 1) & 1;
    uint64_t entry = (value & ~(UINT64_C(1) << 63)) | lap << 63;

    hub->notifications++;
    hub->ring_head++;
    if ((hub->ring_size & HUB_RING_INTERNAL) != 0)
        memcpy(&hub->internal[(hub->ring_base + at * 8) & (HUB_INTERNAL_BYTES - 8)], &entry, 8);
    else
        send_to_host(hub, hub->ring_base + at * 8, entry, 8);
    if (hub->ring_head - hub->ring_tail >= entries / 2)
        hub_raise(hub, HUB_IRQ_RING);
}

bool hub_ring_has_room(const struct hub *hub)
{
    return hub->ring_head - hub->ring_tail < ring_entries(hub);
}
