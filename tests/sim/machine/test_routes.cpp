/* Routes: by each policy, deterministic, merged, within sub-clusters, and walked. */
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "machine/routes.h"

namespace
{

const char *const ports[] = { "n", "e", "w", "s", "a", "b", nullptr };

struct Cable {
    unsigned a;
    std::string port_a;
    unsigned b;
    std::string port_b;
};

struct Policy {
    std::vector<std::vector<const char *>> dimensions;
    bool by_hand = false;
    std::vector<machine_hop> hops;
    std::vector<unsigned> order;
};

struct Net {
    std::vector<machine_routes> routes;
    std::vector<Cable> cables;
    std::vector<std::string> names;
    std::vector<machine_router> routers;
    std::vector<machine_edge> edges;
    std::vector<machine_dimension> dimensions;
    Policy policy;
    machine_graph graph = {};
    sim_error err = {};
    int code;

    Net(unsigned n, std::vector<Cable> c, uint64_t parts = 16, Policy p = {})
        : routes(n), cables(std::move(c)), policy(std::move(p))
    {
        for (unsigned i = 0; i < n; i++)
            names.push_back("node" + std::to_string(i));
        for (auto &name : names)
            routers.push_back({ ports, name.c_str() });
        for (const Cable &cable : cables)
            edges.push_back({ cable.a, cable.b, cable.port_a.c_str(), cable.port_b.c_str() });
        for (auto &d : policy.dimensions) {
            d.push_back(nullptr);
            dimensions.push_back({ d.data() });
        }
        graph.nrouters = n;
        graph.routers = routers.data();
        graph.nedges = (unsigned)edges.size();
        graph.edges = edges.data();
        graph.order = policy.order.empty() ? nullptr : policy.order.data();
        graph.window_bytes = parts << 20;
        graph.part_bytes = 1 << 20;
        graph.policy = { (unsigned)dimensions.size(),
                         dimensions.data(),
                         policy.by_hand,
                         (unsigned)policy.hops.size(),
                         policy.hops.data(),
                         "net.yaml",
                         3 };
        code = machine_routes_compute(&graph, routes.data(), &err);
        if (code == SIM_OK)
            code = walk();
    }
    Net(const Net &) = delete;
    Net &operator=(const Net &) = delete;
    int walk() { return machine_routes_walk(&graph, routes.data(), &err); }
    /** Ports on the way between two routers. */
    std::string way(unsigned from, unsigned to) const
    {
        std::string s;

        while (from != to && s.size() < 64) {
            std::string p = port(from, routes[to].slot);
            unsigned next = from;

            for (const machine_edge &e : edges) {
                if (e.a == from && p == e.port_a)
                    next = e.b;
                if (e.b == from && p == e.port_b)
                    next = e.a;
            }
            EXPECT_NE(next, from);
            s += p;
            from = next;
        }
        return s;
    }
    std::string port(unsigned from, unsigned slot) const
    {
        const machine_routes &r = routes[from];

        for (unsigned i = 0; i < r.nranges; i++)
            if (slot >= r.ranges[i].first && slot <= r.ranges[i].last)
                return r.ranges[i].port;
        return "";
    }
    std::string ranges(unsigned from) const
    {
        std::string s;

        for (unsigned i = 0; i < routes[from].nranges; i++) {
            const auto &r = routes[from].ranges[i];
            s += std::string(r.port) + std::to_string(r.first) + "-" + std::to_string(r.last) + " ";
        }
        return s;
    }
};

std::vector<Cable> ring(unsigned n, unsigned first = 0)
{
    std::vector<Cable> c;

    for (unsigned i = 0; i < n; i++)
        c.push_back({ first + i, "e", first + (i + 1) % n, "w" });
    return c;
}

TEST(Routes, TwoNodesUseTheirCable)
{
    Net net(2, { { 0, "e", 1, "w" } });

    ASSERT_EQ(SIM_OK, net.code);
    EXPECT_EQ("e1-1 ", net.ranges(0));
    EXPECT_EQ("w0-0 ", net.ranges(1));
    EXPECT_EQ(1u, net.routes[1].slot);
    EXPECT_EQ(16u << 20, net.routes[1].window_bytes);
    EXPECT_EQ(1u << 20, net.routes[1].part_bytes);
}

TEST(Routes, ARingIsHalvedAndTheTieGoesByPortOrder)
{
    Net net(8, ring(8));

    EXPECT_EQ("e1-4 w5-7 ", net.ranges(0));
    EXPECT_EQ("e0-1 w2-4 e6-7 ", net.ranges(5));
    EXPECT_EQ("", net.port(3, 3)) << "the own part leaves by no cable";
}

TEST(Routes, ParallelCablesUseTheFirstPort)
{
    Net net(2, { { 0, "s", 1, "s" }, { 0, "e", 1, "w" } });

    EXPECT_EQ("e1-1 ", net.ranges(0));
    EXPECT_EQ("w0-0 ", net.ranges(1));
}

TEST(Routes, TwoRingsJoinedBySReachEachOtherInFewSteps)
{
    std::vector<Cable> c = ring(8), second = ring(8, 8);

    c.insert(c.end(), second.begin(), second.end());
    for (unsigned i = 0; i < 8; i++)
        c.push_back({ i, "s", i + 8, "s" });
    Net net(16, c);
    const std::map<std::string, int> step = { { "e", 1 }, { "w", -1 } };
    for (unsigned from = 0; from < 16; from++)
        for (unsigned to = 0; to < 16; to++) {
            unsigned at = from, hops = 0;

            while (at != to && hops <= 16) {
                std::string p = net.port(at, to);
                ASSERT_NE("", p);
                at = p == "s" ? (at + 8) % 16
                              : at / 8 * 8 + (unsigned)((int)(at % 8) + step.at(p) + 8) % 8;
                hops++;
            }
            unsigned around = (from - to) % 8;
            EXPECT_EQ(std::min(around, 8 - around) + (from / 8 != to / 8), hops);
        }
}

TEST(Routes, SubClustersHaveWindowsOfTheirOwn)
{
    std::vector<Cable> c = ring(4), second = ring(4, 4);

    c.insert(c.end(), second.begin(), second.end());
    Net net(9, c, 4);
    ASSERT_EQ(SIM_OK, net.code);
    for (unsigned i = 0; i < 8; i++)
        EXPECT_EQ(i % 4, net.routes[i].slot);
    EXPECT_EQ(net.ranges(1), net.ranges(5));
    EXPECT_EQ("", net.ranges(8)) << "alone";
    EXPECT_EQ(0u, net.routes[8].slot);
}

TEST(Routes, TooManyHubsForTheWindowAreRefused)
{
    Net net(5, ring(5), 4);

    EXPECT_EQ(SIM_ERR_CONFIG, net.code);
    EXPECT_STREQ("net.yaml:3: node0: 5 hubs are joined, but the window has 4 parts", net.err.text);
}

TEST(Routes, PartsFollowTheOrderThatIsAskedFor)
{
    std::vector<Cable> c; /* along the ring: 0 2 4 6 7 5 3 1 */
    const std::vector<unsigned> ring_order = { 0, 2, 4, 6, 7, 5, 3, 1 };

    for (unsigned i = 0; i < 8; i++)
        c.push_back({ ring_order[i], "e", ring_order[(i + 1) % 8], "w" });
    Net by_node(8, c), by_ring(8, c, 16, { {}, false, {}, ring_order });
    ASSERT_EQ(SIM_OK, by_ring.code) << by_ring.err.text;
    for (unsigned k = 0; k < 8; k++)
        EXPECT_EQ(k, by_ring.routes[ring_order[k]].slot);
    EXPECT_EQ("e1-4 w5-7 ", by_ring.ranges(0));
    EXPECT_EQ("w1-1 e2-2 w3-3 e4-4 w5-5 e6-7 ", by_node.ranges(0));
    EXPECT_EQ(by_node.way(4, 5), by_ring.way(4, 5)) << "the ways do not depend on it";
}

TEST(Routes, OneWayRoundLeavesByOnePortOnly)
{
    Net net(8, ring(8), 16, { { { "e" } }, false, {}, {} });

    ASSERT_EQ(SIM_OK, net.code) << net.err.text;
    EXPECT_EQ("e1-7 ", net.ranges(0));
    EXPECT_EQ("e0-4 e6-7 ", net.ranges(5));
    EXPECT_EQ("eeeeeee", net.way(3, 2));
}

TEST(Routes, OneWayThatLeadsNotEverywhereIsRefused)
{
    std::vector<Cable> line = ring(4);

    line.pop_back();
    Net net(4, line, 16, { { { "e" } }, false, {}, {} });
    EXPECT_EQ(SIM_ERR_CONFIG, net.code);
    EXPECT_STREQ("net.yaml:3: node1: no port leads to node0 (the route from node1): expected a "
                 "route for each pair that cables join",
                 net.err.text);
}

std::vector<Cable> torus(unsigned width, unsigned height)
{
    std::vector<Cable> c;

    for (unsigned i = 0; i < width * height; i++) {
        unsigned x = i % width, y = i / width;
        c.push_back({ i, "e", y * width + (x + 1) % width, "w" });
        c.push_back({ i, "a", (y + 1) % height * width + x, "b" });
    }
    return c;
}

TEST(Routes, DimensionOrderGoesAlongOneAxisAfterTheOther)
{
    Net net(16, torus(4, 4), 16, { { { "e", "w" }, { "a", "b" } }, false, {}, {} });
    Net turned(16, torus(4, 4), 16, { { { "a", "b" }, { "e", "w" } }, false, {}, {} });

    ASSERT_EQ(SIM_OK, net.code) << net.err.text;
    EXPECT_EQ("ea", net.way(0, 5));
    EXPECT_EQ("ae", turned.way(0, 5));
    EXPECT_EQ("wb", net.way(0, 15));
    EXPECT_EQ("eeaa", net.way(0, 10));
    for (unsigned from = 0; from < 16; from++)
        for (unsigned to = 0; to < 16; to++) {
            std::string way = net.way(from, to);
            unsigned dx = (to - from) % 4, dy = (to / 4 - from / 4) % 4;
            EXPECT_EQ(std::min(dx, 4 - dx) + std::min(dy, 4 - dy), way.size());
            EXPECT_EQ(std::string::npos, way.find_first_of("ew", way.find_first_of("ab")))
                << way << ": no turn back to the first axis";
        }
}

TEST(Routes, DimensionOrderOnTwoRingsCrossesFirst)
{
    std::vector<Cable> c = ring(4), second = ring(4, 4);

    c.insert(c.end(), second.begin(), second.end());
    for (unsigned i = 0; i < 4; i++)
        c.push_back({ i, "s", i + 4, "s" });
    Net net(8, c, 16, { { { "s" }, { "e", "w" } }, false, {}, {} });
    ASSERT_EQ(SIM_OK, net.code) << net.err.text;
    EXPECT_EQ("see", net.way(0, 6));
    EXPECT_EQ("see", net.way(5, 3));
}

/** The way round by e, all of it by hand. */
std::vector<machine_hop> round_by_hand(unsigned n)
{
    std::vector<machine_hop> hops;

    for (unsigned at = 0; at < n; at++)
        for (unsigned to = 0; to < n; to++)
            if (at != to)
                hops.push_back({ at, to, "e", "net.yaml", 10 + at });
    return hops;
}

TEST(Routes, ByHandAreTakenAsTheyAre)
{
    Net hand(8, ring(8), 16, { {}, true, round_by_hand(8), {} });
    Net one_way(8, ring(8), 16, { { { "e" } }, false, {}, {} });

    ASSERT_EQ(SIM_OK, hand.code) << hand.err.text;
    for (unsigned i = 0; i < 8; i++)
        EXPECT_EQ(one_way.ranges(i), hand.ranges(i));
    Net mixed(8, ring(8), 16, { {}, false, { { 0, 2, "w", "net.yaml", 4 } }, {} });
    EXPECT_EQ(SIM_ERR_CONFIG, mixed.code) << "back at 7 a shortest way leads over 0 again";
    EXPECT_EQ(0u, std::string(mixed.err.text).find("net.yaml:4: node0.w: the route to node2"))
        << mixed.err.text;
    Net detour(8, ring(8), 16, { {}, false, { { 0, 4, "w", "net.yaml", 4 } }, {} });
    ASSERT_EQ(SIM_OK, detour.code) << detour.err.text;
    EXPECT_EQ("wwww", detour.way(0, 4));
}

TEST(Routes, AWayByHandThatGoesRoundIsNamed)
{
    std::vector<machine_hop> hops = round_by_hand(4);

    for (machine_hop &hop : hops)
        if (hop.at == 2 && hop.to == 0)
            hop.port = "w"; /* 1 -> 2 by e, and back */
    Net net(4, ring(4), 16, { {}, true, hops, {} });
    EXPECT_EQ(SIM_ERR_CONFIG, net.code);
    EXPECT_STREQ(
        "net.yaml:11: node1.e: the route to node0 goes round for ever: node1.e, node2.w, node1",
        net.err.text);
}

TEST(Routes, AWayByHandThatIsMissingIsNamed)
{
    std::vector<machine_hop> hops = round_by_hand(4);

    hops.erase(hops.begin() + 7); /* from 2 to 1 */
    Net net(4, ring(4), 16, { {}, true, hops, {} });
    EXPECT_EQ(SIM_ERR_CONFIG, net.code);
    EXPECT_STREQ("net.yaml:3: node2: no port leads to node1 (the route from node2): expected a "
                 "route for each pair that cables join",
                 net.err.text);
}

TEST(Routes, AWayByHandByAPortWithoutCableIsNamed)
{
    Net net(4, ring(4), 16, { {}, false, { { 1, 3, "s", "net.yaml", 7 } }, {} });

    EXPECT_EQ(SIM_ERR_CONFIG, net.code);
    EXPECT_STREQ(
        "net.yaml:7: node1.s: the route to node3 begins at a port without a cable to another "
        "hub",
        net.err.text);
}

/* Any graph: from every node every other is reached in as many steps as breadth first search says.
 */
TEST(Routes, AreShortestInRandomGraphs)
{
    std::mt19937 rng(7);

    for (int round = 0; round < 50; round++) {
        unsigned n = 2 + rng() % 14;
        std::vector<Cable> cables;
        std::vector<unsigned> used(n, 1); /* ports e, w, s from 1 on */

        for (unsigned tries = 0; tries < 3 * n; tries++) {
            unsigned a = rng() % n, b = rng() % n;
            if (a != b && used[a] < 4 && used[b] < 4)
                cables.push_back({ a, ports[used[a]++], b, ports[used[b]++] });
        }
        Net net(n, cables);
        ASSERT_EQ(SIM_OK, net.code);
        std::vector<std::vector<unsigned>> d(n, std::vector<unsigned>(n, 1000));
        for (unsigned i = 0; i < n; i++)
            d[i][i] = 0;
        for (const Cable &c : cables)
            d[c.a][c.b] = d[c.b][c.a] = 1;
        for (unsigned k = 0; k < n; k++)
            for (unsigned i = 0; i < n; i++)
                for (unsigned j = 0; j < n; j++)
                    d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
        for (unsigned from = 0; from < n; from++)
            for (unsigned to = 0; to < n; to++) {
                if (from == to || d[from][to] == 1000)
                    continue;
                std::string p = net.port(from, net.routes[to].slot);
                unsigned next = n;
                for (const Cable &c : cables) {
                    if (c.a == from && c.port_a == p)
                        next = c.b;
                    if (c.b == from && c.port_b == p)
                        next = c.a;
                }
                ASSERT_LT(next, n);
                EXPECT_EQ(d[from][to], d[next][to] + 1);
            }
    }
}

} // namespace
