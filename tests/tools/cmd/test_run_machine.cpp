/* What `hubsim run MACHINE` and `hubsim topology MACHINE` print, and refuse. */
#include <algorithm>
#include <vector>

#include "tests/tools/cmd/command.h"

namespace
{

using Machines = test::Command;

/* Sub-clusters have no cables between them, and each is a machine that an architect looks at. */
TEST_F(Machines, EachPartOfAMachineIsMeasured)
{
    std::string file = write("m.yaml", "platform: hapacs-tca\nnodes: 5\nedges: |\n  0 2\n  1 4\n");

    EXPECT_EQ(0, run("run " + file)) << errors;
    EXPECT_NE(std::string::npos, out.find("\n0 - 2     1 ")) << out;
    EXPECT_NE(std::string::npos, out.find("\n1 - 4     1 ")) << out;
    EXPECT_NE(std::string::npos,
              out.find("\n3 parts without routes between them: nodes 0, 2; 1, 4; 3\n"))
        << out;
    EXPECT_EQ(0, run("run " + file + " --csv")) << errors;
    EXPECT_EQ(3, std::count(out.begin(), out.end(), '\n')) << out;
    EXPECT_EQ(0, run("run line3")) << errors;
    EXPECT_EQ(std::string::npos, out.find("parts")) << out;
}

/* The cables between the two nodes, there and back. */
TEST_F(Machines, TheBoundOfAMachineIsThatOfTheRoutes)
{
    auto rows = [&](const std::string &args) {
        std::vector<std::pair<double, double>> values; /* bandwidth, bound */

        EXPECT_EQ(0, run("run " + args + " --csv")) << errors;
        for (size_t at = out.find('\n'); at + 1 < out.size(); at = out.find('\n', at + 1)) {
            std::string line = out.substr(at + 1, out.find('\n', at + 1) - at - 1);
            size_t last = line.rfind(','), before = line.rfind(',', last - 1);

            values.push_back(
                { std::stod(line.substr(before + 1)), std::stod(line.substr(last + 1)) });
            EXPECT_LT(values.back().first, values.back().second) << line;
            EXPECT_GT(values.back().first, 0.9 * values.back().second) << line;
        }
        return values;
    };
    std::string round = write("round.yaml", "platform: hapacs-tca\nnodes: 3\n"
                                            "edges: |\n  0 1\n  1 2\n  2 0\n"
                                            "routes: {one_way: e}\n");

    EXPECT_NEAR(3555.6, rows("line3")[1].second, 0.1);
    const auto narrow = rows("line3 --set 'node1.hub.e.link.lanes=1'");
    EXPECT_NEAR(3555.6, narrow[0].second, 0.1);
    EXPECT_NEAR(457.1, narrow[1].second, 0.1);
    EXPECT_NEAR(457.1, rows("line3 --set 'node2.hub.n.link.lanes=1'")[1].second, 0.1);
    EXPECT_NEAR(2 / (1 / 457.14 + 1 / 3555.6),
                rows(round + " --set 'node0.hub.e.link.lanes=1'")[0].second, 0.1);
}

TEST_F(Machines, AMachineAloneUsesEachHubOfItsNodes)
{
    EXPECT_EQ(0, run("run examples/hubs/rails.yaml --csv --set node*.hub1.e.link.lanes=1"))
        << errors;
    for (const char *hub : { "hub0", "hub1" })
        for (const char *to : { "1", "2", "3" }) {
            std::string row = std::string("\n0.") + hub + " - " + to + "." + hub + ",";
            size_t at = out.find(row);

            ASSERT_NE(std::string::npos, at) << row << out;
            std::string line = out.substr(at + 1, out.find('\n', at + 1) - at - 1);
            EXPECT_EQ(hub[3] == '0' ? ",3555.6" : ",457.1", line.substr(line.rfind(','))) << line;
        }
}

/* Hub 0 of node 0, of node 1, hub 1 of node 0, of node 1 are one ring. */
TEST_F(Machines, AMachineAloneUsesEachHubOfOneNetwork)
{
    std::string file =
        write("one-ring.yaml", "platform: " + std::filesystem::current_path().string() +
                                   "/examples/hubs/node-two.yaml\nnodes: 2\nedges: |\n"
                                   "  0.hub0.e 1.hub0.w\n  1.hub0.e 0.hub1.w\n"
                                   "  0.hub1.e 1.hub1.w\n  1.hub1.e 0.hub0.w\n");

    EXPECT_EQ(0, run("run " + file + " --csv --set node*.hub1.e.link.lanes=1")) << errors;
    EXPECT_NE(std::string::npos, out.find("\n0.hub0 - 1.hub0,1,")) << out;
    EXPECT_NE(std::string::npos, out.find("\n0.hub1 - 1.hub1,1,")) << out;
    EXPECT_EQ(3, std::count(out.begin(), out.end(), '\n')) << out;
}

/* Each pair of joined hubs is of one number or of two. */
TEST_F(Machines, CrossedHubsAreRoutesThatRanksCannotUse)
{
    std::string file =
        write("crossed.yaml", "platform: " + std::filesystem::current_path().string() +
                                  "/examples/hubs/node-two.yaml\nnodes: 2\nedges: |\n"
                                  "  0.hub0 1.hub1\n  1.hub0 0.hub1\n");

    EXPECT_EQ(0, run("topology " + file + " --csv")) << errors;
    EXPECT_NE(std::string::npos, out.find("\nnode0.hub0,node1.hub1,1,216.000\n")) << out;
    EXPECT_NE(std::string::npos, out.find("\nnode0.hub0,node1.hub0,,\n")) << out;
    EXPECT_EQ(1, run("run " + file));
    EXPECT_EQ("", out);
    EXPECT_EQ("hubsim: " + file +
                  ": no two nodes to measure: ranks use the hub of one number in all nodes "
                  "(software.rank_hub): expected a route between two such hubs, and there are only "
                  "those within 0.hub0, 1.hub1; 0.hub1, 1.hub0\n",
              errors);
}

TEST_F(Machines, ANodeMayNotChooseItsHubUnlikeTheOthers)
{
    const std::string series = write("own.yaml", "description: x\nworkload: pingpong\n"
                                                 "machine: examples/hubs/rails.yaml\nseries:\n"
                                                 "  - { name: a, mode: pio, bytes: 8 }\n");

    EXPECT_EQ(0, run("run " + series + " --out " + folder + " --set node*.software.rank_hub=1"));
    EXPECT_EQ(1, run("run " + series + " --out " + folder + " --set node2.software.rank_hub=turn"));
    EXPECT_NE(std::string::npos,
              errors.find("node2.software.rank_hub = turn: expected 0 as on node 0: all ranks "
                          "choose their hub alike\n"))
        << errors;
    EXPECT_EQ(1, run("topology examples/hubs/rails.yaml --set node2.software.rank_hub=1"));
    EXPECT_EQ("hubsim: --set: node2.software.rank_hub = 1: expected 0 as on node 0: all ranks "
              "choose their hub alike\n",
              errors);
}

TEST_F(Machines, AHubThatNoNodeHasIsRefusedWhenTheMachineIsLoaded)
{
    const std::string five = write("five.yaml", "platform: hapacs-tca\nring: 3\nset:\n"
                                                "  node1.software.rank_hub: 5\n");

    for (const char *command : { "topology ", "params ", "run " }) {
        EXPECT_EQ(1, run(command + five));
        EXPECT_EQ("hubsim: " + five +
                      ":4: node1.software.rank_hub = 5: expected turn, or the number of a hub from "
                      "0 on: no node has that many\n",
                  errors);
    }
    EXPECT_EQ(0, run("topology two-node --set node*.software.rank_hub=turn")) << errors;
    EXPECT_EQ(1, run("topology examples/hubs/rails.yaml --set node*.software.rank_hub=2"));
    EXPECT_EQ(0, run("topology examples/hubs/rails.yaml --set node*.software.rank_hub=1"));
}

TEST_F(Machines, AMachineAloneGivesPingPongByDistance)
{
    EXPECT_EQ(0, run("run line3 --csv")) << errors;
    EXPECT_EQ(0u, out.find("nodes,hops,pio_8B_us,dma_8B_us,dma_256KiB_MBps,bound_MBps\n0 - 1,1,"));
    EXPECT_NE(std::string::npos, out.find("\n0 - 2,2,"));
    /* of more than eight nodes the first one at each distance, and one that differs */
    const std::string ten = write("ten.yaml", "platform: hapacs-tca\nring: 10\n");
    EXPECT_EQ(0, run("run " + ten + " --csv")) << errors;
    EXPECT_EQ(std::string::npos, out.find("\n0 - 7,")) << out;
    EXPECT_EQ(0, run("run " + ten + " --csv --set node[78].host.p0.port.lanes=4")) << errors;
    EXPECT_NE(std::string::npos, out.find("\n0 - 5,5,")) << out;
    EXPECT_NE(std::string::npos, out.find("\n0 - 7,3,")) << out;
    EXPECT_NE(std::string::npos, out.find("\n0 - 8,2,")) << out;
    EXPECT_EQ(std::string::npos, out.find("\n0 - 6,")) << out;
    EXPECT_EQ(0, run("run subcluster16 --csv")) << errors; /* roles of ports follow the cables */
    EXPECT_EQ(6, std::count(out.begin(), out.end(), '\n')) << out;
    EXPECT_EQ(0, run("run line3 --csv --out " + folder + "/out")) << errors;
    EXPECT_TRUE(std::filesystem::exists(folder + "/out/line3/statistics.json"));
    EXPECT_EQ(1, run("run one-node"));
    EXPECT_EQ("hubsim: one-node: one node: expected an experiment, or a machine of two or more\n",
              errors);
    EXPECT_EQ(1, run("run two-ends"));
    EXPECT_EQ("hubsim: two-ends: links alone: expected an experiment with workload: bare-link\n",
              errors);
}

TEST_F(Machines, LatencyOfAFurtherHopIsThatOfTheSimulation)
{
    EXPECT_EQ(0, run("run line3 --csv")) << errors;
    auto latency_us = [this](const std::string &row) {
        return std::stod(out.substr(out.find(row) + row.size()));
    };
    double simulated_ns = 1e3 * (latency_us("\n0 - 2,2,") - latency_us("\n0 - 1,1,"));

    EXPECT_EQ(0, run("topology line3 --csv")) << errors;
    EXPECT_EQ(0u, out.find("from,to,hops,latency_ns\n"));
    const std::string row = "\nnode0.hub,node1.hub,1,";
    ASSERT_NE(std::string::npos, out.find(row));
    EXPECT_NEAR(simulated_ns, latency_us(row), 0.02 * simulated_ns);
}

TEST_F(Machines, ATopologyIsOfAMachineThatCanBeBuilt)
{
    EXPECT_EQ(1, run("topology one-node"));
    EXPECT_EQ(errors.size() - 1, errors.find('\n'));
    EXPECT_NE(std::string::npos,
              errors.find("cables = 0: expected a machine with a cable between two hubs"));
    EXPECT_EQ(1, run("topology two-node --set node0.hub.e.link.lanes=3"));
    EXPECT_EQ(errors.size() - 1, errors.find('\n'));
    EXPECT_NE(std::string::npos, errors.find("node0.hub.e: lanes = 3: expected 1, 2, 4, 8 or 16"))
        << errors;
}

TEST_F(Machines, FewerLanesAreSeenInTheTableAndInItsBound)
{
    EXPECT_EQ(0, run("run two-node --csv"));
    std::string eight = out;
    EXPECT_EQ(0, run("run two-node --csv --set 'node*.hub.*.link.lanes=4'")) << errors;
    auto last_two = [](const std::string &text) {
        size_t end = text.rfind(','), begin = text.rfind(',', end - 1);
        return std::make_pair(std::stod(text.substr(begin + 1)), std::stod(text.substr(end + 1)));
    };
    EXPECT_LT(last_two(out).first, 0.6 * last_two(eight).first);
    EXPECT_NEAR(last_two(out).second, 2000 * 256.0 / 280, 0.1);
}

} // namespace
