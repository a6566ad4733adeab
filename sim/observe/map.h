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

/** Items of one size, each found by a pair of pointers. */
struct observe_table {
    struct observe_map map; /* of numbers: item i is the i-th one, from 1 on */
    size_t size;
    uint32_t n, room;
    void *items;
};

void observe_table_fini(struct observe_table *table);
/** The item for (a, b), all zero when it is new. Valid until the next call. NULL: out of memory. */
void *observe_table_at(struct observe_table *table, const void *a, const void *b);

/** Room for one more behind `n` items of `size` bytes. `list_p`: of the pointer to the first one.
 * @return false: out of memory, and the list is as it was */
bool observe_grow(void *list_p, uint64_t n, uint32_t *room, size_t size);
/** A text of its own: `a`, `between`, `b`. NULL: out of memory. */
char *observe_join(const char *a, const char *between, const char *b);

#endif
