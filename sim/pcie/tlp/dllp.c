#include "pcie/tlp/dllp.h"

#define FC_CLASS_SHIFT 4u
#define FC_CLASS       0x30u
#define FC_VC          0x07u
#define SEQ_MASK       0xfffu
#define DATA_MASK      0xfffu

/*
 * Polynomial 100Bh, first value FFFFh, of each byte bit 0 first, complemented (3.5.1). The register
 * here is the specification's, mirrored, which is also how its bits are mapped to the field. Four
 * bits at a step: a table of 16 stays in the cache where one of 256 would not.
 */
uint16_t pcie_dllp_crc(const uint8_t bytes[4])
{
    static const uint16_t of_nibble[16] = {
        0x0000, 0x1a01, 0x3402, 0x2e03, 0x6804, 0x7205, 0x5c06, 0x4607,
        0xd008, 0xca09, 0xe40a, 0xfe0b, 0xb80c, 0xa20d, 0x8c0e, 0x960f,
    };
    uint32_t crc = 0xffff;

    for (unsigned i = 0; i < 4; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ of_nibble[crc & 0xf];
        crc = crc >> 4 ^ of_nibble[crc & 0xf];
    }
    return (uint16_t)~crc;
}

void pcie_dllp_encode(const struct pcie_dllp *dllp, uint8_t bytes[PCIE_DLLP_BYTES])
{
    uint32_t low = 0; /* bytes 1 to 3 */
    uint16_t crc;

    bytes[0] = dllp->type;
    if (pcie_dllp_is_flow_control(dllp->type)) {
        bytes[0] |= (uint8_t)((unsigned)dllp->cls << FC_CLASS_SHIFT | (dllp->vc & FC_VC));
        low = (uint32_t)dllp->hdr << 14 | (dllp->data & DATA_MASK);
    } else if (dllp->type == PCIE_DLLP_ACK || dllp->type == PCIE_DLLP_NAK) {
        low = dllp->seq & SEQ_MASK;
    } else if (dllp->type == PCIE_DLLP_VENDOR) {
        low = dllp->vendor;
    }
    bytes[1] = (uint8_t)(low >> 16);
    bytes[2] = (uint8_t)(low >> 8);
    bytes[3] = (uint8_t)low;
    crc = pcie_dllp_crc(bytes);
    bytes[4] = (uint8_t)crc;
    bytes[5] = (uint8_t)(crc >> 8);
}

static bool is_known(const struct pcie_dllp *dllp)
{
    switch (dllp->type) {
    case PCIE_DLLP_ACK:
    case PCIE_DLLP_NAK:
    case PCIE_DLLP_PM_ENTER_L1:
    case PCIE_DLLP_PM_ENTER_L23:
    case PCIE_DLLP_PM_ACTIVE_STATE_REQUEST_L1:
    case PCIE_DLLP_PM_REQUEST_ACK:
    case PCIE_DLLP_VENDOR:
        return true;
    case PCIE_DLLP_INITFC1:
    case PCIE_DLLP_INITFC2:
    case PCIE_DLLP_UPDATEFC:
        return dllp->cls <= PCIE_COMPLETION;
    default:
        return false;
    }
}

enum pcie_dllp_verdict pcie_dllp_decode(const uint8_t bytes[PCIE_DLLP_BYTES],
                                        struct pcie_dllp *dllp_p)
{
    uint32_t low = (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
    struct pcie_dllp dllp = { .type = bytes[0] };

    if ((bytes[4] | bytes[5] << 8) != pcie_dllp_crc(bytes))
        return PCIE_DLLP_BAD_CRC;
    if (pcie_dllp_is_flow_control(dllp.type)) {
        dllp.type &= (uint8_t) ~(FC_CLASS | FC_VC);
        dllp.cls = (bytes[0] & FC_CLASS) >> FC_CLASS_SHIFT;
        dllp.vc = bytes[0] & FC_VC;
        dllp.hdr = (uint8_t)(low >> 14);
        dllp.data = low & DATA_MASK;
    } else if (dllp.type == PCIE_DLLP_VENDOR) {
        dllp.vendor = low;
    } else {
        dllp.seq = low & SEQ_MASK;
    }
    if (!is_known(&dllp))
        return PCIE_DLLP_UNKNOWN;
    if (dllp.type != PCIE_DLLP_ACK && dllp.type != PCIE_DLLP_NAK)
        dllp.seq = 0;
    *dllp_p = dllp;
    return PCIE_DLLP_GOOD;
}
