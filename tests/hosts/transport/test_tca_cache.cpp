/* Which descriptors are kept, against a model that looks at all of them at each use. */
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "hosts/transport/tca/cache.h"

namespace
{

struct Model {
    struct Kept {
        tct_pattern pattern;
        uint64_t uses, last;
        bool internal;
    };
    tct_policy policy;
    bool promotes;
    uint64_t promote_uses;
    size_t host_room, internal_room;
    std::vector<Kept> kept = {};
    uint64_t time = 0;

    size_t number(bool internal) const
    {
        size_t n = 0;

        for (const Kept &k : kept)
            n += k.internal == internal;
        return n;
    }
    /** By the words of the policy. */
    bool goes_first(const Kept &a, const Kept &b) const
    {
        if (policy == TCT_LFU && a.uses != b.uses)
            return a.uses < b.uses;
        return a.last < b.last;
    }
    /** @return whether there is room in this memory now */
    bool make_room(bool internal)
    {
        size_t victim = kept.size();

        if (number(internal) < (internal ? internal_room : host_room))
            return true;
        if (policy == TCT_FIRST)
            return false;
        for (size_t i = 0; i < kept.size(); i++)
            if (kept[i].internal == internal &&
                (victim == kept.size() || goes_first(kept[i], kept[victim])))
                victim = i;
        if (victim == kept.size())
            return false;
        kept.erase(kept.begin() + (std::ptrdiff_t)victim);
        return true;
    }
    Kept *find(const tct_pattern &p)
    {
        for (Kept &k : kept)
            if (memcmp(&k.pattern, &p, sizeof(p)) == 0)
                return &k;
        return nullptr;
    }
    /** What has to be made: 0 nothing, 1 in host memory, 2 in the hub's; and whether it is kept. */
    int use(const tct_pattern &p, bool may_move, bool *kept_p, bool *internal_p)
    {
        int made = 0;

        time++;
        if (find(p) == nullptr) {
            made = 1;
            if (make_room(false))
                kept.push_back({ p, 0, 0, false });
        } else if (may_move && promotes && !find(p)->internal && find(p)->uses >= promote_uses &&
                   make_room(true)) {
            find(p)->internal = true;
            made = 2;
        }
        Kept *k = find(p);
        *kept_p = k != nullptr;
        *internal_p = k != nullptr && k->internal;
        if (k != nullptr) {
            k->uses++;
            k->last = time;
        }
        return made;
    }
};

class TcaCache : public testing::TestWithParam<tct_policy>
{
};

/** Some patterns come often, others seldom. */
tct_pattern draw(std::minstd_rand &random)
{
    uint32_t n = random() % 4 == 0 ? random() % 400 : random() % 40;
    tct_pattern p = {};

    p.src = 0x1000 * (n % 7);
    p.dst = 64 * n;
    p.bytes = 8;
    return p;
}

TEST_P(TcaCache, AgreesWithItsModel)
{
    for (uint32_t seed = 1; seed <= 4; seed++) {
        std::minstd_rand random(seed);
        uint32_t host_room = 1 + random() % 60, internal_room = seed == 1 ? 0 : random() % 50;
        uint32_t uses = 1 + random() % 4;
        bool promotes = seed != 2;
        Model model{ GetParam(), promotes, uses, host_room, internal_room };
        tct_cache cache;

        ASSERT_TRUE(tct_cache_init(&cache, GetParam(), promotes, uses, host_room, internal_room));
        for (uint32_t i = 0; i < internal_room; i++)
            tct_cache_add_internal(&cache);
        for (unsigned i = 0; i < 100000; i++) {
            tct_pattern p = draw(random);
            bool may_move = p.dst % 3 != 0, kept, internal;
            int made = model.use(p, may_move, &kept, &internal);
            tct_use use = tct_cache_use(&cache, &p, may_move);

            ASSERT_EQ(made != 0, use.made) << "use " << i << " of seed " << seed;
            ASSERT_EQ(internal, use.internal) << "use " << i << " of seed " << seed;
            ASSERT_EQ(kept, internal || use.slot < host_room) << "use " << i << " of seed " << seed;
        }
        tct_cache_fini(&cache);
    }
}

/* Two patterns that are kept never share a slot. */
TEST_P(TcaCache, GivesEachPatternASlotOfItsOwn)
{
    constexpr uint32_t host_room = 8, internal_room = 4;
    std::vector<tct_pattern> of[2] = { std::vector<tct_pattern>(host_room + 1),
                                       std::vector<tct_pattern>(internal_room) };
    std::minstd_rand random(5);
    tct_cache cache;

    ASSERT_TRUE(tct_cache_init(&cache, GetParam(), true, 2, host_room, internal_room));
    for (uint32_t i = 0; i < internal_room; i++)
        tct_cache_add_internal(&cache);
    for (unsigned i = 0; i < 10000; i++) {
        tct_pattern p = draw(random);
        tct_use use = tct_cache_use(&cache, &p, true);

        if (use.made)
            of[use.internal].at(use.slot) = p;
        ASSERT_EQ(0, memcmp(&of[use.internal].at(use.slot), &p, sizeof(p))) << i;
    }
    tct_cache_fini(&cache);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, TcaCache, testing::Values(TCT_LRU, TCT_LFU, TCT_FIRST), [](const auto &info) {
        return std::string(info.param == TCT_LRU ? "lru" : info.param == TCT_LFU ? "lfu" : "first");
    });

} // namespace
