/*
 * Memory of simulated nodes at fixed addresses: node n, region r of any machine
 * always lies at the same place, whatever the sanitizer or the loader did, so
 * that pointers which programs hold or print never depend on the process.
 */
#ifndef LAUNCH_MEMORY_H
#define LAUNCH_MEMORY_H

#include "core/sim.h"

SIM_BEGIN_DECLS

struct launch_memory;

#define LAUNCH_NODE_BYTES (UINT64_C(64) << 30) /* of address space for all regions of a node */
#define LAUNCH_NODES_MAX  256u

/**
 * Machines that live at the same time take different banks of address space (four in all), the
 * first one free. NULL when none is.
 */
struct launch_memory *launch_memory_create(void);
/** The machine that uses it must have gone. */
void launch_memory_destroy(struct launch_memory *mem);
/** For machine_create(): zeroed, committed when touched. `mem_arg` is the launch_memory. */
void *launch_memory_map(void *mem_arg, unsigned node, const char *path, uint64_t bytes);

SIM_END_DECLS
#endif /* LAUNCH_MEMORY_H */
