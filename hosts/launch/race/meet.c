#include "hosts/launch/race/meet.h"
#include "hosts/launch/race/lent.h"
#include "hosts/launch/race/report.h"
#include "hosts/launch/race/window.h"

/* Epochs of one window and two ranks, one of which excludes others, are one after the other. What
 * one rank does may be in one epoch; it knows that an earlier one is over. */
static bool lock_orders(const struct race_transfer *x, unsigned rank, uint32_t window,
                        enum host_lock lock)
{
    enum host_lock other = x->reach.lock;

    return x->rank != rank && x->reach.window == window && lock != HOST_UNLOCKED &&
           other != HOST_UNLOCKED && (lock == HOST_EXCLUSIVE || other == HOST_EXCLUSIVE);
}

/* An operation is held back at its target until its lock is granted, so it may come after all that
 * the rank does with a lock of its own. */
bool race_lock_orders(const struct race *race, const struct race_rank *r,
                      const struct race_transfer *x)
{
    const struct race_window *w = race_window_of(r, x->reach.window);

    return w != NULL && lock_orders(x, (unsigned)(r - race->ranks), w->number, w->lock);
}

/* Are the addresses of the one also some of the other one's? Puts are to the node's memory. */
static bool share_memory(const struct race_transfer *x, const struct race_transfer *o)
{
    return o->elsewhere == x->elsewhere &&
           (o->only == x->only || o->only == RACE_ANY || x->only == RACE_ANY);
}

/* A lane of puts does one after the other. One-sided operations of one rank have no order. */
static bool may_race(const struct race *race, const struct race_transfer *x,
                     const struct race_transfer *o)
{
    const struct race_stream *a = &race->streams[x->stream], *b = &race->streams[o->stream];

    return share_memory(x, o) && (o->writes || x->writes) &&
           !(x->only == RACE_ANY && a->node == b->node && a->lane == b->lane) &&
           !race_knows(&race->ranks[x->rank], o) && !(o->reach.atomic && x->reach.atomic) &&
           !lock_orders(o, x->rank, x->reach.window, x->reach.lock);
}

/** A row of the transfer, as a use by the rank that begins it. */
static struct race_use use_of_row(const struct race_transfer *x, uint64_t row)
{
    return (struct race_use){ .at = x->rows.at + row * x->rows.pitch,
                              .bytes = x->rows.width,
                              .access = x->writes ? HUB_STORES : HUB_LOADS,
                              .place = x->place };
}

static void look_at_lent(struct race *race, const struct launch_thread *lender,
                         const struct race_lent *l, const struct race_transfer *x)
{
    for (uint64_t i = 0; i < x->rows.count; i++) {
        const struct race_use use = use_of_row(x, i);

        if (race_lent_overlaps(l, use.at, use.bytes))
            race_report_lent(race, &race->run->ranks[x->rank], &use, lender, l);
    }
}

/* Another rank may know that a send has been read, since it has received it. That a receive has
 * been written is known to its own rank alone. */
static void look_at_loans(struct race *race, unsigned index, const struct race_transfer *x)
{
    const struct race_lent *l;

    for (unsigned i = 0; i < race->run->nranks; i++) {
        const struct race_rank *r = &race->ranks[i];

        if (race->run->ranks[i].node != &race->run->nodes[index] || !race_concerns(race, r, x))
            continue;
        for (l = TAILQ_FIRST(&r->lent); l != NULL; l = TAILQ_NEXT(l, in_rank))
            if (l->writes || (x->writes && x->rank == i))
                look_at_lent(race, &race->run->ranks[i], l, x);
    }
}

void race_look_at_others(struct race *race, unsigned index, const struct race_transfer *x)
{
    const struct race_transfer *o;
    uint64_t all = race_rows_end(&x->rows) - x->rows.at;

    if (!x->elsewhere)
        look_at_loans(race, index, x);
    for (o = TAILQ_FIRST(&race->nodes[index].transfers); o != NULL; o = TAILQ_NEXT(o, in_node)) {
        if (!may_race(race, x, o) || race_rows_overlap(&o->rows, x->rows.at, all) == UINT64_MAX)
            continue;
        for (uint64_t i = 0; i < x->rows.count; i++) {
            const struct race_use use = use_of_row(x, i);
            uint64_t offset = race_rows_overlap(&o->rows, use.at, use.bytes);

            if (offset != UINT64_MAX && offset + use.bytes > o->come)
                race_report_transfer(race, &race->run->ranks[x->rank], &use, o);
        }
    }
}
