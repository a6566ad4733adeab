#include "hosts/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>

#include "hosts/driver/boot.h"

const struct driver_function *driver_find(const struct driver *d, uint16_t vendor, uint16_t device,
                                          unsigned index)
{
    for (unsigned i = 0; i < d->nfunctions; i++)
        if (d->functions[i].vendor == vendor && d->functions[i].device == device && index-- == 0)
            return &d->functions[i];
    return NULL;
}

static bool is_hub(const struct driver_function *fn)
{
    return fn->vendor == HUB_VENDOR_ID && fn->device == HUB_DEVICE_ID;
}

static void chains_free(struct driver_chain *c)
{
    while (c != NULL) {
        struct driver_chain *next = c->next;

        free(c);
        c = next;
    }
}

static void hub_release(struct driver *d)
{
    for (unsigned c = 0; c < HUB_DMA_CHANNELS; c++) {
        chains_free(d->channel[c].retired);
        chains_free(d->channel[c].installed);
    }
    notify_counts_clear(&d->counts);
    range_fini(&d->table_free);
    range_fini(&d->internal_free);
}

static void driver_release(void *driver)
{
    struct driver_node *node = driver;

    for (unsigned g = 0; g < node->ngpus; g++)
        free(node->gpus[g].pins);
    for (unsigned i = 0; i < node->nhubs; i++)
        hub_release(&node->hubs[i]);
    free(node->hubs);
    free(node);
}

struct driver *driver_of(struct host *h)
{
    struct driver_node *node = host_state_of(h->node->states, driver_release);

    return node != NULL && h->hub < node->nhubs ? &node->hubs[h->hub] : NULL;
}

/* Reads are answered in the own part only, so the driver looks for the registers where they would
 * be in each part, for each way to divide the window; the likely place first. */
static bool find_own_part(struct host *h, struct driver *d)
{
    static const unsigned ways[] = { 16, 8, 4, 2, 1, 32, 64, 128, 256 };

    for (unsigned w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
        uint64_t part = d->window_bytes / ways[w];

        for (unsigned i = 0; i < ways[w]; i++) {
            unsigned slot = (h->node->index + i) % ways[w];

            d->regs =
                (struct host_bar){ d->window_bus + slot * part + HUB_AREA_SELF * (part / HUB_AREAS),
                                   HUB_INTERNAL_OFFSET, HOST_UNCACHED };
            if ((uint32_t)driver_read(h, d, HUB_ID) != HUB_ID_MAGIC)
                continue;
            d->slot = slot;
            d->slots = ways[w];
            d->part_bytes = part;
            d->area_bytes = part / HUB_AREAS;
            return true;
        }
    }
    return false;
}

static int map_window(struct host *h, struct driver *d, const struct driver_function *hub)
{
    d->window_bus = hub->bar[0].bus;
    d->window_bytes = hub->bar[0].bytes;
    if (d->window_bytes == 0 || !find_own_part(h, d))
        return DRIVER_ERR_NO_HUB;
    d->internal = (struct host_bar){ d->regs.bus + HUB_INTERNAL_OFFSET, HUB_INTERNAL_BYTES,
                                     HOST_WRITE_COMBINING };
    d->window = (struct host_bar){ d->window_bus, d->window_bytes, h->pio_mapping };
    return DRIVER_OK;
}

static void open_areas(struct host *h, struct driver *d)
{
    d->area_base[HUB_AREA_HOST] = h->memory->base(h);
    for (unsigned a = HUB_AREA_GPU0; a <= HUB_AREA_GPU1; a++) {
        unsigned g = a - HUB_AREA_GPU0;

        d->area_base[a] = g < d->ngpus ? d->gpus[g].bar_bus : HOST_NO_BUS;
    }
    for (unsigned a = 0; a < HUB_AREA_SELF; a++)
        if (d->area_base[a] != HOST_NO_BUS)
            driver_write(h, d, HUB_AREA_BASE(a), d->area_base[a]);
}

bool driver_helper_add(struct driver *d, const struct driver_helper *helper)
{
    if (d->nhelpers == DRIVER_HELPERS)
        return false;
    d->helpers[d->nhelpers++] = *helper;
    d->helper_bits |= helper->bits;
    d->irq_seen &= ~helper->bits; /* by a rank that rang before there was a helper */
    return true;
}

/* By a device that is no hub: it has no word of causes, but its queues lie in memory. */
static void ring_by_news(struct host *h, const struct driver *d)
{
    for (unsigned i = 0; i < d->nhelpers; i++)
        if (d->helpers[i].news != NULL && d->helpers[i].news(d->helpers[i].arg))
            h->cpu->ring(h, d->helpers[i].h);
}

/* What raised a bit again before it was cleared interrupts no more: the read comes back behind the
 * bytes that such a one has sent before, and helpers that look from then on see them. */
static void ring_by_bits(struct host *h, struct driver *d, uint32_t status)
{
    if ((status & d->helper_bits) == 0)
        return;
    (void)driver_read(h, d, HUB_IRQ_STATUS);
    for (unsigned i = 0; i < d->nhelpers; i++)
        if ((status & d->helpers[i].bits) != 0)
            h->cpu->ring(h, d->helpers[i].h);
}

/* A rank that waits for one of them would wait for ever. */
static void fail_lost(struct host *h, struct driver *d)
{
    char line[160];

    (void)snprintf(line, sizeof(line),
                   "the hub has lost %llu notifications: more came than its ring of %u entries and "
                   "the %u places behind it can hold until this node reads them",
                   (unsigned long long)driver_read(h, d, HUB_RING_LOST), 1u << DRIVER_RING_LOG2,
                   HUB_RING_WAITS);
    h->process->print(h, line);
    h->process->abort(h, 1);
}

static void hub_interrupt(struct host *h, struct driver *d)
{
    uint32_t status;

    status = (uint32_t)driver_read(h, d, HUB_IRQ_STATUS);
    driver_write(h, d, HUB_IRQ_STATUS, status);
    if ((status & HUB_IRQ_LOST) != 0)
        fail_lost(h, d);
    if ((status & HUB_IRQ_RING) != 0) {
        driver_ring_drain(h, d);
        d->tail_written = d->ring.taken;
        driver_write(h, d, HUB_RING_TAIL, d->tail_written);
    }
    ring_by_bits(h, d, status);
    d->irq_seen |= status & ~(HUB_IRQ_RING | d->helper_bits);
    if (d->irq_seen != 0 && d->irq_waiter != NULL)
        h->cpu->wake(h, d->irq_waiter);
}

static void interrupt(struct host *h, void *arg, uint32_t vector)
{
    struct driver_node *node = arg;

    host_spend_cost(h, HOST_COST_INTERRUPT);
    for (unsigned i = 0; i < node->nhubs; i++)
        if (node->hubs[i].has_hub && vector == node->hubs[i].hub_vector) {
            hub_interrupt(h, &node->hubs[i]);
            return;
        }
    for (unsigned i = 0; i < node->nhubs; i++)
        ring_by_news(h, &node->hubs[i]);
}

static int set_up_hub(struct host *h, struct driver *d)
{
    uint64_t ring_bytes = UINT64_C(8) << DRIVER_RING_LOG2;
    uint64_t *ring = h->memory->alloc(h, ring_bytes, HOST_PAGE);

    d->table = h->memory->alloc(h, (uint64_t)DRIVER_TABLE_DESCS * HUB_DESC_BYTES, HOST_PAGE);
    if (ring == NULL || d->table == NULL || !range_init(&d->table_free, 0, DRIVER_TABLE_DESCS) ||
        !range_init(&d->internal_free, 0, HUB_INTERNAL_DESCS))
        return DRIVER_ERR_NOMEM;
    for (unsigned user = 0; user < HOST_USERS; user++)
        d->own_descs[user] = RANGE_NONE;
    d->ring = (struct notify_ring){ ring, DRIVER_RING_LOG2, 0 };
    for (uint64_t i = 0; i < UINT64_C(1) << DRIVER_RING_LOG2; i++)
        d->ring.entries[i] = 0;
    d->table_bus = h->memory->pointer(h, d->table).offset;
    open_areas(h, d);
    driver_write(h, d, HUB_RING_BASE, h->memory->pointer(h, ring).offset);
    driver_write(h, d, HUB_RING_SIZE, DRIVER_RING_LOG2);
    for (unsigned c = 0; c < HUB_DMA_CHANNELS; c++)
        driver_write(h, d, HUB_DMA(c) + HUB_DMA_TABLE, d->table_bus);
    driver_write(h, d, HUB_IRQ_MASK, UINT32_MAX);
    h->bus->fence(h);
    d->subcluster = driver_read(h, d, HUB_SLOT) >> 16 & 0xffff; /* and all of it has arrived */
    return DRIVER_OK;
}

/* The driver keeps one page of each GPU, so that there is always something to read from. */
static int map_gpu(struct host *h, struct driver_gpu *gpu, unsigned g)
{
    void *page = h->gpus->alloc(h, g, HOST_GPU_PAGE, HOST_GPU_PAGE);

    if (page == NULL)
        return DRIVER_ERR_NOMEM;
    gpu->bar = (struct host_bar){ gpu->bar_bus, gpu->bar_bytes, HOST_UNCACHED };
    gpu->flush_offset = h->gpus->pin(h, g, h->memory->pointer(h, page).offset, HOST_GPU_PAGE);
    return gpu->flush_offset != HOST_NO_BUS ? DRIVER_OK : DRIVER_ERR_NOMEM;
}

static int find_gpus(struct host *h, struct driver_node *node)
{
    int code = DRIVER_OK;

    node->ngpus = h->gpus->number(h);
    if (node->ngpus > DRIVER_GPUS)
        node->ngpus = DRIVER_GPUS;
    for (unsigned g = 0; g < node->ngpus && code == DRIVER_OK; g++) {
        uint16_t bdf = h->gpus->bdf(h, g);

        for (unsigned i = 0; i < node->nfunctions; i++) {
            const struct driver_function *fn = &node->functions[i];

            for (unsigned n = 0; fn->bdf == bdf && n < DRIVER_BARS; n++)
                if (fn->bar[n].bytes > node->gpus[g].bar_bytes) { /* memory has the largest one */
                    node->gpus[g].socket = fn->socket;
                    node->gpus[g].bar_bus = fn->bar[n].bus;
                    node->gpus[g].bar_bytes = fn->bar[n].bytes;
                }
        }
        code = map_gpu(h, &node->gpus[g], g);
    }
    return code;
}

/* As many as there are hubs; one where there is none. */
static int make_hubs(struct driver_node *node)
{
    unsigned n = 0;

    for (unsigned i = 0; i < node->nfunctions; i++)
        n += is_hub(&node->functions[i]);
    node->hubs = calloc(n > 0 ? n : 1, sizeof(*node->hubs));
    if (node->hubs == NULL)
        return DRIVER_ERR_NOMEM;
    node->nhubs = n > 0 ? n : 1;
    for (unsigned i = 0; i < node->nhubs; i++) {
        node->hubs[i].functions = node->functions;
        node->hubs[i].nfunctions = node->nfunctions;
        node->hubs[i].gpus = node->gpus;
        node->hubs[i].ngpus = node->ngpus;
    }
    return DRIVER_OK;
}

static int boot_hub(struct host *h, struct driver *d, const struct driver_function *hub)
{
    int code = map_window(h, d, hub);

    d->hub_vector = hub->port;
    if (code == DRIVER_OK)
        code = set_up_hub(h, d);
    d->has_hub = code == DRIVER_OK;
    return code;
}

int driver_boot(struct host *h)
{
    struct driver_node *node = calloc(1, sizeof(*node));
    struct driver *next;
    int code;

    if (node == NULL)
        return DRIVER_ERR_NOMEM;
    host_state_add(&h->node->states, &node->kept, driver_release);
    code = boot_enumerate(h, node);
    if (code == DRIVER_OK)
        code = find_gpus(h, node);
    if (code == DRIVER_OK)
        code = make_hubs(node);
    if (code != DRIVER_OK)
        return code;
    h->cpu->set_interrupt(h, interrupt, node);
    next = node->hubs;
    for (unsigned i = 0; i < node->nfunctions && code == DRIVER_OK; i++)
        if (is_hub(&node->functions[i]))
            code = boot_hub(h, next++, &node->functions[i]);
    return code;
}

static void take_entry(struct driver *d, uint64_t entry)
{
    if ((entry & NOTIFY_END) != 0) {
        struct driver_channel *ch = &d->channel[entry >> NOTIFY_CHAN_SHIFT & 3];

        if (ch->ended < ch->started)
            ch->ended++;
    }
    if ((entry & NOTIFY_SILENT) == 0)
        notify_count_add(&d->counts, entry);
}

void driver_ring_drain(struct host *h, struct driver *d)
{
    for (;;) {
        uint64_t entry;

        while (notify_ring_take(&d->ring, &entry))
            take_entry(d, entry);
        /* The hub looks at the tail only to see that it does not overrun the reader. */
        if (d->ring.taken - d->tail_written < UINT64_C(1) << (d->ring.log2 - 2))
            return;
        d->tail_written = d->ring.taken;
        driver_write(h, d, HUB_RING_TAIL, d->tail_written); /* entries may come meanwhile */
    }
}

/*
 * Data and the word in the ring reach the host through the same hub port in that order, so data
 * in host memory is there when the word is. Data for a GPU leaves the root complex by another
 * port, where it may still wait for credits while the word is already in DRAM. A load from the
 * GPU cannot pass posted writes on its way there (PCI Express 3.0, 2.4.1): when it is answered,
 * all earlier data has arrived. Words from internal memory do not need that: the hub's firmware
 * prepares them later than any such wait lasts.
 */
bool driver_wait_notify(struct host *h, struct driver *d, unsigned source, unsigned slot,
                        uint32_t tag)
{
    uint64_t key = notify_key(source, slot, tag);
    uint8_t flush = 0;

    if (!d->has_hub)
        return false;
    for (;;) {
        driver_ring_drain(h, d);
        if (notify_count_take(&d->counts, key, &flush))
            break;
        h->bus->wait_write(h, notify_ring_next(&d->ring), 8);
    }
    driver_flush_gpus(h, flush);
    return true;
}

uint32_t driver_wait_irq(struct host *h, struct driver *d, uint32_t bits)
{
    uint32_t seen;

    while ((d->irq_seen & bits) == 0) {
        d->irq_waiter = h;
        h->cpu->sleep(h, HOST_NEVER);
    }
    d->irq_waiter = NULL;
    seen = d->irq_seen & bits;
    d->irq_seen &= ~bits;
    return seen;
}
