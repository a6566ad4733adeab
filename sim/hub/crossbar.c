/*
 * Sources, outputs and the arbiters between them. A grant moves one packet and
 * keeps its output, and the source's read port, busy for its beats on the bus:
 * a header beat, and with data their beats and the gap. Packets cut through: the hard block
 * starts to send while the bus still delivers, so early that it does not run out of bytes.
 */
#include "hub/ddr.h"
#include "hub/receive.h"
#include "hub/timeout.h"

/* Non-posted requests and completions stay behind posted writes that came before them on the
 * same port (PCI Express Base 2.4.1); everything else may pass. */
static bool in_order(const struct hub *hub, uint32_t source, const struct hub_entry *e)
{
    const struct hub_fifo *posted;

    if (source >= SRC_LOCAL || source % PCIE_CLASSES == PCIE_POSTED ||
        source % PCIE_CLASSES == PCIE_POSTED_VC1)
        return true;
    posted = &hub->fifo[source - source % PCIE_CLASSES + PCIE_POSTED];
    return fifo_empty(posted) || (int32_t)(fifo_head(posted)->order - e->order) > 0;
}

/** Would a packet of this source be new in a ring that is kept moving? */
static bool enters(const struct hub *hub, uint32_t source, uint32_t out)
{
    return hub->output[out].transit != 0 && !hub_goes_on(hub, source, out) &&
           hub->cfg.bubble_tlps != 1;
}

/*
 * A ring deadlocks when its buffers are all full of packets that want to go on. So what is
 * not in the ring yet enters only while the next hub has room for more than this one packet
 * (bubble flow control: a free place always remains somewhere in the ring, and packets in it move).
 */
static bool output_accepts(const struct hub *hub, uint32_t source, uint32_t out,
                           const struct hub_entry *e)
{
    enum pcie_class cls = pcie_tlp_class(&e->tlp);

    if (out == OUT_SELF)
        return hub_local_room(hub);
    if (out == OUT_SINK)
        return true;
    if (!enters(hub, source, out))
        return hub_edge_ready(&hub->ports[out].edge, cls);
    return hub_edge_credits(&hub->ports[out].edge, cls, (uint32_t)hub->cfg.bubble_tlps);
}

/** Why the output did not accept it. */
static enum hub_waits refused_by(const struct hub *hub, uint32_t source, uint32_t out,
                                 const struct hub_entry *e)
{
    if (out == OUT_SELF)
        return HUB_WAITS_SELF;
    if (enters(hub, source, out) &&
        pcie_port_queued(hub->ports[out].edge.pcie, pcie_tlp_class(&e->tlp)) == 0)
        return HUB_WAITS_CREDIT;
    return HUB_WAITS_ROOM;
}

bool hub_may_go(const struct hub *hub, uint32_t source, uint32_t out)
{
    const struct hub_entry *e = fifo_head(&hub->fifo[source]);

    return in_order(hub, source, e) && output_accepts(hub, source, out, e);
}

/* Where an answer to a packet of this source goes. */
static uint32_t answer_port(uint32_t source)
{
    return source < SRC_LOCAL ? source / PCIE_CLASSES : HUB_HOST;
}

static void send_packet(struct hub *hub, uint32_t out, struct pcie_tlp *tlp, uint64_t edge,
                        uint64_t last_edge)
{
    const struct hub_edge *port = &hub->ports[out].edge;
    sim_time_t now = sim_now(hub->dom);
    sim_time_t lag = hub_edge_lag(port, tlp, sim_clock_time(&hub->clk, last_edge) - now);

    if (hub->probe != NULL && lag != 0)
        tlp->trace_id = hub_probe_lag(hub, out, now + lag, tlp->trace_id);
    if (hub->hashed)
        sim_edge(hub->dom, hub->ports[out].out_hash, edge, pcie_tlp_hash(tlp));
    hub->ports[out].forwarded_tlps++;
    hub_edge_send(port, tlp, lag);
}

/* A completion that ends here. */
static void take_answer(struct hub *hub, struct hub_port *port, struct pcie_tlp *tlp, uint64_t edge)
{
    if (port->index == HUB_HOST) {
        dma_sink_put(hub, tlp, edge);
        return;
    }
    if (port->edge.role == HUB_ROOT)
        bringup_completion(port, tlp, hub_edge_beats(tlp, hub->cfg.bus_bytes) - 1);
    else
        pcie_port_advisory(port->edge.pcie, PCIE_ERR_UNEXPECTED, tlp);
    pcie_tlp_drop(tlp);
}

/** `last_edge`: the end of its last beat. */
static void deliver_packet(struct hub *hub, uint32_t source, uint32_t out, struct pcie_tlp *tlp,
                           bool refused, uint64_t edge, uint64_t last_edge)
{
    if (out == OUT_SELF) {
        self_take(hub, answer_port(source), tlp, refused);
    } else if (out == OUT_SINK) {
        take_answer(hub, &hub->ports[answer_port(source)], tlp, edge);
    } else {
        send_packet(hub, out, tlp, edge, last_edge);
    }
}

static SIM_PROBE_ONLY void probe_grant(struct hub *hub, uint32_t source, uint32_t out,
                                       struct pcie_tlp *tlp, uint64_t free_edge)
{
    tlp->trace_id = hub_probe_granted(hub, source, out, tlp, free_edge, enters(hub, source, out));
    if (source >= SRC_DMA_WRITE)
        dma_probe_written(&hub->dma[source - SRC_DMA_WRITE], tlp->trace_id, free_edge);
}

/** A packet leaves its source, and takes effect here or is the hub's own. */
static SIM_PROBE_ONLY void check_order(struct hub *hub, uint32_t source, uint32_t out,
                                       const struct hub_entry *e, struct pcie_tlp *tlp)
{
    if (source < SRC_LOCAL)
        pcie_order_leave(hub->ports[source / PCIE_CLASSES].order, e->order);
    /* Bring-up is of one link: two hubs may be joined by several, which have no common order. */
    if (hub->order == NULL ||
        (tlp->tag == HUB_BRINGUP_TAG && pcie_tlp_class(tlp) == PCIE_COMPLETION))
        return;
    if (source >= SRC_LOCAL && out < HUB_MAX_PORTS)
        pcie_order_begin(hub->order, tlp);
    else if (source < SRC_LOCAL && out >= HUB_MAX_PORTS)
        pcie_order_arrive(hub->order, tlp);
}

static void free_buffer(struct hub *hub, uint32_t source, const struct hub_entry *e, uint64_t edge)
{
    struct hub_port *port = &hub->ports[source / PCIE_CLASSES];
    enum pcie_class cls = (enum pcie_class)(source % PCIE_CLASSES);

    if (cls == PCIE_POSTED)
        hub_ddr_leave(hub, port, e->in_ddr, edge);
    if (!e->in_ddr)
        hub_edge_release(&port->edge, cls, &e->tlp);
}

/** The head leaves its queue; the next one wants its output. */
static void leave_queue(struct hub *hub, uint32_t source, uint32_t out)
{
    struct hub_fifo *f = &hub->fifo[source];

    hub->output[out].arbiter.requests &= ~(UINT64_C(1) << source);
    if (hub->output[out].arbiter.requests == 0)
        hub->wanted &= ~(1u << out);
    f->head++;
    if (!fifo_empty(f))
        hub_want(hub, source, fifo_head(f)->out);
    else
        f->head = f->tail = 0; /* the first entries stay warm */
}

/** Its beats take the ways of both. @return the end of the last one */
static uint64_t occupy_ways(struct hub *hub, uint32_t source, uint32_t out, uint64_t beats,
                            uint64_t edge)
{
    uint64_t last_edge = edge + beats;
    uint64_t free_edge = last_edge + (beats > 1 ? hub->cfg.bus_gap_cycles : 0);

    hub->output[out].arbiter.turn = source + 1;
    hub->output[out].free_edge = free_edge;
    hub->fifo[source].free_edge = free_edge;
    return last_edge;
}

static void grant_source(struct hub *hub, uint32_t source, uint32_t out, uint64_t edge)
{
    struct hub_fifo *f = &hub->fifo[source];
    struct pcie_tlp tlp = fifo_head(f)->tlp;
    bool refused = fifo_head(f)->refused, in_ddr = fifo_head(f)->in_ddr;
    uint64_t last_edge;

    if (hub->watched)
        check_order(hub, source, out, fifo_head(f), &tlp);
    if (source < SRC_LOCAL)
        free_buffer(hub, source, fifo_head(f), edge);
    leave_queue(hub, source, out);
    if (source >= SRC_DMA_WRITE)
        dma_take_write(&hub->dma[source - SRC_DMA_WRITE], &tlp);
    last_edge = occupy_ways(hub, source, out, hub_edge_beats(&tlp, hub->cfg.bus_bytes), edge);
    if (hub->probe != NULL)
        probe_grant(hub, source, out, &tlp, f->free_edge);
    if (__builtin_expect(hub->watch != NULL, 0))
        hub->watch->granted(hub->watch->user, edge, source, out, &tlp, in_ddr);
    if (source == SRC_LOCAL)
        hub->local_units -= pcie_tlp_data_credits(&tlp);
    deliver_packet(hub, source, out, &tlp, refused, edge, last_edge);
}

/** Does somebody wait for nothing but this grant, whatever the time that its beats take? What had
 * to stay behind a posted write, a request for room of its answers, a channel for its write
 * register or room for its requests.
 */
static bool is_waited_for(const struct hub *hub, uint32_t source)
{
    if (source < SRC_LOCAL)
        return source % PCIE_CLASSES == PCIE_POSTED &&
               !(fifo_empty(&hub->fifo[source + 1]) && fifo_empty(&hub->fifo[source + 2]));
    if (source == SRC_LOCAL)
        return hub->output[OUT_SELF].arbiter.requests != 0 || hub->notify_head != hub->notify_tail;
    return source >= SRC_DMA_WRITE || hub->fifo[source].tail - hub->fifo[source].head + 1 ==
                                          HUB_DMA_REQUESTS(hub->cfg.dma_read_tags);
}

/* What a grant makes possible next, at the end of its beats unless somebody waits for it alone. */
static uint64_t after_grant(struct hub *hub, uint32_t source, uint32_t out, uint64_t edge)
{
    uint64_t next = UINT64_MAX;

    if (is_waited_for(hub, source))
        return edge + 1;
    if (hub->output[out].arbiter.requests != 0 || !fifo_empty(&hub->fifo[source]))
        next = hub->output[out].free_edge;
    return next;
}

#define PORT_BUFFERS ((UINT64_C(1) << SRC_LOCAL) - 1u)

static uint64_t ready_edge(const struct hub *hub, uint32_t source)
{
    const struct hub_fifo *f = &hub->fifo[source];

    return fifo_head(f)->edge > f->free_edge ? fifo_head(f)->edge : f->free_edge;
}

/** The heads of these sources could go but for what they lack. */
static __attribute__((noinline)) void note_refused(struct hub *hub, uint32_t out, uint64_t refused)
{
    while (refused != 0) {
        uint32_t source = sim_arbiter_pick(&hub->output[out].arbiter, refused);
        const struct hub_entry *e = fifo_head(&hub->fifo[source]);
        enum hub_waits waits = HUB_WAITS_ORDER;

        refused &= ~(UINT64_C(1) << source);
        if (in_order(hub, source, e)) {
            if (out < HUB_MAX_PORTS && hub->fifo[source].waits == HUB_WAITS_NOT)
                hub->ports[out].blocked_grants++;
            waits = refused_by(hub, source, out, e);
        }
        if (hub->fifo[source].waits != waits)
            hub_wait_found(hub, source, out, ready_edge(hub, source), waits);
    }
}

/*
 * The source of `out` that is granted at this edge, the first by the arbiter's choice that is
 * ready, or HUB_SOURCES. *next_p: not after the next edge at which it is worth to look again. What
 * waits for room in a port is woken by that instead, and what waits behind another packet by its
 * grant.
 */
static uint32_t choose_source(struct hub *hub, uint32_t out, uint64_t edge, uint64_t *next_p)
{
    struct hub_output *o = &hub->output[out];
    uint64_t left = o->arbiter.requests & (hub->stopped ? ~PORT_BUFFERS : UINT64_MAX);
    uint64_t refused = 0, at = 0;
    uint32_t source = HUB_SOURCES;

    if (o->free_edge > edge) {
        *next_p = sim_min(*next_p, o->free_edge);
        return HUB_SOURCES;
    }
    for (; left != 0; left &= ~(UINT64_C(1) << source)) {
        source = __builtin_expect(hub->in_turn, 1) ? sim_arbiter_pick(&o->arbiter, left)
                                                   : hub_arbiter_pick(hub, out, left);
        at = ready_edge(hub, source);
        if (at > edge)
            *next_p = sim_min(*next_p, at);
        else if (hub_may_go(hub, source, out))
            break;
        else
            refused |= UINT64_C(1) << source;
    }
    if (refused != 0)
        note_refused(hub, out, refused);
    return left != 0 ? source : HUB_SOURCES;
}

/** @return the next edge at which what this makes possible is to be looked at */
static uint64_t grant_output(struct hub *hub, uint32_t source, uint32_t out, uint64_t edge)
{
    uint64_t at = ready_edge(hub, source);

    if (at != edge || fifo_head(&hub->fifo[source])->in_ddr)
        hub_wait_over(hub, source, out, at);
    grant_source(hub, source, out, edge);
    if (!hub->in_turn)
        hub_arbiter_granted(hub, out, source);
    return after_grant(hub, source, out, edge);
}

void hub_look(struct hub *hub, uint64_t edge)
{
    uint64_t next = UINT64_MAX;

    for (uint32_t left = hub->wanted; left != 0; left &= left - 1)
        (void)choose_source(hub, (uint32_t)__builtin_ctz(left), edge, &next);
}

uint64_t hub_granted(struct hub *hub, uint32_t source, uint32_t out, uint64_t beats, uint64_t edge)
{
    struct pcie_tlp tlp = fifo_head(&hub->fifo[source])->tlp;
    uint64_t at = ready_edge(hub, source);

    if (at != edge || fifo_head(&hub->fifo[source])->in_ddr)
        hub_wait_over(hub, source, out, at);
    leave_queue(hub, source, out);
    (void)occupy_ways(hub, source, out, beats, edge);
    if (hub->probe != NULL)
        probe_grant(hub, source, out, &tlp, hub->fifo[source].free_edge);
    return tlp.trace_id;
}

/* A hub that stops on purpose takes nothing from its ports' receive buffers; looks again at the end
 * of that. */
static __attribute__((noinline, cold)) void stop_or_go(struct hub *hub)
{
    sim_time_t now = sim_now(hub->dom), until = pcie_misdeeds_stopped_until(hub->misdeeds, now);

    hub->stopped = until > now;
    if (until > now && until != SIM_TIME_NEVER)
        hub_wake(hub, sim_clock_edge(&hub->clk, until));
}

/* What is behind the ports is not here. @return as hub_core_ops.edge() */
static __attribute__((noinline, cold)) uint64_t step_core(struct hub *hub, uint64_t edge)
{
    if (hub->overdue)
        hub_timeout_step(hub, edge);
    return hub->core_ops->edge(hub->core, edge);
}

/*
 * All that happens at one edge follows from what was there before it, as in registers that change
 * at once: arbiters choose and DMA channels step before any packet moves.
 */
void hub_tick(struct sim_event *ev)
{
    struct hub *hub = SIM_CONTAINER_OF(ev, struct hub, tick);
    uint64_t edge = hub->tick_edge;
    uint64_t next = UINT64_MAX;
    uint32_t source[HUB_OUTPUTS], granted = 0;
    bool appends = false;

    hub->edge_now = sim_now(hub->dom);
    hub->edge_value = edge;
    hub->next_edge = edge + 1;
    if (hub->misbehaves)
        stop_or_go(hub);
    if (__builtin_expect(hub->receiving != 0, 0))
        next = receive_step(hub, edge);
    if (__builtin_expect(hub->ddr_asked != 0 || hub->ddr_write.port != NULL, 0))
        next = sim_min(next, hub_ddr_step(hub, edge));
    if (__builtin_expect(hub->configures != 0, 0))
        next = sim_min(next, hub_configure_step(hub, edge));
    if (__builtin_expect(hub->core_ops != NULL, 0)) {
        next = sim_min(next, step_core(hub, edge));
        if (next != UINT64_MAX)
            hub_wake(hub, next);
        return;
    }
    if (!fifo_empty(&hub->sink))
        dma_sink_step(hub, edge);
    if (__builtin_expect(hub->overdue, 0))
        hub_timeout_step(hub, edge);
    if (__builtin_expect(hub->watch != NULL, 0))
        hub->watch->edge(hub->watch->user, edge);
    for (uint32_t left = hub->wanted; left != 0; left &= left - 1) {
        uint32_t out = (uint32_t)__builtin_ctz(left);

        source[out] = choose_source(hub, out, edge, &next);
        granted |= (uint32_t)(source[out] != HUB_SOURCES) << out;
    }
    if (hub->notify_head != hub->notify_tail)
        appends = hub_notify_may(hub, edge, &next);
    if (hub->busy_dma != 0)
        next = sim_min(next, dma_step(hub, edge));
    for (uint32_t left = granted & ~(1u << OUT_SELF); left != 0; left &= left - 1) {
        uint32_t out = (uint32_t)__builtin_ctz(left);

        next = sim_min(next, grant_output(hub, source[out], out, edge));
    }
    if (appends)
        next = sim_min(next, hub_notify_append(hub, edge));
    if (hub->write.tlp.payload != NULL)
        next = sim_min(next, self_step(hub, edge));
    if (hub->irq_raised != 0 || hub->irq_cleared != 0 || hub->interrupts)
        next = sim_min(next, hub_interrupt_step(hub, edge));
    if (__builtin_expect(hub->bringups != 0, 0))
        next = sim_min(next, bringup_step(hub, edge));
    if ((granted >> OUT_SELF & 1) != 0) /* it sees registers as they are behind this edge */
        next = sim_min(next, grant_output(hub, source[OUT_SELF], OUT_SELF, edge));
    if (!fifo_empty(&hub->sink))
        next = sim_min(next, fifo_head(&hub->sink)->edge);
    if (next != UINT64_MAX)
        hub_wake(hub, next);
}

void hub_ready(void *user, enum pcie_class cls)
{
    struct hub_port *port = user;

    (void)cls;
    hub_wake(port->hub, hub_clock_edge(port->hub));
}
