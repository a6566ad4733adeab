/* Configuration space of an endpoint function as enumeration software sees it. */
#include "pcie/port/config.h"

#include <gtest/gtest.h>

namespace
{

const uint64_t GIB = UINT64_C(1) << 30;

class Function : public ::testing::Test
{
  protected:
    pcie_function fn;
    Function() { pcie_function_init(&fn, 0x1172, 0x0004, 0x068000); }
    uint32_t read(uint32_t reg) { return pcie_function_read(&fn, reg); }
    void write(uint32_t reg, uint32_t v, uint8_t be = 0xf) { pcie_function_write(&fn, reg, v, be); }
    uint64_t size_bar(unsigned n)
    {
        write(PCIE_CFG_BAR(n), ~0u), write(PCIE_CFG_BAR(n + 1), ~0u);
        return ~((read(PCIE_CFG_BAR(n)) & ~UINT64_C(0xf)) | (uint64_t)read(PCIE_CFG_BAR(n + 1))
                                                                << 32) +
               1;
    }
};

TEST_F(Function, ShowsWhatItIs)
{
    EXPECT_EQ(0x00041172u, read(PCIE_CFG_ID));
    EXPECT_EQ(0x06800000u, read(PCIE_CFG_CLASS));
    write(PCIE_CFG_ID, 0);
    write(PCIE_CFG_CLASS, 0);
    EXPECT_EQ(0x00041172u, read(PCIE_CFG_ID));
    EXPECT_EQ(0u, read(0x0c) >> 16 & 0x7f); /* header type 0 */
}

TEST_F(Function, BarsAreSizedByWritingOnes)
{
    pcie_function_add_bar(&fn, 0, 512 * GIB);
    pcie_function_add_bar(&fn, 2, 65536);
    EXPECT_EQ(0xcu, read(PCIE_CFG_BAR(0))); /* 64-bit, prefetchable */
    EXPECT_EQ(512 * GIB, size_bar(0));
    EXPECT_EQ(65536u, size_bar(2));
    write(PCIE_CFG_BAR(4), ~0u);
    EXPECT_EQ(0u, read(PCIE_CFG_BAR(4))); /* no BAR there */
}

TEST_F(Function, ClaimsItsBarsOnceMemorySpaceIsEnabled)
{
    pcie_function_add_bar(&fn, 0, 512 * GIB);
    pcie_function_add_bar(&fn, 2, 65536);
    write(PCIE_CFG_BAR(0), 0), write(PCIE_CFG_BAR(1), 0x380);
    write(PCIE_CFG_BAR(2), 0xf0000000), write(PCIE_CFG_BAR(3), 0);
    EXPECT_EQ(-1, pcie_function_claims(&fn, UINT64_C(0x38000000000)));
    write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY);
    EXPECT_EQ(UINT64_C(0x38000000000), pcie_function_bar(&fn, 0));
    EXPECT_EQ(0, pcie_function_claims(&fn, UINT64_C(0x38000000000)));
    EXPECT_EQ(0, pcie_function_claims(&fn, UINT64_C(0x38000000000) + 512 * GIB - 1));
    EXPECT_EQ(-1, pcie_function_claims(&fn, UINT64_C(0x38000000000) + 512 * GIB));
    EXPECT_EQ(-1, pcie_function_claims(&fn, UINT64_C(0x37fffffffff)));
    EXPECT_EQ(2, pcie_function_claims(&fn, 0xf000ffff));
    EXPECT_EQ(-1, pcie_function_claims(&fn, 0xf0010000));
}

TEST_F(Function, ByteEnablesSelectWhatIsWritten)
{
    write(PCIE_CFG_DEVICE_CONTROL, 0x5000, 0x2); /* MRRS in the second byte */
    EXPECT_EQ(4096u, pcie_function_mrrs(&fn));
    EXPECT_EQ(0u, pcie_function_read(&fn, PCIE_CFG_DEVICE_CONTROL) & 0xe0); /* MPS: 128 */
    write(PCIE_CFG_DEVICE_CONTROL, 0xff20, 0x1);
    EXPECT_EQ(4096u, pcie_function_mrrs(&fn));
    EXPECT_EQ(0x20u, pcie_function_read(&fn, PCIE_CFG_DEVICE_CONTROL) & 0xe0);
}

TEST_F(Function, CapabilitiesAreLinkedAndEnd)
{
    unsigned seen = 0;

    EXPECT_NE(0u, read(PCIE_CFG_COMMAND) & 0x00100000); /* Capabilities List */
    for (uint32_t at = read(PCIE_CFG_CAPABILITIES) & 0xff; at != 0; at = read(at) >> 8 & 0xff) {
        ASSERT_LT(at, 256u);
        ASSERT_LT(seen, 8u);
        seen += (read(at) & 0xff) == 0x05 || (read(at) & 0xff) == 0x10;
    }
    EXPECT_EQ(2u, seen); /* MSI and PCI Express */
}

TEST_F(Function, MsiGoesWhereSoftwareSays)
{
    uint64_t addr = 0;
    uint32_t data = 0;

    write(PCIE_CFG_MSI + 4, 0xfee00000), write(PCIE_CFG_MSI + 8, 0x1), write(PCIE_CFG_MSI + 12, 41);
    EXPECT_FALSE(pcie_function_msi(&fn, &addr, &data));
    write(PCIE_CFG_MSI, PCIE_MSI_ENABLE);
    EXPECT_TRUE(pcie_function_msi(&fn, &addr, &data));
    EXPECT_EQ(UINT64_C(0x1fee00000), addr);
    EXPECT_EQ(41u, data);
}

TEST_F(Function, BeyondItsRegistersReadsAreZeroAndWritesAreLost)
{
    write(0x200, ~0u), write(0xffc, ~0u);
    EXPECT_EQ(0u, read(0x200));
    EXPECT_EQ(0u, read(0xffc));
}

} // namespace
