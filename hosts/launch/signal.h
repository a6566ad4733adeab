/*
 * Signals of ranks: what sends them, and what they do to a rank that waits. They arrive before the
 * software of their instant, so that no order of ranks decides what they meet. A rank that sleeps
 * or polls has its handler run at once, another one when its core's operation has ended. No
 * operation begins, and none ends, with a handler that is due.
 */
#ifndef LAUNCH_SIGNAL_H
#define LAUNCH_SIGNAL_H

#include "hosts/launch/compute.h"

/** Ends the calling rank by a signal, at an address of its program or 0. `fault` NULL: it is none
 * of its mistakes. */
_Noreturn void launch_killed(int sig, const char *fault, uint64_t from);
void launch_signals_init(struct launch_thread *t);
void launch_signals_hook(struct launch_thread *t, struct hub_program_hooks *hooks);
/** Timers, and what is on its way to the rank. */
void launch_signals_cancel(struct launch_thread *t);
void launch_signals_run(struct launch_thread *t);
/** From the thread itself, which is not within an operation: runs handlers that are due. */
static inline void launch_signals_take(struct launch_thread *t)
{
    if ((t->signals.program.pending & ~t->signals.program.blocked) != 0)
        launch_signals_run(t);
}

/** As launch_signals_take(), before the thread waits. @return false: some ran, or a signal came
 * that it waits for, so that what it found before may no longer hold. */
static inline bool launch_signals_none(struct launch_thread *t)
{
    const struct hub_program_signals *s = &t->signals.program;
    uint64_t ran = s->ran;

    launch_signals_take(t);
    return s->ran == ran && (s->pending & s->wanted) == 0;
}

/** A kernel's function has begun an operation: its rank ends. */
_Noreturn void launch_worker_refuse(struct launch_thread *t);

/** What runs on the rank's core begins an operation: what it has computed takes its time before,
 * and handlers that have come due meanwhile run. */
static inline struct launch_thread *launch_begin(struct host *h)
{
    struct launch_thread *t = launch_running(h);

    if (t->works)
        launch_worker_refuse(t);
    launch_charge(t);
    launch_signals_take(t);
    return launch_running(h);
}

#endif /* LAUNCH_SIGNAL_H */
