/*
 * The requester. Queue pairs with something to send take turns, a packet each. A
 * packet takes its place in its port's queue at once, its data follow by DMA; what
 * is behind it may be read meanwhile, but leaves after it. The answers to reads of
 * others are made in the same way.
 */
#include "ib/internal.h"

#include <string.h>

/** Behind all others that have something to send. */
static void queue_last(struct ib_qp *qp)
{
    qp->queued = true;
    sim_list_push(&qp->hca->active, &qp->link);
}

void ib_activate(struct ib_qp *qp)
{
    if (qp->queued || qp->failed || qp->lid == 0 || qp->exec == qp->fetched ||
        !ib_wqe_of(qp, qp->exec)->ready)
        return;
    queue_last(qp);
    ib_wake_now(qp->hca);
}

static struct ib_qp *deactivate_head(struct ib_hca *hca)
{
    struct ib_qp *qp = sim_list_pop(&hca->active);

    qp->queued = false;
    return qp;
}

/* ---- packets ------------------------------------------------------------------------ */

/** What it was to carry could not be read; who asked for it learns that. */
static void spoil_packet(struct ib_packet *p)
{
    if (p->h.op != IB_OP_READ_RESPONSE) {
        p->spoilt = true;
        ib_qp_fail(p->qp, p->number, IB_ERR_LOCAL);
        return;
    }
    ib_qp_refuse(p->qp);
    p->h.op = IB_OP_ACK;
    p->h.nak = IB_NAK_ACCESS;
    p->h.bytes = 0;
}

static void data_here(struct ib_hca *hca, struct ib_job *job)
{
    struct ib_packet *p = SIM_CONTAINER_OF(job, struct ib_packet, job);

    p->ready = true;
    p->due = sim_now(hca->dom) + hca->cfg.tx_ps;
    if (job->failed)
        spoil_packet(p);
    ib_wake_now(hca);
}

struct ib_packet *ib_packet_for(struct ib_qp *qp, enum ib_op op)
{
    struct ib_packet *p = ib_packet_get(qp->hca);

    p->qp = qp;
    p->to = qp->lid;
    p->h = (struct ib_header){
        .op = (uint8_t)op, .qp = qp->far, .from = qp->number, .lid = qp->hca->lid, .lane = qp->lane
    };
    return p;
}

/** The packet takes its place; with data from the bus from `due` on, or (bus = 0) as it is. */
static void packet_add(struct ib_qp *qp, struct ib_packet *p, uint64_t bus, sim_time_t due)
{
    struct ib_hca *hca = qp->hca;
    struct ib_port *port = &hca->port[qp->port];

    sim_list_push(&port->tx, &p->link);
    port->ntx++;
    if (bus == 0 || p->h.bytes == 0) {
        p->ready = true;
        p->due = due + hca->cfg.tx_ps;
        return;
    }
    p->job = (struct ib_job){
        .due = due,
        .behind = p->h.op == IB_OP_READ_RESPONSE ? hca->writes_made : 0,
        .bus = bus,
        .bytes = p->h.bytes,
        .to = p->data,
        .done = data_here,
    };
    ib_job_add(&hca->data, &p->job);
}

uint32_t ib_packets(const struct ib_hca *hca, uint32_t bytes)
{
    uint32_t mtu = (uint32_t)hca->cfg.link.mtu_bytes;

    return bytes == 0 ? 1 : (bytes + mtu - 1) / mtu;
}

static void read_request(struct ib_qp *qp, struct ib_wqe *wqe)
{
    struct ib_packet *p = ib_packet_for(qp, IB_OP_READ_REQUEST);

    p->h.va = wqe->far;
    p->h.key = wqe->far_key;
    p->h.total = wqe->bytes;
    p->h.first = p->h.last = p->h.ack_wanted = 1;
    p->h.psn = wqe->first_psn = qp->psn;
    qp->psn += ib_packets(qp->hca, wqe->bytes);
    wqe->last_psn = qp->psn - 1;
    qp->exec++;
    packet_add(qp, p, 0, sim_now(qp->hca->dom) + qp->hca->cfg.wqe_ps);
}

/** Where the next data of the request are. @return false: not in a region of its own. */
static bool locate_data(const struct ib_qp *qp, const struct ib_wqe *wqe, uint32_t piece,
                        uint64_t *bus_p)
{
    *bus_p = 0;
    if ((wqe->flags & IB_WQE_INLINE) != 0)
        return wqe->bytes <= IB_WQE_INLINE_MAX;
    return ib_translate(qp->hca, wqe->key, 0, wqe->offset + qp->sent, piece, bus_p);
}

static void data_packet(struct ib_qp *qp, struct ib_wqe *wqe)
{
    const struct ib_config *cfg = &qp->hca->cfg;
    uint32_t left = wqe->bytes - qp->sent;
    uint32_t piece = (uint32_t)sim_min(left, cfg->link.mtu_bytes);
    bool first = qp->sent == 0, last = piece == left;
    struct ib_packet *p;
    uint64_t bus;

    if (!locate_data(qp, wqe, piece, &bus)) {
        ib_qp_fail(qp, qp->exec, IB_ERR_LOCAL);
        return;
    }
    p = ib_packet_for(qp, wqe->op == IB_WQE_SEND ? IB_OP_SEND : IB_OP_WRITE);
    p->number = qp->exec;
    p->h.bytes = piece;
    p->h.first = first;
    p->h.last = p->h.ack_wanted = last;
    if (first) {
        p->h.va = wqe->far;
        p->h.key = wqe->far_key;
        p->h.total = wqe->bytes;
        wqe->first_psn = qp->psn;
    }
    if (last && (wqe->flags & IB_WQE_IMMEDIATE) != 0) {
        p->h.has_imm = 1;
        p->h.imm = wqe->imm;
    }
    if ((wqe->flags & IB_WQE_INLINE) != 0)
        memcpy(p->data, wqe->raw + IB_WQE_DATA, piece);
    p->h.psn = qp->psn++;
    qp->sent += piece;
    if (last) {
        wqe->last_psn = p->h.psn;
        qp->sent = 0;
        qp->exec++;
    }
    packet_add(qp, p, bus,
               sim_now(qp->hca->dom) + (first ? cfg->wqe_ps + (bus != 0 ? cfg->key_ps : 0) : 0));
}

static void next_packet(struct ib_qp *qp)
{
    struct ib_wqe *wqe = ib_wqe_of(qp, qp->exec);

    if (qp->sent == 0)
        qp->hca->stat.requests++;
    switch (wqe->op) {
    case IB_WQE_READ:
        read_request(qp, wqe);
        break;
    case IB_WQE_SEND:
    case IB_WQE_WRITE:
        data_packet(qp, wqe);
        break;
    default:
        ib_qp_fail(qp, qp->exec, IB_ERR_LOCAL);
        break;
    }
}

void ib_respond(struct ib_qp *qp, const struct ib_header *request, uint64_t bus)
{
    uint32_t mtu = (uint32_t)qp->hca->cfg.link.mtu_bytes, n = ib_packets(qp->hca, request->total);
    sim_time_t due = sim_now(qp->hca->dom) + qp->hca->cfg.wqe_ps + qp->hca->cfg.key_ps;

    for (uint32_t i = 0; i < n; i++) {
        struct ib_packet *p = ib_packet_for(qp, IB_OP_READ_RESPONSE);
        uint32_t left = request->total - i * mtu;

        p->h.bytes = (uint32_t)sim_min(left, mtu);
        p->h.first = i == 0;
        p->h.last = i + 1 == n;
        p->h.psn = request->psn + i;
        packet_add(qp, p, bus + (uint64_t)i * mtu, due);
    }
}

/** The first queue pair in turn that may send: its port has room for one more packet. */
static bool turn_to_ready(struct ib_hca *hca, sim_time_t *next)
{
    sim_time_t now = sim_now(hca->dom);
    const struct sim_link *stop = hca->active.tail;
    struct ib_qp *qp;

    do {
        qp = hca->active.head;
        if (!qp->failed && qp->wait_until <= now && hca->port[qp->port].ntx < hca->cfg.tx_packets)
            return true;
        (void)deactivate_head(hca);
        if (qp->failed)
            continue;
        if (qp->wait_until > now)
            ib_sooner(next, qp->wait_until);
        queue_last(qp);
    } while (&qp->link != stop);
    return false;
}

void ib_send_run(struct ib_hca *hca, sim_time_t *next)
{
    sim_time_t now = sim_now(hca->dom);

    while (hca->active.head != NULL) {
        struct ib_qp *qp;

        if (hca->engine_free > now) {
            ib_sooner(next, hca->engine_free);
            return;
        }
        if (!turn_to_ready(hca, next))
            return; /* a packet that leaves wakes the adapter */
        qp = deactivate_head(hca);
        next_packet(qp);
        hca->engine_free = now + hca->cfg.packet_ps;
        ib_activate(qp);
    }
}
