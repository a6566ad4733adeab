/*
 * Completion time-outs (PCI Express Base 2.8) of DMA channels and of the management processor.
 * Deadlines stand with the requests; one event looks at all of them, first when the one that it was
 * made for is over, so that a request which is answered costs no event.
 */
#include "hub/internal.h"

static sim_time_t sooner(sim_time_t a, sim_time_t b)
{
    return a < b ? a : b;
}

static void timeout(struct sim_event *ev)
{
    struct hub *hub = SIM_CONTAINER_OF(ev, struct hub, timeout);
    sim_time_t next = SIM_TIME_NEVER;

    for (uint32_t c = 0; c < HUB_DMA_CHANNELS; c++)
        next = sooner(next, dma_timeout(&hub->dma[c]));
    for (uint32_t p = 0; p < hub->nports; p++)
        next = sooner(next, bringup_timeout(&hub->ports[p]));
    if (next != SIM_TIME_NEVER)
        sim_schedule_by(hub->dom, &hub->timeout, next, SIM_CLOCK);
}

sim_time_t hub_request_sent(struct hub *hub)
{
    sim_time_t wait = hub->cfg.completion_timeout_ps, deadline;

    if (wait == 0)
        return SIM_TIME_NEVER;
    deadline = sim_now(hub->dom) + wait;
    if (hub->requests++ == 0)
        sim_schedule_at(hub->dom, &hub->timeout, deadline, SIM_CLOCK);
    return deadline;
}

void hub_request_ended(struct hub *hub)
{
    if (hub->cfg.completion_timeout_ps != 0 && --hub->requests == 0)
        sim_cancel(hub->dom, &hub->timeout);
}

void hub_timeout_init(struct hub *hub)
{
    sim_event_init(&hub->timeout, timeout);
}
