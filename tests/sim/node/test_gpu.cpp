/* The GPU: pinned pages, reads with their limits, the L2, writes. */
#include "gpu_fixture.h"

namespace
{

using namespace test;

TEST(Bar, ShowsPinnedPagesAndNothingElse)
{
    in_all_orders(with_gpu(), [](Machine &m) {
        uint64_t first = 1, second = 1;
        uint32_t v = 0xabcd1234;

        m.configure(0, bar, 1 << 22);
        EXPECT_EQ(SIM_OK, node_gpu_pin(m.gpu(), 3 * page, page, &first));
        EXPECT_EQ(SIM_OK, node_gpu_pin(m.gpu(), 0, page, &second));
        EXPECT_EQ(0u, first);
        EXPECT_EQ(page, second);
        store(m, bar + first + 16, &v, 4);
        store(m, bar + second + 20, &v, 4);
        store(m, bar + 5 * page, &v, 4);
        EXPECT_EQ(0, memcmp(&v, node_gpu_bytes(m.gpu()) + 3 * page + 16, 4));
        EXPECT_EQ(0, memcmp(&v, node_gpu_bytes(m.gpu()) + 20, 4));
        EXPECT_EQ(1u, m.stat("node0.gpu.unpinned_writes"));
        EXPECT_EQ(v, load(m, bar + first + 16, 4).value);
        EXPECT_EQ(UINT64_MAX, load(m, bar + 5 * page, 4).value);
        EXPECT_EQ(1u, m.stat("node0.gpu.unpinned_reads"));
        node_gpu_unpin(m.gpu(), first, page);
        EXPECT_EQ(UINT64_MAX, load(m, bar + first + 16, 4).value);
        EXPECT_EQ(v, load(m, bar + second + 20, 4).value);
        return m.now();
    });
}

TEST(Bar, HasRoomForItsSizeAndNoMore)
{
    Machine m(with_gpu()); /* 64 pages of BAR, 128 of memory */
    uint64_t at[3];

    EXPECT_EQ(SIM_OK, node_gpu_pin(m.gpu(), 0, 30 * page, &at[0]));
    EXPECT_EQ(SIM_OK, node_gpu_pin(m.gpu(), 64 * page, 30 * page, &at[1]));
    EXPECT_EQ(SIM_ERR_LIMIT, node_gpu_pin(m.gpu(), 40 * page, 5 * page, &at[2]));
    EXPECT_EQ(SIM_OK, node_gpu_pin(m.gpu(), 40 * page, 4 * page, &at[2]));
    EXPECT_EQ(60 * page, at[2]);
    node_gpu_unpin(m.gpu(), at[0], 30 * page);
    EXPECT_EQ(SIM_ERR_LIMIT, node_gpu_pin(m.gpu(), 0, 31 * page, &at[2]));
    EXPECT_EQ(SIM_OK, node_gpu_pin(m.gpu(), 0, 20 * page, &at[2]));
    EXPECT_EQ(0u, at[2]);
}

TEST(Bar, IsSizedByConfiguration)
{
    Machine m(with_gpu());

    EXPECT_EQ(0x102110deu, config(m, false, 0x100, 0).value);
    config(m, true, 0x100, 0x10, 0xffffffff);
    config(m, true, 0x100, 0x14, 0xffffffff);
    uint64_t low = config(m, false, 0x100, 0x10).value, high = config(m, false, 0x100, 0x14).value;
    EXPECT_EQ(~((UINT64_C(1) << 22) - 1), high << 32 | (low & ~UINT64_C(15)));
    EXPECT_EQ(UINT64_MAX, load(m, bar, 4).value) << "nothing is claimed yet";
}

TEST(Read, LatencyIsThatOfTheGpuAndTheWayTwice)
{
    in_all_orders(with_gpu(), [](Machine &m) {
        set_up(m);
        m.run_until(20 * SIM_US);
        sim_time_t start = m.now();
        Done d = load(m, bar + 64, 8);
        sim_time_t there = gen2x8(start + 70000, 16, wire_gpu);
        sim_time_t back = gen2x8(there + 500000, 12 + 8, wire_gpu);
        EXPECT_EQ(back + 60000, d.time);
        return d.time - start;
    });
}

TEST(Read, ADeviceGetsTheBytesInPieces)
{
    in_all_orders(with_gpu(), [](Machine &m) {
        Device *dev = m.device("dev");
        auto v = pattern(4096);
        std::vector<uint8_t> got;

        set_up(m);
        std::copy(v.begin(), v.end(), node_gpu_bytes(m.gpu()) + page);
        send(m, { dev->read(bar + page + 100, 1000, 1) });
        m.run();
        uint32_t at = 100;
        for (const Seen &s : dev->of_kind(PCIE_CPLD)) {
            uint32_t n = std::min(128 - at % 128, 1100 - at);
            EXPECT_EQ(1100 - at, s.tlp.byte_count);
            got.insert(got.end(), s.data.begin() + at % 4, s.data.begin() + at % 4 + n);
            at += n;
        }
        EXPECT_EQ(std::vector<uint8_t>(v.begin() + 100, v.begin() + 1100), got);
        return m.now();
    });
}

/** The device reads `n` times 256 bytes at the given offsets. @return from the first request to
 * the last completion */
sim_time_t read_all(Machine &m, const std::vector<uint64_t> &offsets)
{
    Device *dev = m.device("dev");
    std::vector<pcie_tlp> reads;

    dev->seen.clear();
    for (size_t i = 0; i < offsets.size(); i++)
        reads.push_back(dev->read(bar + offsets[i], 256, (uint8_t)i));
    sim_time_t start = send(m, reads);
    m.run();
    EXPECT_EQ(2 * offsets.size(), dev->of_kind(PCIE_CPLD).size());
    return dev->seen.back().time - start;
}

std::vector<uint64_t> stride(uint64_t first, uint64_t step, unsigned n)
{
    std::vector<uint64_t> v;

    for (unsigned i = 0; i < n; i++)
        v.push_back(first + i * step);
    return v;
}

TEST(Read, OutstandingLimitSetsTheRate)
{
    for (unsigned limit : { 1u, 2u, 4u }) {
        in_all_orders(with_gpu({ { "reads", limit } }), [&](Machine &m) {
            set_up(m);
            double t200 = (double)read_all(m, stride(0, 256, 200));
            double t100 = (double)read_all(m, stride(0, 256, 100));
            EXPECT_NEAR(100 * 500000.0 / limit, t200 - t100, 0.02 * 100 * 500000.0 / limit);
            return t200;
        });
    }
}

TEST(Slices, OneSliceServesOnePieceAtATimeAndOthersOverlap)
{
    in_all_orders(with_gpu({ { "l2.service_ps", 200000 }, { "l2.slices", 8 }, { "reads", 256 } }),
                  [](Machine &m) {
                      set_up(m);
                      double same = (double)read_all(m, stride(0, 0, 100)) -
                                    (double)read_all(m, stride(0, 0, 50));
                      EXPECT_NEAR(50 * 200000.0, same, 0.02 * 50 * 200000);
                      /* A pitch of all slices is spread over them too. */
                      double pitch = (double)read_all(m, stride(0, 8 * 256, 100)) -
                                     (double)read_all(m, stride(0, 8 * 256, 50));
                      EXPECT_LT(pitch, same / 2);
                      /* Eight slices: the link is slower, 2 * (20 + 128) symbols a read. */
                      double all = (double)read_all(m, stride(0, 256, 100)) -
                                   (double)read_all(m, stride(0, 256, 50));
                      EXPECT_NEAR(50 * 2 * 148 * 250.0, all, 0.05 * 50 * 2 * 148 * 250);
                      return same;
                  });
}

TEST(L2, ReadsThatFitAreHitsAndOneMoreLineThrashesItsSet)
{
    /* 4 slices of 2 sets of 4 lines of 256 bytes: 8 KiB. */
    Builder b = with_gpu({ { "l2.bytes", 8192 },
                           { "l2.slices", 4 },
                           { "l2.ways", 4 },
                           { "l2.line_bytes", 256 },
                           { "l2.dram_ps", 300000 } });
    in_all_orders(b, [](Machine &m) {
        set_up(m);
        read_all(m, stride(0, 256, 32));
        EXPECT_EQ(32u, m.stat("node0.gpu.l2_misses"));
        read_all(m, stride(0, 256, 32));
        EXPECT_EQ(32u, m.stat("node0.gpu.l2_hits")) << "all of it fits";
        read_all(m, stride(0, 256, 40)); /* the first touch of 8 lines evicts 8, and so on */
        uint64_t misses = m.stat("node0.gpu.l2_misses");
        read_all(m, stride(0, 256, 40));
        EXPECT_EQ(40u, m.stat("node0.gpu.l2_misses") - misses)
            << "five lines in turn through a set of four";
        return m.now();
    });
}

TEST(L2, AMissComesLaterByTheDramLatencyAndWritesAllocate)
{
    in_all_orders(with_gpu({ { "l2.dram_ps", 300000 } }), [](Machine &m) {
        Device *dev = m.device("dev");
        set_up(m);
        sim_time_t miss = read_all(m, { 0 }), hit = read_all(m, { 0 });
        EXPECT_EQ(miss, hit + 300000);
        send(m, { dev->write(bar + page, pattern(256)) });
        m.run();
        EXPECT_EQ(hit, read_all(m, { page })) << "the write brought it in";
        return miss;
    });
}

TEST(L2, SizeZeroMakesEveryReadAMissAndNoLatencyMakesMissesFree)
{
    auto time = [](Values v) {
        Machine m(with_gpu(v));
        set_up(m);
        read_all(m, { 0 });
        return read_all(m, { 0 });
    };
    sim_time_t free_misses = time({ { "l2.bytes", 0 }, { "l2.dram_ps", 0 } });
    EXPECT_EQ(free_misses, time({}));
    EXPECT_EQ(free_misses + 100000, time({ { "l2.bytes", 0 }, { "l2.dram_ps", 100000 } }));
}

TEST(Read, NeverPassesAnEarlierWrite)
{
    in_all_orders(with_gpu({ { "write_ps", 900000 }, { "read_ps", 1000 } }), [](Machine &m) {
        Device *dev = m.device("dev");
        set_up(m);
        send(m, { dev->write(bar, pattern(64, 9)), dev->read(bar, 64, 1) });
        m.run();
        EXPECT_EQ(pattern(64, 9), dev->of_kind(PCIE_CPLD)[0].data);
        return m.now();
    });
}

TEST(Read, OvertakesASlowerOneButKeepsItsOwnOrder)
{
    in_all_orders(with_gpu({ { "l2.dram_ps", 900000 } }), [](Machine &m) {
        Device *dev = m.device("dev");
        set_up(m);
        read_all(m, { 0 });
        dev->seen.clear();
        send(m, { dev->read(bar + page, 256, 1), dev->read(bar, 256, 2) });
        m.run();
        auto got = dev->of_kind(PCIE_CPLD);
        std::vector<int> tags;
        for (const Seen &s : got)
            tags.push_back(s.tlp.tag * 1000 + s.tlp.byte_count);
        EXPECT_EQ((std::vector<int>{ 2256, 2128, 1256, 1128 }), tags);
        return m.now();
    });
}

TEST(Write, IntervalLimitsTheRateAndHoldsCredits)
{
    in_all_orders(with_gpu({ { "write_interval_ps", 200000 } }), [](Machine &m) {
        Device *dev = m.device("dev");
        std::vector<pcie_tlp> writes;
        set_up(m);
        for (unsigned i = 0; i < 500; i++)
            writes.push_back(dev->write(bar + 256 * i, pattern(256, i)));
        sim_time_t start = send(m, writes);
        m.run();
        EXPECT_NEAR(499 * 200000.0, (double)(m.now() - start), 2000000.0);
        for (unsigned i = 0; i < 500; i++)
            EXPECT_EQ(0, memcmp(pattern(256, i).data(), node_gpu_bytes(m.gpu()) + 256 * i, 256));
        return m.now();
    });
}

/* Host code that looks at memory stands for a kernel, which begins behind what has arrived. */
TEST(Write, IsSeenByTheHostWhenItHasArrived)
{
    in_all_orders(with_gpu({ { "write_ps", 10 * SIM_US } }), [](Machine &m) {
        Device *dev = m.device("dev");

        set_up(m);
        sim_time_t start = send(m, { dev->write(bar, pattern(64, 9)), dev->read(bar, 64, 1) });
        m.run_until(start + 2 * SIM_US);
        EXPECT_EQ(0, memcmp(pattern(64, 9).data(), node_gpu_bytes(m.gpu()), 64));
        EXPECT_EQ(0u, dev->of_kind(PCIE_CPLD).size()) << "memory has not got it";
        m.run();
        EXPECT_GT(dev->of_kind(PCIE_CPLD)[0].time, start + 10 * SIM_US);
        return m.now();
    });
}

/* What 40 times a row of reads and writes, as `kinds` has them by their first letters, takes. */
sim_time_t time_of(const std::string &kinds, uint64_t ack)
{
    return in_all_orders(
        with_gpu({ { "write_ack_ps", ack }, { "write_ps", 60000 }, { "read_ps", 100000 } }),
        [&](Machine &m) {
            Device *dev = m.device("dev");
            std::vector<pcie_tlp> tlps;
            unsigned n = 0;

            set_up(m);
            for (int i = 0; i < 40; i++)
                for (char kind : kinds) {
                    uint64_t at = bar + 256 * (uint64_t)(n / 2);

                    tlps.push_back(kind == 'w' ? dev->write(at, pattern(256, n / 2))
                                               : dev->read(at, 256, (uint8_t)n));
                    n++;
                }
            sim_time_t start = send(m, tlps);
            m.run();
            sim_time_t took = m.now() - start;
            if (kinds == "wr") {
                auto got = dev->of_kind(PCIE_CPLD);
                EXPECT_EQ(80u, got.size());
                for (size_t i = 0; i < got.size(); i++) /* two pieces of each read */
                    EXPECT_EQ(0, memcmp(pattern(256, (unsigned)(i / 2)).data() + i % 2 * 128,
                                        got[i].data.data(), 128));
            }
            return took;
        });
}

TEST(Turns, ReadsAndWritesGoOneAtATimeWhileThereAreBoth)
{
    const uint64_t ack = 400000, read = 100000;

    EXPECT_NEAR(40.0 * (double)(ack + read), (double)time_of("wr", ack), 2e6);
    EXPECT_NEAR((double)time_of("wr", ack), (double)time_of("wwrr", ack) / 2, 2e6)
        << "bunches help nothing";
    EXPECT_LT(time_of("wr", 0), UINT64_C(8) * SIM_US);
}

TEST(Turns, ThoseOfOneKindOverlap)
{
    EXPECT_EQ(time_of("r", 0), time_of("r", 400000));
    EXPECT_EQ(time_of("w", 0), time_of("w", 400000));
}

} // namespace
