/*
 * What DMA channels do for the transport. A rank has channels of its own as long as its node has
 * no more than four ranks; with more, some take turns (share.c), and each operation begins and ends
 * in the call that asks for it. A chain is data, flag at the far side, word at the own one. It lies
 * in internal memory, data and flag in one line of 64 bytes. Only what differs from the last chain
 * is written anew: nothing but the starting store where the same is sent again.
 */
#include <string.h>

#include "hosts/transport/peach2/dma.h"
#include "hosts/transport/peach2/ring.h"

#define ENDED UINT64_C(1)

/* The descriptors of a channel, in internal memory: data and flag of an operation, the word that
 * ends its chain, and a far helper's bell. */
enum { DATA, FLAG, END, BELL };

/* Unless it is what stands there. */
static void write_descriptor(struct p2 *p2, struct p2_channel *ch, unsigned which,
                             const struct descriptor *d)
{
    uint8_t bytes[HUB_DESC_BYTES];

    descriptor_encode(d, bytes);
    if (memcmp(bytes, ch->held[which], sizeof(bytes)) == 0)
        return;
    memcpy(ch->held[which], bytes, sizeof(bytes));
    p2->t.host->bus->store_block(p2->t.host, &p2->d->internal, (ch->descs + which) * HUB_DESC_BYTES,
                                 bytes, sizeof(bytes));
}

static uint32_t descriptor_at(const struct p2_channel *ch, unsigned which)
{
    return (uint32_t)(ch->descs + which) | HUB_DESC_INTERNAL;
}

bool p2_dma_init(struct p2 *p2, unsigned local_index, unsigned local_ranks)
{
    struct host *h = p2->t.host;
    uint64_t descs = driver_own_descs(p2->d, p2->t.user, (local_ranks - 1) / HUB_DMA_CHANNELS + 1);
    uint64_t own_inbox = driver_window(p2->d, p2->d->slot, HUB_AREA_HOST, p2->inbox_offset);
    unsigned set = local_index / HUB_DMA_CHANNELS;

    p2->stages_free = (1u << P2_STAGES) - 1;
    p2->stage = h->memory->alloc(h, (uint64_t)P2_STAGES * p2_stage_bytes(p2), HOST_PAGE);
    if (p2->stage == NULL || descs == RANGE_NONE)
        return false;
    p2->stage_bus = h->memory->pointer(h, p2->stage).offset;
    /* From the last one down, since programs that use the hub by themselves begin with the first.
     */
    for (unsigned c = local_index % HUB_DMA_CHANNELS;
         c < HUB_DMA_CHANNELS && p2->nchannels < P2_CHANNELS; c += local_ranks) {
        struct p2_channel *ch = &p2->channel[p2->nchannels];
        struct descriptor end = { .src = ENDED,
                                  .dst = own_inbox + 8 + 8ull * p2->nchannels,
                                  .next = HUB_DESC_END,
                                  .flags = HUB_DESC_STATUS };

        ch->number = HUB_DMA_CHANNELS - 1 - c;
        ch->descs = descs + ((uint64_t)set * HUB_DMA_CHANNELS + ch->number) * DRIVER_OWN_DESCS;
        write_descriptor(p2, ch, END, &end);
        p2->nchannels++;
    }
    return true;
}

/* ---- chains ------------------------------------------------------------------------- */

/* @return the pointer to begin with. */
static uint32_t write_chain(struct p2 *p2, struct p2_channel *ch)
{
    const struct p2_op *op = &ch->op;
    unsigned behind_data = op->flag.at != 0 ? FLAG : END;
    struct descriptor data = { .src = op->src,
                               .dst = op->dst,
                               .bytes = (uint32_t)op->bytes,
                               .next = descriptor_at(ch, behind_data),
                               .flags = HUB_DESC_PIPELINE };
    struct descriptor flag = { .src = op->flag.value,
                               .dst = op->flag.at,
                               .next = descriptor_at(ch, p2->bells ? BELL : END),
                               .flags = HUB_DESC_STATUS };
    struct descriptor bell = { .src = p2->peers[op->flag.dest].bell,
                               .dst = p2_bell_bus(p2, op->flag.dest),
                               .next = descriptor_at(ch, END),
                               .flags = HUB_DESC_STATUS };

    if (op->flag.at != 0 && p2->bells)
        write_descriptor(p2, ch, BELL, &bell);
    if (op->bytes != 0)
        write_descriptor(p2, ch, DATA, &data);
    if (op->flag.at != 0)
        write_descriptor(p2, ch, FLAG, &flag);
    return descriptor_at(ch, op->bytes != 0 ? DATA : behind_data);
}

static bool may_start(const struct p2_op *op)
{
    /* Pieces of a write go through several channels; the flag comes behind all of them. */
    return op->flag.at == 0 || op->write == NULL || op->write->pieces == 1;
}

static bool start_next(struct p2 *p2)
{
    struct host *h = p2->t.host;
    const struct p2_op *op = &p2->ops[p2->first_op];
    unsigned c = 0;
    uint32_t head;

    if (p2->nsharers > 0 && !p2->has_turn)
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

static void end_write(struct p2_write *w)
{
    if (w->bare != NULL)
        w->bare->bare--;
    w->bare = NULL;
    w->ticket = 0;
}

static bool end_one(struct p2 *p2, unsigned c)
{
    struct p2_channel *ch = &p2->channel[c];
    struct p2_write *w = ch->op.write;

    if (!ch->busy || p2->ended[c] == 0)
        return false;
    p2->ended[c] = 0;
    p2->has_ended = true;
    ch->busy = false;
    driver_chain_ended(p2->d, ch->number, ch->chain);
    if (ch->op.stage >= 0)
        p2->stages_free |= 1u << ch->op.stage;
    if (w != NULL && --w->pieces == 0 && w->left == 0)
        end_write(w);
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

/* The next piece of a write, whose whole grains the channel finds at `src`. */
static void queue_piece(struct p2 *p2, struct p2_write *w, uint64_t n, int stage, uint64_t src)
{
    uint64_t grains = n / P2_GRAIN * P2_GRAIN;
    struct p2_op op = { .src = src, .dst = w->to, .bytes = grains, .stage = stage, .write = w };

    if (n > grains)
        p2_store_rest(p2, w->to + grains, w->from + grains, n - grains);
    w->from += n;
    w->to += n;
    w->left -= n;
    if (w->left == 0)
        op.flag = w->flag;
    put_op(p2, &op);
}

/* One more piece of a write whose data are staged. @return false: no stage is free. */
static bool stage_piece(struct p2 *p2, struct p2_write *w)
{
    uint64_t n = w->left < p2_stage_bytes(p2) - P2_UNIT ? w->left : p2_stage_bytes(p2) - P2_UNIT;
    uint64_t grains = n / P2_GRAIN * P2_GRAIN, src = 0;
    int stage = -1;

    if (ops_full(p2))
        return false;
    if (grains > 0) {
        stage = take_stage(p2);
        if (stage < 0)
            return false;
        src = p2_fill_stage(p2, stage, w->to, w->from, grains);
    }
    queue_piece(p2, w, n, stage, src);
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
static void drain_write(struct p2 *p2, const struct p2_write *w)
{
    (void)p2_dma_progress(p2);
    while (w->pieces > 0 || w->left > 0) {
        p2_dma_wait(p2);
        (void)p2_dma_progress(p2);
    }
}

/* What has been queued begins; where others use the channel, too, it ends as well. */
static void start_ops(struct p2 *p2)
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
        if (!p2_dma_progress(p2)) /* what has ended since the last look ends no wait */
            p2_dma_wait(p2);
    return stage;
}

/* The bus address of data that a channel can move to `to` from where they are; else HOST_NO_BUS. */
static uint64_t source_of(struct p2 *p2, const void *from, uint64_t bytes, uint64_t to)
{
    uint64_t src, offset;
    unsigned area;

    if (driver_address(p2->t.host, (void *)(uintptr_t)from, bytes, &src, &area, &offset) !=
            DRIVER_OK ||
        ((src ^ to) & P2_ALIGN_LOW) != 0)
        return HOST_NO_BUS;
    return src;
}

/* ---- entries ----------------------------------------------------------------------------- */

bool p2_append_dma(struct p2 *p2, unsigned dest, const struct transport_entry *e, bool direct)
{
    uint64_t src = direct ? source_of(p2, e->data, e->bytes, 0) : HOST_NO_BUS;
    bool staged = src == HOST_NO_BUS;
    struct p2_op op = { .src = src,
                        .bytes = (e->bytes + P2_GRAIN - 1) / P2_GRAIN * P2_GRAIN,
                        .stage = -1,
                        .write = staged ? NULL : &p2->own };
    struct p2_place place;

    (void)p2_dma_progress(p2);
    if (ops_full(p2) || (staged && p2->stages_free == 0) || !p2_find_room(p2, dest, e, &place))
        return false;
    op.flag.dest = dest;
    op.flag.at = p2_bus(p2, dest, place.flag_at);
    op.flag.value = p2_put_head(p2, dest, &place, e, 0);
    op.dst = p2_bus(p2, dest, place.at + place.head);
    if (staged) {
        op.stage = take_stage(p2);
        op.src = p2_fill_stage(p2, op.stage, op.dst, e->data, e->bytes);
    }
    put_op(p2, &op);
    start_ops(p2);
    if (!staged)
        drain_write(p2, &p2->own);
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

/* By the core: a few bytes, or both ends are in memory of the node that is no GPU's. */
static bool is_stored(const struct p2 *p2, unsigned dest, unsigned area,
                      const struct transport_write *w)
{
    struct host *h = p2->t.host;

    if (w->bytes == 0)
        return true;
    return area == HUB_AREA_HOST && h->memory->pointer(h, w->from).kind != HOST_GPU &&
           (w->bytes <= P2_PIO_MAX || p2->peers[dest].local != NULL);
}

/* Where a channel can move the data from where they are, it does; else by way of stages. */
static void queue_write(struct p2 *p2, struct p2_write *w)
{
    uint64_t src = source_of(p2, w->from, w->left, w->to);

    if (src != HOST_NO_BUS)
        queue_piece(p2, w, w->left, -1, src);
    else
        p2->staging++;
    start_ops(p2);
}

bool p2_write(struct p2 *p2, unsigned dest, unsigned area, uint64_t to,
              const struct transport_write *write, transport_ticket *ticket_p)
{
    const struct transport_entry note = { .fifo = write->fifo,
                                          .head = write->note,
                                          .head_bytes = write->note_bytes };
    struct p2_write *w = free_write(p2);
    bool noted = note.head_bytes > 0;
    struct p2_flag flag = { .dest = dest };
    struct p2_place place;

    (void)p2_dma_progress(p2);
    if (w == NULL || ops_full(p2) || (noted && !p2_find_room(p2, dest, &note, &place)))
        return false;
    if (noted) {
        flag.at = p2_bus(p2, dest, place.flag_at);
        flag.value = p2_put_head(p2, dest, &place, &note, 0);
    }
    if (is_stored(p2, dest, area, write)) {
        if (write->bytes > 0)
            p2_store(p2, to, write->from, write->bytes);
        if (noted) {
            p2_put_flag(p2, dest, place.flag_at, flag.value);
            p2_ring(p2, dest);
        }
        return true;
    }
    *w = (struct p2_write){ .from = write->from, .to = to, .left = write->bytes, .flag = flag };
    if (!noted) {
        w->bare = &p2->peers[dest];
        w->bare->bare++;
    }
    w->ticket = *ticket_p = ++p2->tickets;
    queue_write(p2, w);
    return true;
}

void p2_write_own(struct p2 *p2, unsigned area, uint64_t offset, const void *from, uint64_t bytes)
{
    uint64_t to = driver_window(p2->d, p2->d->slot, area, offset);

    while (ops_full(p2))
        if (!p2_dma_progress(p2))
            p2_dma_wait(p2);
    p2->own = (struct p2_write){ .from = from, .to = to, .left = bytes };
    queue_write(p2, &p2->own);
    drain_write(p2, &p2->own);
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

        if (dst.kind == HOST_GPU)
            transport_copy_gpu(&p2->t, &dst, at, true, n);
        else
            transport_copy(&p2->t, (uint8_t *)to + done, p2->stage + (at - p2->stage_bus), n);
        p2->stages_free |= 1u << stage;
        dst.offset += n;
        done += n;
    }
}

bool p2_done(struct transport *t, transport_ticket ticket)
{
    struct p2 *p2 = p2_of(t);

    (void)p2_dma_progress(p2);
    for (unsigned i = 0; i < P2_WRITES && ticket != 0; i++)
        if (p2->writes[i].ticket == ticket)
            return false;
    return true;
}
