/*
 * Several processes that mpirun has started do one command together. All run the same simulations
 * in the same order, and each has parts of their machines. The first one prints and writes files.
 */
#ifndef TOOLS_LAB_PROCESS_PROCESSES_H
#define TOOLS_LAB_PROCESS_PROCESSES_H

#include "machine/machine.h"

/** Joins the others, when there are some; leaves them at exit. Raises an error. The first one alone
 * prints from here on. */
void lab_processes_begin(void);
/** Are there others? */
bool lab_processes_several(void);
/** Does this one print and write files? Always, when it is alone. */
bool lab_processes_first(void);
/** Each process has a block of neighbouring domains. Raises an error when another one has another
 * machine, seed or build. */
void lab_processes_share(struct machine *m, const struct machine_desc *desc);

#endif /* TOOLS_LAB_PROCESS_PROCESSES_H */
