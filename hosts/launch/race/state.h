/*
 * What the check for races keeps: of the run, of its nodes and of its ranks. Calls go down:
 *   access, message, and what is in put/; meet and freed; lent; learn and report;
 *   memory and window; clock and span; need
 */
#ifndef LAUNCH_RACE_STATE_H
#define LAUNCH_RACE_STATE_H

#include "hosts/launch/race/race.h"
#include "hosts/launch/race/span.h"
#include "regs/hub_regs.h"

#include <sys/queue.h>

struct race_node {
    bool changed; /* more of its memory is used or freed: see race_settle() */
    bool has_part;
    unsigned subcluster, part;
    uint64_t area_bus[HUB_AREA_SELF];
    TAILQ_HEAD(, race_transfer) transfers;
    struct race_spans used[2];         /* by those in the node's memory, and elsewhere */
    TAILQ_HEAD(, race_stream) streams; /* those that have transfers */
    void *freed;                       /* a tree of struct race_freed */
    /* Programs load and store what was freed there. It only grows: accesses to what was given again
     * are then looked at for nothing. */
    struct hub_program_range freed_range;
    TAILQ_HEAD(, race_notice) notices; /* in the order of their start */
    void *kinds;                       /* of them: a tree of struct race_kind */
    struct race_channel {
        struct race_list {
            struct host_put *puts;
            unsigned n;
        } list;
        uint64_t seq, begun, before; /* last put; the one before the last list; before that one */
    } channels[HUB_DMA_CHANNELS];
};

TAILQ_HEAD(race_mail, race_letter);

/** What is between a rank and another one. */
struct race_peer {
    struct race_mail messages, answers; /* on their way to it */
    struct race_clock *answered;        /* what it knew at its last answer; NULL: there was none */
};

struct race_rank {
    uint64_t *known; /* by stream */
    unsigned n;
    uint64_t version;         /* rises with what it knows */
    struct race_clock *clock; /* what it knew at `clock_version`; or NULL */
    uint64_t clock_version;
    struct race_peer *peers; /* by rank */
    uint64_t stores, reaches;
    bool paused;
    struct race_here {
        uint64_t number; /* host_place's */
        struct program_calls calls;
    } here;                      /* those that were looked for last: race_calls() */
    struct race_window *windows; /* of one-sided operations */
    unsigned nwindows;
    TAILQ_HEAD(race_loans, race_lent) lent;
    struct race_spans lent_rows;
    void *holders;                  /* who may take them back: a tree of struct race_holder */
    uint64_t heard;                 /* how often it has heard of others; owner of what was let go */
    struct hub_program_range range; /* of these, and of what transfers use: */
    unsigned changes;               /* since the range was made anew */
};

struct race {
    struct launch *run;
    void *streams; /* a tree of struct race_stream */
    unsigned nstreams;
    struct race_node *nodes;
    struct race_rank *ranks;
    TAILQ_HEAD(, race_pair) pairs; /* that race, in the order in which they were met */
    TAILQ_HEAD(, race_site) sites;
    void *pair_tree, *site_tree;
};

static inline struct race_node *race_node_of(struct race *race, const struct launch_thread *t)
{
    return &race->nodes[t->node->shared.index];
}

static inline struct race_rank *race_rank_of(struct race *race, const struct launch_thread *t)
{
    return &race->ranks[t->host.rank];
}

static inline struct race *race_of(struct host *h)
{
    return launch_thread_of(h)->node->run->race;
}

#endif /* LAUNCH_RACE_STATE_H */
