#include "pcie/tlp/lcrc.h"

#include <libdeflate.h>
#include <string.h>

/*
 * Polynomial 04C11DB7h, first value FFFFFFFFh, of each byte bit 0 first, complemented, and bit 31
 * of the result is bit 0 of the first byte that is sent (3.5.3.1): that is the mirrored register of
 * zlib's CRC-32, low byte first.
 */
uint32_t pcie_lcrc(const uint8_t *bytes, size_t n)
{
    return libdeflate_crc32(0, bytes, n);
}

uint32_t pcie_frame_encode(const struct pcie_tlp *tlp, uint16_t seq, uint8_t *bytes)
{
    uint32_t n = PCIE_SEQ_BYTES, data = pcie_tlp_data_bytes(tlp), crc;

    bytes[0] = (uint8_t)(seq >> 8 & 0xf); /* the upper four bits are reserved */
    bytes[1] = (uint8_t)seq;
    n += pcie_tlp_encode(tlp, bytes + n);
    if (data != 0)
        memcpy(bytes + n, tlp->payload->data, data);
    n += data;
    crc = pcie_lcrc(bytes, n);
    sim_store(bytes + n, crc, PCIE_LCRC_BYTES);
    return n + PCIE_LCRC_BYTES;
}

uint32_t pcie_frame_lcrc(const uint8_t *bytes, size_t n)
{
    return sim_load32(bytes + n - PCIE_LCRC_BYTES);
}

int pcie_frame_decode(const uint8_t *bytes, size_t n, struct pcie_tlp *tlp_p, uint16_t *seq_p,
                      const uint8_t **data_p)
{
    size_t left = n - PCIE_SEQ_BYTES - PCIE_LCRC_BYTES;
    bool has_data = false; /* the linker looks into the decoder and doubts it */
    int header;

    if (n < PCIE_SEQ_BYTES + PCIE_LCRC_BYTES)
        return SIM_ERR_CONFIG;
    header = pcie_tlp_decode(bytes + PCIE_SEQ_BYTES, left, tlp_p, &has_data, NULL);
    if (header < 0)
        return header;
    left -= (size_t)header;
    if (left != (has_data ? tlp_p->length_dw * 4u : 0))
        return SIM_ERR_CONFIG;
    *seq_p = (uint16_t)((bytes[0] & 0xf) << 8 | bytes[1]);
    *data_p = bytes + PCIE_SEQ_BYTES + header;
    return (int)left;
}
