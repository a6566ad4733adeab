/*
 * The bound of a program of many nodes, from link loads. What it says that it moves (its lines
 * `traffic step=0 src=3 dst=4 bytes=65536`, in ranks) is put on the machine's routes. In each step
 * the busiest link, or output of a hub, takes its bytes at its rate at best. One step needs what
 * the one before has brought.
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

/** The traffic that a run has printed, on its nodes. n is 0 when it has printed none. */
struct lab_traffic lab_traffic_read(const struct lab_run *run, const struct lab_result *result,
                                    struct load_arena *arena);

/** Seconds that the steps take at least, one after the other. */
struct lab_traffic_time {
    double link, bus; /* by links, and by the outputs of hubs */
    double all;       /* by the slower ones in each step */
};
struct lab_traffic_time lab_traffic_bound(const struct machine_desc *desc,
                                          const struct lab_traffic *traffic);

SIM_END_DECLS
#endif /* LAB_BOUNDS_TRAFFIC_H */
