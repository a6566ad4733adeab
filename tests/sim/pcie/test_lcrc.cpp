/* The link CRC against bytes written out, and against the shift register of the specification. */
#include "pcie/tlp/lcrc.h"

#include <gtest/gtest.h>

#include <vector>

namespace
{

using bytes = std::vector<uint8_t>;

/**
 * 3.5.3.1 to the letter: of each byte bit 0 enters first; register bits 31 to 24 become the first
 * byte sent, bit 31 its bit 0.
 */
bytes shift_register(const bytes &in)
{
    uint32_t reg = 0xffffffff;
    bytes out(4);

    for (uint8_t byte : in) {
        for (unsigned bit = 0; bit < 8; bit++) {
            const bool feedback = (reg >> 31) != ((byte >> bit & 1u) != 0 ? 1u : 0u);

            reg = reg << 1 ^ (feedback ? 0x04c11db7u : 0);
        }
    }
    reg = ~reg;
    for (unsigned i = 0; i < 32; i++)
        out[i / 8] |= (uint8_t)((reg >> (31 - i) & 1) << i % 8);
    return out;
}

const struct {
    const char *what;
    bytes covered, lcrc;
} golden[] = {
    { "the check value of CRC-32",
      { '1', '2', '3', '4', '5', '6', '7', '8', '9' },
      { 0x26, 0x39, 0xf4, 0xcb } },
    { "write of one DW at 10000000h, sequence number 0",
      { 0x00, 0x00, 0x40, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x0f, 0x10, 0x00, 0x00, 0x00, 0x01,
        0x02, 0x03, 0x04 },
      { 0x19, 0x3a, 0x89, 0xa0 } },
    { "read of 256 bytes at 200000100h, sequence number 4095",
      { 0x0f, 0xff, 0x20, 0x00, 0x00, 0x40, 0x01, 0x00, 0x05, 0xff, 0x00, 0x00, 0x00, 0x02, 0x00,
        0x00, 0x01, 0x00 },
      { 0xfc, 0x5e, 0x74, 0x74 } },
};

TEST(Lcrc, AgreesWithVectorsAndTheShiftRegister)
{
    for (const auto &g : golden) {
        const uint32_t crc = pcie_lcrc(g.covered.data(), g.covered.size());
        const bytes sent = { (uint8_t)crc, (uint8_t)(crc >> 8), (uint8_t)(crc >> 16),
                             (uint8_t)(crc >> 24) };

        EXPECT_EQ(g.lcrc, sent) << g.what;
        EXPECT_EQ(g.lcrc, shift_register(g.covered)) << g.what;
    }
}

TEST(Frame, IsTheBytesBetweenTheFramingSymbols)
{
    alignas(32) uint8_t store[sizeof(mem_payload) + 32] = {};
    mem_payload *payload = reinterpret_cast<mem_payload *>(store);
    pcie_tlp tlp = {}, back = {};
    uint8_t frame[PCIE_FRAME_MAX];
    const uint8_t *data = nullptr;
    uint16_t seq = 0;
    bytes want = golden[1].covered;

    tlp.kind = PCIE_MWR, tlp.addr = 0x10000000, tlp.length_dw = 1, tlp.first_be = 0xf;
    tlp.payload = payload, payload->bytes = 4;
    for (uint8_t i = 0; i < 4; i++)
        payload->data[i] = (uint8_t)(i + 1);
    want.insert(want.end(), golden[1].lcrc.begin(), golden[1].lcrc.end());
    const uint32_t n = pcie_frame_encode(&tlp, 0, frame);
    EXPECT_EQ(want, bytes(frame, frame + n));
    EXPECT_EQ(4, pcie_frame_decode(frame, n, &back, &seq, &data));
    EXPECT_EQ(0x10000000u, back.addr);
    EXPECT_EQ(4, data[3]);

    pcie_frame_encode(&tlp, 0xabc, frame);
    EXPECT_EQ(4, pcie_frame_decode(frame, n, &back, &seq, &data));
    EXPECT_EQ(0xabc, seq);
    EXPECT_GT(0, pcie_frame_decode(frame, n - 4, &back, &seq, &data)) << "data is missing";
    for (size_t few = 0; few < 22; few++)
        EXPECT_GT(0, pcie_frame_decode(frame, few, &back, &seq, &data));
}

} // namespace
