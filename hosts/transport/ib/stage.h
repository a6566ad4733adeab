/* Messages that go by way of host memory, in chunks. */
#ifndef TRANSPORT_IB_STAGE_H
#define TRANSPORT_IB_STAGE_H

#include "hosts/transport/ib/internal.h"

bool ibt_stage_init(struct ibt *ib);
/** Chunks for a receive into GPU memory, for its key. @return false: there are not enough. */
bool ibt_slots_take(struct ibt *ib, struct ibt_key *key);
void ibt_slots_give(struct ibt *ib, const struct ibt_key *key);
/** By way of this side's host memory (local), of the other one's (far), or of both. */
bool ibt_stage_begin(struct ibt *ib, unsigned dest, const struct transport_write *w, bool local,
                     bool far, transport_ticket *ticket_p);
/** Goes on with the message that leaves, and with chunks that have come. @return whether the
 * message is over, or a chunk is where it belongs. */
bool ibt_stage_run(struct ibt *ib);
/** Is a staged write to that rank, or its note, not all out? No entry or write may overtake it. */
static inline bool ibt_stage_holds(const struct ibt *ib, unsigned dest)
{
    const struct ibt_staged *s = &ib->out;

    return s->active && s->dest == dest && (s->sent < s->nchunks || s->note_bytes != 0);
}
/** A chunk has come. */
void ibt_chunk_came(struct ibt *ib, unsigned source, const uint8_t *head);
/** Are the chunks of a source all in the GPU? */
static inline bool ibt_chunks_done(const struct ibt_peer *peer)
{
    return peer->chunks_in == peer->chunks_out;
}

#endif /* TRANSPORT_IB_STAGE_H */
