/* The transport over the Memory-Based Communication Facility, inside: mbcf.c receives, mbcf_out.c
 * sends. */
#ifndef TRANSPORT_MBCF_INTERNAL_H
#define TRANSPORT_MBCF_INTERNAL_H

#include "hosts/mbcf/internal.h"
#include "hosts/transport/transport.h"

#define MBCFT_NOTES   64u /* of one source */
#define MBCFT_WATCHED 64u

/** A place in the table of notes; remote writes fill it from its beginning. */
struct mbcft_note {
    uint32_t turn;  /* notes before it in its FIFO, and this one: not 0 when it is there */
    uint32_t after; /* entries of its FIFO before it */
    uint32_t bytes;
    uint32_t spare;
    uint8_t data[TRANSPORT_HEAD_BYTES];
};

/** What has been taken; the receiver writes it to the sender. */
struct mbcft_taken {
    uint64_t fifo[TRANSPORT_FIFOS]; /* bytes, as struct mbcf_fifo counts them */
    uint32_t notes[TRANSPORT_FIFOS];
};

/** Data on their way to exposed memory, as far as packets find room, and the note behind them. */
struct mbcft_write {
    const uint8_t *from; /* NULL: all of it has gone */
    uint64_t at, bytes;
    uint64_t offset; /* in the region */
    uint32_t region;
    enum transport_fifo fifo; /* for the note */
    uint32_t number;          /* of this write among those to this rank */
    volatile uint32_t *ack;   /* becomes 0 when the last packet of data is there; or NULL */
    struct mbcft_note note;
};

struct mbcft_pair {
    /* as a source */
    struct mbcft_taken taken, reported; /* by this rank; to the source */
    uint32_t entries[TRANSPORT_FIFOS];  /* that were taken, without notes */
    bool looked[TRANSPORT_FIFOS];       /* the entry at the head was looked at */
    bool follows;                       /* the last entry was full, so the next one is more of it */
    bool noted[TRANSPORT_FIFOS];        /* it is a note that was */
    struct mbcft_note *notes;           /* MBCFT_NOTES for each FIFO */
    /* as a destination */
    struct mbcf_fifo far[TRANSPORT_FIFOS]; /* `tail` as it will be there */
    uint32_t appended[TRANSPORT_FIFOS], sent_notes[TRANSPORT_FIFOS];
    struct mbcft_write write;
    struct mbcft_taken room; /* it writes this */
};

struct mbcft {
    struct transport t;
    bool sockets;           /* transport tcp: what an ordinary kernel offers */
    bool reading;           /* of those: a read that goes on with the next piece */
    struct mbcf_task *task; /* the rank's, which its libraries share */
    uint64_t seen;          /* events of it when this transport waited last */
    /* Writes of which the library wants to know when they are there. A ticket of 0: none. */
    struct mbcft_watched {
        transport_ticket ticket;
        volatile uint32_t left; /* packets that are not acknowledged */
    } watched[MBCFT_WATCHED];
    unsigned size;
    unsigned first_fifo, first_region; /* its own ones of the task */
    struct mbcft_pair *pairs;
    uint8_t *rings;
};

static inline struct mbcft *mbcft_of(struct transport *t)
{
    return (struct mbcft *)t;
}

static inline const struct mbcf_costs *mbcft_costs(const struct mbcft *m)
{
    return &m->task->node->costs;
}

/** The numbers are the same at both sides. */
static inline unsigned mbcft_fifo(const struct mbcft *m, unsigned source, enum transport_fifo fifo)
{
    return m->first_fifo + source * TRANSPORT_FIFOS + fifo;
}
/** For notes of a source; and for what it reports of room. */
static inline uint32_t mbcft_notes_region(const struct mbcft *m, unsigned source)
{
    return m->first_region + source;
}
static inline uint32_t mbcft_room_region(const struct mbcft *m, unsigned source)
{
    return m->first_region + m->size + source;
}

/** Where note number `n` from 0 of a FIFO lies in the table. */
static inline unsigned mbcft_note_of(enum transport_fifo fifo, uint32_t n)
{
    return fifo * MBCFT_NOTES + n % MBCFT_NOTES;
}

/* mbcf_out.c; of struct transport_ops: */
bool mbcft_append(struct transport *t, unsigned dest, const struct transport_entry *e);
bool mbcft_write(struct transport *t, unsigned dest, const struct transport_write *write,
                 transport_ticket *ticket_p);
bool mbcft_done(struct transport *t, transport_ticket ticket);
bool mbcft_placed(struct transport *t, transport_ticket ticket);
/** One packet; `cold`: its data are not in the cache. */
void mbcft_send(struct mbcft *m, unsigned dest, uint32_t region, uint64_t offset, const void *from,
                uint32_t bytes, bool cold);
/** Whether a write that had to stop can go on. If `waits`, what makes room wakes this rank. */
bool mbcft_can_go_on(struct mbcft *m, bool waits);

#endif /* TRANSPORT_MBCF_INTERNAL_H */
