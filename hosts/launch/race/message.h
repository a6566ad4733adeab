/* Messages and one-sided operations: the order that they make. */
#ifndef LAUNCH_RACE_MESSAGE_H
#define LAUNCH_RACE_MESSAGE_H

#include "hosts/launch/race/state.h"

/** Messages on their way to another rank. */
void race_mail_free(struct race_mail *mail);

void race_op_reach(struct host *h, const struct host_reach *reach, struct host_rows rows,
                   struct host_place place);
void race_op_reached(struct host *h, unsigned rank, uint32_t window, bool unlocks);
void race_op_locked(struct host *h, uint32_t window, enum host_lock lock);
void race_op_pause(struct host *h, bool pauses);
void race_op_sends(struct host *h, unsigned rank, uint64_t number);
void race_op_heard(struct host *h, unsigned rank, uint64_t number);

#endif /* LAUNCH_RACE_MESSAGE_H */
