/*
 * The parts of the adapter:
 *
 *   PCIe --> target.c   registers, doorbells, configuration, completions
 *   PCIe <-> dma.c      reads with tags; writes in order
 *            command.c  commands of the driver
 *            queue.c    queue pairs: work requests fetched, completed
 *            send.c     requester: work requests become packets
 *            receive.c  responder and answers: packets become writes and answers
 *            link.c     ports: serialisation, credits, arrival; packets, kept to be used again
 *
 * What comes in is put into lists; all is decided in one event of phase SIM_CLOCK.
 */
#ifndef IB_INTERNAL_H
#define IB_INTERNAL_H

#include "ib/ib.h"
#include "ib/packet.h"
#include "memory/payload.h"
#include "pcie/port/aer.h"
#include "pcie/port/config.h"
#include "pcie/port/port.h"
#include "regs/ib_regs.h"

SIM_BEGIN_DECLS

#define IB_PORTS    2u
#define IB_LANES    4u /* virtual lanes for data */
#define IB_TAGS_MAX 256u
#define IB_WINDOW   16u /* work requests of a queue pair in the adapter */
#define IB_RECEIVES 16u /* receive requests that it has fetched ahead */
#define IB_CQS      1024u
#define IB_LOG2_MAX 16u

struct ib_config {
    uint64_t ports;
    struct {
        uint64_t speed, lanes, mtu_bytes, phy_ps, fabric_ps, vls, credit_blocks, switch_blocks;
    } link;
    uint64_t command_ps, wqe_ps, key_ps, packet_ps, tx_ps, rx_ps, ack_ps;
    uint64_t read_bytes, read_tags, tx_packets, write_tlps, rnr_ps, loop_ps;
    uint64_t completion_timeout_ps;
    struct pcie_port_config port;
};

/* ---- queues ------------------------------------------------------------------------ */

struct ib_region {
    bool used;
    uint64_t bus, bytes;
    uint32_t access;
};

struct ib_cq {
    uint64_t bus;
    uint32_t log2, posted;
    bool events; /* an interrupt follows each completion */
};

struct ib_wqe {
    uint8_t op, units, flags, status;
    bool ready, answered; /* fetched; its last packet was acknowledged, or all data read */
    uint32_t imm, bytes;
    uint64_t far, offset; /* in the regions of `far_key` and of `key`; the latter unless inline */
    uint32_t far_key, key;
    uint32_t first_psn, last_psn;
    uint8_t raw[IB_WQE_BYTES];
};

struct ib_receive {
    uint64_t offset;
    uint32_t key, bytes;
};

/** Work requests of a queue pair in the adapter. One that has none has no such memory. There is a
 * queue pair for each pair of ranks, and on a large machine most of them are idle. */
struct ib_work {
    struct sim_link link; /* of those that none has */
    struct ib_wqe wqe[IB_WINDOW];
    uint8_t flame[IB_WQE_BYTES]; /* a request that comes with its doorbell, as far as it is there */
};

/** Receive requests fetched ahead; a queue pair has this once it is announced some. */
struct ib_ahead {
    struct ib_receive rq[IB_RECEIVES];
    uint8_t raw[IB_RECEIVES * IB_RQE_BYTES];
};

struct ib_qp {
    struct sim_link link; /* of those that have something to send */
    struct ib_hca *hca;
    uint32_t number, far;
    uint16_t lid; /* 0: not connected */
    uint8_t port, lane;
    bool failed, queued;
    uint32_t send_cq, receive_cq;
    /* requester: done <= exec <= fetched <= posted, numbers of requests */
    uint64_t sq_bus;
    uint32_t sq_log2, posted, fetched, exec, done, hint;
    struct ib_work *work; /* NULL: done = fetched, and nothing is being fetched */
    struct ib_job fetch;
    uint8_t fetching;
    uint32_t sent; /* bytes of request `exec` */
    uint32_t psn;
    sim_time_t wait_until; /* the far side was not ready */
    uint64_t flame_mask;   /* words of work->flame that are there */
    /* responder */
    uint64_t rq_bus;
    uint32_t rq_log2, rq_posted, rq_fetched, rq_taken;
    struct ib_ahead *ahead; /* NULL: none were announced */
    struct ib_job rq_fetch;
    uint32_t rq_count;        /* being fetched */
    bool rq_failed;           /* the adapter could not read one, and takes no more */
    uint32_t epsn, first_psn; /* expected; of the message that it is in */
    struct ib_target {
        uint64_t bus;
        uint32_t left, got;
        bool receive; /* a receive request waits for its end */
    } target;
};

/* ---- ports -------------------------------------------------------------------------- */

struct ib_port {
    struct ib_hca *hca;
    unsigned index;
    struct sim_channel **peers; /* to each by LID - 1 */
    unsigned npeers;
    struct sim_list acks, tx; /* struct ib_packet: acknowledgements go first */
    uint32_t ntx;             /* in `tx` */
    sim_time_t epoch;         /* the transmitter is busy since, and has sent so many bytes: */
    uint64_t epoch_bytes;
    sim_time_t free_at, rx_free_at;
    uint64_t credits[IB_LANES];   /* blocks of 64 bytes free at its port of the switch */
    uint64_t rx_blocks[IB_LANES]; /* in use of its own receive buffer */
    struct sim_link *arrived;     /* packets at the switch's output for this port, by time */
    struct sim_list rx;           /* packets that have come over the link */
    uint64_t tx_packets, tx_bytes, rx_packets, rx_bytes, stall_credit_ps, rx_wait_ps;
    sim_time_t stalled_since; /* SIM_TIME_NEVER: it is not */
};

struct ib_hca {
    struct sim_domain *dom;
    const char *path;
    struct ib_config cfg;
    uint16_t lid;
    uint64_t rate_num, rate_den; /* picoseconds for a byte, as a fraction */
    struct mem_pool *payloads;
    struct pcie_port *pcie;
    struct pcie_function fn;
    struct sim_event work;
    struct ib_port port[IB_PORTS];
    /* DMA */
    struct sim_list control, data; /* struct ib_job */
    struct ib_read reads[IB_TAGS_MAX];
    uint64_t busy_tags;
    struct sim_event timeout; /* scheduled, for an early deadline, while tags are busy */
    bool overdue;             /* it has come */
    struct sim_list writes, answers, free_writes; /* struct ib_write; answers: own completions */
    struct sim_list incoming;                     /* what has come over the bus */
    uint64_t writes_made, writes_sent;            /* the others are in `writes` */
    /* queues */
    struct ib_region *regions;
    uint32_t nregions, regions_room;
    struct ib_cq cq[IB_CQS];
    uint32_t ncqs;
    struct ib_qp *qp[IB_QPS];
    uint32_t nqps;
    struct sim_list active; /* struct ib_qp */
    sim_time_t engine_free;
    struct ib_command {
        uint64_t queue[64];
        uint32_t first, n;
        bool busy;
        sim_time_t due; /* it is carried out; SIM_TIME_NEVER: it has not been read */
        struct ib_job job;
        uint64_t words[IB_COMMAND_BYTES / 8];
    } command;
    struct sim_list free_packets; /* link.c */
    struct sim_list free_work;    /* struct ib_work */
    struct {
        uint64_t commands, doorbells, blueflames, requests, read_bytes, write_bytes, completions;
        uint64_t errors, rnr_naks, dropped, stall_tag_ps, read_timeouts;
    } stat;
};

static inline void ib_wake(struct ib_hca *hca, sim_time_t at)
{
    sim_schedule_by(hca->dom, &hca->work, at, SIM_CLOCK);
}
static inline void ib_wake_now(struct ib_hca *hca)
{
    ib_wake(hca, sim_now(hca->dom));
}
/** How many writes wait for the bus. */
static inline uint64_t ib_writes_waiting(const struct ib_hca *hca)
{
    return hca->writes_made - hca->writes_sent;
}
/** Keeps the earlier time. */
static inline void ib_sooner(sim_time_t *next, sim_time_t at)
{
    *next = sim_min(*next, at);
}

/* target.c */
void ib_received(void *user, struct pcie_tlp *tlp);
void ib_target_run(struct ib_hca *hca);

/* dma.c */
/** Behind those in `list`: hca->control, which goes before all data, or hca->data. */
void ib_job_add(struct sim_list *list, struct ib_job *job);
void ib_completed(struct ib_hca *hca, const struct pcie_tlp *cpl);
void ib_timeout_init(struct ib_hca *hca);
/** Gives up reads that have waited for too long. */
void ib_timeout_run(struct ib_hca *hca);
/** [bus, bus + bytes) in writes of at most MPS from `due` on. @return the last one, NULL: none */
struct ib_write *ib_write_add(struct ib_hca *hca, uint64_t bus, const void *bytes, uint32_t n,
                              sim_time_t due);
/** Puts a copy behind what is in one of the lists of struct ib_write. */
void ib_keep(struct ib_hca *hca, struct sim_list *list, const struct pcie_tlp *tlp);
void ib_dma_run(struct ib_hca *hca, sim_time_t *next);

/* command.c */
void ib_command_ring(struct ib_hca *hca, uint64_t bus);
void ib_command_run(struct ib_hca *hca, sim_time_t *next);

/* queue.c */
struct ib_qp *ib_qp_of(struct ib_hca *hca, uint32_t number);
void ib_qp_destroy(struct ib_qp *qp);
/** Where [offset, offset + bytes) of a region lies; 0 bytes are anywhere. False: not allowed. */
bool ib_translate(const struct ib_hca *hca, uint32_t key, uint32_t access, uint64_t offset,
                  uint64_t bytes, uint64_t *bus_p);
void ib_send_doorbell(struct ib_hca *hca, uint64_t value);
void ib_recv_doorbell(struct ib_hca *hca, uint64_t value);
void ib_blueflame(struct ib_hca *hca, uint32_t qp, uint32_t offset, const uint8_t *bytes,
                  uint32_t n);
void ib_qp_fetch(struct ib_qp *qp);
/** The requests whose packets are all acknowledged end. */
void ib_qp_complete(struct ib_qp *qp);
/** That request failed: it ends with `status`, all others are flushed. Only the first failure
 * counts. */
void ib_qp_fail(struct ib_qp *qp, uint32_t number, uint8_t status);
/** The far side's request was refused: the queue pair does no more. */
void ib_qp_refuse(struct ib_qp *qp);
/** @return false: none is at hand. */
bool ib_receive_take(struct ib_qp *qp, struct ib_receive *r);
/** The message that ends with `h` is in memory. */
void ib_receive_done(struct ib_qp *qp, const struct ib_header *h);
/** Of one that is at hand: done <= number < fetched. */
static inline struct ib_wqe *ib_wqe_of(struct ib_qp *qp, uint32_t number)
{
    return &qp->work->wqe[number % IB_WINDOW];
}

/* send.c */
void ib_activate(struct ib_qp *qp);
/** A packet to the far side of `qp`. */
struct ib_packet *ib_packet_for(struct ib_qp *qp, enum ib_op op);
/** How many packets `bytes` of data take. */
uint32_t ib_packets(const struct ib_hca *hca, uint32_t bytes);
void ib_send_run(struct ib_hca *hca, sim_time_t *next);
/** The responder's part: a packet of a read's data from memory. */
void ib_respond(struct ib_qp *qp, const struct ib_header *request, uint64_t bus);

/* receive.c */
void ib_receive_run(struct ib_hca *hca, sim_time_t *next);

/* link.c */
void ib_port_init(struct ib_port *port, struct ib_hca *hca, unsigned index);
void ib_port_fini(struct ib_port *port);
int ib_port_join(void *a, void *b, sim_time_t wire_ps, struct sim_error *err);
void ib_link_run(struct ib_hca *hca, sim_time_t *next);
/** `blocks` of a receive buffer are free again; `used`: its element of ib_port.rx_blocks. */
void ib_room(struct ib_hca *hca, uint64_t *used, uint32_t blocks);

SIM_END_DECLS
#endif /* IB_INTERNAL_H */
