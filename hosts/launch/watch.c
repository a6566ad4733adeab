#define _GNU_SOURCE /* sigaltstack, setitimer, REG_RIP */
#include "hosts/launch/watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "hosts/launch/node/node.h"

/* The watchdog's, of processor time, not of the wall clock: a process that a debugger has stopped,
 * or that waits for its turn, does not compute. */
#define TICK_MS     100
#define HURRY_TICKS 5 /* what a rank gets to come back after the user's signal */
#define LIBRARY_TICKS                                                                              \
    20 /* more for one that is inside of a library, which has to finish its work */

#define WATCH_SIGNALS 7u

struct watch {
    struct launch *run;
    unsigned long limit; /* ticks; 0: none */
    volatile sig_atomic_t signal;
    const struct launch_thread *thread; /* that ran at the last tick */
    uint64_t resumed;
    unsigned long ticks;                 /* without a change of both */
    struct sigaction old[WATCH_SIGNALS]; /* as they were before */
    stack_t old_stack;
    bool walking;      /* along the calls of a rank that has crashed */
    char stack[65536]; /* handlers run on it: the rank's own may be used up */
};

/* Signal handlers have no argument of ours. */
static struct watch *watching;

/* The program counter in what a signal handler got. */
static uint64_t counter_of(const void *context)
{
    const ucontext_t *uc = context;

#if defined(__x86_64__)
    return (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
#else
    return uc->uc_mcontext.pc;
#endif
}

/* And the stack pointer. */
static uint64_t stack_of(const void *context)
{
    const ucontext_t *uc = context;

#if defined(__x86_64__)
    return (uint64_t)uc->uc_mcontext.gregs[REG_RSP];
#else
    return uc->uc_mcontext.sp;
#endif
}

/* Without exit(), which runs what other threads may be running: the event loop is anywhere, and
 * holds the locks that it held there. */
_Noreturn static void end_process(const char *line, int code)
{
    (void)!write(STDERR_FILENO, line, strlen(line));
    _exit(code);
}

void launch_end_outside(int code)
{
    end_process("ended by a thread that the program started, or while it was loaded\n", code);
}

/* The rank in whose copy of the program a call has been made. NULL: not known. */
static struct launch_thread *rank_of(const struct launch *run, uint64_t from)
{
    uint64_t offset;

    for (unsigned r = 0; run != NULL && r < run->nranks; r++)
        if (program_offset(run->ranks[r].program, from, &offset))
            return &run->ranks[r];
    return NULL;
}

void host_end_outside(const char *call, const void *from, const char *why)
{
    const uint64_t at = (uint64_t)(uintptr_t)from - 1;
    const struct launch_thread *t = rank_of(watching != NULL ? watching->run : NULL, at);
    char line[1536], rank[48] = "", place[128] = "";

    if (t != NULL) {
        (void)snprintf(rank, sizeof(rank), "rank %u on node %u: ", t->host.rank,
                       t->host.node->index);
        program_place(t->program, at, place, sizeof(place));
    }
    (void)snprintf(line, sizeof(line), "%s%s%s%s%s\n", rank, call != NULL ? call : "", place,
                   call != NULL ? ": " : "", why);
    end_process(line, 1);
}

/* Where a rank was in its program, when it has crashed there or in what that has called. Its stack
 * may be a ruin, on which the way along it crashes, too. */
static void find_calls(struct watch *w, const struct program *p, struct program_calls *calls_p)
{
    *calls_p = (struct program_calls){ { 0 } };
    if (!w->walking) {
        w->walking = true;
        program_calls(p, 0, calls_p);
    }
    w->walking = false;
}

/** Memory of the program's heap that should not be used: its check explains it.
 * @return may it be used from now on? Devices, and what drives them, have to go on. */
static bool is_heaps(struct watch *w, struct launch_thread *t, const void *p)
{
    struct guard_mistake m;
    struct launch_thread *owner = launch_heap_explain(w->run, p, &m);

    if (owner == NULL)
        return false;
    if (t != NULL && t->is_rank) {
        t->mistake = m;
        return false;
    }
    m.outside = true;
    guard_admit(owner->guard, p);
    launch_heap_report(owner, &m);
    return true;
}

#define TEXT_OF(number) #number
#define TEXT(constant)  TEXT_OF(constant)

static const char *name_fault(const struct launch_thread *t, int sig, const siginfo_t *info,
                              const void *context)
{
    if (task_out_of_stack(t->task, (uintptr_t)info->si_addr, stack_of(context)))
        return "out of stack (" TEXT(TASK_STACK_MB) " MB)";
    return sig == SIGFPE   ? "arithmetic fault"
           : sig == SIGILL ? "illegal instruction"
                           : "memory access fault";
}

/* Leaves the handler by going back to the event loop on its own stack; the rank's is dropped. */
static void faulted(int sig, siginfo_t *info, void *context)
{
    struct launch_thread *t = launch_self();
    struct program_calls calls;
    uint64_t counter = counter_of(context), offset;

    if (sig == SIGSEGV && is_heaps(watching, t, info->si_addr))
        return;
    if (t == NULL) { /* our own fault: as if there were no handler, once it is tried again */
        signal(sig, SIG_DFL);
        return;
    }
    t->fault = name_fault(launch_running(&t->host), sig, info, context);
    t->signal = sig;
    t->fault_at = counter;
    if (t->mistake.kind != GUARD_NOTHING || !program_offset(t->program, counter, &offset)) {
        find_calls(watching, t->program, &calls);
        t->fault_at = calls.at[0];
        t->mistake.at = calls;
    }
    if (t->mistake.kind != GUARD_NOTHING)
        t->fault = NULL;
    if (t->host.ends_all)
        t->host.process->abort(&t->host, 128 + sig);
    t->host.process->exit(&t->host, 128 + sig);
}

/* A jump to itself, `while (1);`: nothing but a signal ends that. */
static bool loops_in_place(const struct program *p, uint64_t counter)
{
#if defined(__x86_64__)
    static const uint8_t jump[] = { 0xeb, 0xfe };
#else
    static const uint8_t jump[] = { 0x00, 0x00, 0x00, 0x14 };
#endif
    uint64_t offset;

    /* NOLINTNEXTLINE(performance-no-int-to-ptr): where the processor is */
    return program_offset(p, counter, &offset) &&
           memcmp((const void *)(uintptr_t)counter, jump, sizeof(jump)) == 0;
}

static void blame(struct launch_thread *t, uint64_t counter)
{
    t->fault = watching->signal != 0 ? "interrupted in a computation"
                                     : "computes without a call that takes simulated time";
    t->fault_at = counter;
}

/* In a library the rank may hold a lock that we shall need: it is let go on, for a while. */
static void give_up(struct watch *w, struct launch_thread *t, uint64_t counter, unsigned long late)
{
    uint64_t offset;

    if (program_offset(t->program, counter, &offset)) {
        blame(t, counter);
        w->ticks = 0;
        w->limit = 1; /* others may do the same before the event loop ends */
        if (w->signal != 0)
            t->host.process->exit(&t->host, 128 + w->signal);
        t->host.process->abort(&t->host, WATCH_STATUS);
    }
    if (late < LIBRARY_TICKS)
        return;
    end_process("ended: a rank computes for ever inside of a library\n", WATCH_STATUS);
}

static void tick(int sig, siginfo_t *info, void *context)
{
    struct watch *w = watching;
    struct launch_thread *t = launch_self();
    unsigned long limit = w->signal != 0 && w->limit != 1 ? HURRY_TICKS : w->limit;

    (void)sig;
    (void)info;
    if (t == NULL || t != w->thread || t->resumed != w->resumed) {
        w->thread = t;
        w->resumed = t != NULL ? t->resumed : 0;
        w->ticks = 0;
        return;
    }
    w->ticks++;
    /* Another rank of GASNet may yet end the job, and then that one's status counts. */
    if (w->signal == 0 && t->is_rank && t->host.ends_all &&
        loops_in_place(t->program, counter_of(context))) {
        blame(t, counter_of(context));
        w->ticks = 0;
        t->host.process->exit(&t->host, WATCH_STATUS);
    }
    if (limit != 0 && w->ticks >= limit)
        give_up(w, t, counter_of(context), w->ticks - limit);
}

/* The event loop ends at its next round; a rank that computes is ended by tick(). */
static void stop_asked(int sig, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    if (watching->signal != 0) { /* once more: at once */
        signal(sig, SIG_DFL);
        raise(sig);
        return;
    }
    watching->signal = sig;
    sim_stop(watching->run->ranks[0].dom);
}

static const struct {
    int sig;
    void (*handler)(int sig, siginfo_t *info, void *context);
} handlers[WATCH_SIGNALS] = { { SIGSEGV, faulted },   { SIGBUS, faulted }, { SIGFPE, faulted },
                              { SIGILL, faulted },    { SIGPROF, tick },   { SIGINT, stop_asked },
                              { SIGTERM, stop_asked } };

static bool has_ticks(const struct launch_config *cfg)
{
    return cfg->patience_s != 0 || cfg->signals;
}

/* The report of AddressSanitizer says more of a fault, on a stack of its own. */
static bool is_wanted(const struct launch_config *cfg, unsigned i)
{
    return handlers[i].handler == faulted ? !task_sanitized()
           : handlers[i].handler == tick  ? has_ticks(cfg)
                                          : cfg->signals;
}

struct watch *watch_begin(struct launch *run)
{
    struct sigaction act = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART };
    struct itimerval every = { { 0, TICK_MS * 1000 }, { 0, TICK_MS * 1000 } };
    struct watch *w = watching == NULL ? calloc(1, sizeof(*w)) : NULL;
    stack_t stack = { .ss_size = sizeof(w->stack) };

    if (w == NULL)
        return NULL;
    w->run = run;
    w->limit = run->cfg->patience_s * (1000UL / TICK_MS);
    watching = w;
    stack.ss_sp = w->stack;
    if (!task_sanitized())
        sigaltstack(&stack, &w->old_stack);
    for (unsigned i = 0; i < WATCH_SIGNALS; i++) {
        act.sa_sigaction = handlers[i].handler;
        sigaction(handlers[i].sig, is_wanted(run->cfg, i) ? &act : NULL, &w->old[i]);
    }
    if (has_ticks(run->cfg))
        setitimer(ITIMER_PROF, &every, NULL);
    return w;
}

void watch_end(struct watch *w)
{
    struct itimerval none = { { 0, 0 }, { 0, 0 } };

    if (w == NULL)
        return;
    if (has_ticks(w->run->cfg))
        setitimer(ITIMER_PROF, &none, NULL);
    for (unsigned i = 0; i < WATCH_SIGNALS; i++)
        sigaction(handlers[i].sig, &w->old[i], NULL);
    if (!task_sanitized())
        sigaltstack(&w->old_stack, NULL);
    watching = NULL;
    free(w);
}

int watch_signal(const struct watch *w)
{
    return w != NULL ? w->signal : 0;
}

unsigned long watch_cpu_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (unsigned long)ts.tv_sec * 1000UL + (unsigned long)ts.tv_nsec / 1000000UL;
}
