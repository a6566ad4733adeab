/*
 * The ports, and the switch between them. A packet leaves when its data are there,
 * the transmitter is free and its port of the switch has room for it on its virtual
 * lane. The switch queues at its outputs: a packet waits there, in the order of
 * arrival, until the link to its adapter is free and the adapter has room. Where neither
 * makes it wait it is cut through, so that it arrives when its last symbol does. Its room
 * in the switch counts against the adapter that sent it. So one adapter that is overrun
 * slows those that send to it in all they send.
 *
 *   adapter a --[credits of a]--> output for b --[room in b]--> adapter b
 *
 * The output for an adapter is here, at that adapter's port: nothing else uses it.
 *
 *   LRH 8 | BTH 12 | RETH 16 | AETH 4 | ImmDt 4 | data, padded to 4 | ICRC 4 | VCRC 2
 *
 * (InfiniBand Architecture Specification 1.2.1, volume 1, chapters 5, 7 and 9.) Flow
 * control packets, 8 bytes at a time, are left out of the transmitter's time.
 */
#include "ib/internal.h"

#include <stdlib.h>
#include <string.h>

#define LRH   8u
#define BTH   12u
#define RETH  16u
#define AETH  4u
#define IMM   4u
#define ICRC  4u
#define VCRC  2u
#define FRAME 2u /* start and end delimiter */

struct ib_packet *ib_packet_get(struct ib_hca *hca)
{
    struct ib_packet *p = sim_list_pop(&hca->free_packets);

    if (p == NULL)
        p = malloc(sizeof(*p));
    SIM_ASSERT(p != NULL);
    memset(p, 0, offsetof(struct ib_packet, data));
    return p;
}

void ib_packet_put(struct ib_hca *hca, struct ib_packet *p)
{
    sim_list_push_first(&hca->free_packets, &p->link);
}

static uint32_t packet_bytes(const struct ib_header *h)
{
    uint32_t n = LRH + BTH + ICRC + VCRC + (h->bytes + 3u) / 4u * 4u;

    if ((h->op == IB_OP_WRITE && h->first) || h->op == IB_OP_READ_REQUEST)
        n += RETH;
    if (h->op == IB_OP_ACK || (h->op == IB_OP_READ_RESPONSE && (h->first || h->last)))
        n += AETH;
    return n + (h->has_imm ? IMM : 0);
}

/** Units of credits, 64 bytes, that a packet takes. */
static uint32_t blocks_of(const struct ib_header *h)
{
    return (packet_bytes(h) + 63u) / 64u;
}

/** Puts `bytes` through the transmitter from `now` on. @return when the last one is out. */
static sim_time_t transmit_bytes(struct ib_port *port, uint32_t bytes, sim_time_t now)
{
    const struct ib_hca *hca = port->hca;

    if (port->free_at <= now) {
        port->epoch = now;
        port->epoch_bytes = 0;
    }
    /* Counted since the epoch and rounded once, so that errors do not add up. */
    port->epoch_bytes += bytes;
    port->free_at = port->epoch + port->epoch_bytes * hca->rate_num / hca->rate_den;
    return port->free_at;
}

static void send_packet(struct ib_port *port, const struct ib_packet *p)
{
    struct ib_hca *hca = port->hca;
    sim_time_t now = sim_now(hca->dom);
    uint32_t bytes = packet_bytes(&p->h);
    struct sim_channel *ch = port->peers[p->to - 1];
    struct ib_header *record = sim_channel_reserve(ch, (uint32_t)sizeof(*record) + p->h.bytes);

    *record = p->h;
    memcpy(record + 1, p->data, p->h.bytes);
    if (sim_fingerprint_on(hca->dom))
        sim_wire(hca->dom, sim_path_hash(hca->path) + port->index,
                 sim_hash_bytes(((uint64_t)p->h.qp << 32 | p->h.psn) ^ (uint64_t)p->h.op << 60,
                                p->data, p->h.bytes));
    sim_channel_send(ch, transmit_bytes(port, bytes + FRAME, now));
    port->tx_packets++;
    port->tx_bytes += bytes;
}

/** May the packet go, for the room that it needs? Acknowledgements have room kept for them. */
static bool take_credits(struct ib_port *port, const struct ib_packet *p)
{
    uint32_t blocks = blocks_of(&p->h);

    if (p->h.op == IB_OP_ACK || p->to == port->hca->lid)
        return true;
    if (port->credits[p->h.lane] < blocks)
        return false;
    port->credits[p->h.lane] -= blocks;
    return true;
}

static void set_stalled(struct ib_port *port, bool on)
{
    sim_time_t now = sim_now(port->hca->dom);

    if (on == (port->stalled_since != SIM_TIME_NEVER))
        return;
    if (!on)
        port->stall_credit_ps += now - port->stalled_since;
    port->stalled_since = on ? now : SIM_TIME_NEVER;
}

static void queue_arrival(struct ib_port *port, struct ib_packet *p);

/** From one queue pair of the adapter to another, beside the link. */
static void loop_back(struct ib_port *port, struct ib_packet *p)
{
    struct ib_hca *hca = port->hca;

    p->due = sim_now(hca->dom) + hca->cfg.loop_ps;
    p->ready = false;
    queue_arrival(port, p);
}

static void transmit_all(struct ib_port *port, sim_time_t *next)
{
    struct ib_hca *hca = port->hca;
    sim_time_t now = sim_now(hca->dom);

    for (;;) {
        const struct ib_packet *oldest = port->acks.head;
        bool ack = oldest != NULL && oldest->due <= now;
        struct ib_packet *p = ack ? port->acks.head : port->tx.head;

        if (oldest != NULL && !ack)
            ib_sooner(next, oldest->due);
        if (p == NULL || !p->ready)
            return;
        if (p->due > now || port->free_at > now) {
            ib_sooner(next, sim_max(p->due, port->free_at));
            return;
        }
        if (!p->spoilt && !take_credits(port, p)) {
            set_stalled(port, true);
            return;
        }
        set_stalled(port, false);
        (void)sim_list_pop(ack ? &port->acks : &port->tx);
        port->ntx -= !ack;
        ib_wake_now(hca); /* room for the requester */
        if (p->to == hca->lid && !p->spoilt) {
            loop_back(port, p);
            continue;
        }
        if (!p->spoilt)
            send_packet(port, p);
        ib_packet_put(hca, p);
    }
}

/* ---- arrival ----------------------------------------------------------------------------- */

static struct ib_packet *packet_of(struct sim_link *link)
{
    return SIM_CONTAINER_OF(link, struct ib_packet, link);
}

/** By time, then by sender, whatever the order in which their arrival becomes known. */
static bool arrives_before(const struct ib_packet *p, const struct ib_packet *other)
{
    return p->due < other->due || (p->due == other->due && p->h.lid < other->h.lid);
}

static void queue_arrival(struct ib_port *port, struct ib_packet *p)
{
    struct sim_link **at = &port->arrived;

    while (*at != NULL && !arrives_before(p, packet_of(*at)))
        at = &(*at)->next;
    p->link.next = *at;
    *at = &p->link;
}

static void deliver_record(void *arg, const void *record, uint32_t bytes)
{
    struct ib_port *port = arg;
    struct ib_hca *hca = port->hca;
    const struct ib_header *h = record;
    struct ib_packet *p;

    ib_wake_now(hca);
    if (h->op == IB_OP_CREDIT) {
        port->credits[h->lane] += h->total;
        return;
    }
    p = ib_packet_get(hca);
    p->h = *h;
    SIM_ASSERT(bytes == sizeof(p->h) + p->h.bytes);
    memcpy(p->data, h + 1, p->h.bytes);
    p->due = sim_now(hca->dom);
    queue_arrival(port, p);
}

/** The packet's room in the switch is the sender's again. */
static void return_credits(struct ib_port *port, const struct ib_header *h)
{
    struct sim_channel *ch = port->peers[h->lid - 1];
    struct ib_header *record = sim_channel_reserve(ch, (uint32_t)sizeof(*record));

    *record = (struct ib_header){
        .op = IB_OP_CREDIT, .lid = port->hca->lid, .lane = h->lane, .total = blocks_of(h)
    };
    sim_channel_send(ch, sim_max(port->free_at, sim_now(port->hca->dom)));
}

/** From the output of the switch over the link; it cuts through where that is free. */
static void receive_packet(struct ib_port *port, struct ib_packet *p)
{
    struct ib_hca *hca = port->hca;
    sim_time_t now = sim_now(hca->dom);
    uint32_t bytes = packet_bytes(&p->h);
    sim_time_t end = port->rx_free_at + (bytes + FRAME) * hca->rate_num / hca->rate_den;

    if (p->h.lid == hca->lid) {
        end = now;
    } else {
        port->rx_wait_ps += now - p->due;
        port->rx_free_at = end = sim_max(end, now);
        if (p->h.op != IB_OP_ACK) {
            p->blocks = blocks_of(&p->h);
            port->rx_blocks[p->h.lane] += p->blocks;
            return_credits(port, &p->h);
        }
    }
    p->due = end + hca->cfg.rx_ps;
    port->rx_packets++;
    port->rx_bytes += bytes;
    sim_list_push(&port->rx, &p->link);
    ib_wake_now(hca);
}

static bool has_room(const struct ib_port *port, const struct ib_packet *p)
{
    const struct ib_hca *hca = port->hca;

    return p->h.lid == hca->lid || p->h.op == IB_OP_ACK ||
           port->rx_blocks[p->h.lane] + blocks_of(&p->h) <= hca->cfg.link.credit_blocks;
}

/** The oldest packet of each virtual lane may go when there is room for it. */
static void take_arrived(struct ib_port *port, sim_time_t *next)
{
    sim_time_t now = sim_now(port->hca->dom);
    struct sim_link **at = &port->arrived;
    bool blocked[IB_LANES] = { false };

    while (*at != NULL) {
        struct ib_packet *p = packet_of(*at);
        bool own = p->h.lid == port->hca->lid;
        sim_time_t from = own ? p->due : sim_max(p->due, port->rx_free_at);

        if (p->due > now) {
            ib_sooner(next, p->due);
            return;
        }
        if (blocked[p->h.lane] || !has_room(port, p)) {
            blocked[p->h.lane] = true; /* data that leave for the bus wake the adapter */
            at = &p->link.next;
            continue;
        }
        if (from > now) {
            ib_sooner(next, from);
            return;
        }
        *at = p->link.next;
        receive_packet(port, p);
        at = &port->arrived;
        memset(blocked, 0, sizeof(blocked));
    }
}

void ib_room(struct ib_hca *hca, uint64_t *used, uint32_t blocks)
{
    if (blocks == 0)
        return;
    SIM_ASSERT(*used >= blocks);
    *used -= blocks;
    ib_wake_now(hca);
}

void ib_link_run(struct ib_hca *hca, sim_time_t *next)
{
    for (unsigned i = 0; i < hca->cfg.ports; i++) {
        transmit_all(&hca->port[i], next);
        take_arrived(&hca->port[i], next);
    }
}

/* ---- creation ------------------------------------------------------------------------------ */

void ib_port_init(struct ib_port *port, struct ib_hca *hca, unsigned index)
{
    port->hca = hca;
    port->index = index;
    port->stalled_since = SIM_TIME_NEVER;
    for (unsigned i = 0; i < IB_LANES; i++)
        port->credits[i] = hca->cfg.link.switch_blocks;
}

void ib_port_fini(struct ib_port *port)
{
    struct sim_list arrived = { .head = port->arrived };

    sim_list_free(&arrived);
    sim_list_free(&port->acks);
    sim_list_free(&port->tx);
    sim_list_free(&port->rx);
    free(port->peers);
}

static int room_for(struct ib_port *port, unsigned lid, struct sim_error *err)
{
    struct sim_channel **more;

    if (lid <= port->npeers)
        return SIM_OK;
    more = realloc(port->peers, lid * sizeof(*more));
    if (more == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", port->hca->path);
    memset(more + port->npeers, 0, (lid - port->npeers) * sizeof(*more));
    port->peers = more;
    port->npeers = lid;
    return SIM_OK;
}

/** The channel by which `from` reaches `to`, through the switch. */
static int connect_port(struct ib_port *from, struct ib_port *to, sim_time_t wire_ps,
                        struct sim_error *err)
{
    struct sim_channel **peer;
    struct sim_channel_config cfg = {
        .from = from->hca->dom,
        .to = to->hca->dom,
        .latency_ps = from->hca->cfg.link.phy_ps + from->hca->cfg.link.fabric_ps + wire_ps +
                      to->hca->cfg.link.phy_ps,
        .deliver = deliver_record,
        .arg = to,
    };
    int code = room_for(from, to->hca->lid, err);

    if (code != SIM_OK)
        return code;
    peer = &from->peers[to->hca->lid - 1];
    if (*peer != NULL)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s and %s are joined already: the fabric joins all adapters",
                             from->hca->path, to->hca->path);
    *peer = sim_channel_create(&cfg, err);
    return *peer != NULL ? SIM_OK : SIM_ERR_NOMEM;
}

int ib_port_join(void *a, void *b, sim_time_t wire_ps, struct sim_error *err)
{
    int code = connect_port(a, b, wire_ps, err);

    return code == SIM_OK ? connect_port(b, a, wire_ps, err) : code;
}
