/*
 * The link CRC of a TLP (PCI Express Base Specification 3.0, 3.5.3): the CRC-32
 * of zlib and Ethernet over sequence number, header and data, sent low byte first.
 */
#ifndef PCIE_LCRC_H
#define PCIE_LCRC_H

#include "pcie/tlp/tlp.h"

SIM_BEGIN_DECLS

#define PCIE_SEQ_BYTES  2u
#define PCIE_LCRC_BYTES 4u
/** Of what lies between the framing symbols of the longest TLP. */
#define PCIE_FRAME_MAX (PCIE_SEQ_BYTES + PCIE_MAX_HEADER + PCIE_MAX_PAYLOAD + PCIE_LCRC_BYTES)

/** Over bytes that begin with the sequence number. */
uint32_t pcie_lcrc(const uint8_t *bytes, size_t n);
/**
 * Sequence number, header, data and LCRC as on the wire, the framing symbols of 2.5 and 5 GT/s left
 * out. @return bytes written, at most PCIE_FRAME_MAX
 */
uint32_t pcie_frame_encode(const struct pcie_tlp *tlp, uint16_t seq, uint8_t *bytes);
/** The LCRC that ends a frame of n bytes. */
uint32_t pcie_frame_lcrc(const uint8_t *bytes, size_t n);
/**
 * What a frame whose LCRC is right holds; *data_p points into it. @return bytes of data, or
 * SIM_ERR_CONFIG when it is no TLP.
 */
int pcie_frame_decode(const uint8_t *bytes, size_t n, struct pcie_tlp *tlp_p, uint16_t *seq_p,
                      const uint8_t **data_p);

SIM_END_DECLS
#endif /* PCIE_LCRC_H */
