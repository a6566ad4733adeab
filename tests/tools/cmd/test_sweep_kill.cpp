/* `hubsim sweep` survives kills. */
#include <chrono>
#include <random>

#include "tests/tools/cmd/sweep_command.h"

namespace
{

using clock_type = std::chrono::steady_clock;

/* A sanitizer build of hubsim is many times slower, and the gate is one of the release build. */
#ifdef __SANITIZE_ADDRESS__
const unsigned seeds = 2;
#else
const unsigned seeds = 10;
#endif

/* The whole group is killed 20 times, at moments from before the first row to shortly before the
 * end; rows only ever come to those that were there. */
TEST_F(SweepCommand, AThousandPointsSurviveTwentyKills)
{
    const std::string file = write_points(seeds);
    const std::string db = folder + "/killed/points/sweep.db";
    const auto begin = clock_type::now();

    ASSERT_EQ(0, run(file + " --csv --out " + folder + "/whole")) << text("stderr");
    const std::string csv = text("stdout");
    const auto whole = clock_type::now() - begin;
    const rows expected = read_rows(folder + "/whole/points/sweep.db");
    ASSERT_EQ(100u * seeds, expected.size());

    std::mt19937_64 random(20131);
    rows before;
    unsigned killed = 0, at_work = 0;
    while (killed < 20) {
        pid_t pid = start(file + " --csv --out " + folder + "/killed");
        auto wait = whole * (random() % 1000) / 10000; /* up to a tenth of the whole run */

        std::this_thread::sleep_for(wait);
        kill(-pid, SIGKILL);
        int status = finish(pid);
        if (status == 0)
            break; /* all done before the last kill */
        ASSERT_EQ(-SIGKILL, status) << text("stderr");
        killed++;
        const rows now = read_rows(db);
        for (const auto &[point, row] : before)
            ASSERT_EQ(row, now.count(point) ? now.at(point) : "gone");
        at_work += now.size() > before.size();
        before = now;
    }
    EXPECT_EQ(20u, killed);
    EXPECT_GE(at_work, 5u);
    EXPECT_LT(before.size(), expected.size());
    ASSERT_EQ(0, run(file + " --csv --out " + folder + "/killed")) << text("stderr");
    EXPECT_EQ(csv, text("stdout"));
    EXPECT_EQ(expected, read_rows(db));
    EXPECT_EQ("", text("stderr"));
}

} // namespace
