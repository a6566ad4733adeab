/* Shared by the files of sim/core only. */
#ifndef SIM_CORE_INTERNAL_H
#define SIM_CORE_INTERNAL_H

#include "core/sim.h"

/* A key orders events of one time: phase, scheduling domain, its sequence number. */
#define KEY_SEQ_BITS    48
#define KEY_DOMAIN_BITS 14
#define KEY_PHASE_SHIFT (KEY_SEQ_BITS + KEY_DOMAIN_BITS)
#define SIM_MAX_DOMAINS (1u << KEY_DOMAIN_BITS)

struct queue_entry {
    sim_time_t time;
    uint64_t key;
    struct sim_event *ev;
};

/*
 * The earliest events lie in a short sorted array, the latest first; a machine's domain seldom has
 * more. What does not fit, and whatever is later than that, lies in a 4-ary heap, whose order of
 * keys is in the array itself, so that sifting touches few lines.
 */
#define QUEUE_NEAR    24u
#define QUEUE_IN_NEAR 1u /* a slot: in the array, else 2 + place in the heap */

struct event_queue {
    uint32_t nnear;
    uint32_t count, room; /* of the heap */
    struct queue_entry *heap;
    struct queue_entry near[QUEUE_NEAR];
};

void queue_fini(struct event_queue *q);
void queue_push(struct event_queue *q, struct sim_event *ev);
struct sim_event *queue_pop(struct event_queue *q);
void queue_remove(struct event_queue *q, struct sim_event *ev);

static inline sim_time_t queue_next(const struct event_queue *q)
{
    if (q->nnear != 0)
        return q->near[q->nnear - 1].time;
    return q->count != 0 ? q->heap[0].time : SIM_TIME_NEVER;
}

struct stat_entry {
    const uint64_t *value;
    char *path, *unit, *meaning;
};

struct sim_domain {
    sim_time_t now; /* first: read on every path */
    struct event_queue queue;
    uint64_t seq;
    struct sim *sim;
    uint32_t id;
    uint32_t phase; /* of the event that runs, to catch schedules into the past */
    uint64_t events_run;
    struct sim_channel *dirty; /* channels with records of this window for other domains */
    struct sim_fingerprint print;
    struct stat_entry *stats;
    uint32_t nstats, stats_room;
    char *name;
};

struct sim {
    struct sim_config cfg;
    struct sim_domain **domains;
    uint32_t ndomains, domains_room;
    struct sim_channel *channels; /* all, for sim_destroy() */
    sim_time_t lookahead;
    bool stop;
    struct sim_stream order_stream;
    uint32_t *turns;  /* order of domains in a window */
    uint32_t *ran;    /* those that had something to do in the present window */
    sim_time_t *next; /* of each domain: when its first event is due, between windows */
};

/** A fresh key for an event that `dom` schedules. */
uint64_t domain_key(struct sim_domain *dom, enum sim_phase phase);
/** Hands the records of the window that ended to the receiving side. */
void channel_flush(struct sim_channel *ch);
/** Takes the first channel off a domain's list of those to flush; NULL when it is empty. */
struct sim_channel *channel_take_dirty(struct sim_domain *dom);
void channel_destroy_all(struct sim *sim);

#endif
