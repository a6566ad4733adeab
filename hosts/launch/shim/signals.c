/*
 * Signals as one rank has them: its own actions and mask. What they do to it while it waits is in
 * hosts/launch/signal.c. A fault of its own instructions ends it without its handlers.
 */
#define _GNU_SOURCE /* sighandler_t */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "hosts/launch/shim/parts.h"

/* A program may have functions of its own by some of these names. */
#pragma weak pause
#pragma weak pthread_sigmask
#pragma weak sigaction
#pragma weak sigaltstack
#pragma weak siginterrupt
#pragma weak signal
#pragma weak sigpending
#pragma weak sigprocmask
#pragma weak sigsuspend
#pragma weak sigtimedwait
#pragma weak sigwait
#pragma weak sigwaitinfo

/* The names are libc's, those of the parameters are ours.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,bugprone-reserved-identifier) */

static struct sigaction actions[HUB_SIGNALS + 1];

static uint64_t sigset_bits(const sigset_t *set)
{
    uint64_t bits;

    memcpy(&bits, set, sizeof(bits)); /* bit sig - 1 of its first word */
    return bits & ~(hub_signal_bit(SIGKILL) | hub_signal_bit(SIGSTOP));
}

static void sigset_put(sigset_t *set, uint64_t bits)
{
    (void)sigemptyset(set);
    memcpy(set, &bits, sizeof(bits));
}

/* ---- actions ---------------------------------------------------------------------------- */

static void action_set(int sig, const struct sigaction *act)
{
    struct hub_program_signals *s = hub_hooks.signals;
    uint64_t bit = hub_signal_bit(sig);

    actions[sig] = *act;
    s->handled &= ~bit;
    s->ignored &= ~bit;
    if (act->sa_handler == SIG_IGN)
        s->ignored |= bit;
    else if (act->sa_handler != SIG_DFL)
        s->handled |= bit;
    if (hub_signal_means(s, sig) == HUB_SIGNAL_NOTHING)
        s->pending &= ~bit;
}

static siginfo_t info_of(int sig)
{
    siginfo_t info;

    memset(&info, 0, sizeof(info));
    info.si_signo = sig;
    info.si_pid = hub_hooks.signals->senders[sig - 1];
    info.si_code = info.si_pid != 0 ? SI_USER : SI_KERNEL;
    return info;
}

static void handler_call(int sig, const struct sigaction *act)
{
    siginfo_t info = info_of(sig);
    ucontext_t context;

    if ((act->sa_flags & SA_SIGINFO) == 0) {
        act->sa_handler(sig);
        return;
    }
    memset(&context, 0, sizeof(context));
    act->sa_sigaction(sig, &info, &context);
}

static void signal_handle(int sig)
{
    static const struct sigaction none = { .sa_flags = 0 }; /* SIG_DFL */
    struct hub_program_signals *s = hub_hooks.signals;
    struct sigaction act = actions[sig];
    uint64_t blocked = s->blocked, wanted = s->wanted;
    int code = errno;

    s->ran++;
    if ((act.sa_flags & (int)SA_RESETHAND) != 0)
        action_set(sig, &none);
    s->blocked |= sigset_bits(&act.sa_mask);
    if ((act.sa_flags & SA_NODEFER) == 0)
        s->blocked |= hub_signal_bit(sig);
    s->wanted = 0; /* a handler that jumps out of sigwait() leaves nothing that ends a sleep */
    handler_call(sig, &act);
    s->wanted = wanted;
    s->blocked = blocked;
    errno = code;
}

static void signal_act(int sig, uint64_t from)
{
    enum hub_signal_meaning meaning = hub_signal_means(hub_hooks.signals, sig);

    if (meaning == HUB_SIGNAL_HANDLER)
        signal_handle(sig);
    else if (meaning == HUB_SIGNAL_END)
        hub_shim_killed(sig, from);
}

void hub_signals_take(void)
{
    struct hub_program_signals *s = hub_hooks.signals;
    uint64_t due;

    while ((due = s->pending & ~s->blocked) != 0) {
        s->pending &= ~(due & -due);
        signal_act(__builtin_ctzll(due) + 1, 0);
    }
}

void hub_signals_block(uint64_t set)
{
    hub_hooks.signals->blocked = set;
    hub_signals_take();
}

int hub_signal_raise(int sig, uint64_t from)
{
    struct hub_program_signals *s = hub_hooks.signals;

    if (sig == 0)
        return 0;
    s->senders[sig - 1] = hub_hooks.pid;
    if ((s->blocked & hub_signal_bit(sig)) != 0)
        s->pending |= hub_signal_bit(sig);
    else
        signal_act(sig, from);
    hub_signals_take(); /* what the handler's mask has held back */
    return 0;
}

int sigaction(int sig, const struct sigaction *restrict act, struct sigaction *restrict old)
{
    if (!hub_is_signal(sig) || (act != NULL && (sig == SIGKILL || sig == SIGSTOP)))
        return hub_fail(EINVAL);
    hub_hooks.system_call();
    if (old != NULL)
        *old = actions[sig];
    if (act != NULL)
        action_set(sig, act);
    return 0;
}

static sighandler_t handler_set(int sig, sighandler_t handler, int flags)
{
    struct sigaction act = { .sa_flags = flags }, old;

    act.sa_handler = handler;
    return sigaction(sig, &act, &old) == 0 ? old.sa_handler : SIG_ERR;
}

sighandler_t signal(int sig, sighandler_t handler)
{
    return handler_set(sig, handler, SA_RESTART);
}

/* signal() of sources that ask for System V's, as -std=c99 does. */
sighandler_t __sysv_signal(int sig, sighandler_t handler)
{
    return handler_set(sig, handler, (int)SA_RESETHAND | SA_NODEFER);
}

int siginterrupt(int sig, int yes)
{
    (void)yes;
    return hub_is_signal(sig) ? 0 : hub_fail(EINVAL);
}

/* Handlers run on the stack of the rank, which is large. */
int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
    (void)stack;
    if (old != NULL)
        *old = (stack_t){ .ss_flags = SS_DISABLE };
    return 0;
}

/* ---- masks, which threads that the program has started do without -------------------------- */

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    struct hub_program_signals *s = hub_hooks.signals;
    uint64_t before;

    if (hub_shim_is_thread())
        return old != NULL ? sigemptyset(old) : 0;
    hub_hooks.system_call();
    before = s->blocked;
    if (set != NULL) {
        uint64_t bits = sigset_bits(set);

        if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
            return hub_fail(EINVAL);
        s->blocked = how == SIG_BLOCK ? before | bits : how == SIG_UNBLOCK ? before & ~bits : bits;
    }
    if (old != NULL)
        sigset_put(old, before);
    hub_signals_take();
    return 0;
}

int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    return sigprocmask(how, set, old) == 0 ? 0 : EINVAL;
}

int sigpending(sigset_t *set)
{
    hub_hooks.system_call();
    sigset_put(set, hub_hooks.signals->pending);
    return 0;
}

/* ---- waiting ----------------------------------------------------------------------------- */

static uint64_t timespec_ps(const struct timespec *ts)
{
    return ts == NULL ? UINT64_MAX
                      : hub_time_ps((uint64_t)ts->tv_sec, (uint64_t)ts->tv_nsec * HUB_NS_PS);
}

int pause(void)
{
    if (hub_shim_is_thread())
        return hub_fail(ENOSYS);
    (void)hub_hooks.sleep_ps(UINT64_MAX, NULL);
    return hub_fail(EINTR);
}

/* A handler counts from the moment on that the mask lets it through. */
static int sleep_masked(uint64_t ps, uint64_t mask)
{
    struct hub_program_signals *s = hub_hooks.signals;
    uint64_t before, ran;
    int handled;

    hub_hooks.system_call();
    before = s->blocked;
    ran = s->ran;
    hub_signals_block(mask);
    (void)hub_hooks.sleep_ps(ps, &ran);
    handled = s->ran != ran;
    hub_signals_block(before);
    return handled ? hub_fail(EINTR) : 0;
}

int sigsuspend(const sigset_t *set)
{
    return hub_shim_is_thread() ? hub_fail(ENOSYS) : sleep_masked(UINT64_MAX, sigset_bits(set));
}

int hub_signals_sleep(const struct timespec *ts, const void *mask)
{
    if (ts != NULL && !hub_is_timespec(ts))
        return hub_fail(EINVAL);
    if (mask != NULL)
        return sleep_masked(timespec_ps(ts), sigset_bits(mask));
    return ts != NULL ? nanosleep(ts, NULL) : pause();
}

/* -1: another one's handler has ended the wait. */
static int signal_wait(const sigset_t *set, uint64_t ps)
{
    struct hub_program_signals *s = hub_hooks.signals;
    uint64_t due, ran;

    hub_hooks.system_call();
    ran = s->ran;
    due = s->pending & sigset_bits(set);
    if (due == 0) {
        s->wanted = sigset_bits(set);
        (void)hub_hooks.sleep_ps(ps, &ran);
        s->wanted = 0;
        due = s->pending & sigset_bits(set);
    }
    if (due == 0)
        return s->ran != ran ? -1 : 0;
    s->pending &= ~(due & -due);
    return __builtin_ctzll(due) + 1;
}

int sigwait(const sigset_t *restrict set, int *restrict sig)
{
    if (hub_shim_is_thread())
        return ENOSYS;
    do
        *sig = signal_wait(set, UINT64_MAX);
    while (*sig <= 0);
    return 0;
}

int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                 const struct timespec *restrict limit)
{
    int sig;

    if (hub_shim_is_thread())
        return hub_fail(ENOSYS);
    if (limit != NULL && !hub_is_timespec(limit))
        return hub_fail(EINVAL);
    sig = signal_wait(set, timespec_ps(limit));
    if (sig <= 0)
        return hub_fail(sig < 0 ? EINTR : EAGAIN);
    if (info != NULL)
        *info = info_of(sig);
    return sig;
}

int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    return sigtimedwait(set, info, NULL);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name,bugprone-reserved-identifier) */
