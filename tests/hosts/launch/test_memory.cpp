#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "hosts/host/range.h"
#include "hosts/launch/memory.h"

namespace
{

TEST(LaunchMemory, AddressesRepeatAndPagesAreZero)
{
    uintptr_t first = 0;
    for (int round = 0; round < 2; round++) {
        struct launch_memory *mem = launch_memory_create();
        ASSERT_NE(nullptr, mem);
        auto *a = static_cast<unsigned char *>(
            launch_memory_map(mem, 3, "node3.host", UINT64_C(32) << 30));
        auto *b = static_cast<unsigned char *>(launch_memory_map(mem, 3, "node3.gpu0", 1 << 20));
        ASSERT_NE(nullptr, a);
        ASSERT_NE(nullptr, b);
        EXPECT_EQ(0, a[12345]);
        a[12345] = 1;
        b[0] = 1;
        if (round == 0)
            first = reinterpret_cast<uintptr_t>(b);
        EXPECT_EQ(first, reinterpret_cast<uintptr_t>(b));
        launch_memory_destroy(mem);
    }
}

TEST(LaunchMemory, TooMuchForANodeIsRefused)
{
    struct launch_memory *mem = launch_memory_create();
    ASSERT_NE(nullptr, mem);
    EXPECT_EQ(nullptr, launch_memory_map(mem, 0, "x", LAUNCH_NODE_BYTES + 1));
    EXPECT_EQ(nullptr, launch_memory_map(mem, LAUNCH_NODES_MAX, "x", 4096));
    launch_memory_destroy(mem);
}

/* valgrind takes minutes for a mapping of terabytes, and sees no signal meanwhile. */
TEST(LaunchMemory, MapsWhatIsAskedForAndNoMore)
{
    auto mapped = [] {
        std::ifstream maps("/proc/self/maps");
        uint64_t low, high, sum = 0;
        std::string line;

        while (std::getline(maps, line))
            if (sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64, &low, &high) == 2)
                sum += high - low;
        return sum;
    };
    struct launch_memory *mem = launch_memory_create();
    ASSERT_NE(nullptr, mem);
    uint64_t before = mapped();
    EXPECT_NE(nullptr, launch_memory_map(mem, 255, "x", 1 << 30));
    EXPECT_EQ(UINT64_C(1) << 30, mapped() - before);
    launch_memory_destroy(mem);
    EXPECT_GE(UINT64_C(1) << 20, before - mapped());
}

TEST(LaunchMemory, TwoMachinesCanLiveAtOnce)
{
    struct launch_memory *a = launch_memory_create(), *b = launch_memory_create();
    ASSERT_NE(nullptr, a);
    ASSERT_NE(nullptr, b);
    EXPECT_NE(launch_memory_map(a, 0, "x", 4096), launch_memory_map(b, 0, "x", 4096));
    launch_memory_destroy(a);
    launch_memory_destroy(b);
}

struct RangeTest : ::testing::Test {
    struct range_alloc ra = {};
    void SetUp() override { ASSERT_TRUE(range_init(&ra, 100, 900)); }
    void TearDown() override { range_fini(&ra); }
};

TEST_F(RangeTest, AlignsAndReusesWhatWasGivenBack)
{
    uint64_t a = range_take(&ra, 10, 64), b = range_take(&ra, 10, 1);
    EXPECT_EQ(128u, a);
    EXPECT_EQ(100u, b);
    EXPECT_EQ(10u, range_give(&ra, a));
    EXPECT_EQ(128u, range_take(&ra, 10, 64));
}

TEST_F(RangeTest, MergesNeighboursAndRefusesWhatDoesNotFit)
{
    uint64_t a = range_take(&ra, 300, 1), b = range_take(&ra, 300, 1), c = range_take(&ra, 300, 1);
    EXPECT_EQ(RANGE_NONE, range_take(&ra, 1, 1));
    EXPECT_EQ(300u, range_give(&ra, a));
    EXPECT_EQ(300u, range_give(&ra, c));
    EXPECT_EQ(RANGE_NONE, range_take(&ra, 301, 1));
    EXPECT_EQ(300u, range_give(&ra, b));
    EXPECT_EQ(100u, range_take(&ra, 900, 1));
}

TEST_F(RangeTest, RefusesStrangers)
{
    uint64_t a = range_take(&ra, 10, 1);
    EXPECT_EQ(0u, range_give(&ra, a + 1));
    EXPECT_EQ(0u, range_give(&ra, 5000));
}

TEST_F(RangeTest, SaysHowMuchOfARangeIsLeft)
{
    uint64_t a = range_take(&ra, 10, 64), b = range_take(&ra, 10, 64);

    EXPECT_EQ(10u, range_left(&ra, a));
    EXPECT_EQ(1u, range_left(&ra, a + 9));
    for (uint64_t none : { UINT64_C(0), a - 1, a + 10, b + 10, UINT64_C(1000), UINT64_MAX })
        EXPECT_EQ(0u, range_left(&ra, none)) << none;
    EXPECT_EQ(10u, range_give(&ra, b));
    EXPECT_EQ(0u, range_left(&ra, b));
}

} // namespace
