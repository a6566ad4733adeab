/* Between the parts of the shim. */
#ifndef LAUNCH_SHIM_PARTS_H
#define LAUNCH_SHIM_PARTS_H

#include <errno.h>
#include <stdarg.h>
#include <time.h>

#include "hosts/launch/shim/program.h"

#define HUB_NS_PS UINT64_C(1000)
#define HUB_US_PS UINT64_C(1000000)
#define HUB_S_PS  UINT64_C(1000000000000)

/** May one wait for the time of a timespec (parts = 10^9) or timeval (10^6)? */
static inline int hub_is_time(time_t s, long part, long parts)
{
    return s >= 0 && part >= 0 && part < parts;
}
static inline int hub_is_timespec(const struct timespec *ts)
{
    return hub_is_time(ts->tv_sec, ts->tv_nsec, 1000000000);
}
/** `s` seconds and `part_ps`, which are less than one; for ever, when that is beyond 213 days, what
 * 64 bits hold. */
static inline uint64_t hub_time_ps(uint64_t s, uint64_t part_ps)
{
    return s < UINT64_MAX / HUB_S_PS ? s * HUB_S_PS + part_ps : UINT64_MAX;
}

/** A function with a variable number of arguments, by its twin that has them as `ap`. */
#define HUB_VARIADIC(name, parameters, call)                                                       \
    int name parameters                                                                            \
    {                                                                                              \
        va_list ap;                                                                                \
        int n;                                                                                     \
                                                                                                   \
        va_start(ap, format);                                                                      \
        n = call;                                                                                  \
        va_end(ap);                                                                                \
        return n;                                                                                  \
    }

/** What a function of libc returns that has failed. */
static inline int hub_fail(int code)
{
    errno = code;
    return -1;
}

/** Those that this copy was loaded with. */
extern struct hub_program_hooks hub_hooks;

/** Memory whose accesses are announced; empty where races are not looked for. */
extern const struct hub_program_range *hub_accessed;
static inline int hub_is_accessed(uintptr_t at, size_t n)
{
    const struct hub_program_range *r = hub_accessed;

    return r->bytes != 0 && at < r->low + r->bytes && at + n > r->low;
}

/** Before the program's first load. */
void hub_poll_begin(void);

/** In a thread that the program has started? It is no part of the simulation: time is that of the
 * computer there, and signals are the rank's alone. */
int hub_shim_is_thread(void);

/** Ends the rank by a signal, at an address of its code or 0. */
_Noreturn void hub_shim_killed(int sig, uint64_t from);

/** Acts on what has come and is not blocked. */
void hub_signals_take(void);
/** The mask is from now on `set`; acts on what that lets through. */
void hub_signals_block(uint64_t set);
/** Sleeps, for ever if `ts` is NULL, with a mask of its own if `mask`, a sigset_t, which C11 alone
 * does not have, is not. @return 0, or -1 with EINTR when a handler ran, or with EINVAL. */
int hub_signals_sleep(const struct timespec *ts, const void *mask);
/** Sends itself a signal (0: none), at an address of its code or 0. @return 0 */
int hub_signal_raise(int sig, uint64_t from);

#endif /* LAUNCH_SHIM_PARTS_H */
