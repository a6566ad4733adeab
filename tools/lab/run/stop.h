/*
 * SIGINT and SIGTERM while processes work for this one: they are noted, so that what was begun can
 * be ended and removed. A program that has done so should end by the signal, so that its shell
 * knows.
 */
#ifndef LAB_STOP_H
#define LAB_STOP_H

#include "core/sim.h"

SIM_BEGIN_DECLS

typedef void (*lab_signal_fn)(int number);

struct lab_stop {
    lab_signal_fn before[2]; /* of SIGINT and SIGTERM */
};

/** From here on signals are noted. Only waiting is interrupted (poll() and the like): what is being
 * read or written is finished. SIGINT stays ignored, where it is. */
void lab_stop_catch(struct lab_stop *stop);
/** As it was before. */
void lab_stop_leave(const struct lab_stop *stop);
/** @return the signal that has been noted, 0: none. It is not forgotten. */
int lab_stop_signal(void);

SIM_END_DECLS
#endif /* LAB_STOP_H */
