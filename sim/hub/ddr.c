/* The memory beside the chip, where packets from cables wait that find many others waiting. */
#include "hub/ddr.h"

static void to_ddr(struct hub *hub, struct hub_port *port, struct hub_entry *e)
{
    uint64_t bytes = pcie_tlp_data_bytes(&e->tlp), width = hub->cfg.ddr_bytes_per_cycle;
    uint64_t begin = sim_max(hub->ddr_edge, sim_max(e->edge, hub_clock_edge(hub)));

    hub->ddr_edge = begin + 2 * ((bytes + width - 1) / width);
    hub->ddr_used += hub_ddr_place(port);
    hub->ddr_tlps++;
    e->in_ddr = true;
    e->edge = begin + hub->cfg.ddr_cycles;
    if (hub->probe != NULL)
        e->tlp.trace_id = hub_probe_mark(hub, HUB_STAGE_DDR, e->edge, e->tlp.trace_id, 0, 0);
    hub_edge_release(&port->edge, PCIE_POSTED, &e->tlp);
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
    if (!hub_ddr_takes(hub, port, PCIE_POSTED))
        return;
    do /* more than ddr_chip_tlps are on the chip, so there is one, and it is not the head */
        at--;
    while (f->ring[at & f->mask].in_ddr);
    to_ddr(hub, port, &f->ring[at & f->mask]);
}

/* Packets that several ports receive in one instant want that memory at once: the order of ports
 * decides, not that of events, and all of them come before what leaves it at this edge. */
void hub_ddr_settle(struct hub *hub)
{
    for (uint32_t left = hub->ddr_wanted; left != 0; left &= left - 1) {
        struct hub_port *port = &hub->ports[__builtin_ctz(left)];
        struct hub_fifo *f = &hub->fifo[port->index * PCIE_CLASSES + PCIE_POSTED];

        if (hub_ddr_takes(hub, port, PCIE_POSTED))
            to_ddr(hub, port, &f->ring[(f->tail - 1) & f->mask]);
    }
    hub->ddr_wanted = 0;
}

void hub_ddr_wanted(struct sim_event *ev)
{
    hub_ddr_settle(SIM_CONTAINER_OF(ev, struct hub, ddr_settle));
}
