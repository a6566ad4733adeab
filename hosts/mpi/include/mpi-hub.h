/* The library counts this in each rank, for programs that measure it. It is no part of MPI. */
#ifndef HUBSIM_MPI_HUB_H
#define HUBSIM_MPI_HUB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPIX_HUB_COPIES 4 /* the last stands for more, too */

/** Since MPI_Init(). Bytes are those of user data; collectives count as the messages they send.
 * Each message goes one way: it is written, or through a FIFO, where one in several pieces counts
 * once, or its receiver reads it. Of one that is longer than its receive only what is sent counts
 * there. */
typedef struct MPIX_Hub_counts {
    uint64_t messages, bytes;             /* sent, also to the rank itself */
    uint64_t write_messages, write_bytes; /* of them: by remote write into the receive's buffer */
    uint64_t fifo_messages, fifo_bytes;   /* of them: through a FIFO */
    uint64_t read_bytes;                  /* received by remote read */
    /** Messages received by how often software has copied their data: 0, 1, 2, more. */
    uint64_t copies[MPIX_HUB_COPIES], copied_bytes[MPIX_HUB_COPIES];
    uint64_t unexpected; /* received before their receives */
    uint64_t asks;       /* receives that announced their address, */
    uint64_t stale_asks; /* and, at the sender, those of them that crossed a message */
    uint64_t entries;    /* put into FIFOs of others */
    uint64_t helped;     /* times that the helper interrupted the program (progress=helper) */
} MPIX_Hub_counts;

int MPIX_Hub_counters(MPIX_Hub_counts *counts);
/** Counts what the rank has sent to one rank of MPI_COMM_WORLD, which may be itself. */
int MPIX_Hub_sent(int rank, uint64_t *messages, uint64_t *bytes);
/** For other languages than C: the next call that sets or gets an attribute has it as an integer of
 * so many bytes, 4 or 8, in the place of a pointer. */
void MPIX_Hub_integers(size_t bytes);

#ifdef __cplusplus
}
#endif
#endif /* HUBSIM_MPI_HUB_H */
