/*
 * What a packet that passes a hub takes of the bus: a header beat, the beats of its
 * data, and behind data the gap. Streams of packets of one size show it: they
 * arrive as far apart as the slowest of the buses and links on their way demands.
 */
#include "rig.h"

#include <algorithm>

namespace
{

class Transit : public HubRig
{
  protected:
    static constexpr unsigned kPackets = 64;

    /* Nothing waits for credits here. */
    Transit()
    {
        for (auto &port : cfg.port)
            port.ph_credits = port.pd_credits = port.nph_credits = port.npd_credits = 0;
    }
    struct Rate {
        uint64_t gen, lanes;
        double bytes_per_ns;
    };
    static void set(pcie_port_config *port, const Rate &rate)
    {
        port->gen = rate.gen;
        port->lanes = rate.lanes;
    }
    /* 4-DW header 16, framing, sequence number and LCRC 8. */
    static double wire_ns(const Rate &rate, uint32_t bytes)
    {
        return (bytes + 24) / rate.bytes_per_ns;
    }
    double cycle_ns() const { return 1e6 / double(cfg.clock_khz); }
    double bus_ns(uint32_t bytes) const
    {
        uint64_t beats = 1 + (bytes + cfg.bus_bytes - 1) / cfg.bus_bytes;
        return double(beats + cfg.bus_gap_cycles) * cycle_ns();
    }
    /** Nanoseconds from one packet to the next at the last node of three. */
    double apart(uint32_t bytes)
    {
        std::vector<uint8_t> data(bytes);

        build(3);
        for (unsigned k = 0; k < kPackets; k++)
            hosts[0].write(area(2, HUB_AREA_HOST) + k * 256, data.data(), bytes);
        run();
        sim_time_t first = hosts[2].written.at(kRam);
        sim_time_t last = hosts[2].written.at(kRam + (kPackets - 1) * 256);
        TearDown();
        return double(last - first) / 1000 / (kPackets - 1);
    }
};

TEST_F(Transit, PacketsAreAsFarApartAsTheSlowestOfBusesAndLinks)
{
    const Rate rates[] = { { 1, 4, 1 }, { 2, 8, 4 }, { 5, 16, 4 * 16 * 128 / 130.0 } };

    for (const Rate &host : rates)
        for (const Rate &cable : rates) {
            set(&cfg.port[HUB_PORT_n], host);
            set(&cfg.port[HUB_PORT_e], cable);
            set(&cfg.port[HUB_PORT_w], cable);
            for (uint32_t bytes : { 4u, 16u, 20u, 32u, 64u, 128u, 256u }) {
                double expect =
                    std::max({ bus_ns(bytes), wire_ns(host, bytes), wire_ns(cable, bytes) });
                /* ordered sets of the links are not counted above: a third of a percent */
                EXPECT_NEAR(expect, apart(bytes), 0.004 * expect + 4 * cycle_ns() / kPackets)
                    << "gen " << host.gen << " cable " << cable.gen << " bytes " << bytes;
            }
        }
}

TEST_F(Transit, BeatsFollowWidthAndGapOfTheBus)
{
    for (auto &port : cfg.port)
        set(&port, { 5, 16, 0 });
    for (cfg.bus_bytes = 16; cfg.bus_bytes <= 64; cfg.bus_bytes *= 2)
        for (cfg.bus_gap_cycles = 0; cfg.bus_gap_cycles < 3; cfg.bus_gap_cycles++)
            for (uint32_t bytes : { 4u, 36u, 256u })
                EXPECT_NEAR(bus_ns(bytes), apart(bytes), 4 * cycle_ns() / kPackets)
                    << cfg.bus_bytes << " " << cfg.bus_gap_cycles << " " << bytes;
}

/* Answers without data are a header beat each, and no gap follows. */
TEST_F(Transit, WithoutDataAPacketIsOneBeat)
{
    for (auto &port : cfg.port)
        set(&port, { 5, 16, 0 });
    for (bool has_data : { false, true }) {
        build(2);
        hosts[0].answered.clear();
        for (unsigned k = 0; k < kPackets; k++)
            (void)hosts[0].read(has_data ? reg(0, HUB_ID) : area(1, HUB_AREA_HOST), 8);
        run();
        ASSERT_EQ(kPackets, hosts[0].answered.size());
        sim_time_t took = hosts[0].answered.back().first - hosts[0].answered.front().first;
        EXPECT_NEAR(has_data ? bus_ns(8) : cycle_ns(), double(took) / 1000 / (kPackets - 1),
                    4 * cycle_ns() / kPackets);
        TearDown();
    }
}

} // namespace
