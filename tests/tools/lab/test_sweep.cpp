/* Sweeps: what a file means, what is refused where, and what the database holds on to. */
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "regs/hub_regs.h"
#include "tests/built.h"
#include "tests/folder.h"
#include "tests/tools/attempt.h"
#include "tools/lab/sweep/sweep_run.h"

namespace
{

const char head[] = "workload: pingpong\n"
                    "platform: hapacs-tca\n";

class Sweep : public test::Folder
{
  protected:
    void SetUp() override
    {
        Folder::SetUp();
        lab_site_init(&site);
        site.roots = {};
        load_roots_add(&site.roots, "configs");
        snprintf(site.programs, sizeof(site.programs), "%s", test::WORKLOADS.c_str());
        site.fingerprint = true;
    }
    void TearDown() override
    {
        load_arena_fini(&arena);
        Folder::TearDown();
    }
    int read(const std::string &text)
    {
        const std::string path = write("s.yaml", text);

        err = {};
        return attempt(&err, [&] { lab_sweep_read(path.c_str(), &site, &arena, &sweep); });
    }
    /** The message without the folder, or "" when the file is good. */
    std::string refusal(const std::string &text)
    {
        if (read(text) == SIM_OK)
            return "";
        std::string message = err.text;
        size_t at = message.find(folder + "/");
        return at == 0 ? message.substr(folder.size() + 1) : message;
    }
    /** A program of this source; its path. */
    std::string built(const std::string &name, const std::string &source)
    {
        const std::string path = folder + "/" + name;

        EXPECT_EQ(0,
                  system((test::HUBCC + " -o " + path + " " + write(name + ".c", source)).c_str()));
        return path;
    }
    std::vector<std::string> values(const char *key)
    {
        std::vector<std::string> all;

        for (unsigned i = 0; i < sweep.n; i++) {
            const lab_axis *axis = lab_sweep_axis(sweep.points[i].series, key);
            all.push_back(axis != nullptr ? lab_sweep_value(&sweep.points[i], axis) : "");
        }
        return all;
    }
    lab_sweep_db *open_db(uint64_t model)
    {
        const std::string path = folder + "/sweep.db";
        lab_sweep_db *db = nullptr;

        err = {};
        (void)attempt(&err, [&] { db = lab_sweep_db_open(path.c_str(), &sweep, model); });
        return db;
    }
    int add_row(lab_sweep_db *db, const lab_sweep_row &row)
    {
        return attempt(&err, [&] { lab_sweep_db_add(db, &row); });
    }
    int run(lab_sweep_db *db, const lab_sweep_config &cfg)
    {
        return attempt(&err, [&] { lab_sweep_run(&sweep, db, &cfg); });
    }
    int collect(lab_sweep_db *db, lab_sweep_results *results)
    {
        return attempt(&err, [&] { *results = lab_sweep_collect(&sweep, db, &arena); });
    }
    int set_aside(const std::string &path)
    {
        return attempt(&err, [&] { lab_sweep_db_set_aside(path.c_str()); });
    }
    lab_site site = {};
    begun_arena arena;
    lab_sweep sweep = {};
    sim_error err = {};
};

using strings = std::vector<std::string>;

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

TEST_F(Sweep, WrongFilesAreRefusedWhereTheyAreWrong)
{
    const std::string good = std::string(head) + "setup: { mode: pio, bytes: 8 }\n";
    const std::pair<std::string, const char *> cases[] = {
        { good + "sed: 1\n", "s.yaml:4:1: sed = 1: unknown key, did you mean set?" },
        { good + "seed: []\n", "s.yaml:4:1: seed: expected at least one value" },
        { good + "seed:\n", "s.yaml:4:1: seed = : expected at least one value" },
        { good + "seed: 4..1 by 1\n",
          "s.yaml:4:1: seed = 4..1 by 1: expected the less first, as in 8..1024" },
        { good + "seed: 1..3\n", "s.yaml:4:1: seed = 1..3: doublings of 1 end at 2: expected "
                                 "that end, or steps as in 1..3 by 1" },
        { good + "set:\n  \"node*.hub.e.link.gen\": 1..3\n",
          "s.yaml:5:3: node*.hub.e.link.gen = 1..3: doublings of 1 end at 2: expected that end, "
          "or steps as in 1..3 by 1" },
        { good + "seed: [1, 2, 1]\n", "s.yaml:4:1: seed: 1: expected each value once" },
        { good + "seed: [1, x]\n", "s.yaml:4:1: seed = x: expected a whole number" },
        { good + "seed: { a: 1 }\n", "s.yaml:4:1: seed: expected a value or a list of values" },
        { std::string(head) + "setup: { bites: [8, 16] }\n",
          "s.yaml:3:10: setup bites=8: unknown key, did you mean bytes?" },
        { std::string(head) + "setup: { bytes: [8, big] }\n",
          "s.yaml:3:10: setup bytes=big: expected a whole number, such as 4096 or 4KiB" },
        { good + "set: { \"node*.hub.e.link.lines\": [4, 8] }\n",
          "s.yaml:4:8: set node*.hub.e.link.lines = 4: matches no key, did you mean "
          "node*.hub.e.link.lanes?" },
        { good + "set:\n  \"node*.hub.e.link.lanes\": [4, 99]\n",
          "s.yaml:5:3: set node*.hub.e.link.lanes = 99: node0.hub.e.link.lanes: expected a "
          "whole number, 1 .. 16" },
        { good + "set:\n  node0.hub.ports: 4\n  node1.hub.w.link.lanes: [4, 3]\n",
          "s.yaml:6:3: set node1.hub.w.link.lanes = 3: node1.hub.w: lanes = 3: expected 1, 2, 4, "
          "8 or 16" },
        { good + "set:\n  node0.hub.ports: 4\n  node1.hub.e.link.lanes: [8, 4]\n",
          "s.yaml:6:3: set node1.hub.e.link.lanes = 8: no link is at node1.hub.e: expected a port "
          "with one" },
        { good + "set:\n  node0.hub.ports: 4\n  node1.hub.w.link.lanes: 3\n",
          "s.yaml:6:3: set node1.hub.w.link.lanes = 3: node1.hub.w: lanes = 3: expected 1, 2, 4, "
          "8 or 16" },
        { "workload: bare-link\nsetup: { bytes: 64, lanes: 8 }\n"
          "set: { \"node*.a.link.lanes\": 4 }\n",
          "s.yaml:3:8: set node*.a.link.lanes = 4: node0.a.link.lanes: the experiment's setup or "
          "series says 8: expected no other value" },
        { std::string(head) + "setup: { mode: [pio, dma], bytes: 8 }\n",
          "s.yaml:3:10: mode = dma: expected one of pio|dma-register|dma-chain-host|"
          "dma-chain-internal, or a list of them: a point is one run, dma is the fastest of "
          "several" },
        { "workload: dma-chain\nplatform: hapacs-tca\nsetup: { mode: link-only, bytes: 64 }\n",
          "s.yaml:3:10: mode = link-only: expected one of dma-register|dma-chain-host|"
          "dma-chain-internal, or a list of them: a point is one run, link-only is none" },
        { std::string(head) + "program: x\n",
          "s.yaml:1:1: expected the key workload or program, not both" },
        { "platform: hapacs-tca\n", "s.yaml:1:1: expected the key workload or program" },
        { "program: pingpong\n", "s.yaml:1:1: expected the key machine" },
        { "workload: pingpong\nplatform: [hapacs-tca, hapacs]\nsetup: { mode: pio, bytes: 8 }\n",
          "s.yaml:2:1: platform = hapacs: not found in platforms/, did you mean hapacs-tca?" },
        { "program: all-to-all\nmachine: two-node\nargs: { bytes: [16, x] }\n",
          "s.yaml:3:9: args bytes=x: expected a multiple of 16, at least 16, such as 4096 or "
          "4KiB" },
        { "program: all-to-all\nmachine: two-node\nargs: { channels: 4KiB }\n",
          "s.yaml:3:9: args channels=4KiB: expected 1..4" },
        { "machine: two-node\nprogram: [pingpong, pingpongg]\n",
          "s.yaml:2:1: program = pingpongg: no such program" },
        { "program: pingpong\nmachine: two-node\nranks: 3\n",
          "s.yaml:3:1: ranks = 3: expected at most 2, the nodes of two-node" },
        { "program: pingpong\nmachine: two-nod\n",
          "s.yaml:2:1: machine = two-nod: not found in machines/, did you mean two-node?" },
        { "workload: pingpongg\n",
          "s.yaml:1:1: workload = pingpongg: unknown, did you mean pingpong?" },
        { "workload: alltoall\n",
          "s.yaml:1:1: workload = alltoall: unknown, did you mean all-to-all?" },
        { good + "args: { a: 1 }\n",
          "s.yaml:4:9: a = 1: expected it in setup: a workload knows no args" },
        { good + "series: []\n", "s.yaml:4:1: series: expected a list of series" },
        { good + "series:\n  - { bytes: 16 }\n", "s.yaml:5:5: expected the key name" },
        { good + "series:\n  - { note: 16 }\n", "s.yaml:5:5: expected the key name" },
        { good + "series:\n  - { bytes: 16, nam: wide }\n",
          "s.yaml:5:18: nam = wide: unknown key, did you mean name?" },
        { good + "seed: 1..100001 by 1\n", "s.yaml:4:1: seed = 1..100001 by 1: more than 100000 "
                                           "values: expected longer steps" },
        { good + "seed: 1..50000 by 1\nset: { \"node0.hub.e.link.lanes\": [1, 2, 4] }\n",
          "s.yaml:4:1: seed: 50000 values, times those of the other keys: expected at most 100000 "
          "points" },
        { good + "figure: { x: { key: byte }, y: { quantity: latency } }\n",
          "s.yaml:4:16: key = byte: expected a key with numbers that each series has: bytes, did "
          "you mean bytes?" },
        { good + "series: [{ name: a, hops: 1 }, { name: b }]\n"
                 "figure: { x: { key: hops }, y: { quantity: latency } }\n",
          "s.yaml:5:16: key = hops: not in b: expected a key with numbers that each series has: "
          "bytes" },
        { good + "figure: { x: { key: bytes }, y: { quantity: latency }, bounds: maybe }\n",
          "s.yaml:4:56: bounds = maybe: expected yes or no" },
        { good + "figure: { x: { key: mode }, y: { quantity: latency } }\n",
          "s.yaml:4:16: key = mode: has no numbers: expected a key with numbers that each series "
          "has: "
          "bytes" },
        { good + "figure: { x: { key: bytes }, y: { quantity: latency }, lines: [mode] }\n",
          "s.yaml:4:56: lines: expected a mapping of keys to words" },
        { good + "figure: { x: { key: bytes }, y: { quantity: latency }, lines: {mode: by} }\n",
          "s.yaml:4:64: mode = by: expected words with a % where the value stands" },
        { good + "figure: { x: { key: bytes }, y: { quantity: latency }, lines: {mod: '%'} }\n",
          "s.yaml:4:64: mod = %: expected a key that a series has: workload, platform, mode, "
          "bytes, "
          "did you mean mode?" },
        { good + "figure: { x: { key: bytes }, y: { quantity: latency_us } }\n",
          "s.yaml:4:35: quantity = latency_us: expected latency, bandwidth or a number of the "
          "result of pingpong: latency_ps_min, latency_ps_median, latency_ps_p99, latency_ps_max, "
          "bandwidth_kBps, bytes, repeats, verified, races" },
        { "program: pingpong\nmachine: two-node\nargs: { bytes: [8, 16] }\n"
          "figure: { x: { key: bytes }, y: { quantity: latency } }\n",
          "s.yaml:4:35: quantity = latency: expected a key of the result that the program prints: "
          "latency and bandwidth are of workloads" },
    };

    EXPECT_EQ("", refusal(good));
    for (const auto &[text, message] : cases)
        EXPECT_EQ(message, refusal(text)) << text;
}

TEST_F(Sweep, APathThatIsNotThereIsSaidToBeFromTheCurrentFolder)
{
    const std::string here = std::filesystem::current_path().string() + ", the current folder";

    EXPECT_EQ("s.yaml:2:1: machine = m/none.yaml: no such file in " + here,
              refusal("program: pingpong\nmachine: m/none.yaml\n"));
    EXPECT_EQ("s.yaml:1:1: program = ./none: no such program in " + here,
              refusal("program: ./none\nmachine: two-node\n"));
    EXPECT_EQ("s.yaml:1:1: program = /none: no such program",
              refusal("program: /none\nmachine: two-node\n"));
}

/* What a program would only say when it runs. The wrong value is never the first one. */
TEST_F(Sweep, ValuesThatAWorkloadCannotTakeAreRefusedWhereTheyAre)
{
    const char hapacs[] = "platform: hapacs-tca\n";
    const std::tuple<const char *, const char *, const char *> cases[] = {
        { "pingpong", "bytes: [8, 6]", "bytes=6: expected a multiple of 4, at least 4" },
        { "pingpong", "bytes: [4, 8, 12], mode: pio",
          "bytes=12: expected 4 or a multiple of 8 with mode=pio" },
        { "pingpong", "nodes: [2, 1], bytes: 8", "nodes=1: expected 2, the ranks of pingpong" },
        { "pingpong", "nodes: [2, 0], bytes: 8", "nodes=0: expected at least 1" },
        { "stream", "nodes: [2, 0], bytes: 8", "nodes=0: expected at least 1" },
        { "dma-chain", "nodes: [1, 0], bytes: 8", "nodes=0: expected at least 1" },
        { "pingpong", "rounds: [1, 0], bytes: 8", "rounds=0: expected a whole number, at least 1" },
        { "pingpong", "repeats: [1, 0], bytes: 8",
          "repeats=0: expected a whole number, at least 1" },
        { "dma-chain", "count: [1, 2], bytes: 8, mode: dma-register",
          "count=2: expected 1 with mode=dma-register, which holds one transfer" },
        { "block-stride", "block_bytes: [8, 6], blocks: 2, pitch_bytes: 16",
          "block_bytes=6: expected a multiple of 4, at least 4" },
        { "block-stride", "n: [4, 0]", "n=0: expected a whole number, at least 1" },
        { "stream", "bytes: [8, 6]", "bytes=6: expected a multiple of 4, at least 4" },
        { "stream", "bytes: [8, 12], mode: pio", "bytes=12: expected a multiple of 8, at least 8" },
        { "stream", "channels: [4, 5], bytes: 8", "channels=5: expected 1..4" },
        { "mpi-pingpong", "nodes: [2, 1]", "nodes=1: expected 2, the ranks of mpi-pingpong" },
        { "mpi-collective", "bytes: [0, 6]", "bytes=6: expected a multiple of 4" },
        { "mpi-collective", "op: [broadcast, bcast], bytes: 8",
          "op=bcast: expected "
          "barrier|broadcast|reduce|allreduce|gather|allgather|scatter|alltoall" },
        { "mpi-collective", "mpi: [peach2, 'ib,rails=3'], bytes: 8",
          "mpi=ib,rails=3: MPI: rails = 3: expected a whole number, 0 .. 2" },
        { "mpi-collective", "versus_mpi: 'ib,rails=3', bytes: 8",
          "versus_mpi=ib,rails=3: MPI: rails = 3: expected a whole number, 0 .. 2" },
        { "halo", "mpi: [peach2, 'ib,rails=3'], n: 8",
          "mpi=ib,rails=3: MPI: rails = 3: expected a whole number, 0 .. 2" },
        { "mpi-bandwidth", "bytes: [8, 1073741828]", "bytes=1073741828: expected at most 1 GiB" },
        { "npb-cg", "nodes: [2, 3]", "nodes=3: expected 1|2|4|8|16" },
        { "broadcast", "bytes: [4, 6]",
          "bytes=6: expected a multiple of 4, at least 4, such as 4096 or 4KiB" },
        { "halo", "n: [2, 3]", "n=3: expected a multiple of 2, at least 2" },
        { "halo", "shape: [2x2x2, 1], nodes: 8, n: 8",
          "shape=1: expected three numbers such as 4x2x2" },
        { "halo", "shape: [2x2x2, 2x2], nodes: 8, n: 8",
          "shape=2x2: expected three numbers such as 4x2x2" },
        { "halo", "shape: [2x2x2, 2x2x3], nodes: 8, n: 8",
          "shape=2x2x3: expected a product of 8, the ranks" },
        { "pingpong", "bytes: [4GiB, 8], mode: dma-register",
          "bytes=4294967296: expected less than 4 GiB, as descriptors hold" },
        { "stream", "dst: gpu-across-qpi, bytes: 24",
          "dst=gpu-across-qpi: expected memory that a window reaches: that of the host or of GPU 0 "
          ".. 1" },
        { "stream", "dst: gpu-across-qpi, bytes: 24, mode: pio",
          "dst=gpu-across-qpi: expected memory that a window reaches: that of the host or of GPU 0 "
          ".. 1" },
        { "dma-chain", "gpu: ib-side, dst: gpu, bytes: 8",
          "gpu=ib-side: expected memory that a window reaches: that of the host or of GPU 0 .. 1" },
        { "pingpong", "bit_error_rate: [1e-9, 2], bytes: 8",
          "bit_error_rate=2: expected a rate, 0 .. 1e-1, such as 1e-9" },
    };

    for (const auto &[workload, setup, message] : cases)
        EXPECT_EQ("s.yaml:3:10: setup " + std::string(message),
                  refusal("workload: " + std::string(workload) + "\n" + hapacs + "setup: { " +
                          setup + " }\n"));
}

/* Their length is in no descriptor. */
TEST_F(Sweep, StoresMayMoveMoreThanADescriptorHolds)
{
    for (const char *workload : { "stream", "pingpong" })
        EXPECT_EQ("", refusal("workload: " + std::string(workload) +
                              "\nplatform: hapacs-tca\nsetup: { mode: pio, bytes: 4GiB }\n"));
}

TEST_F(Sweep, AChainOfTheBoardsMemoryIsAsLongAsThatIs)
{
    const std::string most = std::to_string(HUB_INTERNAL_DESCS);
    const std::string more = std::to_string(HUB_INTERNAL_DESCS + 1);
    const std::string chains = "workload: dma-chain\n"
                               "platform: hapacs-tca\n"
                               "setup: { bytes: 8, count: [" +
                               most + ", " + more + "], mode: ";

    EXPECT_EQ("s.yaml:3:20: setup count=" + more + ": expected at most " + most +
                  ", the descriptors in the board's memory, or mode=dma-chain-host beside it",
              refusal(chains + "dma-chain-internal }\n"));
    EXPECT_EQ("", refusal(chains + "dma-chain-host }\n"));
}

/* Where a machine is named, `nodes` cannot choose another one. */
TEST_F(Sweep, NodesThatTheMachineDoesNotHaveAreRefused)
{
    const std::string tail = "platform: hapacs-tca\nmachine: ring4\nsetup: { bytes: 16, ";

    for (const char *workload : { "pingpong", "stream", "dma-chain" })
        EXPECT_EQ(
            "s.yaml:4:21: setup nodes=1000: expected 1 or 2, of those that the key machine "
            "names",
            refusal("workload: " + std::string(workload) + "\n" + tail + "nodes: [2, 1000] }\n"));
    EXPECT_EQ("s.yaml:4:21: setup nodes=9: expected at most 4, as ring4 has 4 nodes",
              refusal("workload: all-to-all\n" + tail + "nodes: [4, 9] }\n"));
    EXPECT_EQ("s.yaml:4:31: setup place=0,4: expected no node from 4, as ring4 has 4 nodes",
              refusal("workload: all-to-all\n" + tail + "nodes: 2, place: ['0,3', '0,4'] }\n"));
}

TEST_F(Sweep, MemoriesThatTheNodesDoNotHaveAreRefused)
{
    for (const char *kind : { "machine", "platform" })
        for (const char *dst : { "gpu", "gpu-across-qpi" })
            EXPECT_EQ("s.yaml:3:10: setup dst=" + std::string(dst) +
                          ": expected a memory that node0 of mbcf-hub has",
                      refusal("workload: mpi-pingpong\n" + std::string(kind) +
                              ": mbcf-hub\nsetup: { dst: " + dst + ", bytes: 8 }\n"));
    EXPECT_EQ("s.yaml:3:10: setup memory=gpu: expected a memory that node0 of mbcf-switch has",
              refusal("workload: mpi-collective\nmachine: mbcf-switch\n"
                      "setup: { memory: [gpu, cpu] }\n"));
}

TEST_F(Sweep, AGpuByItsPlaceNamesAComponent)
{
    const std::string begin = "program: pingpong\nmachine: two-node\nargs: { src: ";
    const std::string why = ": expected gpu@COMPONENT, gpu@COMPONENT+N or gpu@!COMPONENT";

    for (const std::string text : { "gpu@", "gpu@!", "gpu@+1", "gpu@hub+", "gpu@hub+x" })
        EXPECT_EQ("s.yaml:3:9: args src=" + text + why, refusal(begin + "'" + text + "' }\n"));
    EXPECT_EQ("s.yaml:3:9: args src=gpu@" + std::string(64, 'x') + why,
              refusal(begin + "'gpu@" + std::string(64, 'x') + "' }\n"));
    for (const std::string text : { "gpu@hub", "gpu@hub+1", "gpu@!hub" })
        ASSERT_EQ(SIM_OK, read(begin + "'" + text + "' }\n")) << err.text;
    EXPECT_EQ("s.yaml:3:25: args src=gpu@nothing: node0: no component nothing: expected one at a "
              "root port of the node",
              refusal("program: pingpong\nmachine: two-node\n"
                      "args: { dst: 'gpu@hub', src: [cpu, 'gpu@nothing'] }\n"));
    EXPECT_EQ("s.yaml:3:9: args src=gpu@hub+2: node0: expected a GPU on the socket of hub, and "
              "2 before it",
              refusal(begin + "'gpu@hub+2' }\n"));
}

/* Before the program refuses it, which it would at each point. */
TEST_F(Sweep, AGpuByItsNumberIsOneOfTheNode)
{
    auto file = [](const std::string &machine, const std::string &args) {
        return "program: pingpong\nmachine: " + machine + "\nargs: " + args + "\n";
    };

    ASSERT_EQ(SIM_OK, read(file("two-node", "{ src: gpu3 }"))) << err.text;
    EXPECT_EQ("s.yaml:3:9: args src=gpu7: node0: expected cpu or gpu0 .. gpu3, the GPUs of the "
              "node",
              refusal(file("two-node", "{ src: [cpu, gpu7] }")));
    EXPECT_EQ("s.yaml:3:19: args dst=gpu0: node0: expected cpu: the node has no GPU",
              refusal(file("mbcf-hub", "{ bytes: 8, dst: gpu0 }")));
    EXPECT_EQ(SIM_OK, read(file("two-node", "['src=gpu7']"))) << "a word as it stands";
}

/* Which arguments are memories, a program's description says, else its being one of workloads/. */
TEST_F(Sweep, OnlyAMemoryIsAGpuByItsPlace)
{
    const std::string own = built("own", R"(
        #include <hubsim-workload.h>
        HUBSIM_WORKLOAD = { .summary = "own", .keys = { { "where", "", HUBSIM_MEMORY, "cpu", "" },
                                                        { "src", "", "", "", "" } } };
        int main(void) { return 0; }
    )");
    const std::string plain = built("plain", "int main(void) { return 0; }\n");
    auto memories = [&](const std::string &program, const std::string &args) {
        EXPECT_EQ(SIM_OK, read("program: " + program + "\nmachine: two-node\nargs: " + args + "\n"))
            << err.text;
        return sweep.points[0].run.memories;
    };

    EXPECT_EQ(2u, memories("pingpong", "{ note: 'gpu@nothing', dst: 'gpu@hub' }"));
    EXPECT_EQ(0u, memories("pingpong", "['src=gpu@nothing']"));
    EXPECT_EQ(1u, memories(own, "{ where: 'gpu@hub', src: 'gpu@nothing' }"));
    EXPECT_EQ(0u, memories(plain, "{ src: 'gpu@nothing', memory: 'gpu@' }"));
    EXPECT_EQ(0u, memories(plain, "['mail=gpu@nothing']"));
    EXPECT_EQ(1u, memories("[pingpong, " + plain + "]", "{ src: ['gpu@hub', gpu1] }"));
    std::vector<uint32_t> all;
    for (unsigned i = 0; i < sweep.n; i++)
        all.push_back(sweep.points[i].run.memories);
    EXPECT_EQ((std::vector<uint32_t>{ 1, 1, 0, 0 }), all);
}

TEST_F(Sweep, AProgramIsNoSource)
{
    const std::string source = write("own.c", "int main(void) { return 0; }\n");

    EXPECT_EQ("s.yaml:1:1: program = " + source + ": expected a program made by hubcc",
              refusal("program: " + source + "\nmachine: two-node\n"));
    EXPECT_EQ("s.yaml:1:1: program = /bin/sh: expected a program made by hubcc",
              refusal("program: /bin/sh\nmachine: two-node\n"))
        << "an ELF file";
}

/* In the first point, in others, and in the setup. */
TEST_F(Sweep, AWrongFaultIsRefusedWhereItIs)
{
    const std::string good = std::string(head) + "machine: ring4\nsetup: { mode: pio, bytes: 8";
    const std::string link = ": link = node9.hub.e: matches no port with a link: "
                             "expected node0 .. node3";

    EXPECT_EQ("s.yaml:5:1: faults = {link: node9.hub.e, bit_error_rate: 1e-9}" + link,
              refusal(good + " }\nfaults: '{link: node9.hub.e, bit_error_rate: 1e-9}'\n"));
    EXPECT_EQ("s.yaml:5:1: faults = {link: node9.hub.e, bit_error_rate: 1e-9}" + link,
              refusal(good + " }\nfaults: [none, '{link: node9.hub.e, bit_error_rate: 1e-9}']\n"));
    EXPECT_EQ("s.yaml:4:55: setup fault_links=node9.hub.e" + link,
              refusal(good + ", bit_error_rate: 0|1e-9, fault_links: node9.hub.e }\n"));
    EXPECT_EQ("s.yaml:4:31: setup faults=nosuch: nosuch: not found in faults/: `hubsim list` names "
              "what is there",
              refusal(good + ", faults: [none, nosuch] }\n"));
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

/* ---- the database --------------------------------------------------------------------- */

TEST_F(Sweep, ADatabaseTakesEachPointOnceAndGivesThemInOrder)
{
    ASSERT_EQ(SIM_OK, read(std::string(head) + "setup: { mode: pio, bytes: [8, 16, 32] }\n"));
    lab_sweep_db *db = open_db(sweep.model);
    ASSERT_NE(nullptr, db) << err.text;
    const lab_sweep_row rows[] = {
        { 2, "{}", "run 2", SIM_OK, "result a=1\n", { 7, UINT64_MAX, 5 } },
        { 0, "{}", "run 0", SIM_ERR_IO, "it's wrong", {} }
    };
    for (const lab_sweep_row &row : rows)
        ASSERT_EQ(SIM_OK, add_row(db, row)) << err.text;
    EXPECT_NE(SIM_OK, add_row(db, rows[0]));
    lab_sweep_db_close(db);

    db = open_db(sweep.model);
    ASSERT_NE(nullptr, db) << err.text;
    std::string all;
    lab_sweep_row_fn add = [](void *arg, const lab_sweep_row *row) {
        *static_cast<std::string *>(arg) +=
            std::to_string(row->point) + row->run + (row->rc == SIM_OK ? " done " : " failed ") +
            row->text + " " + std::to_string(row->print.visible) + " " +
            std::to_string(row->print.wire) + " " + std::to_string(row->print.edge) + "\n";
    };
    ASSERT_EQ(SIM_OK, attempt(&err, [&] { lab_sweep_db_each(db, add, &all); })) << err.text;
    EXPECT_EQ("0run 0 failed it's wrong 0 0 0\n2run 2 done result a=1\n 7 18446744073709551615 5\n",
              all);
    lab_sweep_db_close(db);
}

TEST_F(Sweep, ADatabaseOfOtherPointsOrOfAnotherModelIsRefused)
{
    const std::string good = std::string(head) + "setup: { mode: pio, bytes: [8, 16] }\n";
    const std::string path = folder + "/sweep.db", file = folder + "/s.yaml";
    auto other = [&](const char *what) {
        return path + ": its results were made by other " + what + " than " + file +
               " has now: --fresh sets them aside and begins anew, --out takes another folder";
    };

    ASSERT_EQ(SIM_OK, read(good));
    lab_sweep_db_close(open_db(sweep.model));
    EXPECT_EQ(nullptr, open_db(sweep.model + 1));
    EXPECT_EQ(other("programs or machine files"), err.text);
    lab_sweep_db *any = open_db(0);
    EXPECT_NE(nullptr, any);
    lab_sweep_db_close(any);
    ASSERT_EQ(SIM_OK, read(good + "seed: 2\n"));
    EXPECT_EQ(nullptr, open_db(sweep.model));
    EXPECT_EQ(other("points"), err.text);
    sweep.name = "t";
    EXPECT_EQ(nullptr, open_db(sweep.model));
    EXPECT_EQ(path + ": holds the sweep s: expected t", err.text);
}

TEST_F(Sweep, SettingAsideKeepsTheOldDatabases)
{
    const std::string path = folder + "/sweep.db";

    ASSERT_EQ(SIM_OK, read(std::string(head) + "setup: { mode: pio, bytes: 8 }\n"));
    EXPECT_EQ(SIM_OK, set_aside(path));
    for (int i = 0; i < 2; i++) {
        lab_sweep_db_close(open_db(sweep.model));
        EXPECT_EQ(SIM_OK, set_aside(path)) << err.text;
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
    EXPECT_TRUE(std::filesystem::exists(path + ".1"));
    EXPECT_TRUE(std::filesystem::exists(path + ".2"));
}

TEST_F(Sweep, WhatIsNoDatabaseOfASweepIsRefused)
{
    ASSERT_EQ(SIM_OK, read(std::string(head) + "setup: { mode: pio, bytes: 8 }\n"));
    std::ofstream(folder + "/sweep.db") << std::string(4096, 'x');
    EXPECT_EQ(nullptr, open_db(sweep.model));
    EXPECT_EQ(folder + "/sweep.db: file is not a database", err.text);
}

/* A second description of the same file: POSIX locks do not exclude their own process. */
TEST_F(Sweep, TheLockNamesTheProcessThatHasIt)
{
    const std::string path = folder + "/sweep.lock";
    int fd = -1;
    auto lock = [&] { fd = lab_sweep_lock(path.c_str()); };

    ASSERT_EQ(SIM_OK, attempt(&err, lock)) << err.text;
    pid_t self = getpid(), child = fork();
    if (child == 0) {
        std::string expected = path + ": the sweep is being run by process " + std::to_string(self);
        bool right = attempt(&err, lock) == SIM_ERR_IO && expected == err.text;
        _exit(right ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(0, status);
    close(fd);
}

/* ---- running --------------------------------------------------------------------------- */

TEST_F(Sweep, OnlyWhatHasNoRowIsRunAndTheTableComesFromTheRows)
{
    ASSERT_EQ(SIM_OK, read(std::string(head) +
                           "setup: { mode: pio, bytes: [8, 16], rounds: 1, repeats: 1 }\n"));
    lab_sweep_db *db = open_db(sweep.model);
    ASSERT_NE(nullptr, db) << err.text;
    const lab_sweep_row before = {
        1, "{}", "", SIM_OK, "result latency_ps_min=5 latency_ps_median=6 verified=1\n", {}
    };
    ASSERT_EQ(SIM_OK, add_row(db, before));
    unsigned told[2] = { 0, 0 };
    lab_sweep_config cfg = {};
    cfg.site = &site;
    cfg.workers = 2;
    cfg.progress = [](void *arg, unsigned done, unsigned total) {
        static_cast<unsigned *>(arg)[0] = done;
        static_cast<unsigned *>(arg)[1] = total;
    };
    cfg.progress_arg = told;
    ASSERT_EQ(SIM_OK, run(db, cfg)) << err.text;
    EXPECT_EQ(2u, told[0]);
    EXPECT_EQ(2u, told[1]);

    lab_sweep_results results = {};
    lab_table table = {};
    ASSERT_EQ(SIM_OK, collect(db, &results)) << err.text;
    lab_sweep_table(&sweep, &results, &arena, &table);
    ASSERT_EQ(2u, table.nrows);
    EXPECT_STREQ("bytes", table.columns[0].name);
    EXPECT_STREQ("8", lab_table_get(&table, 0, 0));
    EXPECT_GT(atof(lab_table_get(&table, 0, 1)), 0.5);
    EXPECT_STREQ("0.000005", lab_table_get(&table, 1, 1)); /* the row that was there */
    lab_table_fini(&table);
    lab_sweep_db_close(db);
}

/* What is repeated of an argument needs no column; what only has its name is another thing. */
TEST_F(Sweep, AResultWithTheNameOfAnArgumentHasAColumnOfItsOwnUnlessItIsTheArgument)
{
    ASSERT_EQ(SIM_OK, read("program: pingpong\nmachine: two-node\n"
                           "args: { bytes: [8, 16], rounds: [3, 4] }\n"));
    lab_sweep_db *db = open_db(sweep.model);
    ASSERT_NE(nullptr, db) << err.text;
    for (unsigned i = 0; i < 4; i++) {
        const std::string text = std::string("result bytes=") + (i < 2 ? "8" : "16") +
                                 " rounds=" + (i % 2 == 0 ? "3" : "5") + " failure=0\n";

        ASSERT_EQ(SIM_OK, add_row(db, { i, "{}", "", SIM_OK, text.c_str(), {} })) << err.text;
    }
    lab_sweep_results results = {};
    lab_table table = {};
    ASSERT_EQ(SIM_OK, collect(db, &results)) << err.text;
    lab_sweep_table(&sweep, &results, &arena, &table);
    strings columns, last;
    for (unsigned c = 0; c < table.ncolumns; c++) {
        columns.push_back(table.columns[c].name);
        last.push_back(lab_table_get(&table, 3, c));
    }
    EXPECT_EQ((strings{ "bytes", "rounds", "result.rounds", "result.failure", "failure" }),
              columns);
    EXPECT_EQ((strings{ "16", "4", "5", "0", "" }), last);
    lab_table_fini(&table);
    lab_sweep_db_close(db);
}

/* 01 and 1KiB are the numbers that a program prints as 1 and 1024. */
TEST_F(Sweep, AResultIsTheArgumentWhenBothAreOneNumber)
{
    ASSERT_EQ(SIM_OK, read("program: pingpong\nmachine: two-node\n"
                           "args: { n: [01, 2], size: 1KiB, part: 0.50, name: [a] }\n"));
    lab_sweep_db *db = open_db(sweep.model);
    ASSERT_NE(nullptr, db) << err.text;
    for (unsigned i = 0; i < 2; i++) {
        const std::string text = std::string("result n=") + (i == 0 ? "1" : "2") +
                                 " size=1024 part=0.5 name=" + (i == 0 ? "a" : "b") + "\n";

        ASSERT_EQ(SIM_OK, add_row(db, { i, "{}", "", SIM_OK, text.c_str(), {} })) << err.text;
    }
    lab_sweep_results results = {};
    lab_table table = {};
    ASSERT_EQ(SIM_OK, collect(db, &results)) << err.text;
    lab_sweep_table(&sweep, &results, &arena, &table);
    strings columns;
    for (unsigned c = 0; c < table.ncolumns; c++)
        columns.push_back(table.columns[c].name);
    EXPECT_EQ((strings{ "n", "size", "part", "result.name", "failure" }), columns);
    lab_table_fini(&table);
    lab_sweep_db_close(db);
}

TEST_F(Sweep, AProgramThatSaysWhatItMovesHasABandwidthAndABoundFromTheMachinesLinks)
{
    ASSERT_EQ(
        SIM_OK,
        read("workload: all-to-all\n"
             "platform: hapacs-tca\n"
             "machine: [ring4, ring8]\n"
             "setup: { nodes: 4, bytes: 4096, warmup: 0, rounds: 1, repeats: 1, memory: cpu,\n"
             "         mode: dma-chain-internal }\n"));
    lab_sweep_db *db = open_db(sweep.model);
    ASSERT_NE(nullptr, db) << err.text;
    lab_sweep_config cfg = {};
    cfg.site = &site;
    cfg.workers = 2;
    ASSERT_EQ(SIM_OK, run(db, cfg)) << err.text;
    lab_sweep_results results = {};
    lab_table table = {};
    ASSERT_EQ(SIM_OK, collect(db, &results)) << err.text;
    lab_sweep_table(&sweep, &results, &arena, &table);
    ASSERT_EQ(2u, table.nrows);

    double value[2][2] = {};
    for (unsigned c = 0; c < table.ncolumns; c++)
        for (unsigned r = 0; r < 2; r++) {
            if (std::string("bandwidth_MBps") == table.columns[c].name)
                value[r][0] = atof(lab_table_get(&table, r, c));
            if (std::string("bound_MBps") == table.columns[c].name)
                value[r][1] = atof(lab_table_get(&table, r, c));
        }
    /* Three blocks leave each host: what a bus of 16 bytes at 250 MHz carries in packets of 256. */
    EXPECT_NEAR(3368.4, value[0][1], 0.1);
    for (auto &row : value) {
        EXPECT_GT(row[0], 1000.0);
        EXPECT_LT(row[0], row[1]);
    }
    lab_table_fini(&table);
    lab_sweep_db_close(db);
}

} // namespace
