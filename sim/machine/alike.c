#include "machine/machine.h"

#include <string.h>

/** Which end of its cable a port is says nothing of the node. */
static bool is_role(const char *key)
{
    const char *dot = strrchr(key, '.');

    return dot != NULL && strcmp(dot, ".role") == 0;
}

static bool components_alike(const struct machine_component_desc *a,
                             const struct machine_component_desc *b)
{
    const struct machine_value *x = a->values, *y = b->values;

    if (a->kind != b->kind || strcmp(a->name, b->name) != 0)
        return false;
    for (; x->param != NULL; x++, y++)
        if (x->value != y->value && !is_role(x->param->key))
            return false;
    return true;
}

static bool links_alike(const struct machine_link_desc *a, const struct machine_link_desc *b)
{
    return a->length_mm == b->length_mm && strcmp(a->component_a, b->component_a) == 0 &&
           strcmp(a->port_a, b->port_a) == 0 && strcmp(a->component_b, b->component_b) == 0 &&
           strcmp(a->port_b, b->port_b) == 0;
}

bool machine_node_alike(const struct machine_node_desc *a, const struct machine_node_desc *b)
{
    bool alike = a->ncomponents == b->ncomponents && a->nlinks == b->nlinks;

    for (unsigned i = 0; alike && i < a->ncomponents; i++)
        alike = components_alike(&a->components[i], &b->components[i]);
    for (unsigned i = 0; alike && i < a->nlinks; i++)
        alike = links_alike(&a->links[i], &b->links[i]);
    return alike;
}
