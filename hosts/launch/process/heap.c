/*
 * Blocks of size classes, four to each power of two and sixteen from a megabyte
 * on, with a free list for each class; new blocks come from the end of what is used. A header of 16
 * bytes stands before what the program gets.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE, madvise */
#include "hosts/launch/process/heap.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Below the memories of simulated nodes (memory.c), above AddressSanitizer's shadow: 15 TiB for
 * HEAP_BANKS * HEAP_RANKS heaps. */
#define HEAP_BASE   UINT64_C(0x110000000000)
#define HEAP_BANKS  3u /* for simulations that live at the same time */
#define HEAP_RANKS  1024u
#define HEAP_ALIGN  16u
#define HEAP_RETURN ((size_t)1 << 20) /* free blocks from this size on give their pages back */

struct header {
    uint64_t bytes;  /* what the program asked for */
    uint32_t cls;    /* size class of the block */
    uint32_t offset; /* of what the program got, in units of HEAP_ALIGN from the block's start; 0:
                        it was freed */
};

struct heap {
    char *base;
    size_t used;
    void *free[HEAP_CLASSES]; /* start of the block; the next one is linked in its first word */
    atomic_flag busy;         /* threads of the program's own allocate, too */
};

static void lock_heap(struct heap *heap)
{
    while (atomic_flag_test_and_set_explicit(&heap->busy, memory_order_acquire))
        sched_yield();
}

static void unlock_heap(struct heap *heap)
{
    atomic_flag_clear_explicit(&heap->busy, memory_order_release);
}

void *heap_map(uint64_t at, size_t bytes, int protection)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): the address is the point */
    void *want = (void *)(uintptr_t)at;
    void *got = mmap(want, bytes, protection, at != 0 ? flags | MAP_FIXED_NOREPLACE : flags, -1, 0);

    if (got == MAP_FAILED)
        return NULL;
    if (at == 0 || got == want)
        return got;
    munmap(got, bytes); /* a kernel before 4.17 takes the address for a hint */
    return NULL;
}

static void *map_bank(unsigned rank)
{
    void *got = NULL;

    for (unsigned b = 0; b < HEAP_BANKS && rank < HEAP_RANKS && got == NULL; b++)
        got = heap_map(HEAP_BASE + ((uint64_t)b * HEAP_RANKS + rank) * HEAP_BYTES, HEAP_BYTES,
                       PROT_READ | PROT_WRITE);
    return got != NULL ? got : heap_map(0, HEAP_BYTES, PROT_READ | PROT_WRITE);
}

struct heap *heap_create(unsigned rank)
{
    struct heap *heap = calloc(1, sizeof(*heap)); /* its flag is clear */

    if (heap == NULL)
        return NULL;
    heap->base = map_bank(rank);
    if (heap->base == NULL) {
        free(heap);
        return NULL;
    }
    return heap;
}

void heap_destroy(struct heap *heap)
{
    if (heap == NULL)
        return;
    munmap(heap->base, HEAP_BYTES);
    free(heap);
}

bool heap_holds(const struct heap *heap, const void *p)
{
    uintptr_t at = (uintptr_t)p, base = (uintptr_t)heap->base;

    return at >= base && at - base < HEAP_BYTES;
}

/* Sizes 64, 80, 96, 112, 128, 160 ...: the top three bits of the size, rounded up; or five. */
uint32_t heap_class(size_t bytes, size_t *block_p)
{
    unsigned top = 5, fine;
    size_t step;

    if (bytes < 64)
        bytes = 64;
    while ((bytes - 1) >> (top + 1) != 0)
        top++;
    fine = top < HEAP_LARGE ? 2 : 4;
    step = (size_t)1 << (top - fine);
    *block_p = (bytes + step - 1) & ~(step - 1);
    if (top < HEAP_LARGE)
        return top * 4 + (uint32_t)((*block_p - 1) >> (top - fine) & 3);
    return 4 * HEAP_LARGE + (top - HEAP_LARGE) * 16 +
           (uint32_t)((*block_p - 1) >> (top - fine) & 15);
}

static struct header *header_of(const void *p)
{
    return (struct header *)((uintptr_t)p - sizeof(struct header));
}

static char *take_block(struct heap *heap, uint32_t cls, size_t bytes, bool *fresh_p)
{
    char *block;

    lock_heap(heap);
    block = heap->free[cls];
    *fresh_p = block == NULL;
    if (block != NULL) {
        heap->free[cls] = *(void **)(void *)block;
    } else if (bytes <= HEAP_BYTES - heap->used) {
        block = heap->base + heap->used;
        heap->used += bytes;
    }
    unlock_heap(heap);
    return block;
}

void *heap_alloc(struct heap *heap, size_t bytes, size_t align, bool *zeroed_p)
{
    size_t extra = align > HEAP_ALIGN ? align : 0, block_bytes, offset;
    bool fresh;
    uint32_t cls;
    char *block;

    if (bytes > HEAP_BYTES || extra > HEAP_BYTES)
        return NULL;
    cls = heap_class(bytes + extra + sizeof(struct header), &block_bytes);
    block = take_block(heap, cls, block_bytes, &fresh);
    if (block == NULL)
        return NULL;
    offset = sizeof(struct header);
    if (extra != 0)
        offset += (align - ((uintptr_t)block + offset) % align) % align;
    *header_of(block + offset) = (struct header){ bytes, cls, (uint32_t)(offset / HEAP_ALIGN) };
    if (zeroed_p != NULL)
        *zeroed_p = fresh;
    return block + offset;
}

bool heap_has(const struct heap *heap, const void *p)
{
    size_t at = (size_t)((uintptr_t)p - (uintptr_t)heap->base);
    const struct header *hdr = header_of(p);

    return at >= sizeof(*hdr) && at % HEAP_ALIGN == 0 && hdr->offset != 0 &&
           hdr->offset <= at / HEAP_ALIGN && hdr->cls < HEAP_CLASSES && hdr->bytes <= HEAP_BYTES;
}

void heap_free(struct heap *heap, void *p)
{
    struct header hdr = *header_of(p);
    char *block = (char *)p - (size_t)hdr.offset * HEAP_ALIGN;

    if (hdr.bytes >= HEAP_RETURN) {
        uintptr_t first = ((uintptr_t)p + 4095) & ~(uintptr_t)4095;
        uintptr_t last = ((uintptr_t)p + hdr.bytes) & ~(uintptr_t)4095;

        /* NOLINTNEXTLINE(performance-no-int-to-ptr): rounded to pages */
        madvise((void *)first, last - first, MADV_DONTNEED);
    }
    header_of(p)->offset = 0;
    lock_heap(heap);
    *(void **)(void *)block = heap->free[hdr.cls];
    heap->free[hdr.cls] = block;
    unlock_heap(heap);
}

size_t heap_size(const void *p)
{
    return header_of(p)->bytes;
}
