/* Rules that only all links of a machine together keep or break: one link at a port, one at least
 * of those whose values are set, and a host for each router. Checked when the whole machine has
 * been read. */
#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "tools/load/parts.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- ports ----------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct load_plug *p = a, *q = b;
    int order = (p->node > q->node) - (p->node < q->node);

    if (order == 0)
        order = strcmp(p->component->name, q->component->name);
    return order != 0 ? order : strcmp(p->port, q->port);
}

static void list_plugs(struct load_machine *m, const struct machine_link_desc *links, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct machine_link_desc *l = &links[i];

        m->plugs[m->nplugs++] =
            (struct load_plug){ l->node_a, load_component(m, l->node_a, l->component_a), l->port_a,
                                l };
        m->plugs[m->nplugs++] =
            (struct load_plug){ l->node_b, load_component(m, l->node_b, l->component_b), l->port_b,
                                l };
    }
}

static _Noreturn void refuse_second(struct load_machine *m, const struct load_plug *plug,
                                    const struct machine_link_desc *first)
{
    const struct machine_link_desc *l = plug->link;
    const char *file =
        strcmp(l->file, first->file) == 0 ? "line " : load_text(&m->arena, "%s:", first->file);

    load_raise(SIM_ERR_CONFIG,
               "%s:%u: node%u.%s.%s: expected one cable at a port; another is in %s%u", l->file,
               l->line, plug->node, plug->component->name, plug->port, file, first->line);
}

static _Noreturn void refuse_port(struct load_machine *m, const struct load_plug *plug)
{
    load_raise(SIM_ERR_CONFIG, "%s:%u: node%u.%s.%s: expected the port %s", plug->link->file,
               plug->link->line, plug->node, plug->component->name, plug->port,
               load_list_ports(m, plug->component));
}

void load_check_ports(struct load_machine *m)
{
    size_t links = m->desc.ncables;
    struct load_plug *plugs;

    for (unsigned i = 0; i < m->desc.nnodes; i++)
        links += m->desc.nodes[i].nlinks;
    m->plugs = load_alloc(&m->arena, (2 * links + 1) * sizeof(*plugs));
    for (unsigned i = 0; i < m->desc.nnodes; i++)
        list_plugs(m, m->desc.nodes[i].links, m->desc.nodes[i].nlinks);
    list_plugs(m, m->desc.cables, m->desc.ncables);
    for (size_t i = 0; i < m->nplugs; i++)
        if (!load_has_port(m->plugs[i].component, m->plugs[i].port))
            refuse_port(m, &m->plugs[i]);
    plugs = load_alloc(&m->arena, (m->nplugs + 1) * sizeof(*plugs));
    memcpy(plugs, m->plugs, m->nplugs * sizeof(*plugs));
    qsort(plugs, m->nplugs, sizeof(*plugs), by_place);
    for (unsigned i = 1; i < m->nplugs; i++)
        if (by_place(&plugs[i - 1], &plugs[i]) == 0)
            refuse_second(m, &plugs[i], plugs[i - 1].link);
}

/* ---- values of ports --------------------------------------------------------------- */

/** The plug "e" of a value e.link.lanes or weight.e; NULL: the value is of none. */
static const char *plug_of_key(const struct machine_component_desc *c, const char *key)
{
    for (const char *const *plug = c->kind->plugs; plug != NULL && *plug != NULL; plug++)
        for (const char *part = key; part != NULL; part = strchr(part, '.')) {
            size_t n;

            part += *part == '.';
            n = strcspn(part, ".");
            if (strlen(*plug) == n && strncmp(*plug, part, n) == 0)
                return *plug;
        }
    return NULL;
}

static bool has_link(const struct load_machine *m, const struct machine_component_desc *c,
                     const char *port)
{
    for (unsigned i = 0; i < m->nplugs; i++)
        if (m->plugs[i].component == c && strcmp(m->plugs[i].port, port) == 0)
            return true;
    return false;
}

/** What a pattern sets. */
struct idle {
    const char *pattern;
    const char *path; /* the first port without a link, "node0.hub.s"; NULL: none so far */
    bool others;      /* something else, too */
};

static void look_at_component(struct load_machine *m, unsigned node,
                              const struct machine_component_desc *c, struct idle *idle)
{
    for (const struct machine_value *v = c->values; v->param != NULL && !idle->others; v++) {
        const char *port = plug_of_key(c, v->param->key);
        char path[256];

        (void)snprintf(path, sizeof(path), "node%u.%s.%s", node, c->name, v->param->key);
        if (fnmatch(idle->pattern, path, 0) != 0)
            continue;
        if (port == NULL || has_link(m, c, port))
            idle->others = true;
        else if (idle->path == NULL)
            idle->path = load_text(&m->arena, "node%u.%s.%s", node, c->name, port);
    }
}

void load_check_override(struct load_machine *m, const char *pattern, const char *text,
                         const char *where, const struct load_tree *at)
{
    struct idle idle = { .pattern = pattern };

    (void)text;
    for (unsigned node = 0; node < m->desc.nnodes; node++)
        for (unsigned k = 0; k < m->desc.nodes[node].ncomponents; k++)
            look_at_component(m, node, &m->desc.nodes[node].components[k], &idle);
    if (idle.path == NULL || idle.others)
        return;
    load_error()->located = at != NULL;
    load_raise_behind(SIM_ERR_CONFIG, where, "no link is at %s: expected a port with one",
                      idle.path);
}

/* ---- hosts ----------------------------------------------------------------------- */

/** Does a link join the host port of router `c` to a component that is no router? */
static bool has_host(const struct load_machine *m, const struct machine_component_desc *c)
{
    for (unsigned i = 0; i < m->nplugs; i++)
        if (m->plugs[i].component == c && strcmp(m->plugs[i].port, c->kind->host_port) == 0 &&
            !machine_is_router(m->plugs[i ^ 1u].component))
            return true;
    return false;
}

/** The component in the file of the node's platform. */
static const struct load_tree *platform_item(const struct load_machine *m, unsigned node,
                                             const struct machine_component_desc *c)
{
    for (unsigned i = 0; i < m->nplatforms; i++)
        if (m->platforms[i].name == m->desc.nodes[node].platform)
            return load_tree_get(load_tree_get(m->platforms[i].tree, "components"), c->name);
    return NULL;
}

static _Noreturn void refuse_hostless(const struct load_machine *m, unsigned node,
                                      const struct machine_component_desc *c)
{
    const struct load_tree *at = platform_item(m, node, c);

    SIM_ASSERT(at != NULL);
    load_fail(at, NULL, "node%u.%s has no host: expected a link from one to its port %s", node,
              c->name, c->kind->host_port);
}

void load_check_hosts(const struct load_machine *m)
{
    for (unsigned node = 0; node < m->desc.nnodes; node++)
        for (unsigned i = 0; i < m->desc.nodes[node].ncomponents; i++) {
            const struct machine_component_desc *c = &m->desc.nodes[node].components[i];

            if (c->kind->host_port != NULL && !has_host(m, c))
                refuse_hostless(m, node, c);
        }
}
