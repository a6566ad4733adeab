/*
 * The root complex. It owns the root ports, the packets on their paths between ports, DRAM and
 * cores, the address windows of the ports, and interrupts on their way to the handler.
 */
#ifndef NODE_HOST_RC_H
#define NODE_HOST_RC_H

#include "core/arbiter.h"
#include "node/host/probe.h"
#include "node/packet.h"
#include "pcie/lossy/misbehave.h"
#include "pcie/port/aer.h"

SIM_BEGIN_DECLS

struct node_host;

/** The CPU's requester ID: bus 0, device 0, function 0. Root port i leads to bus i + 1. */
#define HOST_REQUESTER_ID 0u
#define HOST_MSI_ADDRESS  UINT64_C(0xfee00000) /* where x86 has its local interrupt controllers */
#define HOST_MSI_BYTES    UINT64_C(0x1000)

/* Who may send towards a target: root ports, DRAM (completions), cores. */
#define RC_FROM_MEMORY HOST_PORTS
#define RC_FROM_CORE   (HOST_PORTS + 1)
#define RC_SOURCES     (RC_FROM_CORE + HOST_CORES_MAX)
/* Where to: root ports; the inside, that is DRAM, interrupts and cores; none, unclaimed. */
#define RC_INSIDE    HOST_PORTS
#define RC_TARGETS   (HOST_PORTS + 1)
#define RC_UNCLAIMED RC_TARGETS

/** Packets of one class towards one target: a queue per source, served round robin. */
struct rc_lane {
    struct sim_list queue[RC_SOURCES];
    struct sim_arbiter arbiter; /* among sources with a queue that is not empty */
};

/** A posted packet that was handed to a port. */
struct rc_sent {
    sim_time_t arrived;
    unsigned source;
};

struct rc_port {
    struct node_rc *rc;
    unsigned index;
    struct pcie_port *port;
    struct pcie_function function; /* the bridge that software sees on bus 0 */
    struct sim_list requests;      /* non-posted, still in the receive buffer */
    struct sim_list bells;         /* struct node_bell: behind stores on their way to this port */
    sim_time_t next_crossing;      /* the next write to the other socket may cross */
    uint32_t forwarding;  /* targets to which forwarded writes of this port may not be on the link
                           * yet, one bit each */
    uint64_t posted;      /* packets handed to this port since its link came up; 0 while it is */
    bool down;            /* down, since they are lost */
    struct rc_sent *sent; /* handed to this port last: a ring, as long as its transmit queue */
    uint32_t sent_next, sent_room;
    sim_time_t request_since;    /* the one before their head left then */
    sim_time_t sent_from_memory; /* the last completion piece of DRAM */
    uint64_t rx_stall_memory_ps, rx_stall_tag_ps, tx_stall_memory_ps;
    unsigned memory_reads;     /* in progress */
    sim_time_t completer_free; /* the next completion piece of DRAM may be handed over */
};

/** A read on its way from one root port to another, until its last completion comes back. */
struct rc_forward {
    sim_time_t deadline_ps;
    uint16_t requester_id;
    uint8_t tag, from, to; /* ports */
    uint32_t held;         /* bytes that the limit counts, or one read that crosses the sockets */
};

struct rc_claim {
    uint64_t base, size;
    unsigned port;
};

struct node_rc {
    struct node_host *host;
    struct rc_port port[HOST_PORTS];
    struct rc_lane lane[RC_TARGETS][PCIE_CLASSES];
    uint64_t active;     /* lanes with waiting packets; see rc_lane_bit() */
    uint32_t requesting; /* ports with waiting `requests`, one bit each */
    /* Posted writes taken in and passed on, by path; what may not overtake them compares both. */
    uint64_t posted_in[RC_TARGETS][RC_SOURCES], posted_done[RC_TARGETS][RC_SOURCES];
    struct sim_event arbiter;   /* the one place where ports compete; SIM_CLOCK */
    uint64_t p2p_read_bytes[2]; /* forwarded and not answered, by socket of the requester, */
    uint64_t socket_reads[2];   /* and the number of those that cross the sockets */
    unsigned read_turn;         /* the port that is asked first for a peer-to-peer read */
    /* Where order is checked: packets of one source, and packets that begin or end here. */
    struct pcie_order_watch *order[RC_SOURCES];
    struct pcie_order_end *end;
    uint32_t arrivals;
    struct pcie_misdeeds *misdeeds; /* NULL, or what it does wrong on purpose, */
    sim_time_t stopped_until;       /* and until when nothing leaves the receive buffers */
    struct rc_forward *forwards;    /* as many as the limits allow, oldest first */
    unsigned nforwards;
    struct sim_event timeout; /* scheduled, for an early deadline, while there are any */
    struct rc_claim claims[HOST_CLAIMS];
    unsigned nclaims;
    struct sim_list unused_bells;
    struct sim_list interrupts;
    struct sim_event interrupt; /* the head of `interrupts`; SIM_TASK */
    struct {
        uint64_t memory_write_bytes, memory_read_bytes;
        uint64_t p2p_write_bytes, p2p_reads, p2p_wait_ps;
        uint64_t unclaimed_writes, unclaimed_reads, stray_completions, interrupts;
        uint64_t poisoned_writes, p2p_timeouts;
    } stat;
};

/** Lanes in the order in which they move: posted first, since they free what waits behind them. */
static inline unsigned rc_lane_bit(unsigned target, enum pcie_class cls)
{
    return (unsigned)cls * RC_TARGETS + target;
}
static inline uint64_t rc_lane_mask(unsigned target, enum pcie_class cls)
{
    return UINT64_C(1) << rc_lane_bit(target, cls);
}
_Static_assert(RC_TARGETS *PCIE_CLASSES <= 64, "lanes are bits of a 64-bit mask");

static inline bool node_rc_is_msi(const struct pcie_tlp *tlp)
{
    return tlp->addr - HOST_MSI_ADDRESS < HOST_MSI_BYTES;
}

int node_rc_init(struct node_rc *rc, struct node_host *host, struct sim_error *err);
void node_rc_fini(struct node_rc *rc);
/** The target of a memory request of the CPU or of a port. */
unsigned node_rc_target(const struct node_rc *rc, uint64_t addr, uint64_t bytes);
/**
 * A request of a core, on its way since `stage`, reaches the core's root complex at `at`, and then
 * `target`, a port. Posted ones come back by node_core_taken() when they leave for the link.
 */
void node_rc_request(struct node_core *core, unsigned target, struct pcie_tlp *tlp,
                     enum host_stage stage, sim_time_t at);

/* Between rc_in.c, forward.c and rc.c. */
void node_rc_received(void *user, struct pcie_tlp *tlp);
/** Lets reads leave the receive buffers as far as their limits allow. @return whether any did. */
bool node_rc_admit(struct node_rc *rc);
/** rc_behind.c: a posted packet is handed to the port of `target`. */
void node_rc_handed(struct node_rc *rc, const struct node_packet *p, unsigned target);
/** Does a write to memory wait for one that its port has forwarded before? */
bool node_rc_is_behind(const struct node_rc *rc, const struct node_packet *p);
/** No write to memory may move now: those that wait for a port are looked at when it has sent. */
void node_rc_await_ports(struct node_rc *rc);
/** bells.c: a store of a core is handed to the port of `target`. */
void node_bells_handed(struct node_rc *rc, unsigned target);
/** The last completion for a read that was forwarded from one port to another. */
void node_rc_answered(struct node_rc *rc, unsigned from, unsigned to, const struct pcie_tlp *cpl);
/** A read is to be forwarded. @return false: too much is asked for already. */
bool node_rc_forward(struct node_rc *rc, const struct node_packet *p);
int node_rc_forwards_init(struct node_rc *rc);
/** Whether a path joins the sockets. */
bool node_rc_crosses(const struct node_rc *rc, unsigned a, unsigned b);

static inline void node_rc_consume(struct node_rc *rc, unsigned port, const struct pcie_tlp *tlp)
{
    pcie_port_consume(rc->port[port].port, pcie_tlp_class(tlp), pcie_tlp_data_credits(tlp));
}

SIM_END_DECLS
#endif /* NODE_HOST_RC_H */
