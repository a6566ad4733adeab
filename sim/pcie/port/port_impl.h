/*
 * The state of a port, shared by its layers: port.c (transaction), dll.c (data link), tap.c
 * (observers), and link.c, which makes and joins ports.
 *
 * One event, `work`, decides what the link sends. It runs in phase SIM_ARRIVE
 * and sees what happened strictly before its time: what arrives at that very
 * time counts from the next picosecond on. So its place among the other events
 * of its time does not matter, and what is evaluated in SIM_CLOCK sees the room
 * that it made.
 */
#ifndef PCIE_PORT_IMPL_H
#define PCIE_PORT_IMPL_H

#include "pcie/port/phy.h"
#include "pcie/port/port.h"
#include "pcie/port/wire.h"

SIM_BEGIN_DECLS

struct pcie_function;
struct pcie_lossy;
struct pcie_port;
struct pcie_tap;

#define PCIE_SEQ_MASK 0xfffu /* 12 bits (3.5.2.1) */
#define PCIE_HDR_MASK 0xffu  /* credit counters (2.6.1): headers 8 bits, */
#define PCIE_DAT_MASK 0xfffu /* data 12 bits */

#define PCIE_PATH_BYTES 128 /* "node0.hub.n" */

/** Why the link carries nothing though TLPs wait: what the oldest of them lacks. */
enum tx_stall {
    TX_STALL_CREDIT,                /* + class */
    TX_STALL_REPLAY = PCIE_CLASSES, /* room in the replay buffer */
    TX_STALL_AGAIN,                 /* it is being sent again */
    TX_STALL_DOWN,
    TX_STALLS,
};

struct tx_entry {
    struct pcie_tlp tlp;
    uint64_t order;  /* age among all classes */
    sim_time_t from; /* the link cannot begin it earlier */
};

/* Counters fit into 16 bits: headers are at most 127, data 2047 units (2.6.1). */
struct tx_class {
    struct tx_entry *ring;
    uint32_t hdr_avail, data_avail; /* credits; UINT32_MAX stays when infinite */
    uint16_t hdr_total, data_total; /* first advertised; 0: infinite */
    uint16_t hdr_used, data_used;   /* CREDITS_CONSUMED */
    uint16_t head, count;
};

struct rx_class {
    sim_time_t fresh_time;
    uint32_t hdr_held, data_held;   /* in the receive buffer */
    uint16_t hdr_total, data_total; /* advertised; 0: infinite */
    uint16_t hdr_freed, data_freed; /* not yet announced; */
    uint16_t hdr_fresh, data_fresh; /* the same, freed at fresh_time */
    uint16_t hdr_alloc, data_alloc; /* CREDITS_ALLOCATED */
};

/** Whether TLPs can be sent for the first time. */
enum pcie_link_state { PCIE_LINK_DOWN, PCIE_LINK_RETRAIN, PCIE_LINK_REPLAY, PCIE_LINK_UP };

/**
 * What a port asks of a link on which packets can be lost (pcie/lossy/): all calls from here to
 * there, so that this folder need not know that one.
 */
struct pcie_lossy_ops {
    void (*work)(struct pcie_port *p);
    /** Sends the TLP whose sequence number is the next one. */
    void (*send)(struct pcie_port *p, const struct pcie_tlp *tlp);
    void (*receive)(struct pcie_port *p, const struct wire_tlp *rec);
    void (*receive_dllps)(struct pcie_port *p, const struct wire_dllp *d);
    /** Takes from credits that come free those that do not count since the link was down. */
    void (*take_stale)(struct pcie_port *p, enum pcie_class cls, uint32_t *hdr_p, uint32_t *data_p);
    /** TLPs that are held since before the link was down. */
    uint32_t (*stale)(const struct pcie_port *p, enum pcie_class cls);
    /** The link is down and was up before: what is sent is lost. */
    bool (*discards)(struct pcie_port *p, const struct pcie_tlp *tlp);
    /** PCIE_LINK_REPLAY also where no replay goes first and the link is up. */
    enum pcie_link_state (*state)(const struct pcie_port *p);
    /** Whether the link trains or is out; then *from_p is when it began to carry nothing. */
    bool (*stands)(const struct pcie_port *p, sim_time_t *from_p);
    /** `limit`: that of an ACK, in symbols of the link (3.5.3.1). */
    void (*set_rate)(struct pcie_port *p, uint64_t limit);
    void (*free)(struct pcie_port *p);
};

/* By cache lines: a machine has more ports than fit into the first-level cache, and a packet that
 * passes a hub meets two of them, of each only some lines. */
struct pcie_port {
    /* what both directions need */
    struct sim_event work;
    struct sim_domain *dom;
    sim_time_t dllp_due;          /* something is to be sent then; SIM_TIME_NEVER: nothing */
    struct sim_channel *out_dllp; /* lazy: a DLLP matters only to who is about to send */
    struct sim_channel *in_dllp;
    uint16_t waiting; /* TLPs in all class queues */
    uint16_t queue_tlps;
    uint8_t init_send;  /* 1 or 2: InitFC to send */
    uint8_t rx_freed;   /* bit of each class with credits to announce */
    uint8_t wanting;    /* bit of each class whose user waits for credits */
    uint8_t leaving;    /* bit of each class whose user waits for the next one to leave */
    uint8_t classes;    /* that the link has: all with a virtual channel 1, else one less */
    bool partner_known; /* its credits have been received */
    bool up : 1;
    bool deciding : 1;        /* what settles the DLLPs looks at the queues next */
    struct pcie_tap *tap;     /* NULL: this port is not watched */
    struct pcie_lossy *lossy; /* NULL: nothing can go wrong on this link */

    alignas(SIM_CACHE_LINE) struct pcie_phy phy;

    /* receive */
    alignas(SIM_CACHE_LINE) struct pcie_port_user user;
    struct mem_pool *pool;
    sim_time_t rx_time; /* the last TLP came at this time */
    sim_time_t ack_ps, fc_ps;
    uint16_t rx_seq;  /* expected next */
    uint16_t unacked; /* received since the last ACK */
    uint32_t mps;
    struct rx_class rx[PCIE_CLASSES];

    /* transmit */
    alignas(SIM_CACHE_LINE) struct sim_channel *out; /* TLPs */
    struct pcie_tlp *replay;                         /* ring: sent, not acknowledged */
    uint16_t replay_room, replay_head, replay_count;
    uint16_t tx_seq; /* the next TLP's */
    struct tx_class tx[PCIE_CLASSES];
    uint64_t next_order;
    sim_time_t stalled_since; /* or later: the link is still busy until then */
    uint8_t stalled_by;       /* enum tx_stall; TX_STALLS: by nothing */

    alignas(SIM_CACHE_LINE) struct {
        uint64_t tx_tlps, tx_payload, tx_symbols, tx_dllps;
        uint64_t rx_tlps, rx_payload, rx_bad_seq;
        uint64_t stall_ps[TX_STALLS];
        uint64_t correctable, uncorrectable; /* errors; pcie/port/aer.h */
    } stat;

    struct pcie_port_config cfg;
    enum pcie_facing facing;
    struct pcie_function *function;         /* NULL, or whose registers record errors */
    const struct pcie_lossy_ops *lossy_ops; /* where `lossy` is */
    char path[PCIE_PATH_BYTES];
    const char *far_path;     /* the other end's */
    struct pcie_port *far;    /* only while the machine is built */
    sim_time_t in_ps, out_ps; /* latency of the channels */
    uint32_t gen;             /* the link's */
};

/* ---- port.c ---- */

/** Sends what may go of the waiting TLPs. @return when to look again; SIM_TIME_NEVER: DLLPs wake it
 */
sim_time_t pcie_port_send_next(struct pcie_port *p);
/** Drops all that waits; each class has room again. */
void pcie_port_discard(struct pcie_port *p);
/** What waits cannot be sent now, since the link trains or a replay goes first. */
void pcie_port_stand(struct pcie_port *p);
void pcie_port_work(struct sim_event *ev);
/** Takes the DLLPs that arrived before now, for a decision that follows. */
void pcie_port_settle(struct pcie_port *p);

static inline sim_time_t pcie_port_not_before_free(const struct pcie_port *p, sim_time_t t)
{
    return sim_max(t, p->phy.free_ps);
}
/** `work` looks at the port at `t`, or as soon after it as the link is free. */
static inline void pcie_port_work_by(struct pcie_port *p, sim_time_t t)
{
    sim_schedule_by(p->dom, &p->work, pcie_port_not_before_free(p, t), SIM_ARRIVE);
}
/** A branch that links without loss, nearly all, should not pay for. */
static inline bool pcie_port_is_lossy(const struct pcie_port *p)
{
    return __builtin_expect(p->lossy != NULL, 0);
}

/* ---- link.c ---- */

/** What training settles. */
void pcie_link_set_rate(struct pcie_port *p, uint32_t gen, uint32_t lanes);
/** May `p` be joined to such an end? */
int pcie_link_check(const struct pcie_port *p, enum pcie_facing far, const char *far_path,
                    struct sim_error *err);
/** What training and enumeration settle: the smaller value of both ends. `far_path` stays. */
void pcie_link_settle(struct pcie_port *p, const struct pcie_port_config *far,
                      const char *far_path);

SIM_END_DECLS
#endif /* PCIE_PORT_IMPL_H */
