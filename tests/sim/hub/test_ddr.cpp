/* The memory beside the chip: what it delays, and how fast it is. */
#include "rig.h"

namespace
{

class Ddr : public HubRig
{
  protected:
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
    cfg.output_cycles = 30; /* so long all wait on the chip */
    cfg.ddr_bytes = 0;
    std::vector<double> chip = arrivals(4, 4);
    cfg.ddr_bytes = 1 << 20;
    cfg.ddr_chip_tlps = 4;
    EXPECT_EQ(chip, arrivals(4, 4));
    cfg.ddr_chip_tlps = 3;
    EXPECT_LT(chip[3], arrivals(4, 4)[3]);
}

/* There is a place for one packet of each cable. When it is free again, the second one on the chip
 * gets it. */
TEST_F(Ddr, WhatFindsItFullStaysOnTheChip)
{
    const unsigned packets = 6;
    const double turn = 10000 * cycle_ns(), near = 100 * cycle_ns();

    cfg.output_cycles = 100;
    cfg.ddr_cycles = 10000;
    cfg.ddr_bytes = 3 * cfg.port[HUB_PORT_w].mps_bytes;
    std::vector<double> at = arrivals(4, packets);
    for (unsigned k = 1; k < packets; k++)
        EXPECT_NEAR(at[0] + (k + 1) / 2 * turn, at[k], near) << k;
    cfg.ddr_bytes *= packets;
    at = arrivals(4, packets);
    EXPECT_NEAR(at[0] + turn, at[1], near);
    EXPECT_NEAR(at[1], at[packets - 1], near);
}

} // namespace
