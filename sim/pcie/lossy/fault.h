/*
 * What goes wrong on a link, for tests and experiments. Faults belong to the
 * direction that a port transmits; an outage and a degradation concern both.
 *
 * A link with a fault at either end runs the whole data-link protocol: NAK,
 * replay and its timer, repeated InitFC and UpdateFC. On all other links nothing
 * can be lost, so what only repairs losses is left out: it would do nothing.
 */
#ifndef PCIE_FAULT_H
#define PCIE_FAULT_H

#include "core/param.h"
#include "pcie/port/port.h"

SIM_BEGIN_DECLS

/** Bit error rates are integers: errors in 10^18 bits. 1e-12 is 10^6. */
#define PCIE_BER_UNIT UINT64_C(1000000000000000000)
/** The largest: one bit in ten. */
#define PCIE_BER_MAX (PCIE_BER_UNIT / 10)

/** What a machine file says of one fault; each kind of fault uses some of it. */
struct pcie_fault_values {
    uint64_t rate_e18;                       /* bit error rate */
    uint64_t at_ps, for_ps, every_ps, times; /* times >= 1, each `every_ps` later */
    uint64_t tlp, dllp;                      /* the n-th one; 0: none */
    uint64_t cls, gen, lanes;
};

/** A kind's list: faults of ports, whose values are struct pcie_fault_values, and behind them what
 * completers do wrong (pcie/lossy/misbehave.h). */
extern const struct machine_fault_kind pcie_faults[];

/**
 * One more fault of a port that is connected, before the simulation runs; a second bit error rate
 * replaces the first.
 * @return SIM_OK, or SIM_ERR_CONFIG or SIM_ERR_NOMEM with a message that names port and value.
 */
int pcie_port_add_fault(struct pcie_port *port, const struct machine_fault_kind *what,
                        const struct pcie_fault_values *values, struct sim_error *err);

SIM_END_DECLS
#endif /* PCIE_FAULT_H */
