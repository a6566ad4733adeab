#include "tools/load/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct load_chunk {
    struct load_chunk *next;
    max_align_t bytes[];
};

void *load_alloc(struct load_arena *arena, size_t bytes)
{
    struct load_chunk *chunk = calloc(1, sizeof(*chunk) + bytes);

    SIM_ASSERT(chunk != NULL);
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk->bytes;
}

void *load_grow(struct load_arena *arena, const void *items, unsigned n, unsigned *room,
                size_t size)
{
    void *more;

    if (n < *room)
        return (void *)(uintptr_t)items;
    *room = *room * 2 + 16;
    more = load_alloc(arena, *room * size);
    if (n > 0)
        memcpy(more, items, n * size);
    return more;
}

const char *load_text(struct load_arena *arena, const char *fmt, ...)
{
    va_list args;
    char *text;
    int n;

    va_start(args, fmt);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    SIM_ASSERT(n >= 0);
    text = load_alloc(arena, (size_t)n + 1);
    va_start(args, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, args);
    va_end(args);
    return text;
}

void load_arena_fini(struct load_arena *arena)
{
    while (arena->chunks != NULL) {
        struct load_chunk *chunk = arena->chunks;

        arena->chunks = chunk->next;
        free(chunk);
    }
}
