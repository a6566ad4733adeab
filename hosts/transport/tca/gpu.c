/* Bytes that the core moves: to and from memory of a GPU by its mapped BAR, as gdrcopy does. */
#include "hosts/transport/tca/internal.h"

#define BOUNCE 65536u
/* After more data than that the core reads from the GPU, which takes less than the copy did; after
 * fewer it waits for as long as they are usually on their way. */
#define SETTLED_MAX 64u

static void store_bar(struct tct *c, unsigned gpu, const struct host_bar *bar, uint64_t at,
                      const void *from, uint64_t bytes)
{
    struct host *h = tct_host(c);

    h->bus->store_block(h, bar, at, from, bytes);
    h->bus->fence(h);
    if (c->set.confirm != 0 || bytes > SETTLED_MAX)
        driver_flush_gpu(h, gpu); /* it comes back behind them */
    else
        h->cpu->spend(h, c->set.settle_ps);
}

static bool bounce_ready(struct tct *c)
{
    struct host *h = tct_host(c);

    if (c->bounce == NULL)
        c->bounce = h->memory->alloc(h, BOUNCE, HOST_PAGE);
    return c->bounce != NULL;
}

/* By the engine; where there is no memory for that, by loads. */
static void get(struct tct *c, const struct host_pointer *hp, uint8_t *to, uint64_t bytes)
{
    struct host *h = tct_host(c);
    struct host_pointer at = *hp;
    struct host_bar bar;
    uint64_t in_bar;

    if ((bytes <= TCT_LOADED_MAX || !bounce_ready(c)) &&
        driver_map_gpu(h, hp, bytes, HOST_WRITE_COMBINING, &bar, &in_bar) == DRIVER_OK) {
        h->bus->load_block(h, &bar, in_bar, to, bytes);
        return;
    }
    for (uint64_t n; bytes > 0; bytes -= n) {
        n = bytes < BOUNCE ? bytes : BOUNCE;
        transport_copy_gpu(&c->hubs.t, &at, h->memory->pointer(h, c->bounce).offset, false, n);
        transport_copy(&c->hubs.t, to, c->bounce, n);
        at.offset += n;
        to += n;
    }
}

static void put(struct tct *c, const struct host_pointer *hp, const uint8_t *from, uint64_t bytes)
{
    struct host_bar bar;
    uint64_t at;

    if (driver_map_gpu(tct_host(c), hp, bytes, HOST_WRITE_COMBINING, &bar, &at) == DRIVER_OK)
        store_bar(c, hp->gpu, &bar, at, from, bytes);
}

void tct_copy_bytes(struct tct *c, void *to, const void *from, uint64_t bytes)
{
    struct host *h = tct_host(c);
    struct host_pointer dst = h->memory->pointer(h, to), src = h->memory->pointer(h, from);
    uint8_t piece[256];

    h->cpu->spend(h, c->set.copy_call_ps);
    if (dst.kind != HOST_GPU && src.kind != HOST_GPU) {
        transport_copy(&c->hubs.t, to, from, bytes);
    } else if (dst.kind != HOST_GPU) {
        get(c, &src, to, bytes);
    } else if (src.kind != HOST_GPU) {
        put(c, &dst, from, bytes);
    } else {
        for (uint64_t done = 0, n; done < bytes; done += n) {
            n = bytes - done < sizeof(piece) ? bytes - done : sizeof(piece);
            get(c, &src, piece, n);
            put(c, &dst, piece, n);
            src.offset += n;
            dst.offset += n;
        }
    }
}

void tct_copy(struct transport *t, void *to, const void *from, uint64_t bytes)
{
    if (bytes > 0)
        tct_copy_bytes(tct_of(t), to, from, bytes);
}

void tct_land(struct tct *c, struct tct_target target, const void *from, uint64_t bytes)
{
    const struct p2 *hubs = &c->hubs;
    struct host *h = tct_host(c);
    const struct driver_gpu *gpu;
    struct host_bar bar;

    if (target.area == TCT_BY_COPY) {
        tct_copy_bytes(c, (void *)(uintptr_t)target.offset, from, bytes);
        return;
    }
    h->cpu->spend(h, c->set.copy_call_ps);
    if (target.area == HUB_AREA_HOST) {
        transport_copy(&c->hubs.t, hubs->inbox + (int64_t)(target.offset - hubs->inbox_offset),
                       from, bytes);
        return;
    }
    gpu = &hubs->d->gpus[target.area - HUB_AREA_GPU0];
    bar = (struct host_bar){ gpu->bar_bus, gpu->bar_bytes, HOST_WRITE_COMBINING };
    store_bar(c, target.area - HUB_AREA_GPU0, &bar, target.offset, from, bytes);
}
