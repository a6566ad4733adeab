/*
 * DLLPs where packets can be lost: ACK, NAK and credits, repeated where they were
 * hit (PCI Express Base Specification 3.0, 2.6.1.2 and 3.5).
 */
#include "pcie/lossy/lossy_impl.h"
#include "pcie/port/aer.h"
#include "pcie/port/tap.h"

/* ---- sent ---- */

/** ACK or NAK, and the credits of each class, as in to_announce() of dll.c. */
static uint32_t to_announce(struct pcie_port *p, sim_time_t now)
{
    struct pcie_lossy *l = p->lossy;
    uint32_t mask = pcie_dll_to_announce(p, now);
    sim_time_t until;

    if (l->dup_since < now || l->nak_since < now)
        mask |= DLLP_ACK;
    for (unsigned i = 0; i < PCIE_CLASSES; i++)
        if ((l->fc_lost >> i & 1) != 0 && l->fc_at[i] <= now)
            mask |= 1u << i;
    return mask & ~pcie_lossy_stuck(l, now, &until);
}

static void announce_mask(struct pcie_port *p, uint32_t mask, struct wire_dllp *d, sim_time_t now)
{
    struct pcie_lossy *l = p->lossy;

    pcie_dll_announce(p, mask, d, now);
    if ((mask & DLLP_ACK) == 0)
        return;
    if (l->nak_since < now) {
        d->nak = 1;
        l->nak_since = SIM_TIME_NEVER;
        l->stat.naks++;
    }
    if (l->dup_since < now)
        l->dup_since = SIM_TIME_NEVER;
}

static void send_damaged(struct pcie_port *p, uint32_t damage, const uint8_t *bytes, sim_time_t end)
{
    struct wire_damaged *rec = sim_channel_reserve(p->out_dllp, sizeof(*rec));

    *rec = (struct wire_damaged){ .init = WIRE_DAMAGED, .damage = (uint8_t)damage };
    memcpy(rec->bytes, bytes, PCIE_DLLP_BYTES);
    sim_channel_send(p->out_dllp, end);
}

/** Whether the DLLP arrives whole. `end`: when the last one sent with it has left. */
static bool put_dllp(struct pcie_port *p, const struct pcie_dllp *dllp, uint32_t behind,
                     sim_time_t end)
{
    struct pcie_lossy *l = p->lossy;
    const struct wire_shape shape = { .symbols = PCIE_DLLP_SYMBOLS,
                                      .symbol_bits = pcie_lossy_symbol_bits(p),
                                      .framing = p->gen <= 2 ? 1 : 2,
                                      .before = p->gen <= 2 ? 1 : 2,
                                      .n = PCIE_DLLP_BYTES };
    int effect = pcie_wire_next(&l->wire, PCIE_FAULT_DLLP);
    uint64_t bits = (uint64_t)shape.symbols * shape.symbol_bits;
    uint8_t bytes[PCIE_DLLP_BYTES];
    uint32_t damage = end > l->next_outage || effect == PCIE_FAULT_DROP ? DAMAGE_LOST : 0;

    pcie_dllp_encode(dllp, bytes);
    if (pcie_wire_hits(&l->wire, sim_now(p->dom), bits))
        damage |= pcie_wire_damage(&l->wire, &shape, bytes);
    if (effect == PCIE_FAULT_CORRUPT)
        damage |= pcie_wire_flip(&l->wire, bytes, PCIE_DLLP_BYTES);
    if (p->tap != NULL)
        pcie_tap_dllp(p, dllp, behind, pcie_lossy_flags(damage), bytes);
    if (damage == 0)
        return true;
    l->stat.hit_dllps++;
    if ((damage & DAMAGE_LOST) == 0)
        send_damaged(p, damage, bytes, end);
    return false;
}

/** A flow-control packet's class; one that the link does not have: its CRC was deceived. */
static unsigned class_of(const struct pcie_dllp *d)
{
    if (d->vc == 0)
        return d->cls;
    return d->vc == 1 && d->cls == PCIE_POSTED ? PCIE_POSTED_VC1 : PCIE_CLASSES;
}

/** Sends the DLLPs of `mask`, one behind the other. @return those that are lost */
static uint32_t put_dllps(struct pcie_port *p, struct wire_dllp *d, sim_time_t now)
{
    struct pcie_dllp dllps[PCIE_DLLPS_MAX];
    uint32_t n = pcie_dll_unpack(d, dllps), lost = 0;
    sim_time_t end = pcie_phy_send(&p->phy, now, n * PCIE_DLLP_SYMBOLS);
    struct wire_dllp *rec;

    for (unsigned i = 0; i < n; i++)
        if (!put_dllp(p, &dllps[i], n - 1 - i, end))
            lost |= pcie_dllp_is_flow_control(dllps[i].type) ? 1u << class_of(&dllps[i]) : DLLP_ACK;
    d->mask &= (uint8_t)~lost;
    if (d->mask != 0) {
        rec = sim_channel_reserve(p->out_dllp, sizeof(*rec));
        *rec = *d;
        sim_channel_send(p->out_dllp, end);
    }
    p->stat.tx_dllps += n;
    p->stat.tx_symbols += (uint64_t)n * PCIE_DLLP_SYMBOLS;
    return lost;
}

static sim_time_t next_due(const struct pcie_port *p, sim_time_t now)
{
    const struct pcie_lossy *l = p->lossy;
    sim_time_t until = SIM_TIME_NEVER, due;
    uint32_t stuck = pcie_lossy_stuck(l, now, &until);

    if (l->stage != INIT_DONE)
        return l->init_at;
    due = pcie_dll_next_due(p, p->rx_freed & ~stuck, now);
    if (l->init_lost)
        due = sim_min(due, l->init_at);
    if (l->nak_since != SIM_TIME_NEVER)
        due = sim_min(due, now + 1);
    if (l->dup_since != SIM_TIME_NEVER)
        due = sim_min(due, l->dup_since + p->ack_ps);
    for (unsigned i = 0; i < PCIE_CLASSES; i++)
        if ((l->fc_lost & ~stuck & 1u << i) != 0)
            due = sim_min(due, l->fc_at[i]);
    if ((stuck & (p->rx_freed | l->fc_lost)) != 0)
        due = sim_min(due, until);
    return sim_max(due, now + 1);
}

void pcie_lossy_flush(struct pcie_port *p)
{
    struct pcie_lossy *l = p->lossy;
    struct wire_dllp d = { 0 };
    sim_time_t now = sim_now(p->dom);
    uint32_t announced, lost;

    if (pcie_init_announce(p, &d, now)) {
        lost = put_dllps(p, &d, now);
        l->init_lost = d.init == 1 || lost != 0;
    } else if (l->stage == INIT_DONE && (announced = to_announce(p, now)) != 0) {
        announce_mask(p, announced, &d, now);
        lost = put_dllps(p, &d, now);
        l->fc_lost = (uint8_t)((l->fc_lost & ~announced) | (lost & ~(uint32_t)DLLP_ACK));
        for (unsigned i = 0; i < PCIE_CLASSES; i++)
            if ((lost >> i & 1) != 0)
                l->fc_at[i] = p->phy.free_ps + PCIE_FC_REPEAT;
    }
    p->dllp_due = next_due(p, now);
}

/* ---- received ---- */

static void take_dllp(struct pcie_port *p, const struct pcie_dllp *d)
{
    unsigned cls = class_of(d);

    if (pcie_dllp_is_flow_control(d->type) && cls >= p->classes)
        return;
    switch (d->type) {
    case PCIE_DLLP_ACK:
    case PCIE_DLLP_NAK:
        pcie_init_partner_active(p);
        pcie_replay_take_ack(p, d->seq, d->type == PCIE_DLLP_NAK);
        break;
    case PCIE_DLLP_UPDATEFC:
        pcie_init_partner_active(p);
        if (!pcie_dll_take_update(&p->tx[cls], d->hdr, d->data))
            pcie_port_error(p, PCIE_ERR_FLOW_CONTROL, NULL); /* a CRC-16 was deceived */
        break;
    case PCIE_DLLP_INITFC1:
    case PCIE_DLLP_INITFC2:
        pcie_init_receive(p, cls, d->type == PCIE_DLLP_INITFC1 ? 1 : 2, d->hdr, d->data);
        break;
    default:
        break; /* power management and vendors' */
    }
}

static void receive_damaged_dllp(struct pcie_port *p, const struct wire_damaged *d)
{
    struct pcie_lossy *l = p->lossy;
    struct pcie_dllp dllp;

    if ((d->damage & DAMAGE_FRAMING) != 0) {
        l->stat.framing++;
        pcie_port_error(p, PCIE_ERR_RECEIVER, NULL);
        pcie_lossy_want_training(p, sim_now(p->dom) - 1);
    } else if ((d->damage & DAMAGE_CODE) != 0) {
        l->stat.bad_dllp++;
        pcie_port_error(p, PCIE_ERR_RECEIVER, NULL);
    } else if (pcie_dllp_decode(d->bytes, &dllp) == PCIE_DLLP_GOOD) {
        take_dllp(p, &dllp); /* the CRC was deceived */
    } else {
        l->stat.bad_dllp++;
        pcie_port_error(p, PCIE_ERR_BAD_DLLP, NULL);
    }
}

static void take_bundle(struct pcie_port *p, const struct wire_dllp *d)
{
    struct pcie_dllp dllps[PCIE_DLLPS_MAX];
    unsigned n = pcie_dll_unpack(d, dllps);

    for (unsigned i = 0; i < n; i++)
        take_dllp(p, &dllps[i]);
}

/** Delivered one picosecond after it arrived: the channel always listens. */
void pcie_lossy_receive_dllps(struct pcie_port *p, const struct wire_dllp *d)
{
    struct pcie_lossy *l = p->lossy;
    sim_time_t now = sim_now(p->dom);

    if (d->mask == 0 && d->init == WIRE_TRAINING)
        pcie_lossy_receive_training(p);
    else if (!pcie_lossy_hears(l, now - 1))
        return;
    else if (d->mask == 0)
        receive_damaged_dllp(p, (const struct wire_damaged *)(const void *)d);
    else
        take_bundle(p, d);
    if (p->waiting != 0 || l->replaying || l->wanted_at != SIM_TIME_NEVER || l->partner_trains)
        pcie_port_work_by(p, now);
}
