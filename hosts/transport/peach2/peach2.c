/* Transport over PEACH2 hubs: remote writes and FIFOs in the window. See internal.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/transport/peach2/internal.h"

/** What is in a key. */
struct key {
    uint16_t slot, subcluster;
    uint32_t area;
    uint64_t offset; /* in the area */
};
_Static_assert(sizeof(struct key) <= TRANSPORT_KEY_BYTES, "a key has to fit");

static uint32_t ring_bytes_of(uint32_t nranks)
{
    uint32_t bytes = P2_RING_MAX;

    while (bytes > P2_RING_MIN && (uint64_t)bytes * nranks > P2_RINGS_MAX)
        bytes /= 2;
    return bytes;
}

static bool make_inbox(struct p2 *p2)
{
    struct host *h = p2->t.host;
    uint64_t bytes;
    unsigned area;

    p2->ring_bytes = ring_bytes_of(p2->nranks);
    p2->ring_units = p2->ring_bytes / P2_UNIT;
    p2->piece_bytes =
        p2->ring_bytes / P2_PIECES < P2_PIECE_MAX ? p2->ring_bytes / P2_PIECES : P2_PIECE_MAX;
    p2->rings = p2_rings_at(p2->nranks);
    p2->watched = p2->rings;
    bytes = p2->rings + (uint64_t)p2->nranks * p2->ring_bytes;
    p2->inbox = h->memory->alloc(h, bytes, HOST_PAGE);
    if (p2->inbox == NULL ||
        driver_address(h, p2->inbox, bytes, &p2->inbox_bus, &area, &p2->inbox_offset) !=
            DRIVER_OK ||
        area != HUB_AREA_HOST)
        return false;
    memset(p2->inbox, 0, p2->rings);
    p2->ended = (volatile uint64_t *)(void *)(p2->inbox + 8);
    p2->credits = (volatile uint64_t *)(void *)(p2->inbox + p2_credits_at());
    p2->flags = (volatile uint64_t *)(void *)(p2->inbox + p2_flags_at(p2->nranks));
    p2->memory =
        (struct host_bar){ p2->inbox_bus - p2->inbox_offset, p2->d->area_bytes, HOST_UNCACHED };
    h->net->count(h, (volatile uint64_t *)(void *)p2->inbox);
    return true;
}

/* Ranks below `end` that are on the node of `rank`. */
static unsigned on_node_of(const struct p2 *p2, unsigned rank, unsigned end)
{
    unsigned n = 0;

    for (unsigned r = 0; r < end; r++)
        n += p2->peers[r].node == p2->peers[rank].node;
    return n;
}

static void make_bells(struct p2 *p2)
{
    for (unsigned r = 0; r < p2->nranks; r++)
        p2->peers[r].bell = driver_helper_bit(on_node_of(p2, r, r));
}

/* Channels are dealt out among the ranks of the node. */
static bool make_channels(struct p2 *p2)
{
    unsigned before = on_node_of(p2, p2->me, p2->me);
    unsigned local = on_node_of(p2, p2->me, p2->nranks);

    return p2_share_init(p2, before, local) && p2_dma_init(p2, before, local) == DRIVER_OK;
}

static void p2_destroy(struct transport *t)
{
    struct p2 *p2 = p2_of(t);

    p2_far_fini(p2);
    free(p2->sharers);
    free(p2->peers);
    free(p2->taken);
    free(p2->credit_seen);
    free(p2->ready);
    free(p2->place);
    free(p2->sorted);
    free(p2);
}

static bool p2_connect(struct transport *t, char *why)
{
    struct p2 *p2 = p2_of(t);
    uint64_t call_ps, copy_ps;
    struct host *h = t->host;

    (void)why;
    p2->early_end = &p2->early;
    p2->peers = calloc(p2->nranks, sizeof(*p2->peers));
    p2->taken = calloc(p2->nranks, sizeof(*p2->taken));
    p2->credit_seen = calloc(p2->nranks, sizeof(*p2->credit_seen));
    p2->ready = calloc((p2->nranks + 63u) / 64u, sizeof(*p2->ready));
    if (p2->peers == NULL || p2->taken == NULL || p2->credit_seen == NULL || p2->ready == NULL ||
        !make_inbox(p2) || !p2_exchange(p2) || !p2_order_init(p2) || !make_channels(p2))
        return false;
    make_bells(p2);
    call_ps = h->cpu->cost_ps(h, HOST_COST_CALL);
    copy_ps = h->cpu->cost_ps(h, HOST_COST_COPY_KB);
    p2->t.caps = (struct transport_caps){
        .gpu = true,
        .sends_requests = true,
        .fifo_bytes = p2->piece_bytes + TRANSPORT_HEAD_BYTES,
        .eager_bytes = 2 * p2->piece_bytes,
        .gpu_eager_bytes = p2->piece_bytes,
        .write_bytes = 0, /* see p2_expose() */
        .copy_kb_ps = copy_ps,
        .entry_ps = call_ps,
    };
    return true;
}

static struct transport *p2_create(struct host *h, char *why)
{
    struct driver *d = driver_of(h);
    struct p2 *p2;

    if (d == NULL || !d->has_hub) {
        (void)snprintf(why, TRANSPORT_WHY_BYTES,
                       "transport peach2: node %u has no hub (platform hapacs-tca has one)",
                       h->node->index);
        return NULL;
    }
    p2 = calloc(1, sizeof(*p2));
    if (p2 == NULL)
        return NULL;
    p2->d = d;
    p2->nranks = h->size;
    p2->me = h->rank;
    return &p2->t;
}

/* ---- entries ---------------------------------------------------------------------------- */

static bool p2_append(struct transport *t, unsigned dest, enum transport_fifo fifo,
                      const void *head, uint32_t head_bytes, const void *data, uint32_t bytes)
{
    struct p2 *p2 = p2_of(t);
    uint32_t pio_max = p2->nsharers > 0 ? P2_SHARED_PIO_MAX : P2_PIO_MAX;
    bool on_gpu = bytes > 0 && t->host->memory->pointer(t->host, data).kind == HOST_GPU;
    bool stored = bytes <= pio_max || p2->peers[dest].local != NULL;
    uint32_t with_head = bytes <= P2_PIO_MAX ? bytes : 0;
    struct p2_place place;
    uint64_t flag;

    if (p2->peers[dest].far)
        return p2_far_append(p2, dest, fifo, head, head_bytes, data, bytes);
    if (on_gpu)
        return p2_append_direct(p2, dest, fifo, head, head_bytes, data, bytes);
    if (!stored)
        return p2_append_staged(p2, dest, fifo, head, head_bytes, data, bytes);
    if (!p2_find_room(p2, dest, head_bytes, bytes, &place))
        return false;
    flag = p2_put_head(p2, dest, fifo, &place, head, head_bytes, data, with_head, bytes);
    if (bytes > with_head)
        p2_put(p2, dest, place.at + place.head, data, bytes);
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

static bool p2_expose(struct transport *t, void *p, uint64_t bytes, struct transport_key *key_p)
{
    struct p2 *p2 = p2_of(t);
    struct key key = { .slot = (uint16_t)p2->d->slot, .subcluster = (uint16_t)p2->d->subcluster };
    uint64_t bus;

    if (bytes < P2_WRITE_MIN && t->host->memory->pointer(t->host, p).kind != HOST_GPU)
        return false;
    if (driver_address(t->host, p, bytes, &bus, &key.area, &key.offset) != DRIVER_OK ||
        key.area == DRIVER_NO_AREA)
        return false;
    memset(key_p, 0, sizeof(*key_p));
    memcpy(key_p, &key, sizeof(key));
    return true;
}

static void p2_hide(struct transport *t, const struct transport_key *key)
{
    (void)t; /* what is pinned stays so until it is freed */
    (void)key;
}

static bool p2_write_op(struct transport *t, unsigned dest, const struct transport_key *key,
                        uint64_t offset, const void *from, uint64_t bytes, const void *note,
                        uint32_t note_bytes, transport_ticket *ticket_p)
{
    struct p2 *p2 = p2_of(t);
    struct key to;

    memcpy(&to, key, sizeof(to));
    if (p2->peers[dest].far) {
        *ticket_p = 0;
        return p2_far_write(p2, dest, to.area, to.offset + offset, from, bytes, note, note_bytes);
    }
    return p2_write(p2, dest, to.area, driver_window(p2->d, to.slot, to.area, to.offset + offset),
                    from, bytes, note, note_bytes, ticket_p);
}

/* To and from a GPU by its hub, which takes less than a call of CUDA; where addresses do not agree,
 * by the GPU's own engine. */
static void p2_copy(struct transport *t, void *to, const void *from, uint64_t bytes)
{
    struct p2 *p2 = p2_of(t);
    struct host *h = t->host;

    if (bytes == 0)
        return;
    if (h->memory->pointer(h, to).kind == HOST_GPU ||
        h->memory->pointer(h, from).kind == HOST_GPU) {
        p2_copy_gpu(p2, to, from, bytes);
        return;
    }
    h->cpu->spend(h, h->cpu->cost_ps(h, HOST_COST_COPY_KB) * bytes / 1024);
    memcpy(to, from, bytes);
}

static bool p2_done_op(struct transport *t, transport_ticket ticket)
{
    struct p2 *p2 = p2_of(t);

    (void)p2_dma_progress(p2);
    return p2_done(p2, ticket);
}

/* ---- waiting ------------------------------------------------------------------------------- */

static bool news(struct p2 *p2)
{
    bool ended;

    (void)p2_dma_progress(p2);
    ended = p2->has_ended;
    p2->has_ended = false;
    return ended || p2_news(p2) || (p2->has_far && p2_far_pull(p2));
}

static void p2_wait(struct transport *t)
{
    struct p2 *p2 = p2_of(t);

    if (news(p2))
        return;
    if (p2_dma_waits_for_others(p2))
        p2_dma_wait(p2);
    else
        t->host->bus->wait_write(t->host, p2->inbox, p2->watched);
}

static bool p2_poll(struct transport *t)
{
    host_spend_cost(t->host, HOST_COST_CALL);
    return news(p2_of(t));
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

/* What fills rings is taken out, even if nobody waits for a message: senders want the room. */
static bool p2_queued(const struct transport *t)
{
    const struct p2 *p2 = (const struct p2 *)t;

    return p2_dma_queued(p2) || p2_half_full(p2);
}

const struct transport_ops transport_peach2 = {
    .name = "peach2",
    .network = HOST_NETWORK_HUBS,
    .create = p2_create,
    .connect = p2_connect,
    .destroy = p2_destroy,
    .append = p2_append,
    .next = p2_next,
    .take = p2_take,
    .release = p2_give_back,
    .expose = p2_expose,
    .hide = p2_hide,
    .write = p2_write_op,
    .done = p2_done_op,
    .hand_over = p2_hand_over,
    .ring = p2_ring_op,
    .queued = p2_queued,
    .copy = p2_copy,
    .wait = p2_wait,
    .poll = p2_poll,
};
