/*
 * The parts of a host: cores (cpu.c, stores.c), root complex (rc.c), control
 * network (net.c), and what binds them (host.c).
 */
#ifndef NODE_HOST_INTERNAL_H
#define NODE_HOST_INTERNAL_H

#include "core/arbiter.h"
#include "core/probe.h"
#include "node/host.h"
#include "node/packet.h"
#include "pcie/port/aer.h"

SIM_BEGIN_DECLS

#define HOST_PORTS     8
#define HOST_CORES_MAX 48 /* tag = turn * this + core */
#define HOST_CLAIMS    32
#define HOST_LINE      64 /* bytes of a cache line and of a write-combining buffer */

struct host_config {
    uint64_t ram_bytes, ram_base;
    uint64_t cores, tsc_khz;
    struct host_cpu_config {
        uint64_t store_ps, store_buffers, store_uc_interval_ps, store_to_rc_ps;
        uint64_t store_memory_ps, load_memory_ps;
        uint64_t wc_buffers, wc_drain_ps, posted_writes, fence_ps;
        uint64_t load_to_rc_ps, load_from_rc_ps;
        uint64_t poll_detect_ps, poll_jitter_ps, tsc_read_ps, irq_ps;
    } cpu;
    struct host_rc_config {
        uint64_t egress_ps, memory_write_ps, memory_read_ps, memory_reads;
        uint64_t completion_bytes, completion_interval_ps;
        uint64_t p2p_write_ps, p2p_read_ps, p2p_reads;
        uint64_t socket_write_ps, socket_read_ps, socket_reads;
        uint64_t socket_hop_ps;
        uint64_t completion_timeout_ps;
    } rc;
    struct host_net_config {
        uint64_t latency_ps, bytes_per_us;
    } net;
    uint64_t socket[HOST_PORTS];
    struct pcie_port_config port;
};

/* ---- root complex ---------------------------------------------------------- */

/* Who may send towards a target: root ports, DRAM (completions), cores. */
#define RC_FROM_MEMORY HOST_PORTS
#define RC_FROM_CORE   (HOST_PORTS + 1)
#define RC_SOURCES     (RC_FROM_CORE + HOST_CORES_MAX)
/* Where to: root ports; the inside, that is DRAM, interrupts and cores; nobody. */
#define RC_INSIDE  HOST_PORTS
#define RC_TARGETS (HOST_PORTS + 1)
#define RC_NOBODY  RC_TARGETS

/** Packets of one class towards one target: a queue per source, served round robin. */
struct rc_lane {
    struct node_packet_list queue[RC_SOURCES];
    struct sim_arbiter arbiter; /* among sources with a queue that is not empty */
};

struct rc_port {
    struct node_rc *rc;
    unsigned index;
    struct pcie_port *port;
    struct pcie_function function;    /* the bridge that software sees on bus 0 */
    struct node_packet_list requests; /* non-posted, still in the receive buffer */
    sim_time_t request_since;         /* the one before their head left then */
    sim_time_t sent_from_memory;      /* the last completion piece of DRAM */
    uint64_t rx_stall_memory_ps, rx_stall_tag_ps, tx_stall_memory_ps;
    unsigned memory_reads;     /* in progress */
    sim_time_t completer_free; /* the next completion piece of DRAM may be handed over */
};

/** A read on its way from one root port to another, until its last completion comes back. */
struct rc_forward {
    sim_time_t deadline_ps;
    uint16_t requester_id;
    uint8_t tag, from, to; /* ports */
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
    struct sim_event arbiter; /* the one place where ports compete; SIM_CLOCK */
    unsigned p2p_reads[2];    /* forwarded and not answered, by socket of the requester */
    unsigned socket_reads[2]; /* the same, across the sockets */
    unsigned read_turn;       /* the port that is asked first for a peer-to-peer read */
    /* Where order is checked: of what came from a source, and of ways from and to here. */
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
    struct node_packet_list interrupts;
    struct sim_event interrupt; /* the head of `interrupts`; SIM_TASK */
    struct {
        uint64_t memory_write_bytes, memory_read_bytes;
        uint64_t p2p_write_bytes, p2p_reads, p2p_wait_ps;
        uint64_t unclaimed_writes, unclaimed_reads, stray_completions, interrupts;
        uint64_t poisoned_writes, p2p_timeouts;
    } stat;
};

int node_rc_init(struct node_rc *rc, struct node_host *host, struct sim_error *err);
void node_rc_fini(struct node_rc *rc);
/** The target of a memory request of the CPU or of a port. */
unsigned node_rc_target(const struct node_rc *rc, uint64_t addr, uint64_t bytes);
/**
 * A request of core `core` reaches the root complex at `due`. Posted ones come back by
 * node_core_taken() when they leave for the link. `target` is a port.
 */
void node_rc_request(struct node_rc *rc, unsigned core, unsigned target, const struct pcie_tlp *tlp,
                     sim_time_t due);

/* stall.c */
void node_host_blocked(void *component, machine_block_fn fn, void *arg);

/* Between rc_in.c, forward.c and rc.c. */
void node_rc_received(void *user, struct pcie_tlp *tlp);
/** Lets reads leave the receive buffers as far as their limits allow. @return whether any did. */
bool node_rc_admit(struct node_rc *rc);
/** The last completion for a read that was forwarded from one port to another. */
void node_rc_answered(struct node_rc *rc, unsigned from, unsigned to, const struct pcie_tlp *cpl);
/** A read is forwarded now. */
void node_rc_remember(struct node_rc *rc, const struct node_packet *p);
int node_rc_forwards_init(struct node_rc *rc);
void node_rc_forwards_fini(struct node_rc *rc);
/** Counter and limit of the forwarded reads that one from `source` to `target` belongs to. */
unsigned *node_rc_forwarded(struct node_rc *rc, unsigned source, unsigned target,
                            uint64_t *limit_p);

/** Where order is checked: a packet that it watches leaves; `here`: and takes effect. */
void node_rc_left(struct node_rc *rc, struct node_packet *p, bool here);

static inline void node_rc_consume(struct node_rc *rc, unsigned port, const struct pcie_tlp *tlp)
{
    pcie_port_consume(rc->port[port].port, pcie_tlp_class(tlp), pcie_tlp_data_credits(tlp));
}

/* ---- cores ------------------------------------------------------------------ */

enum core_op {
    CORE_IDLE,
    CORE_PLAIN,
    CORE_STORE,
    CORE_FENCE,
    CORE_LOAD,
    CORE_LOAD_MEMORY,
    CORE_STORE_MEMORY,
    CORE_CONFIG,
    CORE_POLL,
    CORE_SLEEP,
    CORE_TSC
};

enum wc_state { WC_FREE, WC_OPEN, WC_QUEUED, WC_DRAINING };

struct wc_buffer {
    enum wc_state state;
    uint64_t line, mask; /* address; bit per byte written */
    uint64_t opened;     /* order of opening: the oldest is evicted first */
    unsigned pieces;     /* TLPs not yet out of the core */
    sim_time_t free_at;
    uint8_t data[HOST_LINE];
};

#define CORE_MARK_UC UINT32_MAX /* mark of a store that no write-combining buffer made */

/** Stores of one core that have not left it, in order. */
struct store_unit {
    struct node_core *core;
    struct node_packet_list queue;
    unsigned uncached;       /* entries of the store buffer in use */
    unsigned in_flight;      /* left the core, not yet on the way to the link */
    sim_time_t next_uc;      /* the next uncached store may leave */
    sim_time_t fenced_until; /* stores behind the last fence wait until then */
    struct sim_event drain;  /* SIM_TASK */
    struct wc_buffer *wc;    /* cpu.wc_buffers of them */
    uint64_t opened;
    bool limited; /* for the probe: cpu.posted_writes are in flight and more wait, */
    sim_time_t limited_since;
};

struct node_core {
    struct node_host *host;
    unsigned index;
    unsigned socket;
    uint64_t where; /* sim_path_hash() of the core */
    enum core_op op;
    bool waiting;            /* the operation waits for the store unit */
    unsigned held;           /* so often: something else runs on it, */
    bool due;                /* and its operation would have to end, */
    sim_time_t left;         /* so much later than it is let go */
    struct node_core *above; /* see node_core_above() */
    bool sent;               /* a load or configuration request is on its way, */
    uint8_t tag;             /* with this tag, */
    unsigned target;         /* through this root port */
    unsigned turn;        /* grows when a request is given up, so that the next has another tag */
    struct sim_event end; /* of the operation; SIM_TASK */
    struct sim_event memory; /* a store to DRAM takes effect; SIM_CLOCK */
    node_done_fn done;
    void *arg;
    uint64_t value, high;
    uint64_t addr; /* of the operation */
    uint32_t size;
    enum node_mapping mapping;
    uint8_t data[HOST_LINE];
    struct pcie_tlp request;    /* configuration */
    struct node_poll_word word; /* of node_core_poll() */
    struct node_poll_word *words;
    unsigned nwords;
    uint64_t last_load; /* address, for the jitter of polling loops */
    struct sim_stream jitter;
    struct store_unit *stores; /* those of the core below, in a context above one */
    struct store_unit own_stores;
    char *path;     /* for the probe, */
    uint64_t mark;  /* the last one of its program, */
    uint64_t cause; /* and of what ended a load or a poll */
};

/** `below`: NULL, or of which core it is a context. */
int node_core_init(struct node_core *core, struct node_host *host, unsigned index,
                   struct node_core *below, struct sim_error *err);
void node_core_fini(struct node_core *core);
/** A completion for this core's load or configuration request. @return false: it waits for none */
bool node_core_completed(struct node_core *core, const struct pcie_tlp *cpl);
/** A store that it sent went on to the link: there is room for another. */
void node_core_taken(struct node_core *core);
/** Ends the operation after `ps`. */
void node_core_end(struct node_core *core, sim_time_t ps, uint64_t value);
/** A core that is idle begins an operation. */
void node_core_begin(struct node_core *core, enum core_op op, node_done_fn done, void *arg);
/** What it polled is watched no more (wait.c). */
void node_core_poll_end(struct node_core *core);
/** The store unit moved on: an operation that waits for it is tried again. */
void node_core_advance(struct node_core *core);

int node_stores_init(struct node_core *core);
void node_stores_fini(struct node_core *core);
/** @return false when there is no room; node_core_advance() will come. */
bool node_stores_add(struct node_core *core, uint64_t addr, const uint8_t *bytes, uint32_t size,
                     enum node_mapping mapping);
/** Stores from now on wait until the uncore has accepted what the buffers held; loads do not. */
void node_stores_fence(struct node_core *core);
/** Empties the write-combining buffers into the queue of stores. */
void node_stores_flush(struct node_core *core);
static inline bool node_stores_empty(const struct node_core *core)
{
    return core->stores->queue.head == NULL;
}

/* ---- control network --------------------------------------------------------- */

struct net_message {
    struct net_message *next;
    uint32_t size, filled;
    uint8_t bytes[]; /* at a multiple of 8 */
};

struct net_peer {
    struct sim_channel *out; /* to this node */
    struct net_message *arriving;
    struct net_message *first, *last; /* complete, not yet handed over */
};

struct node_net {
    struct node_host *host;
    struct net_peer *peers; /* by node */
    unsigned npeers;
    uint64_t bytes_per_us;
    sim_time_t epoch; /* the transmitter is busy since, and has taken so many bytes: */
    uint64_t epoch_bytes;
    node_net_fn receive;
    void *arg;
    struct sim_event hand_over; /* SIM_TASK */
};

void node_net_init(struct node_net *net, struct node_host *host, uint64_t fabric_bytes_per_us);
void node_net_fini(struct node_net *net);
/** Joins two hosts (struct node_host); see struct machine_port. */
int node_net_join(void *a, void *b, sim_time_t wire_ps, struct sim_error *err);

/* ---- the host ------------------------------------------------------------------ */

struct node_host {
    struct sim_domain *dom;
    const char *path;
    unsigned node;
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

/** Of all that software runs in: cores, one more for the interrupts of a single core, and those
 * above cores, where there are numbers left for them. They are the first so many of `cores`. */
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

/** The CPU's requester ID: bus 0, device 0, function 0. Root port i leads to bus i + 1. */
#define HOST_REQUESTER_ID 0u
#define HOST_MSI_ADDRESS  UINT64_C(0xfee00000) /* where x86 has its local interrupt controllers */
#define HOST_MSI_BYTES    UINT64_C(0x1000)

/** Asks the arbiter to look at `at`; the present time from SIM_ARRIVE or SIM_CLOCK only. */
static inline void node_rc_wake(struct node_rc *rc, sim_time_t at)
{
    sim_schedule_by(rc->host->dom, &rc->arbiter, at, SIM_CLOCK);
}
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

/* ---- probe.c ------------------------------------------------------------------- */

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
    HOST_STAGES
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

/** The packet's next mark, in the root complex; nothing where nobody observes. */
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
