/* Memory that is freed while a transfer may use it, or used after it was freed (race_freed.c). Each
 * place is one in the function that has it. */
#include "tests/hosts/launch/race/run_case.h"

namespace
{
using test::AT;
using test::functions_at;
using test::run_case;
using test::Seen;

/** What is done in which function, and with what that was done before in which other one? */
struct Expected {
    const char *name, *rank, *use, *in, *before, *before_in;
};

class Freed : public testing::TestWithParam<Expected>
{
};

/* The check looks on, also when there is something to see. */
TEST_P(Freed, IsFoundWithBothPlaces)
{
    const Expected &e = GetParam();
    Seen seen = run_case(e.name, HOST_CHECK_RACES), without = run_case(e.name, 0);
    size_t end = 0;

    EXPECT_EQ(without.visible, seen.visible);
    EXPECT_EQ(without.wire, seen.wire);
    EXPECT_EQ(1u, seen.mistakes);
    ASSERT_EQ(1u, seen.found.size()) << testing::PrintToString(seen.found);
    const std::string &line = seen.found[0];
    EXPECT_EQ(0u, line.find(std::string(e.rank) + " on node ")) << line;
    EXPECT_NE(std::string::npos, line.find(std::string(" us: ") + e.use + " ")) << line;
    EXPECT_EQ(e.in, functions_at(line, 0, &end).at(0)) << line;
    EXPECT_EQ(end, line.find(std::string(", which ") + e.before)) << line;
    EXPECT_EQ(e.before_in, functions_at(line, end, &end).at(0)) << line;
}

INSTANTIATE_TEST_SUITE_P(
    WhileTransfersUseIt, Freed,
    testing::Values(Expected{ "frees_source", "rank 0", "tcaFree: frees 16384 bytes", "free_mine",
                              "tcaStartDMADesc of rank 0", "start" },
                    Expected{ "frees_destination", "rank 1", "tcaFree: frees", "free_mine",
                              "tcaStartDMADesc of rank 0", "start" },
                    Expected{ "frees_rows", "rank 1", "tcaFree: frees", "free_mine",
                              "tcaStartDMADesc of rank 0", "start" },
                    Expected{ "frees_stored", "rank 1", "tcaFree: frees", "free_mine",
                              "tcaSendPIO of rank 0", "store_remote" },
                    Expected{ "frees_sent", "rank 0", "tcaFree: frees", "free_mine", "MPI_Isend",
                              "isend_words" },
                    Expected{ "frees_source_on_gpu", "rank 0", "tcaFree: frees", "free_gpu",
                              "tcaStartDMADesc of rank 0", "start" },
                    Expected{ "frees_destination_on_gpu", "rank 1", "tcaFree: frees", "free_gpu",
                              "tcaStartDMADesc of rank 0", "start" }));

INSTANTIATE_TEST_SUITE_P(
    ThenTransferred, Freed,
    testing::Values(Expected{ "puts_from_freed", "rank 0", "tcaStartDMADesc: reads 8192 bytes",
                              "start", "tcaFree of rank 0", "free_mine" },
                    Expected{ "puts_to_freed", "rank 0", "tcaStartDMADesc: writes 8192 bytes",
                              "start", "tcaFree of rank 1", "free_mine" },
                    Expected{ "puts_rows_to_freed", "rank 0", "tcaStartDMADesc: writes 128 bytes",
                              "start", "tcaFree of rank 1", "free_mine" },
                    Expected{ "starts_old_list", "rank 0", "tcaStartDMADesc: writes", "start",
                              "tcaFree of rank 1", "free_mine" },
                    Expected{ "stores_to_freed", "rank 0", "tcaSendPIO: writes 8 bytes",
                              "store_remote", "tcaFree of rank 1", "free_mine" },
                    Expected{ "puts_from_freed_gpu", "rank 0", "tcaStartDMADesc: reads", "start",
                              "tcaFree of rank 0", "free_gpu" },
                    Expected{ "puts_to_freed_gpu", "rank 0", "tcaStartDMADesc: writes", "start",
                              "tcaFree of rank 1", "free_gpu" }));

INSTANTIATE_TEST_SUITE_P(
    ThenUsed, Freed,
    testing::Values(Expected{ "loads_freed", "rank 1", "loads 8 bytes", "load", "tcaFree of rank 1",
                              "free_mine" },
                    Expected{ "stores_word_to_freed", "rank 1", "stores 8 bytes", "store_word",
                              "tcaFree of rank 1", "free_mine" },
                    Expected{ "loads_one_of_many", "rank 1", "loads 8 bytes", "load",
                              "tcaFree of rank 1", "free_again" },
                    Expected{ "polls_freed", "rank 0", "loads 8 bytes", "poll_word",
                              "tcaFree of rank 0", "free_mine" },
                    Expected{ "sends_freed", "rank 1", "MPI_Send: loads 8 bytes", "send_words",
                              "tcaFree of rank 1", "free_mine" },
                    Expected{ "loads_between_given", "rank 0", "loads 8 bytes", "load",
                              "tcaFree of rank 0", "free_mine" },
                    Expected{ "loads_rest_of_freed", "rank 0", "loads 8 bytes", "load",
                              "tcaFree of rank 0", "free_mine" }));

class NotFreed : public testing::TestWithParam<const char *>
{
};

TEST_P(NotFreed, IsNoMistake)
{
    Seen with = run_case(GetParam(), HOST_CHECK_RACES), without = run_case(GetParam(), 0);

    EXPECT_EQ(std::vector<std::string>(), with.found);
    EXPECT_EQ(without.visible, with.visible);
    EXPECT_EQ(without.wire, with.wire);
}

INSTANTIATE_TEST_SUITE_P(All, NotFreed,
                         testing::Values("ok_frees_after_wait", "ok_frees_after_own_notification",
                                         "ok_frees_after_reset", "ok_frees_after_word",
                                         "ok_frees_after_wait_on_gpu", "ok_frees_beside",
                                         "ok_keeps_old_list", "ok_given_again",
                                         "ok_given_again_on_gpu", "ok_pinned_again_on_gpu",
                                         "ok_frees_beside_on_gpu", "ok_given_to_others"));

/* What is refused, or has failed, needs no check. */
std::vector<std::string> remarks_of(const std::string &name, const std::string &what)
{
    std::vector<std::string> lines;

    for (const std::string &line : run_case(name, 0).remarks)
        if (line.find(what) != std::string::npos)
            lines.push_back(line);
    return lines;
}

TEST(FreedTwice, IsRefusedWithThePlaceBefore)
{
    for (const auto &[name, in] :
         { std::pair{ "frees_twice", "free_mine" }, std::pair{ "frees_thrice", "free_again" } }) {
        std::vector<std::string> lines = remarks_of(name, "tcaFree: p = ");
        size_t end = 0;

        ASSERT_EQ(1u, lines.size());
        size_t why = lines[0].find(": freed before, by tcaFree" + AT);
        ASSERT_NE(std::string::npos, why) << lines[0];
        EXPECT_EQ(in, functions_at(lines[0], why, &end).at(0)) << lines[0];
    }
}

TEST(FreedTwice, IsNotBlamedOnWhatWasThereBefore)
{
    std::vector<std::string> lines = remarks_of("frees_part_of_given", "tcaFree: p = ");
    const std::string end = ": freed before, or not where memory of tcaMalloc() begins";

    ASSERT_EQ(1u, lines.size());
    EXPECT_EQ(lines[0].size() - end.size(), lines[0].rfind(end)) << lines[0];
}

TEST(FreedSource, OfAListThatBreaksOffIsNamed)
{
    std::vector<std::string> lines = remarks_of("waits_for_freed_gpu", "broke off");
    size_t end = 0;

    ASSERT_EQ(1u, lines.size());
    size_t why = lines[0].find("tcaWaitDMAC: a transfer of channel 0 broke off: its list reads "
                               "memory that tcaFree" +
                               AT);
    ASSERT_NE(std::string::npos, why) << lines[0];
    EXPECT_EQ("free_gpu", functions_at(lines[0], why, &end).at(0)) << lines[0];
}

TEST(FreedSource, IsNotBlamedForOthers)
{
    for (const char *name : { "waits_for_nothing", "waits_for_nothing_beside_freed" }) {
        std::vector<std::string> lines = remarks_of(name, "broke off");
        const std::string end = "tcaWaitDMAC: a transfer of channel 0 broke off";

        ASSERT_EQ(1u, lines.size()) << name;
        EXPECT_EQ(lines[0].size() - end.size(), lines[0].rfind(end)) << lines[0];
    }
}
} // namespace
