/* Which cores ranks run on, and whose memory is on which socket. */
#include "hosts/driver/driver.h"
#include "hosts/launch/node/node.h"
#include "hub/hub.h"

#include <stdio.h>
#include <string.h>

static bool is_host(const struct machine_node_desc *node, const char *component)
{
    for (unsigned i = 0; i < node->ncomponents; i++)
        if (strcmp(node->components[i].name, component) == 0)
            return node->components[i].kind == &node_host_kind;
    return false;
}

const char *launch_root_port(const struct machine_node_desc *node, const char *component)
{
    for (unsigned i = 0; i < node->nlinks; i++) {
        const struct machine_link_desc *l = &node->links[i];

        if (strcmp(l->component_b, component) == 0 && is_host(node, l->component_a))
            return l->port_a;
        if (strcmp(l->component_a, component) == 0 && is_host(node, l->component_b))
            return l->port_b;
    }
    return NULL;
}

/** The socket of the root port that leads to a component; 0 where none does. */
static unsigned socket_of(const struct machine_desc *desc, unsigned node, const char *component)
{
    const struct machine_node_desc *nd = &desc->nodes[node];
    const char *port = launch_root_port(nd, component);
    char key[32];

    (void)snprintf(key, sizeof(key), "%s.socket", port != NULL ? port : "");
    for (unsigned i = 0; i < nd->ncomponents && port != NULL; i++) {
        const struct machine_component_desc *c = &nd->components[i];
        const struct machine_value *v = machine_value_find(c, key);

        if (c->kind == &node_host_kind && v != NULL)
            return (unsigned)v->value;
    }
    return 0;
}

bool launch_at_root_port(const struct machine_desc *desc, unsigned node, const char *component)
{
    return launch_root_port(&desc->nodes[node], component) != NULL;
}

bool launch_gpu_by(const struct machine_desc *desc, unsigned node, const char *component,
                   bool beside, unsigned skip, unsigned *gpu_p)
{
    const struct machine_node_desc *nd = &desc->nodes[node];
    unsigned gpu = 0, socket = socket_of(desc, node, component);

    if (!launch_at_root_port(desc, node, component))
        return false;
    for (unsigned i = 0; i < nd->ncomponents; i++) {
        if (nd->components[i].kind != &node_gpu_kind)
            continue;
        if ((socket_of(desc, node, nd->components[i].name) == socket) == beside && skip-- == 0) {
            *gpu_p = gpu;
            return true;
        }
        gpu++;
    }
    return false;
}

unsigned launch_gpus(const struct machine_desc *desc, unsigned node, const char *visible)
{
    const struct machine_node_desc *nd = &desc->nodes[node];
    uint8_t gpus[DRIVER_GPUS];
    unsigned n = 0;

    for (unsigned i = 0; i < nd->ncomponents && n < DRIVER_GPUS; i++)
        n += nd->components[i].kind == &node_gpu_kind;
    return driver_visible_parse(visible, n, gpus);
}

/* ---- hubs ------------------------------------------------------------------------- */

/** The root port of a component that is a hub, in whatever make; NULL: it is none. */
static const char *port_of_hub(const struct machine_node_desc *nd, unsigned i)
{
    const struct machine_component_desc *c = &nd->components[i];

    return machine_is_kind(c, &hub_kind) ? launch_root_port(nd, c->name) : NULL;
}

const char *launch_hub(const struct machine_desc *desc, unsigned node, unsigned hub)
{
    const struct machine_node_desc *nd = &desc->nodes[node];

    for (unsigned i = 0; i < nd->ncomponents; i++) {
        const char *port = port_of_hub(nd, i);
        unsigned before = 0;

        for (unsigned k = 0; port != NULL && k < nd->ncomponents; k++) {
            const char *other = port_of_hub(nd, k);

            before += other != NULL && strcmp(other, port) < 0;
        }
        if (port != NULL && before == hub)
            return nd->components[i].name;
    }
    return NULL;
}

unsigned launch_hubs(const struct machine_desc *desc, unsigned node)
{
    unsigned n = 0;

    while (launch_hub(desc, node, n) != NULL)
        n++;
    return n;
}

unsigned launch_rank_hub(uint64_t rank_hub, unsigned nhubs, unsigned local)
{
    if (rank_hub == LAUNCH_HUB_TURN)
        return nhubs > 0 ? local % nhubs : 0;
    return (unsigned)rank_hub;
}

/* ---- sockets ------------------------------------------------------------------------ */

/** Where the node's ranks run first. */
static unsigned home_of(const struct launch_node *node)
{
    const struct launch *run = node->run;

    if (run->software->rank_socket != LAUNCH_SOCKET_BESIDE)
        return (unsigned)run->software->rank_socket - 1;
    if (run->cfg->beside == NULL)
        return 0;
    return socket_of(machine_description(run->m), node->shared.index, run->cfg->beside);
}

unsigned launch_core_of(const struct launch_node *node, unsigned rank)
{
    const struct node_core *irq = node_host_interrupt_core(node->host);
    unsigned cores = node_host_cores(node->host), home = home_of(node);

    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned c = 0; c < cores; c++) {
            if ((node_host_core_socket(node->host, c) == home) != (pass == 0) ||
                node_host_core(node->host, c) == irq)
                continue;
            if (rank-- == 0)
                return c;
        }
    SIM_ASSERT(false); /* the caller has counted */
    return 0;
}

void launch_set_home(struct launch_node *node, uint64_t first, uint64_t share)
{
    unsigned home = home_of(node), n = 0;

    while (n < node->nranks && node_host_core_socket(node->host, launch_core_of(node, n)) == home)
        n++;
    node_host_home(node->host, home, first + n * share, n);
}
