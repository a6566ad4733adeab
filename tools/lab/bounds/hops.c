#include "tools/lab/bounds/hops.h"

#include "tools/lab/bounds/rank_hub.h"

#include <limits.h>

unsigned lab_hops(const struct machine_desc *desc, unsigned from, unsigned to)
{
    unsigned hops[1024];
    bool moved = true;

    for (unsigned i = 0; i < desc->nnodes; i++)
        hops[i] = i == from ? 0 : UINT_MAX;
    while (moved) { /* as many rounds as the machine is wide */
        moved = false;
        for (unsigned i = 0; i < desc->ncables; i++) {
            unsigned a = desc->cables[i].node_a, b = desc->cables[i].node_b;

            if (hops[a] != UINT_MAX && hops[a] + 1 < hops[b]) {
                hops[b] = hops[a] + 1;
                moved = true;
            }
            if (hops[b] != UINT_MAX && hops[b] + 1 < hops[a]) {
                hops[a] = hops[b] + 1;
                moved = true;
            }
        }
    }
    return hops[to];
}

static bool cables_lead_away(const struct machine_desc *desc)
{
    for (unsigned i = 0; i < desc->ncables; i++)
        if (desc->cables[i].node_a == 0 || desc->cables[i].node_b == 0)
            return lab_node_hubs(desc, 0) > 0;
    return false;
}

unsigned lab_hops_first(const struct machine_desc *desc, uint64_t hops)
{
    bool counts = cables_lead_away(desc);
    unsigned node = 1;

    while (node < desc->nnodes && (counts ? lab_hops(desc, 0, node) : 1) != hops)
        node++;
    return node;
}
