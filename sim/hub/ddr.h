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
static inline bool hub_ddr_takes(const struct hub *hub, const struct hub_port *port,
                                 enum pcie_class cls)
{
    return hub->cfg.ddr_bytes != 0 && port->index != HUB_HOST && !hub->stopped &&
           cls == PCIE_POSTED &&
           pcie_port_held(port->edge.pcie, PCIE_POSTED) > hub->cfg.ddr_chip_tlps &&
           hub->cfg.ddr_bytes - hub->ddr_used >= hub_ddr_place(port);
}

/** A packet of this source has left it. */
void hub_ddr_leave(struct hub *hub, uint32_t source);
/** Those that hub->ddr_wanted names go there. */
void hub_ddr_settle(struct hub *hub);
void hub_ddr_wanted(struct sim_event *ev);

SIM_END_DECLS
#endif
