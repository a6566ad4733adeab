/* A link on which packets are lost: nothing that its users see may be. */
#include "link_faults.h"
#include "link_fixture.h"

#include "pcie/lossy/lossy_impl.h"

#include <cmath>

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

/* At its time; until then the link costs no events. */
TEST_F(Lossy, ALaggingTlpGoesWhenItMay)
{
    Pair q;

    join();
    q.join(gen2(), gen2(), 10000);
    fa.nth.push_back({ PCIE_FAULT_TLP, PCIE_FAULT_DROP, 1000000 });
    fa.give(p.a.port);
    for (Pair *x : { &p, &q }) {
        x->settle();
        uint64_t events = sim_events_run(x->s);
        sim_time_t now = sim_reached(x->s);

        x->a.lag_ps = 100000;
        x->a.add(PCIE_MWR, 256);
        x->a.kick();
        EXPECT_EQ(SIM_OK, x->run());
        ASSERT_EQ(1u, x->b.got.size());
        /* 80 ns and 80 ns of hard blocks, 10 ns of wire, 280 symbols of 250 ps */
        EXPECT_NEAR((double)(now + 100000 + 170000 + 70000), (double)x->b.got[0].time, 4000);
        EXPECT_GT(50u, sim_events_run(x->s) - events);
    }
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

/* Tables 3-4 to 3-6 (3.5.2.1) in symbol times, and the round trip over wire and hard blocks. */
TEST(LossyTimer, IsThatOfTheTable)
{
    const struct {
        uint64_t gen, lanes, mps, symbol_times, ps_per_symbol_time;
    } rows[] = {
        { 1, 1, 128, 711, 4000 }, { 1, 4, 128, 219, 4000 }, { 1, 8, 128, 201, 4000 },
        { 1, 8, 256, 321, 4000 }, { 1, 8, 512, 258, 4000 }, { 1, 16, 1024, 450, 4000 },
        { 2, 1, 128, 864, 2000 }, { 2, 8, 256, 474, 2000 }, { 2, 16, 128, 297, 2000 },
    };

    for (const auto &row : rows) {
        sim_time_t came[2];

        for (unsigned lost = 0; lost < 2; lost++) {
            Pair p;
            Faults f;
            pcie_port_config c = gen2();

            c.gen = row.gen, c.lanes = row.lanes, c.mps_bytes = row.mps;
            test::set_credits(&c, 0, 0);
            p.join(c, c, 10000);
            f.nth.push_back({ PCIE_FAULT_TLP, PCIE_FAULT_DROP, lost != 0 ? 1u : 1000u });
            f.give(p.a.port);
            p.a.add(PCIE_MWR, 64);
            p.a.kick();
            EXPECT_EQ(SIM_OK, p.run());
            ASSERT_EQ(1u, p.b.got.size());
            came[lost] = p.b.got[0].time;
        }

        /* The TLP goes again, from the next symbol time on. */
        const sim_time_t tlp = 84 * row.ps_per_symbol_time / row.lanes;
        const sim_time_t timer = row.symbol_times * row.ps_per_symbol_time + 340000;

        EXPECT_LE(timer + tlp, came[1] - came[0]) << row.gen << " " << row.lanes;
        EXPECT_GE(timer + tlp + row.ps_per_symbol_time, came[1] - came[0]);
    }
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

/* One DLLP is lost or corrupted: each in turn, either direction, InitFC and all. */
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
    fa.ber_e18 = fb.ber_e18 = PCIE_BER_UNIT / 100000;
    fa.give(p.a.port);
    fb.give(p.b.port);
    writes(20000);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(20000);
    EXPECT_LT(100u, p.stat("b.rx.bad_lcrc"));
    EXPECT_LT(0u, p.stat("a.rx.bad_dllps"));
}

/* What two ends do by themselves: replays in vain make one train, the other follows. */
TEST_F(Lossy, ReplaysInVainRetrainTheLink)
{
    join();
    for (uint64_t n = 1; n <= 8; n++)
        fa.nth.push_back({ PCIE_FAULT_TLP, PCIE_FAULT_DROP, n });
    fa.give(p.a.port);
    writes(1);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(1);
    EXPECT_EQ(8u, p.stat("a.tx.replay_timeouts"));
    EXPECT_EQ(2u, p.stat("a.retrains"));
    EXPECT_EQ(2u, p.stat("b.retrains"));
    EXPECT_LT(8 * SIM_US, p.b.got[0].time); /* twice recovery_ps, and eight times the timer */
}

/* 128b/130b has no END, and a framing token that is hit stops the receiver until it has trained. */
TEST_F(Lossy, ABrokenTokenRetrainsALinkOf8GTps)
{
    pcie_port_config c = gen2();

    c.gen = 3;
    join(c);
    fa.ber_e18 = PCIE_BER_UNIT / 30000;
    fa.give(p.a.port);
    writes(2000);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(2000);
    EXPECT_LT(0u, p.stat("b.rx.framing_errors"));
    EXPECT_EQ(p.stat("a.retrains"), p.stat("b.retrains"));
}

TEST_F(Lossy, ARetrainingKeepsTheStateOfTheDataLink)
{
    join();
    fa.outages.push_back({ 3 * SIM_US, 5 * SIM_US, false });
    fa.give(p.a.port);
    writes(100);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(100);
    for (const Arrival &a : p.b.got)
        EXPECT_TRUE(a.time < 3 * SIM_US || a.time > 8 * SIM_US) << a.time;
    EXPECT_LT(0u, p.stat("a.tx.replayed_tlps"));
    EXPECT_EQ(0u, p.stat("a.tx.discarded_tlps"));
}

/* What is under way is lost, and said to be; then all begins anew, credits too. */
TEST_F(Lossy, ALinkThatGoesDownLosesWhatIsUnderWayAndComesUpEmpty)
{
    pcie_port_config c = gen2();
    size_t lost;

    test::set_credits(&c, 4, 64);
    join(c);
    fb.outages.push_back({ 3 * SIM_US, 5 * SIM_US, true });
    fb.give(p.b.port);
    p.b.consume = false; /* those that were received before still lie in the buffer */
    writes(100);
    EXPECT_EQ(SIM_ERR_LIMIT, p.run(4 * SIM_US));
    EXPECT_FALSE(pcie_port_is_up(p.a.port));
    EXPECT_FALSE(pcie_port_is_up(p.b.port));
    EXPECT_EQ((std::vector<bool>{ false }), p.a.told);
    EXPECT_EQ((std::vector<bool>{ false }), p.b.told);
    EXPECT_EQ(4u, p.b.got.size());
    EXPECT_EQ(0u, mem_pool_in_use(p.a.pool));
    lost = p.stat("a.tx.discarded_tlps");
    EXPECT_EQ(100u, p.a.todo.size() + p.b.got.size() + lost);

    EXPECT_EQ(SIM_OK, p.run());
    EXPECT_EQ((std::vector<bool>{ false, true }), p.a.told);
    EXPECT_TRUE(pcie_port_is_up(p.a.port));
    writes(4);
    EXPECT_EQ(SIM_OK, p.run());
    EXPECT_EQ(8u, p.b.got.size()); /* four more places */
    for (unsigned i = 0; i < 8; i++)
        pcie_port_consume(p.b.port, PCIE_POSTED, 16);
    writes(4);
    EXPECT_EQ(SIM_OK, p.run());
    EXPECT_EQ(12u, p.b.got.size());
}

/* What was received before the link went down may be consumed after what came since. */
TEST_F(Lossy, CreditsOfBothSidesOfAnOutageComeBackInAnyOrder)
{
    pcie_port_config c = gen2();

    test::set_credits(&c, 4, 64);
    join(c);
    fb.outages.push_back({ 3 * SIM_US, 5 * SIM_US, true });
    fb.give(p.b.port);
    p.b.consume = false;
    writes(1, 16);
    EXPECT_EQ(SIM_OK, p.run());
    EXPECT_TRUE(pcie_port_is_up(p.b.port));
    writes(1, 256);
    EXPECT_EQ(SIM_OK, p.run());
    ASSERT_EQ(2u, p.b.got.size());
    EXPECT_EQ(2u, pcie_port_held(p.b.port, PCIE_POSTED));
    pcie_port_consume(p.b.port, PCIE_POSTED, 16);
    pcie_port_consume(p.b.port, PCIE_POSTED, 1);
    EXPECT_EQ(0u, pcie_port_held(p.b.port, PCIE_POSTED));
    writes(8, 256); /* four go, which needs all credits */
    EXPECT_EQ(SIM_OK, p.run());
    EXPECT_EQ(6u, p.b.got.size());
}

TEST_F(Lossy, ALinkThatLosesLanesAndSpeedGoesOnSlower)
{
    const auto gap = [this](size_t i) { return p.b.got[i].time - p.b.got[i - 1].time; };

    join();
    fa.degrades.push_back({ 10 * SIM_US, 0, 4 });
    fb.degrades.push_back({ 30 * SIM_US, 1, 0 });
    fa.give(p.a.port);
    fb.give(p.b.port);
    writes(400);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(400);
    EXPECT_EQ(69 * SIM_NS, gap(20)); /* 276 symbols: Gen2 x8, x4, Gen1 x4 */
    EXPECT_EQ(138 * SIM_NS, gap(200));
    EXPECT_EQ(276 * SIM_NS, gap(399));
}

TEST_F(Lossy, StuckCreditsHoldTheSenderUntilTheyAreTold)
{
    join();
    fb.stuck.push_back({ 0, 50 * SIM_US, PCIE_POSTED });
    fb.give(p.b.port);
    writes(100);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(100);
    EXPECT_LT(p.b.got[31].time, 5 * SIM_US);
    EXPECT_GT(p.b.got[32].time, 50 * SIM_US);
}

/* 2.6.1.2: again within 30 to 45 us. Behind six InitFC and an ACK comes the first UpdateFC. */
TEST_F(Lossy, ALostUpdateOfCreditsIsRepeated)
{
    pcie_port_config c = gen2();

    test::set_credits(&c, 1, 16);
    join(c);
    fb.nth.push_back({ PCIE_FAULT_DLLP, PCIE_FAULT_CORRUPT, 8 });
    fb.give(p.b.port);
    writes(2);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(2);
    EXPECT_LT(30 * SIM_US, p.b.got[1].time - p.b.got[0].time);
    EXPECT_GT(45 * SIM_US, p.b.got[1].time - p.b.got[0].time);
}

TEST_F(Lossy, FaultsAreAddedToThoseBefore)
{
    join();
    fa.nth.push_back({ PCIE_FAULT_TLP, PCIE_FAULT_DROP, 3 });
    fa.give(p.a.port);
    fb.nth.push_back({ PCIE_FAULT_TLP, PCIE_FAULT_CORRUPT, 4 });
    fb.give(p.a.port);
    writes(20);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(20);
    EXPECT_EQ(2u, p.stat("a.tx.corrupted_tlps"));
    EXPECT_EQ(1u, p.stat("b.rx.bad_lcrc"));
    EXPECT_EQ(1u, p.stat("a.tx.replays"));
}

TEST_F(Lossy, CreditsStuckForEverLeaveALinkAtRest)
{
    join();
    fb.stuck.push_back({ 0, SIM_TIME_NEVER, PCIE_POSTED });
    fb.give(p.b.port);
    writes(100);
    EXPECT_EQ(SIM_OK, p.run());
    EXPECT_EQ(32u, p.b.got.size());
    EXPECT_STREQ("posted header credits", pcie_port_lacks(p.a.port, PCIE_POSTED));
}

/* 5 km: the table's timer is a fiftieth of the round trip. */
TEST_F(Lossy, ALongCableDoesNotReplayWhatArrives)
{
    p.join(gen2(), gen2(), 25 * SIM_US);
    fa.nth.push_back({ PCIE_FAULT_TLP, PCIE_FAULT_DROP, 100 });
    fa.give(p.a.port);
    writes(200);
    EXPECT_EQ(SIM_OK, p.run());
    expect_all(200);
    EXPECT_EQ(1u, p.stat("a.tx.replays"));
}

/* Errors in bits of packets follow the rate, to four standard deviations. */
TEST_F(Lossy, AsManyBitsAreHitAsTheRateSays)
{
    for (uint64_t ber : { PCIE_BER_UNIT / 1000000, PCIE_BER_UNIT / 10000, PCIE_BER_UNIT / 100 }) {
        Pair q;
        Faults f;

        q.join(gen2(), gen2(), 10000);
        f.ber_e18 = ber;
        f.give(q.a.port);
        for (unsigned i = 0; i < 4000; i++)
            q.a.add(PCIE_MWR, ber > PCIE_BER_UNIT / 1000 ? 4 : 256);
        q.a.kick();
        q.run(300 * SIM_US);

        const double expected = (double)q.stat("a.tx.wire_symbols") * 10 * (double)ber / 1e18;
        EXPECT_NEAR(expected, (double)q.stat("a.tx.bit_errors"), 4 * std::sqrt(expected) + 1);
    }
}

/* An outage may begin in the middle of anything: what arrived is a part of what was sent, in order,
 * and a link that is up again carries all that is sent then. */
TEST(LossyOutage, MayBeginAtAnyTime)
{
    const sim_time_t lasts[] = { 1, 60 * SIM_NS, 500 * SIM_NS, 40 * SIM_US };

    for (sim_time_t at = 0; at < 4 * SIM_US; at += 13117) {
        for (unsigned i = 0; i < 8; i++) {
            const sim_order ties = { true, false, at };
            const sim_config cfg = { 1, false, ties, nullptr, true };
            Pair p(cfg, false);
            Faults fa, fb;
            pcie_port_config c = gen2();
            const bool down = i >= 4;

            test::set_credits(&c, 3, 48);
            c.replay_tlps = 6, c.tx_queue_tlps = 2;
            p.join(c, c, 10000);
            fa.outages.push_back({ at, lasts[i % 4], down });
            fa.outages.push_back({ at + 100 * SIM_NS, 300 * SIM_NS, false });
            fa.nth.push_back({ PCIE_FAULT_TLP, PCIE_FAULT_CORRUPT, 7 });
            fb.degrades.push_back({ at + 1 * SIM_US, 0, 4 });
            fa.give(p.a.port);
            fb.give(p.b.port);
            for (test::End *e : { &p.a, &p.b }) {
                e->consume_delay = [](const pcie_tlp &) { return 300 * SIM_NS; };
                for (unsigned n = 0; n < 40; n++)
                    e->add(n % 3 == 1 ? PCIE_CPLD : PCIE_MWR, 128);
                e->kick();
            }
            ASSERT_EQ(SIM_OK, p.run(SIM_MS * 100));
            for (test::End *e : { &p.a, &p.b }) {
                ASSERT_TRUE(pcie_port_is_up(e->port));
                ASSERT_TRUE(e->todo.empty());
                if (!down) {
                    ASSERT_EQ(counting(40), ids(*e));
                }
                for (size_t n = 1; n < e->got.size(); n++)
                    ASSERT_LT(e->got[n - 1].id, e->got[n].id);
                e->got.clear();
                for (unsigned n = 0; n < 20; n++)
                    e->add(PCIE_MWR, 128);
                e->kick();
            }
            ASSERT_EQ(SIM_OK, p.run(SIM_MS * 100));
            for (test::End *e : { &p.a, &p.b }) {
                ASSERT_EQ(20u, e->got.size()) << at << " " << i;
                ASSERT_EQ(0u, mem_pool_in_use(e->pool));
            }
        }
    }
}

/* A TLP or DLLP that a CRC lets through though it was never sent is behaviour, not a failure of
 * ours. */
TEST_F(Lossy, WhatDeceivesACrcIsTakenOrRefused)
{
    struct {
        wire_tlp rec;
        uint8_t frame[PCIE_FRAME_MAX];
    } wire = {};
    alignas(8) wire_damaged dllp = {}; /* as records in channels are */
    const pcie_dllp update = { PCIE_DLLP_UPDATEFC, PCIE_POSTED, 0, 100, 9, 0, 0 };
    pcie_tlp tlp = p.a.make(PCIE_MWR, 512);

    join();
    fa.give(p.a.port);
    EXPECT_EQ(SIM_OK, p.run());
    wire.rec.damage = DAMAGE_BYTES;
    wire.rec.payload_bytes = pcie_frame_encode(&tlp, 0, wire.frame);
    pcie_lossy_receive(p.b.port, &wire.rec); /* larger than any may be */
    EXPECT_EQ(1u, p.stat("b.rx.bad_lcrc"));
    EXPECT_EQ(0u, p.b.got.size());
    EXPECT_EQ(SIM_OK, p.run());
    EXPECT_EQ(1u, p.stat("a.rx.naks"));

    pcie_tlp_drop(&tlp);
    tlp = p.a.make(PCIE_MWR, 64);
    wire.rec.payload_bytes = pcie_frame_encode(&tlp, 0, wire.frame);
    pcie_lossy_receive(p.b.port, &wire.rec);
    EXPECT_EQ(1u, p.b.got.size());
    EXPECT_EQ(SIM_OK, p.run());
    EXPECT_LE(1u, p.stat("a.errors.uncorrectable")); /* the ACK of what it never sent */

    dllp.init = WIRE_DAMAGED;
    dllp.damage = DAMAGE_BYTES;
    pcie_dllp_encode(&update, dllp.bytes);
    pcie_lossy_receive_dllps(p.a.port, reinterpret_cast<const wire_dllp *>(&dllp));
    EXPECT_LE(2u, p.stat("a.errors.uncorrectable")); /* more credits than there are */
    pcie_tlp_drop(&tlp);
}

TEST_F(Lossy, FaultsAreRefusedWithTheirPlace)
{
    sim_error err = {};
    test::Fault burst("burst"), degrade("degrade");

    join();
    burst.values.at_ps = burst.values.for_ps = 10;
    ASSERT_EQ(SIM_OK, burst.give(p.a.port, &err));
    burst.values.at_ps = 15;
    EXPECT_EQ(SIM_ERR_CONFIG, burst.give(p.a.port, &err));
    EXPECT_STREQ("a: fault burst[1] = 15: expected a time after the burst before", err.text);
    err = {}, degrade.values.lanes = 3;
    EXPECT_EQ(SIM_ERR_CONFIG, degrade.give(p.a.port, &err));
    EXPECT_STREQ("a: degrade.lanes = 3: expected 0, 1, 2, 4, 8 or 16", err.text);
    p.run(SIM_US);
    EXPECT_DEATH(test::Fault("bit_error_rate").give(p.a.port, &err), "sim_now");
}

} // namespace
