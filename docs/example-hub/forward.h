/*
 * A hub of another make, kind "example.forward": what a host writes to the BAR of
 * its port, a or b, is written to the memory of the host at the other one.
 */
#ifndef FORWARD_H
#define FORWARD_H

#include "machine/kind.h"

#define FORWARD_BAR_BYTES 4096u
#define FORWARD_TO        (UINT64_C(1) << 32) /* where in that memory */

extern const struct machine_kind forward_kind;

#endif
