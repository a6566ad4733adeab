/* What cores and the engines of GPUs move: to and from pinned memory, and into the window. */
#include <string.h>

#include "hosts/transport/peach2/dma.h"

uint64_t p2_fill_stage(struct p2 *p2, int stage, uint64_t to, const void *from, uint64_t bytes)
{
    uint64_t at = (uint64_t)stage * p2_stage_bytes(p2) + (to & P2_ALIGN_LOW);
    struct host *h = p2->t.host;
    struct host_pointer hp = h->memory->pointer(h, from);

    if (hp.kind == HOST_GPU && bytes <= P2_PIO_MAX) { /* sooner than an engine starts */
        struct host_bar bar = { .bytes = 0 };
        uint64_t offset = 0;

        (void)driver_map_gpu(h, &hp, bytes, HOST_UNCACHED, &bar, &offset);
        h->bus->load_block(h, &bar, offset, p2->stage + at, bytes);
    } else if (hp.kind == HOST_GPU) {
        transport_copy_gpu(&p2->t, &hp, p2->stage_bus + at, false, bytes);
    } else {
        transport_copy(&p2->t, p2->stage + at, from, bytes);
    }
    return p2->stage_bus + at;
}

/* What is the own node's does not go through the hub, which sends nothing back to where it came
 * from. */
void p2_store(struct p2 *p2, uint64_t to, const void *bytes, uint64_t n)
{
    struct host *h = p2->t.host;
    const struct driver *d = p2->d;
    uint64_t offset = to - d->window_bus, in_part = offset % d->part_bytes;
    uint64_t area = in_part / d->area_bytes;
    uint64_t bus;

    if (offset / d->part_bytes != d->slot) {
        h->bus->store_block(h, &d->window, offset, bytes, n);
        return;
    }
    bus = d->area_base[area] + in_part % d->area_bytes;
    if (area == HUB_AREA_HOST) {
        transport_copy(&p2->t, p2->inbox + (int64_t)(bus - p2->inbox_bus), bytes, n);
    } else {
        const struct driver_gpu *g = &d->gpus[area - HUB_AREA_GPU0];

        h->bus->store_block(h, &g->bar, bus - g->bar_bus, bytes, n);
    }
}

/* By one load for each word that they lie in: the processor waits for it across PCIe. */
static void load_rest(struct p2 *p2, const struct host_pointer *where, uint8_t *to, uint64_t bytes)
{
    struct host *h = p2->t.host;
    struct host_bar bar = { .bytes = 0 };
    uint64_t offset = 0, word = 0;

    (void)driver_map_gpu(h, where, bytes, HOST_UNCACHED, &bar, &offset);
    for (uint64_t i = 0; i < bytes; i++) {
        uint64_t in_word = (offset + i) % P2_GRAIN;

        if (i == 0 || in_word == 0)
            word = h->bus->load(h, &bar, offset + i - in_word, P2_GRAIN);
        to[i] = (uint8_t)(word >> 8 * in_word);
    }
}

void p2_store_rest(struct p2 *p2, uint64_t to, const uint8_t *from, uint64_t bytes)
{
    struct host_pointer hp = p2->t.host->memory->pointer(p2->t.host, from);
    uint8_t rest[P2_GRAIN];

    if (hp.kind == HOST_GPU)
        load_rest(p2, &hp, rest, bytes);
    else
        memcpy(rest, from, bytes);
    p2_store(p2, to, rest, bytes);
}
