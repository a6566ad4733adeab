/*
 * The protocols between two ranks over a transport; docs/mpi.md draws them.
 *
 *   entry.c     entries in and out                   send.c    from the sender's side
 *   match.c     which message is for which receive   arrive.c  from the receiver's side
 *   progress.c  all that has come, and waiting
 *   ask.c       receives that give their address, and what the sender makes of that
 *   peer.c      what is kept of other ranks; names of requests; messages that came early
 */
#ifndef MPI_PROTOCOL_H
#define MPI_PROTOCOL_H

#include "hosts/mpi/comm/comm.h"
#include "hosts/mpi/point/device.h"
#include "hosts/mpi/point/request.h"
#include "hosts/mpi/point/waits.h"
#include "hosts/mpi/type/type.h"

/** Kinds of entries. Those of FIFO MESSAGE, in the order of the sender's calls: */
enum mpi_kind {
    MPI_EAGER = 1, /* a message: header, and its data or the first piece of them */
    MPI_PIECE,     /* more data: of the last eager message (id 0), or for the receive `id` */
    MPI_RTS,       /* a message whose data stay where they are until the receiver answers */
    MPI_NOTE,      /* data have been written to where receive `id` said */
    MPI_UNSEND,    /* a message is to be taken back, unless it has been received */
    /* Those of FIFO REQUEST, `id` naming the send that they answer, if any: */
    MPI_ASK,       /* a receive gives its address, before its message has left */
    MPI_CTS,       /* a receive is there for an MPI_RTS */
    MPI_GOT,       /* a synchronous message was received, or one was read */
    MPI_UNSENT,    /* answer to MPI_UNSEND: `bytes` = 1: taken back */
    MPI_WITHDRAW,  /* receive `id` no longer wants what it asked for */
    MPI_WITHDRAWN, /* answer: `bytes` = 1: nothing will come for receive `id` */
};

enum {
    MPI_FLAG_SYNC = 1,     /* of MPI_EAGER: the sender waits for MPI_GOT */
    MPI_FLAG_KEY = 2,      /* carries a key */
    MPI_FLAG_ASKED = 4,    /* of MPI_NOTE: for an MPI_ASK, so it is a message of its own */
    MPI_FLAG_PACKED = 8,   /* the sender has copied the data once */
    MPI_FLAG_ANY_TAG = 16, /* of MPI_ASK */
    MPI_FLAG_WHOLE = 32,   /* of MPI_EAGER: the rest of the entry is the message */
    MPI_FLAG_SLOT = 64     /* of MPI_EAGER: from memory of the library into such memory */
};

/** An entry without its data. Only as much of it travels as mpi_entry_bytes() says. */
struct mpi_entry {
    uint8_t kind, flags;
    uint16_t source; /* rank in the communicator */
    uint32_t id;     /* at the side where the entry goes; of MPI_EAGER, MPI_RTS, MPI_ASK: context */
    int32_t tag;
    uint32_t bytes;
    uint32_t own_id; /* at the side where the entry comes from */
    uint32_t spare;
    struct transport_key key;
    uint64_t number; /* MPI_ASK: messages taken before; MPI_UNSEND: of the message */
};

/** A message that came before its receive, or that is coming in pieces. */
struct mpi_arrived {
    struct mpi_arrived *next_spare;
    TAILQ_ENTRY(mpi_arrived) in_peer, in_all; /* its source's messages, and those of all sources */
    struct mpi_peer *from;
    struct mpi_request *rq; /* that gets it when it is complete */
    struct mpi_entry e;
    uint64_t number;
    bool listed;
    uint32_t filled, room; /* bytes of data that are there; that fit */
    uint8_t data[];
};

/** A receive at the far side that has given its address. */
struct mpi_ask {
    STAILQ_ENTRY(mpi_ask) in_list;
    struct mpi_entry e;
};

/** Messages that have left for receives which had not given their address, of one tag, while the
 * far side has not said that it has taken them. */
struct mpi_run {
    uint64_t next, last; /* numbers; those before `next` have met a receive that asked */
    uint32_t context;
    int32_t tag;
};

/** An entry that found no room. */
struct mpi_kept {
    STAILQ_ENTRY(mpi_kept) in_list;
    enum transport_fifo fifo;
    uint32_t size;
    uint8_t bytes[];
};

TAILQ_HEAD(mpi_arrivals, mpi_arrived);
STAILQ_HEAD(mpi_asks, mpi_ask);
STAILQ_HEAD(mpi_kept_entries, mpi_kept);

/** What a rank knows of another one, from the first word between them on. */
struct mpi_peer {
    unsigned rank; /* in the world */
    bool self, busy;
    unsigned withdrawing; /* receives from it of which it is to say whether they can still end */
    struct mpi_peer *next_busy;
    /* as a source */
    struct mpi_list posted; /* receives from it alone */
    unsigned unasked;       /* those that have given no address */
    struct mpi_arrivals arrived;
    struct mpi_arrived *arriving; /* its pieces come next; or */
    struct mpi_request *into;     /* they go right into this receive */
    uint64_t taken;               /* messages */
    uint64_t answers;             /* entries of FIFO REQUEST to it */
    struct mpi_kept_entries deferred;
    /* as a destination */
    struct mpi_list sends; /* that found no room, in order */
    struct mpi_kept_entries kept;
    struct mpi_asks asks;
    struct mpi_run *runs;
    unsigned nruns, runs_room;
    uint64_t sent;                      /* messages */
    uint64_t answered;                  /* entries of FIFO REQUEST from it */
    uint64_t sent_messages, sent_bytes; /* for reports */
};

/** An entry has come from a peer, with what follows it. */
typedef void (*mpi_came_fn)(struct mpi_rank *mr, struct mpi_peer *peer, enum transport_fifo fifo,
                            const struct mpi_entry *e, const uint8_t *data, uint32_t bytes);

/** All that the protocols keep for a rank. */
struct mpi_protocol {
    mpi_came_fn came;
    struct mpi_peer **peers; /* by rank in the world; NULL: not yet */
    struct mpi_peer *busy;   /* something found no room */
    struct mpi_list any;     /* posted receives from any source */
    struct mpi_list tickets; /* requests whose data move */
    struct mpi_arrivals arrived;
    struct mpi_arrived *spare; /* small ones, for reuse */
    struct mpi_asks spare_asks;
    struct mpi_list held; /* receives that may not give their address yet */
    bool release;         /* they may have got free */
    struct mpi_request **ids;
    uint32_t *free_ids;
    uint32_t nids, nfree;
    uint64_t posts;
    unsigned nposted; /* receives that have no message yet */
    unsigned open; /* sends that have begun and receives that have their message, not ended yet */
    unsigned turn[TRANSPORT_FIFOS]; /* the source that was taken from last */
    void *attached;                 /* MPI_Buffer_attach() */
    uint64_t attached_bytes, attached_used;
};

static inline uint32_t mpi_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline bool mpi_tags_match(int wanted, int tag)
{
    return wanted == MPI_ANY_TAG || wanted == tag;
}

/** Are the data in one piece? *at_p: where it begins. */
static inline bool mpi_is_flat(const struct mpi_request *rq, uint8_t **at_p)
{
    int64_t offset;

    if (!mpi_type_is_block(rq->type, rq->count, &offset))
        return false;
    *at_p = (uint8_t *)rq->in;
    if (offset != 0) /* else it may be NULL */
        *at_p += offset;
    return true;
}

/* peer.c */
/** `came` is called for each entry. */
void mpi_protocol_init(struct mpi_rank *mr, mpi_came_fn came);
void mpi_protocol_release(struct mpi_rank *mr);
struct mpi_peer *mpi_peer_of(struct mpi_rank *mr, unsigned rank);
/** Whom a receive is from; NULL: any. */
struct mpi_peer *mpi_source_of(struct mpi_rank *mr, const struct mpi_request *rq);
/** The name of a request in entries, a new one if it has none. @return 0: all are in use. */
uint32_t mpi_id_new(struct mpi_rank *mr, struct mpi_request *rq);
/** @return NULL: no request has this name, or no longer. */
struct mpi_request *mpi_id_find(const struct mpi_rank *mr, uint32_t id);
void mpi_id_free(struct mpi_rank *mr, struct mpi_request *rq);
struct mpi_arrived *mpi_arrived_new(struct mpi_rank *mr, struct mpi_peer *peer,
                                    const struct mpi_entry *e, uint32_t room);
void mpi_arrived_list(struct mpi_rank *mr, struct mpi_arrived *a);
void mpi_arrived_unlist(struct mpi_rank *mr, struct mpi_arrived *a);
void mpi_arrived_free(struct mpi_rank *mr, struct mpi_arrived *a);

/* entry.c */
uint32_t mpi_entry_bytes(const struct mpi_entry *e);
/** @return false: no room now. */
bool mpi_put(struct mpi_rank *mr, struct mpi_peer *peer, enum transport_fifo fifo,
             const struct mpi_entry *e, const void *data, uint32_t bytes);
/** An entry without data, which is kept until there is room. */
void mpi_put_always(struct mpi_rank *mr, struct mpi_peer *peer, enum transport_fifo fifo,
                    const struct mpi_entry *e);
/** An entry of FIFO REQUEST that says no more than this. */
void mpi_answer(struct mpi_rank *mr, struct mpi_peer *peer, enum mpi_kind kind, uint32_t id,
                uint32_t bytes);
/** Writes one piece; or those of `strides`, unless that is NULL. */
bool mpi_write(struct mpi_rank *mr, struct mpi_peer *peer, const struct transport_key *key,
               const void *from, uint64_t bytes, const struct transport_strides *strides,
               const struct mpi_entry *note, transport_ticket *ticket_p);
/** Exposes the data of a request to its peer. */
bool mpi_expose(struct mpi_rank *mr, struct mpi_peer *peer, struct mpi_request *rq, void *p,
                uint64_t bytes);
void mpi_hide(struct mpi_rank *mr, struct mpi_request *rq);
/** Takes what has come from one source, until *stop. */
void mpi_take(struct mpi_rank *mr, enum transport_fifo fifo, struct mpi_peer *peer,
              const bool *stop);
void mpi_busy(struct mpi_rank *mr, struct mpi_peer *peer);
/** From now on MPI_Finalize() waits for its end. */
void mpi_opened(struct mpi_rank *mr, struct mpi_request *rq);
/** It is done: gives back what it holds, and notifies its owner. */
void mpi_ended(struct mpi_rank *mr, struct mpi_request *rq);

/* match.c */
/** @return the posted receive that a message is for, NULL: none yet. */
struct mpi_request *mpi_match_posted(struct mpi_rank *mr, struct mpi_peer *peer,
                                     const struct mpi_entry *e);
/** @return the first message that `rq` would receive, NULL: none has come. */
struct mpi_arrived *mpi_match_arrived(struct mpi_rank *mr, const struct mpi_request *rq);
void mpi_match_post(struct mpi_rank *mr, struct mpi_request *rq);
void mpi_match_unpost(struct mpi_rank *mr, struct mpi_request *rq);

/* arrive.c */
void mpi_receive_start(struct mpi_rank *mr, struct mpi_request *rq);
/** Gives a message that has come, not listed any more, to a receive. */
void mpi_receive_arrived(struct mpi_rank *mr, struct mpi_request *rq, struct mpi_arrived *a);
void mpi_message_came(struct mpi_rank *mr, struct mpi_peer *peer, const struct mpi_entry *e,
                      const uint8_t *data, uint32_t bytes);
/** Reads the data of a message from its sender's memory. @return false: no room now. */
bool mpi_read_try(struct mpi_rank *mr, struct mpi_request *rq);
void mpi_read_ended(struct mpi_rank *mr, struct mpi_request *rq);

/* send.c */
void mpi_send_start(struct mpi_rank *mr, struct mpi_request *rq);
/** Sends as much as there is room for. @return false: there is more. */
bool mpi_send_try(struct mpi_rank *mr, struct mpi_request *rq);
void mpi_request_came(struct mpi_rank *mr, struct mpi_peer *peer, const struct mpi_entry *e);

/* buffer.c */
int mpi_buffered_start(struct mpi_rank *mr, struct mpi_request *rq);

/* ask.c */
/** Gives the sender the address of a receive that has found nothing, or holds that back. */
void mpi_ask(struct mpi_rank *mr, struct mpi_request *rq);
void mpi_ask_ended(struct mpi_rank *mr, struct mpi_request *rq);
void mpi_ask_release(struct mpi_rank *mr);
void mpi_ask_came(struct mpi_rank *mr, struct mpi_peer *peer, const struct mpi_entry *e);
/** The receive that a message is for, if it has given its address. */
const struct mpi_ask *mpi_ask_find(const struct mpi_peer *peer, uint32_t context, int tag);
/** @return false: it is not there. */
bool mpi_ask_drop(struct mpi_rank *mr, struct mpi_peer *peer, uint32_t id);
/** A message has left that no receive had asked for. */
void mpi_ask_missed(struct mpi_rank *mr, struct mpi_peer *peer, uint64_t number, uint32_t context,
                    int tag);

/* progress.c */
/** An entry of a peer, for mpi_protocol_init(). */
void mpi_came(struct mpi_rank *mr, struct mpi_peer *peer, enum transport_fifo fifo,
              const struct mpi_entry *e, const uint8_t *data, uint32_t bytes);

/* help.c */
/** By the setting "mpi.progress": interrupts go on with what is pending while the program computes.
 * @return an error, noted, where there can be none. */
int mpi_help_init(struct mpi_rank *mr);
/** Has something rung since mpi_help() looked last, and is anything pending? */
bool mpi_help_is_due(const struct mpi_rank *mr);
/** Goes on with what is pending; does not wait. */
void mpi_help(struct mpi_rank *mr);

#endif /* MPI_PROTOCOL_H */
