#include "hosts/driver/notify.h"

#include <stdlib.h>

bool notify_ring_take(struct notify_ring *ring, uint64_t *entry_p)
{
    uint64_t entry = *notify_ring_next(ring);
    bool lap = ((ring->taken >> ring->log2) & 1) == 0; /* 1 in the first round */

    if (((entry & NOTIFY_LAP) != 0) != lap)
        return false;
    ring->taken++;
    *entry_p = entry;
    return true;
}

/* Keys differ in few low bits of three fields; a multiplication spreads them. */
static uint32_t hash(uint64_t key, uint32_t room)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
}

static struct notify_count *slot_of(const struct notify_counts *nc, uint64_t key)
{
    uint32_t at = hash(key, nc->room);

    while (nc->slots[at].key != 0 && nc->slots[at].key != key + 1)
        at = (at + 1) & (nc->room - 1);
    return &nc->slots[at];
}

static bool grow_counts(struct notify_counts *nc)
{
    struct notify_counts more = { .used = nc->used, .room = nc->room != 0 ? 2 * nc->room : 64 };

    more.slots = calloc(more.room, sizeof(*more.slots));
    if (more.slots == NULL)
        return false;
    for (uint32_t i = 0; i < nc->room; i++)
        if (nc->slots[i].key != 0)
            *slot_of(&more, nc->slots[i].key - 1) = nc->slots[i];
    free(nc->slots);
    *nc = more;
    return true;
}

bool notify_count_add(struct notify_counts *nc, uint64_t entry)
{
    uint64_t key = entry & NOTIFY_KEY;
    struct notify_count *c;

    if (4 * (nc->used + 1) > 3 * nc->room && !grow_counts(nc))
        return false;
    c = slot_of(nc, key);
    if (c->key == 0) {
        c->key = key + 1;
        nc->used++;
    }
    c->count++;
    if ((entry & NOTIFY_FLUSH) != 0)
        c->flush |= (uint8_t)(1u << (entry >> NOTIFY_GPU_SHIFT & 1));
    return true;
}

bool notify_count_take(struct notify_counts *nc, uint64_t key, uint8_t *flush_p)
{
    struct notify_count *c = nc->room != 0 ? slot_of(nc, key) : NULL;

    if (c == NULL || c->count == 0)
        return false;
    c->count--;
    *flush_p = c->flush;
    c->flush = 0; /* one read pushes all that came before it */
    return true;
}

static bool find_least(const struct notify_counts *nc, uint64_t bits, uint64_t mask,
                       uint64_t *key_p)
{
    bool found = false;

    for (uint32_t i = 0; i < nc->room; i++) {
        const struct notify_count *c = &nc->slots[i];

        if (c->count == 0 || ((c->key - 1) & mask) != bits || (found && c->key - 1 > *key_p))
            continue;
        found = true;
        *key_p = c->key - 1;
    }
    return found;
}

bool notify_count_least(const struct notify_counts *nc, unsigned source, uint64_t *key_p)
{
    return find_least(nc, notify_key(source, 0, 0), ~NOTIFY_SLOT_AND_TAG, key_p);
}

bool notify_count_alike(const struct notify_counts *nc, unsigned slot, uint32_t tag,
                        uint64_t *key_p)
{
    return find_least(nc, notify_key(0, slot, tag), NOTIFY_SLOT_AND_TAG, key_p);
}

void notify_counts_clear(struct notify_counts *nc)
{
    free(nc->slots);
    *nc = (struct notify_counts){ NULL, 0, 0 };
}
