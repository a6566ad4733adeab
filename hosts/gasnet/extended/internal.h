/* What the files of the Extended API share of a rank. */
#ifndef GASNET_EXTENDED_INTERNAL_H
#define GASNET_EXTENDED_INTERNAL_H

#include "hosts/gasnet/extended/op.h"

#define GASNET_ROUNDS_MAX 32u /* log2 of the ranks is less */

struct gasnet_op {
    uint32_t pending; /* parts */
    uint32_t uses;    /* how often the number was given out */
    uint32_t next;    /* free ones; 0: the last */
    int32_t peer;     /* -1: none yet; -2: several */
    bool used;
    bool is_value; /* of gasnet_get_nb_val() */
    uint64_t value;
};

/** A get whose answers are Mediums or go to memory outside of the segment. */
struct gasnet_transfer {
    uint8_t *to;
    uint64_t left; /* bytes that have not come */
    uint32_t op;
    uint32_t next; /* free ones */
    bool exposed;
    struct transport_key key;
};

/** What ranks have said of a barrier: no name, a name, or that there is a difference. */
struct gasnet_consensus {
    bool named, mismatch;
    int32_t id;
};

struct gasnet_barrier {
    bool notified;  /* and not waited for yet */
    bool sending;   /* a round: others may not begin meanwhile */
    int id, flags;  /* as notified */
    uint32_t count; /* of barriers, with this one */
    unsigned round, parity;
    unsigned heard[GASNET_ROUNDS_MAX]; /* parity of the round's message that comes next */
    struct gasnet_consensus own;
    struct {
        bool here;
        struct gasnet_consensus said;
    } came[2][GASNET_ROUNDS_MAX]; /* of this barrier and the next one */
    bool done;
    struct gasnet_consensus last; /* in the last one that was waited for */
};

#define GASNET_SLOTS 16u /* puts and gets at once whose data are in memory of the library */

/** What has data in memory of the library: a put, or a get, and where its data go on to. */
struct gasnet_slot {
    bool used, put;
    uint8_t *to; /* NULL: they are the operation's value */
    uint32_t bytes, op;
};

struct gasnet_extended {
    struct gasnet_op *ops;
    uint32_t nops, free_op;
    uint64_t ended;                    /* operations so far */
    struct gasnet_transfer *transfers; /* the first one is none */
    uint32_t ntransfers, free_transfer;
    struct gasnet_slot slot[GASNET_SLOTS];
    uint8_t *slots;  /* their memory, when something has needed it */
    uint32_t region; /* an operation; 0: no region is open */
    struct gasnet_barrier barrier;
};

void gasnet_barrier_init(struct gasnet_rank *gr);
void gasnet_transfers_init(struct gasnet_rank *gr);
void gasnet_values_init(struct gasnet_rank *gr);

#endif /* GASNET_EXTENDED_INTERNAL_H */
