/* Shared by the files of sim/observe only. */
#ifndef OBSERVE_INTERNAL_H
#define OBSERVE_INTERNAL_H

#include "observe/observe.h"

#define CHUNK_LOG2  14u
#define CHUNK_MARKS (UINT64_C(1) << CHUNK_LOG2)

/** Ids of marks, as they came. */
struct id_list {
    uint64_t *ids;
    uint64_t n;
    uint32_t room;
};

/** Marks in the order of what stands here. */
struct mark_index {
    struct mark_key {
        uintptr_t where;
        uint64_t queue; /* 0 where queues do not count */
        sim_time_t time;
        uint64_t id;
    } * keys;
    uint64_t n;
    uint32_t room;
};

struct observer {
    struct sim_probe probe;
    uint64_t n, most; /* marks; id i is the i-th one, from 1 on */
    bool overflow, nomem;
    struct sim_mark **chunks;
    uint32_t chunks_room;
    struct sim_hold *holds;
    uint64_t nholds;
    uint32_t holds_room;
    struct id_list wrote, steps; /* marks with SIM_STAGE_WROTE and _STEP */
    /* made by observe_index() when there were so many marks and holds: */
    uint64_t indexed, indexed_holds;
    struct mark_index by_queue, by_where; /* marks with SIM_STAGE_QUEUE and _LINK */
    sim_time_t longest;                   /* of `until` - `time` of them */
};

static inline const struct sim_mark *mark_at(const struct observer *obs, uint64_t id)
{
    return &obs->chunks[(id - 1) >> CHUNK_LOG2][(id - 1) & (CHUNK_MARKS - 1)];
}

/** Appends a part; empty ones too. False: out of memory. */
bool part_add(struct observe_breakdown *b, const struct sim_stage *stage, const char *where,
              sim_time_t from, sim_time_t to);

/* waits.c */
/** Sorts what has come since the last call. False: out of memory. */
bool observe_index(struct observer *obs);
/** Appends, latest first, what held the packet of mark `id` in its queue from `from` on. */
bool observe_wait(struct observer *obs, uint64_t id, sim_time_t from, struct observe_breakdown *b);

#endif
