/* What ranks learn, and what is over then. */
#ifndef LAUNCH_RACE_LEARN_H
#define LAUNCH_RACE_LEARN_H

#include "hosts/launch/race/state.h"

struct race_clock;

/** Where the rank's program has to announce what it loads and stores. */
void race_rank_range(const struct race *race, struct race_rank *r, const struct race_node *node);
/** What ranks of the node know has changed, or what is used or freed there: transfers that no rank
 * can race with are freed, and ranges of the node's ranks are made anew. */
void race_node_changed(struct race *race, unsigned index);
/** As race_node_changed(), for all nodes whose `changed` is set: at the end of a call. */
void race_settle(struct race *race);
/** The rank knows a stream up to there, and what `clock` (or NULL) says. That may free transfers.
 */
void race_learn(struct race *race, struct launch_thread *t, unsigned stream, uint64_t seq,
                const struct race_clock *clock);

#endif /* LAUNCH_RACE_LEARN_H */
