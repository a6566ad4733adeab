/*
 * Payload bytes of packets: counted references to buffers that never change
 * once they are sent. A pool belongs to a component; buffers return to it and
 * never leave its domain (channels carry copies).
 */
#ifndef MEMORY_PAYLOAD_H
#define MEMORY_PAYLOAD_H

#include "core/sim.h"

SIM_BEGIN_DECLS

struct mem_pool;
struct mem_class;

struct mem_payload {
    struct mem_class *home; /* the pool's size class that it returns to */
    uint32_t refs;
    uint32_t bytes;             /* used */
    alignas(32) uint8_t data[]; /* copies move 32 bytes at a time */
};

/** NULL: out of memory. */
struct mem_pool *mem_pool_create(void);
/** Frees all buffers, those still referenced too: they may not be touched after. NULL is allowed.
 */
void mem_pool_destroy(struct mem_pool *pool);
/** Buffers that are referenced now, for leak tests. */
uint64_t mem_pool_in_use(const struct mem_pool *pool);

/** One reference for the caller. 1 <= bytes <= 4096. Contents undefined. Allocates only to grow. */
struct mem_payload *mem_payload_alloc(struct mem_pool *pool, uint32_t bytes);

static inline struct mem_payload *mem_payload_get(struct mem_payload *p)
{
    p->refs++;
    return p;
}
/** NULL is allowed. */
void mem_payload_put(struct mem_payload *p);

SIM_END_DECLS
#endif /* MEMORY_PAYLOAD_H */
