/*
 * Inside a port, shared by port.c (transaction layer), dll.c (data-link layer)
 * and link.c (making and joining ports).
 *
 * One event, `work`, decides what the link sends. It runs in phase SIM_ARRIVE
 * and sees what happened strictly before its time: what arrives at that very
 * time counts from the next picosecond on. So its place among the other events
 * of its time does not matter, and whoever evaluates in SIM_CLOCK sees the room
 * that it made.
 */
#ifndef PCIE_PORT_IMPL_H
#define PCIE_PORT_IMPL_H

#include "core/probe.h"
#include "pcie/port/phy.h"
#include "pcie/port/port.h"
#include "pcie/tlp/dllp.h"
#include "pcie/tlp/ordering.h"

#include <string.h>

SIM_BEGIN_DECLS

struct pcie_function;
struct pcie_lossy;

#define PCIE_SEQ_MASK 0xfffu /* 12 bits (3.5.2.1) */
#define PCIE_HDR_MASK 0xffu  /* credit counters (2.6.1): headers 8 bits, */
#define PCIE_DAT_MASK 0xfffu /* data 12 bits */

/* An ACK goes out at the latest after so many TLPs, so that small ones do not fill the sender's
 * replay buffer while the timer, made for large ones, runs. */
#define PCIE_ACK_TLPS 8u

/* ---- records of the channel ---- */

/** A TLP; the payload's bytes follow. */
struct wire_tlp {
    uint16_t seq;
    uint8_t damage; /* only on a link that may lose packets (lossy_impl.h) */
    uint32_t payload_bytes;
    struct pcie_tlp tlp; /* payload is NULL */
};

enum wire_dllp_mask { DLLP_ACK = 1 << PCIE_CLASSES }; /* bits below: a credit update per class */

static inline uint32_t pcie_dllp_count(uint32_t mask)
{
    static const uint8_t ones[2 * DLLP_ACK] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                                1, 2, 2, 3, 2, 3, 3, 4, 2, 3, 3, 4, 3, 4, 4, 5 };

    return ones[mask];
}

/** DLLPs sent back to back. */
struct wire_dllp {
    uint8_t mask; /* which ones */
    uint8_t init; /* the updates are InitFC1 or InitFC2; 0: UpdateFC */
    uint16_t ack_seq;
    uint8_t nak; /* only on a link that may lose packets: ACK is a NAK */
    uint8_t hdr[PCIE_CLASSES];
    uint16_t data[PCIE_CLASSES];
};

/* ---- state ---- */

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
    uint64_t order; /* age among all classes */
};

/* Counters fit into 16 bits: headers are at most 127, data 2047 units (2.6.1). */
struct tx_class {
    struct tx_entry *ring;
    sim_time_t stalled_since;       /* for the probe: the head lacks credits; SIM_TIME_NEVER: no */
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
    uint8_t classes;    /* that the link has: all with a virtual channel 1, else one less */
    bool partner_known; /* its credits have been received */
    bool up : 1;
    bool deciding : 1; /* whoever settles the DLLPs looks at the queues next */
    bool fingerprint : 1;
    bool observed : 1; /* received packets are told to somebody: fingerprint or probe */
    bool attends : 1;  /* to each DLLP when it comes: somebody is told of levels */
    bool tells : 1;    /* sent packets are told to somebody: probe or packets */
    bool ordered : 1;  /* order is not NULL */
    const struct sim_probe *probe, *packets;
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
    uint16_t tx_seq; /* of the next TLP */
    struct tx_class tx[PCIE_CLASSES];
    uint64_t next_order;
    sim_time_t replay_full_since; /* for the probe; SIM_TIME_NEVER: it has room */
    sim_time_t stalled_since;     /* or later: the link is still busy until then */
    uint8_t stalled_by;           /* enum tx_stall; TX_STALLS: by nothing */

    alignas(SIM_CACHE_LINE) struct {
        uint64_t tx_tlps, tx_payload, tx_symbols, tx_dllps;
        uint64_t rx_tlps, rx_payload, rx_bad_seq;
        uint64_t stall_ps[TX_STALLS];
        uint64_t correctable, uncorrectable; /* errors; pcie/port/aer.h */
    } stat;

    uint64_t where;                      /* sim_path_hash() */
    uint64_t sent_mark;                  /* for the probe: the last TLP's end on the wire; */
    sim_time_t full_since[PCIE_CLASSES]; /* a class has no room, */
    sim_time_t want_since[PCIE_CLASSES]; /* and its user wants this: enum pcie_wants */
    uint8_t wants[PCIE_CLASSES];
    struct pcie_port_config cfg;
    enum pcie_facing facing;
    struct pcie_order_watch *order; /* of the transmit queues; NULL: not watched */
    struct pcie_function *function; /* NULL, or whose registers record errors */
    struct pcie_fault_list *given;  /* fault_add.c; NULL: none */
    char *path;
    const char *far_path;     /* of the other end */
    struct pcie_port *far;    /* only while the machine is built */
    sim_time_t in_ps, out_ps; /* latency of the channels */
    uint32_t gen;             /* of the link */
};

/* dll.c */
void pcie_dll_receive(void *arg, const void *record, uint32_t bytes);
void pcie_dll_receive_dllps(void *arg, const void *record, uint32_t bytes);
/** Sends a TLP whose credits are there, directly behind what is being sent; takes the payload. */
void pcie_dll_send(struct pcie_port *p, const struct pcie_tlp *tlp, enum pcie_class cls);
/** Sends all DLLPs for what happened before now. */
void pcie_dll_flush(struct pcie_port *p);
/** A DLLP is to go out at `due` or as soon after it as the link is free. */
void pcie_dll_due(struct pcie_port *p, sim_time_t due);
/** The Ack latency and UpdateFC limits of tables 3-7 and 2-42, in symbol times. */
uint64_t pcie_dll_latency_symbols(uint32_t gen, uint32_t lanes, uint32_t mps);

/* fault_add.c */
struct pcie_fault_list;
void pcie_fault_list_free(struct pcie_fault_list *l);
/** Of the DLLPs that are sent together, that of a class, or ACK or NAK (PCIE_CLASSES). */
struct pcie_dllp pcie_dll_unpack(const struct wire_dllp *d, unsigned bit);
/** A class, or ACK, is to be told; d gets it; when the rest of `classes` and of ACKs is due. */
uint32_t pcie_dll_to_tell(struct pcie_port *p, sim_time_t now);
void pcie_dll_tell(struct pcie_port *p, uint32_t mask, struct wire_dllp *d, sim_time_t now);
sim_time_t pcie_dll_next_due(const struct pcie_port *p, uint32_t classes, sim_time_t now);
/** What is acknowledged leaves the replay buffer. @return how many, or -1: it was never sent */
int pcie_dll_take_ack(struct pcie_port *p, uint32_t seq);
void pcie_dll_take_init(struct tx_class *q, uint32_t hdr, uint32_t data);
/** @return false, and nothing done: more credits than there are */
bool pcie_dll_take_update(struct tx_class *q, uint32_t hdr, uint32_t data);
/** The next TLP in sequence, of which `data` are the bytes, goes to the user. */
void pcie_dll_accept(struct pcie_port *p, const struct pcie_tlp *header, const void *data,
                     uint32_t bytes);

/* link.c */
/** What training settles. */
void pcie_link_set_rate(struct pcie_port *p, uint32_t gen, uint32_t lanes);
void pcie_port_add_stat(struct pcie_port *p, const uint64_t *value, const char *name,
                        const char *unit, const char *meaning);

/** `limit`: that of an ACK, in symbols of the link (3.5.3.1). */
void pcie_lossy_set_rate(struct pcie_port *p, uint64_t limit);

/* The same on a link that may lose packets (lossy_impl.h), out of the way of those without loss */
#define PCIE_LOSSY_ONLY __attribute__((noinline, cold))
PCIE_LOSSY_ONLY void pcie_lossy_work(struct pcie_port *p);
/** Sends the TLP whose sequence number is the next one. */
PCIE_LOSSY_ONLY void pcie_lossy_send(struct pcie_port *p, const struct pcie_tlp *tlp);
PCIE_LOSSY_ONLY void pcie_lossy_receive(struct pcie_port *p, const struct wire_tlp *rec);
PCIE_LOSSY_ONLY void pcie_lossy_receive_dllps(struct pcie_port *p, const struct wire_dllp *d);
void pcie_lossy_flush(struct pcie_port *p);
/** Of credits that come free, takes away those that do not count since the link was down. */
void pcie_lossy_take_stale(struct pcie_port *p, enum pcie_class cls, uint32_t *hdr_p,
                           uint32_t *data_p);
/** TLPs that are held since before the link was down. */
uint32_t pcie_lossy_stale(const struct pcie_port *p, enum pcie_class cls);
/** The link is down and was up before: what is sent is lost. */
bool pcie_lossy_discards(struct pcie_port *p, const struct pcie_tlp *tlp);
bool pcie_lossy_is_up(const struct pcie_port *p);
/** Whether the link trains or is out; then *from_p is when it began to carry nothing. */
bool pcie_lossy_stands(const struct pcie_port *p, sim_time_t *from_p);
uint64_t pcie_lossy_digest(const struct pcie_port *p);
void pcie_lossy_free(struct pcie_port *p);

/* port.c */
/** Sends what may go of the waiting TLPs. @return when to look again; SIM_TIME_NEVER: DLLPs tell */
sim_time_t pcie_port_send_next(struct pcie_port *p);
/** Drops all that waits; each class has room again. */
void pcie_port_discard(struct pcie_port *p);
/** What waits cannot be sent now, since the link trains or a replay goes first. */
void pcie_port_stand(struct pcie_port *p);
void pcie_port_work(struct sim_event *ev);
/** Takes the DLLPs that arrived before now, for a decision that follows. */
void pcie_port_settle(struct pcie_port *p);

/* port_probe.c; a probe is attached */
/** A TLP begins now; its `symbols` are the last ones so far. @return its mark */
SIM_PROBE_ONLY uint64_t pcie_probe_send(struct pcie_port *p, const struct pcie_tlp *tlp,
                                        uint16_t seq, uint32_t symbols);
/** The same where the wire may hit it: enum sim_packet_flag, and what arrives of a damaged one. */
SIM_PROBE_ONLY uint64_t pcie_probe_put(struct pcie_port *p, const struct pcie_tlp *tlp,
                                       uint16_t seq, uint32_t symbols, uint32_t flags,
                                       const uint8_t *bytes, uint32_t nbytes);
SIM_PROBE_ONLY void pcie_probe_put_dllp(const struct pcie_port *p, const struct pcie_dllp *dllp,
                                        uint32_t behind, uint32_t flags, const uint8_t *bytes);
/** These DLLPs were the last ones that the link has sent. */
SIM_PROBE_ONLY void pcie_probe_dllps(const struct pcie_port *p, const struct wire_dllp *d);
SIM_PROBE_ONLY uint64_t pcie_probe_receive(const struct pcie_port *p, uint64_t cause);
/** port_levels.c; where it attends: what was told of queues and credits has changed, perhaps. */
SIM_PROBE_ONLY void pcie_probe_levels(const struct pcie_port *p);
/** The same: the link carries nothing until `at`. */
SIM_PROBE_ONLY void pcie_probe_resumes(const struct pcie_port *p, sim_time_t at);
/** A TLP of the class has left its queue, which was full up to now. */
SIM_PROBE_ONLY void pcie_probe_sent(const struct pcie_port *p, unsigned cls, bool was_full);
/** Up to now, the head of a class has lacked credits; the replay buffer was full. */
SIM_PROBE_ONLY void pcie_probe_stalled(const struct pcie_port *p, unsigned cls, sim_time_t from);
SIM_PROBE_ONLY void pcie_probe_replay_full(const struct pcie_port *p, sim_time_t from);
/** What was sent at the last sent_mark was lost; since then it could have been sent again, since a
 * NAK came or the replay timer ended. @return its mark */
SIM_PROBE_ONLY uint64_t pcie_probe_again(const struct pcie_port *p, const struct pcie_tlp *tlp,
                                         sim_time_t since, bool nak);
/** The link is out or trains. */
SIM_PROBE_ONLY void pcie_probe_trained(const struct pcie_port *p, sim_time_t from,
                                       sim_time_t until);
/** The link stood still from `from` until now. */
SIM_PROBE_ONLY void pcie_probe_stood(const struct pcie_port *p, enum tx_stall why, sim_time_t from);
/** What pcie_port_has_room() has found missing; told when it changes. */
enum pcie_wants { PCIE_WANTS_NOTHING, PCIE_WANTS_QUEUE, PCIE_WANTS_CREDITS };
SIM_PROBE_ONLY void pcie_probe_want(struct pcie_port *p, unsigned cls, enum pcie_wants what);

/** Room for a record of the TLP in its channel, filled; `bytes` of payload. */
static inline struct wire_tlp *pcie_dll_record(struct pcie_port *p, const struct pcie_tlp *tlp,
                                               uint16_t seq, uint32_t bytes)
{
    struct wire_tlp *rec =
        (struct wire_tlp *)sim_channel_reserve(p->out, (uint32_t)sizeof(*rec) + bytes);

    rec->seq = seq;
    rec->payload_bytes = bytes;
    rec->tlp = *tlp;
    rec->tlp.payload = NULL;
    if (bytes != 0)
        memcpy(rec + 1, tlp->payload->data, bytes);
    return rec;
}

static inline sim_time_t pcie_port_not_before_free(const struct pcie_port *p, sim_time_t t)
{
    return t > p->phy.free_ps ? t : p->phy.free_ps;
}

SIM_END_DECLS
#endif /* PCIE_PORT_IMPL_H */
