#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <random>

#include "hosts/launch/process/heap.h"

namespace
{

TEST(Heap, AddressesRepeatForARank)
{
    void *first = nullptr;
    for (int i = 0; i < 2; i++) {
        struct heap *h = heap_create(5);
        ASSERT_NE(nullptr, h);
        heap_alloc(h, 100, 16, nullptr);
        void *p = heap_alloc(h, 1 << 21, 4096, nullptr);
        EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(p) % 4096);
        EXPECT_TRUE(heap_holds(h, p));
        EXPECT_FALSE(heap_holds(h, &first));
        if (i == 0)
            first = p;
        EXPECT_EQ(first, p);
        heap_destroy(h);
    }
}

TEST(Heap, RandomUseKeepsContentsAndAlignment)
{
    struct heap *h = heap_create(0);
    std::mt19937_64 random(7);
    std::map<uint8_t *, std::pair<size_t, uint8_t>> live;

    for (int i = 0; i < 20000; i++) {
        if (live.size() > 200 || (!live.empty() && random() % 3 == 0)) {
            auto it = live.begin();
            std::advance(it, random() % live.size());
            size_t n = it->second.first;
            ASSERT_EQ(n, heap_size(it->first));
            for (size_t k = 0; k < n; k += n / 3 + 1) {
                ASSERT_EQ(it->second.second, it->first[k]);
            }
            heap_free(h, it->first);
            live.erase(it);
            continue;
        }
        size_t n = random() % (random() % 10 == 0 ? 3000000 : 3000);
        size_t align = (size_t)16 << random() % 9;
        bool zeroed = false;
        auto *p = static_cast<uint8_t *>(heap_alloc(h, n, align, &zeroed));
        ASSERT_NE(nullptr, p);
        ASSERT_EQ(0u, reinterpret_cast<uintptr_t>(p) % align);
        EXPECT_TRUE(!zeroed || n == 0 || p[n / 2] == 0);
        memset(p, i & 0xff, n);
        live[p] = { n, (uint8_t)i };
    }
    heap_destroy(h);
}

TEST(Heap, KnowsItsBlocksWhileTheyAreThere)
{
    struct heap *h = heap_create(0);
    auto *small = static_cast<char *>(heap_alloc(h, 100, 16, nullptr));
    auto *aligned = static_cast<char *>(heap_alloc(h, 100, 256, nullptr));

    memset(small, 0, 100);
    for (char *p : { small, aligned }) {
        EXPECT_TRUE(heap_has(h, p));
        EXPECT_FALSE(heap_has(h, p + 8));
        EXPECT_FALSE(heap_has(h, p - 16));
        heap_free(h, p);
        EXPECT_FALSE(heap_has(h, p));
    }
    EXPECT_FALSE(heap_has(h, small + 32));
    EXPECT_EQ(small, heap_alloc(h, 100, 16, nullptr));
    EXPECT_TRUE(heap_has(h, small));
    heap_destroy(h);
}

TEST(Heap, TooMuchIsRefused)
{
    struct heap *h = heap_create(0);
    EXPECT_EQ(nullptr, heap_alloc(h, HEAP_BYTES, 16, nullptr));
    EXPECT_EQ(nullptr, heap_alloc(h, SIZE_MAX, 16, nullptr));
    EXPECT_NE(nullptr, heap_alloc(h, HEAP_BYTES / 2, 16, nullptr));
    EXPECT_EQ(nullptr, heap_alloc(h, HEAP_BYTES / 2, 16, nullptr));
    heap_destroy(h);
    h = heap_create(0); /* little is lost by rounding, of whatever size the blocks are */
    for (size_t left = HEAP_BYTES / 100 * 94, n = 104'000'000; left > n; left -= n)
        ASSERT_NE(nullptr, heap_alloc(h, n, 16, nullptr)) << left;
    heap_destroy(h);
}

} // namespace
