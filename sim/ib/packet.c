/* Packets of an adapter, kept to be used again. */
#include "ib/internal.h"

#include <stdlib.h>
#include <string.h>

struct ib_packet *ib_packet_get(struct ib_hca *hca)
{
    struct ib_packet *p = sim_list_pop(&hca->free_packets);

    if (p == NULL)
        p = malloc(sizeof(*p));
    SIM_ASSERT(p != NULL);
    memset(p, 0, offsetof(struct ib_packet, data));
    return p;
}

void ib_packet_put(struct ib_hca *hca, struct ib_packet *p)
{
    sim_list_push_first(&hca->free_packets, &p->link);
}
