/*
 * Entries between two ranks: a flag word for each, in a ring of 32, and header and data in a ring
 * of bytes. A flag is good when its number is the next one, so it need not be cleared.
 *
 *   63..48   47..24       23..12   11..4          3..0
 *   number   data bytes   words    header bytes   FIFO
 *
 * words: bit i: word i of the header, filled up in front to whole units, is in the ring; the
 * receiver knows the others, because they went on as they did from entry to entry (the same, or a
 * counter). Each word that need not be sent saves a store of 80 ns.
 */
#include <string.h>

#include "hosts/transport/peach2/ring.h"

#define FLAG_HEAD         4u
#define FLAG_WORDS        12u
#define FLAG_BYTES        24u
#define FLAG_NUMBER       48u
#define CREDIT_ENTRIES(w) ((uint32_t)(w))
#define CREDIT_UNITS(w)   ((uint32_t)((w) >> 32))

static uint32_t filled_up(uint32_t bytes)
{
    return (bytes + P2_UNIT - 1) / P2_UNIT * P2_UNIT;
}

/* What is left at the end of a ring is skipped when the entry does not fit in there. */
static uint32_t skip_of(const struct p2 *p2, uint64_t at_unit, uint32_t units)
{
    uint32_t at = (uint32_t)(at_unit % p2->ring_units);

    return at + units > p2->ring_units ? p2->ring_units - at : 0;
}

/* Counters of 32 bits that go on where they have been. */
static uint64_t grown_counter(uint64_t from, uint32_t to)
{
    return from + (uint32_t)(to - (uint32_t)from);
}

static bool has_room(const struct p2 *p2, const struct p2_peer *peer, uint32_t units)
{
    return peer->sent - peer->freed < p2->ring_entries &&
           peer->sent_units + units - peer->freed_units <= p2->ring_units;
}

bool p2_find_room(struct p2 *p2, unsigned dest, const struct transport_entry *e,
                  struct p2_place *place_p)
{
    struct p2_peer *peer = &p2->peers[dest];
    uint32_t head = filled_up(e->head_bytes), units = (head + filled_up(e->bytes)) / P2_UNIT;
    uint32_t skip = skip_of(p2, peer->sent_units, units);
    uint64_t ring = p2->rings + (uint64_t)p2->me * p2->ring_bytes;

    if (peer->bare > 0)
        return false;
    if (!has_room(p2, peer, skip + units)) {
        uint64_t credit = p2->credits[dest];

        p2->credit_seen[dest] = credit;
        peer->freed = grown_counter(peer->freed, CREDIT_ENTRIES(credit));
        peer->freed_units = grown_counter(peer->freed_units, CREDIT_UNITS(credit));
        if (!has_room(p2, peer, skip + units))
            return false;
    }
    *place_p = (struct p2_place){
        .at = ring + (peer->sent_units + skip) % p2->ring_units * P2_UNIT,
        .flag_at =
            p2_flags_at(p2->nranks) + ((uint64_t)p2->me * P2_FLAGS + peer->sent % P2_FLAGS) * 8,
        .head = head,
        .units = skip + units,
    };
    return true;
}

/* The words of a header as they lie in the ring. @return how many. */
static unsigned words_of(const struct transport_entry *e, uint64_t words[P2_HEAD_WORDS])
{
    uint32_t head_filled = filled_up(e->head_bytes);

    memset(words, 0, head_filled);
    memcpy((uint8_t *)words + (head_filled - e->head_bytes), e->head, e->head_bytes);
    return head_filled / 8;
}

/* @return a bit for each word that was not to be expected; they all are expected then. */
static uint32_t guess_wrong(struct p2_guess *g, uint32_t head_bytes, const uint64_t *words,
                            unsigned n)
{
    bool known = g->bytes == head_bytes;
    uint32_t wrong = 0;

    for (unsigned i = 0; i < n; i++) {
        if (!known || words[i] != g->words[i] + g->steps[i])
            wrong |= 1u << i;
        g->steps[i] = known ? words[i] - g->words[i] : 0;
        g->words[i] = words[i];
    }
    g->bytes = head_bytes;
    return wrong;
}

void p2_put(struct p2 *p2, unsigned dest, uint64_t at, const void *bytes, uint64_t n)
{
    const struct p2_peer *peer = &p2->peers[dest];
    struct host *h = p2->t.host;

    if (peer->local == NULL) {
        h->bus->store_block(h, &p2->d->window, peer->inbox + at, bytes, n);
        return;
    }
    transport_copy(&p2->t, peer->local + (int64_t)at, bytes, n);
}

/* Stores the marked words, neighbours in one go. */
static void store_words(struct p2 *p2, unsigned dest, uint64_t at, const uint64_t *words,
                        uint32_t mask, unsigned n)
{
    for (unsigned i = 0; i < n;) {
        unsigned end = i;

        while (end < n && (mask >> end & 1) != 0)
            end++;
        if (end > i)
            p2_put(p2, dest, at + 8ull * i, &words[i], 8ull * (end - i));
        i = end + 1;
    }
}

uint64_t p2_put_head(struct p2 *p2, unsigned dest, const struct p2_place *place,
                     const struct transport_entry *e, uint32_t stored)
{
    struct p2_peer *peer = &p2->peers[dest];
    uint64_t words[P2_HEAD_WORDS + P2_PIO_MAX / 8];
    unsigned n = words_of(e, words), more = (stored + 7) / 8;
    uint32_t wrong = guess_wrong(&p2->guesses[dest].to[e->fifo], e->head_bytes, words, n);
    uint64_t number = ++peer->sent;

    peer->sent_units += place->units;
    if (stored > 0) {
        words[n + more - 1] = 0;
        memcpy(&words[n], e->data, stored);
    }
    store_words(p2, dest, place->at, words, wrong | ((UINT32_C(1) << more) - 1) << n, n + more);
    return (uint64_t)e->fifo | (uint64_t)e->head_bytes << FLAG_HEAD |
           (uint64_t)wrong << FLAG_WORDS | (uint64_t)e->bytes << FLAG_BYTES | number << FLAG_NUMBER;
}

void p2_put_flag(struct p2 *p2, unsigned dest, uint64_t at, uint64_t flag)
{
    const struct p2_peer *peer = &p2->peers[dest];
    struct host *h = p2->t.host;

    if (peer->local != NULL) {
        uint64_t bus = p2->inbox_bus + (uint64_t)(peer->local + (int64_t)at - p2->inbox);

        h->bus->store(h, &p2->memory, bus - p2->memory.bus, &flag, 8);
        return;
    }
    /* Buffers for combining are emptied in no particular order. */
    if (h->pio_mapping == HOST_WRITE_COMBINING)
        h->bus->fence(h);
    h->bus->store(h, &p2->d->window, peer->inbox + at, &flag, 8);
    if (h->pio_mapping == HOST_WRITE_COMBINING)
        h->bus->fence(h);
}

void p2_ring(struct p2 *p2, unsigned dest)
{
    const struct p2_peer *peer = &p2->peers[dest];
    struct host *h = p2->t.host;
    uint64_t bits = peer->bell;

    if (!p2->bells)
        return;
    if (peer->local != NULL) {
        driver_write(h, p2->d, HUB_IRQ_RAISE, bits);
        return;
    }
    h->bus->store(h, &p2->d->window, p2_bell_bus(p2, dest) - p2->d->window_bus, &bits, 8);
    if (h->pio_mapping == HOST_WRITE_COMBINING)
        h->bus->fence(h);
}

static uint64_t flag_of(const struct p2 *p2, unsigned source)
{
    return p2->flags[source * P2_FLAGS + p2->taken[source] % P2_FLAGS];
}

static bool has_arrived(const struct p2 *p2, unsigned source)
{
    return flag_of(p2, source) >> FLAG_NUMBER == ((p2->taken[source] + 1) & 0xffff);
}

static void mark_ready(struct p2 *p2, unsigned source)
{
    uint64_t bit = UINT64_C(1) << source % 64;

    if (has_arrived(p2, source))
        p2->ready[source / 64] |= bit;
    else
        p2->ready[source / 64] &= ~bit;
}

/* Looks at all flags. Within one instant nothing more comes. */
static void scan_flags(struct p2 *p2)
{
    uint64_t now = p2->t.host->cpu->time_ps(p2->t.host) + 1;

    if (now == p2->scanned_at)
        return;
    p2->scanned_at = now;
    for (unsigned r = 0; r < p2->nranks; r++)
        mark_ready(p2, r);
}

/* Puts the words in that were left out. */
static void complete_head(struct p2_guess *g, uint8_t *at, uint32_t head_bytes, uint32_t sent,
                          unsigned n)
{
    uint64_t words[P2_HEAD_WORDS];

    memcpy(words, at, 8ull * n);
    for (unsigned i = 0; i < n; i++)
        if ((sent >> i & 1) == 0)
            words[i] = g->words[i] + g->steps[i];
    memcpy(at, words, 8ull * n);
    (void)guess_wrong(g, head_bytes, words, n);
}

/* Reports to the sender when a good part is free: it neither runs dry nor hears of each entry. */
static void give_credit(struct p2 *p2, unsigned source)
{
    struct p2_peer *peer = &p2->peers[source];
    uint64_t word;

    if (p2->taken[source] - peer->reported < p2->ring_entries / 2 &&
        peer->taken_units - peer->reported_units < p2->ring_units / P2_PIECES)
        return;
    peer->reported = p2->taken[source];
    peer->reported_units = peer->taken_units;
    word = (uint64_t)p2->taken[source] | peer->taken_units << 32;
    p2_put_flag(p2, source, P2_CREDITS_AT + 8ull * p2->me, word);
    p2_ring(p2, source);
}

void p2_release(struct p2 *p2, unsigned source)
{
    struct p2_peer *peer = &p2->peers[source];

    peer->at = NULL;
    p2->taken[source]++;
    mark_ready(p2, source);
    peer->taken_units += peer->units;
    give_credit(p2, source);
}

/* What the flag at the head of a ring says. */
static void read_head(struct p2 *p2, unsigned source)
{
    struct p2_peer *peer = &p2->peers[source];
    uint64_t flag = flag_of(p2, source);
    uint32_t head_bytes = (uint32_t)(flag >> FLAG_HEAD & 0xff), head = filled_up(head_bytes);
    uint32_t bytes = (uint32_t)(flag >> FLAG_BYTES & 0xffffff);
    uint32_t units = (head + filled_up(bytes)) / P2_UNIT;
    uint32_t skip = skip_of(p2, peer->taken_units, units);

    peer->units = skip + units;
    peer->at = p2->inbox + p2->rings + (uint64_t)source * p2->ring_bytes +
               (peer->taken_units + skip) % p2->ring_units * P2_UNIT;
    peer->fifo = (enum transport_fifo)(flag & 1);
    peer->entry = (struct transport_taken){ peer->at + (head - head_bytes), head_bytes + bytes };
    complete_head(&p2->guesses[source].from[peer->fifo], peer->at, head_bytes,
                  (uint32_t)(flag >> FLAG_WORDS & 0xfff), head / 8);
}

bool p2_look(struct p2 *p2, unsigned source)
{
    if (p2->peers[source].at == NULL && has_arrived(p2, source))
        read_head(p2, source);
    return p2->peers[source].at != NULL;
}

unsigned p2_next_ready(struct p2 *p2, enum transport_fifo fifo, unsigned from)
{
    scan_flags(p2);
    for (unsigned r = from; r < p2->nranks; r++) {
        uint64_t left = p2->ready[r / 64] >> r % 64;

        if (left == 0) {
            r |= 63; /* none in the rest of this word */
            continue;
        }
        if ((left & 1) != 0 && p2_look(p2, r) && p2->peers[r].fifo == fifo)
            return r;
    }
    return p2->nranks;
}

static bool half_full(const struct p2 *p2, unsigned source)
{
    uint64_t bytes = 0;
    uint32_t n = 0;

    while (n < p2->ring_entries / 2 && bytes < p2->ring_bytes / 2) {
        uint32_t number = p2->taken[source] + n++;
        uint64_t flag = p2->flags[source * P2_FLAGS + number % P2_FLAGS];

        if (flag >> FLAG_NUMBER != ((number + 1) & 0xffff))
            return false;
        bytes += flag >> FLAG_BYTES & 0xffffff;
    }
    return true;
}

bool p2_half_full(const struct p2 *p2)
{
    for (unsigned r = 0; r < p2->nranks; r++)
        if (half_full(p2, r))
            return true;
    return false;
}

bool p2_news(struct p2 *p2)
{
    bool news = false;

    scan_flags(p2);
    for (unsigned i = 0; i <= (p2->nranks - 1) / 64; i++)
        if (p2->ready[i] != 0)
            return true;
    for (unsigned r = 0; r < p2->nranks; r++) {
        news |= p2->credits[r] != p2->credit_seen[r];
        p2->credit_seen[r] = p2->credits[r];
    }
    return news;
}
