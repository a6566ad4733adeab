#include "rtl-model/cosim/parameters.h"

#include "rtl-model/cosim/model.h"

#include <inttypes.h>
#include <stdio.h>

/* A vector of 4 bits for each port: its partner in a ring. */
static uint64_t partners_of(const struct hub_config *cfg)
{
    uint64_t all = 0;

    for (uint32_t p = 0; p < 16; p++) {
        uint32_t partner = p < cfg->ports ? hub_port_partner(cfg, p) : (uint32_t)HUB_PORT_NONE;

        all |= (uint64_t)(partner != HUB_PORT_NONE ? partner : 15) << 4 * p;
    }
    return all;
}

/** Packets, and units of data, of the deepest queue of a class among the ports. */
struct depth {
    uint64_t headers, units;
};
static struct depth deepest(const struct hub_config *cfg, enum pcie_class cls)
{
    struct depth deep = { 1, 1 };

    for (uint32_t p = 0; p < cfg->ports; p++) {
        const struct pcie_port_config *link = &cfg->port[p];
        const uint64_t credits[] = { link->pd_credits, link->npd_credits, link->cpld_credits,
                                     cfg->vc1_pd_credits };
        uint64_t headers = hub_queue_depth(cfg, p, cls);
        uint64_t each = cls == PCIE_NONPOSTED ? 1 : link->mps_bytes / 16;

        deep.headers = sim_max(deep.headers, headers);
        deep.units = sim_max(deep.units, credits[cls] != 0 ? credits[cls] : headers * each);
    }
    return deep;
}

uint64_t core_largest_data(const struct hub_config *cfg)
{
    uint64_t bytes = 0;

    for (uint32_t p = 0; p < cfg->ports; p++)
        bytes = sim_max(bytes, cfg->port[p].mps_bytes);
    return bytes;
}

uint64_t core_posted_headers(const struct hub_config *cfg)
{
    return deepest(cfg, PCIE_POSTED).headers;
}

uint64_t core_timeout_cycles(const struct hub_config *cfg)
{
    struct sim_clock clk;

    sim_clock_init(&clk, cfg->clock_khz);
    return sim_clock_cycles(&clk, cfg->completion_timeout_ps);
}

int core_parameters(const struct hub_config *cfg, char *text, size_t size)
{
    const struct depth posted = deepest(cfg, PCIE_POSTED), nonposted = deepest(cfg, PCIE_NONPOSTED),
                       completions = deepest(cfg, PCIE_COMPLETION),
                       vc1 = deepest(cfg, PCIE_POSTED_VC1);
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
        { "Ports", cfg->ports },
        { "Pairs", cfg->route_pairs },
        { "BusBytes", cfg->bus_bytes },
        { "GapCycles", cfg->bus_gap_cycles },
        { "ReceiveCycles", cfg->receive_cycles },
        { "RouteCycles", cfg->route_cycles },
        { "OutputCycles", cfg->output_cycles },
        { "RegisterCycles", cfg->register_cycles },
        { "BubbleTlps", cfg->bubble_tlps },
        { "PostedHeaders", posted.headers },
        { "PostedUnits", posted.units },
        { "NonpostedHeaders", nonposted.headers },
        { "NonpostedUnits", nonposted.units },
        { "CompletionHeaders", completions.headers },
        { "CompletionUnits", completions.units },
        { "Vc1", cfg->vc1_ph_credits != 0 },
        { "Vc1Headers", vc1.headers },
        { "Vc1Units", vc1.units },
        { "Ddr", cfg->ddr_bytes != 0 },
        { "DdrTlps", cfg->ddr_bytes != 0 ? MODEL_DDR_PACKETS : 1 },
        { "ChipTlps", cfg->ddr_chip_tlps },
        { "DdrBytes", cfg->ddr_bytes_per_cycle },
        { "DdrCycles", cfg->ddr_cycles },
        { "LargestUnits", core_largest_data(cfg) / 16 },
        { "Partners", partners_of(cfg) },
        { "StartCycles", cfg->dma_start_cycles },
        { "DecodeCycles", cfg->dma_decode_cycles },
        { "FetchInternalCycles", cfg->dma_fetch_internal_cycles },
        { "FetchHostCycles", cfg->dma_fetch_host_cycles },
        { "Prefetch", cfg->dma_prefetch },
        { "ReadTags", cfg->dma_read_tags },
        { "WindowBytes", cfg->dma_window_bytes },
        { "ReadBytes", cfg->dma_read_bytes },
        { "ReadIssueCycles", cfg->dma_read_issue_cycles },
        { "CompletionCycles", cfg->dma_completion_cycles },
        { "TimeoutCycles", core_timeout_cycles(cfg) },
        { "StatusRegisterCycles", cfg->status_register_cycles },
        { "StatusHostCycles", cfg->status_host_cycles },
        { "StatusInternalCycles", cfg->status_internal_cycles },
    };
    size_t at = 0;

    for (unsigned i = 0; i < SIM_COUNT(rows); i++) {
        int n = snprintf(text + at, size - at, "%s%s=%" PRIu64, i > 0 ? " " : "", rows[i].name,
                         rows[i].value);

        if (n < 0 || (size_t)n >= size - at)
            return SIM_ERR_NOMEM;
        at += (size_t)n;
    }
    return SIM_OK;
}
