/*
 * Routes between hubs. Hubs that cables join, directly or through others, are a
 * sub-cluster; its hubs share one window and take its parts in the order asked
 * for. A policy says which way each pair takes; the ways become ranges of parts
 * for each port, and a walk along them proves that they lead there.
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

/** Ports of one dimension: only by them does a packet leave while it moves along it. */
struct machine_dimension {
    const char *const *ports; /* NULL at the end */
};

/** By hand: router `at` sends by `port` what is for `to`. */
struct machine_hop {
    unsigned at, to;
    const char *port;
    const char *file; /* where it was written, or NULL */
    unsigned line;
};

/**
 * Dimensions are taken in order: a packet moves a shortest route by the ports of the first one
 * until those of the others alone can bring it to its destination, then by the second one's. All
 * ports in one dimension: a shortest route; one port: one way round a ring; {e, w}, {a, b}:
 * dimension order. Where several first steps are as good, the port that its kind names first is
 * taken.
 */
struct machine_policy {
    unsigned ndimensions; /* 0: one, of all ports */
    const struct machine_dimension *dimensions;
    bool by_hand; /* no way but those by hand */
    unsigned nhops;
    const struct machine_hop *hops; /* by hand; before all else */
    const char *file;               /* where it was written, or NULL */
    unsigned line;
};

struct machine_graph {
    unsigned nrouters, nedges;
    const struct machine_router *routers;
    const struct machine_edge *edges;
    const unsigned *order; /* routers in the order of their parts; NULL: as they are */
    uint64_t window_bytes, part_bytes;
    struct machine_policy policy;
};

/**
 * @param routes_p one entry for each router; ranges never hold the router's own part.
 * @return SIM_ERR_CONFIG when a sub-cluster has more hubs than the window has parts, or a pair of
 * its hubs has no way.
 */
int machine_routes_compute(const struct machine_graph *graph, struct machine_routes *routes_p,
                           struct sim_error *err);

/** The port by which a router sends to part `slot`; NULL: none. */
const char *machine_routes_port(const struct machine_routes *routes, unsigned slot);

/**
 * Walks from each router to each other of its sub-cluster.
 * @return SIM_ERR_CONFIG for a way that is lost or goes round.
 */
int machine_routes_walk(const struct machine_graph *graph, const struct machine_routes *routes,
                        struct sim_error *err);

SIM_END_DECLS
#endif /* MACHINE_ROUTES_H */
