/* The process as each run has it: what a program finds in bytes that it never set, or prints of its
 * own addresses, is the same again. */
#ifndef HUBRUN_REPEAT_H
#define HUBRUN_REPEAT_H

#include "core/sim.h"

SIM_BEGIN_DECLS

/** `repeats` is false where the system does not allow it (a container may not). */
typedef int (*repeat_fn)(int argc, char **argv, bool repeats);

/**
 * All of main(): starts the program again, once, with addresses that are not random, calls `fn`
 * with a stack that begins where the environment does not move it, and exits with its result.
 */
_Noreturn void repeat_run(int argc, char **argv, repeat_fn fn);

SIM_END_DECLS
#endif /* HUBRUN_REPEAT_H */
