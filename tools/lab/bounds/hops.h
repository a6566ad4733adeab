/* How far nodes are from each other. */
#ifndef LAB_HOPS_H
#define LAB_HOPS_H

#include "machine/machine.h"

SIM_BEGIN_DECLS

/** Cables between two nodes on the shortest route; UINT_MAX: none leads there. */
unsigned lab_hops(const struct machine_desc *desc, unsigned from, unsigned to);
/** The first node that is so many cables from node 0, or desc->nnodes. Where no cables lead from a
 * hub of node 0, its neighbours are all others, by what else is between them. */
unsigned lab_hops_first(const struct machine_desc *desc, uint64_t hops);

SIM_END_DECLS
#endif /* LAB_HOPS_H */
