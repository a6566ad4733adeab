/*
 * Packets that want to go somewhere, by source; the clock of the core, which wakes when one may go.
 *
 *   port x class FIFOs --+                     +-- ports (bus to the hard block)
 *   local FIFO ----------+-- arbiters, one ----+-- self: registers, internal memory
 *   DMA reads, writes ---+    per output       +-- sink: completions to the DMA engine
 */
#ifndef HUB_QUEUE_H
#define HUB_QUEUE_H

#include "hub/ports.h"
#include "pcie/tlp/ordering.h"
#include "regs/hub_regs.h"

SIM_BEGIN_DECLS

struct hub;

/* The hub's own queue, and what it keeps free for one request: 4 KiB in completions of 128 B,
 * unaligned, and a notification with its interrupt. */
#define HUB_LOCAL_TLPS    128u
#define HUB_LOCAL_UNITS   1024u /* of 16 bytes of data */
#define HUB_ANSWERS_TLPS  36u
#define HUB_ANSWERS_UNITS (4096u / 16 + HUB_ANSWERS_TLPS) /* each may begin and end in a unit */

enum {
    OUT_SINK = HUB_MAX_PORTS, /* after the ports */
    OUT_SELF,
    HUB_OUTPUTS
};

enum {
    SRC_LOCAL = HUB_MAX_PORTS * PCIE_CLASSES,        /* after port * PCIE_CLASSES + class */
    SRC_DMA_READ,                                    /* + channel: requests on their way to N */
    SRC_DMA_WRITE = SRC_DMA_READ + HUB_DMA_CHANNELS, /* + channel: the next write */
    HUB_SOURCES = SRC_DMA_WRITE + HUB_DMA_CHANNELS
};
/** The sources of what comes in by a port. */
#define HUB_PORT_SOURCES(port) (((UINT64_C(1) << PCIE_CLASSES) - 1u) << ((port)*PCIE_CLASSES))
_Static_assert(HUB_SOURCES < 64, "sources are bits of a 64-bit mask");

/** A packet that waits; a cache line. */
struct hub_entry {
    struct pcie_tlp tlp;
    uint64_t edge;  /* the first edge at which it may be granted */
    uint32_t order; /* of arrival, wraps */
    uint8_t out;
    bool in_ddr;  /* and not in the receive buffer, from the end of its write on */
    bool refused; /* its address is in no window: OUT_SELF does not take it for its own; in `sink`:
                     its requester is another one than N */
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

bool fifo_init(struct hub_fifo *f, uint32_t entries);
/** The next entry, of which the caller sets all fields. */
struct hub_entry *fifo_add(struct hub_fifo *f);
void fifo_fini(struct hub_fifo *f);
/** The edge of the present time; inside a tick, the tick's edge. */
uint64_t hub_clock_edge(struct hub *hub);
void hub_wake(struct hub *hub, uint64_t edge);
/** Appends to a source what may be granted from `edge` on; the TLP becomes the hub's. */
struct hub_entry *hub_put(struct hub *hub, uint32_t source, const struct pcie_tlp *tlp,
                          uint32_t out, uint64_t edge);
/** Puts it, and wakes the hub at that edge. */
void hub_push(struct hub *hub, uint32_t source, const struct pcie_tlp *tlp, uint32_t out,
              uint64_t edge);
/** As hub_push(), for what the hub makes itself and puts into its own queue. */
void hub_push_local(struct hub *hub, const struct pcie_tlp *tlp, uint32_t out, uint64_t edge);
/** Room for the answers that one request can make. */
bool hub_local_room(const struct hub *hub);

SIM_END_DECLS
#endif
