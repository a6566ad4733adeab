/* Memory that was freed. */
#ifndef LAUNCH_RACE_FREED_H
#define LAUNCH_RACE_FREED_H

#include "hosts/launch/race/memory.h"

/** Memory that no program may use, nor a transfer that begins now. */
struct race_freed {
    uintptr_t at;
    uint64_t bytes, bus;
    unsigned rank;
    struct host_place place;
    struct program_calls calls;
    sim_time_t since;
};

/** Keeps what `u` frees on the rank's node, until it is given again or the check ends. */
void race_freed_add(struct race *race, struct launch_thread *t, const struct race_use *u);
/** In host_race_ops: forgets what was freed there, and keeps the rest of such memory. */
void race_op_given(struct host *h, uint64_t bus, uint64_t bytes);
/** Reports freed memory that the rank uses. */
void race_freed_look_at(struct race *race, struct launch_thread *t, const struct race_use *u);
/** Reports freed memory of the node that a transfer uses. It is about to begin, has one row or
 * more, and its rows have bus addresses of the node. */
void race_freed_look_at_put(struct race *race, unsigned index, const struct race_transfer *x);
/** Frees all of them, for the end of the node. */
void race_freed_fini(struct race_node *node);

#endif /* LAUNCH_RACE_FREED_H */
