/*
 * What held a packet in a queue. The queue is first in, first out: up to the
 * time when the packet before it left, a packet waited for what held that one.
 * The head waits for the first of these that is the case:
 *
 *   - A hold lies on the queue or on where it goes to: missing credits, a full replay buffer.
 *   - The port that it goes to has no room: what holds that port's queue.
 *   - Others are on the way out that it wants: the arbiter or the bus, or the link where the
 *     queue is a port's own.
 *   - What is left is the queue's own stage.
 */
#include "observe/internal.h"

#include "observe/map.h"
#include "pcie/tlp/tlp.h" /* PCIE_POSTED */

#include <stdlib.h>
#include <string.h>

static const struct sim_stage arbiter = {
    .name = "arbiter wait",
    .kind = SIM_KIND_ARBITER,
    .meaning = "others go the same way",
};
static const struct sim_stage bus = {
    .name = "internal bus",
    .kind = SIM_KIND_BUS,
    .meaning = "beats of the packet before it from the same queue",
};
static const struct sim_stage dllp = {
    .name = "behind a DLLP",
    .kind = SIM_KIND_LINK_BUSY,
    .meaning = "acknowledgements and credit updates go before packets",
};
static const struct sim_stage clock_edge = {
    .name = "clock edge",
    .kind = SIM_KIND_HUB,
    .meaning = "from the end of a wait to the next edge of the hub's clock",
};

/* ---- indexes ---------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_keys(const void *a, const void *b)
{
    const struct mark_key *x = a, *y = b;
    int c = compare_numbers(x->where, y->where);

    c = c != 0 ? c : compare_numbers(x->queue, y->queue);
    c = c != 0 ? c : compare_numbers(x->time, y->time);
    return c != 0 ? c : compare_numbers(x->id, y->id);
}

static int compare_holds(const void *a, const void *b)
{
    const struct sim_hold *x = a, *y = b;
    int c = compare_numbers((uintptr_t)x->where, (uintptr_t)y->where);

    c = c != 0 ? c : compare_numbers(x->queue, y->queue);
    return c != 0 ? c : compare_numbers(x->from, y->from);
}

static struct mark_key key_of(const struct observer *obs, uint64_t id)
{
    const struct sim_mark *m = mark_at(obs, id);

    return (struct mark_key){ (uintptr_t)m->where, m->queue, m->time, id };
}

static bool add_key(struct mark_index *index, struct mark_key key)
{
    if (!observe_grow(&index->keys, index->n, &index->room, sizeof(key)))
        return false;
    index->keys[index->n++] = key;
    return true;
}

static bool index_mark(struct observer *obs, uint64_t id)
{
    struct mark_key queue = key_of(obs, id), where = queue;
    const struct sim_mark *m = mark_at(obs, id);

    if (m->stage->use != SIM_STAGE_QUEUE && m->stage->use != SIM_STAGE_LINK)
        return true;
    if (m->until > m->time)
        obs->longest = sim_max(obs->longest, m->until - m->time);
    where.queue = 0;
    return add_key(&obs->by_queue, queue) && add_key(&obs->by_where, where);
}

/** `n` items of `size` bytes, if any. */
static void sort_items(void *items, uint64_t n, size_t size,
                       int (*compare)(const void *, const void *))
{
    if (n != 0)
        qsort(items, n, size, compare);
}

bool observe_index(struct observer *obs)
{
    if (obs->indexed == obs->n && obs->indexed_holds == obs->nholds)
        return true;
    for (uint64_t id = obs->indexed + 1; id <= obs->n; id++)
        if (!index_mark(obs, id))
            return false;
    obs->indexed = obs->n;
    obs->indexed_holds = obs->nholds;
    sort_items(obs->holds, obs->nholds, sizeof(*obs->holds), compare_holds);
    sort_items(obs->by_queue.keys, obs->by_queue.n, sizeof(struct mark_key), compare_keys);
    sort_items(obs->by_where.keys, obs->by_where.n, sizeof(struct mark_key), compare_keys);
    return true;
}

/** Place of the first of `n` sorted items that is not before `key`. */
static uint64_t lower_bound(const void *items, uint64_t n, size_t size, const void *key,
                            int (*compare)(const void *, const void *))
{
    uint64_t low = 0;

    while (low < n) {
        uint64_t middle = (low + n) / 2;

        if (compare((const char *)items + middle * size, key) < 0)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static uint64_t find_key(const struct mark_index *index, const struct mark_key *key)
{
    return lower_bound(index->keys, index->n, sizeof(*key), key, compare_keys);
}

/** Place of the first hold of a queue. */
static uint64_t find_holds(const struct observer *obs, const char *where, uint32_t queue)
{
    const struct sim_hold key = { .where = where, .queue = queue };

    return lower_bound(obs->holds, obs->nholds, sizeof(key), &key, compare_holds);
}

/* ---- painting ----------------------------------------------------------------- */

/** A stretch of time in pieces; those without a stage are not explained yet. */
struct canvas {
    struct observer *obs;
    struct observe_breakdown pieces; /* in order of time */
    bool failed;
};

/** A piece that is not explained and holds `at` becomes two. */
static void cut_at(struct canvas *c, sim_time_t at)
{
    struct observe_part *p;
    unsigned i = 0;

    while (i < c->pieces.n && (c->pieces.parts[i].stage != NULL || c->pieces.parts[i].from >= at ||
                               c->pieces.parts[i].to <= at))
        i++;
    if (i == c->pieces.n)
        return;
    if (!part_add(&c->pieces, NULL, NULL, 0, 0)) {
        c->failed = true;
        return;
    }
    p = &c->pieces.parts[i];
    memmove(p + 1, p, (c->pieces.n - 1 - i) * sizeof(*p));
    p[0].to = p[1].from = at;
}

/** Gives what is not explained of [from, to) a stage. */
static void paint_stage(struct canvas *c, const struct sim_stage *stage, const char *where,
                        sim_time_t from, sim_time_t to)
{
    cut_at(c, from);
    cut_at(c, to);
    for (unsigned i = 0; i < c->pieces.n; i++) {
        struct observe_part *p = &c->pieces.parts[i];

        if (p->stage == NULL && p->from >= from && p->to <= to) {
            p->stage = stage;
            p->where = where;
        }
    }
}

/* ---- reasons ------------------------------------------------------------------ */

/** Holds of one queue within [from, to): those that say why. */
static void paint_holds(struct canvas *c, const char *where, uint32_t queue, sim_time_t from,
                        sim_time_t to)
{
    const struct observer *obs = c->obs;

    for (uint64_t i = find_holds(obs, where, queue); i < obs->nholds; i++) {
        const struct sim_hold *h = &obs->holds[i];

        if (h->where != where || h->queue != queue || h->from >= to)
            return;
        if (h->to > from && h->stage->use != SIM_STAGE_FULL)
            paint_stage(c, h->stage, where, sim_max(h->from, from), sim_min(h->to, to));
    }
}

/** While others of this place are on the way out that `m` wants. */
static void paint_others(struct canvas *c, const struct sim_mark *m, const char *where,
                         sim_time_t from, sim_time_t to)
{
    const struct observer *obs = c->obs;
    sim_time_t back = from > obs->longest ? from - obs->longest : 0;
    const struct mark_key key = { (uintptr_t)where, 0, back, 0 };

    for (uint64_t i = find_key(&obs->by_where, &key); i < obs->by_where.n; i++) {
        const struct sim_mark *o = mark_at(obs, obs->by_where.keys[i].id);
        const struct sim_stage *why = o->stage;

        if (o->where != where || o->time >= to)
            return;
        if (o->stage->use == SIM_STAGE_QUEUE) { /* a crossbar, not a link */
            if (o->toward != m->toward && o->queue != m->queue)
                continue;
            why = o->queue == m->queue ? &bus : &arbiter;
        }
        if (o->until > from)
            paint_stage(c, why, where, sim_max(o->time, from), sim_min(o->until, to));
    }
}

/** What holds the queue of a port within [from, to). */
static void paint_port(struct canvas *c, const struct sim_mark *m, const char *port, uint32_t queue,
                       sim_time_t from, sim_time_t to)
{
    paint_holds(c, port, queue, from, to);
    paint_others(c, m, port, from, to);
    if (queue != PCIE_POSTED && queue != PCIE_POSTED_VC1) /* passes no posted request (2.4.1) */
        paint_holds(c, port, PCIE_POSTED, from, to);
    paint_stage(c, &dllp, port, from, to);
}

/** Within [from, to), the port `m` goes to has no room; or it has, and the clock edge follows. */
static void paint_full(struct canvas *c, const struct sim_mark *m, uint32_t queue, sim_time_t from,
                       sim_time_t to)
{
    const struct observer *obs = c->obs;

    for (uint64_t i = find_holds(obs, m->toward, queue); i < obs->nholds; i++) {
        const struct sim_hold *h = &obs->holds[i];

        if (h->where != m->toward || h->queue != queue || h->from >= to)
            return;
        if (h->to <= from || h->stage->use != SIM_STAGE_FULL)
            continue;
        paint_port(c, m, m->toward, queue % PCIE_CLASSES, sim_max(h->from, from),
                   sim_min(h->to, to));
    }
}

/** What follows the end of a hold or of another's way directly, up to the grant. */
static void paint_edge(struct canvas *c, const struct sim_mark *m)
{
    unsigned last = c->pieces.n - 1;
    const struct observe_part *p = &c->pieces.parts[last];

    if (last > 0 && p->stage == NULL && p->to == m->time)
        paint_stage(c, &clock_edge, m->where, p->from, p->to);
}

/** `m` is the head of its queue during [from, to). */
static void explain_head(struct canvas *c, const struct sim_mark *m, sim_time_t from, sim_time_t to)
{
    if (m->stage->use == SIM_STAGE_LINK) {
        paint_port(c, m, m->where, m->queue, from, to);
        return;
    }
    paint_holds(c, m->where, m->queue, from, to);
    for (uint32_t left = m->toward_queues; left != 0; left &= left - 1)
        paint_holds(c, m->toward, (uint32_t)__builtin_ctz(left), from, to);
    for (uint32_t left = m->toward_queues; left != 0; left &= left - 1)
        paint_full(c, m, (uint32_t)__builtin_ctz(left), from, to);
    paint_others(c, m, m->where, from, to);
    if (m->until > m->time) /* only a clocked crossbar keeps its way busy */
        paint_edge(c, m);
    paint_stage(c, m->stage, m->where, from, to);
}

static bool explain_stretch(struct observer *obs, const struct sim_mark *m, sim_time_t from,
                            sim_time_t to, struct observe_breakdown *b)
{
    struct canvas c = { .obs = obs };
    bool ok = part_add(&c.pieces, NULL, NULL, from, to);

    if (ok)
        explain_head(&c, m, from, to);
    for (unsigned i = c.pieces.n; ok && !c.failed && i-- > 0;) {
        const struct observe_part *p = &c.pieces.parts[i];

        ok = part_add(b, p->stage, p->where, p->from, p->to);
    }
    observe_breakdown_fini(&c.pieces);
    return ok && !c.failed;
}

bool observe_wait(struct observer *obs, uint64_t id, sim_time_t from, struct observe_breakdown *b)
{
    struct mark_key key = key_of(obs, id);
    uint64_t at = find_key(&obs->by_queue, &key);
    sim_time_t to = mark_at(obs, id)->time;

    while (from < to) {
        const struct sim_mark *m = mark_at(obs, obs->by_queue.keys[at].id), *before = NULL;
        sim_time_t head = from;

        if (at > 0)
            before = mark_at(obs, obs->by_queue.keys[at - 1].id);
        if (before != NULL && before->where == m->where && before->queue == m->queue)
            head = sim_max(from, before->time);
        if (head < to && !explain_stretch(obs, m, head, to, b))
            return false;
        to = head;
        at--;
    }
    return true;
}
