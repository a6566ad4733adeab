/* Accesses of programs and of what they call. */
#ifndef LAUNCH_RACE_ACCESS_H
#define LAUNCH_RACE_ACCESS_H

#include "hosts/launch/race/state.h"

void race_op_freed(struct host *h, const struct host_freed *freed, struct host_place place);
void race_op_used(struct host *h, struct host_rows rows, bool stores, struct host_place place);

#endif /* LAUNCH_RACE_ACCESS_H */
