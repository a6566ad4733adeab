/* The parameters of hub_core for the keys of a hub. */
#ifndef COSIM_PARAMETERS_H
#define COSIM_PARAMETERS_H

#include "hub/hub.h"

SIM_BEGIN_DECLS

/** "Ports=4 BusBytes=16 ...", for library_model(). @return SIM_OK, or SIM_ERR_NOMEM: `size` is too
 * small */
int core_parameters(const struct hub_config *cfg, char *text, size_t size);

SIM_END_DECLS
#endif
