/*
 * A port, with what the management processor does on it (bringup.c), and requests of the hub that
 * wait for their answers until a deadline (timeout.c).
 */
#ifndef HUB_PORT_H
#define HUB_PORT_H

#include "hub/edge.h"
#include "pcie/tlp/ordering.h"

SIM_BEGIN_DECLS

struct hub;

/* A TLP on a cable carries its offset in the window on this base, the same in all machines, since
 * the bases that hosts assign may differ. It is what the far endpoint's BAR is set to. */
#define HUB_CABLE_BASE (UINT64_C(1) << 40)

enum bringup_step {
    BRINGUP_IDLE,
    BRINGUP_ID,
    BRINGUP_BAR_LOW,
    BRINGUP_BAR_HIGH,
    BRINGUP_CONTROL,
    BRINGUP_COMMAND,
    BRINGUP_DONE,
    BRINGUP_FAILED
};

struct hub_port {
    alignas(SIM_CACHE_LINE) struct hub *hub;
    uint64_t forwarded_tlps, blocked_grants;
    uint8_t index;
    struct pcie_order_watch *order; /* of its receive buffer and the DDR3; NULL: not watched */
    sim_time_t deadline_ps;         /* when the management processor gives up its request */
    uint8_t bringup;                /* enum bringup_step; roots: how far the neighbour is */
    struct hub_edge edge;
};

void bringup_start(struct hub_port *port);
void bringup_completion(struct hub_port *port, const struct pcie_tlp *tlp);
/** Gives up a request whose deadline has passed. @return the deadline of one that waits, or
 * SIM_TIME_NEVER. */
sim_time_t bringup_timeout(struct hub_port *port);

/** One more request waits. @return its deadline */
sim_time_t hub_request_sent(struct hub *hub);
void hub_request_ended(struct hub *hub);

SIM_END_DECLS
#endif
