/* Inside of sim/observe: what observers keep things in. */
#ifndef OBSERVE_MAP_H
#define OBSERVE_MAP_H

#include "core/sim.h"

/** Numbers for pairs of pointers, which the models never change or free. */
struct observe_map {
    struct observe_slot {
        const void *a, *b;
        uint32_t value; /* 0: none */
    } * slots;
    uint32_t n, room; /* a power of two */
};

void observe_map_fini(struct observe_map *map);
/** The place of the value for (a, b), which is 0 when it is new. Valid until the next call. NULL:
 * out of memory. */
uint32_t *observe_map_at(struct observe_map *map, const void *a, const void *b);

/** Room for one more behind `n` items of `size` bytes. @return the list, to be stored; NULL: out of
 * memory, and the list is as it was */
void *observe_grow(void *list, uint64_t n, uint32_t *room, size_t size);
/** NULL: out of memory. */
char *observe_copy(const char *text);

#endif
