/* Rules that only all links of a machine together keep or break: one link at a port, and a host for
 * each router. Checked when the whole machine has been read. */
#include "tools/load/parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- ports ----------------------------------------------------------------------- */

/** One end of a link. */
struct plug {
    unsigned node;
    const char *component, *port;
    const struct machine_link_desc *link;
};

static int by_place(const void *a, const void *b)
{
    const struct plug *p = a, *q = b;
    int order = (p->node > q->node) - (p->node < q->node);

    if (order == 0)
        order = strcmp(p->component, q->component);
    return order != 0 ? order : strcmp(p->port, q->port);
}

int load_check_ports(struct load_machine *m, struct sim_error *err)
{
    size_t n = 2 * (size_t)m->desc.ncables, k = 0;
    struct plug *plugs;

    for (unsigned i = 0; i < m->desc.nnodes; i++)
        n += 2 * (size_t)m->desc.nodes[i].nlinks;
    plugs = load_alloc(&m->arena, (n + 1) * sizeof(*plugs));
    for (unsigned i = 0; i <= m->desc.nnodes; i++) {
        bool cables = i == m->desc.nnodes;
        const struct machine_link_desc *links = cables ? m->desc.cables : m->desc.nodes[i].links;
        unsigned nlinks = cables ? m->desc.ncables : m->desc.nodes[i].nlinks;

        for (unsigned j = 0; j < nlinks; j++) {
            const struct machine_link_desc *l = &links[j];

            plugs[k++] = (struct plug){ l->node_a, l->component_a, l->port_a, l };
            plugs[k++] = (struct plug){ l->node_b, l->component_b, l->port_b, l };
        }
    }
    qsort(plugs, n, sizeof(*plugs), by_place);
    for (size_t i = 1; i < n; i++)
        if (by_place(&plugs[i - 1], &plugs[i]) == 0)
            return sim_error_set(err, SIM_ERR_CONFIG,
                                 "%s:%u: node%u.%s.%s: expected one cable at a port; another is in "
                                 "line %u",
                                 plugs[i].link->file, plugs[i].link->line, plugs[i].node,
                                 plugs[i].component, plugs[i].port, plugs[i - 1].link->line);
    return SIM_OK;
}

/* ---- hosts ----------------------------------------------------------------------- */

static const struct machine_component_desc *component_of(const struct load_machine *m,
                                                         unsigned node, const char *name)
{
    const struct machine_node_desc *nd = &m->desc.nodes[node];

    for (unsigned i = 0; i < nd->ncomponents; i++)
        if (strcmp(nd->components[i].name, name) == 0)
            return &nd->components[i];
    return NULL;
}

/** Does the link join the host port of router `c` to a component that is no router? */
static bool joins_host(const struct load_machine *m, const struct machine_link_desc *l,
                       unsigned node, const struct machine_component_desc *c)
{
    const struct machine_component_desc *far = NULL;

    if (l->node_a == node && strcmp(l->component_a, c->name) == 0 &&
        strcmp(l->port_a, c->kind->host_port) == 0)
        far = component_of(m, l->node_b, l->component_b);
    else if (l->node_b == node && strcmp(l->component_b, c->name) == 0 &&
             strcmp(l->port_b, c->kind->host_port) == 0)
        far = component_of(m, l->node_a, l->component_a);
    return far != NULL && far->kind->set_routes == NULL;
}

static bool has_host(const struct load_machine *m, unsigned node,
                     const struct machine_component_desc *c)
{
    const struct machine_node_desc *nd = &m->desc.nodes[node];

    for (unsigned i = 0; i < nd->nlinks; i++)
        if (joins_host(m, &nd->links[i], node, c))
            return true;
    for (unsigned i = 0; i < m->desc.ncables; i++)
        if (joins_host(m, &m->desc.cables[i], node, c))
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

static int refuse_hostless(const struct load_machine *m, unsigned node,
                           const struct machine_component_desc *c, struct sim_error *err)
{
    const struct load_tree *at = platform_item(m, node, c);

    SIM_ASSERT(at != NULL);
    return load_fail(err, at, NULL,
                     "node%u.%s has no host: expected a link from one to its port %s", node,
                     c->name, c->kind->host_port);
}

int load_check_hosts(const struct load_machine *m, struct sim_error *err)
{
    for (unsigned node = 0; node < m->desc.nnodes; node++)
        for (unsigned i = 0; i < m->desc.nodes[node].ncomponents; i++) {
            const struct machine_component_desc *c = &m->desc.nodes[node].components[i];

            if (c->kind->host_port != NULL && !has_host(m, node, c))
                return refuse_hostless(m, node, c, err);
        }
    return SIM_OK;
}
