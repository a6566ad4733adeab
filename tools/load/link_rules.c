/* Rules that only all links of a machine together keep or break: one link at a port, and a host for
 * each router. Checked when the whole machine has been read. */
#include "tools/load/parts.h"

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
    plugs = load_alloc(&m->arena, (m->nplugs + 1) * sizeof(*plugs));
    memcpy(plugs, m->plugs, m->nplugs * sizeof(*plugs));
    qsort(plugs, m->nplugs, sizeof(*plugs), by_place);
    for (unsigned i = 1; i < m->nplugs; i++)
        if (by_place(&plugs[i - 1], &plugs[i]) == 0)
            refuse_second(m, &plugs[i], plugs[i - 1].link);
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
