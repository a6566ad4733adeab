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
    uint64_t dma_read_tags, dma_read_bytes, dma_read_issue_cycles;
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

/** Makes a hub, a component of that kind, answer requests wrongly on purpose, or stop taking
 * packets from its ports (pcie/lossy/misbehave.h). */
int hub_misbehave(void *component, const struct pcie_misbehavior *how, struct sim_error *err);

SIM_END_DECLS
#endif /* HUB_HUB_H */
