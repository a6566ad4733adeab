/*
 * Descriptor memory and DMA channels. Software knows that a channel is idle
 * because the last word of each chain comes to the own ring (NOTIFY_END), so a
 * start costs one store and none is ever dropped by a busy channel.
 */
#include <stdlib.h>
#include <string.h>

#include "hosts/driver/descriptor.h"
#include "hosts/driver/driver.h"

static void chain_give(struct driver *d, struct driver_chain *c)
{
    range_give(&d->internal_free, c->internal_first);
    range_give(&d->table_free, c->host_first);
    c->internal_first = c->host_first = RANGE_NONE;
}

static void chain_release(struct driver *d, struct driver_chain *c)
{
    chain_give(d, c);
    free(c);
}

static void release_retired(struct driver *d, struct driver_channel *ch)
{
    struct driver_chain **at = &ch->retired;

    while (*at != NULL) {
        struct driver_chain *c = *at;

        if (ch->ended < c->until) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        chain_release(d, c);
    }
}

static bool chain_take(struct driver *d, struct driver_chain *c)
{
    if (c->internal_count > 0)
        c->internal_first = range_take(&d->internal_free, c->internal_count, 1);
    if (c->host_count > 0)
        c->host_first = range_take(&d->table_free, c->host_count, 1);
    if ((c->internal_count == 0 || c->internal_first != RANGE_NONE) &&
        (c->host_count == 0 || c->host_first != RANGE_NONE))
        return true;
    chain_give(d, c);
    return false;
}

/** Is there room for a list once the one that it replaces has gone? */
static bool chain_fits(const struct driver *d, const struct driver_chain *c,
                       const struct driver_chain *old)
{
    return range_fits(&d->internal_free, c->internal_count, old->internal_first) &&
           range_fits(&d->table_free, c->host_count, old->host_first);
}

int driver_chain_alloc(struct host *h, struct driver *d, unsigned channel, uint32_t internal,
                       uint32_t host, struct driver_chain **chain_p)
{
    struct driver_channel *ch = &d->channel[channel];
    struct driver_chain *c = malloc(sizeof(*c));
    bool got;

    if (c == NULL)
        return DRIVER_ERR_NOMEM;
    *c = (struct driver_chain){ .internal_first = RANGE_NONE,
                                .host_first = RANGE_NONE,
                                .internal_count = internal,
                                .host_count = host,
                                .head = HUB_DESC_END };
    driver_ring_drain(h, d);
    release_retired(d, ch);
    got = chain_take(d, c);
    if (!got && ch->retired != NULL && driver_channel_wait(h, d, channel) == DRIVER_OK) {
        release_retired(d, ch);
        got = chain_take(d, c);
    }
    if (!got && ch->installed != NULL && chain_fits(d, c, ch->installed) &&
        driver_channel_wait(h, d, channel) == DRIVER_OK) {
        /* Only the list that is about to be replaced stands in the way. */
        chain_release(d, ch->installed);
        ch->installed = NULL;
        got = chain_take(d, c);
    }
    if (!got) {
        free(c);
        return DRIVER_ERR_NOMEM;
    }
    *chain_p = c;
    return DRIVER_OK;
}

void driver_chain_install(struct host *h, struct driver *d, unsigned channel,
                          struct driver_chain *chain)
{
    struct driver_channel *ch = &d->channel[channel];
    struct driver_chain *old = ch->installed;

    chain->by = h;
    ch->installed = chain;
    if (old != NULL) {
        old->until = ch->started;
        old->next = ch->retired;
        ch->retired = old;
        release_retired(d, ch);
    }
}

void driver_descriptor_write(struct host *h, struct driver *d, uint32_t pointer,
                             const struct descriptor *desc)
{
    uint64_t at = (uint64_t)(pointer & ~HUB_DESC_INTERNAL) * HUB_DESC_BYTES;
    uint8_t bytes[HUB_DESC_BYTES];

    descriptor_encode(desc, bytes);
    if ((pointer & HUB_DESC_INTERNAL) != 0)
        h->bus->store_block(h, &d->internal, at, bytes, sizeof(bytes));
    else
        memcpy(d->table + at, bytes, sizeof(bytes));
}

int driver_channel_wait(struct host *h, struct driver *d, unsigned channel)
{
    struct driver_channel *ch = &d->channel[channel];

    driver_ring_drain(h, d);
    while (ch->ended != ch->started) {
        uint64_t state = driver_read(h, d, HUB_DMA(channel) + HUB_DMA_STATE);

        if (state == UINT64_MAX) { /* the board does not answer */
            ch->ended = ch->started;
            return DRIVER_ERR_DMA;
        }
        if ((state & HUB_DMA_BUSY) != 0 || (uint32_t)(state >> 32) != (uint32_t)ch->started)
            continue;
        /* The answer came behind the words that the channel wrote to the ring. */
        driver_ring_drain(h, d);
        ch->ended = ch->started; /* a chain that broke off sends no last word */
        if ((state >> HUB_DMA_ERROR_SHIFT & 15) != 0)
            return DRIVER_ERR_DMA;
    }
    return DRIVER_OK;
}

bool driver_channel_idle(struct host *h, struct driver *d, unsigned channel)
{
    const struct driver_channel *ch = &d->channel[channel];

    if (ch->ended != ch->started)
        driver_ring_drain(h, d);
    return ch->ended == ch->started;
}

uint64_t driver_chain_begin(struct host *h, struct driver *d, unsigned channel, uint32_t head)
{
    uint64_t number = ++d->channel[channel].started; /* before the store: another rank may look */

    driver_write(h, d, HUB_DMA(channel) + HUB_DMA_HEAD, head);
    return number;
}

int driver_chain_start(struct host *h, struct driver *d, unsigned channel)
{
    struct driver_channel *ch = &d->channel[channel];
    int code = DRIVER_OK;

    if (ch->installed == NULL)
        return DRIVER_ERR_ADDRESS;
    if (!driver_channel_idle(h, d, channel))
        code = driver_channel_wait(h, d, channel);
    if (code == DRIVER_OK)
        (void)driver_chain_begin(h, d, channel, ch->installed->head);
    return code;
}

uint64_t driver_own_descs(struct driver *d, unsigned user, unsigned sets)
{
    if (d->own_descs[user] == RANGE_NONE)
        d->own_descs[user] =
            range_take(&d->internal_free, (uint64_t)sets * HUB_DMA_CHANNELS * DRIVER_OWN_DESCS,
                       DRIVER_OWN_DESCS);
    return d->own_descs[user];
}

void driver_chain_ended(struct driver *d, unsigned channel, uint64_t number)
{
    struct driver_channel *ch = &d->channel[channel];

    if (ch->ended < number) /* somebody may have asked the channel itself */
        ch->ended = number;
}
