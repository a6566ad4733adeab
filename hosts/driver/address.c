/* Bus addresses: pinned GPU pages, and where a pointer lies in the window. */
#include <stdlib.h>

#include "hosts/driver/driver.h"

static const struct driver_pin *find_pin(const struct driver_gpu *g, uint64_t offset,
                                         uint64_t bytes)
{
    for (unsigned i = 0; i < g->npins; i++) {
        const struct driver_pin *p = &g->pins[i];

        if (offset >= p->offset && bytes <= p->bytes && offset - p->offset <= p->bytes - bytes)
            return p;
    }
    return NULL;
}

static struct driver_pin *add_pin(struct driver_gpu *g)
{
    if (g->npins == g->pins_room) {
        unsigned room = g->pins_room != 0 ? 2 * g->pins_room : 16;
        struct driver_pin *more = realloc(g->pins, room * sizeof(*more));

        if (more == NULL)
            return NULL;
        g->pins = more;
        g->pins_room = room;
    }
    return &g->pins[g->npins];
}

int driver_pin_gpu(struct host *h, unsigned gpu, uint64_t offset, uint64_t bytes, uint64_t *bus_p)
{
    struct driver *d = driver_of(h);
    struct driver_gpu *g = &d->gpus[gpu];
    const struct driver_pin *pin = find_pin(g, offset, bytes);

    if (pin == NULL) {
        host_spend_cost(h, HOST_COST_SYSCALL);
        pin = find_pin(g, offset, bytes); /* another rank of the node may have asked meanwhile */
    }
    if (pin == NULL) {
        uint64_t first = offset & ~(uint64_t)(HOST_GPU_PAGE - 1);
        uint64_t last = host_round_up(offset + bytes, HOST_GPU_PAGE);
        struct driver_pin *fresh = add_pin(g);

        if (fresh == NULL)
            return DRIVER_ERR_NOMEM;
        if (last == first)
            last += HOST_GPU_PAGE;
        *fresh =
            (struct driver_pin){ first, last - first, h->gpus->pin(h, gpu, first, last - first) };
        if (fresh->bar_offset == HOST_NO_BUS)
            return DRIVER_ERR_NOMEM;
        if (h->race != NULL)
            h->race->given(h, g->bar_bus + fresh->bar_offset, fresh->bytes);
        g->npins++;
        pin = fresh;
    }
    *bus_p = g->bar_bus + pin->bar_offset + (offset - pin->offset);
    return DRIVER_OK;
}

int driver_map_gpu(struct host *h, const struct host_pointer *where, uint64_t bytes,
                   enum host_mapping mapping, struct host_bar *bar_p, uint64_t *offset_p)
{
    const struct driver_gpu *g = &driver_of(h)->gpus[where->gpu];
    uint64_t bus;
    int code = driver_pin_gpu(h, where->gpu, where->offset, bytes, &bus);

    if (code != DRIVER_OK)
        return code;
    *bar_p = (struct host_bar){ g->bar_bus, g->bar_bytes, mapping };
    *offset_p = bus - g->bar_bus;
    return DRIVER_OK;
}

/** Some pages of a pin stay as they are. */
static void keep_pin(struct driver_gpu *g, const struct driver_pin *old, uint64_t first,
                     uint64_t last)
{
    struct driver_pin *p = first < last ? add_pin(g) : NULL;

    if (p == NULL)
        return;
    *p = (struct driver_pin){ first, last - first, old->bar_offset + (first - old->offset) };
    g->npins++;
}

/** What a pin has of `all`, which begins at `offset`. @return false: nothing */
static bool part_of(const struct driver_gpu *g, const struct driver_pin *p, uint64_t offset,
                    struct host_freed all, struct host_freed *part_p)
{
    uint64_t end = p->offset + p->bytes;
    uint64_t first = p->offset > offset ? p->offset : offset;
    uint64_t last = end < offset + all.bytes ? end : offset + all.bytes;

    if (first >= last)
        return false;
    *part_p = (struct host_freed){ (const uint8_t *)all.p + (first - offset), last - first,
                                   g->bar_bus + p->bar_offset + (first - p->offset) };
    return true;
}

/* A handle that reaches beyond an allocation has pinned more pages, and others name theirs by this
 * pin since. */
static void unpin(struct host *h, unsigned gpu, uint64_t offset, struct host_freed all,
                  driver_part_fn fn, void *arg)
{
    struct driver_gpu *g = &driver_of(h)->gpus[gpu];

    for (unsigned i = g->npins; i-- > 0;) {
        const struct driver_pin p = g->pins[i];
        struct host_freed part;
        uint64_t first;

        if (!part_of(g, &p, offset, all, &part))
            continue;
        if (fn != NULL)
            fn(arg, &part);
        h->gpus->unpin(h, gpu, part.bus - g->bar_bus, part.bytes);
        g->pins[i] = g->pins[--g->npins];
        first = p.offset + (part.bus - g->bar_bus - p.bar_offset);
        keep_pin(g, &p, p.offset, first);
        keep_pin(g, &p, first + part.bytes, p.offset + p.bytes);
    }
}

void driver_pinned_gpu(struct host *h, const void *p, uint64_t bytes, driver_part_fn fn, void *arg)
{
    struct host_pointer hp = h->memory->pointer(h, p);
    const struct driver_gpu *g = &driver_of(h)->gpus[hp.gpu];
    struct host_freed part;

    for (unsigned i = 0; hp.kind == HOST_GPU && i < g->npins; i++)
        if (part_of(g, &g->pins[i], hp.offset, (struct host_freed){ .p = p, .bytes = bytes },
                    &part))
            fn(arg, &part);
}

/** Where the pages end that are pinned from this place of the BAR on, which need not be all in one
 * piece. @return `at`: there are none. */
static uint64_t pinned_until(const struct driver_gpu *g, uint64_t at)
{
    for (unsigned i = 0; i < g->npins; i++)
        if (at - g->pins[i].bar_offset < g->pins[i].bytes)
            return g->pins[i].bar_offset + g->pins[i].bytes;
    return at;
}

uint64_t driver_gpu_unpinned(struct host *h, uint64_t bus, uint64_t bytes)
{
    const struct driver *d = driver_of(h);

    for (unsigned i = 0; i < d->ngpus; i++) {
        const struct driver_gpu *g = &d->gpus[i];
        uint64_t at = bus > g->bar_bus ? bus - g->bar_bus : 0;
        uint64_t end = bus + bytes > g->bar_bus ? bus + bytes - g->bar_bus : 0;

        for (uint64_t next; at < end && at < g->bar_bytes; at = next)
            if ((next = pinned_until(g, at)) == at)
                return g->bar_bus + at;
    }
    return HOST_NO_BUS;
}

uint64_t driver_free_gpu(struct host *h, void *p, driver_part_fn fn, void *arg)
{
    struct host_pointer hp = h->memory->pointer(h, p);
    uint64_t bytes = hp.kind == HOST_GPU ? h->gpus->free(h, hp.gpu, p) : 0;

    if (bytes != 0)
        unpin(h, hp.gpu, hp.offset, (struct host_freed){ .p = p, .bytes = bytes }, fn, arg);
    return bytes;
}

void driver_flush_gpu(struct host *h, unsigned gpu)
{
    struct driver_gpu *g = &driver_of(h)->gpus[gpu];

    h->bus->load(h, &g->bar, g->flush_offset, 4);
}

void driver_flush_gpus(struct host *h, unsigned gpus)
{
    for (unsigned g = 0; g < driver_of(h)->ngpus; g++)
        if ((gpus >> g & 1) != 0)
            driver_flush_gpu(h, g);
}

int driver_address(struct host *h, void *p, uint64_t bytes, uint64_t *bus_p, unsigned *area_p,
                   uint64_t *offset_p)
{
    struct driver *d = driver_of(h);
    struct host_pointer hp = h->memory->pointer(h, p);
    unsigned area = HUB_AREA_HOST;
    uint64_t bus = hp.offset;

    if (hp.kind == HOST_PAGEABLE)
        return DRIVER_ERR_ADDRESS;
    if (hp.kind == HOST_GPU) {
        int code = driver_pin_gpu(h, hp.gpu, hp.offset, bytes, &bus);

        if (code != DRIVER_OK)
            return code;
        area = HUB_AREA_GPU0 + hp.gpu;
    }
    *bus_p = bus;
    *area_p = DRIVER_NO_AREA;
    *offset_p = bus;
    if (area < HUB_AREA_SELF && bus >= d->area_base[area]) { /* a closed one lies above all */
        uint64_t offset = bus - d->area_base[area];

        if (offset < d->area_bytes && bytes <= d->area_bytes - offset) {
            *area_p = area;
            *offset_p = offset;
        }
    }
    return DRIVER_OK;
}
