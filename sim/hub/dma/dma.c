/*
 * A DMA channel: fetches descriptors ahead (dma_fetch.c), cuts sources into read
 * requests, keeps a fixed number of them in flight, and writes the data out in
 * order (dma_data.c). Reading and writing overlap; the next descriptor begins
 * before the last one is written out where its pipeline flag allows it.
 *
 * A status word follows all data before it. It is prepared while data is still
 * on its way, from the issue of the last read request on; how long that takes
 * is the firmware's, by where its descriptor came from: registers, host or internal memory.
 */
#include "hub/dma/dma_impl.h"

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
    if (dma->reads == NULL ||
        !fifo_init(&hub->fifo[SRC_DMA_READ + channel], (uint32_t)HUB_DMA_REQUESTS(tags)) ||
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
    if (dma->reads != NULL)
        for (uint64_t i = 0; i < dma->hub->cfg.dma_read_tags; i++)
            free(dma->reads[i].buffer);
    free(dma->reads);
}

/* Nothing more is begun; what was requested is still written. */
static void cut_short(struct hub_dma *dma)
{
    dma->fetch_next = HUB_DESC_END;
    dma->ahead_head = dma->ahead_tail;
    dma->active = false;
    hub_wake(dma->hub, hub_clock_edge(dma->hub) + 1); /* the list may be through */
}

/* Its transfer is not to be taken for complete, so no status word is sent; but it is no error. */
static void abort_list(struct hub_dma *dma)
{
    dma->failed = true;
    cut_short(dma);
}

void dma_fail(struct hub_dma *dma, uint32_t error)
{
    dma->error = error;
    dma->failed = true;
    cut_short(dma);
}

void dma_ahead_push(struct hub_dma *dma, const struct hub_descriptor *d)
{
    dma->ahead[dma->ahead_tail++ % HUB_PREFETCH_MAX] = *d;
    dma->fetch_next = d->next;
}

static void start_list(struct hub_dma *dma, enum dma_mode mode, uint32_t head)
{
    uint64_t edge = hub_clock_edge(dma->hub) + dma->hub->cfg.dma_start_cycles;

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
        dma_ahead_push(dma, &d);
    }
    if (dma->hub->probe != NULL)
        hub_level_dma(dma);
    hub_wake(dma->hub, edge);
}

/* ---- registers ----------------------------------------------------------------- */

/** A register that only holds what is written to it; NULL: it does more. */
static uint64_t *plain_register(struct hub_dma *dma, uint32_t offset)
{
    switch (offset) {
    case HUB_DMA_SRC:
        return &dma->src;
    case HUB_DMA_DST:
        return &dma->dst;
    case HUB_DMA_LENGTH:
        return &dma->length;
    case HUB_DMA_STATUS_ADDR:
        return &dma->status_addr;
    case HUB_DMA_STATUS_DATA:
        return &dma->status_data;
    case HUB_DMA_IRQ:
        return &dma->irq;
    default:
        return NULL;
    }
}

void dma_write_register(struct hub_dma *dma, uint32_t offset, uint64_t value)
{
    uint64_t *plain = plain_register(dma, offset);

    if (plain != NULL)
        *plain = value;
    switch (offset) {
    case HUB_DMA_TABLE:
        dma->table = value & ~UINT64_C(0xfff);
        break;
    case HUB_DMA_HEAD:
        start_list(dma, DMA_CHAIN, (uint32_t)value);
        break;
    case HUB_DMA_CONTROL:
        if ((value & HUB_DMA_ABORT) != 0)
            abort_list(dma);
        else if ((value & HUB_DMA_START_REG) != 0)
            start_list(dma, DMA_REGISTER, 0);
        break;
    default:
        break;
    }
}

uint64_t dma_read_register(struct hub_dma *dma, uint32_t offset)
{
    const uint64_t *plain = plain_register(dma, offset);

    if (plain != NULL)
        return *plain;
    switch (offset) {
    case HUB_DMA_TABLE:
        return dma->table;
    case HUB_DMA_STATE:
        return (dma->mode != DMA_IDLE ? HUB_DMA_BUSY : 0) |
               (uint64_t)dma->error << HUB_DMA_ERROR_SHIFT | (uint64_t)dma->chains << 32;
    case HUB_DMA_BYTES:
        return dma->bytes;
    case HUB_DMA_CLOCK:
        return hub_clock_edge(dma->hub);
    default:
        return 0;
    }
}

/* ---- requests ---- */

/* The beats are those of its double words. All that does not change meanwhile is taken at once. */
bool dma_read_internal(struct hub_dma *dma, uint32_t at, uint32_t bytes, uint8_t *to,
                       struct hub_descriptor *descriptor, uint64_t edge)
{
    struct hub *hub = dma->hub;

    if (hub->internal_edge > edge)
        return false;
    hub->internal_edge = edge + hub_data_beats(at % 4 + bytes, hub->cfg.bus_bytes);
    hub->internal_turn.turn = (dma->channel + 1) % HUB_DMA_CHANNELS;
    hub->internal_read = (struct hub_internal_read){
        .dma = dma, .descriptor = descriptor, .to = to, .at = at, .bytes = bytes, .edge = edge
    };
    memcpy(to, &hub->internal[at], bytes);
    return true;
}

/* Beat k is read k edges behind the first one, by the state before that edge. */
void dma_internal_written(struct hub *hub, uint32_t at, uint32_t bytes)
{
    const struct hub_internal_read *r = &hub->internal_read;
    uint64_t edge = hub_clock_edge(hub), begin;

    if (hub->internal_edge <= edge + 1)
        return;
    begin = r->at - r->at % 4 + (edge + 1 - r->edge) * hub->cfg.bus_bytes;
    for (uint32_t i = at; i < at + bytes; i++)
        if (i >= begin && i >= r->at && i < r->at + r->bytes)
            r->to[i - r->at] = hub->internal[i];
    if (r->descriptor != NULL)
        dma_refetched(r->dma, r->descriptor, r->to);
}

uint64_t dma_send_read(struct hub_dma *dma, uint64_t addr, uint32_t bytes, uint8_t tag,
                       uint64_t edge, uint64_t mark)
{
    struct hub *hub = dma->hub;
    struct pcie_tlp tlp = { .kind = PCIE_MRD,
                            .requester_id = hub_host(hub)->function.id,
                            .tag = tag };
    uint64_t deadline = hub_request_sent(hub);

    edge += hub->cfg.output_cycles;
    pcie_tlp_set_range(&tlp, addr, bytes);
    tlp.trace_id = hub_mark(hub, HUB_STAGE_OUTPUT, edge, mark);
    hub_push(hub, SRC_DMA_READ + dma->channel, &tlp, HUB_HOST, edge);
    dma->requested = true;
    return deadline;
}

/* ---- what a descriptor asks for ---------------------------------------------------- */

bool dma_leave(const struct hub *hub, uint32_t out, uint64_t dst, uint64_t *addr_p)
{
    uint64_t offset;

    *addr_p = dst;
    return hub_window_offset(hub, dst, &offset) &&
           (out == OUT_SELF || hub_leave(hub, out, offset, addr_p));
}

/* By which output the descriptor at work writes: as its first byte goes, or HUB_ROUTE_NONE. */
static uint32_t route_of_writes(const struct hub_dma *dma)
{
    uint64_t offset;
    uint64_t addr;
    uint32_t out;

    if (!hub_window_offset(dma->hub, dma->now.dst, &offset))
        return HUB_ROUTE_NONE;
    out = hub_route(dma->hub, offset);
    return out != HUB_ROUTE_NONE && dma_leave(dma->hub, out, dma->now.dst, &addr) ? out
                                                                                  : HUB_ROUTE_NONE;
}

bool dma_source_is_local(const struct hub *hub, uint64_t src, uint64_t bytes)
{
    uint64_t first;
    uint64_t last;
    uint64_t addr;

    if (!hub_window_offset(hub, src, &first))
        return true;
    if (!hub_window_offset(hub, src + bytes - 1, &last) ||
        first >> hub->area_log2 != last >> hub->area_log2)
        return false;
    if (first / hub->part_bytes != hub->slot)
        return false;
    if (hub_area(hub, first) == HUB_AREA_SELF)
        return hub_in_area(hub, first) >= HUB_INTERNAL_OFFSET &&
               hub_in_area(hub, last) < HUB_INTERNAL_OFFSET + HUB_INTERNAL_BYTES;
    return hub_leave(hub, 0, first, &addr);
}

/* All that is written lies in one area of the window. */
static bool destination_is_there(const struct hub_dma *dma, uint64_t bytes)
{
    const struct hub *hub = dma->hub;
    uint64_t dst = dma->now.dst;
    uint64_t first;
    uint64_t last;

    return route_of_writes(dma) != HUB_ROUTE_NONE && hub_window_offset(hub, dst, &first) &&
           hub_window_offset(hub, dst + bytes - 1, &last) &&
           first >> hub->area_log2 == last >> hub->area_log2;
}

/* From the descriptor's begin to the end of this row: that takes no division. */
uint32_t dma_check_row(const struct hub_dma *dma)
{
    const struct hub_descriptor *d = &dma->now;

    if (!dma_source_is_local(dma->hub, d->src, dma->src_at + dma->row_left - d->src))
        return HUB_DMA_ERR_SOURCE;
    if (!destination_is_there(dma, dma->dst_at + dma->row_left - d->dst))
        return HUB_DMA_ERR_DEST;
    return 0;
}

static uint32_t check_descriptor(const struct hub_dma *dma)
{
    const struct hub_descriptor *d = &dma->now;

    if (d->status && d->dst % 8 != 0)
        return HUB_DMA_ERR_ALIGN;
    if (d->status)
        return dma->out != HUB_ROUTE_NONE ? 0 : HUB_DMA_ERR_DEST;
    if (d->size == 0 || d->size % 4 != 0 || d->burst % 4 != 0)
        return HUB_DMA_ERR_LENGTH;
    if (((d->src ^ d->dst) & 15) != 0 || (d->burst != 0 && ((d->src_gap ^ d->dst_gap) & 15) != 0))
        return HUB_DMA_ERR_ALIGN;
    return dma_check_row(dma);
}

static uint64_t status_cycles(const struct hub_dma *dma)
{
    if (dma->ending)
        return dma->hub->cfg.status_register_cycles;
    return dma->now.internal ? dma->hub->cfg.status_internal_cycles
                             : dma->hub->cfg.status_host_cycles;
}

static void begin_descriptor(struct hub_dma *dma, const struct hub_descriptor *d, uint64_t edge)
{
    uint32_t error;

    dma->now = *d;
    dma->src_at = d->src;
    dma->dst_at = d->dst;
    dma->left = d->size;
    dma->row_left = d->burst != 0 && d->burst < d->size ? d->burst : d->size;
    dma->out = route_of_writes(dma);
    error = check_descriptor(dma);
    if (error != 0) {
        dma_found(dma, error);
        return;
    }
    dma->active = true;
    dma->marks.begun = hub_marks(dma->hub, HUB_STAGE_BEGIN, edge, d->mark, dma->marks.over,
                                 d->status || dma->overlaps ? 0 : dma->marks.written);
    if (d->status) {
        uint64_t prepared = dma->last_issue_edge + status_cycles(dma);

        dma->marks.status = hub_mark(dma->hub, HUB_STAGE_PREPARE, prepared, dma->marks.issued);
        dma->status_edge = sim_max(prepared, edge);
        return;
    }
    dma->overlaps = d->pipeline;
    dma->next_issue_edge = sim_max(dma->next_issue_edge, edge);
}

static void finish_list(struct hub_dma *dma)
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
 * error none is sent, so that the transfer is not taken for complete. */
static void end_of_list(struct hub_dma *dma, uint64_t edge)
{
    struct hub_descriptor d = {
        .dst = dma->status_addr, .data = dma->status_data, .next = HUB_DESC_END, .status = true
    };

    if (dma->status_addr != 0 && !dma->ending && !dma->failed) {
        dma->ending = true;
        begin_descriptor(dma, &d, edge);
    } else if (reads_empty(dma) && fifo_empty(&dma->hub->fifo[SRC_DMA_WRITE + dma->channel])) {
        finish_list(dma);
    }
}

/* Begins the next descriptor, none being at work. @return the next edge at which that or its work
 * can go on */
static uint64_t begin_next(struct hub_dma *dma, uint64_t edge)
{
    const struct hub_descriptor *d = &dma->ahead[dma->ahead_head % HUB_PREFETCH_MAX];

    if (dma->ahead_head == dma->ahead_tail) {
        if (dma->fetch_next != HUB_DESC_END || dma->fetch_waits)
            return UINT64_MAX;
        end_of_list(dma, edge);
        return dma->active ? edge + 1 : UINT64_MAX; /* data may still be on its way */
    }
    if (d->edge > edge)
        return d->edge;
    if (!d->status && !dma->overlaps && !reads_empty(dma))
        return UINT64_MAX;
    dma->ahead_head++;
    begin_descriptor(dma, d, edge);
    return edge + 1;
}

/* Sends the next read request. @return the edge of the one behind it */
static uint64_t issue_next(struct hub_dma *dma, uint64_t edge)
{
    uint64_t at = sim_max(dma_room_edge(dma, edge), dma->next_issue_edge);

    return at > edge ? at : dma_issue_read(dma, edge);
}

/* Fills the write register, which is empty. */
static uint64_t write_next(struct hub_dma *dma, uint64_t edge)
{
    uint64_t at = dma_data_write(dma, edge);

    return at != UINT64_MAX ? at : dma_status_write(dma, edge);
}

/* ---- progress -------------------------------------------------------------------- */

static uint64_t step_channel(struct hub_dma *dma, uint64_t edge)
{
    uint64_t next = UINT64_MAX;
    bool at_work = dma->active, writes = fifo_empty(&dma->hub->fifo[SRC_DMA_WRITE + dma->channel]);
    bool drops = writes && dma_drops(dma);

    /* The later part first, so that none sees what the one before it does at this edge. */
    dma->found = 0;
    dma->requested = false;
    if (writes)
        next = write_next(dma, edge);
    if (at_work && !dma->now.status)
        next = sim_min(issue_next(dma, edge), next);
    next = sim_min(dma_fetch_ahead(dma, edge), next);
    if (dma->found == 0 && !at_work)
        next = sim_min(begin_next(dma, edge), next);
    if (dma->found != 0)
        dma_fail(dma, dma->found);
    if (drops) {
        dma_request_left(dma);
        next = edge + 1;
    }
    if (dma->hub->probe != NULL)
        hub_level_dma(dma);
    return next;
}

/* What channels share is the read port of the internal memory: whose turn it is comes first. */
uint64_t dma_step(struct hub *hub, uint64_t edge)
{
    uint64_t next = UINT64_MAX;
    struct sim_arbiter turn = hub->internal_turn;

    for (uint32_t left = hub->busy_dma, c; left != 0; left &= ~(1u << c)) {
        c = sim_arbiter_pick(&turn, left);
        next = sim_min(next, step_channel(&hub->dma[c], edge));
    }
    return next;
}
