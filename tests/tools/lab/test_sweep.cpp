/* Sweeps: what a file means. */
#include "sweep_fixture.h"

namespace
{

using namespace test;

TEST_F(Sweep, PointsAreTheCrossProductWithTheLastKeyFastest)
{
    ASSERT_EQ(SIM_OK, read(std::string(head) + "setup: { mode: pio, bytes: 8..16 }\n"
                                               "set: { \"node*.hub.e.link.lanes\": [4, 8] }\n"
                                               "seed: 5..7 by 2\n"))
        << err.text;
    EXPECT_EQ((strings{ "8", "8", "8", "8", "16", "16", "16", "16" }), values("bytes"));
    EXPECT_EQ((strings{ "4", "4", "8", "8", "4", "4", "8", "8" }), values("lanes"));
    EXPECT_EQ((strings{ "5", "7", "5", "7", "5", "7", "5", "7" }), values("seed"));
    EXPECT_EQ(7u, sweep.points[1].run.seed);
    ASSERT_EQ(1u, sweep.points[2].run.nsets);
    EXPECT_STREQ("node*.hub.e.link.lanes=8", sweep.points[2].run.sets[0]);
}

TEST_F(Sweep, SizesMayHaveAUnit)
{
    ASSERT_EQ(SIM_OK,
              read(std::string(head) + "setup: { mode: pio, bytes: [1KiB..2KiB, 4 KiB] }\n"))
        << err.text;
    EXPECT_EQ((strings{ "1024", "2048", "4096" }), values("bytes"));
}

/* The unit of all-to-all's key says so; pingpong describes no key, so the name does. */
TEST_F(Sweep, SizesOfArgumentsMayHaveAUnit)
{
    for (const char *program : { "all-to-all", "pingpong" }) {
        ASSERT_EQ(SIM_OK,
                  read("args: { bytes: [1KiB..2KiB, 4 KiB] }\nmachine: two-node\nprogram: " +
                       std::string(program) + "\n"))
            << err.text;
        EXPECT_EQ((strings{ "1024", "2048", "4096" }), values("bytes"));
        ASSERT_EQ(1u, sweep.points[0].run.nargs);
        EXPECT_STREQ("bytes=1024", sweep.points[0].run.args[0]);
    }
}

/* The unit decides where the program describes the key, whatever its name is. */
TEST_F(Sweep, TheUnitOfAKeySaysWhetherItCountsBytes)
{
    const std::string source =
        write("own.c", "#include <hubsim-workload.h>\n"
                       "HUBSIM_WORKLOAD = {.keys = {{\"size\", HUBSIM_NUMBER, \"B\", \"\", \"\"},\n"
                       "{\"megabytes\", HUBSIM_NUMBER, \"MB\", \"\", \"\"}}};\n"
                       "int main(void) { return 0; }\n");
    const std::string own = "machine: two-node\nprogram: " + folder + "/own\n";

    ASSERT_EQ(0, system((test::HUBCC + " -o " + folder + "/own " + source).c_str()));
    ASSERT_EQ(SIM_OK, read(own + "args: { size: 1KiB..2KiB }\n")) << err.text;
    EXPECT_EQ((strings{ "1024", "2048" }), values("size"));
    EXPECT_EQ("s.yaml:3:9: args megabytes=4KiB: expected a whole number",
              refusal(own + "args: { megabytes: 4KiB }\n"));
    EXPECT_EQ("s.yaml:3:9: args size=4KB: expected a whole number, such as 4096 or 4KiB",
              refusal(own + "args: { size: 4KB }\n"));
}

/* Which program's keys they are is known when a series has said all of it. */
TEST_F(Sweep, TheProgramOfASeriesSaysWhichOfTheFilesKeysCountBytes)
{
    ASSERT_EQ(SIM_OK, read("machine: two-node\nargs: { bytes: 1KiB }\n"
                           "series:\n  - { name: all, program: all-to-all }\n"))
        << err.text;
    EXPECT_EQ((strings{ "1024" }), values("bytes"));
}

TEST_F(Sweep, ASeriesIsACrossProductOfItsOwnAndReplacesKeysOfTheFile)
{
    ASSERT_EQ(SIM_OK, read(std::string(head) + "setup: { mode: pio, bytes: 8 }\n"
                                               "series:\n"
                                               "  - { name: four, machine: ring4, hops: [1, 2] }\n"
                                               "  - { name: two, bytes: [16, 32, 64] }\n"))
        << err.text;
    EXPECT_EQ((strings{ "1", "2", "", "", "" }), values("hops"));
    EXPECT_EQ((strings{ "8", "8", "16", "32", "64" }), values("bytes"));
    EXPECT_STREQ("two", sweep.points[4].series->name);
}

TEST_F(Sweep, ColumnsHaveTheShortestNamesThatTellThemApart)
{
    ASSERT_EQ(SIM_OK, read(std::string(head) +
                           "setup: { mode: pio, bytes: 8 }\n"
                           "set: { \"node*.hub.e.link.lanes\": [4, 8], \"node*.hub.n.link.lanes\": "
                           "8, \"node*.hub.clock_khz\": 250_000 }\n"))
        << err.text;
    EXPECT_NE(nullptr, lab_sweep_axis(&sweep.series[0], "e.link.lanes"));
    EXPECT_NE(nullptr, lab_sweep_axis(&sweep.series[0], "n.link.lanes"));
    EXPECT_NE(nullptr, lab_sweep_axis(&sweep.series[0], "clock_khz"));
}

TEST_F(Sweep, AnArgumentThatIsCalledAsAKeyOfTheFileHasAColumnOfItsOwn)
{
    const char text[] = "program: pingpong\nmachine: two-node\nseed: [1, 2]\n"
                        "args: { seed: [3, 4], series: [5, 6], bytes: 8 }\n";

    ASSERT_EQ(SIM_OK, read(text)) << err.text;
    EXPECT_EQ((strings{ "1", "1", "1", "1", "2", "2", "2", "2" }), values("seed"));
    EXPECT_EQ((strings{ "3", "3", "4", "4", "3", "3", "4", "4" }), values("args.seed"));
    EXPECT_EQ((strings{ "5", "6", "5", "6", "5", "6", "5", "6" }), values("args.series"));
    EXPECT_STREQ("8", values("bytes")[0].c_str());
}

TEST_F(Sweep, HopsAreADistanceOnTheMachine)
{
    ASSERT_EQ(SIM_OK, read(std::string(head) + "setup: { mode: pio, bytes: 8, hops: 1..5 by 1 }\n"
                                               "machine: subcluster16\n"))
        << err.text;
    EXPECT_EQ(1u, sweep.points[0].run.nodes[1]);
    EXPECT_EQ(7u, sweep.points[3].run.nodes[1]);  /* half round the first ring */
    EXPECT_EQ(15u, sweep.points[4].run.nodes[1]); /* then across */
    EXPECT_EQ("s.yaml:3:31: setup hops=3: expected a distance that ring4 has",
              refusal(std::string(head) + "setup: { mode: pio, bytes: 8, hops: [1, 3] }\n"
                                          "machine: ring4\n"));
}

/* What joins them is a node of the machine, too, but none for ranks. */
TEST_F(Sweep, TheSecondRankStandsBesideTheFirstWhereThereAreNoHubs)
{
    for (const char *workload : { "mpi-pingpong", "mpi-bandwidth", "broadcast" })
        for (const char *machine : { "mbcf-switch", "mbcf-hub" })
            for (const char *more : { "", ", nodes: 2" }) {
                const std::string text = std::string("workload: ") + workload +
                                         "\nmachine: " + machine + "\nsetup: { bytes: 8KiB" + more +
                                         " }\n";

                ASSERT_EQ("", refusal(text)) << text;
                EXPECT_EQ(1u, sweep.points[0].run.nodes[1]) << text;
            }
    EXPECT_EQ("", refusal("workload: mpi-pingpong\nmachine: mbcf-switch\n"
                          "setup: { bytes: 8, hops: 1 }\n"));
    EXPECT_EQ("s.yaml:3:20: setup hops=2: expected a distance that mbcf-switch has",
              refusal("workload: mpi-pingpong\nmachine: mbcf-switch\n"
                      "setup: { bytes: 8, hops: 2 }\n"));
}

strings words_of(const lab_run &run)
{
    return strings(run.args, run.args + run.nargs);
}

/* Nothing in a word is a range, a size or a number. A list in the place of a word is swept. */
TEST_F(Sweep, AProgramTakesWordsInTheirOrder)
{
    const std::string own = "program: pingpong\nmachine: two-node\n";

    ASSERT_EQ(SIM_OK, read(own + "args: [8..64, [1_0, 1KiB], -v, \"a|b\"]\n")) << err.text;
    ASSERT_EQ(2u, sweep.n);
    EXPECT_EQ((strings{ "8..64", "1_0", "-v", "a|b" }), words_of(sweep.points[0].run));
    EXPECT_EQ((strings{ "8..64", "1KiB", "-v", "a|b" }), words_of(sweep.points[1].run));
    EXPECT_EQ((strings{ "1_0", "1KiB" }), values("arg2"));
    ASSERT_EQ(SIM_OK, read(own + "args: [a, b, c]\nseries:\n  - { name: x }\n"
                                 "  - { name: y, args: [d, [e, f]] }\n"
                                 "  - { name: z, args: { n: 1 } }\n"))
        << err.text;
    ASSERT_EQ(4u, sweep.n);
    EXPECT_EQ((strings{ "a", "b", "c" }), words_of(sweep.points[0].run));
    EXPECT_EQ((strings{ "d", "e" }), words_of(sweep.points[1].run));
    EXPECT_EQ((strings{ "d", "f" }), words_of(sweep.points[2].run));
    EXPECT_EQ((strings{ "n=1" }), words_of(sweep.points[3].run));
    EXPECT_EQ("s.yaml:3:1: args = 64 20: expected a mapping of keys to values, or a list of words",
              refusal(own + "args: 64 20\n"));
    EXPECT_EQ("s.yaml:3:8: arg1: expected a value or a list of values",
              refusal(own + "args: [{ n: 1 }]\n"));
    EXPECT_EQ("s.yaml:3:11: 5: expected each value once", refusal(own + "args: [1, [5, 5]]\n"));
}

TEST_F(Sweep, AProgramTakesItsArgumentsAsTheyAre)
{
    ASSERT_EQ(SIM_OK, read("program: pingpong\n"
                           "machine: [two-node, ring4]\n"
                           "ranks: 2\n"
                           "args: { mode: pio, bytes: [8, 16] }\n"))
        << err.text;
    ASSERT_EQ(4u, sweep.n);
    EXPECT_STREQ("mode=pio", sweep.points[3].run.args[0]);
    EXPECT_STREQ("bytes=16", sweep.points[3].run.args[1]);
    EXPECT_EQ(2u, sweep.points[3].run.nranks);
    EXPECT_STREQ("ring4", sweep.points[3].run.machine);
}

TEST_F(Sweep, WordsForPeopleDoNotMakeAnotherStudyAndValuesDo)
{
    const std::string good = std::string(head) + "setup: { mode: pio, bytes: [8, 16] }\n";

    ASSERT_EQ(SIM_OK, read(good));
    uint64_t definition = sweep.definition, model = sweep.model;
    ASSERT_EQ(SIM_OK, read("description: other words\n" + good +
                           "figure: { x: { key: bytes }, y: { quantity: latency } }\n"));
    EXPECT_EQ(definition, sweep.definition);
    EXPECT_EQ(model, sweep.model);
    ASSERT_EQ(SIM_OK, read(good + "seed: 2\n"));
    EXPECT_NE(definition, sweep.definition);
    EXPECT_EQ(model, sweep.model);
}

/* A cable of another length is another model, though no point says so. */
TEST_F(Sweep, TheMachinesFilesArePartOfTheModel)
{
    const std::string text =
        std::string(head) + "setup: { mode: pio, bytes: 8 }\nmachine: " + folder + "/m.yaml\n";
    uint64_t models[3];

    for (int i = 0; i < 3; i++) {
        std::ofstream(folder + "/m.yaml") << "platform: hapacs-tca\nnodes: 2\ncables:\n"
                                             "  - { from: node0.hub.e, to: node1.hub.w, length_mm: "
                                          << (i == 1 ? 1000 : 2000) << " }\n";
        ASSERT_EQ(SIM_OK, read(text)) << err.text;
        models[i] = sweep.model;
    }
    EXPECT_NE(models[0], models[1]);
    EXPECT_EQ(models[0], models[2]);
}

} // namespace
