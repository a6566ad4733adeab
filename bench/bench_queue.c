/*
 * The core's event queue against a calendar queue and a 4-ary heap: pop the first
 * event, push it again a random time later (the hold model), with 1 k, 64 k and 1 M
 * events pending. All order by (time, key); only the core's can also cancel.
 */
#include "bench.h"
#include "core/internal.h"

#include <stdio.h>
#include <stdlib.h>

struct item {
    struct sim_event ev; /* first, so that an item is found from its event */
    struct item *next;
};

static inline bool before(const struct sim_event *a, const struct sim_event *b)
{
    return a->time != b->time ? a->time < b->time : a->key < b->key;
}

/* ---- a 4-ary heap without places in its events ---- */

struct entry {
    sim_time_t time;
    uint64_t key;
    struct sim_event *ev;
};

struct heap {
    struct entry *at;
    uint32_t count;
};

/* Without branches: which of four children is least is a coin toss to a branch predictor. */
static inline bool entry_before(const struct entry *a, const struct entry *b)
{
    return (a->time < b->time) | ((a->time == b->time) & (a->key < b->key));
}

static inline uint32_t lesser(const struct entry *at, uint32_t a, uint32_t b)
{
    return a + (b - a) * entry_before(&at[b], &at[a]);
}

static inline uint32_t least_child(const struct heap *h, uint32_t child)
{
    uint32_t least = child;

    if (child + 4 <= h->count)
        return lesser(h->at, lesser(h->at, child, child + 1), lesser(h->at, child + 2, child + 3));
    for (uint32_t i = child + 1; i < h->count; i++)
        least = lesser(h->at, least, i);
    return least;
}

static void heap_push(struct heap *h, struct sim_event *ev)
{
    struct entry e = { ev->time, ev->key, ev };
    uint32_t i = h->count++;

    for (; i != 0 && entry_before(&e, &h->at[(i - 1) / 4]); i = (i - 1) / 4)
        h->at[i] = h->at[(i - 1) / 4];
    h->at[i] = e;
}

static struct sim_event *heap_pop(struct heap *h)
{
    struct sim_event *first = h->at[0].ev;
    struct entry e = h->at[--h->count];
    uint32_t i = 0;

    while (4 * i + 1 < h->count) {
        uint32_t least = least_child(h, 4 * i + 1);

        if (!entry_before(&h->at[least], &e))
            break;
        h->at[i] = h->at[least];
        i = least;
    }
    h->at[i] = e;
    return first;
}

/* ---- a calendar queue (Brown, CACM 31(10) 1988), a bucket for about each event ---- */

struct calendar {
    struct item **buckets;
    uint64_t mask;  /* buckets - 1 */
    unsigned shift; /* a bucket holds 2^shift ps of each year */
    uint64_t day;   /* time >> shift of the bucket that is looked at */
};

static void calendar_push(struct calendar *c, struct item *it)
{
    struct item **p = &c->buckets[(it->ev.time >> c->shift) & c->mask];

    while (*p != NULL && before(&(*p)->ev, &it->ev))
        p = &(*p)->next;
    it->next = *p;
    *p = it;
}

static struct item *calendar_pop(struct calendar *c)
{
    for (;; c->day++) { /* the hold model leaves no year empty */
        struct item **p = &c->buckets[c->day & c->mask];
        struct item *it = *p;

        if (it != NULL && it->ev.time >> c->shift == c->day) {
            *p = it->next;
            return it;
        }
    }
}

/* ---- the hold model ---- */

struct hold {
    uint32_t pending;
    uint64_t operations;
    struct item *items;
    struct event_queue core;
    struct heap heap;
    struct calendar calendar;
    uint64_t key;
};

#define DELAYS 65536u
static uint64_t delays[DELAYS]; /* mean 10 us, mostly short ones: the product of two uniforms */

static void next_time(struct hold *h, struct sim_event *ev)
{
    ev->time += delays[h->key % DELAYS];
    ev->key = h->key++;
}

static uint64_t run_core(void *arg)
{
    struct hold *h = arg;

    for (uint64_t i = 0; i < h->operations; i++) {
        struct queue_due due;

        (void)queue_pop(&h->core, SIM_TIME_NEVER, &due);
        next_time(h, due.ev);
        queue_push(&h->core, due.ev);
    }
    return h->operations;
}

static uint64_t run_heap(void *arg)
{
    struct hold *h = arg;

    for (uint64_t i = 0; i < h->operations; i++) {
        struct sim_event *ev = heap_pop(&h->heap);

        next_time(h, ev);
        heap_push(&h->heap, ev);
    }
    return h->operations;
}

static uint64_t run_calendar(void *arg)
{
    struct hold *h = arg;

    for (uint64_t i = 0; i < h->operations; i++) {
        struct item *it = calendar_pop(&h->calendar);

        next_time(h, &it->ev);
        calendar_push(&h->calendar, it);
    }
    return h->operations;
}

static void *must(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

static struct hold *hold_create(uint32_t pending, uint64_t operations)
{
    struct hold *h = must(calloc(1, sizeof(*h)));
    uint64_t buckets = 2;

    h->pending = pending;
    h->operations = operations;
    h->items = must(calloc(pending, sizeof(*h->items)));
    h->heap.at = must(calloc(pending, sizeof(*h->heap.at)));
    while (buckets < pending)
        buckets *= 2;
    h->calendar.mask = buckets - 1;
    h->calendar.buckets = must(calloc(buckets, sizeof(struct item *)));
    while ((UINT64_C(20000000) >> h->calendar.shift) >
           pending) /* the pending ones span about this */
        h->calendar.shift++;
    return h;
}

static void hold_destroy(struct hold *h)
{
    queue_fini(&h->core);
    free(h->calendar.buckets);
    free(h->heap.at);
    free(h->items);
    free(h);
}

/* Each kind of queue on its own copy of the same events. */
static void compare(uint32_t pending, uint64_t operations, unsigned rounds)
{
    struct hold *h[3];
    struct bench_case cases[3] = { { .name = "core", .run = run_core },
                                   { .name = "calendar", .run = run_calendar },
                                   { .name = "4-ary", .run = run_heap } };

    for (unsigned k = 0; k < 3; k++) {
        cases[k].arg = h[k] = hold_create(pending, operations);
        for (uint32_t i = 0; i < pending; i++) {
            struct item *it = &h[k]->items[i];

            next_time(h[k], &it->ev);
            if (k == 0)
                queue_push(&h[k]->core, &it->ev);
            else if (k == 1)
                calendar_push(&h[k]->calendar, it);
            else
                heap_push(&h[k]->heap, &it->ev);
        }
    }
    bench_compare(cases, 3, rounds);
    printf("%8u %8.1f ns %8.1f ns %8.1f ns %14.2f %14.2f\n", pending, cases[0].ns, cases[1].ns,
           cases[2].ns, 1 / cases[1].ratio, 1 / cases[2].ratio);
    for (unsigned k = 0; k < 3; k++)
        hold_destroy(h[k]);
}

int main(int argc, char **argv)
{
    bool smoke = bench_smoke(argc, argv);
    uint64_t random = 1;

    for (uint32_t i = 0; i < DELAYS; i++) {
        uint64_t a = bench_random(&random) % 6325, b = bench_random(&random) % 6325;

        delays[i] = 1 + a * b;
    }
    printf("event queue: time of one pop and push\n%8s %11s %11s %11s %14s %14s\n", "pending",
           "core", "calendar", "4-ary heap", "core/calendar", "core/4-ary");
    compare(1024, smoke ? 2000 : 400000, smoke ? 1 : 21);
    compare(65536, smoke ? 2000 : 400000, smoke ? 1 : 21);
    if (!smoke)
        compare(1048576, 400000, 11);
    return 0;
}
