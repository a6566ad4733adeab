/*
 * The header of ours in front of each captured packet. Numbers have their high byte first, as
 * those of PCI Express do.
 *
 *   offset  bytes  field
 *   0       1      CAPTURE_VERSION
 *   1       1      kind: 0 a TLP, 1 a DLLP
 *   2       1      flags: 1 a replay, 2 corrupted on its way, 4 nullified, 8 lost on its way
 *   3       1      direction on the link: 0 or 1
 *   4       4      number of the link
 *   8       8      picoseconds from the start of the simulation until its first symbol leaves
 *   16      4      picoseconds until its last symbol has left
 */
#ifndef OBSERVE_CAPTURE_FORMAT_H
#define OBSERVE_CAPTURE_FORMAT_H

#define CAPTURE_VERSION      1u
#define CAPTURE_HEADER_BYTES 20u
#define CAPTURE_LINK_TYPE    147u /* DLT_USER0 */
#define CAPTURE_TIME_DIGITS  12u  /* time stamps of the file are picoseconds */

/* pcapng (draft-ietf-opsawg-pcapng): types of blocks and options that are written */
#define PCAPNG_SECTION         0x0a0d0d0au
#define PCAPNG_MAGIC           0x1a2b3c4du
#define PCAPNG_INTERFACE       1u
#define PCAPNG_PACKET          6u
#define PCAPNG_OPT_END         0u
#define PCAPNG_SHB_USERAPPL    4u
#define PCAPNG_IF_NAME         2u
#define PCAPNG_IF_DESCRIPTION  3u
#define PCAPNG_IF_TSRESOL      9u
#define PCAPNG_PACKET_BYTES    28u /* of its block, in front of the packet */
#define PCAPNG_BLOCK_END_BYTES 4u

#endif /* OBSERVE_CAPTURE_FORMAT_H */
