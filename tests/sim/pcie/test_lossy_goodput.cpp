/* What a saturated link carries under bit errors, against docs/faults.md, "The link under bit
 * errors". */
#include "link_faults.h"
#include "link_fixture.h"

#include <cmath>

namespace
{

using test::Faults;
using test::Pair;

struct Case {
    uint64_t gen, lanes, bytes;
    sim_time_t wire_ps;
};

const sim_time_t BLOCK = 80000;

/** Picoseconds for one TLP; the letters are those of the page. */
double closed_form(const Case &c, double ber)
{
    const double symbol = (c.gen == 1 ? 4000.0 : 2000.0) / (double)c.lanes;
    const double N = (double)c.bytes + 12 + 8, T = N * symbol;
    const double L = 2.0 * BLOCK + (double)c.wire_ps;
    const double skp = 1 + 4 / 1538.0;
    const double p = 1 - std::pow(1 - ber, 10 * N), q = 1 - std::pow(1 - ber, 80);
    const double limit = (double)(((256 + 28) * (c.lanes <= 4 ? 14 : 25) / (10 * c.lanes)) +
                                  (c.gen == 1 ? 19 : 70)) *
                         symbol * (double)c.lanes;
    const double R = 3 * limit + 2 * L;
    /* A NAK begins in lane 0, in the next symbol time. */
    const double D = 2 * L + symbol * (double)c.lanes * 0.5 + 8 * symbol;
    const double m = std::ceil(D / T), r = std::ceil(R / T);
    const double again = (1 + p * r) / (1 - p);

    return T * skp * (1 + p * ((1 - q) * m + q * r + again));
}

double measured(const Case &c, uint64_t ber_e18, unsigned n)
{
    pcie_port_config pc = test::wide_config(c.gen, c.lanes, 256);
    Pair p({}, false);
    Faults fa, fb;
    size_t warm = n / 20;

    pc.tx_latency_ps = pc.rx_latency_ps = BLOCK;
    pc.recovery_ps = 4 * SIM_US;
    test::set_default_skp(&pc);
    p.join(pc, pc, c.wire_ps);
    fa.ber_e18 = fb.ber_e18 = ber_e18;
    fa.give(p.a.port);
    fb.give(p.b.port);
    p.a.refill = [&] {
        while (p.a.made < n && p.a.todo.size() < 64)
            p.a.add(PCIE_MWR, (uint32_t)c.bytes);
    };
    p.a.kick();
    EXPECT_EQ(SIM_OK, p.run());
    EXPECT_EQ(n, p.b.got.size());
    return (double)(p.b.got[n - 1 - warm].time - p.b.got[warm].time) / (double)(n - 1 - 2 * warm);
}

TEST(Goodput, IsWithinThreePercentOfTheClosedForm)
{
    const Case cases[] = {
        { 2, 8, 256, 10000 }, { 2, 8, 64, 10000 }, { 1, 4, 256, 10000 }, { 2, 8, 256, 2000000 }
    };

    for (const Case &c : cases) {
        for (double ber : { 0.0, 1e-8, 1e-7, 1e-6, 3e-6, 1e-5 }) {
            const double want = closed_form(c, ber);
            const double got = measured(c, (uint64_t)(ber * 1e18),
                                        ber > 2e-6 && c.wire_ps > 1000000 ? 400000 : 40000);

            printf("gen%d x%d %4d bytes %7.0f ns  %g: %8.1f %8.1f  %+.2f %%\n", (int)c.gen,
                   (int)c.lanes, (int)c.bytes, (double)c.wire_ps / 1000, ber, want, got,
                   100 * (got / want - 1));
            EXPECT_NEAR(1, got / want, 0.03);
        }
    }
}

} // namespace
