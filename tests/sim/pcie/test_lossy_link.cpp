/* A link on which packets are lost: nothing that its users see may be. */
#include "link_faults.h"
#include "link_fixture.h"

namespace
{

using test::Arrival;
using test::End;
using test::Faults;
using test::Pair;

/** Gen2 x8 with the latencies of hard blocks. */
pcie_port_config gen2()
{
    pcie_port_config c = test::wide_config(2, 8, 256);

    c.tx_latency_ps = c.rx_latency_ps = 80000;
    c.recovery_ps = 2 * SIM_US;
    test::set_credits(&c, 32, 512);
    return c;
}

std::vector<uint64_t> ids(const End &e)
{
    std::vector<uint64_t> v;

    for (const Arrival &a : e.got)
        v.push_back(a.id);
    return v;
}

std::vector<uint64_t> counting(uint64_t n)
{
    std::vector<uint64_t> v(n);

    for (uint64_t i = 0; i < n; i++)
        v[i] = i;
    return v;
}

struct Lossy : ::testing::Test {
    Pair p;
    Faults fa, fb;

    void join(const pcie_port_config &c = gen2()) { p.join(c, c, 10000); }
    /** n writes from a to b. */
    void writes(unsigned n, uint32_t bytes = 256)
    {
        for (unsigned i = 0; i < n; i++)
            p.a.add(PCIE_MWR, bytes);
        p.a.kick();
    }
    void expect_all(uint64_t n)
    {
        EXPECT_EQ(counting(n), ids(p.b));
        EXPECT_EQ(0u, mem_pool_in_use(p.a.pool));
        EXPECT_EQ(0u, mem_pool_in_use(p.b.pool));
    }
};

TEST_F(Lossy, WithoutErrorsTimesAreThoseOfALinkThatCannotLose)
{
    Pair q;

    join();
    q.join(gen2(), gen2(), 10000);
    fa.nth.push_back({ PCIE_FAULT_TLP, PCIE_FAULT_DROP, 1000000 });
    fa.give(p.a.port);
    for (Pair *x : { &p, &q }) {
        for (unsigned i = 0; i < 200; i++)
            x->a.add(PCIE_MWR, 256), x->b.add(PCIE_MRD, 64);
        x->a.kick(), x->b.kick();
        EXPECT_EQ(SIM_OK, x->run());
    }
    EXPECT_TRUE(p.a.got == q.a.got);
    EXPECT_TRUE(p.b.got == q.b.got);
    EXPECT_EQ(q.stat("a.tx.wire_symbols"), p.stat("a.tx.wire_symbols"));
}

TEST_F(Lossy, ACorruptTlpIsAnsweredByNakAndSentAgain)
{
    join();
    fa.nth.push_back({ PCIE_FAULT_TLP, PCIE_FAULT_CORRUPT, 3 });
    fa.give(p.a.port);
    writes(10);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(10);
    EXPECT_EQ(1u, p.stat("b.rx.bad_lcrc"));
    EXPECT_EQ(1u, p.stat("b.tx.naks"));
    EXPECT_EQ(1u, p.stat("a.rx.naks"));
    EXPECT_EQ(1u, p.stat("a.tx.replays"));
    EXPECT_EQ(0u, p.stat("a.tx.replay_timeouts"));
    EXPECT_EQ(0u, p.stat("b.rx.duplicates"));
}

TEST_F(Lossy, ALostTlpIsNoticedByTheNextOne)
{
    join();
    fa.nth.push_back({ PCIE_FAULT_TLP, PCIE_FAULT_DROP, 3 });
    fa.give(p.a.port);
    writes(10);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(10);
    EXPECT_EQ(1u, p.stat("b.tx.naks"));
    EXPECT_EQ(0u, p.stat("a.tx.replay_timeouts"));
    EXPECT_LT(0u, p.stat("b.rx.bad_sequence"));
}

TEST_F(Lossy, TheLastTlpIsSentAgainWhenTheReplayTimerEnds)
{
    join();
    fa.nth.push_back({ PCIE_FAULT_TLP, PCIE_FAULT_DROP, 10 });
    fa.give(p.a.port);
    writes(10);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(10);
    EXPECT_EQ(1u, p.stat("a.tx.replay_timeouts"));
    EXPECT_EQ(0u, p.stat("b.tx.naks"));
}

TEST_F(Lossy, NullifiedTlpsAreIgnored)
{
    join();
    fa.nth.push_back({ PCIE_FAULT_TLP, PCIE_FAULT_NULLIFY, 4 });
    fa.give(p.a.port);
    writes(10);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(10);
    EXPECT_EQ(1u, p.stat("b.rx.nullified_tlps"));
    EXPECT_EQ(0u, p.stat("a.tx.replays"));
    EXPECT_EQ(0u, p.stat("b.rx.bad_lcrc"));
}

TEST_F(Lossy, DuplicatesAreAcknowledgedAndDropped)
{
    join();
    fa.nth.push_back({ PCIE_FAULT_TLP, PCIE_FAULT_DUPLICATE, 4 });
    fa.give(p.a.port);
    writes(10);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(10);
    EXPECT_EQ(1u, p.stat("b.rx.duplicates"));
    EXPECT_EQ(0u, p.stat("a.tx.replays"));
}

/* Of each DLLP either way, InitFC and all, one is lost or corrupted. */
TEST(LossyDllp, NoneIsNeededMoreThanOnce)
{
    for (int effect : { PCIE_FAULT_CORRUPT, PCIE_FAULT_DROP }) {
        for (uint64_t n = 1; n < 40; n++) {
            Pair p;
            Faults fa, fb;
            pcie_port_config c = gen2();

            test::set_credits(&c, 2, 32);
            p.join(c, c, 10000);
            fa.nth.push_back({ PCIE_FAULT_DLLP, (pcie_fault_effect)effect, n });
            fa.give(p.a.port);
            fb.nth = fa.nth;
            fb.give(p.b.port);
            for (unsigned i = 0; i < 20; i++)
                p.a.add(PCIE_MWR, 256);
            p.a.kick();
            EXPECT_EQ(SIM_OK, p.run());
            EXPECT_EQ(counting(20), ids(p.b)) << n;
        }
    }
}

TEST_F(Lossy, UnderBitErrorsNothingIsLost)
{
    join();
    fa.cfg.ber_e18 = fb.cfg.ber_e18 = PCIE_BER_UNIT / 100000;
    fa.give(p.a.port);
    fb.give(p.b.port);
    writes(20000);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(20000);
    EXPECT_LT(100u, p.stat("b.rx.bad_lcrc"));
    EXPECT_LT(0u, p.stat("a.rx.bad_dllps"));
}

} // namespace
