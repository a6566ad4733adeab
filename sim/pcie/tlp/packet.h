/* What an observer sees of a packet on a link (core/probe.h). */
#ifndef PCIE_PACKET_H
#define PCIE_PACKET_H

#include "core/probe.h"
#include "pcie/tlp/dllp.h"

SIM_BEGIN_DECLS

/** Around a sim_packet of kind SIM_PACKET_TLP or SIM_PACKET_DLLP. */
struct pcie_packet {
    struct sim_packet packet;
    const struct pcie_tlp *tlp;   /* SIM_PACKET_TLP: with payload; trace_id is its last mark */
    uint16_t seq;                 /* its sequence number, 12 bits */
    const struct pcie_dllp *dllp; /* SIM_PACKET_DLLP */
    /** SIM_PACKET_CORRUPT: what arrives, sequence number to LCRC or a DLLP with its CRC; else NULL,
     * and the bytes are those that the fields stand for. */
    const uint8_t *bytes;
    uint32_t nbytes;
};

static inline const struct pcie_packet *pcie_packet_of(const struct sim_packet *packet)
{
    return (const struct pcie_packet *)packet; /* its first member */
}

SIM_END_DECLS
#endif /* PCIE_PACKET_H */
