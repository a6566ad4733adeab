/*
 * The receiver's side: an interrupt handler reads packets from the adapter's
 * ring, switches to the address space of the task they are for, checks, and
 * copies to the place.
 */
#include "hosts/mbcf/internal.h"

/** Whose the packet is, once it may come in: its task is there, and so is the place. */
static struct mbcf_task *accept_packet(struct mbcf_node *node, struct host *h,
                                       const struct mbcf_header *hdr)
{
    const struct mbcf_costs *costs = &node->costs;
    struct mbcf_task *t = mbcf_find(node, hdr->task);

    if (t == NULL)
        return NULL;
    h->cpu->spend(h, costs->check + (t != node->space ? costs->space : 0));
    node->space = t;
    return mbcf_fits(t, hdr) ? t : NULL;
}

/** Puts the data into the task's memory. */
static void deliver_packet(struct mbcf_node *node, struct host *h, struct mbcf_task *t,
                           const struct mbcf_header *hdr, const uint8_t *data)
{
    h->cpu->spend(h, mbcf_put_ps(&node->costs, hdr, mbcf_place_is_cached(t, hdr)));
    mbcf_put(t, hdr, data);
    node->counts.last_end_ps = h->cpu->time_ps(h);
    mbcf_wake(t, h);
}

/** One more is in: its sender gets an answer when so many are, or after a while. */
static void count_packet(struct mbcf_node *node, struct host *h, unsigned from)
{
    struct mbcf_peer *peer = &node->peers[from];

    peer->unacked++;
    if (peer->unacked >= node->costs.ack_every) {
        mbcf_ack_send(node, h, from, 0);
    } else if (peer->unacked == 1) {
        peer->ack_ps = h->cpu->time_ps(h) + node->costs.retry / 2;
        mbcf_arm(node, h, peer->ack_ps);
    }
}

/** A packet with data: the next one of its sender, or one that was here, or after one lost. */
static void take_in(struct mbcf_node *node, struct host *h, unsigned from,
                    const struct mbcf_header *hdr, const uint8_t *data)
{
    struct mbcf_peer *peer = &node->peers[from];
    const bool asked = (hdr->flags & MBCF_WANTS_ACK) != 0;
    struct mbcf_task *t;

    if ((int32_t)(hdr->sequence - peer->expected) < 0) {
        node->counts.duplicates++;
        mbcf_ack_send(node, h, from, 0);
        return;
    }
    if (hdr->sequence != peer->expected) {
        node->counts.gaps++;
        if (!peer->gap_sent) {
            peer->gap_sent = true;
            mbcf_ack_send(node, h, from, MBCF_GAP);
        }
        return;
    }
    t = accept_packet(node, h, hdr);
    if (t == NULL) /* silence: the sender tries again */
        return;
    peer->expected++;
    peer->gap_sent = false;
    if (!asked)
        count_packet(node, h, from);
    deliver_packet(node, h, t, hdr, data);
    if (asked) /* what is acknowledged then is in its place */
        mbcf_ack_send(node, h, from, 0);
}

/** @return whether it was for the facility */
static bool take_frame(struct mbcf_node *node, struct host *h, const uint8_t *bytes, uint32_t n)
{
    const struct mbcf_costs *costs = &node->costs;
    struct mbcf_header hdr;
    unsigned from;

    h->cpu->spend(h, costs->receive + costs->line * mbcf_lines(MBCF_SKEW, MBCF_HEAD));
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
    h->cpu->spend(h, node->costs.interrupt_in);
    if (what == HOST_ETHER_TIMER) {
        mbcf_timer(node, h);
        h->cpu->spend(h, node->costs.interrupt_out);
        return;
    }
    while ((frame = h->ether->frame(h, &bytes)) != NULL) {
        (void)take_frame(node, h, frame, bytes);
        h->ether->release(h);
    }
    h->cpu->spend(h, node->costs.access + node->costs.interrupt_out +
                         (node->space != NULL ? node->costs.space : 0)); /* and back */
    node->space = NULL;
    for (struct mbcf_task *t = node->tasks; t != NULL; t = t->next)
        if (t->blocked)
            h->cpu->wake(h, t->host);
    h->ether->listen(h);
}
