#include "hosts/driver/include/hub-work.h"

#include "hosts/driver/bar.h"

_Static_assert((int)HUB_LOOPS == HOST_COSTS - HOST_COST_LOOP, "one cost for each kind of loop");

void hub_work(enum hub_loop kind, unsigned long long operations)
{
    struct host *h = host_self();

    if (h == NULL || (unsigned)kind >= HUB_LOOPS)
        return;
    h->ops->spend(h, operations * h->ops->cost_ps(h, HOST_COST_LOOP + kind));
}

static uint64_t memory(const struct host *h, const char *key)
{
    const struct host_setting *s = host_setting_of(h, key);

    return s != NULL ? s->number : 0;
}

/**
 * Transfers of lines that the cache does not save. Of `set` bytes that follow each other in a
 * direct-mapped cache, those beyond its size drive out as many others, so 2 (set - cache) miss.
 */
static uint64_t missed(const struct host *h, uint64_t transfers, uint64_t set)
{
    uint64_t cache = memory(h, "memory.cache_bytes");

    if (set <= cache)
        return 0;
    if (set >= 2 * cache)
        return transfers;
    return (uint64_t)((double)transfers * 2 * (double)(set - cache) / (double)set);
}

void hub_touch(unsigned long long reads, unsigned long long writes, unsigned long long set)
{
    struct host *h = host_self();

    if (h != NULL)
        h->ops->spend(h, missed(h, reads + 2 * writes, set) * memory(h, "memory.line_ps"));
}

void hub_walk(unsigned long long read, unsigned long long written, unsigned long long set)
{
    struct host *h = host_self();
    uint64_t line = h != NULL ? memory(h, "memory.line_bytes") : 0;

    if (line != 0)
        hub_touch(read / line, written / line, set);
}

void hub_gather(unsigned long long reads, unsigned long long set)
{
    struct host *h = host_self();
    uint64_t first;

    if (h == NULL)
        return;
    first = memory(h, "memory.first_bytes");
    if (set > first)
        h->ops->spend(h, (uint64_t)((double)reads * (double)(set - first) / (double)set) *
                             memory(h, "memory.first_ps"));
}
