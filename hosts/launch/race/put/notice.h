/* Notifications of puts that no rank has taken. */
#ifndef LAUNCH_RACE_NOTICE_H
#define LAUNCH_RACE_NOTICE_H

#include "hosts/launch/race/memory.h"

/** One that a put of node `from` brings to node `to`, when all before `x` in its stream has come.
 * It takes the place of an older one of its stream, where no rank takes those of its kind. */
void race_notice_add(struct race *race, unsigned to, const struct race_transfer *x,
                     const struct host_put *put, const struct race_node *from);
/** Frees those of the channel's puts from the number `from` on, at this node. */
void race_notices_drop(struct race_node *node, unsigned own, unsigned channel, uint64_t from);
/** Frees the notifications that no rank of the node has taken. */
void race_notices_free(struct race_node *node);

/* These are in host_race_ops: host/race.h says when they are called. */

/** The rank learns what the notification says, which is freed. */
void race_op_notified(struct host *h, unsigned part, unsigned slot, uint32_t tag);
/** Frees the notification. */
void race_op_forgotten(struct host *h, unsigned part, unsigned slot, uint32_t tag);

#endif /* LAUNCH_RACE_NOTICE_H */
