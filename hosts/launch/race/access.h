/* Accesses of programs and of what they call. */
#ifndef LAUNCH_RACE_ACCESS_H
#define LAUNCH_RACE_ACCESS_H

#include "hosts/launch/race/state.h"

/* These are in host_race_ops: host/race.h says when they are called. */

/** Reports transfers that may still use the memory, and keeps it as freed. */
void race_op_freed(struct host *h, const struct host_freed *freed, struct host_place place);
/** Reports what meets the rows now. Nothing of the use is kept. */
void race_op_used(struct host *h, struct host_rows rows, uint64_t bus, enum host_use use,
                  struct host_place place);

#endif /* LAUNCH_RACE_ACCESS_H */
