/* DLLPs written out by hand from PCI Express Base 3.0, 3.4.1 and 3.5.1, and properties of the
 * codec.
 */
#include "pcie/tlp/dllp.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace
{

using Bytes = std::vector<uint8_t>;

Bytes encode(const pcie_dllp &d)
{
    Bytes b(PCIE_DLLP_BYTES);

    pcie_dllp_encode(&d, b.data());
    return b;
}

bool same(const pcie_dllp &a, const pcie_dllp &b)
{
    return a.type == b.type && a.cls == b.cls && a.vc == b.vc && a.hdr == b.hdr &&
           a.data == b.data && a.seq == b.seq && a.vendor == b.vendor;
}

/* The circuit of figure 3-12: a register that is fed at its top, each byte bit 0 first. Its content
 * is complemented and put into the field by the table of 3.5.1 (bit 0 to 7, ... 7 to 0, ...). */
uint16_t crc_by_circuit(const uint8_t *bytes)
{
    unsigned reg = 0xffff, field = 0;

    for (unsigned i = 0; i < 32; i++) {
        const unsigned in = (bytes[i / 8] >> (i % 8) & 1) ^ (reg >> 15);
        reg = (reg << 1 & 0xffff) ^ (in != 0 ? 0x100b : 0);
    }
    reg = ~reg & 0xffff;
    for (unsigned i = 0; i < 16; i++)
        field |= (reg >> i & 1) << (i < 8 ? 7 - i : 23 - i);
    return static_cast<uint16_t>(field >> 8 | field << 8); /* byte 4 holds bits 15 to 8 */
}

void expect_golden(const pcie_dllp &dllp, const Bytes &bytes)
{
    pcie_dllp back = {};

    EXPECT_EQ(bytes, encode(dllp));
    ASSERT_EQ(PCIE_DLLP_GOOD, pcie_dllp_decode(bytes.data(), &back));
    EXPECT_TRUE(same(dllp, back));
}

pcie_dllp credits(uint8_t type, uint8_t cls, uint8_t vc, uint8_t hdr, uint16_t data)
{
    pcie_dllp d = {};

    d.type = type, d.cls = cls, d.vc = vc, d.hdr = hdr, d.data = data;
    return d;
}

TEST(DllpGolden, AckAndNak)
{
    pcie_dllp d = {};

    expect_golden(d, { 0x00, 0x00, 0x00, 0x00, 0xb3, 0x62 });
    d.seq = 0xabc;
    expect_golden(d, { 0x00, 0x00, 0x0a, 0xbc, 0x90, 0xad });
    d.type = PCIE_DLLP_NAK, d.seq = 0x7ff;
    expect_golden(d, { 0x10, 0x00, 0x07, 0xff, 0x1b, 0x12 });
}

TEST(DllpGolden, FlowControl)
{
    /* HdrFC lies in bits 5..0 of byte 1 and 7..6 of byte 2, DataFC in bits 3..0 of byte 2 and in
     * byte 3. */
    expect_golden(credits(PCIE_DLLP_INITFC1, PCIE_POSTED, 0, 64, 512),
                  { 0x40, 0x10, 0x02, 0x00, 0x84, 0x0d });
    expect_golden(credits(PCIE_DLLP_UPDATEFC, PCIE_NONPOSTED, 3, 0xff, 0xfff),
                  { 0x93, 0x3f, 0xcf, 0xff, 0x09, 0x74 });
    expect_golden(credits(PCIE_DLLP_INITFC2, PCIE_COMPLETION, 0, 0, 0),
                  { 0xe0, 0x00, 0x00, 0x00, 0xa2, 0xed });
}

TEST(DllpGolden, PowerManagementAndVendor)
{
    pcie_dllp d = {};

    d.type = PCIE_DLLP_PM_REQUEST_ACK;
    expect_golden(d, { 0x24, 0x00, 0x00, 0x00, 0x93, 0x0c });
    d.type = PCIE_DLLP_VENDOR, d.vendor = 0x123456;
    expect_golden(d, { 0x30, 0x12, 0x34, 0x56, 0x60, 0x21 });
}

TEST(Dllp, CrcIsThatOfTheSpecificationsCircuit)
{
    std::mt19937 random(1);

    for (int i = 0; i < 10000; i++) {
        uint8_t b[4];
        const uint32_t v = static_cast<uint32_t>(random());

        std::memcpy(b, &v, sizeof(b));
        ASSERT_EQ(crc_by_circuit(b), pcie_dllp_crc(b));
    }
}

TEST(Dllp, EachTypeClassAndChannelComesBack)
{
    for (const uint8_t type : { PCIE_DLLP_INITFC1, PCIE_DLLP_INITFC2, PCIE_DLLP_UPDATEFC })
        for (uint8_t cls = 0; cls <= PCIE_COMPLETION; cls++)
            for (uint8_t vc = 0; vc < PCIE_DLLP_VCS; vc++) {
                const pcie_dllp d = credits(type, cls, vc, 0xa5, 0x5a5);
                expect_golden(d, encode(d));
            }
    for (const uint8_t type : { PCIE_DLLP_PM_ENTER_L1, PCIE_DLLP_PM_ENTER_L23,
                                PCIE_DLLP_PM_ACTIVE_STATE_REQUEST_L1, PCIE_DLLP_PM_REQUEST_ACK }) {
        pcie_dllp d = {};
        d.type = type;
        expect_golden(d, encode(d));
    }
}

TEST(Dllp, EachChangeOfOneOrTwoBitsIsFound)
{
    const Bytes good = encode(credits(PCIE_DLLP_UPDATEFC, PCIE_POSTED, 0, 12, 345));

    for (unsigned i = 0; i < 48; i++)
        for (unsigned j = i; j < 48; j++) {
            Bytes bad = good;
            pcie_dllp d;

            bad[i / 8] ^= static_cast<uint8_t>(1u << i % 8);
            if (j != i)
                bad[j / 8] ^= static_cast<uint8_t>(1u << j % 8);
            EXPECT_EQ(PCIE_DLLP_BAD_CRC, pcie_dllp_decode(bad.data(), &d)) << i << " " << j;
        }
}

TEST(Dllp, OtherTypesAreUnknownAndReservedBitsIgnored)
{
    unsigned good = 0;

    for (unsigned type = 0; type < 256; type++) {
        uint8_t b[PCIE_DLLP_BYTES] = { static_cast<uint8_t>(type), 0, 0, 0 };
        const uint16_t crc = pcie_dllp_crc(b);
        pcie_dllp d;

        b[4] = crc & 0xff, b[5] = static_cast<uint8_t>(crc >> 8);
        good += pcie_dllp_decode(b, &d) == PCIE_DLLP_GOOD;
    }
    EXPECT_EQ(3u * 3 * 8 + 7, good); /* flow control; the other seven */

    uint8_t b[PCIE_DLLP_BYTES] = { PCIE_DLLP_ACK, 0xff, 0xf1, 0x23 };
    const uint16_t crc = pcie_dllp_crc(b);
    pcie_dllp d;

    b[4] = crc & 0xff, b[5] = static_cast<uint8_t>(crc >> 8);
    ASSERT_EQ(PCIE_DLLP_GOOD, pcie_dllp_decode(b, &d));
    EXPECT_EQ(0x123, d.seq);
}

} // namespace
