/* The parameters of hub_core for the keys of a hub. */
#ifndef COSIM_PARAMETERS_H
#define COSIM_PARAMETERS_H

#include "hub/hub.h"

SIM_BEGIN_DECLS

/** "Ports=4 BusBytes=16 ...", for library_model(). @return SIM_OK, or SIM_ERR_NOMEM: `size` is too
 * small */
int core_parameters(const struct hub_config *cfg, char *text, size_t size);

/** Bytes of the largest packet's data, by Max_Payload_Size of all ports. */
uint64_t core_largest_data(const struct hub_config *cfg);
/** Packets that the deepest queue of posted ones holds. */
uint64_t core_posted_headers(const struct hub_config *cfg);
/** Cycles after which a read is given up; 0: never. */
uint64_t core_timeout_cycles(const struct hub_config *cfg);

SIM_END_DECLS
#endif
