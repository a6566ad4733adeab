#include "tools/lab/bounds/rank_hub.h"

#include "tools/lab/run/software.h" /* hosts/launch/launch.h */
#include "tools/lab/topology/link.h"

#include <string.h>

/** All ranks have the software of the first node. */
static uint64_t rank_hub_of(const struct machine_desc *desc)
{
    return lab_value(desc, 0, "software", "rank_hub", 0);
}

const char *lab_rank_hub_name(const struct machine_desc *desc, unsigned node, unsigned local)
{
    return launch_hub(desc, node,
                      launch_rank_hub(rank_hub_of(desc), launch_hubs(desc, node), local));
}

unsigned lab_node_hubs(const struct machine_desc *desc, unsigned node)
{
    return launch_hubs(desc, node);
}

const char *lab_hub_component(const struct lab_topology *topo, unsigned hub)
{
    return strchr(topo->hubs[hub], '.') + 1;
}

unsigned lab_rank_hub(const struct machine_desc *desc, const struct lab_topology *topo,
                      unsigned node, unsigned local)
{
    const char *name = lab_rank_hub_name(desc, node, local);

    for (unsigned hub = 0; hub < topo->nhubs; hub++)
        if (topo->node_of[hub] == node &&
            (name == NULL || strcmp(lab_hub_component(topo, hub), name) == 0))
            return hub;
    return LAB_TOPO_NONE;
}

bool lab_rank_hubs_differ(const struct machine_desc *desc)
{
    for (unsigned node = 0; node < desc->nnodes; node++)
        if (rank_hub_of(desc) == LAUNCH_HUB_TURN && launch_hubs(desc, node) > 1)
            return true;
    return false;
}

unsigned lab_hub_number(const struct machine_desc *desc, const struct lab_topology *topo,
                        unsigned hub)
{
    const char *name = lab_hub_component(topo, hub);
    unsigned node = topo->node_of[hub], n = launch_hubs(desc, node), number = 0;

    while (number < n && strcmp(launch_hub(desc, node, number), name) != 0)
        number++;
    return number < n ? number : LAB_TOPO_NONE;
}
