/* Inside a DMA channel: what dma.c, dma_fetch.c and dma_data.c share. */
#ifndef HUB_DMA_IMPL_H
#define HUB_DMA_IMPL_H

#include "hub/internal.h"

static inline struct hub_read *read_at(struct hub_dma *dma, uint32_t index)
{
    return &dma->reads[index % dma->hub->cfg.dma_read_tags];
}

static inline bool reads_empty(const struct hub_dma *dma)
{
    return dma->read_head == dma->read_tail;
}

/* dma.c */
/** Reads `bytes` of internal memory from `at` on, one beat at each edge. @return false: its port is
 * not free */
bool dma_read_internal(struct hub_dma *dma, uint32_t at, uint32_t bytes, uint8_t *to,
                       struct hub_descriptor *descriptor, uint64_t edge);
/** A read request fits into the channel's queue, which holds those that were given up, too. */
static inline bool requests_fit(const struct hub_dma *dma)
{
    const struct hub_fifo *f = &dma->hub->fifo[SRC_DMA_READ + dma->channel];

    return f->tail - f->head < HUB_DMA_REQUESTS(dma->hub->cfg.dma_read_tags);
}

/** A part finds an error at this edge: the last one stays. */
static inline void dma_found(struct hub_dma *dma, uint32_t error)
{
    dma->found = error;
}

/** The list ends here: nothing more is begun; what was requested is still written. */
void dma_fail(struct hub_dma *dma, uint32_t error);
/** A descriptor has come; it leads to the next one. */
void dma_ahead_push(struct hub_dma *dma, const struct hub_descriptor *d);
/** Reads are served on the own side only: bus addresses of the host, or the own part as far as it
 * is open. */
bool dma_source_is_local(const struct hub *hub, uint64_t src, uint64_t bytes);
/** The row of the descriptor at work that is to be read next. @return an error, or 0 */
uint32_t dma_check_row(const struct hub_dma *dma);
/** The address that a write to bus address `dst` has when it leaves by `out`. @return false: it has
 * none, in a closed area or outside of the window */
bool dma_leave(const struct hub *hub, uint32_t out, uint64_t dst, uint64_t *addr_p);
/** Asks the host for bytes at a bus address. @return the edge at which the request is given up */
uint64_t dma_send_read(struct hub_dma *dma, uint64_t addr, uint32_t bytes, uint8_t tag,
                       uint64_t edge, uint64_t mark);

/* dma_fetch.c */
/** The bytes of a descriptor change while they are read. */
void dma_refetched(struct hub_dma *dma, struct hub_descriptor *d, const uint8_t *bytes);
/** @return the next edge at which a fetch can begin */
uint64_t dma_fetch_ahead(struct hub_dma *dma, uint64_t edge);
/** The completion of a fetch from host memory. */
void dma_fetched(struct hub_dma *dma, const struct pcie_tlp *tlp, uint64_t edge);
/** Why a read failed; 0: it did not. `otherwise`: without data of its size. */
uint32_t dma_error_of(const struct pcie_tlp *cpl, uint32_t otherwise);

/* dma_data.c */
/** The edge at which a tag is free and the window open, at most `edge` if they are already: the
 * last data of a request leave with the last beat of their packet. UINT64_MAX: after a write. */
uint64_t dma_room_edge(const struct hub_dma *dma, uint64_t edge);
/** The oldest request is over. */
void dma_request_left(struct hub_dma *dma);
/** The next request of the descriptor at work, for which there is room. @return the edge of the one
 * behind it, or of this one if it has to wait */
uint64_t dma_issue_read(struct hub_dma *dma, uint64_t edge);
/** The next packet of data, if enough bytes of the oldest request are there. @return its edge, or
 * UINT64_MAX */
uint64_t dma_data_write(struct hub_dma *dma, uint64_t edge);
/** The status word, once all data before it is written. @return its edge, or UINT64_MAX */
uint64_t dma_status_write(struct hub_dma *dma, uint64_t edge);
/** The oldest request can make room: it has failed, and no answer to it can come. */
bool dma_drops(const struct hub_dma *dma);

#endif /* HUB_DMA_IMPL_H */
