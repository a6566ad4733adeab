#define _POSIX_C_SOURCE 200809L
#include "tools/lab/run/stop.h"

#include <signal.h>

static volatile sig_atomic_t stopped_by; /* a signal; 0: none */

static void note_signal(int number)
{
    stopped_by = number;
}

static const int signals[] = { SIGINT, SIGTERM };

/** @return what it was before */
static lab_signal_fn stop_handle(int number, lab_signal_fn handler)
{
    struct sigaction now = { .sa_handler = handler, .sa_flags = SA_RESTART }, before = { 0 };

    (void)sigaction(number, &now, &before);
    return before.sa_handler;
}

void lab_stop_catch(struct lab_stop *stop)
{
    for (size_t i = 0; i < SIM_COUNT(signals); i++)
        stop->before[i] = stop_handle(signals[i], note_signal);
    if (stop->before[0] == SIG_IGN) /* as a shell starts what is behind the terminal */
        (void)stop_handle(SIGINT, SIG_IGN);
}

void lab_stop_leave(const struct lab_stop *stop)
{
    for (size_t i = 0; i < SIM_COUNT(signals); i++)
        (void)stop_handle(signals[i], stop->before[i]);
}

int lab_stop_signal(void)
{
    return stopped_by;
}
