/* Which hub of its node a rank uses, where the node has several. */
#ifndef LAB_RANK_HUB_H
#define LAB_RANK_HUB_H

#include "tools/lab/topology/topology.h"

SIM_BEGIN_DECLS

/** How many hubs the node has. */
unsigned lab_node_hubs(const struct machine_desc *desc, unsigned node);
/** The name of the hub that the rank number `local` of a node uses; NULL: it is not there. */
const char *lab_rank_hub_name(const struct machine_desc *desc, unsigned node, unsigned local);
/** That hub in `topo`, else the node's first router, else LAB_TOPO_NONE. */
unsigned lab_rank_hub(const struct machine_desc *desc, const struct lab_topology *topo,
                      unsigned node, unsigned local);
/** Do ranks of one node use different hubs? */
bool lab_rank_hubs_differ(const struct machine_desc *desc);
/** The number by which its driver knows a hub of `topo`, and rank_hub chooses it; LAB_TOPO_NONE: it
 * is a router of another kind. */
unsigned lab_hub_number(const struct machine_desc *desc, const struct lab_topology *topo,
                        unsigned hub);
/** "hub" of "node0.hub" */
const char *lab_hub_component(const struct lab_topology *topo, unsigned hub);

SIM_END_DECLS
#endif /* LAB_RANK_HUB_H */
