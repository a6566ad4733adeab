/*
 * Inside the hub core. Sources hold packets that want to go somewhere, outputs
 * take one packet at a time:
 *
 *   port x class FIFOs --+                     +-- ports (bus to the hard block)
 *   local FIFO ----------+-- arbiters, one ----+-- self: registers, internal memory
 *   DMA reads, writes ---+    per output       +-- sink: completions to the DMA engine
 */
#ifndef HUB_INTERNAL_H
#define HUB_INTERNAL_H

#include "core/probe.h"
#include "hub/hub.h"
#include "pcie/port/aer.h"
#include "pcie/tlp/ordering.h"
#include "regs/hub_regs.h"

#define HUB_TAGS_PER_CHANNEL 32u /* tag = channel * 32 + index */
#define HUB_FETCH_TAG        (HUB_DMA_CHANNELS * HUB_TAGS_PER_CHANNEL) /* + channel */
#define HUB_BRINGUP_TAG      (HUB_FETCH_TAG + HUB_DMA_CHANNELS)
#define HUB_PREFETCH_MAX     16u
#define HUB_ROUTE_NONE       0xffu
#define HUB_ANSWERS_MAX      36u /* 4 KiB in completions of 128 B, unaligned, and an interrupt */

/* A TLP on a cable carries its offset in the window on this base, the same in all machines, since
 * the bases that hosts assign may differ. It is what the far endpoint's BAR is set to. */
#define HUB_CABLE_BASE (UINT64_C(1) << 40)

enum {
    OUT_SELF = HUB_MAX_PORTS, /* after the ports */
    OUT_SINK,
    HUB_OUTPUTS
};

enum {
    SRC_LOCAL = HUB_MAX_PORTS * PCIE_CLASSES,        /* after port * PCIE_CLASSES + class */
    SRC_DMA_READ,                                    /* + channel: requests on their way to N */
    SRC_DMA_WRITE = SRC_DMA_READ + HUB_DMA_CHANNELS, /* + channel: the next write */
    HUB_SOURCES = SRC_DMA_WRITE + HUB_DMA_CHANNELS
};
_Static_assert(HUB_SOURCES < 64, "sources are bits of a 64-bit mask");

/** A packet that waits; a cache line. */
struct hub_entry {
    struct pcie_tlp tlp;
    uint64_t edge;  /* the first edge at which it may be granted */
    uint32_t order; /* of arrival, wraps */
    uint8_t out;
    bool in_ddr; /* and no longer in the receive buffer */
};
_Static_assert(sizeof(struct hub_entry) <= SIM_CACHE_LINE, "one line for each packet");

/** The packets of one source. */
struct hub_fifo {
    struct hub_entry *ring;
    uint32_t mask, head, tail; /* free-running */
    uint8_t waits;             /* enum hub_waits of the head */
    uint64_t free_edge;        /* from which its read port is free */
};

static inline bool fifo_empty(const struct hub_fifo *f)
{
    return f->head == f->tail;
}
static inline struct hub_entry *fifo_head(const struct hub_fifo *f)
{
    return &f->ring[f->head & f->mask];
}

enum bringup_step {
    BRINGUP_IDLE,
    BRINGUP_ID,
    BRINGUP_BAR_LOW,
    BRINGUP_BAR_HIGH,
    BRINGUP_CONTROL,
    BRINGUP_COMMAND,
    BRINGUP_DONE,
    BRINGUP_FAILED
};

struct hub_port {
    alignas(SIM_CACHE_LINE) struct hub *hub;
    struct pcie_port *pcie;
    uint64_t forwarded_tlps, blocked_grants;
    uint8_t index;
    uint8_t role;                   /* enum hub_role */
    struct pcie_order_watch *order; /* of its receive buffer and the DDR3; NULL: not watched */
    sim_time_t deadline_ps;         /* of the management processor's request */
    uint8_t bringup;                /* enum bringup_step; roots: how far the neighbour is */
    struct pcie_function function;  /* endpoints: what a root configures */
};

/** An arbiter. */
struct hub_output {
    uint64_t free_edge; /* from which it is free */
    uint64_t want;      /* sources whose head wants it */
    uint32_t turn;      /* round robin: the first source that is asked, or one behind the last */
};

/** What the head of a source was found waiting for when its output was free for it. */
enum hub_waits {
    HUB_WAITS_NOT,
    HUB_WAITS_ORDER,  /* behind a posted write */
    HUB_WAITS_ROOM,   /* for room in the port, that is for what the port itself waits for */
    HUB_WAITS_CREDIT, /* for credits that let it enter a ring */
    HUB_WAITS_SELF,   /* for room for its answers, or in the ring of notifications */
};

struct hub_wait {
    sim_time_t since;
    struct pcie_stalls before; /* HUB_WAITS_ROOM: of the port, at that time */
};

/** Who has sources of its own, and what their heads have waited for. */
enum {
    HUB_PLACE_DMA = HUB_MAX_PORTS,
    HUB_PLACE_LOCAL = HUB_PLACE_DMA + HUB_DMA_CHANNELS,
    HUB_PLACES
};

struct hub_place {
    uint64_t stall_ps[SIM_STALL_CAUSES];
};

/** A (lower, upper) pair of the routing unit. */
struct hub_range {
    uint64_t lower, upper; /* offsets in the window, both inclusive */
    uint32_t port;
};

/** One read request of a DMA channel; they lie in the order of the data. */
struct hub_read {
    uint64_t dst;
    uint32_t bytes, received, written;
    uint8_t tag;
    bool waits;  /* for completions, until deadline_ps, */
    bool failed; /* and nothing of it is written any more */
    sim_time_t deadline_ps;
    uint64_t ready_edge;           /* of the bytes received so far */
    uint8_t *buffer;               /* dma_read_bytes */
    uint64_t data_mark, free_mark; /* the bytes received so far; the place is free again */
};

struct hub_descriptor {
    uint64_t src, dst, data; /* data: of a status descriptor */
    uint32_t size, next, burst, src_gap, dst_gap;
    bool status, pipeline, internal;
    uint64_t edge; /* when it is there and decoded */
    uint64_t mark; /* the same for an observer */
};

/** Last marks of what the work of a channel waits for; 0 where nobody observes. */
struct hub_dma_marks {
    uint64_t fetch;   /* the next descriptor may be fetched */
    uint64_t begun;   /* the descriptor at work began */
    uint64_t over;    /* what came before it was issued, or its status word sent */
    uint64_t issued;  /* the last read request */
    uint64_t pace;    /* the next one may follow */
    uint64_t written; /* the last packet of data or status was granted */
    uint64_t status;  /* the status word is prepared */
    bool was_status;  /* `written` was a status word */
};

enum dma_mode { DMA_IDLE, DMA_REGISTER, DMA_CHAIN };

struct hub_dma {
    struct hub *hub;
    uint32_t channel;
    /* registers */
    uint64_t src, dst, length, status_addr, status_data, table, irq, bytes;
    enum dma_mode mode;
    uint32_t error, chains;
    bool failed;
    /* descriptors fetched and not yet begun */
    struct hub_descriptor ahead[HUB_PREFETCH_MAX];
    uint32_t ahead_head, ahead_tail; /* free-running */
    uint32_t fetch_next;             /* pointer of the next one to fetch; HUB_DESC_END: none */
    bool fetch_waits;                /* a fetch is on its way */
    uint8_t fetch_tag;
    sim_time_t fetch_deadline_ps;
    uint64_t fetch_edge;
    bool unanswered;   /* a request of this list was given up, */
    uint32_t tag_turn; /* so the next one uses other tags */
    /* the descriptor at work: its reads are being issued, or its status is due */
    struct hub_descriptor now;
    bool active, ending; /* ending: `now` is the status word of the registers */
    bool overlaps;       /* the last one allowed the next to begin before its end */
    uint64_t src_at, dst_at;
    uint32_t left, row_left;
    uint64_t next_issue_edge, last_issue_edge, status_edge;
    /* reads in flight and data not yet written */
    struct hub_read *reads;        /* ring of dma_read_tags */
    uint32_t read_head, read_tail; /* free-running */
    bool releasing;                /* the write on the bus is the last one of its request */
    struct hub_dma_marks marks;
};

/* What forwarding touches lies in front, by cache lines. */
struct hub {
    struct sim_domain *dom;
    struct sim_event tick;
    uint64_t tick_edge;
    uint32_t busy_dma;   /* channels that are not idle */
    uint32_t wanted;     /* outputs that some source wants */
    uint32_t arrivals;   /* packets put so far, wraps */
    bool watched : 1;    /* the order of packets is checked */
    bool misbehaves : 1; /* misdeeds is not NULL */
    bool stopped : 1;    /* nothing is taken from the ports' receive buffers */
    uint8_t vc1;         /* outputs with a virtual channel 1, */
    uint8_t date_line;   /* and those of them where packets change to it */
    alignas(SIM_CACHE_LINE) struct hub_config cfg; /* with the stages of the core in front */
    struct sim_clock clk;
    sim_time_t edge_now; /* the time that hub_edge() was last asked for, */
    uint64_t edge_value; /* and its answer */
    const struct sim_probe *probe;
    uint64_t cause;               /* for the probe: the last mark of the packet that was granted */
    struct pcie_order_end *order; /* NULL: not watched */
    struct pcie_misdeeds *misdeeds; /* NULL, or what it does wrong on purpose */
    struct mem_pool *pool;
    /* crossbar */
    alignas(SIM_CACHE_LINE) struct hub_output output[HUB_OUTPUTS];
    struct hub_fifo fifo[HUB_SOURCES];
    struct hub_port ports[HUB_MAX_PORTS];
    uint32_t nports;
    /* routing unit: the pairs in the order in which they are compared */
    uint32_t nranges;
    struct hub_range ranges[HUB_MAX_PORTS * HUB_ROUTE_PAIRS];
    /* window */
    uint64_t window_bytes, part_bytes, area_bytes;
    uint32_t slot, subcluster;
    uint64_t area_base[HUB_AREA_SELF];
    char *path;
    /* registers and memory */
    uint8_t internal[HUB_INTERNAL_BYTES];
    uint32_t irq_status, irq_mask;
    uint64_t notify_latch, ring_base, ring_head, ring_tail;
    uint32_t ring_size;
    uint32_t requests; /* of the own reads, not yet answered */
    uint64_t unsupported, notifications;
    /* packets in DDR3 */
    uint64_t ddr_used, ddr_edge, ddr_tlps; /* ddr_edge: from which it is free */
    uint32_t ddr_wanted;                   /* bit per port that has just received a packet for it */
    struct sim_event ddr_settle;           /* SIM_CLOCK */
    struct pcie_verdict verdict;           /* on the request that is answered now */
    struct sim_event timeout; /* scheduled, for an early deadline, exactly while requests wait */
    struct hub_dma dma[HUB_DMA_CHANNELS];
    struct hub_wait wait[HUB_SOURCES];
    struct hub_place place[HUB_PLACES];
};

/* hub.c */
void hub_register_stat(struct hub *hub, const uint64_t *value, const char *name, const char *unit,
                       const char *meaning);

/* crossbar.c */
bool fifo_init(struct hub_fifo *f, uint32_t entries);
void fifo_fini(struct hub_fifo *f);
/** The edge of the present time; inside a tick, the tick's edge. */
uint64_t hub_edge(struct hub *hub);
void hub_wake(struct hub *hub, uint64_t edge);
/** Appends to a source what may be granted from `edge` on; the TLP becomes the hub's. */
void hub_put(struct hub *hub, uint32_t source, const struct pcie_tlp *tlp, uint32_t out,
             uint64_t edge);
/** The same, and wakes the hub at that edge. */
void hub_push(struct hub *hub, uint32_t source, const struct pcie_tlp *tlp, uint32_t out,
              uint64_t edge);
/** Do packets of a ring go on by this port? */
bool hub_carries_ring(uint32_t port);
/** Room for the answers that one request can make. */
bool hub_local_room(const struct hub *hub);
/** Could the head of this source leave for `out` but for the time? */
bool hub_may_go(const struct hub *hub, uint32_t source, uint32_t out);
void hub_received(void *user, struct pcie_tlp *tlp);
void hub_ready(void *user, enum pcie_class cls);
void hub_tick(struct sim_event *ev);

/* router.c */
/** Where a window offset goes: a port, OUT_SELF, or HUB_ROUTE_NONE. */
uint32_t hub_route(const struct hub *hub, uint64_t offset);
/** The k-th pair of a port; NULL: it has fewer. */
const struct hub_range *hub_range(const struct hub *hub, uint32_t port, uint32_t k);
/** Offset in the window of a bus address at the N port; false when it lies outside. */
bool hub_window_offset(const struct hub *hub, uint64_t addr, uint64_t *offset_p);
/** The address a packet carries when it leaves by `out`: translated by area at N. False: closed
 * area. */
bool hub_leave(const struct hub *hub, uint32_t out, uint64_t offset, uint64_t *addr_p);
int hub_set_routes(void *component, const struct machine_routes *routes, struct sim_error *err);
const char *hub_route_of(void *component, unsigned slot);

/* timeout.c: requests that are not answered in time */
/** One more request waits. @return its deadline */
sim_time_t hub_request_sent(struct hub *hub);
void hub_request_ended(struct hub *hub);
void hub_timeout_init(struct hub *hub);

/* target.c: registers, internal memory, configuration space, completions */
bool self_accepts(const struct hub *hub, const struct pcie_tlp *tlp);
/** A TLP granted to OUT_SELF; `port` is where an answer goes. Consumes the payload. */
void self_take(struct hub *hub, uint32_t port, struct pcie_tlp *tlp);
void self_unsupported(struct hub *hub, uint32_t port, struct pcie_tlp *tlp);
void hub_raise(struct hub *hub, uint32_t bits);
uint64_t hub_register_read(struct hub *hub, uint32_t offset);

/* wait.c */
void hub_wait_register(struct hub *hub);
/** The head of `source`, which its output could take from edge `at` on, is found waiting. */
void hub_wait_found(struct hub *hub, uint32_t source, uint32_t out, uint64_t at,
                    enum hub_waits waits);
/** The head of `source` is about to be granted, later than at edge `at`, or out of DDR3. */
void hub_wait_over(struct hub *hub, uint32_t source, uint32_t out, uint64_t at);
/** From edge `from` until now, DMA channel `channel` wanted to read and had no tag. */
void hub_wait_tag(struct hub *hub, uint32_t channel, uint64_t from);

/* stall.c */
void hub_blocked(void *component, machine_block_fn fn, void *arg);

/* fault.c; see struct machine_kind */
extern const struct machine_fault_kind hub_faults[];
int hub_fault(void *component, const char *port, const struct machine_fault_kind *what,
              const void *config, struct sim_error *err);

/* probe.c; where a probe is attached */
enum hub_stage {
    HUB_STAGE_CLOCK,
    HUB_STAGE_RECEIVE,
    HUB_STAGE_ROUTE,
    HUB_STAGE_OUTPUT,
    HUB_STAGE_DDR,
    HUB_STAGE_QUEUE,
    HUB_STAGE_REGISTER,
    HUB_STAGE_DMA_START,
    HUB_STAGE_FETCH,
    HUB_STAGE_FETCH_INTERNAL,
    HUB_STAGE_FETCHED,
    HUB_STAGE_DECODE,
    HUB_STAGE_BEGIN,
    HUB_STAGE_PACE,
    HUB_STAGE_READ,
    HUB_STAGE_READ_INTERNAL,
    HUB_STAGE_READ_DONE,
    HUB_STAGE_WRITE,
    HUB_STAGE_TAG,
    HUB_STAGE_PREPARE,
    HUB_STAGE_STATUS,
    HUB_STAGES
};
/** A mark at a clock edge, by the last of its causes. */
SIM_PROBE_ONLY uint64_t hub_probe_mark(const struct hub *hub, enum hub_stage stage, uint64_t edge,
                                       uint64_t cause_a, uint64_t cause_b, uint64_t cause_c);
/** A packet came in by a port, joins its queue and is on its way to `out`. */
SIM_PROBE_ONLY uint64_t hub_probe_received(struct hub *hub, const struct hub_port *port,
                                           const struct pcie_tlp *tlp, uint32_t out);
/** The head of `source` is granted now; its way is free again at `free_edge`. `entering`: it is
 * new in a ring, and credits for it alone do not suffice. */
SIM_PROBE_ONLY uint64_t hub_probe_granted(struct hub *hub, uint32_t source, uint32_t out,
                                          const struct pcie_tlp *tlp, uint64_t free_edge,
                                          bool entering);

/* levels.c; the same */
void hub_level_start(const struct hub *hub);
/** Somebody is told of levels: `count` packets are in the queue of `source`. */
void hub_level_queue(const struct hub *hub, uint32_t source, uint32_t count);
/** The head of `source` has left for `out` now; its beats take the ways of both up to `free_edge`.
 */
void hub_level_grant(const struct hub *hub, uint32_t source, uint32_t out, uint64_t free_edge);
/** What a DMA channel does has changed, perhaps. */
SIM_PROBE_ONLY void hub_level_dma(const struct hub_dma *dma);

/** 0 where nobody observes. */
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

/* bringup.c: what the management processor does on root ports */
void bringup_start(struct hub_port *port);
void bringup_completion(struct hub_port *port, const struct pcie_tlp *tlp);
/** Gives up a request whose deadline has passed. @return the deadline of one that waits, or
 * SIM_TIME_NEVER. */
sim_time_t bringup_timeout(struct hub_port *port);

/* dma.c */
int dma_init(struct hub *hub, uint32_t channel);
void dma_fini(struct hub_dma *dma);
void dma_write_register(struct hub_dma *dma, uint32_t offset, uint64_t value);
uint64_t dma_read_register(const struct hub_dma *dma, uint32_t offset);
/** Does all that channel `dma` can do at this edge. @return the next edge at which it wants to. */
uint64_t dma_step(struct hub_dma *dma, uint64_t edge);
/** @return false: nobody waits for it */
bool dma_completion(struct hub *hub, struct pcie_tlp *tlp, uint64_t edge);
/** Gives up what waits since before its deadline. @return the next deadline, or SIM_TIME_NEVER. */
sim_time_t dma_timeout(struct hub_dma *dma);
/** The write *tlp, made without payload, was granted: it gets its data now. */
void dma_take_write(struct hub_dma *dma, struct pcie_tlp *tlp);
/** The same for an observer: its mark, and the edge of its last beat. */
void dma_probe_written(struct hub_dma *dma, uint64_t mark, uint64_t free_edge);

/* ddr.c */
/** Places in DDR3 have room for the largest packet of their port, so one suits another. */
static inline uint64_t hub_ddr_place(const struct hub_port *port)
{
    return pcie_port_mps(port->pcie);
}

/*
 * Where many packets of a port wait, one makes room for those behind: it waits in the memory
 * beside the chip. What comes from the own host can wait there, and N is not asked to.
 */
static inline bool hub_ddr_takes(const struct hub *hub, const struct hub_port *port,
                                 enum pcie_class cls)
{
    return hub->cfg.ddr_bytes != 0 && port->index != 0 && !hub->stopped && cls == PCIE_POSTED &&
           pcie_port_held(port->pcie, PCIE_POSTED) > hub->cfg.ddr_chip_tlps &&
           hub->cfg.ddr_bytes - hub->ddr_used >= hub_ddr_place(port);
}

/** A packet of this source has left it. */
void hub_ddr_leave(struct hub *hub, uint32_t source);
/** Those that hub->ddr_wanted names go there. */
void hub_ddr_settle(struct hub *hub);
void hub_ddr_wanted(struct sim_event *ev);

#endif
