/*
 * A host: CPU cores that issue loads and stores to an address map, DRAM, and a
 * root complex with PCIe ports. Kind "host". What runs on a core is not known
 * here: software (hosts/launch) calls the operations below, one at a time for
 * each core, and is called back in phase SIM_TASK when the core may go on.
 * Costs are by kind of operation.
 */
#ifndef NODE_HOST_H
#define NODE_HOST_H

#include "core/sim.h"
#include "machine/kind.h"
#include "memory/ram.h"
#include "node/net.h"
#include "pcie/lossy/misbehave.h"
#include "pcie/port/port.h"

SIM_BEGIN_DECLS

struct node_host;
struct node_core;

extern const struct machine_kind node_host_kind;

typedef void (*node_done_fn)(void *arg, uint64_t value);

/** How a range of bus addresses is mapped into the program. */
enum node_mapping { NODE_UNCACHED, NODE_WRITE_COMBINING };

unsigned node_host_cores(const struct node_host *host);
struct node_core *node_host_core(struct node_host *host, unsigned core);
/** Each socket has half of the cores; all are on socket 0 where no root port is on another one. */
unsigned node_host_core_socket(const struct node_host *host, unsigned core);
unsigned node_host_port_socket(const struct node_host *host, unsigned port);
/**
 * Whose memory is on which socket: DRAM below `end` and in the first `segments` segments of single
 * pages (memory/ram.h) is on `socket`, all other on the other one. At first all is on socket 0.
 */
void node_host_home(struct node_host *host, unsigned socket, uint64_t end, unsigned segments);
/**
 * What interrupt handlers use: the last core of socket 0; where there is one only, a second context
 * of that, whose operations do not end its own: it is to be held meanwhile.
 */
struct node_core *node_host_interrupt_core(struct node_host *host);
/**
 * A further context of a core, for what interrupts its program: the core is to be held meanwhile.
 * Stores of both leave in one order. NULL: the host has too many cores.
 */
struct node_core *node_core_above(struct node_core *core);
/** Something else runs on the core. Its operation, or one that is begun meanwhile, goes on when the
 * core was released as often as it was held. What it waits for goes on. */
void node_core_hold(struct node_core *core);
bool node_core_held(const struct node_core *core);
void node_core_release(struct node_core *core);
/** DRAM. The CPU sees its bytes directly (cached memory); devices through the root complex. */
struct mem_ram *node_host_ram(struct node_host *host);
struct sim_domain *node_host_domain(struct node_host *host);
/** Makes it answer reads of DRAM wrongly on purpose, or stop (pcie/lossy/misbehave.h). */
int node_host_misbehave(struct node_host *host, const struct pcie_misbehavior *how,
                        struct sim_error *err);

/* Operations. `done` is called exactly once, never from inside the call itself. */

/** A store of 1 .. 8 bytes (uncached), or 1 .. 64 within a line of 64 (write-combining). */
void node_core_store(struct node_core *core, uint64_t addr, const void *bytes, uint32_t size,
                     enum node_mapping mapping, node_done_fn done, void *arg);
/** Empties the write-combining buffers and waits until all stores left the core (SFENCE). */
void node_core_fence(struct node_core *core, node_done_fn done, void *arg);
/**
 * Rings the bell of the device behind root port `port`, without a TLP and without an operation of
 * the core. It goes the way of a store: out of the core behind what that has stored, and then
 * behind the stores of all cores that are on their way to `port`. Later stores do not delay it.
 * `rung` is called when it leaves the root complex, at once if nothing is before it. Its value is
 * the number of posted packets that `port` was handed since its link came up last; 0 while it is
 * down.
 */
void node_core_ring(struct node_core *core, unsigned port, node_done_fn rung, void *arg);
/** An uncached load of 1, 2, 4, 8 or 16 bytes, naturally aligned; value in the low bytes; ~0 on an
 * error. */
void node_core_load(struct node_core *core, uint64_t addr, uint32_t size, node_done_fn done,
                    void *arg);
/** In `done` of a load of 16 bytes: the upper 8. */
uint64_t node_core_high(const struct node_core *core);
/** What a library does for a message, one after the other: phases of an explanation. */
enum node_phase {
    NODE_PHASE_CALL,       /* its own bookkeeping, and headers */
    NODE_PHASE_STAGE,      /* an engine of a GPU gets a piece to copy */
    NODE_PHASE_COPY,       /* a core copies into a send buffer */
    NODE_PHASE_CACHE,      /* looks for the descriptor */
    NODE_PHASE_DESCRIPTOR, /* writes it, or what has changed of it */
    NODE_PHASE_DOORBELL,   /* starts the channel */
    NODE_PHASE_PACKET,     /* stores a packet into the far ring */
    NODE_PHASE_LAND,       /* copies what has come to its place */
    NODE_PHASE_HANDLER,    /* finds out what a message is for, and runs its handler */
    NODE_PHASES
};
/** The core's program begins one. Takes no time, and is for a probe alone. */
void node_core_phase(struct node_core *core, enum node_phase phase);
/** The core computes for `ps`. */
void node_core_spend(struct node_core *core, sim_time_t ps, node_done_fn done, void *arg);
/**
 * From `done` of an operation, which then ends: the same at once, when nothing else happens at the
 * node meanwhile (sim_pass()). @return false: it has to be node_core_spend().
 */
bool node_core_pass(struct node_core *core, sim_time_t ps);
/**
 * The core polls [addr, addr + size) of its DRAM, which it last found unchanged at the present
 * time: done when a write of another agent to it is seen by the polling loop.
 */
void node_core_poll(struct node_core *core, uint64_t addr, uint32_t size, node_done_fn done,
                    void *arg);

/** One word of several that a loop polls; the rest is the core's until `done`. */
struct node_poll_word {
    struct mem_watch watch; /* addr, size: the caller's */
    struct node_core *core;
};
/**
 * As node_core_poll(), of any of `n` words; with value 1 when `deadline` (SIM_TIME_NEVER: none)
 * came before a write.
 */
void node_core_poll_any(struct node_core *core, struct node_poll_word *words, unsigned n,
                        sim_time_t deadline, node_done_fn done, void *arg);
/** A poll that has met no write ends now, with value 0; no effect on another operation. */
void node_core_interrupt(struct node_core *core);
/** From a write until the loop that polls its word has seen it. */
sim_time_t node_host_poll_detect_ps(const struct node_host *host);
/** The time-stamp counter: value = ticks; costs what reading it costs. */
void node_core_tsc(struct node_core *core, node_done_fn done, void *arg);
/** As node_core_pass(). */
bool node_core_pass_tsc(struct node_core *core, uint64_t *ticks_p);
uint64_t node_host_tsc_khz(const struct node_host *host);
/** A configuration access; read value, or ~0 when there is no answer. bus 0 = root ports. */
void node_core_config(struct node_core *core, bool write, uint16_t bdf, uint32_t reg,
                      uint32_t value, node_done_fn done, void *arg);

/**
 * Assigns [base, base + size) of the host's address map to a root port, as firmware does after
 * sizing BARs. The bridge windows of the root port; overlap is SIM_ERR_CONFIG.
 */
int node_host_claim(struct node_host *host, unsigned port, uint64_t base, uint64_t size,
                    struct sim_error *err);
unsigned node_host_ports(const struct node_host *host);

/** A message-signalled interrupt arrived (a write to the MSI address). Phase SIM_TASK. */
typedef void (*node_irq_fn)(void *arg, uint32_t vector);
void node_host_set_irq(struct node_host *host, node_irq_fn fn, void *arg);
/** Where devices write MSIs: address; the data's low 16 bits are the vector. */
uint64_t node_host_msi_address(const struct node_host *host);

/** Its end of the control network (node/net.h), the host's machine port "net". */
struct node_net *node_host_net(struct node_host *host);

SIM_END_DECLS
#endif /* NODE_HOST_H */
