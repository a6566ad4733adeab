#include "lists.h"

namespace
{

class Hub : public Lists
{
};

TEST_F(Hub, RegistersTellIdentityAndLinks)
{
    build(2);
    EXPECT_EQ(HUB_ID_MAGIC | UINT64_C(4) << 32 | UINT64_C(4) << 40, load(0, reg(0, HUB_ID)));
    EXPECT_EQ(1u | UINT64_C(35) << 32 | UINT64_C(16) << 48, load(1, reg(1, HUB_SLOT)));
    EXPECT_EQ(HUB_ID_MAGIC, load(0, reg(0, HUB_ID), 4));
    EXPECT_EQ(0x3u, load(0, reg(0, HUB_LINK_STATUS))); /* N configured by the host, E by node 1 */
    EXPECT_EQ(0x5u, load(1, reg(1, HUB_LINK_STATUS)));
    EXPECT_EQ(kPart, load(0, reg(0, HUB_ROUTE_LOWER(1, 0))));
    EXPECT_EQ(2 * kPart - 1, load(0, reg(0, HUB_ROUTE_UPPER(1, 0))));
}

TEST_F(Hub, StoreReachesTheRemoteHostAndItsGpuTranslatedByArea)
{
    build(3);
    hosts[0].write64(area(2, HUB_AREA_HOST) + 0x1238, 0x1122334455667788);
    hosts[2].write64(area(0, HUB_AREA_GPU0) + 0x40, 99);
    run();
    uint64_t v;
    memcpy(&v, &hosts[2].ram[0x1238], 8);
    EXPECT_EQ(0x1122334455667788u, v);
    EXPECT_EQ(99, hosts[0].gpu[0x40]);
}

/* The base lies so far below the array that only a single bit of the address reaches its start. */
TEST_F(Hub, EachAddressBitOfAnAreaCounts)
{
    build(2);
    for (unsigned a = 0; a < HUB_AREA_SELF; a++)
        for (uint64_t bit = 0x1000; bit < kPart / HUB_AREAS; bit *= 2) {
            uint64_t value = bit + a;

            for (unsigned i : { 0u, 1u })
                hosts[i].write64(reg(i, HUB_AREA_BASE(a)), kGpu - bit);
            run();
            hosts[0].write64(area(1, a) + bit, value);
            memcpy(&hosts[0].gpu[16], &value, 8);
            start_register(0, 0, area(0, a) + bit + 16, area(1, a) + bit + 32, 8);
            run();
            EXPECT_EQ(0, memcmp(&value, &hosts[1].gpu[0], 8)) << a << std::hex << " " << bit;
            EXPECT_EQ(0, memcmp(&value, &hosts[1].gpu[32], 8)) << a << std::hex << " " << bit;
        }
}

TEST_F(Hub, RemoteLoadIsAnUnsupportedRequest)
{
    build(2);
    EXPECT_EQ(UINT64_MAX, load(0, area(1, HUB_AREA_HOST)));
    EXPECT_EQ(UINT64_MAX, load(0, reg(1, HUB_ID)));
    EXPECT_EQ(2u, load(0, reg(0, HUB_UR_COUNT)));
}

TEST_F(Hub, ClosedAreaAndUnroutedSlotAreCounted)
{
    build(2);
    hosts[0].write64(area(1, HUB_AREA_GPU1), 1); /* base never set at node 1 */
    hosts[0].write64(area(9, HUB_AREA_HOST), 1); /* no route */
    run();
    EXPECT_EQ(1u, load(0, reg(0, HUB_UR_COUNT)));
    EXPECT_EQ(1u, load(1, reg(1, HUB_UR_COUNT)));
}

TEST_F(Hub, OneTransitCostsTheSumOfItsStages)
{
    build(3);
    sim_time_t arrived[3];
    for (unsigned to : { 1u, 2u }) {
        sim_time_t t = sim_now(doms[0]);
        hosts[0].write64(area(to, HUB_AREA_HOST) + 0x40, 1);
        run();
        arrived[to] = hosts[to].written[kRam + 0x40] - t;
    }
    /* Hard blocks 100 + 100 ns, cable 15 ns, 12 cycles, 32 bytes of framed packet at 4 B/ns;
     * edges of the core clock shift it by at most a cycle, columns of the link by 2 ns. */
    EXPECT_NEAR(200000 + 15000 + 12 * 4000 + 8000, double(arrived[2] - arrived[1]), 6000);
}

TEST_F(Hub, RegisterModeMovesDataAndWritesItsStatusLast)
{
    build(2);
    fill(hosts[0].ram, 1);
    start_register(0, 0, kRam + 0x1000, area(1, HUB_AREA_HOST) + 0x3000, 10000,
                   area(1, HUB_AREA_HOST) + 0x8000, 0xabcdef);
    run();
    EXPECT_EQ(0, memcmp(&hosts[0].ram[0x1000], &hosts[1].ram[0x3000], 10000));
    EXPECT_EQ(0xef, hosts[1].ram[0x8000]);
    EXPECT_GE(hosts[1].written[kRam + 0x8000], hosts[1].written[kRam + 0x3000 + 9984]);
    EXPECT_EQ(10000u, load(0, reg(0, HUB_DMA(0) + HUB_DMA_BYTES)));
    EXPECT_EQ(UINT64_C(1) << 32, load(0, reg(0, HUB_DMA(0) + HUB_DMA_STATE)));
}

class Chain : public Hub, public ::testing::WithParamInterface<bool>
{
};
INSTANTIATE_TEST_SUITE_P(Placement, Chain, ::testing::Values(false, true),
                         [](const auto &p) { return p.param ? "Internal" : "Host"; });

TEST_P(Chain, RunsDescriptorsInOrderAcrossBlocksAndStatus)
{
    uint32_t in = GetParam() ? HUB_DESC_INTERNAL : 0;
    build(2);
    fill(hosts[0].ram, 2);
    /* 100 blocks of 96 bytes every 512 to every 128, then a piece to the GPU, then a status. */
    start_chain(0, 2,
                { { kRam + 0x10, area(1, HUB_AREA_HOST) + 0x10, 9600, 1 | in, 96, 416, 32 },
                  { kRam + 0x2000, area(1, HUB_AREA_GPU0) + 0x7000, 4096, 2 | in },
                  { 0x55, area(1, HUB_AREA_HOST) + 0x9000, 0x66, HUB_DESC_END, HUB_DESC_STATUS } },
                GetParam());
    run();
    for (unsigned k = 0; k < 100; k++)
        ASSERT_EQ(0, memcmp(&hosts[0].ram[0x10 + k * 512], &hosts[1].ram[0x10 + k * 128], 96)) << k;
    EXPECT_EQ(0, memcmp(&hosts[0].ram[0x2000], &hosts[1].gpu[0x7000], 4096));
    uint64_t status;
    memcpy(&status, &hosts[1].ram[0x9000], 8);
    EXPECT_EQ(0x55u | UINT64_C(0x66) << 32, status);
    EXPECT_EQ(0u, error_of(0, 2));
}

/* A descriptor copies to where the next one reads. */
TEST_P(Chain, OnlyBehindPipelineADescriptorBeginsBeforeTheEndOfTheOneBeforeIt)
{
    uint32_t in = GetParam() ? HUB_DESC_INTERNAL : 0;
    for (uint32_t flag : { 0u, HUB_DESC_PIPELINE })
        for (uint32_t bytes : { 4096u, 0x10000u }) {
            build(1);
            hosts[0].read_ps = 3000000;
            fill(hosts[0].ram, 3);
            std::vector<uint8_t> source(hosts[0].ram.begin(), hosts[0].ram.begin() + bytes);
            std::vector<uint8_t> old(&hosts[0].ram[0x20000], &hosts[0].ram[0x20000] + bytes);
            start_chain(0, 1,
                        { { kRam, area(0, HUB_AREA_HOST) + 0x20000, bytes, 1 | in, flag },
                          { kRam + 0x20000 + bytes - 256, area(0, HUB_AREA_HOST) + 0x40000, 256,
                            HUB_DESC_END } },
                        GetParam());
            run();
            const std::vector<uint8_t> &read = flag == 0 ? source : old;
            EXPECT_EQ(0, memcmp(source.data(), &hosts[0].ram[0x20000], bytes));
            EXPECT_EQ(0, memcmp(&read[bytes - 256], &hosts[0].ram[0x40000], 256))
                << flag << " " << bytes;
            TearDown();
        }
}

TEST_F(Hub, FourChannelsShareThePortsAndLoseNothing)
{
    build(2);
    fill(hosts[0].ram, 3);
    for (unsigned ch = 0; ch < 4; ch++)
        start_register(0, ch, kRam + ch * 0x20000, area(1, ch % 2) + ch * 0x20000,
                       0x10000 + ch * 4);
    run();
    for (unsigned ch = 0; ch < 4; ch++) {
        auto &to = ch % 2 == 0 ? hosts[1].ram : hosts[1].gpu;
        EXPECT_EQ(0, memcmp(&hosts[0].ram[ch * 0x20000], &to[ch * 0x20000], 0x10000 + ch * 4))
            << ch;
        EXPECT_EQ(0u, error_of(0, ch));
    }
}

TEST_F(Hub, ReadsAreCutAtMultiplesOfTheRequestSize)
{
    cfg.dma_read_bytes = 512;
    build(2);
    hosts[0].reads = 0;
    start_register(0, 0, kRam + 0x110, area(1, HUB_AREA_HOST) + 0x110, 0x2000);
    run();
    EXPECT_EQ(17u, hosts[0].reads); /* 240 bytes, 15 of 512, 272 */
    EXPECT_EQ(512u, hosts[0].read_bytes_max);
}

TEST_F(Hub, InFlightReadsBoundTheBandwidth)
{
    for (uint64_t tags : { 1u, 2u, 4u }) {
        cfg.dma_read_tags = tags;
        build(2);
        hosts[0].read_ps = 2000000;
        sim_time_t t = sim_now(doms[0]);
        start_register(0, 0, kRam, area(1, HUB_AREA_HOST), 0x20000);
        run();
        sim_time_t took = hosts[1].written[kRam + 0x20000 - 256] - t;
        double window = double(tags) * 256, rtt = double(took) * window / 0x20000;
        /* 2 us of the host, 100 + 50 ns of hard blocks a direction, wires, packets, cycles */
        EXPECT_NEAR(2000000 + 2 * 151000 + 6000 + 74000 + (19 + 18) * 4000, rtt, 30000) << tags;
        TearDown();
    }
}

/* A request is sent while fewer bytes are in flight, however long those are. */
TEST_F(Hub, AWindowOfBytesBoundsTheBandwidthOfRequestsOfAnyLength)
{
    auto took = [&](uint64_t window, uint64_t request) {
        cfg.dma_read_tags = 32;
        cfg.dma_window_bytes = window;
        cfg.dma_read_bytes = request;
        cfg.dma_read_issue_cycles = 1;
        build(2);
        hosts[0].read_ps = 2000000;
        sim_time_t t = sim_now(doms[0]);
        start_register(0, 0, kRam, area(1, HUB_AREA_HOST), 0x20000);
        run();
        sim_time_t end = hosts[1].written[kRam + 0x20000 - request] - t;
        TearDown();
        return (double)end;
    };

    EXPECT_NEAR(1, took(1024, 128) / took(1024, 256), 0.05);
    EXPECT_NEAR(1, took(1000, 256) / took(1024, 256), 0.001) << "1024 are in flight";
    EXPECT_NEAR(2, took(512, 128) / took(1024, 128), 0.1);
    EXPECT_NEAR(2, took(0, 128) / took(0, 256), 0.2) << "32 of each; the bus begins to count";
}

TEST_F(Hub, BadTransfersEndWithTheirReasonAndNoStatus)
{
    build(2);
    uint64_t dst = area(1, HUB_AREA_HOST), flag = area(0, HUB_AREA_HOST) + 0x5000;
    struct {
        uint64_t src, dst, n, error;
    } cases[] = {
        { kRam, dst, 0, HUB_DMA_ERR_LENGTH },
        { kRam, dst, 6, HUB_DMA_ERR_LENGTH },
        { kRam + 4, dst, 64, HUB_DMA_ERR_ALIGN },
        { dst, dst, 64, HUB_DMA_ERR_SOURCE },
        { reg(0, 0), dst, 64, HUB_DMA_ERR_SOURCE },
        { kRam, kRam, 64, HUB_DMA_ERR_DEST },
        { kRam, area(7, 0), 64, HUB_DMA_ERR_DEST },
        { kRam, area(1, HUB_AREA_HOST + 1) - 32, 64, HUB_DMA_ERR_DEST },
        { UINT64_C(0x7000000000), dst, 64, HUB_DMA_ERR_SOURCE },
    };
    for (auto &c : cases) {
        start_register(0, 1, c.src, c.dst, c.n, flag, 1);
        run();
        EXPECT_EQ(c.error, error_of(0, 1)) << c.src << " " << c.dst << " " << c.n;
        EXPECT_EQ(0, hosts[0].ram[0x5000]);
    }
    start_register(0, 1, kRam, dst, 64, flag, 1);
    run();
    EXPECT_EQ(0u, error_of(0, 1));
    EXPECT_EQ(1, hosts[0].ram[0x5000]);
}

TEST_F(Hub, StartOfABusyChannelIsDroppedAndSaid)
{
    build(2);
    fill(hosts[0].ram, 4);
    start_register(0, 0, kRam, area(1, HUB_AREA_HOST), 0x10000);
    hosts[0].write64(reg(0, HUB_DMA(0) + HUB_DMA_CONTROL), HUB_DMA_START_REG);
    run();
    EXPECT_EQ(HUB_DMA_ERR_BUSY, error_of(0, 0));
    EXPECT_EQ(0, memcmp(hosts[0].ram.data(), hosts[1].ram.data(), 0x10000));
}

TEST_F(Hub, NotificationsQueueInTheRingAndNoneIsLostWhenItIsFull)
{
    build(2);
    hosts[1].write64(reg(1, HUB_RING_BASE), kRam + 0x6000);
    hosts[1].write64(reg(1, HUB_RING_SIZE), 3);
    hosts[1].write64(reg(1, HUB_IRQ_MASK), HUB_IRQ_RING);
    run();
    for (uint64_t k = 1; k <= 20; k++)
        hosts[0].write64(reg(1, HUB_NOTIFY), k);
    run();
    EXPECT_EQ(8u, load(1, reg(1, HUB_RING_HEAD)));
    EXPECT_EQ(std::vector<uint32_t>{ 7 }, hosts[1].interrupts);
    for (uint64_t taken = 0; taken < 20; taken++) {
        uint64_t entry;
        memcpy(&entry, &hosts[1].ram[0x6000 + taken % 8 * 8], 8);
        EXPECT_EQ((taken + 1) | (taken / 8 % 2 == 0 ? UINT64_C(1) << 63 : 0), entry);
        hosts[1].write64(reg(1, HUB_RING_TAIL), taken + 1);
        run();
        memcpy(&entry, &hosts[1].ram[0x6000 + taken % 8 * 8], 8);
        EXPECT_EQ(taken < 12 ? taken + 9 : taken + 1, entry & 0xff) << "the next one at once";
    }
    EXPECT_EQ(20u, load(1, reg(1, HUB_RING_HEAD)));
}

TEST_F(Hub, RemoteNodesRaiseInterrupts)
{
    build(2);
    hosts[1].write64(reg(1, HUB_IRQ_MASK), 0x10);
    hosts[0].write64(reg(1, HUB_IRQ_RAISE), 0x30);
    run();
    EXPECT_EQ(1u, hosts[1].interrupts.size());
    EXPECT_EQ(0x30u, load(1, reg(1, HUB_IRQ_STATUS)));
    hosts[1].write64(reg(1, HUB_IRQ_STATUS), 0x10);
    EXPECT_EQ(0x20u, load(1, reg(1, HUB_IRQ_STATUS)));
}

TEST_F(Hub, TooManyRangesNameThePort)
{
    build(1);
    machine_routes r = {};
    sim_error err = {};
    r.window_bytes = kWindow;
    r.part_bytes = kPart;
    for (unsigned k = 0; k < 9; k++)
        r.ranges[r.nranges++] = { "e", 2 * k, 2 * k };
    EXPECT_EQ(SIM_ERR_CONFIG, hub_kind.set_routes(hubs[0], &r, &err));
    EXPECT_NE(nullptr, strstr(err.text, "node0.hub.e")) << err.text;
}

TEST_F(Hub, TiesAndTurnsDoNotShow)
{
    struct sim_fingerprint plain = {};
    for (uint64_t k = 0; k < 7; k++) {
        build(3, { k % 2 != 0, k >= 2, k });
        for (auto &h : hosts)
            fill(h.ram, 5);
        for (unsigned i = 0; i < 3; i++)
            for (unsigned ch = 0; ch < 4; ch++)
                start_register(i, ch, kRam + ch * 0x1000,
                               area((i + 1 + ch % 2) % 3, ch % 2) + 0x40000 + ch * 0x1000, 0x1000,
                               area((i + 1) % 3, 0) + 0x80000 + 64 * (4 * i + ch), ch + 1);
        run();
        struct sim_fingerprint f = sim_fingerprint_of(sim);
        if (k == 0)
            plain = f;
        EXPECT_NE(0u, f.wire);
        EXPECT_NE(0u, f.edge);
        EXPECT_EQ(plain.edge, f.edge) << k;
        EXPECT_EQ(plain.wire, f.wire) << k;
        TearDown();
    }
}

} // namespace
