#include "hosts/launch/race/lent.h"
#include "hosts/launch/race/learn.h"
#include "hosts/launch/race/memory.h"

#include <stdlib.h>

static struct race_lent *lent_create(struct race_rank *r, const struct race_lent *l)
{
    struct race_lent *made = malloc(sizeof(*made));

    SIM_ASSERT(made != NULL);
    *made = *l;
    made->ordered = true;
    TAILQ_INSERT_TAIL(&r->lent, made, in_rank);
    return made;
}

void race_lent_free(struct race_rank *r, struct race_lent *l)
{
    TAILQ_REMOVE(&r->lent, l, in_rank);
    free(l->rows);
    free(l);
}

static void lent_add(struct race_lent *l, const struct host_rows *rows)
{
    if (l->n == l->room) {
        l->room = l->room == 0 ? 1 : 2 * l->room;
        l->rows = realloc(l->rows, l->room * sizeof(*l->rows));
        SIM_ASSERT(l->rows != NULL);
    }
    l->ordered &= rows->at >= l->range.low + l->range.bytes;
    l->rows[l->n++] = *rows;
    race_range_add(&l->range, rows->at, race_rows_end(rows));
}

void race_op_lend(struct host *h, const void *owner, const void *group, struct host_rows rows,
                  bool writes, struct host_place place)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race_rank *r = race_rank_of(race_of(h), t);
    struct race_lent *l = TAILQ_LAST(&r->lent, race_loans);
    const struct race_lent one = { .owner = owner,
                                   .group = group,
                                   .heard = r->heard,
                                   .writes = writes,
                                   .place = place,
                                   .since = sim_now(t->dom) };

    if (rows.count == 0 || rows.width == 0)
        return;
    if (l == NULL || l->owner != owner || l->group != group || l->writes != writes ||
        l->place.from != place.from || l->since != one.since)
        l = lent_create(r, &one);
    lent_add(l, &rows);
    race_range_add(&r->range, rows.at, race_rows_end(&rows));
}

void race_op_take_back(struct host *h, const void *owner)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race_rank *r = race_rank_of(race_of(h), t);
    struct race_lent *l = TAILQ_FIRST(&r->lent);
    bool any = false;

    while (l != NULL) {
        struct race_lent *next = TAILQ_NEXT(l, in_rank);

        if (l->owner == owner || l->group == owner) {
            race_lent_free(r, l);
            any = true;
        }
        l = next;
    }
    if (any)
        race_rank_range(race_of(h), r, race_node_of(race_of(h), t));
}

void race_op_let_go(struct host *h, const void *owner)
{
    struct race_rank *r = race_rank_of(race_of(h), launch_thread_of(h));
    struct race_lent *l;

    for (l = TAILQ_FIRST(&r->lent); l != NULL; l = TAILQ_NEXT(l, in_rank))
        if (l->owner == owner && l->heard == r->heard)
            l->owner = &r->heard;
    race_op_take_back(h, owner);
}

void race_lent_heard(struct host *h)
{
    struct race_rank *r = race_rank_of(race_of(h), launch_thread_of(h));

    r->heard++;
    race_op_take_back(h, &r->heard);
}

/* The first rows that end above an address; rows are in order. */
static unsigned lent_first(const struct race_lent *l, uintptr_t at)
{
    unsigned low = 0, high = l->n;

    while (low < high) {
        unsigned middle = low + (high - low) / 2;

        if (race_rows_end(&l->rows[middle]) > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool race_lent_overlaps(const struct race_lent *l, uintptr_t at, uint64_t bytes)
{
    uintptr_t end = at + bytes;

    if (at >= l->range.low + l->range.bytes || end <= l->range.low)
        return false;
    for (unsigned i = l->ordered ? lent_first(l, at) : 0; i < l->n; i++) {
        if (l->ordered && l->rows[i].at >= end)
            return false;
        if (race_rows_overlap(&l->rows[i], at, bytes) != UINT64_MAX)
            return true;
    }
    return false;
}
