/*
 * The order of packets (PCI Express Base 3.0, 2.4.1): table 2-34, for those who choose what
 * to send, and a checker for all who hold packets. It hears of each packet that enters and leaves
 * a queue, and of each that begins and ends its way. It asserts when one has passed another that it
 * must not pass. Where sim_order_checked() says no, there are no checkers.
 */
#ifndef PCIE_ORDERING_H
#define PCIE_ORDERING_H

#include "pcie/tlp/tlp.h"

SIM_BEGIN_DECLS

/** Rows and columns of the table. */
enum pcie_order_kind {
    PCIE_ORDER_POSTED,     /* row A, column 2 */
    PCIE_ORDER_READ,       /* row B, column 3 */
    PCIE_ORDER_NPR_DATA,   /* row C, column 4: configuration and I/O writes */
    PCIE_ORDER_COMPLETION, /* row D, column 5 */
    PCIE_ORDER_KINDS
};

#define PCIE_ATTR_RELAXED 2u /* Attr[1] */
#define PCIE_ATTR_IDO     4u /* Attr[2] */

/** What the rules look at. */
struct pcie_order_key {
    uint8_t kind, tc, attr, tag;
    uint16_t requester_id, completer_id;
};

struct pcie_order_key pcie_order_key_of(const struct pcie_tlp *tlp);
/** Packets of different traffic classes have no order (2.4.1). */
bool pcie_order_allows(const struct pcie_order_key *later, const struct pcie_order_key *earlier);
static inline bool pcie_may_pass(const struct pcie_tlp *later, const struct pcie_tlp *earlier)
{
    struct pcie_order_key a = pcie_order_key_of(later), b = pcie_order_key_of(earlier);

    return pcie_order_allows(&a, &b);
}

/* ---- one hop: what enters a place leaves it in an order that the table allows --------------- */

struct pcie_order_watch;

/** NULL where order is not checked. `where` and `what` ("receive buffer") are kept as pointers. */
struct pcie_order_watch *pcie_order_watch_create(const struct sim_domain *dom, const char *where,
                                                 const char *what);
void pcie_order_watch_destroy(struct pcie_order_watch *w); /* NULL too */
/**
 * A packet enters; `number` is its own among all that are inside. Only packets of one `path` have
 * an order among each other: those that leave by the same way.
 */
void pcie_order_enter(struct pcie_order_watch *w, uint32_t number, const struct pcie_tlp *tlp,
                      uint32_t path);
/** It leaves. Asserts that it passes nothing that it must not pass. */
void pcie_order_leave(struct pcie_order_watch *w, uint32_t number);
/** The same, but false and a message instead of the assertion. */
bool pcie_order_try_leave(struct pcie_order_watch *w, uint32_t number, struct sim_error *err);
/** It is gone and takes no effect, so it passes nothing. */
void pcie_order_forget(struct pcie_order_watch *w, uint32_t number);
/** Everything inside is gone: a link went down. */
void pcie_order_clear(struct pcie_order_watch *w);

/* ---- end to end: on a route between two components the network keeps the order -------------- */

/** One end of ways: a component that makes packets and takes them. */
struct pcie_order_end;

/** NULL where order is not checked, and where an observer is attached: both need trace_id. */
struct pcie_order_end *pcie_order_end_create(struct sim_domain *dom, const char *where);
void pcie_order_end_destroy(struct pcie_order_end *e); /* NULL too */
/** A packet of this component's own, in the order in which its ports get them. */
void pcie_order_begin(struct pcie_order_end *e, struct pcie_tlp *tlp);
/**
 * The packet leaves or enters a node by this port, 0 .. 14. A node with several hubs is reached by
 * several routes, and packets of different routes have no order. One that goes by a third port is
 * at an address that a program has made itself, and takes part no more.
 */
void pcie_order_by(struct pcie_tlp *tlp, unsigned port);
/** A packet takes effect here: bytes are written, a read sees memory, a completion is used. Asserts
 * that none from the same component took effect before that it should have stayed behind. */
void pcie_order_arrive(struct pcie_order_end *e, const struct pcie_tlp *tlp);
bool pcie_order_try_arrive(struct pcie_order_end *e, const struct pcie_tlp *tlp,
                           struct sim_error *err);

SIM_END_DECLS
#endif /* PCIE_ORDERING_H */
