/*
 * What software and the InfiniBand adapter say to each other, written once for
 * model and driver. Two 64-bit BARs: registers (BAR 0), and pages that programs
 * map (BAR 2): doorbells and, for each queue pair, a place for a whole work
 * request. Queues lie in host memory; the adapter reads and writes them by DMA.
 * Everything is little-endian.
 */
#ifndef IB_REGS_H
#define IB_REGS_H

/* A register is one line. */
/* clang-format off */

#define IB_VENDOR_ID       0x15b3u /* Mellanox */
#define IB_DEVICE_ID       0x1003u /* ConnectX-3 */
#define IB_CLASS_CODE      0x020700u

/*  BAR 0  name            access  meaning */
#define IB_ID               0x0000u /* RO   "IBHC" in the low word, ports in bits 39..32, log2(MTU) in 47..40, LID in 63..48 */
#define IB_ID_MAGIC         0x43484249u
#define IB_COMMAND          0x0008u /* WO   bus address of a command: 64 bytes, at a multiple of 128; the answer comes behind it */
#define IB_REGS_BYTES       0x1000u

/* BAR 2 */
#define IB_SEND_DOORBELL    0x0000u /* WO   queue pair in bits 23..0, units of the first new request in 31..24, requests posted so far in 63..32 */
#define IB_RECV_DOORBELL    0x0008u /* WO   queue pair in bits 23..0, requests posted so far in 63..32 */
#define IB_BLUEFLAME(qp)    (0x100000u + (qp) * 256u) /* WO  a whole work request; it must be in its queue too */
#define IB_PAGES_BYTES      0x200000u
#define IB_QPS              4096u

/* Commands: eight words of 64 bits, the first the operation. */
#define IB_CMD_MR           1u /* bus address, bytes, IB_ACCESS_*        -> key */
#define IB_CMD_MR_FREE      2u /* key */
#define IB_CMD_CQ           3u /* bus address, log2(entries)             -> completion queue */
#define IB_CMD_QP           4u /* send queue, receive queue (bus), log2(send) | log2(receive) << 8 | port << 16 | lane << 24, send CQ | receive CQ << 32 -> queue pair */
#define IB_CMD_CONNECT      5u /* queue pair, LID of the far side | its queue pair << 32 */
#define IB_CMD_EVENTS       6u /* completion queue: from now on each completion in it interrupts */
#define IB_COMMAND_BYTES    64u
/* The answer, 8 bytes at + 64: IB_ANSWERED and a status in the low word, the value in the high one. */
#define IB_ANSWERED         0x80000000u

#define IB_ACCESS_LOCAL     1u /* written by receives and reads of one's own */
#define IB_ACCESS_WRITE     2u /* by others */
#define IB_ACCESS_READ      4u

/* Work request of a send queue: units of IB_WQE_UNIT bytes, at multiples of IB_WQE_BYTES. */
#define IB_WQE_BYTES        256u
#define IB_WQE_UNIT         16u
#define IB_WQE_OP           0u  /* 1 byte: IB_WQE_SEND ... */
#define IB_WQE_UNITS        1u  /* 1 byte: how many units it has */
#define IB_WQE_FLAGS        2u  /* 1 byte: IB_WQE_SIGNALED ... */
#define IB_WQE_NUMBER       4u  /* 4 bytes: of the request in its queue */
#define IB_WQE_IMM          8u  /* 4 bytes: immediate */
#define IB_WQE_LENGTH       12u /* 4 bytes: of the data, in bytes */
#define IB_WQE_FAR_OFFSET   16u /* 8 bytes: in the far region */
#define IB_WQE_FAR_KEY      24u /* 4 bytes */
#define IB_WQE_OFFSET       32u /* 8 bytes: in the local region */
#define IB_WQE_KEY          40u /* 4 bytes */
#define IB_WQE_DATA         32u /* the data themselves instead (IB_WQE_INLINE) */
#define IB_WQE_INLINE_MAX   (IB_WQE_BYTES - IB_WQE_DATA)
#define IB_WQE_SEND         1u
#define IB_WQE_WRITE        2u
#define IB_WQE_READ         3u
#define IB_WQE_SIGNALED     1u
#define IB_WQE_INLINE       2u
#define IB_WQE_IMMEDIATE    4u

/* An entry of a receive queue. */
#define IB_RQE_BYTES        16u
#define IB_RQE_OFFSET       0u  /* 8 bytes: in the region */
#define IB_RQE_KEY          8u  /* 4 bytes */
#define IB_RQE_LENGTH       12u /* 4 bytes: room, in bytes */

/* Completion, at multiples of IB_CQE_BYTES. */
#define IB_CQE_BYTES        32u
#define IB_CQE_QP           0u  /* 4 bytes */
#define IB_CQE_NUMBER       4u  /* 4 bytes: of the request in its queue */
#define IB_CQE_LENGTH       8u  /* 4 bytes: of the data, in bytes */
#define IB_CQE_IMM          12u /* 4 bytes: immediate */
#define IB_CQE_OP           16u /* 1 byte: IB_WQE_SEND ..., IB_CQE_RECEIVE */
#define IB_CQE_STATUS       17u /* 1 byte: IB_OK ... */
#define IB_CQE_FLAGS        18u /* 1 byte: IB_CQE_IMMEDIATE */
#define IB_CQE_LAP          31u /* 1 byte: 1 in the first round, then 0, 1 ... */
#define IB_CQE_RECEIVE      0x80u /* operation: of the receive queue */
#define IB_CQE_IMMEDIATE    1u

#define IB_OK               0u
#define IB_ERR_COMMAND      1u
#define IB_ERR_LOCAL        2u /* protection: local region, or its memory does not answer */
#define IB_ERR_REMOTE       3u /* protection: far region, or its memory does not answer */
#define IB_ERR_LENGTH       4u /* longer than the receive */
#define IB_ERR_FLUSHED      5u /* the queue pair has failed with another request */

/* clang-format on */
#endif /* IB_REGS_H */
