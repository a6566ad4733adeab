/* What ranks know of transfers, and what they hand on of it: clock.c. */
#ifndef LAUNCH_RACE_CLOCK_H
#define LAUNCH_RACE_CLOCK_H

#include "hosts/launch/race/state.h"

#include <limits.h>

#define RACE_READS UINT_MAX /* of race_stream.to: what the transfers read of their own node */

/** What a rank knows of each stream: the last transfer that has ended. */
struct race_clock {
    unsigned refs, n;
    uint64_t seq[];
};

/** Transfers that end in the order of their numbers. Lanes are channels of the node, then the ranks
 * for their stores. Above all of these lanes are windows, and `node` and `to` are ranks. */
struct race_stream {
    unsigned node, lane, to, number;
    TAILQ_ENTRY(race_stream) in_node;      /* while it has transfers; all use one node */
    TAILQ_HEAD(, race_transfer) transfers; /* by number */
    unsigned kept;                         /* of them */
    TAILQ_HEAD(, race_transfer) pending;   /* those that write and have not come */
};

/** Gives a reference back; the last one frees the clock. */
void race_clock_put(struct race_clock *c);
/** What the rank knows now. A clock does not change, and all who ask before the rank learns more
 * share one: each puts its reference back. */
struct race_clock *race_clock_of(struct race_rank *r);
/** The rank knows the stream of this number up to there. Its `version` rises when that is news. */
void race_knows_more(struct race_rank *r, unsigned stream, uint64_t seq);
/** As race_knows_more(), for streams 0 to n - 1. */
void race_knows_all(struct race_rank *r, const uint64_t *seq, unsigned n);
/** How far the rank knows the stream; 0: nothing of it. */
static inline uint64_t race_known(const struct race_rank *r, const struct race_stream *s)
{
    return s->number < r->n ? r->known[s->number] : 0;
}
/** The stream, which is added when there is none. It stays to the end. */
struct race_stream *race_stream_of(struct race *race, unsigned node, unsigned lane, unsigned to);
/** For the end of the check. */
void race_streams_free(struct race *race);
/** Is it a stream of puts of the node's channel? */
bool race_is_of_channel(const struct race_stream *s, unsigned node, unsigned channel);

#endif /* LAUNCH_RACE_CLOCK_H */
