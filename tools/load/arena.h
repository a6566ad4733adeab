/*
 * Memory that is given back all at once: what a configuration file became. A tool
 * that finds no memory while it reads a configuration has nothing better to do
 * than to stop, so nothing here fails.
 */
#ifndef LOAD_ARENA_H
#define LOAD_ARENA_H

#include "core/sim.h"

SIM_BEGIN_DECLS

#define LOAD_COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct load_chunk;
struct load_arena { /* all zero is an empty one */
    struct load_chunk *chunks;
};

void *load_alloc(struct load_arena *arena, size_t bytes); /* zeroed */
/** Room for one more than the `n` items of `size` bytes: they themselves, or copied to where there
 * is more. */
void *load_grow(struct load_arena *arena, const void *items, unsigned n, unsigned *room,
                size_t size);
const char *load_text(struct load_arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void load_arena_fini(struct load_arena *arena);

SIM_END_DECLS
#endif /* LOAD_ARENA_H */
