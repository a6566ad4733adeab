/* What programs compute between their calls. */
#ifndef LAUNCH_COMPUTE_H
#define LAUNCH_COMPUTE_H

#include "hosts/launch/thread.h"

void launch_compute_begin(struct launch_thread *t);
/** What the rank has computed since the last call, as simulated time. */
sim_time_t launch_compute_take(struct launch_thread *t);
/** Lets the time pass that the rank has computed since the last call. */
static inline void launch_charge(struct launch_thread *t)
{
    if (t->compute != LAUNCH_COMPUTE_NONE)
        launch_compute_pass(t, launch_compute_take(t));
}
/** Computing begins here: what came before is not the program's, or paid for otherwise. */
static inline void launch_charged(struct launch_thread *t)
{
    if (t->compute != LAUNCH_COMPUTE_NONE)
        launch_compute_begin(t);
}

#endif /* LAUNCH_COMPUTE_H */
