/* Ranks of one node that share its channels (race_channels.c). */
#include "tests/hosts/launch/race/run_case.h"

namespace
{
using test::functions_at;
using test::Seen;

/* Remarks are those on a rank, not that on the network. */
Seen run_two(const std::string &name, unsigned checks)
{
    test::ClusterConfig one_node;
    std::vector<std::string> remarks;

    one_node.nodes = 1;
    Seen seen = test::run_case_on(one_node, name, checks, 2);
    std::copy_if(seen.remarks.begin(), seen.remarks.end(), std::back_inserter(remarks),
                 [](const std::string &line) { return line.rfind("rank ", 0) == 0; });
    seen.remarks = remarks;
    return seen;
}

void expect_line(const std::string &line)
{
    size_t end = 0;

    EXPECT_EQ(0u, line.find("rank 0 on node 0 at ")) << line;
    EXPECT_NE(std::string::npos, line.find(" us: tcaStartDMADesc at ")) << line;
    EXPECT_EQ("start", functions_at(line, 0, &end).at(0)) << line;
    EXPECT_EQ(end, line.find(": channel 0 has the list of rank 1 by tcaDescSet at ")) << line;
    EXPECT_EQ("set", functions_at(line, end, &end).at(0)) << line;
}

TEST(SharedChannel, WithTheListOfAnotherRankIsFound)
{
    Seen seen = run_two("starts_list_of_other", HOST_CHECK_RACES);
    Seen without = run_two("starts_list_of_other", 0);

    EXPECT_EQ(1u, seen.mistakes);
    ASSERT_EQ(1u, seen.found.size()) << testing::PrintToString(seen.found);
    expect_line(seen.found[0]);
    EXPECT_EQ(0u, without.mistakes);
    ASSERT_EQ(1u, without.remarks.size()) << testing::PrintToString(without.remarks);
    expect_line(without.remarks[0]);
    EXPECT_EQ(without.visible, seen.visible);
    EXPECT_EQ(without.wire, seen.wire);
}

TEST(SharedChannel, WithTheOwnListIsNotRemarkedOn)
{
    for (const char *name :
         { "ok_sets_before_each_start", "ok_channel_for_each", "ok_starts_what_other_has_set" }) {
        Seen seen = run_two(name, HOST_CHECK_RACES);

        EXPECT_TRUE(seen.found.empty()) << name << testing::PrintToString(seen.found);
        EXPECT_TRUE(seen.remarks.empty()) << name << testing::PrintToString(seen.remarks);
    }
}

} // namespace
