/* Values that `hubsim fit` finds, and what it says about them. */
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <vector>

#include "tests/built.h"
#include "tests/folder.h"

namespace
{

const std::string SHARE = test::BUILD + "/share/hubsim", STORE = "node*.host.cpu.store_to_rc_ps",
                  POLL = "node*.host.cpu.poll_detect_ps",
                  STATUS = "node*.hub.firmware.status_internal_cycles",
                  HEAD = "id,platform,workload,setup,quantity,relation,value,value2,unit,"
                         "tolerance_pct,source,role,needs\n";

/** A round of ping-pong between two hosts. */
std::string row(const std::string &id, const std::string &mode, const std::string &value)
{
    return id + ",hapacs-tca,pingpong,bytes=8;system=native;mode=" + mode +
           ";src=cpu;dst=cpu;nodes=2;hops=1,latency,eq," + value + ",,us,3,hand,primary,\n";
}

class Fit : public test::Shell
{
  protected:
    void SetUp() override
    {
        Shell::SetUp();
        rows = write("rows.csv", HEAD + row("own.pio", "pio", "0.9") +
                                     row("own.dma.internal", "dma-chain-internal", "2.0") +
                                     row("own.dma.host", "dma-chain-host", "2.2"));
    }
    int fit(const std::string &words)
    {
        return sh("cd " + folder + " && " + test::HUBSIM + " fit peach2 " + words);
    }
    /** Rows of a machine that has these values. */
    void make_twin()
    {
        ASSERT_EQ(0, fit("--rows rows.csv --make-rows twin.csv --set '" + STORE +
                         "=230000' --set '" + STATUS + "=240'"))
            << errors;
    }
    /** Columns before, value, low, high of a key. */
    std::vector<double> numbers(std::string key) const
    {
        size_t at = out.find(key + " ");
        std::vector<double> found;

        for (const char *p = out.c_str() + at + key.size(); at != std::string::npos;) {
            char *end;
            double x = std::strtod(p, &end);

            if (end == p)
                break;
            found.push_back(x);
            p = end;
        }
        return found;
    }
    std::string rows;
};

const std::string BOTH = " --free '" + STORE + "=50000..400000' --free '" + STATUS + "=100..500'";

TEST_F(Fit, FindsTheValuesThatMadeTheRows)
{
    make_twin();
    ASSERT_EQ(0, fit("--rows twin.csv" + BOTH)) << errors;
    std::vector<double> store = numbers(STORE), status = numbers(STATUS);
    ASSERT_EQ(4u, store.size()) << out;
    ASSERT_EQ(4u, status.size()) << out;
    EXPECT_EQ(200000, store[0]);
    EXPECT_NEAR(230000, store[1], 8000); /* two cycles of the hub */
    EXPECT_LT(store[2], 230000);
    EXPECT_GT(store[3], 230000);
    EXPECT_NEAR(240, status[1], 2);
    EXPECT_LT(status[2], 240);
    EXPECT_GT(status[3], 240);
    EXPECT_EQ(std::string::npos, out.find("cannot decide")) << out;
}

TEST_F(Fit, ASecondRunSimulatesNothingAndSaysTheSame)
{
    make_twin();
    ASSERT_EQ(0, fit("--rows twin.csv" + BOTH)) << errors;
    std::string first = out;
    ASSERT_EQ(0, fit("--rows twin.csv -J 1" + BOTH)) << errors;
    EXPECT_EQ(first, out);
    EXPECT_NE(std::string::npos, errors.find(" 0 simulated")) << errors;
}

/** A store takes both times one after the other. */
TEST_F(Fit, NamesValuesBetweenWhichRowsCannotDecide)
{
    make_twin();
    ASSERT_EQ(0, fit("--rows twin.csv" + BOTH + " --free '" + POLL + "=20000..300000'")) << errors;
    std::smatch match;
    ASSERT_TRUE(std::regex_search(
        out, match,
        std::regex(
            "cannot decide between: \\S+store_to_rc_ps (\\S+) with \\S+poll_detect_ps (\\S+)")))
        << out;
    EXPECT_NEAR(-1, std::stod(match[1]) / std::stod(match[2]), 0.1);
    EXPECT_EQ(20000, numbers(POLL)[2]);
    EXPECT_EQ(300000, numbers(POLL)[3]);
    EXPECT_LT(numbers(STATUS)[3], 300) << "what rows do fix has its interval";
}

/** Straight line through the origin, y = a x: a is the sum of x y over that of x x. */
TEST_F(Fit, LeavesOutAsByHand)
{
    ASSERT_EQ(0, sh("cd " + folder + " && " + SHARE +
                    "/scripts/python -c '\n"
                    "import sys\n"
                    "sys.path.insert(0, \"" +
                    SHARE +
                    "/scripts\")\n"
                    "import numpy as np, fit_solve as f\n"
                    "x, y = np.array([1, 2, 3.0]), np.array([1.1, 1.9, 3.2])\n"
                    "target = f.Target(y, y, 1 / y, [True] * 3)\n"
                    "at, made, slopes, costs = f.minimise(lambda a: 10 * x * a[0],\n"
                    "    lambda a, _: 10 * x[:, None], target, np.array([0.5]), 9, 1e-9)\n"
                    "print(*(f\"{v:.4f}\" for v in [at[0] * 10, *(f.leave_out(target, made, "
                    "slopes, at, [i])[0]\n"
                    "    for i in range(3)), *f.leave_out(target, made, slopes, at, [0, 1])]))'"))
        << errors;
    EXPECT_EQ("1.0357 1.0308 2.1400 2.9400 1.0667 2.1333\n", out);
}

TEST_F(Fit, SpreadIsNoError)
{
    ASSERT_EQ(
        0,
        sh("cd " + SHARE +
           "/scripts && ./python -c '\n"
           "import fit_rows as r, fit_solve as f, numpy as np\n"
           "row = dict(relation=\"eq\", value=\"2\", value2=\"\", setup=\"bytes=8;spread_pct=5\")\n"
           "low, high = r.interval(row, \"x\")\n"
           "target = f.Target([low] * 4, [high] * 4, [0.1] * 4, [True] * 4)\n"
           "print(*np.round(target.misses(np.array([1.8, 1.95, 2.05, 2.31])), 3))'"))
        << errors;
    EXPECT_EQ("-0.526 0.0 0.0 1.0\n", out);
}

TEST_F(Fit, WritesJson)
{
    make_twin();
    ASSERT_EQ(0, fit("--rows twin.csv --json" + BOTH)) << errors;
    for (const char *word : { "\"platform\": \"hapacs-tca\"",
                              "\"left_out_pct\": ", "\"series\": \"own.dma\"", "\"value\": 240," })
        EXPECT_NE(std::string::npos, out.find(word)) << word << out;
}

TEST_F(Fit, WritesThePlatformAndNothingElseInIt)
{
    make_twin();
    ASSERT_EQ(0, fit("--rows twin.csv --out fitted.yaml" + BOTH)) << errors;
    EXPECT_EQ(
        1, sh("diff " + SHARE + "/configs/platforms/hapacs-tca.yaml " + folder + "/fitted.yaml"));
    std::string changes = out;
    EXPECT_NE(std::string::npos, changes.find("<         calibrated: [peach2.bench.pingpong.tca.8"))
        << changes;
    EXPECT_NE(std::string::npos, changes.find(">         calibrated: [own.")) << changes;
    /* two values with their rows, and where the hub's file is */
    EXPECT_EQ(4, std::count(changes.begin(), changes.end(), '>')) << changes;
    ASSERT_EQ(0,
              sh("cd " + folder + " && " + test::HUBSIM + " params ./fitted.yaml status_internal"))
        << errors;
    EXPECT_NE(std::string::npos, out.find("240")) << out;
}

TEST_F(Fit, WritesNothingThatAnIncludedFileSets)
{
    make_twin();
    EXPECT_EQ(1, fit("--rows twin.csv --out fitted.yaml --free 'node*.hub.route_cycles=1..40'"));
    EXPECT_NE(std::string::npos, errors.find("hub.route_cycles: is set by ../hubs/peach2.yaml"))
        << errors;
    EXPECT_NE(std::string::npos, out.find("--set 'node*.hub.route_cycles=")) << out;
    EXPECT_EQ("", text("fitted.yaml"));
}

/** A key with a default, and one that has no rows so far. */
TEST_F(Fit, AddsKeysAndRowsToThePlatform)
{
    make_twin();
    ASSERT_EQ(0,
              fit("--rows twin.csv --out fitted.yaml --free 'node*.host.rc.egress_ps=10000..200000'"
                  " --free '" +
                  STATUS + "=100..500'"))
        << errors;
    ASSERT_EQ(
        0, sh("cd " + folder + " && " + test::HUBSIM + " params ./fitted.yaml rc.egress_ps --csv"))
        << errors;
    EXPECT_NE(std::string::npos, out.find(",fitted,own.")) << out;
    ASSERT_EQ(0, fit("--rows twin.csv --out fitted.yaml --free '" + POLL + "=20000..300000'"))
        << errors;
    EXPECT_NE(std::string::npos,
              text("fitted.yaml").find("one turn of the loop\", calibrated: [own."));
}

TEST_F(Fit, SaysWhatIsWrong)
{
    const struct {
        std::string words, error;
    } cases[] = {
        { "--rows rows.csv", "nothing is free: expected --free KEY=LOW..HIGH or --ranges FILE" },
        { "--rows rows.csv --free 'node*.host.cpu.stor_to_rc_ps=1..2'",
          "unknown key: did you mean node0.host.cpu.store_to_rc_ps?" },
        { "--rows rows.csv --free '" + STORE + "=400000..50000'",
          "range 400000 .. 50000: expected the lower end first, within 1 .. 1000000000" },
        { "--rows rows.csv --free '" + STORE + "=few..many'", "expected two whole numbers" },
        { "--rows rows.csv --free 'node*.gpu0.l2.dram_ps=100000..400000'",
          "node*.gpu0.l2.dram_ps: no row depends on it between 100000 and 400000" },
        { "--rows one.csv" + BOTH, "too few rows: 1 depend on what is free, expected 2 or more" },
        { "--free '" + STORE + "=50000..400000'",
          "has rows of hapacs-tca, hapacs-tca-sandybridge" },
        { "--rows rows.csv --ranges wrong.yaml",
          "wrong.yaml:2: " + STATUS + ": expected two whole numbers" },
        { "--rows nothing.csv" + BOTH, "nothing.csv: No such file or directory" },
    };

    write("one.csv", HEAD + row("own.dma.internal", "dma-chain-internal", "2.0"));
    write("wrong.yaml", STORE + ": [50_000, 400_000]\n" + STATUS + ": 100\n");
    for (const auto &wrong : cases) {
        EXPECT_EQ(1, fit(wrong.words)) << wrong.words;
        EXPECT_NE(std::string::npos, errors.find(wrong.error)) << wrong.words << ": " << errors;
        EXPECT_EQ(std::string::npos, errors.find("Traceback")) << errors;
    }
    EXPECT_EQ(2, fit("--step 0"));
}

} // namespace
