/*
 * What held a packet in a queue. The queue is first in, first out: up to the
 * time when the packet before it left, a packet waited for what held that one.
 * Of the head's time,
 *
 *   - while a hold lies on the queue or on where it goes to, that is the reason: missing
 *     credits, a full replay buffer;
 *   - where there is no room in the port that it goes to, what held that port's queue;
 *   - while others are on the way out that it wants, the arbiter or the bus: the link,
 *     where the queue is a port's own;
 *   - what is left is the queue's own stage.
 */
#include "observe/internal.h"

#include "pcie/tlp/tlp.h" /* PCIE_POSTED */

#include <stdlib.h>

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

/* A mark to be sorted: what decides first stands in it. */
struct sort_key {
    uintptr_t where;
    uint64_t queue; /* 0 where queues do not count */
    sim_time_t time;
    uint64_t id;
};

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_keys(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    int c = compare(x->where, y->where);

    c = c != 0 ? c : compare(x->queue, y->queue);
    c = c != 0 ? c : compare(x->time, y->time);
    return c != 0 ? c : compare(x->id, y->id);
}

static int compare_holds(const void *a, const void *b)
{
    const struct sim_hold *x = a, *y = b;
    int c = compare((uintptr_t)x->where, (uintptr_t)y->where);

    c = c != 0 ? c : compare(x->queue, y->queue);
    return c != 0 ? c : compare(x->from, y->from);
}

static struct sort_key key_of(const struct observer *obs, uint64_t id, bool queues)
{
    const struct sim_mark *m = mark_at(obs, id);

    return (struct sort_key){ (uintptr_t)m->where, queues ? m->queue : 0, m->time, id };
}

static bool sort(const struct observer *obs, struct id_list *list, bool queues)
{
    struct sort_key *keys = malloc((list->n + 1) * sizeof(*keys));

    if (keys == NULL)
        return false;
    for (uint64_t i = 0; i < list->n; i++)
        keys[i] = key_of(obs, list->ids[i], queues);
    qsort(keys, list->n, sizeof(*keys), compare_keys);
    for (uint64_t i = 0; i < list->n; i++)
        list->ids[i] = keys[i].id;
    free(keys);
    return true;
}

bool observe_index(struct observer *obs)
{
    if (obs->indexed == obs->n && obs->indexed_holds == obs->nholds)
        return true;
    for (uint64_t id = obs->indexed + 1; id <= obs->n; id++) {
        const struct sim_mark *m = mark_at(obs, id);

        if (m->stage->use != SIM_STAGE_QUEUE && m->stage->use != SIM_STAGE_LINK)
            continue;
        if (!id_list_add(&obs->by_queue, id) || !id_list_add(&obs->by_where, id))
            return false;
        if (m->until > m->time)
            obs->longest = later(obs->longest, m->until - m->time);
    }
    obs->indexed = obs->n;
    obs->indexed_holds = obs->nholds;
    if (obs->nholds != 0)
        qsort(obs->holds, obs->nholds, sizeof(*obs->holds), compare_holds);
    return sort(obs, &obs->by_queue, true) && sort(obs, &obs->by_where, false);
}

/** Place of the first mark that is not before `key`. */
static uint64_t find(const struct observer *obs, const struct id_list *list, bool queues,
                     const struct sort_key *key)
{
    uint64_t low = 0, high = list->n;

    while (low < high) {
        uint64_t mid = (low + high) / 2;
        struct sort_key k = key_of(obs, list->ids[mid], queues);

        if (compare_keys(&k, key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/** Place of the first hold of a queue. */
static uint64_t find_holds(const struct observer *obs, const char *where, uint32_t queue)
{
    const struct sim_hold key = { .where = where, .queue = queue };
    uint64_t low = 0, high = obs->nholds;

    while (low < high) {
        uint64_t mid = (low + high) / 2;

        if (compare_holds(&obs->holds[mid], &key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* ---- painting ----------------------------------------------------------------- */

/** A stretch of time in pieces; those without a stage are not explained yet. */
struct canvas {
    struct observer *obs;
    struct observe_breakdown pieces; /* in order of time */
    bool failed;
};

static void paint_piece(struct canvas *c, unsigned i, const struct sim_stage *stage,
                        const char *where, sim_time_t from, sim_time_t to)
{
    struct observe_part old = c->pieces.parts[i];
    struct observe_part cut[3];
    unsigned n = 0;

    if (from > old.from)
        cut[n++] = (struct observe_part){ NULL, NULL, NULL, old.from, from };
    cut[n++] = (struct observe_part){ stage, NULL, where, from, to };
    if (to < old.to)
        cut[n++] = (struct observe_part){ NULL, NULL, NULL, to, old.to };
    for (unsigned k = 1; k < n; k++) {
        if (!part_add(&c->pieces, NULL, NULL, 0, 0)) {
            c->failed = true;
            return;
        }
    }
    for (unsigned k = c->pieces.n; k-- > i + n;)
        c->pieces.parts[k] = c->pieces.parts[k - (n - 1)];
    for (unsigned k = 0; k < n; k++)
        c->pieces.parts[i + k] = cut[k];
}

/** Gives what is not explained of [from, to) a stage. */
static void paint(struct canvas *c, const struct sim_stage *stage, const char *where,
                  sim_time_t from, sim_time_t to)
{
    for (unsigned i = 0; i < c->pieces.n && !c->failed; i++) {
        const struct observe_part *p = &c->pieces.parts[i];
        sim_time_t first = later(p->from, from), end = earlier(p->to, to);

        if (p->stage == NULL && first < end)
            paint_piece(c, i, stage, where, first, end);
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
            paint(c, h->stage, where, later(h->from, from), earlier(h->to, to));
    }
}

/** While others of this place are on the way out that `m` wants. */
static void paint_others(struct canvas *c, const struct sim_mark *m, const char *where,
                         sim_time_t from, sim_time_t to)
{
    const struct observer *obs = c->obs;
    sim_time_t back = from > obs->longest ? from - obs->longest : 0;
    const struct sort_key key = { (uintptr_t)where, 0, back, 0 };

    for (uint64_t i = find(obs, &obs->by_where, false, &key); i < obs->by_where.n; i++) {
        const struct sim_mark *o = mark_at(obs, obs->by_where.ids[i]);
        const struct sim_stage *why = o->stage;

        if (o->where != where || o->time >= to)
            return;
        if (o->stage->use == SIM_STAGE_QUEUE) { /* a crossbar, not a link */
            if (o->toward != m->toward && o->queue != m->queue)
                continue;
            why = o->queue == m->queue ? &bus : &arbiter;
        }
        if (o->until > from)
            paint(c, why, where, later(o->time, from), earlier(o->until, to));
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
    paint(c, &dllp, port, from, to);
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
        paint_port(c, m, m->toward, queue % PCIE_CLASSES, later(h->from, from), earlier(h->to, to));
    }
}

/** What follows the end of a hold or of another's way directly, up to the grant. */
static void paint_edge(struct canvas *c, const struct sim_mark *m)
{
    unsigned last = c->pieces.n - 1;
    const struct observe_part *p = &c->pieces.parts[last];

    if (last > 0 && p->stage == NULL && p->to == m->time)
        paint(c, &clock_edge, m->where, p->from, p->to);
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
    paint(c, m->stage, m->where, from, to);
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
    struct sort_key key = key_of(obs, id, true);
    uint64_t at = find(obs, &obs->by_queue, true, &key);
    sim_time_t to = mark_at(obs, id)->time;

    while (from < to) {
        const struct sim_mark *m = mark_at(obs, obs->by_queue.ids[at]), *before = NULL;
        sim_time_t head = from;

        if (at > 0)
            before = mark_at(obs, obs->by_queue.ids[at - 1]);
        if (before != NULL && before->where == m->where && before->queue == m->queue)
            head = later(from, before->time);
        if (head < to && !explain_stretch(obs, m, head, to, b))
            return false;
        to = head;
        at--;
    }
    return true;
}
