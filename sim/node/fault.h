/* What can go wrong with hosts and GPUs; see struct machine_kind. */
#ifndef NODE_FAULT_H
#define NODE_FAULT_H

#include "machine/kind.h"

SIM_BEGIN_DECLS

int node_host_fault(void *component, const char *port, const struct machine_fault_kind *what,
                    const void *config, struct sim_error *err);
int node_gpu_fault(void *component, const char *port, const struct machine_fault_kind *what,
                   const void *config, struct sim_error *err);

SIM_END_DECLS
#endif /* NODE_FAULT_H */
