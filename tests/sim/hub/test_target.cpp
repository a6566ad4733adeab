/* What ends in the hub: answers to reads, registers, the notification ring, states of links. */
#include "rig.h"

#include "hub/dma/dma.h"
#include "hub/port.h"
#include "hub/queue.h"

namespace
{

class Target : public HubRig
{
  protected:
    void misbehave(unsigned i, pcie_misdeed deed)
    {
        pcie_misbehavior how = {};
        sim_error err = {};

        how.deed = deed;
        how.to_ps = SIM_TIME_NEVER;
        ASSERT_EQ(SIM_OK, hub_misbehave(hubs[i], &how, &err)) << err.text;
    }
};

TEST_F(Target, LongReadsAreAnsweredInPieces)
{
    std::vector<uint8_t> bytes(8192);

    build(1);
    fill(bytes, 5);
    for (uint32_t k = 0; k < bytes.size(); k += 256)
        hosts[0].write(reg(0, HUB_INTERNAL_OFFSET + k), &bytes[k], 256);
    run();
    for (uint32_t first : { 0u, 4u, 67u, 250u })
        for (uint32_t n : { 64u, 257u, 1000u, 3800u }) {
            uint32_t left = n, at = first;

            hosts[0].answered.clear();
            (void)hosts[0].read(reg(0, HUB_INTERNAL_OFFSET) + first, n);
            run();
            for (const auto &[when, cpl] : hosts[0].answered) {
                uint32_t piece = std::min(left, cpl.length_dw * 4u - (at & 3));

                EXPECT_EQ(left, cpl.byte_count);
                EXPECT_EQ(at & 0x7f, cpl.lower_addr);
                EXPECT_GE(cfg.port[0].mps_bytes, cpl.length_dw * 4u);
                EXPECT_EQ(0, memcmp(&bytes[at], cpl.payload->data + (at & 3), piece));
                at += piece;
                left -= piece;
            }
            EXPECT_EQ(0u, left) << first << " " << n;
        }
}

/* A request is taken when all of its answers have room: data of 64 packets, or that of so many
 * small ones; more are in the port's own queue and on their way. The clock says when. */
TEST_F(Target, RequestsWaitForRoomOfTheirAnswers)
{
    const unsigned requests = 200, on_chip = HUB_LOCAL_TLPS - HUB_ANSWERS_TLPS;
    const struct {
        uint32_t bytes, most, least; /* of packets ahead of the last answer */
    } cases[] = {
        { 4096, HUB_LOCAL_UNITS / 16, (HUB_LOCAL_UNITS - HUB_ANSWERS_UNITS) / 16 },
        { 64, on_chip + 4 + (uint32_t)cfg.port[0].tx_queue_tlps, on_chip },
    };

    cfg.port[0].gen = 1;
    cfg.port[0].lanes = 4;
    cfg.port[0].nph_credits = 0;
    for (const auto &c : cases) {
        build(1);
        hosts[0].answered.clear();
        for (unsigned k = 0; k < requests; k++)
            (void)hosts[0].read(reg(0, HUB_INTERNAL_OFFSET), c.bytes);
        uint8_t last = hosts[0].read(reg(0, HUB_DMA(0) + HUB_DMA_CLOCK), 8);
        run();
        const auto &answered = hosts[0].answered;
        uint64_t clock = 0, packets = answered.size() - 1;
        memcpy(&clock, hosts[0].answers[last].payload->data, 8);
        double taken = double(clock) * 1e9 / double(cfg.clock_khz);
        double apart = double(answered[packets].first - answered[10].first) / double(packets - 10);
        double ahead = (double(answered.back().first) - taken) / apart;
        EXPECT_EQ(requests * std::max(c.bytes / 256, 1u), packets);
        EXPECT_GE(c.most, ahead) << c.bytes;
        EXPECT_LE(c.least, ahead) << c.bytes;
        TearDown();
    }
}

TEST_F(Target, WhatLiesOutsideIsUnsupported)
{
    build(1);
    for (uint64_t offset : { HUB_INTERNAL_OFFSET + HUB_INTERNAL_BYTES,
                             HUB_INTERNAL_OFFSET + 4 * HUB_INTERNAL_BYTES }) {
        uint64_t before = load(0, reg(0, HUB_UR_COUNT)), value = 1;

        EXPECT_EQ(UINT64_MAX, load(0, reg(0, offset))) << offset;
        hosts[0].write(reg(0, offset), &value, 8);
        EXPECT_EQ(before + 2, load(0, reg(0, HUB_UR_COUNT))) << offset;
    }
    /* and what would have to leave by the port that it came by */
    uint64_t before = load(0, reg(0, HUB_UR_COUNT));
    hosts[0].write64(area(0, HUB_AREA_HOST), 1);
    EXPECT_EQ(before + 1, load(0, reg(0, HUB_UR_COUNT)));
    EXPECT_EQ(0u, hosts[0].written.count(kRam));
}

/* Where the bits of an address within the window would lead to another node. */
TEST_F(Target, WhatLiesOutsideTheWindowIsUnsupported)
{
    build(2);
    uint64_t value = 1;

    hosts[0].write(reg(0, HUB_IRQ_MASK) + kWindow, &value, 8); /* or to a register */
    EXPECT_EQ(0u, load(0, reg(0, HUB_IRQ_MASK)));
    EXPECT_EQ(UINT64_MAX, load(0, reg(0, HUB_ID) + kWindow));
    EXPECT_EQ(2u, load(0, reg(0, HUB_UR_COUNT)));
    hosts[0].write64(area(1, HUB_AREA_HOST) + kWindow, 1);
    run();
    EXPECT_EQ(3u, load(0, reg(0, HUB_UR_COUNT)));
    EXPECT_TRUE(hosts[1].written.empty());
}

TEST_F(Target, RegistersTakeWholeWordsOnly)
{
    build(1);
    hosts[0].write64(reg(0, HUB_IRQ_MASK), 0x12345678);
    for (uint64_t at : { 0u, 1u, 2u }) {
        const uint16_t half = 0xffff;
        uint64_t before = load(0, reg(0, HUB_UR_COUNT));

        hosts[0].write(reg(0, HUB_IRQ_MASK) + at, &half, 2);
        EXPECT_EQ(0x12345678u, load(0, reg(0, HUB_IRQ_MASK)));
        EXPECT_EQ(before + 1, load(0, reg(0, HUB_UR_COUNT)));
    }
}

/* The interrupt comes when it is half full. */
TEST_F(Target, TheNotificationRingMayLieInInternalMemory)
{
    const uint64_t base = 0xa000, lap = UINT64_C(1) << 63;

    build(2);
    hosts[0].write64(reg(0, HUB_RING_BASE), base);
    hosts[0].write64(reg(0, HUB_RING_SIZE), 3 | HUB_RING_INTERNAL);
    hosts[0].write64(reg(0, HUB_IRQ_MASK), HUB_IRQ_RING);
    run();
    for (uint64_t k = 0; k < 12; k++) {
        hosts[1].write64(reg(0, HUB_NOTIFY), k + 100);
        run();
        EXPECT_EQ((k + 100) | (k < 8 ? lap : 0),
                  load(0, reg(0, HUB_INTERNAL_OFFSET + base + k % 8 * 8)));
        EXPECT_EQ(k < 3 ? 0u : 1u, hosts[0].interrupts.size()) << k;
        if (k == 7)
            hosts[0].write64(reg(0, HUB_RING_TAIL), 8);
    }
    EXPECT_EQ(0u, hosts[0].written.count(base));
}

/* Those that find the ring full wait for room, in their order and before any that come later. */
TEST_F(Target, NotificationsThatFindNoPlaceAreCounted)
{
    const uint64_t base = 0xa000, lap = UINT64_C(1) << 63;
    const uint64_t entries = 8, kept = entries + HUB_RING_WAITS, lost = 3;

    build(1);
    hosts[0].write64(reg(0, HUB_RING_BASE), base);
    hosts[0].write64(reg(0, HUB_RING_SIZE), 3 | HUB_RING_INTERNAL);
    hosts[0].write64(reg(0, HUB_IRQ_MASK), HUB_IRQ_LOST);
    for (uint64_t k = 0; k < kept; k++)
        hosts[0].write64(reg(0, HUB_NOTIFY), k);
    EXPECT_EQ(0u, load(0, reg(0, HUB_IRQ_STATUS)) & HUB_IRQ_LOST);
    for (uint64_t k = 0; k < lost; k++)
        hosts[0].write64(reg(0, HUB_NOTIFY), kept + k);
    run();
    EXPECT_EQ(1u, hosts[0].interrupts.size());
    EXPECT_EQ(lost, load(0, reg(0, HUB_RING_LOST)));
    EXPECT_EQ(entries, load(0, reg(0, HUB_RING_HEAD)));
    for (uint64_t k = 0; k <= kept; k++) {
        EXPECT_EQ(k, load(0, reg(0, HUB_INTERNAL_OFFSET + base + k % entries * 8)) & ~lap);
        if (k % entries == entries - 1)
            hosts[0].write64(reg(0, HUB_RING_TAIL), k + 1);
        if (k == entries - 1) {
            hosts[0].write64(reg(0, HUB_NOTIFY), kept);
            run();
            EXPECT_EQ(2 * entries, load(0, reg(0, HUB_RING_HEAD)));
        }
    }
    EXPECT_EQ(kept + 1, load(0, reg(0, HUB_RING_HEAD)));
    EXPECT_EQ(lost, load(0, reg(0, HUB_RING_LOST)));
}

constexpr uint32_t kHubId = HUB_DEVICE_ID << 16 | HUB_VENDOR_ID;

pcie_tlp says_id(FakeHost &far, const pcie_tlp &request, uint32_t id)
{
    pcie_tlp cpl = pcie_tlp_answer(&request, PCIE_CPL_SC);

    cpl.kind = PCIE_CPLD;
    cpl.length_dw = 1;
    cpl.payload = mem_payload_alloc(far.pool, 4);
    memcpy(cpl.payload->data, &id, 4);
    return cpl;
}

/* A root port configures what says that it is a hub, and nothing else. */
TEST_F(Target, ARootPortLooksForAHub)
{
    cfg.completion_timeout_ps = 0;
    for (uint32_t says : { kHubId, kHubId + 1, kHubId ^ 1u << 16 }) {
        FakeHost far;

        before_start = [&] { plug_host(far, 0, "w"); };
        build(1);
        ASSERT_EQ(1u, far.answered.size());
        EXPECT_EQ(PCIE_CFGRD0, far.answered[0].second.kind);
        far.send(says_id(far, far.answered[0].second, says));
        run();
        EXPECT_EQ(says == kHubId ? 2u : 1u, far.answered.size());
        pcie_port_destroy(far.port);
        TearDown();
        mem_pool_destroy(far.pool);
    }
}

/* What the processor needs for a request is no time of the far side's. */
TEST_F(Target, ARequestOfTheProcessorIsGivenUpOnlyAfterItWasSent)
{
    const uint64_t late = UINT64_C(1) << PCIE_ERR_TIMEOUT;
    FakeHost far;

    cfg.bringup_cycles = 10000; /* 40 us */
    cfg.completion_timeout_ps = 20 * SIM_US;
    build(2);
    EXPECT_EQ(1u | 1u << HUB_PORT_w, load(1, reg(1, HUB_LINK_STATUS)));
    EXPECT_EQ(0u, load(1, reg(1, HUB_ERRORS(HUB_PORT_w))) & late);
    TearDown();

    before_start = [&] { plug_host(far, 0, "w"); };
    build(1);
    EXPECT_EQ(1u, far.answered.size()); /* it does not answer */
    EXPECT_EQ(late, load(0, reg(0, HUB_ERRORS(HUB_PORT_w))) & late);
    EXPECT_NEAR(60e6, double(sim_reached(sim)), 3e6);
    pcie_port_destroy(far.port);
    TearDown();
    mem_pool_destroy(far.pool);
}

TEST_F(Target, NothingAnswersARequestThatHasNotJoinedYet)
{
    FakeHost far;
    pcie_tlp early = {};

    cfg.bringup_cycles = 10000;
    cfg.completion_timeout_ps = 0;
    early.kind = PCIE_CPL;
    early.tag = HUB_BRINGUP_TAG;
    early.byte_count = 4;
    before_start = [&] {
        plug_host(far, 0, "w");
        far.send(early);
    };
    build(1);
    ASSERT_EQ(1u, far.answered.size());
    far.send(says_id(far, far.answered[0].second, kHubId));
    run();
    EXPECT_EQ(2u, far.answered.size());
    pcie_port_destroy(far.port);
    TearDown();
    mem_pool_destroy(far.pool);
}

/* A root claims all addresses, so no BAR keeps out what only looks like a register's. */
TEST_F(Target, ANeighbourDoesNotReachRegistersFromOutsideOfTheWindow)
{
    const uint64_t mask = HUB_CABLE_BASE + reg(0, HUB_IRQ_MASK) - kBar;
    FakeHost far;
    uint64_t value = 5;

    before_start = [&] { plug_host(far, 0, "w"); };
    build(1);
    far.write(mask + kWindow, &value, 8);
    run();
    EXPECT_EQ(0u, load(0, reg(0, HUB_IRQ_MASK)));
    EXPECT_EQ(1u, load(0, reg(0, HUB_UR_COUNT)));
    far.write(mask, &value, 8);
    run();
    EXPECT_EQ(value, load(0, reg(0, HUB_IRQ_MASK)));
    EXPECT_EQ(1u, load(0, reg(0, HUB_UR_COUNT)));
    pcie_port_destroy(far.port);
    TearDown();
    mem_pool_destroy(far.pool);
}

/* A root port configures the far side, and is not configured from there. */
TEST_F(Target, ANeighbourMayNeitherReadNorConfigure)
{
    FakeHost far;

    before_start = [&] { plug_host(far, 0, "w"); };
    build(1);
    far.next_tag = 77;
    far.config_write(PCIE_CFG_COMMAND, 0);
    (void)far.read(HUB_CABLE_BASE + reg(0, HUB_ID) - kBar, 8);
    run();
    EXPECT_EQ(PCIE_CPL_UR, far.answers.at(77).status);
    EXPECT_EQ(PCIE_CPL_UR, far.answers.at(78).status);
    EXPECT_EQ(2u, load(0, reg(0, HUB_UR_COUNT)));
    pcie_port_destroy(far.port);
    TearDown();
    mem_pool_destroy(far.pool);
}

TEST_F(Target, ALinkIsUpOnceTheFarHubIsConfigured)
{
    for (pcie_misdeed deed : { PCIE_ABORTS, PCIE_POISONS }) {
        before_start = [&] { misbehave(0, deed); };
        build(2);
        EXPECT_EQ(0x1u, load(1, reg(1, HUB_LINK_STATUS))) << deed;
        TearDown();
    }
    before_start = [&] { misbehave(1, PCIE_STOPS_TAKING); };
    build(2); /* so nothing enables E of node 0 */
    EXPECT_EQ(0x1u, load(0, reg(0, HUB_LINK_STATUS)));
}

/* Identity, both halves of the address, payload size, enabling: one access at a time. */
TEST_F(Target, BringUpTakesFiveAccesses)
{
    sim_time_t end[2];

    for (uint64_t k : { 0, 1 }) {
        cfg.bringup_cycles = 10000 * (k + 1);
        build(2);
        end[k] = sim_reached(sim);
        TearDown();
    }
    EXPECT_NEAR(5 * 10000 * 4000.0, double(end[1] - end[0]), 1e6);
}

/* The last byte of a part belongs to it, and the first one of the next does not. */
TEST_F(Target, PartsAreRoutedToTheirLastByte)
{
    build(3);
    hosts[0].write64(part(2) - 8, 1); /* no register: counted where the part ends */
    run();
    EXPECT_EQ(0u, load(0, reg(0, HUB_UR_COUNT)));
    EXPECT_EQ(1u, load(1, reg(1, HUB_UR_COUNT)));
    EXPECT_EQ(0u, load(2, reg(2, HUB_UR_COUNT)));
    hosts[0].write64(part(3) - 8, 1);
    hosts[0].write64(part(2), 7);
    run();
    EXPECT_EQ(1u, load(2, reg(2, HUB_UR_COUNT)));
    EXPECT_EQ(7, hosts[2].ram[0]);
}

/* Ports in their order, whatever the order in which ranges were set. */
TEST_F(Target, TheFirstPortWhoseRangeMatchesIsTaken)
{
    build(1);
    const machine_routes::machine_route_range ranges[2] = { { "w", 0, 7 }, { "e", 4, 15 } };
    for (bool turned : { false, true }) {
        machine_place place = {};
        machine_routes r = {};
        sim_error err = {};
        void *hub = nullptr;

        place.dom = doms[0];
        place.path = strdup_("other" + std::to_string(turned));
        ASSERT_EQ(SIM_OK, hub_kind.create(&place, &cfg, &hub, &err)) << err.text;
        r.slot = 15;
        r.window_bytes = kWindow;
        r.part_bytes = kPart;
        r.nranges = 2;
        r.ranges[0] = ranges[turned];
        r.ranges[1] = ranges[!turned];
        ASSERT_EQ(SIM_OK, hub_kind.set_routes(hub, &r, &err)) << err.text;
        for (unsigned slot = 0; slot < 15; slot++)
            EXPECT_STREQ(slot < 4 ? "w" : "e", hub_kind.route(hub, slot)) << slot;
        EXPECT_STREQ("n", hub_kind.route(hub, 15)) << "the own part, without a range of its own";
        hub_kind.destroy(hub);
    }
}

} // namespace
