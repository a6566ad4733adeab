/*
 * Kinds of hub whose core is not written in C. They have the keys of hub.c and stand in for it:
 * --set 'node*.hub.kind=hub.rtl'.
 */
#ifndef COSIM_COSIM_H
#define COSIM_COSIM_H

#include "machine/kind.h"

SIM_BEGIN_DECLS

/** NULL at the end. */
const struct machine_kind *const *cosim_kinds(void);

SIM_END_DECLS
#endif
