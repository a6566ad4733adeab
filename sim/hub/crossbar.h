/*
 * Outputs, each of which takes one packet at a time from the sources that want it.
 */
#ifndef HUB_CROSSBAR_H
#define HUB_CROSSBAR_H

#include "core/arbiter.h"
#include "pcie/tlp/tlp.h"

SIM_BEGIN_DECLS

struct hub;

struct hub_output {
    uint64_t free_edge;         /* from which it is free */
    struct sim_arbiter arbiter; /* among sources whose head wants it */
    uint64_t transit;           /* those of packets that go straight on, if it carries a ring */
};

/** Could the head of this source leave for `out` but for the time? */
bool hub_may_go(const struct hub *hub, uint32_t source, uint32_t out);
/*
 * A core of another make (hub_core_ops) shows what it does, and the sources and outputs here
 * follow, so that what is said of waits, marks, levels and deadlocks is said of it.
 */
/** Before the packets of this edge move: what do heads wait for? */
void hub_look(struct hub *hub, uint64_t edge);
/** It has granted the head of `source`, of so many beats. @return the packet's mark */
uint64_t hub_granted(struct hub *hub, uint32_t source, uint32_t out, uint64_t beats, uint64_t edge);

void hub_ready(void *user, enum pcie_class cls);
void hub_tick(struct sim_event *ev);

SIM_END_DECLS
#endif
