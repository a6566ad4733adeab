#include "tools/lab/topology/link.h"

#include <stdio.h>
#include <string.h>

double lab_link_rate(uint64_t gen, uint64_t lanes)
{
    /* PCIe Base: GT/s a lane; 8b/10b up to Gen2, then 128b/130b. */
    static const double gts[] = { 0, 2.5e9, 5e9, 8e9, 16e9, 32e9 };

    if (gen < 1 || gen > 5)
        return 0;
    return gts[gen] * (gen <= 2 ? 8.0 / 10 : 128.0 / 130) / 8 * (double)lanes;
}

double lab_link_payload_rate(uint64_t gen, uint64_t lanes, uint64_t payload_bytes,
                             uint64_t overhead_bytes)
{
    return lab_link_rate(gen, lanes) * (double)payload_bytes /
           (double)(payload_bytes + overhead_bytes);
}

bool lab_is_hub(const struct machine_desc *desc, unsigned node, const char *component)
{
    const struct machine_node_desc *n = &desc->nodes[node];

    for (unsigned i = 0; i < n->ncomponents; i++)
        if (strcmp(n->components[i].name, component) == 0)
            return machine_is_router(&n->components[i]);
    return false;
}

uint64_t lab_value(const struct machine_desc *desc, unsigned node, const char *component,
                   const char *key, uint64_t absent)
{
    const struct machine_node_desc *n = &desc->nodes[node];
    const struct machine_value *value;

    for (unsigned i = 0; i < n->ncomponents; i++) {
        const struct machine_component_desc *c = &n->components[i];

        if (strcmp(c->name, component) != 0)
            continue;
        value = machine_value_find(c, key);
        if (value != NULL)
            return value->value;
    }
    return absent;
}

uint64_t lab_port_value(const struct machine_desc *desc, unsigned node, const char *component,
                        const char *port, const char *key)
{
    char link[64], own[64], all[64];
    uint64_t value;

    (void)snprintf(link, sizeof(link), "%s.link.%s", port, key); /* a hub's */
    (void)snprintf(own, sizeof(own), "%s.port.%s", port, key);   /* one of a host, */
    (void)snprintf(all, sizeof(all), "port.%s", key);            /* or all that a component has */
    value = lab_value(desc, node, component, link, MACHINE_UNSAID);
    if (value == MACHINE_UNSAID)
        value = lab_value(desc, node, component, own, MACHINE_UNSAID);
    return value != MACHINE_UNSAID ? value : lab_value(desc, node, component, all, 0);
}

/** The same at the other end of a link in the node. 0: none begins at this port */
static uint64_t far_value(const struct machine_desc *desc, unsigned node, const char *component,
                          const char *port, const char *key)
{
    const struct machine_node_desc *n = &desc->nodes[node];

    for (unsigned i = 0; i < n->nlinks; i++) {
        const struct machine_link_desc *l = &n->links[i];

        if (strcmp(l->component_a, component) == 0 && strcmp(l->port_a, port) == 0)
            return lab_port_value(desc, node, l->component_b, l->port_b, key);
        if (strcmp(l->component_b, component) == 0 && strcmp(l->port_b, port) == 0)
            return lab_port_value(desc, node, l->component_a, l->port_a, key);
    }
    return 0;
}

uint64_t lab_link_value(const struct machine_desc *desc, unsigned node, const char *component,
                        const char *port, const char *key)
{
    uint64_t here = lab_port_value(desc, node, component, port, key);
    uint64_t far = far_value(desc, node, component, port, key);

    return far != 0 ? lab_least(here, far) : here;
}

uint64_t lab_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
