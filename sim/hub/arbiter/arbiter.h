/*
 * Arbiters by name: who of several sources gets an output that is free. To add one: a file as
 * oldest.c, and its row below.
 */
#ifndef HUB_ARBITER_H
#define HUB_ARBITER_H

#include "core/arbiter.h"

SIM_BEGIN_DECLS

/*       name            value of the key `arbiter`; the first is built in */
#define HUB_ARBITERS(ROW)                                                                          \
    ROW(round_robin, "round-robin")                                                                \
    ROW(oldest, "|oldest")                                                                         \
    ROW(fixed_priority, "|fixed-priority")                                                         \
    ROW(weighted, "|weighted")

enum {
#define ARBITER_INDEX(name, text) HUB_ARBITER_##name,
    HUB_ARBITERS(ARBITER_INDEX)
#undef ARBITER_INDEX
        HUB_ARBITER_COUNT
};

/** What competes for an output. Sources are numbered port by port, the hub's own behind them. */
struct hub_contest {
    uint64_t left;                   /* who may be picked, one bit each, at least one */
    const struct sim_arbiter *turns; /* all that want the output, and who is asked first */
    const uint64_t *since;           /* by source: from which edge on its packet could have gone */
    const uint8_t *weight;           /* by source, 1 and more */
    uint8_t *share;                  /* by source: the arbiter's own, 0 to begin with */
};

/** Both decide by nothing else, so that a run can be repeated. */
struct hub_arbiter {
    uint32_t (*pick)(const struct hub_contest *contest); /* @return a source of `left` */
    /** NULL, or what follows when `source` was granted. */
    void (*granted)(const struct hub_contest *contest, uint32_t source);
};

struct hub;

extern const char hub_arbiter_choices[]; /* values of the key `arbiter` */

void hub_arbiter_init(struct hub *hub);
/** Who of `left` gets the output, as the configuration has it. */
uint32_t hub_arbiter_pick(struct hub *hub, uint32_t out, uint64_t left);
void hub_arbiter_granted(struct hub *hub, uint32_t out, uint32_t source);

#define ARBITER_DECLARED(name, text) extern const struct hub_arbiter hub_arbiter_##name;
HUB_ARBITERS(ARBITER_DECLARED)
#undef ARBITER_DECLARED

SIM_END_DECLS
#endif
