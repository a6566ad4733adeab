/*
 * What ends in the hub: registers, internal memory, and the answers to requests that nothing
 * claims.
 */
#include "hub/internal.h"

#include <string.h>

#define REGISTER_SPACE HUB_INTERNAL_OFFSET

static bool in_self_area(const struct hub *hub, uint64_t addr, uint64_t *in_area_p)
{
    uint64_t offset = addr & (hub->window_bytes - 1);

    *in_area_p = hub_in_area(hub, offset);
    return (offset & ~(hub->part_bytes - 1)) == hub->slot * hub->part_bytes &&
           hub_area(hub, offset) == HUB_AREA_SELF;
}

/* ---- answers --------------------------------------------------------------- */

/* `beats`: of data that are read before. */
static void send_answer(struct hub *hub, uint32_t port, const struct pcie_tlp *cpl, uint64_t beats)
{
    uint64_t edge = hub_clock_edge(hub) + hub->cfg.register_cycles + beats;
    struct pcie_tlp tlp = *cpl;

    if (hub->verdict.late_ps != 0)
        edge += sim_clock_cycles(&hub->clk, hub->verdict.late_ps);
    tlp.poisoned = hub->verdict.poison && pcie_tlp_has_data(&tlp);
    tlp.trace_id = hub_mark(hub, HUB_STAGE_REGISTER, edge, tlp.trace_id);
    edge += hub->cfg.output_cycles;
    tlp.trace_id = hub_mark(hub, HUB_STAGE_OUTPUT, edge, tlp.trace_id);
    hub_push_local(hub, &tlp, port, edge);
    hub->local_edge = hub_clock_edge(hub) + 2; /* SELF makes it in the cycle behind this edge */
}

static void report(struct hub *hub, uint32_t port, enum pcie_error error, bool advisory,
                   const struct pcie_tlp *tlp)
{
    struct pcie_port *pcie = hub->ports[port].edge.pcie;

    if (advisory)
        pcie_port_advisory(pcie, error, tlp);
    else
        pcie_port_error(pcie, error, tlp);
    if (__builtin_expect(hub->watch != NULL, 0))
        hub->watch->error(hub->watch->user, port, error, advisory, tlp);
}

/* What an answer with an error status says to the requester is its to judge, so it is advisory
 * (6.2.3.2.4.1); a posted request has no such answer. */
static void refuse_request(struct hub *hub, uint32_t port, struct pcie_tlp *tlp,
                           enum pcie_error error)
{
    bool answered = pcie_tlp_class(tlp) == PCIE_NONPOSTED;

    report(hub, port, error, answered, tlp);
    if (answered) {
        struct pcie_tlp cpl = hub_edge_completion(
            &hub->ports[port].edge, tlp, error == PCIE_ERR_ABORT ? PCIE_CPL_CA : PCIE_CPL_UR);

        send_answer(hub, port, &cpl, 0);
    }
    pcie_tlp_drop(tlp);
}

static void refuse_unsupported(struct hub *hub, uint32_t port, struct pcie_tlp *tlp)
{
    hub->unsupported++;
    refuse_request(hub, port, tlp, PCIE_ERR_UNSUPPORTED);
}

/* Data of a read in completions of at most MPS, read one beat after the other; register and memory
 * reads are at most 4 KiB. */
static void answer_read(struct hub *hub, uint32_t port, const struct pcie_tlp *req,
                        const uint8_t *bytes)
{
    uint64_t addr;
    uint32_t left = pcie_tlp_range(req, &addr);
    uint32_t mps = pcie_port_mps(hub->ports[port].edge.pcie);
    uint64_t beats = 0;

    if (left == 0)
        left = 1; /* no byte enabled: one double word, byte count 1 (2.3.1.1) */
    while (left != 0) {
        uint32_t piece = pcie_split_completion(addr, left, mps);
        uint32_t lead = (uint32_t)(addr & 3);
        uint32_t dw = (lead + piece + 3) / 4;
        struct pcie_tlp cpl = hub_edge_completion(&hub->ports[port].edge, req, PCIE_CPL_SC);

        cpl.kind = PCIE_CPLD;
        cpl.length_dw = (uint16_t)dw;
        cpl.byte_count = (uint16_t)left;
        cpl.lower_addr = (uint8_t)(addr & 0x7f);
        cpl.payload = mem_payload_alloc(hub->pool, dw * 4);
        memcpy(cpl.payload->data, bytes + (addr - lead - req->addr), (size_t)dw * 4);
        send_answer(hub, port, &cpl, beats);
        beats += hub_data_beats(dw * UINT64_C(4), hub->cfg.bus_bytes);
        addr += piece;
        left -= piece;
    }
    hub->output[OUT_SELF].free_edge += beats;
}

/* ---- registers ---------------------------------------------------------------- */

static uint64_t route_register(const struct hub *hub, uint32_t offset)
{
    uint32_t p = (offset - HUB_ROUTE_LOWER(0, 0)) / 0x100;
    const struct hub_range *r = hub_range(hub, p, (offset & 0xff) / 16);

    if (r == NULL)
        return 0;
    return (offset & 8) != 0 ? r->upper : r->lower;
}

static uint64_t port_errors(const struct hub *hub, uint32_t p)
{
    const struct pcie_function *fn = &hub->ports[p].edge.function;

    return pcie_function_read(fn, PCIE_AER_UNCORRECTABLE) |
           (uint64_t)pcie_function_read(fn, PCIE_AER_CORRECTABLE) << 32;
}

static uint64_t link_status(const struct hub *hub)
{
    uint64_t bits = 0;

    for (uint32_t p = 0; p < hub->nports; p++) {
        const struct hub_port *port = &hub->ports[p];
        bool done = port->edge.role != HUB_ROOT || port->bringup == BRINGUP_DONE;

        if (done && hub_edge_up(&port->edge))
            bits |= UINT64_C(1) << p;
    }
    return bits;
}

static uint32_t log2_of(uint64_t power)
{
    return (uint32_t)__builtin_ctzll(power);
}

static uint64_t register_read(struct hub *hub, uint32_t offset)
{
    if (offset >= HUB_DMA(0) && offset < HUB_DMA(HUB_DMA_CHANNELS))
        return dma_read_register(&hub->dma[(offset - HUB_DMA(0)) / 0x100], offset & 0xff);
    if (offset >= HUB_ROUTE_LOWER(0, 0) && offset < HUB_ROUTE_LOWER(HUB_MAX_PORTS, 0))
        return route_register(hub, offset);
    if (offset >= HUB_AREA_BASE(0) && offset < HUB_AREA_BASE(HUB_AREA_SELF))
        return hub->area_base[(offset - HUB_AREA_BASE(0)) / 8];
    if (offset >= HUB_ERRORS(0) && offset < HUB_ERRORS(HUB_MAX_PORTS))
        return port_errors(hub, (offset - HUB_ERRORS(0)) / 8);
    switch (offset) {
    case HUB_ID:
        return HUB_ID_MAGIC | (uint64_t)hub->nports << 32 | (uint64_t)HUB_DMA_CHANNELS << 40;
    case HUB_SLOT:
        return hub->slot | (uint64_t)hub->subcluster << 16 |
               (uint64_t)log2_of(hub->part_bytes) << 32 | hub->window_bytes / hub->part_bytes << 48;
    case HUB_LINK_STATUS:
        return link_status(hub);
    case HUB_IRQ_STATUS:
        return hub->irq_status;
    case HUB_IRQ_MASK:
        return hub->irq_mask;
    case HUB_UR_COUNT:
        return hub->unsupported;
    case HUB_RING_BASE:
        return hub->ring_base;
    case HUB_RING_SIZE:
        return hub->ring_size;
    case HUB_RING_TAIL:
        return hub->ring_tail;
    case HUB_RING_HEAD:
        return hub->ring_head;
    case HUB_RING_LOST:
        return hub->notify_lost;
    case HUB_ROUTE_MASK:
        return hub->window_bytes - 1;
    default:
        return 0;
    }
}

/* The bits in force after a write of one half. */
static uint64_t merge_half(uint64_t old, uint32_t half, uint32_t value)
{
    return half == 0 ? (old & ~UINT64_C(0xffffffff)) | value
                     : (old & UINT64_C(0xffffffff)) | (uint64_t)value << 32;
}

static void register_write(struct hub *hub, uint32_t offset, uint32_t half, uint32_t value)
{
    if (offset >= HUB_DMA(0) && offset < HUB_DMA(HUB_DMA_CHANNELS)) {
        struct hub_dma *dma = &hub->dma[(offset - HUB_DMA(0)) / 0x100];
        uint32_t reg = offset & 0xff;

        /* Starting registers act on their low word, so that the high one may follow or be left out.
         */
        if ((reg == HUB_DMA_CONTROL || reg == HUB_DMA_HEAD) && half != 0)
            return;
        dma_write_register(dma, reg, merge_half(dma_read_register(dma, reg), half, value));
        return;
    }
    if (offset >= HUB_AREA_BASE(0) && offset < HUB_AREA_BASE(HUB_AREA_SELF)) {
        uint64_t *base = &hub->area_base[(offset - HUB_AREA_BASE(0)) / 8];

        *base = merge_half(*base, half, value) & ~UINT64_C(0xfff);
        hub_wake(hub, hub_clock_edge(hub) + 1); /* a channel may find its area closed */
        return;
    }
    if (offset >= HUB_ERRORS(0) && offset < HUB_ERRORS(HUB_MAX_PORTS)) {
        uint32_t p = (offset - HUB_ERRORS(0)) / 8;

        pcie_function_write(&hub->ports[p].edge.function,
                            half == 0 ? PCIE_AER_UNCORRECTABLE : PCIE_AER_CORRECTABLE, value, 0xf);
        if (__builtin_expect(hub->watch != NULL, 0))
            hub->watch->cleared(hub->watch->user, p, half, value);
        return;
    }
    switch (offset) {
    case HUB_IRQ_RAISE:
        if (half == 0)
            hub_raise(hub, value);
        break;
    case HUB_IRQ_STATUS:
        if (half == 0)
            hub->irq_cleared |= value;
        break;
    case HUB_IRQ_MASK:
        if (half == 0)
            hub->irq_mask = value;
        break;
    case HUB_NOTIFY: /* acts on the high word, which comes last in a packet */
        hub->write.notify = merge_half(hub->write.notify, half, value);
        if (half != 0)
            hub_notify(hub, hub->write.notify);
        break;
    case HUB_RING_BASE:
        hub->ring_base = merge_half(hub->ring_base, half, value) & ~UINT64_C(63);
        break;
    case HUB_RING_SIZE:
        if (half == 0)
            hub->ring_size = value;
        hub_wake(hub, hub_clock_edge(hub) + 1); /* a larger one has room as well */
        break;
    case HUB_RING_TAIL:
        hub->ring_tail = merge_half(hub->ring_tail, half, value);
        hub_wake(hub, hub_clock_edge(hub) + 1); /* notifications may be waiting for room */
        break;
    default: /* read-only or nothing there: a write has no effect */
        break;
    }
}

/* ---- accesses ------------------------------------------------------------------ */

static void write_word(struct hub *hub, const struct pcie_tlp *tlp, uint32_t dw)
{
    uint8_t be = dw == 0 ? tlp->first_be : dw == tlp->length_dw - 1u ? tlp->last_be : 0xf;
    uint64_t at = hub->write.in_area + dw * UINT64_C(4);
    const uint8_t *data = &tlp->payload->data[dw * 4];

    if (at >= HUB_INTERNAL_OFFSET) {
        uint32_t to = (uint32_t)(at - HUB_INTERNAL_OFFSET) & (HUB_INTERNAL_BYTES - 1);

        for (uint32_t b = 0; b < 4; b++)
            if ((be >> b & 1) != 0)
                hub->internal[to + b] = data[b];
        dma_internal_written(hub, to, 4);
    } else if (be == 0xf) {
        register_write(hub, (uint32_t)(at & ~UINT64_C(7)), (at & 4) != 0, sim_load32(data));
    } else if (be != 0) {
        hub->unsupported++; /* registers take whole words only */
    }
}

uint64_t self_step(struct hub *hub, uint64_t edge)
{
    struct hub_self_write *w = &hub->write;
    uint32_t end = w->dw + (uint32_t)hub->cfg.bus_bytes / 4;

    if (w->edge > edge)
        return w->edge;
    hub->cause = w->cause;
    for (; w->dw < end && w->dw < w->tlp.length_dw; w->dw++)
        write_word(hub, &w->tlp, w->dw);
    w->edge++;
    if (w->dw < w->tlp.length_dw)
        return w->edge;
    pcie_tlp_drop(&w->tlp);
    return UINT64_MAX;
}

/* Its first beat of data is a cycle behind the header. */
static void begin_write(struct hub *hub, uint64_t in_area, const struct pcie_tlp *tlp)
{
    SIM_ASSERT(hub->write.tlp.payload == NULL);
    hub->write = (struct hub_self_write){
        .tlp = *tlp, .in_area = in_area, .edge = hub_clock_edge(hub) + 1, .cause = hub->cause
    };
    hub_wake(hub, hub->write.edge);
}

static void read_bytes(struct hub *hub, uint32_t port, uint64_t in_area, const struct pcie_tlp *tlp)
{
    uint8_t bytes[4096];
    uint32_t size = tlp->length_dw * 4u;

    for (uint32_t i = 0; i < size; i += 4) {
        uint64_t at = in_area + i, value;

        if (at >= HUB_INTERNAL_OFFSET) {
            memcpy(&bytes[i], &hub->internal[(at - HUB_INTERNAL_OFFSET) & (HUB_INTERNAL_BYTES - 1)],
                   4);
            continue;
        }
        value = register_read(hub, (uint32_t)(at & ~UINT64_C(7))) >> ((at & 4) != 0 ? 32 : 0);
        sim_store(&bytes[i], value, 4);
    }
    answer_read(hub, port, tlp, bytes);
}

static bool is_claimed(uint64_t in_area, const struct pcie_tlp *tlp)
{
    uint64_t end = in_area + tlp->length_dw * UINT64_C(4);

    return end <= REGISTER_SPACE ||
           (in_area >= HUB_INTERNAL_OFFSET && end <= HUB_INTERNAL_OFFSET + HUB_INTERNAL_BYTES);
}

/* Registers are read one at a time; more is no part of their programming model (2.3.1). */
static bool aborts_read(uint64_t in_area, const struct pcie_tlp *tlp)
{
    return tlp->kind == PCIE_MRD && in_area < REGISTER_SPACE &&
           (in_area & 4) + tlp->length_dw * 4u > 8;
}

/* Poisoned data changes nothing here (2.7.2.2). */
static void take_poisoned(struct hub *hub, uint32_t port, struct pcie_tlp *tlp)
{
    report(hub, port, PCIE_ERR_POISONED, false, tlp);
    if (pcie_tlp_class(tlp) == PCIE_NONPOSTED) {
        struct pcie_tlp cpl = hub_edge_completion(&hub->ports[port].edge, tlp, PCIE_CPL_UR);

        send_answer(hub, port, &cpl, 0);
    }
    pcie_tlp_drop(tlp);
}

/* What is to go wrong on purpose. @return whether that is all there is to do */
static bool misbehaves_at(struct hub *hub, uint32_t port, struct pcie_tlp *tlp)
{
    hub->verdict = (struct pcie_verdict){ .late_ps = 0 };
    if (pcie_tlp_class(tlp) != PCIE_NONPOSTED)
        return false;
    hub->verdict = pcie_misdeeds_judge(hub->misdeeds, sim_now(hub->dom));
    if (hub->verdict.silent)
        pcie_tlp_drop(tlp);
    else if (hub->verdict.abort)
        refuse_request(hub, port, tlp, PCIE_ERR_ABORT);
    return hub->verdict.silent || hub->verdict.abort;
}

void self_take(struct hub *hub, uint32_t port, struct pcie_tlp *tlp, bool refused)
{
    uint64_t in_area;

    if (hub->misbehaves && misbehaves_at(hub, port, tlp))
        return;
    if (tlp->poisoned && pcie_tlp_has_data(tlp)) {
        take_poisoned(hub, port, tlp);
        return;
    }
    if (refused || (tlp->kind != PCIE_MWR && tlp->kind != PCIE_MRD) ||
        !in_self_area(hub, tlp->addr, &in_area) || !is_claimed(in_area, tlp) ||
        (tlp->kind == PCIE_MRD && port != HUB_HOST)) {
        refuse_unsupported(hub, port, tlp);
        return;
    }
    if (aborts_read(in_area, tlp)) {
        refuse_request(hub, port, tlp, PCIE_ERR_ABORT);
        return;
    }
    if (tlp->kind == PCIE_MWR) {
        begin_write(hub, in_area, tlp);
        return;
    }
    read_bytes(hub, port, in_area, tlp);
    pcie_tlp_drop(tlp);
}
