/*
 * Memory that was freed: what transfers still did there, and who uses it later. Where it lies is
 * known by address, so a name of it that was kept means what is there when memory is given again.
 */
#include "hosts/launch/race/internal.h"

#include <stdlib.h>

void race_freed_add(struct race *race, struct launch_thread *t, const struct race_use *u)
{
    struct race_node *node = race_node_of(race, t);
    struct race_freed *f = malloc(sizeof(*f));

    SIM_ASSERT(f != NULL);
    *f = (struct race_freed){ .at = u->at,
                              .bytes = u->bytes,
                              .bus = u->bus,
                              .rank = t->host.rank,
                              .place = u->place,
                              .since = sim_now(t->dom) };
    TAILQ_INSERT_TAIL(&node->freed, f, in_node);
    node->changed = true;
    race_settle(race);
}

/** Its bytes [from, to), before `f` in the list. */
static void keep_part(struct race_freed *f, uint64_t from, uint64_t to)
{
    struct race_freed *part;

    if (from >= to)
        return;
    part = malloc(sizeof(*part));
    SIM_ASSERT(part != NULL);
    *part = *f;
    part->at += from;
    part->bytes = to - from;
    part->bus += from;
    TAILQ_INSERT_BEFORE(f, part, in_node);
}

static void drop(struct race_node *node, struct race_freed *f)
{
    TAILQ_REMOVE(&node->freed, f, in_node);
    free(f);
}

/** It begins at `at`; what of it lies in [low, end) is no longer freed. */
static void cut(struct race_node *node, struct race_freed *f, uint64_t at, uint64_t low,
                uint64_t end)
{
    if (at >= end || low >= at + f->bytes)
        return;
    keep_part(f, 0, low > at ? low - at : 0);
    keep_part(f, end - at, f->bytes);
    drop(node, f);
    node->changed = true;
}

void race_op_given(struct host *h, const void *p, uint64_t bytes)
{
    struct race *race = race_of(h);
    struct race_node *node = race_node_of(race, launch_thread_of(h));
    struct race_freed *f = TAILQ_FIRST(&node->freed);

    while (f != NULL) {
        struct race_freed *next = TAILQ_NEXT(f, in_node);

        cut(node, f, f->at, (uintptr_t)p, (uintptr_t)p + bytes);
        f = next;
    }
    race_settle(race);
}

/* Pages of a BAR have other memory than before, which may have its old place in the process. */
void race_op_pinned(struct host *h, uint64_t bus, uint64_t bytes)
{
    struct race *race = race_of(h);
    struct race_node *node = race_node_of(race, launch_thread_of(h));
    struct race_freed *f = TAILQ_FIRST(&node->freed);

    while (f != NULL) {
        struct race_freed *next = TAILQ_NEXT(f, in_node);

        cut(node, f, f->bus, bus, bus + bytes);
        f = next;
    }
    race_settle(race);
}

void race_freed_look_at(struct race *race, struct launch_thread *t, const struct race_use *u)
{
    const struct race_freed *f;

    for (f = TAILQ_FIRST(&race_node_of(race, t)->freed); f != NULL; f = TAILQ_NEXT(f, in_node))
        if (u->at < f->at + f->bytes && f->at < u->at + u->bytes)
            race_report_freed(race, t, u, f);
}

/** One that is about to begin; its rows have bus addresses of the node. */
void race_freed_look_at_put(struct race *race, unsigned index, const struct race_transfer *x)
{
    const struct host_rows *rows = &x->rows;
    struct race_use use = { .bytes = rows->width * rows->count,
                            .access = x->writes ? HUB_STORES : HUB_LOADS,
                            .verb = x->writes ? "writes" : "reads",
                            .place = x->place };
    const struct race_freed *f;

    for (f = TAILQ_FIRST(&race->nodes[index].freed); f != NULL; f = TAILQ_NEXT(f, in_node)) {
        uint64_t first = race_rows_overlap(rows, f->bus, f->bytes);

        if (first == UINT64_MAX)
            continue;
        first = rows->at + first / rows->width * rows->pitch + first % rows->width;
        use.at = f->at + (first - f->bus);
        race_report_freed(race, &race->run->ranks[x->rank], &use, f);
    }
}

void race_freed_fini(struct race_node *node)
{
    struct race_freed *f = TAILQ_FIRST(&node->freed);

    while (f != NULL) {
        struct race_freed *next = TAILQ_NEXT(f, in_node);

        free(f);
        f = next;
    }
    TAILQ_INIT(&node->freed);
}
