/* What workloads over GASNet measure: what the mechanisms of the hub and of its conduit cost. */
#include "tests/workloads/gasnet_run.h"

namespace
{

using test::GasnetRun;
using test::number_of;
using test::run;

using Args = std::vector<std::string>;

constexpr uint64_t KIB = 1024, MIB = 1024 * KIB;

std::string rounds(uint64_t bytes)
{
    return bytes < MIB ? "rounds=4" : "rounds=1";
}

/** Half a round trip of AM Longs out of GPU 0 into that of the other node. */
double long_us(uint64_t bytes, const std::string &gasnet,
               const std::vector<const char *> &sets = {})
{
    GasnetRun r;

    r.program = "gasnet-pingpong";
    r.args = { "bytes=" + std::to_string(bytes), rounds(bytes), "warmup=1", "repeats=1",
               "src=gpu0" };
    r.gasnet = gasnet + ",segment=gpu0";
    r.sets = sets;
    return number_of(run(r), "latency_ps_median") * 1e-6;
}

/** The same of the hub alone, whose chain is in its internal memory. */
double bare_us(uint64_t bytes)
{
    GasnetRun r;

    r.program = "pingpong";
    r.args = { "bytes=" + std::to_string(bytes),
               "mode=dma-chain-internal",
               "rounds=4",
               "warmup=1",
               "repeats=2",
               "src=gpu0",
               "dst=gpu0" };
    return number_of(run(r), "latency_ps_median") * 1e-6;
}

double gb_per_s(uint64_t bytes, double us)
{
    return (double)bytes / us * 1e-3;
}

TEST(GasnetPhysics, DescriptorsInHostMemoryTakeAMicrosecondLonger)
{
    double internal = long_us(8, "tca-2016"), host = long_us(8, "tca-2016,promote=off");

    EXPECT_GE(host - internal, 0.8) << internal << " and " << host;
    EXPECT_LE(host - internal, 1.2) << internal << " and " << host;
}

TEST(GasnetPhysics, WithoutStagingBandwidthFallsAsThatOfTheHub)
{
    const std::string unstaged = "tca-2016,stage_bytes=1GiB";
    double at_most = gb_per_s(512 * KIB, long_us(512 * KIB, unstaged));
    double beyond = gb_per_s(2 * MIB, long_us(2 * MIB, unstaged));
    double bare_at_most = gb_per_s(512 * KIB, bare_us(512 * KIB));
    double bare_beyond = gb_per_s(2 * MIB, bare_us(2 * MIB));
    double staged = gb_per_s(2 * MIB, long_us(2 * MIB, "tca-2016"));

    EXPECT_LT(bare_beyond, 0.95 * bare_at_most);
    EXPECT_LT(beyond, 0.95 * at_most);
    EXPECT_NEAR(bare_beyond / bare_at_most, beyond / at_most, 0.02);
    EXPECT_NEAR(bare_beyond, beyond, 0.02 * bare_beyond);
    EXPECT_GT(staged, 1.1 * beyond);
}

TEST(GasnetPhysics, HalfTheLanesHalveTheBandwidthAndNotTheLatency)
{
    const std::vector<const char *> half = { "node*.hub.e.link.lanes=4",
                                             "node*.hub.w.link.lanes=4" };
    double wide = long_us(4 * MIB, "tca-2016"), narrow = long_us(4 * MIB, "tca-2016", half);
    double soon = long_us(8, "tca-2016"), later = long_us(8, "tca-2016", half);

    EXPECT_NEAR(0.5, wide / narrow, 0.05) << wide << " and " << narrow;
    EXPECT_GT(later, soon);
    EXPECT_LT(later, 1.02 * soon);
}

} // namespace
