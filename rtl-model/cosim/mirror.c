#include "rtl-model/cosim/mirror.h"

/* ---- what comes in -------------------------------------------------------------------------- */

uint32_t mirror_output(const struct mirror *mirror, uint32_t out)
{
    uint32_t ports = mirror->hub->nports;

    return out < ports ? out : OUT_SINK + (out - ports);
}

/* Until it is routed its way is one that takes everything, and its time never comes. */
void mirror_received(struct mirror *mirror, uint32_t port, const struct pcie_tlp *tlp)
{
    struct pcie_tlp header = *tlp;

    header.payload = NULL;
    (void)hub_put(mirror->hub, port * PCIE_CLASSES + pcie_tlp_class(tlp), &header, OUT_SINK,
                  UINT64_MAX);
}

static struct pcie_tlp header_of(const struct model_event *event)
{
    struct pcie_tlp tlp = { .payload = NULL };
    struct sim_error err;
    bool has_data;
    int n = pcie_tlp_decode(event->header, PCIE_MAX_HEADER, &tlp, &has_data, &err);

    SIM_ASSERT(n > 0); /* the core sends what is a header */
    return tlp;
}

/* One edge behind its first beat. */
static void routed(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct hub *hub = mirror->hub;
    uint32_t source = event->where * PCIE_CLASSES + event->count;
    struct hub_fifo *f = &hub->fifo[source];
    struct hub_entry *e = &f->ring[(f->tail - 1) & f->mask];
    uint64_t mark = e->tlp.trace_id;

    e->tlp = header_of(event);
    e->out = (uint8_t)mirror_output(mirror, event->value);
    e->edge = edge - 1 + hub->cfg.receive_cycles + hub->cfg.route_cycles;
    if (e->out < HUB_MAX_PORTS) {
        e->edge += hub->cfg.output_cycles;
        if (hub->probe != NULL)
            mark = hub_probe_routed(hub, &hub->ports[event->where], e->edge, mark);
    }
    e->tlp.trace_id = mark;
    if (e != fifo_head(f))
        return;
    hub->output[OUT_SINK].arbiter.requests &= ~(UINT64_C(1) << source);
    if (hub->output[OUT_SINK].arbiter.requests == 0)
        hub->wanted &= ~(1u << OUT_SINK);
    hub_want(hub, source, e->out);
}

/* ddr.chip_tlps packets on the chip are before the first one that asks. */
static void taken(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct hub *hub = mirror->hub;
    struct hub_port *port = &hub->ports[event->where];
    struct hub_fifo *f = &hub->fifo[port->index * PCIE_CLASSES + PCIE_POSTED];
    uint64_t chip = hub->cfg.ddr_chip_tlps, width = hub->cfg.ddr_bytes_per_cycle, cycles;
    struct hub_entry *e = NULL;

    for (uint32_t at = f->head; at != f->tail; at++) {
        e = &f->ring[at & f->mask];
        if (!e->in_ddr && chip-- == 0)
            break;
    }
    if (e == NULL)
        return;
    cycles = e->tlp.kind == PCIE_MWR ? (e->tlp.length_dw * 4u + width - 1) / width : 1;
    e->in_ddr = true;
    e->edge = sim_max(e->edge, edge + sim_max(hub->cfg.ddr_cycles, cycles));
    e->tlp.trace_id = hub_mark(hub, HUB_STAGE_DDR, e->edge, e->tlp.trace_id);
    hub->ddr_tlps++;
    port->in_ddr++;
    /* What the core cannot keep the order of would be wrong without a word. */
    SIM_ASSERT(port->in_ddr < MODEL_DDR_PACKETS || port->ddr_places <= MODEL_DDR_PACKETS);
}

/* ---- the local queue --------------------------------------------------------------------------
 */

static void put_local(struct hub *hub, struct pcie_tlp *tlp, uint32_t out, uint64_t due,
                      uint64_t cause)
{
    tlp->trace_id = hub_mark(hub, HUB_STAGE_OUTPUT, due, cause);
    (void)hub_put(hub, SRC_LOCAL, tlp, out, due);
}

/* A read has as many completions as the port's payload makes of it. */
static void answers(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct hub *hub = mirror->hub;
    struct pcie_tlp tlp = header_of(event);
    bool cut = (event->value & 1) != 0;
    uint64_t addr = event->value >> 1, output = hub->cfg.output_cycles, beats = 0;
    uint32_t left = event->count, mps = pcie_port_mps(hub->ports[event->where].edge.pcie);

    (void)edge;
    do {
        uint64_t due = event->at + beats;
        uint64_t mark = hub_mark(hub, HUB_STAGE_REGISTER, due - output, mirror->self);

        put_local(hub, &tlp, event->where, due, mark);
        if (cut) {
            uint32_t piece = pcie_split_completion(addr, left, mps);
            uint32_t dw = (uint32_t)((addr & 3) + piece + 3) / 4;

            hub->local_units += (dw + 3) / 4;
            beats += hub_data_beats(dw * UINT64_C(4), hub->cfg.bus_bytes);
            addr += piece;
            left -= piece;
        }
    } while (cut && left != 0);
    hub->output[OUT_SELF].free_edge += beats;
}

static void appended(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct pcie_tlp tlp = header_of(event);

    (void)edge;
    mirror->hub->local_units++;
    put_local(mirror->hub, &tlp, HUB_HOST, event->at, mirror->hub->cause);
}

static void interrupts(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct pcie_tlp tlp = header_of(event);

    (void)edge;
    mirror->hub->local_units++;
    put_local(mirror->hub, &tlp, HUB_HOST, event->at, mirror->hub->irq_cause);
}

static void requests(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct pcie_tlp tlp = header_of(event);

    (void)edge;
    mirror->hub->local_units += tlp.kind == PCIE_CFGWR0;
    (void)hub_put(mirror->hub, SRC_LOCAL, &tlp, event->where, event->at);
}

/* ---- registers
 * ------------------------------------------------------------------------------------ */

static void notified(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    (void)event;
    (void)edge;
    mirror->hub->notifications++;
    mirror->hub->cause = mirror->hub->write.cause;
}

static void lost(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    (void)event;
    (void)edge;
    mirror->hub->notify_lost++;
}

static void raised(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    (void)event;
    (void)edge;
    mirror->hub->irq_cause = mirror->hub->write.cause;
}

static void refused(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    (void)edge;
    mirror->hub->unsupported += event->value;
}

/* ---- channels
 * -------------------------------------------------------------------------------------- */

static struct hub_dma *channel_of(struct mirror *mirror, const struct model_event *event)
{
    return &mirror->hub->dma[event->where];
}

/* Descriptors that were fetched are known by their marks. */
static void push_ahead(struct hub_dma *dma, uint64_t decoded, uint64_t cause)
{
    dma->ahead[dma->ahead_tail++ % HUB_PREFETCH_MAX].mark =
        hub_mark(dma->hub, HUB_STAGE_DECODE, decoded, cause);
}

static void started(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct hub_dma *dma = channel_of(mirror, event);
    struct hub *hub = mirror->hub;

    edge += hub->cfg.dma_start_cycles;
    dma->mode = event->value != 0 ? DMA_CHAIN : DMA_REGISTER;
    hub->busy_dma |= 1u << dma->channel;
    dma->error = 0;
    dma->failed = false;
    dma->overlaps = true;
    dma->next_issue_edge = edge;
    dma->last_issue_edge = edge;
    dma->marks = (struct hub_dma_marks){ 0 };
    dma->marks.fetch = hub_mark(hub, HUB_STAGE_DMA_START, edge, hub->write.cause);
    dma->marks.over = dma->marks.issued = dma->marks.fetch;
    if (dma->mode == DMA_REGISTER)
        push_ahead(dma, edge + hub->cfg.dma_decode_cycles, dma->marks.fetch);
    if (hub->probe != NULL)
        hub_level_dma(dma);
}

static void fetches(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct hub_dma *dma = channel_of(mirror, event);
    struct hub *hub = mirror->hub;
    uint64_t output = edge + hub->cfg.output_cycles,
             there = edge + hub->cfg.dma_fetch_internal_cycles;
    uint64_t mark = hub_marks(hub, HUB_STAGE_FETCH, edge, dma->marks.fetch, dma->marks.begun, 0);
    struct pcie_tlp tlp = { .kind = PCIE_MRD, .requester_id = hub_host(hub)->function.id };

    if (event->value != 0) {
        dma->marks.fetch = hub_mark(hub, HUB_STAGE_FETCH_INTERNAL, there, mark);
        push_ahead(dma, there + hub->cfg.dma_decode_cycles, dma->marks.fetch);
        return;
    }
    pcie_tlp_set_range(&tlp, event->at, HUB_DESC_BYTES);
    tlp.trace_id = hub_mark(hub, HUB_STAGE_OUTPUT, output, mark);
    (void)hub_put(hub, SRC_DMA_READ + dma->channel, &tlp, HUB_HOST, output);
}

static void fetched(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct hub_dma *dma = channel_of(mirror, event);
    struct hub *hub = mirror->hub;
    uint64_t mark = hub_mark(hub, HUB_STAGE_FETCHED, edge, fifo_head(&hub->sink)->tlp.trace_id);

    push_ahead(dma, edge + hub->cfg.dma_decode_cycles, mark);
    dma->marks.fetch = dma->ahead[(dma->ahead_tail - 1) % HUB_PREFETCH_MAX].mark;
}

static void read_data(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct hub *hub = mirror->hub;

    channel_of(mirror, event)->reads[event->value].data_mark =
        hub_mark(hub, HUB_STAGE_READ_DONE, edge, fifo_head(&hub->sink)->tlp.trace_id);
}

static void completion_over(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    (void)event;
    (void)edge;
    mirror->hub->sink.head++;
}

static void cut(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct hub_dma *dma = channel_of(mirror, event);

    (void)edge;
    dma->ahead_head = dma->ahead_tail;
    dma->active = false;
    dma->failed = true;
    if (event->value != 0)
        dma->error = event->value;
}

static uint64_t status_cycles(const struct hub_dma *dma)
{
    const struct hub_config *cfg = &dma->hub->cfg;

    if (dma->ending)
        return cfg->status_register_cycles;
    return dma->now.internal ? cfg->status_internal_cycles : cfg->status_host_cycles;
}

static void begun(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct hub_dma *dma = channel_of(mirror, event);
    struct hub *hub = mirror->hub;
    uint64_t mark = 0;

    dma->now.status = (event->value & 1) != 0;
    dma->now.pipeline = (event->value & 2) != 0;
    dma->now.internal = (event->value & 4) != 0;
    dma->ending |= (event->value & 8) != 0;
    if ((event->value & 8) == 0)
        mark = dma->ahead[dma->ahead_head++ % HUB_PREFETCH_MAX].mark;
    dma->active = true;
    dma->marks.begun = hub_marks(hub, HUB_STAGE_BEGIN, edge, mark, dma->marks.over,
                                 dma->now.status || dma->overlaps ? 0 : dma->marks.written);
    if (dma->now.status) {
        dma->marks.status = hub_mark(hub, HUB_STAGE_PREPARE,
                                     dma->last_issue_edge + status_cycles(dma), dma->marks.issued);
        return;
    }
    dma->overlaps = dma->now.pipeline;
    dma->next_issue_edge = sim_max(dma->next_issue_edge, edge);
}

static void issued(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct hub_dma *dma = channel_of(mirror, event);
    struct hub *hub = mirror->hub;
    struct hub_read *r = &dma->reads[event->value >> 8];
    uint64_t output = edge + hub->cfg.output_cycles;
    struct pcie_tlp tlp = { .kind = PCIE_MRD, .requester_id = hub_host(hub)->function.id };

    dma->read_tail++;
    if (edge != dma->next_issue_edge) /* only a tag or the window was missing since then */
        hub_wait_tag(hub, dma->channel, dma->next_issue_edge);
    dma->marks.issued = hub_marks(hub, HUB_STAGE_READ, edge, dma->marks.begun, dma->marks.pace,
                                  dma_freed_mark(dma, edge));
    if ((event->value & 1) != 0) {
        r->data_mark = hub_mark(hub, HUB_STAGE_READ_INTERNAL,
                                edge + hub->cfg.dma_fetch_internal_cycles, dma->marks.issued);
    } else {
        pcie_tlp_set_range(&tlp, event->at, event->count);
        tlp.trace_id = hub_mark(hub, HUB_STAGE_OUTPUT, output, dma->marks.issued);
        (void)hub_put(hub, SRC_DMA_READ + dma->channel, &tlp, HUB_HOST, output);
    }
    dma->last_issue_edge = edge;
    dma->next_issue_edge = edge + hub->cfg.dma_read_issue_cycles;
    dma->marks.pace = hub_mark(hub, HUB_STAGE_PACE, dma->next_issue_edge, dma->marks.issued);
    dma->marks.over = dma->marks.issued;
    if ((event->value & 2) != 0)
        dma->active = false;
}

static void filled(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct hub_dma *dma = channel_of(mirror, event);
    struct hub *hub = mirror->hub;
    const struct hub_read *r = &dma->reads[event->value >> 8];
    struct pcie_tlp tlp = { .kind = PCIE_MWR, .requester_id = hub_host(hub)->function.id };
    uint64_t output = edge + hub->cfg.output_cycles, mark;

    dma->marks.was_status = (event->value & 1) != 0;
    if (dma->marks.was_status)
        mark = hub_marks(hub, HUB_STAGE_STATUS, edge, dma->marks.begun, dma->marks.status,
                         dma->marks.written);
    else
        mark = hub_marks(hub, HUB_STAGE_WRITE, edge, r->data_mark, dma->marks.written, 0);
    pcie_tlp_set_range(&tlp, event->at, sim_load32(event->header));
    tlp.trace_id = hub_mark(hub, HUB_STAGE_OUTPUT, output, mark);
    mirror->last[dma->channel] = (event->value & 2) != 0;
    (void)hub_put(hub, SRC_DMA_WRITE + dma->channel, &tlp, mirror_output(mirror, event->count),
                  output);
}

static void dropped(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    (void)edge;
    channel_of(mirror, event)->read_head++;
}

static void ended(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    struct hub_dma *dma = channel_of(mirror, event);

    (void)edge;
    dma->mode = DMA_IDLE;
    dma->ending = false;
    mirror->hub->cause = dma->marks.written;
    if (event->value != 0)
        mirror->hub->irq_cause = mirror->hub->cause;
}

/* The write register is granted. */
static void written(struct mirror *mirror, struct hub_dma *dma)
{
    uint64_t first;
    const struct pcie_tlp *tlp = &fifo_head(&dma->hub->fifo[SRC_DMA_WRITE + dma->channel])->tlp;

    dma->releasing = !dma->marks.was_status && mirror->last[dma->channel];
    if (dma->marks.was_status) {
        dma->active = false;
    } else {
        dma->bytes += pcie_tlp_range(tlp, &first);
        dma->read_head += dma->releasing;
    }
}

static void waits(struct mirror *mirror, const struct model_event *event, uint64_t edge)
{
    (void)edge;
    mirror->waits &= ~(1u << event->where);
    mirror->waits |= event->value << event->where;
}

/* ---- an edge
 * ------------------------------------------------------------------------------------------ */

typedef void (*event_fn)(struct mirror *mirror, const struct model_event *event, uint64_t edge);

static const event_fn acts[MODEL_EVENT_KINDS] = {
    [MODEL_ROUTED] = routed,
    [MODEL_TAKEN] = taken,
    [MODEL_ANSWERS] = answers,
    [MODEL_FETCHED] = fetched,
    [MODEL_READ] = read_data,
    [MODEL_LATE] = cut,
    [MODEL_COMPLETION] = completion_over,
    [MODEL_FILLED] = filled,
    [MODEL_ISSUED] = issued,
    [MODEL_FETCHES] = fetches,
    [MODEL_BEGUN] = begun,
    [MODEL_CUT] = cut,
    [MODEL_DROPPED] = dropped,
    [MODEL_ENDED] = ended,
    [MODEL_NOTIFIED] = notified,
    [MODEL_LOST] = lost,
    [MODEL_APPENDED] = appended,
    [MODEL_STARTED] = started,
    [MODEL_RAISED] = raised,
    [MODEL_REFUSED] = refused,
    [MODEL_INTERRUPTS] = interrupts,
    [MODEL_REQUESTS] = requests,
    [MODEL_WAITS] = waits,
};

static void act(struct mirror *mirror, const struct model_event *events, uint32_t n,
                enum model_event_kind first, enum model_event_kind last, uint64_t edge)
{
    for (unsigned kind = first; n != 0 && kind <= last; kind++)
        for (uint32_t i = 0; i < n; i++)
            if (events[i].kind == kind)
                acts[kind](mirror, &events[i], edge);
}

void mirror_steps(struct mirror *mirror, const struct model_out *out, uint64_t edge)
{
    struct hub *hub = mirror->hub;
    uint32_t busy = hub->busy_dma;

    act(mirror, mirror->event, mirror->later, MODEL_FETCHED, MODEL_COMPLETION, edge);
    mirror->later = 0;
    for (uint32_t i = 0; i < out->nevents; i++)
        if (out->event[i].kind >= MODEL_FETCHED && out->event[i].kind <= MODEL_COMPLETION)
            mirror->event[mirror->later++] = out->event[i];
    act(mirror, out->event, out->nevents, MODEL_ROUTED, MODEL_ANSWERS, edge);
    hub_look(hub, edge);
    act(mirror, out->event, out->nevents, MODEL_FILLED, MODEL_ENDED, edge);
    for (uint32_t left = busy; left != 0; left &= left - 1) {
        struct hub_dma *dma = &hub->dma[__builtin_ctz(left)];

        if (hub->probe != NULL)
            hub_level_dma(dma);
        if (dma->mode == DMA_IDLE)
            hub->busy_dma &= ~(1u << dma->channel);
    }
}

void mirror_registers(struct mirror *mirror, const struct model_out *out, uint64_t edge)
{
    act(mirror, out->event, out->nevents, MODEL_NOTIFIED, MODEL_WAITS, edge);
}

static uint32_t source_of(const struct mirror *mirror, uint32_t source)
{
    uint32_t ports = mirror->hub->nports * mirror->classes;

    if (source >= ports)
        return SRC_LOCAL + (source - ports);
    return source / mirror->classes * PCIE_CLASSES + source % mirror->classes;
}

uint64_t mirror_granted(struct mirror *mirror, uint32_t rtl_source, uint32_t out,
                        enum pcie_tlp_kind kind, uint32_t bytes, uint64_t edge)
{
    struct hub *hub = mirror->hub;
    uint32_t source = source_of(mirror, rtl_source);
    uint64_t mark;

    if (source >= SRC_DMA_WRITE)
        written(mirror, &hub->dma[source - SRC_DMA_WRITE]);
    if (source == SRC_LOCAL)
        hub->local_units -= (bytes + 15) / 16;
    if (source < SRC_LOCAL)
        hub->ports[source / PCIE_CLASSES].in_ddr -= fifo_head(&hub->fifo[source])->in_ddr;
    mark = hub_granted(hub, source, out, 1 + hub_data_beats(bytes, hub->cfg.bus_bytes), edge);
    if (out == OUT_SELF) {
        mirror->self = mark;
        if (kind == PCIE_MWR)
            hub->write.cause = mark;
    } else if (out == OUT_SINK && source < PCIE_CLASSES * (HUB_HOST + 1)) {
        hub->sink.ring[hub->sink.tail++ & hub->sink.mask].tlp.trace_id = mark;
    }
    return mark;
}
