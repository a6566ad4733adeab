/* Faults for a port of a test. */
#ifndef TESTS_PCIE_LINK_FAULTS_H
#define TESTS_PCIE_LINK_FAULTS_H

#include "pcie/lossy/lossy_impl.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace test
{

/** A row of pcie_faults with values that are all 0 but for `times`. */
struct Fault {
    const machine_fault_kind *kind = pcie_faults;
    pcie_fault_values values = {};

    explicit Fault(const std::string &name)
    {
        values.times = 1;
        while (name != kind->name)
            kind++;
    }
    int give(pcie_port *port, sim_error *err) const
    {
        return pcie_port_add_fault(port, kind, &values, err);
    }
};

/** Several of them; with none the link is made lossy all the same. */
struct Faults {
    struct Outage {
        sim_time_t at_ps, duration_ps;
        bool down;
    };
    struct Degrade {
        sim_time_t at_ps;
        uint64_t gen, lanes;
    };
    uint64_t ber_e18 = 0;
    std::vector<pcie_fault_nth> nth;
    std::vector<pcie_fault_burst> bursts;
    std::vector<Outage> outages;
    std::vector<pcie_fault_stuck> stuck;
    std::vector<Degrade> degrades;

    std::vector<Fault> list() const
    {
        static const char *const effects[] = { "corrupt", "drop", "nullify", "duplicate" };
        static const char *const downs[] = { "flap", "down" };
        std::vector<Fault> all;
        auto add = [&](const char *name) { return &all.emplace_back(name).values; };

        add("bit_error_rate")->rate_e18 = ber_e18;
        for (const auto &f : nth) {
            auto *v = add(effects[f.effect]);
            (f.packet == PCIE_FAULT_TLP ? v->tlp : v->dllp) = f.n;
        }
        for (const auto &f : bursts) {
            auto *v = add("burst");
            v->at_ps = f.at_ps, v->for_ps = f.duration_ps, v->rate_e18 = f.ber_e18;
        }
        for (const auto &f : outages) {
            auto *v = add(downs[f.down]);
            v->at_ps = f.at_ps, v->for_ps = f.duration_ps;
        }
        for (const auto &f : stuck) {
            auto *v = add("stuck_credit");
            v->at_ps = f.at_ps, v->cls = f.cls;
            v->for_ps = f.duration_ps == SIM_TIME_NEVER ? 0 : f.duration_ps;
        }
        for (const auto &f : degrades) {
            auto *v = add("degrade");
            v->at_ps = f.at_ps, v->gen = f.gen, v->lanes = f.lanes;
        }
        return all;
    }
    void give(pcie_port *port) const
    {
        sim_error err = {};

        for (const Fault &f : list())
            ASSERT_EQ(SIM_OK, f.give(port, &err)) << err.text;
    }
};

} // namespace test

#endif
