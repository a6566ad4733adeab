/*
 * Data Link Layer Packets (PCI Express Base Specification 3.0, 3.4.1): six bytes,
 * of which the last two are a CRC over the first four.
 */
#ifndef PCIE_DLLP_H
#define PCIE_DLLP_H

#include "pcie/tlp/tlp.h"

SIM_BEGIN_DECLS

#define PCIE_DLLP_BYTES 6u
#define PCIE_DLLP_VCS   8u

/** Byte 0 (table 3-1); of flow control without class (bits 5..4) and virtual channel (2..0). */
enum pcie_dllp_type {
    PCIE_DLLP_ACK = 0x00,
    PCIE_DLLP_NAK = 0x10,
    PCIE_DLLP_PM_ENTER_L1 = 0x20,
    PCIE_DLLP_PM_ENTER_L23 = 0x21,
    PCIE_DLLP_PM_ACTIVE_STATE_REQUEST_L1 = 0x23,
    PCIE_DLLP_PM_REQUEST_ACK = 0x24,
    PCIE_DLLP_VENDOR = 0x30,
    PCIE_DLLP_INITFC1 = 0x40,
    PCIE_DLLP_UPDATEFC = 0x80,
    PCIE_DLLP_INITFC2 = 0xc0
};

struct pcie_dllp {
    uint8_t type;    /* enum pcie_dllp_type */
    uint8_t cls, vc; /* flow control: enum pcie_class, 0 .. 7 */
    uint8_t hdr;     /* flow control: HdrFC, 8 bits, */
    uint16_t data;   /* and DataFC, 12 bits */
    uint16_t seq;    /* Ack, Nak: AckNak_Seq_Num, 12 bits */
    uint32_t vendor; /* Vendor-specific: 24 bits */
};

enum pcie_dllp_verdict {
    PCIE_DLLP_GOOD,
    PCIE_DLLP_BAD_CRC, /* to be discarded, and a Bad DLLP error (3.5.2.2) */
    PCIE_DLLP_UNKNOWN  /* a type that this specification does not have: discarded, no error */
};

static inline bool pcie_dllp_is_flow_control(uint8_t type)
{
    return (type & 0xc0u) != 0;
}

/** The CRC of four bytes as it stands on the wire: its low half goes first (3.5.1). */
uint16_t pcie_dllp_crc(const uint8_t bytes[4]);
/** As on the wire, with CRC. */
void pcie_dllp_encode(const struct pcie_dllp *dllp, uint8_t bytes[PCIE_DLLP_BYTES]);
/** *dllp_p is written when the verdict is PCIE_DLLP_GOOD. Reserved bits are ignored. */
enum pcie_dllp_verdict pcie_dllp_decode(const uint8_t bytes[PCIE_DLLP_BYTES],
                                        struct pcie_dllp *dllp_p);

SIM_END_DECLS
#endif /* PCIE_DLLP_H */
