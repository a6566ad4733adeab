/*
 * The memory beside the chip.
 */
#ifndef HUB_DDR_H
#define HUB_DDR_H

#include "hub/internal.h"

SIM_BEGIN_DECLS

/** Places in DDR3 have room for the largest packet of their port, so one suits another. */
static inline uint64_t hub_ddr_place(const struct hub_port *port)
{
    return pcie_port_mps(port->edge.pcie);
}

/*
 * Where many packets of a port wait, one makes room for those behind: it waits in the memory
 * beside the chip. What comes from the own host can wait there, and N is not asked to.
 */
static inline bool hub_ddr_takes(const struct hub *hub, const struct hub_port *port)
{
    return hub->cfg.ddr_bytes != 0 && port->index != HUB_HOST && !hub->stopped &&
           port->on_chip > hub->cfg.ddr_chip_tlps &&
           hub->cfg.ddr_bytes - hub->ddr_used >= hub_ddr_place(port);
}

void hub_ddr_ask(struct hub *hub, struct hub_port *port, uint32_t order);

/** A posted packet's first beat is there: its last one decides whether it goes to DDR3. */
static inline void hub_ddr_received(struct hub *hub, struct hub_port *port,
                                    const struct hub_entry *e)
{
    port->on_chip++;
    if (__builtin_expect(hub_ddr_takes(hub, port), 0))
        hub_ddr_ask(hub, port, e->order);
}
/** A packet of this source has left DDR3. */
void hub_ddr_leave(struct hub *hub, uint32_t source);
/** What is due at this edge: packets that are in DDR3, and those that go there. @return the next
 * edge at which something is */
uint64_t hub_ddr_step(struct hub *hub, uint64_t edge);

SIM_END_DECLS
#endif
