/* docs/hub-spec.md edge by edge: DMA channels, their memory, time-outs. */
#include "cycles.h"

#include <array>
#include <tuple>

namespace
{

using Edges = std::vector<uint64_t>;

class CyclesDma : public Cycles
{
  protected:
    static constexpr uint64_t kIrq = 0x4;

    /** Registers of a channel, all but the start; an interrupt at the end. */
    void prepare(unsigned ch, uint64_t src, uint64_t dst, uint64_t n, uint64_t status = 0)
    {
        uint64_t base = reg(0, HUB_DMA(ch));

        host().write64(base + HUB_DMA_SRC, src);
        host().write64(base + HUB_DMA_DST, dst);
        host().write64(base + HUB_DMA_LENGTH, n);
        host().write64(base + HUB_DMA_STATUS_ADDR, status);
        host().write64(base + HUB_DMA_IRQ, kIrq << ch);
        host().write64(reg(0, HUB_IRQ_MASK), ~UINT64_C(0));
        host().write64(reg(0, HUB_IRQ_STATUS), ~UINT64_C(0));
        run();
        host().seen.clear();
    }
    void start(unsigned ch = 0)
    {
        host().write64(reg(0, HUB_DMA(ch) + HUB_DMA_CONTROL), HUB_DMA_START_REG);
    }
    /** @return the edge at which the start takes effect */
    uint64_t start_soon(unsigned ch = 0)
    {
        uint64_t n = soon();

        beat(n, [this, ch] { start(ch); });
        return n + to_effect();
    }
    /** From a start to the edge at which the descriptor of the registers begins. */
    uint64_t to_begin() const { return cfg.dma_start_cycles + cfg.dma_decode_cycles; }
    /** The same to the edge at which its first request may be granted. */
    uint64_t to_request() const { return to_begin() + 1 + cfg.output_cycles; }
    /** From the first beat of a completion to the grant of the write that carries its data. */
    uint64_t to_write() const { return to_seen() + cfg.output_cycles; }
    /** The same to the edge at which the channel sees it. */
    uint64_t to_seen() const { return to_self() + cfg.dma_completion_cycles; }
    /** Answers a request so that its first completion has its first beat there. */
    void answer(uint64_t edge, size_t index)
    {
        beat(edge, [this, index] {
            host().silent = false;
            host().take_read(&host().asked[index]);
        });
    }
    void quiet_host()
    {
        host().silent = true;
        host().read_ps = 0;
        host().asked.clear();
    }
    uint64_t error_of(unsigned ch)
    {
        return load(0, reg(0, HUB_DMA(ch) + HUB_DMA_STATE)) >> HUB_DMA_ERROR_SHIFT & 0xf;
    }
    void descriptor(unsigned index, bool internal, const std::array<uint32_t, 8> &w)
    {
        if (internal)
            host().write(reg(0, HUB_INTERNAL_OFFSET) + index * HUB_DESC_BYTES, w.data(), 32);
        else
            memcpy(&host().ram[0x100000 + index * HUB_DESC_BYTES], w.data(), 32);
    }
    static std::array<uint32_t, 8> words(uint64_t src, uint64_t dst, uint32_t size, uint32_t next,
                                         uint32_t burst = 0, uint32_t src_gap = 0,
                                         uint32_t dst_gap = 0)
    {
        return { static_cast<uint32_t>(src),
                 static_cast<uint32_t>(src >> 32) | static_cast<uint32_t>(dst >> 32) << 16,
                 static_cast<uint32_t>(dst),
                 size,
                 next,
                 burst,
                 src_gap,
                 dst_gap };
    }
    uint64_t start_chain_soon(uint32_t head)
    {
        uint64_t n = soon();

        beat(n, [this, head] { host().write64(reg(0, HUB_DMA(0) + HUB_DMA_HEAD), head); });
        return n + to_effect();
    }
    /** Edges of the grants of what a host was sent by such requests: reads of so many bytes. */
    Edges reads_of(uint32_t bytes)
    {
        Edges all;

        for (const Seen &s : host().seen)
            if (s.tlp.kind == PCIE_MRD && s.tlp.length_dw * 4u == bytes)
                all.push_back(granted(s));
        return all;
    }
    Edges interrupts()
    {
        Edges all;

        for (const Seen &s : host().seen)
            if (s.tlp.kind == PCIE_MWR && s.tlp.addr == kMsi)
                all.push_back(granted(s));
        return all;
    }
};

/* ---- one step of each part at an edge ----------------------------------------------------------
 */

TEST_F(CyclesDma, ARequestIsSentAtEachEdgeWhereTheIntervalIsOne)
{
    for (uint64_t interval : { 1, 2, 6 }) {
        cfg.dma_read_issue_cycles = interval;
        make();
        quiet_host();
        cfg.completion_timeout_ps = 0;
        prepare(0, kRam, area(kEast, 0), 8 * 256);
        uint64_t first = start_soon() + to_request();
        sim_run(sim, (first + 200) * kCycle);
        Edges expected;
        for (uint64_t k = 0; k < 8; k++)
            expected.push_back(first + k * interval);
        EXPECT_EQ(expected, reads_of(256)) << interval;
        TearDown();
    }
}

TEST_F(CyclesDma, DataIsWrittenTheStatusFollowsAndTheListEnds)
{
    make();
    quiet_host();
    prepare(0, kRam, area(kEast, 0), 64, area(kWest, 0));
    uint64_t s = start_soon(), c = s + 200;
    answer(c, 0);
    run();
    EXPECT_EQ(Edges{ s + to_request() }, reads_of(64));
    EXPECT_EQ(Edges{ c + to_write() }, grants(east_));
    /* The write register is empty at the edge behind its grant, and prepared the word is long ago.
     */
    uint64_t status = c + to_write() + 5 + cfg.bus_gap_cycles;
    ASSERT_EQ(1u, west_.seen.size());
    EXPECT_LE(c + to_write() + 1 + cfg.output_cycles, status) << "the queue is busy for longer";
    EXPECT_EQ(status, granted(west_.seen[0]));
    EXPECT_EQ(Edges{ status + 1 + cfg.output_cycles }, interrupts());
}

/* With one tag the next request follows the last beat of the write, and its gap. */
TEST_F(CyclesDma, ATagIsFreeBehindTheLastBeatOfItsWrite)
{
    for (uint64_t gap : { 0, 1, 3 }) {
        cfg.dma_read_tags = 1;
        cfg.bus_gap_cycles = gap;
        make();
        quiet_host();
        prepare(0, kRam, area(kEast, 0), 2 * 256);
        uint64_t s = start_soon(), c = s + 200;
        host().completion_bytes = 256;
        answer(c, 0);
        run();
        ASSERT_EQ(2u, east_.seen.size());
        uint64_t write = granted(east_.seen[0]);
        EXPECT_NEAR(double(c + to_write()), double(write), 1) << "280 bytes take more than a cycle";
        EXPECT_EQ((Edges{ s + to_request(), write + 17 + gap + cfg.output_cycles }), reads_of(256));
        TearDown();
    }
}

/* The request behind one whose data still leave has failed and is dropped meanwhile. The window of
 * the next list counts what leaves, not what was dropped, be that shorter or longer. */
TEST_F(CyclesDma, TheWindowCountsWhatLeavesWhenTheRequestBehindItIsDropped)
{
    cfg.dma_window_bytes = 250;
    cfg.dma_read_issue_cycles = cfg.dma_start_cycles = 1;
    cfg.dma_decode_cycles = 2;
    cfg.completion_timeout_ps = 0;
    for (uint32_t behind : { 4, 256 }) {
        make();
        quiet_host();
        host().completion_bytes = 256;
        prepare(0, kRam + 16, area(kEast, 0) + 16, 240 + behind);
        uint64_t s = start_soon(), c = s + 200, again = c + to_write() + 4;
        beat(c - 50, [this] {
            host().silent = false;
            host().status = PCIE_CPL_UR;
            host().take_read(&host().asked[1]);
            host().status = PCIE_CPL_SC;
        });
        answer(c, 0);
        beat(again - to_effect(), [this] {
            host().silent = true; /* what it sends is behind its answer */
            east_.write64(cable(reg(0, HUB_DMA(0) + HUB_DMA_CONTROL)), HUB_DMA_START_REG);
        });
        sim_run(sim, (c + 200) * kCycle);
        ASSERT_EQ(1u, east_.seen.size());
        uint64_t left = granted(east_.seen[0]) + beats(240) + cfg.bus_gap_cycles;
        ASSERT_LT(again + to_begin() + 2, left) << "nothing leaves any more";
        EXPECT_EQ((Edges{ s + to_request(), again + to_request() }), reads_of(240)) << behind;
        EXPECT_EQ((Edges{ s + to_request() + 1, left + cfg.output_cycles }), reads_of(behind));
        TearDown();
    }
}

/* Three descriptors of one request each, in internal memory: the pointer to the next one is known
 * before the descriptor is decoded. */
TEST_F(CyclesDma, DescriptorsOfInternalMemoryFollowEachOther)
{
    cfg.dma_read_issue_cycles = 1;
    make();
    quiet_host();
    cfg.completion_timeout_ps = 0;
    for (unsigned k = 0; k < 3; k++)
        descriptor(k, true,
                   words(kRam, area(kEast, 0), 16 + 16 * k,
                         k < 2 ? HUB_DESC_INTERNAL | (k + 1) : HUB_DESC_END, HUB_DESC_PIPELINE));
    run();
    host().seen.clear();
    uint64_t s = start_chain_soon(HUB_DESC_INTERNAL);
    sim_run(sim, (s + 200) * kCycle);
    uint64_t first = s + cfg.dma_start_cycles + cfg.dma_fetch_internal_cycles +
                     cfg.dma_decode_cycles + 1 + cfg.output_cycles;
    EXPECT_EQ(Edges{ first }, reads_of(16));
    EXPECT_EQ(Edges{ first + cfg.dma_fetch_internal_cycles }, reads_of(32));
    EXPECT_EQ(Edges{ first + 2 * cfg.dma_fetch_internal_cycles }, reads_of(48));
}

/* The second one is decoded while the requests of the first are sent. It begins at the edge behind
 * the last of them, and sends its own one edge later. */
TEST_F(CyclesDma, ADescriptorBeginsBehindTheLastRequestOfTheOneBefore)
{
    const unsigned requests = 20;

    cfg.dma_read_issue_cycles = 1;
    cfg.dma_read_tags = requests + 1;
    make();
    quiet_host();
    cfg.completion_timeout_ps = 0;
    descriptor(
        0, true,
        words(kRam, area(kEast, 0), requests * 256, HUB_DESC_INTERNAL | 1, HUB_DESC_PIPELINE));
    descriptor(1, true, words(kRam, area(kEast, 0), 16, HUB_DESC_END));
    run();
    host().seen.clear();
    uint64_t s = start_chain_soon(HUB_DESC_INTERNAL);
    sim_run(sim, (s + 200) * kCycle);
    Edges first = reads_of(256);
    ASSERT_EQ(requests, first.size());
    EXPECT_EQ(first.front() + requests - 1, first.back());
    EXPECT_EQ(Edges{ first.back() + 2 }, reads_of(16));
}

/* From host memory: a read for each, and the pointer is known with the decoded descriptor. */
TEST_F(CyclesDma, DescriptorsOfHostMemoryAreAskedForOneByOne)
{
    make();
    quiet_host();
    cfg.completion_timeout_ps = 0;
    for (unsigned k = 0; k < 2; k++)
        descriptor(
            k, false,
            words(kRam, area(kEast, 0), 16 + 48 * k, k == 0 ? 1 : HUB_DESC_END, HUB_DESC_PIPELINE));
    host().write64(reg(0, HUB_DMA(0) + HUB_DMA_TABLE), kRam + 0x100000);
    run();
    host().seen.clear();
    uint64_t s = start_chain_soon(0), c = s + 200;
    answer(c, 0);
    at(c + 1, [this] { host().silent = true; });
    sim_run(sim, (c + 200) * kCycle);
    uint64_t decoded = c + to_seen() + cfg.dma_decode_cycles;
    EXPECT_EQ((Edges{ s + cfg.dma_start_cycles + cfg.dma_fetch_host_cycles + cfg.output_cycles,
                      decoded + cfg.dma_fetch_host_cycles + cfg.output_cycles }),
              reads_of(32));
    EXPECT_EQ(Edges{ decoded + 1 + cfg.output_cycles }, reads_of(16));
}

/* ---- rows --------------------------------------------------------------------------------------
 */

/* Four blocks, of which the third does not lie in the area of the first any more. */
TEST_F(CyclesDma, AStridedListThatRunsOutOfItsDestinationWritesTheBlocksBeforeIt)
{
    const uint32_t gap = 0x40000000 - 64;
    const uint64_t step = gap + 64;

    make();
    fill(host().ram, 3);
    uint64_t dst = area(kEast, HUB_AREA_GPU0) - 2 * step + 16;
    descriptor(0, true, words(kRam + 16, dst, 256, HUB_DESC_END, 64, 0, gap));
    prepare(0, 0, 0, 0, area(kEast, 0));
    start_chain_soon(HUB_DESC_INTERNAL);
    run();
    EXPECT_EQ(HUB_DMA_ERR_DEST, error_of(0));
    ASSERT_EQ(2u, east_.seen.size()) << "no block behind, and no status";
    for (unsigned k = 0; k < 2; k++) {
        EXPECT_EQ(cable(dst + k * step), east_.seen[k].tlp.addr);
        EXPECT_EQ(0, memcmp(&host().ram[16 + 64 * k], east_.seen[k].data.data(), 64));
    }
    EXPECT_EQ(128u, load(0, reg(0, HUB_DMA(0) + HUB_DMA_BYTES)));
}

TEST_F(CyclesDma, AStridedListThatRunsOutOfItsSourceWritesTheBlocksBeforeIt)
{
    make();
    uint64_t src = reg(0, HUB_INTERNAL_OFFSET) + HUB_INTERNAL_BYTES - 2 * 96;
    write_bytes(host(), src, 64);
    write_bytes(host(), src + 96, 64);
    descriptor(0, true, words(src, area(kEast, 0), 256, HUB_DESC_END, 64, 32, 0));
    prepare(0, 0, 0, 0, area(kEast, 0));
    start_chain_soon(HUB_DESC_INTERNAL);
    run();
    EXPECT_EQ(HUB_DMA_ERR_SOURCE, error_of(0));
    ASSERT_EQ(2u, east_.seen.size()) << "no block behind, and no status";
    for (unsigned k = 0; k < 2; k++) {
        std::vector<uint8_t> expected(64);
        fill(expected, src + 96 * k);
        EXPECT_EQ(expected, east_.seen[k].data);
    }
}

/* ---- ways out ----------------------------------------------------------------------------------
 */

TEST_F(CyclesDma, WritesAreCutForTheWayThatTheyTake)
{
    cfg.port[HUB_PORT_e].mps_bytes = 128;
    make();
    fill(host().ram, 4);
    host().completion_bytes = 256;
    for (auto &[node, at, pieces] : std::vector<std::tuple<unsigned, FakeHost *, size_t>>{
             { kEast, &east_, 4 }, { kWest, &west_, 2 } }) {
        prepare(0, kRam, area(node, 0), 512);
        start_soon();
        run();
        ASSERT_EQ(pieces, at->seen.size());
        for (size_t k = 0; k < pieces; k++) {
            ASSERT_EQ(512 / pieces, at->seen[k].data.size());
            EXPECT_EQ(cable(area(node, 0)) + k * 512 / pieces, at->seen[k].tlp.addr);
            EXPECT_EQ(0,
                      memcmp(&host().ram[k * 512 / pieces], at->seen[k].data.data(), 512 / pieces));
        }
        EXPECT_EQ(0u, error_of(0));
    }
}

TEST_F(CyclesDma, APacketThatIsTooLargeForItsWayOutIsRefused)
{
    cfg.port[HUB_PORT_e].mps_bytes = 128;
    make();
    write_bytes(west_, cable(area(kEast, 0)), 132);
    write_bytes(host(), area(kEast, 0), 256);
    run();
    EXPECT_EQ(0u, east_.seen.size());
    EXPECT_EQ(2u, load(0, reg(0, HUB_UR_COUNT)));
    write_bytes(west_, cable(area(kEast, 0)), 128);
    run();
    EXPECT_EQ(1u, east_.seen.size());
    EXPECT_EQ(2u, load(0, reg(0, HUB_UR_COUNT)));
}

/* The area of the destination is closed while a read is on its way; in the other case it is open
 * again at the edge of the write. */
TEST_F(CyclesDma, AnAreaThatIsClosedMeanwhileEndsTheListWithAnError)
{
    make();
    quiet_host();
    prepare(0, kRam, area(0, HUB_AREA_GPU0) + 0x40, 64);
    uint64_t c = start_soon() + 200, step = c + to_seen();
    answer(c, 0);
    /* The step goes by the state before it. */
    beat(step - to_effect(),
         [this] { east_.write64(cable(reg(0, HUB_AREA_BASE(HUB_AREA_GPU0))), 0); });
    run();
    EXPECT_EQ(0u, error_of(0)) << "closed at the edge of the step";
    EXPECT_EQ(1u, host().written.count(kGpu + 0x40));

    host().write64(reg(0, HUB_AREA_BASE(HUB_AREA_GPU0)), kGpu);
    quiet_host();
    prepare(0, kRam, area(0, HUB_AREA_GPU0) + 0x80, 64, area(kEast, 0));
    size_t before = host().interrupts.size();
    c = start_soon() + 200, step = c + to_seen();
    answer(c, 0);
    beat(step - 1 - to_effect(),
         [this] { east_.write64(cable(reg(0, HUB_AREA_BASE(HUB_AREA_GPU0))), 0); });
    run();
    EXPECT_EQ(HUB_DMA_ERR_DEST, error_of(0));
    EXPECT_EQ(0u, host().written.count(kGpu + 0x80));
    EXPECT_EQ(0u, east_.seen.size()) << "no status word";
    EXPECT_EQ(1u, host().interrupts.size() - before) << "the list has ended";
    EXPECT_EQ(HUB_DMA_ERR_DEST << HUB_DMA_ERROR_SHIFT | UINT64_C(2) << 32,
              load(0, reg(0, HUB_DMA(0) + HUB_DMA_STATE)));
}

/* ---- internal memory ---------------------------------------------------------------------------
 */

/* Beat k is read k edges behind the first one, by the state before that edge. */
TEST_F(CyclesDma, AStoreReachesWhatIsNotReadYet)
{
    const uint64_t ram = reg(0, HUB_INTERNAL_OFFSET + 0x8000), bytes = 256;
    const struct {
        uint64_t edges, beat;
    } stores[] = { { 0, 0 }, { 3, 4 }, { 6, 6 } };
    std::vector<uint8_t> expected(bytes, 0);

    make();
    prepare(0, ram, area(kEast, 0), bytes);
    uint64_t first = start_soon() + to_begin() + 1;
    for (const auto &s : stores) {
        uint64_t at = s.beat * cfg.bus_bytes + 1;

        beat(first + s.edges - to_effect(), [this, ram, at] {
            const uint8_t one = 0xff;

            east_.write(cable(ram + at), &one, 1);
        });
        expected[at] = s.beat > s.edges ? 0xff : 0;
    }
    run();
    std::vector<uint8_t> written;
    for (const Seen &s : east_.seen)
        written.insert(written.end(), s.data.begin(), s.data.end());
    EXPECT_EQ(0u, error_of(0));
    EXPECT_EQ(expected, written);
}

/* Three outputs and SELF take a beat each at an edge, so what the channels share is the memory. */
TEST_F(CyclesDma, ChannelsReadTheMemoryInTurn)
{
    const uint64_t bytes = 8192, ram = reg(0, HUB_INTERNAL_OFFSET);
    const uint64_t to[] = { area(kEast, 0), area(kWest, 0), area(0, HUB_AREA_GPU0) + 0x8000,
                            ram + 0xc000 };

    cfg.dma_read_issue_cycles = 1;
    make();
    for (unsigned ch = 0; ch < 4; ch++)
        prepare(ch, ram + 0x8000, to[ch], bytes);
    east_.seen.clear();
    west_.seen.clear();
    for (unsigned ch = 0; ch < 4; ch++)
        start_soon(ch);
    run();
    for (const FakeHost *h : { &east_, &west_, &host() }) {
        Edges all;
        for (const Seen &s : h->seen)
            if (s.data.size() == 256)
                all.push_back(granted(s));
        ASSERT_EQ(bytes / 256, all.size());
        for (size_t k = 4; k < all.size() - 4; k++)
            ASSERT_EQ(64u, all[k] - all[k - 1]) << "256 bytes of each channel in turn";
    }
    EXPECT_EQ(4u, interrupts().size());
}

/* ---- time-outs ---------------------------------------------------------------------------------
 */

/* A time of 100 cycles and a little is 101. The list ends at the edge behind that at which its
 * request is dropped. */
TEST_F(CyclesDma, ARequestIsGivenUpAtItsEdgeAndNotBefore)
{
    for (uint64_t timeout : { 99 * kCycle + 1, 100 * kCycle, 100 * kCycle + 1 }) {
        uint64_t cycles = (timeout + kCycle - 1) / kCycle;

        cfg.completion_timeout_ps = timeout;
        make();
        quiet_host();
        prepare(0, kRam, area(kEast, 0), 64);
        uint64_t request = start_soon() + to_begin() + 1;
        run();
        EXPECT_EQ(HUB_DMA_ERR_TIMEOUT, error_of(0));
        EXPECT_EQ(Edges{ request + cycles + 1 + cfg.output_cycles }, interrupts()) << timeout;
        TearDown();
    }
}

TEST_F(CyclesDma, AnAnswerAtTheEdgeOfTheTimeoutWins)
{
    cfg.completion_timeout_ps = 100 * kCycle + 1;
    for (uint64_t late : { 0, 1 }) {
        make();
        quiet_host();
        fill(host().ram, 5);
        prepare(0, kRam, area(kEast, 0), 64);
        uint64_t request = start_soon() + to_begin() + 1;
        answer(request + 101 + late - to_seen(), 0);
        run();
        EXPECT_EQ(late != 0 ? HUB_DMA_ERR_TIMEOUT : 0, error_of(0));
        EXPECT_EQ(1 - late, east_.seen.size());
        TearDown();
    }
}

} // namespace
