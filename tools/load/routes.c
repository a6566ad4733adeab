/*
 * `routes:` which way each pair takes, and `slots:` the order of the window's parts.
 *
 *   routes: shortest                                 # what holds without the key
 *   routes: {one_way: e}                             # round a ring by one port
 *   routes: {dimensions: [[e, w], [a, b]]}           # along one axis, then along the next
 *   routes: {by_hand: {node0.hub.e: [1, 4-7], ...}}  # a port, and the nodes it leads to
 *   slots: ring                                      # or nodes, or a list of nodes
 *
 * Beside by_hand, `one_way`, `dimensions` or `others: shortest` say what holds where no line does.
 */
#include "tools/load/parts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- routes ----------------------------------------------------------------------- */

static bool hub_has_port(const struct load_machine *m, const char *name)
{
    for (unsigned node = 0; node < m->desc.nnodes; node++)
        for (unsigned i = 0; i < m->desc.nodes[node].ncomponents; i++) {
            const struct machine_component_desc *c = &m->desc.nodes[node].components[i];

            if (machine_is_router(c) && load_has_port(c, name))
                return true;
        }
    return false;
}

static bool has_cable(const struct load_machine *m, const char *port)
{
    for (unsigned i = 0; i < m->desc.ncables; i++)
        if (strcmp(m->desc.cables[i].port_a, port) == 0 ||
            strcmp(m->desc.cables[i].port_b, port) == 0)
            return true;
    return false;
}

static const char *read_port(struct load_machine *m, const struct load_tree *item)
{
    if (item->type != LOAD_SCALAR || !hub_has_port(m, item->text))
        load_fail(item, NULL, "expected a port of the hubs");
    if (!has_cable(m, item->text))
        load_fail(item, NULL, "expected a port with a cable: no hub has one at %s", item->text);
    return item->text;
}

/** A port, or a list of ports. */
static void read_dimension(struct load_machine *m, const struct load_tree *item,
                           struct machine_dimension *dimension)
{
    bool list = item->type == LOAD_LIST;
    unsigned n = list ? item->n : 1;
    const char **ports = load_alloc(&m->arena, (n + 1) * sizeof(*ports));

    for (unsigned i = 0; i < n; i++)
        ports[i] = read_port(m, list ? &item->items[i] : item);
    dimension->ports = ports;
}

static void read_dimensions(struct load_machine *m, const struct load_tree *item, bool list)
{
    struct machine_routing_desc *r = &m->desc.routing;
    unsigned n = list ? item->n : 1;
    struct machine_dimension *dimensions;

    if (list && (item->type != LOAD_LIST || n == 0))
        load_fail(item, NULL, "expected a list of lists of ports, [[e, w], [a, b]]");
    if (r->ndimensions != 0)
        load_fail(item, NULL, "expected one of one_way and dimensions");
    dimensions = load_alloc(&m->arena, n * sizeof(*dimensions));
    for (unsigned i = 0; i < n; i++)
        read_dimension(m, list ? &item->items[i] : item, &dimensions[i]);
    r->ndimensions = n;
    r->dimensions = dimensions;
}

/** "3" or "3-5" */
static void read_nodes(const struct load_machine *m, const struct load_tree *item,
                       unsigned *first_p, unsigned *last_p)
{
    char first[16] = "", last[16] = "", end;
    int n = item->type == LOAD_SCALAR ? sscanf(item->text, "%15[0-9]-%15[0-9]%c", first, last, &end)
                                      : 0;
    uint64_t from, to;

    if (n == 1 && item->text[strlen(first)] == '\0')
        memcpy(last, first, sizeof(last));
    if (n < 1 || n > 2 || !load_number(first, false, &from) || !load_number(last, false, &to) ||
        from > to || to >= m->desc.nnodes)
        load_fail(item, NULL, "expected nodes, 0 .. %u, as 3, 0-2 or [3, 5-7]", m->desc.nnodes - 1);
    *first_p = (unsigned)from;
    *last_p = (unsigned)to;
}

/** The hands of one port. */
static void read_hand(struct load_machine *m, const struct load_tree *item,
                      struct machine_hand_desc *hand)
{
    bool list = item->type == LOAD_LIST;
    struct load_end end = load_end_text(m, item, item->key, -1);

    if (!machine_is_router(end.component))
        load_fail(item, NULL, "expected the port of a hub");
    if (list && item->n == 0)
        load_fail(item, NULL, "expected a node, as 3, 0-2 or [3, 5-7]");
    if (!load_has_port(end.component, end.port))
        load_fail(item, NULL, "expected the port %s", load_list_ports(m, end.component));
    for (unsigned i = 0; i < (list ? item->n : 1); i++) {
        hand[i] = (struct machine_hand_desc){ .node = end.node,
                                              .component = end.component->name,
                                              .port = end.port,
                                              .file = item->file,
                                              .line = item->line };
        read_nodes(m, list ? &item->items[i] : item, &hand[i].first, &hand[i].last);
    }
}

static void read_by_hand(struct load_machine *m, const struct load_tree *map)
{
    struct machine_hand_desc *hand;
    unsigned n = 0;

    if (map->type != LOAD_MAP || map->n == 0)
        load_fail(map, NULL,
                  "expected ports and the nodes they lead to, node0.hub.e: "
                  "[1, 4-7]");
    for (unsigned i = 0; i < map->n; i++)
        n += map->items[i].type == LOAD_LIST ? map->items[i].n : 1;
    hand = load_alloc(&m->arena, (n + 1) * sizeof(*hand));
    m->desc.routing.hand = hand;
    m->desc.routing.nhand = n;
    for (unsigned i = 0; i < map->n; i++) {
        read_hand(m, &map->items[i], hand);
        hand += map->items[i].type == LOAD_LIST ? map->items[i].n : 1;
    }
}

static bool is_shortest(const struct load_tree *item)
{
    return item->type == LOAD_SCALAR && strcmp(item->text, "shortest") == 0;
}

/** What messages about routes point at: the first of these keys that the file has. */
static void place_messages(struct load_machine *m, const struct load_tree *root)
{
    static const char *const keys[] = { "routes", "slots", "edges", "cables", NULL };
    const struct load_tree *at = NULL;

    for (unsigned i = 0; keys[i] != NULL && at == NULL; i++)
        at = load_tree_get(root, keys[i]);
    if (at == NULL)
        at = root;
    m->desc.routing.file = at->file;
    m->desc.routing.line = at->line;
}

void load_routes_read(struct load_machine *m, const struct load_tree *root)
{
    static const char *const keys[] = { "one_way", "dimensions", "by_hand", "others", NULL };
    const struct load_tree *map = load_tree_get(root, "routes");
    const struct load_tree *one_way, *dimensions, *by_hand, *others;

    place_messages(m, root);
    if (map == NULL || is_shortest(map))
        return;
    if (map->type != LOAD_MAP)
        load_fail(map, NULL,
                  "expected shortest, {one_way: PORT}, {dimensions: [...]} or "
                  "{by_hand: {...}}");
    load_tree_only(map, keys);
    one_way = load_tree_get(map, "one_way");
    dimensions = load_tree_get(map, "dimensions");
    by_hand = load_tree_get(map, "by_hand");
    others = load_tree_get(map, "others");
    if (others != NULL && !is_shortest(others))
        load_fail(others, NULL, "expected shortest");
    if (one_way != NULL)
        read_dimensions(m, one_way, false);
    if (dimensions != NULL)
        read_dimensions(m, dimensions, true);
    if (by_hand != NULL)
        read_by_hand(m, by_hand);
    m->desc.routing.by_hand = by_hand != NULL && others == NULL && m->desc.routing.ndimensions == 0;
}

/* ---- slots ------------------------------------------------------------------------- */

/** The node at the other end of the cable at this port of a hub of `node`; `node`: none. */
static unsigned node_over(const struct load_machine *m, unsigned node, const char *port)
{
    for (unsigned i = 0; i < m->desc.ncables; i++) {
        const struct machine_link_desc *l = &m->desc.cables[i];

        if (l->node_a == node && strcmp(l->port_a, port) == 0)
            return l->node_b;
        if (l->node_b == node && strcmp(l->port_b, port) == 0)
            return l->node_a;
    }
    return node;
}

/** The first port, in the order of its hub's kind, with a cable; NULL: none. */
static const char *first_port(const struct load_machine *m, unsigned node)
{
    const struct machine_node_desc *nd = &m->desc.nodes[node];

    for (unsigned i = 0; i < nd->ncomponents; i++) {
        const char *const *ports = nd->components[i].kind->ports;

        for (unsigned p = 0; machine_is_router(&nd->components[i]) && ports[p] != NULL; p++)
            if (node_over(m, node, ports[p]) != node)
                return ports[p];
    }
    return NULL;
}

/**
 * From the lowest node on, by the same port again and again; then from the lowest one left.
 * @param port NULL: the first one of each node that it begins with
 * @return how many ranges of parts a port along these rows may take: one for each row. A ring of
 * more than three nodes adds one, since what lies ahead then ends within its row.
 */
static unsigned order_along(struct load_machine *m, const char *port, unsigned *order)
{
    bool *seen = load_alloc(&m->arena, m->desc.nnodes * sizeof(*seen)), wraps = false;
    unsigned n = 0, rows = 0;

    for (unsigned start = 0; start < m->desc.nnodes; start++) {
        const char *by = port != NULL ? port : first_port(m, start);
        unsigned at = start, first = n;

        while (!seen[at]) {
            seen[at] = true;
            order[n++] = at;
            at = by != NULL ? node_over(m, at, by) : at;
        }
        rows += n > first;
        wraps |= at == start && n - first > 3;
    }
    return rows + wraps;
}

/** The least number of pairs of registers that a port of a hub has; UINT_MAX: no kind counts. */
static unsigned least_pairs(const struct load_machine *m)
{
    unsigned least = UINT_MAX;

    for (unsigned node = 0; node < m->desc.nnodes; node++)
        for (unsigned k = 0; k < load_count_routers(m, node); k++) {
            const struct machine_value *pairs =
                machine_value_find(load_router_end(m, node, k).component, "route_pairs");

            if (pairs != NULL && pairs->value < least)
                least = (unsigned)pairs->value;
        }
    return least;
}

/** Along rows, whatever the routes are. Where packets follow dimensions and the rows are too many
 * for a hub's registers, along the last dimension. Ports of earlier dimensions then lead to parts
 * side by side, and ports of the last one to nodes of one column alone. */
static void order_by_ring(struct load_machine *m, unsigned *order)
{
    const struct machine_routing_desc *r = &m->desc.routing;

    if (order_along(m, NULL, order) > least_pairs(m) && r->ndimensions > 1)
        (void)order_along(m, r->dimensions[r->ndimensions - 1].ports[0], order);
}

static void read_order(struct load_machine *m, const struct load_tree *list, unsigned *order)
{
    const struct load_tree **seen = load_alloc(&m->arena, m->desc.nnodes * sizeof(*seen));

    if (list->type != LOAD_LIST || list->n != m->desc.nnodes)
        load_fail(list, NULL, "expected ring, nodes, or a list of all %u nodes", m->desc.nnodes);
    for (unsigned i = 0; i < list->n; i++) {
        const struct load_tree *item = &list->items[i];
        uint64_t node;

        if (item->type != LOAD_SCALAR || !load_number(item->text, false, &node) ||
            node >= m->desc.nnodes)
            load_fail(item, NULL, "expected a node, 0 .. %u", m->desc.nnodes - 1);
        if (seen[node] != NULL)
            load_fail(item, NULL, "expected each node once; it is also in line %u",
                      seen[node]->line);
        seen[node] = item;
        order[i] = (unsigned)node;
    }
}

void load_slots_read(struct load_machine *m, const struct load_tree *root)
{
    const struct load_tree *slots = load_tree_get(root, "slots");
    unsigned *order = load_alloc(&m->arena, m->desc.nnodes * sizeof(*order));
    const char *word = slots == NULL ? "ring" : slots->type == LOAD_SCALAR ? slots->text : "";

    if (strcmp(word, "nodes") == 0)
        return;
    m->desc.slot_order = order;
    if (strcmp(word, "ring") == 0)
        order_by_ring(m, order);
    else
        read_order(m, slots, order);
}
