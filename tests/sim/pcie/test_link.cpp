/* Timing of single packets, credits, windows, and rules of one link. */
#include "link_fixture.h"

#include "pcie/port/dll.h"

#include <algorithm>

namespace
{

using test::End;
using test::Pair;

/* ---- symbols and columns ---- */

TEST(Phy, SymbolTimesAreThoseOfTheLineRates)
{
    const struct {
        uint32_t gen, lanes;
        uint64_t symbols;
        sim_time_t ps;
    } cases[] = { { 1, 1, 1, 4000 },      { 2, 1, 1, 2000 },
                  { 2, 8, 8, 2000 },      { 2, 8, 280, 70000 },
                  { 3, 1, 128, 130000 },  { 4, 1, 128, 65000 },
                  { 5, 16, 2048, 32500 }, { 3, 16, 1u << 20, 66560000 } };

    for (const auto &c : cases) {
        pcie_phy phy;

        pcie_phy_init(&phy, c.gen, c.lanes, 0);
        EXPECT_EQ(c.ps, pcie_phy_ps(&phy, c.symbols)) << c.gen << "x" << c.lanes;
    }
}

TEST(Phy, PacketsFollowEachOtherAtFourSymbolsAndBeginInLaneZeroAfterIdle)
{
    pcie_phy phy;

    pcie_phy_init(&phy, 2, 8, 0); /* 250 ps a symbol, 2 ns a column */
    EXPECT_EQ(7000u, pcie_phy_send(&phy, 0, 28));
    EXPECT_EQ(14000u, pcie_phy_send(&phy, 7000, 28)); /* in the middle of a column */
    EXPECT_EQ(18000u, pcie_phy_send(&phy, 15000, 8)); /* idle: from 16 ns */
    EXPECT_EQ(20000u, pcie_phy_send(&phy, 1000, 8));  /* ready long ago: no idle between */
    pcie_phy_init(&phy, 1, 16, 0);                    /* 4 ns a column */
    EXPECT_EQ(4000u + 5000, pcie_phy_send(&phy, 1, 20));
}

TEST(Phy, RoundingErrorDoesNotAccumulate)
{
    pcie_phy phy;

    pcie_phy_init(&phy, 3, 8, 0); /* 8125/64 ps a symbol */
    for (uint64_t i = 1; i <= 1000000; i++)
        ASSERT_EQ(i * 28 * 8125 / 64, pcie_phy_send(&phy, 0, 28));
}

TEST(Phy, SkipOrderedSetsGoBetweenPacketsAndCostNothingInIdleTime)
{
    pcie_phy phy;

    pcie_phy_init(&phy, 2, 4, 100); /* a set of 4 columns from column 100 on; 2 ns a column */
    EXPECT_EQ(202000u, pcie_phy_send(&phy, 0, 404));      /* ends at column 101 */
    EXPECT_EQ(212000u, pcie_phy_send(&phy, 202000, 4));   /* 4 columns of SKP before it */
    EXPECT_EQ(1002000u, pcie_phy_send(&phy, 1000000, 4)); /* many fell due in idle time */
    /* A long packet: three sets are made up for. */
    EXPECT_EQ(1002000u + 600000 + 0, pcie_phy_send(&phy, 1002000, 1200));
    EXPECT_EQ(1602000u + 3 * 8000 + 2000, pcie_phy_send(&phy, 1602000, 4));

    pcie_phy_init(&phy, 3, 4, 100);
    (void)pcie_phy_send(&phy, 0, 404);
    /* EDS token, filled up to a block of 16 columns (112), one block: column 128. */
    EXPECT_EQ((128u * 4 + 4) * 8125 / 32, pcie_phy_send(&phy, 0, 4));
}

/* ---- one TLP ---- */

pcie_port_config gen2x8()
{
    pcie_port_config c = test::wide_config(2, 8, 256);

    c.tx_latency_ps = 7000, c.rx_latency_ps = 11000;
    return c;
}

TEST(Link, ATlpArrivesAfterItsSymbolsAndTheLatencies)
{
    Pair p;

    p.join(gen2x8(), gen2x8(), 13000);
    ASSERT_EQ(SIM_OK, p.run()); /* flow control initialises */
    ASSERT_TRUE(pcie_port_is_up(p.a.port) && pcie_port_is_up(p.b.port));
    /* Each end sends two sets of three InitFC, nothing else. */
    EXPECT_EQ(6u, p.stat("a.tx.dllps"));

    sim_time_t start = sim_reached(p.s) + 1;
    sim_time_t column = (start + 1999) / 2000 * 2000;
    p.a.add(PCIE_MWR, 256); /* 8 + 12 + 256 symbols at 250 ps */
    sim_schedule_at(p.a.dom, &p.a.pump_hook.ev, start, SIM_CLOCK);
    p.run();
    ASSERT_EQ(1u, p.b.got.size());
    EXPECT_EQ(column + 276 * 250 + 7000 + 13000 + 11000, p.b.got[0].time);
}

TEST(Link, AnIdleLinkNeedsNoEventToSend)
{
    Pair p;

    p.join(gen2x8(), gen2x8());
    p.run();
    uint64_t before = sim_events_run(p.s);
    p.a.add(PCIE_MWR, 64);
    p.a.kick();
    p.run();
    /* The source's event, the delivery, and the timer of the ACK, which no one waits for. */
    EXPECT_EQ(3u, sim_events_run(p.s) - before);
}

TEST(Link, RunsAtTheSmallerGenerationWidthAndPayloadOfItsEnds)
{
    Pair p;

    p.join(test::wide_config(3, 16, 512), test::wide_config(2, 4, 256));
    for (End *e : { &p.a, &p.b }) {
        EXPECT_EQ(256u, pcie_port_mps(e->port));
        EXPECT_EQ(2000u, pcie_phy_ps(&e->port->phy, 4));
    }
}

TEST(Link, TlpsWaitUntilFlowControlIsInitialised)
{
    Pair p;

    p.join(gen2x8(), gen2x8());
    EXPECT_FALSE(pcie_port_is_up(p.a.port));
    p.a.add(PCIE_MWR, 8);
    p.a.pump();
    EXPECT_TRUE(p.a.todo.empty());
    p.run();
    ASSERT_EQ(1u, p.b.got.size());
    /* InitFC1 there, InitFC2 back, each three DLLPs and the latencies. */
    EXPECT_GT(p.b.got[0].time, 2 * (24 * 250 + 18000u) + 28 * 250 + 18000u);
}

TEST(Link, EveryKindOfTlpArrivesAsItWasSent)
{
    const sim_config cfg = { 1, true, {}, nullptr, true };
    Pair p(cfg);
    std::vector<uint64_t> sent;

    p.join(gen2x8(), gen2x8());
    p.a.add(PCIE_MWR, 256), p.a.add(PCIE_MWR, 1), p.a.add(PCIE_MRD, 4096), p.a.add(PCIE_CPLD, 128);
    p.a.add(PCIE_CPL), p.a.add(PCIE_CFGWR0), p.a.add(PCIE_CFGRD0);
    for (const pcie_tlp &t : p.a.todo)
        sent.push_back(pcie_tlp_hash(&t));
    p.a.kick();
    p.run();
    ASSERT_EQ(sent.size(), p.b.got.size());
    for (size_t i = 0; i < sent.size(); i++)
        EXPECT_EQ(sent[i], p.b.got[i].hash);
    EXPECT_NE(0u, sim_fingerprint_of(p.s).wire);
    EXPECT_EQ(0u, mem_pool_in_use(p.a.pool)); /* acknowledged, so the replay buffer is empty */
    EXPECT_EQ(0u, mem_pool_in_use(p.b.pool));
}

TEST(Link, CountsWhatItSends)
{
    Pair p;

    p.join(gen2x8(), gen2x8());
    for (int i = 0; i < 16; i++)
        p.a.add(PCIE_MWR, 256);
    p.a.kick();
    p.run();
    EXPECT_EQ(16u, p.stat("a.tx.tlps"));
    EXPECT_EQ(16u * 256, p.stat("a.tx.payload_bytes"));
    EXPECT_EQ(16u * 276 + 6 * 8, p.stat("a.tx.wire_symbols"));
    EXPECT_EQ(16u, p.stat("b.rx.tlps"));
    EXPECT_EQ(16u * 256, p.stat("b.rx.payload_bytes"));
    EXPECT_EQ(0u, p.stat("b.rx.bad_sequence"));
}

/* ---- data link ---- */

TEST(Dll, LatencyLimitsAreThoseOfTheSpecificationsTables)
{
    const struct {
        uint32_t gen, lanes, mps;
        uint64_t symbols;
    } table[] = { /* tables 3-7, 3-8, 3-9 */
                  { 1, 1, 128, 237 },   { 1, 4, 128, 73 },  { 1, 8, 128, 67 },
                  { 1, 16, 128, 48 },   { 1, 1, 256, 416 }, { 1, 8, 256, 107 },
                  { 1, 16, 256, 72 },   { 1, 1, 512, 559 }, { 1, 16, 512, 86 },
                  { 1, 1, 4096, 4143 }, { 2, 1, 128, 288 }, { 2, 8, 256, 158 },
                  { 2, 16, 4096, 585 }, { 3, 1, 128, 333 }, { 3, 8, 256, 203 }
    };

    for (const auto &t : table)
        EXPECT_EQ(t.symbols, pcie_dll_latency_symbols(t.gen, t.lanes, t.mps));
}

TEST(Dll, AcknowledgesWhenTheTimerEndsOrAfterEightTlps)
{
    pcie_port_config c = gen2x8();

    for (unsigned n : { 1u, 7u, 8u, 9u, 16u }) {
        Pair p;

        c.ack_latency_symbols = 5000;
        p.join(c, c);
        for (unsigned i = 0; i < n; i++)
            p.a.add(PCIE_MRD, 4);
        p.a.kick();
        p.run();
        /* One of eight right away, one more by the timer for the rest. */
        EXPECT_EQ(6u + n / 8 + (n % 8 != 0), p.stat("b.tx.dllps")) << n;
        if (n % 8 == 0)
            EXPECT_LT(sim_reached(p.s), p.b.got.back().time + 100 * SIM_NS);
        else /* from the first one that waits for its ACK */
            EXPECT_GE(sim_reached(p.s), p.b.got[n / 8 * 8].time + 5000 * 2000);
    }
}

TEST(Dll, SequenceNumbersWrapAround)
{
    Pair p;

    p.join(gen2x8(), gen2x8());
    for (int i = 0; i < 10000; i++)
        p.a.add(PCIE_MRD, 4);
    p.a.kick();
    p.run();
    EXPECT_EQ(10000u, p.b.got.size());
    EXPECT_EQ(0u, p.stat("b.rx.bad_sequence"));
}

/** Steady rate in TLPs per microsecond. */
double rate(const End &e)
{
    size_t from = e.got.size() / 2, to = e.got.size() - 1;

    return (double)(to - from) * 1e6 / (double)(e.got[to].time - e.got[from].time);
}

TEST(Dll, AFullReplayBufferLimitsToItsSizePerRoundTrip)
{
    pcie_port_config c = gen2x8();
    Pair p;
    const sim_time_t wire = 500 * SIM_NS;

    c.replay_tlps = 4;
    c.ack_latency_symbols = 100;
    p.join(c, c, wire);
    for (int i = 0; i < 400; i++)
        p.a.add(PCIE_MWR, 64);
    p.a.kick();
    p.run();
    /* The first of four arrives after its 84 symbols, its timer runs 100 columns, then the ACK
     * travels 8 symbols: all four have arrived by then. */
    double round = 84 * 0.25 + 18 + 500 + 100 * 2 + 8 * 0.25 + 18 + 500;
    EXPECT_NEAR(1, rate(p.b) / (4 * 1000 / round), 0.02);
    EXPECT_GT(p.stat("a.tx.stall_replay_ps"), 90 * 1000 * SIM_NS);
    EXPECT_EQ(0u, p.stat("a.tx.stall_credit_p_ps"));
}

TEST(Dll, AnAckGoesOutAtOnceBehindSoManyTlps)
{
    for (unsigned n : { 1u, 2u, 5u }) {
        pcie_port_config c = gen2x8();
        Pair p;

        c.ack_tlps = n;
        c.ack_latency_symbols = 5000;
        c.fc_latency_symbols = 5000;
        p.join(c, c);
        p.run();
        uint64_t before = p.stat("b.tx.dllps");
        for (int i = 0; i < 10; i++)
            p.a.add(PCIE_MWR, 64);
        p.a.kick();
        p.run();
        EXPECT_EQ(10 / n, p.stat("b.tx.dllps") - before);
    }
}

TEST(Dll, AWindowOfCreditsLimitsToItsSizePerRoundTrip)
{
    for (unsigned part : { 4u, 2u }) {
        pcie_port_config c = gen2x8();
        Pair p;

        test::set_credits(&c, 8, 8 * 16);
        c.fc_latency_symbols = 5000; /* updates come by parts: two TLPs, or four */
        c.fc_urgent_part = part;
        p.join(c, c, 500 * SIM_NS);
        for (int i = 0; i < 800; i++)
            p.a.add(PCIE_MWR, 256);
        p.a.kick();
        p.run();
        /* One part's TLPs wait for the last one of a round before: their symbols, there and back.
         */
        double round = 8 / part * 276 * 0.25 + 18 + 500 + 8 * 0.25 * 2 + 18 + 500;
        EXPECT_NEAR(1, rate(p.b) / (8 * 1000 / round), 0.02) << part;
        EXPECT_GT(p.stat("a.tx.stall_credit_p_ps"), 50 * 1000 * SIM_NS);
        EXPECT_EQ(0u, p.stat("a.tx.stall_credit_np_ps"));
    }
}

TEST(Dll, EachOfTheSixPoolsStopsItsOwnClassOnly)
{
    for (int pool = 0; pool < 6; pool++) {
        pcie_port_config c = gen2x8();
        uint64_t *const credits[] = { &c.ph_credits, &c.nph_credits, &c.cplh_credits,
                                      &c.pd_credits, &c.npd_credits, &c.cpld_credits };
        Pair p;
        size_t got[3] = {};

        *credits[pool] = pool < 3 ? 2 : pool == 4 ? 2 : 32; /* two TLPs of 256 bytes, or one DW */
        p.b.consume = false;
        p.join(c, c);
        for (int i = 0; i < 5; i++)
            p.a.add(PCIE_MWR, 256), p.a.add(PCIE_CFGWR0), p.a.add(PCIE_CPLD, 256);
        p.a.kick();
        p.run();
        for (const test::Arrival &r : p.b.got)
            got[r.cls]++;
        /* An earlier posted request that waits stops the others too (2.4.1). */
        for (int cls = 0; cls < 3; cls++)
            EXPECT_EQ(cls == pool % 3 || pool % 3 == 0 ? 2u : 5u, got[cls]) << pool << " " << cls;
    }
}

/* ---- ordering, table 2-34 ---- */

/** May `second` pass `first` when `first` lacks credits? */
bool passes(int first, int second)
{
    pcie_port_config c = gen2x8();
    Pair p;

    test::set_credits(&c, 1, 0);
    p.b.consume = false;
    p.join(c, c);
    p.a.add(first, 64); /* takes the one credit of its class */
    p.a.add(first, 64); /* blocked */
    p.a.add(second, 64);
    p.a.kick();
    p.run();
    return p.b.got.size() == 2 && p.b.got[1].id == 2;
}

TEST(Ordering, PostedPassesAllThatIsBlockedAndNothingPassesPosted)
{
    const int P = PCIE_MWR, NP = PCIE_MRD, CPL = PCIE_CPLD;

    EXPECT_TRUE(passes(NP, P));
    EXPECT_TRUE(passes(CPL, P));
    EXPECT_TRUE(passes(NP, CPL));
    EXPECT_TRUE(passes(CPL, NP));
    EXPECT_FALSE(passes(P, NP));
    EXPECT_FALSE(passes(P, CPL));
}

TEST(Ordering, WithCreditsTheOldestGoesFirst)
{
    Pair p;
    const int kinds[] = { PCIE_MWR, PCIE_MRD, PCIE_CPLD };

    p.join(gen2x8(), gen2x8());
    for (int i = 0; i < 60; i++)
        p.a.add(kinds[(i * 7 + i / 5) % 3], 64);
    p.a.kick();
    p.run();
    for (size_t i = 0; i < p.b.got.size(); i++)
        EXPECT_EQ(i, p.b.got[i].id);
}

TEST(Ordering, WhatIsNewerNeverPassesItsOwnClass)
{
    pcie_port_config c = gen2x8();
    Pair p;

    c.mps_bytes = 128;
    c.pd_credits = 8; /* one TLP of 128 bytes; a small one would fit beside a smaller one */
    p.b.consume_delay = [](const pcie_tlp &) { return SIM_US; };
    p.join(c, c);
    p.a.add(PCIE_MWR, 64), p.a.add(PCIE_MWR, 128), p.a.add(PCIE_MWR, 16);
    p.a.kick();
    p.run();
    ASSERT_EQ(3u, p.b.got.size());
    EXPECT_EQ(1u, p.b.got[1].id);
}

/* ---- bad input ---- */

std::string refused(pcie_port_config c)
{
    const sim_config cfg = {};
    sim *s = sim_create(&cfg);
    mem_pool *pool = mem_pool_create();
    pcie_port_user user = {};
    pcie_port *port = nullptr;
    sim_error err = {};
    int rc = pcie_port_create(sim_domain_create(s, "d"), pool, "hub.n", &c, &user, &port, &err);

    EXPECT_EQ(rc, err.code);
    EXPECT_EQ(rc == SIM_OK, port != nullptr);
    pcie_port_destroy(port);
    mem_pool_destroy(pool);
    sim_destroy(s);
    return err.text;
}

TEST(Config, ImpossibleValuesAreRefusedWithTheirKey)
{
    const pcie_port_config good = gen2x8();
    pcie_port_config c;

    EXPECT_EQ("", refused(good));
    c = good, c.lanes = 3;
    EXPECT_EQ("hub.n: lanes = 3: expected 1, 2, 4, 8 or 16", refused(c));
    c = good, c.mps_bytes = 384;
    EXPECT_EQ("hub.n: mps_bytes = 384: expected 128, 256, 512, 1024, 2048 or 4096", refused(c));
    c = good, c.pd_credits = 15; /* one payload of 256 bytes would never fit */
    EXPECT_EQ("hub.n: pd_credits = 15: expected 16 to 2047", refused(c));
    c = good, c.cpld_credits = c.vc1_pd_credits = 15;
    EXPECT_EQ("hub.n: vc1_pd_credits = 15: expected 16 to 2047", refused(c));
}

TEST(Config, ALinkOfNoLatencyAndASecondCableAreRefused)
{
    pcie_port_config c = gen2x8();
    sim_error err = {};
    Pair p;

    c.tx_latency_ps = c.rx_latency_ps = 0;
    ASSERT_EQ(SIM_OK, p.a.open(p.a.dom, "a", c));
    ASSERT_EQ(SIM_OK, p.b.open(p.b.dom, "b", c));
    EXPECT_EQ(SIM_ERR_CONFIG, pcie_link_connect(p.a.port, p.b.port, 999, &err));
    EXPECT_FALSE(pcie_port_connected(p.a.port));
    EXPECT_EQ(SIM_OK, pcie_link_connect(p.a.port, p.b.port, 1000, nullptr));
    err = {};
    EXPECT_EQ(SIM_ERR_CONFIG, pcie_link_connect(p.a.port, p.b.port, 1000, &err));
    EXPECT_STREQ("a to b: a is connected already", err.text);
}

TEST(Config, BreakingThePortsRulesIsCaught)
{
    pcie_port_config c = gen2x8();
    Pair p;

    c.tx_queue_tlps = 1;
    p.join(c, c);
    pcie_tlp t = p.a.make(PCIE_MRD, 4);
    pcie_port_send(p.a.port, &t);
    EXPECT_FALSE(pcie_port_can_send(p.a.port, PCIE_NONPOSTED));
    EXPECT_TRUE(pcie_port_can_send(p.a.port, PCIE_POSTED));
    EXPECT_DEATH(pcie_port_send(p.a.port, &t), "queue_tlps");
    EXPECT_DEATH(pcie_port_consume(p.a.port, PCIE_POSTED, 1), "held");
    pcie_tlp big = p.a.make(PCIE_MWR, 512);
    EXPECT_DEATH(pcie_port_send(p.a.port, &big), "mps");
    pcie_tlp_drop(&big);
}

} // namespace
