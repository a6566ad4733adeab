/* What ends in the hub: answers to reads, registers, the notification ring, states of links. */
#include "rig.h"

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

/* A request is taken when all of its answers have room: data of 64 packets. The clock says when. */
TEST_F(Target, RequestsWaitForRoomOfTheirAnswers)
{
    cfg.port[0].gen = 1;
    cfg.port[0].lanes = 4;
    cfg.port[0].nph_credits = 0;
    build(1);
    hosts[0].answered.clear();
    for (unsigned k = 0; k < 20; k++)
        (void)hosts[0].read(reg(0, HUB_INTERNAL_OFFSET), 4096);
    uint8_t last = hosts[0].read(reg(0, HUB_DMA(0) + HUB_DMA_CLOCK), 8);
    run();
    const auto &answered = hosts[0].answered;
    ASSERT_EQ(20 * 16 + 1u, answered.size());
    uint64_t clock;
    memcpy(&clock, hosts[0].answers[last].payload->data, 8);
    double taken = double(clock) * 1e9 / double(cfg.clock_khz);
    double apart = double(answered[310].first - answered[10].first) / 300;
    double ahead = (double(answered.back().first) - taken) / apart;
    EXPECT_GE(HUB_LOCAL_UNITS / 16, ahead);
    EXPECT_LE((HUB_LOCAL_UNITS - HUB_ANSWERS_UNITS) / 16, ahead);
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

/* A root port configures what says that it is a hub, and nothing else. */
TEST_F(Target, ARootPortLooksForAHub)
{
    const uint32_t id = HUB_DEVICE_ID << 16 | HUB_VENDOR_ID;

    cfg.completion_timeout_ps = 0;
    for (uint32_t says : { id, id + 1, id ^ 1u << 16 }) {
        FakeHost far;

        before_start = [&] { plug_host(far, 0, "w"); };
        build(1);
        ASSERT_EQ(1u, far.answered.size());
        EXPECT_EQ(PCIE_CFGRD0, far.answered[0].second.kind);
        pcie_tlp cpl = pcie_tlp_answer(&far.answered[0].second, PCIE_CPL_SC);
        cpl.kind = PCIE_CPLD;
        cpl.length_dw = 1;
        cpl.payload = mem_payload_alloc(far.pool, 4);
        memcpy(cpl.payload->data, &says, 4);
        far.send(cpl);
        run();
        EXPECT_EQ(says == id ? 2u : 1u, far.answered.size());
        pcie_port_destroy(far.port);
        TearDown();
        mem_pool_destroy(far.pool);
    }
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
