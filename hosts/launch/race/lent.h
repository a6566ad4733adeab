/* Memory of programs that libraries use for a while. */
#ifndef LAUNCH_RACE_LENT_H
#define LAUNCH_RACE_LENT_H

#include "hosts/launch/race/state.h"

/** Memory of the program that a library uses, by one call. */
struct race_lent {
    TAILQ_ENTRY(race_lent) in_rank;
    const void *owner, *group; /* either may take it back */
    uint64_t heard;            /* by the rank before it was lent */
    struct host_rows *rows;    /* thousands, where a datatype has as many pieces: */
    unsigned n, room;
    bool ordered; /* each begins behind the end of the one before */
    struct hub_program_range range;
    bool writes;
    struct host_place place;
    sim_time_t since;
};

/** The rank has heard of others, which ends the uses that were let go. */
void race_lent_heard(struct host *h);

/* These are in host_race_ops: host/race.h says when they are called. */

/** Keeps the rows until they are taken back, or the check ends. */
void race_op_lend(struct host *h, const void *owner, const void *group, struct host_rows rows,
                  bool writes, struct host_place place);
/** Frees all that has this owner or group. */
void race_op_take_back(struct host *h, const void *owner_or_group);
/** Frees all that has this owner, if the rank has heard of others meanwhile; else when it does. */
void race_op_let_go(struct host *h, const void *owner);
/** Takes it out of the rank's list. */
void race_lent_free(struct race_rank *r, struct race_lent *l);
/** Is one of the bytes lent? */
bool race_lent_overlaps(const struct race_lent *l, uintptr_t at, uint64_t bytes);

#endif /* LAUNCH_RACE_LENT_H */
