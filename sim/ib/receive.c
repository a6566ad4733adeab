/*
 * Packets that have come, in the order of their port: the responder writes what
 * they carry to memory, answers reads and acknowledges; the requester learns what
 * has arrived. A packet keeps its room in the receive buffer until its data have
 * left for the bus.
 */
#include "ib/internal.h"

static void send_ack(struct ib_qp *qp, uint32_t psn, enum ib_nak nak)
{
    struct ib_hca *hca = qp->hca;
    struct ib_packet *p = ib_packet_for(qp, IB_OP_ACK);

    p->ready = true;
    p->due = sim_now(hca->dom) + hca->cfg.ack_ps;
    p->h.psn = psn;
    p->h.nak = (uint8_t)nak;
    sim_list_push(&hca->port[qp->port].acks, &p->link);
}

/* ---- the responder --------------------------------------------------------------------- */

/** There is no receive request: one may be posted yet, unless their queue cannot be read. */
static enum ib_nak no_receive(const struct ib_qp *qp)
{
    return qp->rq_failed ? IB_NAK_ACCESS : IB_NAK_RNR;
}

/** Finds where the message goes that begins with `h`. @return what is wrong with it. */
static enum ib_nak begin_message(struct ib_qp *qp, const struct ib_header *h)
{
    struct ib_receive r = { .offset = h->va, .key = h->key, .bytes = h->total };
    struct ib_target *t = &qp->target;
    bool receive = h->op == IB_OP_SEND;

    if (receive && !ib_receive_take(qp, &r))
        return no_receive(qp);
    *t = (struct ib_target){ .left = r.bytes, .receive = receive };
    return ib_translate(qp->hca, r.key, receive ? IB_ACCESS_LOCAL : IB_ACCESS_WRITE, r.offset,
                        r.bytes, &t->bus)
               ? IB_ACK
               : IB_NAK_ACCESS;
}

/** A write with immediate takes a receive request at its end. */
static enum ib_nak end_message(struct ib_qp *qp, const struct ib_header *h)
{
    struct ib_receive r;

    if (h->op == IB_OP_WRITE && h->has_imm && !ib_receive_take(qp, &r))
        return no_receive(qp);
    return IB_ACK;
}

static enum ib_nak store_packet(struct ib_qp *qp, const struct ib_packet *p,
                                struct ib_write **last_p)
{
    const struct ib_header *h = &p->h;
    struct ib_target *t = &qp->target;
    enum ib_nak nak = h->first ? begin_message(qp, h) : IB_ACK;

    if (nak == IB_ACK && h->bytes > t->left)
        nak = IB_NAK_LENGTH;
    if (nak == IB_ACK && h->last)
        nak = end_message(qp, h);
    if (nak != IB_ACK)
        return nak;
    *last_p = ib_write_add(qp->hca, t->bus, p->data, h->bytes, 0);
    t->bus += h->bytes;
    t->left -= h->bytes;
    t->got += h->bytes;
    if (h->last && (t->receive || h->has_imm))
        ib_receive_done(qp, h);
    return IB_ACK;
}

static enum ib_nak respond_read(struct ib_qp *qp, const struct ib_header *h)
{
    uint64_t bus;

    if (!ib_translate(qp->hca, h->key, IB_ACCESS_READ, h->va, h->total, &bus))
        return IB_NAK_ACCESS;
    ib_respond(qp, h, bus);
    return IB_ACK;
}

static void request_arrived(struct ib_qp *qp, const struct ib_packet *p, struct ib_write **last_p)
{
    const struct ib_header *h = &p->h;
    enum ib_nak nak;

    if (h->psn != qp->epsn || qp->failed) { /* behind one that was refused */
        qp->hca->stat.dropped++;
        return;
    }
    if (h->first)
        qp->first_psn = h->psn;
    nak = h->op == IB_OP_READ_REQUEST ? respond_read(qp, h) : store_packet(qp, p, last_p);
    if (nak != IB_ACK) {
        qp->hca->stat.rnr_naks += nak == IB_NAK_RNR;
        if (nak == IB_NAK_RNR)
            qp->epsn = qp->first_psn; /* the message comes again as a whole */
        else
            ib_qp_refuse(qp);
        send_ack(qp, h->psn, nak);
        return;
    }
    if (h->op == IB_OP_READ_REQUEST) {
        qp->epsn += ib_packets(qp->hca, h->total);
        return; /* the data are the answer */
    }
    qp->epsn++;
    if (h->ack_wanted)
        send_ack(qp, h->psn, IB_ACK);
}

/* ---- the requester ------------------------------------------------------------------------ */

/** All requests whose packets end at or before `psn` are answered, but reads by data alone. */
static void requests_answered(struct ib_qp *qp, uint32_t psn)
{
    for (uint32_t i = qp->done; i != qp->exec; i++) {
        struct ib_wqe *wqe = ib_wqe_of(qp, i);

        if ((int32_t)(wqe->last_psn - psn) > 0)
            break;
        if (wqe->op != IB_WQE_READ)
            wqe->answered = true;
    }
    ib_qp_complete(qp);
    ib_activate(qp);
}

/** The far side had no receive request: all from that packet's request on is sent again. */
static void not_ready(struct ib_qp *qp, uint32_t psn)
{
    struct ib_hca *hca = qp->hca;

    for (uint32_t i = qp->done; i != qp->fetched; i++) {
        struct ib_wqe *wqe = ib_wqe_of(qp, i);
        bool begun = i - qp->done < qp->exec - qp->done || (i == qp->exec && qp->sent != 0);

        if (!begun || (int32_t)(psn - wqe->first_psn) < 0)
            break;
        if (i != qp->exec && (int32_t)(psn - wqe->last_psn) > 0)
            continue;
        qp->exec = i;
        qp->sent = 0;
        qp->psn = wqe->first_psn;
        break;
    }
    qp->wait_until = sim_now(hca->dom) + hca->cfg.rnr_ps;
    ib_activate(qp);
    ib_wake_now(hca);
}

/** The request that the packet is of. */
static uint32_t request_of(struct ib_qp *qp, uint32_t psn)
{
    uint32_t i = qp->done;

    while (i != qp->exec && (int32_t)(psn - ib_wqe_of(qp, i)->last_psn) > 0)
        i++;
    return i; /* `exec`: it is sent in part */
}

/* A refusal overtakes the data of reads before it. */
static void ack_arrived(struct ib_qp *qp, const struct ib_header *h)
{
    switch (h->nak) {
    case IB_ACK:
        requests_answered(qp, h->psn);
        break;
    case IB_NAK_RNR:
        not_ready(qp, h->psn);
        break;
    default:
        requests_answered(qp, h->psn - 1);
        ib_qp_fail(qp, request_of(qp, h->psn),
                   h->nak == IB_NAK_LENGTH ? IB_ERR_LENGTH : IB_ERR_REMOTE);
        break;
    }
}

static struct ib_wqe *read_of(struct ib_qp *qp, uint32_t psn)
{
    for (uint32_t i = qp->done; i != qp->exec; i++) {
        struct ib_wqe *wqe = ib_wqe_of(qp, i);

        if (wqe->op == IB_WQE_READ && psn - wqe->first_psn <= wqe->last_psn - wqe->first_psn)
            return wqe;
    }
    return NULL;
}

static void data_arrived(struct ib_qp *qp, const struct ib_packet *p, struct ib_write **last_p)
{
    struct ib_wqe *wqe = read_of(qp, p->h.psn);
    uint64_t offset, bus;

    if (wqe == NULL || qp->failed) {
        qp->hca->stat.dropped++;
        return;
    }
    offset = wqe->offset + (p->h.psn - wqe->first_psn) * qp->hca->cfg.link.mtu_bytes;
    if (!ib_translate(qp->hca, wqe->key, IB_ACCESS_LOCAL, offset, p->h.bytes, &bus)) {
        ib_qp_fail(qp, qp->done, IB_ERR_LOCAL);
        return;
    }
    *last_p = ib_write_add(qp->hca, bus, p->data, p->h.bytes, 0);
    if (!p->h.last)
        return;
    wqe->answered = true;
    requests_answered(qp, p->h.psn);
}

/* ---- packets in turn ------------------------------------------------------------------------ */

static void take_packet(struct ib_hca *hca, struct ib_port *port, const struct ib_packet *p)
{
    uint64_t *used = &port->rx_blocks[p->h.lane];
    struct ib_qp *qp = ib_qp_of(hca, p->h.qp);
    struct ib_write *last = NULL;

    if (qp == NULL || qp->lid != p->h.lid) {
        hca->stat.dropped++;
    } else if (p->h.op == IB_OP_ACK) {
        ack_arrived(qp, &p->h);
    } else if (p->h.op == IB_OP_READ_RESPONSE) {
        data_arrived(qp, p, &last);
    } else {
        request_arrived(qp, p, &last);
    }
    if (last == NULL) {
        ib_room(hca, used, p->blocks);
        return;
    }
    last->blocks = p->blocks;
    last->used = used;
}

void ib_receive_run(struct ib_hca *hca, sim_time_t *next)
{
    sim_time_t now = sim_now(hca->dom);

    for (unsigned i = 0; i < hca->cfg.ports; i++) {
        struct sim_list *rx = &hca->port[i].rx;
        struct ib_packet *p;

        while ((p = rx->head) != NULL && ib_writes_waiting(hca) < hca->cfg.write_tlps) {
            if (p->due > now) {
                ib_sooner(next, p->due);
                break;
            }
            (void)sim_list_pop(rx);
            take_packet(hca, &hca->port[i], p);
            ib_packet_put(hca, p);
        }
    }
}
