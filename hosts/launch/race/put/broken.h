/* Lists of puts that break off. */
#ifndef LAUNCH_RACE_BROKEN_H
#define LAUNCH_RACE_BROKEN_H

#include "hosts/launch/race/memory.h"

/** In host_race_ops: frees the transfers and notifications that will not come. */
void race_op_failed(struct host *h, unsigned channel, bool begun);

#endif /* LAUNCH_RACE_BROKEN_H */
