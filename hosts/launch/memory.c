#define _DEFAULT_SOURCE /* sys/mman.h */
#include "hosts/launch/memory.h"

#include "hosts/launch/process/heap.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Clear of programs and libraries (0x55.., 0x7f..) and of AddressSanitizer's shadow (below
 * 0x1000'8000'0000) and allocator (0x6000'0000'0000 on). */
#define MEMORY_BASE  UINT64_C(0x200000000000)
#define MEMORY_BANKS 4u
#define BANK_BYTES   (LAUNCH_NODES_MAX * LAUNCH_NODE_BYTES)
#define REGION_ALIGN (UINT64_C(2) << 20) /* of regions, with a hole after each */

/* A bank is taken by its last page, which is part of the last hole. Regions are mapped one by one:
 * valgrind goes over all pages of a mapping, for minutes where it is one of terabytes. */
#define CLAIM_BYTES UINT64_C(4096)

struct launch_memory {
    uint64_t bank; /* its address */
    void *claim;
    uint64_t used[LAUNCH_NODES_MAX];
};

struct launch_memory *launch_memory_create(void)
{
    struct launch_memory *mem = calloc(1, sizeof(*mem));

    if (mem == NULL)
        return NULL;
    for (unsigned b = 0; b < MEMORY_BANKS && mem->claim == NULL; b++) {
        mem->bank = MEMORY_BASE + b * BANK_BYTES;
        mem->claim = heap_map(mem->bank + BANK_BYTES - CLAIM_BYTES, CLAIM_BYTES, PROT_NONE);
    }
    if (mem->claim != NULL)
        return mem;
    free(mem);
    return NULL;
}

static void *address_of(const struct launch_memory *mem, unsigned node)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): the address is the point */
    return (void *)(uintptr_t)(mem->bank + node * LAUNCH_NODE_BYTES);
}

void launch_memory_destroy(struct launch_memory *mem)
{
    if (mem == NULL)
        return;
    for (unsigned n = 0; n < LAUNCH_NODES_MAX; n++)
        if (mem->used[n] != 0)
            munmap(address_of(mem, n), mem->used[n]);
    munmap(mem->claim, CLAIM_BYTES);
    free(mem);
}

void *launch_memory_map(void *mem_arg, unsigned node, const char *path, uint64_t bytes)
{
    struct launch_memory *mem = mem_arg;
    void *at;

    (void)path;
    if (node >= LAUNCH_NODES_MAX || bytes > LAUNCH_NODE_BYTES - mem->used[node] ||
        LAUNCH_NODE_BYTES - mem->used[node] - bytes < 2 * REGION_ALIGN)
        return NULL;
    at = heap_map(mem->bank + node * LAUNCH_NODE_BYTES + mem->used[node], bytes,
                  PROT_READ | PROT_WRITE);
    if (at != NULL)
        mem->used[node] += ((bytes + REGION_ALIGN - 1) & ~(REGION_ALIGN - 1)) + REGION_ALIGN;
    return at;
}
