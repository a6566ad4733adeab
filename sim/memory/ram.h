/*
 * Bytes behind a range of bus addresses, and behind single pages beside it, with
 * watches for those who wait for a write. The bytes belong to the creator: a host
 * program may use them too.
 */
#ifndef MEMORY_RAM_H
#define MEMORY_RAM_H

#include "core/sim.h"

SIM_BEGIN_DECLS

struct mem_watch;
typedef void (*mem_watch_fn)(struct mem_watch *w);

/**
 * Fires once, at the first write that touches [addr, addr + size), then is off again. `fn` runs
 * after the bytes are in place; it may watch again, but must not take other watches off.
 */
struct mem_watch {
    uint64_t addr, size;
    mem_watch_fn fn;
    bool armed;
    struct mem_watch *next;
};

#define MEM_PAGE UINT64_C(4096)
/* Bus addresses of pages that are not part of a range: segments of 64 GiB, filled from their start.
 */
#define MEM_PINS_BASE     (UINT64_C(1) << 47)
#define MEM_PINS_SEGMENT  (UINT64_C(1) << 36)
#define MEM_PINS_SEGMENTS 64u

/** Single pages of other memory, wherever the program has them. */
struct mem_pins {
    struct mem_segment {
        uint8_t **pages; /* NULL: nothing is there */
        uint64_t n;
    } segments[MEM_PINS_SEGMENTS];
};

struct mem_ram {
    uint64_t base, size;
    uint8_t *bytes;
    struct mem_watch *watches;
    struct mem_pins *pins; /* NULL: none so far */
};

void mem_ram_init(struct mem_ram *ram, uint64_t base, uint64_t size, uint8_t *bytes);
static inline bool mem_ram_holds(const struct mem_ram *ram, uint64_t addr, uint64_t size)
{
    return addr >= ram->base && addr - ram->base <= ram->size &&
           size <= ram->size - (addr - ram->base);
}
void mem_ram_fini(struct mem_ram *ram);
/**
 * The page at `addr` (a multiple of MEM_PAGE in the range of pins) is that at `page` from now on;
 * NULL: nothing is there. The memory must stay. @return false: no such address, or out of memory.
 */
bool mem_ram_pin(struct mem_ram *ram, uint64_t addr, uint8_t *page);
/** What is at [addr, addr + size): within the range, or within one pinned page; else NULL. */
uint8_t *mem_ram_at(const struct mem_ram *ram, uint64_t addr, uint64_t size);
/** mem_ram_at() must hold. Byte i is written when `enables` is NULL or enables[i] is not 0. Fires
 * watches. */
void mem_ram_write(struct mem_ram *ram, uint64_t addr, const void *buf, uint64_t size,
                   const uint8_t *enables);
void mem_ram_watch(struct mem_ram *ram, struct mem_watch *w);
void mem_ram_unwatch(struct mem_ram *ram, struct mem_watch *w);

SIM_END_DECLS
#endif /* MEMORY_RAM_H */
