/*
 * TLPs on their way through a root complex or a GPU: list entries with the time
 * at which they may move on, from a pool that grows while the first traffic
 * comes and never again.
 */
#ifndef NODE_PACKET_H
#define NODE_PACKET_H

#include "core/list.h"
#include "memory/ram.h"
#include "pcie/tlp/ordering.h"

SIM_BEGIN_DECLS

struct node_packet {
    struct sim_link link; /* to the next in a list, or the next free one */
    struct pcie_tlp tlp;
    sim_time_t due;     /* not before this time */
    sim_time_t arrived; /* here */
    /* Not before *order_done reaches order_after: what it must not overtake (2.4.1). */
    const uint64_t *order_done;
    uint64_t order_after;
    uint64_t addr;                  /* reads: the next byte to be completed */
    struct pcie_order_watch *watch; /* where order is checked: that it is inside of, or NULL, */
    uint32_t order;                 /* and its number there */
    uint32_t left;                  /* reads: bytes not yet completed; CPU writes: owner's mark */
    uint16_t source;
    uint16_t target;
    /* reads: how they are answered */
    uint8_t status; /* where no data is sent */
    bool poison, silent;
    bool shown; /* writes: memory has their bytes, before their time */
};

/** When the oldest of a list may move on; never where there is none. */
static inline sim_time_t node_packets_due(const struct sim_list *packets)
{
    const struct node_packet *p = (const struct node_packet *)packets->head;

    return p != NULL ? p->due : SIM_TIME_NEVER;
}

/** All zero: empty. Free `slabs`, which all packets are in. */
struct node_packet_pool {
    struct sim_list free, slabs;
};

/** A cleared entry that takes over *tlp's payload reference. */
struct node_packet *node_packet_get(struct node_packet_pool *pool, const struct pcie_tlp *tlp,
                                    sim_time_t now);
/** Does not touch the payload: it was sent on, or dropped with pcie_tlp_drop(). */
static inline void node_packet_put(struct node_packet_pool *pool, struct node_packet *p)
{
    sim_list_push_first(&pool->free, &p->link);
}

/** The packet ends here, with its payload. */
static inline void node_packet_drop(struct node_packet_pool *pool, struct node_packet *p)
{
    pcie_tlp_drop(&p->tlp);
    node_packet_put(pool, p);
}

/** Where order is checked (`watch` not NULL), the packet enters; see pcie_order_enter(). */
static inline void node_packet_enter(struct node_packet *p, struct pcie_order_watch *watch,
                                     uint32_t *arrivals, uint32_t path)
{
    p->watch = watch;
    if (watch == NULL)
        return;
    p->order = (*arrivals)++;
    pcie_order_enter(watch, p->order, &p->tlp, path);
}
/** It leaves if it has entered, and takes effect at `end`, if any. */
static inline void node_packet_leave(struct node_packet *p, struct pcie_order_end *end)
{
    if (p->watch == NULL)
        return;
    pcie_order_leave(p->watch, p->order);
    p->watch = NULL;
    if (end != NULL)
        pcie_order_arrive(end, &p->tlp);
}
/** It will take no effect. */
static inline void node_packet_forget(struct node_packet *p)
{
    if (p->watch != NULL)
        pcie_order_forget(p->watch, p->order);
    p->watch = NULL;
}

/** Bytes of bus addresses that a memory request spans, enabled or not. */
static inline uint64_t node_span(const struct pcie_tlp *tlp)
{
    return tlp->length_dw * UINT64_C(4);
}

/** The bytes that a memory write carries, with its byte enables, into `ram` at `addr`. */
void node_write_bytes(struct mem_ram *ram, uint64_t addr, const struct pcie_tlp *tlp);

/**
 * The next completion of a read: takes at most `piece` bytes off p->addr and p->left, with data
 * from `from`, which holds the byte of address p->addr.
 */
struct pcie_tlp node_next_completion(struct node_packet *p, uint32_t piece, struct mem_pool *pool,
                                     const uint8_t *from);

SIM_END_DECLS
#endif /* NODE_PACKET_H */
