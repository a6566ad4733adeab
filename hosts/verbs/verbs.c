#include "hosts/verbs/verbs.h"

#include <string.h>

#include "hosts/driver/driver.h"

/* ---- commands --------------------------------------------------------------------- */

/** Gives the adapter a command and waits for its answer. */
static bool run_command(struct verbs *v, const uint64_t *words, unsigned n, uint32_t *value_p)
{
    struct host *h = v->h;
    volatile uint32_t *answer = (volatile uint32_t *)((uint8_t *)v->command + IB_COMMAND_BYTES);

    memset(v->command, 0, 2 * (size_t)IB_COMMAND_BYTES);
    memcpy(v->command, words, n * sizeof(*words));
    h->bus->store(h, &v->regs, IB_COMMAND, &v->command_bus, 8);
    while ((answer[0] & IB_ANSWERED) == 0)
        h->bus->wait_write(h, answer, 4);
    if (value_p != NULL)
        *value_p = answer[1];
    return (answer[0] & ~IB_ANSWERED) == IB_OK;
}

/* A command of these words. */
#define RUN(v, value_p, ...)                                                                       \
    run_command(v, (const uint64_t[]){ __VA_ARGS__ },                                              \
                sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), value_p)

/** Memory for a queue, and where the adapter finds it. */
static uint8_t *queue_memory(struct verbs *v, uint64_t bytes, uint64_t *bus_p)
{
    uint8_t *p = v->h->memory->alloc(v->h, bytes, HOST_PAGE);

    if (p == NULL)
        return NULL;
    host_clear(p, bytes);
    *bus_p = v->h->memory->pointer(v->h, p).offset;
    return p;
}

bool verbs_open(struct verbs *v, struct host *h)
{
    const struct driver *d = driver_of(h);
    const struct driver_function *fn =
        d != NULL ? driver_find(d, IB_VENDOR_ID, IB_DEVICE_ID, 0) : NULL;
    uint64_t id;

    *v = (struct verbs){ .h = h };
    if (fn == NULL || fn->bar[2].bytes < IB_PAGES_BYTES)
        return false;
    v->regs = (struct host_bar){ fn->bar[0].bus, IB_REGS_BYTES, HOST_UNCACHED };
    v->doorbells = (struct host_bar){ fn->bar[2].bus, IB_BLUEFLAME(0), HOST_UNCACHED };
    v->flames = (struct host_bar){ fn->bar[2].bus + IB_BLUEFLAME(0),
                                   IB_PAGES_BYTES - IB_BLUEFLAME(0), HOST_WRITE_COMBINING };
    v->socket = fn->socket;
    v->command = queue_memory(v, 2 * (uint64_t)IB_COMMAND_BYTES, &v->command_bus);
    if (v->command == NULL)
        return false;
    id = h->bus->load(h, &v->regs, IB_ID, 8);
    v->ports = id >> 32 & 0xff;
    v->mtu_bytes = 1u << (id >> 40 & 0xff);
    v->lid = (unsigned)(id >> 48);
    return (uint32_t)id == IB_ID_MAGIC;
}

/* ---- regions --------------------------------------------------------------------------- */

static bool reach_memory(struct host *h, const void *p, uint64_t bytes, struct verbs_region *region)
{
    struct host_pointer where = h->memory->pointer(h, p);
    uint64_t pages;

    if (where.kind == HOST_GPU) {
        host_spend_cost(h, HOST_COST_SYSCALL);
        return driver_pin_gpu(h, where.gpu, where.offset, bytes, &region->bus) == DRIVER_OK;
    }
    region->bus = h->memory->pin(h, p, bytes);
    region->pinned = where.kind == HOST_PAGEABLE;
    if (region->bus == HOST_NO_BUS)
        return false;
    pages = (region->bus % HOST_PAGE + bytes + HOST_PAGE - 1) / HOST_PAGE;
    host_spend_cost(h, HOST_COST_SYSCALL);
    if (region->pinned) /* others were when they were given out */
        h->cpu->spend(h, pages * h->cpu->cost_ps(h, HOST_COST_PIN));
    return true;
}

bool verbs_register(struct verbs *v, const void *p, uint64_t bytes, uint32_t access,
                    struct verbs_region *region_p)
{
    struct verbs_region region = { .bytes = bytes };

    if (!reach_memory(v->h, p, bytes, &region))
        return false;
    if (!RUN(v, &region.key, IB_CMD_MR, region.bus, bytes, access)) {
        if (region.pinned)
            v->h->memory->unpin(v->h, region.bus);
        return false;
    }
    *region_p = region;
    return true;
}

void verbs_deregister(struct verbs *v, const struct verbs_region *region)
{
    host_spend_cost(v->h, HOST_COST_SYSCALL);
    (void)RUN(v, NULL, IB_CMD_MR_FREE, region->key);
    if (region->pinned)
        v->h->memory->unpin(v->h, region->bus);
}

/* ---- queues -------------------------------------------------------------------------------- */

bool verbs_cq_create(struct verbs *v, uint32_t log2, void *memory, struct verbs_cq *cq_p)
{
    struct verbs_cq cq = { .log2 = log2, .entries = memory };
    uint64_t bus;

    if (memory == NULL)
        cq.entries = queue_memory(v, (uint64_t)IB_CQE_BYTES << log2, &bus);
    else
        bus = v->h->memory->pointer(v->h, memory).offset;
    if (cq.entries == NULL || !RUN(v, &cq.number, IB_CMD_CQ, bus, log2))
        return false;
    *cq_p = cq;
    return true;
}

bool verbs_cq_events(struct verbs *v, const struct verbs_cq *cq)
{
    return RUN(v, NULL, IB_CMD_EVENTS, cq->number);
}

bool verbs_qp_create(struct verbs *v, const struct verbs_cq *send_cq,
                     const struct verbs_cq *receive_cq, uint32_t sq_log2, uint32_t rq_log2,
                     unsigned port, struct verbs_qp *qp_p)
{
    struct verbs_qp qp = { .v = v, .sq_log2 = sq_log2, .rq_log2 = rq_log2 };
    uint64_t sq_bus, rq_bus;

    qp.sq = queue_memory(v, (uint64_t)IB_WQE_BYTES << sq_log2, &sq_bus);
    qp.rq = queue_memory(v, (uint64_t)IB_RQE_BYTES << rq_log2, &rq_bus);
    if (qp.sq == NULL || qp.rq == NULL ||
        !RUN(v, &qp.number, IB_CMD_QP, sq_bus, rq_bus, sq_log2 | rq_log2 << 8 | port << 16,
             send_cq->number | (uint64_t)receive_cq->number << 32))
        return false;
    *qp_p = qp;
    return true;
}

bool verbs_qp_connect(struct verbs_qp *qp, unsigned lid, uint32_t far_qp)
{
    return RUN(qp->v, NULL, IB_CMD_CONNECT, qp->number, lid | (uint64_t)far_qp << 32);
}

/* ---- work ---- */

static unsigned build_request(uint8_t *wqe, uint32_t number, const struct verbs_send *send)
{
    unsigned bytes = IB_WQE_DATA;

    memset(wqe, 0, 48);
    wqe[IB_WQE_OP] = (uint8_t)send->op;
    wqe[IB_WQE_FLAGS] = (uint8_t)((send->signaled ? IB_WQE_SIGNALED : 0) |
                                  (send->data != NULL ? IB_WQE_INLINE : 0) |
                                  (send->immediate ? IB_WQE_IMMEDIATE : 0));
    memcpy(wqe + IB_WQE_NUMBER, &number, 4);
    memcpy(wqe + IB_WQE_IMM, &send->imm, 4);
    memcpy(wqe + IB_WQE_LENGTH, &send->bytes, 4);
    memcpy(wqe + IB_WQE_FAR_OFFSET, &send->far_offset, 8);
    memcpy(wqe + IB_WQE_FAR_KEY, &send->far_key, 4);
    if (send->data != NULL) {
        memcpy(wqe + IB_WQE_DATA, send->data, send->bytes);
        bytes += send->bytes;
    } else if (send->region != NULL) {
        memcpy(wqe + IB_WQE_OFFSET, &send->offset, 8);
        memcpy(wqe + IB_WQE_KEY, &send->region->key, 4);
        bytes += 16;
    }
    wqe[IB_WQE_UNITS] = (uint8_t)((bytes + IB_WQE_UNIT - 1) / IB_WQE_UNIT);
    return wqe[IB_WQE_UNITS];
}

/* The request goes to the adapter as a whole, which saves it a read of host memory; it is in its
 * queue too, for when others are ahead of it. */
uint32_t verbs_post(struct verbs_qp *qp, const struct verbs_send *send)
{
    struct verbs *v = qp->v;
    struct host *h = v->h;
    uint32_t number = qp->posted++;
    uint8_t *wqe = qp->sq + (size_t)(number & ((1u << qp->sq_log2) - 1)) * IB_WQE_BYTES;
    unsigned units = build_request(wqe, number, send);

    host_spend_cost(h, HOST_COST_CALL);
    h->bus->store_block(h, &v->flames, IB_BLUEFLAME(qp->number) - IB_BLUEFLAME(0), wqe,
                        (uint64_t)units * IB_WQE_UNIT);
    h->bus->fence(h);
    return number;
}

/* The adapter learns of all that were posted by one store. */
static void ring_receives(struct verbs_qp *qp)
{
    uint64_t doorbell = qp->number | (uint64_t)qp->rq_posted << 32;

    host_spend_cost(qp->v->h, HOST_COST_CALL);
    qp->v->h->bus->store(qp->v->h, &qp->v->doorbells, IB_RECV_DOORBELL, &doorbell, 8);
}

static void add_receive(struct verbs_qp *qp, uint64_t offset, uint32_t key, uint32_t bytes)
{
    uint8_t *rqe = qp->rq + (size_t)(qp->rq_posted & ((1u << qp->rq_log2) - 1)) * IB_RQE_BYTES;

    memcpy(rqe + IB_RQE_OFFSET, &offset, 8);
    memcpy(rqe + IB_RQE_KEY, &key, 4);
    memcpy(rqe + IB_RQE_LENGTH, &bytes, 4);
    qp->rq_posted++;
}

void verbs_post_receive(struct verbs_qp *qp, const struct verbs_region *region, uint64_t offset,
                        uint32_t bytes)
{
    add_receive(qp, offset, region->key, bytes);
    ring_receives(qp);
}

void verbs_post_empty(struct verbs_qp *qp, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        add_receive(qp, 0, 0, 0);
    ring_receives(qp);
}

static const uint8_t *entry_at(const struct verbs_cq *cq, uint32_t number)
{
    return cq->entries + (size_t)(number & ((1u << cq->log2) - 1)) * IB_CQE_BYTES;
}

bool verbs_ready(const struct verbs_cq *cq, uint32_t ahead)
{
    uint32_t number = cq->taken + ahead;

    return entry_at(cq, number)[IB_CQE_LAP] == ((number >> cq->log2 & 1) == 0);
}

bool verbs_poll(struct verbs *v, struct verbs_cq *cq, struct verbs_done *done_p)
{
    const uint8_t *cqe = entry_at(cq, cq->taken);

    if (!verbs_ready(cq, 0))
        return false;
    memcpy(&done_p->qp, cqe + IB_CQE_QP, 4);
    memcpy(&done_p->number, cqe + IB_CQE_NUMBER, 4);
    memcpy(&done_p->bytes, cqe + IB_CQE_LENGTH, 4);
    memcpy(&done_p->imm, cqe + IB_CQE_IMM, 4);
    done_p->op = cqe[IB_CQE_OP];
    done_p->status = cqe[IB_CQE_STATUS];
    done_p->has_imm = (cqe[IB_CQE_FLAGS] & IB_CQE_IMMEDIATE) != 0;
    cq->taken++;
    host_spend_cost(v->h, HOST_COST_CALL);
    return true;
}
