/*
 * What watches a port, for observers (core/probe.h), fingerprints and checks of order: all that it
 * is shown (tap.c), and levels of queues and credits (tap_levels.c). A port that is not watched has
 * none; all these functions but the first two are called only where there is one.
 */
#ifndef PCIE_TAP_H
#define PCIE_TAP_H

#include "core/probe.h"
#include "pcie/port/port_impl.h"

SIM_BEGIN_DECLS

/** What pcie_port_has_room() has found missing. */
enum pcie_wants { PCIE_WANTS_NOTHING, PCIE_WANTS_QUEUE, PCIE_WANTS_CREDITS };

struct pcie_tap {
    const struct sim_probe *probe, *packets; /* NULL: no marks are wanted; no packets */
    struct pcie_order_watch *order; /* watches the transmit queues; NULL: it is not wanted */
    bool fingerprint;
    uint64_t where;     /* sim_path_hash() */
    uint64_t sent_mark; /* the last TLP's end on the wire */
    /* since when; SIM_TIME_NEVER: not now */
    sim_time_t replay_full_since, lacks_since[PCIE_CLASSES]; /* the head lacks credits */
    sim_time_t full_since[PCIE_CLASSES];                     /* the queue has no room, */
    sim_time_t want_since[PCIE_CLASSES];                     /* and its user wants this */
    uint8_t wants[PCIE_CLASSES];                             /* enum pcie_wants */
};

/** Makes the port's tap where somebody watches it. @return SIM_OK or SIM_ERR_NOMEM */
int pcie_tap_create(struct pcie_port *p);
void pcie_tap_destroy(struct pcie_port *p);

/* ---- the transmit queues ---- */

/** A TLP enters its queue, as number `order` of all. */
SIM_PROBE_ONLY void pcie_tap_queued(struct pcie_port *p, const struct pcie_tlp *tlp,
                                    uint64_t order);
/** What `since` of the tap stands for is so now: the head of a class may go first and lacks
 * credits, or all lack room in the replay buffer. */
SIM_PROBE_ONLY void pcie_tap_lacks(const struct pcie_port *p, sim_time_t *since);
SIM_PROBE_ONLY void pcie_tap_acknowledged(struct pcie_port *p);
/** The head of a class is sent next; it has been, and its queue was full up to now, perhaps. */
SIM_PROBE_ONLY void pcie_tap_leaves(struct pcie_port *p, unsigned cls);
SIM_PROBE_ONLY void pcie_tap_left(struct pcie_port *p, unsigned cls, bool was_full);
/** All that waits is dropped; then pcie_tap_left() for each class. */
SIM_PROBE_ONLY void pcie_tap_dropped(struct pcie_port *p);
SIM_PROBE_ONLY void pcie_tap_wants(struct pcie_port *p, unsigned cls, enum pcie_wants what);
/** The link carried nothing from `from` until now. */
SIM_PROBE_ONLY void pcie_tap_stood(const struct pcie_port *p, enum tx_stall why, sim_time_t from);

/* ---- packets ---- */

/** A TLP begins now; its `symbols` are the last ones so far. Where the wire may hit it: `flags` of
 * enum sim_packet_flag, and what arrives of a damaged one. @return its mark */
SIM_PROBE_ONLY uint64_t pcie_tap_tlp(struct pcie_port *p, const struct pcie_tlp *tlp, uint16_t seq,
                                     uint32_t symbols, uint32_t flags, const uint8_t *bytes,
                                     uint32_t nbytes);
/** A DLLP, behind which the link has sent `behind` others. */
SIM_PROBE_ONLY void pcie_tap_dllp(const struct pcie_port *p, const struct pcie_dllp *dllp,
                                  uint32_t behind, uint32_t flags, const uint8_t *bytes);
/** These DLLPs were the last ones that the link has sent. */
SIM_PROBE_ONLY void pcie_tap_dllps(const struct pcie_port *p, const struct wire_dllp *d);
/** A TLP goes to the user; its mark becomes that of its arrival. */
SIM_PROBE_ONLY void pcie_tap_received(const struct pcie_port *p, struct pcie_tlp *tlp);
/** A TLP in the replay buffer: should it be sent again, that follows its last time on the wire. */
SIM_PROBE_ONLY void pcie_tap_kept(const struct pcie_port *p, struct pcie_tlp *tlp);
/** It was lost; since then it could have been sent again, since a NAK came or the replay timer
 * ended. */
SIM_PROBE_ONLY void pcie_tap_again(const struct pcie_port *p, struct pcie_tlp *tlp,
                                   sim_time_t since, bool nak);
/** The link is out or trains. */
SIM_PROBE_ONLY void pcie_tap_trained(const struct pcie_port *p, sim_time_t from, sim_time_t until);

/* ---- levels ---- */

/** Queues and credits have changed, perhaps. @return whether somebody asks: then each DLLP is taken
 * when it comes */
SIM_PROBE_ONLY bool pcie_tap_levels(const struct pcie_port *p);
/** The link carries nothing until `at`. */
SIM_PROBE_ONLY void pcie_tap_resumes(const struct pcie_port *p, sim_time_t at);

SIM_END_DECLS
#endif /* PCIE_TAP_H */
