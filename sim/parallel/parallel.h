/*
 * Processes that mpirun has started run one simulation together. Open MPI is loaded here, in a
 * scope of its own: the names of MPI that simulated programs call are those of hosts/mpi.
 */
#ifndef PARALLEL_PARALLEL_H
#define PARALLEL_PARALLEL_H

#include "core/group.h"

SIM_BEGIN_DECLS

struct parallel;

/** How many processes mpirun has started together with this one; 1: this one is alone. */
unsigned parallel_processes(void);

/**
 * All processes, when parallel_processes() is more than 1.
 * @param object  path of the back end, hubsim_parallel.so
 * @return NULL: *err says why, and what to install.
 */
struct parallel *parallel_open(const char *object, struct sim_error *err);
const struct sim_group *parallel_group(const struct parallel *p);
/** All processes. */
void parallel_close(struct parallel *p);

/**
 * Which process runs which of `n` domains: blocks of neighbours in their order, of nearly the same
 * number.
 * @param owner  n of them
 */
void parallel_blocks(uint32_t n, uint32_t nprocesses, uint32_t *owner);

SIM_END_DECLS
#endif /* PARALLEL_PARALLEL_H */
