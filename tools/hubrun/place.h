/* On which node each rank runs. */
#ifndef HUBRUN_PLACE_H
#define HUBRUN_PLACE_H

#include "core/sim.h"

SIM_BEGIN_DECLS

/**
 * The nodes of `nranks` ranks on a machine of `nnodes`, from
 *   "cyclic"   rank r on node r modulo the nodes (also NULL)
 *   "block"    equal shares of neighbouring ranks on each node, the first ones one more
 *   "block:2"  two neighbouring ranks on each node, round and round
 *   "0,0,2,3"  a node for each rank
 * Raises SIM_ERR_CONFIG.
 */
void place_ranks(const char *how, unsigned nranks, unsigned nnodes, unsigned *nodes);

SIM_END_DECLS
#endif /* HUBRUN_PLACE_H */
