/* Errors of transactions at a hub: what it answers, records, and reports to software. */
#include "pcie/port/aer.h"
#include "rig.h"

namespace
{

constexpr sim_time_t kTimeout = 50 * SIM_US;

uint64_t bit(pcie_error error)
{
    return UINT64_C(1) << error; /* as HUB_ERRORS shows them, both halves */
}

class Errors : public HubRig
{
  protected:
    Errors() { cfg.completion_timeout_ps = kTimeout; }
    void start(unsigned i, uint64_t src, uint64_t dst, uint64_t n, uint64_t status_addr = 0)
    {
        FakeHost &h = hosts[i];
        uint64_t base = reg(i, HUB_DMA(0));

        h.write64(base + HUB_DMA_SRC, src);
        h.write64(base + HUB_DMA_DST, dst);
        h.write64(base + HUB_DMA_LENGTH, n);
        h.write64(base + HUB_DMA_STATUS_ADDR, status_addr);
        h.write64(base + HUB_DMA_STATUS_DATA, 0x5a5a);
        h.write64(base + HUB_DMA_CONTROL, HUB_DMA_START_REG);
        run();
    }
    uint64_t state() { return load(0, reg(0, HUB_DMA(0) + HUB_DMA_STATE)); }
    uint64_t error() { return state() >> HUB_DMA_ERROR_SHIFT & 0xf; }
    uint64_t errors(unsigned port = 0, unsigned hub = 0)
    {
        return load(hub, reg(hub, HUB_ERRORS(port)));
    }
    uint32_t config(uint32_t r)
    {
        pcie_tlp tlp = {};
        tlp.kind = PCIE_CFGRD0;
        tlp.tag = hosts[0].next_tag++;
        tlp.first_be = 0xf;
        tlp.length_dw = 1;
        tlp.completer_id = 0x0100;
        tlp.addr = r;
        hosts[0].send(tlp);
        run();
        uint32_t v = 0;
        memcpy(&v, hosts[0].answers[tlp.tag].payload->data, 4);
        return v;
    }
    pcie_tlp answer_to(pcie_tlp tlp)
    {
        tlp.tag = hosts[0].next_tag++;
        hosts[0].send(tlp);
        run();
        EXPECT_EQ(1u, hosts[0].answers.count(tlp.tag)) << "no completion";
        return hosts[0].answers[tlp.tag];
    }
    static pcie_tlp read_of(uint64_t addr, uint32_t n)
    {
        pcie_tlp tlp = {};
        tlp.kind = PCIE_MRD;
        pcie_tlp_set_range(&tlp, addr, n);
        return tlp;
    }
    void misbehave(pcie_misdeed deed, sim_time_t late_ps = 0)
    {
        pcie_misbehavior how = {};
        sim_error err = {};

        how.deed = deed;
        how.to_ps = SIM_TIME_NEVER;
        how.late_ps = late_ps;
        ASSERT_EQ(SIM_OK, hub_misbehave(hubs[0], &how, &err)) << err.text;
    }
};

/* ---- as a requester ------------------------------------------------------------------ */

TEST_F(Errors, AReadThatIsNeverAnsweredEndsTheChainInTime)
{
    build(2);
    hosts[0].silent = true;
    sim_time_t before = sim_now(doms[0]);
    start(0, kRam, area(1, HUB_AREA_HOST), 4096, area(0, HUB_AREA_HOST) + 0x8000);
    EXPECT_NEAR((double)kTimeout, (double)(sim_now(doms[0]) - before), (double)(2 * SIM_US));
    EXPECT_EQ(HUB_DMA_ERR_TIMEOUT << HUB_DMA_ERROR_SHIFT | UINT64_C(1) << 32, state());
    EXPECT_EQ(0u, hosts[0].written.count(kRam + 0x8000)) << "no status word after an error";
    EXPECT_EQ(bit(PCIE_ERR_TIMEOUT), errors());
    EXPECT_EQ(0x00020000u, config(PCIE_CFG_DEVICE_CONTROL) & 0xffff0000u); /* non-fatal */
}

TEST_F(Errors, LateAnswersAreNotTakenForThoseOfTheNextChain)
{
    build(2);
    hosts[0].silent = true;
    start(0, kRam, area(1, HUB_AREA_HOST), 2048);
    EXPECT_EQ(HUB_DMA_ERR_TIMEOUT, error());
    fill(hosts[0].ram, 3);
    hosts[0].silent = false;
    /* the old requests are answered now, with bytes of another place, while the new ones wait */
    for (const pcie_tlp &old : hosts[0].asked) {
        pcie_tlp tlp = old;
        tlp.addr += 0x10000;
        hosts[0].take_read(&tlp);
    }
    EXPECT_EQ(8u, hosts[0].asked.size());
    start(0, kRam, area(1, HUB_AREA_HOST), 2048);
    EXPECT_EQ(0u, error());
    EXPECT_EQ(0, memcmp(hosts[0].ram.data(), hosts[1].ram.data(), 2048));
    EXPECT_EQ(bit(PCIE_ERR_TIMEOUT) | bit(PCIE_ERR_ADVISORY), errors());
}

TEST_F(Errors, AnErrorStatusEndsTheChainWithItsReason)
{
    build(2);
    hosts[0].status = PCIE_CPL_CA;
    start(0, kRam, area(1, HUB_AREA_HOST), 4096, area(0, HUB_AREA_HOST) + 0x8000);
    EXPECT_EQ(HUB_DMA_ERR_ABORT, error());
    EXPECT_EQ(PCIE_STATUS_TARGET_ABORT, config(PCIE_CFG_COMMAND) & 0xf8000000u);
    hosts[0].status = PCIE_CPL_UR;
    start(0, kRam, area(1, HUB_AREA_HOST), 4096, area(0, HUB_AREA_HOST) + 0x8000);
    EXPECT_EQ(HUB_DMA_ERR_SOURCE, error());
    EXPECT_EQ(PCIE_STATUS_TARGET_ABORT | PCIE_STATUS_MASTER_ABORT,
              config(PCIE_CFG_COMMAND) & 0xf8000000u);
    hosts[0].status = PCIE_CPL_SC;
    start(0, kRam, area(1, HUB_AREA_HOST), 4096, area(0, HUB_AREA_HOST) + 0x8000);
    EXPECT_EQ(0u, error());
    EXPECT_EQ(1u, hosts[0].written.count(kRam + 0x8000));
    EXPECT_EQ(0u, errors()); /* they are the completer's to record */
}

TEST_F(Errors, RequestsWaitForBusMasterEnable)
{
    std::string told;
    auto tell = [](void *arg, const machine_block *b) {
        *static_cast<std::string *>(arg) += std::string(b->where) + ": " + b->lacks + "\n";
    };

    cfg.completion_timeout_ps = 0;
    build(2);
    fill(hosts[0].ram, 5);
    hosts[0].config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY);
    hosts[1].config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY);
    run();
    start(0, kRam, area(1, HUB_AREA_HOST), 1024);
    EXPECT_EQ(0u, hosts[0].reads);
    EXPECT_NE(0u, state() & HUB_DMA_BUSY) << "registers are answered";
    hub_kind.blocked(hubs[0], tell, &told);
    EXPECT_EQ("dma0: Bus Master Enable\n", told);
    hosts[0].config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER);
    run();
    EXPECT_EQ(4u, hosts[0].reads);
    EXPECT_TRUE(hosts[1].written.empty()) << "the hub of the other node makes that request";
    hosts[1].config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER);
    run();
    EXPECT_EQ(0, memcmp(hosts[0].ram.data(), hosts[1].ram.data(), 1024));
}

TEST_F(Errors, ReadsAreNoLargerThanTheHostAllows)
{
    cfg.dma_read_bytes = 4096;
    build(2);
    for (uint32_t code : { 0u, 2u, 5u }) { /* 128 << code (7.8.4) */
        hosts[0].config_write(PCIE_CFG_DEVICE_CONTROL, code << 12);
        hosts[0].reads = hosts[0].read_bytes_max = 0;
        start(0, kRam, area(1, HUB_AREA_HOST), 4096);
        EXPECT_EQ(128u << code, hosts[0].read_bytes_max);
        EXPECT_EQ(32u >> code, hosts[0].reads);
        EXPECT_EQ(0u, error());
    }
}

/* Each place in a read of several completions: what came before it was good and may have gone. With
 * payloads of 128 bytes, one completion would be enough for a write. */
TEST_F(Errors, PoisonedDataIsReportedAndNotWritten)
{
    for (uint64_t k = 0; k < 8; k++) {
        const uint64_t at = std::vector<uint64_t>{ 0, 128, 256, 3968 }[k % 4];

        for (auto &port : cfg.port)
            port.mps_bytes = k < 4 ? 256 : 128;
        build(2);
        fill(hosts[0].ram, 7);
        hosts[0].poisons = kRam + at;
        start(0, kRam, area(1, HUB_AREA_HOST), 4096, area(0, HUB_AREA_HOST) + 0x8000);
        EXPECT_EQ(HUB_DMA_ERR_POISON, error()) << at;
        EXPECT_EQ(bit(PCIE_ERR_POISONED), errors());
        EXPECT_NE(0u, config(PCIE_CFG_COMMAND) & PCIE_STATUS_PARITY);
        EXPECT_EQ(0u, hosts[0].written.count(kRam + 0x8000));
        EXPECT_EQ(std::vector<uint8_t>(128, 0),
                  std::vector<uint8_t>(hosts[1].ram.begin() + (long)at,
                                       hosts[1].ram.begin() + (long)at + 128));
        hosts[0].poisons = UINT64_MAX;
        start(0, kRam, area(1, HUB_AREA_HOST), 4096);
        EXPECT_EQ(0u, error());
        EXPECT_EQ(0, memcmp(hosts[0].ram.data(), hosts[1].ram.data(), 4096));
        TearDown();
    }
}

TEST_F(Errors, AListThatBrokeOffIsToldWhereAMachineStandsStill)
{
    std::string told;
    auto tell = [](void *arg, const machine_block *b) {
        *static_cast<std::string *>(arg) +=
            std::string(b->where) + ": " + b->what + " waits for " + b->lacks;
    };

    build(1);
    hub_kind.blocked(hubs[0], tell, &told);
    EXPECT_EQ("", told);
    hosts[0].silent = true;
    start(0, kRam, area(0, HUB_AREA_HOST) + 0x8000, 64);
    hub_kind.blocked(hubs[0], tell, &told);
    EXPECT_EQ("dma0: a list whose read was not answered in time waits for a new start, after its "
              "error",
              told);
}

TEST_F(Errors, ADescriptorThatDoesNotComeEndsTheChain)
{
    build(1);
    hosts[0].silent = true;
    hosts[0].write64(reg(0, HUB_DMA(0) + HUB_DMA_TABLE), kRam + 0x100000);
    hosts[0].write64(reg(0, HUB_DMA(0) + HUB_DMA_HEAD), 0);
    run();
    EXPECT_EQ(HUB_DMA_ERR_TIMEOUT, error());
    hosts[0].silent = false;
    hosts[0].poisons = kRam + 0x100000;
    hosts[0].write64(reg(0, HUB_DMA(0) + HUB_DMA_HEAD), 0);
    run();
    EXPECT_EQ(HUB_DMA_ERR_POISON, error());
    hosts[0].status = PCIE_CPL_CA;
    hosts[0].write64(reg(0, HUB_DMA(0) + HUB_DMA_HEAD), 0);
    run();
    EXPECT_EQ(HUB_DMA_ERR_ABORT, error());
}

TEST_F(Errors, WithoutATimeoutAReadWaitsWithoutEnd)
{
    cfg.completion_timeout_ps = 0;
    build(1);
    hosts[0].silent = true;
    start(0, kRam, area(0, HUB_AREA_HOST) + 0x8000, 64);
    EXPECT_EQ(HUB_DMA_BUSY, state());
}

TEST_F(Errors, ANeighbourThatDoesNotAnswerIsNotConfigured)
{
    build(1);
    pcie_misbehavior how = {};
    sim_error err = {};

    TearDown();
    how.deed = PCIE_IS_SILENT;
    how.to_ps = SIM_TIME_NEVER;
    before_start = [&] { EXPECT_EQ(SIM_OK, hub_misbehave(hubs[0], &how, &err)); };
    build(2); /* node 1 configures node 0 by its W */
    EXPECT_EQ(0x1u, load(1, reg(1, HUB_LINK_STATUS)));
    EXPECT_EQ(bit(PCIE_ERR_TIMEOUT), errors(2, 1));
}

TEST_F(Errors, CompletionsThatNobodyWaitsForAreDroppedAndRecorded)
{
    build(1);
    pcie_tlp cpl = {};

    cpl.kind = PCIE_CPL;
    cpl.requester_id = 0x0100;
    cpl.byte_count = 4;
    for (unsigned tag : { 0u, 31u, 127u, 128u, 131u, 132u, 140u, 255u }) {
        cpl.tag = (uint8_t)tag;
        hosts[0].send(cpl);
    }
    run();
    EXPECT_EQ(bit(PCIE_ERR_ADVISORY), errors());
    hosts[0].write64(reg(0, HUB_ERRORS(0)), bit(PCIE_ERR_ADVISORY));
    run();
    EXPECT_EQ(0u, errors());
    hosts[0].config_write(PCIE_AER_CORRECTABLE_MASK, 0); /* software that knows advisory errors */
    hosts[0].send(cpl);
    run();
    EXPECT_EQ(bit(PCIE_ERR_ADVISORY) | bit(PCIE_ERR_UNEXPECTED), errors());
    EXPECT_EQ(0x010000ffu & 0xffff0000u, config(PCIE_AER_HEADER_LOG + 8) & 0xffff0000u);
}

/* ---- as a completer --------------------------------------------------------------------- */

TEST_F(Errors, ZeroLengthReadsAreAnswered)
{
    build(1);
    for (uint64_t offset : { (uint64_t)HUB_ID, (uint64_t)HUB_INTERNAL_OFFSET + 0x40 }) {
        pcie_tlp cpl = answer_to(read_of(reg(0, offset), 0));

        EXPECT_EQ(PCIE_CPLD, cpl.kind);
        EXPECT_EQ(PCIE_CPL_SC, cpl.status);
        EXPECT_EQ(1u, cpl.byte_count);
        EXPECT_EQ(1u, cpl.length_dw);
        EXPECT_EQ(reg(0, offset) & 0x7f, cpl.lower_addr);
    }
}

TEST_F(Errors, ByteEnablesSayHowManyBytesAreAnsweredAndFromWhere)
{
    build(1);
    for (uint32_t first = 0; first < 4; first++) {
        for (uint32_t n = 1; first + n <= 8; n++) {
            pcie_tlp cpl = answer_to(read_of(reg(0, HUB_ID) + first, n));
            uint64_t id = HUB_ID_MAGIC | UINT64_C(4) << 32 | UINT64_C(4) << 40;

            EXPECT_EQ(n, cpl.byte_count);
            EXPECT_EQ((reg(0, HUB_ID) + first) & 0x7f, cpl.lower_addr);
            EXPECT_EQ(
                0, memcmp(cpl.payload->data + first, reinterpret_cast<uint8_t *>(&id) + first, n));
        }
    }
}

TEST_F(Errors, WritesWithHolesTouchEnabledBytesOnly)
{
    build(1);
    uint64_t at = reg(0, HUB_INTERNAL_OFFSET) + 0x100, ones = UINT64_MAX;
    pcie_tlp tlp = {};

    hosts[0].write64(at, 0);
    tlp.kind = PCIE_MWR;
    pcie_tlp_set_range(&tlp, at, 8);
    tlp.first_be = 0x5;
    tlp.last_be = 0xa;
    tlp.payload = mem_payload_alloc(hosts[0].pool, 8);
    memcpy(tlp.payload->data, &ones, 8);
    hosts[0].send(tlp);
    run();
    EXPECT_EQ(UINT64_C(0xff00ff0000ff00ff), load(0, at));
    tlp.first_be = tlp.last_be = 0; /* one double word, no byte: nothing happens */
    tlp.length_dw = 1;
    tlp.payload = mem_payload_alloc(hosts[0].pool, 4);
    hosts[0].send(tlp);
    run();
    EXPECT_EQ(UINT64_C(0xff00ff0000ff00ff), load(0, at));
    EXPECT_EQ(0u, errors());
}

TEST_F(Errors, ReadingSeveralRegistersAtOnceIsAborted)
{
    build(1);
    pcie_tlp cpl = answer_to(read_of(reg(0, HUB_ID), 12));

    EXPECT_EQ(PCIE_CPL, cpl.kind);
    EXPECT_EQ(PCIE_CPL_CA, cpl.status);
    EXPECT_EQ(12u, cpl.byte_count);
    EXPECT_EQ(bit(PCIE_ERR_ADVISORY), errors()); /* advisory: the requester knows */
    EXPECT_EQ(PCIE_STATUS_SIGNALED_ABORT, config(PCIE_CFG_COMMAND) & 0xf8000000u);
    EXPECT_EQ(PCIE_CPL_CA, answer_to(read_of(reg(0, HUB_ID) + 4, 8)).status) << "halves of two";
    EXPECT_EQ(PCIE_CPL_SC, answer_to(read_of(reg(0, HUB_ID) + 4, 4)).status);
}

TEST_F(Errors, UnsupportedRequestsAreAdvisoryWhereTheyAreAnswered)
{
    build(1);
    EXPECT_EQ(PCIE_CPL_UR, answer_to(read_of(area(0, HUB_AREA_GPU1), 4)).status);
    EXPECT_EQ(bit(PCIE_ERR_ADVISORY), errors());
    hosts[0].write64(part(5), 1); /* no route; only this reports it */
    run();
    EXPECT_EQ(bit(PCIE_ERR_ADVISORY) | bit(PCIE_ERR_UNSUPPORTED), errors());
    EXPECT_EQ(0x000b0000u, config(PCIE_CFG_DEVICE_CONTROL) & 0xffff0000u);
    EXPECT_EQ(part(5) >> 32, config(PCIE_AER_HEADER_LOG + 8));
}

TEST_F(Errors, PoisonedWritesChangeNothing)
{
    build(1);
    pcie_tlp tlp = {};
    uint64_t v = 0x1234;

    tlp.kind = PCIE_MWR;
    tlp.poisoned = 1;
    pcie_tlp_set_range(&tlp, reg(0, HUB_IRQ_MASK), 8);
    tlp.payload = mem_payload_alloc(hosts[0].pool, 8);
    memcpy(tlp.payload->data, &v, 8);
    hosts[0].send(tlp);
    run();
    EXPECT_EQ(0u, load(0, reg(0, HUB_IRQ_MASK)));
    EXPECT_EQ(bit(PCIE_ERR_POISONED), errors());
    tlp.kind = PCIE_CFGWR0;
    tlp.addr = PCIE_CFG_MSI + 12;
    tlp.length_dw = 1;
    tlp.first_be = 0xf, tlp.last_be = 0;
    tlp.completer_id = 0x0100;
    tlp.payload = mem_payload_alloc(hosts[0].pool, 4);
    EXPECT_EQ(PCIE_CPL_UR, answer_to(tlp).status);
    EXPECT_EQ(7u, config(PCIE_CFG_MSI + 12));
}

TEST_F(Errors, APoisonedPacketPassesAHubAsItIs)
{
    build(3);
    pcie_tlp tlp = {};
    uint64_t v = 0x1234;

    tlp.kind = PCIE_MWR;
    tlp.poisoned = 1;
    pcie_tlp_set_range(&tlp, reg(2, HUB_IRQ_RAISE), 8);
    tlp.payload = mem_payload_alloc(hosts[0].pool, 8);
    memcpy(tlp.payload->data, &v, 8);
    hosts[0].send(tlp);
    run();
    EXPECT_EQ(0u, load(2, reg(2, HUB_IRQ_STATUS)));
    EXPECT_EQ(bit(PCIE_ERR_POISONED), errors(2, 2)); /* the target, by its W */
    EXPECT_EQ(0u, errors(0, 0));
}

TEST_F(Errors, AHubCanDoWrongOnPurpose)
{
    build(1);
    misbehave(PCIE_POISONS);
    EXPECT_TRUE(answer_to(read_of(reg(0, HUB_ID), 8)).poisoned);
    TearDown();
    build(1);
    misbehave(PCIE_ABORTS);
    EXPECT_EQ(PCIE_CPL_CA, answer_to(read_of(reg(0, HUB_ID), 8)).status);
    TearDown();
    build(1);
    misbehave(PCIE_IS_LATE, 9 * SIM_US);
    sim_time_t before = sim_now(doms[0]);
    EXPECT_EQ(HUB_ID_MAGIC, load(0, reg(0, HUB_ID), 4));
    EXPECT_GT(sim_now(doms[0]) - before, 9 * SIM_US);
    TearDown();
    build(1);
    misbehave(PCIE_IS_SILENT);
    uint8_t tag = hosts[0].read(reg(0, HUB_ID), 8);
    run();
    EXPECT_EQ(0u, hosts[0].answers.count(tag));
}

TEST_F(Errors, AHubThatStopsTakesNothingAndThenGoesOn)
{
    pcie_misbehavior how = {};
    sim_error err = {};

    build(3);
    how.deed = PCIE_STOPS_TAKING;
    how.from_ps = sim_now(doms[1]);
    how.to_ps = how.from_ps + 100 * SIM_US;
    ASSERT_EQ(SIM_OK, hub_misbehave(hubs[1], &how, &err));
    for (unsigned k = 0; k < 300; k++)
        hosts[0].write64(area(2, HUB_AREA_HOST) + 8 * k, k + 1);
    run();
    for (unsigned k = 0; k < 300; k++) {
        EXPECT_EQ(k + 1, *reinterpret_cast<uint16_t *>(&hosts[2].ram[8 * k]));
        EXPECT_GE(hosts[2].written[kRam + 8 * k], how.to_ps);
    }
}

} // namespace
