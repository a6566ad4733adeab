/*
 * A board that shows the time: one BAR of 4 KiB. Kind "example.stamp", port "pcie".
 *   offset  access
 *   0x00    RO  picoseconds at which the board answers
 *   0x08    RW  scratch
 *   0x10    RO  writes so far
 */
#ifndef STAMP_H
#define STAMP_H

#include "machine/kind.h"

#define STAMP_NOW       0x00u
#define STAMP_SCRATCH   0x08u
#define STAMP_WRITES    0x10u
#define STAMP_BAR_BYTES 4096u

extern const struct machine_kind stamp_kind;

#endif
