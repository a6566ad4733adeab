/*
 * Active messages. A request is an entry of FIFO MESSAGE, a reply one of FIFO REQUEST, so that no
 * reply waits behind a request. The entry's head is the header below. Data of a Medium are in the
 * entry; those of a Long are written into the segment, with the header as note. Short ones are
 * packed into the entry as well and copied into the segment there; where that cannot be written to,
 * long ones travel in pieces before it.
 */
#ifndef GASNET_MESSAGE_H
#define GASNET_MESSAGE_H

#include "hosts/gasnet/core/rank.h"

enum gasnet_category { GASNET_SHORT, GASNET_MEDIUM, GASNET_LONG, GASNET_PIECE };

/** Only as many arguments travel as there are. */
struct gasnet_head {
    uint8_t category, handler, nargs, unused;
    uint32_t bytes; /* of data */
    uint64_t to;    /* offset in the segment, where a Long or piece goes */
    int32_t args[GASNET_ARGS_MAX];
};
_Static_assert(sizeof(struct gasnet_head) <= TRANSPORT_HEAD_BYTES, "it is the head of an entry");

/** A message that is handled. */
struct gasneti_token {
    gasnet_node_t source;
    bool is_request, replied;
};

/** A message to be sent. */
struct gasnet_am {
    enum gasnet_category category;
    bool is_reply, is_async; /* async: a Long whose source is free when its reply comes */
    gasnet_node_t dest;
    gasnet_handler_t handler;
    const void *from;
    uint64_t bytes;
    uint64_t to;                     /* offset in the segment of `dest`, where a Long goes; or */
    const struct transport_key *key; /* in the memory that it names there; NULL: the segment */
    const struct transport_strides
        *strides; /* blocks of a Long that gasnet_lays_out(); else NULL */
    unsigned nargs;
    const int32_t *args;
};

/** Returns when the message is on its way and its source is free, unless it is async. Handles what
 * comes while it waits for room: of a reply, only replies. */
void gasnet_send(struct gasnet_rank *gr, const struct gasnet_am *am);

/** May a Long with strides be sent as it is? */
bool gasnet_lays_out(struct gasnet_rank *gr, const struct gasnet_am *am);

/** A handler of the library, by its number; it may reply once if token->is_request. */
typedef void gasnet_system_fn(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                              uint32_t bytes, const int32_t *args, unsigned nargs);
enum gasnet_system {
    GASNET_SYS_ATTACHED = 1, /* Medium: segments of ranks from its argument on */
    GASNET_SYS_READY,        /* to the first rank: it has all segments; from there: all have */
    GASNET_SYS_EXIT,
    GASNET_SYS_EXTENDED, /* the Extended API's begin here */
    GASNET_SYS_VIS = 48, /* vectors and strides */
    GASNET_SYS_COLL = 64 /* collectives */
};
/** Before any message with it can come: at init. */
void gasnet_system_set(struct gasnet_rank *gr, unsigned number, gasnet_system_fn *fn);

/** Takes and handles all that has come. @return whether there was anything. */
bool gasnet_take(struct gasnet_rank *gr);
/** Looks for news, which takes some time, and handles what it finds. @return as gasnet_take() */
bool gasnet_poll(struct gasnet_rank *gr);
/** A look in passing, by a call that does not need it. */
void gasnet_look(struct gasnet_rank *gr);
/** Waits until something has come, and handles it. May return early. */
void gasnet_progress(struct gasnet_rank *gr);
/** Around a loop of gasnet_progress(): what for, and of whom (-1: any; -2: several). */
void gasnet_waits_begin(struct gasnet_rank *gr, const char *what, int peer);
/** Likewise, where there is more to say: see host_call.waits. */
typedef bool gasnet_waits_fn(const void *arg, unsigned i, struct host_wait *wait_p);
void gasnet_waits_begin_by(struct gasnet_rank *gr, gasnet_waits_fn *fn, const void *arg);
void gasnet_waits_end(struct gasnet_rank *gr);
/** A call that does not wait has looked. */
void gasnet_looked(struct gasnet_rank *gr, bool found, const char *what, int peer);
/** Likewise; `arg` must outlive the call. */
void gasnet_looked_by(struct gasnet_rank *gr, bool found, gasnet_waits_fn *fn, const void *arg);
/** Nothing of this rank's waits for its next call. */
void gasnet_hand_over(struct gasnet_rank *gr);

/** Copies between memory of the program and of the library, of hosts or of GPUs; takes its time. */
void gasnet_copy(struct gasnet_rank *gr, void *to, const void *from, uint64_t bytes);

/** The number of an object in arguments, two for one pointer. */
static inline void gasnet_pack(int32_t *args, uint64_t value)
{
    args[0] = (int32_t)(value >> 32);
    args[1] = (int32_t)(value & UINT32_MAX);
}
static inline uint64_t gasnet_unpack(const int32_t *args)
{
    return (uint64_t)(uint32_t)args[0] << 32 | (uint32_t)args[1];
}

#endif /* GASNET_MESSAGE_H */
