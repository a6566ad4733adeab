/*
 * The receiver's side: an interrupt handler reads packets from the adapter's
 * ring, switches to the address space of the task they are for, checks, and
 * copies to the place.
 */
#include "hosts/mbcf/internal.h"

#include <string.h>

/** Puts the data into the task's memory. @return false: cannot now; the sender tries again. */
static bool deliver(struct mbcf_node *node, struct host *h, const struct mbcf_header *hdr,
                    const uint8_t *data)
{
    const struct mbcf_costs *costs = &node->costs;
    struct mbcf_task *t = mbcf_find(node, hdr->task);

    if (t == NULL)
        return false;
    h->ops->spend(h, costs->check + (t != node->space ? costs->space : 0));
    node->space = t;
    if (!mbcf_fits(t, hdr))
        return false;
    h->ops->spend(h, mbcf_put_ps(costs, hdr));
    mbcf_put(t, hdr, data);
    node->counts.last_end_ps = h->ops->time_ps(h);
    mbcf_wake(t, h);
    return true;
}

/** A packet with data: the next one of its sender, or one that was here, or after one lost. */
static void take_in(struct mbcf_node *node, struct host *h, unsigned from,
                    const struct mbcf_header *hdr, const uint8_t *data)
{
    struct mbcf_peer *peer = &node->peers[from];

    if ((int32_t)(hdr->sequence - peer->expected) < 0) {
        node->counts.duplicates++;
        mbcf_ack_send(node, h, from, 0);
        return;
    }
    if (hdr->sequence != peer->expected) {
        node->counts.gaps++;
        if (!peer->gap_told) {
            peer->gap_told = true;
            mbcf_ack_send(node, h, from, MBCF_GAP);
        }
        return;
    }
    if (!deliver(node, h, hdr, data))
        return;
    peer->expected++;
    peer->gap_told = false;
    if ((hdr->flags & MBCF_WANTS_ACK) != 0)
        mbcf_ack_send(node, h, from, 0);
}

/** @return whether it was for the facility */
static bool take_frame(struct mbcf_node *node, struct host *h, const uint8_t *bytes, uint32_t n)
{
    const struct mbcf_costs *costs = &node->costs;
    struct mbcf_header hdr;
    unsigned from;

    h->ops->spend(h, costs->receive + costs->line * mbcf_lines(MBCF_SKEW, MBCF_HEAD));
    if (n < MBCF_HEAD || bytes[12] != MBCF_ETHERTYPE >> 8 || bytes[13] != (MBCF_ETHERTYPE & 0xff))
        return false;
    mbcf_header_decode(&hdr, bytes + MBCF_ETHER_BYTES);
    from = (unsigned)bytes[10] << 8 | bytes[11];
    if (n < MBCF_HEAD + hdr.bytes || from >= node->npeers)
        return false;
    mbcf_acknowledged(node, h, from, hdr.ack);
    if (hdr.op != MBCF_OP_ACK)
        take_in(node, h, from, &hdr, bytes + MBCF_HEAD);
    else if ((hdr.flags & MBCF_GAP) != 0)
        mbcf_send_again(node, h, from);
    return true;
}

void mbcf_interrupt(struct host *h, void *arg, enum host_ether_event what)
{
    struct mbcf_node *node = arg;
    const uint8_t *frame;
    uint32_t bytes;

    node->counts.interrupts++;
    h->ops->spend(h, node->costs.interrupt_in);
    if (what == HOST_ETHER_TIMER) {
        mbcf_timer(node, h);
        h->ops->spend(h, node->costs.interrupt_out);
        return;
    }
    while ((frame = h->ops->ether->frame(h, &bytes)) != NULL) {
        (void)take_frame(node, h, frame, bytes);
        h->ops->ether->release(h);
    }
    h->ops->spend(h, node->costs.access + node->costs.interrupt_out +
                         (node->space != NULL ? node->costs.space : 0)); /* and back */
    node->space = NULL;
    for (struct mbcf_task *t = node->tasks; t != NULL; t = t->next)
        if (t->blocked)
            h->ops->wake(h, t->host);
    h->ops->ether->listen(h);
}
