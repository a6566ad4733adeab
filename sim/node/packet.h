/*
 * TLPs on their way through a root complex or a GPU: list entries with the time
 * at which they may move on, from a pool that grows while the first traffic
 * comes and never again.
 */
#ifndef NODE_PACKET_H
#define NODE_PACKET_H

#include "memory/ram.h"
#include "pcie/tlp/ordering.h"

SIM_BEGIN_DECLS

struct node_packet {
    struct node_packet *next;
    struct pcie_tlp tlp;
    sim_time_t due;     /* not before this time */
    sim_time_t arrived; /* here */
    /* Not before *order_done reaches order_after: what it must not overtake (2.4.1). */
    const uint64_t *order_done;
    uint64_t order_after;
    uint64_t addr;    /* reads: the next byte to be completed */
    uint32_t order;   /* where order is checked: of arrival, */
    uint16_t entered; /* and the source whose watch has it, from 1 on; 0: none */
    uint32_t left;    /* reads: bytes not yet completed; CPU writes: owner's mark */
    uint16_t source;
    uint16_t target;
    /* reads: how they are answered */
    uint8_t status; /* where no data is sent */
    bool poison, silent;
};

struct node_packet_list {
    struct node_packet *head, *tail;
};

static inline void node_packet_push(struct node_packet_list *list, struct node_packet *p)
{
    p->next = NULL;
    if (list->tail != NULL)
        list->tail->next = p;
    else
        list->head = p;
    list->tail = p;
}

/** The list must not be empty. */
static inline struct node_packet *node_packet_pop(struct node_packet_list *list)
{
    struct node_packet *p = list->head;

    list->head = p->next;
    if (list->head == NULL)
        list->tail = NULL;
    return p;
}

struct node_packet_pool {
    struct node_packet *free;
    struct node_packet_slab *slabs;
};

void node_packet_pool_init(struct node_packet_pool *pool);
void node_packet_pool_fini(struct node_packet_pool *pool);
/** A cleared entry that takes over *tlp's payload reference. */
struct node_packet *node_packet_get(struct node_packet_pool *pool, const struct pcie_tlp *tlp,
                                    sim_time_t now);
/** Does not touch the payload: it was sent on, or dropped with pcie_tlp_drop(). */
static inline void node_packet_put(struct node_packet_pool *pool, struct node_packet *p)
{
    p->next = pool->free;
    pool->free = p;
}

/** Bytes of bus addresses that a memory request spans, enabled or not. */
static inline uint64_t node_span(const struct pcie_tlp *tlp)
{
    return tlp->length_dw * UINT64_C(4);
}

/** A buffer; out of memory is the end of the run, since a model has no way to go on. */
struct mem_payload *node_payload(struct mem_pool *pool, uint32_t bytes);

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
