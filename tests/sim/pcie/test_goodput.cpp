/*
 * Goodput of a full link whose wire inverts bits, against the closed form of docs/faults.md, over
 * rates, widths, generations and lengths.
 */
#include "link_fixture.h"

#include "pcie/fault.h"

#include <cmath>

namespace
{

using test::Pair;

struct Case {
    unsigned gen, lanes;
    sim_time_t one_way_ps; /* transmitter to receiver */
};

const unsigned PAYLOAD = 256, TLP = 8 + 12 + PAYLOAD, DLLP = 8;

double ps_per_symbol(const Case &c)
{
    return (c.gen == 1 ? 4000.0 : 2000.0) / c.lanes;
}

double ack_limit_ps(const Case &c) /* tables 3-7 and 3-8 of 3.5.3.1 */
{
    double factor = c.lanes <= 4 ? 1.4 : c.lanes <= 8 ? 2.5 : 3.0;

    return ((PAYLOAD + 28) * factor / c.lanes + (c.gen == 1 ? 19 : 70)) * ps_per_symbol(c) *
           c.lanes;
}

/** Of the time of a full link what moves TLPs that count; 8b/10b, ten bits for a symbol. */
double closed_form(const Case &c, double rate)
{
    double symbol = ps_per_symbol(c), t = TLP * symbol, round = 2.0 * (double)c.one_way_ps;
    double p = 1 - std::pow(1 - rate, 10 * TLP), no_nak = 1 - std::pow(1 - rate, 10 * DLLP);
    double lost = t * std::ceil((t + round + DLLP * symbol) / t);
    double timer = t + 3 * ack_limit_ps(c) + round;

    return t / (t + p * (lost + (p / (1 - p) + no_nak) * timer));
}

double measured(const Case &c, double rate, unsigned n)
{
    pcie_port_config cfg = test::wide_config(c.gen, c.lanes, PAYLOAD);
    pcie_fault_config faults = {};
    sim_error err = {};
    sim_config sc = {};

    sc.seed = 7;
    Pair p(sc);

    cfg.tx_latency_ps = cfg.rx_latency_ps = c.one_way_ps / 2 - 1000;
    cfg.skp_interval_symbols = 0;
    p.join(cfg, cfg, 2000);
    faults.ber_e18 = (uint64_t)std::llround(rate * 1e18);
    EXPECT_EQ(SIM_OK, pcie_port_set_faults(p.a.port, &faults, &err)) << err.text;
    EXPECT_EQ(SIM_OK, pcie_port_set_faults(p.b.port, &faults, &err)) << err.text;
    p.b.keep_log = false;
    unsigned left = n;
    sim_time_t first = 0, last = 0;
    unsigned got = 0;

    p.a.refill = [&] {
        for (; left > 0 && p.a.todo.size() < 64; left--)
            p.a.add(PCIE_MWR, PAYLOAD);
    };
    p.b.on_tlp = [&](const pcie_tlp &) {
        last = sim_now(p.b.dom);
        first = got++ == 0 ? last : first;
    };
    p.a.kick();
    p.run();
    EXPECT_EQ(n, got);
    return TLP * ps_per_symbol(c) * (n - 1) / (double)(last - first);
}

class Goodput : public testing::TestWithParam<Case>
{
};

TEST_P(Goodput, FollowsTheClosedForm)
{
    for (double rate : { 1e-12, 1e-9, 1e-7, 1e-6, 3e-6, 1e-5, 3e-5 })
        EXPECT_NEAR(1, measured(GetParam(), rate, 30000) / closed_form(GetParam(), rate), 0.03)
            << rate;
}

INSTANTIATE_TEST_SUITE_P(Links, Goodput,
                         testing::Values(Case{ 2, 8, 166000 }, Case{ 2, 8, 20000 },
                                         Case{ 2, 16, 80000 }, Case{ 2, 4, 300000 },
                                         Case{ 1, 1, 50000 }));

} // namespace
