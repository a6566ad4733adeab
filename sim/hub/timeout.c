/*
 * Completion time-outs (PCI Express Base 2.8) of DMA channels and of the management processor.
 * Deadlines stand with the requests; one event looks at all of them, first when the one that it was
 * made for is over, so that a request which is answered costs no event.
 */
#include "hub/internal.h"

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
