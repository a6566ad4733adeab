/*
 * Payload bytes of packets: buffers that never change once they are sent, each with one
 * owner. A pool belongs to a component; buffers return to it and
 * never leave its domain (channels carry copies).
 *
 * One that is late is still being filled when it is sent, up to the time at which its last byte is
 * on the wire. Who receives it copies it from there at its arrival, which is later than that by the
 * latency of a channel; and until then its sender keeps it.
 */
#ifndef MEMORY_PAYLOAD_H
#define MEMORY_PAYLOAD_H

#include "core/sim.h"

SIM_BEGIN_DECLS

struct mem_pool;
struct mem_class;

struct mem_payload {
    struct mem_class *home;     /* the pool's size class that it returns to */
    uint32_t bytes;             /* used; 0: it is free */
    bool late;                  /* see above; false at first */
    alignas(32) uint8_t data[]; /* copies move 32 bytes at a time */
};

/** NULL: out of memory. */
struct mem_pool *mem_pool_create(void);
/** Frees all buffers, those in use too: they may not be touched after. NULL is allowed.
 */
void mem_pool_destroy(struct mem_pool *pool);
/** Buffers that are not free now, for leak tests. */
uint64_t mem_pool_in_use(const struct mem_pool *pool);

/** The caller owns it. 1 <= bytes <= 4096. Contents undefined. Allocates only to grow. */
struct mem_payload *mem_payload_alloc(struct mem_pool *pool, uint32_t bytes);
/** NULL is allowed. */
void mem_payload_free(struct mem_payload *p);

SIM_END_DECLS
#endif /* MEMORY_PAYLOAD_H */
