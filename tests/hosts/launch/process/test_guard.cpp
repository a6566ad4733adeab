#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "hosts/launch/process/guard.h"

namespace
{

const struct program_calls HERE = {};

struct Guard {
    struct heap *heap = heap_create(3);
    struct guard *guard;
    std::vector<guard_mistake> found;

    explicit Guard(size_t most)
    {
        guard = guard_create(
            heap, most,
            [](void *arg, const guard_mistake *m) {
                static_cast<Guard *>(arg)->found.push_back(*m);
            },
            this);
    }
    ~Guard()
    {
        guard_destroy(guard);
        heap_destroy(heap);
    }
    uint8_t *alloc(size_t bytes, size_t align = 16)
    {
        bool zeroed;
        return static_cast<uint8_t *>(guard_alloc(guard, bytes, align, &HERE, &zeroed));
    }
    void free(void *p) { guard_free(guard, p, &HERE); }
    uint64_t address(const void *p) { return guard_address(guard, p); }
};

/* Some in pages, some in zones. What devices take for its address is what the heap alone gives. */
TEST(Guard, RandomUseKeepsContentsAlignmentAndAddresses)
{
    Guard g(100);
    struct heap *plain = heap_create(3);
    std::mt19937_64 random(7);
    struct Live {
        size_t n;
        uint8_t value;
        uint8_t *plain;
    };
    std::map<uint8_t *, Live> live;
    uint64_t base = 0;

    for (int i = 0; i < 20000; i++) {
        if (live.size() > 200 || (!live.empty() && random() % 3 == 0)) {
            auto it = live.begin();
            std::advance(it, random() % live.size());
            size_t n = it->second.n;
            ASSERT_EQ(n, guard_size(g.guard, it->first));
            for (size_t k = 0; k < n; k += n / 3 + 1) {
                ASSERT_EQ(it->second.value, it->first[k]);
            }
            heap_free(plain, it->second.plain);
            g.free(it->first);
            live.erase(it);
            continue;
        }
        size_t n = random() % (random() % 10 == 0 ? 300000 : 3000);
        size_t align = (size_t)16 << random() % 11;
        bool zeroed = false;
        auto *p = static_cast<uint8_t *>(guard_alloc(g.guard, n, align, &HERE, &zeroed));
        auto *twin = static_cast<uint8_t *>(heap_alloc(plain, n, align, nullptr));
        ASSERT_NE(nullptr, p);
        ASSERT_EQ(0u, reinterpret_cast<uintptr_t>(p) % align);
        if (base == 0)
            base = g.address(p) - reinterpret_cast<uintptr_t>(twin);
        ASSERT_EQ(base + reinterpret_cast<uintptr_t>(twin), g.address(p));
        ASSERT_EQ(g.address(p) + n / 2, g.address(p + n / 2));
        EXPECT_TRUE(!zeroed || n == 0 || p[n / 2] == 0);
        memset(p, i & 0xff, n);
        live[p] = { n, (uint8_t)i, twin };
    }
    EXPECT_TRUE(guard_end(g.guard));
    EXPECT_EQ(0u, g.found.size());
    heap_destroy(plain);
}

/* The pages of a freed block are not those of the next one of its size. */
TEST(Guard, AFreedBlockStaysUnusedForAWhile)
{
    for (size_t most : { 100, 0 }) {
        Guard g(most);
        uint8_t *first = g.alloc(1000), *second;
        uint64_t address = g.address(first);

        g.free(first);
        second = g.alloc(1000);
        EXPECT_NE(first, second);
        EXPECT_EQ(address, g.address(second));
        g.free(first);
        ASSERT_EQ(1u, g.found.size());
        EXPECT_TRUE(g.found[0].freed);
        EXPECT_EQ(GUARD_FREE, g.found[0].kind);
        EXPECT_FALSE(guard_realloc(g.guard, first, 5, &HERE));
        EXPECT_EQ(2u, g.found.size());
    }
}

TEST(Guard, ExplainsAddressesThatTrap)
{
    Guard g(100);
    uint8_t *p = g.alloc(100);
    guard_mistake m;

    EXPECT_FALSE(guard_explain(g.guard, &m, &m));
    ASSERT_TRUE(guard_explain(g.guard, p + 4000, &m));
    EXPECT_EQ(4000, m.offset);
    EXPECT_EQ(100u, m.bytes);
    EXPECT_FALSE(m.freed);
    guard_admit(g.guard, p + 4000);
    p[4000] = 1; /* as a device may have to */
    g.free(p);
    ASSERT_TRUE(guard_explain(g.guard, p, &m));
    EXPECT_TRUE(m.freed);
    EXPECT_EQ(0u, g.found.size());
}

/* What has admitted accesses traps again, and is zero, for the next block. */
TEST(Guard, PagesAreNewForANewBlock)
{
    Guard g(1);
    uint8_t *first = g.alloc(5000), *again = nullptr;
    bool zeroed = false;

    g.free(first);
    guard_admit(g.guard, first);
    first[0] = 1;
    for (int i = 0; i < 20000 && again != first; i++) {
        again = static_cast<uint8_t *>(guard_alloc(g.guard, 5000, 16, &HERE, &zeroed));
        EXPECT_EQ(0, again[0]);
        if (again != first)
            g.free(again);
    }
    EXPECT_EQ(first, again);
    EXPECT_TRUE(zeroed);
}

TEST(Guard, AFullHeapIsFullWithIt)
{
    Guard g(10);
    uint8_t *half = g.alloc(HEAP_BYTES / 2);

    EXPECT_NE(nullptr, half);
    EXPECT_EQ(nullptr, g.alloc(HEAP_BYTES / 2));
    EXPECT_EQ(nullptr, g.alloc(SIZE_MAX));
    g.free(half);
    EXPECT_NE(nullptr, g.alloc(HEAP_BYTES / 2));
    EXPECT_EQ(0u, g.found.size());
}

} // namespace
