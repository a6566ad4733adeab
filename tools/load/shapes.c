/*
 * Machines by the name of their shape: `torus: [4, 3]` instead of `nodes:` and a list of cables. A
 * shape is an edge list that is not written out, so it means what that list would.
 *
 *   ring: 8            E of each node to W of the next one
 *   chain: 8           the same, open
 *   dual-ring: 8       two rings of half as many, node k and node k + 4 joined by S
 *   torus: [4, 3]      node 4 y + x lies at (x, y): rows by E and W, columns by A and B, row first
 *   mesh: [4, 3]       the same, open
 *   star: 6            node 0 and five others
 *   tree: [2, 3]       each node has 2 below it, and there are 3 levels
 */
#include "tools/load/parts.h"

#include <stdio.h>
#include <string.h>

#define ROOM (LOAD_NODES_MAX * 2 * 16) /* a line is "255.e 254.w\n" */

/** A shape as far as it is drawn. */
struct drawing {
    struct load_machine *m;
    unsigned a, b; /* its numbers; b 0: it has one */
    unsigned nodes;
    unsigned ports; /* that each hub needs */
    bool by_dimension;
    char *text;
    size_t used;
};

static void cable(struct drawing *d, unsigned from, const char *from_port, unsigned to,
                  const char *to_port)
{
    const char *line = load_text(&d->m->arena, "%u%s %u%s\n", from, from_port, to, to_port);
    size_t n = strlen(line);

    SIM_ASSERT(d->used + n < ROOM);
    memcpy(d->text + d->used, line, n + 1);
    d->used += n;
}

/** E of each node to W of the next one, from `first` on. */
static void row(struct drawing *d, unsigned first, unsigned n, bool closed)
{
    for (unsigned i = 0; i + 1 < n || (closed && i < n); i++)
        cable(d, first + i, ".e", first + (i + 1) % n, ".w");
}

static void grid(struct drawing *d, bool closed)
{
    d->nodes = d->a * d->b;
    d->ports = 6;
    d->by_dimension = true;
    for (unsigned y = 0; y < d->b; y++)
        row(d, y * d->a, d->a, closed);
    /* Columns side by side, as they are written by hand. */
    for (unsigned i = 0; i + d->a < d->nodes; i++)
        cable(d, i, ".a", i + d->a, ".b");
    for (unsigned x = 0; closed && x < d->a; x++)
        cable(d, d->nodes - d->a + x, ".a", x, ".b");
}

static void draw_ring(struct drawing *d)
{
    d->nodes = d->a;
    row(d, 0, d->a, true);
}

static void draw_chain(struct drawing *d)
{
    d->nodes = d->a;
    row(d, 0, d->a, false);
}

static void draw_dual_ring(struct drawing *d)
{
    unsigned half = d->a / 2;

    d->nodes = d->a;
    row(d, 0, half, true);
    row(d, half, half, true);
    for (unsigned i = 0; i < half; i++)
        cable(d, i, ".s", half + i, ".s");
}

static void draw_torus(struct drawing *d)
{
    grid(d, true);
}

static void draw_mesh(struct drawing *d)
{
    grid(d, false);
}

static void draw_star(struct drawing *d)
{
    d->nodes = d->ports = d->a; /* one of them leads to the host */
    for (unsigned i = 1; i < d->a; i++)
        cable(d, 0, "", i, "");
}

static void draw_tree(struct drawing *d)
{
    unsigned width = 1;

    d->ports = d->a + 2; /* host, above, below */
    for (unsigned level = 0; level < d->b; level++, width *= d->a)
        d->nodes += width;
    for (unsigned i = 1; i < d->nodes && d->nodes <= LOAD_NODES_MAX; i++)
        cable(d, (i - 1) / d->a, "", i, "");
}

static const struct shape {
    const char *key;
    unsigned least[2], most[2]; /* of its numbers; most[1] 0: it has one */
    unsigned divisor;           /* that the first one has */
    void (*draw)(struct drawing *d);
} shapes[] = {
    { "ring", { 2 }, { LOAD_NODES_MAX }, 1, draw_ring },
    { "chain", { 2 }, { LOAD_NODES_MAX }, 1, draw_chain },
    { "dual-ring", { 4 }, { LOAD_NODES_MAX }, 2, draw_dual_ring },
    { "torus", { 2, 2 }, { LOAD_NODES_MAX / 2, LOAD_NODES_MAX / 2 }, 1, draw_torus },
    { "mesh", { 2, 2 }, { LOAD_NODES_MAX / 2, LOAD_NODES_MAX / 2 }, 1, draw_mesh },
    { "star", { 2 }, { 6 }, 1, draw_star },
    { "tree", { 1, 2 }, { 4, 10 }, 1, draw_tree },
    { NULL, { 0 }, { 0 }, 0, NULL },
};

static unsigned read_number(const struct load_tree *at, const struct shape *s, unsigned i)
{
    uint64_t n;

    if (at->type != LOAD_SCALAR || !load_number(at->text, false, &n) || n < s->least[i] ||
        (n > s->most[i] && s->most[i] < LOAD_NODES_MAX))
        load_fail(at, s->key, "expected a whole number, %u .. %u", s->least[i], s->most[i]);
    if (n > LOAD_NODES_MAX)
        load_refuse_nodes(at, n);
    return (unsigned)n;
}

static struct drawing draw(struct load_machine *m, const struct shape *s,
                           const struct load_tree *at)
{
    bool two = s->most[1] != 0;
    struct drawing d = { .m = m, .text = load_alloc(&m->arena, ROOM) };

    if (two && (at->type != LOAD_LIST || at->n != 2))
        load_fail(at, NULL, "expected two numbers, %s: [4, 3]", s->key);
    d.a = read_number(two ? &at->items[0] : at, s, 0);
    d.b = two ? read_number(&at->items[1], s, 1) : 0;
    if (d.a % s->divisor != 0)
        load_fail(at, NULL, "expected a multiple of %u", s->divisor);
    if ((uint64_t)d.a * d.b > LOAD_NODES_MAX && s->divisor == 1 && s->draw != draw_tree)
        load_refuse_nodes(at, (uint64_t)d.a * d.b);
    s->draw(&d);
    if (d.nodes > LOAD_NODES_MAX)
        load_refuse_nodes(at, d.nodes);
    return d;
}

static struct load_tree item(const struct load_tree *at, const char *key, const char *text)
{
    struct load_tree made = { .type = LOAD_SCALAR, .file = at->file, .line = at->line };

    made.column = at->column;
    made.key = key;
    made.text = text;
    return made;
}

/* {dimensions: [[e, w], [a, b]]} */
static struct load_tree row_first(struct load_machine *m, const struct load_tree *at)
{
    static const char *const ports[] = { "e", "w", "a", "b" };
    struct load_tree *both = load_alloc(&m->arena, 2 * sizeof(*both));
    struct load_tree *map = load_alloc(&m->arena, sizeof(*map));
    struct load_tree routes = item(at, "routes", NULL);

    for (unsigned i = 0; i < 2; i++) {
        both[i] = item(at, NULL, NULL);
        both[i].type = LOAD_LIST;
        both[i].n = 2;
        both[i].items = load_alloc(&m->arena, 2 * sizeof(*both));
        for (unsigned k = 0; k < 2; k++)
            both[i].items[k] = item(at, NULL, ports[2 * i + k]);
    }
    *map = item(at, "dimensions", NULL);
    map->type = LOAD_LIST;
    map->n = 2;
    map->items = both;
    routes.type = LOAD_MAP;
    routes.n = 1;
    routes.items = map;
    return routes;
}

static const struct shape *find_shape(const struct load_tree *root, const struct load_tree **at_p)
{
    const struct shape *found = NULL;

    for (const struct shape *s = shapes; s->key != NULL; s++) {
        const struct load_tree *at = load_tree_get(root, s->key);

        if (at == NULL)
            continue;
        if (found != NULL)
            load_fail(at, NULL, "expected one shape, and %s: is there", found->key);
        found = s;
        *at_p = at;
    }
    return found;
}

void load_shape_fail(const struct load_tree *root)
{
    char names[128] = "";
    size_t n = 0;

    for (const struct shape *s = shapes; s->key != NULL; s++)
        n += (size_t)snprintf(names + n, sizeof(names) - n, ", %s", s->key);
    load_fail(root, NULL, "expected the key nodes, or one of a shape: %s", names + 2);
}

/** Keys such as `edges: {length_mm: 500}` may stand beside a shape; its list of cables may not. */
static void take_item(struct load_machine *m, const struct shape *s, const struct load_tree *given,
                      struct load_tree *root)
{
    bool edges = strcmp(given->key, "edges") == 0;

    if (strcmp(given->key, "nodes") == 0 || (edges && given->type != LOAD_MAP))
        load_fail(given, NULL, "expected no %s beside %s:, which says it", given->key, s->key);
    for (unsigned i = 0; edges && i < given->n; i++) {
        struct load_tree *own = &root->items[root->n++];

        *own = given->items[i];
        own->key = load_text(&m->arena, "edges.%s", own->key);
    }
    if (!edges)
        root->items[root->n++] = *given;
}

const struct load_tree *load_shape_expand(struct load_machine *m, const struct load_tree *root)
{
    const struct load_tree *at;
    const struct shape *s = find_shape(root, &at);
    const struct load_tree *edges = load_tree_get(root, "edges");
    unsigned own = edges != NULL ? edges->n : 0;
    struct load_tree *made;
    struct drawing d;

    if (s == NULL)
        return root;
    d = draw(m, s, at);
    made = load_alloc(&m->arena, sizeof(*made));
    *made = *root;
    made->items = load_alloc(&m->arena, (root->n + own + 2) * sizeof(*made->items));
    made->n = 0;
    for (unsigned i = 0; i < root->n; i++)
        if (&root->items[i] != at)
            take_item(m, s, &root->items[i], made);
    made->items[made->n++] = item(at, "nodes", load_text(&m->arena, "%u", d.nodes));
    made->items[made->n++] = item(at, "edges", d.text);
    if (d.by_dimension && load_tree_get(root, "routes") == NULL)
        made->items[made->n++] = row_first(m, at);
    m->shape_at = at;
    m->shape_ports = d.ports;
    return made;
}

static void give(const struct load_tree *at, struct machine_value *v, uint64_t value)
{
    v->value = value;
    v->file = at->file;
    v->line = at->line;
}

static void give_ports(struct load_machine *m, const struct load_end *end)
{
    struct machine_value *ports = machine_value_find(end->component, "ports");

    if (ports == NULL || ports->value >= m->shape_ports)
        return;
    if (m->shape_ports > ports->param->max)
        load_fail(m->shape_at, NULL, "its hubs need %u ports: node%u.%s has %llu at most",
                  m->shape_ports, end->node, end->component->name,
                  (unsigned long long)ports->param->max);
    give(m->shape_at, ports, m->shape_ports);
}

void load_shape_values(struct load_machine *m, struct machine_value *window_parts)
{
    uint64_t parts = window_parts->value;

    if (m->shape_at == NULL)
        return;
    for (unsigned i = 0; i < m->desc.nnodes; i++)
        for (unsigned k = 0; k < load_count_routers(m, i); k++) {
            struct load_end end = load_router_end(m, i, k);

            give_ports(m, &end);
        }
    while (parts < m->desc.nnodes)
        parts *= 2;
    if (window_parts->file == NULL && parts != window_parts->value)
        give(m->shape_at, window_parts, parts);
}
