/* Inside of sim/observe: numbers for pairs of pointers, which the models never change or free. */
#ifndef OBSERVE_MAP_H
#define OBSERVE_MAP_H

#include "core/sim.h"

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

#endif
