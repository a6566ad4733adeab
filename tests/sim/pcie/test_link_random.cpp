/* Random traffic through tiny buffers: nothing lost, doubled or out of order, in any event order.
 */
#include "link_traffic.h"

namespace
{

using test::Arrival;
using test::End;
using test::Pair;
using test::Traffic;

struct Shape {
    uint64_t gen, lanes, mps, hdr, data, queue, replay;
};

const Shape shapes[] = {
    { 2, 8, 128, 1, 8, 1, 1 },       { 2, 8, 256, 3, 20, 2, 3 },   { 1, 1, 128, 2, 16, 4, 2 },
    { 3, 4, 256, 8, 64, 3, 7 },      { 5, 16, 512, 5, 40, 8, 4 },  { 2, 4, 256, 127, 2047, 8, 64 },
    { 4, 2, 4096, 2, 300, 2, 2047 }, { 2, 16, 256, 0, 0, 16, 16 },
};

struct Result {
    std::vector<Arrival> a, b;
    uint64_t wire;
    std::map<std::string, uint64_t> stats;
};

Result run(const Shape &sh, const sim_order &order, bool two_domains, unsigned n, uint64_t seed)
{
    const sim_config cfg = { 1, true, order, nullptr, true };
    Pair p(cfg, two_domains);
    pcie_port_config c = test::wide_config(sh.gen, sh.lanes, sh.mps);
    Traffic ta, tb;
    Result r;

    test::set_credits(&c, sh.hdr, sh.data);
    c.tx_queue_tlps = sh.queue, c.replay_tlps = sh.replay;
    c.tx_latency_ps = 6000, c.rx_latency_ps = 10000;
    test::set_default_skp(&c);
    p.join(c, c, 5000);
    ta.start(&p.a, seed, n, (uint32_t)sh.mps);
    tb.start(&p.b, seed + 1, n, (uint32_t)sh.mps);
    EXPECT_EQ(SIM_OK, p.run());
    r.a = p.a.got, r.b = p.b.got;
    r.wire = sim_fingerprint_of(p.s).wire;
    sim_stat_each(
        p.s,
        [](void *arg, const char *path, const char *, const char *, uint64_t v) {
            (*static_cast<std::map<std::string, uint64_t> *>(arg))[path] = v;
        },
        &r.stats);
    p.settle();
    EXPECT_EQ(0u, mem_pool_in_use(p.a.pool));
    EXPECT_EQ(0u, mem_pool_in_use(p.b.pool));
    return r;
}

class Random : public ::testing::TestWithParam<Shape>
{
};

TEST_P(Random, NothingIsLostDoubledOrOutOfOrder)
{
    const unsigned n = 3000;
    Result r = run(GetParam(), {}, true, n, 17);

    expect_legal(r.a, n);
    expect_legal(r.b, n);
    EXPECT_EQ(0u, r.stats["a.rx.bad_sequence"] + r.stats["b.rx.bad_sequence"]);
}

TEST_P(Random, OrderOfEventsAndTurnsAndPartitionChangeNothing)
{
    const unsigned n = 1500;
    const Result want = run(GetParam(), {}, true, n, 5);
    const Result one = run(GetParam(), {}, false, n, 5);

    EXPECT_TRUE(want.a == one.a);
    EXPECT_TRUE(want.b == one.b);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        const sim_order order = { (seed & 1) != 0, (seed & 2) != 0, seed };
        const Result r = run(GetParam(), order, true, n, 5);

        EXPECT_TRUE(want.a == r.a);
        EXPECT_TRUE(want.b == r.b);
        EXPECT_EQ(want.wire, r.wire);
        EXPECT_TRUE(want.stats == r.stats);
        const sim_order ties = { true, false, seed };
        const Result r1 = run(GetParam(), ties, false, n, 5);
        EXPECT_TRUE(one.a == r1.a);
        EXPECT_TRUE(one.b == r1.b);
        EXPECT_EQ(one.wire, r1.wire);
        EXPECT_TRUE(one.stats == r1.stats);
    }
}

INSTANTIATE_TEST_SUITE_P(Links, Random, ::testing::ValuesIn(shapes));

} // namespace
