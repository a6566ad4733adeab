/*
 * The memory beside the chip. It does one thing at a time: it writes a packet, and then has as much
 * time for reading another one. So it takes a packet when it is free, and nothing is booked ahead.
 *
 * The first ddr.chip_tlps packets of a port on the chip stay there, and all behind them ask. So
 * where the receive buffer is full one asks, and a packet that leaves DDR3 and takes a place of the
 * next hub makes room for one that frees a place here. Without that a ring in which all hubs do so
 * would lose its last free place.
 */
#include "hub/ddr.h"

void hub_ddr_start(struct hub *hub)
{
    for (uint32_t p = HUB_HOST + 1; p < hub->nports; p++) /* N is not asked to wait there */
        hub->ports[p].ddr_places = (uint32_t)sim_min(
            hub->cfg.ddr_bytes / (hub->nports - 1) / hub->ports[p].mps_bytes, UINT32_MAX);
}

void hub_ddr_ask(struct hub *hub, struct hub_port *port, uint32_t order, uint64_t edge)
{
    struct hub_entry *ask = fifo_add(&port->asks);

    ask->order = order;
    ask->edge = edge;
    hub->ddr_asked |= 1u << port->index;
    hub_wake(hub, edge);
}

static void drop_ask(struct hub *hub, struct hub_port *port)
{
    port->asks.head++;
    if (fifo_empty(&port->asks))
        hub->ddr_asked &= ~(1u << port->index);
}

void hub_ddr_leave(struct hub *hub, struct hub_port *port, bool in_ddr, uint64_t edge)
{
    port->in_ddr -= in_ddr;
    port->on_chip -= !in_ddr;
    if (fifo_empty(&port->asks))
        return;
    port->stays = !in_ddr;
    hub_wake(hub, edge + 1);
}

/** The first packet that asks; those behind it in the queue are on the chip. */
static struct hub_entry *asking_packet(struct hub *hub, const struct hub_port *port)
{
    struct hub_fifo *f = &hub->fifo[port->index * PCIE_CLASSES + PCIE_POSTED];
    uint32_t at = f->tail - 1;

    while (f->ring[at & f->mask].order != fifo_head(&port->asks)->order)
        at--;
    return &f->ring[at & f->mask];
}

/* The receive buffer is free again when all of the packet is written. */
static void take_packet(struct hub *hub, struct hub_port *port, uint64_t edge)
{
    struct hub_entry *e = asking_packet(hub, port);
    uint64_t bytes = pcie_tlp_data_bytes(&e->tlp), width = hub->cfg.ddr_bytes_per_cycle;
    uint64_t cycles = sim_max((bytes + width - 1) / width, 1);

    hub->ddr_write.port = port;
    hub->ddr_write.tlp = e->tlp;
    hub->ddr_write.edge = edge + cycles;
    hub->ddr_edge = edge + 2 * cycles; /* it reads as much */
    hub->ddr_turn.turn = port->index + 1u;
    hub->ddr_tlps++;
    port->in_ddr++;
    port->on_chip--;
    drop_ask(hub, port);
    e->in_ddr = true;
    e->edge = sim_max(e->edge, edge + sim_max(hub->cfg.ddr_cycles, cycles));
    if (hub->probe != NULL)
        e->tlp.trace_id = hub_probe_mark(hub, HUB_STAGE_DDR, e->edge, e->tlp.trace_id, 0, 0);
}

static void end_write(struct hub *hub, uint64_t edge)
{
    const struct hub_port *port = hub->ddr_write.port;
    const struct pcie_tlp *tlp = &hub->ddr_write.tlp;

    hub->ddr_write.port = NULL;
    if (hub->watch != NULL)
        hub->watch->written(hub->watch->user, edge, port->index, pcie_tlp_data_credits(tlp));
    hub_edge_release(&port->edge, PCIE_POSTED, tlp);
}

/** @return has the port a packet for DDR3, but for the time? One of those before it on the chip may
 * have left at the edge before: then it stays. */
static bool wants(struct hub *hub, struct hub_port *port, uint64_t edge, uint64_t *next_p)
{
    bool stays = port->stays;
    uint64_t from;

    port->stays = false;
    if (stays)
        drop_ask(hub, port);
    if (fifo_empty(&port->asks))
        return false;
    from = sim_max(fifo_head(&port->asks)->edge, edge + stays);
    if (from > edge)
        *next_p = sim_min(*next_p, from);
    return from <= edge && port->in_ddr < port->ddr_places && !hub->stopped;
}

uint64_t hub_ddr_step(struct hub *hub, uint64_t edge)
{
    uint64_t next = UINT64_MAX;
    uint32_t ports = 0;

    if (hub->ddr_write.port != NULL && hub->ddr_write.edge <= edge)
        end_write(hub, edge);
    for (uint32_t left = hub->ddr_asked; left != 0; left &= left - 1) {
        uint32_t p = (uint32_t)__builtin_ctz(left);

        ports |= (uint32_t)wants(hub, &hub->ports[p], edge, &next) << p;
    }
    if (ports != 0 && hub->ddr_edge <= edge) {
        uint32_t p = sim_arbiter_pick(&hub->ddr_turn, ports);

        take_packet(hub, &hub->ports[p], edge);
        if (hub->ddr_asked != 0)
            next = sim_min(next, hub->ddr_edge);
    } else if (ports != 0) {
        next = sim_min(next, hub->ddr_edge);
    }
    if (hub->ddr_write.port != NULL)
        next = sim_min(next, hub->ddr_write.edge);
    return next;
}
