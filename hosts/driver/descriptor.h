/* Descriptors as software writes them: 32 bytes, little-endian (regs/hub_regs.h). */
#ifndef DRIVER_DESCRIPTOR_H
#define DRIVER_DESCRIPTOR_H

#include <stdint.h>

#include "regs/hub_regs.h"

struct descriptor {
    uint64_t src, dst; /* status: data, where it is written */
    uint32_t bytes;
    uint32_t block_bytes, src_gap, dst_gap;
    uint32_t next;  /* pointer */
    uint32_t flags; /* HUB_DESC_STATUS, HUB_DESC_PIPELINE */
};

static inline void descriptor_put(uint8_t *bytes, unsigned word, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[4 * word + i] = (uint8_t)(value >> (8 * i));
}

static inline void descriptor_encode(const struct descriptor *d, uint8_t bytes[HUB_DESC_BYTES])
{
    int status = (d->flags & HUB_DESC_STATUS) != 0;
    uint32_t src_hi = status ? 0 : (uint32_t)(d->src >> 32);

    descriptor_put(bytes, HUB_DESC_SRC_LO, (uint32_t)d->src);
    descriptor_put(bytes, HUB_DESC_HI,
                   (src_hi & 0xffff) | ((uint32_t)(d->dst >> 32) & 0xffff) << 16);
    descriptor_put(bytes, HUB_DESC_DST_LO, (uint32_t)d->dst);
    descriptor_put(bytes, HUB_DESC_SIZE, status ? (uint32_t)(d->src >> 32) : d->bytes);
    descriptor_put(bytes, HUB_DESC_NEXT, d->next);
    descriptor_put(bytes, HUB_DESC_BURST, (d->block_bytes & HUB_DESC_BURST_MASK) | d->flags);
    descriptor_put(bytes, HUB_DESC_SRC_GAP, d->src_gap);
    descriptor_put(bytes, HUB_DESC_DST_GAP, d->dst_gap);
}

#endif /* DRIVER_DESCRIPTOR_H */
