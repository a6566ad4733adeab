/* docs/hub-spec.md edge by edge: streams, SELF, interrupts, configuration. */
#include "cycles.h"

#include "hub/queue.h"

namespace
{

using Edges = std::vector<uint64_t>;

/* ---- receive and route ------------------------------------------------------------------ */

TEST_F(Cycles, APacketIsGrantedItsStagesBehindItsFirstBeat)
{
    make();
    uint64_t n = soon();
    uint8_t tag = 0;

    beat(n, [&] { host().write64(area(kEast, HUB_AREA_HOST), 1); });
    beat(n + 100, [&] { east_.write64(cable(area(kWest, HUB_AREA_HOST)), 1); });
    beat(n + 200, [&] { tag = read_clock(); });
    run();
    EXPECT_EQ(Edges{ n + to_port() }, grants(east_, PCIE_MWR));
    EXPECT_EQ(Edges{ n + 100 + to_port() }, grants(west_, PCIE_MWR));
    EXPECT_EQ(n + 200 + to_self(), clock(tag));
    EXPECT_EQ(Edges{ n + 200 + to_self() + cfg.register_cycles + cfg.output_cycles },
              grants(host(), PCIE_CPLD));
}

/* Sent at once on a link that takes 2 ns, they come in 9 and 5 beats. The read is of another queue,
 * so nothing but the stream is between them. */
TEST_F(Cycles, PacketsOfAFastLinkFollowEachOtherBeatByBeat)
{
    uint8_t tag = 0;

    cfg.bus_gap_cycles = 0;
    make();
    uint64_t n = soon();
    beat(n, [&] {
        write_bytes(host(), area(kEast, HUB_AREA_HOST), 128);
        write_bytes(host(), area(kWest, HUB_AREA_HOST), 64);
        tag = read_clock();
    });
    run();
    EXPECT_EQ(n + 1 + 128 / 16 + 1 + 64 / 16 + to_self(), clock(tag));
}

/* A buffer for one packet: the next one comes as soon as the first is granted, long before its
 * beats have passed. */
TEST_F(Cycles, APlaceIsFreeAtTheGrant)
{
    cfg.port[HUB_HOST].ph_credits = 1;
    make();
    uint64_t n = soon();
    uint8_t tag = 0;

    beat(n, [&] {
        write_bytes(host(), area(kEast, HUB_AREA_HOST), 128);
        host().write64(area(kEast, HUB_AREA_HOST), 1);
        tag = read_clock();
    });
    run();
    ASSERT_EQ(2u, east_.seen.size());
    EXPECT_EQ(n + to_port(), granted(east_.seen[0]));
    EXPECT_EQ(n + to_port() + 1 + to_port(), granted(east_.seen[1]));
}

/* Requests of a channel wait for credits of the host in a queue of one. A write passes them and
 * finds the link free, so the queue that it fills is not full any more at the edge of its grant.
 * The read behind it waits for the next edge all the same. */
TEST_F(Cycles, APortThatHasRoomAtOnceDoesNotRepeatTheEdge)
{
    cfg.port[HUB_HOST].gen = 2;
    cfg.port[HUB_HOST].lanes = 4;
    cfg.port[HUB_HOST].nph_credits = 1;
    cfg.port[HUB_HOST].rx_latency_ps = SIM_US;
    cfg.port[HUB_HOST].tx_queue_tlps = 1;
    before_start = [this, join = before_start] {
        cfg.port[0] = cfg.port[1]; /* the neighbours are as fast as elsewhere */
        join();
    };
    make();
    /* In configure() it passes requests that wait for credits, and comes before there is a BAR. */
    east_.write64(cable(reg(0, HUB_AREA_BASE(HUB_AREA_HOST))), kRam);
    east_.write64(cable(reg(0, HUB_DMA(0) + HUB_DMA_SRC)), kRam);
    east_.write64(cable(reg(0, HUB_DMA(0) + HUB_DMA_DST)), area(kWest, 0));
    east_.write64(cable(reg(0, HUB_DMA(0) + HUB_DMA_LENGTH)), 2 * 256);
    run();
    uint64_t n = soon(), grant = n + 100 + to_port();
    beat(n, [&] { east_.write64(cable(reg(0, HUB_DMA(0) + HUB_DMA_CONTROL)), HUB_DMA_START_REG); });
    beat(n + 100, [&] {
        east_.write64(cable(area(0, HUB_AREA_HOST)), 1);
        (void)east_.read(cable(area(0, HUB_AREA_HOST)), 4);
    });
    at(grant, [&] {
        EXPECT_EQ(1u, pcie_port_queued(end(0, "n"), PCIE_NONPOSTED)) << "it waits for credits";
        EXPECT_EQ(0u, pcie_port_queued(end(0, "n"), PCIE_POSTED));
    });
    at(grant + 1,
       [&] { EXPECT_EQ(0u, pcie_port_queued(end(0, "n"), PCIE_POSTED)) << "it is sent at once"; });
    run();
    EXPECT_EQ(1, host().ram[0]);
    EXPECT_EQ(Edges{ grant + 1 + cfg.register_cycles + cfg.output_cycles },
              grants(east_, PCIE_CPL));
    EXPECT_EQ(2u, grants(west_, PCIE_MWR).size());
}

/* A packet is routed by the state before the edge of its first beat, and the base of an area acts
 * from the edge behind its change on. */
TEST_F(Cycles, AnAreaIsRoutedByTheStateBeforeTheFirstBeat)
{
    for (uint64_t behind : { 0, 1 }) {
        make();
        uint64_t n = soon(), change = n + to_effect();
        beat(n, [&] { host().write64(reg(0, HUB_AREA_BASE(HUB_AREA_HOST)), kGpu); });
        beat(change + behind, [&] { east_.write64(cable(area(0, HUB_AREA_HOST)) + 0x40, 7); });
        run();
        EXPECT_EQ(behind, host().gpu[0x40] / 7u);
        EXPECT_EQ(1 - behind, host().ram[0x40] / 7u);
        TearDown();
    }
}

TEST_F(Cycles, APacketThatWaitsForTheStreamIsRoutedAtItsFirstBeat)
{
    const uint64_t long_beats = 9;

    for (uint64_t behind : { 0, 1 }) {
        make();
        uint64_t n = soon(), first = n + 20;
        beat(first, [&] { /* both have arrived at this edge */
                          write_bytes(east_, cable(area(kWest, HUB_AREA_HOST)), 128);
                          east_.write64(cable(area(0, HUB_AREA_HOST)) + 0x40, 7);
        });
        beat(first + long_beats - to_effect() - behind,
             [&] { host().write64(reg(0, HUB_AREA_BASE(HUB_AREA_HOST)), kGpu); });
        run();
        EXPECT_EQ(behind, host().gpu[0x40] / 7u);
        EXPECT_EQ(1 - behind, host().ram[0x40] / 7u);
        TearDown();
    }
}

/* ---- SELF -------------------------------------------------------------------------------- */

/* Eight registers from HUB_ID on: the fifth one raises an interrupt with the beat that it is in. */
TEST_F(Cycles, EachBeatOfAWriteTakesEffectAtItsEdge)
{
    for (uint64_t bus : { 16, 32, 64 }) {
        cfg.bus_bytes = bus;
        make();
        host().write64(reg(0, HUB_IRQ_MASK), 1);
        run();
        uint64_t words[8] = {}, n = soon();
        words[HUB_IRQ_RAISE / 8] = words[HUB_IRQ_MASK / 8] = 1;
        beat(n, [&] { host().write(reg(0, 0), words, sizeof(words)); });
        run();
        EXPECT_EQ(Edges{ n + to_effect() + HUB_IRQ_RAISE / bus + cfg.output_cycles },
                  grants(host(), PCIE_MWR))
            << bus;
        TearDown();
    }
}

/* Two registers of one write, in beats that follow each other, decide where packets go. */
TEST_F(Cycles, LaterBeatsOfAWriteActLater)
{
    for (uint64_t after : { 0, 1, 2 }) {
        make();
        uint64_t bases[3] = { kGpu, kRam + 0x10000, kRam + 0x20000 }, n = soon();
        host().write64(reg(0, HUB_AREA_BASE(HUB_AREA_GPU1)), kRam);
        run();
        n = soon();
        beat(n, [&] { host().write(reg(0, HUB_AREA_BASE(0)), bases, sizeof(bases)); });
        beat(n + to_effect() + after,
             [&] { east_.write64(cable(area(0, HUB_AREA_HOST)) + 0x40, 7); });
        beat(n + to_effect() + after,
             [&] { west_.write64(cable(area(0, HUB_AREA_GPU1)) + 0x80, 7); });
        run();
        EXPECT_EQ(after >= 1 ? 7 : 0, host().gpu[0x40]) << after;
        EXPECT_EQ(after >= 2 ? 7 : 0, host().ram[0x20080]) << after;
        EXPECT_EQ(after >= 2 ? 0 : 7, host().ram[0x80]) << after;
        TearDown();
    }
}

/* The read is granted behind the beats of the write and the gap. */
TEST_F(Cycles, SelfIsBusyForTheBeatsOfAWrite)
{
    for (uint64_t gap : { 0, 1, 4 }) {
        uint8_t tag = 0;

        cfg.bus_gap_cycles = gap;
        make();
        uint64_t n = soon();
        beat(n, [&] {
            write_bytes(host(), reg(0, HUB_INTERNAL_OFFSET), 128);
            tag = read_clock();
        });
        run();
        EXPECT_EQ(n + to_self() + 9 + gap, clock(tag)) << gap;
        TearDown();
    }
}

TEST_F(Cycles, SelfIsBusyForTheBeatsThatItReads)
{
    make();
    for (uint32_t bytes : { 8u, 64u, 128u, 1024u, 4096u }) {
        uint8_t tag = 0;
        uint64_t n = soon();

        beat(n, [&] {
            host().read(reg(0, HUB_INTERNAL_OFFSET), bytes);
            tag = read_clock();
        });
        run();
        EXPECT_EQ(n + to_self() + 1 + (bytes + 15) / 16, clock(tag)) << bytes;
    }
}

/* Without Bus Master Enable a notification holds back what is behind it in the local queue. There
 * are too many packets for the answer to one more read, or 37 data units too many: the notification
 * has one, and each completion 16. */
TEST_F(Cycles, ARequestIsTakenAtTheEdgeBehindTheGrantThatMakesRoom)
{
    const struct {
        unsigned notifications, reads, kind; /* kind, place: of the grant that makes room */
        size_t place;
    } cases[] = {
        { HUB_LOCAL_TLPS - HUB_ANSWERS_TLPS + 1, 0, PCIE_MWR, 0 },
        { 1, 3, PCIE_CPLD, 2 },
    };

    ASSERT_EQ(37u, 1 + 3 * 4096 / 16 + HUB_ANSWERS_UNITS - HUB_LOCAL_UNITS);
    for (const auto &c : cases) {
        uint8_t tag = 0;

        make();
        host().write64(reg(0, HUB_RING_BASE), kRam + 0x6000);
        host().write64(reg(0, HUB_RING_SIZE), 8);
        host().config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY);
        run();
        for (unsigned k = 0; k < c.notifications; k++)
            host().write64(reg(0, HUB_NOTIFY), k);
        for (unsigned k = 0; k < c.reads; k++)
            host().read(reg(0, HUB_INTERNAL_OFFSET), 4096);
        tag = read_clock();
        run();
        host().seen.clear();
        uint64_t n = soon();
        beat(n, [&] {
            host().config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER);
        });
        run();
        EXPECT_EQ(n, grants(host(), PCIE_MWR).at(0));
        EXPECT_EQ(grants(host(), c.kind).at(c.place) + 1, clock(tag));
        TearDown();
    }
}

TEST_F(Cycles, AnUnclaimedReadKeepsSelfForItsHeaderAlone)
{
    uint8_t tag = 0;

    make();
    uint64_t n = soon();
    beat(n, [&] {
        host().read(area(0, HUB_AREA_GPU1), 4);
        tag = read_clock();
    });
    run();
    EXPECT_EQ(n + to_self() + 1, clock(tag));
    EXPECT_EQ(Edges{ n + to_self() + cfg.register_cycles + cfg.output_cycles },
              grants(host(), PCIE_CPL));
}

/* A list of no bytes ends at a known edge, and a read that is granted at it sees that. */
TEST_F(Cycles, ARegisterIsReadAsItIsAfterTheEdgeOfTheGrant)
{
    for (uint64_t late : { 0, 1 }) {
        uint8_t tag = 0;

        make();
        uint64_t n = soon();
        uint64_t end = n + to_effect() + cfg.dma_start_cycles + cfg.dma_decode_cycles + 1;
        beat(n, [&] {
            east_.write64(cable(reg(0, HUB_DMA(0) + HUB_DMA_CONTROL)), HUB_DMA_START_REG);
        });
        beat(end - 1 + late - to_self(),
             [&] { tag = host().read(reg(0, HUB_DMA(0) + HUB_DMA_STATE), 4); });
        run();
        EXPECT_EQ(1 - late, host().answers[tag].payload->data[0] & HUB_DMA_BUSY);
        TearDown();
    }
}

/* What a read brings is read beat by beat, and a write behind it changes none of it. */
TEST_F(Cycles, AReadOfMemoryIsAnsweredInPiecesThatEndAtThePayloadSize)
{
    std::vector<uint8_t> old(512), ones(16, 0xff);

    for (auto &p : cfg.port)
        p.mps_bytes = 128;
    make();
    fill(old, 9);
    for (unsigned k = 0; k < 4; k++)
        host().write(reg(0, HUB_INTERNAL_OFFSET) + k * 128, &old[k * 128], 128);
    run();
    host().seen.clear();
    uint64_t n = soon(), g = n + to_self(), first = g + cfg.register_cycles + cfg.output_cycles;
    beat(n, [&] { host().read(reg(0, HUB_INTERNAL_OFFSET) + 112, 272); });
    beat(n, [&] { east_.write(cable(reg(0, HUB_INTERNAL_OFFSET)) + 368, ones.data(), 16); });
    run();
    ASSERT_EQ(3u, host().seen.size());
    /* 2 beats and 9, each with the gap */
    EXPECT_EQ((Edges{ first, first + 3, first + 13 }), grants(host()));
    std::vector<uint8_t> got;
    for (const Seen &s : host().seen)
        got.insert(got.end(), s.data.begin(), s.data.end());
    EXPECT_EQ(std::vector<uint8_t>(old.begin() + 112, old.begin() + 384), got);
    EXPECT_EQ(UINT64_MAX, load(0, reg(0, HUB_INTERNAL_OFFSET) + 368)) << "written behind";
}

TEST_F(Cycles, ALoneHalfOfANotificationHasZeroesBesideIt)
{
    const uint64_t lap = UINT64_C(1) << 63;
    uint32_t low = 0x11111111, high = 0x22222222;

    for (uint64_t ahead : { 0, 12 }) { /* 12: the halves come in two beats */
        uint64_t entry[3];
        std::vector<uint32_t> words(ahead / 4);

        make();
        host().write64(reg(0, HUB_RING_BASE), kRam + 0x6000);
        host().write64(reg(0, HUB_RING_SIZE), 3);
        run();
        east_.write(cable(reg(0, HUB_NOTIFY)), &low, 4);
        run();
        EXPECT_EQ(0u, load(0, reg(0, HUB_RING_HEAD))) << "the low half does nothing";
        west_.write(cable(reg(0, HUB_NOTIFY)) + 4, &high, 4);
        run();
        words.insert(words.end(), { low, high });
        host().write(reg(0, HUB_NOTIFY) - ahead, words.data(), words.size() * 4);
        host().write(reg(0, HUB_NOTIFY) + 4, &high, 4);
        run();
        EXPECT_EQ(3u, load(0, reg(0, HUB_RING_HEAD)));
        memcpy(entry, &host().ram[0x6000], sizeof(entry));
        EXPECT_EQ(lap | UINT64_C(0x2222222200000000), entry[0]) << ahead;
        EXPECT_EQ(lap | UINT64_C(0x2222222211111111), entry[1]) << ahead;
        EXPECT_EQ(lap | UINT64_C(0x2222222200000000), entry[2]) << ahead;
        TearDown();
    }
}

/* ---- interrupts --------------------------------------------------------------------------- */

/* A list of no bytes ends at a known edge, at which a neighbour raises another bit, or beside it.
 */
TEST_F(Cycles, BitsOfOneEdgeMakeOneInterrupt)
{
    for (uint64_t late : { 0, 1, 2 }) {
        make();
        host().write64(reg(0, HUB_IRQ_MASK), 0xf0);
        host().write64(reg(0, HUB_DMA(0) + HUB_DMA_IRQ), 0x10);
        run();
        host().seen.clear();
        uint64_t n = soon();
        uint64_t begin = n + to_effect() + cfg.dma_start_cycles + cfg.dma_decode_cycles;
        uint64_t end = begin + 1, raise = end - 1 + late;
        beat(n, [&] { host().write64(reg(0, HUB_DMA(0) + HUB_DMA_CONTROL), HUB_DMA_START_REG); });
        beat(raise - to_effect(), [&] { east_.write64(cable(reg(0, HUB_IRQ_RAISE)), 0x61); });
        run();
        Edges expected = { end + cfg.output_cycles };
        if (late != 1) /* two beats and the gap */
            expected = { std::min(end, raise) + cfg.output_cycles,
                         std::min(end, raise) + cfg.output_cycles + 3 };
        EXPECT_EQ(expected, grants(host(), PCIE_MWR)) << late;
        EXPECT_EQ(expected.size(), host().interrupts.size()) << late;
        EXPECT_EQ(0x71u, load(0, reg(0, HUB_IRQ_STATUS)));
        TearDown();
    }
}

/* What is set already, and what the mask lacks, makes none. */
TEST_F(Cycles, OnlyNewBitsOfTheMaskInterrupt)
{
    make();
    host().write64(reg(0, HUB_IRQ_MASK), 0x10);
    for (uint32_t bits : { 0x20u, 0x30u, 0x10u, 0x70u })
        east_.write64(cable(reg(0, HUB_IRQ_RAISE)), bits);
    run();
    EXPECT_EQ(1u, host().interrupts.size());
    host().write64(reg(0, HUB_IRQ_STATUS), 0x10);
    run();
    east_.write64(cable(reg(0, HUB_IRQ_RAISE)), 0x10);
    run();
    EXPECT_EQ(2u, host().interrupts.size());
}

/* Both registers are in one beat of this bus. */
TEST_F(Cycles, ABitThatIsRaisedWhileItIsClearedIsSetAndNew)
{
    uint64_t words[2] = { 0x30, 0x50 };

    cfg.bus_bytes = 64;
    make();
    host().write64(reg(0, HUB_IRQ_MASK), 0x70);
    host().write64(reg(0, HUB_IRQ_RAISE), 0x50);
    run();
    EXPECT_EQ(1u, host().interrupts.size());
    host().write(reg(0, HUB_IRQ_RAISE), words, sizeof(words));
    run();
    EXPECT_EQ(0x30u, load(0, reg(0, HUB_IRQ_STATUS)));
    EXPECT_EQ(2u, host().interrupts.size());
    host().write64(reg(0, HUB_IRQ_MASK), 0x10);
    host().write(reg(0, HUB_IRQ_RAISE), words, sizeof(words));
    run();
    EXPECT_EQ(3u, host().interrupts.size()) << "it was set before, and cleared";
}

/* The entry that fills half of the ring and its interrupt: one joins an edge behind the other, so a
 * list that ends at that edge has no interrupt of its own. */
TEST_F(Cycles, WhatTheHubMakesJoinsItsQueueOneAtAnEdge)
{
    for (uint64_t late : { 0, 1, 2 }) {
        make();
        host().write64(reg(0, HUB_IRQ_MASK), HUB_IRQ_RING | 0x10);
        host().write64(reg(0, HUB_DMA(0) + HUB_DMA_IRQ), 0x10);
        host().write64(reg(0, HUB_RING_BASE), kRam + 0x6000);
        host().write64(reg(0, HUB_RING_SIZE), 1);
        run();
        host().seen.clear();
        uint64_t n = soon();
        uint64_t end = n + to_effect() + cfg.dma_start_cycles + cfg.dma_decode_cycles + 1;
        beat(n, [&] { host().write64(reg(0, HUB_DMA(0) + HUB_DMA_CONTROL), HUB_DMA_START_REG); });
        beat(end - late - to_effect(), [&] { east_.write64(cable(reg(0, HUB_NOTIFY)), 5); });
        run();
        ASSERT_EQ(late == 2 ? 2u : 1u, host().interrupts.size()) << late;
        EXPECT_EQ(8u, host().seen[0].data.size()) << "the notification";
        EXPECT_EQ(end - late + cfg.output_cycles, grants(host())[0]);
        TearDown();
    }
}

TEST_F(Cycles, BasesHaveNoLowBits)
{
    make();
    for (auto [offset, mask] :
         { std::pair<uint32_t, uint64_t>{ HUB_RING_BASE, 63 }, { HUB_AREA_BASE(1), 4095 } }) {
        host().write64(reg(0, offset), UINT64_MAX);
        run();
        EXPECT_EQ(~mask, load(0, reg(0, offset)));
    }
}

} // namespace
