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

enum pcie_fault_packet { PCIE_FAULT_TLP, PCIE_FAULT_DLLP };

enum pcie_fault_effect {
    PCIE_FAULT_CORRUPT,   /* one bit under the LCRC or CRC-16 is flipped */
    PCIE_FAULT_DROP,      /* its framing is hit: the receiver sees no packet */
    PCIE_FAULT_NULLIFY,   /* a TLP is first sent with EDB and inverted LCRC, to be ignored */
    PCIE_FAULT_DUPLICATE, /* a TLP is sent a second time directly behind itself */
};

/** The n-th packet of its kind that this end puts on the wire, counted from 1; replays and
 * duplicates count, and each DLLP by itself. */
struct pcie_fault_nth {
    enum pcie_fault_packet packet;
    enum pcie_fault_effect effect;
    uint64_t n;
};

/** For a time, another bit error rate. */
struct pcie_fault_burst {
    sim_time_t at_ps, duration_ps; /* >= 1 */
    uint64_t ber_e18;
};

/** For a time nothing passes, in either direction; what is on the wire is lost. */
struct pcie_fault_outage {
    sim_time_t at_ps, duration_ps; /* >= 1 */
    bool down; /* Detect: DL_Down, all data-link state is lost. Otherwise Recovery: it is kept. */
};

/** For a time this end announces no credits of a class; those freed meanwhile are announced after
 * it. */
struct pcie_fault_stuck {
    sim_time_t at_ps, duration_ps; /* SIM_TIME_NEVER: for ever */
    enum pcie_class cls;
};

/** The link retrains (pcie_port_config.recovery_ps) and comes back with at most this. */
struct pcie_fault_degrade {
    sim_time_t at_ps;
    uint64_t gen, lanes; /* 0: as before */
};

struct pcie_fault_config {
    uint64_t seed;    /* of where bits are hit, besides that of the simulation */
    uint64_t ber_e18; /* bit error rate of the line; 0: none */
    const struct pcie_fault_nth *nth;
    const struct pcie_fault_burst *bursts; /* in order of time, not overlapping */
    const struct pcie_fault_outage *outages;
    const struct pcie_fault_stuck *stuck;
    const struct pcie_fault_degrade *degrades;
    size_t nth_count, burst_count, outage_count, stuck_count, degrade_count;
};

/**
 * Gives a port its faults. The port must be connected and the simulation not have run. `cfg` is
 * copied. A second call replaces the faults of the first.
 * @return SIM_OK, or SIM_ERR_CONFIG or SIM_ERR_NOMEM with a message that names port and value.
 */
int pcie_port_set_faults(struct pcie_port *port, const struct pcie_fault_config *cfg,
                         struct sim_error *err);

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

/** One more fault of a port; a second bit error rate replaces the first. As
 * pcie_port_set_faults(). */
int pcie_port_add_fault(struct pcie_port *port, const struct machine_fault_kind *what,
                        const struct pcie_fault_values *values, struct sim_error *err);

SIM_END_DECLS
#endif /* PCIE_FAULT_H */
