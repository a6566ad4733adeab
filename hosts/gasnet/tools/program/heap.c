/*
 * Memory of a program with statistics and guards. What is known of a block is kept beside it, so
 * that blocks of malloc() and these may be mixed: a block is what malloc() gives, and a guard
 * longer.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, strnlen() */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hosts/gasnet/include/gasnet_tools.h"
#include "hosts/gasnet/tools/program/fatal.h"

static const uint8_t guard[16] = { 0xa5, 0x5a, 0xc3, 0x3c, 0x96, 0x69, 0xe1, 0x1e,
                                   0x5a, 0xa5, 0x3c, 0xc3, 0x69, 0x96, 0x1e, 0xe1 };

struct block {
    void *p; /* NULL: none is here */
    size_t bytes;
    const char *at; /* where the program has asked for it */
};

static struct block *blocks; /* by a hash of the address, at it or behind it */
static size_t room;          /* a power of two, or 0; at most half is taken */
static gasnett_heapstats_t stats;
static gasnett_mutex_t heap_mutex = GASNETT_MUTEX_INITIALIZER;

/* ---- the table ---- */

static size_t block_place(const void *p)
{
    return (size_t)(((uintptr_t)p >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);
}

/* Where it is, or where it may be put. */
static struct block *block_find(const void *p)
{
    size_t i = block_place(p);

    while (blocks[i].p != NULL && blocks[i].p != p)
        i = (i + 1) & (room - 1);
    return &blocks[i];
}

static void blocks_grow(const char *at)
{
    struct block *old = blocks;
    size_t n = room;

    room = n > 0 ? 2 * n : 64;
    blocks = calloc(room, sizeof(*blocks));
    if (blocks == NULL)
        gasneti_tools_fatal("gasnett_debug_malloc", at, "out of memory for the table of blocks");
    for (size_t i = 0; i < n; i++)
        if (old[i].p != NULL)
            *block_find(old[i].p) = old[i];
    free(old);
}

/* Those behind it that would not be found any more move up. */
static void block_remove(struct block *b)
{
    size_t hole = (size_t)(b - blocks), i = hole;

    for (;;) {
        i = (i + 1) & (room - 1);
        if (blocks[i].p == NULL)
            break;
        if (((i - block_place(blocks[i].p)) & (room - 1)) >= ((i - hole) & (room - 1))) {
            blocks[hole] = blocks[i];
            hole = i;
        }
    }
    blocks[hole].p = NULL;
}

static void count_freed(size_t bytes)
{
    stats.freed_bytes += bytes;
    stats.freed_objects++;
    stats.live_bytes -= bytes;
    stats.live_objects--;
}

static void block_add(void *p, size_t bytes, const char *at)
{
    struct block *b;

    memcpy((char *)p + bytes, guard, sizeof(guard));
    gasneti_tools_mutex_lock(&heap_mutex, at);
    if (2 * (stats.live_objects + 1) > room)
        blocks_grow(at);
    b = block_find(p);
    if (b->p != NULL) /* free() has freed it */
        count_freed(b->bytes);
    *b = (struct block){ p, bytes, at };
    stats.allocated_bytes += bytes;
    stats.allocated_objects++;
    stats.live_bytes += bytes;
    stats.live_objects++;
    stats.live_bytes_max = GASNETT_MAX(stats.live_bytes_max, stats.live_bytes);
    stats.live_objects_max = GASNETT_MAX(stats.live_objects_max, stats.live_objects);
    gasneti_tools_mutex_unlock(&heap_mutex, at);
}

static void block_check(const struct block *b, const char *call, const char *at)
{
    if (memcmp((const char *)b->p + b->bytes, guard, sizeof(guard)) != 0)
        gasneti_tools_fatal(
            call, at, "the program has written beyond the %zu bytes at %p, which it got at %s",
            b->bytes, b->p, b->at);
}

/* Forgets a block. @return its bytes; SIZE_MAX: it is none of these */
static size_t block_take(void *p, const char *call, const char *at)
{
    size_t bytes = SIZE_MAX;
    struct block *b;

    gasneti_tools_mutex_lock(&heap_mutex, at);
    b = room > 0 ? block_find(p) : NULL;
    if (b != NULL && b->p != NULL) {
        block_check(b, call, at);
        bytes = b->bytes;
        count_freed(bytes);
        block_remove(b);
    }
    gasneti_tools_mutex_unlock(&heap_mutex, at);
    return bytes;
}

/* ---- calls ---- */

static void *need(void *p, const char *call, size_t bytes, const char *at)
{
    if (p == NULL)
        gasneti_tools_fatal(call, at, "bytes = %zu: out of memory", bytes);
    return p;
}

void *gasneti_tools_heap_malloc(size_t bytes, const char *at)
{
    size_t all = bytes <= SIZE_MAX - sizeof(guard) ? bytes + sizeof(guard) : bytes;
    void *p = need(malloc(all), "gasnett_debug_malloc", bytes, at);

    block_add(p, bytes, at);
    return p;
}

void *gasneti_tools_heap_calloc(size_t n, size_t each, const char *at)
{
    size_t bytes;
    void *p;

    if (__builtin_mul_overflow(n, each, &bytes))
        gasneti_tools_fatal("gasnett_debug_calloc", at, "n = %zu of %zu bytes: out of memory", n,
                            each);
    p = gasneti_tools_heap_malloc(bytes, at);
    return memset(p, 0, bytes);
}

void gasneti_tools_heap_free(void *p, const char *at)
{
    if (p != NULL)
        (void)block_take(p, "gasnett_debug_free", at);
    free(p);
}

void *gasneti_tools_heap_realloc(void *p, size_t bytes, const char *at)
{
    size_t all = bytes <= SIZE_MAX - sizeof(guard) ? bytes + sizeof(guard) : bytes;

    if (p != NULL)
        (void)block_take(p, "gasnett_debug_realloc", at);
    p = need(realloc(p, all), "gasnett_debug_realloc", bytes, at);
    block_add(p, bytes, at);
    return p;
}

char *gasneti_tools_heap_strndup(const char *text, size_t most, const char *at)
{
    size_t n = strnlen(text, most);
    char *copy = gasneti_tools_heap_malloc(n + 1, at);

    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

void gasneti_tools_heap_check(void *p, const char *at)
{
    gasneti_tools_mutex_lock(&heap_mutex, at);
    for (size_t i = 0; i < room; i++)
        if (blocks[i].p != NULL && (p == NULL || blocks[i].p == p))
            block_check(&blocks[i], "gasnett_debug_memcheck", at);
    gasneti_tools_mutex_unlock(&heap_mutex, at);
}

int gasnett_getheapstats(gasnett_heapstats_t *stats_p)
{
    *stats_p = stats;
    stats_p->overhead_bytes = stats.live_objects * sizeof(guard) + room * sizeof(*blocks);
    return 0;
}

void *gasnett_mmap(uintptr_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void gasnett_munmap(void *p, uintptr_t bytes)
{
    if (munmap(p, bytes) != 0)
        gasneti_tools_fatal("gasnett_munmap", NULL, "p = %p, bytes = %zu: expected whole pages", p,
                            (size_t)bytes);
}
