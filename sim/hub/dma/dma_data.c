/* The data of a DMA channel: read requests, their completions and time-outs, writes. */
#include "hub/dma/dma_impl.h"

#include <string.h>

/* ---- reading --------------------------------------------------------------------- */

/* Are a tag and room of the window free? `leaving`: a request whose data still leave has its own.
 */
static bool has_room(const struct hub_dma *dma, bool leaving)
{
    const struct hub_config *cfg = &dma->hub->cfg;
    uint32_t in_use = dma->read_tail - dma->read_head + leaving;
    uint32_t bytes = dma->bytes_in_flight + (leaving ? dma->releasing_bytes : 0);

    return in_use < cfg->dma_read_tags &&
           (cfg->dma_window_bytes == 0 || bytes < cfg->dma_window_bytes);
}

uint64_t dma_room_edge(const struct hub_dma *dma, uint64_t edge)
{
    uint64_t leaving = dma->releasing ? dma->hub->fifo[SRC_DMA_WRITE + dma->channel].free_edge : 0;

    if (has_room(dma, leaving > edge))
        return edge;
    return has_room(dma, false) ? leaving : UINT64_MAX;
}

void dma_request_left(struct hub_dma *dma)
{
    dma->bytes_in_flight -= read_at(dma, dma->read_head)->bytes;
    dma->read_head++;
}

static uint8_t read_tag(const struct hub_dma *dma, uint32_t index)
{
    uint32_t tags = (uint32_t)dma->hub->cfg.dma_read_tags;
    uint32_t sets = HUB_TAGS_PER_CHANNEL / tags;

    return (uint8_t)(dma->channel * HUB_TAGS_PER_CHANNEL + dma->tag_turn % sets * tags + index);
}

static void next_row(struct hub_dma *dma)
{
    uint32_t error;

    dma->src_at += dma->now.src_gap;
    dma->dst_at += dma->now.dst_gap;
    dma->row_left = dma->now.burst < dma->left ? dma->now.burst : dma->left;
    error = dma_check_row(dma);
    if (error != 0)
        dma_found(dma, error);
}

/* @return false: the port of internal memory is not free */
static bool read_internal(struct hub_dma *dma, struct hub_read *r, uint32_t bytes, uint64_t edge)
{
    struct hub *hub = dma->hub;
    uint32_t at = (uint32_t)(hub_in_area(hub, dma->src_at) - HUB_INTERNAL_OFFSET);

    return dma_read_internal(dma, at, bytes, r->buffer, NULL, edge);
}

uint64_t dma_freed_mark(const struct hub_dma *dma, uint64_t edge)
{
    return dma->marks.freed_edge <= edge ? dma->marks.freed : dma->marks.freed_before;
}

uint64_t dma_issue_read(struct hub_dma *dma, uint64_t edge)
{
    struct hub *hub = dma->hub;
    uint32_t index = dma->read_tail % (uint32_t)hub->cfg.dma_read_tags;
    struct hub_read *r = &dma->reads[index];
    uint64_t addr = dma->src_at, next;
    uint64_t offset, most = pcie_function_mrrs(&hub_host(hub)->function);
    uint32_t bytes = pcie_split_completion(addr, dma->row_left,
                                           (uint32_t)sim_min(most, hub->cfg.dma_read_bytes));
    bool internal;

    if (!dma_source_is_local(hub, addr, bytes)) { /* it was closed meanwhile */
        dma_found(dma, HUB_DMA_ERR_SOURCE);
        return UINT64_MAX;
    }
    internal = hub_window_offset(hub, addr, &offset) && !hub_leave(hub, HUB_HOST, offset, &addr);
    if (internal && !read_internal(dma, r, bytes, edge))
        return hub->internal_edge;
    if (!internal && !requests_fit(dma))
        return UINT64_MAX; /* its grant wakes */
    r->bytes = bytes;
    r->src = addr;
    r->dst = dma->dst_at;
    r->out = dma->out;
    r->received = r->written = 0;
    r->waits = r->failed = false;
    dma->read_tail++;
    dma->bytes_in_flight += bytes;
    if (edge != dma->next_issue_edge) /* only a tag or the window was missing since then */
        hub_wait_tag(hub, dma->channel, dma->next_issue_edge);
    dma->marks.issued = hub_marks(hub, HUB_STAGE_READ, edge, dma->marks.begun, dma->marks.pace,
                                  dma_freed_mark(dma, edge));
    if (internal) {
        r->received = bytes;
        r->ready_edge = edge + hub->cfg.dma_fetch_internal_cycles;
        r->data_mark = hub_mark(hub, HUB_STAGE_READ_INTERNAL, r->ready_edge, dma->marks.issued);
    } else {
        r->tag = read_tag(dma, index);
        r->edge = edge;
        r->waits = true;
        r->deadline = dma_send_read(dma, addr, r->bytes, r->tag, edge, dma->marks.issued);
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
    next = dma->active ? sim_max(dma->next_issue_edge, edge + 1) : edge + 1;
    return internal ? sim_min(next, r->ready_edge) : next; /* it may be written then */
}

/* The request that a completion answers, or NULL. What comes so early was for another one. */
static struct hub_read *read_of(struct hub_dma *dma, uint8_t tag, uint64_t edge)
{
    for (uint32_t i = dma->read_head; i != dma->read_tail; i++) {
        struct hub_read *r = read_at(dma, i);

        if (r->waits && r->tag == tag && r->edge + 1 < edge)
            return r;
    }
    return NULL;
}

static void end_request(struct hub_dma *dma, struct hub_read *r)
{
    r->waits = false;
    hub_request_ended(dma->hub);
}

/* @return false: it does not go on where the one before it ended */
static bool take_data(struct hub_read *r, const struct pcie_tlp *tlp)
{
    uint32_t lead = tlp->lower_addr & 3u, left = r->bytes - r->received;
    uint32_t n = (uint32_t)sim_min(pcie_tlp_data_bytes(tlp) - lead, left);

    if (tlp->byte_count != left || tlp->lower_addr != ((r->src + r->received) & 0x7f))
        return false;
    memcpy(r->buffer + r->received, tlp->payload->data + lead, n);
    r->received += n;
    return true;
}

/* N records what is wrong with it. */
static void answered(const struct hub_dma *dma, const struct pcie_tlp *cpl)
{
    struct hub *hub = dma->hub;

    pcie_port_answered(hub_host(hub)->pcie, cpl);
    if (__builtin_expect(hub->watch != NULL, 0))
        hub->watch->answered(hub->watch->user, true, cpl);
}

static bool fetch_completion(struct hub_dma *dma, const struct pcie_tlp *tlp, uint64_t edge)
{
    if (!dma->fetch_waits || tlp->tag != dma->fetch_tag || dma->asked_edge + 1 >= edge)
        return false;
    answered(dma, tlp);
    dma_fetched(dma, tlp, edge);
    return true;
}

static bool read_completion(struct hub_dma *dma, const struct pcie_tlp *tlp, uint64_t edge)
{
    struct hub_read *r = read_of(dma, tlp->tag, edge);
    uint32_t error = dma_error_of(tlp, HUB_DMA_ERR_SOURCE);

    if (r == NULL || (pcie_tlp_has_data(tlp) && !take_data(r, tlp)))
        return false;
    answered(dma, tlp);
    if (error != 0) {
        /* Nothing more of it is written; its place is free once no answer can come any more. */
        r->failed = true;
        dma_fail(dma, error);
    }
    if (r->received == r->bytes || !pcie_tlp_has_data(tlp))
        end_request(dma, r); /* an error status ends it too (2.3.2) */
    r->ready_edge = edge;
    r->data_mark = hub_mark(dma->hub, HUB_STAGE_READ_DONE, edge, tlp->trace_id);
    return true;
}

/* @return false: no request waits for it */
static bool take_completion(struct hub *hub, const struct hub_entry *e, uint64_t edge)
{
    const struct pcie_tlp *tlp = &e->tlp;
    bool fetch = tlp->tag >= HUB_FETCH_TAG;
    uint32_t channel = fetch ? tlp->tag % 8 : tlp->tag / HUB_TAGS_PER_CHANNEL;

    if (channel >= HUB_DMA_CHANNELS || e->refused)
        return false;
    return fetch ? fetch_completion(&hub->dma[channel], tlp, edge)
                 : read_completion(&hub->dma[channel], tlp, edge);
}

void dma_sink_put(struct hub *hub, const struct pcie_tlp *tlp, uint64_t edge)
{
    struct hub_fifo *f = &hub->sink;
    struct hub_entry *e = &f->ring[f->tail++ & f->mask];

    e->tlp = *tlp;
    e->refused = tlp->requester_id != hub_host(hub)->function.id;
    e->edge = edge + hub->cfg.dma_completion_cycles;
}

void dma_sink_step(struct hub *hub, uint64_t edge)
{
    for (struct hub_fifo *f = &hub->sink; !fifo_empty(f) && fifo_head(f)->edge <= edge; f->head++) {
        struct hub_entry *e = fifo_head(f);

        if (!take_completion(hub, e, edge)) {
            pcie_port_advisory(hub_host(hub)->pcie, PCIE_ERR_UNEXPECTED, &e->tlp);
            if (__builtin_expect(hub->watch != NULL, 0))
                hub->watch->answered(hub->watch->user, false, &e->tlp);
        }
        pcie_tlp_drop(&e->tlp);
    }
}

static void timed_out(struct hub_dma *dma)
{
    const struct hub *hub = dma->hub;

    pcie_port_error(hub_host(dma->hub)->pcie, PCIE_ERR_TIMEOUT, NULL);
    if (__builtin_expect(hub->watch != NULL, 0))
        hub->watch->answered(hub->watch->user, true, NULL);
    dma_fail(dma, HUB_DMA_ERR_TIMEOUT);
}

uint64_t dma_timeout(struct hub_dma *dma, uint64_t edge)
{
    uint64_t next = UINT64_MAX;
    bool late = dma->fetch_waits && dma->fetch_deadline <= edge;

    if (late) {
        dma->fetch_waits = false;
        hub_request_ended(dma->hub);
        timed_out(dma);
    } else if (dma->fetch_waits) {
        next = dma->fetch_deadline;
    }
    for (uint32_t i = dma->read_head; i != dma->read_tail; i++) {
        struct hub_read *r = read_at(dma, i);

        if (r->waits && r->deadline <= edge) {
            late = true;
            r->failed = true;
            end_request(dma, r);
            timed_out(dma);
        } else if (r->waits && r->deadline < next) {
            next = r->deadline;
        }
    }
    dma->unanswered |= late;
    return next;
}

/* ---- writing ----------------------------------------------------------------------- */

/* A write of `bytes`, without payload until it is granted. */
static uint64_t put_write(struct hub_dma *dma, uint32_t out, uint64_t addr, uint32_t bytes,
                          uint64_t edge, uint64_t mark)
{
    struct hub *hub = dma->hub;
    struct pcie_tlp tlp = { .kind = PCIE_MWR, .requester_id = hub_host(hub)->function.id };

    pcie_tlp_set_range(&tlp, addr, bytes);
    edge += hub->cfg.output_cycles;
    tlp.trace_id = hub_mark(hub, HUB_STAGE_OUTPUT, edge, mark);
    hub_put(hub, SRC_DMA_WRITE + dma->channel, &tlp, out, edge);
    return edge;
}

uint64_t dma_data_write(struct hub_dma *dma, uint64_t edge)
{
    const struct hub *hub = dma->hub;
    struct hub_read *r;
    uint64_t addr, to;
    uint32_t n, mps;

    if (reads_empty(dma))
        return UINT64_MAX;
    r = read_at(dma, dma->read_head);
    if (r->failed)
        return UINT64_MAX; /* what is left of it is still to come */
    to = r->dst + r->written;
    if (!dma_leave(hub, r->out, to, &addr)) {
        r->failed = true; /* the area was closed meanwhile */
        dma_found(dma, HUB_DMA_ERR_DEST);
        return UINT64_MAX;
    }
    mps = hub->ports[r->out < HUB_MAX_PORTS ? r->out : HUB_HOST].mps_bytes;
    n = pcie_split(to, r->bytes - r->written, mps - (uint32_t)(to & 3)); /* of whole double words */
    if (r->received - r->written < n)
        return UINT64_MAX;
    if (r->ready_edge > edge)
        return r->ready_edge;
    return put_write(dma, r->out, addr, n, edge,
                     hub_marks(hub, HUB_STAGE_WRITE, edge, r->data_mark, dma->marks.written, 0));
}

uint64_t dma_status_write(struct hub_dma *dma, uint64_t edge)
{
    uint64_t addr;

    if (!dma->active || !dma->now.status || !reads_empty(dma))
        return UINT64_MAX;
    if (edge < dma->status_edge)
        return dma->status_edge;
    if (!dma_leave(dma->hub, dma->out, dma->now.dst, &addr)) {
        dma_found(dma, HUB_DMA_ERR_DEST);
        return UINT64_MAX;
    }
    return put_write(dma, dma->out, addr, 8, edge,
                     hub_marks(dma->hub, HUB_STAGE_STATUS, edge, dma->marks.begun,
                               dma->marks.status, dma->marks.written));
}

void dma_take_write(struct hub_dma *dma, struct pcie_tlp *tlp)
{
    tlp->payload = mem_payload_alloc(dma->hub->pool, tlp->length_dw * 4u);
    dma->marks.was_status = reads_empty(dma);
    if (!reads_empty(dma)) {
        struct hub_read *r = read_at(dma, dma->read_head);
        uint64_t first;
        uint32_t n = pcie_tlp_range(tlp, &first);
        uint32_t lead = (uint32_t)(first & 3);

        memset(tlp->payload->data, 0, lead);
        memcpy(tlp->payload->data + lead, r->buffer + r->written, n);
        memset(tlp->payload->data + lead + n, 0, tlp->length_dw * 4u - lead - n);
        r->written += n;
        dma->bytes += n;
        dma->releasing = r->written == r->bytes;
        if (dma->releasing) {
            /* Its place in the ring does not hold it: the next one may be dropped meanwhile. */
            dma->releasing_bytes = r->bytes;
            dma_request_left(dma);
        }
    } else {
        sim_store(tlp->payload->data, dma->now.data, 8);
        dma->active = dma->releasing = false;
    }
}

void dma_probe_written(struct hub_dma *dma, uint64_t mark, uint64_t free_edge)
{
    hub_level_dma(dma);
    dma->marks.written = mark;
    if (dma->marks.was_status) {
        dma->marks.over = mark;
        return;
    }
    if (!dma->releasing)
        return;
    dma->marks.freed_before = dma->marks.freed;
    dma->marks.freed = hub_mark(dma->hub, HUB_STAGE_TAG, free_edge, mark);
    dma->marks.freed_edge = free_edge;
}

bool dma_drops(const struct hub_dma *dma)
{
    const struct hub_read *r = &dma->reads[dma->read_head % dma->hub->cfg.dma_read_tags];

    return !reads_empty(dma) && r->failed && !r->waits;
}
