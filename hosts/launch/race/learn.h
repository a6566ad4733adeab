/* What ranks learn, and what is over then. */
#ifndef LAUNCH_RACE_LEARN_H
#define LAUNCH_RACE_LEARN_H

#include "hosts/launch/race/state.h"

struct race_clock;
struct race_stream;

/** Where the rank's program has to announce what it loads and stores. */
void race_rank_range(const struct race *race, struct race_rank *r, const struct race_node *node);
/** A rank of the node has learnt something: frees the node's transfers that no rank can race with
 * any more, so no pointer to one is good behind this call, and makes ranges of its ranks anew. */
void race_node_changed(struct race *race, unsigned index);
/** As race_node_changed(), for all nodes where memory is used or freed since the last time. A call
 * that begins transfers does this once, at its end, when it needs no pointer to them any more. */
void race_settle(struct race *race);
/** The rank knows a stream up to there, and what `clock` (or NULL) says. That may free transfers.
 */
void race_learn(struct race *race, struct launch_thread *t, const struct race_stream *stream,
                uint64_t seq, const struct race_clock *clock);

#endif /* LAUNCH_RACE_LEARN_H */
