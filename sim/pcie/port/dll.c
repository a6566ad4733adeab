/*
 * Data-link layer: sequence numbers, the replay buffer, ACKs and flow-control
 * DLLPs with their timers. What there is besides where packets can be lost is in
 * pcie/lossy/.
 */
#include "pcie/port/dll.h"
#include "pcie/port/aer.h"
#include "pcie/port/tap.h"

/* ---- transmit ---- */

void pcie_dll_send(struct pcie_port *p, const struct pcie_tlp *tlp, enum pcie_class cls)
{
    struct tx_class *q = &p->tx[cls];
    uint32_t bytes = pcie_tlp_data_bytes(tlp), credits = (bytes + 15) / 16, at;
    uint32_t symbols = PCIE_TLP_FRAMING + pcie_tlp_header_bytes(tlp) + bytes;

    q->hdr_avail -= q->hdr_total != 0 ? 1 : 0;
    q->data_avail -= q->data_total != 0 ? credits : 0;
    q->hdr_used++;
    q->data_used = (uint16_t)(q->data_used + credits);

    if (!pcie_port_is_lossy(p)) {
        struct wire_tlp *rec = pcie_dll_record(p, tlp, p->tx_seq, bytes);
        sim_time_t end = pcie_phy_send(&p->phy, sim_now(p->dom), symbols);

        if (p->tap != NULL)
            rec->tlp.trace_id = pcie_tap_tlp(p, tlp, rec->seq, symbols, 0, NULL, 0);
        sim_channel_send(p->out, end);
        p->stat.tx_symbols += symbols;
    } else {
        p->lossy_ops->send(p, tlp);
    }
    p->tx_seq = (p->tx_seq + 1) & PCIE_SEQ_MASK;
    at = (uint32_t)p->replay_head + p->replay_count++;
    at = at < p->replay_room ? at : at - p->replay_room;
    p->replay[at] = *tlp;
    if (pcie_port_is_lossy(p) && p->tap != NULL)
        pcie_tap_kept(p, &p->replay[at]);

    p->stat.tx_tlps++;
    p->stat.tx_payload += bytes;
}

void pcie_dll_due(struct pcie_port *p, sim_time_t due)
{
    if (due >= p->dllp_due)
        return;
    p->dllp_due = due;
    pcie_port_work_by(p, due);
}

/** When a class must announce the credits that have been freed; a large part of a pool is urgent.
 */
static sim_time_t update_due(const struct pcie_port *p, const struct rx_class *r, sim_time_t now)
{
    uint32_t hdr = (uint32_t)r->hdr_freed + r->hdr_fresh;
    uint32_t data = (uint32_t)r->data_freed + r->data_fresh;
    uint64_t part = p->cfg.fc_urgent_part;

    if (hdr == 0 && data == 0)
        return SIM_TIME_NEVER;
    if ((r->hdr_total != 0 && hdr * part >= r->hdr_total) ||
        (r->data_total != 0 && data * part >= r->data_total))
        return now + 1;
    return now + p->fc_ps;
}

void pcie_dll_write_init(const struct pcie_port *p, uint8_t stage, struct wire_dllp *d)
{
    d->mask = (uint8_t)((1u << p->classes) - 1);
    d->init = stage;
    for (unsigned i = 0; i < p->classes; i++) {
        d->hdr[i] = (uint8_t)p->rx[i].hdr_total;
        d->data[i] = p->rx[i].data_total;
    }
}

/* What was freed at another time than now is no longer fresh. */
static void ripen(struct rx_class *r, sim_time_t now)
{
    if (r->fresh_time == now)
        return;
    r->hdr_freed = (uint16_t)(r->hdr_freed + r->hdr_fresh);
    r->data_freed = (uint16_t)(r->data_freed + r->data_fresh);
    r->hdr_fresh = r->data_fresh = 0;
}

/* TLPs that came now, among those received and not acknowledged. */
static uint16_t came_now(const struct pcie_port *p, sim_time_t now)
{
    return p->rx_time == now && p->unacked != 0 ? 1 : 0;
}

/* What there is to announce, as bits of a DLLP's mask. */
inline uint32_t pcie_dll_to_announce(struct pcie_port *p, sim_time_t now)
{
    uint32_t mask = p->unacked != came_now(p, now) ? DLLP_ACK : 0;

    for (uint32_t left = p->rx_freed; left != 0; left &= left - 1) {
        uint32_t cls = (uint32_t)__builtin_ctz(left);
        struct rx_class *r = &p->rx[cls];

        ripen(r, now);
        if (r->hdr_freed != 0 || r->data_freed != 0)
            mask |= 1u << cls;
    }
    return mask;
}

inline void pcie_dll_announce(struct pcie_port *p, uint32_t mask, struct wire_dllp *d,
                              sim_time_t now)
{
    d->mask = (uint8_t)mask;
    d->init = 0;
    d->nak = 0;
    if ((mask & DLLP_ACK) != 0) {
        uint16_t later = came_now(p, now);

        d->ack_seq = (p->rx_seq - 1u - later) & PCIE_SEQ_MASK;
        p->unacked = later;
    }
    for (uint32_t left = mask & ~(uint32_t)DLLP_ACK; left != 0; left &= left - 1) {
        uint32_t cls = (uint32_t)__builtin_ctz(left);
        struct rx_class *r = &p->rx[cls];

        r->hdr_alloc = (uint16_t)(r->hdr_alloc + r->hdr_freed);
        r->data_alloc = (uint16_t)(r->data_alloc + r->data_freed);
        r->hdr_freed = r->data_freed = 0;
        if (r->hdr_fresh == 0 && r->data_fresh == 0)
            p->rx_freed &= (uint8_t) ~(1u << cls);
        d->hdr[cls] = r->hdr_alloc & PCIE_HDR_MASK;
        d->data[cls] = r->data_alloc & PCIE_DAT_MASK;
    }
}

/* When what is left to announce is due. */
inline sim_time_t pcie_dll_next_due(const struct pcie_port *p, uint32_t classes, sim_time_t now)
{
    sim_time_t due = p->unacked != 0 ? now + p->ack_ps : SIM_TIME_NEVER;

    for (uint32_t left = classes; left != 0; left &= left - 1) {
        sim_time_t t = update_due(p, &p->rx[__builtin_ctz(left)], now);

        due = sim_min(t, due);
    }
    return due;
}

unsigned pcie_dll_unpack(const struct wire_dllp *d, struct pcie_dllp dllps[PCIE_DLLPS_MAX])
{
    static const uint8_t types[] = { PCIE_DLLP_UPDATEFC, PCIE_DLLP_INITFC1, PCIE_DLLP_INITFC2 };
    unsigned n = 0;

    if ((d->mask & DLLP_ACK) != 0)
        dllps[n++] = (struct pcie_dllp){ .type = d->nak != 0 ? PCIE_DLLP_NAK : PCIE_DLLP_ACK,
                                         .seq = d->ack_seq };
    for (unsigned i = 0; i < PCIE_CLASSES; i++)
        if ((d->mask >> i & 1) != 0)
            dllps[n++] = (struct pcie_dllp){ .type = types[d->init],
                                             .cls = i == PCIE_POSTED_VC1 ? PCIE_POSTED : (uint8_t)i,
                                             .vc = i == PCIE_POSTED_VC1,
                                             .hdr = d->hdr[i],
                                             .data = d->data[i] };
    return n;
}

void pcie_dll_flush(struct pcie_port *p)
{
    sim_time_t now = sim_now(p->dom);
    uint32_t mask = p->init_send != 0 ? (1u << p->classes) - 1 : pcie_dll_to_announce(p, now);
    uint32_t symbols = pcie_dllp_count(mask) * PCIE_DLLP_SYMBOLS;

    if (mask != 0) {
        struct wire_dllp *d = sim_channel_reserve(p->out_dllp, sizeof(*d));
        sim_time_t end;

        if (p->init_send != 0)
            pcie_dll_write_init(p, p->init_send, d);
        else
            pcie_dll_announce(p, mask, d, now);
        p->init_send = 0;
        end = pcie_phy_send(&p->phy, now, symbols);
        if (p->tap != NULL)
            pcie_tap_dllps(p, d);
        sim_channel_send(p->out_dllp, end);
        p->stat.tx_dllps += pcie_dllp_count(mask);
        p->stat.tx_symbols += symbols;
    }
    p->dllp_due = pcie_dll_next_due(p, p->rx_freed, now);
}

/* ---- receive ---- */

inline int pcie_dll_take_ack(struct pcie_port *p, uint32_t seq)
{
    uint32_t oldest = p->tx_seq - p->replay_count;
    uint32_t n = (seq + 1 - oldest) & PCIE_SEQ_MASK;

    if (n > p->replay_count)
        return -1;
    p->replay_count = (uint16_t)(p->replay_count - n);
    for (uint32_t i = n; i > 0; i--) {
        pcie_tlp_drop(&p->replay[p->replay_head]);
        if (++p->replay_head == p->replay_room)
            p->replay_head = 0;
    }
    if (p->replay_count == 0)
        p->replay_head = 0; /* the first entries stay warm */
    if (p->tap != NULL)
        pcie_tap_acknowledged(p);
    return (int)n;
}

void pcie_dll_take_init(struct tx_class *q, uint32_t hdr, uint32_t data)
{
    q->hdr_total = (uint16_t)hdr;
    q->data_total = (uint16_t)data;
    q->hdr_avail = hdr != 0 ? hdr : UINT32_MAX;
    q->data_avail = data != 0 ? data : UINT32_MAX;
}

inline bool pcie_dll_take_update(struct tx_class *q, uint32_t hdr, uint32_t data)
{
    /* CREDIT_LIMIT less CREDITS_CONSUMED (2.6.1.2) */
    uint32_t hdr_avail = (hdr - q->hdr_used) & PCIE_HDR_MASK;
    uint32_t data_avail = (data - q->data_used) & PCIE_DAT_MASK;

    if ((q->hdr_total != 0 && hdr_avail > q->hdr_total) ||
        (q->data_total != 0 && data_avail > q->data_total))
        return false;
    if (q->hdr_total != 0)
        q->hdr_avail = hdr_avail;
    if (q->data_total != 0)
        q->data_avail = data_avail;
    return true;
}

/** Flow-control initialisation (3.3): one InitFC of each stage, since none is lost. */
static void receive_init_set(struct pcie_port *p, const struct wire_dllp *d)
{
    if (!p->partner_known) {
        for (unsigned i = 0; i < p->classes; i++)
            pcie_dll_take_init(&p->tx[i], d->hdr[i], d->data[i]);
        p->partner_known = true;
        p->init_send = 2;
        pcie_dll_due(p, sim_now(p->dom) + 1);
    }
    if (d->init == 2)
        p->up = true;
}

static inline void receive_dllps(struct pcie_port *p, const struct wire_dllp *d)
{
    if (d->init != 0) {
        receive_init_set(p, d);
        return;
    }
    if ((d->mask & DLLP_ACK) != 0)
        SIM_ASSERT(pcie_dll_take_ack(p, d->ack_seq) >= 0);
    for (unsigned i = 0; i < PCIE_CLASSES; i++) {
        if ((d->mask >> i & 1) != 0)
            SIM_ASSERT(pcie_dll_take_update(&p->tx[i], d->hdr[i], d->data[i]));
    }
}

/**
 * DLLPs that arrived before now: taken when the port is about to send, or by an event while it
 * listens, since TLPs wait for them.
 */
void pcie_dll_receive_dllps(void *arg, const void *record, uint32_t bytes)
{
    struct pcie_port *p = arg;
    const struct wire_dllp *d = record;
    bool attended; /* somebody is shown each DLLP when it comes */

    (void)bytes;
    if (pcie_port_is_lossy(p))
        p->lossy_ops->receive_dllps(p, d);
    else
        receive_dllps(p, d);
    for (unsigned i = 0; p->wanting != 0 && !p->deciding && i < PCIE_CLASSES; i++)
        if ((p->wanting & 1u << i) != 0)
            p->user.ready(p->user.user, (enum pcie_class)i);
    attended = p->tap != NULL && pcie_tap_levels(p);
    if (!attended && p->up && p->waiting == 0 && p->wanting == 0 && p->lossy == NULL)
        sim_channel_listen(p->in_dllp, false);
    if (p->waiting != 0 && !p->deciding)
        pcie_port_work_by(p, sim_now(p->dom));
}

static void hold(struct rx_class *r, uint32_t credits)
{
    r->hdr_held++;
    r->data_held += credits;
    SIM_ASSERT(r->hdr_total == 0 || r->hdr_held <= r->hdr_total);
    SIM_ASSERT(r->data_total == 0 || r->data_held <= r->data_total);
}

/** Most TLPs are whole double words of data within a page, of no special Traffic Class: well formed
 * at one glance. */
static inline bool is_plain(const struct pcie_port *p, const struct pcie_tlp *tlp, uint32_t bytes)
{
    return tlp->kind == PCIE_MWR && tlp->tc == 0 && bytes == tlp->length_dw * 4u && bytes > 4 &&
           bytes <= p->mps && (tlp->first_be & tlp->last_be) == 0xf &&
           (tlp->addr & 4095) + bytes <= 4096;
}

/** What breaks a rule of TLPs, or is of a virtual channel that this link does not have (2.5.3). */
static bool is_malformed(const struct pcie_port *p, const struct pcie_tlp *tlp, uint32_t bytes)
{
    return pcie_tlp_malformed(tlp, bytes, p->mps) != NULL || pcie_tlp_class(tlp) >= p->classes;
}

inline void pcie_dll_accept(struct pcie_port *p, const struct pcie_tlp *header, const void *data,
                            uint32_t bytes)
{
    sim_time_t now = sim_now(p->dom);
    struct pcie_tlp tlp = *header;
    bool malformed = !is_plain(p, header, bytes) && is_malformed(p, header, bytes);

    tlp.payload = NULL;
    if (bytes != 0 && !malformed) {
        tlp.payload = mem_payload_alloc(p->pool, bytes);
        SIM_ASSERT(tlp.payload != NULL);
        memcpy(tlp.payload->data, data, bytes);
    }
    p->rx_seq = (p->rx_seq + 1) & PCIE_SEQ_MASK;
    p->rx_time = now;
    p->unacked++;
    pcie_dll_due(p, p->unacked >= p->cfg.ack_tlps ? now + 1 : now + p->ack_ps);
    p->stat.rx_tlps++;
    p->stat.rx_payload += bytes;
    if (__builtin_expect(malformed, 0)) { /* goes no further, and its credits do not come back */
        pcie_port_error(p, PCIE_ERR_MALFORMED, header);
        return;
    }
    hold(&p->rx[pcie_tlp_class(&tlp)], (bytes + 15) / 16);
    if (p->tap != NULL)
        pcie_tap_received(p, &tlp);
    p->user.received(p->user.user, &tlp);
}

void pcie_dll_receive(void *arg, const void *record, uint32_t bytes)
{
    struct pcie_port *p = arg;
    const struct wire_tlp *rec = record;

    (void)bytes;
    if (pcie_port_is_lossy(p)) {
        p->lossy_ops->receive(p, rec);
        return;
    }
    SIM_ASSERT(p->up && rec->seq == p->rx_seq);
    pcie_dll_accept(p, &rec->tlp, wire_data(rec), rec->payload_bytes);
}

static inline void give_back(struct pcie_port *p, enum pcie_class cls, uint32_t hdr, uint32_t data)
{
    struct rx_class *r = &p->rx[cls];
    sim_time_t now = sim_now(p->dom);

    SIM_ASSERT(r->hdr_held >= hdr && r->data_held >= data);
    r->hdr_held -= hdr;
    r->data_held -= data;
    ripen(r, now);
    r->fresh_time = now;
    r->hdr_fresh = (uint16_t)(r->hdr_fresh + (r->hdr_total != 0 ? hdr : 0));
    r->data_fresh = (uint16_t)(r->data_fresh + (r->data_total != 0 ? data : 0));
    p->rx_freed |= (uint8_t)(1u << cls);
    pcie_dll_due(p, update_due(p, r, now));
}

static __attribute__((noinline)) void consume_lossy(struct pcie_port *p, enum pcie_class cls,
                                                    uint32_t data)
{
    uint32_t hdr = 1;

    p->lossy_ops->take_stale(p, cls, &hdr, &data);
    if (hdr != 0 || data != 0)
        give_back(p, cls, hdr, data);
}

void pcie_port_consume(struct pcie_port *p, enum pcie_class cls, uint32_t data_credits)
{
    if (pcie_port_is_lossy(p))
        consume_lossy(p, cls, data_credits);
    else
        give_back(p, cls, 1, data_credits);
}

/*
 * (MPS + 28) * factor / lanes + internal delay: TLP overhead 28 symbols, 19, 70 or 115 symbol times
 * inside the receiver (3.5.3.1, 2.6.1.2). The specification tables the factor for small payloads
 * and few lanes.
 */
uint64_t pcie_dll_latency_symbols(uint32_t gen, uint32_t lanes, uint32_t mps)
{
    uint64_t delay = gen == 1 ? 19 : gen == 2 ? 70 : 115;
    uint64_t tenths;

    if (mps <= 256)
        tenths = lanes <= 4 ? 14 : lanes <= 8 ? 25 : 30;
    else
        tenths = lanes <= 8 ? 10 : 20;
    return (mps + 28) * tenths / (UINT64_C(10) * lanes) + delay;
}
