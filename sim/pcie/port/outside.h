/*
 * A link whose far end is in another simulation: a module of SystemC, or another process. It is cut
 * at the connector. What a port sends comes to its own connector `tx_latency_ps` after the last
 * symbol. The owner of both simulations brings it to the far connector when the cable has carried
 * it, and it is received `rx_latency_ps` later. So times are those of pcie_link_connect(). Such a
 * link has no faults.
 */
#ifndef PCIE_OUTSIDE_H
#define PCIE_OUTSIDE_H

#include "pcie/port/port.h"
#include "pcie/port/wire.h"

SIM_BEGIN_DECLS

/** What one end shows to the other. */
struct pcie_outside_end {
    struct pcie_port_config cfg;
    enum pcie_facing facing;
    char path[128];
};
void pcie_outside_show(const struct pcie_port *port, struct pcie_outside_end *end_p);

struct pcie_outside {
    /** What comes to the connector: a struct wire_tlp, with its payload behind it, or wire_dllp.
     * The record is valid during the call. */
    sim_channel_fn sent_tlp, sent_dllps;
    void *arg;
    /** Set by pcie_outside_connect(): what the far end has sent goes into these, "departing" at the
     * time when it comes to the connector, which may lie ahead but never falls. */
    struct sim_channel *tlps, *dllps;
};

/**
 * The port's half of the joining; the far end's half is the same with the ends exchanged. `far`
 * must outlive the port. At the time 0 of both simulations.
 * @return SIM_ERR_CONFIG also for a port with a latency of less than 1 ns
 */
int pcie_outside_connect(struct pcie_port *port, const struct pcie_outside_end *far,
                         struct pcie_outside *outside, struct sim_error *err);

SIM_END_DECLS
#endif /* PCIE_OUTSIDE_H */
