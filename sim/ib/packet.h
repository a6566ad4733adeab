/* What is on its way: reads and writes of the adapter on its bus, packets on its links. */
#ifndef IB_PACKET_H
#define IB_PACKET_H

#include "core/list.h"
#include "pcie/tlp/tlp.h"

SIM_BEGIN_DECLS

#define IB_MTU_MAX 4096u

struct ib_hca;
struct ib_qp;

/* ---- DMA ------------------------------------------------------------------------ */

/** A read of bus addresses that follow each other; embedded in its owner. */
struct ib_job {
    struct sim_link link;
    sim_time_t due;  /* not asked before, */
    uint64_t behind; /* nor before so many writes of the adapter have left */
    uint64_t bus;
    uint32_t bytes, asked, left;
    uint8_t *to;
    bool failed;
    void (*done)(struct ib_hca *hca, struct ib_job *job);
};

/** A place in which a read request waits for its answer. */
struct ib_read {
    struct ib_job *job; /* NULL: the place is free */
    uint32_t at, left;
    uint32_t turn; /* read requests that were given up here; see tag_of() */
    sim_time_t deadline_ps;
};

/** A write to the bus; what its packet held of the receive buffer is free when it leaves. */
struct ib_write {
    struct sim_link link;
    struct pcie_tlp tlp;
    sim_time_t due;
    uint32_t blocks; /* what it frees of the receive buffer, */
    uint64_t *used;  /* counted here; see ib_room() */
};

/* ---- packets --------------------------------------------------------------------- */

enum ib_op {
    IB_OP_SEND,
    IB_OP_WRITE,
    IB_OP_READ_REQUEST,
    IB_OP_READ_RESPONSE,
    IB_OP_ACK,
    IB_OP_CREDIT /* flow control: not a packet of the transport layer */
};
enum ib_nak { IB_ACK, IB_NAK_RNR, IB_NAK_ACCESS, IB_NAK_LENGTH };

/** As it crosses a channel, with `bytes` of data behind it. */
struct ib_header {
    uint64_t va; /* RETH, with key and total */
    uint32_t key, total;
    uint32_t qp, from; /* destination, source */
    uint32_t psn, imm;
    uint32_t bytes;
    uint16_t lid; /* source */
    uint8_t op, lane;
    uint8_t first, last, ack_wanted, has_imm;
    uint8_t nak;
};

struct ib_packet {
    struct sim_link link;
    struct ib_header h;
    uint16_t to; /* LID */
    sim_time_t due;
    bool ready;      /* its data are there, */
    bool spoilt;     /* or could not be read: it is not sent */
    uint32_t blocks; /* that it has of a receive buffer */
    struct ib_job job;
    struct ib_qp *qp; /* that it was made for */
    uint32_t number;  /* the request whose data it carries */
    uint8_t data[IB_MTU_MAX];
};
/** All zero but for its data, which are not set. */
struct ib_packet *ib_packet_get(struct ib_hca *hca);
void ib_packet_put(struct ib_hca *hca, struct ib_packet *p);

SIM_END_DECLS
#endif /* IB_PACKET_H */
