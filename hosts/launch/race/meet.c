#include "hosts/launch/race/meet.h"
#include "hosts/launch/race/lent.h"
#include "hosts/launch/race/report/report.h"
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

/* Are the addresses of the one also some of the other one's? Puts are to the memory of the node, or
 * elsewhere. */
static bool share_memory(const struct race_transfer *x, const struct race_transfer *o)
{
    return o->only == x->only || o->only == RACE_ANY || x->only == RACE_ANY;
}

/* A lane of puts does one after the other. One-sided operations of one rank have no order. */
static bool may_race(const struct race *race, const struct race_transfer *x,
                     const struct race_transfer *o)
{
    const struct race_stream *a = x->stream, *b = o->stream;

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
                              .place = x->place,
                              .calls = x->calls };
}

/** The first row of `x` from `row` on with bytes of `other`, whose first one of these has the
 * offset *offset_p there. @return its number; count: there is none */
static uint64_t next_row(const struct race_transfer *x, uint64_t row, const struct host_rows *other,
                         uint64_t *offset_p)
{
    uintptr_t first = x->rows.at + x->rows.width;

    if (other->at >= race_rows_end(&x->rows))
        return x->rows.count;
    if (other->at >= first + row * x->rows.pitch) /* else it begins before the end of the row */
        row = (other->at - first) / x->rows.pitch + 1;
    for (; row < x->rows.count && use_of_row(x, row).at < race_rows_end(other); row++) {
        *offset_p = race_rows_overlap(other, use_of_row(x, row).at, x->rows.width);
        if (*offset_p != UINT64_MAX)
            return row;
    }
    return x->rows.count;
}

/** Rows of one loan are neighbours among those that are found. The first row of `x` that meets any
 * of them is reported. @return those of the next one */
static struct race_span *look_at_loan(struct race *race, unsigned rank, struct race_span *s,
                                      const struct race_transfer *x)
{
    const struct race_lent *l = SIM_CONTAINER_OF(s, struct race_lent_row, span)->lent;
    uint64_t first = x->rows.count, offset;

    for (; s != NULL; s = s->next) {
        const struct race_lent_row *row = SIM_CONTAINER_OF(s, struct race_lent_row, span);
        uint64_t i;

        if (row->lent != l)
            break;
        i = next_row(x, 0, &row->rows, &offset);
        first = i < first ? i : first;
    }
    if (first < x->rows.count && (l->writes || (x->writes && x->rank == rank))) {
        const struct race_use use = use_of_row(x, first);

        race_report_lent(race, &race->run->ranks[x->rank], &use, &race->run->ranks[rank], l);
    }
    return s;
}

/* Another rank may know that a send has been read, since it has received it. That a receive has
 * been written is known to its own rank alone. */
static void look_at_loans(struct race *race, unsigned index, const struct race_transfer *x)
{
    for (unsigned i = 0; i < race->run->nranks; i++) {
        const struct race_rank *r = &race->ranks[i];
        struct race_span *s;

        if (race->run->ranks[i].node != &race->run->nodes[index] || !race_concerns(race, r, x))
            continue;
        s = race_spans_find(&r->lent_rows, x->rows.at, race_rows_end(&x->rows));
        while (s != NULL)
            s = look_at_loan(race, i, s, x);
    }
}

/* The first row of `x` with bytes of `o` that are not known to have come. */
static void look_at_other(struct race *race, const struct race_transfer *x,
                          const struct race_transfer *o)
{
    uint64_t offset = 0, row = next_row(x, 0, &o->rows, &offset);

    while (row < x->rows.count && offset + x->rows.width <= o->come)
        row = next_row(x, row + 1, &o->rows, &offset);
    if (row < x->rows.count) {
        const struct race_use use = use_of_row(x, row);

        race_report_transfer(race, &race->run->ranks[x->rank], &use, o);
    }
}

void race_look_at_others(struct race *race, unsigned index, const struct race_transfer *x)
{
    struct race_span *s;

    if (!x->elsewhere)
        look_at_loans(race, index, x);
    s = race_spans_find(&race->nodes[index].used[x->elsewhere], x->rows.at,
                        race_rows_end(&x->rows));
    for (; s != NULL; s = s->next) {
        const struct race_transfer *o = SIM_CONTAINER_OF(s, struct race_transfer, span);

        if (may_race(race, x, o))
            look_at_other(race, x, o);
    }
}
