/* Transfers that meet each other. */
#ifndef LAUNCH_RACE_MEET_H
#define LAUNCH_RACE_MEET_H

#include "hosts/launch/race/memory.h"

/** Does a lock of the rank's own window make order between it and the transfer? */
bool race_lock_orders(const struct race *race, const struct race_rank *r,
                      const struct race_transfer *x);
/** Does a transfer that begins now meet others in the node's memory that its rank does not know to
 * be over, or memory that ranks of the node have lent? */
void race_look_at_others(struct race *race, unsigned index, const struct race_transfer *x);

#endif /* LAUNCH_RACE_MEET_H */
