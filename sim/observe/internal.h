/* Shared by the files of sim/observe only. */
#ifndef OBSERVE_INTERNAL_H
#define OBSERVE_INTERNAL_H

#include "observe/observe.h"

#define CHUNK_LOG2  14u
#define CHUNK_MARKS (UINT64_C(1) << CHUNK_LOG2)

/** Ids of marks. */
struct id_list {
    uint64_t *ids;
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
    struct id_list wrote, steps; /* marks with SIM_STAGE_WROTE and _STEP, as they came */
    /* made by observe_index(), for marks and holds up to these numbers */
    uint64_t indexed, indexed_holds;
    struct id_list by_queue; /* marks with SIM_STAGE_QUEUE and _LINK by (where, queue, time) */
    struct id_list by_where; /* the same by (where, time) */
    sim_time_t longest;      /* of `until` - `time` of them */
};

static inline const struct sim_mark *mark_at(const struct observer *obs, uint64_t id)
{
    return &obs->chunks[(id - 1) >> CHUNK_LOG2][(id - 1) & (CHUNK_MARKS - 1)];
}
static inline sim_time_t earlier(sim_time_t a, sim_time_t b)
{
    return a < b ? a : b;
}
static inline sim_time_t later(sim_time_t a, sim_time_t b)
{
    return a > b ? a : b;
}

bool id_list_add(struct id_list *list, uint64_t id);
/** Appends a part; empty ones too. False: out of memory. */
bool part_add(struct observe_breakdown *b, const struct sim_stage *stage, const char *where,
              sim_time_t from, sim_time_t to);

/* waits.c */
/** Brings the order of queues and holds up to date. False: out of memory. */
bool observe_index(struct observer *obs);
/** Appends, latest first, what held the packet of mark `id` in its queue from `from` on. */
bool observe_wait(struct observer *obs, uint64_t id, sim_time_t from, struct observe_breakdown *b);

#endif
