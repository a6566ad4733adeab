/* Puts of hubs: their lists and starts. */
#ifndef LAUNCH_RACE_PUT_H
#define LAUNCH_RACE_PUT_H

#include "hosts/launch/race/memory.h"

/* These are in host_race_ops: host/race.h says when they are called. */

/** Copies the bus addresses of the node's areas. */
void race_op_part(struct host *h, unsigned subcluster, unsigned part, const uint64_t *area_bus);
/** Copies the list, in the place of the channel's last one. */
void race_op_install(struct host *h, unsigned channel, const struct host_put *puts, unsigned n);
/** Adds the transfers and notifications of the channel's list, and reports what they meet. */
void race_op_start(struct host *h, unsigned channel, struct host_place place);
/** The rank learns that what the channel reads, and writes to its own node, has ended. */
void race_op_idle(struct host *h, unsigned channel);
/** Adds a transfer that has no source, and reports what it meets. */
void race_op_stored(struct host *h, const struct host_put *put, struct host_place place);

#endif /* LAUNCH_RACE_PUT_H */
