/*
 * Completion time-outs (PCI Express Base 2.8) of DMA channels and of the management processor.
 * Deadlines are edges and stand with the requests; one event looks at all of them, first when the
 * one that it was made for is over, so that a request which is answered costs no event.
 */
#include "hub/timeout.h"

static void deadline_comes(struct sim_event *ev)
{
    struct hub *hub = SIM_CONTAINER_OF(ev, struct hub, timeout);

    hub->overdue = true;
    hub_wake(hub, hub_clock_edge(hub));
}

void hub_timeout_init(struct hub *hub)
{
    sim_event_init(&hub->timeout, deadline_comes);
    hub->timeout_cycles = sim_clock_cycles(&hub->clk, hub->cfg.completion_timeout_ps);
}

/* Before the clocked blocks of that edge. */
static void look_at(struct hub *hub, uint64_t deadline)
{
    sim_schedule_by(hub->dom, &hub->timeout, sim_clock_time(&hub->clk, deadline), SIM_ARRIVE);
}

uint64_t hub_request_sent(struct hub *hub)
{
    uint64_t deadline = hub_clock_edge(hub) + hub->timeout_cycles;

    if (hub->timeout_cycles == 0)
        return UINT64_MAX;
    if (hub->requests++ == 0)
        look_at(hub, deadline);
    return deadline;
}

void hub_request_ended(struct hub *hub)
{
    if (hub->timeout_cycles != 0 && --hub->requests == 0)
        sim_cancel(hub->dom, &hub->timeout);
}

void hub_timeout_step(struct hub *hub, uint64_t edge)
{
    uint64_t next = UINT64_MAX;

    hub->overdue = false;
    for (uint32_t c = 0; c < HUB_DMA_CHANNELS; c++)
        next = sim_min(next, dma_timeout(&hub->dma[c], edge));
    for (uint32_t p = 0; p < hub->nports; p++)
        next = sim_min(next, bringup_timeout(&hub->ports[p], edge));
    if (next != UINT64_MAX)
        look_at(hub, next);
}
