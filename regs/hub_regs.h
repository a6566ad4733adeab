/*
 * Register map of the hub, written once for model, driver, RTL and docs.
 *
 * The hub claims one 64-bit prefetchable BAR: the window. The window is divided
 * into equal parts, one per node (slot); each part into four equal areas:
 *
 *   area 0   host memory (the region that the driver exports)
 *   area 1   GPU 0's BAR        area 2   GPU 1's BAR
 *   area 3   the hub itself:    + 0x00000000  registers (below)
 *                               + 0x01000000  internal memory
 *
 * A write to another slot's part leaves by a cable; a write to the own part's
 * areas 0 .. 2 leaves by N, its address translated area by area. Reads are
 * served only in the own part. Registers are 64 bits wide and little-endian;
 * writes of 4 bytes to an aligned half are allowed, reads of 4 or 8 bytes.
 *
 * Port p counts N, E, W, S, A, B, C, D, F, G, H, I. What is there per port has room for these
 * twelve; registers of ports that a hub lacks read as 0.
 */
#ifndef HUB_REGS_H
#define HUB_REGS_H

/* A register is one line. */
/* clang-format off */

#define HUB_AREAS          4u
#define HUB_AREA_HOST      0u
#define HUB_AREA_GPU0      1u
#define HUB_AREA_GPU1      2u
#define HUB_AREA_SELF      3u

#define HUB_VENDOR_ID      0x1172u /* the FPGA maker's */
#define HUB_DEVICE_ID      0x0004u
#define HUB_CLASS_CODE     0x068000u /* bridge, other */

/*  offset  name            access  meaning */
#define HUB_ID              0x0000u /* RO   "HUB2" in the low word, ports in bits 39..32, channels in 47..40 */
#define HUB_ID_MAGIC        0x32425548u
#define HUB_SLOT            0x0008u /* RO   own slot in bits 15..0, number of the sub-cluster in 31..16, log2(part bytes) in 39..32, parts in 63..48 */
#define HUB_LINK_STATUS     0x0010u /* RO   bit per port: flow control is up and the far side is configured */
#define HUB_IRQ_RAISE       0x0020u /* WO   sets these bits of HUB_IRQ_STATUS; remote nodes may write it */
#define HUB_IRQ_STATUS      0x0028u /* W1C  bits 31..0 */
#define HUB_IRQ_MASK        0x0030u /* RW   1: the bit raises an MSI when it becomes set */
#define HUB_UR_COUNT        0x0040u /* RO   requests that nothing claimed, remote loads among them */
#define HUB_AREA_BASE(a)    (0x0080u + 8u * (a)) /* RW   local bus address of area a = 0 .. 2, multiple of 4096; 0 closes the area */

#define HUB_ERRORS(p)       (0x0300u + 8u * (p)) /* W1C  errors that port p has detected, as in Advanced Error Reporting: Uncorrectable Error Status in the low word, Correctable Error Status in the high one */

/* Notification ring: a write to HUB_NOTIFY, from any node, is appended to a ring of 8-byte entries
 * at HUB_RING_BASE (a local bus address, or an offset in internal memory with HUB_RING_INTERNAL).
 * An entry is the value written with bit 63 replaced by the lap: 1 in the first round, then 0, 1 ... */
#define HUB_NOTIFY          0x0100u /* WO */
#define HUB_RING_BASE       0x0108u /* RW   multiple of 64 */
#define HUB_RING_SIZE       0x0110u /* RW   log2(entries) in bits 4..0; bit 8: HUB_RING_INTERNAL */
#define HUB_RING_INTERNAL   0x0100u
#define HUB_RING_TAIL       0x0118u /* RW   entries taken out so far, written by the driver */
#define HUB_RING_HEAD       0x0120u /* RO   entries appended so far */
#define HUB_RING_LOST       0x0128u /* RO   notifications that found no place: the ring and the HUB_RING_WAITS places behind it were full */
#define HUB_RING_WAITS      256u
#define HUB_IRQ_LOST        0x00008000u /* bit of HUB_IRQ_STATUS: a notification was lost */
#define HUB_IRQ_RING        0x80000000u /* bit of HUB_IRQ_STATUS: ring at least half full */

/* Routing, per port p: the masked offset in the window is compared with pairs k (both included),
 * ports in their order; the first hit wins. Set by the management processor, readable here. */
#define HUB_ROUTE_MASK      0x0200u
#define HUB_ROUTE_PAIRS     8u
#define HUB_ROUTE_LOWER(p, k) (0x0400u + 0x100u * (p) + 16u * (k))
#define HUB_ROUTE_UPPER(p, k) (0x0408u + 0x100u * (p) + 16u * (k))

/* DMA channel c */
#define HUB_DMA_CHANNELS    4u
#define HUB_DMA(c)          (0x1000u + 0x100u * (c))
#define HUB_DMA_SRC         0x00u /* RW   register mode: source, a local bus address or the own part of the window */
#define HUB_DMA_DST         0x08u /* RW   destination: an address in the window */
#define HUB_DMA_LENGTH      0x10u /* RW   bytes, multiple of 4 */
#define HUB_DMA_STATUS_ADDR 0x18u /* RW   0: no status word; else where it is written (a multiple of 8 in the window) */
#define HUB_DMA_STATUS_DATA 0x20u /* RW   8 bytes */
#define HUB_DMA_CONTROL     0x28u /* WO   bit 0: start register mode; bit 1: abort */
#define HUB_DMA_START_REG   0x1u
#define HUB_DMA_ABORT       0x2u
#define HUB_DMA_HEAD        0x30u /* WO   descriptor pointer; the write starts the chain */
#define HUB_DMA_TABLE       0x38u /* RW   local bus address of the host descriptor table, multiple of 4096 */
#define HUB_DMA_STATE       0x40u /* RO   bit 0 busy; bits 7..4 error; bits 63..32 chains ended so far */
#define HUB_DMA_BUSY        0x1u
#define HUB_DMA_ERROR_SHIFT 4u
#define HUB_DMA_ERR_LENGTH  1u /* zero, or no multiple of 4 */
#define HUB_DMA_ERR_ALIGN   2u /* source and destination differ in the low 4 bits */
#define HUB_DMA_ERR_SOURCE  3u /* source in another node's part, or not readable */
#define HUB_DMA_ERR_DEST    4u /* destination outside the window */
#define HUB_DMA_ERR_FETCH   5u /* descriptor could not be read */
#define HUB_DMA_ERR_BUSY    6u /* started while busy; the start was dropped */
#define HUB_DMA_ERR_TIMEOUT 7u /* a read, of data or of a descriptor, was not answered in time */
#define HUB_DMA_ERR_POISON  8u /* poisoned data was read; none of it was written */
#define HUB_DMA_ERR_ABORT   9u /* a read was answered with Completer Abort */
#define HUB_DMA_BYTES       0x48u /* RO   payload bytes written so far: the performance counter */
#define HUB_DMA_CLOCK       0x50u /* RO   cycles of the hub clock */
#define HUB_DMA_IRQ         0x58u /* RW   bits of HUB_IRQ_STATUS set when a chain ends */

/* Descriptor: 32 bytes, eight little-endian words. Pointer: offset in the table, in units of 32
 * bytes, bit 31 set for internal memory; HUB_DESC_END ends the chain. */
#define HUB_DESC_BYTES      32u
#define HUB_DESC_SRC_LO     0u /* word 0: source bits 31..0;   status descriptor: data bits 31..0 */
#define HUB_DESC_HI         1u /* word 1: source bits 47..32 in 15..0, destination bits 47..32 in 31..16 */
#define HUB_DESC_DST_LO     2u /* word 2: destination bits 31..0 */
#define HUB_DESC_SIZE       3u /* word 3: bytes in all;        status descriptor: data bits 63..32 */
#define HUB_DESC_NEXT       4u /* word 4: pointer of the next descriptor */
#define HUB_DESC_BURST      5u /* word 5: bits 29..0 bytes of one block, 0: one piece; bits 31..30 flags */
#define HUB_DESC_STATUS     0x80000000u /* flag: a status descriptor, writes its 8 bytes of data */
#define HUB_DESC_PIPELINE   0x40000000u /* flag: the next one may begin before this one has ended */
#define HUB_DESC_BURST_MASK 0x3fffffffu
#define HUB_DESC_SRC_GAP    6u /* word 6: bytes between the end of a source block and the next */
#define HUB_DESC_DST_GAP    7u
#define HUB_DESC_INTERNAL   0x80000000u /* bit of a pointer */
#define HUB_DESC_END        0x7fffffffu /* pointer that ends the chain */

#define HUB_INTERNAL_OFFSET 0x01000000u /* of internal memory in area 3 */
#define HUB_INTERNAL_BYTES  0x00010000u /* descriptors in the first half, free memory in the second */
#define HUB_INTERNAL_DESCS  1024u

/* clang-format on */
#endif /* HUB_REGS_H */
