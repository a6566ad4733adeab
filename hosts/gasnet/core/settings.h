/* Settings of GASNet, whichever transport it goes over, and what the program's environment says. */
#ifndef GASNET_SETTINGS_H
#define GASNET_SETTINGS_H

#include "hosts/gasnet/core/rank.h"
#include "hosts/host/param.h"

/** Keys "gasnet.*". */
extern const struct host_param gasnet_params[];

/** What a variable is in the program's environment; NULL: it is not set. From gasnet_init() on. */
const char *gasnet_environment(struct gasnet_rank *gr, const char *name);
/** Bytes, "64K", or `own`. What is no number ends all ranks with a line. */
uint64_t gasnet_environment_bytes(struct gasnet_rank *gr, const char *name, uint64_t own);
/** Simulated time that a node which exits waits for the others: GASNET_EXITTIMEOUT, or what its
 * _MIN, _FACTOR for each node and _MAX give. */
uint64_t gasnet_environment_exit_ps(struct gasnet_rank *gr);
/** At the end of gasnet_init(): looks through all of them, and reports them if asked to. */
void gasnet_environment_check(struct gasnet_rank *gr);

#endif /* GASNET_SETTINGS_H */
