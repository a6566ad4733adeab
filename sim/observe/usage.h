/*
 * What each direction of each link carried over time, and what the first packets of
 * queues waited for: sums over windows of equal length. A packet or a wait that
 * lies in several windows counts in each for the time that lies there, so all
 * windows together hold exactly what the statistics do.
 */
#ifndef OBSERVE_USAGE_H
#define OBSERVE_USAGE_H

#include "observe/fan.h"

SIM_BEGIN_DECLS

/** What the time of a place was used for; from OBSERVE_STALL on by enum sim_stall_cause. */
enum observe_use {
    OBSERVE_PAYLOAD,  /* of TLPs */
    OBSERVE_OVERHEAD, /* their headers and framing */
    OBSERVE_DLLP,
    OBSERVE_SKP, /* ordered sets that come at equal intervals, whether the link has work or not */
    OBSERVE_REPLAY, /* TLPs that had been sent before */
    OBSERVE_STALL,
    OBSERVE_USES = OBSERVE_STALL + SIM_STALL_CAUSES
};
/** "payload", "stall_credit" ... */
const char *observe_use_name(unsigned use);

struct observe_usage;

/**
 * @param window_ps length of a window; 0: between 200 and 400 of them, a power of two nanoseconds
 * each. It observes by `fan` until it is destroyed. NULL: out of memory.
 */
struct observe_usage *observe_usage_create(sim_time_t window_ps, struct observe_fan *fan);
void observe_usage_destroy(struct observe_usage *usage);

/** A window of a place: `side` is "tx", "rx" or a part of `where`; see struct sim_stall. */
struct observe_window {
    const char *where, *side;
    sim_time_t from, to;
    uint64_t ps[OBSERVE_USES];
};
typedef void (*observe_window_fn)(void *arg, const struct observe_window *window);
/**
 * Each window up to `end` in which anything but SKP ordered sets was seen, and the last one of each
 * place, by place and time. The simulation may be gone.
 * @return SIM_OK; SIM_ERR_LIMIT: there were more than 2^20 windows; SIM_ERR_NOMEM
 */
int observe_usage_each(struct observe_usage *usage, sim_time_t end, observe_window_fn fn, void *arg,
                       struct sim_error *err);

SIM_END_DECLS
#endif /* OBSERVE_USAGE_H */
