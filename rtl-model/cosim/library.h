/*
 * Libraries of the core in SystemVerilog, one for each set of parameters. rtl-model/library makes
 * one when it is first wanted, and keeps it in the folder HUBSIM_RTL, or in the user's cache.
 */
#ifndef COSIM_LIBRARY_H
#define COSIM_LIBRARY_H

#include "core/error.h"
#include "rtl-model/cosim/model.h"

SIM_BEGIN_DECLS

/** `parameters`: "Ports=4 BusBytes=16 ..."; `path` ("node0.hub") begins messages. The library stays
 * until the process ends. */
int library_open(const char *path, const char *parameters, const struct model_ops **ops_p,
                 struct sim_error *err);

SIM_END_DECLS
#endif
