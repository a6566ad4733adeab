/*
 * Requests of the hub that wait for their answers; hub_request_sent() is in hub/port.h.
 */
#ifndef HUB_TIMEOUT_H
#define HUB_TIMEOUT_H

#include "hub/internal.h"

SIM_BEGIN_DECLS

/** The clock is set. */
void hub_timeout_init(struct hub *hub);
/** Gives up what waits since too long. */
void hub_timeout_step(struct hub *hub, uint64_t edge);

SIM_END_DECLS
#endif
