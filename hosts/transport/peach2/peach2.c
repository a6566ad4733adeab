/* Transport over PEACH2 hubs: remote writes and FIFOs in the window. See internal.h. */
#include <stdlib.h>
#include <string.h>

#include "hosts/transport/peach2/dma.h"
#include "hosts/transport/peach2/far.h"
#include "hosts/transport/peach2/ring.h"

/** What is in a key. */
struct key {
    uint16_t slot, subcluster;
    uint32_t area;
    uint64_t offset; /* in the area */
};
_Static_assert(sizeof(struct key) <= TRANSPORT_KEY_BYTES, "a key has to fit");

static bool make_inbox(struct p2 *p2)
{
    struct host *h = p2->t.host;
    uint64_t bytes;
    unsigned area;

    p2->ring_bytes = transport_ring_bytes(p2->nranks, P2_RING_MAX, P2_RING_MIN, P2_RINGS_MAX);
    p2->ring_units = p2->ring_bytes / P2_UNIT;
    p2->ring_entries = transport_ring_entries(&p2->t, P2_FLAGS);
    p2->piece_bytes =
        p2->ring_bytes / P2_PIECES < P2_PIECE_MAX ? p2->ring_bytes / P2_PIECES : P2_PIECE_MAX;
    p2->rings = p2_flags_at(p2->nranks) + p2->nranks * P2_FLAGS * 8u;
    bytes = p2->rings + (uint64_t)p2->nranks * p2->ring_bytes;
    p2->inbox = h->memory->alloc(h, bytes, HOST_PAGE);
    if (p2->inbox == NULL ||
        driver_address(h, p2->inbox, bytes, &p2->inbox_bus, &area, &p2->inbox_offset) !=
            DRIVER_OK ||
        area != HUB_AREA_HOST)
        return false;
    host_clear(p2->inbox, p2->rings);
    p2->come = (volatile uint64_t *)(void *)p2->inbox;
    p2->ended = p2->come + 1;
    p2->credits = p2->come + P2_CREDITS_AT / 8;
    p2->flags = p2->come + p2_flags_at(p2->nranks) / 8;
    p2->memory =
        (struct host_bar){ p2->inbox_bus - p2->inbox_offset, p2->d->area_bytes, HOST_UNCACHED };
    h->net->count(h, p2->t.user, p2->come);
    return true;
}

/* Ranks below `end` that use the hub of `rank`. */
static unsigned on_hub_of(const struct p2 *p2, unsigned rank, unsigned end)
{
    unsigned n = 0;

    for (unsigned r = 0; r < end; r++)
        n += p2_same_hub(&p2->peers[r], &p2->peers[rank]);
    return n;
}

/* Channels are dealt out among the ranks of the hub. */
static bool make_channels(struct p2 *p2)
{
    unsigned before = on_hub_of(p2, p2->me, p2->me);
    unsigned local = on_hub_of(p2, p2->me, p2->nranks);

    return p2_share_init(p2, before, local) && p2_dma_init(p2, before, local);
}

static void p2_destroy(struct transport *t)
{
    struct p2 *p2 = p2_of(t);

    p2_far_fini(p2);
    free(p2->sharers);
    free(p2->peers);
    free(p2->guesses);
    free(p2->taken);
    free(p2->credit_seen);
    free(p2->ready);
    free(p2->place);
    free(p2->sorted);
    free(p2);
}

/* Data of a remote write that the control network has brought, to host memory by the core, to a GPU
 * by the hub. */
static void p2_place_data(struct p2 *p2, uint32_t area, uint64_t offset, const void *data,
                          uint64_t bytes)
{
    if (area == HUB_AREA_HOST)
        memcpy(p2->inbox + (int64_t)(offset - p2->inbox_offset), data, bytes);
    else
        p2_write_own(p2, area, offset, data, bytes);
}

static bool p2_connect(struct transport *t, char *why)
{
    struct p2 *p2 = p2_of(t);
    struct host *h = t->host;

    p2->d = driver_of(h);
    if (p2->d == NULL || !p2->d->has_hub)
        return transport_lacks(t, "hub", "hapacs-tca", why);
    p2->nranks = h->size;
    p2->me = h->rank;
    p2->early_end = &p2->early;
    p2->place_data = p2_place_data;
    p2->peers = calloc(p2->nranks, sizeof(*p2->peers));
    p2->guesses = calloc(p2->nranks, sizeof(*p2->guesses));
    p2->taken = calloc(p2->nranks, sizeof(*p2->taken));
    p2->credit_seen = calloc(p2->nranks, sizeof(*p2->credit_seen));
    p2->ready = calloc((p2->nranks + 63u) / 64u, sizeof(*p2->ready));
    if (p2->peers == NULL || p2->guesses == NULL || p2->taken == NULL || p2->credit_seen == NULL ||
        p2->ready == NULL || !make_inbox(p2) || !p2_exchange(p2) || !p2_order_init(p2) ||
        !make_channels(p2))
        return false;
    for (unsigned r = 0; r < p2->nranks; r++)
        p2->peers[r].bell = driver_helper_bit(on_hub_of(p2, r, r));
    t->caps = (struct transport_caps){
        .gpu = true,
        .sends_requests = true,
        .fifo_bytes = p2->piece_bytes + TRANSPORT_HEAD_BYTES,
        .eager_bytes = 2 * p2->piece_bytes,
        .write_bytes = 0, /* see p2_expose() */
        .copy_kb_ps = h->cpu->cost_ps(h, HOST_COST_COPY_KB),
        .entry_ps = h->cpu->cost_ps(h, HOST_COST_CALL),
    };
    return true;
}

/* ---- entries ---------------------------------------------------------------------------- */

static bool p2_append(struct transport *t, unsigned dest, const struct transport_entry *e)
{
    struct p2 *p2 = p2_of(t);
    uint32_t pio_max = p2->nsharers > 0 ? P2_SHARED_PIO_MAX : P2_PIO_MAX;
    bool on_gpu = e->bytes > 0 && t->host->memory->pointer(t->host, e->data).kind == HOST_GPU;
    bool stored = e->bytes <= pio_max || p2->peers[dest].local != NULL;
    uint32_t with_head = e->bytes <= P2_PIO_MAX ? e->bytes : 0;
    struct p2_place place;
    uint64_t flag;

    if (p2->peers[dest].far)
        return p2_far_append(p2, dest, e);
    if (on_gpu || !stored)
        return p2_append_dma(p2, dest, e, on_gpu);
    if (!p2_find_room(p2, dest, e, &place))
        return false;
    flag = p2_put_head(p2, dest, &place, e, with_head);
    if (e->bytes > with_head)
        p2_put(p2, dest, place.at + place.head, e->data, e->bytes);
    p2_put_flag(p2, dest, place.flag_at, flag);
    p2_ring(p2, dest);
    return true;
}

static unsigned p2_next(struct transport *t, enum transport_fifo fifo, unsigned from)
{
    struct p2 *p2 = p2_of(t);
    unsigned near = p2_next_ready(p2, fifo, from);

    if (p2->has_far && p2_far_pull(p2) && p2->far_fifo == fifo && p2->far_source >= from &&
        p2->far_source < near)
        return p2->far_source;
    return near;
}

static bool p2_take(struct transport *t, enum transport_fifo fifo, unsigned source,
                    struct transport_taken *taken_p)
{
    struct p2 *p2 = p2_of(t);

    if (p2->peers[source].far) {
        if (!p2_far_pull(p2) || p2->far_fifo != fifo || p2->far_source != source)
            return false;
        *taken_p = p2->far_entry;
        return true;
    }
    if (!p2_look(p2, source) || p2->peers[source].fifo != fifo)
        return false;
    *taken_p = p2->peers[source].entry;
    return true;
}

static void p2_give_back(struct transport *t, enum transport_fifo fifo, unsigned source)
{
    struct p2 *p2 = p2_of(t);

    (void)fifo;
    if (p2->peers[source].far)
        p2->holds = false;
    else
        p2_release(p2, source);
}

/* ---- remote writes ------------------------------------------------------------------------ */

/* What is pinned stays so until it is freed: there is nothing to hide. */
static bool p2_expose(struct transport *t, void *p, uint64_t bytes, struct transport_key *key_p)
{
    struct p2 *p2 = p2_of(t);
    struct key key = { .slot = (uint16_t)p2->d->slot, .subcluster = (uint16_t)p2->d->subcluster };
    uint64_t bus;

    if (bytes < P2_WRITE_MIN && !t->one_sided &&
        t->host->memory->pointer(t->host, p).kind != HOST_GPU)
        return false;
    if (driver_address(t->host, p, bytes, &bus, &key.area, &key.offset) != DRIVER_OK ||
        key.area == DRIVER_NO_AREA)
        return false;
    memcpy(key_p, &key, sizeof(key));
    return true;
}

static bool p2_write_op(struct transport *t, unsigned dest, const struct transport_write *w,
                        transport_ticket *ticket_p)
{
    struct p2 *p2 = p2_of(t);
    struct key to;

    memcpy(&to, w->key, sizeof(to));
    to.offset += w->at;
    if (p2->peers[dest].far)
        return p2_far_write(p2, dest, to.area, to.offset, w);
    return p2_write(p2, dest, to.area, driver_window(p2->d, to.slot, to.area, to.offset), w,
                    ticket_p);
}

/* To and from a GPU by its hub, which takes less than a call of CUDA; where addresses do not agree,
 * by the GPU's own engine. */
static void p2_copy(struct transport *t, void *to, const void *from, uint64_t bytes)
{
    struct host *h = t->host;

    if (h->memory->pointer(h, to).kind == HOST_GPU || h->memory->pointer(h, from).kind == HOST_GPU)
        p2_copy_gpu(p2_of(t), to, from, bytes);
    else
        transport_copy(t, to, from, bytes);
}

/* ---- waiting ------------------------------------------------------------------------------- */

/* Taking in a far write without a note takes time. What comes meanwhile would not end a wait that
 * begins then. */
static bool look_for_news(struct p2 *p2)
{
    uint64_t net_taken;
    bool any;

    do {
        net_taken = p2->net_taken;
        (void)p2_dma_progress(p2);
        any = p2->has_ended;
        p2->has_ended = false;
        any = any || p2_news(p2) || (p2->has_far && p2_far_pull(p2));
    } while (!any && p2->net_taken != net_taken);
    return any;
}

static void p2_wait(struct transport *t)
{
    struct p2 *p2 = p2_of(t);

    if (look_for_news(p2))
        return;
    if (p2_dma_waits_for_others(p2))
        p2_dma_wait(p2);
    else
        t->host->bus->wait_write(t->host, p2->inbox, p2->rings);
}

static bool p2_poll(struct transport *t)
{
    host_spend_cost(t->host, HOST_COST_CALL);
    return look_for_news(p2_of(t));
}

/* Channels end by themselves, whatever the receivers do. */
static void p2_hand_over(struct transport *t)
{
    struct p2 *p2 = p2_of(t);

    if (p2->nops == 0)
        return;
    (void)p2_dma_progress(p2);
    while (p2->nops > 0) {
        p2_dma_wait(p2);
        (void)p2_dma_progress(p2);
    }
}

static bool p2_ring_op(struct transport *t)
{
    struct p2 *p2 = p2_of(t);
    const struct driver_helper helper = { .h = t->host, .bits = p2->peers[p2->me].bell };

    if (!driver_helper_add(p2->d, &helper))
        return false;
    p2->bells = true;
    p2_dma_ring(p2);
    return true;
}

/* Only the rank's core can start what is queued. What fills rings is taken out, even where no call
 * waits for a message: senders want the room. */
static bool p2_queued(const struct transport *t)
{
    const struct p2 *p2 = (const struct p2 *)t;

    return p2->nops > 0 || p2->staging > 0 || p2_half_full(p2);
}

static uint32_t p2_gpu_eager_bytes(const struct transport *t, unsigned gpu)
{
    (void)gpu;
    return ((const struct p2 *)t)->piece_bytes;
}

const struct transport_ops transport_peach2 = {
    .name = "peach2",
    .network = HOST_NETWORK_HUBS,
    .bytes = sizeof(struct p2),
    .connect = p2_connect,
    .destroy = p2_destroy,
    .append = p2_append,
    .next = p2_next,
    .take = p2_take,
    .release = p2_give_back,
    .expose = p2_expose,
    .write = p2_write_op,
    .done = p2_done,
    .hand_over = p2_hand_over,
    .ring = p2_ring_op,
    .queued = p2_queued,
    .gpu_eager_bytes = p2_gpu_eager_bytes,
    .copy = p2_copy,
    .wait = p2_wait,
    .poll = p2_poll,
};
