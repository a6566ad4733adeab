#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "hosts/driver/descriptor.h"
#include "hosts/driver/notify.h"

namespace
{

/** Writes into the ring as the hub does. */
struct Writer {
    std::vector<uint64_t> memory = std::vector<uint64_t>(8);
    struct notify_ring ring = { memory.data(), 3, 0 };
    uint64_t head = 0;

    void write(uint64_t value)
    {
        uint64_t lap = (head / 8 + 1) & 1;
        memory[head % 8] = (value & ~NOTIFY_LAP) | lap << 63;
        head++;
    }
};

TEST(NotifyRing, AnEntryIsTakenOnceOverManyRounds)
{
    Writer w;
    uint64_t entry = 0;

    EXPECT_FALSE(notify_ring_take(&w.ring, &entry)) << "zeroed memory is empty";
    for (unsigned i = 0; i < 100; i++) {
        unsigned n = i % 8 + 1; /* up to a full ring */
        for (unsigned k = 0; k < n; k++)
            w.write(notify_key(1, 2, i * 8 + k));
        for (unsigned k = 0; k < n; k++) {
            ASSERT_TRUE(notify_ring_take(&w.ring, &entry));
            EXPECT_EQ(notify_key(1, 2, i * 8 + k), entry & NOTIFY_KEY);
        }
        ASSERT_FALSE(notify_ring_take(&w.ring, &entry));
        EXPECT_TRUE(&w.memory[w.head % 8] == notify_ring_next(&w.ring));
    }
}

TEST(NotifyCounts, CountsByNodeSlotAndTag)
{
    struct notify_counts nc = {};
    uint8_t flush = 0;

    for (unsigned source = 0; source < 16; source++)
        for (unsigned slot = 0; slot < 25; slot++)
            for (uint32_t tag : { 0u, 1u, 0x100u, 0xffffffffu })
                for (unsigned n = 0; n <= (source + slot) % 3; n++)
                    ASSERT_TRUE(notify_count_add(&nc, notify_key(source, slot, tag)));
    for (unsigned source = 0; source < 16; source++) {
        for (unsigned slot = 0; slot < 25; slot++) {
            for (uint32_t tag : { 0u, 1u, 0x100u, 0xffffffffu }) {
                uint64_t key = notify_key(source, slot, tag);
                for (unsigned n = 0; n <= (source + slot) % 3; n++)
                    EXPECT_TRUE(notify_count_take(&nc, key, &flush));
                EXPECT_FALSE(notify_count_take(&nc, key, &flush));
            }
        }
    }
    EXPECT_FALSE(notify_count_take(&nc, notify_key(16, 0, 0), &flush));
    notify_counts_clear(&nc);
    EXPECT_FALSE(notify_count_take(&nc, notify_key(0, 0, 0), &flush));
}

TEST(NotifyCounts, TheLeastIsThatOfThoseFromASourceNotTaken)
{
    struct notify_counts nc = {};
    uint64_t least = 0;
    uint8_t flush = 0;

    EXPECT_FALSE(notify_count_least(&nc, 1, &least));
    notify_count_add(&nc, notify_key(0, 1, 7));
    EXPECT_FALSE(notify_count_least(&nc, 1, &least));
    for (unsigned slot : { 9u, 2u, 5u })
        notify_count_add(&nc, notify_key(1, slot, 7));
    EXPECT_TRUE(notify_count_least(&nc, 1, &least));
    EXPECT_EQ(notify_key(1, 2, 7), least);
    for (unsigned slot : { 2u, 5u, 9u })
        EXPECT_TRUE(notify_count_take(&nc, notify_key(1, slot, 7), &flush));
    EXPECT_FALSE(notify_count_least(&nc, 1, &least));
    notify_counts_clear(&nc);
}

TEST(NotifyCounts, ThoseAlikeHaveTheSlotAndTagFromWhicheverSource)
{
    struct notify_counts nc = {};
    uint64_t alike = 0;
    uint8_t flush = 0;

    for (uint64_t key : { notify_key(1, 5, 8), notify_key(1, 6, 7) })
        notify_count_add(&nc, key);
    EXPECT_FALSE(notify_count_alike(&nc, 5, 7, &alike));
    for (unsigned source : { 200u, 3u, 4u })
        notify_count_add(&nc, notify_key(source, 5, 7));
    EXPECT_TRUE(notify_count_alike(&nc, 5, 7, &alike));
    EXPECT_EQ(notify_key(3, 5, 7), alike);
    for (unsigned source : { 3u, 4u })
        EXPECT_TRUE(notify_count_take(&nc, notify_key(source, 5, 7), &flush));
    EXPECT_TRUE(notify_count_alike(&nc, 5, 7, &alike));
    EXPECT_EQ(notify_key(200, 5, 7), alike);
    notify_counts_clear(&nc);
}

TEST(NotifyCounts, OneFlushServesAllThatCameBefore)
{
    struct notify_counts nc = {};
    uint64_t key = notify_key(3, 1, 7);
    uint8_t flush = 0;

    notify_count_add(&nc, key | NOTIFY_FLUSH | (uint64_t)1 << NOTIFY_GPU_SHIFT);
    notify_count_add(&nc, key | NOTIFY_FLUSH);
    notify_count_add(&nc, key);
    EXPECT_TRUE(notify_count_take(&nc, key, &flush));
    EXPECT_EQ(3u, flush);
    EXPECT_TRUE(notify_count_take(&nc, key, &flush));
    EXPECT_EQ(0u, flush);
    notify_counts_clear(&nc);
}

/* Against bytes written out from regs/hub_regs.h by hand. */
TEST(Descriptor, DataAndStatusAsBytes)
{
    uint8_t b[HUB_DESC_BYTES];
    struct descriptor data = { 0x123456789abc, 0x8f00deadbee0, 0x1000,     0x40,
                               0x10,           0x20,           0x80000005, HUB_DESC_PIPELINE };
    const uint8_t data_bytes[] = { 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12, 0x00, 0x8f, 0xe0, 0xbe, 0xad,
                                   0xde, 0x00, 0x10, 0x00, 0x00, 0x05, 0x00, 0x00, 0x80, 0x40, 0x00,
                                   0x00, 0x40, 0x10, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00 };
    struct descriptor status = { 0x1122334455667788, 0x8f00deadbee0, 0, 0, 0, 0,
                                 HUB_DESC_END,       HUB_DESC_STATUS };
    const uint8_t status_bytes[] = { 0x88, 0x77, 0x66, 0x55, 0x00, 0x00, 0x00, 0x8f,
                                     0xe0, 0xbe, 0xad, 0xde, 0x44, 0x33, 0x22, 0x11,
                                     0xff, 0xff, 0xff, 0x7f, 0x00, 0x00, 0x00, 0x80,
                                     0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00 };

    descriptor_encode(&data, b);
    EXPECT_EQ(0, memcmp(b, data_bytes, sizeof(b)));
    descriptor_encode(&status, b);
    EXPECT_EQ(0, memcmp(b, status_bytes, sizeof(b)));
}

} // namespace
