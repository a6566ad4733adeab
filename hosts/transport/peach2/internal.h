/*
 * Inside of the transport over PEACH2 hubs:
 *
 *   peach2.c   the interface; makes the inbox
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
 * arrive in is settled by hardware, never by waiting.
 *
 *  - Stores of one core are posted writes of one path (PCI Express 3.0, 2.4.1: posted requests do
 *    not pass each other), so a flag stored behind its data is seen behind them.
 *  - A chain writes its status descriptor behind its data on the same path. Data that a channel
 *    writes and a flag that the core stores would take two routes into the hub. The flag of an
 * entry with DMA data is therefore always a status descriptor of the chain that moves its last
 * byte.
 *  - Stores that precede the starting of a chain leave the hub before the chain's data: the store
 *    that starts it is behind them in the queue of port N.
 *  - A write without a note has no flag. Entries and notes for the same rank begin when its chains
 *    have ended; its data are then before them on the path of all stores.
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

#include "hosts/driver/descriptor.h"
#include "hosts/driver/driver.h"
#include "hosts/transport/peach2/order.h"
#include "hosts/transport/transport.h"

#define P2_FLAGS      32u /* most entries of one pair under way */
#define P2_UNIT       16u /* rings are filled in these, as DMA wants addresses that agree so far */
#define P2_HEAD_WORDS (TRANSPORT_HEAD_BYTES / 8u)
/* A ring has so many: the data of the longest entry take one. Room for some on their way, some that
 * are being copied, and one that the end of the ring cuts off. */
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
/* A shorter message for host memory is copied sooner than its receiver announces its address; one
 * for a GPU would have to go through a channel twice. */
#define P2_WRITE_MIN 4096u
#define P2_STAGES    4u
#define P2_OPS       16u
#define P2_WRITES    64u
#define P2_CHANNELS  2u /* of one rank */

/** What the fields of a header will probably be, so that only those that are not are sent. */
struct p2_guess {
    uint32_t bytes; /* how long the last header was */
    uint64_t words[P2_HEAD_WORDS], steps[P2_HEAD_WORDS];
};

/** Another rank of the sub-cluster. Counts are of both rings of the pair, since the beginning. */
struct p2_peer {
    bool far;       /* no cable leads there */
    uint8_t *local; /* the inbox itself, when it uses the same hub */
    uint32_t node, slot, subcluster;
    uint32_t across; /* the slot that its S port alone leads to, or P2_NO_SLOT */
    uint64_t inbox;  /* in the window */
    uint32_t bell;   /* what rings its helper, by HUB_IRQ_RAISE of its hub */
    /* to it */
    uint64_t sent, sent_units, freed, freed_units;
    unsigned bare; /* writes without a note that channels do now: nothing may pass them */
    /* from it */
    uint64_t taken_units, reported_units;
    uint32_t reported;
    uint32_t
        units;   /* what the entry at the head of its ring takes, with what was skipped before it */
    uint8_t *at; /* and where it lies; NULL: it was not looked at */
    struct transport_taken entry;
    enum transport_fifo fifo;
};

/** What is to be expected of entries to and from another rank. */
struct p2_guesses {
    struct p2_guess to[TRANSPORT_FIFOS], from[TRANSPORT_FIFOS];
};

/** Do two ranks use one hub? A node may have several. */
static inline bool p2_same_hub(const struct p2_peer *a, const struct p2_peer *b)
{
    return a->node == b->node && a->subcluster == b->subcluster && a->slot == b->slot;
}

/** What a channel writes behind all data. */
struct p2_flag {
    uint32_t dest;
    uint64_t at, value; /* at: bus address; 0: there is no flag */
};

/** A remote write that goes on. */
struct p2_write {
    transport_ticket ticket; /* 0: none */
    const uint8_t *from;
    uint64_t to, left; /* what has not been staged yet; `to`: an address in the window */
    struct p2_flag flag;
    unsigned pieces;      /* of it that are queued or under way */
    struct p2_peer *bare; /* whom it goes to, if it has no note; else NULL */
};

/** What one chain does. */
struct p2_op {
    uint64_t src, dst, bytes; /* bytes 0: nothing but the flag */
    struct p2_flag flag;
    int stage;              /* that is free when it has ended; -1: none */
    struct p2_write *write; /* NULL: an entry */
};

struct p2_channel {
    unsigned number;
    bool busy;
    uint64_t chain; /* its number for the driver */
    uint64_t descs; /* the first of its own ones */
    struct p2_op op;
    uint8_t held[DRIVER_OWN_DESCS][HUB_DESC_BYTES]; /* what they hold */
};

#define P2_NO_SLOT UINT32_MAX

struct p2_far_message;

struct p2 {
    struct transport t; /* first */
    struct driver *d;
    uint32_t nranks, me;
    uint8_t *inbox;
    uint64_t inbox_bus, inbox_offset; /* on the own bus; in the host area of the own part */
    volatile uint64_t *come;          /* messages of the control network */
    volatile uint64_t *ended;         /* by channel */
    volatile uint64_t *credits, *flags;
    struct host_bar memory; /* what the ranks of the node share */
    bool bells;             /* what comes rings helpers, here and elsewhere */
    uint32_t ring_bytes, ring_units, rings;
    uint32_t ring_entries; /* of one pair under way; up to P2_FLAGS */
    uint32_t piece_bytes;  /* data of the longest entry */
    struct p2_peer *peers;
    struct p2_guesses *guesses; /* by rank; "tca" has none */
    /* What a look at all flags and credits touches lies close together. */
    uint64_t scanned_at;           /* time of the last look, plus 1 */
    uint64_t *ready, *credit_seen; /* bit by rank: an entry is there */
    uint32_t *taken;               /* entries, by rank */
    /* order.c */
    uint32_t *place; /* by rank: its place when sorted by slot */
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
    struct transport_buffer packet;
    uint8_t *bounce; /* two pinned buffers for what comes out of a GPU; NULL until needed */
    struct p2_far_message *current;
    /* Where data go that came by the control network. */
    void (*place_data)(struct p2 *p2, uint32_t area, uint64_t offset, const void *data,
                       uint64_t bytes);
    struct p2_far_message *early, **early_end; /* that came while addresses were agreed on */
};

static inline struct p2 *p2_of(struct transport *t)
{
    return (struct p2 *)t;
}

extern const struct transport_ops transport_peach2;

/* order.c */
/** What the own hub's routing registers say of its S port. */
uint32_t p2_read_across(const struct p2 *p2);
/** Once all slots are known. */
bool p2_order_init(struct p2 *p2);

#endif /* TRANSPORT_PEACH2_INTERNAL_H */
