/* Faults as users of the commands meet them. */
#include "tests/built.h"
#include "tests/folder.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace
{

class FaultsCommand : public test::Shell
{
  protected:
    int run(const std::string &args) { return sh(test::HUBSIM + " " + args); }
    int program(const std::string &args)
    {
        return sh(test::HUBRUN + " -n 2 -m two-node --fingerprint " + args + " " + test::WORKLOADS +
                  "/pingpong.so bytes=65536 rounds=4 repeats=1");
    }
    bool says(const std::string &text) const { return (out + errors).find(text) != text.npos; }
};

TEST_F(FaultsCommand, ATableNamesTheFaultsAndWhatTheLinksDid)
{
    EXPECT_EQ(0, run("run two-node --faults '{link: node0.hub.e, bit_error_rate: 1e-6, drop: "
                     "{tlp: 300}}'"))
        << errors;
    EXPECT_TRUE(says("\nfaults\n  link node0.hub.e: bit_error_rate=1e-6 (2 places)\n  link "
                     "node0.hub.e: drop tlp=300 (2 places)\n"))
        << out;
    EXPECT_TRUE(says("  NAKs sent\n")) << out;
    EXPECT_TRUE(says(" 0  TLPs lost with a link that went down\n")) << out;
    EXPECT_EQ(0, run("run two-node")) << errors;
    EXPECT_FALSE(says("faults")) << out;
}

TEST_F(FaultsCommand, ASeedGivesOneResultAndAnotherSeedAnother)
{
    const std::string fault = "--faults '{link: node0.hub.e, bit_error_rate: 1e-6}'";
    std::string first;

    EXPECT_EQ(0, program(fault)) << errors;
    first = errors;
    EXPECT_TRUE(says("hubrun: fault: link node0.hub.e: bit_error_rate=1e-6 (2 places)\n"));
    EXPECT_TRUE(says("verified=1")) << out;
    EXPECT_EQ(0, program(fault));
    EXPECT_EQ(first, errors);
    EXPECT_EQ(0, program(fault + " --seed 2"));
    EXPECT_NE(first, errors);
}

TEST_F(FaultsCommand, AFileOfFaultsIsRead)
{
    const std::string file = write("slow.yaml", "description: one slow host\n"
                                                "faults:\n"
                                                "  - {component: node1.host, slow: 2us}\n");

    EXPECT_EQ(0, run("run two-node --faults " + file)) << errors;
    EXPECT_TRUE(says("  component node1.host: slow by=2us (1 place)\n")) << out;
    write("slow.yaml", "faults:\n  - {component: node1.host, slow: 2}\n");
    EXPECT_EQ(1, run("run two-node --faults " + file));
    EXPECT_EQ("hubsim: " + file + ":2:29: slow = 2: expected a time, 1ps .. 1000s, such as 10us\n",
              errors);
}

TEST_F(FaultsCommand, ADeadNodeIsReportedNotWaitedFor)
{
    EXPECT_EQ(1, run("run two-node --faults '{node: 1, dead: 250us}'"));
    EXPECT_TRUE(says("hubsim: two-node: nothing is left that could happen")) << errors;
}

TEST_F(FaultsCommand, ASweepTakesSeveralAndRunsAgainWhatAFileChanges)
{
    const std::string faults = write("slow.yaml", "faults: [{component: node1.host, slow: 2us}]\n");
    const std::string sweep =
        write("s.yaml", "description: with and without\nworkload: pingpong\n"
                        "platform: hapacs-tca\nmachine: two-node\n"
                        "setup: {bytes: 4096, mode: dma-chain-internal, rounds: 1, repeats: 2}\n"
                        "faults: [none, " +
                            faults + ", '{component: node1.host, slow: 1us}']\n");
    const std::string args = "sweep " + sweep + " --csv --out " + folder + "/out";
    std::string first;

    EXPECT_EQ(0, run(args)) << errors;
    EXPECT_EQ(4, std::count(out.begin(), out.end(), '\n')) << out;
    first = out;
    EXPECT_EQ(0, run(args)) << errors;
    EXPECT_EQ(first, out);
    write("slow.yaml", "faults: [{component: node1.host, slow: 3us}]\n");
    EXPECT_EQ(1, run(args));
    EXPECT_EQ(0, run(args + " --fresh")) << errors;
    EXPECT_NE(first, out);
}

TEST_F(FaultsCommand, FilesThatShipAreListedAndFitTheMachineTheyAreShownWith)
{
    EXPECT_EQ(0, run("list --csv"));
    EXPECT_TRUE(says("\nfaults,bad-cable,")) << out;
    for (const auto &file : std::filesystem::directory_iterator("configs/faults"))
        EXPECT_EQ(0, run("params ring4 --csv --faults " + file.path().stem().string())) << errors;
    EXPECT_EQ(0, run("params --fault-kinds --csv"));
    EXPECT_TRUE(says("\nstuck_credit,")) << out;
}

/* The least of the closed forms of link and bus, docs/faults.md. */
TEST_F(FaultsCommand, GoodputOfAStreamIsWithinThreePercentOfTheClosedForm)
{
    const std::string file =
        write("goodput.yaml", "description: a stream\nworkload: stream\nmachine: ring8\n"
                              "platform: hapacs-tca\n"
                              "setup: {mode: dma-chain-internal, channels: 1, bytes: 8388608, "
                              "warmup: 0, rounds: 1, repeats: 1}\n"
                              "series:\n"
                              "  - {name: one, hops: 1, bit_error_rate: 1e-12|1e-6|1e-5}\n"
                              "  - {name: four, hops: 4, bit_error_rate: 1e-5}\n");
    unsigned points = 0;

    ASSERT_EQ(0, run("run " + file + " --csv --out " + folder + "/out")) << errors;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream cells(line);
        std::string cell;

        for (unsigned i = 0; i <= 7; i++) /* of_bound_pct */
            std::getline(cells, cell, ',');
        if (line.find("series,") == 0) {
            EXPECT_EQ("of_bound_pct", cell);
            continue;
        }
        EXPECT_NEAR(100, std::stod(cell), 3) << line;
        points++;
    }
    EXPECT_EQ(4u, points) << out;
}

} // namespace
