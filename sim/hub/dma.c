/*
 * A DMA channel: fetches descriptors ahead, cuts sources into read requests,
 * keeps a fixed number of them in flight, and writes the data out in order.
 * Reading and writing overlap; the next descriptor begins before the last one is
 * written out where its pipeline flag allows it.
 *
 * A status word follows all data before it. It is prepared while data is still
 * on its way, from the issue of the last read request on; how long that takes
 * is the firmware's, by the place where the word lies.
 */
#include "hub/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- set-up ------------------------------------------------------------------ */

int dma_init(struct hub *hub, uint32_t channel)
{
    struct hub_dma *dma = &hub->dma[channel];
    uint64_t tags = hub->cfg.dma_read_tags;

    dma->hub = hub;
    dma->channel = channel;
    dma->fetch_next = HUB_DESC_END;
    dma->reads = calloc(tags, sizeof(*dma->reads));
    if (dma->reads == NULL || !fifo_init(&hub->fifo[SRC_DMA_READ + channel], (uint32_t)tags + 2) ||
        !fifo_init(&hub->fifo[SRC_DMA_WRITE + channel], 1))
        return SIM_ERR_NOMEM;
    for (uint64_t i = 0; i < tags; i++) {
        dma->reads[i].buffer = malloc(hub->cfg.dma_read_bytes);
        if (dma->reads[i].buffer == NULL)
            return SIM_ERR_NOMEM;
    }
    return SIM_OK;
}

void dma_fini(struct hub_dma *dma)
{
    if (dma->hub != NULL && dma->reads != NULL)
        for (uint64_t i = 0; i < dma->hub->cfg.dma_read_tags; i++)
            free(dma->reads[i].buffer);
    free(dma->reads);
}

static struct hub_read *read_at(struct hub_dma *dma, uint32_t index)
{
    return &dma->reads[index % dma->hub->cfg.dma_read_tags];
}

static bool reads_empty(const struct hub_dma *dma)
{
    return dma->read_head == dma->read_tail;
}
/* The edge at which a tag and its buffer are free, at most `edge` if there is one already: the last
 * data of a request leave its buffer with the last beat of their packet. UINT64_MAX: a write will
 * tell. */
static uint64_t tag_edge(const struct hub_dma *dma, uint64_t edge)
{
    uint64_t leaving = dma->releasing ? dma->hub->fifo[SRC_DMA_WRITE + dma->channel].free_edge : 0;
    uint64_t in_use = dma->read_tail - dma->read_head;

    if (in_use + (leaving > edge) < dma->hub->cfg.dma_read_tags)
        return edge;
    return in_use < dma->hub->cfg.dma_read_tags ? leaving : UINT64_MAX;
}

/* Nothing more is begun; what was requested is still written. */
static void cut_short(struct hub_dma *dma)
{
    dma->fetch_next = HUB_DESC_END;
    dma->ahead_head = dma->ahead_tail;
    dma->active = false;
}

static void fail(struct hub_dma *dma, uint32_t error)
{
    dma->error = error;
    dma->failed = true;
    cut_short(dma);
}

static void ahead_push(struct hub_dma *dma, const struct hub_descriptor *d)
{
    dma->ahead[dma->ahead_tail++ % HUB_PREFETCH_MAX] = *d;
    dma->fetch_next = d->next;
}

static void start(struct hub_dma *dma, enum dma_mode mode, uint32_t head)
{
    uint64_t edge = hub_edge(dma->hub) + dma->hub->cfg.dma_start_cycles;

    if (dma->mode != DMA_IDLE) {
        dma->error = HUB_DMA_ERR_BUSY;
        return;
    }
    dma->mode = mode;
    dma->tag_turn += dma->unanswered;
    dma->unanswered = false;
    dma->hub->busy_dma |= 1u << dma->channel;
    dma->error = 0;
    dma->failed = false;
    dma->overlaps = true;
    dma->fetch_edge = edge;
    dma->next_issue_edge = edge;
    dma->last_issue_edge = edge;
    dma->marks = (struct hub_dma_marks){ 0 };
    dma->marks.fetch = hub_mark(dma->hub, HUB_STAGE_DMA_START, edge, dma->hub->cause);
    dma->marks.over = dma->marks.issued = dma->marks.fetch;
    if (mode == DMA_CHAIN) {
        dma->fetch_next = head;
    } else {
        struct hub_descriptor d = {
            .src = dma->src,
            .dst = dma->dst,
            .size = (uint32_t)dma->length,
            .next = HUB_DESC_END,
            .edge = edge + dma->hub->cfg.dma_decode_cycles,
        };

        d.mark = hub_mark(dma->hub, HUB_STAGE_DECODE, d.edge, dma->marks.fetch);
        ahead_push(dma, &d);
    }
    if (dma->hub->probe != NULL)
        hub_level_dma(dma);
    hub_wake(dma->hub, edge);
}

/* ---- registers ----------------------------------------------------------------- */

void dma_write_register(struct hub_dma *dma, uint32_t offset, uint64_t value)
{
    switch (offset) {
    case HUB_DMA_SRC:
        dma->src = value;
        break;
    case HUB_DMA_DST:
        dma->dst = value;
        break;
    case HUB_DMA_LENGTH:
        dma->length = value;
        break;
    case HUB_DMA_STATUS_ADDR:
        dma->status_addr = value;
        break;
    case HUB_DMA_STATUS_DATA:
        dma->status_data = value;
        break;
    case HUB_DMA_TABLE:
        dma->table = value & ~UINT64_C(0xfff);
        break;
    case HUB_DMA_IRQ:
        dma->irq = value;
        break;
    case HUB_DMA_HEAD:
        start(dma, DMA_CHAIN, (uint32_t)value);
        break;
    case HUB_DMA_CONTROL:
        if ((value & HUB_DMA_ABORT) != 0)
            cut_short(dma);
        else if ((value & HUB_DMA_START_REG) != 0)
            start(dma, DMA_REGISTER, 0);
        break;
    default:
        break;
    }
}

uint64_t dma_read_register(const struct hub_dma *dma, uint32_t offset)
{
    switch (offset) {
    case HUB_DMA_SRC:
        return dma->src;
    case HUB_DMA_DST:
        return dma->dst;
    case HUB_DMA_LENGTH:
        return dma->length;
    case HUB_DMA_STATUS_ADDR:
        return dma->status_addr;
    case HUB_DMA_STATUS_DATA:
        return dma->status_data;
    case HUB_DMA_TABLE:
        return dma->table;
    case HUB_DMA_STATE:
        return (dma->mode != DMA_IDLE ? HUB_DMA_BUSY : 0) |
               (uint64_t)dma->error << HUB_DMA_ERROR_SHIFT | (uint64_t)dma->chains << 32;
    case HUB_DMA_BYTES:
        return dma->bytes;
    case HUB_DMA_CLOCK:
        return hub_edge(dma->hub);
    case HUB_DMA_IRQ:
        return dma->irq;
    default:
        return 0;
    }
}

/* ---- descriptors ---------------------------------------------------------------- */

static uint32_t word(const uint8_t *p, uint32_t index)
{
    p += index * 4;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static struct hub_descriptor decode(const uint8_t *p)
{
    uint32_t hi = word(p, HUB_DESC_HI);
    uint32_t burst = word(p, HUB_DESC_BURST);

    return (struct hub_descriptor){
        .src = word(p, HUB_DESC_SRC_LO) | (uint64_t)(hi & 0xffff) << 32,
        .dst = word(p, HUB_DESC_DST_LO) | (uint64_t)(hi >> 16) << 32,
        .data = word(p, HUB_DESC_SRC_LO) | (uint64_t)word(p, HUB_DESC_SIZE) << 32,
        .size = word(p, HUB_DESC_SIZE),
        .next = word(p, HUB_DESC_NEXT),
        .burst = burst & HUB_DESC_BURST_MASK,
        .src_gap = word(p, HUB_DESC_SRC_GAP),
        .dst_gap = word(p, HUB_DESC_DST_GAP),
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
static uint8_t fetch_tag(const struct hub_dma *dma)
{
    return (uint8_t)(HUB_FETCH_TAG + dma->channel + dma->tag_turn % 16 * 8);
}

static uint8_t read_tag(const struct hub_dma *dma, uint32_t index)
{
    uint32_t tags = (uint32_t)dma->hub->cfg.dma_read_tags;
    uint32_t sets = HUB_TAGS_PER_CHANNEL / tags;

    return (uint8_t)(dma->channel * HUB_TAGS_PER_CHANNEL + dma->tag_turn % sets * tags + index);
}

static void fetch_from_host(struct hub_dma *dma, uint64_t edge)
{
    struct hub *hub = dma->hub;
    struct pcie_tlp tlp = {
        .kind = PCIE_MRD,
        .requester_id = hub->ports[0].function.id,
        .tag = fetch_tag(dma),
    };

    pcie_tlp_set_range(&tlp, dma->table + (uint64_t)dma->fetch_next * HUB_DESC_BYTES,
                       HUB_DESC_BYTES);
    dma->fetch_waits = true;
    dma->fetch_tag = tlp.tag;
    dma->fetch_deadline_ps = hub_request_sent(hub);
    tlp.trace_id =
        hub_mark(hub, HUB_STAGE_OUTPUT, edge + hub->cfg.output_cycles, fetch_mark(dma, edge));
    hub_push(hub, SRC_DMA_READ + dma->channel, &tlp, 0, edge + hub->cfg.output_cycles);
}

static void fetch_from_internal(struct hub_dma *dma, uint64_t edge)
{
    struct hub *hub = dma->hub;
    uint32_t index = dma->fetch_next & ~HUB_DESC_INTERNAL;
    struct hub_descriptor d;

    if (index >= HUB_INTERNAL_DESCS) {
        fail(dma, HUB_DMA_ERR_FETCH);
        return;
    }
    d = decode(&hub->internal[index * HUB_DESC_BYTES]);
    d.internal = true;
    dma->fetch_edge = edge + hub->cfg.dma_fetch_internal_cycles;
    d.edge = dma->fetch_edge + hub->cfg.dma_decode_cycles;
    dma->marks.fetch =
        hub_mark(hub, HUB_STAGE_FETCH_INTERNAL, dma->fetch_edge, fetch_mark(dma, edge));
    d.mark = hub_mark(hub, HUB_STAGE_DECODE, d.edge, dma->marks.fetch);
    ahead_push(dma, &d);
}

/* @return the next edge at which a fetch can begin. */
static uint64_t fetch_ahead(struct hub_dma *dma, uint64_t edge)
{
    while (dma->fetch_next != HUB_DESC_END && !dma->fetch_waits &&
           dma->ahead_tail - dma->ahead_head < dma->hub->cfg.dma_prefetch) {
        bool internal = (dma->fetch_next & HUB_DESC_INTERNAL) != 0;
        uint64_t at = dma->fetch_edge + (internal ? 0 : dma->hub->cfg.dma_fetch_host_cycles);

        if (edge < at)
            return at;
        if (internal)
            fetch_from_internal(dma, edge);
        else
            fetch_from_host(dma, edge);
    }
    return UINT64_MAX;
}

/* Why a read failed; 0: it did not. `otherwise`: without data of its size. */
static uint32_t error_of(const struct pcie_tlp *cpl, uint32_t otherwise)
{
    if (cpl->status == PCIE_CPL_CA)
        return HUB_DMA_ERR_ABORT;
    if (cpl->status != PCIE_CPL_SC || !pcie_tlp_has_data(cpl))
        return otherwise;
    return cpl->poisoned ? HUB_DMA_ERR_POISON : 0;
}

/* A descriptor comes in one completion: it lies within 32 aligned bytes. */
static void fetched(struct hub_dma *dma, const struct pcie_tlp *tlp, uint64_t edge)
{
    uint32_t error = error_of(tlp, HUB_DMA_ERR_FETCH);
    struct hub_descriptor d;

    dma->fetch_waits = false;
    hub_request_ended(dma->hub);
    if (dma->fetch_next == HUB_DESC_END) /* cut short meanwhile */
        return;
    if (error == 0 && pcie_tlp_data_bytes(tlp) != HUB_DESC_BYTES)
        error = HUB_DMA_ERR_FETCH;
    if (error != 0) {
        fail(dma, error);
        return;
    }
    d = decode(tlp->payload->data);
    d.edge = edge + dma->hub->cfg.dma_completion_cycles + dma->hub->cfg.dma_decode_cycles;
    d.mark = hub_mark(dma->hub, HUB_STAGE_FETCHED, edge + dma->hub->cfg.dma_completion_cycles,
                      tlp->trace_id);
    d.mark = hub_mark(dma->hub, HUB_STAGE_DECODE, d.edge, d.mark);
    dma->marks.fetch = d.mark;
    dma->fetch_edge = d.edge;
    ahead_push(dma, &d);
}

/* ---- what a descriptor asks for ---------------------------------------------------- */

/* Where a write to bus address `dst` goes. */
static bool route_write(const struct hub *hub, uint64_t dst, uint32_t *out_p, uint64_t *addr_p)
{
    uint64_t offset;
    uint32_t out;

    if (!hub_window_offset(hub, dst, &offset))
        return false;
    out = hub_route(hub, offset);
    if (out == HUB_ROUTE_NONE)
        return false;
    *out_p = out;
    *addr_p = dst;
    return out == OUT_SELF || hub_leave(hub, out, offset, addr_p);
}

/* Bytes from the start of the first block to the end of the last. */
static uint64_t span(const struct hub_descriptor *d, uint32_t gap)
{
    uint64_t blocks = d->burst != 0 ? (d->size + UINT64_C(0) + d->burst - 1) / d->burst : 1;

    return d->size + (blocks - 1) * gap;
}

/* Reads are served on the own side only: bus addresses of the host, or the own part. */
static bool source_is_local(const struct hub *hub, uint64_t src, uint64_t bytes)
{
    uint64_t first;
    uint64_t last;
    uint64_t addr;

    if (!hub_window_offset(hub, src, &first))
        return true;
    if (!hub_window_offset(hub, src + bytes - 1, &last) ||
        first / hub->area_bytes != last / hub->area_bytes)
        return false;
    if (first / hub->part_bytes != hub->slot)
        return false;
    if (first % hub->part_bytes / hub->area_bytes == HUB_AREA_SELF)
        return first % hub->area_bytes >= HUB_INTERNAL_OFFSET &&
               last % hub->area_bytes < HUB_INTERNAL_OFFSET + HUB_INTERNAL_BYTES;
    return hub_leave(hub, 0, first, &addr);
}

static uint32_t check(const struct hub *hub, const struct hub_descriptor *d)
{
    uint64_t first;
    uint64_t last;
    uint64_t addr;
    uint32_t out;

    if (d->status)
        return route_write(hub, d->dst, &out, &addr) ? 0 : HUB_DMA_ERR_DEST;
    if (d->size == 0 || d->size % 4 != 0 || d->burst % 4 != 0)
        return HUB_DMA_ERR_LENGTH;
    if (((d->src ^ d->dst) & 15) != 0 || (d->burst != 0 && ((d->src_gap ^ d->dst_gap) & 15) != 0))
        return HUB_DMA_ERR_ALIGN;
    if (!source_is_local(hub, d->src, span(d, d->src_gap)))
        return HUB_DMA_ERR_SOURCE;
    if (!route_write(hub, d->dst, &out, &addr) ||
        !hub_window_offset(hub, d->dst + span(d, d->dst_gap) - 1, &last))
        return HUB_DMA_ERR_DEST;
    (void)hub_window_offset(hub, d->dst, &first);
    return first / hub->area_bytes == last / hub->area_bytes ? 0 : HUB_DMA_ERR_DEST;
}

static uint64_t status_cycles(const struct hub_dma *dma)
{
    if (dma->ending)
        return dma->hub->cfg.status_register_cycles;
    return dma->now.internal ? dma->hub->cfg.status_internal_cycles
                             : dma->hub->cfg.status_host_cycles;
}

static void begin(struct hub_dma *dma, const struct hub_descriptor *d, uint64_t edge)
{
    uint32_t error = check(dma->hub, d);

    if (error != 0) {
        fail(dma, error);
        return;
    }
    dma->now = *d;
    dma->active = true;
    dma->marks.begun = hub_marks(dma->hub, HUB_STAGE_BEGIN, edge, d->mark, dma->marks.over,
                                 d->status || dma->overlaps ? 0 : dma->marks.written);
    if (d->status) {
        uint64_t prepared = dma->last_issue_edge + status_cycles(dma);

        dma->marks.status = hub_mark(dma->hub, HUB_STAGE_PREPARE, prepared, dma->marks.issued);
        dma->status_edge = prepared > edge ? prepared : edge;
        return;
    }
    dma->overlaps = d->pipeline;
    dma->src_at = d->src;
    dma->dst_at = d->dst;
    dma->left = d->size;
    dma->row_left = d->burst != 0 && d->burst < d->size ? d->burst : d->size;
    if (dma->next_issue_edge < edge)
        dma->next_issue_edge = edge;
}

static void finish(struct hub_dma *dma)
{
    dma->mode = DMA_IDLE;
    dma->hub->busy_dma &= ~(1u << dma->channel);
    dma->ending = false;
    dma->chains++;
    dma->hub->cause = dma->marks.written;
    if (dma->irq != 0)
        hub_raise(dma->hub, (uint32_t)dma->irq);
}

/* The list is through: the status word of the registers, where one is wanted, ends it. After an
 * error none is sent, so that nobody takes the transfer for complete. */
static void end_of_list(struct hub_dma *dma, uint64_t edge)
{
    struct hub_descriptor d = {
        .dst = dma->status_addr, .data = dma->status_data, .next = HUB_DESC_END, .status = true
    };

    if (dma->status_addr != 0 && !dma->ending && !dma->failed) {
        dma->ending = true;
        begin(dma, &d, edge);
        if (dma->active)
            return;
    }
    if (reads_empty(dma))
        finish(dma);
}

/* @return the edge at which the next descriptor can begin. */
static uint64_t begin_next(struct hub_dma *dma, uint64_t edge)
{
    while (!dma->active && dma->mode != DMA_IDLE) {
        const struct hub_descriptor *d = &dma->ahead[dma->ahead_head % HUB_PREFETCH_MAX];

        if (dma->ahead_head == dma->ahead_tail) {
            if (dma->fetch_next != HUB_DESC_END || dma->fetch_waits)
                return UINT64_MAX;
            end_of_list(dma, edge);
            if (dma->mode != DMA_IDLE && !dma->active)
                return UINT64_MAX; /* data is still on its way */
            continue;
        }
        if (d->edge > edge)
            return d->edge;
        if (!d->status && !dma->overlaps && !reads_empty(dma))
            return UINT64_MAX;
        dma->ahead_head++;
        begin(dma, d, edge);
    }
    return UINT64_MAX;
}

/* ---- reading --------------------------------------------------------------------- */

static void next_row(struct hub_dma *dma)
{
    dma->src_at += dma->now.src_gap;
    dma->dst_at += dma->now.dst_gap;
    dma->row_left = dma->now.burst < dma->left ? dma->now.burst : dma->left;
}

static void read_internal(struct hub_dma *dma, struct hub_read *r, uint64_t edge)
{
    struct hub *hub = dma->hub;
    uint64_t at = (dma->src_at & (hub->area_bytes - 1)) - HUB_INTERNAL_OFFSET;

    memcpy(r->buffer, &hub->internal[at], r->bytes);
    r->received = r->bytes;
    r->ready_edge = edge + hub->cfg.dma_fetch_internal_cycles;
    r->data_mark = hub_mark(hub, HUB_STAGE_READ_INTERNAL, r->ready_edge, dma->marks.issued);
}

static void issue_read(struct hub_dma *dma, uint64_t edge)
{
    struct hub *hub = dma->hub;
    uint32_t index = dma->read_tail % (uint32_t)hub->cfg.dma_read_tags;
    struct hub_read *r = &dma->reads[index];
    uint64_t addr = dma->src_at;
    uint64_t offset;

    r->bytes = pcie_split_completion(addr, dma->row_left, (uint32_t)hub->cfg.dma_read_bytes);
    r->dst = dma->dst_at;
    r->received = r->written = 0;
    r->waits = r->failed = false;
    dma->read_tail++;
    if (edge != dma->next_issue_edge) /* only a tag was missing since then */
        hub_wait_tag(hub, dma->channel, dma->next_issue_edge);
    dma->marks.issued =
        hub_marks(hub, HUB_STAGE_READ, edge, dma->marks.begun, dma->marks.pace, r->free_mark);
    if (hub_window_offset(hub, addr, &offset) && !hub_leave(hub, 0, offset, &addr)) {
        read_internal(dma, r, edge);
    } else {
        struct pcie_tlp tlp = {
            .kind = PCIE_MRD,
            .requester_id = hub->ports[0].function.id,
            .tag = read_tag(dma, index),
        };

        r->tag = tlp.tag;
        r->waits = true;
        r->deadline_ps = hub_request_sent(hub);

        pcie_tlp_set_range(&tlp, addr, r->bytes);
        tlp.trace_id =
            hub_mark(hub, HUB_STAGE_OUTPUT, edge + hub->cfg.output_cycles, dma->marks.issued);
        hub_push(hub, SRC_DMA_READ + dma->channel, &tlp, 0, edge + hub->cfg.output_cycles);
    }
    dma->src_at += r->bytes;
    dma->dst_at += r->bytes;
    dma->left -= r->bytes;
    dma->row_left -= r->bytes;
    dma->last_issue_edge = edge;
    dma->next_issue_edge = edge + hub->cfg.dma_read_issue_cycles;
    dma->marks.pace = hub_mark(hub, HUB_STAGE_PACE, dma->next_issue_edge, dma->marks.issued);
    dma->marks.over = dma->marks.issued;
    if (dma->left == 0)
        dma->active = false;
    else if (dma->row_left == 0)
        next_row(dma);
}

/* The request that a completion answers, or NULL. */
static struct hub_read *read_of(struct hub_dma *dma, uint8_t tag)
{
    for (uint32_t i = dma->read_head; i != dma->read_tail; i++) {
        struct hub_read *r = read_at(dma, i);

        if (r->waits && r->tag == tag)
            return r;
    }
    return NULL;
}

/* Of a request that has failed nothing more is written, and its place is free once no answer can
 * come any more. */
static void give_up(struct hub_dma *dma, struct hub_read *r, uint32_t error)
{
    r->failed = true;
    fail(dma, error);
}

static void no_more(struct hub_dma *dma, struct hub_read *r)
{
    r->waits = false;
    hub_request_ended(dma->hub);
}

/* @return false: more than was asked for */
static bool take_data(struct hub_read *r, const struct pcie_tlp *tlp)
{
    uint32_t lead = tlp->lower_addr & 3u;
    uint32_t n = pcie_tlp_data_bytes(tlp) - lead;

    n = n < tlp->byte_count ? n : tlp->byte_count;
    if (n > r->bytes - r->received)
        return false;
    memcpy(r->buffer + r->received, tlp->payload->data + lead, n);
    r->received += n;
    return true;
}

static bool fetch_completion(struct hub_dma *dma, const struct pcie_tlp *tlp, uint64_t edge)
{
    if (!dma->fetch_waits || tlp->tag != dma->fetch_tag)
        return false;
    pcie_port_answered(dma->hub->ports[0].pcie, tlp);
    fetched(dma, tlp, edge);
    return true;
}

static bool read_completion(struct hub_dma *dma, const struct pcie_tlp *tlp, uint64_t edge)
{
    struct hub *hub = dma->hub;
    struct hub_read *r = read_of(dma, tlp->tag);
    uint32_t error = error_of(tlp, HUB_DMA_ERR_SOURCE);

    if (r == NULL || (pcie_tlp_has_data(tlp) && !take_data(r, tlp)))
        return false;
    pcie_port_answered(hub->ports[0].pcie, tlp);
    if (error != 0)
        give_up(dma, r, error);
    if (r->received == r->bytes || !pcie_tlp_has_data(tlp))
        no_more(dma, r); /* an error status ends it too (2.3.2) */
    r->ready_edge = edge + hub->cfg.dma_completion_cycles;
    r->data_mark = hub_mark(hub, HUB_STAGE_READ_DONE, r->ready_edge, tlp->trace_id);
    return true;
}

bool dma_completion(struct hub *hub, struct pcie_tlp *tlp, uint64_t edge)
{
    bool fetch = tlp->tag >= HUB_FETCH_TAG;
    uint32_t channel = fetch ? tlp->tag % 8 : tlp->tag / HUB_TAGS_PER_CHANNEL;

    if (channel >= HUB_DMA_CHANNELS || tlp->requester_id != hub->ports[0].function.id)
        return false;
    return fetch ? fetch_completion(&hub->dma[channel], tlp, edge)
                 : read_completion(&hub->dma[channel], tlp, edge);
}

static void timed_out(struct hub_dma *dma)
{
    pcie_port_error(dma->hub->ports[0].pcie, PCIE_ERR_TIMEOUT, NULL);
    fail(dma, HUB_DMA_ERR_TIMEOUT);
}

sim_time_t dma_timeout(struct hub_dma *dma)
{
    sim_time_t now = sim_now(dma->hub->dom), next = SIM_TIME_NEVER;
    bool late = dma->fetch_waits && dma->fetch_deadline_ps <= now;

    if (late) {
        dma->fetch_waits = false;
        hub_request_ended(dma->hub);
        timed_out(dma);
    } else if (dma->fetch_waits) {
        next = dma->fetch_deadline_ps;
    }
    for (uint32_t i = dma->read_head; i != dma->read_tail; i++) {
        struct hub_read *r = read_at(dma, i);

        if (r->waits && r->deadline_ps <= now) {
            late = true;
            r->failed = true;
            no_more(dma, r);
            timed_out(dma);
        } else if (r->waits && r->deadline_ps < next) {
            next = r->deadline_ps;
        }
    }
    if (late) {
        dma->unanswered = true;
        hub_wake(dma->hub, hub_edge(dma->hub));
    }
    return next;
}

/* ---- writing ----------------------------------------------------------------------- */

static uint32_t mps_of(const struct hub *hub)
{
    return pcie_port_mps(hub->ports[0].pcie);
}

/* A write of `bytes` to a window or bus address, without payload until it is granted. */
static uint64_t put_write(struct hub_dma *dma, uint64_t dst, uint32_t bytes, uint64_t edge,
                          uint64_t mark)
{
    struct hub *hub = dma->hub;
    struct pcie_tlp tlp = { .kind = PCIE_MWR, .requester_id = hub->ports[0].function.id };
    uint64_t addr = 0;
    uint32_t out = 0;

    SIM_ASSERT(route_write(hub, dst, &out, &addr));
    pcie_tlp_set_range(&tlp, addr, bytes);
    edge += hub->cfg.output_cycles;
    tlp.trace_id = hub_mark(hub, HUB_STAGE_OUTPUT, edge, mark);
    hub_put(hub, SRC_DMA_WRITE + dma->channel, &tlp, out, edge);
    return edge;
}

/* The next packet of data, if enough bytes of the oldest request are there. @return its edge */
static uint64_t data_write(struct hub_dma *dma, uint64_t edge)
{
    struct hub_read *r;
    uint32_t n;

    if (reads_empty(dma))
        return UINT64_MAX;
    r = read_at(dma, dma->read_head);
    if (r->failed)
        return UINT64_MAX; /* what is left of it is still to come */
    n = pcie_split(r->dst + r->written, r->bytes - r->written, mps_of(dma->hub));
    if (r->received - r->written < n)
        return UINT64_MAX;
    edge = r->ready_edge > edge ? r->ready_edge : edge;
    return put_write(
        dma, r->dst + r->written, n, edge,
        hub_marks(dma->hub, HUB_STAGE_WRITE, edge, r->data_mark, dma->marks.written, 0));
}

static uint64_t status_write(struct hub_dma *dma, uint64_t edge)
{
    if (!dma->active || !dma->now.status || !reads_empty(dma))
        return UINT64_MAX;
    if (edge < dma->status_edge)
        return dma->status_edge;
    return put_write(dma, dma->now.dst, 8, edge,
                     hub_marks(dma->hub, HUB_STAGE_STATUS, edge, dma->marks.begun,
                               dma->marks.status, dma->marks.written));
}

void dma_take_write(struct hub_dma *dma, struct pcie_tlp *tlp)
{
    uint64_t first;
    uint32_t n = pcie_tlp_range(tlp, &first);
    uint32_t lead = (uint32_t)(first & 3);

    tlp->payload = mem_payload_alloc(dma->hub->pool, tlp->length_dw * 4u);
    dma->marks.was_status = reads_empty(dma);
    if (!reads_empty(dma)) {
        struct hub_read *r = read_at(dma, dma->read_head);

        memset(tlp->payload->data, 0, lead);
        memcpy(tlp->payload->data + lead, r->buffer + r->written, n);
        memset(tlp->payload->data + lead + n, 0, tlp->length_dw * 4u - lead - n);
        r->written += n;
        dma->bytes += n;
        dma->releasing = r->written == r->bytes;
        if (dma->releasing)
            dma->read_head++;
    } else {
        for (uint32_t i = 0; i < 8; i++)
            tlp->payload->data[i] = (uint8_t)(dma->now.data >> (8 * i));
        dma->active = false;
    }
}

void dma_probe_written(struct hub_dma *dma, uint64_t mark, uint64_t free_edge)
{
    hub_level_dma(dma);
    dma->marks.written = mark;
    if (dma->marks.was_status)
        dma->marks.over = mark;
    else if (dma->releasing)
        read_at(dma, dma->read_head - 1)->free_mark =
            hub_mark(dma->hub, HUB_STAGE_TAG, free_edge, mark);
}

/* Requests that have failed make room, but for a write of earlier data that waits for its grant. */
static void drop_failed(struct hub_dma *dma)
{
    while (!reads_empty(dma) && read_at(dma, dma->read_head)->failed &&
           !read_at(dma, dma->read_head)->waits &&
           fifo_empty(&dma->hub->fifo[SRC_DMA_WRITE + dma->channel]))
        dma->read_head++;
}

uint64_t dma_step(struct hub_dma *dma, uint64_t edge)
{
    uint64_t next = UINT64_MAX;
    uint64_t at;

    if (dma->failed)
        drop_failed(dma);
    at = fetch_ahead(dma, edge);
    next = at < next ? at : next;
    for (;;) {
        at = begin_next(dma, edge);
        next = at < next ? at : next;
        if (!dma->active || dma->now.status)
            break;
        at = tag_edge(dma, edge);
        at = at > dma->next_issue_edge ? at : dma->next_issue_edge;
        if (at > edge) {
            next = at < next ? at : next;
            break;
        }
        issue_read(dma, edge);
    }
    if (fifo_empty(&dma->hub->fifo[SRC_DMA_WRITE + dma->channel])) {
        at = data_write(dma, edge);
        if (at == UINT64_MAX)
            at = status_write(dma, edge);
        next = at < next ? at : next;
    }
    if (dma->hub->probe != NULL)
        hub_level_dma(dma);
    return next;
}
