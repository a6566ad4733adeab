/*
 * The Memory-Based Communication Facility: a task writes into the memory of a
 * task on another node, or appends to a FIFO there that the other task has set
 * up in its own memory. Tasks are the ranks of the program. Each call is a
 * system call; data may be changed when it returns. What one task sends to
 * another arrives once and in order.
 */
#ifndef MBCF_H
#define MBCF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MBCF_PACKET_BYTES 1408u /* most data of one packet */
#define MBCF_REGIONS      1024u /* each task has so many */
#define MBCF_FIFOS        256u  /* each task has so many */

enum mbcf_status {
    MBCF_OK = 0,
    MBCF_ERR_ARGUMENT = -1,   /* no such task, region or FIFO number; a size of 0; misuse */
    MBCF_ERR_NO_NETWORK = -2, /* the node has no Ethernet adapter */
    MBCF_ERR_NOMEM = -3
};

/** Counts of this task's node so far. */
struct mbcf_counts {
    uint64_t packets, bytes;   /* sent: with data, and those data */
    uint64_t acks;             /* sent alone */
    uint64_t retransmissions;  /* sent again */
    uint64_t duplicates, gaps; /* received again; received too early, since one was lost */
    uint64_t interrupts;
    uint64_t last_end_ps; /* when the last write or append of this node's tasks ended */
};

/** Before all others; tasks that others write to call it, too. */
int mbcf_open(void);
unsigned mbcf_task(void);  /* the number of this task */
unsigned mbcf_tasks(void); /* all of the program */
/** Lets others write to [p, p + bytes) as region `region` of this task, 0 .. MBCF_REGIONS - 1. */
int mbcf_expose(unsigned region, void *p, size_t bytes);
int mbcf_hide(unsigned region);
/** Makes [ring, ring + bytes) FIFO `fifo` of this task, 0 .. MBCF_FIFOS - 1. */
int mbcf_fifo_open(unsigned fifo, void *ring, size_t bytes);

/**
 * Writes to `offset` of a region of another task, in as many packets as it needs. A region that is
 * not yet exposed, or too small, is tried again and again. `ack` NULL, or *ack grows by the number
 * of packets and falls by one with each that is acknowledged.
 */
int mbcf_write(unsigned task, unsigned region, uint64_t offset, const void *from, size_t bytes,
               volatile uint32_t *ack);
/** Appends an entry of at most MBCF_PACKET_BYTES. One that finds no room is tried again. */
int mbcf_fifo_write(unsigned task, unsigned fifo, const void *from, size_t bytes,
                    volatile uint32_t *ack);
/** Takes the oldest entry out, at most `bytes` of it. @return its size, or -1: none is there. */
long mbcf_fifo_read(unsigned fifo, void *to, size_t bytes);
/** Waits until something has been written, appended or acknowledged since the last mbcf_wait(). */
void mbcf_wait(void);
void mbcf_count(struct mbcf_counts *counts);
uint64_t mbcf_time_ps(void); /* simulated time; reading it takes none */

#ifdef __cplusplus
}
#endif
#endif /* MBCF_H */
