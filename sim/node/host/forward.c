/* Reads between root ports: counted against their limits until they are answered, or given up. */
#include "node/host/internal.h"

#include <stdlib.h>
#include <string.h>

/** What such reads hold of their limit: the whole lines that they ask for. Across the sockets each
 * read holds one place instead, counted by the socket of its requester. */
static uint64_t *held_of(struct node_rc *rc, unsigned from, unsigned to, uint64_t *limit_p)
{
    const struct host_config *cfg = &rc->host->cfg;
    bool crosses = node_rc_crosses(rc, from, to);

    *limit_p = crosses ? cfg->rc.socket_reads : cfg->rc.p2p_read_bytes;
    return crosses ? &rc->socket_reads[cfg->socket[from]] : &rc->p2p_read_bytes[cfg->socket[from]];
}

static uint32_t lines_bytes(const struct pcie_tlp *tlp)
{
    return (4u * tlp->length_dw + HOST_LINE - 1) / HOST_LINE * HOST_LINE;
}

bool node_rc_forward(struct node_rc *rc, const struct node_packet *p)
{
    sim_time_t wait = rc->host->cfg.rc.completion_timeout_ps;
    sim_time_t deadline = wait != 0 ? sim_now(rc->host->dom) + wait : SIM_TIME_NEVER;
    uint32_t takes = node_rc_crosses(rc, p->source, p->target) ? 1 : lines_bytes(&p->tlp);
    uint64_t limit, *held = held_of(rc, p->source, p->target, &limit);

    if (*held >= limit)
        return false;
    *held += takes;
    rc->forwards[rc->nforwards++] = (struct rc_forward){ .deadline_ps = deadline,
                                                         .requester_id = p->tlp.requester_id,
                                                         .tag = p->tlp.tag,
                                                         .from = (uint8_t)p->source,
                                                         .to = (uint8_t)p->target,
                                                         .held = takes };
    if (rc->nforwards == 1 && wait != 0)
        sim_schedule_at(rc->host->dom, &rc->timeout, deadline, SIM_CLOCK);
    return true;
}

static void forget_forward(struct node_rc *rc, unsigned i)
{
    const struct rc_forward *f = &rc->forwards[i];
    uint64_t limit;

    *held_of(rc, f->from, f->to, &limit) -= f->held;
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
    uint64_t most = (cfg->p2p_read_bytes + HOST_LINE - 1) / HOST_LINE + cfg->socket_reads;

    sim_event_init(&rc->timeout, timeout_event);
    rc->forwards = calloc(2 * most, sizeof(*rc->forwards)); /* for both sockets */
    return rc->forwards != NULL ? SIM_OK : SIM_ERR_NOMEM;
}
