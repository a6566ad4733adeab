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
    char name[64];

    (void)snprintf(name, sizeof(name), "%s.link.%s", port, key);
    return lab_value(desc, node, component, name, 0);
}

uint64_t lab_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
