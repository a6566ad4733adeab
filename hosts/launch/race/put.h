/* Puts of hubs: their lists, starts and notifications. */
#ifndef LAUNCH_RACE_PUT_H
#define LAUNCH_RACE_PUT_H

#include "hosts/launch/race/memory.h"

/** A transfer of the rank that begins now, but for what it uses and the order that it is in. The
 * clock remains the caller's: race_transfer_keep() takes a reference of its own. */
struct race_transfer race_transfer_of(const struct launch_thread *t, struct host_place place,
                                      struct race_clock *clock);
/** Frees the notifications that no rank of the node has taken. */
void race_notices_free(struct race_node *node);

/* These are in host_race_ops: host/race.h says when they are called. */

/** Copies the bus addresses of the node's areas. */
void race_op_part(struct host *h, unsigned subcluster, unsigned part, const uint64_t *area_bus);
/** Copies the list, in the place of the channel's last one. */
void race_op_install(struct host *h, unsigned channel, const struct host_put *puts, unsigned n);
/** Adds the transfers and notifications of the channel's list, and reports what they meet. */
void race_op_start(struct host *h, unsigned channel, struct host_place place);
/** Frees the transfers and notifications that will not come. */
void race_op_failed(struct host *h, unsigned channel, bool begun);
/** The rank learns that what the channel reads, and writes to its own node, has ended. */
void race_op_idle(struct host *h, unsigned channel);
/** The rank learns what the notification says, which is freed. */
void race_op_notified(struct host *h, unsigned part, unsigned slot, uint32_t tag);
/** Frees the notification. */
void race_op_forgotten(struct host *h, unsigned part, unsigned slot, uint32_t tag);
/** Adds a transfer that has no source, and reports what it meets. */
void race_op_stored(struct host *h, const struct host_put *put, struct host_place place);

#endif /* LAUNCH_RACE_PUT_H */
