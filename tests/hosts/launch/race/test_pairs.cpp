/* Reports of races at many places, and of places that have many callers. */
#include "tests/hosts/launch/race/run_case.h"

namespace
{
using test::functions_at;
using test::run_case;
using test::Seen;

const std::string AT_OTHER = ", which tcaStartDMADesc at test_races.so+0x";

std::string after(const std::string &line, const std::string &mark)
{
    const size_t at = line.rfind(mark);

    return at != std::string::npos ? line.substr(at + mark.size()) : "";
}

/* put() of the test and the function that calls it are the same in both. */
TEST(Pairs, HaveTheCallsThatLedThere)
{
    const Seen seen = run_case("gets_what_two_have_put", HOST_CHECK_RACES);
    const std::vector<std::string> get = { "get", "get_both" };
    size_t end = 0;

    ASSERT_EQ(2u, seen.found.size()) << testing::PrintToString(seen.found);
    EXPECT_EQ(2u, seen.mistakes);
    for (size_t i = 0; i < 2; i++) {
        const std::string &line = seen.found[i];
        const std::vector<std::string> put = { "put", "put_half", i == 0 ? "put_low" : "put_high" };
        std::vector<std::string> functions = functions_at(line, 0, &end);

        functions.resize(2);
        EXPECT_EQ(get, functions) << line;
        EXPECT_EQ(end, line.find(", which tcaStartDMADesc of rank 0 at")) << line;
        EXPECT_EQ(put, functions_at(line, end, &end)) << line;
    }
}

TEST(Pairs, HaveTheCallersOfEachAtOneTime)
{
    const Seen seen = run_case("stores_to_two_that_are_received", HOST_CHECK_RACES);
    size_t end = 0;

    ASSERT_EQ(2u, seen.found.size()) << testing::PrintToString(seen.found);
    for (size_t i = 0; i < 2; i++) {
        const std::vector<std::string> store = { "store", i == 0 ? "store_first" : "store_second" };
        std::vector<std::string> functions = functions_at(seen.found[i], 0, &end);

        functions.resize(2);
        EXPECT_EQ(store, functions) << seen.found[i];
    }
}

TEST(Pairs, OfSeveralRanksHaveTwoLines)
{
    const Seen seen = run_case("gets_on_both_ranks", HOST_CHECK_RACES);

    ASSERT_EQ(2u, seen.found.size()) << testing::PrintToString(seen.found);
    EXPECT_EQ(2u, seen.mistakes);
    EXPECT_EQ(0u, seen.found[0].find("rank 0 on node 0")) << seen.found[0];
    EXPECT_EQ(0u, seen.found[1].find("rank 1 on node 1")) << seen.found[1];
    EXPECT_NE(std::string::npos, seen.found[1].find(": loads at test_races.so+0x"))
        << seen.found[1];
    EXPECT_NE(std::string::npos, seen.found[1].find(AT_OTHER)) << seen.found[1];
    EXPECT_EQ("one more rank", after(seen.found[1], " writes: ")) << seen.found[1];
}

TEST(Pairs, OfOneCallAreThreeAndALineForTheOthers)
{
    const Seen seen = run_case("loads_at_six_places", HOST_CHECK_RACES);

    EXPECT_EQ(12u, seen.mistakes);
    ASSERT_EQ(7u, seen.found.size()) << testing::PrintToString(seen.found);
    for (size_t i = 0; i < 3; i++) {
        EXPECT_EQ("a wait for its notification, or for a word of it in a loop before",
                  after(seen.found[i], " writes: expected "));
        EXPECT_EQ("one more rank", after(seen.found[3 + i], " writes: "));
    }
    EXPECT_EQ("the last of 3 more places; --check all-races shows each",
              after(seen.found[6], " writes: "));
}

TEST(Pairs, AreAllShownWhereTheUserWantsThem)
{
    const Seen seen = run_case("loads_at_six_places", HOST_CHECK_RACES | HOST_CHECK_ALL_RACES);

    EXPECT_EQ(12u, seen.mistakes);
    ASSERT_EQ(12u, seen.found.size()) << testing::PrintToString(seen.found);
    for (size_t i = 0; i < 6; i++)
        EXPECT_EQ("one more rank", after(seen.found[6 + i], " writes: "));
}

} // namespace
