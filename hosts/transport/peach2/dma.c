/*
 * What DMA channels do for the transport. A rank has channels of its own as long as its node has
 * no more than four ranks; with more, some take turns (share.c), and each operation begins and ends
 * in the call that asks for it. A chain is data, flag at the far side, word at the own one; it lies
 * in internal memory (data and flag in one line of 64 bytes), and of it only what differs from the
 * last one is written anew: nothing but the starting store where the same is sent again.
 */
#include <string.h>

#include "hosts/driver/descriptor.h"
#include "hosts/transport/peach2/internal.h"

#define ENDED UINT64_C(1)

/* Written once: the word that ends each chain of the channel. */
static void write_end(struct p2 *p2, unsigned c, uint64_t first)
{
    struct descriptor end = {
        .src = ENDED,
        .dst = driver_window(p2->d, p2->d->slot, HUB_AREA_HOST, p2->inbox_offset) + 8 + 8ull * c,
        .next = HUB_DESC_END,
        .flags = HUB_DESC_STATUS,
    };
    uint8_t bytes[HUB_DESC_BYTES];

    descriptor_encode(&end, bytes);
    p2->t.host->bus->store_block(p2->t.host, &p2->d->internal, (first + 2) * HUB_DESC_BYTES, bytes,
                                 sizeof(bytes));
}

int p2_dma_init(struct p2 *p2, unsigned local_index, unsigned local_ranks)
{
    struct host *h = p2->t.host;
    uint64_t descs = driver_own_descs(p2->d, (local_ranks - 1) / HUB_DMA_CHANNELS + 1);
    unsigned set = local_index / HUB_DMA_CHANNELS;

    p2->stages_free = (1u << P2_STAGES) - 1;
    p2->stage = h->memory->alloc(h, (uint64_t)P2_STAGES * p2_stage_bytes(p2), HOST_PAGE);
    if (p2->stage == NULL || descs == RANGE_NONE)
        return DRIVER_ERR_NOMEM;
    p2->stage_bus = h->memory->pointer(h, p2->stage).offset;
    /* From the last one down, since programs that use the hub by themselves begin with the first.
     */
    for (unsigned c = local_index % HUB_DMA_CHANNELS;
         c < HUB_DMA_CHANNELS && p2->nchannels < P2_CHANNELS; c += local_ranks) {
        struct p2_channel *ch = &p2->channel[p2->nchannels];

        ch->number = HUB_DMA_CHANNELS - 1 - c;
        ch->descs = descs + ((uint64_t)set * HUB_DMA_CHANNELS + ch->number) * DRIVER_OWN_DESCS;
        write_end(p2, p2->nchannels, ch->descs);
        p2->nchannels++;
    }
    return DRIVER_OK;
}

/* ---- chains ------------------------------------------------------------------------- */

/* Behind the flag, before the own word: a far helper is rung. */
static void write_bell(struct p2 *p2, struct p2_channel *ch)
{
    uint32_t first = (uint32_t)ch->descs;
    struct descriptor d = { .src = p2->peers[ch->op.dest].bell,
                            .dst = p2_bell_bus(p2, ch->op.dest),
                            .next = (first + 2) | HUB_DESC_INTERNAL,
                            .flags = HUB_DESC_STATUS };
    uint64_t bell[4];

    descriptor_encode(&d, (uint8_t *)bell);
    if (memcmp(bell, ch->bell, sizeof(bell)) == 0)
        return;
    memcpy(ch->bell, bell, sizeof(bell));
    p2->t.host->bus->store_block(p2->t.host, &p2->d->internal,
                                 (first + 3) * (uint64_t)HUB_DESC_BYTES, bell, sizeof(bell));
}

/* The first two descriptors. @return the pointer to begin with. */
static uint32_t write_chain(struct p2 *p2, struct p2_channel *ch)
{
    uint32_t first = (uint32_t)ch->descs, after = first + (p2->bells ? 3 : 2);
    const struct p2_op *op = &ch->op;
    struct descriptor data = { .src = op->src,
                               .dst = op->dst,
                               .bytes = (uint32_t)op->bytes,
                               .next = (first + (op->flag_at != 0 ? 1 : 2)) | HUB_DESC_INTERNAL,
                               .flags = HUB_DESC_PIPELINE };
    struct descriptor flag = { .src = op->flag,
                               .dst = op->flag_at,
                               .next = after | HUB_DESC_INTERNAL,
                               .flags = HUB_DESC_STATUS };
    uint64_t line[8];

    memcpy(line, ch->line, sizeof(line));
    if (op->bytes != 0)
        descriptor_encode(&data, (uint8_t *)line);
    if (op->flag_at != 0)
        descriptor_encode(&flag, (uint8_t *)&line[4]);
    if (op->flag_at != 0 && p2->bells)
        write_bell(p2, ch);
    for (unsigned half = 0; half < 2; half++) {
        uint64_t at = (first + half) * (uint64_t)HUB_DESC_BYTES;

        if (memcmp(&line[4ull * half], &ch->line[4ull * half], HUB_DESC_BYTES) == 0)
            continue;
        p2->t.host->bus->store_block(p2->t.host, &p2->d->internal, at, &line[4ull * half],
                                     HUB_DESC_BYTES);
    }
    memcpy(ch->line, line, sizeof(line));
    if (op->bytes == 0)
        first += op->flag_at != 0 ? 1 : 2;
    return first | HUB_DESC_INTERNAL;
}

static bool may_start(const struct p2_op *op)
{
    /* Pieces of a write go through several channels; the flag comes behind all of them. */
    return op->flag_at == 0 || op->write == NULL || op->write->pieces == 1;
}

static bool start_next(struct p2 *p2)
{
    struct host *h = p2->t.host;
    const struct p2_op *op = &p2->ops[p2->first_op];
    unsigned c = 0;
    uint32_t head;

    if (!p2_has_turn(p2))
        return false;
    while (c < p2->nchannels &&
           (p2->channel[c].busy || !driver_channel_idle(h, p2->d, p2->channel[c].number)))
        c++;
    if (p2->nops == 0 || c == p2->nchannels || !may_start(op))
        return false;
    p2->channel[c].op = *op;
    p2->channel[c].busy = true;
    p2->first_op = (p2->first_op + 1) % P2_OPS;
    p2->nops--;
    head = write_chain(p2, &p2->channel[c]);
    p2->channel[c].chain = driver_chain_begin(h, p2->d, p2->channel[c].number, head);
    return true;
}

static void put_op(struct p2 *p2, const struct p2_op *op)
{
    p2->ops[(p2->first_op + p2->nops) % P2_OPS] = *op;
    p2->nops++;
    if (op->write != NULL)
        op->write->pieces++;
}

static bool ops_full(const struct p2 *p2)
{
    return p2->nops == P2_OPS;
}

static void write_ended(struct p2_write *w)
{
    if (w->pieces == 0 && w->left == 0)
        w->ticket = 0;
}

static bool end_one(struct p2 *p2, unsigned c)
{
    struct p2_channel *ch = &p2->channel[c];

    if (!ch->busy || p2->ended[c] == 0)
        return false;
    p2->ended[c] = 0;
    p2->has_ended = true;
    ch->busy = false;
    driver_chain_ended(p2->d, ch->number, ch->chain);
    if (ch->op.stage >= 0)
        p2->stages_free |= 1u << ch->op.stage;
    if (ch->op.write != NULL) {
        ch->op.write->pieces--;
        write_ended(ch->op.write);
    }
    return true;
}

/* ---- pieces by way of pinned memory ---------------------------------------------------- */

/* The lowest one. */
static int take_stage(struct p2 *p2)
{
    int s = 0;

    if (p2->stages_free == 0)
        return -1;
    while ((p2->stages_free >> s & 1) == 0)
        s++;
    p2->stages_free &= ~(1u << s);
    return s;
}

/* One more piece of a write whose data are staged. @return false: no stage is free. */
static bool stage_piece(struct p2 *p2, struct p2_write *w)
{
    uint64_t n = w->left < p2_stage_bytes(p2) - P2_UNIT ? w->left : p2_stage_bytes(p2) - P2_UNIT;
    uint64_t grains = n / P2_GRAIN * P2_GRAIN;
    struct p2_op op = { .dst = w->to, .bytes = grains, .stage = -1, .write = w };

    if (ops_full(p2))
        return false;
    if (grains > 0) {
        op.stage = take_stage(p2);
        if (op.stage < 0)
            return false;
        op.src = p2_fill_stage(p2, op.stage, w->to, w->from, grains);
    }
    if (n > grains)
        p2_store_rest(p2, w->to + grains, w->from + grains, n - grains);
    w->from += n;
    w->to += n;
    w->left -= n;
    if (w->left == 0) {
        op.flag_at = w->flag_at;
        op.flag = w->flag;
        op.dest = w->dest;
    }
    put_op(p2, &op);
    return true;
}

/* A piece of the first write that has one left. Copying it takes time, in which chains end. */
static bool stage_one(struct p2 *p2)
{
    struct p2_write *w = &p2->own;

    for (unsigned i = 0; w->left == 0; i++) {
        if (p2->staging == 0 || i == P2_WRITES)
            return false;
        w = &p2->writes[i];
    }
    if (!stage_piece(p2, w))
        return false;
    p2->staging -= w->left == 0;
    return true;
}

bool p2_dma_progress(struct p2 *p2)
{
    bool ended = false, again;

    do {
        again = false;
        for (unsigned c = 0; c < p2->nchannels; c++)
            again |= end_one(p2, c);
        ended |= again;
        while (start_next(p2))
            again = true;
        again |= stage_one(p2);
    } while (again);
    return ended;
}

void p2_dma_ring(struct p2 *p2)
{
    if (p2->nsharers > 0)
        return;
    for (unsigned c = 0; c < p2->nchannels; c++)
        driver_write(p2->t.host, p2->d, HUB_DMA(p2->channel[c].number) + HUB_DMA_IRQ,
                     p2->peers[p2->me].bell);
}

bool p2_dma_queued(const struct p2 *p2)
{
    return p2->nops > 0 || p2->staging > 0;
}

bool p2_dma_waits_for_others(const struct p2 *p2)
{
    bool busy = false;

    for (unsigned c = 0; c < p2->nchannels; c++)
        busy |= p2->channel[c].busy;
    return p2->nops > 0 && !busy;
}

void p2_dma_wait(struct p2 *p2)
{
    struct host *h = p2->t.host;

    if (p2_dma_waits_for_others(p2))
        (void)driver_channel_wait(h, p2->d, p2->channel[0].number);
    else
        h->bus->wait_write(h, p2->ended, 8 * P2_CHANNELS);
}

/* Until all pieces of a write have ended. */
static void drain(struct p2 *p2, const struct p2_write *w)
{
    (void)p2_dma_progress(p2);
    while (w->pieces > 0 || w->left > 0) {
        p2_dma_wait(p2);
        (void)p2_dma_progress(p2);
    }
}

/* What has been queued begins; where others use the channel, too, it ends as well. */
static void go(struct p2 *p2)
{
    if (p2->nsharers == 0) {
        (void)p2_dma_progress(p2);
        return;
    }
    (void)stage_one(p2); /* while others have it */
    p2_turn_take(p2);
    (void)p2_dma_progress(p2);
    while (p2->nops > 0 || p2->channel[0].busy) { /* what is to be staged is then, too */
        p2_dma_wait(p2);
        (void)p2_dma_progress(p2);
    }
    p2_turn_give(p2);
}

static int wait_stage(struct p2 *p2)
{
    int stage;

    while ((stage = take_stage(p2)) < 0)
        if (!p2_dma_progress(p2)) /* a chain that has ended since the last look wakes nobody */
            p2_dma_wait(p2);
    return stage;
}

/* ---- entries ----------------------------------------------------------------------------- */

bool p2_append_staged(struct p2 *p2, unsigned dest, enum transport_fifo fifo, const void *head,
                      uint32_t head_bytes, const void *data, uint32_t bytes)
{
    struct p2_op op = { .bytes = (bytes + P2_GRAIN - 1) / P2_GRAIN * P2_GRAIN };
    struct p2_place place;

    (void)p2_dma_progress(p2);
    if (ops_full(p2) || p2->stages_free == 0 || !p2_find_room(p2, dest, head_bytes, bytes, &place))
        return false;
    op.stage = take_stage(p2);
    op.flag = p2_put_head(p2, dest, fifo, &place, head, head_bytes, NULL, 0, bytes);
    op.flag_at = p2_bus(p2, dest, place.flag_at);
    op.dest = dest;
    op.dst = p2_bus(p2, dest, place.at + place.head);
    op.src = p2_fill_stage(p2, op.stage, op.dst, data, bytes);
    put_op(p2, &op);
    go(p2);
    return true;
}

bool p2_append_direct(struct p2 *p2, unsigned dest, enum transport_fifo fifo, const void *head,
                      uint32_t head_bytes, const void *data, uint32_t bytes)
{
    struct p2_op op = { .bytes = (bytes + P2_GRAIN - 1) / P2_GRAIN * P2_GRAIN, .stage = -1 };
    struct host *h = p2->t.host;
    struct p2_write *w = &p2->own;
    struct p2_place place;
    unsigned area;
    uint64_t offset;

    if (driver_address(h, (void *)(uintptr_t)data, bytes, &op.src, &area, &offset) != DRIVER_OK ||
        (op.src & P2_ALIGN_LOW) != 0)
        return p2_append_staged(p2, dest, fifo, head, head_bytes, data, bytes);
    (void)p2_dma_progress(p2);
    if (ops_full(p2) || !p2_find_room(p2, dest, head_bytes, bytes, &place))
        return false;
    op.flag = p2_put_head(p2, dest, fifo, &place, head, head_bytes, NULL, 0, bytes);
    op.flag_at = p2_bus(p2, dest, place.flag_at);
    op.dest = dest;
    op.dst = p2_bus(p2, dest, place.at + place.head);
    op.write = w;
    put_op(p2, &op);
    go(p2);
    drain(p2, w);
    return true;
}

/* ---- remote writes ------------------------------------------------------------------------- */

static struct p2_write *free_write(struct p2 *p2)
{
    for (unsigned i = 0; i < P2_WRITES; i++)
        if (p2->writes[i].ticket == 0)
            return &p2->writes[i];
    return NULL;
}

/* Data from where they are, in one piece. */
static void write_direct(struct p2 *p2, struct p2_write *w, uint64_t src)
{
    uint64_t grains = w->left / P2_GRAIN * P2_GRAIN;
    struct p2_op op = { .src = src,
                        .dst = w->to,
                        .bytes = grains,
                        .flag_at = w->flag_at,
                        .flag = w->flag,
                        .dest = w->dest,
                        .stage = -1,
                        .write = w };

    if (w->left > grains)
        p2_store_rest(p2, w->to + grains, w->from + grains, w->left - grains);
    w->left = 0;
    put_op(p2, &op);
}

/* By the core: a few bytes, or the rank has no channel, or both ends are in memory of the node. */
static void write_stored(struct p2 *p2, unsigned dest, const struct p2_write *w,
                         const struct p2_place *place, unsigned area)
{
    bool to_gpu = w->left > 0 && area != HUB_AREA_HOST;
    uint64_t flush = to_gpu ? p2_flag_flush(area - HUB_AREA_GPU0) : 0;

    if (w->left > 0)
        p2_store(p2, w->to, w->from, w->left);
    p2_put_flag(p2, dest, place->flag_at, w->flag | flush);
    p2_ring(p2, dest);
}

/* Memory of a rank of the same node that is no GPU's can be stored to like the own. */
static bool is_stored(const struct p2 *p2, unsigned dest, unsigned area,
                      enum host_pointer_kind from, uint64_t bytes)
{
    if (bytes == 0)
        return true;
    return area == HUB_AREA_HOST && from != HOST_GPU &&
           (bytes <= P2_PIO_MAX || p2->peers[dest].local != NULL);
}

bool p2_write(struct p2 *p2, unsigned dest, unsigned area, uint64_t to, const void *from,
              uint64_t bytes, const void *note, uint32_t note_bytes, transport_ticket *ticket_p)
{
    struct host *h = p2->t.host;
    enum host_pointer_kind kind = bytes > 0 ? h->memory->pointer(h, from).kind : HOST_PAGEABLE;
    struct p2_write *w = free_write(p2);
    struct p2_place place;
    uint64_t src = 0, offset;
    unsigned own;

    (void)p2_dma_progress(p2);
    if (w == NULL || ops_full(p2) || !p2_find_room(p2, dest, note_bytes, 0, &place))
        return false;
    *w = (struct p2_write){ .from = from, .to = to, .left = bytes, .dest = dest };
    w->flag = p2_put_head(p2, dest, TRANSPORT_MESSAGE, &place, note, note_bytes, NULL, 0, 0);
    *ticket_p = 0;
    if (is_stored(p2, dest, area, kind, bytes)) {
        write_stored(p2, dest, w, &place, area);
        return true;
    }
    w->flag_at = p2_bus(p2, dest, place.flag_at);
    w->ticket = *ticket_p = ++p2->tickets;
    if (kind != HOST_PAGEABLE &&
        driver_address(h, (void *)(uintptr_t)from, bytes, &src, &own, &offset) == DRIVER_OK &&
        ((src ^ to) & P2_ALIGN_LOW) == 0)
        write_direct(p2, w, src);
    else
        p2->staging++;
    go(p2);
    return true;
}

void p2_write_own(struct p2 *p2, unsigned area, uint64_t offset, const void *from, uint64_t bytes)
{
    struct host *h = p2->t.host;
    struct p2_write *w = &p2->own;
    uint64_t to = driver_window(p2->d, p2->d->slot, area, offset), src = 0, off;
    unsigned own;

    while (ops_full(p2))
        if (!p2_dma_progress(p2))
            p2_dma_wait(p2);
    *w = (struct p2_write){ .from = from, .to = to, .left = bytes };
    if (h->memory->pointer(h, from).kind != HOST_PAGEABLE &&
        driver_address(h, (void *)(uintptr_t)from, bytes, &src, &own, &off) == DRIVER_OK &&
        ((src ^ to) & P2_ALIGN_LOW) == 0)
        write_direct(p2, w, src);
    else
        p2->staging++;
    go(p2);
    drain(p2, w);
}

void p2_copy_gpu(struct p2 *p2, void *to, const void *from, uint64_t bytes)
{
    struct host *h = p2->t.host;
    struct host_pointer dst = h->memory->pointer(h, to);
    uint64_t bus, offset;
    unsigned area;

    if (dst.kind != HOST_PAGEABLE &&
        driver_address(h, to, bytes, &bus, &area, &offset) == DRIVER_OK && area < HUB_AREA_SELF) {
        p2_write_own(p2, area, offset, from, bytes);
        return;
    }
    for (uint64_t done = 0; done < bytes;) { /* to pageable memory, or a GPU in no area */
        uint64_t n = bytes - done < p2_stage_bytes(p2) - P2_UNIT ? bytes - done
                                                                 : p2_stage_bytes(p2) - P2_UNIT;
        int stage = wait_stage(p2);
        uint64_t at = p2_fill_stage(p2, stage, 0, (const uint8_t *)from + done, n);

        if (dst.kind == HOST_GPU) {
            p2_copy_by_engine(p2, dst.gpu, (struct host_copy_end){ true, dst.offset + done },
                              (struct host_copy_end){ false, at }, n);
        } else {
            h->cpu->spend(h, h->cpu->cost_ps(h, HOST_COST_COPY_KB) * n / 1024);
            memcpy((uint8_t *)to + done, p2->stage + (at - p2->stage_bus), n);
        }
        p2->stages_free |= 1u << stage;
        done += n;
    }
}

bool p2_done(const struct p2 *p2, transport_ticket ticket)
{
    for (unsigned i = 0; i < P2_WRITES && ticket != 0; i++)
        if (p2->writes[i].ticket == ticket)
            return false;
    return true;
}
