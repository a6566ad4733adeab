/* Signals from a rank to itself and to others of its node, and the numbers by which it names them.
 */
#define _GNU_SOURCE /* tgkill */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "hosts/launch/shim/parts.h"

/* A program may have functions of its own by some of these names. */
#pragma weak getpgid
#pragma weak getpgrp
#pragma weak getppid
#pragma weak getsid
#pragma weak kill
#pragma weak killpg
#pragma weak pthread_kill
#pragma weak raise
#pragma weak sigqueue
#pragma weak tgkill

/* The names are libc's, those of the parameters are ours.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */

/* The call is what comes before its return address, which may be another line's, or none's. */
static uint64_t call_address(const void *return_address)
{
    return (uint64_t)(uintptr_t)return_address - 1;
}

/* The ranks of a node are one group, of its launcher. */
int kill(pid_t pid, int sig)
{
    int group = pid == 0 || pid == -1 || pid == -getppid();
    uint64_t from = call_address(__builtin_return_address(0));
    int code;

    if (sig != 0 && !hub_is_signal(sig))
        return hub_fail(EINVAL);
    if (hub_shim_is_thread())
        return hub_fail(ENOSYS);
    hub_hooks.system_call();
    if (pid == getpid())
        return hub_signal_raise(sig, from);
    code = hub_hooks.kill(group ? 0 : pid, sig);
    if (code != 0)
        return hub_fail(code);
    return group && pid != -1 ? hub_signal_raise(sig, from) : 0;
}

int killpg(pid_t group, int sig)
{
    if (group < 0)
        return hub_fail(EINVAL);
    return kill(group != 0 ? -group : 0, sig);
}

int raise(int sig)
{
    if (!hub_is_signal(sig))
        return hub_fail(EINVAL);
    if (hub_shim_is_thread())
        return hub_fail(ENOSYS);
    hub_hooks.system_call();
    return hub_signal_raise(sig, call_address(__builtin_return_address(0)));
}

int sigqueue(pid_t pid, int sig, const union sigval value)
{
    (void)value;
    return kill(pid, sig);
}

int tgkill(pid_t group, pid_t thread, int sig)
{
    return group == thread ? kill(thread, sig) : hub_fail(ESRCH);
}

/* All ranks are one thread of the simulator. */
int pthread_kill(pthread_t thread, int sig)
{
    if (!pthread_equal(thread, pthread_self()))
        return sig == 0 ? 0 : ENOSYS;
    return sig == 0 || raise(sig) == 0 ? 0 : errno;
}

pid_t getppid(void)
{
    return (pid_t)hub_hooks.launcher_pid;
}

pid_t getpgrp(void)
{
    return getppid();
}

pid_t getpgid(pid_t pid)
{
    (void)pid;
    return getppid();
}

pid_t getsid(pid_t pid)
{
    (void)pid;
    return getppid();
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
