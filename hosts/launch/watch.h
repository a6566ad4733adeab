/*
 * Looks after a run from outside of simulated time: a rank that crashes or computes for ever
 * without a call, and a user who wants to know where all are. A crash ends its rank, with the exit
 * code that a shell would report, and not the simulator.
 */
#ifndef LAUNCH_WATCH_H
#define LAUNCH_WATCH_H

struct launch;
struct watch;

#define WATCH_STATUS 124 /* exit code of a rank that was ended for it, as of timeout(1) */

/**
 * Until watch_end(), looks after the run as its configuration asks. One at a time in a process.
 * NULL, and nothing is changed, when that fails.
 */
struct watch *watch_begin(struct launch *run);
void watch_end(struct watch *w); /* NULL is allowed */
/** The signal that came, or 0. */
int watch_signal(const struct watch *w);
/** Ends all ranks and their launcher where they are, from code of a program in no rank, where there
 * is no task that it could leave. Safe in a signal handler and in any thread. */
_Noreturn void launch_end_outside(int code);
/** Processor time that this process has had. */
unsigned long watch_cpu_ms(void);
#endif /* LAUNCH_WATCH_H */
