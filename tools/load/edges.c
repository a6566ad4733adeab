/*
 * Cables as an edge list: `edges:` holds a line for each cable, or names a file of such lines.
 *
 *   0 1          # node 0 to node 1, by the first ports that fit
 *   0 2 1500     # 1500 mm long
 *   0.a 4.b      # by these ports
 *   0.hub1 1.hub1.w  # between these hubs, where a node has several
 *
 * Where nodes have several hubs, a line that names none is a cable for each: from the first one to
 * the first one, from the second one to the second one.
 *
 * A line without ports takes, of the hubs' ports in their order, the first free pair of an
 * endpoint and a root, else the first free ones; two ends of one role become endpoint and root.
 */
#include "tools/load/file.h"
#include "tools/load/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 4u
#define FILE_MAX  (1u << 20)

/* ---- text ---------------------------------------------------------------------- */

/** The words of a line, up to a comment. @return how many, WORDS_MAX: too many */
static unsigned split_words(struct load_machine *m, const char *line, const char **words)
{
    unsigned n = 0;

    for (;;) {
        size_t length;

        line += strspn(line, " \t\r");
        length = strcspn(line, " \t\r#");
        if (length == 0 || n == WORDS_MAX)
            return n;
        words[n++] = load_text(&m->arena, "%.*s", (int)length, line);
        line += length;
    }
}

/** "3", "3.a", "3.hub1" or "3.hub1.a"; the component is NULL where no hub is named. How many ports
 * the hub has may still be set, so plug_edge() looks for the port. */
static struct load_end read_end(struct load_machine *m, const struct load_tree *at,
                                const char *word)
{
    size_t n = strcspn(word, "."), hub;
    const char *rest = word[n] != '\0' ? word + n + 1 : NULL;
    struct load_end end = { .port = rest };
    const struct machine_component_desc *c;
    uint64_t node;

    if (!load_number(load_text(&m->arena, "%.*s", (int)n, word), false, &node) ||
        node >= m->desc.nnodes)
        load_fail(at, NULL, "%s: expected a node, 0 .. %u, or a node and a port, 0.e", word,
                  m->desc.nnodes - 1);
    end.node = (unsigned)node;
    if (rest == NULL)
        return end;
    hub = strcspn(rest, ".");
    c = load_component(m, end.node, load_text(&m->arena, "%.*s", (int)hub, rest));
    if (c != NULL && machine_is_router(c)) {
        end.component = c;
        end.port = rest[hub] != '\0' ? rest + hub + 1 : NULL;
    }
    return end;
}

static void add_edge(struct load_machine *m, const struct load_tree *at, const struct load_end *a,
                     const struct load_end *b, const uint64_t *length_mm)
{
    struct machine_link_desc *link = &m->desc.cables[m->desc.ncables];

    *link = load_link_between(a, b, at);
    m->edges[m->nedges++] = (struct load_edge){ at, m->desc.ncables, m->ngroups };
    load_length_add(m, load_text(&m->arena, "cable%u", m->desc.ncables),
                    length_mm != NULL ? at : NULL, length_mm != NULL ? *length_mm : 0,
                    &link->length_mm);
    m->desc.ncables++;
}

/** How many hubs a line may mean at this end. */
static unsigned count_hubs(const struct load_machine *m, const struct load_tree *at,
                           const struct load_end *end)
{
    unsigned n = end->component != NULL ? 1 : load_count_routers(m, end->node);

    if (n == 0)
        load_fail(at, NULL, "node%u has no hub: expected a node with one", end->node);
    return n;
}

/** A cable for each hub of a node, or for the one that is named. */
static void add_edges(struct load_machine *m, const struct load_tree *at, const struct load_end *a,
                      const struct load_end *b, const uint64_t *length_mm)
{
    unsigned n = count_hubs(m, at, a), of_b = count_hubs(m, at, b);

    if (n != of_b)
        load_fail(at, NULL, "hubs of node%u: %u, of node%u: %u: expected the hub, as %u.%s",
                  a->node, n, b->node, of_b, n > of_b ? a->node : b->node,
                  load_router_end(m, n > of_b ? a->node : b->node, 0).component->name);
    for (unsigned k = 0; k < n; k++) {
        struct load_end from = *a, to = *b;

        if (a->component == NULL)
            from.component = load_router_end(m, a->node, k).component;
        if (b->component == NULL)
            to.component = load_router_end(m, b->node, k).component;
        add_edge(m, at, &from, &to, length_mm);
    }
}

static void read_line(struct load_machine *m, const struct load_tree *at)
{
    const char *words[WORDS_MAX];
    struct load_end a, b;
    uint64_t length = 0;
    char expected[64];
    unsigned n = split_words(m, at->text, words);

    if (n == 0)
        return;
    if (n != 2 && n != 3)
        load_fail(at, NULL, "expected two nodes and a length in mm, or without it");
    a = read_end(m, at, words[0]);
    b = read_end(m, at, words[1]);
    if (a.node == b.node)
        load_fail(at, NULL, "expected two different nodes");
    if (n == 3 && !load_length_parse(words[2], &length))
        load_fail(at, NULL, "%s: %s", words[2], load_length_expected(expected, sizeof(expected)));
    add_edges(m, at, &a, &b, n == 3 ? &length : NULL);
}

struct edge_file {
    struct load_machine *m;
    const char *path, *bytes;
    size_t n;
};

static void read_bytes(void *arg)
{
    struct edge_file *f = arg;

    f->bytes = load_file_read(f->path, FILE_MAX, &f->m->arena, &f->n);
}

static void read_file(struct load_machine *m, const struct load_tree *at, struct load_lines *lines)
{
    const char *path = load_beside(m, at->file, at->text);
    struct edge_file f = { .m = m, .path = path };
    int rc = load_attempt(read_bytes, &f, NULL);

    if (rc == SIM_ERR_IO)
        load_fail(at, NULL,
                  "%s: expected a line for each cable, as 0 1 1000, or a file of such lines",
                  load_file_why(path));
    if (rc != SIM_OK || memchr(f.bytes, '\0', f.n) != NULL)
        load_fail(at, NULL, "expected a file of text, at most %u bytes", FILE_MAX);
    load_source_add(m, path);
    lines->text = load_text(&m->arena, "%.*s", (int)f.n, f.bytes);
    lines->at = (struct load_tree){ .type = LOAD_SCALAR, .file = path, .line = 1, .column = 1 };
}

struct load_lines load_edges_open(struct load_machine *m, const struct load_tree *edges)
{
    struct load_lines lines = { .text = "" };
    unsigned most = 1;

    if (edges == NULL)
        return lines;
    if (edges->type != LOAD_SCALAR)
        load_fail(edges, NULL, "expected text (edges: |) with a line for each cable");
    lines.at = *edges;
    lines.text = edges->text;
    if (strpbrk(edges->text, " \n") == NULL)
        read_file(m, edges, &lines);
    else if (m->shape_at == NULL)
        lines.at.line += strchr(edges->text, '\n') != NULL; /* it begins below its key */
    lines.at.key = NULL;
    lines.n = 1;
    for (const char *p = lines.text; *p != '\0'; p++)
        lines.n += *p == '\n';
    for (unsigned node = 0; node < m->desc.nnodes; node++)
        if (load_count_routers(m, node) > most)
            most = load_count_routers(m, node);
    lines.n *= most;
    m->edges = load_alloc(&m->arena, lines.n * sizeof(*m->edges));
    return lines;
}

void load_edges_read(struct load_machine *m, const struct load_lines *lines)
{
    struct load_tree at = lines->at;

    for (const char *text = lines->text; *text != '\0'; at.line += m->shape_at == NULL) {
        struct load_tree *line = load_alloc(&m->arena, sizeof(*line));
        size_t n = strcspn(text, "\n");

        *line = at;
        line->text = load_text(&m->arena, "%.*s", (int)n, text);
        read_line(m, line);
        text += n + (text[n] == '\n');
    }
}

/* ---- ports ---------------------------------------------------------------------- */

static struct machine_value *find_value(const struct machine_component_desc *c, const char *port,
                                        const char *key)
{
    char name[64];

    snprintf(name, sizeof(name), "%s%s", port, key);
    return machine_value_find(c, name);
}

static bool is_plugged(const struct machine_link_desc *links, unsigned n, unsigned node,
                       const char *component, const char *port)
{
    for (unsigned i = 0; i < n; i++) {
        const struct machine_link_desc *l = &links[i];

        if ((l->node_a == node && l->port_a != NULL && strcmp(l->port_a, port) == 0 &&
             strcmp(l->component_a, component) == 0) ||
            (l->node_b == node && l->port_b != NULL && strcmp(l->port_b, port) == 0 &&
             strcmp(l->component_b, component) == 0))
            return true;
    }
    return false;
}

/** The hub of an edge's end and its ports that are free. */
struct hub_end {
    unsigned node;
    const struct machine_component_desc *hub;
    unsigned nports;
    bool free[32];
};

/** @param port the only one that will do, NULL: each that has no cable */
static struct hub_end look_at(struct load_machine *m, const struct load_tree *at, unsigned node,
                              const char *component, const char *port)
{
    const struct machine_node_desc *nd = &m->desc.nodes[node];
    struct hub_end e = { .node = node, .hub = load_component(m, node, component) };
    bool found = port == NULL;

    e.nports = load_count_ports(e.hub);
    SIM_ASSERT(e.nports <= SIM_COUNT(e.free));
    for (unsigned p = 0; p < e.nports; p++) {
        const char *name = e.hub->kind->ports[p];

        e.free[p] = port != NULL
                        ? strcmp(port, name) == 0
                        : !is_plugged(nd->links, nd->nlinks, node, component, name) &&
                              !is_plugged(m->desc.cables, m->desc.ncables, node, component, name);
        found |= e.free[p];
    }
    if (!found)
        load_fail(at, NULL, "expected the port %s", load_list_ports(m, e.hub));
    return e;
}

static struct machine_value *role_of(const struct hub_end *e, unsigned port)
{
    return find_value(e->hub, e->hub->kind->ports[port], ".role");
}

static bool roles_fit(const struct hub_end *a, unsigned pa, const struct hub_end *b, unsigned pb)
{
    const struct machine_value *of_a = role_of(a, pa), *of_b = role_of(b, pb);

    return of_a == NULL || of_b == NULL || of_a->value != of_b->value;
}

/** The first pair of free ports; `fit`: of an endpoint and a root. */
static bool find_pair(const struct hub_end *a, const struct hub_end *b, bool fit, unsigned *pa,
                      unsigned *pb)
{
    for (*pa = 0; *pa < a->nports; (*pa)++)
        for (*pb = 0; a->free[*pa] && *pb < b->nports; (*pb)++)
            if (b->free[*pb] && (!fit || roles_fit(a, *pa, b, *pb)))
                return true;
    return false;
}

static void give_role(const struct hub_end *e, unsigned port, const char *name,
                      const struct load_tree *at)
{
    struct machine_value *v = role_of(e, port);

    if (!load_value_parse(v->param, name, &v->value))
        return; /* a kind whose roles have other names: it will say what it does not like */
    v->file = at->file;
    v->line = at->line;
    v->source = NULL;
}

static bool any_free(const struct hub_end *e)
{
    for (unsigned p = 0; p < e->nports; p++)
        if (e->free[p])
            return true;
    return false;
}

static void plug_edge(struct load_machine *m, const struct load_edge *edge)
{
    struct machine_link_desc *l = &m->desc.cables[edge->link];
    struct hub_end a = look_at(m, edge->at, l->node_a, l->component_a, l->port_a);
    struct hub_end b = look_at(m, edge->at, l->node_b, l->component_b, l->port_b);
    const struct hub_end *full = any_free(&a) ? &b : &a;
    unsigned pa, pb;

    if (!find_pair(&a, &b, true, &pa, &pb) && !find_pair(&a, &b, false, &pa, &pb))
        load_fail(edge->at, NULL,
                  "node%u.%s: none of its %u ports is free for this cable: expected fewer "
                  "cables, or set: node*.%s.ports",
                  full->node, full->hub->name, full->nports, full->hub->name);
    if (!roles_fit(&a, pa, &b, pb)) {
        give_role(&a, pa, "endpoint", edge->at);
        give_role(&b, pb, "root", edge->at);
    }
    l->port_a = a.hub->kind->ports[pa];
    l->port_b = b.hub->kind->ports[pb];
}

void load_edges_plug(struct load_machine *m, uint64_t length_mm)
{
    for (unsigned i = 0; i < m->nedges; i++) {
        struct machine_value *length = &m->groups[m->edges[i].group].v.values[0];

        if (length->file == NULL)
            length->value = length_mm;
        plug_edge(m, &m->edges[i]);
    }
}
