/*
 * Kinds of hub whose core is not in C, or does not run there. They have the keys of hub.c and stand
 * in for it: --set 'node*.hub.kind=hub.rtl'.
 */
#ifndef COSIM_COSIM_H
#define COSIM_COSIM_H

#include "machine/kind.h"

SIM_BEGIN_DECLS

/** hub.rtl (SystemVerilog) and hub.sc (SystemC). */
const struct machine_kind *cosim_hub_rtl(void);
const struct machine_kind *cosim_hub_sc(void);

SIM_END_DECLS
#endif
