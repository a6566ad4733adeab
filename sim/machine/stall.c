/* Why a machine deadlocks: packets that cannot go on, each waiting for a buffer of the next. */
#include "machine/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX 4096u
#define NONE       UINT32_MAX

struct block {
    struct machine_block is; /* with port "" where it ends */
    const struct component *component;
    unsigned next; /* what it waits for, or NONE */
    bool awaited, reported;
};

struct report {
    const struct machine *m;
    const struct component *component; /* that is asked */
    struct block *blocks;
    unsigned n, lines, max;
    machine_line_fn fn;
    void *arg;
};

static void add_block(void *arg, const struct machine_block *b)
{
    struct report *r = arg;
    struct block block = { .is = *b, .component = r->component, .next = NONE };

    if (b->port == NULL)
        block.is.port = "";
    if (r->n < BLOCKS_MAX)
        r->blocks[r->n++] = block;
}

/* ---- what waits for what ------------------------------------------------------------ */

struct far_end {
    const struct component *component;
    const char *port;
};

static struct far_end far_end_in(const struct machine *m, const struct machine_link_desc *links,
                                 unsigned n, const struct block *b)
{
    for (unsigned i = 0; i < n; i++) {
        const struct machine_link_desc *l = &links[i];
        char end = machine_link_end(l, b->component->node, b->component->desc->name, b->is.port);

        if (end == 'a')
            return (struct far_end){ machine_find(m, l->node_b, l->component_b), l->port_b };
        if (end == 'b')
            return (struct far_end){ machine_find(m, l->node_a, l->component_a), l->port_a };
    }
    return (struct far_end){ NULL, NULL };
}

/** The other end of the link at the port by which the packet is to leave. */
static struct far_end far_end(const struct machine *m, const struct block *b)
{
    const struct machine_node_desc *node = &m->desc->nodes[b->component->node];
    struct far_end end = far_end_in(m, node->links, node->nlinks, b);

    return end.component != NULL ? end : far_end_in(m, m->desc->cables, m->desc->ncables, b);
}

static void find_next(struct report *r, struct block *b)
{
    struct far_end end = far_end(r->m, b);

    for (unsigned i = 0; end.component != NULL && i < r->n && b->next == NONE; i++)
        if (r->blocks[i].component == end.component && r->blocks[i].is.stands == b->is.leaves &&
            strcmp(r->blocks[i].is.where, end.port) == 0) {
            b->next = i;
            r->blocks[i].awaited = true;
        }
}

/* ---- words ---------------------------------------------------------------------------- */

static void print_line(struct report *r, const char *text)
{
    if (r->lines++ < r->max)
        r->fn(r->arg, text);
}

/** The hub that has part `slot` in the sub-cluster of the block's hub. */
static const char *target_path(const struct report *r, const struct block *b)
{
    const struct machine_routes *own = b->component->routes;

    for (unsigned i = 0; own != NULL && i < r->m->ncomponents; i++) {
        const struct component *c = &r->m->components[i];

        if (c->routes != NULL && c->routes->subcluster == own->subcluster &&
            c->routes->slot == b->is.slot)
            return c->path;
    }
    return NULL;
}

static void report_block(struct report *r, struct block *b, bool again)
{
    struct far_end end = far_end(r->m, b);
    const char *to = target_path(r, b);
    char text[800], way[2 * PATH_BYTES + 64] = "";

    b->reported = true;
    if (end.component != NULL)
        (void)snprintf(way, sizeof(way), " of the link %s.%s -> %s.%s", b->component->path,
                       b->is.port, end.component->path, end.port);
    else if (b->is.port[0] != '\0')
        (void)snprintf(way, sizeof(way), " of %s.%s", b->component->path, b->is.port);
    (void)snprintf(text, sizeof(text), "%s.%s: %s%s%s%s waits for %s%s%s", b->component->path,
                   b->is.where, b->awaited ? "full, first " : "", b->is.what,
                   to != NULL ? " for " : "", to != NULL ? to : "",
                   b->is.lacks != NULL ? b->is.lacks : "its turn", way,
                   again ? ": a circle, each waits for the next for ever" : "");
    print_line(r, text);
}

/** From `at` along what each waits for, up to what was reported before. */
static void report_chain(struct report *r, unsigned at)
{
    unsigned first = at;

    for (; at != NONE && !r->blocks[at].reported; at = r->blocks[at].next) {
        unsigned next = r->blocks[at].next;
        bool closes = false;

        /* Reported in this chain: the one behind `next`, from `first` on. */
        for (unsigned k = first; next != NONE && r->blocks[next].reported && k != at && !closes;
             k = r->blocks[k].next)
            closes = k == next;
        report_block(r, &r->blocks[at], closes || next == at);
    }
}

/** Asks all components, and joins what waits to what it waits for. @return false: no memory */
static bool survey(struct report *r)
{
    r->blocks = calloc(BLOCKS_MAX, sizeof(*r->blocks));
    if (r->blocks == NULL)
        return false;
    for (unsigned i = 0; i < r->m->ncomponents; i++) {
        r->component = &r->m->components[i];
        if (r->component->desc->kind->blocked != NULL)
            r->component->desc->kind->blocked(r->component->it, add_block, r);
    }
    for (unsigned i = 0; i < r->n; i++)
        find_next(r, &r->blocks[i]);
    return true;
}

unsigned machine_stall_report(const struct machine *m, unsigned max, machine_line_fn fn, void *arg)
{
    struct report r = { .m = m, .max = max, .fn = fn, .arg = arg };

    if (!survey(&r))
        return 0;
    for (unsigned i = 0; i < r.n; i++)
        if (!r.blocks[i].awaited)
            report_chain(&r, i);
    for (unsigned i = 0; i < r.n; i++) /* circles that nothing else leads to */
        report_chain(&r, i);
    free(r.blocks);
    return r.n;
}

/* ---- the circle alone ------------------------------------------------------------------ */

/** The first block, in the order of components, from which the chain leads back to itself. */
static unsigned find_circle(const struct report *r)
{
    for (unsigned i = 0; i < r->n; i++) {
        unsigned at = r->blocks[i].next, steps = 0;

        while (at != NONE && at != i && steps++ < r->n)
            at = r->blocks[at].next;
        if (at == i)
            return i;
    }
    return NONE;
}

static size_t put_link(char *text, size_t size, size_t used, const struct block *b)
{
    if (used >= size)
        return used;
    return used + (size_t)snprintf(text + used, size - used, "%s%s.%s", used != 0 ? " -> " : "",
                                   b->component->path, b->is.port);
}

bool machine_stall_circle(const struct machine *m, char *text, size_t size)
{
    struct report r = { .m = m };
    unsigned first, at;
    size_t used = 0;

    if (!survey(&r))
        return false;
    first = at = find_circle(&r);
    if (first != NONE) {
        do {
            used = put_link(text, size, used, &r.blocks[at]);
            at = r.blocks[at].next;
        } while (at != first);
        (void)put_link(text, size, used, &r.blocks[first]);
    }
    free(r.blocks);
    return first != NONE;
}
