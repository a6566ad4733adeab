#include "hosts/driver/include/peach2.h"

#include <string.h>

#include "hosts/driver/descriptor.h"
#include "hosts/driver/driver.h"

_Static_assert(PEACH2_ERR_NOMEM == DRIVER_ERR_NOMEM && PEACH2_ERR_NO_HUB == DRIVER_ERR_NO_HUB &&
                   PEACH2_ERR_ADDRESS == DRIVER_ERR_ADDRESS && PEACH2_ERR_DMA == DRIVER_ERR_DMA,
               "the public codes are the driver's");

/* The calling rank and its node's driver; peach2_open() has made sure that there is a hub. */
struct self {
    struct host *h;
    struct driver *d;
};

static struct self own_board(void)
{
    struct host *h = host_self();

    return (struct self){ h, driver_of(h) };
}

int peach2_open(void)
{
    struct host *h = host_self();

    if (h == NULL || driver_of(h) == NULL || !driver_of(h)->has_hub)
        return PEACH2_ERR_NO_HUB;
    host_spend_cost(h, HOST_COST_SYSCALL);
    return 0;
}

unsigned peach2_slot(void)
{
    return own_board().d->slot;
}

unsigned peach2_slots(void)
{
    return own_board().d->slots;
}

unsigned peach2_subcluster(void)
{
    return own_board().d->subcluster;
}

int peach2_alloc(int gpu, size_t bytes, struct peach2_buffer *buf_p)
{
    struct self s = own_board();
    struct peach2_buffer buf = { .bytes = bytes,
                                 .slot = (uint16_t)s.d->slot,
                                 .subcluster = (uint16_t)s.d->subcluster };
    uint64_t room = host_round_up(bytes, HOST_GPU_PAGE);
    unsigned area = 0;
    void *p;
    int code;

    if (bytes == 0 || gpu >= (int)s.d->ngpus)
        return PEACH2_ERR_INVALID;
    host_spend_cost(s.h, HOST_COST_SYSCALL);
    p = gpu < 0 ? s.h->memory->alloc(s.h, bytes, HOST_PAGE)
                : s.h->gpus->alloc(s.h, (unsigned)gpu, room, HOST_GPU_PAGE);
    if (p == NULL)
        return PEACH2_ERR_NOMEM;
    memset(p, 0, bytes);
    buf.p = (uintptr_t)p;
    code = driver_address(s.h, p, bytes, &buf.bus, &area, &buf.offset);
    buf.area = area;
    if (code != DRIVER_OK) {
        peach2_free(&buf);
        return code;
    }
    *buf_p = buf;
    return 0;
}

void peach2_free(const struct peach2_buffer *buf)
{
    struct self s = own_board();
    struct host_pointer hp = s.h->memory->pointer(s.h, peach2_pointer(buf));

    if (hp.kind == HOST_GPU)
        driver_free_gpu(s.h, peach2_pointer(buf), NULL, NULL);
    else
        s.h->memory->free(s.h, peach2_pointer(buf));
}

uint64_t peach2_window(const struct peach2_buffer *buf, size_t offset)
{
    struct driver *d = own_board().d;

    return buf->area >= HUB_AREA_SELF || buf->subcluster != d->subcluster
               ? 0
               : driver_window(d, buf->slot, buf->area, buf->offset + offset);
}

void peach2_store(uint64_t window, const void *bytes, size_t n)
{
    struct self s = own_board();

    s.h->bus->store_block(s.h, &s.d->window, window - s.d->window_bus, bytes, n);
}

void peach2_commit(void)
{
    struct host *h = host_self();

    h->bus->fence(h);
}

uint64_t peach2_load(uint64_t window, unsigned size)
{
    struct self s = own_board();

    return s.h->bus->load(s.h, &s.d->window, window - s.d->window_bus, size);
}

static uint64_t read_word(const volatile void *p, unsigned size)
{
    return size == 4 ? *(const volatile uint32_t *)p : *(const volatile uint64_t *)p;
}

void peach2_wait_word(const volatile void *p, unsigned size, uint64_t value)
{
    struct host *h = host_self();

    while (read_word(p, size) != value)
        h->bus->wait_write(h, p, size);
}

void peach2_poll(const struct peach2_buffer *buf, size_t offset, unsigned size, uint64_t value)
{
    struct self s = own_board();
    const struct host_bar bar = { buf->bus, buf->bytes, HOST_UNCACHED };

    while (s.h->bus->load(s.h, &bar, offset, size) != value)
        ;
}

uint64_t peach2_read(uint32_t reg)
{
    struct self s = own_board();

    return driver_read(s.h, s.d, reg);
}

void peach2_write(uint32_t reg, uint64_t value)
{
    struct self s = own_board();

    driver_write(s.h, s.d, reg, value);
}

int peach2_register(unsigned channel, uint64_t dst_window, uint64_t src_bus, uint32_t bytes,
                    struct peach2_status status)
{
    struct self s = own_board();
    uint32_t base = HUB_DMA(channel);

    if (channel >= PEACH2_CHANNELS)
        return PEACH2_ERR_INVALID;
    driver_write(s.h, s.d, base + HUB_DMA_SRC, src_bus);
    driver_write(s.h, s.d, base + HUB_DMA_DST, dst_window);
    driver_write(s.h, s.d, base + HUB_DMA_LENGTH, bytes);
    driver_write(s.h, s.d, base + HUB_DMA_STATUS_ADDR, status.window);
    driver_write(s.h, s.d, base + HUB_DMA_STATUS_DATA, status.data);
    return 0;
}

void peach2_register_start(unsigned channel)
{
    struct self s = own_board();

    s.d->channel[channel].started++;
    driver_write(s.h, s.d, HUB_DMA(channel) + HUB_DMA_CONTROL, HUB_DMA_START_REG);
}

static void write_list(struct self s, uint32_t head, const struct peach2_transfer *list, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        driver_descriptor_write(s.h, s.d, head + i,
                                &(struct descriptor){
                                    .src = list[i].src_bus,
                                    .dst = list[i].dst_window,
                                    .bytes = list[i].bytes,
                                    .block_bytes = list[i].block_bytes,
                                    .src_gap = list[i].src_gap,
                                    .dst_gap = list[i].dst_gap,
                                    .next = i + 1 < n ? head + i + 1 : HUB_DESC_END,
                                    .flags = HUB_DESC_PIPELINE,
                                });
}

int peach2_chain(unsigned channel, int internal, const struct peach2_transfer *list, unsigned n,
                 struct peach2_status status)
{
    struct self s = own_board();
    struct driver_chain *c = NULL;
    int code;

    if (channel >= PEACH2_CHANNELS || n == 0)
        return PEACH2_ERR_INVALID;
    code = driver_chain_alloc(s.h, s.d, channel, internal ? n : 0, internal ? 0 : n, &c);
    if (code != DRIVER_OK)
        return code;
    c->head = internal ? (uint32_t)c->internal_first | HUB_DESC_INTERNAL : (uint32_t)c->host_first;
    write_list(s, c->head, list, n);
    driver_write(s.h, s.d, HUB_DMA(channel) + HUB_DMA_STATUS_ADDR, status.window);
    driver_write(s.h, s.d, HUB_DMA(channel) + HUB_DMA_STATUS_DATA, status.data);
    s.h->bus->fence(s.h);
    c->place = HOST_PLACE_OF_CALLER();
    driver_chain_install(s.h, s.d, channel, c);
    return 0;
}

void peach2_chain_start(unsigned channel)
{
    struct self s = own_board();
    const struct driver_chain *installed = s.d->channel[channel].installed;

    if (installed != NULL)
        (void)driver_chain_begin(s.h, s.d, channel, installed->head);
}

int peach2_wait(unsigned channel)
{
    struct self s = own_board();

    return channel < PEACH2_CHANNELS ? driver_channel_wait(s.h, s.d, channel) : PEACH2_ERR_INVALID;
}

uint64_t peach2_tsc(void)
{
    struct host *h = host_self();

    return h->cpu->tsc(h);
}

uint64_t peach2_tsc_khz(void)
{
    struct host *h = host_self();

    return h->cpu->tsc_khz(h);
}

uint64_t peach2_time_ps(void)
{
    struct host *h = host_self();

    return h->cpu->time_ps(h);
}
