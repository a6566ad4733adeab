#include "torture.h"

#include <string.h>

enum {
    PAGE = 4096,
    LARGEST = 400 * 1024, /* the most that one put moves */
    BUDGET = 300 * 1024,  /* what a rank's puts move in a phase, before restarts */
    BUDGET_SMALL = 4096,
    WINDOWS = 12, /* where puts of a channel may write, and write over */
    ROWS_MAX = 48,
};

struct window {
    int dst;
    enum buffer to;
    size_t off, length;
};

struct maker { /* what makes one channel's script */
    struct torture *t;
    struct random *r;
    int src;
    size_t *budget;          /* the rank's */
    size_t (*used)[BUFFERS]; /* bytes of each rank's destinations */
    int style;               /* how partners are chosen */
    int slot;                /* -1: any */
    int placement;           /* where descriptors are; -1: mixed */
    struct window window[WINDOWS];
    int nwindows;
};

int plan_tag(const struct torture *t, int index)
{
    unsigned number = (unsigned)(t->phase * TAGS + index + 1); /* never a multiple of 2^16 */

    return (int)(number * 25173u & 0xffffu);
}

static size_t some_shift(struct random *r, enum buffer b)
{
    switch (b == PIO_BUF ? 1 : random_below(r, 5)) { /* marks are 8 aligned bytes */
    case 0:
        return 0;
    case 1:
        return 8 * random_below(r, 600);
    case 2:
        return 16 * random_below(r, 600);
    case 3:
        return 4 * random_below(r, 1200);
    default:
        return random_below(r, 5000);
    }
}

void plan_shifts(struct torture *t, struct random *r)
{
    for (int rank = 0; rank < t->ranks; rank++)
        for (enum buffer b = 0; b < BUFFERS; b++)
            t->shift[rank][b] = some_shift(r, b);
}

static int some_rank(const struct maker *m)
{
    int n = m->t->ranks;

    switch (m->style) {
    case 0:
        return (m->src + 1) % n;
    case 1:
        return random_one_in(m->r, 3) ? (int)random_below(m->r, (size_t)n) : 0;
    case 2:
        return random_one_in(m->r, 3) ? (int)random_below(m->r, (size_t)n) : m->src;
    default:
        return (int)random_below(m->r, (size_t)n);
    }
}

static int some_placement(struct random *r, enum family family)
{
    static const int placements[] = { 0, tcaDMAUseInternal,
                                      tcaDMAUseInternal | tcaDMAUseNotifyInternal };

    if (family == FAMILY_TABLE) /* tables lie in host memory */
        return 0;
    return placements[family == FAMILY_INTERNAL ? 1 + random_below(r, 2) : random_below(r, 3)];
}

/** Size and rows; the pitches differ by multiples of 16. */
static void shape(struct maker *m, struct put *p)
{
    struct random *r = m->r;
    size_t left = *m->budget < 256 ? 64 : *m->budget / 4;

    p->rows = random_one_in(r, 3);
    if (m->t->plan.family == FAMILY_TABLE) /* which only has a 2-D call */
        p->rows = true;
    if (!p->rows) {
        size_t most = random_one_in(r, 12) ? LARGEST / 4 : left;

        p->width = 4 * random_scale(r, 1, most < LARGEST / 4 ? most : LARGEST / 4);
        p->count = 1;
        return;
    }
    p->width = 4 * random_scale(r, 1, left / 64 + 1);
    p->count = 1 + random_below(r, ROWS_MAX);
    p->src_pitch = p->width + random_below(r, random_one_in(r, 2) ? 3 : 300);
    if (random_one_in(r, 4)) /* rows stand a page apart */
        p->src_pitch = (p->width + PAGE - 1) / PAGE * PAGE;
    p->dst_pitch = p->src_pitch;
    if (m->t->plan.family == FAMILY_DESC && random_one_in(r, 2)) {
        p->dst_pitch = p->width + (p->src_pitch - p->width) % 16 + 16 * random_below(r, 20);
    }
}

static size_t extent(size_t pitch, const struct put *p)
{
    return (p->count - 1) * pitch + p->width;
}

/** A place of n bytes that no other channel writes to, or one that this channel wrote to before. */
static bool place(struct maker *m, struct put *p, bool over)
{
    size_t n = extent(p->dst_pitch, p), *used = &m->used[p->dst][p->to];
    size_t shift = m->t->shift[p->dst][p->to];
    struct window *w;
    size_t off;

    for (int i = 0; i < m->nwindows; i++) {
        w = &m->window[i];
        if (w->dst == p->dst && w->to == p->to && w->length >= n && over &&
            random_one_in(m->r, 2)) {
            p->dst_off = w->off + random_below(m->r, w->length - n + 1);
            return true;
        }
    }
    off = *used + (random_one_in(m->r, 3) ? 0 : random_below(m->r, 64));
    if (random_one_in(m->r, 3)) { /* across, up to or from a page's border */
        size_t border = (shift + off + PAGE - 1) / PAGE * PAGE - shift;
        size_t back = 4 * random_below(m->r, 5);

        off = border >= off + back ? border - back : border;
    }
    if (m->nwindows == WINDOWS || off + n > memory_length(p->to))
        return false;
    m->window[m->nwindows++] = (struct window){ p->dst, p->to, off, n };
    *used = off + n;
    p->dst_off = off;
    return true;
}

/** A source whose address has the low four bits of the destination's. */
static bool find_source(struct maker *m, struct put *p)
{
    size_t n = extent(p->src_pitch, p), shift = m->t->shift[m->src][p->from];
    size_t low = (m->t->shift[p->dst][p->to] + p->dst_off - shift) % 16;
    size_t room = memory_length(p->from), lines;

    if (low + n > room)
        return false;
    lines = (room - low - n) / 16;
    p->src_off = low + 16 * random_below(m->r, lines + 1);
    if (random_one_in(m->r, 4)) { /* about a page's border */
        size_t at = (shift + p->src_off) / PAGE * PAGE + PAGE + low - 16 * random_below(m->r, 3);

        at -= (at - shift - low) % 16;
        if (at >= shift && at - shift + n <= room)
            p->src_off = at - shift;
    }
    return true;
}

static void notify(struct maker *m, struct put *p)
{
    p->slot = m->slot >= 0 ? m->slot : (int)random_below(m->r, SLOTS);
    p->tag = (int)random_below(m->r, TAGS);
    p->flags = m->placement >= 0 ? m->placement : some_placement(m->r, m->t->plan.family);
    if (random_one_in(m->r, 3))
        p->flags |= tcaDMAPipeline;
    if (random_one_in(m->r, 2))
        p->flags |= tcaDMANotify;
    if (random_one_in(m->r, 2) && !(p->dst == m->src && (p->flags & tcaDMANotify)))
        p->flags |= tcaDMANotifySelf; /* both on an own-node copy: how many come is not specified */
}

static bool make_put(struct maker *m, struct put *p)
{
    memset(p, 0, sizeof(*p));
    p->dst = some_rank(m);
    p->from = random_one_in(m->r, 2) ? SRC_GPU : SRC_CPU;
    p->to = random_one_in(m->r, 2) ? DST_GPU : DST_CPU;
    shape(m, p);
    notify(m, p);
    if (!place(m, p, true) || !find_source(m, p))
        return false;
    *m->budget -= *m->budget < p->width * p->count ? *m->budget : p->width * p->count;
    return true;
}

/*
 * A copy within the node and a put of what it brought: the second one must not begin before the
 * first one has ended, so no put of the list is pipelined. No other put writes between them.
 */
static void make_relay(struct maker *m, struct list *list)
{
    struct put *first = &list->put[list->n], *second = first + 1;

    memset(first, 0, 2 * sizeof(*first));
    first->dst = m->src;
    first->from = random_one_in(m->r, 2) ? SRC_GPU : SRC_CPU;
    first->to = random_one_in(m->r, 2) ? DST_GPU : DST_CPU;
    first->width = 4 * random_scale(m->r, 1, 2000);
    first->count = 1;
    notify(m, first);
    if (!place(m, first, false) || !find_source(m, first))
        return;
    m->nwindows--;
    *second = *first;
    second->dst = some_rank(m);
    second->to = random_one_in(m->r, 2) ? DST_GPU : DST_CPU;
    second->from = first->to;
    second->src_off = first->dst_off;
    second->relay = true;
    second->origin = first->from;
    second->origin_off = first->src_off;
    notify(m, second);
    second->width += 16; /* to align it in */
    if (!place(m, second, false))
        return;
    m->nwindows--;
    second->width -= 16;
    second->dst_off += (m->t->shift[m->src][second->from] + second->src_off -
                        m->t->shift[second->dst][second->to] - second->dst_off) %
                       16;
    list->n += 2;
    for (int i = 0; i < list->n; i++)
        list->put[i].flags &= ~tcaDMAPipeline;
}

static void make_lists(struct maker *m, struct script *s)
{
    for (int l = 0; l < LISTS; l++) {
        int wanted = 1 + (int)random_below(m->r, PUTS);

        for (int i = 0; i < wanted; i++)
            if (make_put(m, &s->list[l].put[s->list[l].n]))
                s->list[l].n++;
        if (m->t->plan.family == FAMILY_DESC && s->list[l].n <= PUTS - 2 && random_one_in(m->r, 3))
            make_relay(m, &s->list[l]);
    }
}

static void make_runs(struct random *r, struct script *s, enum family family)
{
    int wanted = 1 + (int)random_below(r, RUNS), done[LISTS] = { 0 };

    for (int i = 0; i < wanted; i++) {
        struct run *run = &s->run[s->nruns];
        int n;

        run->list = (int)random_below(r, LISTS);
        n = s->list[run->list].n;
        if (n == 0)
            continue;
        run->upto = done[run->list] < n && (done[run->list] == 0 || random_one_in(r, 2))
                        ? done[run->list] + 1 + (int)random_below(r, (size_t)(n - done[run->list]))
                        : done[run->list];
        if (family != FAMILY_DESC) /* their last descriptor is the one without Continue */
            run->upto = n;
        done[run->list] = run->upto;
        run->starts = random_one_in(r, 3) ? 1 + (int)random_below(r, 3) : 1;
        run->wait = (enum wait)random_below(r, 3);
        s->nruns++;
    }
}

/* The last put to each rank notifies it, so that its coming proves all others'. */
static void make_proofs(struct script *s, int src)
{
    bool proved[RANKS_MAX] = { false };

    for (int i = s->nruns; i-- > 0;) {
        const struct run *run = &s->run[i];

        for (int k = run->upto; k-- > 0;) {
            struct put *p = &s->list[run->list].put[k];

            if (proved[p->dst])
                continue;
            proved[p->dst] = true;
            p->tag %= TAGS_SURE;
            p->flags |= tcaDMANotify;
            if (p->dst == src)
                p->flags &= ~tcaDMANotifySelf;
        }
    }
    for (int i = 0; i < s->nruns; i++) {
        struct run *run = &s->run[i];
        const struct put *last = &s->list[run->list].put[run->upto - 1];

        if (run->wait == WAIT_SELF &&
            ((last->flags & tcaDMANotifySelf) == 0 || last->tag >= TAGS_SURE))
            run->wait = WAIT_NOT;
    }
}

static void make_pio(const struct torture *t, struct random *r, int src, struct pio *pio)
{
    size_t at, n;

    pio->dst = -1;
    if (t->ranks == 1 || random_one_in(r, 3))
        return;
    pio->dst = (src + 1 + (int)random_below(r, (size_t)t->ranks - 1)) % t->ranks;
    pio->region = random_one_in(r, 2) ? PIO_SECTION : 64;
    pio->ncalls = 1 + (int)random_below(r, PIO_CALLS);
    for (int i = 0; i < pio->ncalls; i++) {
        struct pio_call *call = &pio->call[i];

        call->n = random_scale(r, 1, 600);
        call->off = random_below(r, PIO_SECTION - call->n);
        call->commit = true; /* between calls only a commit gives an order */
        if (i > 0 && (call->off >= pio->call[i - 1].off + pio->call[i - 1].n ||
                      call->off + call->n <= pio->call[i - 1].off))
            call->commit = !pio->call[i - 1].commit;
    }
    n = 8 + random_scale(r, 1, 1000);
    at = random_below(r, PIO_SECTION - n - 8);
    at += 8 - (at + n) % 8; /* the mark is aligned */
    pio->call[pio->ncalls - 1] = (struct pio_call){ at, n, true };
}

static void make_rank(struct torture *t, struct random *r, int src, size_t used[][BUFFERS])
{
    size_t budget = random_one_in(r, 3) ? BUDGET_SMALL : BUDGET;
    int style = (int)random_below(r, 5);
    bool one_slot = random_one_in(r, 3), mixed = random_one_in(r, 3);
    int slot = one_slot ? (int)random_below(r, SLOTS) : -1;

    for (int ch = 0; ch < CHANNELS; ch++) {
        struct script *s = &t->plan.script[src][ch];
        struct maker m = { .t = t,
                           .r = r,
                           .src = src,
                           .budget = &budget,
                           .used = used,
                           .style = style,
                           .slot = slot,
                           .nwindows = 0 };

        m.placement = mixed ? -1 : some_placement(r, t->plan.family);
        if (random_one_in(r, 4))
            continue;
        make_lists(&m, s);
        make_runs(r, s, t->plan.family);
        make_proofs(s, src);
    }
    make_pio(t, r, src, &t->plan.pio[src]);
}

void plan_make(struct torture *t)
{
    struct random r = random_key(t->seed, (uint64_t)t->phase, 1);
    size_t used[RANKS_MAX][BUFFERS] = { { 0 } };
    int first = (int)random_below(&r, (size_t)t->ranks);

    memset(&t->plan, 0, sizeof(t->plan));
    if (random_one_in(&r, 6))
        t->plan.family = random_one_in(&r, 2) ? FAMILY_TABLE : FAMILY_INTERNAL;
    t->plan.restarts = random_one_in(&r, 3) ? 1 + (int)random_below(&r, 2) : 0;
    for (int i = 0; i < t->ranks; i++) /* the first finds most room */
        make_rank(t, &r, (first + i) % t->ranks, used);
}

static void walk_run(struct torture *t, int src, int ch, const struct run *run, plan_fn fn,
                     void *arg)
{
    const struct list *list = &t->plan.script[src][ch].list[run->list];

    for (int i = 0; i < run->upto; i++)
        fn(t, src, ch, &list->put[i], arg);
}

void plan_walk(struct torture *t, plan_fn fn, void *arg)
{
    for (int src = 0; src < t->ranks; src++) {
        for (int ch = 0; ch < CHANNELS; ch++) {
            const struct script *s = &t->plan.script[src][ch];

            for (int i = t->round == 0 ? 0 : s->nruns - 1; i < s->nruns && i >= 0; i++)
                for (int k = 0; k < (t->round == 0 ? s->run[i].starts : 1); k++)
                    walk_run(t, src, ch, &s->run[i], fn, arg);
        }
    }
}
