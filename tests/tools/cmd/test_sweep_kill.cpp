/* `hubsim sweep` survives kills. */
#include <random>

#include "tests/built.h"
#include "tests/tools/cmd/sweep_command.h"

namespace
{

/* A sanitizer build of hubsim is many times slower, and the gate is one of the release build. */
const unsigned seeds = test::SANITIZED ? 2 : 10;

/* The whole group is killed 20 times, some milliseconds after some more rows have come, at first
 * before any; rows only ever come to those that were there. */
TEST_F(SweepCommand, AThousandPointsSurviveTwentyKills)
{
    const std::string file = write_points(seeds);
    const std::string db = folder + "/killed/points/sweep.db";

    ASSERT_EQ(0, run(file + " --csv --out " + folder + "/whole")) << text("stderr");
    const std::string csv = text("stdout");
    const rows expected = read_rows(folder + "/whole/points/sweep.db");
    ASSERT_EQ(100u * seeds, expected.size());

    std::mt19937_64 random(20131);
    rows before;
    unsigned at_work = 0;
    for (unsigned killed = 0; killed < 20; killed++) {
        pid_t pid = start(file + " --csv --out " + folder + "/killed");

        wait_for_rows(db, before.size() + random() % (4 * seeds));
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
        kill(-pid, SIGKILL);
        ASSERT_EQ(-SIGKILL, finish(pid)) << text("stderr");
        const rows now = read_rows(db);
        for (const auto &[point, row] : before)
            ASSERT_EQ(row, now.count(point) != 0 ? now.at(point) : "gone");
        at_work += now.size() > before.size();
        before = now;
    }
    EXPECT_GE(at_work, 10u);
    EXPECT_LT(before.size(), expected.size());
    ASSERT_EQ(0, run(file + " --csv --out " + folder + "/killed")) << text("stderr");
    EXPECT_EQ(csv, text("stdout"));
    EXPECT_EQ(expected, read_rows(db));
    EXPECT_EQ("", text("stderr"));
}

} // namespace
