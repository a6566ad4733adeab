/*
 * What comes in by the ports: a stream of beats each, of which the first one is routed. A packet
 * goes into the queue of its class, where it may be granted some stages later; its beats follow
 * as fast as the bus can take them out again.
 */
#include "hub/receive.h"

#include "hub/ddr.h"

/* In no BAR of the endpoint that it came by. */
static bool is_alien(const struct hub_port *port, const struct pcie_tlp *tlp)
{
    return port->edge.role == HUB_ENDPOINT && (tlp->kind == PCIE_MWR || tlp->kind == PCIE_MRD) &&
           pcie_function_claims(&port->edge.function, tlp->addr) != 0;
}

/* What a packet from a port is for: completions end here, memory is routed. What has no way goes to
 * OUT_SELF: a write is `refused` there, wherever in the window its address would lie. */
static uint32_t destination(struct hub *hub, struct hub_port *port, struct pcie_tlp *tlp,
                            bool *refused)
{
    uint64_t offset;
    uint64_t addr;
    uint32_t out;

    if (pcie_tlp_class(tlp) == PCIE_COMPLETION)
        return OUT_SINK;
    if (tlp->kind != PCIE_MWR && tlp->kind != PCIE_MRD)
        return OUT_SELF;
    if (port->index == HUB_HOST)
        offset = tlp->addr & (hub->window_bytes - 1);
    else
        offset = tlp->addr - HUB_CABLE_BASE;
    out = hub_route(hub, offset);
    /* Reads are served in the own part only, and only to the host (remote access is put). */
    if (out == OUT_SELF || (tlp->kind == PCIE_MRD))
        return OUT_SELF;
    *refused = out == HUB_ROUTE_NONE || out == port->index || !hub_leave(hub, out, offset, &addr) ||
               /* a packet cannot be cut, so this way is none for it */
               pcie_tlp_data_bytes(tlp) > hub->ports[out].mps_bytes;
    if (*refused)
        return OUT_SELF;
    tlp->addr = addr;
    return out;
}

/** The first beat of a packet, which came for edge `arrived`, is there at `edge`. It is routed by
 * the state before that. */
static void take_packet(struct hub *hub, struct hub_port *port, struct pcie_tlp *tlp,
                        uint64_t arrived, uint64_t edge)
{
    enum pcie_class cls = pcie_tlp_class(tlp);
    struct hub_entry *e;
    uint64_t from;
    uint32_t out;
    bool refused;

    if (__builtin_expect(hub->watch != NULL, 0))
        hub->watch->received(hub->watch->user, edge, port->index, tlp);
    if (hub->hashed)
        sim_edge(hub->dom, port->in_hash, edge, pcie_tlp_hash(tlp));
    refused = is_alien(port, tlp);
    port->receive.free_edge = edge + hub_edge_beats(tlp, hub->cfg.bus_bytes);
    if (__builtin_expect(hub->core_ops != NULL, 0)) {
        if (hub->probe != NULL) /* it will say where it goes */
            tlp->trace_id = hub_probe_received(hub, port, tlp, OUT_SINK, arrived);
        hub->core_ops->received(hub->core, edge, port->index, tlp, !refused);
        return;
    }
    out = refused ? (uint32_t)OUT_SELF : destination(hub, port, tlp, &refused);
    if (hub->probe != NULL)
        tlp->trace_id = hub_probe_received(hub, port, tlp, out, arrived);
    from = edge + hub->cfg.receive_cycles + hub->cfg.route_cycles;
    e = hub_put(hub, port->index * PCIE_CLASSES + cls, tlp, out,
                from + (out < HUB_MAX_PORTS ? hub->cfg.output_cycles : 0));
    e->refused = refused;
    if (cls == PCIE_POSTED)
        hub_ddr_received(hub, port, e->order, sim_max(from, port->receive.free_edge + 1));
    hub_wake(hub, e->edge);
}

void hub_received(void *user, struct pcie_tlp *tlp)
{
    struct hub_port *port = user;
    struct hub *hub = port->hub;
    struct hub_stream *stream = &port->receive;
    struct hub_entry *e;
    uint64_t edge = hub_clock_edge(hub);

    if (__builtin_expect(tlp->kind == PCIE_CFGRD0 || tlp->kind == PCIE_CFGWR0, 0) &&
        port->edge.role == HUB_ENDPOINT) {
        hub_configure(hub, port, tlp);
        return;
    }
    if (stream->free_edge <= edge && fifo_empty(&stream->wait)) {
        take_packet(hub, port, tlp, edge, edge);
        return;
    }
    e = fifo_add(&stream->wait);
    e->tlp = *tlp;
    e->edge = edge;
    hub->receiving |= 1u << port->index;
    hub_wake(hub, sim_max(stream->free_edge, edge));
}

uint64_t receive_step(struct hub *hub, uint64_t edge)
{
    uint64_t next = UINT64_MAX;

    for (uint32_t left = hub->receiving; left != 0; left &= left - 1) {
        struct hub_port *port = &hub->ports[__builtin_ctz(left)];
        struct hub_stream *stream = &port->receive;

        if (stream->free_edge <= edge) {
            struct hub_entry *e = fifo_head(&stream->wait);

            stream->wait.head++;
            take_packet(hub, port, &e->tlp, e->edge, edge);
        }
        if (fifo_empty(&stream->wait))
            hub->receiving &= ~(1u << port->index);
        else
            next = sim_min(next, stream->free_edge);
    }
    return next;
}
