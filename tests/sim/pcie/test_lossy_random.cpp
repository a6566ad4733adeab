/* Random traffic over links that fail in every way that keeps the data link's state: nothing lost,
 * doubled or out of order, in any event order. */
#include "link_faults.h"
#include "link_traffic.h"

namespace
{

using test::Arrival;
using test::Faults;
using test::Pair;
using test::Traffic;

struct Shape {
    uint64_t gen, lanes, mps, hdr, data, queue, replay;
    uint64_t ber_e18; /* both ways */
    unsigned faults;  /* bits: see give() */
};

enum { BURSTS = 1, RETRAINS = 2, NTH = 4, DEGRADE = 8, STUCK = 16, DOWN = 32 };

const Shape shapes[] = {
    { 2, 8, 128, 1, 8, 1, 1, PCIE_BER_UNIT / 10000, 0 },
    { 2, 8, 256, 3, 20, 2, 3, PCIE_BER_UNIT / 10000, RETRAINS },
    { 1, 1, 128, 2, 16, 4, 2, PCIE_BER_UNIT / 3000, BURSTS | NTH },
    { 3, 4, 256, 8, 64, 3, 7, PCIE_BER_UNIT / 30000, DEGRADE },
    { 5, 16, 512, 5, 40, 8, 4, PCIE_BER_UNIT / 100000, RETRAINS | NTH },
    { 2, 4, 256, 127, 2047, 8, 64, PCIE_BER_UNIT / 3000, DEGRADE | RETRAINS },
    { 4, 2, 4096, 2, 300, 2, 2047, PCIE_BER_UNIT / 100000, BURSTS | STUCK },
    { 2, 16, 256, 0, 0, 16, 16, PCIE_BER_UNIT / 10000, NTH | RETRAINS },
};

/* Where the link goes down TLPs are lost, but always the same ones. */
const Shape down_shapes[] = {
    { 2, 8, 256, 3, 20, 2, 3, PCIE_BER_UNIT / 10000, DOWN },
    { 3, 4, 256, 8, 64, 3, 7, PCIE_BER_UNIT / 30000, DOWN | RETRAINS | NTH },
};

void give(pcie_port *port, const Shape &sh, uint64_t seed)
{
    Faults f;

    f.ber_e18 = sh.ber_e18;
    for (uint64_t i = 1; (sh.faults & NTH) != 0 && i < 40; i++) {
        f.nth.push_back({ PCIE_FAULT_TLP, (pcie_fault_effect)(i % 4), 7 * i + seed });
        f.nth.push_back({ PCIE_FAULT_DLLP, (pcie_fault_effect)(i % 2), 5 * i + seed });
    }
    for (uint64_t i = 0; i < 5; i++) {
        const sim_time_t at = (i * 37 + seed) * SIM_US;

        if ((sh.faults & BURSTS) != 0)
            f.bursts.push_back({ at, 2 * SIM_US, PCIE_BER_UNIT / 20 });
        if ((sh.faults & RETRAINS) != 0)
            f.outages.push_back({ at + 500, i * 700 * SIM_NS + 1, false });
        if ((sh.faults & DOWN) != 0)
            f.outages.push_back({ at + 700, i * 900 * SIM_NS + 1, i % 2 == 0 });
        if ((sh.faults & STUCK) != 0)
            f.stuck.push_back({ at, 10 * SIM_US, PCIE_POSTED });
    }
    if ((sh.faults & DEGRADE) != 0) {
        f.degrades.push_back({ 20 * SIM_US, 0, sh.lanes / 2 });
        f.degrades.push_back({ 60 * SIM_US + seed, sh.gen - 1, 0 });
    }
    f.give(port);
}

struct Result {
    std::vector<Arrival> a, b;
    uint64_t wire;
    std::map<std::string, uint64_t> stats;
};

Result run(const Shape &sh, const sim_order &order, bool two_domains, unsigned n, uint64_t seed)
{
    const sim_config cfg = { seed, true, order, nullptr, true };
    Pair p(cfg, two_domains);
    pcie_port_config c = test::wide_config(sh.gen, sh.lanes, sh.mps);
    Traffic ta, tb;
    Result r;

    test::set_credits(&c, sh.hdr, sh.data);
    c.tx_queue_tlps = sh.queue, c.replay_tlps = sh.replay;
    c.tx_latency_ps = 6000, c.rx_latency_ps = 10000;
    c.recovery_ps = SIM_US;
    test::set_default_skp(&c);
    p.join(c, c, 5000);
    give(p.a.port, sh, seed);
    give(p.b.port, sh, seed + 1);
    ta.start(&p.a, seed, n, (uint32_t)sh.mps);
    tb.start(&p.b, seed + 1, n, (uint32_t)sh.mps);
    EXPECT_EQ(SIM_OK, p.run(SIM_MS * 1000));
    r.a = p.a.got, r.b = p.b.got;
    r.wire = sim_fingerprint_of(p.s).wire;
    sim_stat_each(
        p.s,
        [](void *arg, const char *path, const char *, const char *, uint64_t v) {
            (*static_cast<std::map<std::string, uint64_t> *>(arg))[path] = v;
        },
        &r.stats);
    EXPECT_EQ(0u, mem_pool_in_use(p.a.pool));
    EXPECT_EQ(0u, mem_pool_in_use(p.b.pool));
    return r;
}

void expect_same_in_each_order(const Shape &shape)
{
    const unsigned n = 1000;
    const Result want = run(shape, {}, true, n, 5);
    const Result one = run(shape, {}, false, n, 5);

    EXPECT_TRUE(want.a == one.a);
    EXPECT_TRUE(want.b == one.b);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        const sim_order order = { (seed & 1) != 0, (seed & 2) != 0, seed };
        const Result r = run(shape, order, true, n, 5);

        EXPECT_TRUE(want.a == r.a);
        EXPECT_TRUE(want.b == r.b);
        EXPECT_EQ(want.wire, r.wire);
        EXPECT_TRUE(want.stats == r.stats);
        const sim_order ties = { true, false, seed };
        const Result r1 = run(shape, ties, false, n, 5);
        EXPECT_TRUE(one.a == r1.a);
        EXPECT_TRUE(one.b == r1.b);
        EXPECT_EQ(one.wire, r1.wire);
        EXPECT_TRUE(one.stats == r1.stats);
    }
}

class LossyRandom : public ::testing::TestWithParam<Shape>
{
};

TEST_P(LossyRandom, NothingIsLostDoubledOrOutOfOrder)
{
    const unsigned n = 3000;
    Result r = run(GetParam(), {}, true, n, 17);

    test::expect_legal(r.a, n);
    test::expect_legal(r.b, n);
    EXPECT_LT(10u, r.stats["a.tx.replays"] + r.stats["b.tx.replays"]);
    EXPECT_LT(10u, r.stats["a.tx.corrupted_tlps"]);
}

TEST_P(LossyRandom, OrderOfEventsAndTurnsAndPartitionChangeNothing)
{
    expect_same_in_each_order(GetParam());
}

TEST(LossyDown, OrderOfEventsAndTurnsAndPartitionChangeNothing)
{
    for (const Shape &shape : down_shapes) {
        const Result r = run(shape, {}, true, 1000, 5);

        expect_same_in_each_order(shape);
        EXPECT_EQ(6u, std::min<uint64_t>(6, r.stats.at("a.outages")));
        EXPECT_GT(1000u, r.b.size());
        EXPECT_LT(500u, r.b.size());
    }
}

Shape draw(sim_stream *st)
{
    static const uint64_t rates[] = { 500, 1000, 3000, 30000, 300000 };
    Shape sh = {};

    sh.gen = 1 + sim_stream_below(st, 5);
    sh.lanes = UINT64_C(1) << sim_stream_below(st, 5);
    sh.mps = UINT64_C(128) << sim_stream_below(st, 3);
    sh.hdr = sim_stream_below(st, 6); /* 0: infinite */
    sh.data = sh.hdr == 0 ? 0 : sh.mps / 16 * (1 + sim_stream_below(st, 3));
    sh.queue = 1 + sim_stream_below(st, 5);
    sh.replay = 1 + sim_stream_below(st, 12);
    sh.ber_e18 = PCIE_BER_UNIT / rates[sim_stream_below(st, 5)] / (sh.mps / 64);
    sh.faults = (unsigned)sim_stream_below(st, 64);
    if (sh.lanes == 1 || sh.gen == 1)
        sh.faults &= ~(unsigned)DEGRADE;
    return sh;
}

TEST(LossyAny, LinkWithAnyFaultsKeepsTheRules)
{
    sim_stream st;

    sim_stream_init(&st, 42, "shapes");
    for (uint64_t i = 0; i < 250; i++) {
        const Shape sh = draw(&st);
        const Result want = run(sh, {}, (i & 1) != 0, 200, i);
        const Result r = run(sh, { true, true, i }, (i & 1) != 0, 200, i);

        EXPECT_TRUE(want.a == r.a);
        EXPECT_TRUE(want.b == r.b);
        EXPECT_TRUE(want.stats == r.stats);
        if ((sh.faults & DOWN) == 0) {
            test::expect_legal(r.a, 200);
            test::expect_legal(r.b, 200);
        }
        ASSERT_FALSE(HasFailure()) << "shape " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Links, LossyRandom, ::testing::ValuesIn(shapes));

} // namespace
