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

struct launch_memory {
    char *bank;
    uint64_t used[LAUNCH_NODES_MAX];
};

struct launch_memory *launch_memory_create(void)
{
    struct launch_memory *mem = calloc(1, sizeof(*mem));

    if (mem == NULL)
        return NULL;
    for (unsigned b = 0; b < MEMORY_BANKS && mem->bank == NULL; b++)
        mem->bank = heap_map(MEMORY_BASE + b * BANK_BYTES, BANK_BYTES, PROT_NONE);
    if (mem->bank != NULL)
        return mem;
    free(mem);
    return NULL;
}

void launch_memory_destroy(struct launch_memory *mem)
{
    if (mem == NULL)
        return;
    munmap(mem->bank, BANK_BYTES);
    free(mem);
}

void *launch_memory_map(void *mem_arg, unsigned node, const char *path, uint64_t bytes)
{
    struct launch_memory *mem = mem_arg;
    char *at;

    (void)path;
    if (node >= LAUNCH_NODES_MAX || bytes > LAUNCH_NODE_BYTES - mem->used[node] ||
        LAUNCH_NODE_BYTES - mem->used[node] - bytes < 2 * REGION_ALIGN)
        return NULL;
    at = mem->bank + node * LAUNCH_NODE_BYTES + mem->used[node];
    if (mprotect(at, bytes, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    mem->used[node] += ((bytes + REGION_ALIGN - 1) & ~(REGION_ALIGN - 1)) + REGION_ALIGN;
    return at;
}
