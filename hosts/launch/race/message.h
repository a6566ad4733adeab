/* Messages and one-sided operations: the order that they make. */
#ifndef LAUNCH_RACE_MESSAGE_H
#define LAUNCH_RACE_MESSAGE_H

#include "hosts/launch/race/state.h"

void race_peer_init(struct race_peer *peer);
/** Frees what is on its way to another rank. */
void race_peer_fini(struct race_peer *peer);

/* These are in host_race_ops: host/race.h says when they are called. */

/** Adds a one-sided operation, and reports what it meets. `reach` is copied. */
void race_op_reach(struct host *h, const struct host_reach *reach, struct host_rows rows,
                   struct host_place place);
/** The rank learns that its operations have ended. With an unlock it learns what those knew that
 * have unlocked the window, before it or until its answer came. */
void race_op_reached(struct host *h, unsigned rank, uint32_t window, bool unlocks);
/** The window keeps what the other rank knows. */
void race_op_unlocked(struct host *h, unsigned rank, uint32_t window);
/** The rank learns what those knew that have unlocked its window. */
void race_op_locked(struct host *h, uint32_t window, enum host_lock lock);
/** Accesses of the rank's program are not looked at until it ends. */
void race_op_pause(struct host *h, bool pauses);
/** Keeps what the rank knows until the message is heard, or the check ends. */
void race_op_sends(struct host *h, unsigned rank, uint64_t number);
/** The rank learns what its sender knew. That message and those before it are freed. */
void race_op_heard(struct host *h, unsigned rank, uint64_t number);
/** Keeps what the rank knows until the answer has come, or the check ends. */
void race_op_answers(struct host *h, unsigned rank, uint64_t number);
/** Keeps what the other rank knew for race_op_received(). That answer and those before it are
 * freed. */
void race_op_answered(struct host *h, unsigned rank, uint64_t number);
/** The rank learns what the other one knew at its last answer. */
void race_op_received(struct host *h, unsigned rank);

#endif /* LAUNCH_RACE_MESSAGE_H */
