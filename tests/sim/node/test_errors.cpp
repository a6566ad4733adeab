/* What completers of a node answer when they do wrong on purpose, and who notices what. */
#include "machine_fixture.h"

#include "pcie/aer.h"
#include "pcie/misbehave.h"

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

    m.configure(0, bar_gpu, node_gpu_bar_bytes(m.gpu()));
    m.configure(1, bar_dev, 1 << 20);
    ASSERT_EQ(SIM_OK, node_gpu_pin(m.gpu(), 0, node_gpu_bar_bytes(m.gpu()), &at));
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

TEST(Misbehavior, IsCheckedAndSaysWhatIsWrong)
{
    Machine m(node());
    auto refused = [&](const pcie_misbehavior &how) {
        m.err = {};
        EXPECT_NE(SIM_OK, node_gpu_misbehave(m.gpu(), &how, &m.err));
        return std::string(m.err.text);
    };
    pcie_misbehavior how = always(PCIE_IS_LATE);

    EXPECT_EQ("node0.gpu: late by 0 ps: expected at least 1", refused(how));
    how = always(PCIE_POISONS);
    how.ppm = 1000001;
    EXPECT_EQ("node0.gpu: 1000001 of a million requests: expected at most 1000000", refused(how));
    how = always(PCIE_POISONS);
    how.from_ps = how.to_ps = 5;
    EXPECT_EQ("node0.gpu: from 5 ps to 5 ps: expected an end behind the beginning", refused(how));
}

} // namespace
