#include "core/internal.h"

#include <stdlib.h>

#define ARITY 4u

static inline bool before(const struct queue_entry *a, const struct queue_entry *b)
{
    return a->time != b->time ? a->time < b->time : a->key < b->key;
}

static inline void place(struct event_queue *q, uint32_t at, struct queue_entry e)
{
    q->heap[at] = e;
    e.ev->slot = at + 1;
}

static void sift_up(struct event_queue *q, uint32_t at, struct queue_entry e)
{
    while (at != 0) {
        uint32_t parent = (at - 1) / ARITY;

        if (!before(&e, &q->heap[parent]))
            break;
        place(q, at, q->heap[parent]);
        at = parent;
    }
    place(q, at, e);
}

static void sift_down(struct event_queue *q, uint32_t at, struct queue_entry e)
{
    for (;;) {
        uint32_t first = at * ARITY + 1;
        uint32_t end = first + ARITY < q->count ? first + ARITY : q->count;
        uint32_t least = first;

        if (first >= q->count)
            break;
        for (uint32_t i = first + 1; i < end; i++)
            if (before(&q->heap[i], &q->heap[least]))
                least = i;
        if (!before(&q->heap[least], &e))
            break;
        place(q, at, q->heap[least]);
        at = least;
    }
    place(q, at, e);
}

void queue_fini(struct event_queue *q)
{
    free(q->heap);
}

/* Grows by doubling: a running machine has as many events as components, so growth ends early. */
static void grow(struct event_queue *q)
{
    uint32_t room = q->room != 0 ? q->room * 2 : 64;
    struct queue_entry *heap = realloc(q->heap, room * sizeof(*heap));

    SIM_ASSERT(heap != NULL);
    q->heap = heap;
    q->room = room;
}

void queue_push(struct event_queue *q, struct sim_event *ev)
{
    if (q->count == q->room)
        grow(q);
    sift_up(q, q->count++, (struct queue_entry){ ev->time, ev->key, ev });
}

struct sim_event *queue_pop(struct event_queue *q)
{
    struct sim_event *ev = q->heap[0].ev;
    struct queue_entry last = q->heap[--q->count];

    ev->slot = 0;
    if (q->count != 0)
        sift_down(q, 0, last);
    return ev;
}

void queue_remove(struct event_queue *q, struct sim_event *ev)
{
    uint32_t at = ev->slot - 1;
    struct queue_entry last = q->heap[--q->count];

    ev->slot = 0;
    if (at == q->count)
        return;
    if (at != 0 && before(&last, &q->heap[(at - 1) / ARITY]))
        sift_up(q, at, last);
    else
        sift_down(q, at, last);
}

void queue_earlier(struct event_queue *q, struct sim_event *ev)
{
    sift_up(q, ev->slot - 1, (struct queue_entry){ ev->time, ev->key, ev });
}
