/* Reads between root ports: counted against their limits until they are answered, or given up. */
#include "node/host/internal.h"

#include <stdlib.h>
#include <string.h>

void node_rc_remember(struct node_rc *rc, const struct node_packet *p)
{
    sim_time_t wait = rc->host->cfg.rc.completion_timeout_ps;
    sim_time_t deadline = wait != 0 ? sim_now(rc->host->dom) + wait : SIM_TIME_NEVER;

    rc->forwards[rc->nforwards++] = (struct rc_forward){ .deadline_ps = deadline,
                                                         .requester_id = p->tlp.requester_id,
                                                         .tag = p->tlp.tag,
                                                         .from = (uint8_t)p->source,
                                                         .to = (uint8_t)p->target };
    if (rc->nforwards == 1 && wait != 0)
        sim_schedule_at(rc->host->dom, &rc->timeout, deadline, SIM_CLOCK);
}

static void forget_forward(struct node_rc *rc, unsigned i)
{
    uint64_t limit;
    unsigned *count = node_rc_forwarded(rc, rc->forwards[i].from, rc->forwards[i].to, &limit);

    --*count;
    rc->nforwards--;
    memmove(&rc->forwards[i], &rc->forwards[i + 1], (rc->nforwards - i) * sizeof(*rc->forwards));
    if (rc->nforwards == 0)
        sim_cancel(rc->host->dom, &rc->timeout);
}

void node_rc_answered(struct node_rc *rc, unsigned from, unsigned to, const struct pcie_tlp *cpl)
{
    for (unsigned i = 0; i < rc->nforwards; i++) {
        const struct rc_forward *f = &rc->forwards[i];

        if (f->from == from && f->to == to && f->tag == cpl->tag &&
            f->requester_id == cpl->requester_id) {
            forget_forward(rc, i);
            return;
        }
    }
    rc->stat.stray_completions++;
}

/** What was not answered in time no longer counts, so that one device does not block others. The
 * requester has a time-out of its own. */
static void timeout_event(struct sim_event *ev)
{
    struct node_rc *rc = SIM_CONTAINER_OF(ev, struct node_rc, timeout);
    sim_time_t now = sim_now(rc->host->dom);

    while (rc->nforwards != 0 && rc->forwards[0].deadline_ps <= now) {
        rc->stat.p2p_timeouts++;
        forget_forward(rc, 0);
    }
    if (rc->nforwards != 0)
        sim_schedule_by(rc->host->dom, &rc->timeout, rc->forwards[0].deadline_ps, SIM_CLOCK);
    node_rc_wake(rc, now);
}

int node_rc_forwards_init(struct node_rc *rc)
{
    const struct host_rc_config *cfg = &rc->host->cfg.rc;

    sim_event_init(&rc->timeout, timeout_event);
    rc->forwards = calloc(2 * (cfg->p2p_reads + cfg->socket_reads), sizeof(*rc->forwards));
    return rc->forwards != NULL ? SIM_OK : SIM_ERR_NOMEM;
}
