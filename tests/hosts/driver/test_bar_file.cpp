/* The bar interface on a file, as on a device that is mapped into the process. */
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

#include "hosts/driver/bar_file.h"
#include "hosts/driver/driver.h"

namespace
{

const uint64_t BUS = UINT64_C(0x8000000000), BYTES = 8192;

class BarFile : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        fd = mkstemp(path);
        ASSERT_GE(fd, 0);
        ASSERT_EQ(0, ftruncate(fd, BYTES));
        ASSERT_EQ(0, bar_file_open(&bf, path, BUS, BYTES));
        ASSERT_TRUE(h->ops->map(h, BUS, BYTES, HOST_UNCACHED, &bar));
    }
    void TearDown() override
    {
        if (bf.base != nullptr)
            bar_file_close(&bf);
        close(fd);
        unlink(path);
    }
    std::vector<uint8_t> file(uint64_t offset, size_t n)
    {
        std::vector<uint8_t> v(n);
        EXPECT_EQ((ssize_t)n, pread(fd, v.data(), n, (off_t)offset));
        return v;
    }

    char path[32] = "/tmp/bar_file_XXXXXX";
    int fd = -1;
    bar_file bf = {};
    struct host *h = &bf.host;
    host_bar bar = {};
};

TEST_F(BarFile, StoresOfEachSizeReachTheFileInLittleEndian)
{
    const uint64_t value = UINT64_C(0x8877665544332211);
    uint64_t offset = 64;

    for (uint32_t size : { 1u, 2u, 4u, 8u }) {
        h->ops->store(h, &bar, offset, &value, size);
        h->ops->fence(h);
        auto got = file(offset, 8);
        for (uint32_t i = 0; i < 8; i++)
            EXPECT_EQ(i < size ? 0x11 * (i + 1) : 0, got[i]) << size;
        uint64_t mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
        EXPECT_EQ(value & mask, h->ops->load(h, &bar, offset, size));
        offset += 8;
    }
}

TEST_F(BarFile, ABlockOfAnySizeAndAlignmentTouchesItsBytesOnly)
{
    std::vector<uint8_t> block(41);

    for (size_t i = 0; i < block.size(); i++)
        block[i] = (uint8_t)(i + 1);
    for (uint64_t start = 0; start < 9; start++) {
        uint64_t at = 256 + 64 * start + start;
        h->ops->store_block(h, &bar, at, block.data(), block.size());
        EXPECT_EQ(block, file(at, block.size()));
        EXPECT_EQ(0, file(at - 1, 1)[0]);
        EXPECT_EQ(0, file(at + block.size(), 1)[0]);
    }
}

/* The driver's own register access, and what "the device" has put there. */
TEST_F(BarFile, TheDriverReadsAndWritesRegistersThroughIt)
{
    driver d = {};
    uint64_t id = HUB_ID_MAGIC;

    ASSERT_EQ(8, pwrite(fd, &id, 8, HUB_ID));
    d.regs = bar;
    EXPECT_EQ(HUB_ID_MAGIC, (uint32_t)driver_read(h, &d, HUB_ID));
    driver_write(h, &d, HUB_RING_SIZE, 12);
    EXPECT_EQ(12, file(HUB_RING_SIZE, 1)[0]);
}

TEST_F(BarFile, APartIsMappedAtItsBusAddressAndNothingBeyond)
{
    host_bar part = {};
    uint8_t byte = 0x5a;

    ASSERT_TRUE(h->ops->map(h, BUS + 4096, 4096, HOST_WRITE_COMBINING, &part));
    h->ops->store(h, &part, 4095, &byte, 1);
    EXPECT_EQ(0x5a, file(8191, 1)[0]);
    EXPECT_FALSE(h->ops->map(h, BUS - 1, 8, HOST_UNCACHED, &part));
    EXPECT_FALSE(h->ops->map(h, BUS + 4096, 4097, HOST_UNCACHED, &part));
    EXPECT_FALSE(h->ops->map(h, BUS + 8192, UINT64_MAX, HOST_UNCACHED, &part));
}

TEST_F(BarFile, WhatCannotBeMappedIsRefused)
{
    bar_file other = {};

    EXPECT_EQ(ENOENT, bar_file_open(&other, "/nowhere/resource0", BUS, BYTES));
    EXPECT_EQ(EINVAL, bar_file_open(&other, path, BUS, BYTES + 4096)) << "longer than the file";
    EXPECT_EQ(EINVAL, bar_file_open(&other, path, BUS, 0));
}

} // namespace
