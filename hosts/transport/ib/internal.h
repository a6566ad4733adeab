/*
 * Inside of the transport over InfiniBand:
 *
 *   ib.c      the interface; what is waited for
 *   queue.c   work requests and their ends
 *   setup.c   settings, memory, connections
 *   ring.c    entries: rings filled by RDMA writes
 *   region.c  memory that was registered once stays registered
 *   write.c   remote writes and reads
 *   stage.c   GPU memory beyond the limit of GPUDirect: by way of host memory, in chunks
 *   gpu.c     bytes between an entry and GPU memory
 *
 * The inbox of a rank is pinned host memory, all of which its polling loop watches:
 *
 *   copies  16 bytes  for each GPU: the last copies of its engines that have ended
 *   credits  8 bytes  for each peer: how much of its ring there is free again
 *   slots    8 bytes  for each peer: chunks that it has copied on
 *   marks    8 bytes  for each peer: writes by the second rail that have arrived
 *   queue             completions
 *   rings             for each peer: entries
 *
 * An entry is one RDMA write when its bytes are in host memory: a word that names its parts, the
 * header, the data, and a last word. The adapter writes in rising order of addresses, so when the
 * last word is there all is. Data of GPU memory go first, by a write of their own to behind the
 * rest; writes of one connection do not pass each other. Memory of a ring is cleared before its
 * room is given back, so that nothing old is taken for an entry.
 */
#ifndef TRANSPORT_IB_INTERNAL_H
#define TRANSPORT_IB_INTERNAL_H

#include <string.h>

#include "hosts/transport/ib/cover.h"
#include "hosts/transport/ib/settings.h"
#include "hosts/transport/transport.h"
#include "hosts/verbs/verbs.h"

#define IBT_SQ_LOG2      6u
#define IBT_RING_MIN     8192u
#define IBT_RING_MAX     65536u
#define IBT_RINGS_MAX    (UINT32_C(16) << 20) /* bytes of all rings of a rank */
#define IBT_UNIT         64u
#define IBT_OPS          64u /* with tickets; behind them those of chunks, and one of the rank's own */
#define IBT_OP_CHUNK     IBT_OPS
#define IBT_OP_OWN       (IBT_OP_CHUNK + IBT_SLOTS_MAX)
#define IBT_OPS_ALL      (IBT_OP_OWN + 1u)
#define IBT_GPUS         8u
#define IBT_COPIES_BYTES (IBT_GPUS * HOST_COPY_ENGINES * 8u)
#define IBT_QUEUE_LOG2   12u
/* Receive requests of a connection, where arrivals interrupt: a ring holds 1024 entries
 * (IBT_RING_MAX / IBT_UNIT), and as many words may be on their way. There are fewer where the queue
 * of all arrivals would not hold those of all ranks: adapters limit it to 2^16. A write that finds
 * none is sent again later (RNR). */
#define IBT_RQ_LOG2       11u
#define IBT_ARRIVALS_LOG2 16u
#define IBT_RQ_MORE                                                                                \
    16u /* at most so many are posted anew at once: what the adapter fetches ahead */

/** A write or read that goes on. */
struct ibt_op {
    transport_ticket ticket; /* 0: none */
    unsigned pending;        /* work requests */
    /* for a write whose end at the far side is asked for: chunks there, of those to `dest`, that
     * have to be copied on before; 0: none. */
    bool watched;
    unsigned dest;
    uint64_t chunks;
    /* what is done when all requests have ended */
    struct verbs_region lent; /* its registration ends; key 0: none */
    void *to;                 /* data are copied there; NULL: none */
    const uint8_t *from;
    uint32_t bytes;
};

/* Kept small: a rank has one for each other rank and rail. */
struct ibt_qp {
    struct verbs_qp q;
    uint8_t op[1u << IBT_SQ_LOG2]; /* that a request belongs to, by number + 1; 0: none */
    unsigned received;             /* since receive requests were posted last */
};
_Static_assert(IBT_OPS_ALL <= UINT8_MAX, "see ibt_qp.op");

struct ibt_peer {
    struct ibt_qp *qp; /* by rail */
    uint32_t inbox_key, stage_key;
    uint64_t ring_there; /* offset of the own ring in its inbox */
    uint64_t sent, freed;
    uint64_t marks_sent;
    bool bare; /* the last thing written to it had no entry behind it, which its rail has to be */
    /* from it */
    uint64_t taken, reported;
    bool seen; /* the entry at the head of its ring */
    uint32_t size;
    struct transport_taken entry;
    enum transport_fifo fifo;
    /* chunks that have come, and those of them that were copied on; their copies */
    uint64_t chunks_in, chunks_out;
    uint64_t chunks_sent; /* to it */
    struct ibt_chunk_copy {
        unsigned gpu;
        uint64_t number;
    } * chunk; /* IBT_SLOTS_MAX of them */
};

struct ibt_region {
    const uint8_t *at;
    uint64_t address, bytes; /* see host_memory_ops.address */
    bool gpu;
    struct verbs_region region;
};

static inline uint64_t ibt_round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/** What is in a key. */
struct ibt_key {
    uint64_t offset; /* in the region; of a GPU without one: of its memory */
    uint32_t key;    /* 0: not registered */
    uint16_t gpu;    /* number + 1, or 0: host memory */
    uint8_t first_slot, nslots;
    uint64_t device; /* if a GPU's: offset in its memory */
};
_Static_assert(sizeof(struct ibt_key) <= TRANSPORT_KEY_BYTES, "a key has to fit");

/** `at` bytes behind its beginning. */
static inline struct ibt_key ibt_key_of(const struct transport_key *bytes, uint64_t at)
{
    struct ibt_key key;

    memcpy(&key, bytes, sizeof(key));
    key.offset += at;
    key.device += at;
    return key;
}

/** A message that leaves in chunks. */
struct ibt_staged {
    bool active;
    unsigned dest, gpu;
    bool local, far; /* this side stages, the far one */
    const uint8_t *from;
    uint64_t bytes;
    struct ibt_key key;
    uint32_t nchunks, begun, sent;
    uint64_t copy[IBT_SLOTS_MAX]; /* number of the copy into each slot */
    struct ibt_op *op;
    enum transport_fifo fifo; /* for the note */
    uint8_t note[TRANSPORT_HEAD_BYTES];
    uint32_t note_bytes;
};

/** Words that peers write into the inbox, each kind one for each of them. */
enum ibt_words { IBT_CREDITS, IBT_SLOTS, IBT_MARKS, IBT_WORDS };

struct ibt {
    struct transport t; /* first */
    struct verbs v;
    unsigned turn; /* entries that took the rails in turn */
    struct ibt_settings set;
    uint32_t nranks, me;
    uint8_t *inbox, *mirror; /* mirror: what leaves, at the same places as in the far ring */
    struct verbs_region inbox_region, mirror_region;
    uint64_t inbox_bytes;
    volatile uint64_t *copies, *words[IBT_WORDS];
    uint64_t rings_at;
    uint32_t ring_bytes, ring_room, fifo_bytes; /* room: with what reaches over the end */
    uint64_t scratch_at;                        /* in the mirror: fifo_bytes for copies */
    uint32_t rq_log2, rq_more;
    struct verbs_cq cq, arrivals; /* arrivals: of what was written with immediate data */
    uint32_t under_way;           /* requests without a completion: no more than the queue holds */
    struct ibt_peer *peers;
    struct ibt_qp *qps;            /* of all peers */
    struct ibt_chunk_copy *chunks; /* of all peers; what is not used is not written to */
    struct ibt_qp loop;            /* to itself */
    /* The adapter numbers the queue pairs of all ranks of the node, as they come. */
    struct ibt_qp **by_number;
    uint32_t first_number, numbers;
    struct ibt_op ops[IBT_OPS_ALL];
    transport_ticket tickets;
    struct ibt_region *regions;
    unsigned nregions, regions_room;
    struct ibt_cover cover; /* finds regions by their memory */
    /* bounce.c */
    uint8_t *bounce;
    struct verbs_region bounce_region;
    unsigned bounce_next;
    transport_ticket bounced[IBT_BOUNCE_SLOTS]; /* what used each of them last */
    bool room_made;                             /* in a ring, and the protocols do not know */
    bool has_ended;                             /* a request, since look() */
    /* stage.c */
    uint8_t *stage; /* own chunks: to leave, and (the second half) that have come */
    struct verbs_region stage_region;
    uint32_t slots_taken; /* bit for each slot for others */
    bool staging;
    unsigned coming; /* chunks that have come and are not copied on */
    struct ibt_staged out;
};

static inline struct ibt *ibt_of(struct transport *t)
{
    return (struct ibt *)t;
}
static inline struct ibt_qp *ibt_qp_of(const struct ibt *ib, uint32_t number)
{
    return ib->by_number[number - ib->first_number];
}

/* setup.c */
extern const struct host_param ibt_mpi_params[], ibt_gasnet_params[];
/** @return false: not possible; see transport_ops.connect(). */
bool ibt_set_up(struct ibt *ib, char *why);

/* queue.c */
/** A request has failed: prints a line and ends all ranks. */
void ibt_fail(struct ibt *ib, const struct verbs_done *done);
/** @return whether any request has ended. */
bool ibt_take_completions(struct ibt *ib);
/** Posts to a queue pair; `op` (or NULL) counts it. Waits while the queue is full. */
void ibt_post(struct ibt *ib, struct ibt_qp *qp, struct verbs_send *send, struct ibt_op *op);
void ibt_wait_op(struct ibt *ib, const struct ibt_op *op);
/** It does not end before ibt_op_posted(). NULL: none is free. */
struct ibt_op *ibt_op_new(struct ibt *ib);
/** All requests of it are posted. */
void ibt_op_posted(struct ibt *ib, struct ibt_op *op);
/** Is what it has written in its place at the far side? */
static inline bool ibt_op_placed(const struct ibt *ib, const struct ibt_op *op)
{
    return op->pending == 0 && (op->chunks == 0 || ib->words[IBT_SLOTS][op->dest] >= op->chunks);
}

/** Where in an inbox those of this kind begin. */
static inline uint64_t ibt_words_at(const struct ibt *ib, unsigned words)
{
    return IBT_COPIES_BYTES + words * ibt_round_up(ib->nranks * UINT64_C(8), IBT_UNIT);
}
/** Writes this rank's word into the inbox of another one. */
void ibt_report(struct ibt *ib, unsigned rank, enum ibt_words words, uint64_t count);

/* ring.c */
/** Bytes of a ring that the longest entry takes. */
uint32_t ibt_longest_entry(uint32_t fifo_bytes);
bool ibt_has_room(struct ibt *ib, unsigned dest, uint32_t head_bytes, uint32_t bytes);
/** Its FIFO may be IBT_FIFO_CHUNK. */
bool ibt_append(struct transport *t, unsigned dest, const struct transport_entry *entry);
/** The same, seen when all that was written to that rank before is there. */
bool ibt_append_behind(struct ibt *ib, unsigned dest, const struct transport_entry *entry);
/** Looks at the head of a ring. @return whether an entry is there for the protocols. */
bool ibt_look(struct ibt *ib, unsigned source);
void ibt_release(struct transport *t, enum transport_fifo fifo, unsigned source);
/** Has anything come since the last look? */
bool ibt_news(struct ibt *ib);
#define IBT_FIFO_CHUNK 3u

/* write.c */
bool ibt_lays_out(struct transport *t, unsigned dest, const struct transport_write *w);
bool ibt_write(struct transport *t, unsigned dest, const struct transport_write *w,
               transport_ticket *ticket_p);
bool ibt_read(struct transport *t, unsigned source, const struct transport_key *key, uint64_t at,
              void *to, uint64_t bytes, transport_ticket *ticket_p);
/** Writes in one go or, if long enough, by both rails. */
void ibt_write_out(struct ibt *ib, unsigned dest, const struct verbs_region *region,
                   uint64_t offset, uint32_t far_key, uint64_t far_offset, uint64_t bytes,
                   unsigned rails, struct ibt_op *op);
/** Does the adapter read a message of this size from a GPU? */
bool ibt_direct_out(const struct ibt *ib, uint64_t bytes);
/** And writes them to one? */
bool ibt_direct_in(const struct ibt *ib, uint64_t bytes);

/* gpu.c */
bool ibt_on_gpu(struct ibt *ib, const void *p, struct host_pointer *where_p);
/** The longest message from a GPU that is sent without asking. */
uint32_t ibt_gpu_eager_bytes(const struct transport *t, unsigned gpu);
/** Does the core load so many bytes of a GPU? */
bool ibt_core_loads(const struct ibt *ib, uint64_t bytes);
/** Do data of this GPU go to the host first? */
bool ibt_gpu_loops(const struct ibt *ib, unsigned gpu, uint64_t bytes);
/** From GPU memory into the mirror; returns when it is there. */
void ibt_gpu_get(struct ibt *ib, void *to, const void *from, uint64_t bytes);
void ibt_copy(struct transport *t, void *to, const void *from, uint64_t bytes);

#endif /* TRANSPORT_IB_INTERNAL_H */
