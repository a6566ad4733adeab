/* Simulated time for what programs compute between their calls. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "hosts/launch/internal.h"

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

void launch_compute_pass(struct launch_thread *t, sim_time_t ps)
{
    if (ps == 0)
        return;
    node_core_spend(t->core, ps, launch_done, t);
    launch_wait(t, "computing");
}

void launch_compute_charge(struct launch_thread *t)
{
    launch_compute_pass(t, launch_compute_take(t));
}
