/*
 * Notifications: what the 8 bytes written to HUB_NOTIFY mean to the software,
 * the reader's side of the ring they land in, and a count of what has come and
 * was not waited for, by (source node, slot, tag).
 *
 *   63   62  61      60..59   58   57   56     55..48  47..32  31..0
 *   lap  0   silent  channel  end  gpu  flush  source  slot    tag
 *
 * end: the last word of a chain on the source's own channel. silent: no rank
 * waits for it; it only says that the chain has ended. flush: read device
 * memory of `gpu` before trusting the data (see driver_wait_notify()).
 */
#ifndef DRIVER_NOTIFY_H
#define DRIVER_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NOTIFY_FLUSH        (UINT64_C(1) << 56)
#define NOTIFY_GPU_SHIFT    57u
#define NOTIFY_END          (UINT64_C(1) << 58)
#define NOTIFY_CHAN_SHIFT   59u
#define NOTIFY_SILENT       (UINT64_C(1) << 61)
#define NOTIFY_LAP          (UINT64_C(1) << 63)
#define NOTIFY_KEY          ((UINT64_C(1) << 56) - 1) /* source, slot, tag */
#define NOTIFY_SLOT_AND_TAG ((UINT64_C(1) << 48) - 1)
#define NOTIFY_SLOTS        65536u
#define NOTIFY_SOURCES      256u

static inline uint64_t notify_key(unsigned source, unsigned slot, uint32_t tag)
{
    return (uint64_t)source << 48 | (uint64_t)slot << 32 | tag;
}

struct notify_ring {
    volatile uint64_t *entries;
    uint32_t log2;
    uint64_t taken; /* entries taken out so far */
};

/** True and the entry when a fresh one is there. */
bool notify_ring_take(struct notify_ring *ring, uint64_t *entry_p);
/** Where the next entry will be written. */
static inline const volatile uint64_t *notify_ring_next(const struct notify_ring *ring)
{
    return &ring->entries[ring->taken & ((UINT64_C(1) << ring->log2) - 1)];
}

struct notify_count {
    uint64_t key; /* plus one; 0: free */
    uint64_t count;
    uint8_t flush; /* bit per GPU */
};

/** Hash table; a key stays once it was seen. Zeroed is empty. */
struct notify_counts {
    struct notify_count *slots;
    uint32_t used, room; /* room: a power of two, or 0 */
};

/** False: out of memory. */
bool notify_count_add(struct notify_counts *nc, uint64_t entry);
/** Takes one off; false when there is none. *flush_p: GPUs to read from first. */
bool notify_count_take(struct notify_counts *nc, uint64_t key, uint8_t *flush_p);
/** The lowest key of those from `source` that were added and not taken; false: there is none. */
bool notify_count_least(const struct notify_counts *nc, unsigned source, uint64_t *key_p);
/** As notify_count_least(), of those with this slot and tag from whichever source. */
bool notify_count_alike(const struct notify_counts *nc, unsigned slot, uint32_t tag,
                        uint64_t *key_p);
void notify_counts_clear(struct notify_counts *nc);

#ifdef __cplusplus
}
#endif
#endif /* DRIVER_NOTIFY_H */
