/*
 * Probes: models report to an observer what came to pass, when, and what it had
 * been waiting for. Nothing depends on the observer; where none is attached, a probe
 * point is one branch on a pointer that lies in a line which is hot anyway.
 *
 * A mark is a point in time, and the stage of the time that led to it: of its
 * causes the last one decided when it could happen, so from there on its stage
 * took the time. Following the causes backwards gives intervals without gaps.
 * A packet carries its last mark in pcie_tlp.trace_id, whatever else that is a
 * cause of in a register of its owner.
 */
#ifndef SIM_CORE_PROBE_H
#define SIM_CORE_PROBE_H

#include "core/sim.h"

SIM_BEGIN_DECLS

#define SIM_CAUSES 3u

/** For functions of models that are called only where a probe is attached: out of the way. */
#define SIM_PROBE_ONLY __attribute__((noinline, cold))

enum sim_stage_use {
    SIM_STAGE_PLAIN,
    SIM_STAGE_STEP,  /* a step of a program on a core */
    SIM_STAGE_QUEUE, /* in a queue; holds and others' marks say what held it */
    SIM_STAGE_LINK,  /* the same of a port, where all queues have one way out */
    SIM_STAGE_WIRE,  /* on a wire, where packets (sim_probe.packet) are seen as well */
    SIM_STAGE_FULL,  /* a hold whose queue has no room; what blocks the queue blocks who comes */
    SIM_STAGE_WROTE, /* bytes of a memory became visible */
    SIM_STAGE_READ,  /* bytes of a memory were read for somebody who may wait for them to change */
};

/** What the time of a stage counts as in sums over a message's way. */
enum sim_stage_kind {
    SIM_KIND_SOFTWARE,
    SIM_KIND_CPU,
    SIM_KIND_POLL,
    SIM_KIND_ROOT_COMPLEX,
    SIM_KIND_MEMORY,
    SIM_KIND_READ_LIMIT,
    SIM_KIND_GPU,
    SIM_KIND_HUB,
    SIM_KIND_BUFFER,
    SIM_KIND_BUS,
    SIM_KIND_ARBITER,
    SIM_KIND_DMA,
    SIM_KIND_NOTIFICATION,
    SIM_KIND_LINK_BUSY,
    SIM_KIND_CREDIT,
    SIM_KIND_REPLAY,
    SIM_KIND_SERIALISATION,
    SIM_KIND_HARD_IP,
    SIM_KIND_CABLE,
    SIM_KIND_UNTRACED,
    SIM_KINDS
};
/** "hub core" */
const char *sim_stage_kind_name(enum sim_stage_kind kind);

/** Something that takes time. Each model has its own, as constants. */
struct sim_stage {
    const char *name; /* "routing" */
    enum sim_stage_kind kind;
    enum sim_stage_use use;
    const char *phase; /* NULL, or of the whole message what begins here: "descriptor fetch" */
    const char *meaning;
};

/** Where a mark is made: paths live as long as the machine and compare as pointers. */
struct sim_mark {
    const struct sim_stage *stage;
    const char *where;
    sim_time_t time;            /* the present or later */
    uint64_t cause[SIM_CAUSES]; /* ids of earlier marks; 0: none. One later than `time` is none */
    /* SIM_STAGE_QUEUE: leaves queue `queue` of `where` towards `toward` (NULL: nothing that could
     * hold it), where holds of the queues in a set of bits concern it, and occupies the way there
     * until `until`. */
    const char *toward;
    uint32_t queue, toward_queues;
    sim_time_t until;
    /* SIM_STAGE_WROTE and SIM_STAGE_READ, bytes of `where`; READ: 0 where no reader waits */
    uint64_t addr, bytes;
};

/** For a time nothing could leave queue `queue` of `where`. */
struct sim_hold {
    const struct sim_stage *stage; /* what the time of those in the queue counts as */
    const char *where;
    uint32_t queue;
    sim_time_t from, to;
};

enum sim_signal_use {
    SIM_SIGNAL_PLAIN,
    SIM_SIGNAL_STATE,  /* what a part of a place does, "dma0.state"; at rest in state 0 */
    SIM_SIGNAL_LINK,   /* the state of a link; at rest in the last of its states */
    SIM_SIGNAL_OUTPUT, /* who has the way out of a place; the last of its states is nothing */
    SIM_SIGNAL_LENGTH, /* how much a place holds */
};

/** A quantity of a model that changes by steps. Each model has its own, as constants. */
struct sim_signal {
    const char *name;          /* "tx.posted"; after the path of the place it is unique */
    uint32_t bits;             /* that its values take; 1 .. 64 */
    const char *const *states; /* names of the values 0, 1 ..., NULL at the end; NULL: a number */
    enum sim_signal_use use;
    const char *meaning;
};

/** From a time on a signal has a value; it may have had it before. */
struct sim_level {
    const struct sim_signal *signal;
    const char *where;
    sim_time_t now;  /* the present, of the domain */
    sim_time_t from; /* now or later; of one signal it never falls */
    uint64_t value;
};

/** What surrounds a packet: its protocol's structure (pcie/tlp/packet.h). */
enum sim_packet_kind { SIM_PACKET_TLP, SIM_PACKET_DLLP };

enum sim_packet_flag {
    SIM_PACKET_REPLAY = 1 << 0,    /* was sent before */
    SIM_PACKET_CORRUPT = 1 << 1,   /* changed on its way: not the bytes that were sent */
    SIM_PACKET_NULLIFIED = 1 << 2, /* its sender takes it back: the receiver discards it */
    SIM_PACKET_LOST = 1 << 3       /* so little of it arrives that it is not seen as a packet */
};

/** A packet that a port sends. Of one port they come in the order of time. */
struct sim_packet {
    enum sim_packet_kind kind;
    uint32_t flags;          /* of enum sim_packet_flag */
    const char *where;       /* the port that sends it */
    const char *toward;      /* the port at the other end of the wire */
    sim_time_t begin, end;   /* its first symbol begins to leave `where`, the last one has left; */
    sim_time_t wire_latency; /* each is on the wire, behind `where`'s PHY, so much later */
    /* In each `skp_interval` the wire needs `skp` for ordered sets, whether it is idle or not. */
    sim_time_t skp, skp_interval;
};

/** Why a packet that is ready, the first of those that leave a place one by one, does not leave. */
enum sim_stall_cause {
    SIM_STALL_CREDIT,  /* the receiver's buffer has no room */
    SIM_STALL_REPLAY,  /* the replay buffer has no room, or what is in it is sent again */
    SIM_STALL_DOWN,    /* the link is not up */
    SIM_STALL_LINK,    /* the link carries others */
    SIM_STALL_ARBITER, /* another input has the output */
    SIM_STALL_ORDER,   /* it may not pass a packet that waits */
    SIM_STALL_TAG,     /* all tags or the window, or places for answers, are in use */
    SIM_STALL_MEMORY,  /* the memory or completer that takes or gives it is busy */
    SIM_STALL_CAUSES
};

/**
 * A stretch of such a wait. The stretches of one place, in one direction and for one kind of
 * packet, do not overlap, so that each picosecond has one cause; they add up to the statistics
 * `where`.`side`.stall_*_ps. They are reported when they end, perhaps after others that began
 * later.
 */
struct sim_stall {
    const char *where; /* "node0.hub.e" */
    const char *side;  /* "tx": towards the link; "rx": from it; "dma0": a part of `where` */
    enum sim_stall_cause cause;
    sim_time_t from, to;
};

/** An observer. Its functions may not touch the simulation. */
struct sim_probe {
    /** @return the id of the mark: observers number them from 1 on, so several have the same.
     * NULL: only packets are wanted, which spares the time that all else takes. */
    uint64_t (*mark)(void *arg, const struct sim_mark *mark);
    void (*hold)(void *arg, const struct sim_hold *hold);
    /** Or NULL. All signals are reported once before anything happens, so that observers know them.
     */
    void (*level)(void *arg, const struct sim_level *level);
    /** NULL, or called for each packet on each wire when it begins to be sent. The packet is valid
     * during the call only. */
    void (*packet)(void *arg, const struct sim_packet *packet);
    void (*stall)(void *arg, const struct sim_stall *stall); /* or NULL */
    void *arg;
};

/** NULL: there is no observer, or one of packets only. The same for the life of the simulation
 * (sim_config). */
const struct sim_probe *sim_probe_of(const struct sim_domain *dom);
/** NULL: packets are not observed. */
const struct sim_probe *sim_packet_probe_of(const struct sim_domain *dom);

/** The commonest mark: one cause, nothing else. */
uint64_t sim_probe_mark(const struct sim_probe *probe, const struct sim_stage *stage,
                        const char *where, sim_time_t time, uint64_t cause);
void sim_probe_hold(const struct sim_probe *probe, const struct sim_stage *stage, const char *where,
                    uint32_t queue, sim_time_t from, sim_time_t to);
/** Reports nothing of a stretch without length, or where stalls are not observed. */
void sim_probe_stall(const struct sim_probe *probe, const char *where, const char *side,
                     enum sim_stall_cause cause, sim_time_t from, sim_time_t to);
/** Reports a value from the present on; nothing where levels are not observed. */
static inline void sim_probe_level(const struct sim_probe *probe, const struct sim_signal *signal,
                                   const char *where, sim_time_t now, uint64_t value)
{
    const struct sim_level level = { signal, where, now, now, value };

    if (probe->level != NULL)
        probe->level(probe->arg, &level);
}

SIM_END_DECLS
#endif /* SIM_CORE_PROBE_H */
