/*
 * What `hubsim topology` and the bounds of `hubsim run MACHINE` say, held against a second
 * computation and against what happens. All labelled graphs and 10^4 machines take
 * some ten minutes each:
 *
 *   build/tests/bin/test_lab_reference --gtest_also_run_disabled_tests --gtest_filter='*DISABLED*'
 */
#include "tests/built.h"
#include "tests/hosts/tca/flood.h"
#include "tests/tools/lab/reference/agree.h"
#include "tests/tools/lab/reference/samples.h"

namespace
{

using reference::Count;

void print(const char *what, const Count &c)
{
    printf("%s: %u machines, %u with a dependency cycle, %u with a possible deadlock, found in "
           "%u; %u bounds\n",
           what, c.machines, c.with_cycle, c.possible, c.played, c.bounds);
}

/* ---- two computations ------------------------------------------------------------------- */

/** Without guards, with them, with more headers than places, and with two channels. */
const std::vector<std::vector<std::string>> variants = {
    { "node*.hub.bubble_tlps=1" },
    {},
    { "node*.hub.*.link.pd_credits=56" },
    { "node*.hub.bubble_tlps=1", "node*.hub.vc1.ph_credits=4", "node0.hub.date_line.*=1" },
};

/** One graph of each class, numbered at random, or all. */
void compare_graphs(bool classes, Count *count)
{
    std::mt19937 rng(1);

    for (unsigned nodes = 2; nodes <= 6; nodes++)
        for (reference::Mask graph : reference::connected_graphs(nodes, classes)) {
            std::vector<unsigned> order(nodes);

            std::iota(order.begin(), order.end(), 0);
            if (classes)
                std::shuffle(order.begin(), order.end(), rng);
            for (const auto &variant : variants) {
                std::vector<std::string> sets = { "node*.hub.ddr.bytes=0",
                                                  "node*.hub.*.link.ph_credits=4",
                                                  "node*.hub.*.link.pd_credits=64" };

                sets.insert(sets.end(), variant.begin(), variant.end());
                reference::compare(reference::graph_text(graph, order), sets, 0, count);
                if (testing::Test::HasFailure())
                    return;
            }
        }
}

void compare_random(unsigned first, unsigned n, unsigned rounds, Count *count)
{
    for (unsigned seed = first; seed < first + n; seed++) {
        reference::Random r(seed);

        SCOPED_TRACE(seed);
        reference::compare(r.text, r.sets, rounds, count);
        if (testing::Test::HasFatalFailure())
            return;
    }
}

TEST(Reference, HasEachConnectedGraph)
{
    const size_t classes[] = { 1, 2, 6, 21, 112 },
                 labelled[] = { 1, 4, 38, 728 }; /* OEIS A001349, A001187 */

    for (unsigned nodes = 2; nodes <= 6; nodes++)
        EXPECT_EQ(classes[nodes - 2], reference::connected_graphs(nodes, true).size());
    for (unsigned nodes = 2; nodes <= 5; nodes++)
        EXPECT_EQ(labelled[nodes - 2], reference::connected_graphs(nodes, false).size());
}

TEST(Reference, AgreesOnGraphsOfUpToSixNodes)
{
    Count count = {};

    compare_graphs(true, &count);
    EXPECT_EQ(142u * variants.size(), count.machines);
    EXPECT_LT(0u, count.possible);
    print("graphs", count);
}

const unsigned MACHINES = test::SANITIZED ? 50 : 150;

TEST(Reference, AgreesOnRandomMachines)
{
    Count count = {};

    compare_random(0, MACHINES, 2, &count);
    EXPECT_EQ(MACHINES, count.machines);
    EXPECT_LT(MACHINES / 5, count.possible);
    EXPECT_LT(MACHINES / 5, MACHINES - count.possible);
    EXPECT_LT(count.possible / 2, count.played) << "or packets fill no buffers";
    print("machines", count);
}

TEST(Reference, DISABLED_AgreesOnAllLabelledGraphs)
{
    Count count = {};

    compare_graphs(false, &count);
    print("labelled graphs", count);
}

TEST(Reference, DISABLED_AgreesOnTenThousandMachines)
{
    Count count = {};

    compare_random(0, 10000, 5, &count);
    print("machines", count);
}

/* The cable between the second hubs has one lane, and ranks that use the first ones do not care. */
TEST(Reference, ARunIsBoundedByTheHubsThatItsRanksUse)
{
    const std::string two = "platform: ./examples/hubs/node-two.yaml\nring: 2\n";
    lab_run run = {};

    run.program = "pingpong";
    run.nranks = 4;
    for (auto &k : { std::pair<const char *, double>{ "0", 256 / 72e-9 },
                     { "1", 500e6 * 256 / 280 },
                     { "turn", 256 / 72e-9 } }) {
        std::string set = std::string("node*.software.rank_hub=") + k.first;
        test::MachineFile file(two, { "node*.hub1.[ew].link.lanes=1", set.c_str() });
        lab_bound bound = {};
        sim_error err = {};

        for (unsigned r = 0; r < 4; r++)
            run.nodes[r] = r / 2;
        ASSERT_EQ(SIM_OK, attempt(&err, [&] { bound = lab_run_bound(file.desc(), &run, false); }));
        EXPECT_NEAR(k.second, bound.bytes_per_s, 1) << k.first;
    }
}

/* The other cable of node 0 has one lane, and no packet of these ranks takes it. */
TEST(Reference, ARunIsBoundedByTheLinksThatItTakes)
{
    test::MachineFile file("platform: hapacs-tca\nnodes: 3\nedges: |\n  0.e 2.w\n  1.e 0.w\n",
                           { "node0.hub.e.link.lanes=1" });
    lab_run run = {};
    lab_bound bound = {};
    sim_error err = {};

    run.program = "pingpong";
    run.nranks = 2;
    run.nodes[1] = 1;
    ASSERT_EQ(SIM_OK, attempt(&err, [&] { bound = lab_run_bound(file.desc(), &run, false); }));
    EXPECT_NEAR(256 / 72e-9, bound.bytes_per_s, 1);
    EXPECT_STREQ("bus", bound.name);
    run.nodes[1] = 2;
    ASSERT_EQ(SIM_OK, attempt(&err, [&] { bound = lab_run_bound(file.desc(), &run, false); }));
    EXPECT_NEAR(0.5e9 * 256 / 280, bound.bytes_per_s, 1);
    EXPECT_STREQ("link", bound.name);
}

/* ---- what happens ------------------------------------------------------------------------ */

const unsigned RUNS = test::SANITIZED ? 10 : 25;

/** Runs of which a deadlock was possible, and in which it came. */
struct Runs {
    unsigned possible, came;
};

/** All nodes write to all others. */
void simulate(const reference::Random &r, Runs *runs)
{
    std::vector<const char *> set;
    std::string trace = r.text;

    for (const std::string &s : r.sets) {
        set.push_back(s.c_str());
        trace += "--set " + s + "\n";
    }
    SCOPED_TRACE(trace);
    test::MachineFile file(r.text, set);
    ASSERT_EQ(SIM_OK, file.code);
    bool may = reference::Drains(reference::Machine(file.desc())).deadlock_possible();
    bool stopped = !test::happened(file).empty();

    runs->possible += may;
    runs->came += stopped;
    if (!may) {
        EXPECT_FALSE(stopped);
    }
}

bool may_wait(const reference::Random &r)
{
    std::vector<const char *> set;

    for (const std::string &s : r.sets)
        set.push_back(s.c_str());
    return reference::has_cycle(reference::Machine(test::MachineFile(r.text, set).desc()));
}

/** Machines of up to six nodes that have a cycle of dependencies. */
void simulate_all(unsigned seed, unsigned n, Runs *runs)
{
    for (; n > 0 && !testing::Test::HasFatalFailure(); seed++) {
        reference::Random r(seed, 6);

        if (!may_wait(r))
            continue;
        simulate(r, runs);
        n--;
    }
}

TEST(Reference, IsRightOfWhatHappens)
{
    Runs runs = {};

    simulate_all(0, RUNS, &runs);
    EXPECT_LT(RUNS / 4, runs.possible);
    EXPECT_LT(RUNS / 4, RUNS - runs.possible);
    EXPECT_LT(runs.possible / 2, runs.came) << "or this floods nothing";
    printf("%u runs: %u with a possible deadlock, %u deadlocks\n", RUNS, runs.possible, runs.came);
}

TEST(Reference, DISABLED_IsRightOfWhatHappensInAThousandMachines)
{
    Runs runs = {};

    simulate_all(1000, 1000, &runs);
    printf("1000 runs: %u with a possible deadlock, %u deadlocks\n", runs.possible, runs.came);
}

} // namespace
