/* The memory beside the chip: what it delays, and how fast it is. */
#include "rig.h"

#include <algorithm>

namespace
{

class Ddr : public HubRig
{
  protected:
    static constexpr unsigned kPackets = 48;

    Ddr()
    {
        cfg.ddr_bytes = 1 << 20;
        cfg.ddr_chip_tlps = 1;
    }
    double cycle_ns() const { return 1e6 / double(cfg.clock_khz); }
    /** When the packets that node 0 sends at once arrive at node `to`, in nanoseconds. */
    std::vector<double> arrivals(uint32_t bytes, unsigned packets, unsigned to = 1)
    {
        std::vector<uint8_t> data(bytes);
        std::vector<double> at;

        build(to + 1);
        sim_time_t begin = sim_now(doms[0]);
        for (unsigned k = 0; k < packets; k++)
            hosts[0].write(area(to, HUB_AREA_HOST) + k * 256, data.data(), bytes);
        run();
        for (unsigned k = 0; k < packets; k++)
            at.push_back(double(hosts[to].written.at(kRam + k * 256) - begin) / 1000);
        TearDown();
        return at;
    }
};

/* Packets wait long enough on the chip that most of those behind go to DDR3, which is slower than
 * bus and links here. It writes and reads each, one after the other. */
TEST_F(Ddr, APacketIsWrittenAndRead)
{
    cfg.receive_cycles = 200;
    for (uint64_t width : { 1u, 2u, 4u, 8u })
        for (uint32_t bytes : { 64u, 100u, 128u, 256u }) {
            cfg.ddr_bytes_per_cycle = width;
            double cycles = 2 * double((bytes + width - 1) / width);
            std::vector<double> at = arrivals(bytes, kPackets), apart;

            for (unsigned k = 1; k < kPackets; k++)
                apart.push_back(at[k] - at[k - 1]);
            std::sort(apart.begin(), apart.end());
            EXPECT_NEAR(cycles * cycle_ns(), apart[kPackets / 2], cycle_ns())
                << width << " " << bytes;
        }
}

TEST_F(Ddr, WhenIdleItDelaysAPacketByItsCycles)
{
    cfg.ddr_bytes = 0;
    std::vector<double> chip = arrivals(4, 2);
    cfg.ddr_bytes = 1 << 20;
    for (uint64_t cycles : { 50u, 500u }) {
        cfg.ddr_cycles = cycles;
        std::vector<double> at = arrivals(4, 2); /* the second finds the first waiting */

        EXPECT_EQ(chip[0], at[0]);
        EXPECT_NEAR(double(cycles) * cycle_ns(), at[1] - chip[1], 3 * cycle_ns());
    }
}

TEST_F(Ddr, WhatFindsFewWaitingStaysOnTheChip)
{
    cfg.ddr_bytes = 0;
    std::vector<double> chip = arrivals(4, 4);
    cfg.ddr_bytes = 1 << 20;
    cfg.ddr_chip_tlps = 4;
    EXPECT_EQ(chip, arrivals(4, 4));
    cfg.ddr_chip_tlps = 3;
    EXPECT_LT(chip[3], arrivals(4, 4)[3]);
}

/* There is a place for one packet. One that leaves it gives it to the last one on the chip, which
 * so waits once more. */
TEST_F(Ddr, WhatFindsItFullStaysOnTheChip)
{
    const unsigned packets = 20;

    cfg.ddr_cycles = 10000;
    cfg.ddr_bytes = cfg.port[HUB_PORT_w].mps_bytes;
    std::vector<double> at = arrivals(4, packets);
    EXPECT_LT(at[0] + 0.9 * 10000 * cycle_ns(), at[1]);
    EXPECT_NEAR(at[1], at[packets - 2], 100 * cycle_ns());
    EXPECT_NEAR(at[1] + 10000 * cycle_ns(), at[packets - 1], 100 * cycle_ns());
    cfg.ddr_bytes *= packets;
    at = arrivals(4, packets);
    EXPECT_NEAR(at[1], at[packets - 1], 100 * cycle_ns());
}

} // namespace
