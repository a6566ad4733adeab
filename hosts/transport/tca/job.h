/* Transfers: their pieces and buffers (job.c), and the channels that move them (channel.c). */
#ifndef TRANSPORT_TCA_JOB_H
#define TRANSPORT_TCA_JOB_H

#include "hosts/transport/tca/internal.h"

/* piece.c */
/** Into pieces, the first of which have so many bytes. `alike` of them are as long, and the next
 * ones twice as long, up to `most`. */
void tct_job_cut(struct tct_job *job, uint64_t first, uint32_t alike, uint64_t most);
/** Of its data, without gaps: where piece `i` begins, and its bytes. */
uint64_t tct_piece_at(const struct tct_job *job, uint32_t i);
uint32_t tct_piece_bytes(const struct tct_job *job, uint32_t i);
/** How far from the first byte of source and target that is, with the gaps between blocks. */
uint64_t tct_source_at(const struct tct_job *job, uint64_t at);
uint64_t tct_target_at(const struct tct_job *job, uint64_t at);

/* job.c */
bool tct_jobs_init(struct tct *c);
/** NULL: none is free. */
struct tct_job *tct_job_new(struct tct *c, unsigned dest);
/** It goes on from here, in its turn. */
void tct_job_begin(struct tct *c, struct tct_job *job);
/** Goes on with all of them. @return whether one has ended. */
bool tct_run(struct tct *c);
/** Until something may have ended. */
void tct_run_wait(struct tct *c);
/** Is something to be done that only this rank's core does? */
bool tct_to_do(struct tct *c);
void tct_job_wait(struct tct *c, const struct tct_job *job, transport_ticket ticket);

/* channel.c */
bool tct_channels_init(struct tct *c, unsigned local_index, unsigned local_ranks);
void tct_channels_ring(struct tct *c);
/** Nothing of this rank or another one goes on there. */
bool tct_channel_idle(struct tct *c, unsigned channel);
struct tct_transfer {
    struct tct_pattern pattern;
    unsigned dest;
    bool may_move;
    bool to_gpu; /* its target is in the memory of a GPU, */
    unsigned gpu;
    struct tct_job *job;
    int buffer;
};
void tct_channel_start(struct tct *c, unsigned channel, struct tct_transfer t);
/** Has it ended since? */
bool tct_channel_end(struct tct *c, unsigned channel);
/** The transfers that have to arrive before what is sent now: by channel, as far as `*mask_p` has a
 * bit. */
void tct_needs(const struct tct *c, unsigned dest, uint16_t need[TCT_CHANNELS], unsigned *mask_p);

#endif /* TRANSPORT_TCA_JOB_H */
