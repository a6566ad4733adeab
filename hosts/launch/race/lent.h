/* Memory of programs that libraries use for a while. */
#ifndef LAUNCH_RACE_LENT_H
#define LAUNCH_RACE_LENT_H

#include "hosts/launch/race/state.h"

/** Memory of the program that a library uses, by one call. */
struct race_lent {
    TAILQ_ENTRY(race_lent) in_rank, in_owner, in_group;
    struct race_holder *owner, *group; /* either may take it back; no group: NULL */
    uint64_t heard;                    /* by the rank before it was lent */
    SLIST_HEAD(, race_lent_row) rows;  /* thousands, where a datatype has as many pieces */
    bool writes;
    struct host_place place;
    struct program_calls calls;
    sim_time_t since;
};

/** Rows of it, also among those of all that the rank has lent. */
struct race_lent_row {
    SLIST_ENTRY(race_lent_row) in_lent;
    struct race_span span;
    struct host_rows rows;
    const struct race_lent *lent;
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
/** Frees all that the rank has lent. */
void race_lent_fini(struct race_rank *r);

#endif /* LAUNCH_RACE_LENT_H */
