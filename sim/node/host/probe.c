/* What a host reports to an observer: the operations of its cores, its root complex and its memory.
 */
#include "node/host/internal.h"

#define STAGE(stage, use, name, kind, phase, text)                                                 \
    [HOST_STAGE_##stage] = { (name), SIM_KIND_##kind, SIM_STAGE_##use, (phase), (text) }

/* Such a mark takes no time: what its program does behind it counts as that phase. */
#define PHASE(phase, name)                                                                         \
    [HOST_STAGE_PHASE + NODE_PHASE_##                                                              \
        phase] = { (name), SIM_KIND_SOFTWARE, SIM_STAGE_STEP, (name), "a library begins it" }

static const struct sim_stage stages[HOST_STAGES] = {
    STAGE(IDLE, STEP, "asleep", SOFTWARE, NULL, "the program slept or waited for a message"),
    STAGE(SPEND, STEP, "library call", SOFTWARE, NULL, "cost of a call or of computing"),
    STAGE(TSC, STEP, "time-stamp counter", SOFTWARE, NULL, "reading the time-stamp counter"),
    STAGE(ROOM, STEP, "store buffer full", CPU, NULL, "the core waits for room for a store"),
    STAGE(STORE, STEP, "store instruction", CPU, NULL, "a store that found room"),
    STAGE(STORE_QUEUE, QUEUE, "store buffer", CPU, NULL,
          "behind earlier stores, which leave one by one"),
    STAGE(STORE_LIMIT, PLAIN, "posted stores in flight", CPU, NULL,
          "the limit of stores on their way"),
    STAGE(STORE_OUT, PLAIN, "store to root complex", CPU, NULL,
          "from the core to the root complex"),
    STAGE(FENCE, STEP, "store fence", CPU, NULL, "until all stores have left the core"),
    STAGE(MEMORY, STEP, "memory access of the core", CPU, NULL, "a load or store of DRAM"),
    STAGE(ORDERED, STEP, "behind own stores", CPU, NULL, "a load waits for the stores before it"),
    STAGE(LOAD_OUT, PLAIN, "load to root complex", CPU, NULL, "from the core to the root complex"),
    STAGE(LOAD_IN, PLAIN, "load back to core", CPU, NULL, "from the root port to the core"),
    STAGE(UNANSWERED, STEP, "unanswered access", CPU, NULL, "an access that no device answers"),
    STAGE(POLL, STEP, "poll", POLL, "poll",
          "from the bytes in DRAM until the polling loop has left"),
    STAGE(EGRESS, PLAIN, "egress", ROOT_COMPLEX, NULL, "from the core's side to the root port"),
    STAGE(TURN, QUEUE, "root complex turn", ROOT_COMPLEX, NULL,
          "order and turn among the packets to a port"),
    STAGE(MEMORY_WRITE, PLAIN, "memory write", MEMORY, NULL,
          "from the root port until visible in DRAM"),
    STAGE(MEMORY_READ, PLAIN, "memory read", MEMORY, NULL,
          "from the root port to the first completion"),
    STAGE(READ_LIMIT, PLAIN, "reads in progress", READ_LIMIT, NULL,
          "the root complex takes no further read before one has ended"),
    STAGE(FORWARD, PLAIN, "peer to peer", ROOT_COMPLEX, NULL, "from one root port to another"),
    STAGE(SOCKET, PLAIN, "socket crossing", ROOT_COMPLEX, NULL, "between the sockets"),
    STAGE(IRQ, PLAIN, "interrupt", CPU, NULL, "from the message to its handler"),
    PHASE(CALL, "call"),
    PHASE(STAGE, "staging"),
    PHASE(COPY, "copy"),
    PHASE(CACHE, "cache"),
    PHASE(DESCRIPTOR, "write descriptor"),
    PHASE(DOORBELL, "doorbell"),
    PHASE(PACKET, "packet"),
    PHASE(LAND, "landing"),
    PHASE(HANDLER, "handler"),
};

uint64_t host_probe_mark(const struct node_host *host, const char *where, enum host_stage stage,
                         sim_time_t time, uint64_t cause_a, uint64_t cause_b)
{
    const struct sim_mark mark = {
        .stage = &stages[stage],
        .where = where,
        .time = time,
        .cause = { cause_a, cause_b },
    };

    return host->probe->mark(host->probe->arg, &mark);
}

uint64_t host_probe_queue(const struct node_host *host, enum host_stage stage, const char *where,
                          uint32_t queue, unsigned target, const struct pcie_tlp *tlp)
{
    const struct sim_mark mark = {
        .stage = &stages[stage],
        .where = where,
        .time = sim_now(host->dom),
        .cause = { tlp->trace_id },
        .toward = target < HOST_PORTS ? pcie_port_path(host->rc.port[target].port) : NULL,
        .queue = queue,
        .toward_queues = pcie_probe_queues(pcie_tlp_class(tlp), false),
    };

    return host->probe->mark(host->probe->arg, &mark);
}

void host_probe_limited(const struct node_core *core, sim_time_t from)
{
    sim_probe_hold(core->host->probe, &stages[HOST_STAGE_STORE_LIMIT], core->path, 0, from,
                   sim_now(core->host->dom));
}
