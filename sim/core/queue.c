#include "core/internal.h"

#include <stdlib.h>
#include <string.h>

#define ARITY     4u
#define HEAP_SLOT 2u /* of the first place in the heap */

static inline bool before(const struct queue_entry *a, const struct queue_entry *b)
{
    return a->time != b->time ? a->time < b->time : a->key < b->key;
}

/* ---- the heap ---- */

static inline void place(struct event_queue *q, uint32_t at, struct queue_entry e)
{
    q->heap[at] = e;
    e.ev->slot = at + HEAP_SLOT;
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

static struct sim_event *heap_pop(struct event_queue *q)
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
    if (at != 0 && before(&last, &q->heap[(at - 1) / ARITY]))
        sift_up(q, at, last);
    else
        sift_down(q, at, last);
}

/* ---- the near events ---- */

/* From the end, where the earliest are: most events are scheduled for soon. */
static inline void near_insert(struct event_queue *q, struct queue_entry e)
{
    uint32_t at = q->nnear++;

    for (; at > 0 && before(&q->near[at - 1], &e); at--)
        q->near[at] = q->near[at - 1];
    q->near[at] = e;
    e.ev->slot = QUEUE_IN_NEAR;
}

void queue_push(struct event_queue *q, struct sim_event *ev)
{
    struct queue_entry e = { ev->time, ev->key, ev };

    if (q->count != 0 && !before(&e, &q->heap[0])) {
        heap_push(q, e);
        return;
    }
    if (q->nnear == QUEUE_NEAR) {
        if (!before(&e, &q->near[0])) {
            heap_push(q, e);
            return;
        }
        heap_push(q, q->near[0]);
        q->nnear--;
        memmove(&q->near[0], &q->near[1], q->nnear * sizeof(q->near[0]));
    }
    near_insert(q, e);
}

struct sim_event *queue_pop(struct event_queue *q)
{
    struct sim_event *ev = q->nnear != 0 ? q->near[--q->nnear].ev : heap_pop(q);

    ev->slot = 0;
    return ev;
}

void queue_remove(struct event_queue *q, struct sim_event *ev)
{
    uint32_t at = 0;

    if (ev->slot != QUEUE_IN_NEAR) {
        heap_remove(q, ev->slot - HEAP_SLOT);
        ev->slot = 0;
        return;
    }
    while (q->near[at].ev != ev)
        at++;
    q->nnear--;
    memmove(&q->near[at], &q->near[at + 1], (q->nnear - at) * sizeof(q->near[0]));
    ev->slot = 0;
}

void queue_fini(struct event_queue *q)
{
    free(q->heap);
}
