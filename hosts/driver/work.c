#include "hosts/driver/include/hub-work.h"

#include "hosts/driver/bar.h"

_Static_assert((int)HUB_LOOPS == HOST_COSTS - HOST_COST_LOOP, "one cost for each kind of loop");

void hub_work(enum hub_loop kind, unsigned long long operations)
{
    struct host *h = host_self();

    if (h == NULL || (unsigned)kind >= HUB_LOOPS)
        return;
    h->ops->spend(h, operations * h->ops->cost_ps(h, HOST_COST_LOOP + kind));
}
