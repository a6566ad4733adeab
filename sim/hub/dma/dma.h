/*
 * DMA channels: registers, descriptors, reads in flight, data to write.
 */
#ifndef HUB_DMA_H
#define HUB_DMA_H

#include "hub/hub.h"
#include "regs/hub_regs.h"

SIM_BEGIN_DECLS

/* Tags of a channel's reads are 32 * channel + the set of its turn + index; that of a descriptor is
 * HUB_FETCH_TAG + channel + 8 * (turn mod 16). See docs/hub-spec.md, "Completions". */
#define HUB_TAGS_PER_CHANNEL   32u
#define HUB_DMA_REQUESTS(tags) ((tags) + 2) /* places of a channel for requests on their way */
#define HUB_FETCH_TAG          (HUB_DMA_CHANNELS * HUB_TAGS_PER_CHANNEL)
#define HUB_BRINGUP_TAG        (HUB_FETCH_TAG + HUB_DMA_CHANNELS)
#define HUB_PREFETCH_MAX       16u

/** One read request of a DMA channel; they lie in the order of the data. */
struct hub_read {
    uint64_t src, dst; /* src: as it is asked for */
    uint32_t bytes, received, written;
    uint32_t out; /* by which its writes leave */
    uint8_t tag;
    uint64_t edge; /* at which it was made */
    bool waits;    /* for completions, until the edge `deadline`, */
    bool failed;   /* and nothing of it is written any more */
    uint64_t deadline;
    uint64_t ready_edge; /* when the bytes that came last can be used */
    uint8_t *buffer;     /* dma_read_bytes */
    uint64_t data_mark;  /* the bytes received so far */
};

struct hub_descriptor {
    uint64_t src, dst, data; /* data: of a status descriptor */
    uint32_t size, next, burst, src_gap, dst_gap;
    bool status, pipeline, internal;
    uint64_t edge; /* when it is there and decoded */
    uint64_t mark; /* the same for an observer */
};

/** The last read of internal memory by a channel: of a descriptor, or of data. */
struct hub_internal_read {
    struct hub_dma *dma;
    struct hub_descriptor *descriptor; /* NULL: data */
    uint8_t *to;
    uint32_t at, bytes;
    uint64_t edge; /* of its first beat */
};

/** Last marks of what the work of a channel waits for; 0 without an observer. */
struct hub_dma_marks {
    uint64_t fetch;             /* the next descriptor may be fetched */
    uint64_t begun;             /* the descriptor at work began */
    uint64_t over;              /* what came before it was issued, or its status word sent */
    uint64_t issued;            /* the last read request */
    uint64_t pace;              /* the next one may follow */
    uint64_t written;           /* the last packet of data or status was granted */
    uint64_t status;            /* the status word is prepared */
    uint64_t freed, freed_edge; /* the last data of a request have left, or will at this edge; */
    uint64_t freed_before;      /* and of the one before it */
    bool was_status;            /* `written` was a status word */
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
    uint32_t found; /* an error of this edge's steps; it acts behind them */
    bool requested; /* a request of this edge's steps */
    /* descriptors fetched and not yet begun */
    struct hub_descriptor ahead[HUB_PREFETCH_MAX];
    uint32_t ahead_head, ahead_tail; /* free-running */
    uint32_t fetch_next;             /* pointer of the next one to fetch; HUB_DESC_END: none */
    bool fetch_waits;                /* a fetch is on its way */
    uint8_t fetch_tag;
    uint64_t asked_edge, fetch_deadline; /* a fetch on its way: made, given up */
    uint64_t fetch_edge;
    bool unanswered;   /* a request of this list was given up, */
    uint32_t tag_turn; /* so the next one uses other tags */
    /* the descriptor at work: its reads are being issued, or its status is due */
    struct hub_descriptor now;
    uint32_t out;        /* by which its writes leave: as the first byte goes */
    bool active, ending; /* ending: `now` is the status word of the registers */
    bool overlaps;       /* the last one allowed the next to begin before its end */
    uint64_t src_at, dst_at;
    uint32_t left, row_left;
    uint64_t next_issue_edge, last_issue_edge, status_edge;
    /* reads in flight and data not yet written */
    struct hub_read *reads;        /* ring of dma_read_tags */
    uint32_t read_head, read_tail; /* free-running */
    uint32_t bytes_in_flight;      /* what these requests read */
    bool releasing;                /* the write on the bus is the last one of its request, */
    uint32_t releasing_bytes;      /* which read so much */
    struct hub_dma_marks marks;
};

int dma_init(struct hub *hub, uint32_t channel);
void dma_fini(struct hub_dma *dma);
void dma_write_register(struct hub_dma *dma, uint32_t offset, uint64_t value);
uint64_t dma_read_register(struct hub_dma *dma, uint32_t offset);
/** What the channels do at this edge, one step of each of their parts, all by the state before it.
 * @return the next edge at which one wants to */
uint64_t dma_step(struct hub *hub, uint64_t edge);
/** A completion was granted at `edge`. Consumes the payload. */
void dma_sink_put(struct hub *hub, const struct pcie_tlp *tlp, uint64_t edge);
/** Hands channels the completions that have come. */
void dma_sink_step(struct hub *hub, uint64_t edge);
/** Gives up what waits and has this edge as its deadline, or an earlier one. @return the next one,
 * or UINT64_MAX */
uint64_t dma_timeout(struct hub_dma *dma, uint64_t edge);
/** The write *tlp, made without payload, was granted: it gets its data now. */
void dma_take_write(struct hub_dma *dma, struct pcie_tlp *tlp);
/** `bytes` of internal memory from `at` on have changed: a read that has not come so far sees it.
 */
void dma_internal_written(struct hub *hub, uint32_t at, uint32_t bytes);
/** Where a probe is attached: the mark of the last request that had left at this edge, whose tag or
 * bytes the next one may have waited for. */
uint64_t dma_freed_mark(const struct hub_dma *dma, uint64_t edge);
/** Where a probe is attached, behind that: its mark, and the edge of its last beat. */
void dma_probe_written(struct hub_dma *dma, uint64_t mark, uint64_t free_edge);

SIM_END_DECLS
#endif
