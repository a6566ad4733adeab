/*
 * Libraries that cores of hubs come from. Each stays until the process ends. `path` ("node0.hub")
 * begins messages.
 */
#ifndef COSIM_LIBRARY_H
#define COSIM_LIBRARY_H

#include "core/error.h"
#include "rtl-model/cosim/model.h"
#include "rtl-model/cosim/process.h"

SIM_BEGIN_DECLS

/** The core in SystemVerilog with `parameters`: "Ports=4 BusBytes=16 ...". rtl-model/library makes
 * it when it is first wanted, and keeps it in the folder HUBSIM_RTL, or in the user's cache. */
int library_model(const char *path, const char *parameters, const struct model_ops **ops_p,
                  struct sim_error *err);
/** Processes of SystemC. The library is part of a build that has SystemC. */
int library_processes(const char *path, const struct process_ops **ops_p, struct sim_error *err);

SIM_END_DECLS
#endif
