/* Inside of the check for races. */
#ifndef LAUNCH_RACE_INTERNAL_H
#define LAUNCH_RACE_INTERNAL_H

#include "hosts/launch/race/race.h"
#include "regs/hub_regs.h"

#include <limits.h>
#include <sys/queue.h>

#define RACE_READS UINT_MAX /* of race_stream.to: what the transfers read of their own node */
#define RACE_ANY   UINT_MAX /* of race_transfer.only */
#define RACE_SEEN  256u     /* more than are shown */
#define RACE_NOTES 64u      /* notifications of one kind that no rank has taken */

/** What a rank knows of each stream: the last transfer that has ended. */
struct race_clock {
    unsigned refs, n;
    uint64_t seq[];
};

/** Transfers that end in the order of their numbers. */
struct race_stream {
    unsigned node, lane, to; /* lane: a channel, or above those the stores of a rank */
};

/** Memory that a transfer uses, until all ranks of its node know that it has ended. */
struct race_transfer {
    TAILQ_ENTRY(race_transfer) in_node;
    bool writes, arrived;
    bool on_gpu;             /* not in the node's memory: its rows have bus addresses */
    unsigned only;           /* rank whose memory it is, by a one-sided operation; or RACE_ANY */
    struct host_reach reach; /* then */
    struct host_rows rows;   /* addresses of this process, else */
    unsigned stream, reads;  /* its own; that of what it reads */
    uint64_t seq;
    struct race_clock *clock; /* what the rank knew that began it */
    unsigned rank;
    struct host_place place;
    sim_time_t since;
    /* What is at the rows before it comes, to see whether a word of them has been written; `come`:
     * so many bytes are known to have been. */
    uint8_t *before;
    uint64_t come;
    unsigned ahead; /* transfers that end with the same byte and have not come */
    /* An older one, which has come and has made room for it; or no clock. */
    struct {
        uint64_t seq;
        struct race_clock *clock;
    } older;
    struct mem_ram *ram;    /* NULL: no device watches it */
    struct mem_watch watch; /* for its last byte */
};

/** Memory of the program that a library uses, by one call. */
struct race_lent {
    TAILQ_ENTRY(race_lent) in_rank;
    const void *owner, *group; /* either may take it back */
    struct host_rows *rows;    /* thousands, where a datatype has as many pieces: */
    unsigned n, room;
    bool ordered; /* each begins behind the end of the one before */
    struct hub_program_range range;
    bool writes;
    struct host_place place;
    sim_time_t since;
};

/** Memory that no program may use, nor a transfer that begins now. */
struct race_freed {
    uintptr_t at;
    uint64_t bytes, bus;
    unsigned rank;
    struct host_place place;
    sim_time_t since;
};

/** A message on its way, and what its sender knew. */
struct race_letter {
    TAILQ_ENTRY(race_letter) in_mail;
    uint64_t number;
    struct race_clock *clock;
};

/** A notification that no rank has taken yet, and what it says. */
struct race_notice {
    TAILQ_ENTRY(race_notice) in_node;
    unsigned part, slot;
    uint32_t tag;
    unsigned stream, reads;
    uint64_t seq;
    struct race_clock *clock;
};

struct race_node {
    bool changed; /* what is used of its memory: see race_settle() */
    bool has_part;
    unsigned subcluster, part;
    uint64_t area_bus[HUB_AREA_SELF];
    TAILQ_HEAD(, race_transfer) transfers;
    void *freed;                          /* a tree of struct race_freed */
    struct hub_program_range freed_range; /* programs load and store it there */
    TAILQ_HEAD(, race_notice) notices;    /* in the order of their start */
    struct race_channel {
        struct race_list {
            struct host_put *puts;
            unsigned n;
        } list;
        uint64_t seq;
    } channels[HUB_DMA_CHANNELS];
};

struct race_rank {
    uint64_t *known; /* by stream */
    unsigned n;
    uint64_t version;         /* rises with what it knows */
    struct race_clock *clock; /* what it knew at `clock_version`; or NULL */
    uint64_t clock_version;
    TAILQ_HEAD(race_mail, race_letter) * mail; /* by rank: messages on their way */
    uint64_t stores, reaches;
    struct race_clock *unlocked; /* what ranks knew that have unlocked its windows; or NULL */
    bool paused;
    struct race_window {
        uint32_t number;
        uintptr_t base;
        enum host_lock lock; /* the rank's own */
    } * windows;             /* of one-sided operations */
    unsigned nwindows;
    TAILQ_HEAD(race_loans, race_lent) lent;
    struct hub_program_range range;
};

struct race {
    struct launch *run;
    struct race_stream *streams;
    unsigned nstreams;
    struct race_node *nodes;
    struct race_rank *ranks;
    struct race_seen {
        const void *use, *place;
        unsigned rank;
        enum hub_program_access access;
    } seen[RACE_SEEN]; /* reported ones */
    unsigned nseen;
};

/** One access of a program, or of a call of a library. */
struct race_use {
    uintptr_t at;
    uint64_t bytes;
    enum hub_program_access access;
    const char *verb;        /* what it does there; NULL: loads or stores */
    struct host_place place; /* no call: the program itself */
    uint64_t bus;            /* of memory that is freed; else 0 */
};

static inline struct race_node *race_node_of(struct race *race, const struct launch_thread *t)
{
    return &race->nodes[t->node->shared.index];
}

static inline struct race_rank *race_rank_of(struct race *race, const struct launch_thread *t)
{
    return &race->ranks[t->host.rank];
}

static inline uintptr_t race_rows_end(const struct host_rows *rows)
{
    return rows->at + (rows->count - 1) * rows->pitch + rows->width;
}

static inline struct race *race_of(struct host *h)
{
    return launch_thread_of(h)->node->run->race;
}

/* clock.c */
void race_clock_put(struct race_clock *c);
struct race_clock *race_clock_of(struct race_rank *r);
void race_knows_more(struct race_rank *r, unsigned stream, uint64_t seq);
void race_knows_all(struct race_rank *r, const uint64_t *seq, unsigned n);
bool race_knows(const struct race_rank *r, const struct race_transfer *x);
unsigned race_stream_of(struct race *race, unsigned node, unsigned lane, unsigned to);
void race_learn(struct race *race, struct launch_thread *t, unsigned stream, uint64_t seq,
                const struct race_clock *clock);
void race_letter_free(struct race_mail *mail, struct race_letter *letter);

/* memory.c */
void race_range_add(struct hub_program_range *range, uintptr_t low, uintptr_t end);
bool race_concerns(const struct race *race, const struct race_rank *r,
                   const struct race_transfer *x);
void race_rank_range(const struct race *race, struct race_rank *r, const struct race_node *node);
void race_transfer_free(struct race_node *node, struct race_transfer *x);
void race_node_changed(struct race *race, unsigned index);
struct race_transfer *race_transfer_keep(struct race *race, unsigned index, struct race_transfer x);
/** @return NULL: it uses nothing. */
const struct race_transfer *race_transfer_add(struct race *race, unsigned index,
                                              struct race_transfer x);
void race_settle(struct race *race);
uint64_t race_rows_overlap(const struct host_rows *rows, uintptr_t at, uint64_t bytes);
uint64_t race_meets(const struct race_transfer *x, const struct race_use *u);

/* meet.c */
/** @return NULL: there is none. */
struct race_window *race_window_of(const struct race_rank *r, uint32_t number);
bool race_lock_orders(const struct race *race, const struct race_rank *r,
                      const struct race_transfer *x);
/** Does a transfer that begins now meet others in the node's memory that its rank does not know to
 * be over? */
void race_look_at_others(struct race *race, unsigned index, const struct race_transfer *x);

/* lent.c */
void race_op_lend(struct host *h, const void *owner, const void *group, struct host_rows rows,
                  bool writes, struct host_place place);
void race_op_take_back(struct host *h, const void *owner);
void race_lent_free(struct race_rank *r, struct race_lent *l);
bool race_lent_overlaps(const struct race_lent *l, uintptr_t at, uint64_t bytes);

/* put.c */
void race_op_part(struct host *h, unsigned subcluster, unsigned part, const uint64_t *area_bus);
void race_op_install(struct host *h, unsigned channel, const struct host_put *puts, unsigned n);
struct race_transfer race_transfer_of(const struct launch_thread *t, struct host_place place,
                                      struct race_clock *clock);
void race_op_start(struct host *h, unsigned channel, struct host_place place);
void race_op_failed(struct host *h, unsigned channel);
void race_op_idle(struct host *h, unsigned channel);
void race_op_notified(struct host *h, unsigned part, unsigned slot, uint32_t tag);
void race_op_stored(struct host *h, const struct host_put *put, struct host_place place);

/* message.c */
void race_op_window(struct host *h, uint32_t number, const void *base);
void race_op_reach(struct host *h, const struct host_reach *reach, struct host_rows rows,
                   struct host_place place);
void race_op_reached(struct host *h, unsigned rank, bool unlocks);
void race_op_locked(struct host *h, uint32_t window, enum host_lock lock);
void race_op_pause(struct host *h, bool pauses);
void race_op_sends(struct host *h, unsigned rank, uint64_t number);
void race_op_heard(struct host *h, unsigned rank, uint64_t number);
void race_op_used(struct host *h, struct host_rows rows, bool stores, struct host_place place);

/* freed.c */
/** By a use that frees it. */
void race_freed_add(struct race *race, struct launch_thread *t, const struct race_use *u);
void race_op_given(struct host *h, uint64_t bus, uint64_t bytes);
void race_freed_look_at(struct race *race, struct launch_thread *t, const struct race_use *u);
void race_freed_look_at_put(struct race *race, unsigned index, const struct race_transfer *x);
void race_freed_fini(struct race_node *node);

/* race.c */
void race_look_at(struct race *race, struct launch_thread *t, const struct race_use *u);

/* report.c: once for each pair of places. */
void race_report_transfer(struct race *race, struct launch_thread *t, const struct race_use *u,
                          const struct race_transfer *x);
void race_report_lent(struct race *race, struct launch_thread *t, const struct race_use *u,
                      const struct race_lent *l);
void race_report_freed(struct race *race, struct launch_thread *t, const struct race_use *u,
                       const struct race_freed *f);

#endif /* LAUNCH_RACE_INTERNAL_H */
