/* Shared by the files of sim/core only. */
#ifndef SIM_CORE_INTERNAL_H
#define SIM_CORE_INTERNAL_H

#include "core/group.h"

/* A key orders events of one time: phase, scheduling domain, its sequence number. */
#define KEY_SEQ_BITS    48
#define KEY_DOMAIN_BITS 14
#define KEY_PHASE_SHIFT (KEY_SEQ_BITS + KEY_DOMAIN_BITS)
#define SIM_MAX_DOMAINS (1u << KEY_DOMAIN_BITS)

/* An entry of the heap. The time stands beside the event, so that only ties touch events that wait.
 */
struct queue_entry {
    sim_time_t time;
    struct sim_event *ev;
};

/*
 * Up to QUEUE_NEAR events lie in an unordered array; a machine's domain seldom has more. Each has a
 * word with time, phase and place, and words lie in cache lines of their own. To find the least of
 * eight words takes no branch; an order kept among the events would be a guess for the processor
 * each time. What does not fit lies in a 4-ary heap. While that holds anything, all new events go
 * there, so that a long queue is a plain heap.
 */
#define QUEUE_NEAR       24u
#define QUEUE_BLOCK      8u
#define QUEUE_PLACE_BITS 5u
#define QUEUE_TIME_SHIFT (QUEUE_PLACE_BITS + 2u) /* two bits of phase */
#define QUEUE_NONE       UINT64_MAX

struct event_queue {
    uint64_t first;       /* the least of `word` */
    uint32_t used;        /* bit of each place in the array that holds an event */
    uint32_t count, room; /* in the heap, and how many it could hold */
    struct queue_entry *heap;
    alignas(SIM_CACHE_LINE) uint64_t word[QUEUE_NEAR]; /* QUEUE_NONE where no event is */
    struct sim_event *ev[QUEUE_NEAR];
    sim_event_fn fn[QUEUE_NEAR]; /* the events' own; their cache lines are not at hand yet */
};

/** An event that has been taken off. */
struct queue_due {
    struct sim_event *ev;
    sim_event_fn fn;
    sim_time_t time;
    uint32_t phase;
};

void queue_init(struct event_queue *q);
void queue_fini(struct event_queue *q);
/** In order of `ev->time` and `ev->key`. */
void queue_push(struct event_queue *q, struct sim_event *ev);
/** Takes off the first event if it is due before `end`; false when none is. */
bool queue_pop(struct event_queue *q, sim_time_t end, struct queue_due *due_p);
void queue_remove(struct event_queue *q, struct sim_event *ev);

/** When the first event is due; SIM_TIME_NEVER: there is none. */
static inline sim_time_t queue_next(const struct event_queue *q)
{
    sim_time_t time = q->first != QUEUE_NONE ? q->first >> QUEUE_TIME_SHIFT : SIM_TIME_NEVER;

    return q->count != 0 && q->heap[0].time < time ? q->heap[0].time : time;
}

struct stat_entry {
    const uint64_t *value;
    char *path, *unit, *meaning;
    uint64_t gathered; /* the value, where another process runs the domain */
};

/* What every event touches lies in front, in as few cache lines as it takes: a machine has many
 * domains, and by the time that a domain gets its next turn, others have filled the cache. */
struct sim_domain {
    sim_time_t now;
    uint64_t next_key; /* domain and sequence number of the next event that it schedules */
    sim_time_t end;    /* where the window ends, while it runs; else 0 */
    struct sim *sim;
    struct sim_channel *dirty; /* channels with records of this window for other domains */
    uint64_t events_run;
    uint32_t id;
    bool shuffle_ties, away; /* away: another process runs it */
    uint32_t phase;          /* that the present event runs in, to catch schedules into the past */
    struct event_queue queue;
    struct sim_fingerprint print;
    struct stat_entry *stats;
    uint32_t nstats, stats_room;
    uint32_t numbers; /* given by sim_number() */
    char *name;
};

struct sim {
    struct sim_config cfg;
    struct sim_domain **domains;
    uint32_t ndomains, domains_room;
    struct sim_channel *channels; /* all, for sim_destroy() */
    sim_time_t lookahead;         /* the smallest latency between domains */
    bool keep_step;               /* windows of one instant all the same */
    sim_time_t stop_at;           /* SIM_TIME_NEVER, or what sim_stop() chose */
    struct sim_stream order_stream;
    uint32_t *turns;  /* order of domains in a window */
    sim_time_t *next; /* by domain: when its first event is due, between windows */
    struct sim_parts {
        uint64_t expected, ended; /* of this process, and */
        uint64_t ended_of_all;    /* at the end of the last window */
        sim_time_t end;           /* the last one's */
    } parts;
    struct group_member *member; /* NULL: this process is alone */
};

/** What processes agree on between windows. */
struct group_turn {
    sim_time_t next;    /* when the first event of all is due, or what comes by a lazy channel */
    sim_time_t stop_at; /* see struct sim */
    uint64_t ended;     /* parts, */
    sim_time_t end;     /* and the last one's time */
    uint64_t lazy;      /* `next` may be of a lazy channel without a listener: nothing may be due */
};
/** All processes: hands over what the window has sent, and makes of each one's values that of all.
 */
int group_turn(struct sim *sim, struct group_turn *turn);
/** The parcel for the process that runs `dom`, which is away. */
struct sim_parcel *group_parcel(const struct sim_domain *dom);
/** What has been sent by lazy channels, or others, to other processes in this window is due then.
 */
void group_sent(struct sim *sim, sim_time_t due, bool lazy);
void group_leave(struct sim *sim);

/** A fresh key for an event that `dom` schedules. */
uint64_t domain_key(struct sim_domain *dom, enum sim_phase phase);
/** Hands the records of the window that ended to the receiving side. */
void channel_flush(struct sim_channel *ch);
/** Puts them into the parcel of the process that runs the receiver. */
void channel_export(struct sim_channel *ch);
/** Takes one record out of a parcel, at `*at`, which moves on. */
void channel_import(struct sim *sim, const struct sim_parcel *parcel, size_t *at);
/** Gives each channel a number, the same in all processes. */
void channel_number_all(const struct sim *sim, struct sim_channel **by_number);
uint32_t channel_count(const struct sim *sim);
struct sim_channel *group_channel(const struct sim *sim, uint64_t number);
/** Does another process run the receiver? */
bool channel_leaves(const struct sim_channel *ch);
/** Takes the first channel off a domain's list of those to flush; NULL when it is empty. */
struct sim_channel *channel_take_dirty(struct sim_domain *dom);
void channel_destroy_all(struct sim *sim);

#endif
