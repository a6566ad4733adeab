#include "machine/network.h"

#include <stdlib.h>
#include <string.h>

static unsigned count_ports(const struct machine_router *r)
{
    unsigned n = 0;

    while (r->ports[n] != NULL)
        n++;
    return n;
}

unsigned machine_network_port(const struct machine_network *net, unsigned router, const char *name)
{
    const struct machine_router *r = &net->graph->routers[router];
    unsigned i = 0;

    while (r->ports[i] != NULL && strcmp(r->ports[i], name) != 0)
        i++;
    return i;
}

bool machine_network_init(struct machine_network *net, const struct machine_graph *graph)
{
    size_t n;

    *net = (struct machine_network){ .graph = graph, .n = graph->nrouters };
    for (unsigned i = 0; i < net->n; i++) {
        unsigned ports = count_ports(&graph->routers[i]);

        net->nports = ports > net->nports ? ports : net->nports;
    }
    n = (size_t)net->n * net->nports;
    net->far = calloc(n + 1, sizeof(*net->far));
    if (net->far == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        net->far[i] = (struct machine_far){ MACHINE_NONE, MACHINE_NONE };
    for (unsigned e = 0; e < graph->nedges; e++) {
        const struct machine_edge *edge = &graph->edges[e];
        unsigned a = machine_network_port(net, edge->a, edge->port_a);
        unsigned b = machine_network_port(net, edge->b, edge->port_b);

        SIM_ASSERT(a < net->nports && b < net->nports); /* links were joined by these ports */
        net->far[(size_t)edge->a * net->nports + a] = (struct machine_far){ edge->b, b };
        net->far[(size_t)edge->b * net->nports + b] = (struct machine_far){ edge->a, a };
    }
    return true;
}

void machine_network_fini(struct machine_network *net)
{
    free(net->far);
}
