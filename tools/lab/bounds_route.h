/* Closed forms for payload between two hubs of a machine, by the links that its routes take. */
#ifndef LAB_BOUNDS_ROUTE_H
#define LAB_BOUNDS_ROUTE_H

#include "tools/lab/bounds.h"
#include "tools/lab/topology.h"

SIM_BEGIN_DECLS

/** One way: the least of the links, those of both hosts among them, and of the hubs' buses. Both
 * hubs are of `topo`, and a route leads from one to the other. */
struct lab_bound lab_route_bound(const struct machine_desc *desc, const struct lab_topology *topo,
                                 unsigned from, unsigned to);
/** Of a message there and one of the same size back, one after the other: the ways may differ. */
struct lab_bound lab_exchange_bound(const struct machine_desc *desc,
                                    const struct lab_topology *topo, unsigned from, unsigned to);

SIM_END_DECLS
#endif /* LAB_BOUNDS_ROUTE_H */
