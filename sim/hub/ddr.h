/*
 * The memory beside the chip: packets from cables wait there that find many others waiting. Each
 * cable has an equal share of it, a FIFO.
 */
#ifndef HUB_DDR_H
#define HUB_DDR_H

#include "hub/internal.h"

SIM_BEGIN_DECLS

/** Links are trained: the largest packets of a port are known, and so how many its share holds. */
void hub_ddr_start(struct hub *hub);
void hub_ddr_ask(struct hub *hub, struct hub_port *port, uint32_t order, uint64_t edge);

/** A posted packet's first beat is there. From `edge` on it may go to DDR3, if it finds too many
 * others. */
static inline void hub_ddr_received(struct hub *hub, struct hub_port *port, uint32_t order,
                                    uint64_t edge)
{
    port->on_chip++;
    if (__builtin_expect(port->ddr_places != 0 && port->on_chip > hub->cfg.ddr_chip_tlps, 0))
        hub_ddr_ask(hub, port, order, edge);
}
/** A posted packet of the port leaves the receive buffer, or DDR3. */
void hub_ddr_leave(struct hub *hub, struct hub_port *port, bool in_ddr, uint64_t edge);
/** What DDR3 does at this edge: a place is free, a packet goes there. @return the next edge at
 * which something is due */
uint64_t hub_ddr_step(struct hub *hub, uint64_t edge);

SIM_END_DECLS
#endif
