/* What tests of the GPU begin with. */
#ifndef TESTS_GPU_FIXTURE_H
#define TESTS_GPU_FIXTURE_H

#include "machine_fixture.h"

namespace test
{

constexpr uint64_t ram = UINT64_C(1) << 32;
constexpr uint64_t bar = UINT64_C(1) << 40, bar_dev = UINT64_C(2) << 40;
constexpr uint64_t page = 65536;
constexpr sim_time_t wire_gpu = 40000 + 40000;
using Times = std::vector<uint64_t>;

/** A GPU at p0 and a device at p1, on Gen2 x8 both so that the closed forms are one. */
inline Builder with_gpu(Values gpu = {}, Values host = {})
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
inline void set_up(Machine &m)
{
    uint64_t at = 1;

    m.configure(0, bar, 1 << 22);
    m.configure(1, bar_dev, 1 << 20);
    ASSERT_EQ(SIM_OK, node_gpu_pin(m.gpu(), 0, 1 << 22, &at));
    ASSERT_EQ(0u, at);
    m.device("dev")->seen.clear();
}

inline std::vector<uint8_t> pattern(size_t n, unsigned seed = 1)
{
    std::vector<uint8_t> v(n);

    for (size_t i = 0; i < n; i++)
        v[i] = (uint8_t)(i * 13 + i / 256 + seed);
    return v;
}

inline sim_time_t send(Machine &m, const std::vector<pcie_tlp> &tlps)
{
    sim_time_t start = column(m.now() + 100 * SIM_NS);
    Device *dev = m.device("dev");

    dev->out.insert(dev->out.end(), tlps.begin(), tlps.end());
    dev->wake_at(start);
    return start;
}

} // namespace test
#endif /* TESTS_GPU_FIXTURE_H */
