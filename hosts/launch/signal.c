#include "hosts/launch/signal.h"
#include "hosts/launch/node/node.h"
#include "hosts/launch/watch.h"

#include <errno.h>
#include <signal.h>

#define FIRST_PID 1000 /* of rank 0 */

static const int timer_signals[HUB_TIMERS] = { SIGALRM, SIGVTALRM, SIGPROF };

/* ---- arrival --------------------------------------------------------------------- */

static void thread_interrupt(struct launch_thread *t)
{
    if (t->asleep)
        launch_wake(t);
    else
        node_core_interrupt(t->core);
}

static void signal_arrive(struct launch_thread *t, int sig, int sender)
{
    struct hub_program_signals *s = &t->signals.program;
    enum hub_signal_meaning meaning;

    if (t->ended)
        return;
    s->senders[sig - 1] = sender;
    if ((s->blocked & hub_signal_bit(sig)) != 0) {
        s->pending |= hub_signal_bit(sig);
        if ((s->wanted & hub_signal_bit(sig)) != 0)
            thread_interrupt(t);
        return;
    }
    meaning = hub_signal_means(s, sig);
    if (meaning == HUB_SIGNAL_HANDLER) {
        s->pending |= hub_signal_bit(sig);
        thread_interrupt(t);
    } else if (meaning == HUB_SIGNAL_END) {
        t->signal = sig;
        if (t->host.ends_all)
            launch_abort_all(t, t->host.rank, 128 + sig, "");
        launch_end(t, 128 + sig, sim_now(t->dom));
    }
}

static void arrival_event(struct sim_event *ev)
{
    struct launch_thread *t = SIM_CONTAINER_OF(ev, struct launch_thread, signals.arrival);
    uint64_t sent = t->signals.sent;

    t->signals.sent = 0;
    for (int sig = 1; sig <= HUB_SIGNALS; sig++)
        if ((sent & hub_signal_bit(sig)) != 0)
            signal_arrive(t, sig, t->signals.senders[sig - 1]);
}

/* It ends `ps` after `from`; 0: it does not run. */
static void timer_set(struct launch_timer *timer, sim_time_t from, uint64_t ps)
{
    timer->due = ps == 0 ? 0 : ps < SIM_TIME_NEVER - from ? from + ps : SIM_TIME_NEVER;
    if (timer->due != 0 && timer->due != SIM_TIME_NEVER)
        sim_schedule_at(timer->thread->dom, &timer->end, timer->due, SIM_CLOCK);
}

static void timer_event(struct sim_event *ev)
{
    struct launch_timer *timer = SIM_CONTAINER_OF(ev, struct launch_timer, end);
    struct launch_thread *t = timer->thread;

    timer_set(timer, timer->due, timer->every);
    signal_arrive(t, timer_signals[timer - t->signals.timers], 0);
}

void launch_signals_run(struct launch_thread *t)
{
    struct hub_program_signals *s = &t->signals.program;
    struct host_call call = t->host.call;
    struct host_entry entry = t->host.entry;
    bool inside = t->host.looks.inside, asleep = t->asleep, woken = t->woken;
    bool in_library = t->in_library;
    uint64_t value = t->value;

    SIM_ASSERT(s->take != NULL); /* a program's, which has handled it */
    /* A handler is in no call, and one that jumps leaves that which it interrupted. */
    t->host.call.name = NULL;
    t->host.entry.name = NULL;
    t->host.looks.inside = false;
    t->asleep = false;
    t->in_library = false;
    launch_charged(t);
    do {
        s->take();
        launch_charge(t); /* what they have computed, in which more may have come */
    } while ((s->pending & ~s->blocked) != 0);
    t->in_library = in_library;
    t->host.call = call;
    t->host.entry = entry;
    t->host.looks.inside = inside;
    t->asleep = asleep;
    t->woken = woken;
    t->value = value;
}

/* ---- what the program asks for ----------------------------------------------------- */

static int pid_of(const struct launch_thread *t)
{
    return (int)t->host.rank + FIRST_PID;
}

/* Of two senders at one time the lower one is named, whichever comes first. */
static void signal_send(struct launch_thread *t, int sig, int sender)
{
    if (sig == 0)
        return;
    if ((t->signals.sent & hub_signal_bit(sig)) == 0 || sender < t->signals.senders[sig - 1])
        t->signals.senders[sig - 1] = sender;
    t->signals.sent |= hub_signal_bit(sig);
    sim_schedule_by(t->dom, &t->signals.arrival, sim_now(t->dom) + 1, SIM_CLOCK);
}

static int signal_send_others(struct launch_thread *from, int sig)
{
    struct launch *run = from->node->run;

    for (unsigned r = 0; r < run->nranks; r++)
        if (&run->ranks[r] != from && run->ranks[r].node == from->node)
            signal_send(&run->ranks[r], sig, pid_of(from));
    return 0;
}

static void hook_system_call(void)
{
    if (host_self() != NULL)
        host_spend_cost(host_self(), HOST_COST_SYSCALL);
}

static int hook_kill(int pid, int sig)
{
    struct launch_thread *t = launch_self(), *to = NULL;
    const struct launch *run;

    if (t == NULL)
        return ESRCH;
    run = t->node->run;
    if (pid == 0)
        return signal_send_others(t, sig);
    if (pid == 1 || pid == FIRST_PID - 1)
        return EPERM;
    if (pid >= FIRST_PID && (unsigned)(pid - FIRST_PID) < run->nranks)
        to = &run->ranks[pid - FIRST_PID];
    if (to == NULL || to->node != t->node || to->ended)
        return ESRCH;
    signal_send(to, sig, pid_of(t));
    return 0;
}

void launch_killed(int sig, const char *fault, uint64_t from)
{
    struct launch_thread *t = launch_self();

    if (t == NULL)
        launch_end_outside(128 + sig);
    launch_charge(launch_running(&t->host));
    t->signal = sig;
    t->fault = fault;
    t->fault_at = from;
    if (t->host.ends_all)
        t->host.process->abort(&t->host, 128 + sig);
    t->host.process->exit(&t->host, 128 + sig);
    SIM_ASSERT(false);
}

static void hook_killed(int sig, uint64_t from)
{
    launch_killed(sig, sig == SIGABRT ? "aborted" : NULL, from);
}

static struct hub_program_timer hook_timer(int which, const struct hub_program_timer *value)
{
    struct launch_thread *t = launch_self();
    struct launch_timer *timer;
    struct hub_program_timer old = { 0, 0 };
    sim_time_t now;

    if (t == NULL)
        return old;
    timer = &t->signals.timers[which];
    now = sim_now(t->dom);
    old = (struct hub_program_timer){ timer->due != 0 ? timer->due - now : 0, timer->every };
    if (value == NULL)
        return old;
    sim_cancel(t->dom, &timer->end);
    timer_set(timer, now, value->left_ps);
    timer->every = value->every_ps;
    return old;
}

/* ---- beginning and end ------------------------------------------------------------- */

void launch_signals_init(struct launch_thread *t)
{
    sim_event_init(&t->signals.arrival, arrival_event);
    for (unsigned i = 0; i < HUB_TIMERS; i++) {
        t->signals.timers[i].thread = t;
        sim_event_init(&t->signals.timers[i].end, timer_event);
    }
}

void launch_signals_hook(struct launch_thread *t, struct hub_program_hooks *hooks)
{
    hooks->pid = pid_of(t);
    hooks->launcher_pid = FIRST_PID - 1;
    hooks->signals = &t->signals.program;
    hooks->system_call = hook_system_call;
    hooks->kill = hook_kill;
    hooks->killed = hook_killed;
    hooks->timer = hook_timer;
}

void launch_signals_cancel(struct launch_thread *t)
{
    sim_cancel(t->dom, &t->signals.arrival);
    for (unsigned i = 0; i < HUB_TIMERS; i++)
        sim_cancel(t->dom, &t->signals.timers[i].end);
}
