/* What a port shows those who watch it. */
#include "pcie/port/tap.h"
#include "pcie/port/dll.h"
#include "pcie/tlp/ordering.h"
#include "pcie/tlp/packet.h"

#include <stdlib.h>

#define STAGE(name, kind, use, meaning)                                                            \
    {                                                                                              \
        (name), SIM_KIND_##kind, SIM_STAGE_##use, NULL, (meaning)                                  \
    }

static const struct sim_stage link_busy =
    STAGE("link busy", LINK_BUSY, LINK, "ready for the link, which carries other packets");
static const struct sim_stage credit_wait =
    STAGE("credit wait", CREDIT, PLAIN, "the receiver's buffer has no room");
static const struct sim_stage entry_wait =
    STAGE("credit wait, ring entry", CREDIT, PLAIN,
          "the next hub's buffer has room for packets of the ring only");
static const struct sim_stage replay_wait =
    STAGE("replay buffer full", CREDIT, PLAIN, "too many packets are not acknowledged");
static const struct sim_stage replayed =
    STAGE("replay", REPLAY, LINK, "TLPs that were lost, and those behind them, are sent again");
static const struct sim_stage until_nak =
    STAGE("lost, until NAK", REPLAY, PLAIN,
          "sent, and lost or dropped behind a lost one, until the sender hears of it");
static const struct sim_stage until_timer =
    STAGE("lost, until replay timer", REPLAY, PLAIN,
          "sent, and nothing was heard of it until the sender's replay timer ended");
static const struct sim_stage training =
    STAGE("link training", REPLAY, PLAIN, "the link is out, or retrains");
static const struct sim_stage no_room =
    STAGE("link busy", LINK_BUSY, FULL, "the port's queue is full");
static const struct sim_stage align =
    STAGE("symbol alignment", SERIALISATION, PLAIN,
          "to the queue in which a packet may begin, and SKP ordered sets that are due");
static const struct sim_stage serialise =
    STAGE("serialisation", SERIALISATION, WIRE, "framing, header and data at the rate of the link");
static const struct sim_stage tx_block =
    STAGE("hard IP, out", HARD_IP, PLAIN, "hard block and PHY of the sending port");
static const struct sim_stage cable =
    STAGE("cable", CABLE, PLAIN, "propagation along cable or trace");
static const struct sim_stage rx_block =
    STAGE("hard IP, in", HARD_IP, PLAIN, "PHY and hard block of the receiving port");

/* A packet of `symbols`, behind which the link has sent `behind` symbols. What arrives of it
 * matters where it is corrupt. */
static void show_packet(const struct pcie_port *p, struct pcie_packet packet, uint32_t symbols,
                        uint32_t behind, uint32_t flags)
{
    uint64_t end = p->phy.next_pos - behind;

    if (p->tap->packets == NULL)
        return;
    if ((flags & SIM_PACKET_CORRUPT) == 0) {
        packet.bytes = NULL;
        packet.nbytes = 0;
    }
    packet.packet = (struct sim_packet){
        .kind = packet.tlp != NULL ? SIM_PACKET_TLP : SIM_PACKET_DLLP,
        .flags = flags,
        .where = p->path,
        .toward = p->far_path,
        .begin = pcie_phy_ps(&p->phy, end - symbols),
        .end = pcie_phy_ps(&p->phy, end),
        .wire_latency = p->cfg.tx_latency_ps,
        .skp = p->phy.skp_interval != 0 ? pcie_phy_ps(&p->phy, p->phy.skp_symbols) : 0,
        .skp_interval = pcie_phy_ps(&p->phy, p->phy.skp_interval),
    };
    p->tap->packets->packet(p->tap->packets->arg, &packet.packet);
}

static uint64_t mark_send(struct pcie_port *p, const struct pcie_tlp *tlp, uint32_t symbols,
                          uint32_t flags)
{
    sim_time_t end = p->phy.free_ps;
    const struct sim_mark begin = {
        .stage = (flags & SIM_PACKET_REPLAY) != 0 ? &replayed : &link_busy,
        .where = p->path,
        .time = sim_now(p->dom),
        .cause = { tlp->trace_id },
        .queue = pcie_tlp_class(tlp),
        .until = end,
    };
    uint64_t id = p->tap->probe->mark(p->tap->probe->arg, &begin);

    id = sim_probe_mark(p->tap->probe, &align, p->path, end - pcie_phy_ps(&p->phy, symbols), id);
    id = sim_probe_mark(p->tap->probe, &serialise, p->path, end, id);
    p->tap->sent_mark = id;
    return sim_probe_mark(p->tap->probe, &tx_block, p->path, end + p->cfg.tx_latency_ps, id);
}

uint64_t pcie_tap_tlp(struct pcie_port *p, const struct pcie_tlp *tlp, uint16_t seq,
                      uint32_t symbols, uint32_t flags, const uint8_t *bytes, uint32_t nbytes)
{
    show_packet(p, (struct pcie_packet){ .tlp = tlp, .seq = seq, .bytes = bytes, .nbytes = nbytes },
                symbols, 0, flags);
    return p->tap->probe != NULL ? mark_send(p, tlp, symbols, flags) : tlp->trace_id;
}

void pcie_tap_again(const struct pcie_port *p, struct pcie_tlp *tlp, sim_time_t since, bool nak)
{
    if (p->tap->probe != NULL)
        tlp->trace_id = sim_probe_mark(p->tap->probe, nak ? &until_nak : &until_timer, p->path,
                                       since, tlp->trace_id);
}

void pcie_tap_kept(const struct pcie_port *p, struct pcie_tlp *tlp)
{
    if (p->tap->probe != NULL)
        tlp->trace_id = p->tap->sent_mark;
}

void pcie_tap_dllp(const struct pcie_port *p, const struct pcie_dllp *dllp, uint32_t behind,
                   uint32_t flags, const uint8_t *bytes)
{
    show_packet(p, (struct pcie_packet){ .dllp = dllp, .bytes = bytes, .nbytes = PCIE_DLLP_BYTES },
                PCIE_DLLP_SYMBOLS, behind * PCIE_DLLP_SYMBOLS, flags);
}

void pcie_tap_dllps(const struct pcie_port *p, const struct wire_dllp *d)
{
    struct pcie_dllp dllps[PCIE_DLLPS_MAX];
    unsigned n = pcie_dll_unpack(d, dllps);

    for (unsigned i = 0; i < n; i++)
        pcie_tap_dllp(p, &dllps[i], n - 1 - i, 0, NULL);
}

void pcie_tap_received(const struct pcie_port *p, struct pcie_tlp *tlp)
{
    const struct sim_probe *probe = p->tap->probe;
    sim_time_t now = sim_now(p->dom);
    uint64_t cause;

    if (p->tap->fingerprint)
        sim_wire(p->dom, p->tap->where, pcie_tlp_hash(tlp));
    if (probe == NULL)
        return;
    cause = sim_probe_mark(probe, &cable, p->path, now - p->cfg.rx_latency_ps, tlp->trace_id);
    tlp->trace_id = sim_probe_mark(probe, &rx_block, p->path, now, cause);
}

/* ---- queues ---- */

static void report_hold(const struct pcie_port *p, const struct sim_stage *stage, unsigned queue,
                        sim_time_t from)
{
    if (p->tap->probe != NULL)
        sim_probe_hold(p->tap->probe, stage, p->path, queue, from, sim_now(p->dom));
}

void pcie_tap_queued(struct pcie_port *p, const struct pcie_tlp *tlp, uint64_t order)
{
    enum pcie_class cls = pcie_tlp_class(tlp);

    if (p->tap->order != NULL)
        pcie_order_enter(p->tap->order, (uint32_t)order, tlp, 0);
    if (p->tx[cls].count == p->queue_tlps)
        p->tap->full_since[cls] = sim_now(p->dom);
    (void)pcie_tap_levels(p);
}

void pcie_tap_lacks(const struct pcie_port *p, sim_time_t *since)
{
    if (*since == SIM_TIME_NEVER)
        *since = sim_now(p->dom);
}

void pcie_tap_acknowledged(struct pcie_port *p)
{
    if (p->tap->replay_full_since == SIM_TIME_NEVER)
        return;
    for (unsigned cls = 0; cls < PCIE_CLASSES; cls++)
        report_hold(p, &replay_wait, cls, p->tap->replay_full_since);
    p->tap->replay_full_since = SIM_TIME_NEVER;
}

void pcie_tap_leaves(struct pcie_port *p, unsigned cls)
{
    const struct tx_class *q = &p->tx[cls];

    if (p->tap->lacks_since[cls] != SIM_TIME_NEVER)
        report_hold(p, &credit_wait, cls, p->tap->lacks_since[cls]);
    p->tap->lacks_since[cls] = SIM_TIME_NEVER;
    if (p->tap->order != NULL)
        pcie_order_leave(p->tap->order, (uint32_t)q->ring[q->head].order);
}

void pcie_tap_left(struct pcie_port *p, unsigned cls, bool was_full)
{
    if (was_full)
        report_hold(p, &no_room, cls, p->tap->full_since[cls]);
    (void)pcie_tap_levels(p);
}

void pcie_tap_dropped(struct pcie_port *p)
{
    if (p->tap->order != NULL)
        pcie_order_clear(p->tap->order);
    for (unsigned cls = 0; cls < PCIE_CLASSES; cls++)
        p->tap->lacks_since[cls] = SIM_TIME_NEVER;
}

void pcie_tap_wants(struct pcie_port *p, unsigned cls, enum pcie_wants what)
{
    struct pcie_tap *tap = p->tap;

    if (tap->wants[cls] == what)
        return;
    if (tap->wants[cls] != PCIE_WANTS_NOTHING)
        report_hold(p, tap->wants[cls] == PCIE_WANTS_QUEUE ? &no_room : &entry_wait,
                    PCIE_CLASSES + cls, tap->want_since[cls]);
    tap->wants[cls] = (uint8_t)what;
    tap->want_since[cls] = sim_now(p->dom);
}

/* ---- the link ---- */

void pcie_tap_stood(const struct pcie_port *p, enum tx_stall why, sim_time_t from)
{
    enum sim_stall_cause cause = why < TX_STALL_REPLAY ? SIM_STALL_CREDIT
                                 : why < TX_STALL_DOWN ? SIM_STALL_REPLAY
                                                       : SIM_STALL_DOWN;

    if (p->tap->probe == NULL)
        return;
    for (unsigned cls = 0; why == TX_STALL_AGAIN && cls < PCIE_CLASSES; cls++)
        report_hold(p, &replayed, cls, from);
    sim_probe_stall(p->tap->probe, p->path, "tx", cause, from, sim_now(p->dom));
}

void pcie_tap_trained(const struct pcie_port *p, sim_time_t from, sim_time_t until)
{
    for (unsigned cls = 0; p->tap->probe != NULL && cls < PCIE_CLASSES; cls++)
        sim_probe_hold(p->tap->probe, &training, p->path, cls, from, until);
}

/* ---- making it ---- */

int pcie_tap_create(struct pcie_port *p)
{
    struct pcie_tap tap = { .probe = sim_probe_of(p->dom),
                            .packets = sim_packet_probe_of(p->dom),
                            .order = pcie_order_watch_create(p->dom, p->path, "transmit queue"),
                            .fingerprint = sim_fingerprint_on(p->dom),
                            .where = sim_path_hash(p->path),
                            .replay_full_since = SIM_TIME_NEVER };

    if (tap.probe == NULL && tap.packets == NULL && tap.order == NULL && !tap.fingerprint)
        return SIM_OK;
    for (unsigned cls = 0; cls < PCIE_CLASSES; cls++)
        tap.lacks_since[cls] = SIM_TIME_NEVER;
    p->tap = malloc(sizeof(*p->tap));
    if (p->tap == NULL) {
        pcie_order_watch_destroy(tap.order);
        return SIM_ERR_NOMEM;
    }
    *p->tap = tap;
    return SIM_OK;
}

void pcie_tap_destroy(struct pcie_port *p)
{
    if (p->tap != NULL)
        pcie_order_watch_destroy(p->tap->order);
    free(p->tap);
}
