/* Packets in: when an entry may be taken, what lands by a copy, acknowledgements. */
#include "hosts/transport/peach2/ring.h"
#include "hosts/transport/tca/flag.h"
#include "hosts/transport/tca/packet.h"

#define ARRIVED_BITS 16u
/* In the word that counts transfers, above its count: marks of those whose data for a GPU may come
 * later than the word. */
#define FLUSH_SHIFT(gpu) (32u + 16u * (gpu))

static uint8_t *entry_of(const struct tct *c, unsigned source, unsigned ring, uint32_t n)
{
    return c->hubs.inbox + c->rings_at + tct_entry_at(c, source, ring, n);
}

/* The number that the flag of an entry has when it has come: never that of the one before. */
static uint32_t lap_of(const struct tct *c, unsigned ring, uint32_t n)
{
    return (n / tct_entries(c, ring) + 1) & 0xff;
}

/* @return false: entry `n` of a ring has not come. */
static bool has_come(const struct tct *c, unsigned source, unsigned ring, uint32_t n,
                     struct tct_flag *flag_p)
{
    uint64_t word = c->flags[tct_flag_index(c, source, ring, n)];

    if (word >> 56 != lap_of(c, ring, n) || word == 0)
        return false;
    *flag_p = tct_flag_decode(word);
    return true;
}

static bool has_arrived(const struct tct *c, unsigned source, unsigned channel, uint32_t need)
{
    return tct_flag_reached((uint32_t)c->arrived[source * TCT_CHANNELS + channel], need,
                            ARRIVED_BITS);
}

/* Have the transfers arrived that the entry needs? */
static bool is_whole(const struct tct *c, unsigned source, const struct tct_flag *flag,
                     const uint8_t *entry)
{
    uint16_t need[TCT_CHANNELS];

    if (flag->has)
        return has_arrived(c, source, flag->channel, flag->need);
    if (!flag->wide)
        return true;
    memcpy(need, entry, sizeof(need));
    for (unsigned ch = 0; ch < TCT_CHANNELS; ch++)
        if (!has_arrived(c, source, ch, need[ch]))
            return false;
    return true;
}

/* Data for a GPU leave the root complex by another port than the word that announces them; that of
 * a descriptor in host memory follows them at once. A read from the GPU comes back behind them. */
static void flush_gpus(struct tct *c, unsigned source)
{
    struct tct_peer *peer = &c->peers[source];

    for (unsigned ch = 0; ch < TCT_CHANNELS; ch++) {
        uint64_t word = c->arrived[source * TCT_CHANNELS + ch];

        for (unsigned gpu = 0; word >> 32 != 0 && gpu < 2; gpu++) {
            uint16_t mark = (uint16_t)(word >> FLUSH_SHIFT(gpu));

            if (mark == peer->flushed[gpu][ch])
                continue;
            peer->flushed[gpu][ch] = mark;
            driver_flush_gpu(tct_host(c), gpu);
        }
    }
}

void tct_await(struct tct *c, unsigned source, unsigned ring)
{
    uint32_t n = c->peers[source].ring[ring].seen;

    c->awaited[source * TCT_RINGS + ring] =
        (struct tct_awaited){ .flag = (uint32_t)tct_flag_index(c, source, ring, n),
                              .lap = lap_of(c, ring, n) };
}

/* Is what a ring waits for there? */
static bool has_news(const struct tct *c, unsigned source)
{
    const struct tct_awaited *a = &c->awaited[source * TCT_RINGS];
    bool any = false;

    for (unsigned ring = 0; ring < TCT_RINGS; ring++) {
        uint64_t word = c->flags[a[ring].flag];

        any |= word >> 56 == a[ring].lap && word != 0;
    }
    return any;
}

/* ---- landing ------------------------------------------------------------------------------ */

/* Its data, and where they go. */
static void land(struct tct *c, const struct tct_flag *flag, const uint8_t *entry)
{
    uint64_t words[TCT_PIECE_HEAD / 8];
    enum tct_mode mode = TCT_BTOB;
    uint32_t pos = flag->wide ? 8 : 0, bytes = flag->bytes;

    memcpy(words, entry + pos, sizeof(words));
    if (flag->kind == TCT_PIECE) {
        mode = words[1] >> 32 != 0 ? TCT_MTOB : TCT_BTOB;
        bytes = (uint32_t)words[1];
        pos = TCT_PIECE_HEAD + flag->pad;
    } else {
        pos += 8 + flag->head_bytes;
    }
    c->counts.mode[mode].copies++;
    host_phase(tct_host(c), HOST_PHASE_LAND);
    tct_land(c, tct_target_of(words[0]), entry + pos, bytes);
}

static void acknowledge(struct tct *c, unsigned source)
{
    struct tct_peer *peer = &c->peers[source];
    uint64_t word = 0;
    bool due = false;

    for (unsigned ring = 0; ring < TCT_RINGS; ring++) {
        struct tct_ring *r = &peer->ring[ring];
        uint32_t half = tct_entries(c, ring) / 2;
        uint32_t batch = c->set.ack_entries < half ? c->set.ack_entries : half;

        due |= r->taken - r->acked >= batch && r->taken != r->acked;
        word |= (uint64_t)(r->taken & 0xffff) << 16 * ring;
    }
    if (!due)
        return;
    for (unsigned ring = 0; ring < TCT_RINGS; ring++)
        peer->ring[ring].acked = peer->ring[ring].taken;
    c->counts.acks++;
    p2_put_flag(&c->hubs, source, c->acks_at + 8ull * c->hubs.me, word);
    p2_ring(&c->hubs, source);
}

/* Looks at what has come in a ring since the last look. @return whether anything has landed. */
static bool land_ring(struct tct *c, unsigned source, unsigned ring)
{
    struct tct_peer *peer = &c->peers[source];
    struct tct_ring *r = &peer->ring[ring];
    struct tct_flag flag;
    bool any = false;

    while (r->seen - r->taken < tct_entries(c, ring) && has_come(c, source, ring, r->seen, &flag)) {
        const uint8_t *entry = entry_of(c, source, ring, r->seen);

        if (flag.kind != TCT_PLAIN) {
            if ((peer->landed & ((1u << TCT_BEFORE_BITS) - 1)) != flag.before ||
                !is_whole(c, source, &flag, entry))
                return any;
            land(c, &flag, entry);
            peer->landed++;
            any = true;
        }
        r->seen++;
        tct_await(c, source, ring);
        if (flag.kind == TCT_PIECE) {
            r->taken++;
            acknowledge(c, source);
        } else {
            c->waiting[ring]++;
        }
    }
    return any;
}

static void land_all(struct tct *c, unsigned source)
{
    bool any;

    do {
        any = false;
        for (unsigned ring = 0; ring < TCT_RINGS; ring++)
            any |= land_ring(c, source, ring);
    } while (any);
}

/* ---- entries -------------------------------------------------------------------------------- */

bool tct_look(struct tct *c, unsigned source, unsigned ring, struct transport_taken *taken_p)
{
    struct tct_peer *peer = &c->peers[source];
    struct tct_ring *r = &peer->ring[ring];
    struct tct_flag flag;
    uint8_t *entry;
    uint32_t pos;

    for (;;) {
        if (r->seen == r->taken || !has_come(c, source, ring, r->taken, &flag))
            return false;
        if (flag.kind != TCT_SILENT)
            break;
        tct_release(c, source, ring);
    }
    entry = entry_of(c, source, ring, r->taken);
    if (!tct_flag_reached(peer->landed, flag.before, TCT_BEFORE_BITS) ||
        !is_whole(c, source, &flag, entry))
        return false;
    flush_gpus(c, source);
    pos = (flag.wide ? 8 : 0) + (flag.kind == TCT_LANDS ? 8 : 0) + flag.pad;
    *taken_p =
        (struct transport_taken){ entry + pos,
                                  flag.head_bytes + (flag.kind == TCT_LANDS ? 0 : flag.bytes) };
    return true;
}

void tct_release(struct tct *c, unsigned source, unsigned ring)
{
    c->peers[source].ring[ring].taken++;
    c->waiting[ring]--;
    acknowledge(c, source);
}

/* Within one instant nothing more comes. */
static void scan(struct tct *c)
{
    uint64_t now = tct_host(c)->cpu->time_ps(tct_host(c)) + 1;

    if (now == c->scanned_at)
        return;
    c->scanned_at = now;
    for (unsigned r = 0; r < c->hubs.nranks; r++)
        if (has_news(c, r))
            land_all(c, r);
}

unsigned tct_next_ready(struct tct *c, unsigned ring, unsigned from)
{
    struct transport_taken taken;

    scan(c);
    if (c->waiting[ring] == 0)
        return c->hubs.nranks;
    for (unsigned r = from; r < c->hubs.nranks; r++)
        if (!c->hubs.peers[r].far && tct_look(c, r, ring, &taken))
            return r;
    return c->hubs.nranks;
}

bool tct_receive(struct tct *c)
{
    bool news = false;

    for (unsigned ring = 0; ring < TRANSPORT_FIFOS; ring++)
        news |= tct_next_ready(c, ring, 0) < c->hubs.nranks;
    for (unsigned r = 0; r < c->hubs.nranks; r++) {
        uint64_t ack = c->acks[r];

        news |= ack != c->acks_seen[r];
        c->acks_seen[r] = ack;
    }
    return news;
}

bool tct_half_full(const struct tct *c)
{
    struct tct_flag flag;

    for (unsigned r = 0; r < c->hubs.nranks; r++)
        for (unsigned ring = 0; ring < TCT_RINGS; ring++) {
            uint32_t n = tct_entries(c, ring) / 2;

            if (has_come(c, r, ring, c->peers[r].ring[ring].taken + n - 1, &flag))
                return true;
        }
    return false;
}
