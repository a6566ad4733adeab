/* Traffic of a run on the links of a topology. */
#ifndef LAB_TOPO_TRAFFIC_H
#define LAB_TOPO_TRAFFIC_H

#include "tools/lab/result/kept.h"
#include "tools/lab/topology/topology.h"

SIM_BEGIN_DECLS

/**
 * Reads what run `run` of a kept result counted at the ports of the links: lab_topo_link.used, and
 * lab_topology.traffic. Raises SIM_ERR_CONFIG: there is no such run, it was on another machine, or
 * it sent nothing over a cable.
 */
void lab_topology_traffic(struct lab_topology *topo, const struct lab_kept *kept, uint64_t run);

/**
 * The links, busiest first, without `all` those that carried a TLP; "routes_say": their load when
 * each node sends one message to each.
 */
void lab_topology_busiest(const struct lab_topology *topo, bool all, struct lab_table *table);

SIM_END_DECLS
#endif /* LAB_TOPO_TRAFFIC_H */
