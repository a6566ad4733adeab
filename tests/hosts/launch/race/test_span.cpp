#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "hosts/launch/race/span.h"

namespace
{

std::vector<uint64_t> found(const race_spans &spans, uintptr_t low, uintptr_t high)
{
    std::vector<uint64_t> numbers;

    for (const race_span *s = race_spans_find(&spans, low, high); s != nullptr; s = s->next)
        numbers.push_back(s->number);
    return numbers;
}

unsigned depth(const race_span *s)
{
    return s == nullptr ? 0 : 1 + std::max(depth(s->left), depth(s->right));
}

TEST(Span, NeighboursDoNotOverlap)
{
    race_spans spans = {};
    race_span one, two;

    EXPECT_TRUE(found(spans, 0, UINTPTR_MAX).empty());
    race_spans_add(&spans, &one, 10, 20);
    race_spans_add(&spans, &two, 20, 21);
    EXPECT_TRUE(found(spans, 0, 10).empty());
    EXPECT_EQ((std::vector<uint64_t>{ 1 }), found(spans, 0, 11));
    EXPECT_EQ((std::vector<uint64_t>{ 1 }), found(spans, 19, 20));
    EXPECT_EQ((std::vector<uint64_t>{ 2 }), found(spans, 20, 30));
    EXPECT_TRUE(found(spans, 21, 30).empty());
}

/* Whatever is added and removed, and whether ranges are short or long, equal or not. */
TEST(Span, FindsWhatOverlapsInTheOrderInWhichItCame)
{
    std::mt19937 random(1);
    race_spans spans = {};
    std::vector<race_span> all(500);
    std::vector<race_span *> in, out;

    for (race_span &s : all)
        out.push_back(&s);
    for (unsigned step = 0; step < 5000; step++) {
        const bool adds = in.empty() || (!out.empty() && random() % 5 < 3);
        std::vector<race_span *> &from = adds ? out : in, &to = adds ? in : out;
        const size_t i = random() % from.size();
        race_span *s = from[i];
        const uintptr_t low = random() % 1000, at = random() % 1000;
        const uintptr_t bytes = 1 + (random() % 8 == 0 ? random() % 500 : random() % 4);
        uintptr_t least, most;

        if (adds)
            race_spans_add(&spans, s, low, low + bytes);
        else
            race_spans_remove(&spans, s);
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(i));
        to.push_back(s);
        std::vector<uint64_t> expected;
        for (const race_span *other : in)
            if (other->low < at + 5 && other->high > at)
                expected.push_back(other->number);
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(expected, found(spans, at, at + 5)) << step;
        ASSERT_EQ(in.size(), spans.n);
        if (in.empty())
            continue;
        race_spans_bounds(&spans, &least, &most);
        const auto by_low = [](const race_span *a, const race_span *b) { return a->low < b->low; };
        const auto by_high = [](const race_span *a, const race_span *b) {
            return a->high < b->high;
        };
        EXPECT_EQ((*std::min_element(in.begin(), in.end(), by_low))->low, least);
        EXPECT_EQ((*std::max_element(in.begin(), in.end(), by_high))->high, most);
    }
}

/* Also when they come by address, up or down: 2 ln n is 22. */
TEST(Span, TreeStaysShallow)
{
    for (int step : { 1, -1 }) {
        race_spans spans = {};
        std::vector<race_span> all(60000);
        uintptr_t low = 1 << 20;

        for (race_span &s : all) {
            race_spans_add(&spans, &s, low, low + 8);
            low = static_cast<uintptr_t>(static_cast<std::intptr_t>(low) + step * 8);
        }
        EXPECT_GE(60u, depth(spans.root));
        EXPECT_EQ(all.size(), found(spans, 0, UINTPTR_MAX).size());
    }
}

} // namespace
