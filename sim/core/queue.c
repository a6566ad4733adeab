#include "core/internal.h"

#include <stdlib.h>

#define ARITY     4u
#define NEAR_SLOT 1u                       /* a slot: 1 + place in the array, */
#define HEAP_SLOT (NEAR_SLOT + QUEUE_NEAR) /* or this + place in the heap; 0: in neither */
#define NEAR_FULL ((1u << QUEUE_NEAR) - 1)

static inline bool is_before(const struct queue_entry *a, const struct queue_entry *b)
{
    return a->time != b->time ? a->time < b->time : a->ev->key < b->ev->key;
}

/* ---- the heap ---- */

static inline void heap_place(struct event_queue *q, uint32_t at, struct queue_entry e)
{
    q->heap[at] = e;
    e.ev->slot = at + HEAP_SLOT;
}

static void sift_up(struct event_queue *q, uint32_t at, struct queue_entry e)
{
    while (at != 0) {
        uint32_t parent = (at - 1) / ARITY;

        if (!is_before(&e, &q->heap[parent]))
            break;
        heap_place(q, at, q->heap[parent]);
        at = parent;
    }
    heap_place(q, at, e);
}

/* The earlier one of places a < b. Which it is, is a toss of a coin: so without a branch, but for
 * ties, which are rare. */
static inline uint32_t earlier_place(const struct queue_entry *heap, uint32_t a, uint32_t b)
{
    if (heap[a].time == heap[b].time)
        return is_before(&heap[b], &heap[a]) ? b : a;
    return a + (b - a) * (heap[b].time < heap[a].time);
}

static inline uint32_t earliest_child(const struct event_queue *q, uint32_t first)
{
    const struct queue_entry *heap = q->heap;
    uint32_t least = first;

    if (first + ARITY <= q->count)
        return earlier_place(heap, earlier_place(heap, first, first + 1),
                             earlier_place(heap, first + 2, first + 3));
    for (uint32_t i = first + 1; i < q->count; i++)
        least = earlier_place(heap, least, i);
    return least;
}

static void sift_down(struct event_queue *q, uint32_t at, struct queue_entry e)
{
    for (;;) {
        uint32_t first = at * ARITY + 1, least;

        if (first >= q->count)
            break;
        least = earliest_child(q, first);
        if (!is_before(&q->heap[least], &e))
            break;
        heap_place(q, at, q->heap[least]);
        at = least;
    }
    heap_place(q, at, e);
}

/* Grows by doubling: a running machine has as many events as components, so growth ends early. */
static void heap_grow(struct event_queue *q)
{
    uint32_t room = q->room != 0 ? q->room * 2 : 64;
    struct queue_entry *heap = realloc(q->heap, room * sizeof(*heap));

    SIM_ASSERT(heap != NULL);
    q->heap = heap;
    q->room = room;
}

static void heap_push(struct event_queue *q, struct queue_entry e)
{
    if (q->count == q->room)
        heap_grow(q);
    sift_up(q, q->count++, e);
}

static __attribute__((noinline)) struct sim_event *heap_pop(struct event_queue *q)
{
    struct sim_event *ev = q->heap[0].ev;
    struct queue_entry last = q->heap[--q->count];

    if (q->count != 0)
        sift_down(q, 0, last);
    return ev;
}

static void heap_remove(struct event_queue *q, uint32_t at)
{
    struct queue_entry last = q->heap[--q->count];

    if (at == q->count)
        return;
    if (at != 0 && is_before(&last, &q->heap[(at - 1) / ARITY]))
        sift_up(q, at, last);
    else
        sift_down(q, at, last);
}

/* ---- the array ---- */

static inline uint64_t block_least(const uint64_t w[QUEUE_BLOCK])
{
    return sim_min(sim_min(sim_min(w[0], w[1]), sim_min(w[2], w[3])),
                   sim_min(sim_min(w[4], w[5]), sim_min(w[6], w[7])));
}

/* Over the blocks from the first to the last one with an event. */
static inline uint64_t near_least(const struct event_queue *q)
{
    uint64_t least = block_least(q->word);

    for (uint32_t at = QUEUE_BLOCK; q->used >> at != 0; at += QUEUE_BLOCK)
        least = sim_min(least, block_least(q->word + at));
    return least;
}

static inline void near_put(struct event_queue *q, uint32_t at, struct sim_event *ev)
{
    uint64_t phase = ev->key >> KEY_PHASE_SHIFT;

    q->word[at] = ev->time << QUEUE_TIME_SHIFT | phase << QUEUE_PLACE_BITS | at;
    q->ev[at] = ev;
    q->fn[at] = ev->fn;
    q->used |= 1u << at;
    q->first = sim_min(q->first, q->word[at]);
    ev->slot = NEAR_SLOT + at;
}

static inline uint32_t place_of(uint64_t word)
{
    return word & ((1u << QUEUE_PLACE_BITS) - 1);
}

static inline void near_take(struct event_queue *q, uint32_t at)
{
    q->word[at] = QUEUE_NONE;
    q->used &= ~(1u << at);
    q->first = near_least(q);
    q->ev[at]->slot = 0;
}

static inline bool same_time_and_phase(uint64_t a, uint64_t b)
{
    return (a ^ b) >> QUEUE_PLACE_BITS == 0;
}

/* `ev` has been taken, but others of its time and phase may go before it. @return the first */
static __attribute__((noinline)) struct sim_event *near_tie(struct event_queue *q,
                                                            struct sim_event *ev)
{
    struct sim_event *first;
    uint64_t tie = q->first, key = ev->key;
    uint32_t best = QUEUE_NEAR;

    for (uint32_t i = 0; i < QUEUE_NEAR; i++) {
        if (same_time_and_phase(q->word[i], tie) && q->ev[i]->key < key) {
            best = i;
            key = q->ev[i]->key;
        }
    }
    if (best == QUEUE_NEAR)
        return ev;
    first = q->ev[best];
    near_take(q, best);
    near_put(q, best, ev);
    return first;
}

/* ---- both ---- */

void queue_init(struct event_queue *q)
{
    *q = (struct event_queue){ .first = QUEUE_NONE };
    for (uint32_t i = 0; i < QUEUE_NEAR; i++)
        q->word[i] = QUEUE_NONE;
}

void queue_push(struct event_queue *q, struct sim_event *ev)
{
    uint64_t beyond = ev->time >> (64 - QUEUE_TIME_SHIFT); /* 40 hours do not fit into a word */

    if ((q->count | beyond) == 0 && q->used != NEAR_FULL)
        near_put(q, (uint32_t)__builtin_ctz(~q->used), ev);
    else
        heap_push(q, (struct queue_entry){ ev->time, ev });
}

static bool heap_is_first(const struct event_queue *q)
{
    struct queue_entry e;

    if (q->used == 0)
        return true;
    e.ev = q->ev[place_of(q->first)];
    e.time = e.ev->time;
    return is_before(&q->heap[0], &e);
}

bool queue_pop(struct event_queue *q, sim_time_t end, struct queue_due *due_p)
{
    uint64_t first = q->first;
    struct sim_event *ev;

    if (queue_next(q) >= end)
        return false;
    if (q->count != 0 && heap_is_first(q)) {
        ev = heap_pop(q);
        ev->slot = 0;
        *due_p = (struct queue_due){ .ev = ev,
                                     .fn = ev->fn,
                                     .time = ev->time,
                                     .phase = (uint32_t)(ev->key >> KEY_PHASE_SHIFT) };
        return true;
    }
    due_p->ev = q->ev[place_of(first)];
    due_p->fn = q->fn[place_of(first)];
    due_p->time = first >> QUEUE_TIME_SHIFT;
    due_p->phase = first >> QUEUE_PLACE_BITS & 3;
    near_take(q, place_of(first));
    if (same_time_and_phase(first, q->first)) {
        due_p->ev = near_tie(q, due_p->ev);
        due_p->fn = due_p->ev->fn;
    }
    return true;
}

void queue_remove(struct event_queue *q, struct sim_event *ev)
{
    if (ev->slot >= HEAP_SLOT) {
        heap_remove(q, ev->slot - HEAP_SLOT);
        ev->slot = 0;
    } else {
        near_take(q, ev->slot - NEAR_SLOT);
    }
}

void queue_fini(struct event_queue *q)
{
    free(q->heap);
}
