/*
 * Configuration requests, which the hard block of an endpoint answers by itself. The core sees what
 * they have set, from the first edge on.
 */
#include "hub/internal.h"

static void add_answer(struct hub *hub, struct hub_port *port, const struct pcie_tlp *cpl,
                       sim_time_t late_ps)
{
    struct hub_entry *e = fifo_add(&port->answers);

    e->edge = hub_clock_edge(hub) + hub->cfg.config_cycles + sim_clock_cycles(&hub->clk, late_ps);
    e->tlp = *cpl;
    e->tlp.trace_id = hub_mark(hub, HUB_STAGE_CONFIGURE, e->edge, cpl->trace_id);
    hub->configures |= 1u << port->index;
    hub_wake(hub, e->edge);
}

/* An answer without data that says why. */
static void refuse(struct hub *hub, struct hub_port *port, const struct pcie_tlp *tlp,
                   enum pcie_cpl_status status, sim_time_t late_ps)
{
    struct pcie_tlp cpl = hub_edge_completion(&port->edge, tlp, status);

    add_answer(hub, port, &cpl, late_ps);
}

static void answer(struct hub *hub, struct hub_port *port, const struct pcie_tlp *tlp)
{
    struct pcie_verdict verdict = { .late_ps = 0 };
    struct pcie_tlp cpl;

    if (hub->misbehaves)
        verdict = pcie_misdeeds_judge(hub->misdeeds, sim_now(hub->dom));
    if (verdict.silent)
        return;
    if (verdict.abort) {
        pcie_port_advisory(port->edge.pcie, PCIE_ERR_ABORT, tlp);
        refuse(hub, port, tlp, PCIE_CPL_CA, verdict.late_ps);
    } else {
        cpl = hub_edge_configure(&port->edge, hub->pool, tlp);
        cpl.poisoned = verdict.poison && pcie_tlp_has_data(&cpl);
        add_answer(hub, port, &cpl, verdict.late_ps);
        hub_wake(hub, hub_clock_edge(hub)); /* requests may be waiting to be enabled */
    }
}

void hub_configure(struct hub *hub, struct hub_port *port, struct pcie_tlp *tlp)
{
    answer(hub, port, tlp);
    hub_edge_release(&port->edge, PCIE_NONPOSTED, tlp);
    pcie_tlp_drop(tlp);
}

uint64_t hub_configure_step(struct hub *hub, uint64_t edge)
{
    uint64_t next = UINT64_MAX;

    for (uint32_t left = hub->configures; left != 0; left &= left - 1) {
        struct hub_port *port = &hub->ports[__builtin_ctz(left)];
        struct hub_fifo *f = &port->answers;

        bool sent = fifo_head(f)->edge <= edge && hub_edge_ready(&port->edge, PCIE_COMPLETION);

        if (sent)
            hub_edge_send(&port->edge, &f->ring[f->head++ & f->mask].tlp, 0);
        if (fifo_empty(f))
            hub->configures &= ~(1u << port->index);
        else if (fifo_head(f)->edge > edge || sent) /* what has to wait for room is woken by that */
            next = sim_min(next, sim_max(fifo_head(f)->edge, edge + 1));
    }
    return next;
}
