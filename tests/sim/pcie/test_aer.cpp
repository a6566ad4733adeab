/* What errors leave in the registers that software reads, bit by bit as 6.2 and 7.10 specify. */
#include "pcie/port/aer.h"

#include <gtest/gtest.h>

namespace
{

class Aer : public ::testing::Test
{
  protected:
    pcie_function fn;
    Aer() { pcie_function_init(&fn, 0x1172, 0x0004, 0x068000); }
    uint32_t read(uint32_t reg) { return pcie_function_read(&fn, reg); }
    uint32_t status() { return read(PCIE_CFG_DEVICE_CONTROL) & 0xffff0000u; }
    void write(uint32_t reg, uint32_t v, uint8_t be = 0xf) { pcie_function_write(&fn, reg, v, be); }
    void record(pcie_error error, bool advisory = false, const pcie_tlp *tlp = nullptr)
    {
        pcie_aer_record(&fn, error, advisory, tlp);
    }
    static pcie_tlp read_at(uint64_t addr)
    {
        pcie_tlp tlp = {};

        tlp.kind = PCIE_MRD;
        tlp.requester_id = 0x0100;
        tlp.tag = 7;
        pcie_tlp_set_range(&tlp, addr, 8);
        return tlp;
    }
};

TEST_F(Aer, CapabilityIsThereAndNothingIsRecorded)
{
    EXPECT_EQ(0x00020001u, read(PCIE_CFG_AER)); /* 0001h, version 2, no next one */
    EXPECT_EQ(0u, read(PCIE_AER_UNCORRECTABLE));
    EXPECT_EQ(0u, read(PCIE_AER_UNCORRECTABLE_MASK));
    EXPECT_EQ(0x00062030u, read(PCIE_AER_SEVERITY));
    EXPECT_EQ(0u, read(PCIE_AER_CORRECTABLE));
    EXPECT_EQ(0x2000u, read(PCIE_AER_CORRECTABLE_MASK)); /* advisory errors */
    EXPECT_EQ(0u, status());
}

TEST_F(Aer, FirstErrorKeepsItsHeaderUntilItIsCleared)
{
    pcie_tlp first = read_at(UINT64_C(0x123456788)), second = read_at(0x2000);

    record(PCIE_ERR_UNSUPPORTED, false, &first);
    record(PCIE_ERR_POISONED, false, &second);
    EXPECT_EQ(0x00101000u, read(PCIE_AER_UNCORRECTABLE));
    EXPECT_EQ(20u, read(PCIE_AER_CONTROL) & 0x1f);
    EXPECT_EQ(0x20000002u, read(PCIE_AER_HEADER_LOG)); /* MRd, 4 DW, 2 DW of data */
    EXPECT_EQ(0x010007ffu, read(PCIE_AER_HEADER_LOG + 4));
    EXPECT_EQ(0x00000001u, read(PCIE_AER_HEADER_LOG + 8));
    EXPECT_EQ(0x23456788u, read(PCIE_AER_HEADER_LOG + 12));
    EXPECT_EQ(PCIE_STATUS_NONFATAL | PCIE_STATUS_UNSUPPORTED, status());
    write(PCIE_AER_UNCORRECTABLE, 0x00100000);
    EXPECT_EQ(0x00001000u, read(PCIE_AER_UNCORRECTABLE));
    record(PCIE_ERR_TIMEOUT, false, &second);
    EXPECT_EQ(14u, read(PCIE_AER_CONTROL) & 0x1f);
    EXPECT_EQ(0x00002000u, read(PCIE_AER_HEADER_LOG + 8)); /* 3 DW */
}

TEST_F(Aer, MaskedErrorsShowTheirBitButAreNotLogged)
{
    pcie_tlp tlp = read_at(0x1000);

    write(PCIE_AER_UNCORRECTABLE_MASK, ~0u);
    EXPECT_EQ(0x001ff030u, read(PCIE_AER_UNCORRECTABLE_MASK));
    record(PCIE_ERR_UNSUPPORTED, false, &tlp);
    EXPECT_EQ(0x00100000u, read(PCIE_AER_UNCORRECTABLE));
    EXPECT_EQ(0u, read(PCIE_AER_HEADER_LOG));
}

TEST_F(Aer, SeverityDecidesWhatDeviceStatusSays)
{
    record(PCIE_ERR_MALFORMED);
    EXPECT_EQ(PCIE_STATUS_FATAL, status());
    write(PCIE_CFG_DEVICE_CONTROL, PCIE_STATUS_FATAL, 0xc);
    EXPECT_EQ(0u, status());
    write(PCIE_AER_SEVERITY, 0);
    record(PCIE_ERR_MALFORMED);
    EXPECT_EQ(PCIE_STATUS_NONFATAL, status());
}

TEST_F(Aer, CorrectableErrorsHaveRegistersOfTheirOwn)
{
    record(PCIE_ERR_BAD_TLP);
    record(PCIE_ERR_BAD_DLLP);
    record(PCIE_ERR_REPLAY_TIMER);
    record(PCIE_ERR_REPLAY_ROLLOVER);
    record(PCIE_ERR_RECEIVER);
    EXPECT_EQ(0x11c1u, read(PCIE_AER_CORRECTABLE));
    EXPECT_EQ(0u, read(PCIE_AER_UNCORRECTABLE));
    EXPECT_EQ(PCIE_STATUS_CORRECTABLE, status());
    write(PCIE_AER_CORRECTABLE, 0x40);
    EXPECT_EQ(0x1181u, read(PCIE_AER_CORRECTABLE));
}

/* 6.2.3.2.4: who only passes the error on signals at most a correctable one. */
TEST_F(Aer, AdvisoryErrorsAreCorrectableUnlessFatal)
{
    pcie_tlp tlp = read_at(0x1000);

    record(PCIE_ERR_UNSUPPORTED, true, &tlp);
    EXPECT_EQ(0x2000u, read(PCIE_AER_CORRECTABLE));
    EXPECT_EQ(0u, read(PCIE_AER_UNCORRECTABLE)); /* masked after reset, for old software */
    EXPECT_EQ(PCIE_STATUS_CORRECTABLE | PCIE_STATUS_UNSUPPORTED, status());
    write(PCIE_AER_CORRECTABLE_MASK, 0);
    record(PCIE_ERR_UNSUPPORTED, true, &tlp);
    EXPECT_EQ(0x00100000u, read(PCIE_AER_UNCORRECTABLE));
    EXPECT_EQ(20u, read(PCIE_AER_CONTROL) & 0x1f);
    write(PCIE_AER_SEVERITY, ~0u);
    record(PCIE_ERR_POISONED, true);
    EXPECT_NE(0u, status() & PCIE_STATUS_FATAL);
}

TEST_F(Aer, ControlBitsOfTheDeviceSurviveAnError)
{
    write(PCIE_CFG_DEVICE_CONTROL, 0x5020);
    record(PCIE_ERR_TIMEOUT);
    EXPECT_EQ(0x5020u, pcie_function_read(&fn, PCIE_CFG_DEVICE_CONTROL) & 0xffff);
    write(PCIE_CFG_DEVICE_CONTROL, 0x2040, 0x3); /* the status bytes are not enabled */
    EXPECT_EQ(PCIE_STATUS_NONFATAL, status());
}

} // namespace
