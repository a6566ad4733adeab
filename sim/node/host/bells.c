/*
 * Bells: by one a core starts a device, on the way of a store, without a packet. It waits in its
 * core for the stores before it, wherever they go. Then it waits in the root complex for all stores
 * on their way to its port: another core may have announced its own in memory before the bell was
 * rung. Those that come later do not delay it, nor those that have left their core for other ports.
 */
#include "node/host/internal.h"

#include <stdlib.h>

struct node_bell {
    struct sim_link link;
    unsigned port;
    uint64_t stores;                 /* it is behind so many stores of its core, ever, */
    uint64_t handed[HOST_CORES_MAX]; /* and then behind so many of each core to this port */
    node_done_fn rung;
    void *arg;
};

static bool all_handed(const struct node_rc *rc, const struct node_bell *bell)
{
    for (unsigned i = 0; i < node_host_contexts(rc->host); i++)
        if (rc->posted_done[bell->port][RC_FROM_CORE + i] < bell->handed[i])
            return false;
    return true;
}

void node_bells_handed(struct node_rc *rc, unsigned target)
{
    struct sim_list *bells = &rc->port[target].bells;

    /* Each is behind all that the one before it is behind, since counts only grow. */
    while (bells->head != NULL && all_handed(rc, bells->head)) {
        struct node_bell *bell = sim_list_pop(bells);

        sim_list_push(&rc->unused_bells, &bell->link);
        bell->rung(bell->arg, rc->port[target].posted);
    }
}

void node_bells_leave(struct node_core *core)
{
    struct node_rc *rc = &core->host->rc;
    struct store_unit *st = core->stores;

    while (st->bells.head != NULL) {
        struct node_bell *bell = st->bells.head;

        if (bell->stores > st->left)
            return;
        (void)sim_list_pop(&st->bells);
        for (unsigned i = 0; i < node_host_contexts(core->host); i++)
            bell->handed[i] = rc->posted_in[bell->port][RC_FROM_CORE + i];
        sim_list_push(&rc->port[bell->port].bells, &bell->link);
        node_bells_handed(rc, bell->port);
    }
}

void node_core_ring(struct node_core *core, unsigned port, node_done_fn rung, void *arg)
{
    struct node_rc *rc = &core->host->rc;
    struct node_bell *bell = sim_list_pop(&rc->unused_bells);

    SIM_ASSERT(port < HOST_PORTS && rc->port[port].port != NULL);
    if (bell == NULL)
        bell = malloc(sizeof(*bell));
    SIM_ASSERT(bell != NULL);
    node_stores_flush(core);
    *bell = (struct node_bell){
        .port = port, .stores = core->stores->queued, .rung = rung, .arg = arg
    };
    sim_list_push(&core->stores->bells, &bell->link);
    node_bells_leave(core);
}
