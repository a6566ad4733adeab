/*
 * The sender's side: a system call makes a packet, keeps a copy until it is
 * acknowledged, and hands it to the adapter.
 */
#include "hosts/mbcf/internal.h"

#include <string.h>

#define LINE_BYTES 32u
#define LEAST_TURN UINT64_C(100000) /* ps, of a loop that looks at a register */

uint64_t mbcf_lines(uint64_t at, uint64_t bytes)
{
    return bytes == 0 ? 0 : (at + bytes + LINE_BYTES - 1) / LINE_BYTES - at / LINE_BYTES;
}

uint64_t mbcf_copy_ps(const struct mbcf_costs *costs, uint64_t bytes, uint64_t lines)
{
    return costs->copy_kb * bytes / 1024 + costs->line * lines;
}

void mbcf_wake(struct mbcf_task *t, struct host *h)
{
    t->events++;
    h->cpu->wake(h, t->host);
    if (t->rings)
        h->cpu->ring(h, t->host);
}

/* ---- frames ------------------------------------------------------------------------ */

static void put_field(uint8_t **at, uint64_t value, unsigned bytes)
{
    while (bytes-- > 0)
        *(*at)++ = (uint8_t)(value >> (8 * bytes));
}

static uint64_t get_field(const uint8_t **at, unsigned bytes)
{
    uint64_t value = 0;

    while (bytes-- > 0)
        value = value << 8 | *(*at)++;
    return value;
}

/* X(field, its type, which is as long as it is on the cable), in the order of the cable. */
/* clang-format off */
#define FIELDS(X)                                                                                  \
    X(op, uint8_t) X(flags, uint8_t) X(bytes, uint16_t) X(task, uint32_t) X(from_task, uint32_t)   \
    X(sequence, uint32_t) X(ack, uint32_t) X(object, uint32_t) X(offset, uint64_t)
/* clang-format on */

void mbcf_header_encode(const struct mbcf_header *h, uint8_t *bytes)
{
    uint8_t *at = bytes;

#define PUT(field, type) put_field(&at, h->field, sizeof(type));
    FIELDS(PUT)
    put_field(&at, 0, MBCF_HEADER_BYTES - 32); /* the real one had addresses of hosts, too */
}

void mbcf_header_decode(struct mbcf_header *h, const uint8_t *bytes)
{
#define GET(field, type)                                                                           \
    _Static_assert(sizeof(h->field) == sizeof(type), "nothing is cut off");                        \
    h->field = (type)get_field(&bytes, sizeof(type));
    FIELDS(GET)
}

static void put_address(uint8_t *bytes, unsigned node)
{
    const uint8_t own[6] = { 0x02, 0, 0, 0, (uint8_t)(node >> 8), (uint8_t)node };

    memcpy(bytes, own, sizeof(own));
}

static void frame_head(uint8_t *frame, unsigned to, unsigned from, const struct mbcf_header *hdr)
{
    put_address(frame, to);
    put_address(frame + 6, from);
    frame[12] = MBCF_ETHERTYPE >> 8;
    frame[13] = MBCF_ETHERTYPE & 0xff;
    mbcf_header_encode(hdr, frame + MBCF_ETHER_BYTES);
}

/**
 * In half duplex the driver gives the adapter one frame at a time, and looks at a register until
 * that is out: what becomes of it on a shared cable is known only then.
 */
static void see_out(const struct mbcf_node *node, struct host *h)
{
    const uint64_t turn = node->costs.access > LEAST_TURN ? node->costs.access : LEAST_TURN;

    if (node->costs.half_waits == 0 || !h->ether->half_duplex(h))
        return;
    while (h->ether->room(h) < node->slots)
        h->cpu->spend(h, turn);
}

static bool post_frame(const struct mbcf_node *node, struct host *h, const void *frame,
                       uint32_t bytes)
{
    see_out(node, h);
    return h->ether->post(h, frame, bytes);
}

/* ---- window ------------------------------------------------------------------------- */

static struct mbcf_sent *slot_of(const struct mbcf_node *node, const struct mbcf_peer *peer,
                                 uint32_t sequence)
{
    return &peer->window[sequence % node->costs.window];
}

static bool has_room(const struct mbcf_node *node, const struct mbcf_peer *peer, struct host *h)
{
    return peer->next - peer->acked < node->costs.window && h->ether->room(h) > 0;
}

bool mbcf_room(struct mbcf_task *t, unsigned task, bool waits)
{
    struct host *h = t->host;
    unsigned index = h->ether->node_of(h, task);
    bool room = index == h->node->index || has_room(t->node, &t->node->peers[index], h);

    t->blocked = waits && !room;
    if (t->blocked && h->ether->room(h) == 0)
        h->ether->want_room(h, 1);
    return room;
}

/** Waits in the kernel until the packet may go; interrupts make room. */
static void wait_room(struct mbcf_task *t, unsigned task)
{
    for (;;) {
        see_out(t->node, t->host);
        if (mbcf_room(t, task, true))
            return;
        (void)t->host->cpu->sleep(t->host, HOST_NEVER);
    }
}

void mbcf_arm(struct mbcf_node *node, struct host *h, uint64_t at)
{
    if (node->timer_ps <= at)
        return;
    node->timer_ps = at;
    h->ether->timer(h, at);
}

void mbcf_acknowledged(struct mbcf_node *node, struct host *h, unsigned index, uint32_t ack)
{
    struct mbcf_peer *peer = &node->peers[index];

    while (peer->acked != peer->next && (int32_t)(ack - peer->acked) >= 0) {
        struct mbcf_sent *sent = slot_of(node, peer, peer->acked++);

        if (sent->ack != NULL) {
            --*sent->ack;
            mbcf_wake(sent->task, h);
        }
    }
}

/** All that is not acknowledged, as far as the transmit ring has room. */
void mbcf_send_again(struct mbcf_node *node, struct host *h, unsigned index)
{
    struct mbcf_peer *peer = &node->peers[index];

    for (uint32_t s = peer->acked; s != peer->next && h->ether->room(h) > 1; s++) {
        struct mbcf_sent *sent = slot_of(node, peer, s);

        if (s + 1 == peer->next) /* the answer says how far it got */
            sent->frame[MBCF_ETHER_BYTES + 1] |= MBCF_WANTS_ACK;
        h->cpu->spend(h, node->costs.access);
        sent->time_ps = h->cpu->time_ps(h);
        node->counts.retransmissions++;
        if (!post_frame(node, h, sent->frame, sent->bytes))
            return;
    }
}

void mbcf_ack_send(struct mbcf_node *node, struct host *h, unsigned index, uint8_t flags)
{
    const struct mbcf_costs *costs = &node->costs;
    struct mbcf_header hdr = { .op = MBCF_OP_ACK, .flags = flags };
    uint8_t frame[MBCF_HEAD];

    h->cpu->spend(h,
                  costs->receive + costs->line * mbcf_lines(MBCF_SKEW, MBCF_HEAD) + costs->access);
    hdr.ack = node->peers[index].expected - 1;
    node->peers[index].unacked = 0;
    frame_head(frame, index, h->node->index, &hdr);
    node->counts.acks++;
    (void)post_frame(node, h, frame, sizeof(frame)); /* no room: the sender will ask again */
    see_out(node, h); /* there is one frame for all acknowledgements */
}

/** The oldest packet to a peer goes again when it has been quiet for too long. @return when next */
static uint64_t try_again(struct mbcf_node *node, struct host *h, struct mbcf_peer *peer)
{
    const uint64_t now = h->cpu->time_ps(h), retry = node->costs.retry;
    struct mbcf_sent *sent;

    if (peer->acked == peer->next)
        return HOST_NEVER;
    sent = slot_of(node, peer, peer->acked);
    if (sent->time_ps + retry <= now && h->ether->room(h) > 0) {
        sent->frame[MBCF_ETHER_BYTES + 1] |= MBCF_WANTS_ACK;
        sent->time_ps = now;
        node->counts.retransmissions++;
        h->cpu->spend(h, node->costs.access);
        (void)post_frame(node, h, sent->frame, sent->bytes);
    }
    if (sent->time_ps + retry <= now) /* no room: soon again */
        sent->time_ps = now;
    return sent->time_ps + retry;
}

/** Acknowledges what came from a peer when that is due. @return when it will be */
static uint64_t ack_late(struct mbcf_node *node, struct host *h, unsigned index)
{
    const struct mbcf_peer *peer = &node->peers[index];

    if (peer->unacked != 0 && peer->ack_ps <= h->cpu->time_ps(h))
        mbcf_ack_send(node, h, index, 0);
    return peer->unacked != 0 ? peer->ack_ps : HOST_NEVER;
}

void mbcf_timer(struct mbcf_node *node, struct host *h)
{
    node->timer_ps = HOST_NEVER;
    for (unsigned i = 0; i < node->npeers; i++) {
        uint64_t acked = ack_late(node, h, i), tried = try_again(node, h, &node->peers[i]);
        uint64_t next = acked < tried ? acked : tried;

        if (next != HOST_NEVER)
            mbcf_arm(node, h, next);
    }
}

/* ---- the system call ------------------------------------------------------------------- */

static uint32_t bytes_of(const struct mbcf_call *call)
{
    return call->pieces[0].bytes + call->pieces[1].bytes;
}

/** In half duplex the driver looks what became of earlier frames, which may have been given up
 * after too many collisions, and then ends the call. */
static uint64_t leave_ps(const struct mbcf_task *t)
{
    const struct mbcf_costs *costs = &t->node->costs;
    bool half = t->host->ether->half_duplex(t->host);

    return costs->trap_out + (half ? costs->access : 0);
}

/** Making the packet. */
static uint64_t make_ps(const struct mbcf_task *t, const struct mbcf_call *call)
{
    const struct mbcf_costs *costs = &t->node->costs;
    uint64_t bytes = bytes_of(call);
    uint64_t lines = mbcf_lines(MBCF_SKEW, MBCF_HEAD + bytes);
    const struct mbcf_piece *last = &call->pieces[call->pieces[1].bytes != 0];

    if (call->cold)
        lines += mbcf_lines(0, last->bytes);
    return costs->check + costs->send + mbcf_copy_ps(costs, bytes, lines) + costs->access;
}

static void gather_pieces(const struct mbcf_call *call, uint8_t *to)
{
    for (unsigned i = 0; i < 2; i++) {
        if (call->pieces[i].bytes != 0)
            memcpy(to, call->pieces[i].from, call->pieces[i].bytes);
        to += call->pieces[i].bytes;
    }
}

static struct mbcf_header header_of(const struct mbcf_task *t, const struct mbcf_call *call)
{
    return (struct mbcf_header){ .op = (uint8_t)call->op,
                                 .bytes = (uint16_t)bytes_of(call),
                                 .task = call->task,
                                 .from_task = t->host->rank,
                                 .object = call->object,
                                 .offset = call->offset };
}

/** Data that do not leave the node are in no packet: one copy, from one address space to the other.
 * Sockets take the whole way all the same. */
static uint64_t here_ps(const struct mbcf_task *t, const struct mbcf_call *call)
{
    const struct mbcf_costs *costs = &t->node->costs;
    const struct mbcf_header hdr = header_of(t, call);
    uint64_t ps = mbcf_put_ps(costs, &hdr, false);

    if (call->inside)
        return make_ps(t, call) + ps;
    if (!call->cold) /* what is in the cache does not come by DMA, as in a packet */
        ps -= costs->line * mbcf_lines(MBCF_SKEW + MBCF_HEAD, hdr.bytes);
    return 2 * costs->check + costs->space + ps;
}

/** To a task of the same node: the handler's work, in the call. */
static void send_here(struct mbcf_task *t, const struct mbcf_call *call)
{
    struct mbcf_header hdr = header_of(t, call);
    struct mbcf_task *to;
    uint8_t data[MBCF_PACKET_BYTES];

    gather_pieces(call, data);
    t->host->cpu->spend(t->host, here_ps(t, call));
    while ((to = mbcf_find(t->node, call->task)) == NULL || !mbcf_fits(to, &hdr)) {
        uint64_t later = t->host->cpu->time_ps(t->host) + t->node->costs.retry;

        (void)t->host->cpu->sleep(t->host, later);
    }
    mbcf_put(to, &hdr, data);
    t->node->counts.last_end_ps = t->host->cpu->time_ps(t->host);
    mbcf_wake(to, t->host);
    if (call->ack != NULL)
        --*call->ack;
}

/** The slot is taken and filled at one instant: a handler may come between any two others. */
static void transmit_packet(struct mbcf_task *t, const struct mbcf_call *call, unsigned index,
                            struct mbcf_peer *peer)
{
    struct mbcf_node *node = t->node;
    struct host *h = t->host;
    struct mbcf_header hdr = header_of(t, call);
    struct mbcf_sent *sent = slot_of(node, peer, peer->next);

    if (call->ack != NULL || peer->next + 1 - peer->acked == node->costs.window)
        hdr.flags |= MBCF_WANTS_ACK;
    peer->unacked = 0;
    hdr.sequence = peer->next++;
    hdr.ack = peer->expected - 1;
    *sent = (struct mbcf_sent){
        .task = t, .ack = call->ack, .time_ps = h->cpu->time_ps(h), .bytes = MBCF_HEAD + hdr.bytes
    };
    frame_head(sent->frame, index, h->node->index, &hdr);
    gather_pieces(call, sent->frame + MBCF_HEAD);
    node->counts.packets++;
    node->counts.bytes += hdr.bytes;
    (void)h->ether->post(h, sent->frame, sent->bytes); /* has_room() */
    mbcf_arm(node, h, sent->time_ps + node->costs.retry);
}

void mbcf_send(struct mbcf_task *t, const struct mbcf_call *call)
{
    struct host *h = t->host;
    unsigned index = h->ether->node_of(h, call->task);
    struct mbcf_peer *peer = &t->node->peers[index];

    if (!call->inside)
        h->cpu->spend(h, t->node->costs.trap_in);
    if (index == h->node->index) {
        send_here(t, call);
    } else {
        h->cpu->spend(h, make_ps(t, call));
        wait_room(t, call->task);
        transmit_packet(t, call, index, peer);
    }
    if (!call->inside)
        h->cpu->spend(h, leave_ps(t));
}
