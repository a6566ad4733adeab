/*
 * Inside of the facility: it is part of each node's operating system.
 *
 *   mbcf.c      what programs call
 *   kernel.c    the sender's system call, windows, retransmission
 *   receive.c   the receiver's interrupt handler
 *   memory.c    regions and FIFOs of tasks
 */
#ifndef MBCF_INTERNAL_H
#define MBCF_INTERNAL_H

#include <stdbool.h>

#include "hosts/host/host.h"
#include "hosts/mbcf/costs.h"
#include "hosts/mbcf/include/mbcf.h"

#define MBCF_ETHERTYPE    0x88b5u /* for experiments (802, clause 9.2) */
#define MBCF_ETHER_BYTES  14u
#define MBCF_HEADER_BYTES 38u
#define MBCF_HEAD         (MBCF_ETHER_BYTES + MBCF_HEADER_BYTES)
/* In memory a frame begins two bytes late, so that what follows its header is aligned. */
#define MBCF_SKEW  2u
#define MBCF_FRAME (MBCF_HEAD + MBCF_PACKET_BYTES)

enum mbcf_op { MBCF_OP_ACK, MBCF_OP_WRITE, MBCF_OP_APPEND };
enum { MBCF_WANTS_ACK = 1, MBCF_GAP = 2 }; /* flags; gap: all from `ack` + 1 on is missing */

/** A packet's header, after Ethernet's; big-endian on the cable. */
struct mbcf_header {
    uint8_t op, flags;
    uint16_t bytes; /* of data */
    uint32_t task, from_task;
    uint32_t sequence, ack; /* of this pair of nodes: of this packet; all up to it have come */
    uint32_t object;        /* region or FIFO */
    uint64_t offset;        /* in the region */
};
void mbcf_header_encode(const struct mbcf_header *h, uint8_t *bytes);
void mbcf_header_decode(struct mbcf_header *h, const uint8_t *bytes);

/** What operations take on this platform ("kernel." in docs/model.md). */
struct mbcf_costs {
    uint64_t copy_kb; /* what is in the cache */
    MBCF_SETTINGS(MBCF_MEMBER)
};

/** A FIFO: entries of a length and data, rounded up to 8 bytes, in the order of their coming. */
struct mbcf_fifo {
    uint8_t *ring;
    uint64_t room, head, tail; /* bytes; counts of bytes taken out and put in */
    unsigned entries;
};

struct mbcf_region {
    uint8_t *p;
    uint64_t bytes;
};

struct mbcf_node;

/** A rank. */
struct mbcf_task {
    struct host_state kept; /* first: see task_of() */
    struct host *host;
    struct mbcf_node *node;
    struct mbcf_task *next; /* of its node */
    struct mbcf_region regions[MBCF_REGIONS];
    struct mbcf_fifo fifos[MBCF_FIFOS];
    uint64_t events, seen; /* what has come or been acknowledged; when it waited last */
    bool blocked;          /* in a system call */
    bool rings;            /* what comes rings the rank's helper */
};

/** A packet that has been sent and not been acknowledged. */
struct mbcf_sent {
    struct mbcf_task *task;
    volatile uint32_t *ack;
    uint64_t time_ps;
    uint32_t bytes;
    uint8_t frame[MBCF_FRAME];
};

struct mbcf_peer {
    uint32_t next, acked;     /* to it: the next sequence number; all before it are there */
    uint32_t expected;        /* from it */
    uint32_t unacked;         /* come from it since the last acknowledgement */
    uint64_t ack_ps;          /* when these are acknowledged at the latest */
    bool gap_sent;            /* that `expected` is missing */
    struct mbcf_sent *window; /* sequence number mod costs.window */
};

struct mbcf_node {
    struct host_state kept; /* first, as of a task */
    struct mbcf_task *tasks;
    struct mbcf_peer *peers; /* by node */
    struct mbcf_sent *windows;
    unsigned npeers, slots;        /* slots: the adapter's transmit ring has so many */
    const struct mbcf_task *space; /* whose address space the handler is in; NULL: another one */
    struct mbcf_costs costs;
    uint64_t timer_ps; /* when the node's timer comes; HOST_NEVER: not at all */
    struct mbcf_counts counts;
};

/** One packet of a task. */
struct mbcf_call {
    enum mbcf_op op;
    unsigned task;
    uint32_t object;
    uint64_t offset;
    struct mbcf_piece {
        const void *from;
        uint32_t bytes;
    } pieces[2]; /* one after the other; together at most MBCF_PACKET_BYTES */
    bool cold;   /* the last piece is not in the cache: the task has done much else since */
    bool inside; /* the kernel makes it: no system call of its own */
    volatile uint32_t *ack; /* falls by one when it is acknowledged; or NULL */
};

int mbcf_task_open(struct host *h, struct mbcf_task **task_p);

/* kernel.c */
/** The system call of one packet; returns when it is in the transmit ring. */
void mbcf_send(struct mbcf_task *t, const struct mbcf_call *call);
/** Whether mbcf_send() to a task would not wait. If `waits`, an interrupt that makes room wakes it.
 */
bool mbcf_room(struct mbcf_task *t, unsigned task, bool waits);
void mbcf_acknowledged(struct mbcf_node *node, struct host *h, unsigned peer, uint32_t ack);
void mbcf_send_again(struct mbcf_node *node, struct host *h, unsigned peer);
void mbcf_ack_send(struct mbcf_node *node, struct host *h, unsigned peer, uint8_t flags);
/** The timer comes at `at` or before. */
void mbcf_arm(struct mbcf_node *node, struct host *h, uint64_t at);
void mbcf_timer(struct mbcf_node *node, struct host *h);
/** Cached copy of `bytes`, of which `lines` lines are not in the cache. */
uint64_t mbcf_copy_ps(const struct mbcf_costs *costs, uint64_t bytes, uint64_t lines);
/** Lines that [at, at + bytes) touches. */
uint64_t mbcf_lines(uint64_t at, uint64_t bytes);
void mbcf_wake(struct mbcf_task *t, struct host *h);

/* receive.c */
void mbcf_interrupt(struct host *h, void *arg, enum host_ether_event what);

/* memory.c */
/** What the handler, or a call to a task of the same node, takes before it can copy. */
bool mbcf_fits(const struct mbcf_task *t, const struct mbcf_header *hdr);
void mbcf_put(struct mbcf_task *t, const struct mbcf_header *hdr, const uint8_t *data);
bool mbcf_place_is_cached(const struct mbcf_task *t, const struct mbcf_header *hdr);
/** Of mbcf_put(); `cached`: the place is in the cache. */
uint64_t mbcf_put_ps(const struct mbcf_costs *costs, const struct mbcf_header *hdr, bool cached);
struct mbcf_task *mbcf_find(const struct mbcf_node *node, unsigned task);
/** What an entry takes of a FIFO. */
uint64_t mbcf_entry_bytes(uint64_t bytes);
/** The oldest entry in place, which stays until mbcf_drop(); NULL: none. Takes no time. */
const uint8_t *mbcf_oldest(const struct mbcf_fifo *fifo, uint32_t *bytes_p);
void mbcf_drop(struct mbcf_fifo *fifo);
/** A sender's count of a FIFO elsewhere: takes what an entry needs. @return false: no room. */
bool mbcf_fifo_reserve(struct mbcf_fifo *far, uint32_t bytes);
/** The system call that takes `bytes` of an entry out. */
uint64_t mbcf_take_ps(const struct mbcf_costs *costs, uint64_t bytes);

#endif /* MBCF_INTERNAL_H */
