/* What completers of a node answer when they do wrong on purpose, and who notices what. */
#include "machine_fixture.h"

#include "pcie/lossy/misbehave.h"
#include "pcie/port/aer.h"

namespace
{

using namespace test;

constexpr uint64_t ram = UINT64_C(1) << 32;
constexpr uint64_t bar_gpu = UINT64_C(1) << 40, bar_dev = UINT64_C(2) << 40;

/** A GPU at p0 and a device at p1. */
Builder node(Values host = {}, Values gpu = {}, Values dev = {})
{
    Builder b;

    host.insert({ { "cores", 2 }, { "ram_bytes", 1 << 22 } });
    gpu.insert({ { "memory_bytes", 1 << 23 }, { "bar_bytes", 1 << 22 } });
    b.add(0, "host", &node_host_kind, host);
    b.add(0, "gpu", &node_gpu_kind, gpu);
    b.add(0, "dev", device_kind(), dev);
    b.link(0, "host", "p0", "gpu", "pcie");
    b.link(0, "host", "p1", "dev", "up");
    return b;
}

void set_up(Machine &m)
{
    uint64_t at = 1;

    m.configure(0, bar_gpu, 1 << 22);
    m.configure(1, bar_dev, 1 << 20);
    ASSERT_EQ(SIM_OK, node_gpu_pin(m.gpu(), 0, 1 << 22, &at));
    m.device("dev")->seen.clear();
}

pcie_misbehavior always(pcie_misdeed deed)
{
    pcie_misbehavior how = {};

    how.deed = deed;
    how.to_ps = SIM_TIME_NEVER;
    return how;
}

void misbehave(Machine &m, bool gpu, const pcie_misbehavior &how)
{
    ASSERT_EQ(SIM_OK, gpu ? node_gpu_misbehave(m.gpu(), &how, &m.err)
                          : node_host_misbehave(m.host(), &how, &m.err))
        << m.err.text;
}

/** The device reads 8 bytes of the target, `n` times with tags 1, 2 ... @return what it got */
std::vector<Seen> read_all(Machine &m, bool gpu, unsigned n)
{
    Device *dev = m.device("dev");

    dev->seen.clear();
    for (unsigned i = 1; i <= n; i++)
        dev->out.push_back(dev->read(gpu ? bar_gpu : ram, 8, (uint8_t)i));
    dev->wake_at(m.now() + SIM_US);
    m.run();
    return dev->seen;
}

/** As host memory (0) and as GPU (1). */
class Completer : public ::testing::TestWithParam<int>
{
  protected:
    bool gpu = GetParam() != 0;
};
INSTANTIATE_TEST_SUITE_P(Of, Completer, ::testing::Values(0, 1),
                         [](auto &i) { return std::string(i.param != 0 ? "Gpu" : "HostMemory"); });

TEST_P(Completer, PoisonsItsData)
{
    in_all_orders(node(), [&](Machine &m) {
        set_up(m);
        misbehave(m, gpu, always(PCIE_POISONS));
        auto got = read_all(m, gpu, 2);
        EXPECT_EQ(2u, got.size());
        for (const Seen &s : got) {
            EXPECT_EQ(PCIE_CPLD, s.tlp.kind);
            EXPECT_EQ(PCIE_CPL_SC, s.tlp.status);
            EXPECT_TRUE(s.tlp.poisoned);
        }
        return m.now();
    });
}

TEST_P(Completer, Aborts)
{
    in_all_orders(node(), [&](Machine &m) {
        set_up(m);
        misbehave(m, gpu, always(PCIE_ABORTS));
        auto got = read_all(m, gpu, 1);
        EXPECT_EQ(1u, got.size());
        EXPECT_EQ(PCIE_CPL, got[0].tlp.kind);
        EXPECT_EQ(PCIE_CPL_CA, got[0].tlp.status);
        EXPECT_EQ(8u, got[0].tlp.byte_count);
        return m.now();
    });
}

TEST_P(Completer, IsLateByWhatWasSaid)
{
    Machine well(node()), late(node());
    pcie_misbehavior how = always(PCIE_IS_LATE);

    how.late_ps = 7 * SIM_US;
    for (Machine *m : { &well, &late })
        set_up(*m);
    misbehave(late, gpu, how);
    sim_time_t start = well.now();
    EXPECT_EQ(start, late.now());
    auto soon = read_all(well, gpu, 1), then = read_all(late, gpu, 1);
    EXPECT_NEAR((double)(7 * SIM_US), (double)(then.at(0).time - soon.at(0).time), 2.0 * SIM_NS);
}

TEST_P(Completer, IsSilentForTheRequestsThatWereChosen)
{
    in_all_orders(node(), [&](Machine &m) {
        pcie_misbehavior how = always(PCIE_IS_SILENT);
        std::vector<unsigned> tags;

        how.skip = 1;
        how.count = 2;
        set_up(m);
        misbehave(m, gpu, how);
        for (const Seen &s : read_all(m, gpu, 5))
            tags.push_back(s.tlp.tag);
        std::sort(tags.begin(), tags.end()); /* a GPU answers as its cache allows */
        EXPECT_EQ((std::vector<unsigned>{ 1, 4, 5 }), tags);
        return m.now();
    });
}

TEST_P(Completer, ChoosesByItsSeededStream)
{
    pcie_misbehavior how = always(PCIE_POISONS);
    auto poisoned = [&](uint64_t seed) {
        std::vector<bool> is;
        Machine m(node(), {}, seed);

        set_up(m);
        misbehave(m, gpu, how);
        for (const Seen &s : read_all(m, gpu, 100))
            is.push_back(s.tlp.poisoned != 0);
        return is;
    };

    how.ppm = 300000;
    std::vector<bool> one = poisoned(1);
    auto n = std::count(one.begin(), one.end(), true);
    EXPECT_GT(n, 15);
    EXPECT_LT(n, 45);
    EXPECT_EQ(one, poisoned(1));
    EXPECT_NE(one, poisoned(2));
}

TEST_P(Completer, StopsTakingForATimeAndLosesNothing)
{
    in_all_orders(node(), [&](Machine &m) {
        pcie_misbehavior how = always(PCIE_STOPS_TAKING);
        Device *dev = m.device("dev");
        uint64_t target = gpu ? bar_gpu : ram;

        set_up(m);
        how.from_ps = m.now();
        how.to_ps = m.now() + 50 * SIM_US;
        misbehave(m, gpu, how);
        for (unsigned i = 0; i < 200; i++)
            dev->out.push_back(dev->write(target + i * 4, { (uint8_t)i, 1, 2, 3 }));
        dev->out.push_back(dev->read(target + 199 * 4, 4, 9));
        dev->wake_at(m.now() + SIM_US);
        m.run();
        EXPECT_EQ(1u, dev->seen.size());
        EXPECT_GT(dev->seen.at(0).time, how.to_ps);
        EXPECT_EQ((std::vector<uint8_t>{ 199, 1, 2, 3 }), dev->seen.at(0).data);
        return dev->seen.at(0).time;
    });
}

/* ---- the requesters of a node ------------------------------------------------------------ */

constexpr uint16_t port_gpu = 0, port_dev = 1 << 3; /* the root ports as functions of bus 0 */
constexpr sim_time_t timeout = 20 * SIM_US;

uint32_t aer(Machine &m, uint16_t bdf, uint32_t reg)
{
    return (uint32_t)config(m, false, bdf, reg).value;
}

uint32_t bit(pcie_error error)
{
    return UINT32_C(1) << error % 32;
}

Builder hasty()
{
    return node({ { "rc.completion_timeout_ps", timeout } },
                { { "copy.completion_timeout_ps", timeout } });
}

TEST(Load, ThatIsNeverAnsweredReturnsAllOnesInTime)
{
    in_all_orders(hasty(), [](Machine &m) {
        set_up(m);
        m.device("dev")->silent = true;
        sim_time_t before = m.now();
        Done d = load(m, bar_dev, 4);
        EXPECT_EQ(UINT64_MAX, d.value);
        EXPECT_EQ(before + timeout, d.time);
        EXPECT_EQ(1u, m.stat("node0.host.failed_loads"));
        EXPECT_EQ(bit(PCIE_ERR_TIMEOUT), aer(m, port_dev, PCIE_AER_UNCORRECTABLE));
        EXPECT_EQ(0u, aer(m, port_gpu, PCIE_AER_UNCORRECTABLE));
        return d.time;
    });
}

TEST(Load, IsNotEndedByTheLateAnswerToTheOneBefore)
{
    in_all_orders(hasty(), [](Machine &m) {
        pcie_misbehavior how = always(PCIE_IS_LATE);
        uint32_t a = 1, b = 2;

        set_up(m);
        store(m, bar_gpu, &a, 4);
        store(m, bar_gpu + 64, &b, 4);
        how.late_ps = timeout;
        how.count = 1;
        EXPECT_EQ(SIM_OK, node_gpu_misbehave(m.gpu(), &how, &m.err));
        Done first(m), second(m);
        first.then = [&] { node_core_load(m.core(), bar_gpu + 64, 4, Done::call, &second); };
        node_core_load(m.core(), bar_gpu, 4, Done::call, &first);
        m.run();
        EXPECT_EQ(UINT64_MAX, first.value);
        EXPECT_EQ(2u, second.value);
        EXPECT_EQ(1u, m.stat("node0.host.rc.stray_completions"));
        EXPECT_EQ(bit(PCIE_ERR_ADVISORY), aer(m, port_gpu, PCIE_AER_CORRECTABLE));
        return second.time;
    });
}

TEST(Load, OfPoisonedDataReturnsAllOnesAndIsRecorded)
{
    Machine m(hasty());
    uint32_t v = 1;

    set_up(m);
    store(m, bar_gpu, &v, 4);
    misbehave(m, true, always(PCIE_POISONS));
    EXPECT_EQ(UINT64_MAX, load(m, bar_gpu, 4).value);
    EXPECT_EQ(1u, m.stat("node0.host.failed_loads"));
    EXPECT_EQ(bit(PCIE_ERR_POISONED), aer(m, port_gpu, PCIE_AER_UNCORRECTABLE));
    EXPECT_EQ(12u, aer(m, port_gpu, PCIE_AER_CONTROL) & 0x1f);
    EXPECT_EQ(0x4a004001u, aer(m, port_gpu, PCIE_AER_HEADER_LOG)); /* CplD, EP, 1 DW */
    EXPECT_NE(0u, aer(m, port_gpu, PCIE_CFG_COMMAND) & PCIE_STATUS_PARITY);
}

TEST(Load, ThatIsRefusedReturnsAllOnesAndSaysHow)
{
    Machine m(hasty());

    set_up(m);
    m.device("dev")->status = PCIE_CPL_CA;
    EXPECT_EQ(UINT64_MAX, load(m, bar_dev, 4).value);
    EXPECT_EQ(PCIE_STATUS_TARGET_ABORT, aer(m, port_dev, PCIE_CFG_COMMAND) & 0xf8000000u);
    m.device("dev")->status = PCIE_CPL_UR;
    EXPECT_EQ(UINT64_MAX, load(m, bar_dev, 4).value);
    EXPECT_EQ(PCIE_STATUS_TARGET_ABORT | PCIE_STATUS_MASTER_ABORT,
              aer(m, port_dev, PCIE_CFG_COMMAND) & 0xf8000000u);
    EXPECT_EQ(0u, aer(m, port_dev, PCIE_AER_UNCORRECTABLE)) << "the completer's to record";
}

TEST(Load, WithoutATimeoutWaitsWithoutEnd)
{
    Machine m(node({ { "rc.completion_timeout_ps", 0 } }));
    Done d(m);

    set_up(m);
    m.device("dev")->silent = true;
    node_core_load(m.core(), bar_dev, 4, Done::call, &d);
    m.run();
    EXPECT_FALSE(d.done);
}

TEST(RootPort, IsABridgeWithErrorReporting)
{
    Machine m(node());
    unsigned express = 0;

    EXPECT_EQ(0x0e028086u, aer(m, port_dev, 0x00));
    EXPECT_EQ(0x06040000u, aer(m, port_dev, 0x08));
    EXPECT_EQ(0x00010000u, aer(m, port_dev, 0x0c));
    EXPECT_EQ(0x00020200u, aer(m, port_dev, 0x18));
    EXPECT_EQ(0x00100006u, aer(m, port_dev, 0x04));
    EXPECT_EQ(0x6u, aer(m, 5 << 3, 0x04)); /* nothing is connected */
    for (uint32_t at = aer(m, port_dev, 0x34); at != 0; at = aer(m, port_dev, at) >> 8 & 0xff)
        if ((aer(m, port_dev, at) & 0xff) == 0x10)
            express = at;
    EXPECT_EQ(4u, aer(m, port_dev, express) >> 20 & 0xf); /* root port of PCI Express */
    EXPECT_EQ(0x00020001u, aer(m, port_dev, PCIE_CFG_AER));
}

TEST(RootPort, RecordsWhatItsDeviceDoesWrong)
{
    Machine m(node());
    Device *dev = m.device("dev");
    pcie_tlp stray = {}, bad;

    set_up(m);
    dev->out.push_back(dev->write(UINT64_C(1) << 50, { 1, 2, 3, 4 })); /* no tag's */
    dev->wake_at(m.now() + SIM_US);
    m.run();
    EXPECT_EQ(bit(PCIE_ERR_UNSUPPORTED), aer(m, port_dev, PCIE_AER_UNCORRECTABLE));
    EXPECT_EQ(UINT32_C(1) << 18, aer(m, port_dev, PCIE_AER_HEADER_LOG + 8));
    config(m, true, port_dev, PCIE_AER_UNCORRECTABLE, bit(PCIE_ERR_UNSUPPORTED));
    EXPECT_EQ(0u, aer(m, port_dev, PCIE_AER_UNCORRECTABLE));
    bad = dev->write(ram, { 9, 9, 9, 9 });
    bad.poisoned = 1;
    dev->out.push_back(bad);
    stray.kind = PCIE_CPL;
    stray.requester_id = 0;
    stray.tag = 3;
    stray.byte_count = 4;
    dev->out.push_back(stray);
    dev->wake_at(m.now() + SIM_US);
    m.run();
    EXPECT_EQ(bit(PCIE_ERR_POISONED), aer(m, port_dev, PCIE_AER_UNCORRECTABLE));
    EXPECT_EQ(0, m.ram(ram)[0]);
    EXPECT_EQ(1u, m.stat("node0.host.rc.poisoned_writes"));
    EXPECT_EQ(bit(PCIE_ERR_ADVISORY), aer(m, port_dev, PCIE_AER_CORRECTABLE));
    EXPECT_EQ(1u, m.stat("node0.host.rc.stray_completions"));
}

TEST(Forwarded, ReadsThatAreNeverAnsweredDoNotHoldUpOthersForEver)
{
    in_all_orders(
        node({ { "rc.completion_timeout_ps", timeout }, { "rc.p2p_read_bytes", 2 * 64 } }),
        [](Machine &m) {
            pcie_misbehavior how = always(PCIE_IS_SILENT);
            std::vector<unsigned> tags;

            how.count = 3;
            set_up(m);
            misbehave(m, true, how);
            for (const Seen &s : read_all(m, true, 6))
                tags.push_back(s.tlp.tag);
            std::sort(tags.begin(), tags.end());
            EXPECT_EQ((std::vector<unsigned>{ 4, 5, 6 }), tags);
            EXPECT_EQ(3u, m.stat("node0.host.rc.p2p_timeouts"));
            return m.now();
        });
}

TEST(Forwarded, PoisonPassesTheRootComplexAsItIs)
{
    Machine m(node());
    Device *dev = m.device("dev");
    uint32_t v = 5;

    set_up(m);
    store(m, bar_gpu, &v, 4);
    pcie_tlp bad = dev->write(bar_gpu, { 9, 9, 9, 9 });
    bad.poisoned = 1;
    dev->out.push_back(bad);
    dev->wake_at(m.now() + SIM_US);
    m.run();
    EXPECT_EQ(5u, load(m, bar_gpu, 4).value);
    EXPECT_EQ(1u, m.stat("node0.gpu.poisoned_writes"));
    EXPECT_EQ(bit(PCIE_ERR_POISONED),
              config(m, false, 0x100, PCIE_AER_UNCORRECTABLE).value); /* the GPU's */
    EXPECT_EQ(0u, aer(m, port_dev, PCIE_AER_UNCORRECTABLE));
}

void copy_done(void *arg)
{
    ++*static_cast<unsigned *>(arg);
}

/** The GPU copies 4 KB of host memory. @return how many copies have ended */
unsigned copy(Machine &m)
{
    unsigned done = 0;

    start_copy(m.gpu(), {}, device_end(0), bus_end(ram), 4096, copy_done, &done);
    m.run();
    return done;
}

TEST(Copy, EndsWithAllOnesWhereReadsFailAndCountsIt)
{
    const struct {
        pcie_misdeed deed;
        pcie_error error;
    } cases[] = { { PCIE_POISONS, PCIE_ERR_POISONED }, { PCIE_IS_SILENT, PCIE_ERR_TIMEOUT } };

    for (auto &c : cases) {
        in_all_orders(hasty(), [&](Machine &m) {
            pcie_misbehavior how = always(c.deed);

            how.skip = 1;
            how.count = 1; /* the second read, of 512 bytes */
            set_up(m);
            for (unsigned i = 0; i < 4096; i++)
                m.ram(ram)[i] = (uint8_t)(i / 16);
            misbehave(m, false, how);
            EXPECT_EQ(1u, copy(m));
            EXPECT_EQ(1u, node_gpu_failed_copies(m.gpu()));
            const uint8_t *got = node_gpu_bytes(m.gpu());
            for (unsigned i = 0; i < 4096; i++)
                EXPECT_EQ(i / 512 == 1 ? 0xff : m.ram(ram)[i], got[i]) << i;
            EXPECT_EQ(bit(c.error), config(m, false, 0x100, PCIE_AER_UNCORRECTABLE).value);
            EXPECT_EQ(1u, copy(m)); /* and the next one is well */
            EXPECT_EQ(1u, node_gpu_failed_copies(m.gpu()));
            EXPECT_EQ(0, memcmp(m.ram(ram), got, 4096));
            return m.now();
        });
    }
}

TEST(Copy, IsNotFilledByLateAnswersToTheOneBefore)
{
    Machine m(hasty());
    pcie_misbehavior how = always(PCIE_IS_LATE);

    how.late_ps = timeout + SIM_US;
    how.count = 1;
    set_up(m);
    misbehave(m, false, how);
    unsigned done = 0;
    start_copy(m.gpu(), {}, device_end(0), bus_end(ram), 64, copy_done, &done);
    start_copy(m.gpu(), {}, device_end(4096), bus_end(ram + 4096), 64, copy_done, &done);
    m.ram(ram)[0] = 1, m.ram(ram)[4096] = 2;
    m.run();
    EXPECT_EQ(2u, done);
    EXPECT_EQ(0xff, node_gpu_bytes(m.gpu())[0]);
    EXPECT_EQ(2, node_gpu_bytes(m.gpu())[4096]);
    EXPECT_EQ(1u, node_gpu_failed_copies(m.gpu()));
    EXPECT_EQ(bit(PCIE_ERR_ADVISORY), config(m, false, 0x100, PCIE_AER_CORRECTABLE).value);
}

/* ---- byte enables ---------------------------------------------------------------------------- */

TEST_P(Completer, AnswersZeroLengthReadsBehindTheWritesBefore)
{
    in_all_orders(node(), [&](Machine &m) {
        Device *dev = m.device("dev");
        uint64_t target = gpu ? bar_gpu : ram;

        set_up(m);
        dev->out.push_back(dev->write(target, { 7, 7, 7, 7 }));
        dev->out.push_back(dev->read(target + 8, 0, 5));
        dev->wake_at(m.now() + SIM_US);
        m.run();
        EXPECT_EQ(1u, dev->seen.size());
        EXPECT_EQ(PCIE_CPLD, dev->seen.at(0).tlp.kind);
        EXPECT_EQ(1u, dev->seen.at(0).tlp.byte_count);
        EXPECT_EQ(1u, dev->seen.at(0).tlp.length_dw);
        EXPECT_EQ(8u, dev->seen.at(0).tlp.lower_addr);
        return dev->seen.at(0).time;
    });
}

TEST_P(Completer, AnswersAndTakesEnabledBytesOnly)
{
    Machine m(node());
    Device *dev = m.device("dev");
    uint64_t target = gpu ? bar_gpu : ram;
    uint8_t *memory = gpu ? node_gpu_bytes(m.gpu()) : m.ram(ram);

    set_up(m);
    for (uint32_t first = 0; first < 4; first++)
        for (uint32_t n = 1; first + n <= 12; n++) {
            std::vector<uint8_t> bytes(n, (uint8_t)(n * 16 + first));

            memset(memory, 0, 16);
            dev->seen.clear();
            dev->out.push_back(dev->write(target + first, bytes));
            dev->out.push_back(dev->read(target + first, n, 1));
            dev->wake_at(m.now() + SIM_US);
            m.run();
            for (uint32_t i = 0; i < 16; i++)
                EXPECT_EQ(i >= first && i < first + n ? bytes[0] : 0, memory[i]);
            ASSERT_EQ(1u, dev->seen.size());
            EXPECT_EQ(n, dev->seen[0].tlp.byte_count);
            EXPECT_EQ(first, dev->seen[0].tlp.lower_addr);
            EXPECT_EQ(0, memcmp(dev->seen[0].data.data() + first, bytes.data(), n));
        }
    pcie_tlp none = dev->write(target, { 1, 1, 1, 1 });
    memset(memory, 0, 4);
    none.first_be = 0;
    dev->out.push_back(none);
    dev->wake_at(m.now() + SIM_US);
    m.run();
    EXPECT_EQ(0, memory[0]);
}

} // namespace
