/*
 * What is seen of a hub: marks of its pipeline and levels for a probe, statistics of waits, and who
 * stands where when nothing moves.
 */
#ifndef HUB_OBSERVE_H
#define HUB_OBSERVE_H

#include "core/probe.h"
#include "hub/dma/dma.h"
#include "hub/port.h"

SIM_BEGIN_DECLS

/** What the head of a source was found waiting for when its output was free for it. */
enum hub_waits {
    HUB_WAITS_NOT,
    HUB_WAITS_ORDER,  /* behind a posted write */
    HUB_WAITS_ROOM,   /* for room in the port, that is for what the port itself waits for */
    HUB_WAITS_CREDIT, /* for credits that let it enter a ring */
    HUB_WAITS_SELF,   /* for room for its answers */
};

struct hub_wait {
    sim_time_t since;
    struct pcie_stalls before; /* HUB_WAITS_ROOM: of the port, at that time */
};

/** Who has sources of its own, and what their heads have waited for. */
enum {
    HUB_PLACE_DMA = HUB_MAX_PORTS,
    HUB_PLACE_LOCAL = HUB_PLACE_DMA + HUB_DMA_CHANNELS,
    HUB_PLACES
};

/* probe.c: where a probe is attached */

enum hub_stage {
    HUB_STAGE_CLOCK,
    HUB_STAGE_CONFIGURE,
    HUB_STAGE_STREAM,
    HUB_STAGE_RECEIVE,
    HUB_STAGE_ROUTE,
    HUB_STAGE_OUTPUT,
    HUB_STAGE_DDR,
    HUB_STAGE_QUEUE,
    HUB_STAGE_BUS,
    HUB_STAGE_REGISTER,
    HUB_STAGE_DMA_START,
    HUB_STAGE_FETCH,
    HUB_STAGE_FETCH_INTERNAL,
    HUB_STAGE_FETCHED,
    HUB_STAGE_DECODE,
    HUB_STAGE_BEGIN,
    HUB_STAGE_PACE,
    HUB_STAGE_READ,
    HUB_STAGE_READ_INTERNAL,
    HUB_STAGE_READ_DONE,
    HUB_STAGE_WRITE,
    HUB_STAGE_TAG,
    HUB_STAGE_PREPARE,
    HUB_STAGE_STATUS,
    HUB_STAGES
};
/** A mark at a clock edge, by the last of its causes. */
SIM_PROBE_ONLY uint64_t hub_probe_mark(const struct hub *hub, enum hub_stage stage, uint64_t edge,
                                       uint64_t cause_a, uint64_t cause_b, uint64_t cause_c);
/** The link of port `out` begins a packet at `time` at the earliest. @return its id */
SIM_PROBE_ONLY uint64_t hub_probe_lag(const struct hub *hub, uint32_t out, sim_time_t time,
                                      uint64_t cause);
/** A packet came in by a port, `arrived` being the next edge then. Its first beat is there now; it
 * joins its queue and is on its way to `out`. */
SIM_PROBE_ONLY uint64_t hub_probe_received(struct hub *hub, const struct hub_port *port,
                                           const struct pcie_tlp *tlp, uint32_t out,
                                           uint64_t arrived);
/** It goes to a port, through whose output stage it has come at `edge`; above for what is known at
 * once. */
SIM_PROBE_ONLY uint64_t hub_probe_routed(const struct hub *hub, const struct hub_port *port,
                                         uint64_t edge, uint64_t cause);
/** The head of `source` is granted now; its way is free again at `free_edge`. `entering`: it is
 * new in a ring, and credits for it alone do not suffice. */
SIM_PROBE_ONLY uint64_t hub_probe_granted(struct hub *hub, uint32_t source, uint32_t out,
                                          const struct pcie_tlp *tlp, uint64_t free_edge,
                                          bool entering);

/* probe.c: the core beat by beat, for the comparison with a core of another make */

/** `edge`: all that arrived for this edge is there, and the outputs choose now; not called where
 * nothing can move. `received`: the first beat of a packet, before it is routed. `put`: the hub's
 * own packet joins its source, and may be granted from `from_edge` on. `granted`: with its data,
 * on the chip or `in_ddr`. `written`: a packet of so many data units is in DDR3, and its place on
 * the chip is free. `error`: SELF refuses a packet of `port`. `cleared`: a half of
 * HUB_ERRORS(port) is written. `answered`: a completion has come for a channel, or `!expected`, for
 * none; NULL: a request is given up. */
struct hub_watch {
    void *user;
    void (*edge)(void *user, uint64_t edge);
    void (*received)(void *user, uint64_t edge, uint32_t port, const struct pcie_tlp *tlp);
    void (*put)(void *user, uint32_t source, uint32_t out, const struct pcie_tlp *tlp,
                uint64_t from_edge);
    void (*granted)(void *user, uint64_t edge, uint32_t source, uint32_t out,
                    const struct pcie_tlp *tlp, bool in_ddr);
    void (*written)(void *user, uint64_t edge, uint32_t port, uint32_t units);
    void (*error)(void *user, uint32_t port, uint32_t error, bool advisory,
                  const struct pcie_tlp *tlp);
    void (*cleared)(void *user, uint32_t port, uint32_t half, uint32_t bits);
    void (*answered)(void *user, bool expected, const struct pcie_tlp *cpl);
};
/** `component` is a hub that has not started; *watch outlives it. */
void hub_set_watch(void *component, const struct hub_watch *watch);

/* levels.c: the same */

void hub_level_start(const struct hub *hub);
/** Levels are observed: `count` packets are in the queue of `source`. */
void hub_level_queue(const struct hub *hub, uint32_t source, uint32_t count);
/** The head of `source` has left for `out` now; its beats take the ways of both up to `free_edge`.
 */
void hub_level_grant(const struct hub *hub, uint32_t source, uint32_t out, uint64_t free_edge);
/** What a DMA channel does has changed, perhaps. */
SIM_PROBE_ONLY void hub_level_dma(const struct hub_dma *dma);

/* wait.c: statistics */

void hub_wait_register(struct hub *hub);
/** The head of `source`, which its output could take from edge `at` on, is found waiting. */
void hub_wait_found(struct hub *hub, uint32_t source, uint32_t out, uint64_t at,
                    enum hub_waits waits);
/** The head of `source` is about to be granted, later than at edge `at`, or out of DDR3. */
void hub_wait_over(struct hub *hub, uint32_t source, uint32_t out, uint64_t at);
/** From edge `from` until now, DMA channel `channel` wanted to read and had no tag or window. */
void hub_wait_tag(struct hub *hub, uint32_t channel, uint64_t from);

/* stall.c */

void hub_blocked(void *component, machine_block_fn fn, void *arg);

SIM_END_DECLS
#endif
