/* Traffic that goes round a closed ring of hubs, with all buffers full. */
#include "rig.h"

#include <random>

namespace
{

class Ring : public HubRig
{
  protected:
    static constexpr unsigned kNodes = 6, kWrites = 300;
    static constexpr uint64_t kFar = 0x80000;

    void put(unsigned from, unsigned to, unsigned ch, uint32_t bytes)
    {
        FakeHost &h = hosts[from];
        uint64_t base = reg(from, HUB_DMA(ch));

        h.write64(base + HUB_DMA_SRC, kRam + ch * 0x10000);
        h.write64(base + HUB_DMA_DST, area(to, HUB_AREA_GPU0) + ch * 0x10000);
        h.write64(base + HUB_DMA_LENGTH, bytes);
        h.write64(base + HUB_DMA_CONTROL, HUB_DMA_START_REG);
    }
    /** Each node puts far more than the buffers hold, to the node that is furthest away. */
    void flood(uint32_t bytes, sim_order order = {})
    {
        closed = true;
        build(kNodes, order);
        for (unsigned i = 0; i < kNodes; i++)
            fill(hosts[i].ram, i);
        for (unsigned i = 0; i < kNodes; i++) {
            for (unsigned ch = 0; ch < HUB_DMA_CHANNELS; ch++)
                put(i, (i + kNodes - 1) % kNodes, ch, bytes);
        }
        run();
    }
    unsigned arrived(uint32_t bytes)
    {
        unsigned n = 0;

        for (unsigned i = 0; i < kNodes; i++)
            for (unsigned ch = 0; ch < HUB_DMA_CHANNELS; ch++)
                n += memcmp(&hosts[i].ram[ch * 0x10000],
                            &hosts[(i + kNodes - 1) % kNodes].gpu[ch * 0x10000], bytes) == 0;
        return n;
    }
    /** Each host writes to the nodes that are furthest and nearly furthest away. */
    void write_far(unsigned nodes, unsigned seed)
    {
        std::mt19937 rng(seed);

        for (unsigned i = 0; i < nodes; i++)
            for (unsigned k = 0; k < kWrites; k++) {
                uint32_t words[64] = { k };
                unsigned to = i + nodes - 1 - rng() % std::min(nodes - 1, 1 + seed % 3);
                uint64_t at = kFar + (i * kWrites + k) * 256;

                hosts[i].write(area(to % nodes, HUB_AREA_GPU0) + at, words,
                               seed % 3 == 0 ? 256 : 4 + rng() % 64 * 4);
            }
    }
    unsigned far_writes(unsigned nodes)
    {
        unsigned n = 0;

        for (FakeHost &h : hosts)
            for (unsigned k = 0; k < kWrites * nodes; k++)
                n += static_cast<unsigned>(h.written.count(kGpu + kFar + k * 256));
        return n;
    }
    void buffers(uint64_t headers, uint64_t data)
    {
        for (auto &port : cfg.port)
            port.ph_credits = headers, port.pd_credits = data;
    }
};

/* A packet of 256 bytes needs 16 units of data: here each has room wherever its header has. */
TEST_F(Ring, WhatComesInLeavesRoomForWhatGoesRound)
{
    for (uint64_t headers : { 2, 4, 32 }) {
        for (uint64_t queue : { 1, 3 }) {
            for (auto &port : cfg.port)
                port.tx_queue_tlps = queue;
            buffers(headers, headers * 16);
            flood(0xfff4);
            EXPECT_EQ(kNodes * HUB_DMA_CHANNELS, arrived(0xfff4)) << headers << " " << queue;
            TearDown();
        }
    }
}

TEST_F(Ring, OrderWithinATimeDoesNotShow)
{
    struct sim_fingerprint plain = {};

    for (uint64_t k = 0; k < 5; k++) {
        buffers(4, 64);
        flood(0x1ffc, { k % 2 != 0, k >= 2, k });
        EXPECT_EQ(kNodes * HUB_DMA_CHANNELS, arrived(0x1ffc));
        if (k == 0)
            plain = sim_fingerprint_of(sim);
        EXPECT_EQ(plain.wire, sim_fingerprint_of(sim).wire) << k;
        TearDown();
    }
}

TEST_F(Ring, WithADateLineNeedsNoFreePlace)
{
    struct sim_fingerprint plain = {};

    cfg.bubble_tlps = 1;
    cfg.vc1_ph_credits = 4;
    cfg.vc1_pd_credits = 64;
    date_line = 2;
    for (uint64_t k = 0; k < 5; k++) {
        buffers(4, 64);
        flood(0xfff4, { k % 2 != 0, k >= 2, k });
        EXPECT_EQ(kNodes * HUB_DMA_CHANNELS, arrived(0xfff4));
        if (k == 0)
            plain = sim_fingerprint_of(sim);
        EXPECT_EQ(plain.wire, sim_fingerprint_of(sim).wire) << k;
        for (const FakeHost &h : hosts)
            EXPECT_EQ(0, h.classes) << "what leaves the ring is of class 0 again";
        TearDown();
    }
}

/* Hubs that choose classes for their rings do so for writes that leave by a port. */
TEST_F(Ring, AnAnswerHasTheClassOfItsRequestWhereWritesHaveNone)
{
    uint32_t word = 1;

    cfg.vc1_ph_credits = 4;
    cfg.vc1_pd_credits = 64;
    build(2);
    hosts[0].read(reg(0, HUB_IRQ_MASK), 8);
    hosts[0].out.back().tc = 3;
    hosts[0].write(area(1, HUB_AREA_GPU0), &word, 4);
    hosts[0].out.back().tc = 5;
    run();
    ASSERT_EQ(PCIE_CPLD, hosts[0].answered.back().second.kind);
    EXPECT_EQ(3, hosts[0].answered.back().second.tc);
    EXPECT_EQ(1u, hosts[1].written.count(kGpu));
    EXPECT_EQ(0, hosts[1].classes);
}

TEST_F(Ring, WithoutThatItFillsUpAndStandsStill)
{
    cfg.bubble_tlps = 1;
    buffers(4, 64);
    flood(0xfff4);
    EXPECT_EQ(0u, arrived(0xfff4));
}

/* A port whose queue has several places takes the next packet as soon as the last one has left. */
TEST_F(Ring, TheQueueOfAPortIsNoHindranceWhereNothingGoesRound)
{
    sim_time_t end[2];

    cfg.port[1].lanes = 4; /* slower than the bus */
    for (uint64_t bubble : { 1, 2 }) {
        cfg.bubble_tlps = bubble;
        build(2);
        for (unsigned ch = 0; ch < HUB_DMA_CHANNELS; ch++)
            put(0, 1, ch, 0x8000);
        run();
        end[bubble - 1] = 0;
        for (const auto &w : hosts[1].written)
            end[bubble - 1] = std::max(end[bubble - 1], w.second);
        TearDown();
    }
    EXPECT_EQ(end[0], end[1]);
}

/* Packets in DDR3 come back into the ring, and take places there. A memory that is full now and
 * then must not let them take the last one. */
TEST_F(Ring, SurvivesADDR3ThatIsFullAtTimes)
{
    cfg.ddr_chip_tlps = 1;
    cfg.ddr_cycles = 2000;
    for (unsigned seed = 0; seed < 24; seed++) {
        uint64_t headers = seed % 7 < 3 ? 4 : 8;
        unsigned nodes = 3 + seed % 4;

        cfg.ddr_bytes = (3u * 256u) << seed / 3 % 3; /* for three cables */
        buffers(headers, headers * 16);
        cfg.port[0].ph_credits = 64;
        cfg.port[0].pd_credits = 1024;
        for (auto &port : cfg.port)
            port.tx_queue_tlps = 1;
        closed = true;
        build(nodes);
        write_far(nodes, seed);
        run();
        EXPECT_EQ(nodes * kWrites, far_writes(nodes)) << seed;
        TearDown();
    }
}

/* On a long cable, with buffers of four packets, so many are under way at a time as leave room for
 * the largest of bubble_tlps behind them, themselves included. */
TEST_F(Ring, WhoEntersLeavesAsMuchRoomAsIsAskedFor)
{
    const unsigned packets = 60;
    double took[5] = {};

    buffers(4, 0);
    for (unsigned bubble : { 2, 3, 4 }) {
        uint32_t words[64] = {};

        cfg.bubble_tlps = bubble;
        build(2, {}, 4 * SIM_US);
        for (unsigned k = 0; k < packets; k++)
            hosts[0].write(area(1, HUB_AREA_GPU0) + k * 256, words, 256);
        sim_time_t begin = sim_now(doms[0]);
        run();
        took[bubble] = double(hosts[1].written.at(kGpu + (packets - 1) * 256) - begin);
        TearDown();
    }
    EXPECT_NEAR(packets * 8 * SIM_US, took[4], packets * SIM_US);
    EXPECT_NEAR(2, took[4] / took[3], 0.1);
    EXPECT_NEAR(3, took[4] / took[2], 0.15);
}

TEST_F(Ring, ABufferWithoutEndHoldsWhatComes)
{
    buffers(0, 0);
    flood(0xfff4);
    EXPECT_EQ(kNodes * HUB_DMA_CHANNELS, arrived(0xfff4));
}

TEST_F(Ring, ABufferThatCannotLeaveRoomIsAnError)
{
    machine_place place = {};
    sim_error err = {};
    void *hub = nullptr;

    place.path = "node0.hub";
    buffers(1, 64);
    EXPECT_EQ(SIM_ERR_CONFIG, hub_kind.create(&place, &cfg, &hub, &err));
    EXPECT_STREQ("node0.hub.e.link.ph_credits = 1: expected 0 or at least 2, for the bubble_tlps",
                 err.text);
}

TEST_F(Ring, ADDR3ThatNoPortCanReachIsAnError)
{
    machine_place place = {};
    sim_error err = {};
    void *hub = nullptr;

    place.path = "node0.hub";
    cfg.ddr_bytes = 1024;
    buffers(cfg.ddr_chip_tlps, 0);
    EXPECT_EQ(SIM_ERR_CONFIG, hub_kind.create(&place, &cfg, &hub, &err));
    EXPECT_STREQ("node0.hub.ddr.chip_tlps = 16: expected less than e.link.ph_credits, 16, or "
                 "ddr.bytes = 0",
                 err.text);
}

/* Beats go there one by one: what is written in less time than half of them take is not there. */
TEST_F(Ring, ADDR3ThatTakesMoreThanTwoBeatsACycleIsAnError)
{
    machine_place place = {};
    sim_error err = {};
    void *hub = nullptr;

    place.path = "node0.hub";
    cfg.ddr_bytes = 1 << 20;
    cfg.ddr_bytes_per_cycle = 2 * cfg.bus_bytes + 1;
    EXPECT_EQ(SIM_ERR_CONFIG, hub_kind.create(&place, &cfg, &hub, &err));
    EXPECT_STREQ("node0.hub.ddr.bytes_per_cycle = 33: expected at most 32, two beats of bus_bytes, "
                 "or ddr.bytes = 0",
                 err.text);
    cfg.ddr_bytes_per_cycle--;
    build(2);
    TearDown();
    cfg.ddr_bytes = 0;
    cfg.ddr_bytes_per_cycle = 4096; /* it says nothing */
    build(2);
}

} // namespace
