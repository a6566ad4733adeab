/*
 * Inside of the transport over PEACH2 hubs:
 *
 *   peach2.c   the interface; where everybody's inbox is
 *   ring.c     entries: flag words, rings, credits
 *   dma.c      what the channels do: large entries and remote writes
 *   copy.c     what cores and the engines of GPUs do
 *   share.c    channels that several ranks take turns at
 *   far.c      ranks that no cable leads to: the control network
 *   order.c    which rank is whose neighbour
 *
 * The inbox of a rank is pinned host memory in the window of all hubs of its sub-cluster:
 *
 *   net       8 bytes   messages of the control network that have come
 *   ended     8 bytes   for each DMA channel of the rank: its chain has ended
 *   want      8 bytes   since when the rank wants its channel, where several share it
 *   turn      8 bytes   written when it may be its turn
 *   credits   8 bytes   for each peer: how much of its ring there is free again
 *   flags     32 words  for each peer: one for each entry under way
 *   ring      bytes     for each peer: header and data of entries
 *
 * All but the rings stand side by side, so one polling loop watches them as one range.
 *
 * What a sender does for an entry: header and data into the ring, then the flag. Which order they
 * arrive in is settled by hardware, never by waiting:
 *  - Stores of one core are posted writes of one path (PCI Express 3.0, 2.4.1: posted requests do
 *    not pass each other), so a flag stored behind its data is seen behind them.
 *  - A chain writes its status descriptor behind its data on the same path. Data that a channel
 *    writes and a flag that the core stores would take two ways into the hub; the flag of an entry
 *    with DMA data is therefore always a status descriptor of the chain that moves its last byte.
 *  - Stores that precede the starting of a chain leave the hub before the chain's data: the store
 *    that starts it is behind them in the queue of port N.
 *  - A receiver looks at flags in order, so an entry behind one whose data are still on their way
 *    waits for it, by whatever means either travels.
 *  - A rank of the same node stores into memory that both share; a hub sends nothing back to where
 *    it came from. Its flag is a store to memory, too, or that of a chain.
 *  - Data for a GPU leave the root complex by another port than a flag for host memory. Status
 *    descriptors are in internal memory, whose words come later than any such wait lasts (see
 *    driver_wait_notify()).
 */
#ifndef TRANSPORT_PEACH2_INTERNAL_H
#define TRANSPORT_PEACH2_INTERNAL_H

#include "hosts/driver/driver.h"
#include "hosts/transport/peach2/order.h"
#include "hosts/transport/transport.h"

#define P2_FLAGS      32u /* entries of one pair under way */
#define P2_UNIT       16u /* rings are filled in these, as DMA wants addresses that agree so far */
#define P2_HEAD_WORDS (TRANSPORT_HEAD_BYTES / 8u)
/* Of a ring: the data of the longest entry take one. Room for some on their way, some that are
 * being copied, and one that the end of the ring cuts off. */
#define P2_PIECES 8u
/* What two channels in turn move without a pause: each takes 1.9 us between the end of a chain and
 * the first byte of its next one, in which the other one moves 7 KB. Longer pieces would only be
 * copied later. */
#define P2_PIECE_MAX 8192u
#define P2_RING_MAX  131072u
#define P2_RING_MIN  4096u
#define P2_RINGS_MAX (UINT32_C(8) << 20) /* bytes of all rings of a rank */
/* A channel that others use, too, may be busy, and its rank waits for the end of its chain. */
#define P2_SHARED_PIO_MAX 128u
/* A shorter message for host memory is copied sooner than its receiver tells its address; one for a
 * GPU would have to go through a channel twice. */
#define P2_WRITE_MIN 4096u
#define P2_STAGES    4u
#define P2_OPS       16u
#define P2_WRITES    64u
#define P2_CHANNELS  2u /* of one rank */

/** What the fields of a header will probably be, so that only those that are not are sent. */
struct p2_guess {
    uint32_t bytes; /* of the header that came last */
    uint64_t words[P2_HEAD_WORDS], steps[P2_HEAD_WORDS];
};

/** Another rank of the sub-cluster. Counts are of both rings of the pair, since the beginning. */
struct p2_peer {
    bool far;       /* no cable leads there */
    uint8_t *local; /* the inbox itself, when it is on the same node */
    uint32_t node, slot, subcluster;
    uint32_t across; /* the slot that its S port alone leads to, or P2_NO_SLOT */
    uint64_t inbox;  /* in the window */
    uint32_t bell;   /* what rings its helper, by HUB_IRQ_RAISE of its hub */
    /* to it */
    uint64_t sent, sent_units, freed, freed_units;
    struct p2_guess to[TRANSPORT_FIFOS];
    /* from it */
    uint64_t taken_units, reported_units;
    uint32_t reported;
    uint32_t units; /* of the entry at the head of its ring, what was skipped before it included */
    uint8_t *at;    /* and where it lies; NULL: it was not looked at */
    struct transport_taken entry;
    enum transport_fifo fifo;
    struct p2_guess from[TRANSPORT_FIFOS];
};

/** A remote write that goes on. */
struct p2_write {
    transport_ticket ticket; /* 0: none */
    const uint8_t *from;
    uint64_t to, left; /* what has not been staged yet; `to`: an address in the window */
    uint64_t flag_at, flag;
    uint32_t dest;
    unsigned pieces; /* of it that are queued or under way */
};

/** What one chain does. */
struct p2_op {
    uint64_t src, dst, bytes; /* bytes 0: nothing but the flag */
    uint64_t flag_at, flag;   /* flag_at 0: none */
    uint32_t dest;            /* of the flag */
    int stage;                /* that is free when it has ended; -1: none */
    struct p2_write *write;   /* NULL: an entry */
};

struct p2_channel {
    unsigned number;
    bool busy;
    uint64_t chain; /* its number for the driver */
    uint64_t descs; /* the first of its own ones */
    struct p2_op op;
    uint64_t line[8]; /* what the first two descriptors hold, */
    uint64_t bell[4]; /* and the last one, where flags ring */
};

#define P2_NO_SLOT UINT32_MAX

struct p2_far_message;

struct p2 {
    struct transport t; /* first */
    struct driver *d;
    uint32_t nranks, me;
    uint8_t *inbox;
    uint64_t inbox_bus, inbox_offset; /* on the own bus; in the host area of the own part */
    volatile uint64_t *ended;         /* by channel */
    volatile uint64_t *credits, *flags;
    struct host_bar memory; /* what the ranks of the node share */
    uint32_t watched;       /* bytes of the inbox */
    bool bells;             /* what comes rings helpers, here and elsewhere */
    uint32_t ring_bytes, ring_units, rings;
    uint32_t piece_bytes; /* data of the longest entry */
    struct p2_peer *peers;
    /* What a look at all flags and credits touches lies close together. */
    uint64_t scanned_at;           /* time of the last look, plus 1 */
    uint64_t *ready, *credit_seen; /* bit by rank: an entry is there */
    uint32_t *taken;               /* entries, by rank */
    /* order.c */
    uint32_t *place; /* of each rank, by slot */
    struct p2_sorted {
        int rank, index;
    } * sorted; /* by place */
    /* dma.c */
    unsigned nchannels;
    unsigned *sharers; /* other ranks that use the rank's only channel; those of the world */
    unsigned nsharers;
    bool has_turn;
    struct p2_channel channel[P2_CHANNELS];
    uint8_t *stage;
    uint64_t stage_bus;
    uint32_t stages_free; /* bit by number */
    struct p2_op ops[P2_OPS];
    unsigned first_op, nops;
    struct p2_write writes[P2_WRITES];
    struct p2_write own; /* one that the rank waits for in the call */
    unsigned staging;    /* writes that have more to stage */
    bool has_ended;      /* a chain, since news() has last reported one */
    transport_ticket tickets;
    /* far.c */
    uint64_t net_taken;
    unsigned far_source;
    enum transport_fifo far_fifo;
    bool has_far, holds;
    bool even; /* as many ranks on each node */
    struct transport_taken far_entry;
    uint8_t *packet;
    size_t packet_room;
    uint8_t *bounce; /* two pinned buffers for what comes out of a GPU; NULL until needed */
    struct p2_far_message *current;
    struct p2_far_message *early, **early_end; /* that came while addresses were agreed on */
};

static inline struct p2 *p2_of(struct transport *t)
{
    return (struct p2 *)t;
}

/* ring.c */
/** Where the parts of an inbox begin. */
static inline uint32_t p2_credits_at(void)
{
    return 64;
}
static inline uint32_t p2_flags_at(uint32_t nranks)
{
    return p2_credits_at() + (nranks * 8u + 63u) / 64u * 64u;
}
static inline uint32_t p2_rings_at(uint32_t nranks)
{
    return p2_flags_at(nranks) + nranks * P2_FLAGS * 8u;
}

/** Room that was found for an entry. */
struct p2_place {
    uint64_t at;      /* in the inbox: header, filled up to a unit in front, and data */
    uint64_t flag_at; /* in the inbox */
    uint32_t head;    /* bytes of the header with what fills it up */
    uint32_t skip, units;
};
/** @return false: none now. */
bool p2_find_room(struct p2 *p2, unsigned dest, uint32_t head_bytes, uint32_t bytes,
                  struct p2_place *place_p);
/**
 * Takes the room. The words of the header that the far side does not guess are stored, in one go
 * with data that a core can store.
 * @return the flag, for the caller to have written behind all else.
 */
uint64_t p2_put_head(struct p2 *p2, unsigned dest, enum transport_fifo fifo,
                     const struct p2_place *place, const void *head, uint32_t head_bytes,
                     const void *data, uint32_t stored, uint32_t bytes);
/** Stores to a place in the inbox of a rank: in no order, and a word in order behind all else. */
void p2_put(struct p2 *p2, unsigned dest, uint64_t at, const void *bytes, uint64_t n);
void p2_put_flag(struct p2 *p2, unsigned dest, uint64_t at, uint64_t flag);
/** Bus address of a place in the inbox, for a DMA channel. */
static inline uint64_t p2_bus(const struct p2 *p2, unsigned dest, uint64_t at)
{
    return p2->d->window_bus + p2->peers[dest].inbox + at;
}
/** Rings the helper of `dest`, if there are any, by a store of the core behind that of a flag. */
void p2_ring(struct p2 *p2, unsigned dest);
/** The register of its hub that rings it, as a bus address here. */
static inline uint64_t p2_bell_bus(const struct p2 *p2, unsigned dest)
{
    return driver_window(p2->d, p2->peers[dest].slot, HUB_AREA_SELF, HUB_IRQ_RAISE);
}
/** To be OR-ed to a flag that a core stores behind data for this GPU. */
uint64_t p2_flag_flush(unsigned gpu);
/** Looks at the head of a ring. @return whether an entry is there; see p2_peer.entry. */
bool p2_look(struct p2 *p2, unsigned source);
void p2_release(struct p2 *p2, unsigned source);
/** The first rank >= `from` with an entry at the head of its ring for this FIFO; p2->nranks: none.
 */
unsigned p2_next_ready(struct p2 *p2, enum transport_fifo fifo, unsigned from);
/** Is there what nobody has looked at: entries, credits? */
bool p2_news(struct p2 *p2);
/** Is half of the ring of some source, or of its flags, full of entries? Takes no time. */
bool p2_half_full(const struct p2 *p2);

/* dma.c */
int p2_dma_init(struct p2 *p2, unsigned local_index, unsigned local_ranks);
/** From now on ends of the rank's chains ring its helper; a rank that shares its channel waits for
 * them itself. */
void p2_dma_ring(struct p2 *p2);
/** Is there what only the rank's core can start? */
bool p2_dma_queued(const struct p2 *p2);
/** Takes in what has ended, and starts what may begin. @return whether anything has ended. */
bool p2_dma_progress(struct p2 *p2);
/** Is something queued that waits for a program's own chain? */
bool p2_dma_waits_for_others(const struct p2 *p2);
/** Until something may have ended. */
void p2_dma_wait(struct p2 *p2);
/** Header and data by way of pinned memory. @return false: no room. */
bool p2_append_staged(struct p2 *p2, unsigned dest, enum transport_fifo fifo, const void *head,
                      uint32_t head_bytes, const void *data, uint32_t bytes);
/** Data from where they are; returns when they have been read. @return false: no room. */
bool p2_append_direct(struct p2 *p2, unsigned dest, enum transport_fifo fifo, const void *head,
                      uint32_t head_bytes, const void *data, uint32_t bytes);
/** `to`: a bus address in the window, in this area. @return false: no room. */
bool p2_write(struct p2 *p2, unsigned dest, unsigned area, uint64_t to, const void *from,
              uint64_t bytes, const void *note, uint32_t note_bytes, transport_ticket *ticket_p);
/** Writes to this offset in an area of the own part of the window; returns when that has ended. */
void p2_write_own(struct p2 *p2, unsigned area, uint64_t offset, const void *from, uint64_t bytes);
bool p2_done(const struct p2 *p2, transport_ticket ticket);
/** One or both ends are memory of a GPU of this node. Returns when the data are there. */
void p2_copy_gpu(struct p2 *p2, void *to, const void *from, uint64_t bytes);

/* share.c */
#define P2_WANT_AT 24u /* in the inbox */
#define P2_TURN_AT 32u
/** `local_index`: of this rank among those of its node. @return false: out of memory. */
bool p2_share_init(struct p2 *p2, unsigned local_index, unsigned local_ranks);
/** Waits for the channel; and gives it to whoever has waited longest. */
void p2_turn_take(struct p2 *p2);
void p2_turn_give(struct p2 *p2);
/** May it start chains? */
static inline bool p2_has_turn(const struct p2 *p2)
{
    return p2->nsharers == 0 || p2->has_turn;
}

/* copy.c */
#define P2_ALIGN_LOW 15u /* source and destination agree in these bits of their addresses */
#define P2_GRAIN     4u  /* what a channel moves is a multiple of that */
static inline uint32_t p2_stage_bytes(const struct p2 *p2)
{
    return p2->piece_bytes + TRANSPORT_HEAD_BYTES + P2_UNIT;
}
/** One end is memory of a GPU. Returns when the engine is done; what it has sent to host memory may
 * still be on its way. */
void p2_copy_by_engine(struct p2 *p2, unsigned gpu, struct host_copy_end to,
                       struct host_copy_end from, uint64_t bytes);
/** Copies into a stage, to an address that agrees with `to`. @return its bus address. */
uint64_t p2_fill_stage(struct p2 *p2, int stage, uint64_t to, const void *from, uint64_t bytes);
/** To a bus address in the window, by the core. */
void p2_store(struct p2 *p2, uint64_t to, const void *bytes, uint64_t n);
/** Bytes behind the last whole grain: the core stores them before the channel starts. */
void p2_store_rest(struct p2 *p2, uint64_t to, const uint8_t *from, uint64_t bytes);

/* far.c */
/** Agrees on everybody's inbox. */
bool p2_exchange(struct p2 *p2);
void p2_far_fini(struct p2 *p2);
bool p2_far_append(struct p2 *p2, unsigned dest, enum transport_fifo fifo, const void *head,
                   uint32_t head_bytes, const void *data, uint32_t bytes);
bool p2_far_write(struct p2 *p2, unsigned dest, uint32_t area, uint64_t offset, const void *from,
                  uint64_t bytes, const void *note, uint32_t note_bytes);
/** Takes the next message out of the network when none is held. @return whether one is. */
bool p2_far_pull(struct p2 *p2);

extern const struct transport_ops transport_peach2;

/* order.c */
/** What the own hub's routing registers say of its S port. */
uint32_t p2_read_across(const struct p2 *p2);
/** Once all slots are known. */
bool p2_order_init(struct p2 *p2);

#endif /* TRANSPORT_PEACH2_INTERNAL_H */
