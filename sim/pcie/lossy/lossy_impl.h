/*
 * A link on which packets can be lost: what its ports have besides (port_impl.h).
 * Both ends have it when either has faults. All decisions fall in the port's one
 * event, `work`, which sees what happened strictly before its time: so no order
 * of events within one time can change them.
 *
 *   fault.c       where the wire hits packets
 *   fault_add.c   faults are given
 *   replay.c      TLPs that may be hit: replay and its timer, NAK, duplicates
 *   lossy_dllp.c  DLLPs that may be hit
 *   init.c        flow-control initialisation
 *   train.c       what to do next; outages, retraining
 *   lossy.c       making and freeing all this
 */
#ifndef PCIE_LOSSY_IMPL_H
#define PCIE_LOSSY_IMPL_H

#include "core/probe.h"
#include "pcie/lossy/fault.h"
#include "pcie/port/dll.h"
#include "pcie/tlp/dllp.h"
#include "pcie/tlp/lcrc.h"

SIM_BEGIN_DECLS

/* ---- records of the channels, besides those of port_impl.h ---- */

/* wire_tlp.damage; where not 0, the bytes that follow are the frame as it arrives (lcrc.h). */
enum wire_damage {
    DAMAGE_BYTES = 1,     /* some are not those that were sent */
    DAMAGE_CODE = 2,      /* 8b/10b: a symbol that is none, or END is missing */
    DAMAGE_FRAMING = 4,   /* 128b/130b: a framing token that is none */
    DAMAGE_NULLIFIED = 8, /* ends with EDB */
    DAMAGE_LOST = 16,     /* its first symbol is not seen: nothing is received, no record sent */
};

/** With mask 0 a record of the DLLP channel is one of these; `init` says which. */
enum wire_special { WIRE_DAMAGED = 3, WIRE_TRAINING = 4 };

/** A DLLP that was hit; mask and init as in wire_dllp. */
struct wire_damaged {
    uint8_t mask, init;
    uint8_t damage;
    uint8_t bytes[PCIE_DLLP_BYTES];
};

/* ---- state ---- */

enum pcie_fault_packet { PCIE_FAULT_TLP, PCIE_FAULT_DLLP };

enum pcie_fault_effect {
    PCIE_FAULT_CORRUPT,   /* one bit under the LCRC or CRC-16 is flipped */
    PCIE_FAULT_DROP,      /* its framing is hit: the receiver sees no packet */
    PCIE_FAULT_NULLIFY,   /* a TLP is first sent with EDB and inverted LCRC, to be ignored */
    PCIE_FAULT_DUPLICATE, /* a TLP is sent a second time directly behind itself */
};

/** The n-th packet of its kind that this end puts on the wire, counted from 1; replays and
 * duplicates count, and each DLLP by itself. */
struct pcie_fault_nth {
    enum pcie_fault_packet packet;
    enum pcie_fault_effect effect;
    uint64_t n;
};

/** For a time, another bit error rate. */
struct pcie_fault_burst {
    sim_time_t at_ps, duration_ps; /* >= 1 */
    uint64_t ber_e18;
};

/** For a time this end announces no credits of a class; those freed meanwhile are announced after
 * it. */
struct pcie_fault_stuck {
    sim_time_t at_ps, duration_ps; /* SIM_TIME_NEVER: for ever */
    enum pcie_class cls;
};

/** Which packets of one direction are hit. */
struct fault_wire {
    uint64_t line_ber_e18; /* outside of bursts */
    struct pcie_fault_nth *nth;
    struct pcie_fault_burst *bursts; /* in order of time, not overlapping */
    struct pcie_fault_stuck *stuck;
    size_t nth_count, burst_count, stuck_count;
    struct sim_stream stream;
    uint64_t sent[2];    /* packets of each kind put on the wire */
    uint64_t ber_e18;    /* in force */
    uint64_t per_nat[2]; /* clean bits for one unit of -ln(U): whole ones, and in 2^-32 */
    uint64_t clean_bits; /* before the next hit; UINT64_MAX: none */
    size_t burst;        /* the first one that is not over */
    uint64_t bit_errors; /* in packets */
};

/** How the symbols of a packet hold its bytes. */
struct wire_shape {
    uint32_t symbols;
    uint32_t symbol_bits; /* 10, or 8: sync headers, 2 bits of 130, count as no packet's */
    uint32_t framing;     /* symbols of the token at its beginning; */
    uint32_t before; /* those of them before the bytes (an STP token holds the sequence number) */
    uint32_t n;      /* bytes */
};

/** When the link trains by plan: outages and degradations of both ends, in order of time. */
struct plan_entry {
    sim_time_t at, end;
    bool down;
    uint32_t gen, lanes; /* from then on; 0: as before */
};

#define PCIE_INIT_REPEAT (34 * SIM_US) /* 3.3.1 */
#define PCIE_FC_REPEAT   (30 * SIM_US) /* 2.6.1.2: -0 %, +50 % */

enum init_stage { INIT_FC1, INIT_FC2, INIT_DONE }; /* 3.3.1 */

struct pcie_lossy {
    struct fault_wire wire; /* what this end transmits goes through */

    /* transmit */
    sim_time_t replay_ps, replay_deadline; /* SIM_TIME_NEVER: the timer does not run */
    uint64_t far_ack_symbols;              /* 0: the table's */
    uint16_t resent; /* so many of the replay buffer's, from its oldest one on */
    uint8_t replay_num;
    bool replaying;

    /* receive */
    bool nak_scheduled;   /* since the last good TLP (3.5.3.1) */
    sim_time_t nak_since; /* a NAK is to be sent, for a TLP that came then; SIM_TIME_NEVER: none */
    sim_time_t dup_since; /* the same of an ACK for a duplicate */

    /* flow control */
    enum init_stage stage;
    uint8_t got_init;               /* classes of which an InitFC has come */
    bool init_lost;                 /* the partner may not know that stage 2 is reached */
    bool partner_active;            /* it has sent what only an active one sends */
    sim_time_t seen_active;         /* a TLP has shown it then; SIM_TIME_NEVER: none */
    sim_time_t init_at;             /* when to send InitFC again */
    uint8_t fc_lost;                /* classes whose last UpdateFC may not have arrived */
    sim_time_t fc_at[PCIE_CLASSES]; /* when to repeat it */
    uint32_t stale_hdr[PCIE_CLASSES],
        stale_data[PCIE_CLASSES]; /* held since before the link was down */

    /* training */
    struct plan_entry *plan;
    size_t plan_count, plan_next;
    sim_time_t next_outage; /* plan[plan_next].at */
    sim_time_t wanted_at;   /* a retraining was asked for then; SIM_TIME_NEVER: it was not */
    bool recovering;        /* until the partner trains too */
    bool partner_trains;
    bool known_down;                          /* the user knows that the link is down */
    sim_time_t outage_from, outage_until;     /* nothing arrives in between, */
    sim_time_t recovery_from, recovery_until; /* and here nothing but the training itself */
    sim_time_t outage_end;
    sim_time_t held_from, held_until; /* by outage or training, it carries nothing of ours */
    sim_time_t replay_since;          /* the last replay began, or could have; */
    bool replay_nak;                  /* since a NAK came, not since the timer ended */
    sim_time_t replay_left; /* what the replay timer has left, which is stopped meanwhile */

    struct lossy_stat {
        uint64_t hit_tlps, hit_dllps, nullified, naks, replays, replayed, timeouts;
        uint64_t bad_lcrc, bad_dllp, rx_naks, duplicates, rx_nullified, framing;
        uint64_t retrains, outages, discarded;
    } stat;
    uint8_t frame[PCIE_FRAME_MAX]; /* being made */
};

/* ---- fault.c ---- */

enum fault_effect { FAULT_NONE = -1 }; /* or an enum pcie_fault_effect */

/** One more packet: what the list of n-th packets says of it. */
int pcie_wire_next(struct fault_wire *w, enum pcie_fault_packet kind);
/** A packet of so many bits begins now. @return whether some are hit; pcie_wire_damage() is next */
bool pcie_wire_hits(struct fault_wire *w, sim_time_t now, uint64_t bits);
/** Flips what is hit of the packet's bytes. @return enum wire_damage */
uint32_t pcie_wire_damage(struct fault_wire *w, const struct wire_shape *shape, uint8_t *bytes);
/** Draws where the first bit is hit. */
void pcie_wire_start(struct pcie_port *p);
/** Flips one of n bytes' bits. @return DAMAGE_BYTES */
uint32_t pcie_wire_flip(struct fault_wire *w, uint8_t *bytes, uint32_t n);

static inline uint32_t pcie_lossy_symbol_bits(const struct pcie_port *p)
{
    return p->gen <= 2 ? 10 : 8;
}

/* ---- replay.c ---- */

/** Damage for an observer: enum sim_packet_flag. */
static inline uint32_t pcie_lossy_flags(uint32_t damage)
{
    uint32_t flags = 0;

    if ((damage & DAMAGE_LOST) != 0)
        flags |= SIM_PACKET_LOST;
    if ((damage & DAMAGE_NULLIFIED) != 0)
        flags |= SIM_PACKET_NULLIFIED;
    if ((damage & (DAMAGE_BYTES | DAMAGE_CODE | DAMAGE_FRAMING)) != 0)
        flags |= SIM_PACKET_CORRUPT;
    return flags;
}
void pcie_lossy_send(struct pcie_port *p, const struct pcie_tlp *tlp);
void pcie_lossy_receive(struct pcie_port *p, const struct wire_tlp *rec);
/** Starts to send again what is not acknowledged (3.5.2.1). */
void pcie_replay_start(struct pcie_port *p, bool nak);
/** Sends the next TLP of the replay. */
void pcie_replay_next(struct pcie_port *p);
void pcie_replay_take_ack(struct pcie_port *p, uint16_t seq, bool nak);

/* ---- lossy_dllp.c ---- */

void pcie_lossy_flush(struct pcie_port *p);
void pcie_lossy_receive_dllps(struct pcie_port *p, const struct wire_dllp *d);

/* ---- train.c ---- */

/* for struct pcie_lossy_ops */
void pcie_lossy_work(struct pcie_port *p);
enum pcie_link_state pcie_lossy_state(const struct pcie_port *p);
bool pcie_lossy_stands(const struct pcie_port *p, sim_time_t *from_p);
bool pcie_lossy_discards(struct pcie_port *p, const struct pcie_tlp *tlp);
uint32_t pcie_lossy_stale(const struct pcie_port *p, enum pcie_class cls);
void pcie_lossy_take_stale(struct pcie_port *p, enum pcie_class cls, uint32_t *hdr_p,
                           uint32_t *data_p);

/** The link retrains as soon as it is free, by reason of what happened at `since`. */
void pcie_lossy_want_training(struct pcie_port *p, sim_time_t since);
/** The other end sends training sets. */
void pcie_lossy_receive_training(struct pcie_port *p);
/** Whether a TLP or DLLP that arrived at `t` was received. */
bool pcie_lossy_hears(const struct pcie_lossy *l, sim_time_t t);
/** Decides anew whether new TLPs may be sent. */
void pcie_lossy_update_up(struct pcie_port *p);

/* ---- lossy.c ---- */

/** Makes the link lossy at this end, which it may be already. @return false: out of memory */
bool pcie_lossy_attach(struct pcie_port *p);

/* ---- init.c ---- */

/** Bits of classes whose credits are not announced now; until when the first of them is not. */
uint32_t pcie_lossy_stuck(const struct pcie_lossy *l, sim_time_t now, sim_time_t *until_p);
/** Whether InitFC are to be sent now; they are written. */
bool pcie_init_announce(struct pcie_port *p, struct wire_dllp *d, sim_time_t now);
/** An InitFC of stage 1 or 2. */
void pcie_init_receive(struct pcie_port *p, unsigned cls, unsigned stage, uint32_t hdr,
                       uint32_t data);
/** Something came that only an active partner sends. */
void pcie_init_partner_active(struct pcie_port *p);

SIM_END_DECLS
#endif /* PCIE_LOSSY_IMPL_H */
