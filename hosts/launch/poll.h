/* Loops of the program itself that poll memory. */
#ifndef LAUNCH_POLL_H
#define LAUNCH_POLL_H

#include "hosts/launch/thread.h"

#define LAUNCH_POLL_WORDS 64u

/** The program of the thread, which runs, is about to load a word. */
void launch_poll(struct launch_thread *t, const volatile void *at, uint32_t size,
                 const struct hub_program_place *place);
/** It does anything else: no loop goes on beyond that, unless it only reads a timer. */
void launch_polls_end(struct launch_thread *t, bool timer);
void launch_polls_fini(struct launch_thread *t);
/** It printed: each turn of the loop does. */
void launch_polls_printed(struct launch_thread *t);
/** What the program of the thread polls, while it waits; false: it does not. */
bool launch_polled(const struct launch_thread *t, char *text, size_t room);

#endif /* LAUNCH_POLL_H */
