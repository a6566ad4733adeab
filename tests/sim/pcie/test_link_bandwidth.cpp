/*
 * Bare links against closed forms written here from the constants of PCI Express Base 3.0, with
 * SKP ordered sets, ACK and UpdateFC DLLPs in them.
 */
#include "link_fixture.h"
#include "tests/built.h"

#include <algorithm>
#include <cmath>

namespace
{

using test::End;
using test::Pair;

struct Case {
    unsigned gen, lanes, mps;
};

const std::vector<unsigned> PAYLOADS =
    test::SANITIZED ? std::vector<unsigned>{ 256 } : std::vector<unsigned>{ 128, 256, 512 };

std::vector<Case> all_cases()
{
    std::vector<Case> cases;

    for (unsigned gen = 1; gen <= 5; gen++)
        for (unsigned lanes : { 1u, 4u, 8u, 16u })
            for (unsigned mps : PAYLOADS)
                cases.push_back({ gen, lanes, mps });
    return cases;
}

/* ---- the closed forms ---- */

/** Bytes per nanosecond that the lanes carry after line coding: 8b/10b, then 128b/130b. */
double raw_bytes_per_ns(const Case &c)
{
    const double gt[] = { 0, 2.5, 5, 8, 16, 32 };
    double coding = c.gen <= 2 ? 8.0 / 10 : 128.0 / 130;

    return gt[c.gen] * coding / 8 * c.lanes;
}

/* A SKP ordered set at the latest every 1538 symbol times: COM + 3 SKP (4.2.7). Gen3: after 370 to
 * 375 blocks a block of 16, before it an EDS token of 4 symbols that ends a block, so on average
 * half a block of filling. */
double skp_share(const Case &c)
{
    return c.gen <= 2 ? 4.0 / 1538 : (16 + 4.0 / c.lanes + 8) / (375 * 16);
}

/** Table 3-7 .. 3-9 (3.5.3.1): symbol times. */
double ack_limit(const Case &c)
{
    double factor = c.mps <= 256 ? (c.lanes <= 4   ? 1.4
                                    : c.lanes == 8 ? 2.5
                                                   : 3.0)
                                 : (c.lanes <= 8 ? 1.0 : 2.0);
    return (c.mps + 28) * factor / c.lanes + (c.gen == 1 ? 19 : c.gen == 2 ? 70 : 115);
}

/** STP, sequence number, LCRC, END make 8 symbols beside header and payload. */
double tlp_symbols(unsigned payload)
{
    return 8 + 12 + payload;
}

/**
 * DLLP symbols per TLP received, when one comes every `period` symbols and `dllps` go out together.
 * The first TLP starts the timer. When it ends, the packet on the wire has a rest of d symbols to
 * go, 0 <= d < blocking, and all that has come by then is acknowledged together: 1 + floor((limit +
 * d) / period). d depends on the length of the wire; this is the mean over all d.
 */
double dllp_symbols(const Case &c, double period, double dllps, double blocking)
{
    double sum = 0;
    const int steps = 1000;

    for (int i = 0; i < steps; i++) {
        double d = blocking * (i + 0.5) / steps;
        double together = 1 + std::floor((ack_limit(c) * c.lanes + d) / period);
        sum += 8 * dllps / std::min(together, 8.0);
    }
    return sum / steps;
}

/** Wires of different lengths, so that every d has its turn. */
const unsigned PHASES = 8;
sim_time_t wire_ps(const Case &c, unsigned phase)
{
    return (sim_time_t)(tlp_symbols(c.mps) * phase / PHASES * 1000 / raw_bytes_per_ns(c));
}

/* ---- measuring ---- */

/** Bytes per ns between the first quarter and the end of what `e` received. */
double measured(const End &e, unsigned bytes_each)
{
    size_t from = e.got.size() / 4, to = e.got.size() - 1;

    EXPECT_GT(to, from + 100);
    return (double)(to - from) * bytes_each * 1000 / (double)(e.got[to].time - e.got[from].time);
}

pcie_port_config config(const Case &c, bool finite)
{
    pcie_port_config cfg = test::wide_config(c.gen, c.lanes, c.mps);

    test::set_default_skp(&cfg);
    if (finite)
        test::set_credits(&cfg, 127, 2047);
    return cfg;
}

void add_writes(End *e, unsigned n, unsigned bytes)
{
    for (unsigned i = 0; i < n; i++)
        e->add(PCIE_MWR, bytes);
    e->kick();
}

class Bandwidth : public ::testing::TestWithParam<Case>
{
};
const unsigned N = 4000;

TEST_P(Bandwidth, WritesOneWay)
{
    const Case c = GetParam();
    double want = raw_bytes_per_ns(c) * (1 - skp_share(c)) * c.mps / tlp_symbols(c.mps);

    for (bool finite : { false, true }) {
        Pair p;

        p.join(config(c, finite), config(c, finite));
        add_writes(&p.a, N, c.mps);
        p.run();
        ASSERT_EQ(N, p.b.got.size());
        EXPECT_NEAR(1, measured(p.b, c.mps) / want, 0.01);
    }
}

TEST_P(Bandwidth, WritesBothWays)
{
    const Case c = GetParam();
    double t = tlp_symbols(c.mps);

    for (bool finite : { false, true }) {
        double each = t + dllp_symbols(c, t, finite ? 2 : 1, t);
        double want = raw_bytes_per_ns(c) * (1 - skp_share(c)) * c.mps / each, sum = 0;

        for (unsigned phase = 0; phase < PHASES; phase++) {
            Pair p;

            p.join(config(c, finite), config(c, finite), wire_ps(c, phase));
            add_writes(&p.a, N / 4, c.mps);
            add_writes(&p.b, N / 4, c.mps);
            p.run();
            ASSERT_EQ(N / 4, p.b.got.size());
            sum += (measured(p.a, c.mps) + measured(p.b, c.mps)) / 2;
        }
        EXPECT_NEAR(1, sum / PHASES / want, 0.01);
    }
}

/** b answers `n` read requests of `request` bytes with completions of MPS; 128 are under way. */
void run_reads(Pair *p, unsigned n, unsigned request, unsigned mps)
{
    unsigned asked = 0, pieces = 0;
    auto ask = [&] {
        if (asked++ < n)
            p->a.add(PCIE_MRD, request);
    };

    p->b.on_tlp = [&](const pcie_tlp &) {
        for (unsigned i = 0; i < request / mps; i++)
            p->b.add(PCIE_CPLD, mps);
        p->b.kick();
    };
    p->a.on_tlp = [&](const pcie_tlp &) {
        if (++pieces % (request / mps) != 0)
            return;
        ask();
        p->a.kick();
    };
    for (unsigned i = 0; i < 128; i++)
        ask();
    p->a.kick();
    p->run();
}

TEST_P(Bandwidth, Reads)
{
    const Case c = GetParam();
    const unsigned request = 512, n = 800;
    double t = tlp_symbols(c.mps), per_request = request / c.mps * t;

    for (bool finite : { false, true }) {
        double each = per_request + dllp_symbols(c, per_request, finite ? 2 : 1, t);
        double want = raw_bytes_per_ns(c) * (1 - skp_share(c)) * request / each, sum = 0;

        for (unsigned phase = 0; phase < PHASES; phase++) {
            Pair p;

            p.join(config(c, finite), config(c, finite), wire_ps(c, phase));
            run_reads(&p, n, request, c.mps);
            ASSERT_EQ(n * request / c.mps, p.a.got.size());
            sum += measured(p.a, c.mps);
        }
        EXPECT_NEAR(1, sum / PHASES / want, 0.01);
    }
}

INSTANTIATE_TEST_SUITE_P(Links, Bandwidth, ::testing::ValuesIn(all_cases()),
                         [](const ::testing::TestParamInfo<Case> &i) {
                             return "Gen" + std::to_string(i.param.gen) + "x" +
                                    std::to_string(i.param.lanes) + "mps" +
                                    std::to_string(i.param.mps);
                         });

} // namespace
