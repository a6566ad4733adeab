/*
 * Uncorrectable errors of PCI Express while ranks run. A packet that was refused or lost, without a
 * rank that noticed, is a wrong result.
 */
#ifndef HUBRUN_ERRORS_H
#define HUBRUN_ERRORS_H

#include "core/sim.h"
#include "tools/load/arena.h"

SIM_BEGIN_DECLS

/** What ports have counted. All zero: nothing yet. */
struct errors {
    unsigned n;
    uint64_t *before; /* by port, when ranks begin */
};

/** Ranks are about to begin: drivers look for their hubs by reads that are refused. */
void errors_begin(struct errors *e, const struct sim *sim, struct load_arena *arena);
/** Prints a line to stderr for each port that has seen some since then. @return whether there are
 */
bool errors_report(const struct errors *e, const struct sim *sim);

SIM_END_DECLS
#endif /* HUBRUN_ERRORS_H */
