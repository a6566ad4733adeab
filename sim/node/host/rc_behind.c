/*
 * What a write to memory waits for: forwarded writes that its port took in before it. They may be
 * in the root complex, or in the transmit queue of their root port until the device has credits for
 * them. On the link they are on their way: a flag in DRAM can overtake data there, and in the
 * device, and nowhere else.
 *
 * A port serves its posted queue in order, so what waits in it is the last that was handed to it.
 */
#include "node/host/internal.h"

void node_rc_handed(struct node_rc *rc, const struct node_packet *p, unsigned target)
{
    struct rc_port *to = &rc->port[target];

    to->posted += to->down ? 0 : 1;
    to->sent[to->sent_next] = (struct rc_sent){ p->arrived, p->source };
    to->sent_next = to->sent_next + 1 == to->sent_room ? 0 : to->sent_next + 1;
}

/** Does the port still hold a packet of `source` that came until then? */
static bool port_holds(const struct rc_port *rp, unsigned source, sim_time_t until)
{
    uint32_t at = rp->sent_next;

    for (uint32_t n = pcie_port_queued(rp->port, PCIE_POSTED); n > 0; n--) {
        at = (at == 0 ? rp->sent_room : at) - 1;
        if (rp->sent[at].source == source && rp->sent[at].arrived <= until)
            return true;
    }
    return false;
}

bool node_rc_is_behind(const struct node_rc *rc, const struct node_packet *p)
{
    for (uint32_t left = rc->port[p->source].forwarding; left != 0; left &= left - 1) {
        unsigned target = (unsigned)__builtin_ctz(left);
        const struct node_packet *oldest = rc->lane[target][PCIE_POSTED].queue[p->source].head;

        if ((oldest != NULL && oldest->arrived <= p->arrived) ||
            port_holds(&rc->port[target], p->source, p->arrived))
            return true;
    }
    return false;
}

/** Asks the ports that hold one head up for notice, and forgets those through which all has gone.
 */
static void await_ports(struct node_rc *rc, const struct node_packet *p)
{
    for (uint32_t left = rc->port[p->source].forwarding; left != 0; left &= left - 1) {
        unsigned target = (unsigned)__builtin_ctz(left);

        if (port_holds(&rc->port[target], p->source, p->arrived))
            pcie_port_notify_left(rc->port[target].port, PCIE_POSTED);
        else if (rc->lane[target][PCIE_POSTED].queue[p->source].head == NULL &&
                 !port_holds(&rc->port[target], p->source, SIM_TIME_NEVER))
            rc->port[p->source].forwarding &= ~(1u << target);
    }
}

void node_rc_await_ports(struct node_rc *rc)
{
    const struct rc_lane *inside = &rc->lane[RC_INSIDE][PCIE_POSTED];
    const uint64_t ports = (UINT64_C(1) << HOST_PORTS) - 1;

    for (uint64_t left = inside->arbiter.requests & ports; left != 0; left &= left - 1)
        await_ports(rc, inside->queue[__builtin_ctzll(left)].head);
}
