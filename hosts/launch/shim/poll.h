/* Between the parts of the shim. */
#ifndef LAUNCH_SHIM_POLL_H
#define LAUNCH_SHIM_POLL_H

#include "hosts/launch/shim/program.h"

/** Before the program's first load. */
void hub_poll_begin(const struct hub_program_hooks *hooks);

#endif /* LAUNCH_SHIM_POLL_H */
