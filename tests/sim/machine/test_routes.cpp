/* Routes: shortest, deterministic, merged, within sub-clusters. */
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "machine/routes.h"

namespace
{

const char *const ports[] = { "n", "e", "w", "s", nullptr };

struct Cable {
    unsigned a;
    std::string port_a;
    unsigned b;
    std::string port_b;
};

struct Net {
    std::vector<machine_routes> routes;
    sim_error err = {};
    int code;

    Net(unsigned n, const std::vector<Cable> &cables, uint64_t parts = 16) : routes(n)
    {
        std::vector<machine_router> routers(n, { ports, "hub" });
        std::vector<machine_edge> edges;

        for (const Cable &c : cables)
            edges.push_back({ c.a, c.b, c.port_a.c_str(), c.port_b.c_str() });
        code = machine_routes_compute(n, routers.data(), (unsigned)edges.size(), edges.data(),
                                      parts << 20, 1 << 20, routes.data(), &err);
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
    EXPECT_STREQ("hub: 5 hubs are joined, but the window has 4 parts", net.err.text);
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
