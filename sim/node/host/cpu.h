/*
 * Cores. A core owns its operation, and the stores that have not left it; a context above a core
 * shares the stores of that core.
 */
#ifndef NODE_HOST_CPU_H
#define NODE_HOST_CPU_H

#include "node/host.h"
#include "node/host/config.h"
#include "node/packet.h"

SIM_BEGIN_DECLS

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
    struct sim_list queue;
    uint64_t queued, left;   /* so many stores ever came into the queue, and left it */
    unsigned uncached;       /* entries of the store buffer in use */
    unsigned in_flight;      /* left the core, have not reached the link */
    sim_time_t next_uc;      /* the next uncached store may leave */
    sim_time_t fenced_until; /* stores behind the last fence wait until then */
    struct sim_event drain;  /* SIM_TASK */
    struct sim_list bells;   /* struct node_bell: behind stores of the queue */
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
    struct sim_event end; /* the operation ends; SIM_TASK */
    struct sim_event memory; /* a store to DRAM takes effect; SIM_CLOCK */
    node_done_fn done;
    void *arg;
    uint64_t value, high;
    uint64_t addr; /* where the operation reads or writes */
    uint32_t size;
    enum node_mapping mapping;
    uint8_t data[HOST_LINE];
    struct pcie_tlp request;    /* that a load or configuration access sends */
    struct node_poll_word word; /* of node_core_poll() */
    struct node_poll_word *words;
    unsigned nwords;
    uint64_t last_load; /* address, for the jitter of polling loops */
    struct sim_stream jitter;
    struct store_unit *stores; /* those of the core below, in a context above one */
    struct store_unit own_stores;
    char *path;
    uint64_t mark;  /* for the probe: the last one of its program, */
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
/** bells.c: a store has left the queue; what is behind it and nothing later goes with it. */
void node_bells_leave(struct node_core *core);
/** Stores from now on wait until the uncore has accepted what the buffers held; loads do not. */
void node_stores_fence(struct node_core *core);
/** Empties the write-combining buffers into the queue of stores. */
void node_stores_flush(struct node_core *core);
static inline bool node_stores_empty(const struct node_core *core)
{
    return core->stores->queue.head == NULL;
}

SIM_END_DECLS
#endif /* NODE_HOST_CPU_H */
