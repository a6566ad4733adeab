/* Upper bounds of payload rates between two hubs of a machine, from the links on their routes. */
#ifndef LAB_BOUNDS_ROUTE_H
#define LAB_BOUNDS_ROUTE_H

#include "tools/lab/bounds/bounds.h"
#include "tools/lab/topology/topology.h"

SIM_BEGIN_DECLS

/** What the slowest links and buses carry of a message and its answer of the same size, one after
 * the other; their routes may differ. */
struct lab_bound lab_exchange_bound(const struct machine_desc *desc,
                                    const struct lab_topology *topo, unsigned from, unsigned to);

/**
 * For payload between the node of rank 0 and those of other ranks, one way: the fastest route to or
 * from it, since it is not known which ones the program takes.
 * @param stores as of lab_local_bound()
 */
struct lab_bound lab_ranks_bound(const struct machine_desc *desc, const struct lab_run *run,
                                 bool stores);

SIM_END_DECLS
#endif /* LAB_BOUNDS_ROUTE_H */
