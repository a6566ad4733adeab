/* Routers and cables in the form in which ways are searched and walked. */
#ifndef MACHINE_NETWORK_H
#define MACHINE_NETWORK_H

#include "machine/routes.h"

SIM_BEGIN_DECLS

#define MACHINE_NONE UINT32_MAX

/** What is plugged in at a port: the far router, or MACHINE_NONE, and the port there. */
struct machine_far {
    unsigned router, port;
};

struct machine_network {
    const struct machine_graph *graph;
    unsigned n, nports;      /* routers; the most ports that one has */
    struct machine_far *far; /* [router * nports + port] */
};

/** @return false: out of memory. Free with machine_network_fini() in any case. */
bool machine_network_init(struct machine_network *net, const struct machine_graph *graph);
void machine_network_fini(struct machine_network *net);
/** The index of a router's port; the number of its ports when there is none of this name. */
unsigned machine_network_port(const struct machine_network *net, unsigned router, const char *name);

static inline const struct machine_far *machine_network_far(const struct machine_network *net,
                                                            unsigned router, unsigned port)
{
    return &net->far[(size_t)router * net->nports + port];
}

SIM_END_DECLS
#endif /* MACHINE_NETWORK_H */
