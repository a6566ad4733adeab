#include "hosts/launch/race/lent.h"
#include "hosts/launch/race/learn.h"
#include "hosts/launch/race/memory.h"
#include "hosts/launch/race/need.h"

#include <search.h>
#include <stdlib.h>

/** Who may take memory back, while there is such memory: a request of MPI, or a window. */
struct race_holder {
    const void *key;
    TAILQ_HEAD(, race_lent) owned, grouped;
};

static int compare_holders(const void *a, const void *b)
{
    const struct race_holder *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

static struct race_holder *find_holder(const struct race_rank *r, const void *key)
{
    const struct race_holder like = { .key = key };
    struct race_holder *const *found = tfind(&like, &r->holders, compare_holders);

    return found != NULL ? *found : NULL;
}

static struct race_holder *holder_of(struct race_rank *r, const void *key)
{
    struct race_holder *holder = find_holder(r, key);

    if (holder != NULL)
        return holder;
    holder = race_need(malloc(sizeof(*holder)));
    holder->key = key;
    TAILQ_INIT(&holder->owned);
    TAILQ_INIT(&holder->grouped);
    race_tree_add(&r->holders, holder, compare_holders);
    return holder;
}

static void drop_empty(struct race_rank *r, struct race_holder *holder)
{
    if (!TAILQ_EMPTY(&holder->owned) || !TAILQ_EMPTY(&holder->grouped))
        return;
    (void)tdelete(holder, &r->holders, compare_holders);
    free(holder);
}

static void set_owner(struct race_rank *r, struct race_lent *l, const void *owner)
{
    l->owner = holder_of(r, owner);
    TAILQ_INSERT_TAIL(&l->owner->owned, l, in_owner);
}

static void leave_owner(struct race_rank *r, struct race_lent *l)
{
    TAILQ_REMOVE(&l->owner->owned, l, in_owner);
    drop_empty(r, l->owner);
}

static struct race_lent *lent_create(struct race_rank *r, const struct race_lent *l,
                                     const void *owner, const void *group)
{
    struct race_holder *of_owner = holder_of(r, owner);
    struct race_holder *of_group = group != NULL ? holder_of(r, group) : NULL;
    struct race_lent *made = race_need(malloc(sizeof(*made)));

    *made = *l;
    SLIST_INIT(&made->rows);
    TAILQ_INSERT_TAIL(&r->lent, made, in_rank);
    made->owner = of_owner;
    TAILQ_INSERT_TAIL(&of_owner->owned, made, in_owner);
    made->group = of_group;
    if (of_group != NULL)
        TAILQ_INSERT_TAIL(&of_group->grouped, made, in_group);
    return made;
}

static void lent_free(struct race_rank *r, struct race_lent *l)
{
    struct race_lent_row *row = SLIST_FIRST(&l->rows);

    while (row != NULL) {
        struct race_lent_row *next = SLIST_NEXT(row, in_lent);

        race_spans_remove(&r->lent_rows, &row->span);
        free(row);
        row = next;
    }
    TAILQ_REMOVE(&r->lent, l, in_rank);
    leave_owner(r, l);
    if (l->group != NULL) {
        TAILQ_REMOVE(&l->group->grouped, l, in_group);
        drop_empty(r, l->group);
    }
    free(l);
}

void race_lent_fini(struct race_rank *r)
{
    struct race_lent *l = TAILQ_FIRST(&r->lent);

    while (l != NULL) {
        struct race_lent *next = TAILQ_NEXT(l, in_rank);

        lent_free(r, l);
        l = next;
    }
}

static void lent_add(struct race_rank *r, struct race_lent *l, const struct host_rows *rows)
{
    struct race_lent_row *row = race_need(malloc(sizeof(*row)));

    row->rows = *rows;
    row->lent = l;
    SLIST_INSERT_HEAD(&l->rows, row, in_lent);
    race_spans_add(&r->lent_rows, &row->span, rows->at, race_rows_end(rows));
}

static bool is_of(const struct race_lent *l, const void *owner, const void *group)
{
    return l->owner->key == owner && (l->group != NULL ? l->group->key : NULL) == group;
}

void race_op_lend(struct host *h, const void *owner, const void *group, struct host_rows rows,
                  bool writes, struct host_place place)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race_rank *r = race_rank_of(race_of(h), t);
    struct race_lent *l = TAILQ_LAST(&r->lent, race_loans);
    const struct race_lent one = { .heard = r->heard,
                                   .writes = writes,
                                   .place = place,
                                   .calls = *race_calls(race_of(h), t, place),
                                   .since = sim_now(t->dom) };

    if (rows.count == 0 || rows.width == 0)
        return;
    if (l == NULL || !is_of(l, owner, group) || l->writes != writes ||
        l->place.number != place.number)
        l = lent_create(r, &one, owner, group);
    lent_add(r, l, &rows);
    race_range_add(&r->range, rows.at, race_rows_end(&rows));
}

void race_op_take_back(struct host *h, const void *owner)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race_rank *r = race_rank_of(race_of(h), t);
    const struct race_holder *holder;
    bool any = false;

    /* The last one takes its holder with it. */
    while ((holder = find_holder(r, owner)) != NULL) {
        lent_free(r, TAILQ_EMPTY(&holder->owned) ? TAILQ_FIRST(&holder->grouped)
                                                 : TAILQ_FIRST(&holder->owned));
        any = true;
    }
    if (any)
        race_rank_range(race_of(h), r, race_node_of(race_of(h), t));
}

/* What was lent before the rank has heard of others waits for that in the hands of the rank. */
void race_op_let_go(struct host *h, const void *owner)
{
    struct race_rank *r = race_rank_of(race_of(h), launch_thread_of(h));
    const struct race_holder *holder = find_holder(r, owner);
    struct race_lent *l = holder != NULL ? TAILQ_FIRST(&holder->owned) : NULL;

    while (l != NULL) {
        struct race_lent *next = TAILQ_NEXT(l, in_owner);

        if (l->heard == r->heard) {
            leave_owner(r, l);
            set_owner(r, l, &r->heard);
        }
        l = next;
    }
    race_op_take_back(h, owner);
}

void race_lent_heard(struct host *h)
{
    struct race_rank *r = race_rank_of(race_of(h), launch_thread_of(h));

    r->heard++;
    race_op_take_back(h, &r->heard);
}
