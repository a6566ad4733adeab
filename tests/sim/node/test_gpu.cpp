/* The GPU: pinned pages, reads with their limits, the L2, the copy engine. */
#include "machine_fixture.h"

#include "pcie/lossy/fault.h"

namespace
{

using namespace test;

constexpr uint64_t ram = UINT64_C(1) << 32;
constexpr uint64_t bar = UINT64_C(1) << 40, bar_dev = UINT64_C(2) << 40;
constexpr uint64_t page = 65536;
constexpr sim_time_t wire_gpu = 40000 + 40000;
using Times = std::vector<uint64_t>;

/** A GPU at p0 and a device at p1, on Gen2 x8 both so that the closed forms are one. */
Builder with_gpu(Values gpu = {}, Values host = {})
{
    Builder b;
    Values dev;

    host.insert({ { "cores", 2 }, { "ram_bytes", 1 << 22 }, { "rc.p2p_read_bytes", 65536 } });
    gpu.insert({ { "memory_bytes", 1 << 23 },
                 { "bar_bytes", 1 << 22 },
                 { "port.lanes", 8 },
                 { "l2.dram_ps", 0 } });
    for (Values *v : { &host, &gpu, &dev })
        v->insert({ { "port.skp_interval_symbols", 0 }, { "port.skp_interval_blocks", 0 } });
    b.add(0, "host", &node_host_kind, host);
    b.add(0, "gpu", &node_gpu_kind, gpu);
    b.add(0, "dev", device_kind(), dev);
    b.link(0, "host", "p0", "gpu", "pcie");
    b.link(0, "host", "p1", "dev", "up");
    return b;
}

/** Configures both and pins all of the BAR to the start of memory. */
void set_up(Machine &m)
{
    uint64_t at = 1;

    m.configure(0, bar, 1 << 22);
    m.configure(1, bar_dev, 1 << 20);
    ASSERT_EQ(SIM_OK, node_gpu_pin(m.gpu(), 0, 1 << 22, &at));
    ASSERT_EQ(0u, at);
    m.device("dev")->seen.clear();
}

std::vector<uint8_t> pattern(size_t n, unsigned seed = 1)
{
    std::vector<uint8_t> v(n);

    for (size_t i = 0; i < n; i++)
        v[i] = (uint8_t)(i * 13 + i / 256 + seed);
    return v;
}

sim_time_t send(Machine &m, const std::vector<pcie_tlp> &tlps)
{
    sim_time_t start = column(m.now() + 100 * SIM_NS);
    Device *dev = m.device("dev");

    dev->out.insert(dev->out.end(), tlps.begin(), tlps.end());
    dev->wake_at(start);
    return start;
}

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

/* ---- copy engine -------------------------------------------------------------------- */

struct CopyDone {
    Machine *m;
    Times times;

    static void call(void *arg)
    {
        CopyDone *c = static_cast<CopyDone *>(arg);
        c->times.push_back(c->m->now());
    }
};

TEST(Copy, InsideTheDeviceTakesSetUpAndSizeOverRate)
{
    in_all_orders(with_gpu({ { "copy.local_bytes_per_us", 50000 } }), [](Machine &m) {
        CopyDone done = { &m, {} };
        auto v = pattern(100000);
        std::copy(v.begin(), v.end(), node_gpu_bytes(m.gpu()));
        sim_time_t start = m.now();
        start_copy(m.gpu(), 0, { true, 1 << 20, false }, { true, 0, false }, v.size(),
                   CopyDone::call, &done);
        start_copy(m.gpu(), 0, { true, 1 << 21, false }, { true, 1 << 20, false }, v.size(),
                   CopyDone::call, &done);
        m.run();
        EXPECT_EQ((Times{ start + 3000000, start + 6000000 }), done.times);
        EXPECT_EQ(0, memcmp(v.data(), node_gpu_bytes(m.gpu()) + (1 << 21), v.size()));
        return done.times;
    });
}

TEST(Copy, ToAndFromHostMemoryKeepsEveryByteAtAnyAlignment)
{
    for (uint64_t shift : { 0u, 1u, 5u, 255u, 4095u }) {
        in_all_orders(with_gpu(), [&](Machine &m) {
            CopyDone done = { &m, {} };
            auto v = pattern(20001, (unsigned)shift);
            set_up(m);
            std::copy(v.begin(), v.end(), m.ram(ram + 4096 + shift));
            start_copy(m.gpu(), 0, { true, page + 3, false }, { false, ram + 4096 + shift, false },
                       v.size(), CopyDone::call, &done);
            start_copy(m.gpu(), 1, { false, ram + (1 << 20) + shift, false },
                       { true, page + 3, false }, v.size(), CopyDone::call, &done);
            start_copy(m.gpu(), 0, { false, ram + (1 << 21) + 7, false },
                       { false, ram + 4096 + shift, false }, v.size(), CopyDone::call, &done);
            m.run();
            EXPECT_EQ(3u, done.times.size());
            EXPECT_EQ(0, memcmp(v.data(), node_gpu_bytes(m.gpu()) + page + 3, v.size()));
            EXPECT_EQ(0, memcmp(v.data(), m.ram(ram + (1 << 20) + shift), v.size()));
            EXPECT_EQ(0, memcmp(v.data(), m.ram(ram + (1 << 21) + 7), v.size()));
            EXPECT_EQ(0, *m.ram(ram + (1 << 21) + 6));
            EXPECT_EQ(0, *m.ram(ram + (1 << 21) + 7 + v.size()));
            EXPECT_EQ(0u, m.stat("node0.gpu.copy_errors"));
            return done.times;
        });
    }
}

/* Two engines: both ways at once take as long as the longer one, but for what they share of the
 * link. One waits for the other only where it has to. */
TEST(Copy, OneEngineForEachWay)
{
    auto both = [](uint64_t out, uint64_t in, uint64_t after) {
        Machine m(with_gpu({ { "copy.bus_bytes_per_us", 1000 } }));
        CopyDone done = { &m, {} };
        set_up(m);
        sim_time_t start = m.now();
        start_copy(m.gpu(), 0, { true, 0, false }, { false, ram, false }, in, CopyDone::call,
                   &done);
        start_copy(m.gpu(), after, { false, ram + (1 << 20), false }, { true, 1 << 20, false }, out,
                   CopyDone::call, &done);
        m.run();
        return done.times.back() - start;
    };
    sim_time_t alone = both(64, 100000, 0);
    EXPECT_NEAR(100.0e6, (double)alone, 3e6) << "1000 bytes each microsecond, and the set-up";
    EXPECT_NEAR((double)alone, (double)both(100000, 100000, 0), 1e6);
    EXPECT_NEAR((double)(2 * alone), (double)both(100000, 100000, 1), 1e6);
}

/** A core stores lines to the BAR one after the other; `then` is called once `before` bytes have
 * been stored and are on their way. It lives until the machine has run. */
struct Stores {
    Machine *m;
    std::vector<uint8_t> bytes;
    size_t before;
    unsigned core;
    std::function<void()> then;
    size_t at = 0;

    static void call(void *arg, uint64_t)
    {
        Stores *s = static_cast<Stores *>(arg);
        size_t from = s->at, size = std::min<size_t>(64, s->bytes.size() - from);

        if (from == s->before)
            s->then();
        if (size == 0)
            return;
        s->at += size;
        node_core_store(s->m->core(s->core), bar + from, s->bytes.data() + from, (uint32_t)size,
                        NODE_WRITE_COMBINING, call, s);
    }
};

/** A GPU that takes a write each microsecond, so that stores wait in the root complex. */
Builder slow_writes()
{
    return with_gpu(
        { { "write_interval_ps", SIM_US }, { "write_ack_ps", SIM_US }, { "port.ph_credits", 4 } });
}

/* A copy comes behind what its core has stored, and what another core had stored before; a bell
 * that is not on the way of stores comes first. */
TEST(Copy, BeginsBehindWhatCoresHaveStored)
{
    constexpr size_t bytes = 60 * 64 + 8; /* the last ones wait for more of their line */
    enum Bell { NOT_ON_THE_WAY, OF_THE_CORE, OF_ITS_OTHER_CONTEXT, OF_ANOTHER_CORE };
    auto good = [&](Machine &m, Bell bell, Times *times) {
        CopyDone done = { &m, {} };
        Stores stores = { &m, pattern(bytes), bytes, bell == OF_ANOTHER_CORE ? 1u : 0u, {} };
        Done fence(m);

        set_up(m);
        fence.then = [&] {
            node_core *from = bell == OF_ITS_OTHER_CONTEXT ? node_core_above(m.core()) : m.core();
            node_gpu_job *job = node_gpu_copy(m.gpu(), 0, { false, ram, false }, { true, 0, false },
                                              bytes, CopyDone::call, &done);

            if (bell == NOT_ON_THE_WAY)
                node_gpu_ring(job, 0);
            else
                node_core_ring(from, 0, node_gpu_ring, job);
        };
        stores.then = [&] {
            if (bell != OF_ANOTHER_CORE)
                return fence.then();
            node_core_fence(m.core(1), Done::call, &fence); /* before others may know of them */
        };
        Stores::call(&stores, 0);
        m.run();
        Done last(m);
        node_core_fence(m.core(), Done::call, &last); /* the rest of a line */
        m.run();
        EXPECT_EQ(1u, done.times.size());
        EXPECT_EQ(0, memcmp(stores.bytes.data(), node_gpu_bytes(m.gpu()), bytes));
        *times = done.times;
        return memcmp(stores.bytes.data(), m.ram(ram), bytes) == 0;
    };
    for (Bell bell : { OF_THE_CORE, OF_ITS_OTHER_CONTEXT, OF_ANOTHER_CORE })
        in_all_orders(slow_writes(), [&](Machine &m) {
            Times times;

            EXPECT_TRUE(good(m, bell, &times)) << bell;
            return times;
        });
    Machine m(slow_writes());
    Times times;
    EXPECT_FALSE(good(m, NOT_ON_THE_WAY, &times));
}

/* A core that goes on storing does not delay a copy that it began before. */
TEST(Copy, DoesNotWaitForLaterStores)
{
    constexpr unsigned lines = 400, before = 10;

    in_all_orders(slow_writes(), [&](Machine &m) {
        CopyDone done = { &m, {} };
        Stores stores = { &m, pattern(lines * 64), before * 64, 0, {} };

        set_up(m);
        stores.then = [&] {
            node_core_ring(m.core(), 0, node_gpu_ring,
                           node_gpu_copy(m.gpu(), 0, { false, ram, false }, { true, 0, false },
                                         before * 64, CopyDone::call, &done));
        };
        Stores::call(&stores, 0);
        m.run_until(200 * SIM_US);
        EXPECT_EQ(1u, done.times.size());
        EXPECT_EQ(0, memcmp(stores.bytes.data(), m.ram(ram), before * 64));
        EXPECT_GT(lines * 64, stores.at) << "all was stored before the copy was looked at";
        m.run();
        EXPECT_EQ(0, memcmp(stores.bytes.data(), node_gpu_bytes(m.gpu()), lines * 64));
        return done.times;
    });
}

/* Nor do stores to one device delay the bell of another, once they have left the core: 32 may. */
TEST(Copy, DoesNotWaitForStoresToAnotherDevice)
{
    constexpr unsigned lines = 30;

    in_all_orders(slow_writes(), [&](Machine &m) {
        Done rung[2] = { Done(m), Done(m) };
        Stores stores = { &m, pattern(lines * 64), lines * 64, 0, {} };

        set_up(m);
        stores.then = [&] {
            for (unsigned port : { 0, 1 })
                node_core_ring(m.core(), port, Done::call, &rung[port]);
        };
        Stores::call(&stores, 0);
        m.run();
        EXPECT_EQ(lines, rung[0].value) << "of posted packets";
        EXPECT_EQ(0u, rung[1].value);
        EXPECT_GT(rung[0].time, rung[1].time + 2 * SIM_US);
        return Times{ rung[0].time, rung[1].time };
    });
}

/** With its GPU's link down for a while. */
Builder with_outage(Builder b, sim_time_t at, sim_time_t lasts, std::vector<uint64_t> *values,
                    machine_fault_desc *fault)
{
    const machine_fault_kind *down = pcie_faults;

    while (strcmp(down->name, "down") != 0)
        down++;
    for (const machine_param *p = down->params; p->key != nullptr; p++)
        values->push_back(strcmp(p->key, "at") == 0    ? at
                          : strcmp(p->key, "for") == 0 ? lasts
                                                       : p->def);
    *fault = {};
    fault->component = "gpu", fault->port = "pcie";
    fault->kind = down;
    fault->values = values->data();
    b.desc.nfaults = 1;
    b.desc.faults = fault;
    return b;
}

/** A bell of core 0, and a copy within the GPU that waits for it. */
void ring_copy(Machine &m, CopyDone *done)
{
    node_core_ring(m.core(), 0, node_gpu_ring,
                   node_gpu_copy(m.gpu(), 0, { true, page, false }, { true, 0, false }, 64,
                                 CopyDone::call, done));
}

/* What is lost with the link never comes: no copy waits for it. No page is pinned, which is one to
 * writes. */
TEST(Copy, DoesNotWaitForWhatTheLinkHasLost)
{
    constexpr sim_time_t down_at = 20 * SIM_US, down_for = 5 * SIM_US;
    constexpr unsigned lines = 30, later = 10;
    std::vector<uint64_t> values;
    machine_fault_desc fault;
    Builder b = with_outage(slow_writes(), down_at, down_for, &values, &fault);

    in_all_orders(b, [&](Machine &m) {
        CopyDone done = { &m, {} };
        Stores stores = { &m, pattern(lines * 64), lines * 64, 0, {} };

        EXPECT_EQ(SIM_OK, node_host_claim(m.host(), 0, bar, 1 << 22, nullptr));
        stores.then = [&] { ring_copy(m, &done); };
        Stores::call(&stores, 0);
        m.run_until(down_at);
        EXPECT_EQ(0u, done.times.size());
        m.run_until(down_at + SIM_US);
        Done during(m);
        node_core_store(m.core(), bar, &stores.bytes[0], 64, NODE_WRITE_COMBINING, Done::call,
                        &during);
        m.run_until(down_at + 2 * SIM_US);
        ring_copy(m, &done); /* behind a store that is lost, too */
        m.run();
        EXPECT_EQ(2u, done.times.size());
        uint64_t taken = m.stat("node0.gpu.unpinned_writes");
        EXPECT_GT(lines, taken) << "nothing was lost";
        sim_time_t start = m.now();
        Stores more = { &m, pattern(later * 64), later * 64, 0, {} };
        more.then = stores.then; /* what is handed over is counted from the new start of the link */
        Stores::call(&more, 0);
        m.run();
        EXPECT_EQ(3u, done.times.size());
        EXPECT_LT(start + (later - 1) * SIM_US, done.times.back());
        EXPECT_EQ(taken + later, m.stat("node0.gpu.unpinned_writes"));
        return done.times;
    });
}

/* Nothing else wakes the GPU then. */
TEST(Copy, GoesOnWhenTheOnlyStoreBeforeItIsLost)
{
    constexpr sim_time_t begin = 20 * SIM_US;
    sim_time_t way = 0; /* from the bell to its port */
    std::vector<uint64_t> values;
    machine_fault_desc fault;
    auto run = [&](Machine &m) {
        CopyDone done = { &m, {} };
        Done rung(m);
        const std::vector<uint8_t> line = pattern(64);

        EXPECT_EQ(SIM_OK, node_host_claim(m.host(), 0, bar, 1 << 22, nullptr));
        m.run_until(begin);
        sim_time_t start = m.now();
        Done stored(m);
        node_core_store(m.core(), bar, line.data(), 64, NODE_WRITE_COMBINING, Done::call, &stored);
        node_core_ring(m.core(), 0, Done::call, &rung);
        ring_copy(m, &done);
        m.run();
        way = rung.time - start;
        EXPECT_EQ(1u, done.times.size());
        EXPECT_GT(start + 2 * SIM_US, done.times.at(0));
        return m.stat("node0.gpu.unpinned_writes");
    };
    Machine up(with_gpu());
    EXPECT_EQ(1u, run(up));
    Builder b = with_outage(with_gpu(), begin + way + 10000, 5 * SIM_US, &values, &fault);
    in_all_orders(b, [&](Machine &m) {
        EXPECT_EQ(0u, run(m)) << "it came";
        return way;
    });
}

TEST(Copy, BandwidthIsThatOfTheLinkOrOfTheReadsInFlight)
{
    auto per_mib = [](Values v, bool to_device) {
        Machine m(with_gpu(v));
        CopyDone done = { &m, {} };
        set_up(m);
        node_gpu_end dev = { true, 0, false }, mem = { false, ram, false };
        for (uint64_t n : { 1u << 20, 1u << 21 })
            start_copy(m.gpu(), 0, to_device ? dev : mem, to_device ? mem : dev, n, CopyDone::call,
                       &done);
        sim_time_t start = m.now();
        m.run();
        return (double)(done.times[1] - done.times[0]) - (double)(done.times[0] - start);
    };
    double writes = (1 << 20) / 256.0 * (8 + 16 + 256) * 250;
    EXPECT_NEAR(writes, per_mib({}, false), 0.02 * writes);
    double completions = (1 << 20) / 64.0 * (8 + 12 + 64) * 250;
    EXPECT_NEAR(completions, per_mib({}, true), 0.02 * completions);
    /* Two requests of 512 bytes: round trip of link, DRAM, and eight completions. */
    double trip = 24 * 250 + wire_gpu + 200000 + 8 * 84 * 250 + wire_gpu;
    double few = (1 << 20) / 1024.0 * trip;
    EXPECT_NEAR(few, per_mib({ { "copy.tags", 2 } }, true), 0.08 * few);
}

TEST(Copy, ToAPeerGoesThroughTheRootComplex)
{
    Builder b = with_gpu();
    b.add(0, "gpu1", &node_gpu_kind, { { "memory_bytes", 1 << 23 }, { "bar_bytes", 1 << 22 } });
    b.link(0, "host", "p2", "gpu1", "pcie");
    in_all_orders(b, [](Machine &m) {
        CopyDone done = { &m, {} };
        uint64_t at;
        auto v = pattern(100000);
        set_up(m);
        m.configure(2, UINT64_C(3) << 40, 1 << 22);
        EXPECT_EQ(SIM_OK, node_gpu_pin(m.gpu("gpu1"), 8 * page, 4 * page, &at));
        std::copy(v.begin(), v.end(), node_gpu_bytes(m.gpu()) + 64);
        start_copy(m.gpu(), 0, { false, (UINT64_C(3) << 40) + at, false }, { true, 64, false },
                   v.size(), CopyDone::call, &done);
        m.run();
        EXPECT_EQ(0, memcmp(v.data(), node_gpu_bytes(m.gpu("gpu1")) + 8 * page, v.size()));
        start_copy(m.gpu(), 0, { true, 1 << 20, false }, { false, (UINT64_C(3) << 40) + at, false },
                   v.size(), CopyDone::call, &done);
        m.run();
        EXPECT_EQ(0, memcmp(v.data(), node_gpu_bytes(m.gpu()) + (1 << 20), v.size()));
        return done.times;
    });
}

/* Its writes wait for a slow peer; only a read of the engine's own comes behind them. */
TEST(Copy, ToAPeerEndsWhenItsBytesAreThere)
{
    constexpr uint64_t far = UINT64_C(3) << 40;
    constexpr size_t bytes = 8192;
    struct End {
        Machine *m;
        std::vector<uint8_t> v;
        unsigned ended = 0;
        bool there = false;

        static void call(void *arg)
        {
            End *e = static_cast<End *>(arg);
            e->ended++;
            e->there = memcmp(e->v.data(), node_gpu_bytes(e->m->gpu("gpu1")), bytes) == 0;
        }
    };
    Builder b = with_gpu();
    b.add(0, "gpu1", &node_gpu_kind,
          { { "memory_bytes", 1 << 23 },
            { "bar_bytes", 1 << 22 },
            { "write_interval_ps", SIM_US },
            { "port.ph_credits", 4 } });
    b.link(0, "host", "p2", "gpu1", "pcie");
    auto run = [&](Machine &m, bool peer) {
        End end = { &m, pattern(bytes) };
        uint64_t at;

        set_up(m);
        m.configure(2, far, 1 << 22);
        EXPECT_EQ(SIM_OK, node_gpu_pin(m.gpu("gpu1"), 0, 4 * page, &at));
        std::copy(end.v.begin(), end.v.end(), node_gpu_bytes(m.gpu()));
        start_copy(m.gpu(), 0, { false, far + at, peer }, { true, 0, false }, bytes, End::call,
                   &end);
        m.run();
        EXPECT_EQ(1u, end.ended);
        EXPECT_EQ(0u, node_gpu_failed_copies(m.gpu()));
        EXPECT_EQ(0, memcmp(end.v.data(), node_gpu_bytes(m.gpu("gpu1")), bytes));
        return end.there;
    };
    in_all_orders(b, [&](Machine &m) {
        EXPECT_TRUE(run(m, true));
        return m.now();
    });
    Machine m(b);
    EXPECT_FALSE(run(m, false));
}

TEST(Copy, AFailedReadIsCountedAndShowsAllOnes)
{
    in_all_orders(with_gpu(), [](Machine &m) {
        CopyDone done = { &m, {} };
        set_up(m);
        start_copy(m.gpu(), 0, { true, 0, false }, { false, UINT64_C(1) << 45, false }, 1000,
                   CopyDone::call, &done);
        m.run();
        EXPECT_EQ(1u, done.times.size());
        EXPECT_EQ(2u, m.stat("node0.gpu.copy_errors"));
        for (unsigned i = 0; i < 1000; i++)
            EXPECT_EQ(0xff, node_gpu_bytes(m.gpu())[i]);
        return done.times;
    });
}

} // namespace
