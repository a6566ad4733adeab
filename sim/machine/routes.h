/*
 * Routes between hubs, from the cables alone. Hubs that cables join, directly or
 * through others, are a sub-cluster; its hubs share one window and take its
 * parts in order of their nodes. Each pair takes a shortest way; of several
 * first steps the port wins that its kind names first.
 */
#ifndef MACHINE_ROUTES_H
#define MACHINE_ROUTES_H

#include "machine/kind.h"

SIM_BEGIN_DECLS

struct machine_router {
    const char *const *ports; /* of its kind, NULL at the end */
    const char *path;         /* for messages */
};

/** A cable between port `port_a` of router `a` and `port_b` of `b`. */
struct machine_edge {
    unsigned a, b;
    const char *port_a, *port_b;
};

/**
 * @param routes_p one entry for each router; ranges never hold the router's own part.
 * @return SIM_ERR_CONFIG when a sub-cluster has more hubs than the window has parts.
 */
int machine_routes_compute(unsigned nrouters, const struct machine_router *routers, unsigned nedges,
                           const struct machine_edge *edges, uint64_t window_bytes,
                           uint64_t part_bytes, struct machine_routes *routes_p,
                           struct sim_error *err);

SIM_END_DECLS
#endif /* MACHINE_ROUTES_H */
