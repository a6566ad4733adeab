/*
 * Completers that do wrong on purpose, for experiments with faults: hub, host and GPU ask here what
 * is to become of each request that they answer. hub_misbehave(), node_host_misbehave() and
 * node_gpu_misbehave() set it, before the simulation runs or between two parts of a run.
 */
#ifndef PCIE_MISBEHAVE_H
#define PCIE_MISBEHAVE_H

#include "core/param.h"

SIM_BEGIN_DECLS

enum pcie_misdeed {
    PCIE_POISONS,     /* completions with data are poisoned (EP) */
    PCIE_ABORTS,      /* Completer Abort instead of data */
    PCIE_IS_LATE,     /* answers late_ps later */
    PCIE_IS_SILENT,   /* takes requests and never answers */
    PCIE_STOPS_TAKING /* takes nothing out of its receive buffers; of all classes, and no request in
                         particular: skip, count and ppm say nothing */
};

/** `ppm` 0 stands for all, and so does `count` 0. */
struct pcie_misbehavior {
    enum pcie_misdeed deed;
    sim_time_t from_ps, to_ps; /* while from_ps <= now < to_ps */
    uint64_t skip, count;      /* spares the first requests in that time, then hits `count` ... */
    uint32_t ppm;              /* ... of which it picks so many in a million by its random stream */
    sim_time_t late_ps;        /* PCIE_IS_LATE */
};

#define PCIE_MISDEEDS_MAX 8u

/** Of one component. */
struct pcie_misdeeds {
    unsigned n;
    struct pcie_misbehavior how[PCIE_MISDEEDS_MAX];
    uint64_t seen[PCIE_MISDEEDS_MAX]; /* requests while it was in force */
    struct sim_stream stream;
};

/** What becomes of one request. */
struct pcie_verdict {
    bool poison, abort, silent;
    sim_time_t late_ps;
};

/** What a machine file says of one. */
struct pcie_misbehave_values {
    uint64_t at_ps, for_ps, skip, count, ppm, late_ps;
};
/** `what` is one of those in pcie_faults (pcie/lossy/fault.h). */
struct pcie_misbehavior pcie_misbehavior_of(const struct machine_fault_kind *what,
                                            const struct pcie_misbehave_values *values);

/** Adds one to *m_p, made when it is NULL; free(). `path` is the component's, for the stream. */
int pcie_misdeeds_add(struct pcie_misdeeds **m_p, const struct pcie_misbehavior *how, uint64_t seed,
                      const char *path, struct sim_error *err);
struct pcie_verdict pcie_misdeeds_judge(struct pcie_misdeeds *m, sim_time_t now);
/** The time from which receive buffers are emptied: `now` unless it has stopped. */
sim_time_t pcie_misdeeds_stopped_until(const struct pcie_misdeeds *m, sim_time_t now);

SIM_END_DECLS
#endif /* PCIE_MISBEHAVE_H */
