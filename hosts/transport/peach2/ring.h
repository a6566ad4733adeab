/* Entries between two ranks that a cable or a node joins: flag words, rings and credits. */
#ifndef TRANSPORT_PEACH2_RING_H
#define TRANSPORT_PEACH2_RING_H

#include "hosts/transport/peach2/internal.h"

/** Where the parts of an inbox begin. */
#define P2_CREDITS_AT 64u
static inline uint32_t p2_flags_at(uint32_t nranks)
{
    return P2_CREDITS_AT + (nranks * 8u + 63u) / 64u * 64u;
}

/** Room that was found for an entry. */
struct p2_place {
    uint64_t at;      /* in the inbox: header, filled up to a unit in front, and data */
    uint64_t flag_at; /* in the inbox */
    uint32_t head;    /* bytes of the header with what fills it up */
    uint32_t units;   /* with those that are skipped before it */
};
/** @return false: none now, or a write without a note is to be there before. */
bool p2_find_room(struct p2 *p2, unsigned dest, const struct transport_entry *e,
                  struct p2_place *place_p);
/**
 * Takes the room. The words of the header that the far side does not guess are stored, in one go
 * with data that a core can store.
 * @return the flag, for the caller to have written behind all else.
 */
uint64_t p2_put_head(struct p2 *p2, unsigned dest, const struct p2_place *place,
                     const struct transport_entry *e, uint32_t stored);
/** Stores to a place in the inbox of a rank: in no order, and a word in order behind all else. */
void p2_put(struct p2 *p2, unsigned dest, uint64_t at, const void *bytes, uint64_t n);
void p2_put_flag(struct p2 *p2, unsigned dest, uint64_t at, uint64_t flag);
/** Bus address of a place in the inbox, for a DMA channel. */
static inline uint64_t p2_bus(const struct p2 *p2, unsigned dest, uint64_t at)
{
    return p2->d->window_bus + p2->peers[dest].inbox + at;
}
/** Rings the helper of `dest`, if there are any, by a store of the core behind that of a flag. */
void p2_ring(struct p2 *p2, unsigned dest);
/** The register of its hub that rings it, as a bus address here. */
static inline uint64_t p2_bell_bus(const struct p2 *p2, unsigned dest)
{
    return driver_window(p2->d, p2->peers[dest].slot, HUB_AREA_SELF, HUB_IRQ_RAISE);
}
/** Looks at the head of a ring. @return whether an entry is there; see p2_peer.entry. */
bool p2_look(struct p2 *p2, unsigned source);
void p2_release(struct p2 *p2, unsigned source);
/** The first rank >= `from` with an entry at the head of its ring for this FIFO; p2->nranks: none.
 */
unsigned p2_next_ready(struct p2 *p2, enum transport_fifo fifo, unsigned from);
/** Have entries or credits come since the last look? */
bool p2_news(struct p2 *p2);
/** Is half of the ring of some source, or of its flags, full of entries? Takes no time. */
bool p2_half_full(const struct p2 *p2);

#endif /* TRANSPORT_PEACH2_RING_H */
