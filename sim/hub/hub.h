/*
 * The hub: PCIe ports (hub/ports.h) joined by a routing unit, with chaining DMA
 * controllers, internal memory and a register file. Kind "hub.c".
 * Register map and address window: regs/hub_regs.h.
 *
 * The core works at packet granularity on its clock: it wakes at the edges where
 * something can move and computes whole packets in beats of the internal bus.
 * Hard-block latency lies in the ports, outside the core.
 */
#ifndef HUB_HUB_H
#define HUB_HUB_H

#include "hub/edge.h"
#include "hub/ports.h"
#include "machine/kind.h"
#include "pcie/lossy/misbehave.h"

SIM_BEGIN_DECLS

/** Keys of the parameter table; units in the names. */
struct hub_config {
    uint64_t clock_khz, clock_phase_ps;
    uint64_t bus_bytes;
    uint64_t bus_gap_cycles;
    uint64_t receive_cycles, route_cycles, output_cycles;
    uint64_t arbiter; /* HUB_ARBITER_round_robin, ... */
    uint64_t bubble_tlps;
    uint64_t vc1_ph_credits, vc1_pd_credits;
    uint64_t date_line[HUB_MAX_PORTS];
    uint64_t ddr_bytes;
    uint64_t hard_block_ps, config_cycles;
    uint64_t ddr_chip_tlps, ddr_cycles, ddr_bytes_per_cycle;
    uint64_t register_cycles;
    uint64_t dma_start_cycles, dma_decode_cycles, dma_fetch_internal_cycles, dma_fetch_host_cycles;
    uint64_t dma_prefetch;
    uint64_t dma_read_tags, dma_window_bytes, dma_read_bytes, dma_read_issue_cycles;
    uint64_t dma_completion_cycles;
    uint64_t completion_timeout_ps;
    uint64_t status_register_cycles, status_host_cycles, status_internal_cycles;
    uint64_t bringup_cycles;
    uint64_t ports, route_pairs;
    uint64_t role[HUB_MAX_PORTS];
    uint64_t ring[HUB_MAX_PORTS]; /* of free ports: 0 none, else from HUB_FIRST_FREE on */
    uint64_t weight[HUB_MAX_PORTS], weight_dma, weight_local;
    struct pcie_port_config port[HUB_MAX_PORTS];
};

extern const struct machine_kind hub_kind;

/** Packets of a class that the queue of a port holds. */
uint32_t hub_queue_depth(const struct hub_config *cfg, uint32_t port, enum pcie_class cls);

/*
 * A core of another make, such as one in a hardware description language. It stands between the
 * ports of a struct hub in the place of what queue.h, crossbar.h, self.h and dma/ do; ports, their
 * hard blocks, the management processor and all that is set at start stay as they are.
 */
struct hub;

struct hub_core_ops {
    /** `core` is what hub_create_around() was given. The window and the routes are known, and links
     * are not up. */
    int (*start)(void *core, struct hub *hub, struct sim_error *err);
    /** The first beat of a packet is on the receive stream of a port at `edge`, and the others
     * follow it. Consumes the payload. `hit`: a BAR of this endpoint claims the address. */
    void (*received)(void *core, uint64_t edge, uint32_t port, struct pcie_tlp *tlp, bool hit);
    /** All that comes for this edge has come; requests of the management processor are with their
     * ports. @return the next one that it wants, or UINT64_MAX */
    uint64_t (*edge)(void *core, uint64_t edge);
    void (*destroy)(void *core);
};

/** What a hub refuses whatever its core is made of; hub_create_around() asks as well. */
int hub_check_config(const struct machine_place *place, const struct hub_config *cfg,
                     struct sim_error *err);
/** As hub_kind.create(), which makes a hub with the core in C. `core` becomes the hub's, also where
 * this fails. */
int hub_create_around(const struct hub_core_ops *ops, void *core, const struct machine_place *place,
                      const void *config, void **component_p, struct sim_error *err);

/** Makes a hub, a component of that kind, answer requests wrongly on purpose, or stop taking
 * packets from its ports (pcie/lossy/misbehave.h). */
int hub_misbehave(void *component, const struct pcie_misbehavior *how, struct sim_error *err);

SIM_END_DECLS
#endif /* HUB_HUB_H */
