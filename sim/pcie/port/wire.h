/*
 * Records of the two channels from a port to its partner: one for TLPs, one for DLLPs. On a
 * link that may lose packets they carry records of pcie/lossy/ as well.
 */
#ifndef PCIE_WIRE_H
#define PCIE_WIRE_H

#include "pcie/tlp/dllp.h"

SIM_BEGIN_DECLS

/** A TLP; the payload's bytes follow, if it is not late. */
struct wire_tlp {
    uint16_t seq;
    uint8_t damage; /* only on a link that may lose packets (pcie/lossy/) */
    uint32_t payload_bytes;
    struct pcie_tlp tlp; /* payload is NULL, or late and the sender's */
};

static inline const void *wire_data(const struct wire_tlp *rec)
{
    return rec->tlp.payload != NULL ? (const void *)rec->tlp.payload->data : rec + 1;
}

enum wire_dllp_mask { DLLP_ACK = 1 << PCIE_CLASSES }; /* bits below: a credit update per class */

static inline uint32_t pcie_dllp_count(uint32_t mask)
{
    static const uint8_t ones[2 * DLLP_ACK] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                                1, 2, 2, 3, 2, 3, 3, 4, 2, 3, 3, 4, 3, 4, 4, 5 };

    return ones[mask];
}

#define PCIE_DLLPS_MAX (PCIE_CLASSES + 1) /* at once */

/** DLLPs sent back to back. */
struct wire_dllp {
    uint8_t mask; /* which ones */
    uint8_t init; /* the updates are InitFC1 or InitFC2; 0: UpdateFC */
    uint16_t ack_seq;
    uint8_t nak; /* only on a link that may lose packets: ACK is a NAK */
    uint8_t hdr[PCIE_CLASSES];
    uint16_t data[PCIE_CLASSES];
};

SIM_END_DECLS
#endif /* PCIE_WIRE_H */
