#include "bare_ring.h"
#include "bench.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PAYLOAD    256u
#define RECORDS    256u /* on one link at a time; a power of two above its credits */
#define PART_SHIFT 24   /* each node owns 16 MB of addresses */

struct packet {
    struct packet *next;
    struct link *from; /* whose receive buffer it fills */
    uint64_t addr;
    uint8_t data[PAYLOAD];
};

struct record { /* as a channel carries it */
    uint64_t arrival, addr;
    uint8_t data[PAYLOAD];
};

struct link {
    struct hub *hub; /* at the far end; NULL: a host */
    struct host *host;
    struct packet *first, **end; /* waiting for the link */
    uint64_t free_at;
    uint32_t credits;
    bool waking; /* a WAKE event is scheduled */
    struct packet **spare;
    uint32_t sent, received;
    uint32_t returned, taken; /* credits on the wire, by the time they arrive */
    uint64_t credit_at[RECORDS];
    struct record records[RECORDS];
};

struct range {
    uint64_t lower, upper;
    struct link *out;
};

struct hub {
    struct range ranges[3];
    struct packet *spare;
};

struct host {
    struct link *out;
    struct packet *spare;
    uint64_t sent, random, next_from;
    uint8_t memory[65536];
};

enum what { ARRIVE, WAKE, INJECT };

struct event {
    uint64_t time; /* ties in any order */
    enum what what;
    void *who;
};

struct bare_ring {
    struct ring_traffic traffic;
    struct event *heap;
    uint32_t count, room;
    uint64_t now, passages, delivered;
    struct hub *hubs;
    struct host *hosts;
    struct link *links; /* by hub: east, to its host, from its host */
};

static void push(struct bare_ring *r, uint64_t time, enum what what, void *who)
{
    uint32_t i = r->count++;

    if (r->count > r->room)
        abort();
    for (; i != 0 && time < r->heap[(i - 1) / 4].time; i = (i - 1) / 4)
        r->heap[i] = r->heap[(i - 1) / 4];
    r->heap[i] = (struct event){ time, what, who };
}

static inline uint32_t lesser(const struct event *heap, uint32_t a, uint32_t b)
{
    return heap[b].time < heap[a].time ? b : a;
}

static struct event pop(struct bare_ring *r)
{
    struct event first = r->heap[0], e = r->heap[--r->count];
    uint32_t i = 0, child;

    r->heap[r->count].time = UINT64_MAX; /* so that four children can always be compared */
    while ((child = 4 * i + 1) < r->count) {
        uint32_t least = lesser(r->heap, lesser(r->heap, child, child + 1),
                                lesser(r->heap, child + 2, child + 3));

        if (r->heap[least].time >= e.time)
            break;
        r->heap[i] = r->heap[least];
        i = least;
    }
    r->heap[i] = e;
    return first;
}

static struct packet *take(struct packet **spare)
{
    struct packet *p = *spare;

    if (p == NULL) {
        p = malloc(sizeof(*p));
        if (p == NULL)
            abort();
        return p;
    }
    *spare = p->next;
    return p;
}

static void wake(struct bare_ring *r, struct link *l, uint64_t time)
{
    if (l->waking)
        return;
    l->waking = true;
    push(r, time, WAKE, l);
}

/* The packet has left a receive buffer: its credit travels back over the link. */
static void give_credit(struct bare_ring *r, struct link *l)
{
    uint64_t at = r->now + r->traffic.latency_ps;

    l->credit_at[l->returned++ % RECORDS] = at;
    if (l->credits == 0 && l->first != NULL)
        wake(r, l, at);
}

static void depart(struct bare_ring *r, struct link *l)
{
    struct packet *p = l->first;
    struct record *record = &l->records[l->sent++ % RECORDS];

    l->first = p->next;
    if (l->first == NULL)
        l->end = &l->first;
    record->addr = p->addr;
    memcpy(record->data, p->data, PAYLOAD);
    l->credits--;
    l->free_at = r->now + r->traffic.serialise_ps;
    record->arrival = l->free_at + r->traffic.latency_ps;
    if (l->sent - l->received == 1)
        push(r, record->arrival, ARRIVE, l);
    if (p->from != NULL)
        give_credit(r, p->from);
    p->next = *l->spare;
    *l->spare = p;
}

static void try_send(struct bare_ring *r, struct link *l)
{
    while (l->taken != l->returned && l->credit_at[l->taken % RECORDS] <= r->now) {
        l->taken++;
        l->credits++;
    }
    while (l->first != NULL) {
        if (l->free_at > r->now) {
            wake(r, l, l->free_at);
            return;
        }
        if (l->credits == 0) {
            if (l->taken != l->returned)
                wake(r, l, l->credit_at[l->taken % RECORDS]);
            return;
        }
        depart(r, l);
    }
}

static void enqueue(struct bare_ring *r, struct link *l, struct packet *p)
{
    p->next = NULL;
    *l->end = p;
    l->end = &p->next;
    try_send(r, l);
}

static void arrive_at_hub(struct bare_ring *r, struct link *l, const struct record *record)
{
    struct hub *hub = l->hub;
    struct packet *p = take(&hub->spare);

    p->from = l;
    p->addr = record->addr;
    memcpy(p->data, record->data, PAYLOAD);
    r->passages++;
    for (unsigned i = 0; i < 3; i++) {
        const struct range *range = &hub->ranges[i];

        if (p->addr >= range->lower && p->addr <= range->upper) {
            enqueue(r, range->out, p);
            return;
        }
    }
    abort();
}

static void arrive_at_host(struct bare_ring *r, struct link *l, const struct record *record)
{
    struct host *host = l->host;
    uint64_t number;

    memcpy(host->memory + (record->addr & 0xff00), record->data, PAYLOAD);
    memcpy(&number, record->data, sizeof(number));
    if (number != host->next_from++) /* all come from one host, in order */
        abort();
    give_credit(r, l);
    r->delivered++;
}

static void arrive(struct bare_ring *r, struct link *l)
{
    const struct record *record = &l->records[l->received++ % RECORDS];

    if (l->received != l->sent) /* one event for all records of a link */
        push(r, l->records[l->received % RECORDS].arrival, ARRIVE, l);
    if (l->hub != NULL)
        arrive_at_hub(r, l, record);
    else
        arrive_at_host(r, l, record);
}

static void inject(struct bare_ring *r, struct host *host)
{
    unsigned node = (unsigned)(host - r->hosts);
    uint64_t to = (node + r->traffic.distance) % r->traffic.hubs;
    struct packet *p = take(&host->spare);
    uint64_t offset = host->sent * PAYLOAD & 0xff00;

    memcpy(host->memory + offset, &host->sent, sizeof(host->sent));
    p->from = NULL;
    p->addr = to << PART_SHIFT | offset;
    memcpy(p->data, host->memory + offset, PAYLOAD);
    host->sent++;
    enqueue(r, host->out, p);
    push(r,
         r->now + r->traffic.interval_ps / 2 + bench_random(&host->random) % r->traffic.interval_ps,
         INJECT, host);
}

uint64_t bare_ring_run(struct bare_ring *r, uint64_t span_ps)
{
    uint64_t end = r->now + span_ps;

    r->passages = 0;
    while (r->heap[0].time <= end) {
        struct event e = pop(r);
        struct link *l = e.who;

        r->now = e.time;
        switch (e.what) {
        case ARRIVE:
            arrive(r, l);
            break;
        case WAKE:
            l->waking = false;
            try_send(r, l);
            break;
        case INJECT:
            inject(r, e.who);
            break;
        }
    }
    r->now = end;
    return r->passages;
}

uint64_t bare_ring_delivered(const struct bare_ring *r)
{
    return r->delivered;
}

static void link_init(struct bare_ring *r, struct link *l, struct hub *hub, struct host *host,
                      struct packet **spare)
{
    l->hub = hub;
    l->host = host;
    l->credits = r->traffic.credits;
    l->end = &l->first;
    l->spare = spare;
}

struct bare_ring *bare_ring_create(const struct ring_traffic *traffic)
{
    struct bare_ring *r = calloc(1, sizeof(*r));
    unsigned n = traffic->hubs;

    if (r == NULL || traffic->payload_bytes != PAYLOAD || traffic->credits >= RECORDS)
        abort();
    r->traffic = *traffic;
    r->room = 65536;
    r->heap = malloc((r->room + 4) * sizeof(*r->heap));
    r->hubs = calloc(n, sizeof(*r->hubs));
    r->hosts = calloc(n, sizeof(*r->hosts));
    r->links = calloc((size_t)n * 3, sizeof(*r->links));
    if (r->heap == NULL || r->hubs == NULL || r->hosts == NULL || r->links == NULL)
        abort();
    memset(r->heap, 0xff, (r->room + 4) * sizeof(*r->heap)); /* times that never come */
    for (unsigned i = 0; i < n; i++) {
        struct link *east = &r->links[(size_t)3 * i], *down = east + 1, *up = east + 2;
        struct hub *hub = &r->hubs[i];
        uint64_t own = (uint64_t)i << PART_SHIFT, size = UINT64_C(1) << PART_SHIFT;

        link_init(r, east, &r->hubs[(i + 1) % n], NULL, &hub->spare);
        link_init(r, down, NULL, &r->hosts[i], &hub->spare);
        link_init(r, up, hub, NULL, &r->hosts[i].spare);
        hub->ranges[0] = (struct range){ own, own + size - 1, down };
        hub->ranges[1] = (struct range){ own + size, UINT64_MAX, east };
        hub->ranges[2] = (struct range){ 0, own - 1, east };
        r->hosts[i].out = up;
        r->hosts[i].random = i + 1;
        push(r, i + 1, INJECT, &r->hosts[i]);
    }
    return r;
}

static void drop(struct packet *p)
{
    while (p != NULL) {
        struct packet *next = p->next;

        free(p);
        p = next;
    }
}

void bare_ring_destroy(struct bare_ring *r)
{
    for (unsigned i = 0; i < r->traffic.hubs; i++) {
        for (unsigned k = 0; k < 3; k++)
            drop(r->links[(size_t)3 * i + k].first);
        drop(r->hubs[i].spare);
        drop(r->hosts[i].spare);
    }
    free(r->links);
    free(r->hosts);
    free(r->hubs);
    free(r->heap);
    free(r);
}
