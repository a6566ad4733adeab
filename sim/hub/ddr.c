/* The memory beside the chip, where packets from cables wait that find many others waiting. */
#include "hub/ddr.h"

/* The receive buffer is free again when all of the packet is written. */
static void to_ddr(struct hub *hub, struct hub_port *port, struct hub_entry *e, uint64_t edge)
{
    uint64_t bytes = pcie_tlp_data_bytes(&e->tlp), width = hub->cfg.ddr_bytes_per_cycle;
    uint64_t begin = sim_max(hub->ddr_edge, sim_max(e->edge, edge));
    uint64_t written = begin + (bytes + width - 1) / width;
    struct hub_entry *in = fifo_add(&hub->ddr_writes);

    in->tlp = e->tlp;
    in->out = port->index;
    in->edge = written;
    hub_wake(hub, written);
    hub->ddr_edge = written + (written - begin); /* and read again */
    hub->ddr_used += hub_ddr_place(port);
    hub->ddr_tlps++;
    port->on_chip--;
    e->in_ddr = true;
    e->edge = sim_max(begin + hub->cfg.ddr_cycles, written);
    if (hub->probe != NULL)
        e->tlp.trace_id = hub_probe_mark(hub, HUB_STAGE_DDR, e->edge, e->tlp.trace_id, 0, 0);
}

/*
 * A packet has left DDR3. If its port found that memory full, the last packet on the chip takes the
 * place. Without that the one that left takes a place of the next hub and frees none of its own,
 * and a ring in which all hubs do so loses its last free place.
 */
void hub_ddr_leave(struct hub *hub, uint32_t source)
{
    struct hub_port *port = &hub->ports[source / PCIE_CLASSES];
    struct hub_fifo *f = &hub->fifo[source];
    uint32_t at = f->tail;

    hub->ddr_used -= hub_ddr_place(port);
    if (!hub_ddr_takes(hub, port))
        return;
    do /* more than ddr_chip_tlps are on the chip, so there is one, and it is not the head */
        at--;
    while (f->ring[at & f->mask].in_ddr);
    to_ddr(hub, port, &f->ring[at & f->mask], hub_clock_edge(hub));
}

void hub_ddr_ask(struct hub *hub, struct hub_port *port, uint32_t order)
{
    struct hub_ddr_ask *ask = &port->asks[port->nasks++];

    *ask = (struct hub_ddr_ask){ port->receive.free_edge, order };
    hub->ddr_asked |= 1u << port->index;
    hub_wake(hub, ask->edge);
}

/* The packet with this number, if it still waits on the chip. */
static struct hub_entry *find_packet(const struct hub_fifo *f, uint32_t order)
{
    for (uint32_t at = f->tail; at != f->head; at--) {
        struct hub_entry *e = &f->ring[(at - 1) & f->mask];

        if (e->order == order)
            return e->in_ddr ? NULL : e;
    }
    return NULL;
}

static void answer_asks(struct hub *hub, struct hub_port *port, uint64_t edge)
{
    const struct hub_fifo *f = &hub->fifo[port->index * PCIE_CLASSES + PCIE_POSTED];

    while (port->nasks != 0 && port->asks[0].edge <= edge) {
        struct hub_entry *e = find_packet(f, port->asks[0].order);

        if (e != NULL && hub_ddr_takes(hub, port))
            to_ddr(hub, port, e, edge);
        port->asks[0] = port->asks[1];
        port->nasks--;
    }
    if (port->nasks == 0)
        hub->ddr_asked &= ~(1u << port->index);
}

uint64_t hub_ddr_step(struct hub *hub, uint64_t edge)
{
    uint64_t next = UINT64_MAX;

    for (struct hub_fifo *f = &hub->ddr_writes; !fifo_empty(f); f->head++) {
        const struct hub_entry *in = fifo_head(f);

        if (in->edge > edge) {
            next = in->edge;
            break;
        }
        hub_edge_release(&hub->ports[in->out].edge, PCIE_POSTED, &in->tlp);
    }
    for (uint32_t left = hub->ddr_asked; left != 0; left &= left - 1) {
        struct hub_port *port = &hub->ports[__builtin_ctz(left)];

        answer_asks(hub, port, edge);
        if (port->nasks != 0)
            next = sim_min(next, port->asks[0].edge);
    }
    return next;
}
