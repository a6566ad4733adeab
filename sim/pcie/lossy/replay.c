/*
 * TLPs where packets can be lost: damaged ones, the replay buffer and its timer,
 * duplicates (PCI Express Base Specification 3.0, 3.5).
 */
#include "pcie/lossy/lossy_impl.h"
#include "pcie/port/aer.h"
#include "pcie/port/tap.h"

#define EDB_TOKEN 4u /* symbols behind a nullified TLP at 8 GT/s and above (4.2.2.3) */

/* ---- transmit ---- */

/** What reaches the other end of a TLP, in l->frame where it is not whole. */
static uint32_t damage_tlp(struct pcie_port *p, const struct pcie_tlp *tlp, uint16_t seq,
                           uint32_t symbols, int effect, uint32_t *n_p)
{
    struct pcie_lossy *l = p->lossy;
    struct wire_shape shape = { .symbols = symbols, .symbol_bits = pcie_lossy_symbol_bits(p) };
    bool hit = pcie_wire_hits(&l->wire, sim_now(p->dom), (uint64_t)symbols * shape.symbol_bits);
    uint32_t damage = 0;

    if (!hit && (effect == FAULT_NONE || effect == PCIE_FAULT_DUPLICATE))
        return 0;
    shape.framing = p->gen <= 2 ? 1 : 4;
    shape.before = p->gen <= 2 ? 1 : 2;
    shape.n = pcie_frame_encode(tlp, seq, l->frame);
    if (effect == PCIE_FAULT_NULLIFY) {
        for (uint32_t i = 1; i <= PCIE_LCRC_BYTES; i++)
            l->frame[shape.n - i] ^= 0xff;
        damage |= DAMAGE_NULLIFIED;
        l->stat.nullified++;
    }
    if (hit)
        damage |= pcie_wire_damage(&l->wire, &shape, l->frame);
    if (effect == PCIE_FAULT_CORRUPT)
        damage |= pcie_wire_flip(&l->wire, l->frame, shape.n);
    if (effect == PCIE_FAULT_DROP)
        damage |= DAMAGE_LOST;
    if ((damage & ~(uint32_t)DAMAGE_NULLIFIED) != 0)
        l->stat.hit_tlps++;
    *n_p = shape.n;
    return damage;
}

/** Puts a TLP on the wire once. */
static void put_once(struct pcie_port *p, const struct pcie_tlp *tlp, uint16_t seq, int effect,
                     uint32_t flags)
{
    struct pcie_lossy *l = p->lossy;
    bool edb = effect == PCIE_FAULT_NULLIFY && p->gen > 2;
    uint32_t bytes = pcie_tlp_data_bytes(tlp), n = 0;
    uint32_t symbols =
        PCIE_TLP_FRAMING + pcie_tlp_header_bytes(tlp) + bytes + (edb ? EDB_TOKEN : 0);
    uint32_t damage = damage_tlp(p, tlp, seq, symbols, effect, &n);
    sim_time_t end = pcie_phy_send(&p->phy, sim_now(p->dom), symbols);
    uint64_t mark = tlp->trace_id;
    struct wire_tlp *rec;

    p->stat.tx_symbols += symbols;
    if (end > l->next_outage)
        damage |= DAMAGE_LOST;
    if (p->tap != NULL)
        mark = pcie_tap_tlp(p, tlp, seq, symbols, flags | pcie_lossy_flags(damage), l->frame, n);
    if ((damage & DAMAGE_LOST) != 0)
        return;
    if (damage == 0) {
        rec = pcie_dll_record(p, tlp, seq, bytes);
    } else {
        rec = sim_channel_reserve(p->out, (uint32_t)sizeof(*rec) + n);
        *rec = (struct wire_tlp){ .seq = seq, .payload_bytes = n };
        memcpy(rec + 1, l->frame, n);
    }
    rec->damage = (uint8_t)damage;
    rec->tlp.trace_id = mark;
    sim_channel_send(p->out, end);
}

static void put_tlp(struct pcie_port *p, const struct pcie_tlp *tlp, uint16_t seq, uint32_t flags)
{
    struct pcie_lossy *l = p->lossy;
    int effect;

    do {
        effect = pcie_wire_next(&l->wire, PCIE_FAULT_TLP);
        put_once(p, tlp, seq, effect, flags);
        if (effect == PCIE_FAULT_DUPLICATE)
            flags |= SIM_PACKET_REPLAY;
    } while (effect == PCIE_FAULT_NULLIFY || effect == PCIE_FAULT_DUPLICATE);
    if (l->replay_deadline == SIM_TIME_NEVER)
        l->replay_deadline = p->phy.free_ps + l->replay_ps;
    sim_schedule_by(p->dom, &p->work, l->replay_deadline, SIM_ARRIVE);
}

void pcie_lossy_send(struct pcie_port *p, const struct pcie_tlp *tlp)
{
    put_tlp(p, tlp, p->tx_seq, 0);
}

void pcie_replay_start(struct pcie_port *p, bool nak)
{
    struct pcie_lossy *l = p->lossy;

    l->replay_since = pcie_port_not_before_free(p, sim_now(p->dom));
    l->replay_nak = nak;

    l->replay_deadline = SIM_TIME_NEVER; /* until the first TLP has been sent again */
    l->replaying = true;
    l->resent = 0;
    l->stat.replays++;
    l->replay_num = (l->replay_num + 1) & 3;
    pcie_lossy_update_up(p);
    pcie_port_stand(p);
    if (l->replay_num == 0) { /* 3.5.2.1: four in vain */
        pcie_port_error(p, PCIE_ERR_REPLAY_ROLLOVER, NULL);
        pcie_lossy_want_training(p, sim_now(p->dom) - 1);
    }
}

void pcie_replay_next(struct pcie_port *p)
{
    struct pcie_lossy *l = p->lossy;
    uint32_t at = (uint32_t)p->replay_head + l->resent;
    uint16_t seq = (uint16_t)((uint32_t)(p->tx_seq - p->replay_count) + l->resent) & PCIE_SEQ_MASK;
    struct pcie_tlp *tlp;

    tlp = &p->replay[at < p->replay_room ? at : at - p->replay_room];
    if (p->tap != NULL)
        pcie_tap_again(p, tlp, l->replay_since, l->replay_nak);
    put_tlp(p, tlp, seq, SIM_PACKET_REPLAY);
    if (p->tap != NULL)
        pcie_tap_kept(p, tlp);
    l->stat.replayed++;
    if (++l->resent == p->replay_count) {
        l->replaying = false;
        pcie_lossy_update_up(p);
    }
}

/* ---- acknowledgements ---- */

void pcie_replay_take_ack(struct pcie_port *p, uint16_t seq, bool nak)
{
    struct pcie_lossy *l = p->lossy;
    int n = pcie_dll_take_ack(p, seq);

    l->stat.rx_naks += nak ? 1 : 0;
    if (n < 0) {
        pcie_port_error(p, PCIE_ERR_PROTOCOL, NULL); /* a CRC-16 was deceived */
        return;
    }
    if (n > 0) {
        l->replay_num = 0;
        l->replay_deadline = p->replay_count != 0 ? sim_now(p->dom) + l->replay_ps : SIM_TIME_NEVER;
    }
    l->resent = l->resent > n ? (uint16_t)(l->resent - n) : 0;
    if (l->replaying && l->resent >= p->replay_count) {
        l->replaying = false;
        pcie_lossy_update_up(p);
    }
    if (nak && p->replay_count != 0)
        pcie_replay_start(p, true);
}

/* ---- receive ---- */

static void send_nak(struct pcie_port *p)
{
    struct pcie_lossy *l = p->lossy;

    if (l->nak_scheduled)
        return;
    l->nak_scheduled = true;
    l->nak_since = sim_now(p->dom);
    pcie_dll_due(p, l->nak_since + 1);
}

static void bad_tlp(struct pcie_port *p)
{
    p->lossy->stat.bad_lcrc++;
    pcie_port_error(p, PCIE_ERR_BAD_TLP, NULL);
    send_nak(p);
}

/** A TLP whose LCRC is right (3.5.3.1). */
static void in_sequence(struct pcie_port *p, uint16_t seq, const struct pcie_tlp *tlp,
                        const void *data, uint32_t bytes)
{
    struct pcie_lossy *l = p->lossy;
    sim_time_t now = sim_now(p->dom);

    if (!l->partner_active && l->seen_active == SIM_TIME_NEVER) {
        l->seen_active = now;
        pcie_port_work_by(p, now + 1);
    }
    if (seq == p->rx_seq) {
        l->nak_scheduled = false;
        pcie_dll_accept(p, tlp, data, bytes);
    } else if (((p->rx_seq - seq) & PCIE_SEQ_MASK) <= 2048) {
        l->stat.duplicates++;
        if (l->dup_since == SIM_TIME_NEVER)
            l->dup_since = now;
        pcie_dll_due(p, l->dup_since + p->ack_ps > now ? l->dup_since + p->ack_ps : now + 1);
    } else {
        p->stat.rx_bad_seq++;
        pcie_port_error(p, PCIE_ERR_BAD_TLP, tlp);
        send_nak(p);
    }
}

/** What the sender had credits for has room; what a deceived CRC made of it may have none. */
static bool has_room(const struct pcie_port *p, const struct pcie_tlp *tlp, uint32_t bytes)
{
    enum pcie_class cls = pcie_tlp_class(tlp);
    const struct rx_class *r = &p->rx[cls];

    return (unsigned)cls < p->classes && bytes <= p->mps &&
           (r->hdr_total == 0 || r->hdr_held < r->hdr_total) &&
           (r->data_total == 0 || r->data_held + (bytes + 15) / 16 <= r->data_total);
}

/** A TLP of which not all arrived as it was sent: what follows the record is looked at. */
static void receive_damaged(struct pcie_port *p, const struct wire_tlp *rec)
{
    struct pcie_lossy *l = p->lossy;
    const uint8_t *bytes = (const uint8_t *)(rec + 1), *data;
    uint32_t n = rec->payload_bytes, found = pcie_frame_lcrc(bytes, n);
    uint32_t lcrc = pcie_lcrc(bytes, n - PCIE_LCRC_BYTES);
    struct pcie_tlp tlp;
    uint16_t seq;
    int data_bytes;

    if ((rec->damage & DAMAGE_FRAMING) != 0) { /* 4.2.2.3.3: the port trains the link */
        l->stat.framing++;
        pcie_port_error(p, PCIE_ERR_RECEIVER, NULL);
        pcie_lossy_want_training(p, sim_now(p->dom));
        return;
    }
    if ((rec->damage & DAMAGE_CODE) != 0)
        pcie_port_error(p, PCIE_ERR_RECEIVER, NULL);
    if ((rec->damage & DAMAGE_NULLIFIED) != 0 && (rec->damage & DAMAGE_CODE) == 0 &&
        found == ~lcrc) {
        l->stat.rx_nullified++;
        return;
    }
    if ((rec->damage & (DAMAGE_CODE | DAMAGE_NULLIFIED)) != 0 || found != lcrc) {
        bad_tlp(p);
        return;
    }
    /* The CRC was deceived. What is no TLP then would be malformed and lost; it is sent again. */
    data_bytes = pcie_frame_decode(bytes, n, &tlp, &seq, &data);
    if (data_bytes < 0 || !has_room(p, &tlp, (uint32_t)data_bytes)) {
        bad_tlp(p);
        return;
    }
    tlp.trace_id = rec->tlp.trace_id;
    in_sequence(p, seq, &tlp, data, (uint32_t)data_bytes);
}

void pcie_lossy_receive(struct pcie_port *p, const struct wire_tlp *rec)
{
    if (!pcie_lossy_hears(p->lossy, sim_now(p->dom)) || p->lossy->stage == INIT_FC1)
        return;
    if (rec->damage != 0)
        receive_damaged(p, rec);
    else
        in_sequence(p, rec->seq, &rec->tlp, wire_data(rec), rec->payload_bytes);
}
