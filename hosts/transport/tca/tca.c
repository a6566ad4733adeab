/* The transport "tca": memory, settings, and the interface. See internal.h. */
#include <stdlib.h>

#include "hosts/transport/peach2/dma.h"
#include "hosts/transport/peach2/far.h"
#include "hosts/transport/peach2/ring.h"
#include "hosts/transport/tca/job.h"
#include "hosts/transport/tca/packet.h"

#define EXPOSE_MIN 4096u /* shorter messages of host memory are sooner copied than announced */

/* ---- settings -------------------------------------------------------------------------- */

/* clang-format off */
#define NUMBER(key, unit, most, meaning) { key, unit, 0, most, 0, meaning, NULL, 0 },
#define SWITCH(key, meaning) HOST_PARAM_CHOICE(key, 0, "own|on|off", 2, meaning),
#define CHOICE(key, words, most, meaning) HOST_PARAM_CHOICE(key, 0, words, most, meaning),
#define MPI_NUMBER(member, unit, most, own, meaning) NUMBER("mpi." #member, unit, most, meaning)
#define MPI_SWITCH(member, meaning) SWITCH("mpi." #member, meaning)
#define MPI_CHOICE(member, words, most, meaning) CHOICE("mpi." #member, words, most, meaning)
static const struct host_param mpi_params[] = { TCT_SETTINGS(MPI_NUMBER, MPI_SWITCH, MPI_CHOICE)
                                                HOST_PARAM_END };
#define GASNET_NUMBER(member, unit, most, own, meaning)                                            \
    NUMBER("gasnet." #member, unit, most, meaning)
#define GASNET_SWITCH(member, meaning) SWITCH("gasnet." #member, meaning)
#define GASNET_CHOICE(member, words, most, meaning) CHOICE("gasnet." #member, words, most, meaning)
static const struct host_param gasnet_params[] = {
    TCT_SETTINGS(GASNET_NUMBER, GASNET_SWITCH, GASNET_CHOICE) HOST_PARAM_END
};
/* clang-format on */

static uint32_t at_least(uint32_t n, uint32_t least)
{
    return n > least ? n : least;
}

static uint32_t whole_piece(uint32_t bytes)
{
    return (uint32_t)host_round_up(at_least(bytes, 256), 64);
}

static struct tct_settings settings_of(const struct transport *t)
{
    struct tct_settings set;

#define READ_NUMBER(member, unit, most, own, meaning)                                              \
    set.member = (uint32_t)transport_number(t, #member, own);
#define READ_SWITCH(member, meaning) set.member = !transport_has_word(t, #member, "off");
#define READ_CHOICE(member, words, most, meaning)                                                  \
    set.member = (uint32_t)transport_number(t, #member, 0);
    TCT_SETTINGS(READ_NUMBER, READ_SWITCH, READ_CHOICE)
    if (set.btob_bytes == 1)
        set.btob_bytes = 0;
    set.ring_entries = at_least((uint32_t)transport_number(t, "ring_entries", TCT_ENTRIES), 2);
    set.pieces = at_least(set.pieces, 2);
    set.piece_bytes = whole_piece(set.piece_bytes);
    set.first_bytes = whole_piece(set.first_bytes);
    set.landing_bytes = whole_piece(set.landing_bytes);
    set.entry_bytes =
        (uint32_t)host_round_up(at_least(set.entry_bytes, 2 * TRANSPORT_ENTRY_LEAST), 64);
    set.ack_entries = set.ack_entries != 0 ? set.ack_entries : TCT_ENTRIES_MAX;
    return set;
}

/* ---- memory ------------------------------------------------------------------------------ */

/* Where things are in the inbox, and how many entries a ring has where there are many ranks. */
static void lay_out(struct tct *c)
{
    uint32_t n = c->hubs.nranks, all = TCT_RINGS_MAX;

    c->entry_bytes = c->set.entry_bytes;
    c->entries = transport_ring_bytes(n * TRANSPORT_FIFOS, c->set.ring_entries * c->entry_bytes,
                                      2 * c->entry_bytes, all) /
                 c->entry_bytes;
    c->piece_room = (uint32_t)host_round_up(c->set.landing_bytes + 2 * TCT_PIECE_HEAD, 64);
    c->ring_slots = c->entries > c->set.pieces ? c->entries : c->set.pieces;
    c->peer_bytes = TRANSPORT_FIFOS * c->entries * c->entry_bytes + c->set.pieces * c->piece_room;
    c->acks_at = TCT_ACKS_AT;
    c->arrived_at = c->acks_at + 8ull * n;
    c->flags_at = host_round_up(c->arrived_at + 8ull * n * TCT_CHANNELS, 64);
    c->rings_at = host_round_up(c->flags_at + 8ull * n * TCT_RINGS * c->ring_slots, HOST_PAGE);
}

static volatile uint64_t *words_at(const struct tct *c, uint64_t at)
{
    return (volatile uint64_t *)(void *)(c->hubs.inbox + at);
}

static bool make_memory(struct tct *c)
{
    struct host *h = tct_host(c);
    struct p2 *hubs = &c->hubs;
    uint64_t rings, bytes;
    unsigned area;

    lay_out(c);
    rings = (uint64_t)hubs->nranks * c->peer_bytes;
    bytes = c->rings_at + rings;
    hubs->inbox = h->memory->alloc(h, bytes, HOST_PAGE);
    c->send = h->memory->alloc(h, rings + c->entry_bytes, HOST_PAGE);
    if (hubs->inbox == NULL || c->send == NULL ||
        driver_address(h, hubs->inbox, bytes, &hubs->inbox_bus, &area, &hubs->inbox_offset) !=
            DRIVER_OK ||
        area != HUB_AREA_HOST)
        return false;
    host_clear(hubs->inbox, c->rings_at);
    c->stored = c->send + rings;
    c->send_bus = h->memory->pointer(h, c->send).offset;
    hubs->come = words_at(c, 0);
    c->ended = words_at(c, TCT_ENDED_AT);
    c->copies = words_at(c, TCT_COPIES_AT);
    c->acks = words_at(c, c->acks_at);
    c->arrived = words_at(c, c->arrived_at);
    c->flags = words_at(c, c->flags_at);
    hubs->memory = (struct host_bar){ hubs->inbox_bus - hubs->inbox_offset, hubs->d->area_bytes,
                                      HOST_UNCACHED };
    h->net->count(h, hubs->t.user, hubs->come);
    for (unsigned g = 0; g < h->gpus->number(h) && g < TCT_GPUS; g++)
        h->gpus->count(h, hubs->t.user, g, &c->copies[HOST_COPY_ENGINES * g]);
    return true;
}

static unsigned on_hub_of(const struct tct *c, unsigned rank, unsigned end)
{
    unsigned n = 0;

    for (unsigned r = 0; r < end; r++)
        n += p2_same_hub(&c->hubs.peers[r], &c->hubs.peers[rank]);
    return n;
}

static bool make_channels(struct tct *c)
{
    unsigned before = on_hub_of(c, c->hubs.me, c->hubs.me);
    unsigned local = on_hub_of(c, c->hubs.me, c->hubs.nranks);

    return p2_share_init(&c->hubs, before, local) && tct_channels_init(c, before, local);
}

static void place_far(struct p2 *hubs, uint32_t area, uint64_t offset, const void *data,
                      uint64_t bytes)
{
    if (bytes > 0)
        tct_land((struct tct *)hubs, (struct tct_target){ area, offset }, data, bytes);
}

static bool tct_connect(struct transport *t, char *why)
{
    struct tct *c = tct_of(t);
    struct host *h = t->host;
    struct p2 *hubs = &c->hubs;

    hubs->d = driver_of(h);
    if (hubs->d == NULL || !hubs->d->has_hub)
        return transport_lacks(t, "hub", "hapacs-tca", why);
    hubs->nranks = h->size;
    hubs->me = h->rank;
    hubs->early_end = &hubs->early;
    hubs->place_data = place_far;
    hubs->peers = calloc(hubs->nranks, sizeof(*hubs->peers));
    c->peers = calloc(hubs->nranks, sizeof(*c->peers));
    c->awaited = calloc((size_t)hubs->nranks * TCT_RINGS, sizeof(*c->awaited));
    c->acks_seen = calloc(hubs->nranks, sizeof(*c->acks_seen));
    c->set = settings_of(t);
    /* Costs of copies are spent from here on. */
    t->caps = (struct transport_caps){
        .gpu = true,
        .sends_requests = true,
        .fifo_bytes = c->set.entry_bytes - TCT_ENTRY_HEAD,
        .eager_bytes = 2 * c->set.entry_bytes,
        .write_bytes = 0, /* see tct_expose() */
        .copy_kb_ps = h->cpu->cost_ps(h, HOST_COST_COPY_KB),
        .entry_ps = h->cpu->cost_ps(h, HOST_COST_CALL),
    };
    if (hubs->peers == NULL || c->peers == NULL || c->awaited == NULL || c->acks_seen == NULL ||
        !make_memory(c) || !tct_jobs_init(c) || !p2_exchange(hubs) || !p2_order_init(hubs) ||
        !make_channels(c))
        return false;
    for (unsigned r = 0; r < hubs->nranks; r++) {
        hubs->peers[r].bell = driver_helper_bit(on_hub_of(c, r, r));
        for (unsigned ring = 0; ring < TCT_RINGS; ring++)
            tct_await(c, r, ring);
    }
    return true;
}

static void tct_destroy(struct transport *t)
{
    struct tct *c = tct_of(t);

    p2_far_fini(&c->hubs);
    free(c->hubs.sharers);
    free(c->hubs.peers);
    free(c->hubs.place);
    free(c->hubs.sorted);
    free(c->peers);
    free(c->awaited);
    free(c->acks_seen);
    tct_cache_fini(&c->cache);
    free(c->internal_at);
    free(c);
}

/* ---- entries -------------------------------------------------------------------------------- */

static unsigned tct_next(struct transport *t, enum transport_fifo fifo, unsigned from)
{
    struct tct *c = tct_of(t);
    struct p2 *hubs = &c->hubs;
    unsigned near = tct_next_ready(c, fifo, from);

    if (hubs->has_far && p2_far_pull(hubs) && hubs->far_fifo == fifo && hubs->far_source >= from &&
        hubs->far_source < near)
        return hubs->far_source;
    return near;
}

static bool tct_take(struct transport *t, enum transport_fifo fifo, unsigned source,
                     struct transport_taken *taken_p)
{
    struct tct *c = tct_of(t);
    struct p2 *hubs = &c->hubs;

    if (!hubs->peers[source].far)
        return tct_look(c, source, fifo, taken_p);
    if (!p2_far_pull(hubs) || hubs->far_fifo != fifo || hubs->far_source != source)
        return false;
    *taken_p = hubs->far_entry;
    return true;
}

static void tct_give_back(struct transport *t, enum transport_fifo fifo, unsigned source)
{
    struct tct *c = tct_of(t);

    if (c->hubs.peers[source].far)
        c->hubs.holds = false;
    else
        tct_release(c, source, fifo);
}

/* ---- remote writes -----------------------------------------------------------------------------
 */

/* What no hub reaches its owner's software copies to. */
static bool tct_expose(struct transport *t, void *p, uint64_t bytes, struct transport_key *key_p)
{
    struct tct *c = tct_of(t);
    const struct driver *d = c->hubs.d;
    struct tct_key key = { .slot = (uint16_t)d->slot, .subcluster = (uint16_t)d->subcluster };
    enum host_pointer_kind kind = t->host->memory->pointer(t->host, p).kind;
    uint64_t bus;

    if (bytes < EXPOSE_MIN && !t->one_sided && kind != HOST_GPU)
        return false;
    if (kind == HOST_PAGEABLE ||
        driver_address(t->host, p, bytes, &bus, &key.area, &key.offset) != DRIVER_OK ||
        key.area >= HUB_AREA_SELF) {
        key.area = TCT_BY_COPY;
        key.offset = (uintptr_t)p;
    }
    memcpy(key_p, &key, sizeof(key));
    return true;
}

/* The source is free once it is in a buffer. */
static bool tct_done(struct transport *t, transport_ticket ticket)
{
    struct tct *c = tct_of(t);

    (void)tct_run(c);
    for (unsigned i = 0; i < TCT_JOBS && ticket != 0; i++)
        if (c->jobs[i].ticket == ticket)
            return c->jobs[i].source != TCT_DIRECT && c->jobs[i].filled == c->jobs[i].npieces;
    return true;
}

/* ---- waiting
 * ------------------------------------------------------------------------------------- */

static bool look_for_news(struct tct *c)
{
    bool ended, came;

    (void)tct_run(c);
    came = tct_receive(c);
    ended = c->has_ended;
    c->has_ended = false;
    return ended || came || (c->hubs.has_far && p2_far_pull(&c->hubs));
}

/* What takes time in a look may hide what comes meanwhile from a wait behind it. */
static void tct_wait(struct transport *t)
{
    struct tct *c = tct_of(t);
    uint64_t before;

    do {
        before = t->host->cpu->time_ps(t->host);
        if (look_for_news(c))
            return;
    } while (t->host->cpu->time_ps(t->host) != before);
    tct_run_wait(c);
}

static bool tct_poll(struct transport *t)
{
    struct tct *c = tct_of(t);

    t->host->cpu->spend(t->host, c->set.look_ps);
    return look_for_news(c);
}

static void tct_hand_over(struct transport *t)
{
    struct tct *c = tct_of(t);

    (void)tct_run(c);
    while (tct_to_do(c)) {
        tct_run_wait(c);
        (void)tct_run(c);
    }
}

static bool tct_ring_op(struct transport *t)
{
    struct tct *c = tct_of(t);
    const struct driver_helper helper = { .h = t->host, .bits = c->hubs.peers[c->hubs.me].bell };

    if (!driver_helper_add(c->hubs.d, &helper))
        return false;
    c->hubs.bells = true;
    tct_channels_ring(c);
    return true;
}

static bool tct_queued(const struct transport *t)
{
    const struct tct *c = (const struct tct *)t;

    return c->njobs > 0 || tct_half_full(c);
}

static uint32_t tct_gpu_eager_bytes(const struct transport *t, unsigned gpu)
{
    (void)gpu;
    return ((const struct tct *)t)->set.entry_bytes / 2;
}

const struct transport_ops transport_tca = {
    .name = "tca",
    .network = HOST_NETWORK_HUBS,
    .params = { [TRANSPORT_MPI] = mpi_params, [TRANSPORT_GASNET] = gasnet_params },
    .bytes = sizeof(struct tct),
    .connect = tct_connect,
    .destroy = tct_destroy,
    .append = tct_append,
    .next = tct_next,
    .take = tct_take,
    .release = tct_give_back,
    .expose = tct_expose,
    .lays_out = tct_lays_out,
    .write = tct_write,
    .done = tct_done,
    .hand_over = tct_hand_over,
    .ring = tct_ring_op,
    .queued = tct_queued,
    .gpu_eager_bytes = tct_gpu_eager_bytes,
    .copy = tct_copy,
    .wait = tct_wait,
    .poll = tct_poll,
    .profile = tct_profile,
};
