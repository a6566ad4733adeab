/*
 * A PCI Express port: one end of a link, with transaction-layer queues, credits,
 * data-link layer (sequence numbers, ACK, flow-control DLLPs) and physical layer
 * (line rate, encoding, framing, lanes). Its user (root complex, hub core, GPU)
 * sees a transaction-layer interface like that of a hard IP block.
 *
 *    user --send--> [class queues] -> credits, ordering -> replay -> serialise -> channel
 *    user <--received-- [receive buffer, freed by consume] <- channel
 */
#ifndef PCIE_PORT_H
#define PCIE_PORT_H

#include "core/param.h"
#include "pcie/tlp/tlp.h"

SIM_BEGIN_DECLS

struct pcie_port;

/** All fields in the units of their names. */
struct pcie_port_config {
    uint64_t gen;           /* 1 .. 5; a link runs at the smaller one of its ends */
    uint64_t lanes;         /* 1, 2, 4, 8, 16; the link takes the smaller one */
    uint64_t mps_bytes;     /* Max_Payload_Size in force: 128 .. 4096 */
    uint64_t tx_latency_ps; /* hard block and PHY, outwards; part of the channel's latency */
    uint64_t rx_latency_ps; /* the same, inwards */
    uint64_t ph_credits, pd_credits;   /* receive buffer: headers, units of 16 bytes; */
    uint64_t nph_credits, npd_credits; /* what this end advertises; 0 = infinite      */
    uint64_t cplh_credits, cpld_credits;
    uint64_t vc1_ph_credits, vc1_pd_credits; /* the same of virtual channel 1 for posted requests; a
                                                link whose ends do not both have headers has none */
    uint64_t tx_queue_tlps;                  /* per class, before the link; >= 1 */
    uint64_t replay_tlps;                    /* TLPs sent and not yet acknowledged; >= 1 */
    uint64_t ack_latency_symbols; /* 0: the specification's limit for gen, lanes, MPS (3.5.3.1) */
    uint64_t fc_latency_symbols;  /* 0: the same table (2.6.1.2) */
    uint64_t ack_tlps, fc_urgent_part; /* what does not wait for these; >= 1 */
    uint64_t replay_timer_symbols; /* 0: the same table (3.5.2.1) and the round trip of the wire;
                                      where faults are (pcie/lossy/fault.h), as the next one: */
    uint64_t recovery_ps;          /* a retraining, from when both ends take part */
    /* Between SKP ordered sets; 0: none. */
    uint64_t skp_interval_symbols; /* Gen1, Gen2: symbol times */
    uint64_t skp_interval_blocks;  /* Gen3 on: blocks of 16 symbol times */
};

/** The keys of machine files that fill one; virtual channel 1 is for the hub to set. */
extern const struct machine_param pcie_port_params[];
/** Of these, what `own` leaves MACHINE_UNSAID becomes as in `all`. */
void pcie_port_config_complete(struct pcie_port_config *own, const struct pcie_port_config *all);

/** A requester waits 50 us to 50 ms for a completion unless software says otherwise, and at most 64
 * seconds (2.8, 7.8.16). */
#define PCIE_TIMEOUT_PS     (50 * SIM_MS)
#define PCIE_TIMEOUT_MAX_PS (64000 * SIM_MS)

struct pcie_port_user {
    /**
     * Phase SIM_ARRIVE. The callee owns *tlp's payload reference. The TLP fills the receive buffer
     * until pcie_port_consume().
     */
    void (*received)(void *user, struct pcie_tlp *tlp);
    /** Phase SIM_ARRIVE or SIM_CLOCK: a class that was not ready has room again, or what was asked
     * for by pcie_port_has_room() or pcie_port_notify_left() has come. Only schedule here. */
    void (*ready)(void *user, enum pcie_class cls);
    /**
     * Phase SIM_ARRIVE; may be NULL. The link went down: what was queued, or sent and not
     * acknowledged, is lost, and so is what is sent while it is down. Or it is up again. Not called
     * when it comes up first. Only schedule here.
     */
    void (*link)(void *user, bool up);
    void *user;
};

/** `path` ("node0.hub.n") names statistics. `cfg` is copied. Free with pcie_port_destroy(). */
int pcie_port_create(struct sim_domain *dom, struct mem_pool *pool, const char *path,
                     const struct pcie_port_config *cfg, const struct pcie_port_user *user,
                     struct pcie_port **port_p, struct sim_error *err);
void pcie_port_destroy(struct pcie_port *port);
/** Which end of its link a port is; without this any. Two of one kind cannot be joined. */
enum pcie_facing { PCIE_ANY_END, PCIE_ENDPOINT_END, PCIE_ROOT_END };
void pcie_port_set_facing(struct pcie_port *port, enum pcie_facing facing);
/** Joins two ends by a cable or trace of `wire_ps`; both directions become channels. Once each. */
int pcie_link_connect(struct pcie_port *a, struct pcie_port *b, sim_time_t wire_ps,
                      struct sim_error *err);
/** The same as the `join` of a struct machine_port, whose `end` is a struct pcie_port. */
int pcie_link_join(void *end_a, void *end_b, sim_time_t wire_ps, struct sim_error *err);

/**
 * Room for one more TLP of the class; the link need not be up. Ask and send in phase SIM_CLOCK or
 * SIM_TASK: in SIM_ARRIVE the port itself makes room at the same time.
 */
bool pcie_port_can_send(const struct pcie_port *port, enum pcie_class cls);
/**
 * The same, and credits for `tlps` TLPs of the class with the largest payload, or all that the
 * partner has, as a hard block shows them to its user; and so it is while the link is down. When
 * they are missing, ready() comes with each update of credits.
 */
bool pcie_port_has_room(struct pcie_port *port, enum pcie_class cls, uint32_t tlps);
/** For observers (sim_mark.toward_queues): what may hold a TLP on its way into a port; `more`: it
 * asks pcie_port_has_room(). */
static inline uint32_t pcie_probe_queues(enum pcie_class cls, bool more)
{
    return 1u << cls | (more ? 1u << (PCIE_CLASSES + cls) : 0);
}
/** Takes the payload reference. pcie_port_can_send() must hold. Payload <= MPS. */
void pcie_port_send(struct pcie_port *port, const struct pcie_tlp *tlp);
/** How much later than now the link can begin, at the earliest, a TLP of which a user hands in the
 * last byte `feed_ps` from now: it may send while bytes come, and must not run out of them. */
sim_time_t pcie_port_lag(const struct pcie_port *port, const struct pcie_tlp *tlp,
                         sim_time_t feed_ps);
/** As pcie_port_send(), for a link that does not begin before `lag_ps` from now. */
void pcie_port_send_lagging(struct pcie_port *port, const struct pcie_tlp *tlp, sim_time_t lag_ps);
/** The receive buffer of this TLP is free: its credits go back to the sender. In any phase. */
void pcie_port_consume(struct pcie_port *port, enum pcie_class cls, uint32_t data_credits);

/** What a hard block shows of its transmit side for one class, now. */
struct pcie_credits {
    uint32_t hdr, data;             /* free at the far side; UINT32_MAX: no limit */
    uint16_t hdr_first, data_first; /* first advertised; 0: no limit */
    bool ready, empty;              /* room for one more TLP; none waits */
};
struct pcie_credits pcie_port_credits(struct pcie_port *port, enum pcie_class cls);

/** For reports: what the oldest TLP in a class's transmit queue lacks ("posted data credits");
 * NULL: there is none, or it may go. */
const char *pcie_port_lacks(const struct pcie_port *port, enum pcie_class cls);
const char *pcie_port_path(const struct pcie_port *port);
/**
 * Time up to now that the link was free and TLPs waited, by what the oldest of them lacked:
 * credits, room in the replay buffer, a link that is up. A TLP that had no room in the port
 * meanwhile waited for the same; the rest of its time, for the link.
 */
struct pcie_stalls {
    uint64_t credit_ps, replay_ps, down_ps;
};
struct pcie_stalls pcie_port_stalls(const struct pcie_port *port);
/** TLPs of the class that wait for the link. */
uint32_t pcie_port_queued(const struct pcie_port *port, enum pcie_class cls);
/** ready() comes when the next TLP of the class has left the transmit queue, or all are lost with
 * the link. Once. */
void pcie_port_notify_left(struct pcie_port *port, enum pcie_class cls);
/** TLPs of the class in the receive buffer: received, and not consumed. */
uint32_t pcie_port_held(const struct pcie_port *port, enum pcie_class cls);

bool pcie_port_is_up(const struct pcie_port *port); /* flow control initialised */
bool pcie_port_connected(const struct pcie_port *port);
uint32_t pcie_port_mps(const struct pcie_port *port);
/** Both ends have a virtual channel 1: writes of Traffic Class PCIE_TC_VC1 may be sent. */
bool pcie_port_has_vc1(const struct pcie_port *port);

SIM_END_DECLS
#endif /* PCIE_PORT_H */
