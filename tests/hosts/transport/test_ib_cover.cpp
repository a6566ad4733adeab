/* Which range holds another one, against a list that is looked through from its end. */
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "hosts/transport/ib/cover.h"

namespace
{

struct Range {
    uint64_t address, bytes;
};

class IbCover : public testing::Test
{
  protected:
    ~IbCover() override { ibt_cover_fini(&cover); }
    void add(uint64_t address, uint64_t bytes)
    {
        ASSERT_TRUE(ibt_cover_add(&cover, address, bytes));
        list.push_back({ address, bytes });
    }
    void drop(size_t number)
    {
        ibt_cover_drop(&cover, (uint32_t)number);
        list[number] = list.back();
        list.pop_back();
    }
    void expect_same(uint64_t address, uint64_t bytes)
    {
        size_t i = list.size();
        uint32_t found = 0;

        while (i-- > 0)
            if (address >= list[i].address && address + bytes <= list[i].address + list[i].bytes)
                break;
        ASSERT_EQ(i < list.size(), ibt_cover_find(&cover, address, bytes, &found));
        if (i < list.size()) {
            ASSERT_EQ(i, found) << address << " " << bytes;
        }
    }

    struct ibt_cover cover = {};
    std::vector<Range> list = {};
};

TEST_F(IbCover, FindsTheNewestOfThoseThatHoldIt)
{
    expect_same(0, 0);
    add(100, 50);
    add(100, 10);
    add(90, 100);
    add(200, 1);
    for (uint64_t address = 80; address < 205; address++)
        for (uint64_t bytes = 0; bytes < 70; bytes++)
            expect_same(address, bytes);
}

TEST_F(IbCover, FindsWhatAListFindsWhateverIsAddedAndDropped)
{
    for (unsigned seed = 0; seed < 20; seed++) {
        std::mt19937 random(seed);
        unsigned most = 1 + random() % 1000; /* few: many at one address */

        while (!list.empty())
            drop(list.size() - 1);
        for (unsigned step = 0; step < 1500; step++) {
            if (random() % 4 == 0 && !list.empty())
                drop(random() % list.size());
            else
                add(random() % most, random() % (1 + random() % most));
            expect_same(random() % most, random() % 20);
        }
    }
}

/* Ascending, as a program walks along its memory: a list would take 10^10 steps. */
TEST_F(IbCover, OfManyWordsTakesFewSteps)
{
    const uint64_t n = 200000;
    uint32_t found;

    for (uint64_t i = 0; i < n; i++) {
        ASSERT_FALSE(ibt_cover_find(&cover, 16 * i, 8, &found));
        ASSERT_TRUE(ibt_cover_add(&cover, 16 * i, 8));
    }
    for (uint64_t i = 0; i < n; i++) {
        ASSERT_TRUE(ibt_cover_find(&cover, 16 * i + 2, 6, &found));
        ASSERT_EQ(i, found);
    }
}

} // namespace
