#include "hosts/launch/race/need.h"
#include "hosts/launch/race/state.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>

void *race_need(void *memory)
{
    struct launch_thread *t = launch_self();
    char line[100];

    if (memory != NULL)
        return memory;
    SIM_ASSERT(t != NULL); /* the event loop adds nothing to the check */
    (void)snprintf(line, sizeof(line),
                   "rank %u on node %u at %.6f us: out of memory for the check for races",
                   t->host.rank, t->node->shared.index, (double)sim_now(t->dom) * 1e-6);
    t->host.process->print(&t->host, line);
    for (;;)
        t->host.process->abort(&t->host, 1); /* does not return */
}

void race_tree_add(void **tree, void *item, int (*compare)(const void *a, const void *b))
{
    if (tsearch(item, tree, compare) != NULL)
        return;
    free(item);
    (void)race_need(NULL);
}
