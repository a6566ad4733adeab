/* What a host reports to an observer. Called only where one is attached. */
#ifndef NODE_HOST_PROBE_H
#define NODE_HOST_PROBE_H

#include "core/probe.h"
#include "node/host/cpu.h"

SIM_BEGIN_DECLS

enum host_stage {
    HOST_STAGE_IDLE,
    HOST_STAGE_SPEND,
    HOST_STAGE_TSC,
    HOST_STAGE_ROOM,
    HOST_STAGE_STORE,
    HOST_STAGE_STORE_QUEUE,
    HOST_STAGE_STORE_LIMIT,
    HOST_STAGE_STORE_OUT,
    HOST_STAGE_FENCE,
    HOST_STAGE_MEMORY,
    HOST_STAGE_ORDERED,
    HOST_STAGE_LOAD_OUT,
    HOST_STAGE_LOAD_IN,
    HOST_STAGE_UNANSWERED,
    HOST_STAGE_POLL,
    HOST_STAGE_EGRESS,
    HOST_STAGE_TURN,
    HOST_STAGE_MEMORY_WRITE,
    HOST_STAGE_MEMORY_READ,
    HOST_STAGE_READ_LIMIT,
    HOST_STAGE_FORWARD,
    HOST_STAGE_SOCKET,
    HOST_STAGE_IRQ,
    HOST_STAGE_PHASE, /* and NODE_PHASES - 1 more */
    HOST_STAGES = HOST_STAGE_PHASE + NODE_PHASES
};

/** A mark by the later of two causes; a probe is attached. */
SIM_PROBE_ONLY uint64_t host_probe_mark(const struct node_host *host, const char *where,
                                        enum host_stage stage, sim_time_t time, uint64_t cause_a,
                                        uint64_t cause_b);
/** A packet leaves a queue now, towards a root port or (HOST_PORTS) the inside. */
SIM_PROBE_ONLY uint64_t host_probe_queue(const struct node_host *host, enum host_stage stage,
                                         const char *where, uint32_t queue, unsigned target,
                                         const struct pcie_tlp *tlp);
/** Up to now, stores waited for others to reach the root port. */
SIM_PROBE_ONLY void host_probe_limited(const struct node_core *core, sim_time_t from);

SIM_END_DECLS
#endif /* NODE_HOST_PROBE_H */
