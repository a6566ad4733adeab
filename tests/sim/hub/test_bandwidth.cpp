/*
 * Bandwidth through two hubs against min(link, bus, window / round trip), written out
 * here from the parameters, one of them changed at a time.
 */
#include "rig.h"

#include <algorithm>
#include <cmath>

namespace
{

class Bandwidth : public HubRig
{
  protected:
    static constexpr uint32_t kTransfer = 0x80000;
    sim_time_t wire_ps = 15000;

    Bandwidth()
    {
        cfg.dma_read_tags = 24; /* enough that reading limits nothing by default */
        cfg.dma_read_issue_cycles = 1;
    }
    /* Bytes per nanosecond that arrive at node 1 between a quarter and the end of a transfer. */
    double measure()
    {
        build(2, {}, wire_ps);
        FakeHost &h = hosts[0];
        fill(h.ram, 1);
        h.completion_bytes = static_cast<uint32_t>(cfg.port[0].mps_bytes);
        h.write64(reg(0, HUB_DMA(0) + HUB_DMA_SRC), kRam);
        h.write64(reg(0, HUB_DMA(0) + HUB_DMA_DST), area(1, HUB_AREA_HOST));
        h.write64(reg(0, HUB_DMA(0) + HUB_DMA_LENGTH), kTransfer);
        h.write64(reg(0, HUB_DMA(0) + HUB_DMA_CONTROL), HUB_DMA_START_REG);
        run();
        EXPECT_EQ(0, memcmp(h.ram.data(), hosts[1].ram.data(), kTransfer));
        uint64_t mps = cfg.port[0].mps_bytes;
        sim_time_t from = hosts[1].written[kRam + kTransfer / 4 - mps];
        sim_time_t to = hosts[1].written[kRam + kTransfer - mps];
        TearDown();
        return double(kTransfer) * 3 / 4 / (double(to - from) / 1000.0);
    }
    double mps() const { return double(cfg.port[0].mps_bytes); }
    /* Raw bytes per nanosecond of the cable: 8b/10b up to Gen2, 128b/130b from Gen3. */
    double rate() const
    {
        static const double gtps[] = { 0, 2.5, 5, 8, 16, 32 };
        double coding = cfg.port[1].gen <= 2 ? 0.8 : 128.0 / 130.0;
        return gtps[cfg.port[1].gen] / 8 * coding * double(cfg.port[1].lanes);
    }
    /* 4-DW header 16, framing, sequence number and LCRC 8; SKP: 4 symbol times in 1538 + 4. */
    double link() const { return rate() * mps() / (mps() + 24) * 1538 / 1542; }
    double cycle_ns() const { return 1e6 / double(cfg.clock_khz); }
    double bus() const
    {
        double beats = 1 + mps() / double(cfg.bus_bytes) + double(cfg.bus_gap_cycles);
        return mps() / (beats * cycle_ns());
    }
    double core_ns(uint64_t cycles) const { return (double(cycles) + 0.5) * cycle_ns(); }
    /* A read takes a request of 24 bytes and completions of MPS on N (4 B/ns), the hard blocks, the
     * host's 200 ns and the core's stages in both directions. Then come the beats of the packet in
     * which the data leave their buffer. */
    double window() const
    {
        double wire = 24 / 4.0 + double(cfg.dma_read_bytes) * (1 + 20 / mps()) / 4.0;
        double blocks = 2 * (100 + 1 + 50);
        uint64_t cycles = cfg.receive_cycles + cfg.route_cycles + cfg.dma_completion_cycles +
                          2 * cfg.output_cycles;
        double leaving = mps() / bus() * double(cfg.dma_read_bytes) / mps();
        return double(cfg.dma_read_tags * cfg.dma_read_bytes) /
               (wire + blocks + 200 + core_ns(cycles) + leaving);
    }
    /* Posted data credits of the far end are free again after a packet, both hard blocks and the
     * cable in each direction, the core's stages and an UpdateFC of 8 bytes. That one is sent when
     * a quarter of the pool is free, so the first packets of a batch wait for its last. */
    double credits() const
    {
        double packet = (mps() + 24) / rate();
        double way = 200 + double(wire_ps) / 1000;
        uint64_t cycles = cfg.receive_cycles + cfg.route_cycles + cfg.output_cycles;
        double batch = std::ceil(double(cfg.port[2].pd_credits) * 16 / 4 / mps());
        double rtt = packet * batch + 2 * way + core_ns(cycles) + 8 / rate();
        return double(cfg.port[2].pd_credits) * 16 / rtt;
    }
    double bound() const { return std::min({ link(), bus(), window(), credits() }); }
    void check(const char *what)
    {
        double expect = bound(), got = measure();
        EXPECT_NEAR(1.0, got / expect, 0.02)
            << what << ": " << got << " against link " << link() << " bus " << bus() << " window "
            << window() << " credits " << credits();
    }
};

TEST_F(Bandwidth, OfTheBusByDefault)
{
    EXPECT_EQ(bus(), bound());
    check("default");
}

TEST_F(Bandwidth, FollowsTheLanes)
{
    for (uint64_t lanes : { 1u, 2u, 4u, 8u }) {
        cfg.port[1].lanes = cfg.port[2].lanes = lanes;
        check("lanes");
    }
}

TEST_F(Bandwidth, FollowsTheGeneration)
{
    cfg.bus_bytes = 32;
    for (uint64_t gen : { 1u, 2u }) {
        cfg.port[1].gen = cfg.port[2].gen = gen;
        check("generation");
    }
}

TEST_F(Bandwidth, FollowsTheMaximumPayload)
{
    for (uint64_t bus_bytes : { 16u, 64u }) {
        cfg.bus_bytes = bus_bytes;
        for (uint64_t mps : { 128u, 256u }) {
            for (auto &p : cfg.port)
                p.mps_bytes = mps;
            check("mps");
        }
    }
}

TEST_F(Bandwidth, FollowsClockAndWidthOfTheBus)
{
    for (uint64_t khz : { 100000u, 200000u, 250000u, 400000u }) {
        cfg.clock_khz = khz;
        check("clock");
    }
    cfg.clock_khz = 250000;
    for (uint64_t bytes : { 16u, 32u, 64u }) {
        cfg.bus_bytes = bytes;
        check("width");
    }
}

TEST_F(Bandwidth, FollowsTheReadsInFlight)
{
    for (uint64_t tags : { 1u, 2u, 4u, 8u }) {
        cfg.dma_read_tags = tags;
        check("tags");
    }
}

TEST_F(Bandwidth, FollowsCreditsAndCable)
{
    cfg.bubble_tlps = 1; /* no ring here: all of the buffer counts */
    for (uint64_t pd : { 16u, 32u, 64u, 128u })
        for (sim_time_t ps : { 5000u, 15000u, 100000u, 1000000u }) {
            cfg.port[2].pd_credits = pd;
            wire_ps = ps;
            check("credits");
        }
}

/* A packet waits at each hub for its last beat, less the time that the link needs for it. */
TEST_F(Bandwidth, OfAFastLinkDoesNotOutrunTheBus)
{
    sim_time_t end[2];
    const uint32_t bytes[] = { 4, 256 };
    uint8_t data[256] = {};

    for (unsigned i = 1; i < 3; i++) {
        cfg.port[i].gen = 5;
        cfg.port[i].lanes = 16;
    }
    for (unsigned k = 0; k < 2; k++) {
        build(3, {}, wire_ps);
        sim_time_t begin = sim_reached(sim);
        hosts[0].write(area(2, HUB_AREA_HOST), data, bytes[k]);
        run();
        end[k] = hosts[2].written[kRam] - begin;
        TearDown();
    }
    double wire = (256 - 4) / 4.0, bus = (16 - 1) * cycle_ns(); /* N, and each cable */
    EXPECT_NEAR(2 * wire + 2 * bus, double(end[1] - end[0]) / 1000, 3 * cycle_ns());
}

} // namespace
