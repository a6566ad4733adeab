/*
 * The bound of a program of many nodes, from link loads: what it says that it moves (its lines
 * `traffic step=0 src=3 dst=4 bytes=65536`, in ranks) is put on the ways that the machine's routes
 * give. In each step the busiest link, or output of a hub, takes its bytes at its rate at best, and
 * one step needs what the one before has brought.
 */
#ifndef LAB_BOUNDS_TRAFFIC_H
#define LAB_BOUNDS_TRAFFIC_H

#include "tools/lab/run/run.h"
#include "tools/lab/topology/topology.h"

SIM_BEGIN_DECLS

/** A put between two nodes of `blocks` pieces, `bytes` in all. */
struct lab_message {
    unsigned step, src, dst;
    uint64_t bytes, blocks;
};

struct lab_traffic {
    unsigned n;
    struct lab_message *messages;
};

/** The traffic that a run has told of, on its nodes. n is 0 when it told of none. */
int lab_traffic_read(const struct lab_run *run, const struct lab_result *result,
                     struct load_arena *arena, struct lab_traffic *traffic_p,
                     struct sim_error *err);

/** Seconds that the steps take at least, one after the other. */
struct lab_traffic_time {
    double link, bus; /* of the links, and of the outputs of the hubs */
    double all;       /* of the slower ones of each step */
};
int lab_traffic_bound(const struct machine_desc *desc, const struct lab_traffic *traffic,
                      struct lab_traffic_time *time_p, struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_BOUNDS_TRAFFIC_H */
