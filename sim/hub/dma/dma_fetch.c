/* Descriptors: fetched ahead from host or internal memory, and decoded. */
#include "hub/dma/dma_impl.h"

static uint32_t descriptor_word(const uint8_t *p, uint32_t index)
{
    return sim_load32(p + index * 4);
}

static struct hub_descriptor decode_descriptor(const uint8_t *p)
{
    uint32_t hi = descriptor_word(p, HUB_DESC_HI);
    uint32_t burst = descriptor_word(p, HUB_DESC_BURST);

    return (struct hub_descriptor){
        .src = descriptor_word(p, HUB_DESC_SRC_LO) | (uint64_t)(hi & 0xffff) << 32,
        .dst = descriptor_word(p, HUB_DESC_DST_LO) | (uint64_t)(hi >> 16) << 32,
        .data = descriptor_word(p, HUB_DESC_SRC_LO) | (uint64_t)descriptor_word(p, HUB_DESC_SIZE)
                                                          << 32,
        .size = descriptor_word(p, HUB_DESC_SIZE),
        .next = descriptor_word(p, HUB_DESC_NEXT),
        .burst = burst & HUB_DESC_BURST_MASK,
        .src_gap = descriptor_word(p, HUB_DESC_SRC_GAP),
        .dst_gap = descriptor_word(p, HUB_DESC_DST_GAP),
        .status = (burst & HUB_DESC_STATUS) != 0,
        .pipeline = (burst & HUB_DESC_PIPELINE) != 0,
    };
}

static uint64_t fetch_mark(const struct hub_dma *dma, uint64_t edge)
{
    return hub_marks(dma->hub, HUB_STAGE_FETCH, edge, dma->marks.fetch, dma->marks.begun, 0);
}

/* A request that was given up may still be answered, and its answer must not be taken for that of
 * another one: the next list has other tags, as far as there are enough. */
static void fetch_from_host(struct hub_dma *dma, uint64_t edge)
{
    dma->fetch_waits = true;
    dma->asked_edge = edge;
    dma->fetch_tag = (uint8_t)(HUB_FETCH_TAG + dma->channel + dma->tag_turn % 16 * 8);
    dma->fetch_deadline =
        dma_send_read(dma, dma->table + (uint64_t)dma->fetch_next * HUB_DESC_BYTES, HUB_DESC_BYTES,
                      dma->fetch_tag, edge, fetch_mark(dma, edge));
}

void dma_refetched(struct hub_dma *dma, struct hub_descriptor *d, const uint8_t *bytes)
{
    struct hub_descriptor changed = decode_descriptor(bytes);

    if (dma->ahead_head == dma->ahead_tail) /* cut short meanwhile */
        return;
    changed.internal = true;
    changed.edge = d->edge;
    changed.mark = d->mark;
    *d = changed;
    dma->fetch_next = d->next;
}

/* @return false: the port of internal memory is not free */
static bool fetch_from_internal(struct hub_dma *dma, uint64_t edge)
{
    struct hub *hub = dma->hub;
    uint32_t at = (dma->fetch_next & ~HUB_DESC_INTERNAL) * HUB_DESC_BYTES;
    struct hub_descriptor d;

    if (!dma_read_internal(dma, at, HUB_DESC_BYTES, hub->internal_descriptor,
                           &dma->ahead[dma->ahead_tail % HUB_PREFETCH_MAX], edge))
        return false;
    d = decode_descriptor(hub->internal_descriptor);
    d.internal = true;
    dma->fetch_edge = edge + hub->cfg.dma_fetch_internal_cycles;
    d.edge = dma->fetch_edge + hub->cfg.dma_decode_cycles;
    dma->marks.fetch =
        hub_mark(hub, HUB_STAGE_FETCH_INTERNAL, dma->fetch_edge, fetch_mark(dma, edge));
    d.mark = hub_mark(hub, HUB_STAGE_DECODE, d.edge, dma->marks.fetch);
    dma_ahead_push(dma, &d);
    return true;
}

uint64_t dma_fetch_ahead(struct hub_dma *dma, uint64_t edge)
{
    bool internal = (dma->fetch_next & HUB_DESC_INTERNAL) != 0;
    uint64_t at = dma->fetch_edge + (internal ? 0 : dma->hub->cfg.dma_fetch_host_cycles);

    if (dma->fetch_next == HUB_DESC_END || dma->fetch_waits ||
        dma->ahead_tail - dma->ahead_head >= dma->hub->cfg.dma_prefetch)
        return UINT64_MAX;
    if (edge < at)
        return at;
    if (!internal && dma->requested) /* data goes first */
        return edge + 1;
    if (!internal) {
        if (requests_fit(dma))
            fetch_from_host(dma, edge);
        return UINT64_MAX; /* otherwise a grant wakes */
    }
    if ((dma->fetch_next & ~HUB_DESC_INTERNAL) >= HUB_INTERNAL_DESCS) {
        dma_found(dma, HUB_DMA_ERR_FETCH);
        return UINT64_MAX;
    }
    if (!fetch_from_internal(dma, edge))
        return dma->hub->internal_edge;
    return sim_max(dma->fetch_edge, edge + 1);
}

uint32_t dma_error_of(const struct pcie_tlp *cpl, uint32_t otherwise)
{
    if (cpl->status == PCIE_CPL_CA)
        return HUB_DMA_ERR_ABORT;
    if (cpl->status != PCIE_CPL_SC || !pcie_tlp_has_data(cpl))
        return otherwise;
    return cpl->poisoned ? HUB_DMA_ERR_POISON : 0;
}

/* A descriptor comes in one completion: it lies within 32 aligned bytes. */
void dma_fetched(struct hub_dma *dma, const struct pcie_tlp *tlp, uint64_t edge)
{
    uint32_t error = dma_error_of(tlp, HUB_DMA_ERR_FETCH);
    struct hub_descriptor d;

    dma->fetch_waits = false;
    hub_request_ended(dma->hub);
    if (dma->fetch_next == HUB_DESC_END) /* cut short meanwhile */
        return;
    if (error == 0 && pcie_tlp_data_bytes(tlp) != HUB_DESC_BYTES)
        error = HUB_DMA_ERR_FETCH;
    if (error != 0) {
        dma_fail(dma, error);
        return;
    }
    d = decode_descriptor(tlp->payload->data);
    d.edge = edge + dma->hub->cfg.dma_decode_cycles;
    d.mark = hub_mark(dma->hub, HUB_STAGE_FETCHED, edge, tlp->trace_id);
    d.mark = hub_mark(dma->hub, HUB_STAGE_DECODE, d.edge, d.mark);
    dma->marks.fetch = d.mark;
    dma->fetch_edge = d.edge;
    dma_ahead_push(dma, &d);
}
