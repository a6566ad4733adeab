/*
 * DMA channels. A chain is the descriptor of the data, which the cache keeps, a flag at the far
 * side, and a word at the own one. Flags belong to a peer and stand in the memory that the data's
 * descriptor is in: of one that is used again only its number is written anew.
 *
 * A flag in host memory follows its data at once, and may be there before data for a GPU are. So it
 * has a mark for the receiver, which reads from the GPU first. One in the hub's memory comes later
 * than any such wait lasts (driver_wait_notify()).
 */
#include <stdlib.h>

#include "hosts/transport/peach2/ring.h"
#include "hosts/transport/tca/job.h"

#define ENDED UINT64_C(1)
/* Marks are never 0, which says that there was none. */
#define MARK(number)          ((uint16_t)((number) | 0x8000u))
#define MARK_SHIFT(gpu)       (32u + 16u * (gpu))
#define DESCS_OF_CHANNEL(nfl) (2u * (nfl) + 1u) /* flags, bells, and the end */

static uint32_t pointer_to(const struct tct *c, bool internal, unsigned channel, unsigned which)
{
    uint64_t first = internal ? c->flags_internal : c->flags_host;

    return (uint32_t)(first + (uint64_t)channel * DESCS_OF_CHANNEL(c->nflags) + which) |
           (internal ? HUB_DESC_INTERNAL : 0);
}

/* A channel has those of flags, then those of bells, then its end. */
static uint32_t end_pointer(const struct tct *c, bool internal, unsigned channel)
{
    return pointer_to(c, internal, channel, 2 * c->nflags);
}

static void write_end(struct tct *c, bool internal, unsigned channel)
{
    const struct p2 *hubs = &c->hubs;
    const struct descriptor end = {
        .src = ENDED,
        .dst = driver_window(hubs->d, hubs->d->slot, HUB_AREA_HOST,
                             hubs->inbox_offset + TCT_ENDED_AT + 8ull * channel),
        .next = HUB_DESC_END,
        .flags = HUB_DESC_STATUS,
    };

    driver_descriptor_write(tct_host(c), hubs->d, end_pointer(c, internal, channel), &end);
}

static bool take_descriptors(struct tct *c)
{
    struct driver *d = c->hubs.d;
    uint32_t flags = c->nchannels * DESCS_OF_CHANNEL(c->nflags);

    c->flags_internal = range_take(&d->internal_free, flags, 1);
    c->flags_host = range_take(&d->table_free, flags, 1);
    /* One more for each channel: patterns that are not kept. */
    c->descs_host = range_take(&d->table_free, c->set.cache_entries + c->nchannels, 1);
    return c->flags_internal != RANGE_NONE && c->flags_host != RANGE_NONE &&
           c->descs_host != RANGE_NONE;
}

bool tct_channels_init(struct tct *c, unsigned local_index, unsigned local_ranks)
{
    struct host *h = tct_host(c);

    for (unsigned ch = local_index % HUB_DMA_CHANNELS;
         ch < HUB_DMA_CHANNELS && c->nchannels < c->set.channels; ch += local_ranks)
        c->channel[c->nchannels++].number = HUB_DMA_CHANNELS - 1 - ch;
    c->nflags = c->hubs.nranks < TCT_FLAGS ? c->hubs.nranks : TCT_FLAGS;
    if (local_ranks > HUB_DMA_CHANNELS) /* so that there is enough for all of them */
        c->nflags = c->nflags < TCT_FLAGS / 4 ? c->nflags : TCT_FLAGS / 4;
    if (!take_descriptors(c))
        return false;
    c->internal_at = malloc(c->set.internal_entries * sizeof(*c->internal_at));
    if (c->internal_at == NULL ||
        !tct_cache_init(&c->cache, (enum tct_policy)c->set.cache_policy, c->set.promote,
                        c->set.promote_uses, c->set.cache_entries, c->set.internal_entries))
        return false;
    for (unsigned ch = 0; ch < c->nchannels; ch++) {
        write_end(c, false, ch);
        write_end(c, true, ch);
        if (c->set.fault != 0)
            c->channel[ch].due = c->channel[ch].counted =
                driver_read(h, c->hubs.d, HUB_DMA(c->channel[ch].number) + HUB_DMA_BYTES);
    }
    h->bus->fence(h);
    return true;
}

void tct_channels_ring(struct tct *c)
{
    if (c->hubs.nsharers > 0)
        return;
    for (unsigned ch = 0; ch < c->nchannels; ch++)
        driver_write(tct_host(c), c->hubs.d, HUB_DMA(c->channel[ch].number) + HUB_DMA_IRQ,
                     c->hubs.peers[c->hubs.me].bell);
}

/* ---- starts ------------------------------------------------------------------------------ */

static uint32_t data_pointer(const struct tct *c, unsigned channel, struct tct_use use)
{
    if (use.internal)
        return c->internal_at[use.slot] | HUB_DESC_INTERNAL;
    return (uint32_t)c->descs_host + use.slot + (use.slot == c->cache.host_room ? channel : 0);
}

/* The hub's memory is others', too: a descriptor there is taken when there is use for it. */
static void add_internal(struct tct *c)
{
    uint64_t at;

    if (c->cache.nfree_internal > 0 || c->cache.internal_slots == c->cache.internal_room)
        return;
    at = range_take(&c->hubs.d->internal_free, 1, 1);
    if (at == RANGE_NONE)
        return;
    c->internal_at[c->cache.internal_slots] = (uint32_t)at;
    tct_cache_add_internal(&c->cache);
}

/* A chain that another channel has begun may not have been fetched yet. */
static void wait_for_slot(struct tct *c, unsigned channel, struct tct_use use)
{
    for (unsigned ch = 0; ch < c->nchannels; ch++)
        while (ch != channel && c->channel[ch].busy && c->channel[ch].use.slot == use.slot &&
               c->channel[ch].use.internal == use.internal && use.slot != c->cache.host_room &&
               !tct_channel_end(c, ch))
            if (c->set.fault == 0)
                tct_host(c)->bus->wait_write(tct_host(c), c->ended, 8 * TCT_CHANNELS);
}

static void write_descriptor(struct tct *c, uint32_t pointer, const struct descriptor *d)
{
    if ((pointer & HUB_DESC_INTERNAL) == 0)
        tct_host(c)->cpu->spend(tct_host(c), c->set.desc_host_ps);
    driver_descriptor_write(tct_host(c), c->hubs.d, pointer, d);
}

static unsigned flag_slot(const struct tct *c, unsigned dest)
{
    return dest % c->nflags;
}

static uint32_t write_data(struct tct *c, unsigned channel, const struct tct_transfer *t)
{
    struct tct_channel *ch = &c->channel[channel];
    uint32_t pointer;

    if (t->may_move && c->set.promote)
        add_internal(c);
    host_phase(tct_host(c), HOST_PHASE_CACHE);
    tct_host(c)->cpu->spend(tct_host(c), c->set.find_ps);
    host_phase(tct_host(c), HOST_PHASE_DESCRIPTOR);
    ch->use = tct_cache_use(&c->cache, &t->pattern, t->may_move);
    c->counts.cache = c->cache.counts;
    pointer = data_pointer(c, channel, ch->use);
    if (ch->use.made) {
        const struct descriptor d = {
            .src = t->pattern.src,
            .dst = t->pattern.dst,
            .bytes = t->pattern.bytes,
            .block_bytes = t->pattern.block_bytes,
            .src_gap = t->pattern.src_gap,
            .dst_gap = t->pattern.dst_gap,
            .next = pointer_to(c, ch->use.internal, channel, flag_slot(c, t->dest)),
            .flags = HUB_DESC_PIPELINE,
        };

        wait_for_slot(c, channel, ch->use);
        write_descriptor(c, pointer, &d);
    }
    return pointer;
}

static void write_bell(struct tct *c, unsigned channel, bool internal, unsigned dest)
{
    const struct descriptor bell = { .src = c->hubs.peers[dest].bell,
                                     .dst = p2_bell_bus(&c->hubs, dest),
                                     .next = end_pointer(c, internal, channel),
                                     .flags = HUB_DESC_STATUS };

    write_descriptor(c, pointer_to(c, internal, channel, c->nflags + flag_slot(c, dest)), &bell);
}

/* The word for the receiver: how many transfers have arrived, with this one. */
static uint64_t flag_value(struct tct *c, unsigned channel, const struct tct_transfer *t)
{
    struct tct_peer *peer = &c->peers[t->dest];
    uint32_t number = ++peer->started[channel];
    uint64_t value = number;

    if (t->to_gpu && !c->channel[channel].use.internal && t->gpu < 2)
        peer->flush[t->gpu][channel] = MARK(number);
    for (unsigned gpu = 0; gpu < 2; gpu++)
        value |= (uint64_t)peer->flush[gpu][channel] << MARK_SHIFT(gpu);
    return value;
}

static void write_flag(struct tct *c, unsigned channel, const struct tct_transfer *t)
{
    struct tct_channel *ch = &c->channel[channel];
    bool internal = ch->use.internal;
    unsigned slot = flag_slot(c, t->dest);
    uint32_t pointer = pointer_to(c, internal, channel, slot);
    uint64_t at = c->arrived_at + 8ull * ((uint64_t)c->hubs.me * TCT_CHANNELS + channel);
    struct descriptor flag = { .src = flag_value(c, channel, t),
                               .dst = p2_bus(&c->hubs, t->dest, at),
                               .next = c->hubs.bells
                                           ? pointer_to(c, internal, channel, c->nflags + slot)
                                           : end_pointer(c, internal, channel),
                               .flags = HUB_DESC_STATUS };
    uint8_t bytes[HUB_DESC_BYTES];

    if (ch->flag_of[internal][slot] != t->dest + 1) {
        ch->flag_of[internal][slot] = t->dest + 1;
        ch->marks[slot] = internal ? (uint32_t)(flag.src >> 32) : ch->marks[slot];
        write_descriptor(c, pointer, &flag);
        if (c->hubs.bells)
            write_bell(c, channel, internal, t->dest);
        return;
    }
    if (!internal) { /* stores to memory */
        driver_descriptor_write(tct_host(c), c->hubs.d, pointer, &flag);
        return;
    }
    descriptor_encode(&flag, bytes); /* the number is in the first word; marks, in the fourth, are
                                        those of flags in host memory, and change with them */
    tct_host(c)->bus->store_block(tct_host(c), &c->hubs.d->internal,
                                  (uint64_t)(pointer & ~HUB_DESC_INTERNAL) * HUB_DESC_BYTES, bytes,
                                  8);
    if (ch->marks[slot] != flag.src >> 32) {
        ch->marks[slot] = (uint32_t)(flag.src >> 32);
        tct_host(c)->bus->store_block(tct_host(c), &c->hubs.d->internal,
                                      (uint64_t)(pointer & ~HUB_DESC_INTERNAL) * HUB_DESC_BYTES + 8,
                                      bytes + 8, 8);
    }
}

bool tct_channel_idle(struct tct *c, unsigned channel)
{
    return !c->channel[channel].busy &&
           driver_channel_idle(tct_host(c), c->hubs.d, c->channel[channel].number);
}

void tct_channel_start(struct tct *c, unsigned channel, struct tct_transfer t)
{
    struct tct_channel *ch = &c->channel[channel];
    uint32_t head;

    ch->busy = true;
    ch->job = t.job;
    ch->buffer = t.buffer;
    ch->dest = t.dest;
    t.pattern.channel = channel;
    t.pattern.dest = t.dest;
    head = write_data(c, channel, &t);
    write_flag(c, channel, &t);
    ch->transfer = c->peers[t.dest].started[channel];
    ch->due = ch->counted + t.pattern.bytes;
    ch->looked = false;
    c->counts.transfers++;
    c->counts.strided += t.pattern.block_bytes != 0;
    host_phase(tct_host(c), HOST_PHASE_DOORBELL);
    ch->chain = driver_chain_begin(tct_host(c), c->hubs.d, ch->number, head);
}

/* ---- ends --------------------------------------------------------------------------------- */

/* Two looks that agree, at no less than what the chain was to write: it has stopped, and not for a
 * moment. */
static bool has_stopped(struct tct *c, struct tct_channel *ch)
{
    uint64_t count = driver_read(tct_host(c), c->hubs.d, HUB_DMA(ch->number) + HUB_DMA_BYTES);
    bool equal = ch->looked && count == ch->counted;

    c->counts.looks++;
    ch->looked = true;
    ch->counted = count;
    return equal && (int64_t)(count - ch->due) >= 0;
}

bool tct_channel_end(struct tct *c, unsigned channel)
{
    struct tct_channel *ch = &c->channel[channel];

    if (!ch->busy || (c->set.fault != 0 && !has_stopped(c, ch)) || c->ended[channel] == 0)
        return false;
    c->ended[channel] = 0;
    ch->busy = false;
    driver_chain_ended(c->hubs.d, ch->number, ch->chain);
    c->peers[ch->dest].ended[channel] = ch->transfer;
    if (ch->buffer >= 0)
        c->buffers_busy &= ~(1u << ch->buffer);
    ch->job->ended++;
    return true;
}

void tct_needs(const struct tct *c, unsigned dest, uint16_t need[TCT_CHANNELS], unsigned *mask_p)
{
    const struct tct_peer *peer = &c->peers[dest];

    *mask_p = 0;
    for (unsigned ch = 0; ch < TCT_CHANNELS; ch++) {
        need[ch] = (uint16_t)peer->promised[ch];
        *mask_p |= (unsigned)(peer->promised[ch] != peer->ended[ch]) << ch;
    }
}
