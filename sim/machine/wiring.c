/* Joins the components of a machine by links, cables and the control network. */
#include "machine/internal.h"

#include <string.h>

/* ---- links ----------------------------------------------------------------------- */

struct machine_port machine_port_of(const struct component *c, const char *name)
{
    const char *const *names = c->desc->kind->ports;

    for (unsigned i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return c->desc->kind->port(c->it, i);
    return (struct machine_port){ NULL, NULL, NULL };
}

static int find_port(const struct machine *m, unsigned node, const char *component,
                     const char *name, struct machine_port *port_p, struct sim_error *err)
{
    const struct component *c = machine_find(m, node, component);

    if (c == NULL)
        return sim_error_set(err, SIM_ERR_CONFIG, "node%u.%s.%s: there is no such component", node,
                             component, name);
    *port_p = machine_port_of(c, name);
    if (port_p->protocol == NULL)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s.%s: a %s has no such port", c->path, name,
                             c->desc->kind->name);
    return SIM_OK;
}

/** Does an earlier link of `before` use the end (node, component, port)? */
static bool end_used(const struct machine_link_desc *links, unsigned before, unsigned node,
                     const char *component, const char *port)
{
    for (unsigned i = 0; i < before; i++)
        if (machine_link_end(&links[i], node, component, port) != 0)
            return true;
    return false;
}

static int join_link(const struct machine *m, const struct machine_link_desc *links, unsigned i,
                     struct sim_error *why)
{
    const struct machine_link_desc *l = &links[i];
    struct machine_port a = { "", NULL, NULL };
    struct machine_port b = { "", NULL, NULL };
    int code = find_port(m, l->node_a, l->component_a, l->port_a, &a, why);

    if (code == SIM_OK)
        code = find_port(m, l->node_b, l->component_b, l->port_b, &b, why);
    if (code != SIM_OK)
        return code;
    SIM_ASSERT(a.join != NULL && b.join != NULL); /* a kind's port has both */
    if (end_used(links, i, l->node_a, l->component_a, l->port_a))
        return sim_error_set(why, SIM_ERR_CONFIG, "node%u.%s.%s is joined twice", l->node_a,
                             l->component_a, l->port_a);
    if (end_used(links, i, l->node_b, l->component_b, l->port_b) || a.end == b.end)
        return sim_error_set(why, SIM_ERR_CONFIG, "node%u.%s.%s is joined twice", l->node_b,
                             l->component_b, l->port_b);
    if (strcmp(a.protocol, b.protocol) != 0)
        return sim_error_set(why, SIM_ERR_CONFIG,
                             "node%u.%s.%s speaks %s, but node%u.%s.%s speaks %s", l->node_a,
                             l->component_a, l->port_a, a.protocol, l->node_b, l->component_b,
                             l->port_b, b.protocol);
    return a.join(a.end, b.end, l->length_mm * m->desc->ps_per_m / 1000, why);
}

static int join_all(const struct machine *m, const struct machine_link_desc *links, unsigned n,
                    struct sim_error *err)
{
    for (unsigned i = 0; i < n; i++) {
        struct sim_error why = { 0 };
        int code = join_link(m, links, i, &why);

        if (code != SIM_OK)
            return sim_error_set_at(err, code, links[i].file, links[i].line, "%s", why.text);
    }
    return SIM_OK;
}

/** The component's port of a network, or one without protocol. */
static struct machine_port net_port(const struct component *c, const char *protocol)
{
    const char *const *names = c->desc->kind->ports;

    for (unsigned i = 0; names[i] != NULL; i++) {
        struct machine_port port = c->desc->kind->port(c->it, i);

        if (port.protocol != NULL && strcmp(port.protocol, protocol) == 0)
            return port;
    }
    return (struct machine_port){ NULL, NULL, NULL };
}

/** Such a network joins each with each. */
static int join_net(const struct machine *m, const char *protocol, sim_time_t wire_ps,
                    struct sim_error *err)
{
    for (unsigned i = 0; i < m->ncomponents; i++) {
        struct machine_port a = net_port(&m->components[i], protocol);

        for (unsigned k = i + 1; a.protocol != NULL && k < m->ncomponents; k++) {
            struct machine_port b = net_port(&m->components[k], protocol);
            int code = SIM_OK;

            if (b.protocol != NULL && m->components[i].node != m->components[k].node)
                code = a.join(a.end, b.end, wire_ps, err);
            if (code != SIM_OK)
                return code;
        }
    }
    return SIM_OK;
}

int machine_join(const struct machine *m, struct sim_error *err)
{
    int code;

    for (unsigned node = 0; node < m->desc->nnodes; node++) {
        code = join_all(m, m->desc->nodes[node].links, m->desc->nodes[node].nlinks, err);
        if (code != SIM_OK)
            return code;
    }
    code = join_all(m, m->desc->cables, m->desc->ncables, err);
    if (code == SIM_OK)
        code = join_net(m, "net", m->desc->net_latency_ps, err);
    if (code == SIM_OK)
        code = join_net(m, "ib", 0, err); /* the adapters know how far they are */
    return code != SIM_OK ? code : join_net(m, "ib2", 0, err);
}
