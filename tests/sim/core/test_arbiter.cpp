#include "core/arbiter.h"

#include <gtest/gtest.h>

namespace
{

TEST(Arbiter, AsksFromTheTurnOnAndRoundTheEnd)
{
    sim_arbiter a = { UINT64_C(1) << 63 | 1 << 5 | 1, 5 };

    EXPECT_EQ(5u, sim_arbiter_pick(&a, a.requests));
    a.turn = 6;
    EXPECT_EQ(63u, sim_arbiter_pick(&a, a.requests));
    EXPECT_EQ(0u, sim_arbiter_pick(&a, 1 << 5 | 1));
}

TEST(Arbiter, GrantsEachAsOften)
{
    sim_arbiter a = { 0xb1, 0 };
    unsigned granted[64] = {};

    for (unsigned i = 0; i < 400; i++) {
        uint32_t picked = sim_arbiter_pick(&a, a.requests);

        granted[picked]++;
        a.turn = (picked + 1) % 64;
    }
    for (unsigned i : { 0u, 4u, 5u, 7u })
        EXPECT_EQ(100u, granted[i]) << i;
}

} // namespace
