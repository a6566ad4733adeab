/* Lists of a DMA channel: what ends them, what is refused, how far ahead they are fetched. */
#include "lists.h"

namespace
{

class Dma : public Lists
{
};

/* Nothing behind a descriptor that is refused is carried out. */
TEST_F(Dma, ABadDescriptorEndsTheListWithItsReason)
{
    build(2);
    const uint64_t src = kRam, dst = area(1, HUB_AREA_HOST);
    const uint64_t src_end = area(0, HUB_AREA_GPU0) + kPart / HUB_AREAS;
    const uint64_t dst_end = dst + kPart / HUB_AREAS;
    const struct {
        Desc bad;
        uint64_t error;
    } cases[] = {
        { { src, dst, 0, 1 }, HUB_DMA_ERR_LENGTH },
        { { src, dst, 66, 1 }, HUB_DMA_ERR_LENGTH },
        { { src, dst, 64, 1, 6 }, HUB_DMA_ERR_LENGTH },
        { { src, dst + 8, 64, 1 }, HUB_DMA_ERR_ALIGN },
        { { src, dst, 64, 1, 32, 16, 20 }, HUB_DMA_ERR_ALIGN },
        { { area(1, HUB_AREA_HOST), dst, 64, 1 }, HUB_DMA_ERR_SOURCE },
        { { area(0, HUB_AREA_GPU1), dst, 64, 1 }, HUB_DMA_ERR_SOURCE }, /* closed */
        { { reg(0, HUB_INTERNAL_OFFSET) - 32, dst, 64, 1 }, HUB_DMA_ERR_SOURCE },
        { { reg(0, HUB_INTERNAL_OFFSET + HUB_INTERNAL_BYTES) - 32, dst, 64, 1 },
          HUB_DMA_ERR_SOURCE },
        { { src_end - 32, dst, 64, 1 }, HUB_DMA_ERR_SOURCE },
        { { src, kRam, 64, 1 }, HUB_DMA_ERR_DEST },
        { { src, area(9, HUB_AREA_HOST), 64, 1 }, HUB_DMA_ERR_DEST }, /* no route */
        { { src, dst_end - 32, 64, 1 }, HUB_DMA_ERR_DEST },
        { { src, area(9, HUB_AREA_HOST), 0, 1, HUB_DESC_STATUS }, HUB_DMA_ERR_DEST },
    };

    for (const auto &c : cases)
        for (bool internal : { false, true }) {
            Desc bad = c.bad;

            bad.next |= internal ? HUB_DESC_INTERNAL : 0;
            hosts[1].written.clear();
            start_chain(0, 0, { bad, { src, dst + 0x8000, 64, HUB_DESC_END } }, internal);
            run();
            EXPECT_EQ(c.error, error_of(0, 0)) << &c - cases << " " << internal;
            EXPECT_TRUE(hosts[1].written.empty()) << &c - cases << " " << internal;
        }
    EXPECT_EQ(0u, load(0, reg(0, HUB_DMA(0) + HUB_DMA_STATE)) & HUB_DMA_BUSY);
}

/* There is memory on both sides of the bound: each half could be read alone. */
TEST_F(Dma, ASourceLiesInOneArea)
{
    build(2);
    const uint64_t bound = area(0, HUB_AREA_GPU1), dst = area(1, HUB_AREA_HOST);
    const uint64_t before = kGpu - kPart / HUB_AREAS + 0x1000;

    hosts[0].write64(reg(0, HUB_AREA_BASE(HUB_AREA_GPU0)), before);
    hosts[0].write64(reg(0, HUB_AREA_BASE(HUB_AREA_GPU1)), kRam);
    fill(hosts[0].gpu, 1);
    fill(hosts[0].ram, 2);
    start_register(0, 0, bound - 32, dst, 64);
    run();
    EXPECT_EQ(HUB_DMA_ERR_SOURCE, error_of(0, 0));
    EXPECT_EQ(0u, hosts[0].reads);
    EXPECT_TRUE(hosts[1].written.empty());
    start_register(0, 0, bound - 32, dst, 32);
    run();
    EXPECT_EQ(0u, error_of(0, 0));
    EXPECT_EQ(0, memcmp(&hosts[0].gpu[0x1000 - 32], &hosts[1].ram[0], 32));
    start_register(0, 0, bound, dst + 32, 32);
    run();
    EXPECT_EQ(0u, error_of(0, 0));
    EXPECT_EQ(0, memcmp(&hosts[0].ram[0], &hosts[1].ram[32], 32));
}

TEST_F(Dma, ADescriptorBehindThoseOfInternalMemoryCannotBeFetched)
{
    build(1);
    for (uint32_t index : { HUB_INTERNAL_DESCS, HUB_INTERNAL_DESCS + 1, 0x3fffffffu }) {
        hosts[0].write64(reg(0, HUB_DMA(0) + HUB_DMA_HEAD), HUB_DESC_INTERNAL | index);
        run();
        EXPECT_EQ(HUB_DMA_ERR_FETCH, error_of(0, 0)) << index;
    }
}

TEST_F(Dma, TheLastBlockMayBeShorter)
{
    build(2);
    fill(hosts[0].ram, 9);
    start_chain(0, 0, { { kRam, area(1, HUB_AREA_HOST), 64 * 10 + 20, HUB_DESC_END, 64, 192, 64 } },
                true);
    run();
    EXPECT_EQ(0u, error_of(0, 0));
    EXPECT_EQ(660u, load(0, reg(0, HUB_DMA(0) + HUB_DMA_BYTES)));
    for (unsigned k = 0; k <= 10; k++)
        EXPECT_EQ(0, memcmp(&hosts[0].ram[k * 256], &hosts[1].ram[k * 128], k < 10 ? 64 : 20)) << k;
    EXPECT_EQ(std::vector<uint8_t>(44, 0),
              std::vector<uint8_t>(&hosts[1].ram[10 * 128 + 20], &hosts[1].ram[10 * 128 + 64]));
}

/* The first descriptor takes long, as its cable is slow. */
TEST_F(Dma, AsManyDescriptorsAreFetchedAheadAsPrefetchSays)
{
    cfg.port[HUB_PORT_e].gen = cfg.port[HUB_PORT_e].lanes = 1;
    for (uint64_t ahead : { 1u, 2u, 4u, 16u }) {
        cfg.dma_prefetch = ahead;
        build(2);
        std::vector<Desc> list;
        for (uint32_t k = 0; k < 20; k++)
            list.push_back({ kRam, area(1, HUB_AREA_HOST), k == 0 ? 0x10000u : 64u,
                             k == 19 ? HUB_DESC_END : k + 1 });
        start_chain(0, 0, list, false);
        ASSERT_EQ(SIM_ERR_LIMIT, sim_run(sim, sim_now(doms[0]) + 100 * SIM_US));
        EXPECT_EQ(1 + ahead, hosts[0].fetches);
        run();
        EXPECT_EQ(20u, hosts[0].fetches);
        EXPECT_EQ(0u, error_of(0, 0));
        TearDown();
    }
}

TEST_F(Dma, AnAbortEndsAListAndTheChannelStartsAgain)
{
    build(2);
    fill(hosts[0].ram, 6);
    start_register(0, 0, kRam, area(1, HUB_AREA_HOST), 0x40000, area(1, HUB_AREA_HOST) + 0x80000,
                   1);
    hosts[0].write64(reg(0, HUB_DMA(0) + HUB_DMA_CONTROL), HUB_DMA_ABORT);
    run();
    uint64_t bytes = load(0, reg(0, HUB_DMA(0) + HUB_DMA_BYTES));
    EXPECT_GT(0x10000u, bytes);
    EXPECT_EQ(0u, hosts[1].written.count(kRam + 0x80000)) << "no status word";
    EXPECT_EQ(0, memcmp(hosts[0].ram.data(), hosts[1].ram.data(), bytes));
    EXPECT_EQ(UINT64_C(1) << 32, load(0, reg(0, HUB_DMA(0) + HUB_DMA_STATE)));
    start_register(0, 0, kRam, area(1, HUB_AREA_HOST), 0x40000);
    run();
    EXPECT_EQ(0u, error_of(0, 0));
    EXPECT_EQ(0, memcmp(hosts[0].ram.data(), hosts[1].ram.data(), 0x40000));
}

TEST_F(Dma, TheEndOfAListRaisesItsInterrupt)
{
    build(1);
    hosts[0].write64(reg(0, HUB_IRQ_MASK), 0x6);
    hosts[0].write64(reg(0, HUB_DMA(1) + HUB_DMA_IRQ), 0x2);
    hosts[0].write64(reg(0, HUB_DMA(2) + HUB_DMA_IRQ), 0x8);
    start_register(0, 0, kRam, area(0, HUB_AREA_HOST) + 0x1000, 64);
    start_register(0, 2, kRam, area(0, HUB_AREA_HOST) + 0x2000, 64);
    run();
    EXPECT_EQ(0u, hosts[0].interrupts.size()) << "one asks for none, the other's is masked";
    EXPECT_EQ(0x8u, load(0, reg(0, HUB_IRQ_STATUS)));
    start_register(0, 1, kRam, area(0, HUB_AREA_HOST) + 0x3000, 4096);
    run();
    EXPECT_EQ(1u, hosts[0].interrupts.size());
    EXPECT_EQ(0xau, load(0, reg(0, HUB_IRQ_STATUS)));
    EXPECT_GT(hosts[0].written[kMsi], hosts[0].written[kRam + 0x3000 + 4096 - 256]);
}

/* What answers no request of the channel, or more than it asked for, is dropped and reported. */
TEST_F(Dma, OnlyItsOwnAnswersAreTaken)
{
    const struct {
        uint16_t requester;
        uint32_t bytes;
        uint8_t lower_addr;
        bool taken;
    } cases[] = { { 0x0100, 64, 0, true },
                  { 0x0200, 64, 0, false },
                  { 0x0100, 128, 0, false },
                  { 0x0100, 64, 4, false } };

    for (const auto &c : cases) {
        build(2);
        hosts[0].silent = true;
        start_register(0, 0, kRam, area(1, HUB_AREA_HOST), 64);
        ASSERT_EQ(SIM_ERR_LIMIT, sim_run(sim, sim_now(doms[0]) + 10 * SIM_US));
        ASSERT_EQ(1u, hosts[0].asked.size());
        pcie_tlp cpl = {};
        cpl.kind = PCIE_CPLD;
        cpl.tag = hosts[0].asked[0].tag;
        cpl.requester_id = c.requester;
        cpl.byte_count = static_cast<uint16_t>(c.bytes);
        cpl.lower_addr = c.lower_addr;
        cpl.length_dw = static_cast<uint16_t>(c.bytes / 4);
        cpl.payload = mem_payload_alloc(hosts[0].pool, c.bytes);
        memset(cpl.payload->data, 1, c.bytes);
        hosts[0].send(cpl);
        run();
        EXPECT_EQ(c.taken ? 0u : HUB_DMA_ERR_TIMEOUT, error_of(0, 0));
        EXPECT_EQ(c.taken, hosts[1].written.count(kRam) != 0);
        EXPECT_EQ(c.taken ? 0 : UINT64_C(1) << PCIE_ERR_ADVISORY | UINT64_C(1) << PCIE_ERR_TIMEOUT,
                  load(0, reg(0, HUB_ERRORS(0))));
        TearDown();
    }
}

/* It lies in 32 aligned bytes, so no completer has to cut it. */
TEST_F(Dma, ADescriptorComesInOneAnswer)
{
    build(1);
    hosts[0].completion_bytes = 16;
    start_chain(0, 0, { { kRam, area(0, HUB_AREA_HOST) + 0x1000, 64, HUB_DESC_END } }, false);
    run();
    EXPECT_EQ(HUB_DMA_ERR_FETCH, error_of(0, 0));
}

/* The old one is answered with other bytes while the new one waits. */
TEST_F(Dma, ALateDescriptorIsNotTakenForThatOfTheNextList)
{
    const Desc d = { kRam, area(0, HUB_AREA_HOST) + 0x1000, 64, HUB_DESC_END };

    build(1);
    hosts[0].silent = true;
    start_chain(0, 0, { d }, false);
    run();
    EXPECT_EQ(HUB_DMA_ERR_TIMEOUT, error_of(0, 0));
    hosts[0].silent = false;
    pcie_tlp late = hosts[0].asked.at(0);
    late.addr += 0x1000;
    hosts[0].take_read(&late);
    start_chain(0, 0, { d }, false);
    run();
    EXPECT_EQ(0u, error_of(0, 0));
    EXPECT_EQ(1u, hosts[0].written.count(kRam + 0x1000));
}

/* While data is on its way; a status word, too, finds its area closed. */
TEST_F(Dma, AnAreaThatIsClosedIsNotWritten)
{
    for (bool status : { false, true }) {
        build(1);
        hosts[0].read_ps = 10 * SIM_US;
        start_register(0, 0, kRam, area(0, status ? HUB_AREA_HOST : HUB_AREA_GPU0) + 0x1000, 1024,
                       status ? area(0, HUB_AREA_GPU0) : 0, 1);
        ASSERT_EQ(SIM_ERR_LIMIT, sim_run(sim, sim_now(doms[0]) + 5 * SIM_US));
        hosts[0].write64(reg(0, HUB_AREA_BASE(HUB_AREA_GPU0)), 0);
        run();
        EXPECT_EQ(HUB_DMA_ERR_DEST << HUB_DMA_ERROR_SHIFT | UINT64_C(1) << 32,
                  load(0, reg(0, HUB_DMA(0) + HUB_DMA_STATE)));
        EXPECT_EQ(status ? 1024u : 0u, load(0, reg(0, HUB_DMA(0) + HUB_DMA_BYTES)));
        EXPECT_EQ(status ? 4u : 0u, hosts[0].written.size());
        TearDown();
    }
}

TEST_F(Dma, AnAreaThatIsClosedIsNotRead)
{
    build(1);
    start_register(0, 0, area(0, HUB_AREA_GPU0), area(0, HUB_AREA_HOST) + 0x100000, 0x40000,
                   area(0, HUB_AREA_HOST) + 0x1000, 1);
    ASSERT_EQ(SIM_ERR_LIMIT, sim_run(sim, sim_now(doms[0]) + 10 * SIM_US));
    hosts[0].write64(reg(0, HUB_AREA_BASE(HUB_AREA_GPU0)), 0);
    run();
    EXPECT_EQ(HUB_DMA_ERR_SOURCE, error_of(0, 0));
    EXPECT_GT(0x40000u, load(0, reg(0, HUB_DMA(0) + HUB_DMA_BYTES)));
    EXPECT_EQ(0u, hosts[0].written.count(kRam + 0x1000)) << "no status word";
}

/* The channel is busy until it is granted, so that no other list's data gets into its place. */
TEST_F(Dma, AStatusWordThatWaitsWhenItsListIsAbortedIsSentAsItIs)
{
    const uint64_t to = area(0, HUB_AREA_HOST);

    cfg.output_cycles = 250;
    build(1);
    start_chain(0, 0, { { 7, to + 0x3000, 9, HUB_DESC_END, HUB_DESC_STATUS } }, true);
    ASSERT_EQ(SIM_ERR_LIMIT, sim_run(sim, sim_now(doms[0]) + 600 * SIM_NS));
    hosts[0].write64(reg(0, HUB_DMA(0) + HUB_DMA_CONTROL), HUB_DMA_ABORT);
    start_register(0, 0, reg(0, HUB_INTERNAL_OFFSET), to + 0x5000, 64);
    run();
    EXPECT_EQ(1u, hosts[0].written.count(kRam + 0x3000));
    EXPECT_EQ(0, memcmp(&hosts[0].ram[0x3000], "\7\0\0\0\11\0\0\0", 8));
    EXPECT_EQ(HUB_DMA_ERR_BUSY, error_of(0, 0));
    EXPECT_EQ(0u, load(0, reg(0, HUB_DMA(0) + HUB_DMA_BYTES)));
    start_register(0, 0, reg(0, HUB_INTERNAL_OFFSET), to + 0x5000, 64);
    run();
    EXPECT_EQ(0u, error_of(0, 0));
    EXPECT_EQ(64u, load(0, reg(0, HUB_DMA(0) + HUB_DMA_BYTES)));
}

/* The first half of a request waits for its grant when the second one comes poisoned. */
TEST_F(Dma, WhatIsOnItsWayWhenARequestFailsIsWritten)
{
    cfg.output_cycles = 250;
    cfg.dma_read_bytes = 512;
    build(2);
    fill(hosts[0].ram, 7);
    hosts[0].completion_bytes = 256;
    hosts[0].poisons = kRam + 256;
    start_register(0, 0, kRam, area(1, HUB_AREA_HOST), 512);
    run();
    EXPECT_EQ(HUB_DMA_ERR_POISON, error_of(0, 0));
    EXPECT_EQ(256u, load(0, reg(0, HUB_DMA(0) + HUB_DMA_BYTES)));
    EXPECT_EQ(0, memcmp(hosts[0].ram.data(), hosts[1].ram.data(), 256));
    EXPECT_EQ(1u, hosts[1].written.size());
}

/* Two channels that write to ports of their own share its one beat a cycle in turn. */
TEST_F(Dma, InternalMemoryIsReadBeatByBeat)
{
    const uint64_t bytes = 0x8000;

    build(2);
    sim_time_t begin = sim_now(doms[0]);
    for (unsigned ch : { 0u, 1u })
        start_register(0, ch, reg(0, HUB_INTERNAL_OFFSET), area(ch, HUB_AREA_HOST), bytes);
    run();
    double beats = 2 * double(bytes) / double(cfg.bus_bytes),
           cycle_ps = 1e9 / double(cfg.clock_khz);
    for (unsigned ch : { 0u, 1u })
        EXPECT_NEAR(beats, double(hosts[ch].written.at(kRam + bytes - 256) - begin) / cycle_ps,
                    0.1 * beats);
}

/* Packets have whole double words, which count against Max_Payload_Size, too. */
TEST_F(Dma, DataMayBeginAtAnyByte)
{
    for (uint64_t low : { 1u, 2u, 3u, 14u }) {
        uint64_t status = 0x1122334455667788, at = area(1, HUB_AREA_HOST) + 0x4000;

        build(2);
        fill(hosts[0].ram, 9);
        start_register(0, 0, kRam + 0x100 + low, area(1, HUB_AREA_HOST) + low, 4096, at, status);
        run();
        EXPECT_EQ(0u, error_of(0, 0)) << low;
        EXPECT_EQ(0, memcmp(&hosts[0].ram[0x100 + low], &hosts[1].ram[low], 4096)) << low;
        EXPECT_EQ(0, memcmp(&status, &hosts[1].ram[0x4000], 8)) << low;
        TearDown();
    }
}

/* At 8 bytes each its write crosses no 4 KiB boundary. */
TEST_F(Dma, AStatusWordIsAligned)
{
    for (uint64_t low : { 1u, 4u, 0xffcu }) {
        uint64_t at = area(1, HUB_AREA_HOST) + 0x4000 + low;

        build(2);
        start_register(0, 0, kRam, area(1, HUB_AREA_HOST), 64, at, 1);
        run();
        EXPECT_EQ(uint64_t{ HUB_DMA_ERR_ALIGN }, error_of(0, 0)) << low;
        EXPECT_EQ(0, memcmp(&hosts[0].ram[0], &hosts[1].ram[0], 64)) << low;
        EXPECT_EQ(0u, hosts[1].written.count(kRam + 0x4000 + low));
        TearDown();
    }
}

/* Data goes first where both are due at one edge, here the first request and the third descriptor.
 * And what is being read, 256 bytes here, is read to its end. */
TEST_F(Dma, DescriptorsWaitForDataThatIsReadFromInternalMemory)
{
    const uint64_t src = reg(0, HUB_INTERNAL_OFFSET + 0x8000), dst = area(1, HUB_AREA_HOST);
    const double cycle_ps = 1e9 / double(cfg.clock_khz);
    auto first_two = [&](bool alone) {
        std::vector<Desc> list;

        for (uint32_t k = 0; k < 4; k++)
            list.push_back({ src, dst + k * 256, 256,
                             alone || k == 3 ? HUB_DESC_END : (k + 1) | HUB_DESC_INTERNAL,
                             HUB_DESC_PIPELINE });
        build(2);
        sim_time_t begin = sim_now(doms[0]);
        start_chain(0, 0, list, true);
        run();
        auto at = [&](uint64_t addr) { return double(hosts[1].written[addr] - begin) / cycle_ps; };
        std::pair<double, double> two = { at(kRam), at(kRam + 256) };
        TearDown();
        return two;
    };

    cfg.dma_decode_cycles = cfg.dma_fetch_internal_cycles - 1;
    EXPECT_EQ(first_two(true).first, first_two(false).first);
    cfg.dma_prefetch = 1;
    auto [first, second] = first_two(false);
    double beats = 256.0 / double(cfg.bus_bytes);
    double fetch = double(cfg.dma_fetch_internal_cycles + cfg.dma_decode_cycles);
    EXPECT_NEAR(beats + fetch + 1, second - first, 1);
}

} // namespace
