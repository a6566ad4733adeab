/* What the first packets of a hub's queues wait for, as statistics count it. */
#include "rig.h"

namespace
{

class Wait : public HubRig
{
  protected:
    using Stats = std::map<std::string, uint64_t>;

    Stats stats()
    {
        Stats all;

        sim_stat_each(
            sim,
            [](void *arg, const char *path, const char *, const char *, uint64_t value) {
                (*static_cast<Stats *>(arg))[path] = value;
            },
            &all);
        return all;
    }
    Stats since(const Stats &before)
    {
        Stats all = stats();

        for (auto &[path, value] : all)
            value -= before.at(path);
        return all;
    }
    /** The sum of all causes of a place. */
    static uint64_t sum(const Stats &all, const std::string &place)
    {
        uint64_t ps = 0;

        for (const auto &[path, value] : all)
            if (path.compare(0, place.size() + 7, place + ".stall_") == 0)
                ps += value;
        return ps;
    }
    void start(unsigned i, unsigned ch, uint64_t dst, uint64_t n)
    {
        uint64_t base = reg(i, HUB_DMA(ch));

        hosts[i].write64(base + HUB_DMA_SRC, kRam);
        hosts[i].write64(base + HUB_DMA_DST, dst);
        hosts[i].write64(base + HUB_DMA_LENGTH, n);
        hosts[i].write64(base + HUB_DMA_CONTROL, HUB_DMA_START_REG);
    }
};

TEST_F(Wait, OnePacketAtATimeWaitsForNothing)
{
    build(3);
    Stats before = stats();

    for (int k = 0; k < 20; k++) {
        hosts[0].write64(area(2, HUB_AREA_HOST) + 8 * k, 1);
        run();
    }
    for (const auto &[path, value] : since(before))
        EXPECT_TRUE(value == 0 || path.find("stall_") == std::string::npos) << path;
}

TEST_F(Wait, WithOneTagAllReadsButTheFirstWaitForIt)
{
    const unsigned reads = 64;

    cfg.dma_read_tags = 1;
    build(2);
    hosts[0].read_ps = 2000000;
    start(0, 0, area(1, HUB_AREA_HOST), reads * 256);
    run();
    /* A round trip as in Hub.InFlightReadsBoundTheBandwidth, less the interval between reads. */
    double round = 2000000 + 2 * 151000 + 6000 + 74000 + (19 + 18) * 4000;
    double interval = double(cfg.dma_read_issue_cycles) * 4000;
    EXPECT_NEAR((reads - 1) * (round - interval), double(stats()["node0.hub.dma0.stall_tag_ps"]),
                reads * 15000);
}

TEST_F(Wait, ChannelsThatWriteToOnePortWaitForItsArbiter)
{
    cfg.dma_read_tags = 24;
    build(2);
    for (unsigned ch = 0; ch < 3; ch++)
        start(0, ch, area(1, HUB_AREA_HOST) + ch * 0x10000, 0x10000);
    run();
    for (const char *place : { "node0.hub.dma0", "node0.hub.dma1", "node0.hub.dma2" })
        EXPECT_NE(0u, stats()[place + std::string(".stall_arbiter_ps")]) << place;
}

/* A read may not pass the writes before it; they wait for credits of a buffer far away. */
TEST_F(Wait, AReadWaitsAsLongAsTheWritesBeforeIt)
{
    std::vector<uint8_t> bytes(256);

    cfg.port[2].ph_credits = 4;
    cfg.port[2].pd_credits = 64;
    cfg.port[1].tx_queue_tlps = 1;
    cfg.bubble_tlps = 1;
    build(2, {}, 2000000);
    Stats before = stats();
    for (unsigned k = 0; k < 16; k++)
        hosts[0].write(area(1, HUB_AREA_HOST) + k * 256, bytes.data(), 256);
    (void)load(0, reg(0, HUB_DMA(0) + HUB_DMA_STATE));
    Stats after = since(before);
    uint64_t order = after["node0.hub.n.rx.stall_order_ps"];
    uint64_t credit = after["node0.hub.n.rx.stall_credit_ps"];
    /* Four packets a round trip of 4.4 us: the fourth four begin after three of them. */
    EXPECT_NEAR(3 * 4.4e6, double(credit), 1.5e6);
    EXPECT_NEAR(double(credit), double(order), 2e6);
    EXPECT_EQ(0u, after["node0.hub.n.rx.stall_arbiter_ps"]);
    EXPECT_EQ(after["node0.hub.n.rx.stall_link_ps"] + order + credit, sum(after, "node0.hub.n.rx"));
    /* The port's own link is blocked for the same reason. */
    EXPECT_NEAR(double(credit), double(after["node0.hub.e.tx.stall_credit_p_ps"]), 2e6);
}

TEST_F(Wait, DoesNotDependOnTheOrderOfEvents)
{
    Stats plain;

    for (unsigned i = 0; i < 4; i++) {
        sim_order order = {};

        order.shuffle_ties = (i & 1) != 0;
        order.shuffle_turns = (i & 2) != 0;
        order.seed = i;
        cfg.port[2].ph_credits = 8;
        build(3, order);
        for (unsigned node = 0; node < 3; node++)
            for (unsigned ch = 0; ch < 2; ch++)
                start(node, ch, area((node + ch + 1) % 3, HUB_AREA_HOST), 0x8000);
        run();
        if (i == 0)
            plain = stats();
        EXPECT_EQ(plain, stats()) << i;
        TearDown();
    }
    EXPECT_NE(0u, plain["node1.hub.w.rx.stall_arbiter_ps"]);
}

} // namespace
