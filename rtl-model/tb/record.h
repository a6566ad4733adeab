/*
 * One hub in C between far ends of the test's own, one on each port, and all that its core sees and
 * does: what a core in RTL is given, and what it has to do.
 *
 * A far end sends random packets, takes what comes after a random time, and configures the hub's
 * endpoint or answers the hub's root. So queues fill, credits run out, and packets of several ports
 * want one output at the same edge.
 */
#ifndef TB_RECORD_H
#define TB_RECORD_H

#include "forward.h"

#include "hub/hub.h"

#include <array>
#include <string>
#include <vector>

/* How the far ends behave; the rest follows from the seed. */
struct Traffic {
    uint64_t seed = 1;
    uint64_t send_ps = 40000000;       /* for so long the far ends send */
    unsigned idle = 5;                 /* of 100 packets these are followed by a pause */
    unsigned reads = 12, answers = 12; /* of 100 packets; the others are writes */
    unsigned to_self = 20;             /* of 100 writes */
    unsigned routes = 10; /* of 100 writes to the hub itself, at least: those that change routes, */
    unsigned notes = 10;  /* notifications, */
    unsigned tails = 10;  /* and those that take entries out of the ring */
    int target = -1;      /* a port that all other writes are for; -1: any */
    uint64_t hold_ps = 100000;   /* until a far end takes a packet: 0 to this */
    uint64_t stop_ps = 0;        /* far ends stop for so long, now and then */
    uint64_t outage_ps = 0;      /* links are down for so long at most, now and then */
    uint64_t rest_ps = 20000000; /* behind send_ps, for all to end */
    unsigned lists = 0;   /* of 100 packets by N: acts of a host that has lists for channels, */
    unsigned wrong = 2;   /* and of 100 answers to those, so many are wrong */
    unsigned bounds = 10; /* of 100 writes through the hub: near a bound of a route */
    bool aims = false;    /* channels do short transfers to such places, and nothing else */
};

struct Packet {
    uint64_t edge; /* of its first beat, its grant; own packets: from which it may be granted */
    uint32_t source, out; /* as the core in RTL counts; received: port and class */
    bool hit, in_ddr;     /* received: claimed by the BAR; granted: it came out of DDR3 */
    std::array<uint8_t, 16> header;
    std::vector<uint8_t> data;
};

/* All of a packet is in DDR3, and its place on the chip is free. */
struct Written {
    uint64_t edge;
    uint32_t port, units;
};

/* From this edge on, what is not packets. */
struct State {
    uint64_t edge;
    ForwardIn in; /* these inputs only */
};

/* What SELF reported at an edge. */
struct Fault {
    uint64_t edge;
    uint32_t port, kind, advisory;
    std::array<uint8_t, 16> header;
};

/* What stood in registers beside the core when a packet was granted to SELF. */
struct Beside {
    uint64_t edge;
    std::array<uint64_t, kMaxPorts> aer;
};

/* At an edge a half (`index`) of HUB_ERRORS is written. */
struct Bits {
    uint64_t edge;
    uint32_t index, bits;
};

/* What channels found at an edge: bits of enum ForwardDmaError, and the completion. */
struct Answer {
    uint64_t edge;
    uint32_t errors;
    std::array<uint8_t, 16> header;
};

/* From an edge on, whether the hub has anything to do. */
struct Work {
    uint64_t edge;
    bool any;
};

/* What happened how often: X(name, text) */
#define RECORD_EVENTS(X)                                                                           \
    X(PostedFull, "receive buffer full, posted")                                                   \
    X(NonpostedFull, "receive buffer full, non-posted")                                            \
    X(CompletionFull, "receive buffer full, completions")                                          \
    X(Vc1Full, "receive buffer full, posted of VC1")                                               \
    X(SpillFull, "share of DDR3 full")                                                             \
    X(LocalFull, "no room in the local queue")                                                     \
    X(NoTag, "no tag")                                                                             \
    X(NoWindow, "window of reads full")                                                            \
    X(RingWrap, "ring of notifications wraps")                                                     \
    X(RingLost, "notification lost")                                                               \
    X(AbortInFlight, "abort with reads in flight")                                                 \
    X(EndLength, "descriptor error: length")                                                       \
    X(EndAlign, "descriptor error: alignment")                                                     \
    X(EndSource, "descriptor error: source")                                                       \
    X(EndDestination, "descriptor error: destination")                                             \
    X(EndFetch, "descriptor error: fetch")                                                         \
    X(EndBusy, "start of a busy channel")                                                          \
    X(EndTimeout, "completion time-out")                                                           \
    X(EndPoison, "poisoned completion")                                                            \
    X(EndAbort, "completion with an error status")                                                 \
    X(MasterOff, "Bus Master off with a channel at work")                                          \
    X(NewMrrs, "Max_Read_Request_Size changes with a channel at work")                             \
    X(MsiOff, "MSI disabled")                                                                      \
    X(Poisoned, "Poisoned TLP Received")                                                           \
    X(CompleterAbort, "Completer Abort")                                                           \
    X(Unsupported, "Unsupported Request")                                                          \
    X(DownSending, "link down while a packet goes out")                                            \
    X(DownReceiving, "link down while a packet comes in")                                          \
    X(ResetInPacket, "reset in mid-packet")                                                        \
    X(OddBegin, "data to or from an odd byte")                                                     \
    X(ShortHeader, "header of 3 double words, memory")                                             \
    X(LongHeader, "header of 4 double words, memory")                                              \
    X(BlockedByOrder, "blocked by order")                                                          \
    X(BlockedByRoom, "blocked by a full transmit buffer")                                          \
    X(BlockedByMaster, "blocked by Bus Master off")                                                \
    X(BlockedByBubble, "blocked by the bubble: a packet of its class waits")                       \
    X(BlockedByCredit, "blocked by the bubble: no credits")                                        \
    X(BlockedByOther, "blocked by another packet of its output")
#define RECORD_EVENT_NAME(name, text) kEvent##name,
enum Event { RECORD_EVENTS(RECORD_EVENT_NAME) kEvents };
#undef RECORD_EVENT_NAME

/* From an edge on, before its grants: what SELF asks of a packet. */
struct SelfState {
    uint64_t edge;
    bool busy, local_full;
};

struct Record {
    std::vector<std::vector<Packet>> received; /* by port */
    std::vector<Packet> put;                   /* by the hub itself, each with its first edge */
    std::vector<SelfState> self;
    std::vector<uint64_t> enters; /* by output: sources that enter a ring there */
    uint32_t endpoints = 0;       /* bits of ports */
    std::array<uint64_t, kEvents> events = {};
    uint64_t clock_khz = 0, clock_phase_ps = 0;
    ForwardBegin begin = {};
    std::vector<Packet> granted;  /* by edge, and outputs in their order */
    std::vector<Written> written; /* by edge */
    std::vector<State> states;
    std::vector<Packet>
        requests; /* by the management processor, each with the edge from which it can join */
    std::vector<Fault> faults;
    std::vector<Beside> beside;
    std::vector<Bits> cleared;
    std::vector<Answer> answers;
    std::vector<Work> work;
    std::array<uint64_t, 16> ended = {}; /* lists of channels, by their error; 15: aborted */
    uint64_t entries = 0, lost = 0;      /* notifications */
    uint64_t first = 0, edges = 0;       /* the first edge, and that behind the last one */
};

/** Runs the hub with the parameters of an RTL core. */
Record record_hub(const ForwardParams &params, const Traffic &traffic);

#endif
