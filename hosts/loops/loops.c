#include "hosts/loops/include/hub-work.h"

#include "hosts/loops/loops.h"

_Static_assert((int)HUB_LOOPS == HOST_COSTS - HOST_COST_LOOP, "one cost for each kind of loop");

#define LOOP_PS(name, def, loop, meaning)                                                          \
    HOST_PARAM_COST_PS("loop." name "_ps", def, HOST_COST_LOOP + (int)(loop) + 1, meaning)

/* Loops on one core of 2.6 GHz: assumed, see docs/npb.md. */
const struct host_param loops_params[] = {
    HOST_PARAM_BYTES("memory.first_bytes", UINT32_C(32) << 10, "first-level cache for data"),
    HOST_PARAM_PS("memory.first_ps", 4000,
                  "a value that the first-level cache does not hold comes from the larger one"),
    HOST_PARAM_BYTES("memory.cache_bytes", UINT32_C(20) << 20,
                     "what a program's loops find in the cache"),
    { "memory.line_bytes", "bytes", 1, 4096, 64, "what a miss of it moves", NULL, 0 },
    HOST_PARAM_PS("memory.line_ps", 5000,
                  "a line between memory and cache, in loops that walk through memory"),
    LOOP_PS("random", 12000, HUB_LOOP_RANDOM,
            "a program computes elementary functions of a random number"),
    LOOP_PS("stencil", 400, HUB_LOOP_STENCIL,
            "an operation of sums over neighbours in a grid larger than caches"),
    LOOP_PS("indexed", 1000, HUB_LOOP_INDEXED, "an operation on a row of a sparse matrix"),
    LOOP_PS("counting", 1000, HUB_LOOP_COUNTING, "an integer is counted or moved by its value"),
    LOOP_PS("sweep", 500, HUB_LOOP_SWEEP,
            "an operation on blocks of a grid, each after its neighbours"),
    LOOP_PS("lines", 500, HUB_LOOP_LINES, "an operation of recurrences along the lines of a grid"),
    LOOP_PS("blocks", 350, HUB_LOOP_BLOCKS,
            "an operation on blocks eliminated along the lines of a grid"),
    HOST_PARAM_END
};

void hub_work(enum hub_loop kind, unsigned long long operations)
{
    struct host *h = host_self();

    if (h == NULL || (unsigned)kind >= HUB_LOOPS)
        return;
    h->cpu->spend(h, operations * h->cpu->cost_ps(h, HOST_COST_LOOP + kind));
}

/* 0: not set, or outside of a rank. */
static uint64_t memory(const char *key)
{
    const struct host *h = host_self();
    const struct host_setting *s = h != NULL ? host_setting_of(h, key) : NULL;

    return s != NULL ? s->number : 0;
}

/* Waits so many times for what takes as long as the setting says. */
static void wait_for(uint64_t times, const char *key)
{
    struct host *h = host_self();

    if (h != NULL)
        h->cpu->spend(h, times * memory(key));
}

/* The part of 2^32 that n pages leave free of a cache that holds `slots`, each anywhere. */
static uint64_t free_of(uint64_t slots, uint64_t n)
{
    uint64_t part = UINT64_C(1) << 32, factor = part - part / slots;

    for (; n != 0; n /= 2) {
        if (n % 2 != 0)
            part = part * factor >> 32;
        factor = factor * factor >> 32;
    }
    return part;
}

/**
 * Transfers of lines that the cache does not save. It is direct-mapped by physical addresses, and
 * the system gives a program pages as they come: a page stays in the cache while none of the
 * others of `set` bytes has its place.
 */
static uint64_t missed(uint64_t transfers, uint64_t set)
{
    uint64_t slots = memory("memory.cache_bytes") / HOST_PAGE;

    if (set <= HOST_PAGE || slots == 0)
        return slots == 0 ? transfers : 0;
    return transfers - (transfers * free_of(slots, (set - 1) / HOST_PAGE) >> 32);
}

void hub_touch(unsigned long long reads, unsigned long long writes, unsigned long long set)
{
    wait_for(missed(reads + 2 * writes, set), "memory.line_ps");
}

void hub_walk(unsigned long long read, unsigned long long written, unsigned long long set)
{
    uint64_t line = memory("memory.line_bytes");

    if (line != 0)
        hub_touch(read / line, written / line, set);
}

void hub_gather(unsigned long long reads, unsigned long long set)
{
    uint64_t first = memory("memory.first_bytes"), beyond;

    if (set <= first)
        return;
    beyond = set - first; /* reads * beyond / set, in two parts that do not overflow */
    wait_for(reads / set * beyond + reads % set * beyond / set, "memory.first_ps");
}
