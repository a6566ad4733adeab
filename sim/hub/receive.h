/*
 * What comes in by the ports, and is routed.
 */
#ifndef HUB_RECEIVE_H
#define HUB_RECEIVE_H

#include "pcie/tlp/tlp.h"

SIM_BEGIN_DECLS

struct hub;

/** See struct pcie_port_user; `user` is the struct hub_port. */
void hub_received(void *user, struct pcie_tlp *tlp);
/** Packets that wait for their receive streams. @return the next edge at which one is free */
uint64_t receive_step(struct hub *hub, uint64_t edge);

SIM_END_DECLS
#endif
