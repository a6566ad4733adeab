/* Between the parts of the shim. */
#ifndef LAUNCH_SHIM_PARTS_H
#define LAUNCH_SHIM_PARTS_H

#include "hosts/launch/shim/program.h"

/** Before the program's first load. */
void hub_poll_begin(const struct hub_program_hooks *hooks);

/** Of this copy. */
const struct hub_program_hooks *hub_shim_hooks(void);

/** The rank has ended, and its streams with it: what still runs is the unloading of its copy. */
int hub_shim_ended(void);

#endif /* LAUNCH_SHIM_PARTS_H */
