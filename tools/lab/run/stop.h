/*
 * SIGINT, SIGTERM and SIGHUP while processes work for this one: they are noted, so that what was
 * begun can be ended and removed. A program that has done so should end by the signal, so that its
 * shell knows.
 */
#ifndef LAB_STOP_H
#define LAB_STOP_H

#include "core/sim.h"

#include <poll.h>
#include <signal.h>
#include <sys/types.h>

SIM_BEGIN_DECLS

/** From here on signals are noted, until lab_stop_leave(): not twice before that. Only waiting is
 * interrupted: what is being read or written is finished. One that is ignored stays so, as a shell
 * starts what is behind the terminal. */
void lab_stop_catch(void);
/** As it was before. */
void lab_stop_leave(void);
/** @return the signal that has been noted, 0: none. It is not forgotten. */
int lab_stop_signal(void);
/** poll() without end. @return false: nothing is ready, as a signal has come, before or meanwhile.
 * lab_stop_signal() is 0 where it is one that is not noted, as of a child that has ended: then the
 * caller may try again. */
bool lab_stop_poll(struct pollfd *fds, nfds_t n);
/** Until a signal has been noted, before or meanwhile, or the child has ended, which is still to be
 * waited for. */
void lab_stop_wait(pid_t child);

SIM_END_DECLS
#endif /* LAB_STOP_H */
