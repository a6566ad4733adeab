/* Timers that send signals. A rank has its core for itself, so all of them follow simulated time.
 */
#define _GNU_SOURCE /* ualarm */
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "hosts/launch/shim/parts.h"

/* A program may have functions of its own by some of these names. */
#pragma weak alarm
#pragma weak getitimer
#pragma weak setitimer
#pragma weak timer_create
#pragma weak ualarm

/* The names are libc's, those of the parameters are ours.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */

static int timeval_is_time(const struct timeval *tv)
{
    return hub_is_time(tv->tv_sec, tv->tv_usec, 1000000);
}

static uint64_t timeval_ps(const struct timeval *tv)
{
    return hub_time_ps((uint64_t)tv->tv_sec, (uint64_t)tv->tv_usec * HUB_US_PS);
}

/* One that runs does not read 0. */
static uint64_t round_up(uint64_t ps, uint64_t unit_ps)
{
    return ps / unit_ps + (ps % unit_ps != 0);
}

static struct timeval timeval_of(uint64_t ps)
{
    uint64_t us = round_up(ps, HUB_US_PS);

    return (struct timeval){ (time_t)(us / 1000000), (suseconds_t)(us % 1000000) };
}

static struct itimerval itimerval_of(const struct hub_program_timer *timer)
{
    return (struct itimerval){ timeval_of(timer->every_ps), timeval_of(timer->left_ps) };
}

/* Sets one to `value`, NULL: does not. */
static int timer_set(int which, const struct hub_program_timer *value,
                     struct hub_program_timer *old_p)
{
    if (which < 0 || which >= HUB_TIMERS)
        return hub_fail(EINVAL);
    if (hub_shim_is_thread())
        return hub_fail(ENOSYS);
    hub_hooks.system_call();
    *old_p = hub_hooks.timer(which, value);
    return 0;
}

int setitimer(__itimer_which_t which, const struct itimerval *restrict value,
              struct itimerval *restrict old)
{
    struct hub_program_timer timer = { 0, 0 };

    if (value != NULL &&
        (!timeval_is_time(&value->it_value) || !timeval_is_time(&value->it_interval)))
        return hub_fail(EINVAL);
    if (value != NULL)
        timer = (struct hub_program_timer){ timeval_ps(&value->it_value),
                                            timeval_ps(&value->it_interval) };
    if (timer_set((int)which, &timer, &timer) != 0)
        return -1;
    if (old != NULL)
        *old = itimerval_of(&timer);
    return 0;
}

int getitimer(__itimer_which_t which, struct itimerval *value)
{
    struct hub_program_timer timer;

    if (timer_set((int)which, NULL, &timer) != 0)
        return -1;
    *value = itimerval_of(&timer);
    return 0;
}

/* It cannot fail, but says that no timer ran. */
static uint64_t alarm_set(uint64_t ps, uint64_t every_ps)
{
    const struct hub_program_timer value = { ps, every_ps };
    struct hub_program_timer old;

    return timer_set((int)ITIMER_REAL, &value, &old) == 0 ? old.left_ps : 0;
}

unsigned alarm(unsigned s)
{
    return (unsigned)round_up(alarm_set(hub_time_ps(s, 0), 0), HUB_S_PS);
}

useconds_t ualarm(useconds_t us, useconds_t every_us)
{
    return (useconds_t)round_up(alarm_set(us * HUB_US_PS, every_us * HUB_US_PS), HUB_US_PS);
}

int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
    (void)clock;
    (void)event;
    (void)timer;
    return hub_fail(ENOSYS);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
