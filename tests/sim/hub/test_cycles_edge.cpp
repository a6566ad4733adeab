/* docs/hub-spec.md edge by edge: configuration, DDR3, clocks. */
#include "cycles.h"

namespace
{

using Edges = std::vector<uint64_t>;

class CyclesEdge : public Cycles
{
  protected:
    uint8_t read_config(FakeHost &h)
    {
        pcie_tlp tlp = {};

        tlp.kind = PCIE_CFGRD0;
        tlp.tag = h.next_tag++;
        tlp.first_be = 0xf;
        tlp.length_dw = 1;
        tlp.completer_id = 0x0100;
        tlp.addr = PCIE_CFG_ID;
        h.send(tlp);
        return tlp.tag;
    }
    void master(bool on)
    {
        host().config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY | (on ? PCIE_COMMAND_MASTER : 0));
    }
    /** Of writes to that memory only; configuration is answered as well. */
    Edges writes() { return grants(host(), PCIE_MWR); }
};

/* ---- configuration -----------------------------------------------------------------------------
 */

TEST_F(CyclesEdge, ConfigurationIsAnsweredItsCyclesLater)
{
    for (uint64_t cycles : { 1, 20, 57 }) {
        cfg.config_cycles = cycles;
        make();
        uint64_t n = soon();
        beat(n, [&] { read_config(host()); });
        beat(n, [&] { read_config(east_); });
        run();
        /* The hard block answers: its packet takes no beats of the bus. */
        EXPECT_EQ(n + cycles, host().seen.at(0).time / kCycle);
        EXPECT_EQ(n + cycles, east_.seen.at(0).time / kCycle);
        TearDown();
    }
}

/* Without Bus Master Enable, notifications fill the hub's own queue, so that SELF takes nothing any
 * more, and writes for the host fill the buffer of a neighbour. */
TEST_F(CyclesEdge, ConfigurationIsAnsweredWhileTheCoreIsFull)
{
    uint8_t tag = 0;

    make();
    host().write64(reg(0, HUB_RING_BASE), kRam + 0x6000);
    host().write64(reg(0, HUB_RING_SIZE), 8);
    master(false);
    run();
    for (unsigned k = 0; k < 200; k++) {
        east_.write64(cable(area(0, 0)) + 8 * k, k + 1);
        west_.write64(cable(reg(0, HUB_NOTIFY)), k);
    }
    run();
    host().seen.clear();
    uint64_t n = soon();
    beat(n, [&] { tag = read_clock(); });
    beat(n + 100, [&] { read_config(host()); });
    run();
    ASSERT_EQ(1u, host().seen.size()) << "the register is not read";
    EXPECT_EQ(n + 100 + cfg.config_cycles, host().seen[0].time / kCycle);
    master(true);
    run();
    EXPECT_EQ(200, host().ram[8 * 199]);
    EXPECT_EQ(1u, host().answers.count(tag));
    EXPECT_EQ(200u, load(0, reg(0, HUB_RING_HEAD)));
}

/* A read is answered in four pieces by a slow link that queues one. Two answers of the hard block
 * find it full, and go before what the core has. */
TEST_F(CyclesEdge, AnswersToConfigurationWaitForRoomAndGoFirst)
{
    uint8_t read = 0, first = 0, second = 0;

    cfg.port[HUB_HOST].gen = 1;
    cfg.port[HUB_HOST].lanes = 1;
    cfg.port[HUB_HOST].tx_queue_tlps = 1;
    make();
    at(soon(), [&] {
        read = host().read(reg(0, HUB_INTERNAL_OFFSET), 4 * 256);
        first = read_config(host());
        second = read_config(host());
    });
    run();
    std::vector<uint8_t> tags;
    for (const Seen &s : host().seen)
        tags.push_back(s.tlp.tag);
    EXPECT_EQ((std::vector<uint8_t>{ read, read, first, second, read, read }), tags);
}

TEST_F(CyclesEdge, BusMasterEnableHoldsFromTheEdgeOfItsArrivalOn)
{
    for (uint64_t late : { 0, 1 }) {
        make();
        uint64_t n = soon(), grant = n + to_port();
        beat(n, [&] { east_.write64(cable(area(0, 0)), 1); });
        beat(grant + late, [&] { master(false); });
        beat(grant + 50, [&] { master(true); });
        run();
        EXPECT_EQ(Edges{ late != 0 ? grant : grant + 50 }, writes()) << late;
        TearDown();
    }
}

/* A read of a channel waits in its queue, and no other packet wakes the hub. */
TEST_F(CyclesEdge, BusMasterEnableWakesRequests)
{
    cfg.completion_timeout_ps = 0;
    make();
    master(false);
    host().write64(reg(0, HUB_DMA(0) + HUB_DMA_SRC), kRam);
    host().write64(reg(0, HUB_DMA(0) + HUB_DMA_DST), area(kEast, 0));
    host().write64(reg(0, HUB_DMA(0) + HUB_DMA_LENGTH), 64);
    host().write64(reg(0, HUB_DMA(0) + HUB_DMA_CONTROL), HUB_DMA_START_REG);
    run();
    EXPECT_EQ(0u, host().reads);
    uint64_t n = soon();
    beat(n, [&] { master(true); });
    run();
    EXPECT_EQ(Edges{ n }, grants(host(), PCIE_MRD));
    EXPECT_EQ(1u, east_.seen.size());
}

/* ---- DDR3 --------------------------------------------------------------------------------------
 */

/*
 * Packets of E wait for Bus Master Enable at N: one of 8 bytes has its first beat at `m`, and one
 * of 256 bytes at m + 2, behind which it needs 17 beats.
 */
class CyclesDdr : public CyclesEdge
{
  protected:
    static constexpr uint64_t kRate = 8, kWrite = 256 / kRate;
    uint64_t m = 0, there = 0; /* there: the edge from which on the second one may go there */

    CyclesDdr()
    {
        cfg.ddr_bytes = 1 << 20;
        cfg.ddr_chip_tlps = 1;
        cfg.ddr_cycles = 50;
        cfg.ddr_bytes_per_cycle = kRate;
        cfg.port[HUB_PORT_e].ph_credits = 4;
        cfg.port[HUB_PORT_w].ph_credits = 4;
        cfg.port[HUB_PORT_s].ph_credits = 4;
    }
    void two(unsigned more = 0)
    {
        make();
        master(false);
        run();
        host().seen.clear();
        m = soon();
        there = m + 2 + 16 + 2; /* the second behind its last beat */
        beat(m, [this, more] {
            east_.write64(cable(area(0, 0)), 1);
            for (unsigned k = 1; k <= 1 + more; k++)
                write_bytes(east_, cable(area(0, 0)) + 256 * k, 256);
        });
    }
};

TEST_F(CyclesDdr, APacketGoesThereIfOthersWaitWhenAllOfItIsThere)
{
    for (uint64_t late : { 0, 1 }) {
        two();
        beat(there - 1 + late, [&] { master(true); });
        run();
        uint64_t first = there - 1 + late;
        EXPECT_EQ((Edges{ first, late != 0 ? there + cfg.ddr_cycles : first + 3 }), writes())
            << late;
        TearDown();
    }
}

TEST_F(CyclesDdr, WritingAndReadingTakeTheirTimeAndKeepTheOrder)
{
    for (uint64_t rate : { 2, 6, 8 }) {
        cfg.ddr_bytes_per_cycle = rate;
        cfg.ddr_cycles = 200;
        two(1);
        uint64_t second = there + 2 * ((256 + rate - 1) / rate); /* the first is written and read */
        beat(second, [&] {
            master(true);
            east_.write64(cable(area(0, 0)) + 0x1000, 2);
        });
        run();
        EXPECT_EQ((Edges{ second, std::max(second + 3, there + 200), second + 200, second + 218 }),
                  writes())
            << rate;
        EXPECT_EQ(kRam + 0x1000, host().seen.back().tlp.addr) << "waited on the chip";
        TearDown();
    }
}

TEST_F(CyclesDdr, WhatHasLeftDoesNotCount)
{
    make();
    host().seen.clear();
    for (unsigned k = 1; k < 5; k++) {
        uint64_t n = soon();

        beat(n, [&] { east_.write64(cable(area(0, 0)), k); });
        run();
        ASSERT_EQ(k, writes().size());
        EXPECT_EQ(n + cfg.receive_cycles + cfg.route_cycles + cfg.output_cycles, writes().back());
    }
}

TEST_F(CyclesDdr, WhatAsksStaysWhereFewWait)
{
    two(1);
    beat(there + 40, [&] { master(true); });
    run();
    uint64_t out = there + cfg.ddr_cycles;
    EXPECT_EQ((Edges{ there + 40, out, out + 18 }), writes());
}

/* Four wait on the chip or in DDR3. The last one finds DDR3 busy, and then but one before it. */
TEST_F(CyclesDdr, WhoIsFirstOnTheChipMeanwhileStaysThere)
{
    two(2);
    uint64_t second = there + 2 * kWrite, out = second + cfg.ddr_cycles;
    beat(second, [&] { master(true); });
    run();
    EXPECT_EQ((Edges{ second, second + 3, out, out + 18 }), writes());
}

/* Two packets of E ask, and one of W, while DDR3 writes the first of E. */
TEST_F(CyclesDdr, CablesTakeTurns)
{
    const uint64_t from_west = cable(area(0, 0)) + 0x4000;

    cfg.ddr_cycles = 400;
    two(1);
    beat(m, [&] {
        west_.write64(from_west, 1);
        write_bytes(west_, from_west + 256, 256);
    });
    beat(there + 200, [&] { master(true); });
    run();
    uint64_t out = there + 400;
    EXPECT_EQ((Edges{ there + 200, there + 203, out, out + 2 * kWrite, out + 4 * kWrite }),
              writes());
    EXPECT_EQ(kRam + 0x4100, host().seen.at(host().seen.size() - 2).tlp.addr);
}

/* One place for each cable: the one that leaves gives it to one that waits. */
TEST_F(CyclesDdr, AShareThatIsFullTakesOneForEachThatLeaves)
{
    cfg.ddr_bytes = 3 * 256;
    two(2);
    uint64_t late = there + 1000;
    beat(late, [&] { master(true); });
    run();
    EXPECT_EQ((Edges{ late, late + 3, late + 21, late + 4 + cfg.ddr_cycles }), writes());
}

/* A slow memory, which has not yet written what could be read. */
TEST_F(CyclesDdr, NothingIsReadBeforeItIsWritten)
{
    cfg.ddr_bytes_per_cycle = 2;
    two();
    beat(there + 10, [&] { master(true); });
    run();
    EXPECT_EQ((Edges{ there + 10, there + 128 }), writes());
}

/* Two headers are all that E has: the third packet leaves the neighbour when one is free again. */
TEST_F(CyclesDdr, CreditsComeBackWhenThePacketIsWritten)
{
    for (auto p : { HUB_PORT_e, HUB_PORT_w, HUB_PORT_s })
        cfg.port[p].ph_credits = 2;
    two(1);
    uint32_t queued[2] = {};
    for (uint64_t k = 0; k < 2; k++)
        at(there + kWrite + k, [&, k] { queued[k] = pcie_port_queued(east_.port, PCIE_POSTED); });
    run();
    EXPECT_EQ(1u, queued[0]) << "before what the edge does";
    EXPECT_EQ(0u, queued[1]);
    master(true);
    run();
    EXPECT_EQ(3u, writes().size());
}

/* ---- clocks ------------------------------------------------------------------------------------
 */

class Clocks : public HubRig
{
  protected:
    std::vector<uint64_t> phase_ps, khz;

    Clocks()
    {
        before_hub = [this](unsigned i) {
            cfg.clock_phase_ps = i < phase_ps.size() ? phase_ps[i] : 0;
            if (i < khz.size())
                cfg.clock_khz = khz[i];
        };
    }
    /** From a store of node 0 to the memory of node 2, by three hubs. */
    sim_time_t latency()
    {
        sim_time_t at = 0;

        build(3);
        sim_time_t begin = sim_reached(sim) / SIM_US * SIM_US + SIM_US;
        struct Step {
            sim_event ev;
            Clocks *self;
        } step = {};
        step.self = this;
        sim_event_init(&step.ev, [](sim_event *ev) {
            Clocks *self = reinterpret_cast<Step *>(ev)->self;
            self->hosts[0].write64(area(2, HUB_AREA_HOST) + 0x40, 1);
        });
        sim_schedule_at(doms[0], &step.ev, begin, SIM_ARRIVE);
        run();
        at = hosts[2].written[kRam + 0x40] - begin;
        TearDown();
        return at;
    }
};

/* At each of three crossings a packet waits for the next edge, less than a cycle. Links work in
 * columns of symbols, 2 ns here. */
TEST_F(Clocks, PhasesCostLessThanACycleForEachCrossing)
{
    sim_time_t plain = latency(), least = plain, most = plain;

    for (unsigned hub = 0; hub < 3; hub++)
        for (uint64_t phase : { 1, 500, 1000, 1999, 2500, 3999 }) {
            phase_ps.assign(3, 0);
            phase_ps[hub] = phase;
            sim_time_t t = latency();
            EXPECT_LT(t, plain + 4000 + 2000) << hub << " " << phase;
            EXPECT_GT(t + 4000 + 2000, plain) << hub << " " << phase;
            least = std::min(least, t), most = std::max(most, t);
        }
    EXPECT_LT(least, most) << "they matter";
    phase_ps = { 1234, 3456, 789 };
    sim_time_t t = latency();
    EXPECT_LT(t, plain + 3 * 6000);
    EXPECT_GT(t + 3 * 6000, plain);
    phase_ps = { 4000, 8000, 400000 }; /* whole cycles */
    EXPECT_EQ(plain, latency());
}

/* A ring of four, two of them some ppm apart and one much slower, in all orders. */
TEST_F(Clocks, UnlikeClocksWorkTogetherAndRepeat)
{
    struct sim_fingerprint plain = {};
    const unsigned nodes = 4, bytes = 0x4000;

    closed = true;
    khz = { 250000, 250025, 249975, 200000 };
    phase_ps = { 0, 1234, 3999, 77 };
    for (uint64_t k = 0; k < 5; k++) {
        build(nodes, { k % 2 != 0, k >= 2, k });
        for (unsigned i = 0; i < nodes; i++) {
            uint64_t base = reg(i, HUB_DMA(0));
            fill(hosts[i].ram, i);
            hosts[i].write64(base + HUB_DMA_SRC, kRam);
            hosts[i].write64(base + HUB_DMA_DST, area((i + 3) % nodes, HUB_AREA_GPU0));
            hosts[i].write64(base + HUB_DMA_LENGTH, bytes);
            hosts[i].write64(base + HUB_DMA_CONTROL, HUB_DMA_START_REG);
        }
        run();
        for (unsigned i = 0; i < nodes; i++)
            EXPECT_EQ(0, memcmp(hosts[i].ram.data(), hosts[(i + 3) % nodes].gpu.data(), bytes));
        if (k == 0)
            plain = sim_fingerprint_of(sim);
        EXPECT_EQ(plain.wire, sim_fingerprint_of(sim).wire) << k;
        TearDown();
    }
}

} // namespace
