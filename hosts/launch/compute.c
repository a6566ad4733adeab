/* Simulated time for what programs compute between their calls. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "hosts/launch/compute.h"

#include "hosts/launch/node/node.h"
#include "hosts/launch/run.h"

#include <time.h>

static uint64_t computed(const struct launch_thread *t)
{
    struct timespec ts;

    if (t->compute == LAUNCH_COMPUTE_COUNTED)
        return t->blocks != NULL ? *t->blocks : 0;
    if (t->in_library)
        return t->computed;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void launch_compute_begin(struct launch_thread *t)
{
    t->computed = computed(t);
}

sim_time_t launch_compute_take(struct launch_thread *t)
{
    uint64_t now, before = t->computed;

    if (t->compute == LAUNCH_COMPUTE_NONE)
        return 0;
    t->computed = now = computed(t);
    return (now - before) *
           (t->compute == LAUNCH_COMPUTE_COUNTED ? t->node->run->cfg->block_ps : SIM_NS);
}
