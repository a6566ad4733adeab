/*
 * A port, with what the management processor does on it (bringup.c), and requests of the hub that
 * wait for their answers until a deadline (timeout.c).
 */
#ifndef HUB_PORT_H
#define HUB_PORT_H

#include "hub/edge.h"
#include "hub/queue.h"
#include "pcie/tlp/ordering.h"

SIM_BEGIN_DECLS

struct hub;

/*
 * The receive stream of a port: packets in the order in which they came, beat by beat, without
 * gaps. It never stops, since the queues behind it have room for all that credits allow; so a
 * packet waits only while beats of earlier ones come, and where links are faster than the bus.
 */
struct hub_stream {
    uint64_t free_edge;   /* the earliest one for the next packet's first beat */
    struct hub_fifo wait; /* packets that wait for it */
};

/* A TLP on a cable carries its offset in the window on this base, the same in all machines, since
 * the bases that hosts assign may differ. It is what the far endpoint's BAR is set to. */
#define HUB_CABLE_BASE (UINT64_C(1) << 40)

enum bringup_state {
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
    uint32_t mps_bytes;             /* Max_Payload_Size of its link */
    uint64_t in_hash, out_hash;     /* its streams, for the fingerprint `edge` */
    struct pcie_order_watch *order; /* of its receive buffer and the DDR3; NULL: not watched */
    uint64_t deadline;       /* edge at which the management processor gives up its request, */
    uint64_t request_edge;   /* and at which it can join the local queue */
    struct pcie_tlp request; /* payload: until it has joined */
    uint8_t bringup;         /* enum bringup_state; roots: how far the neighbour is */
    struct hub_stream receive;
    struct hub_fifo answers; /* to configuration requests, each from its edge on */
    /* posted packets of VC0 that wait: on the chip, in DDR3, and that at most */
    uint32_t on_chip, in_ddr, ddr_places;
    bool stays; /* one left the chip at the edge before: the first that asks stays there */
    struct hub_fifo asks; /* those that may go to DDR3: their numbers, and from when on */
    struct hub_edge edge;
};

void bringup_start(struct hub_port *port);
/** The processor has it with its last beat of data, `late` cycles from now. */
void bringup_completion(struct hub_port *port, const struct pcie_tlp *tlp, uint64_t late);
/** Requests that are due join the local queue, one at an edge. @return the next edge to look at */
uint64_t bringup_step(struct hub *hub, uint64_t edge);
/** It has joined at this edge, from which its time-out counts. */
void bringup_joined(struct hub_port *port);
/** Gives up a request whose deadline this edge is. @return the deadline of one that waits, or
 * UINT64_MAX. */
uint64_t bringup_timeout(struct hub_port *port, uint64_t edge);

/** A configuration request of the far side of an endpoint. Consumes the payload. */
void hub_configure(struct hub *hub, struct hub_port *port, struct pcie_tlp *tlp);
/** Sends answers that are due, before the core sends what it has. @return the edge of the next */
uint64_t hub_configure_step(struct hub *hub, uint64_t edge);

/** One more request waits. @return the edge at which it is given up */
uint64_t hub_request_sent(struct hub *hub);
void hub_request_ended(struct hub *hub);

SIM_END_DECLS
#endif
