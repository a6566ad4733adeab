/*
 * An expansion bus such as SBus: one master at a time moves a burst of words; an
 * arbiter gives it to those that ask in turn.
 */
#ifndef ETHER_BUS_H
#define ETHER_BUS_H

#include "core/sim.h"

SIM_BEGIN_DECLS

#define ETHER_BUS_MASTERS 2u

struct ether_bus_config {
    uint64_t khz, width_bytes, burst_bytes;
    uint64_t overhead_cycles; /* before each burst: arbitration, translation, first word */
};

struct ether_bus;

/** One that asks for the bus; a burst of its has ended in SIM_CLOCK. */
struct ether_bus_master {
    void (*done)(struct ether_bus_master *master, uint32_t bytes);
    uint32_t asks; /* bytes; 0: none */
    sim_time_t since;
};

struct ether_bus {
    struct sim_domain *dom;
    struct ether_bus_config cfg;
    struct sim_clock clock;
    struct ether_bus_master *masters[ETHER_BUS_MASTERS];
    unsigned turn; /* asked first */
    struct ether_bus_master *holds;
    struct sim_event step; /* SIM_CLOCK: the arbiter, or the end of a burst */
    uint64_t bursts, bytes, busy_ps;
};

void ether_bus_init(struct ether_bus *bus, struct sim_domain *dom, const char *path,
                    const struct ether_bus_config *cfg);
/** Asks for a burst of `bytes`, at most the bus's; not from SIM_TASK. */
void ether_bus_ask(struct ether_bus *bus, struct ether_bus_master *master, uint32_t bytes);

SIM_END_DECLS
#endif /* ETHER_BUS_H */
