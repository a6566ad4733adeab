/*
 * Queue pairs. Work requests are fetched from the send queue as the doorbell
 * announces them, or come with it (BlueFlame). They stay here until the far side has
 * acknowledged them, so that they can be sent again. Receive requests are fetched
 * ahead.
 */
#include "ib/internal.h"

#include <stdlib.h>
#include <string.h>

struct ib_qp *ib_qp_of(struct ib_hca *hca, uint32_t number)
{
    return number < hca->nqps ? hca->qp[number] : NULL;
}

void ib_qp_destroy(struct ib_qp *qp)
{
    free(qp->work);
    free(qp->ahead);
    free(qp);
}

/* As packets, they are kept to be used again. */
static struct ib_work *have_work(struct ib_qp *qp)
{
    if (qp->work == NULL)
        qp->work = sim_list_pop(&qp->hca->free_work);
    if (qp->work == NULL)
        qp->work = sim_calloc(sizeof(*qp->work));
    SIM_ASSERT(qp->work != NULL);
    return qp->work;
}

static void give_idle_work(struct ib_qp *qp)
{
    if (qp->work == NULL || qp->done != qp->fetched || qp->fetching || qp->flame_mask != 0)
        return;
    sim_list_push_first(&qp->hca->free_work, &qp->work->link);
    qp->work = NULL;
}

bool ib_translate(const struct ib_hca *hca, uint32_t key, uint32_t access, uint64_t offset,
                  uint64_t bytes, uint64_t *bus_p)
{
    const struct ib_region *r;

    *bus_p = 0;
    if (bytes == 0)
        return true;
    if (key == 0 || key > hca->nregions)
        return false;
    r = &hca->regions[key - 1];
    if (!r->used || (r->access & access) != access || offset > r->bytes ||
        bytes > r->bytes - offset)
        return false;
    *bus_p = r->bus + offset;
    return true;
}

/* ---- completion queues ---------------------------------------------------------------- */

static void post_cqe(struct ib_hca *hca, uint32_t cq, uint8_t cqe[IB_CQE_BYTES])
{
    struct ib_cq *q = &hca->cq[cq];
    uint32_t mask = (1u << q->log2) - 1, vector;
    uint64_t msi;

    cqe[IB_CQE_LAP] = (q->posted >> q->log2 & 1) == 0;
    (void)ib_write_add(hca, q->bus + (uint64_t)(q->posted & mask) * IB_CQE_BYTES, cqe, IB_CQE_BYTES,
                       sim_now(hca->dom));
    if (q->events && pcie_function_msi(&hca->fn, &msi, &vector))
        (void)ib_write_add(hca, msi, &vector, sizeof(vector), sim_now(hca->dom));
    q->posted++;
    hca->stat.completions++;
}

static void send_done(struct ib_qp *qp, uint32_t number, const struct ib_wqe *wqe, uint8_t status)
{
    uint8_t cqe[IB_CQE_BYTES] = { 0 };

    if (status == IB_OK && (wqe->flags & IB_WQE_SIGNALED) == 0)
        return;
    sim_store(cqe + IB_CQE_QP, qp->number, 4);
    sim_store(cqe + IB_CQE_NUMBER, number, 4);
    sim_store(cqe + IB_CQE_LENGTH, wqe->bytes, 4);
    cqe[IB_CQE_OP] = wqe->op;
    cqe[IB_CQE_STATUS] = status;
    post_cqe(qp->hca, qp->send_cq, cqe);
}

void ib_receive_done(struct ib_qp *qp, const struct ib_header *h)
{
    uint8_t cqe[IB_CQE_BYTES] = { 0 };

    sim_store(cqe + IB_CQE_QP, qp->number, 4);
    sim_store(cqe + IB_CQE_NUMBER, qp->rq_taken - 1, 4);
    sim_store(cqe + IB_CQE_LENGTH, qp->target.got, 4);
    sim_store(cqe + IB_CQE_IMM, h->imm, 4);
    cqe[IB_CQE_OP] = (qp->target.receive ? IB_WQE_SEND : IB_WQE_WRITE) | IB_CQE_RECEIVE;
    cqe[IB_CQE_STATUS] = IB_OK;
    cqe[IB_CQE_FLAGS] = h->has_imm ? IB_CQE_IMMEDIATE : 0;
    post_cqe(qp->hca, qp->receive_cq, cqe);
}

void ib_qp_complete(struct ib_qp *qp)
{
    while (qp->done != qp->exec && ib_wqe_of(qp, qp->done)->answered) {
        struct ib_wqe *wqe = ib_wqe_of(qp, qp->done);

        send_done(qp, qp->done, wqe, IB_OK);
        wqe->ready = false;
        qp->done++;
    }
    ib_qp_fetch(qp);
    give_idle_work(qp);
}

/** Ends all that is posted. Of requests that have not been fetched nothing is known. */
static void end_requests(struct ib_qp *qp, uint32_t number, uint8_t status)
{
    for (; qp->done != qp->posted; qp->done++) {
        struct ib_wqe none = { .flags = IB_WQE_SIGNALED };
        bool known = (int32_t)(qp->done - qp->fetched) < 0 && ib_wqe_of(qp, qp->done)->ready;

        send_done(qp, qp->done, known ? ib_wqe_of(qp, qp->done) : &none,
                  qp->done == number ? status : IB_ERR_FLUSHED);
    }
    qp->exec = qp->fetched = qp->posted;
    give_idle_work(qp);
}

void ib_qp_fail(struct ib_qp *qp, uint32_t number, uint8_t status)
{
    if (qp->failed)
        return;
    qp->failed = true;
    qp->hca->stat.errors++;
    end_requests(qp, number, status);
}

static void flush_requests(struct ib_qp *qp)
{
    end_requests(qp, qp->done, IB_ERR_FLUSHED);
}

/* Where a queue pair is connected to itself, the refusal will come to name its request. */
void ib_qp_refuse(struct ib_qp *qp)
{
    if (qp->lid == qp->hca->lid && qp->far == qp->number)
        return;
    qp->failed = true;
    flush_requests(qp);
}

/* ---- send queue -------------------------------------------------------------------------- */

/** Reads the fields of a work request at `raw`. */
static void decode_wqe(struct ib_wqe *wqe)
{
    const uint8_t *raw = wqe->raw;

    wqe->op = raw[IB_WQE_OP];
    wqe->units = raw[IB_WQE_UNITS];
    wqe->flags = raw[IB_WQE_FLAGS];
    memcpy(&wqe->imm, raw + IB_WQE_IMM, 4);
    memcpy(&wqe->bytes, raw + IB_WQE_LENGTH, 4);
    memcpy(&wqe->far, raw + IB_WQE_FAR_OFFSET, 8);
    memcpy(&wqe->far_key, raw + IB_WQE_FAR_KEY, 4);
    memcpy(&wqe->offset, raw + IB_WQE_OFFSET, 8);
    memcpy(&wqe->key, raw + IB_WQE_KEY, 4);
    wqe->answered = false;
    wqe->ready = true;
}

static void wqe_fetched(struct ib_hca *hca, struct ib_job *job)
{
    struct ib_qp *qp = SIM_CONTAINER_OF(job, struct ib_qp, fetch);
    uint32_t number = qp->fetched - 1;

    qp->fetching = 0;
    if (qp->failed) {
        give_idle_work(qp);
        return;
    }
    if (job->failed) {
        ib_qp_fail(qp, number, IB_ERR_LOCAL);
        return;
    }
    decode_wqe(ib_wqe_of(qp, number));
    ib_qp_fetch(qp);
    ib_activate(qp);
    ib_wake_now(hca);
}

/** Asks for the next request: its first units as the doorbell said, a whole one otherwise. */
void ib_qp_fetch(struct ib_qp *qp)
{
    uint32_t mask = (1u << qp->sq_log2) - 1;
    struct ib_wqe *wqe;

    if (qp->fetching || qp->failed || qp->lid == 0 || qp->fetched == qp->posted ||
        qp->fetched - qp->done == IB_WINDOW)
        return;
    wqe = &have_work(qp)->wqe[qp->fetched % IB_WINDOW];
    wqe->ready = false;
    qp->fetch = (struct ib_job){
        .bus = qp->sq_bus + (uint64_t)(qp->fetched & mask) * IB_WQE_BYTES,
        .bytes = qp->hint != 0 ? qp->hint * IB_WQE_UNIT : IB_WQE_BYTES,
        .to = wqe->raw,
        .done = wqe_fetched,
    };
    qp->hint = 0;
    qp->fetching = 1;
    qp->fetched++;
    ib_job_add(&qp->hca->control, &qp->fetch);
}

void ib_send_doorbell(struct ib_hca *hca, uint64_t value)
{
    struct ib_qp *qp = ib_qp_of(hca, value & 0xffffff);
    uint32_t units = value >> 24 & 0xff;

    if (qp == NULL)
        return;
    if (qp->fetched == qp->posted && units <= IB_WQE_BYTES / IB_WQE_UNIT)
        qp->hint = units;
    qp->posted = (uint32_t)(value >> 32);
    if (qp->failed)
        flush_requests(qp);
    ib_qp_fetch(qp);
}

/** The whole request is in work->flame; others go first that are in its queue. */
static void post_flame(struct ib_qp *qp)
{
    const uint8_t *flame = qp->work->flame;
    uint32_t request;

    memcpy(&request, flame + IB_WQE_NUMBER, 4);
    if (request == qp->posted && qp->fetched == qp->posted && !qp->fetching && !qp->failed &&
        qp->lid != 0 && qp->fetched - qp->done < IB_WINDOW) {
        struct ib_wqe *wqe = ib_wqe_of(qp, request);

        memcpy(wqe->raw, flame, IB_WQE_BYTES);
        decode_wqe(wqe);
        qp->posted = ++qp->fetched;
        ib_activate(qp);
        return;
    }
    if (request + 1 - qp->posted <= IB_WINDOW * 2u)
        qp->posted = request + 1; /* as a doorbell */
    if (qp->failed)
        flush_requests(qp);
    ib_qp_fetch(qp);
}

/* The parts of a request may come as several packets; its first unit says how long it is. */
void ib_blueflame(struct ib_hca *hca, uint32_t number, uint32_t offset, const uint8_t *bytes,
                  uint32_t n)
{
    struct ib_qp *qp = ib_qp_of(hca, number);
    struct ib_work *work;
    uint64_t want;
    uint32_t words;

    if (qp == NULL || offset % 4 != 0 || n % 4 != 0 || offset + n > IB_WQE_BYTES)
        return;
    work = have_work(qp);
    memcpy(work->flame + offset, bytes, n);
    qp->flame_mask |= (n == IB_WQE_BYTES ? UINT64_MAX : (UINT64_C(1) << n / 4) - 1) << offset / 4;
    if ((qp->flame_mask & 0xf) != 0xf)
        return;
    words = work->flame[IB_WQE_UNITS] * IB_WQE_UNIT / 4;
    want = words >= 64 ? UINT64_MAX : (UINT64_C(1) << words) - 1;
    if ((qp->flame_mask & want) != want)
        return;
    qp->flame_mask = 0;
    hca->stat.blueflames++;
    post_flame(qp);
    give_idle_work(qp);
}

/* ---- receive queue ------------------------------------------------------------------------- */

static void rq_fetch(struct ib_qp *qp);

/** What is sent for them is refused from now on, behind those that are at hand. */
static void fail_receives(struct ib_qp *qp)
{
    uint8_t cqe[IB_CQE_BYTES] = { 0 };

    qp->rq_failed = true;
    qp->hca->stat.errors++;
    sim_store(cqe + IB_CQE_QP, qp->number, 4);
    sim_store(cqe + IB_CQE_NUMBER, qp->rq_fetched, 4);
    cqe[IB_CQE_OP] = IB_WQE_SEND | IB_CQE_RECEIVE;
    cqe[IB_CQE_STATUS] = IB_ERR_LOCAL;
    post_cqe(qp->hca, qp->receive_cq, cqe);
}

static void rq_fetched(struct ib_hca *hca, struct ib_job *job)
{
    struct ib_qp *qp = SIM_CONTAINER_OF(job, struct ib_qp, rq_fetch);

    if (job->failed)
        fail_receives(qp);
    for (uint32_t i = 0; i < qp->rq_count && !job->failed; i++) {
        struct ib_receive *r = &qp->ahead->rq[qp->rq_fetched++ % IB_RECEIVES];
        const uint8_t *raw = qp->ahead->raw + (size_t)i * IB_RQE_BYTES;

        memcpy(&r->offset, raw + IB_RQE_OFFSET, 8);
        memcpy(&r->key, raw + IB_RQE_KEY, 4);
        memcpy(&r->bytes, raw + IB_RQE_LENGTH, 4);
    }
    qp->rq_count = 0;
    rq_fetch(qp);
    ib_wake_now(hca);
}

/** As many as there is room for and the queue does not wrap. */
static void rq_fetch(struct ib_qp *qp)
{
    uint32_t mask = (1u << qp->rq_log2) - 1, at = qp->rq_fetched & mask;
    uint32_t n = qp->rq_posted - qp->rq_fetched;
    uint32_t room = IB_RECEIVES - (qp->rq_fetched - qp->rq_taken);

    n = (uint32_t)sim_min(n, sim_min(room, mask + 1 - at));
    if (n == 0 || qp->rq_count != 0 || qp->rq_failed)
        return;
    qp->rq_count = n;
    qp->rq_fetch = (struct ib_job){ .bus = qp->rq_bus + (uint64_t)at * IB_RQE_BYTES,
                                    .bytes = n * IB_RQE_BYTES,
                                    .to = qp->ahead->raw,
                                    .done = rq_fetched };
    ib_job_add(&qp->hca->control, &qp->rq_fetch);
}

void ib_recv_doorbell(struct ib_hca *hca, uint64_t value)
{
    struct ib_qp *qp = ib_qp_of(hca, value & 0xffffff);

    if (qp == NULL)
        return;
    if (qp->ahead == NULL)
        qp->ahead = sim_calloc(sizeof(*qp->ahead));
    SIM_ASSERT(qp->ahead != NULL);
    qp->rq_posted = (uint32_t)(value >> 32);
    rq_fetch(qp);
}

bool ib_receive_take(struct ib_qp *qp, struct ib_receive *r)
{
    if (qp->rq_taken == qp->rq_fetched)
        return false;
    *r = qp->ahead->rq[qp->rq_taken++ % IB_RECEIVES];
    rq_fetch(qp);
    return true;
}
