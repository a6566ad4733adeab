/*
 * The library side of the InfiniBand adapter (regs/ib_regs.h): regions of memory,
 * completion queues, queue pairs, work requests. One struct verbs for each rank
 * that opens the adapter of its node; queues and regions are the rank's own.
 *
 * Addresses in requests are offsets in regions: no pointer leaves the process.
 */
#ifndef VERBS_VERBS_H
#define VERBS_VERBS_H

#include "hosts/host/host.h"
#include "regs/ib_regs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct verbs {
    struct host *h;
    struct host_bar regs, doorbells, flames; /* the last one write-combining */
    unsigned ports, lid, socket;
    uint32_t mtu_bytes;
    void *command; /* and its answer */
    uint64_t command_bus;
};

/** Memory that the adapter reaches. */
struct verbs_region {
    uint32_t key;
    uint64_t bus, bytes;
    bool pinned; /* to be unpinned */
};

struct verbs_cq {
    uint32_t number, log2, taken;
    uint8_t *entries; /* what a waiting loop polls */
};

struct verbs_qp {
    struct verbs *v;
    uint32_t number, sq_log2, rq_log2;
    uint32_t posted, ended; /* work requests; `ended`: known by completions, see verbs_poll() */
    uint32_t rq_posted;
    uint8_t *sq, *rq;
};

/** A work request. Exactly one of `data` (sent with the request) and `region` when bytes > 0. */
struct verbs_send {
    unsigned op; /* IB_WQE_SEND, _WRITE or _READ */
    bool signaled, immediate;
    uint32_t imm, bytes;
    uint64_t far_offset; /* in the far region */
    uint32_t far_key;
    const struct verbs_region *region;
    uint64_t offset; /* in it */
    const void *data;
};

/** How a request ended. */
struct verbs_done {
    uint32_t qp, number; /* the request's, in its queue */
    uint32_t bytes, imm;
    unsigned op, status; /* IB_WQE_*, with IB_CQE_RECEIVE; IB_OK or IB_ERR_* */
    bool has_imm;
};

/** @return false: the node has no adapter, or it does not answer. */
bool verbs_open(struct verbs *v, struct host *h);

/**
 * Host memory (see host_memory_ops.pin) or GPU memory (GPUDirect). Takes a system call, the pinning
 * of each page and a command of the adapter. @return false: out of addresses or memory.
 */
bool verbs_register(struct verbs *v, const void *p, uint64_t bytes, uint32_t access,
                    struct verbs_region *region_p);
void verbs_deregister(struct verbs *v, const struct verbs_region *region);

/** In `memory` from host_memory_ops.alloc, all zero, at a multiple of 64; NULL: memory of its own.
 */
bool verbs_cq_create(struct verbs *v, uint32_t log2, void *memory, struct verbs_cq *cq_p);
/** From now on each completion interrupts the node (driver_helper_add()). */
bool verbs_cq_events(struct verbs *v, const struct verbs_cq *cq);
/** @param port 0 .. v->ports - 1 */
bool verbs_qp_create(struct verbs *v, const struct verbs_cq *send_cq,
                     const struct verbs_cq *receive_cq, uint32_t sq_log2, uint32_t rq_log2,
                     unsigned port, struct verbs_qp *qp_p);
/** To a queue pair of the adapter `lid`, which must be connected to this one. */
bool verbs_qp_connect(struct verbs_qp *qp, unsigned lid, uint32_t far_qp);

/** Room for one more request in the send queue. */
static inline bool verbs_has_room(const struct verbs_qp *qp)
{
    return qp->posted - qp->ended < 1u << qp->sq_log2;
}
/** Must have room. @return the number of the request. */
uint32_t verbs_post(struct verbs_qp *qp, const struct verbs_send *send);
void verbs_post_receive(struct verbs_qp *qp, const struct verbs_region *region, uint64_t offset,
                        uint32_t bytes);
/** `n` requests without memory, for writes with immediate data that take one each. */
void verbs_post_empty(struct verbs_qp *qp, unsigned n);
/** Are so many completions and one more there? Takes no time. */
bool verbs_ready(const struct verbs_cq *cq, uint32_t ahead);
/** Takes the next completion. The caller counts it: qp->ended = done.number + 1 of a send. */
bool verbs_poll(struct verbs *v, struct verbs_cq *cq, struct verbs_done *done_p);
/** Where the next completion will come, for host_bus_ops.wait_write. */
static inline const volatile void *verbs_next(const struct verbs_cq *cq)
{
    return cq->entries + (size_t)(cq->taken & ((1u << cq->log2) - 1)) * IB_CQE_BYTES;
}

#ifdef __cplusplus
}
#endif
#endif /* VERBS_VERBS_H */
