#define _GNU_SOURCE /* ppoll */
#include "tools/lab/run/stop.h"

#include <sys/wait.h>

static volatile sig_atomic_t stopped_by; /* a signal; 0: none */

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
static struct sigaction before_catch[SIM_COUNT(signals)];
static bool catches; /* before_catch is of use */

static void note_signal(int number)
{
    stopped_by = number;
}

static void note_child(int number) /* only so that its end interrupts */
{
    (void)number;
}

void lab_stop_catch(void)
{
    const struct sigaction note = { .sa_handler = note_signal, .sa_flags = SA_RESTART };

    SIM_ASSERT(!catches);
    catches = true;
    for (size_t i = 0; i < SIM_COUNT(signals); i++) {
        (void)sigaction(signals[i], NULL, &before_catch[i]);
        if (before_catch[i].sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &note, NULL);
    }
}

void lab_stop_leave(void)
{
    SIM_ASSERT(catches);
    catches = false;
    for (size_t i = 0; i < SIM_COUNT(signals); i++)
        (void)sigaction(signals[i], &before_catch[i], NULL);
}

int lab_stop_signal(void)
{
    return stopped_by;
}

/* ---- waiting ------------------------------------------------------------------------- */

/** Signals come only while something waits with `before`: none is lost between a look and that. */
static void hold_signals(sigset_t *before)
{
    sigset_t held;

    (void)sigemptyset(&held);
    (void)sigaddset(&held, SIGCHLD);
    for (size_t i = 0; i < SIM_COUNT(signals); i++)
        (void)sigaddset(&held, signals[i]);
    (void)sigprocmask(SIG_BLOCK, &held, before);
}

static void let_signals(const sigset_t *before)
{
    (void)sigprocmask(SIG_SETMASK, before, NULL);
}

bool lab_stop_poll(struct pollfd *fds, nfds_t n)
{
    sigset_t before;
    bool ready;

    hold_signals(&before);
    ready = stopped_by == 0 && ppoll(fds, n, NULL, &before) > 0;
    let_signals(&before);
    return ready && stopped_by == 0;
}

void lab_stop_wait(pid_t child)
{
    const struct sigaction note = { .sa_handler = note_child };
    struct sigaction action;
    siginfo_t end = { 0 };
    sigset_t before, waiting;

    hold_signals(&before);
    (void)sigaction(SIGCHLD, &note, &action);
    waiting = before;
    (void)sigdelset(&waiting, SIGCHLD);
    while (stopped_by == 0 && waitid(P_PID, (id_t)child, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           end.si_pid == 0)
        (void)sigsuspend(&waiting);
    (void)sigaction(SIGCHLD, &action, NULL);
    let_signals(&before);
}
