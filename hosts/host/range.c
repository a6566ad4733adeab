#include "hosts/host/range.h"

#include <stdlib.h>
#include <string.h>

bool range_init(struct range_alloc *ra, uint64_t first, uint64_t count)
{
    ra->capacity = 16;
    ra->nblocks = 1;
    ra->blocks = calloc(ra->capacity, sizeof(*ra->blocks));
    if (ra->blocks == NULL)
        return false;
    ra->blocks[0] = (struct range_block){ first, count, false };
    return true;
}

void range_fini(struct range_alloc *ra)
{
    free(ra->blocks);
    ra->blocks = NULL;
    ra->nblocks = 0;
}

static bool range_reserve(struct range_alloc *ra)
{
    struct range_block *more;

    if (ra->nblocks + 2 <= ra->capacity)
        return true;
    more = realloc(ra->blocks, (size_t)2 * ra->capacity * sizeof(*more));
    if (more == NULL)
        return false;
    ra->blocks = more;
    ra->capacity *= 2;
    return true;
}

static void range_insert(struct range_alloc *ra, unsigned at, struct range_block b)
{
    memmove(&ra->blocks[at + 1], &ra->blocks[at], (ra->nblocks - at) * sizeof(b));
    ra->blocks[at] = b;
    ra->nblocks++;
}

static void range_remove(struct range_alloc *ra, unsigned at)
{
    ra->nblocks--;
    memmove(&ra->blocks[at], &ra->blocks[at + 1], (ra->nblocks - at) * sizeof(ra->blocks[0]));
}

uint64_t range_take(struct range_alloc *ra, uint64_t count, uint64_t align)
{
    if (!range_reserve(ra))
        return RANGE_NONE;
    for (unsigned i = 0; i < ra->nblocks; i++) {
        struct range_block b = ra->blocks[i];
        uint64_t start = (b.first + align - 1) & ~(align - 1);
        uint64_t skip = start - b.first;

        if (b.used || skip > b.count || count > b.count - skip)
            continue;
        ra->blocks[i] = (struct range_block){ start, count, true };
        if (b.count - skip > count)
            range_insert(ra, i + 1,
                         (struct range_block){ start + count, b.count - skip - count, false });
        if (skip > 0)
            range_insert(ra, i, (struct range_block){ b.first, skip, false });
        return start;
    }
    return RANGE_NONE;
}

bool range_fits(const struct range_alloc *ra, uint64_t count, uint64_t without)
{
    uint64_t room = 0; /* up to here without a gap */

    for (unsigned i = 0; i < ra->nblocks && room < count; i++) {
        const struct range_block *b = &ra->blocks[i];

        room = b->used && b->first != without ? 0 : room + b->count;
    }
    return room >= count;
}

/** The block that `number` is in; `nblocks`: none. */
static unsigned block_at(const struct range_alloc *ra, uint64_t number)
{
    unsigned lo = 0, hi = ra->nblocks;

    while (lo < hi) {
        unsigned mid = lo + (hi - lo) / 2;
        const struct range_block *b = &ra->blocks[mid];

        if (number >= b->first && number - b->first < b->count)
            return mid;
        if (number < b->first)
            hi = mid;
        else
            lo = mid + 1;
    }
    return ra->nblocks;
}

uint64_t range_left(const struct range_alloc *ra, uint64_t number)
{
    unsigned at = block_at(ra, number);

    if (at == ra->nblocks || !ra->blocks[at].used)
        return 0;
    return ra->blocks[at].count - (number - ra->blocks[at].first);
}

uint64_t range_give(struct range_alloc *ra, uint64_t first)
{
    unsigned at = block_at(ra, first);
    uint64_t count;

    if (at == ra->nblocks || !ra->blocks[at].used || ra->blocks[at].first != first)
        return 0;
    count = ra->blocks[at].count;
    ra->blocks[at].used = false;
    if (at + 1 < ra->nblocks && !ra->blocks[at + 1].used) {
        ra->blocks[at].count += ra->blocks[at + 1].count;
        range_remove(ra, at + 1);
    }
    if (at > 0 && !ra->blocks[at - 1].used) {
        ra->blocks[at - 1].count += ra->blocks[at].count;
        range_remove(ra, at);
    }
    return count;
}
