/* What moves data: channels (dma.c), taken in turns where several ranks share one (share.c), and
 * cores and the engines of GPUs (copy.c). */
#ifndef TRANSPORT_PEACH2_DMA_H
#define TRANSPORT_PEACH2_DMA_H

#include "hosts/transport/peach2/internal.h"

/** @return false: out of memory or descriptors. */
bool p2_dma_init(struct p2 *p2, unsigned local_index, unsigned local_ranks);
/** From now on ends of the rank's chains ring its helper; a rank that shares its channel waits for
 * them itself. */
void p2_dma_ring(struct p2 *p2);
/** Takes in what has ended, and starts what may begin. @return whether anything has ended. */
bool p2_dma_progress(struct p2 *p2);
/** Is something queued that waits for a program's own chain? */
bool p2_dma_waits_for_others(const struct p2 *p2);
/** Until something may have ended. */
void p2_dma_wait(struct p2 *p2);
/** Header by the core, data by way of pinned memory; or from where they are if `direct` and that
 * can be: it returns when they have been read. @return false: no room. */
bool p2_append_dma(struct p2 *p2, unsigned dest, const struct transport_entry *e, bool direct);
/** `to`: a bus address in the window, in this area. @return false: no room. */
bool p2_write(struct p2 *p2, unsigned dest, unsigned area, uint64_t to,
              const struct transport_write *w, transport_ticket *ticket_p);
/** Writes to this offset in an area of the own part of the window; returns when that has ended. */
void p2_write_own(struct p2 *p2, unsigned area, uint64_t offset, const void *from, uint64_t bytes);
bool p2_done(struct transport *t, transport_ticket ticket);
/** One or both ends are memory of a GPU of this node. Returns when the data are there. */
void p2_copy_gpu(struct p2 *p2, void *to, const void *from, uint64_t bytes);

/* share.c */
#define P2_WANT_AT 24u /* in the inbox */
#define P2_TURN_AT 32u
/** `local_index`: of this rank among those of its node. @return false: out of memory. */
bool p2_share_init(struct p2 *p2, unsigned local_index, unsigned local_ranks);
/** Waits for the channel; and gives it to the rank that has waited longest. */
void p2_turn_take(struct p2 *p2);
void p2_turn_give(struct p2 *p2);

/* copy.c */
#define P2_ALIGN_LOW 15u /* source and destination agree in these bits of their addresses */
#define P2_GRAIN     4u  /* what a channel moves is a multiple of that */
static inline uint32_t p2_stage_bytes(const struct p2 *p2)
{
    return p2->piece_bytes + TRANSPORT_HEAD_BYTES + P2_UNIT;
}
/** Copies into a stage, to an address that agrees with `to`. @return its bus address. */
uint64_t p2_fill_stage(struct p2 *p2, int stage, uint64_t to, const void *from, uint64_t bytes);
/** To a bus address in the window, by the core. */
void p2_store(struct p2 *p2, uint64_t to, const void *bytes, uint64_t n);
/** Bytes behind the last whole grain: the core stores them before the channel starts. */
void p2_store_rest(struct p2 *p2, uint64_t to, const uint8_t *from, uint64_t bytes);

#endif /* TRANSPORT_PEACH2_DMA_H */
