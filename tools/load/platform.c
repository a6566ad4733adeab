#include "tools/load/nearest.h"
#include "tools/load/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct load_group *load_group_add(struct load_machine *m, const char *path,
                                  const struct machine_param *params)
{
    struct load_group *group;

    m->groups = load_grow(&m->arena, m->groups, m->ngroups, &m->room, sizeof(*m->groups));
    group = &m->groups[m->ngroups++];
    group->path = path;
    load_values_init(&group->v, params, &m->arena);
    return group;
}

const char *load_beside(struct load_machine *m, const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');

    if (path[0] == '/' || slash == NULL)
        return path;
    return load_text(&m->arena, "%.*s/%s", (int)(slash - file), file, path);
}

/* ---- components ------------------------------------------------------------ */

static const char *const component_keys[] = { "kind", "include", "may_override", "description",
                                              NULL };

static const struct machine_kind *find_kind(struct load_machine *m, const struct load_tree *at)
{
    struct load_nearest near;

    load_nearest_init(&near, at->text, true);
    for (const struct machine_kind *const *kind = m->opt->kinds; *kind != NULL; kind++) {
        if (strcmp((*kind)->name, at->text) == 0)
            return *kind;
        load_nearest_offer(&near, (*kind)->name);
    }
    load_fail(at, NULL, "unknown kind%s", near.hint);
}

/** The list that an included file gives of what its includers may set. */
static void read_allowed(struct load_machine *m, const struct load_tree *base,
                         struct load_layer *layer)
{
    const struct load_tree *list = load_tree_get(base, "may_override");
    const char **groups;

    if (list != NULL && list->type != LOAD_LIST)
        load_fail(list, NULL, "expected a list of groups of keys");
    groups = load_alloc(&m->arena, ((list != NULL ? list->n : 0) + 1) * sizeof(*groups));
    for (unsigned i = 0; list != NULL && i < list->n; i++) {
        if (list->items[i].type != LOAD_SCALAR)
            load_fail(&list->items[i], NULL, "expected a group of keys");
        groups[i] = list->items[i].text;
    }
    layer->allow = groups;
    layer->allow_file = base->file;
}

static const struct machine_param *table_of(struct load_machine *m, const struct machine_kind *kind)
{
    struct load_table *t = m->tables;

    while (t != NULL && t->kind != kind)
        t = t->next;
    if (t == NULL) {
        t = load_alloc(&m->arena, sizeof(*t));
        *t = (struct load_table){ m->tables, kind,
                                  machine_table_create(kind->params, kind->groups) };
        SIM_ASSERT(t->rows != NULL); /* see arena.h */
        load_own(&m->arena, free, t->rows);
        m->tables = t;
    }
    return t->rows;
}

struct include {
    struct load_machine *m;
    const struct load_tree *at;
    struct load_tree *tree;
};

/** A path counts from the file that has it, and a name is one in the folders of components. */
static const char *find_included(struct load_machine *m, const struct load_tree *at)
{
    static const char *const folders[] = { "hubs", "hosts", "adapters", NULL };

    if (load_find_is_path(at->text))
        return load_beside(m, at->file, at->text);
    for (unsigned i = 0; folders[i] != NULL; i++) {
        const char *path = load_find_first(m->opt->roots, folders[i], at->text, &m->arena);

        if (path != NULL)
            return path;
    }
    load_find_fail(m->opt->roots, "", folders, at->text);
}

static void read_included(void *arg)
{
    struct include *i = arg;

    i->tree = load_source_read(i->m, find_included(i->m, i->at));
}

/** The file that `at` names. A mistake in it is located there, but not that it cannot be read. */
static const struct load_tree *read_include(struct load_machine *m, const struct load_tree *at)
{
    struct include i = { .m = m, .at = at };
    struct sim_error err = { 0 };
    int rc = load_attempt(read_included, &i, &err);

    if (rc == SIM_ERR_IO)
        load_fail(at, NULL, "%s", err.text);
    if (rc != SIM_OK)
        *load_error() = err;
    load_check(rc);
    return i.tree;
}

static void read_component(struct load_machine *m, const struct load_tree *item, const char *path,
                           struct machine_component_desc *out)
{
    struct load_layer layer = { .skip = component_keys, .arena = &m->arena };
    const struct load_tree *base = NULL, *kind;
    const char *include = NULL;
    struct load_group *group;

    if (item->type != LOAD_MAP)
        load_fail(item, NULL, "expected a mapping with the key kind or include");
    load_tree_text(item, "include", &include);
    if (include != NULL)
        base = read_include(m, load_tree_get(item, "include"));
    kind = load_tree_need(base != NULL ? base : item, "kind", LOAD_SCALAR);
    out->kind = find_kind(m, kind);
    if (base != NULL && load_tree_get(item, "kind") != NULL)
        load_fail(load_tree_get(item, "kind"), NULL, "expected no kind here, %s has it",
                  base->file);
    group = load_group_add(m, path, table_of(m, out->kind));
    group->spare = out->kind->spare;
    out->values = group->v.values;
    if (base != NULL) {
        load_values_assign(&group->v, &layer, base);
        read_allowed(m, base, &layer);
    }
    load_values_assign(&group->v, &layer, item);
}

static void read_components(struct load_machine *m, const struct load_tree *map, unsigned node,
                            struct machine_node_desc *out)
{
    out->components = load_alloc(&m->arena, map->n * sizeof(*out->components));
    for (unsigned i = 0; i < map->n; i++) {
        const struct load_tree *item = &map->items[i];
        const char *path = load_text(&m->arena, "node%u.%s", node, item->key);

        if (strchr(item->key, '.') != NULL)
            load_fail(item, NULL, "expected a name without a dot");
        out->components[i].name = item->key;
        out->ncomponents = i + 1;
        read_component(m, item, path, &out->components[i]);
    }
}

/* ---- links ----------------------------------------------------------------- */

static const struct machine_param link_params[] = {
    { "length_mm", "mm", 0, 1000000, 0, 0, "length of the cable or trace", NULL }, MACHINE_PARAM_END
};

const struct machine_component_desc *load_component(const struct load_machine *m, unsigned node,
                                                    const char *name)
{
    const struct machine_node_desc *nd = &m->desc.nodes[node];

    for (unsigned i = 0; i < nd->ncomponents; i++)
        if (strcmp(nd->components[i].name, name) == 0)
            return &nd->components[i];
    return NULL;
}

/** "a, b or c" of the names of a node's components or of a kind's ports. */
static const char *list_names(struct load_machine *m, const char *const *names)
{
    const char *text = names[0] != NULL ? names[0] : "none";

    for (unsigned i = 1; names[0] != NULL && names[i] != NULL; i++)
        text = load_text(&m->arena, "%s%s%s", text, names[i + 1] != NULL ? ", " : " or ", names[i]);
    return text;
}

/** @param of_machine whether the machine's file names the port, not that of the platform */
static _Noreturn void refuse_component(struct load_machine *m, const struct machine_node_desc *node,
                                       const struct load_tree *at, bool of_machine)
{
    const char *other = of_machine ? m->opt->platform : NULL;
    const char **names = load_alloc(&m->arena, (node->ncomponents + 1) * sizeof(*names));

    for (unsigned i = 0; i < node->ncomponents; i++)
        names[i] = node->components[i].name;
    if (other != NULL && strcmp(node->platform, other) == 0)
        load_fail(at, NULL,
                  "expected a port of %s, which platform %s has: -p, or an experiment, has put it "
                  "in place of the machine's own",
                  list_names(m, names), node->platform);
    load_fail(at, NULL, "expected a port of %s", list_names(m, names));
}

/** Splits "node12." off; -1 when it is not there or there is no such node. */
static int split_node(const struct load_machine *m, const char **text_p)
{
    char number[8];
    size_t n;
    uint64_t node;

    if (strncmp(*text_p, "node", 4) != 0)
        return -1;
    n = strspn(*text_p + 4, "0123456789");
    if (n == 0 || n >= sizeof(number) || (*text_p)[4 + n] != '.')
        return -1;
    snprintf(number, sizeof(number), "%.*s", (int)n, *text_p + 4);
    if (!load_number(number, false, &node) || node >= m->desc.nnodes)
        return -1;
    *text_p += 4 + n + 1;
    return (int)node;
}

unsigned load_count_ports(const struct machine_component_desc *component)
{
    const struct machine_value *ports = machine_value_find(component, "ports");
    unsigned n = 0;

    while (component->kind->ports[n] != NULL)
        n++;
    return ports != NULL && ports->value < n ? (unsigned)ports->value : n;
}

bool load_has_port(const struct machine_component_desc *component, const char *name)
{
    unsigned n = load_count_ports(component), i = 0;

    while (i < n && strcmp(component->kind->ports[i], name) != 0)
        i++;
    return i < n;
}

const char *load_list_ports(struct load_machine *m, const struct machine_component_desc *component)
{
    unsigned n = load_count_ports(component);
    const char **names = load_alloc(&m->arena, (n + 1) * sizeof(*names));

    memcpy(names, component->kind->ports, n * sizeof(*names));
    return load_text(&m->arena, "%s of %s", list_names(m, names), component->name);
}

struct load_end load_router_end(const struct load_machine *m, unsigned node, unsigned number)
{
    const struct machine_node_desc *nd = &m->desc.nodes[node];

    for (unsigned i = 0; i < nd->ncomponents; i++)
        if (machine_is_router(&nd->components[i]) && number-- == 0)
            return (struct load_end){ .node = node, .component = &nd->components[i] };
    return (struct load_end){ .node = node };
}

unsigned load_count_routers(const struct load_machine *m, unsigned node)
{
    unsigned n = 0;

    while (load_router_end(m, node, n).component != NULL)
        n++;
    return n;
}

struct load_end load_end_text(struct load_machine *m, const struct load_tree *at, const char *text,
                              int node)
{
    const struct machine_component_desc *component;
    bool of_machine = node < 0;
    size_t n;

    if (of_machine)
        node = split_node(m, &text);
    if (node < 0)
        load_fail(at, NULL, "expected node0 .. node%u, component and port, node0.hub.e",
                  m->desc.nnodes - 1);
    n = strcspn(text, ".");
    component = load_component(m, (unsigned)node, load_text(&m->arena, "%.*s", (int)n, text));
    if (component == NULL || text[n] != '.')
        refuse_component(m, &m->desc.nodes[node], at, of_machine);
    text += n + 1;
    /* A set that has not been read yet may give a component more ports: load_check_ports(). */
    if (!load_has_port(component, text) && machine_value_find(component, "ports") == NULL)
        load_fail(at, NULL, "expected the port %s", load_list_ports(m, component));
    return (struct load_end){ (unsigned)node, component, load_text(&m->arena, "%s", text) };
}

void load_length_add(struct load_machine *m, const char *path, const struct load_tree *at,
                     uint64_t length_mm, uint64_t *length_mm_p)
{
    struct load_group *group = load_group_add(m, path, link_params);

    group->v.values[0].value = length_mm;
    if (at != NULL) {
        group->v.values[0].file = at->file;
        group->v.values[0].line = at->line;
    }
    group->length_mm_p = length_mm_p;
}

bool load_length_parse(const char *text, uint64_t *length_mm_p)
{
    return load_value_parse(&link_params[0], text, length_mm_p);
}

const char *load_length_expected(char *text, size_t size)
{
    return load_value_expected(&link_params[0], text, size);
}

struct machine_link_desc load_link_between(const struct load_end *a, const struct load_end *b,
                                           const struct load_tree *at)
{
    return (struct machine_link_desc){ .node_a = a->node,
                                       .component_a = a->component->name,
                                       .port_a = a->port,
                                       .node_b = b->node,
                                       .component_b = b->component->name,
                                       .port_b = b->port,
                                       .file = at->file,
                                       .line = at->line };
}

/** The end that the link's file names by this key. */
static struct load_end read_link_end(struct load_machine *m, const struct load_tree *link,
                                     const char *key, int node)
{
    const struct load_tree *at = load_tree_need(link, key, LOAD_SCALAR);

    return load_end_text(m, at, at->text, node);
}

void load_link_read(struct load_machine *m, const struct load_tree *item, int node,
                    const char *path, struct machine_link_desc *link)
{
    static const char *const ends[] = { "from", "to", NULL };
    struct load_layer layer = { .skip = ends, .arena = &m->arena };
    struct load_group *group = load_group_add(m, path, link_params);
    struct load_end a, b;

    if (item->type != LOAD_MAP)
        load_fail(item, NULL, "expected {from: ..., to: ..., length_mm: ...}");
    a = read_link_end(m, item, "from", node);
    b = read_link_end(m, item, "to", node);
    load_values_assign(&group->v, &layer, item);
    if (a.node == b.node && a.component == b.component)
        load_fail(item, NULL, "node%u.%s: expected ports of two components", a.node,
                  a.component->name);
    *link = load_link_between(&a, &b, item);
    group->length_mm_p = &link->length_mm;
}

/* ---- platforms -------------------------------------------------------------- */

static const char *find_path(struct load_machine *m, const struct load_tree *at, const char *name)
{
    static const char *const folders[] = { "platforms", NULL };
    const char *path;

    if (at == NULL)
        return load_find(m->opt->roots, "platforms", name, &m->arena);
    if (load_find_is_path(name))
        name = load_beside(m, at->file, name);
    path = load_find_first(m->opt->roots, "platforms", name, &m->arena);
    if (path == NULL)
        load_find_fail(
            m->opt->roots,
            load_text(&m->arena, "%s:%u:%u: %s = ", at->file, at->line, at->column, at->key),
            folders, name);
    return path;
}

const struct load_platform *load_platform_find(struct load_machine *m, const struct load_tree *at,
                                               const char *name)
{
    static const char *const keys[] = { "description", "components", "links", NULL };
    struct load_platform *platform;
    struct load_tree *tree;
    const char *path;

    path = find_path(m, at, name);
    for (unsigned i = 0; i < m->nplatforms; i++)
        if (strcmp(m->platforms[i].path, path) == 0)
            return &m->platforms[i];
    if (m->nplatforms == LOAD_PLATFORMS_MAX)
        load_fail(at, NULL, "expected at most %u platforms", LOAD_PLATFORMS_MAX);
    tree = load_source_read(m, path);
    load_tree_only(tree, keys);
    platform = &m->platforms[m->nplatforms++];
    *platform = (struct load_platform){ load_text(&m->arena, "%s", name), path, tree };
    return platform;
}

void load_platform_node(struct load_machine *m, const struct load_platform *platform, unsigned node)
{
    struct machine_node_desc *out = &m->desc.nodes[node];
    const struct load_tree *components = load_tree_need(platform->tree, "components", LOAD_MAP);
    const struct load_tree *links = load_tree_need(platform->tree, "links", LOAD_LIST);

    out->platform = platform->name;
    read_components(m, components, node, out);
    out->nlinks = links->n;
    out->links = load_alloc(&m->arena, links->n * sizeof(*out->links));
    for (unsigned i = 0; i < links->n; i++)
        load_link_read(m, &links->items[i], (int)node,
                       load_text(&m->arena, "node%u.link%u", node, i), &out->links[i]);
}
