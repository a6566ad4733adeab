/*
 * What a port shows observers: marks, holds and packets (tap.c), and levels of its queues and
 * credits (tap_levels.c).
 */
#ifndef PCIE_TAP_H
#define PCIE_TAP_H

#include "pcie/port/port_impl.h"

SIM_BEGIN_DECLS

/** A TLP begins now; its `symbols` are the last ones so far. @return its mark */
SIM_PROBE_ONLY uint64_t pcie_probe_send(struct pcie_port *p, const struct pcie_tlp *tlp,
                                        uint16_t seq, uint32_t symbols);
/** The same where the wire may hit it: enum sim_packet_flag, and what arrives of a damaged one. */
SIM_PROBE_ONLY uint64_t pcie_probe_put(struct pcie_port *p, const struct pcie_tlp *tlp,
                                       uint16_t seq, uint32_t symbols, uint32_t flags,
                                       const uint8_t *bytes, uint32_t nbytes);
SIM_PROBE_ONLY void pcie_probe_put_dllp(const struct pcie_port *p, const struct pcie_dllp *dllp,
                                        uint32_t behind, uint32_t flags, const uint8_t *bytes);
/** These DLLPs were the last ones that the link has sent. */
SIM_PROBE_ONLY void pcie_probe_dllps(const struct pcie_port *p, const struct wire_dllp *d);
SIM_PROBE_ONLY uint64_t pcie_probe_receive(const struct pcie_port *p, uint64_t cause);
/** port_levels.c; where it attends: what was told of queues and credits has changed, perhaps. */
SIM_PROBE_ONLY void pcie_probe_levels(const struct pcie_port *p);
/** The same: the link carries nothing until `at`. */
SIM_PROBE_ONLY void pcie_probe_resumes(const struct pcie_port *p, sim_time_t at);
/** A TLP of the class has left its queue, which was full up to now. */
SIM_PROBE_ONLY void pcie_probe_sent(const struct pcie_port *p, unsigned cls, bool was_full);
/** Up to now, the head of a class has lacked credits; the replay buffer was full. */
SIM_PROBE_ONLY void pcie_probe_stalled(const struct pcie_port *p, unsigned cls, sim_time_t from);
SIM_PROBE_ONLY void pcie_probe_replay_full(const struct pcie_port *p, sim_time_t from);
/** What was sent at the last sent_mark was lost; since then it could have been sent again, since a
 * NAK came or the replay timer ended. @return its mark */
SIM_PROBE_ONLY uint64_t pcie_probe_again(const struct pcie_port *p, const struct pcie_tlp *tlp,
                                         sim_time_t since, bool nak);
/** The link is out or trains. */
SIM_PROBE_ONLY void pcie_probe_trained(const struct pcie_port *p, sim_time_t from,
                                       sim_time_t until);
/** The link stood still from `from` until now. */
SIM_PROBE_ONLY void pcie_probe_stood(const struct pcie_port *p, enum tx_stall why, sim_time_t from);
/** What pcie_port_has_room() has found missing; told when it changes. */
enum pcie_wants { PCIE_WANTS_NOTHING, PCIE_WANTS_QUEUE, PCIE_WANTS_CREDITS };
SIM_PROBE_ONLY void pcie_probe_want(struct pcie_port *p, unsigned cls, enum pcie_wants what);

SIM_END_DECLS
#endif /* PCIE_TAP_H */
