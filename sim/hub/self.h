/*
 * What ends in the hub: registers, internal memory, configuration space; interrupts and the ring of
 * notifications (notify.c).
 */
#ifndef HUB_SELF_H
#define HUB_SELF_H

#include "pcie/tlp/tlp.h"

SIM_BEGIN_DECLS

struct hub;

bool self_accepts(const struct hub *hub, const struct pcie_tlp *tlp);
/** A TLP granted to OUT_SELF; `port` is where an answer goes. Consumes the payload. */
void self_take(struct hub *hub, uint32_t port, struct pcie_tlp *tlp);

void hub_raise(struct hub *hub, uint32_t bits);
/** Appends to the ring, which has room. */
void hub_notify(struct hub *hub, uint64_t value);
bool hub_ring_has_room(const struct hub *hub);

SIM_END_DECLS
#endif
