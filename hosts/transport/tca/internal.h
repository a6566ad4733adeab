/*
 * Inside of the transport "tca", by which GASNet went over PEACH2 hubs in 2016:
 *
 *   tca.c      the interface; memory, settings
 *   ring.c     packets out: entries of rings, flags
 *   receive.c  packets in: what may be taken when; data that land by a copy; acknowledgements
 *   write.c    the four data modes of remote writes
 *   job.c      pieces of transfers that channels move, by way of which buffers
 *   piece.c    into which pieces, and where they are
 *   channel.c  DMA channels: descriptors, starts, ends
 *   cache.c    which descriptors are kept
 *   gpu.c      loads and stores of GPU memory; its engine
 *   count.c    what a profile shows of all that
 *
 * The inbox of a rank is pinned host memory in the window of all hubs of its sub-cluster:
 *
 *   come      8 bytes   messages of the control network that have come
 *   want, turn          see peach2/share.c
 *   ended     8 bytes   for each DMA channel of the rank: its chain has ended
 *   copies    8 bytes   for each engine of each GPU: its last copy that has ended
 *   acks      8 bytes   for each peer: entries of its rings here that were handled
 *   counts    8 bytes   for each peer and channel: transfers of it that have arrived
 *   flags     8 bytes   for each entry of a ring
 *   rings               for each peer: two of packets, one for each FIFO, and one of pieces
 *
 * One polling loop watches all but the rings. A send area of the same layout as the rings holds
 * what channels move from here: both sides have the same bytes.
 *
 * An entry may be taken when its flag is there and, of the same source,
 *
 *  - as many transfers of channels have arrived as its flag demands: those that were begun before
 *    it, as far as their ends are not known to the sender. So a packet leaves when the transfer of
 *    its data has been started, and travels beside it.
 *  - as many packets with data have landed as its flag demands: of those that were sent before it,
 *    in whichever ring. They land in their order, whether or not the entries in front of them were
 *    taken.
 *
 * Replies have a ring of their own, as have pieces of long transfers, which land and are
 * acknowledged without the protocols: none of them waits behind a request that is not taken.
 */
#ifndef TRANSPORT_TCA_INTERNAL_H
#define TRANSPORT_TCA_INTERNAL_H

#include <string.h>

#include "hosts/driver/descriptor.h"
#include "hosts/driver/driver.h"
#include "hosts/transport/peach2/internal.h"
#include "hosts/transport/tca/cache.h"
#include "hosts/transport/tca/count.h"
#include "hosts/transport/tca/settings.h"
#include "hosts/transport/transport.h"

#define TCT_RINGS      3u              /* those of the FIFOs, and */
#define TCT_PIECES     TRANSPORT_FIFOS /* that of pieces */
#define TCT_GPUS       DRIVER_GPUS
#define TCT_JOBS       64u
#define TCT_FLAGS      32u /* descriptors of flags, for so many peers at once */
#define TCT_ENTRY_HEAD 32u /* what an entry may hold before header and data */
#define TCT_PIECE_HEAD 16u
#define TCT_ALIGN_LOW  15u /* source and target of a channel agree in these bits */
#define TCT_LOADED_MAX                                                                             \
    64u                  /* more than that an engine copies out of a GPU: a load of 16 bytes takes \
                            0.9 us */
#define TCT_GRAIN     4u /* a channel moves multiples of that */
#define TCT_ENDED_AT  64u /* in the inbox */
#define TCT_COPIES_AT 128u
#define TCT_ACKS_AT   (TCT_COPIES_AT + TCT_GPUS * HOST_COPY_ENGINES * 8u)
#define TCT_RINGS_MAX (UINT32_C(32) << 20) /* bytes of all rings of packets of a rank */

/** What is in a key. */
struct tct_key {
    uint16_t slot, subcluster;
    uint32_t area;   /* in the window; or TCT_BY_COPY: only software of its rank reaches it */
    uint64_t offset; /* in the area; or the pointer */
};
#define TCT_BY_COPY HUB_AREA_SELF
_Static_assert(sizeof(struct tct_key) <= TRANSPORT_KEY_BYTES, "a key has to fit");

/** Where data go: an area and an offset in it, as in a key; and in one word, for packets. */
struct tct_target {
    uint32_t area;
    uint64_t offset;
};
#define TCT_AREA_SHIFT 60u
static inline uint64_t tct_target_word(struct tct_target t)
{
    return (uint64_t)t.area << TCT_AREA_SHIFT | t.offset;
}
static inline struct tct_target tct_target_of(uint64_t word)
{
    return (struct tct_target){ (uint32_t)(word >> TCT_AREA_SHIFT),
                                word & ((UINT64_C(1) << TCT_AREA_SHIFT) - 1) };
}

/** A ring of one pair. */
struct tct_ring {
    uint32_t sent, freed; /* to the peer */
    /* from it: looked at as they came, taken out, acknowledged */
    uint32_t seen, taken, acked;
};

struct tct_peer {
    struct tct_ring ring[TCT_RINGS];
    /* to it */
    uint32_t landings;               /* packets with data */
    uint32_t promised[TCT_CHANNELS]; /* transfers, begun or to be */
    uint32_t started[TCT_CHANNELS];  /* of them */
    uint32_t ended[TCT_CHANNELS];    /* those that the sender knows to have ended */
    uint16_t flush[2][TCT_CHANNELS]; /* marks of the last ones to each GPU whose word may be
                                        there before their data */
    bool held;                       /* a transfer in pieces goes there: nothing else is begun */
    /* from it */
    uint32_t landed;
    uint16_t flushed[2][TCT_CHANNELS];
};

/** The flag that a ring waits for. Apart from its peer, as each look reads those of all. */
struct tct_awaited {
    uint32_t flag; /* its index */
    uint32_t lap;  /* the number it will have */
};

/** The packet behind a transfer, or beside it: with the first bytes of the data, where a channel
 * cannot move all of them. */
struct tct_note {
    enum transport_fifo fifo;
    uint32_t head_bytes, bytes; /* both 0: there is none */
    struct tct_target target;   /* of those bytes */
    uint8_t head[TRANSPORT_HEAD_BYTES], data[TCT_GRAIN];
};

enum tct_source { TCT_DIRECT, TCT_COPIED, TCT_STAGED };

/** A transfer that channels move, in pieces. */
struct tct_job {
    transport_ticket ticket; /* 0: free; when it ends it is */
    enum tct_source source;  /* what the channel reads: where the data are, or a send buffer filled
                                by the core, from there or from what an engine has copied */
    bool landing;            /* into entries of the ring of pieces, not to the target */
    bool internal;           /* its descriptors may move to the hub's memory */
    unsigned dest, channel;  /* channel: of the first piece; others follow in turn */
    const uint8_t *from;
    unsigned gpu;        /* TCT_STAGED: whose data they are */
    uint64_t gpu_offset; /* in its memory */
    uint64_t src;        /* TCT_DIRECT: bus address */
    struct tct_target target;
    uint64_t dst; /* in the window; of one that lands nowhere by itself 0 */
    uint64_t bytes;
    uint64_t first;          /* bytes of the first pieces; */
    uint32_t alike, doubles; /* so many are as long, the next ones twice as long, so often */
    uint32_t npieces, asked, filled, started, ended;
    uint32_t block_bytes, src_gap, dst_gap;
    uint64_t copy[TCT_STAGES_MAX];
    struct tct_filled {
        uint64_t bus; /* where the data of a piece are in its send buffer */
        int buffer;
    } filled_in[TCT_BUFFERS];
    bool promised; /* its only transfer is counted already, since its packet has left */
    enum tct_mode mode;
    struct tct_note note; /* behind the last piece */
};

/** The rank's side of a channel. */
struct tct_channel {
    unsigned number;
    bool busy;
    uint64_t chain; /* its number for the driver */
    struct tct_job *job;
    int buffer; /* a send buffer, free when the chain has ended; -1: none */
    unsigned dest;
    uint32_t transfer;              /* number of those to `dest` by this channel */
    struct tct_use use;             /* the descriptor */
    uint32_t flag_of[2][TCT_FLAGS]; /* by memory: the rank that the flag's descriptor is for, + 1 */
    uint32_t marks[TCT_FLAGS];      /* that the descriptors of flags in the hub's memory have */
    /* The counter of bytes, where ends are found by it. */
    uint64_t counted, due;
    bool looked;
};

struct tct {
    struct p2 hubs; /* first */
    struct tct_settings set;
    struct tct_counts counts;
    struct tct_peer *peers;
    struct tct_awaited *awaited; /* TCT_RINGS for each peer */
    uint64_t *acks_seen;         /* by peer: the word of its acknowledgements at the last look */
    volatile uint64_t *ended, *copies, *acks, *arrived, *flags;
    uint64_t acks_at, arrived_at, flags_at, rings_at;
    uint32_t entry_bytes, entries, piece_room, peer_bytes;
    uint32_t ring_slots; /* flags of a ring, the longest */
    uint8_t *send;       /* as the rings of all peers: what channels read */
    uint8_t *stored;     /* behind them: the packet that the core stores */
    uint64_t send_bus;
    uint64_t scanned_at;
    uint32_t waiting[TCT_RINGS]; /* entries of all sources that were seen, and not taken yet */
    /* job.c */
    struct tct_job jobs[TCT_JOBS];
    unsigned order[TCT_JOBS], njobs; /* those that go on, the oldest first */
    transport_ticket tickets;
    bool has_ended;
    uint8_t *buffers, *stages; /* the latter NULL until needed */
    uint64_t buffers_bus, stages_bus;
    unsigned buffer_turn, buffers_busy; /* bit by number */
    struct tct_job *staged;             /* that uses the stages, or NULL */
    /* channel.c */
    unsigned nchannels, nflags;
    struct tct_channel channel[TCT_CHANNELS];
    struct tct_cache cache;
    uint32_t *internal_at;                           /* by slot: the descriptor */
    uint64_t flags_internal, flags_host, descs_host; /* the first descriptors */
    /* gpu.c */
    uint8_t *bounce; /* pinned; NULL until needed */
};

static inline struct tct *tct_of(struct transport *t)
{
    return (struct tct *)t;
}
static inline struct host *tct_host(const struct tct *c)
{
    return c->hubs.t.host;
}

/** Where an entry of a ring is: in the send area at one side, from `rings_at` on in the inbox at
 * the other. */
static inline uint64_t tct_entry_at(const struct tct *c, unsigned peer, unsigned ring, uint32_t n)
{
    uint64_t at = (uint64_t)peer * c->peer_bytes;

    if (ring == TCT_PIECES)
        return at + TRANSPORT_FIFOS * c->entries * c->entry_bytes +
               (uint64_t)(n % c->set.pieces) * c->piece_room;
    return at + ((uint64_t)ring * c->entries + n % c->entries) * c->entry_bytes;
}
static inline uint32_t tct_entries(const struct tct *c, unsigned ring)
{
    return ring == TCT_PIECES ? c->set.pieces : c->entries;
}
static inline uint64_t tct_flag_index(const struct tct *c, unsigned peer, unsigned ring, uint32_t n)
{
    return ((uint64_t)(n % tct_entries(c, ring)) * TCT_RINGS + ring) * c->hubs.nranks + peer;
}

static inline bool tct_has_note(const struct tct_note *n)
{
    return n->head_bytes > 0 || n->bytes > 0;
}

/* write.c */
bool tct_lays_out(struct transport *t, unsigned dest, const struct transport_write *w);
bool tct_write(struct transport *t, unsigned dest, const struct transport_write *w,
               transport_ticket *ticket_p);
bool tct_append(struct transport *t, unsigned dest, const struct transport_entry *e);

/* gpu.c */
/** By the core, wherever both are. */
void tct_copy_bytes(struct tct *c, void *to, const void *from, uint64_t bytes);
void tct_copy(struct transport *t, void *to, const void *from, uint64_t bytes);
/** What has landed goes to its target. */
void tct_land(struct tct *c, struct tct_target target, const void *from, uint64_t bytes);

extern const struct transport_ops transport_tca;

#endif /* TRANSPORT_TCA_INTERNAL_H */
