/* Headers written out by hand from PCI Express Base 3.0, chapter 2, and properties of the codec. */
#include "pcie/tlp/tlp.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <sstream>
#include <vector>

namespace
{

using Bytes = std::vector<uint8_t>;

Bytes encode(const pcie_tlp &tlp)
{
    uint8_t h[PCIE_MAX_HEADER];
    uint32_t n = pcie_tlp_encode(&tlp, h);

    EXPECT_EQ(n, pcie_tlp_header_bytes(&tlp));
    return Bytes(h, h + n);
}

/** "" or the reason why the header is refused. */
std::string decode(const Bytes &b, pcie_tlp *tlp, bool *has_data)
{
    sim_error err = {};
    int n = pcie_tlp_decode(b.data(), b.size(), tlp, has_data, &err);

    EXPECT_EQ(n < 0, err.code != 0);
    return n < 0 ? err.text : "";
}

std::string refused(const Bytes &b)
{
    pcie_tlp tlp;
    bool data;

    return decode(b, &tlp, &data);
}

/** All that the header carries, as text: failures show the field. */
std::string fields(const pcie_tlp &t)
{
    std::ostringstream s;

    s << std::hex << "kind " << +t.kind << " tc " << +t.tc << " attr " << +t.attr << " ep "
      << +t.poisoned << " tag " << +t.tag << " be " << +t.first_be << "," << +t.last_be << " msg "
      << +t.msg_code << "," << +t.msg_routing << " status " << +t.status << " length "
      << t.length_dw << " ids " << t.requester_id << "," << t.completer_id << " count "
      << t.byte_count << " lower " << +t.lower_addr << " addr " << t.addr;
    return s.str();
}

void expect_golden(const pcie_tlp &tlp, const Bytes &bytes, bool data)
{
    pcie_tlp back;
    bool has_data = !data;

    EXPECT_EQ(bytes, encode(tlp));
    EXPECT_EQ("", decode(bytes, &back, &has_data));
    EXPECT_EQ(data, has_data);
    EXPECT_EQ(fields(tlp), fields(back));
}

TEST(TlpGolden, MemoryWrite32)
{
    pcie_tlp t = {};

    /* 8 bytes at 0xf7d0_0010, bytes 1 to 6 enabled; requester 02:00.1, tag 0x1c. */
    t.kind = PCIE_MWR, t.requester_id = 0x0201, t.tag = 0x1c;
    t.addr = 0xf7d00010, t.length_dw = 2, t.first_be = 0xe, t.last_be = 0x7;
    expect_golden(t, { 0x40, 0x00, 0x00, 0x02, 0x02, 0x01, 0x1c, 0x7e, 0xf7, 0xd0, 0x00, 0x10 },
                  true);
}

TEST(TlpGolden, MemoryWrite64WithClassAttributesAndPoison)
{
    pcie_tlp t = {};

    /* 256 bytes; TC 5, IDO, RO and NS set, poisoned. */
    t.kind = PCIE_MWR, t.tc = 5, t.attr = 7, t.poisoned = 1, t.requester_id = 0xab12;
    t.addr = 0x0000380012345600, t.length_dw = 64, t.first_be = 0xf, t.last_be = 0xf;
    expect_golden(t,
                  { 0x60, 0x54, 0x70, 0x40, 0xab, 0x12, 0x00, 0xff, 0x00, 0x00, 0x38, 0x00, 0x12,
                    0x34, 0x56, 0x00 },
                  true);
}

TEST(TlpGolden, MemoryReadOf4096BytesHasLengthZero)
{
    pcie_tlp t = {};

    t.kind = PCIE_MRD, t.requester_id = 0x0300, t.tag = 0xff;
    t.addr = 0x80000000, t.length_dw = 1024, t.first_be = 0xf, t.last_be = 0xf;
    expect_golden(t, { 0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0xff, 0xff, 0x80, 0x00, 0x00, 0x00 },
                  false);
    t.addr = 0x7f80000000;
    expect_golden(t,
                  { 0x20, 0x00, 0x00, 0x00, 0x03, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x7f, 0x80,
                    0x00, 0x00, 0x00 },
                  false);
}

TEST(TlpGolden, Completions)
{
    pcie_tlp t = {};

    /* 64 bytes with 192 left, first byte at ...44; completer 00:00.0, requester 03:00.0. */
    t.kind = PCIE_CPLD, t.requester_id = 0x0300, t.tag = 0x21, t.length_dw = 16;
    t.byte_count = 192, t.lower_addr = 0x44;
    expect_golden(t, { 0x4a, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0xc0, 0x03, 0x00, 0x21, 0x44 },
                  true);

    t = {};
    t.kind = PCIE_CPL, t.status = PCIE_CPL_UR, t.completer_id = 0x0500, t.requester_id = 0x0008;
    t.tag = 3, t.byte_count = 4;
    expect_golden(t, { 0x0a, 0x00, 0x00, 0x00, 0x05, 0x00, 0x20, 0x04, 0x00, 0x08, 0x03, 0x00 },
                  false);

    t.kind = PCIE_CPLD, t.status = PCIE_CPL_SC, t.length_dw = 32, t.byte_count = 4096;
    expect_golden(t, { 0x4a, 0x00, 0x00, 0x20, 0x05, 0x00, 0x00, 0x00, 0x00, 0x08, 0x03, 0x00 },
                  true);
}

TEST(TlpGolden, Configuration)
{
    pcie_tlp t = {};

    /* Write to 04:1f.3, extended register 0x384. */
    t.kind = PCIE_CFGWR0, t.requester_id = 0x0000, t.tag = 7, t.length_dw = 1, t.first_be = 0x3;
    t.completer_id = 0x04fb, t.addr = 0x384;
    expect_golden(t, { 0x44, 0x00, 0x00, 0x01, 0x00, 0x00, 0x07, 0x03, 0x04, 0xfb, 0x03, 0x84 },
                  true);
    t.kind = PCIE_CFGRD1, t.first_be = 0xf, t.addr = 0x10;
    expect_golden(t, { 0x05, 0x00, 0x00, 0x01, 0x00, 0x00, 0x07, 0x0f, 0x04, 0xfb, 0x00, 0x10 },
                  false);
}

TEST(TlpGolden, IoAndMessages)
{
    pcie_tlp t = {};

    t.kind = PCIE_IOWR, t.requester_id = 0x0010, t.length_dw = 1, t.first_be = 1, t.addr = 0xcf8;
    expect_golden(t, { 0x42, 0x00, 0x00, 0x01, 0x00, 0x10, 0x00, 0x01, 0x00, 0x00, 0x0c, 0xf8 },
                  true);

    t = {}; /* Assert_INTA, local */
    t.kind = PCIE_MSG, t.requester_id = 0x0100, t.msg_code = 0x20, t.msg_routing = 4;
    expect_golden(t,
                  { 0x34, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00,
                    0x00, 0x00, 0x00 },
                  false);
    t = {}; /* Set_Slot_Power_Limit, one DW of data */
    t.kind = PCIE_MSGD, t.msg_code = 0x50, t.msg_routing = 4, t.length_dw = 1;
    expect_golden(t,
                  { 0x74, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x50, 0x00, 0x00, 0x00, 0x00, 0x00,
                    0x00, 0x00, 0x00 },
                  true);
}

TEST(TlpDecode, RefusesMalformedHeaders)
{
    const Bytes good = { 0x40, 0x00, 0x00, 0x02, 0x02, 0x01, 0x1c, 0xff, 0xf7, 0xd0, 0x00, 0x10 };
    struct {
        size_t at;
        uint8_t value;
        const char *reason;
    } const cases[] = {
        { 0, 0x80, "unsupported Fmt" },     /* prefix */
        { 0, 0x41, "unsupported Fmt" },     /* no such type with data */
        { 0, 0x64, "unsupported Fmt" },     /* configuration with 4 DW */
        { 0, 0x60, "4 DW header" },         /* the buffer ends too early */
        { 2, 0x80, "digests" },             /* TD */
        { 2, 0x04, "address translation" }, /* AT */
        { 3, 0x01, "last byte enables" },
        { 7, 0xf0, "no byte enabled" },
        { 7, 0x0f, "no byte enabled" },
        { 3, 0x03, nullptr },
        { 0, 0x44, "one DW" },
        { 0, 0x42, "one DW" },
    };

    EXPECT_EQ("", refused(good));
    for (const auto &c : cases) {
        Bytes b = good;

        b[c.at] = c.value;
        if (c.reason == nullptr)
            EXPECT_EQ("", refused(b));
        else
            EXPECT_NE(std::string::npos, refused(b).find(c.reason)) << refused(b);
    }
    EXPECT_NE("", refused(Bytes(good.begin(), good.begin() + 11)));
}

TEST(TlpDecode, RefusesPageCrossingAndHolesInLongRequests)
{
    pcie_tlp t = {};

    t.kind = PCIE_MWR, t.addr = 0x1ff8, t.length_dw = 2, t.first_be = 0x5, t.last_be = 0xa;
    EXPECT_EQ("", refused(encode(t))); /* holes are allowed in an aligned quadword */
    t.addr = 0x1ff4;
    EXPECT_NE("", refused(encode(t)));
    t.first_be = t.last_be = 0xf;
    EXPECT_EQ("", refused(encode(t)));
    t.length_dw = 3;
    EXPECT_EQ("", refused(encode(t)));
    t.length_dw = 4;
    EXPECT_NE("", refused(encode(t)));
    t.addr = 0x1000, t.first_be = 0x7;
    EXPECT_NE("", refused(encode(t)));
}

TEST(TlpDecode, ReservedCompletionStatusIsUnsupportedRequest)
{
    Bytes b = { 0x0a, 0x00, 0x00, 0x00, 0x05, 0x00, 0xe0, 0x04, 0x00, 0x08, 0x03, 0x00 };
    pcie_tlp t;
    bool data;

    EXPECT_EQ("", decode(b, &t, &data));
    EXPECT_EQ(PCIE_CPL_UR, t.status);
}

TEST(TlpCodec, RandomValuesSurviveARoundTrip)
{
    std::mt19937_64 rng(1);
    auto below = [&](uint64_t n) { return rng() % n; };

    for (int i = 0; i < 20000; i++) {
        pcie_tlp t = {}, back;
        bool data;

        t.kind = (uint8_t)below(PCIE_KINDS);
        t.poisoned = (uint8_t)below(2), t.tag = (uint8_t)rng(), t.requester_id = (uint16_t)rng();
        bool memory = t.kind == PCIE_MRD || t.kind == PCIE_MWR;
        bool cpl = t.kind == PCIE_CPL || t.kind == PCIE_CPLD;
        bool msg = t.kind == PCIE_MSG || t.kind == PCIE_MSGD;
        if (memory || cpl || msg)
            t.tc = (uint8_t)below(8), t.attr = (uint8_t)below(8);
        if (memory) {
            uint64_t addr = below(2) ? rng() : rng() & 0xffffffff;
            pcie_tlp_set_range(&t, addr, pcie_split(addr, 1 + below(4096), 4096));
        } else if (cpl) {
            t.completer_id = (uint16_t)rng(), t.byte_count = (uint16_t)(1 + below(4096));
            t.lower_addr = (uint8_t)below(128);
            t.status = (uint8_t)(below(2) ? PCIE_CPL_SC : PCIE_CPL_CA);
        } else if (msg) {
            t.msg_code = (uint8_t)rng(), t.msg_routing = (uint8_t)below(8), t.addr = rng();
        } else {
            t.length_dw = 1, t.first_be = (uint8_t)below(16);
            bool io = t.kind == PCIE_IORD || t.kind == PCIE_IOWR;
            t.addr = rng() & (io ? 0xfffffffc : 0xffc);
            t.completer_id = io ? 0 : (uint16_t)rng();
        }
        if (t.kind == PCIE_CPLD || t.kind == PCIE_MSGD)
            t.length_dw = (uint16_t)(1 + below(1024));
        ASSERT_EQ("", decode(encode(t), &back, &data)) << "kind " << (int)t.kind;
        EXPECT_EQ(fields(t), fields(back));
    }
}

TEST(TlpRange, EnablesCoverExactlyTheBytesAskedFor)
{
    for (uint64_t addr = 0x1000; addr < 0x1010; addr++) {
        for (uint32_t bytes = 1; bytes < 20; bytes++) {
            pcie_tlp t = {};
            std::vector<uint64_t> enabled;
            uint64_t first;

            pcie_tlp_set_range(&t, addr, bytes);
            for (uint32_t i = 0; i < t.length_dw * 4u; i++) {
                unsigned be = i < 4 ? t.first_be : i / 4 == t.length_dw - 1u ? t.last_be : 0xf;
                if ((be >> i % 4 & 1) != 0)
                    enabled.push_back(t.addr + i);
            }
            ASSERT_EQ(bytes, enabled.size());
            EXPECT_EQ(addr, enabled.front());
            EXPECT_EQ(addr + bytes - 1, enabled.back());
            EXPECT_EQ(t.length_dw == 1, t.last_be == 0);
            EXPECT_EQ(bytes, pcie_tlp_range(&t, &first));
            EXPECT_EQ(addr, first);
        }
    }
}

TEST(TlpRange, AZeroLengthRequestEnablesNothing)
{
    pcie_tlp t = {};
    uint64_t first;

    pcie_tlp_set_range(&t, 0x1003, 0);
    EXPECT_EQ(1, t.length_dw);
    EXPECT_EQ(0, t.first_be);
    EXPECT_EQ(0, t.last_be);
    EXPECT_EQ(0u, pcie_tlp_range(&t, &first));
}

TEST(TlpSplit, RequestsRespectTheLimitAndThePage)
{
    EXPECT_EQ(256u, pcie_split(0x1000, 4096, 256));
    EXPECT_EQ(16u, pcie_split(0x1ff0, 4096, 256));
    EXPECT_EQ(4096u, pcie_split(0x2000, 1 << 20, 4096));
    EXPECT_EQ(3u, pcie_split(0x2ffd, 3, 4096));
    EXPECT_EQ(1u, pcie_split(0x2fff, 4096, 128));
}

TEST(TlpSplit, CompletionsEndAtNaturalBoundaries)
{
    /* 2.3.1.1: 256 bytes from 0x1010 in pieces of 64: 48, 64, 64, 64, 16. */
    std::vector<uint32_t> sizes;

    for (uint64_t a = 0x1010, left = 256; left > 0;) {
        uint32_t n = pcie_split_completion(a, left, 64);

        sizes.push_back(n), a += n, left -= n;
    }
    EXPECT_EQ((std::vector<uint32_t>{ 48, 64, 64, 64, 16 }), sizes);
}

TEST(TlpClass, EachKindHasTheClassOfTheSpecification)
{
    const int want[PCIE_KINDS] = { 1, 0, 1, 1, 1, 1, 0, 0, 2, 2, 1, 1 };

    for (int k = 0; k < PCIE_KINDS; k++) {
        pcie_tlp t = {};
        t.kind = (uint8_t)k;
        EXPECT_EQ(want[k], (int)pcie_tlp_class(&t)) << k;
    }
}

TEST(TlpHash, CountsEnabledBytesAndNothingElse)
{
    mem_pool *pool = mem_pool_create();
    pcie_tlp t = {};

    t.kind = PCIE_MWR, t.payload = mem_payload_alloc(pool, 16);
    memset(t.payload->data, 0, 16);
    pcie_tlp_set_range(&t, 0x1001, 14);
    uint64_t h = pcie_tlp_hash(&t);
    t.payload->data[0] = t.payload->data[15] = 0xee;
    EXPECT_EQ(h, pcie_tlp_hash(&t));
    t.trace_id = 99;
    EXPECT_EQ(h, pcie_tlp_hash(&t));
    t.payload->data[1] = 1;
    EXPECT_NE(h, pcie_tlp_hash(&t));
    t.payload->data[1] = 0, t.tag = 1;
    EXPECT_NE(h, pcie_tlp_hash(&t));

    t.tag = 0, t.length_dw = 2, t.first_be = 0x9, t.last_be = 0x9, t.addr = 0x1000;
    h = pcie_tlp_hash(&t);
    t.payload->data[1] = t.payload->data[2] = t.payload->data[5] = 0x77;
    EXPECT_EQ(h, pcie_tlp_hash(&t));
    t.payload->data[7] = 0x78;
    EXPECT_NE(h, pcie_tlp_hash(&t));
    pcie_tlp_drop(&t);
    EXPECT_EQ(0u, mem_pool_in_use(pool));
    mem_pool_destroy(pool);
}

} // namespace
