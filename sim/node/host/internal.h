/* A host as a whole: what its parts share, and what they reach through it. */
#ifndef NODE_HOST_INTERNAL_H
#define NODE_HOST_INTERNAL_H

#include "node/host/cpu.h"
#include "node/host/probe.h"
#include "node/host/rc.h"
#include "node/net.h"

SIM_BEGIN_DECLS

struct node_host {
    struct sim_domain *dom;
    const char *path;
    struct host_config cfg;
    struct mem_pool *payloads;
    struct node_packet_pool packets;
    struct mem_ram ram;
    uint64_t ram_where; /* fingerprint of what devices write */
    struct {
        unsigned socket;   /* DRAM below this address, and so many segments of single pages, */
        uint64_t end;      /* belong to this socket; the rest to the other one */
        uint64_t segments; /* all of it to socket 0 at first */
    } home;
    struct node_rc rc;
    struct node_core *cores;
    struct node_net net;
    uint64_t failed_loads, dropped_stores;
    node_irq_fn irq;
    void *irq_arg;
    const struct sim_probe *probe;
    uint64_t cause; /* for the probe: of the bytes that reach memory now */
};

/** How many contexts software can run in: cores, one more for the interrupts of a single core, and
 * those above cores, where there are numbers left for them. They are the first so many of `cores`.
 */
unsigned node_host_contexts(const struct node_host *host);

/** How much longer an access of a core or of DRAM on `socket` takes to a root port, each way. */
static inline sim_time_t node_hop_ps(const struct node_host *host, unsigned socket, unsigned port)
{
    return host->cfg.socket[port] != socket ? host->cfg.rc.socket_hop_ps : 0;
}
/** The socket of DRAM at `addr`. */
static inline unsigned node_memory_socket(const struct node_host *host, uint64_t addr)
{
    bool home = addr >= MEM_PINS_BASE
                    ? (addr - MEM_PINS_BASE) / MEM_PINS_SEGMENT < host->home.segments
                    : addr < host->home.end;

    return home ? host->home.socket : 1 - host->home.socket;
}

/** Asks the arbiter to look at `at`; the present time from SIM_ARRIVE or SIM_CLOCK only. */
static inline void node_rc_wake(struct node_rc *rc, sim_time_t at)
{
    sim_schedule_by(rc->host->dom, &rc->arbiter, at, SIM_CLOCK);
}
/** Packets that cannot go on; see struct machine_kind. */
void node_host_blocked(void *component, machine_block_fn fn, void *arg);

/** The packet's next mark, in the root complex; nothing without an observer. */
static inline void host_mark(const struct node_host *host, enum host_stage stage, sim_time_t time,
                             struct pcie_tlp *tlp)
{
    if (host->probe != NULL)
        tlp->trace_id = host_probe_mark(host, host->path, stage, time, tlp->trace_id, 0);
}

static inline const struct host_cpu_config *host_cpu_of(const struct node_core *core)
{
    return &core->host->cfg.cpu;
}

/** The next mark of the core's program, at the present time. */
static inline void core_mark(struct node_core *core, enum host_stage stage, uint64_t cause)
{
    if (core->host->probe != NULL)
        core->mark = host_probe_mark(core->host, core->path, stage, sim_now(core->host->dom),
                                     core->mark, cause);
}

SIM_END_DECLS
#endif /* NODE_HOST_INTERNAL_H */
