/*
 * Helpers: what a library has running above its rank, by interrupts. A handler of the node rings;
 * one instant later, when all software of its time has run, the helper is asked whether it is
 * wanted, so that the answer does not depend on the order of events. The rank's core is blocked
 * from then on until the helper has ended.
 */
#ifndef LAUNCH_HELPER_H
#define LAUNCH_HELPER_H

#include "hosts/launch/thread.h"

struct launch_helper {
    struct launch_thread thread, *rank;
    struct host_helper what;
    struct sim_event rung;
    bool runs, again; /* it has the core; it was rung meanwhile */
};

/** See host_cpu_ops. */
bool launch_set_helper(struct host *h, const struct host_helper *what);
/** No effect on a rank without a helper. */
void launch_ring(struct launch_thread *rank);
/** The rank has ended, and its helper never runs again. */
void launch_helper_cancel(struct launch_thread *rank);
void launch_helper_fini(struct launch_thread *rank);

#endif /* LAUNCH_HELPER_H */
