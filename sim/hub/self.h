/*
 * What ends in the hub: registers and internal memory; interrupts and the ring of notifications
 * (notify.c).
 */
#ifndef HUB_SELF_H
#define HUB_SELF_H

#include "pcie/tlp/tlp.h"

SIM_BEGIN_DECLS

struct hub;

/** A write to registers or internal memory, of which a beat takes effect at each edge. */
struct hub_self_write {
    struct pcie_tlp tlp; /* payload NULL: there is none */
    uint64_t in_area;    /* where it begins in the hub's own area */
    uint64_t edge;       /* at which the next beat takes effect */
    uint32_t dw;         /* the first one of it */
    uint64_t notify;     /* HUB_NOTIFY, as far as it is written */
    uint64_t cause;      /* for an observer */
};

/** A TLP granted to OUT_SELF; `port` is where an answer goes. Consumes the payload. A read keeps
 * the output busy until all of it is read. `refused`: it is for nothing here. */
void self_take(struct hub *hub, uint32_t port, struct pcie_tlp *tlp, bool refused);
/** A write that was taken: the beat that is due takes effect. @return the edge of the next one */
uint64_t self_step(struct hub *hub, uint64_t edge);

/** Sets bits of HUB_IRQ_STATUS; those that are new and not masked make an interrupt. */
void hub_raise(struct hub *hub, uint32_t bits);
/** Bits that were raised and cleared at this edge change the status, and the interrupt that is
 * wanted leaves if it can. @return the edge at which to look again */
uint64_t hub_interrupt_step(struct hub *hub, uint64_t edge);
/** Appends to the ring, or to what waits for room in it. */
void hub_notify(struct hub *hub, uint64_t value);
/** Some wait: may one of them go into the ring at this edge? *next_p: not after the next edge at
 * which it is worth to look again. */
bool hub_notify_may(const struct hub *hub, uint64_t edge, uint64_t *next_p);
/** It goes. @return the edge at which to look again */
uint64_t hub_notify_append(struct hub *hub, uint64_t edge);

SIM_END_DECLS
#endif
