/*
 * A hub: each block's part of it, with what all blocks use. Calls lead downwards:
 *
 *   hub.c                           makes it
 *   crossbar.c  observe/stall.c     who gets an output
 *   receive.c  configure.c          packets that come
 *   target.c  bringup.c             what ends here; registers ask dma/, which never calls them
 *   dma/                            descriptors, reads, writes
 *   notify.c  ddr.c  timeout.c  observe/
 *   queue.c  router.c  arbiter/     sources of packets, the way out
 *   edge.h  ports.h
 */
#ifndef HUB_INTERNAL_H
#define HUB_INTERNAL_H

#include "hub/arbiter/arbiter.h"
#include "hub/crossbar.h"
#include "hub/observe/observe.h"
#include "hub/queue.h"
#include "hub/route.h"
#include "hub/self.h"

/* What forwarding touches lies in front, by cache lines. */
struct hub {
    struct sim_domain *dom;
    struct sim_event tick;
    uint64_t tick_edge;
    uint64_t next_edge;  /* after the last one that was evaluated: each is, at most once */
    uint32_t busy_dma;   /* channels that are not idle */
    uint32_t wanted;     /* outputs that some source wants */
    uint32_t configures; /* ports with answers to configuration requests */
    uint32_t receiving;  /* ports with packets that wait for their receive stream */
    uint32_t arrivals;   /* packets put so far, wraps */
    bool in_turn : 1;    /* the arbiter is round robin */
    bool watched : 1;    /* the order of packets is checked */
    bool hashed : 1;     /* fingerprints are taken */
    bool misbehaves : 1; /* misdeeds is not NULL */
    bool stopped : 1;    /* nothing is taken from the ports' receive buffers */
    bool overdue : 1;    /* the deadline of a request is due at this edge, perhaps */
    bool interrupts : 1; /* an interrupt waits until it can join the local queue */
    uint16_t vc1;        /* outputs with a virtual channel 1, */
    uint16_t date_line;  /* and those of them where packets change to it */
    alignas(SIM_CACHE_LINE) struct hub_config cfg; /* with the stages of the core in front */
    struct sim_clock clk;
    sim_time_t edge_now; /* the time that hub_clock_edge() was last asked for, */
    uint64_t edge_value; /* and its answer */
    const struct sim_probe *probe;
    const struct hub_watch *watch;       /* NULL: it is compared with no other core */
    const struct hub_core_ops *core_ops; /* NULL: the core in C */
    void *core;
    uint64_t cause;               /* for the probe: the last mark of the packet that was granted */
    struct pcie_order_end *order; /* NULL: not watched */
    struct pcie_misdeeds *misdeeds; /* NULL, or what it does wrong on purpose */
    struct mem_pool *pool;
    /* crossbar */
    alignas(SIM_CACHE_LINE) struct hub_output output[HUB_OUTPUTS];
    struct hub_fifo fifo[HUB_SOURCES];
    uint32_t local_units; /* data in the hub's own queue, in units of 16 bytes, */
    uint64_t local_edge;  /* and from which edge on one more packet may join it */
    struct hub_fifo sink; /* completions on their way to DMA channels, each at its edge */
    struct hub_port ports[HUB_MAX_PORTS];
    uint32_t nports;
    /* routing unit: the pairs in the order in which they are compared */
    uint32_t nranges;
    struct hub_range ranges[HUB_MAX_PORTS * HUB_ROUTE_PAIRS];
    /* window */
    uint64_t window_bytes, part_bytes; /* powers of two */
    uint32_t area_log2;                /* of an area's bytes */
    uint32_t slot, subcluster;
    uint64_t area_base[HUB_AREA_SELF];
    const char *path;
    /* registers and memory */
    uint8_t internal[HUB_INTERNAL_BYTES];
    uint64_t internal_edge;           /* from which its read port of the DMA channels is free, */
    struct sim_arbiter internal_turn; /* which they get in turn */
    struct hub_internal_read internal_read;
    uint8_t internal_descriptor[HUB_DESC_BYTES]; /* as it is read */
    uint32_t irq_status, irq_mask;
    uint32_t irq_raised, irq_wanted, irq_cleared; /* bits of this edge; wanted: not masked */
    uint64_t irq_cause;                           /* for the probe: of those that were raised */
    struct hub_self_write write;
    uint64_t ring_base, ring_head, ring_tail;
    uint32_t ring_size;
    uint32_t notify_head, notify_tail; /* free-running */
    uint64_t notify_wait[HUB_RING_WAITS], notify_lost;
    uint32_t bringups; /* ports whose configuration request is yet to join the local queue */
    uint32_t requests; /* own reads that are not yet answered */
    uint64_t unsupported, notifications;
    /* packets in DDR3 */
    uint64_t ddr_edge, ddr_tlps; /* ddr_edge: from which it is free */
    uint32_t ddr_asked;          /* ports with packets that may go there */
    struct sim_arbiter ddr_turn; /* among these */
    struct {
        const struct hub_port *port; /* NULL: nothing is written */
        struct pcie_tlp tlp;
        uint64_t edge; /* at which all of it is there */
    } ddr_write;
    struct pcie_verdict verdict; /* on the request that is answered now */
    struct sim_event timeout;    /* scheduled, for an early deadline, exactly while requests wait */
    uint64_t timeout_cycles;
    struct hub_dma dma[HUB_DMA_CHANNELS];
    struct hub_wait wait[HUB_SOURCES];
    uint64_t stall_ps[HUB_PLACES][SIM_STALL_CAUSES];
    /* where the arbiter is another than round robin; see struct hub_contest */
    const struct hub_arbiter *arbiter;
    struct {
        uint64_t since[HUB_SOURCES];
        uint8_t weight[HUB_SOURCES], share[HUB_OUTPUTS][HUB_SOURCES];
    } contest;
};

/** @return its id; 0 without an observer */
static inline uint64_t hub_marks(const struct hub *hub, enum hub_stage stage, uint64_t edge,
                                 uint64_t cause_a, uint64_t cause_b, uint64_t cause_c)
{
    return hub->probe != NULL ? hub_probe_mark(hub, stage, edge, cause_a, cause_b, cause_c) : 0;
}
static inline uint64_t hub_mark(const struct hub *hub, enum hub_stage stage, uint64_t edge,
                                uint64_t cause)
{
    return hub_marks(hub, stage, edge, cause, 0, 0);
}

static inline struct hub_edge *hub_host(struct hub *hub)
{
    return &hub->ports[HUB_HOST].edge;
}

/** Which area of its part an offset in the window lies in, and where in it. */
static inline uint64_t hub_area(const struct hub *hub, uint64_t offset)
{
    return offset >> hub->area_log2 & (HUB_AREAS - 1);
}
static inline uint64_t hub_in_area(const struct hub *hub, uint64_t offset)
{
    return offset & ((UINT64_C(1) << hub->area_log2) - 1);
}

/** The head of `source` wants to go there. */
static inline void hub_want(struct hub *hub, uint32_t source, uint32_t out)
{
    hub->output[out].arbiter.requests |= UINT64_C(1) << source;
    hub->wanted |= 1u << out;
}

/** Do packets of this source go straight on through the ring of `out`? */
static inline bool hub_goes_on(const struct hub *hub, uint32_t source, uint32_t out)
{
    return (hub->output[out].transit >> source & 1) != 0;
}

#endif
