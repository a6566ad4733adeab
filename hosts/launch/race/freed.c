/*
 * Memory that was freed: what transfers still did there, and who uses it later. Where it lies is
 * known by bus address, so a name of it that was kept means what is there when memory is given
 * again. A node keeps such ranges in a tree. They do not overlap, and for the tree two ranges are
 * equal when they do.
 */
#define _GNU_SOURCE /* tdestroy */
#include "hosts/launch/race/freed.h"
#include "hosts/launch/race/learn.h"
#include "hosts/launch/race/memory.h"
#include "hosts/launch/race/need.h"
#include "hosts/launch/race/report/report.h"

#include <search.h>
#include <stdlib.h>

static int compare_freed(const void *a, const void *b)
{
    const struct race_freed *x = a, *y = b;

    return (x->bus >= y->bus + y->bytes) - (y->bus >= x->bus + x->bytes);
}

/** The first one that has bytes of [bus, end), or NULL. */
static struct race_freed *first_freed(const struct race_node *node, uint64_t bus, uint64_t end)
{
    struct race_freed *first = NULL;

    while (bus < end) {
        const struct race_freed key = { .bus = bus, .bytes = end - bus };
        struct race_freed *const *found = tfind(&key, &node->freed, compare_freed);

        if (found == NULL)
            break;
        first = *found;
        end = first->bus;
    }
    return first;
}

static void insert(struct race_node *node, struct race_freed freed)
{
    struct race_freed *f = race_need(malloc(sizeof(*f)));

    *f = freed;
    race_tree_add(&node->freed, f, compare_freed);
}

static void keep_part(struct race_node *node, struct race_freed f, uint64_t from, uint64_t to)
{
    if (from >= to)
        return;
    f.at += from - f.bus;
    f.bus = from;
    f.bytes = to - from;
    insert(node, f);
}

static void cut(struct race_node *node, uint64_t bus, uint64_t end)
{
    struct race_freed *f;

    while ((f = first_freed(node, bus, end)) != NULL) {
        const struct race_freed all = *f;

        (void)tdelete(f, &node->freed, compare_freed);
        free(f);
        keep_part(node, all, all.bus, bus);
        keep_part(node, all, end, all.bus + all.bytes);
    }
}

void race_op_given(struct host *h, uint64_t bus, uint64_t bytes)
{
    cut(race_node_of(race_of(h), launch_thread_of(h)), bus, bus + bytes);
}

static void add_range(struct race *race, struct race_node *node, const struct race_use *u)
{
    race_range_add(&node->freed_range, u->at, u->at + u->bytes);
    race_range_grow(race, (unsigned)(node - race->nodes), RACE_ANY, u->at, u->at + u->bytes);
}

void race_freed_add(struct race *race, struct launch_thread *t, const struct race_use *u)
{
    struct race_node *node = race_node_of(race, t);

    cut(node, u->bus, u->bus + u->bytes);
    insert(node, (struct race_freed){ .at = u->at,
                                      .bytes = u->bytes,
                                      .bus = u->bus,
                                      .rank = t->host.rank,
                                      .place = u->place,
                                      .calls = *race_calls(race, t, u->place),
                                      .since = sim_now(t->dom) });
    if (mem_ram_holds(t->node->ram, u->bus, u->bytes))
        add_range(race, node, u);
}

void race_freed_look_at(struct race *race, struct launch_thread *t, const struct race_use *u)
{
    const struct race_node *node = race_node_of(race, t);
    const struct mem_ram *ram = t->node->ram;
    uint64_t bus = u->at - (uintptr_t)ram->bytes + ram->base, end = bus + u->bytes;
    const struct race_freed *f;

    if (node->freed == NULL || !mem_ram_holds(ram, bus, u->bytes))
        return;
    for (; (f = first_freed(node, bus, end)) != NULL; bus = f->bus + f->bytes)
        race_report_freed(race, t, u, f);
}

/** A row of a transfer that `u` stands for. */
static void look_at_row(struct race *race, struct launch_thread *t, const struct race_node *node,
                        struct race_use u, uint64_t bus, uint64_t end)
{
    const struct race_freed *f;

    for (; (f = first_freed(node, bus, end)) != NULL; bus = f->bus + f->bytes) {
        u.at = f->at + (bus > f->bus ? bus - f->bus : 0);
        race_report_freed(race, t, &u, f);
    }
}

/* The node need not be that of the rank that runs. While the check is on no node is ahead of
 * another one (race_create()), and one thread runs them all: what the node has freed is what it has
 * freed by now. */
void race_freed_look_at_put(struct race *race, unsigned index, const struct race_transfer *x)
{
    const struct race_node *node = &race->nodes[index];
    const struct host_rows *rows = &x->rows;
    const struct race_use use = { .bytes = rows->width * rows->count,
                                  .access = x->writes ? HUB_STORES : HUB_LOADS,
                                  .verb = x->writes ? "writes" : "reads",
                                  .place = x->place,
                                  .calls = x->calls };

    if (first_freed(node, rows->at, race_rows_end(rows)) == NULL)
        return;
    for (uint64_t i = 0; i < rows->count; i++) {
        uint64_t bus = rows->at + i * rows->pitch;

        look_at_row(race, &race->run->ranks[x->rank], node, use, bus, bus + rows->width);
    }
}

void race_freed_fini(struct race_node *node)
{
    tdestroy(node->freed, free);
}
