/*
 * First-fit allocator of ranges of numbers: bus addresses, device memory,
 * descriptors. It never touches what it hands out, and the same calls give the
 * same ranges on every machine.
 */
#ifndef HOST_RANGE_H
#define HOST_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RANGE_NONE UINT64_MAX

struct range_block {
    uint64_t first, count;
    bool used;
};

struct range_alloc {
    struct range_block *blocks; /* in order, without gaps */
    unsigned nblocks, capacity;
};

/** False: out of memory. */
bool range_init(struct range_alloc *ra, uint64_t first, uint64_t count);
void range_fini(struct range_alloc *ra);
/** `align` a power of two, `count` >= 1. @return the first number or RANGE_NONE. */
uint64_t range_take(struct range_alloc *ra, uint64_t count, uint64_t align);
/** Is there room for so many, once the range that begins at `without` (RANGE_NONE: none) is free?
 */
bool range_fits(const struct range_alloc *ra, uint64_t count, uint64_t without);
/** @return how many numbers of a range that was taken lie from `number` on; 0: it is in none. */
uint64_t range_left(const struct range_alloc *ra, uint64_t number);
/** @return the length of the range that began at `first`, 0 when there is none. */
uint64_t range_give(struct range_alloc *ra, uint64_t first);

#ifdef __cplusplus
}
#endif
#endif /* HOST_RANGE_H */
