#define _GNU_SOURCE /* sigaltstack, SA_ONSTACK */
#include "hosts/launch/fault.h"

#include <signal.h>
#include <stdlib.h>

#include "hosts/launch/thread.h"
#include "hosts/launch/watch.h"

#define FAULT_SIGNALS     4
#define FAULT_STACK_BYTES 65536

static const int signals[FAULT_SIGNALS] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };

struct fault_guard {
    struct sigaction old[FAULT_SIGNALS]; /* handlers as they were before */
    stack_t old_stack;
    char stack[FAULT_STACK_BYTES]; /* handlers run on it: the rank's own may be used up */
};

/* Leaves the handler by going back to the event loop on its own stack; the rank's is dropped. */
static void faulted(int sig, siginfo_t *info, void *context)
{
    struct launch_thread *t = launch_self();

    if (t == NULL) { /* our own fault: as if there were no handler, once it is tried again */
        signal(sig, SIG_DFL);
        return;
    }
    t->fault = task_in_guard(launch_running(&t->host)->task, info->si_addr) ? "out of stack"
               : sig == SIGFPE                                              ? "arithmetic fault"
               : sig == SIGILL                                              ? "illegal instruction"
                                                                            : "memory access fault";
    t->signal = sig;
    t->fault_at = launch_counter_of(context);
    t->host.process->exit(&t->host, 128 + sig);
}

struct fault_guard *fault_guard_begin(void)
{
    struct sigaction act = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
    struct fault_guard *guard = task_sanitized() ? NULL : malloc(sizeof(*guard));
    stack_t stack = { .ss_size = FAULT_STACK_BYTES };

    if (guard == NULL)
        return NULL;
    stack.ss_sp = guard->stack;
    if (sigaltstack(&stack, &guard->old_stack) != 0) {
        free(guard);
        return NULL;
    }
    act.sa_sigaction = faulted;
    for (int i = 0; i < FAULT_SIGNALS; i++)
        sigaction(signals[i], &act, &guard->old[i]);
    return guard;
}

void fault_guard_end(struct fault_guard *guard)
{
    if (guard == NULL)
        return;
    for (int i = 0; i < FAULT_SIGNALS; i++)
        sigaction(signals[i], &guard->old[i], NULL);
    sigaltstack(&guard->old_stack, NULL);
    free(guard);
}
