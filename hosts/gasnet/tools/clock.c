/* The clock of the GASNet tools, and a turn for others. */
#include <sched.h>

#include "hosts/gasnet/include/gasnet_tools.h"
#include "hosts/host/host.h"

/* A thread that the program has started itself is no rank. */
gasnett_tick_t gasnett_ticks_now(void)
{
    struct host *h = host_self();

    if (h == NULL)
        return 0;
    (void)h->cpu->tsc(h); /* what reading the timer costs */
    return h->cpu->time_ps(h);
}

uint64_t gasnett_gettimeofday_us(void)
{
    return gasnett_ticks_to_us(gasnett_ticks_now());
}

double gasnett_tick_granularity(void)
{
    struct host *h = host_self();

    return h == NULL ? 0 : 1e3 / (double)h->cpu->tsc_khz(h);
}

double gasnett_tick_overhead(void)
{
    gasnett_tick_t before = gasnett_ticks_now();

    return (double)(gasnett_ticks_now() - before) * 1e-6;
}

void gasnett_sched_yield(void)
{
    struct host *h = host_self();

    if (h != NULL)
        host_spend_cost(h, HOST_COST_SYSCALL);
    else
        (void)sched_yield();
}
