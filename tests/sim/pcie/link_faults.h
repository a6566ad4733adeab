/* Faults for a port of a test. */
#ifndef TESTS_PCIE_LINK_FAULTS_H
#define TESTS_PCIE_LINK_FAULTS_H

#include "pcie/lossy/fault.h"

#include <gtest/gtest.h>

#include <vector>

namespace test
{

/** Faults with lists that live as long as it. */
struct Faults {
    pcie_fault_config cfg = {};
    std::vector<pcie_fault_nth> nth;
    std::vector<pcie_fault_burst> bursts;
    std::vector<pcie_fault_outage> outages;
    std::vector<pcie_fault_stuck> stuck;
    std::vector<pcie_fault_degrade> degrades;

    void give(pcie_port *port)
    {
        sim_error err = {};

        cfg.nth = nth.data(), cfg.nth_count = nth.size();
        cfg.bursts = bursts.data(), cfg.burst_count = bursts.size();
        cfg.outages = outages.data(), cfg.outage_count = outages.size();
        cfg.stuck = stuck.data(), cfg.stuck_count = stuck.size();
        cfg.degrades = degrades.data(), cfg.degrade_count = degrades.size();
        ASSERT_EQ(SIM_OK, pcie_port_set_faults(port, &cfg, &err)) << err.text;
    }
};

} // namespace test

#endif
