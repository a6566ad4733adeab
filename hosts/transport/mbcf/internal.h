/* The transport over the Memory-Based Communication Facility, inside: mbcf.c receives, mbcf_out.c
 * sends. */
#ifndef MPI_MBCF_TRANSPORT_H
#define MPI_MBCF_TRANSPORT_H

#include "hosts/mbcf/internal.h"
#include "hosts/transport/transport.h"

#define MPI_MBCF_NOTES 64u /* of one source */

/** A place in the table of notes; remote writes fill it from its beginning. */
struct mpi_mbcf_note {
    uint32_t turn;  /* notes before it in all, and this one: not 0 when it is there */
    uint32_t after; /* entries of the message FIFO before it */
    uint32_t bytes;
    uint32_t spare;
    uint8_t data[MPI_HEAD_BYTES];
};

/** What has been taken; the receiver writes it to the sender. */
struct mpi_mbcf_taken {
    uint64_t fifo[MPI_FIFOS]; /* bytes, as struct mbcf_fifo counts them */
    uint64_t notes;
};

/** Data on their way to exposed memory, as far as packets find room, and the note behind them. */
struct mpi_mbcf_write {
    const uint8_t *from; /* NULL: all of it has gone */
    uint64_t offset, at, bytes;
    uint32_t region, note_bytes;
    uint32_t number; /* writes to this rank before it */
    struct mpi_mbcf_note note;
};

struct mpi_mbcf_pair {
    /* as a source */
    struct mpi_mbcf_taken told, taken; /* to it; by this rank */
    uint32_t entries;                  /* of its message FIFO that were taken */
    bool looked[MPI_FIFOS];            /* the entry at the head was looked at */
    bool follows;                      /* the last entry was full, so the next one is more of it */
    bool noted;                        /* it is a note that was */
    struct mpi_mbcf_note *notes;
    /* as a destination */
    struct mbcf_fifo far[MPI_FIFOS]; /* `tail` as it will be there */
    uint32_t appended, sent_notes;
    struct mpi_mbcf_write write;
    struct mpi_mbcf_taken room; /* it writes this */
};

struct mpi_mbcf {
    struct mpi_transport t;
    bool sockets; /* transport tcp: what an ordinary kernel offers */
    bool reading; /* of those: a read that goes on with the next piece */
    struct mbcf_task *task;
    unsigned size;
    struct mpi_mbcf_pair *pairs;
    uint32_t *spare; /* regions for memory of the program */
    unsigned nspare;
    uint8_t *rings;
};

static inline struct mpi_mbcf *mpi_to_mbcf(struct mpi_transport *t)
{
    return (struct mpi_mbcf *)t;
}

static inline unsigned mpi_mbcf_fifo(unsigned source, enum mpi_fifo fifo)
{
    return source * MPI_FIFOS + fifo;
}

/* mbcf_out.c; of struct mpi_transport_ops: */
bool mpi_mbcf_append(struct mpi_transport *t, unsigned dest, enum mpi_fifo fifo, const void *head,
                     uint32_t head_bytes, const void *data, uint32_t bytes);
bool mpi_mbcf_write(struct mpi_transport *t, unsigned dest, const struct mpi_key *key,
                    uint64_t offset, const void *from, uint64_t bytes, const void *note,
                    uint32_t note_bytes, mpi_ticket *ticket_p);
bool mpi_mbcf_done(struct mpi_transport *t, mpi_ticket ticket);
/** One packet; `cold`: its data are not in the cache. */
void mpi_mbcf_send(struct mpi_mbcf *m, unsigned dest, uint32_t region, uint64_t offset,
                   const void *from, uint32_t bytes, bool cold);
/** Whether a write that had to stop can go on. If `waits`, what makes room wakes this rank. */
bool mpi_mbcf_can_go_on(struct mpi_mbcf *m, bool waits);

#endif /* MPI_MBCF_TRANSPORT_H */
