/* Graphs small enough to be counted by hand. */
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "tests/tools/attempt.h"
#include "tools/lab/run/software.h"
#include "tools/lab/topology/topology.h"
#include "tools/load/machine.h"

namespace
{

class Topology : public testing::Test
{
  protected:
    void TearDown() override { close(); }
    void close()
    {
        if (machine != nullptr) {
            lab_topology_fini(&topo);
            load_machine_destroy(machine);
        }
        machine = nullptr;
    }
    /** A file of configs/machines, or with `yaml` that text. */
    void open(const std::string &name, const std::string &yaml = "",
              std::vector<const char *> sets = {})
    {
        load_roots roots;
        load_options opt = {};
        sim_error err = {};
        std::string path = "configs/machines/" + name + ".yaml";

        close();
        load_roots_init(&roots);
        load_roots_add(&roots, "configs");
        opt.roots = &roots;
        opt.kinds = lab_kinds();
        opt.sets = sets.data();
        opt.nsets = static_cast<unsigned>(sets.size());
        ASSERT_EQ(SIM_OK, attempt(&err,
                                  [&] {
                                      load_machine *file =
                                          yaml.empty()
                                              ? load_machine_create(path.c_str(), &opt)
                                              : load_machine_parse(path.c_str(), yaml.data(),
                                                                   yaml.size(), &opt);

                                      lab_topology_create(load_machine_desc(file), &topo);
                                      machine = file;
                                  }))
            << err.text;
        sum = lab_topology_summarise(&topo);
        cut = lab_topology_bisect(&topo);
    }
    unsigned hops(unsigned from, unsigned to) const { return topo.hops[from * topo.nhubs + to]; }
    std::string link(unsigned i) const
    {
        return std::string(topo.hubs[topo.links[i].from]) + "." + topo.links[i].port_from;
    }
    std::vector<std::string> cycle()
    {
        std::vector<unsigned> links(2 * topo.nlinks);
        std::vector<std::string> names;

        links.resize(lab_topology_cycle(&topo, links.data()));
        for (unsigned l : links)
            names.push_back(link(l));
        return names;
    }
    uint64_t load_of(const std::string &name) const
    {
        for (unsigned i = 0; i < topo.nlinks; i++)
            if (link(i) == name)
                return topo.links[i].load;
        ADD_FAILURE() << name;
        return 0;
    }
    load_machine *machine = nullptr;
    lab_topology topo = {};
    lab_topo_summary sum = {};
    lab_topo_cut cut = {};
};

/* 0 - 1 - 2: four pairs of one hop, two of two; each link carries its neighbour's message and one
 * that goes on. */
TEST_F(Topology, LineOfThree)
{
    ASSERT_NO_FATAL_FAILURE(open("line3"));
    EXPECT_EQ(6u, sum.routed);
    EXPECT_EQ(0u, sum.unrouted);
    EXPECT_EQ(8u, sum.total_hops);
    EXPECT_EQ(2u, sum.diameter);
    EXPECT_EQ(1u, cut.cables);
    EXPECT_TRUE(cut.exact);
    EXPECT_DOUBLE_EQ(4e9, cut.bytes_per_s);
    EXPECT_EQ(2u, sum.min_load);
    EXPECT_EQ(2u, sum.max_load);
    EXPECT_TRUE(cycle().empty());
}

/* From each node 1 + 2 + 1 hops. What lies opposite goes by E, so each E link carries 1 message of
 * one hop and 2 of two hops, each W link 1. */
TEST_F(Topology, RingOfFour)
{
    ASSERT_NO_FATAL_FAILURE(open("ring4"));
    EXPECT_EQ(12u, sum.routed);
    EXPECT_EQ(16u, sum.total_hops);
    EXPECT_EQ(2u, sum.diameter);
    EXPECT_EQ(2u, cut.cables);
    EXPECT_EQ(3u, sum.max_load);
    EXPECT_EQ(1u, sum.min_load);
    EXPECT_EQ("node0.hub.e", link(sum.most_loaded));
    EXPECT_EQ(4u, sum.nmost_loaded);
    EXPECT_EQ(
        (std::vector<std::string>{ "node0.hub.e", "node1.hub.e", "node2.hub.e", "node3.hub.e" }),
        cycle());
}

/* From each node 1 + 2 + 3 + 4 by E and 1 + 2 + 3 by W. */
TEST_F(Topology, RingOfEight)
{
    ASSERT_NO_FATAL_FAILURE(open("ring8"));
    EXPECT_EQ(56u, sum.routed);
    EXPECT_EQ(8u * 16, sum.total_hops);
    EXPECT_EQ(4u, sum.diameter);
    EXPECT_EQ(2u, cut.cables);
    for (unsigned i = 0; i < 8; i++) {
        EXPECT_EQ(10u, load_of("node" + std::to_string(i) + ".hub.e"));
        EXPECT_EQ(6u, load_of("node" + std::to_string(i) + ".hub.w"));
    }
    EXPECT_EQ(8u, cycle().size());
}

/* From each node 16 hops in its ring and 16 + 8 to the other. Packets go along the ring first, so
 * E and W carry twice what they do in ring8, and S what all of a ring send to one node. */
TEST_F(Topology, TwoRingsOfEight)
{
    ASSERT_NO_FATAL_FAILURE(open("subcluster16"));
    EXPECT_EQ(240u, sum.routed);
    EXPECT_EQ(16u * 40, sum.total_hops);
    EXPECT_EQ(5u, sum.diameter);
    EXPECT_EQ(4u, cut.cables);
    EXPECT_TRUE(cut.exact);
    EXPECT_EQ(20u, load_of("node0.hub.e"));
    EXPECT_EQ(12u, load_of("node15.hub.w"));
    EXPECT_EQ(8u, load_of("node3.hub.s"));
    EXPECT_EQ(20u, sum.max_load);
    EXPECT_EQ(16u, sum.nmost_loaded);
    EXPECT_EQ(8u, sum.min_load);
    EXPECT_EQ(8u, cycle().size());
}

/* A cube with some ties: 3 nodes at one hop, 3 at two, 1 at three. */
TEST_F(Topology, TwoRingsOfFour)
{
    ASSERT_NO_FATAL_FAILURE(open("dual-ring8"));
    EXPECT_EQ(8u * (3 + 6 + 3), sum.total_hops);
    EXPECT_EQ(3u, sum.diameter);
    EXPECT_EQ(4u, cut.cables);
    EXPECT_EQ(6u, load_of("node1.hub.e"));
    EXPECT_EQ(2u, load_of("node1.hub.w"));
    EXPECT_EQ(4u, load_of("node1.hub.s"));
    EXPECT_EQ(4u, cycle().size());
}

/* 14 pairs of one hop, 12 of two ... 2 of seven; the cable in the middle carries 4 times 4. */
TEST_F(Topology, ChainOfEight)
{
    ASSERT_NO_FATAL_FAILURE(open("chain8"));
    EXPECT_EQ(168u, sum.total_hops);
    EXPECT_EQ(7u, sum.diameter);
    EXPECT_EQ(1u, cut.cables);
    EXPECT_EQ(16u, sum.max_load);
    EXPECT_EQ("node3.hub.e", link(sum.most_loaded));
    EXPECT_EQ(2u, sum.nmost_loaded);
    EXPECT_EQ(7u, sum.min_load);
    EXPECT_TRUE(cycle().empty());
}

TEST_F(Topology, LoadsOfTheLinksAreTheHopsOfThePairs)
{
    for (const char *name :
         { "two-node", "line3", "ring4", "ring8", "chain8", "dual-ring8", "subcluster16" }) {
        uint64_t loads = 0;

        ASSERT_NO_FATAL_FAILURE(open(name));
        for (unsigned i = 0; i < topo.nlinks; i++)
            loads += topo.links[i].load;
        EXPECT_EQ(sum.total_hops, loads) << name;
    }
}

/* Two hard blocks, a cable, 8 framing + 16 header + 8 data symbols at 4 GB/s; on to the next edge
 * of 250 MHz, and ten cycles. */
TEST_F(Topology, AHopTakesWhatItsParametersSay)
{
    ASSERT_NO_FATAL_FAILURE(
        open("line3", "", { "node*.hub.hard_block_ps=80000", "node*.hub.receive_cycles=3" }));
    EXPECT_EQ(220000u, topo.latency_ps[1]); /* 160 + 10 + 8 = 178 -> 180, + 40 */
    EXPECT_EQ(440000u, topo.latency_ps[2]);
    ASSERT_NO_FATAL_FAILURE(
        open("line3", "", { "node*.hub.hard_block_ps=80000", "node0.hub.e.link.lanes=1" }));
    EXPECT_EQ(276000u, topo.latency_ps[1]); /* 64 ns in place of 8: 234 -> 236, + 40 */
    EXPECT_DOUBLE_EQ(0.5e9, topo.links[1].bytes_per_s);
}

const char *const head = "platform: hapacs-tca\n";

/* Both sub-clusters count their parts from 0. */
TEST_F(Topology, NoRouteLeadsOutOfASubCluster)
{
    ASSERT_NO_FATAL_FAILURE(open(
        "islands", std::string(head) + "nodes: 4\ncables:\n"
                                       "  - {from: node0.hub.e, to: node1.hub.w, length_mm: 9}\n"
                                       "  - {from: node2.hub.e, to: node3.hub.w, length_mm: 9}\n"));
    EXPECT_EQ(4u, sum.routed);
    EXPECT_EQ(8u, sum.unrouted);
    EXPECT_EQ(1u, hops(0, 1));
    EXPECT_EQ(LAB_TOPO_NONE, hops(0, 3));
    EXPECT_EQ(0u, cut.cables);
    EXPECT_EQ(4u, sum.total_hops);
}

TEST_F(Topology, LargeMachinesAreCutByLocalSearch)
{
    std::string yaml = std::string(head) + "nodes: 24\nwindow: {parts: 32}\ncables:\n";

    /* A ring whose numbers go round twice, so that halves in their order cut every cable. */
    auto number = [](unsigned i) { return std::to_string(i % 24 % 2 * 12 + i % 24 / 2); };
    for (unsigned i = 0; i < 24; i++)
        yaml += "  - {from: node" + number(i) + ".hub.e, to: node" + number(i + 1) +
                ".hub.w, length_mm: 9}\n";
    ASSERT_NO_FATAL_FAILURE(open("ring24", yaml));
    EXPECT_FALSE(cut.exact);
    EXPECT_GE(cut.cables, 2u);
    EXPECT_LE(cut.cables, 6u);
}

class Deadlock : public Topology
{
  protected:
    std::vector<std::string> circle(const std::string &name, const std::string &yaml = "",
                                    std::vector<const char *> sets = {})
    {
        std::vector<std::string> names;

        open(name, yaml, sets);
        std::vector<unsigned> links(2 * topo.nlinks);
        links.resize(lab_topology_deadlock(&topo, links.data()));
        for (unsigned l : links)
            names.push_back(link(l));
        return names;
    }
};

TEST_F(Deadlock, IsRuledOutWhereRingsKeepAPlaceFree)
{
    for (const char *name :
         { "chain8", "ring8", "one-way-ring8", "dual-ring8", "subcluster16", "torus16" })
        EXPECT_TRUE(circle(name).empty()) << name;
    EXPECT_EQ(8u, circle("ring8", "", { "node*.hub.bubble_tlps=1" }).size());
    EXPECT_EQ(8u, circle("ring8", "", { "node3.hub.bubble_tlps=1" }).size())
        << "one hub that does not care is enough";
}

/* A place is room for a header and the largest packet. */
TEST_F(Deadlock, IsPossibleWhereSmallPacketsCanTakeAPlaceInPart)
{
    EXPECT_EQ(8u, circle("ring8", "", { "node*.hub.*.link.pd_credits=504" }).size());
    EXPECT_EQ(8u, circle("ring8", "", { "node*.hub.*.link.ph_credits=0" }).size());
    EXPECT_TRUE(circle("ring8", "", { "node*.hub.*.link.pd_credits=0" }).empty());
}

TEST_F(Deadlock, IsRuledOutByADateLineInEachRing)
{
    std::vector<const char *> sets = { "node*.hub.bubble_tlps=1", "node*.hub.vc1.ph_credits=8",
                                       "node2.hub.date_line.ew=1" };

    EXPECT_TRUE(circle("ring8", "", sets).empty());
    EXPECT_EQ(0u, sum.unrouted);
    EXPECT_TRUE(circle("one-way-ring8", "", sets).empty());
    EXPECT_EQ(4u, circle("dual-ring8", "", sets).size()) << "the second ring has none";
    sets.push_back("node6.hub.date_line.ew=1");
    EXPECT_TRUE(circle("dual-ring8", "", sets).empty());
    EXPECT_EQ(8u, circle("one-way-ring8", "", sets).size()) << "seven hops from one round to it";
    sets.back() = "node5.hub.vc1.ph_credits=0";
    EXPECT_EQ(8u, circle("one-way-ring8", "", sets).size()) << "a link without a second channel";
}

/* Who comes from channel 0 to a second date line goes straight on, and asks for no free place in
 * the ring of channel 1 that the two lines close. */
TEST_F(Deadlock, IsPossibleWherePacketsComeIntoARingOfChannelOneUnasked)
{
    std::vector<const char *> sets = { "node*.hub.vc1.ph_credits=8", "node*.hub.vc1.pd_credits=128",
                                       "node2.hub.date_line.ew=1", "node6.hub.date_line.ew=1" };

    EXPECT_EQ(8u, circle("one-way-ring8", "", sets).size());
    sets.back() = "node*.hub.date_line.ew=1"; /* all is in channel 1 */
    EXPECT_TRUE(circle("one-way-ring8", "", sets).empty());
    sets[1] = "node*.hub.vc1.pd_credits=120";
    EXPECT_EQ(8u, circle("one-way-ring8", "", sets).size()) << "more headers than places";
    sets[0] = "node*.hub.vc1.ph_credits=1";
    sets[1] = "node*.hub.vc1.pd_credits=16";
    EXPECT_EQ(8u, circle("one-way-ring8", "", sets).size()) << "one place";
}

TEST_F(Deadlock, IsRuledOutByABufferWithoutEnd)
{
    EXPECT_TRUE(circle("one-way-ring8", "",
                       { "node*.hub.bubble_tlps=1", "node5.hub.w.link.ph_credits=0",
                         "node5.hub.w.link.pd_credits=0" })
                    .empty());
    EXPECT_EQ(8u, circle("ring8", "",
                         { "node*.hub.bubble_tlps=1", "node5.hub.w.link.ph_credits=0",
                           "node5.hub.w.link.pd_credits=0" })
                      .size())
        << "the other way round";
}

/* Most ways lead along a ring and then across, two of them the other way round. */
TEST_F(Deadlock, IsFoundBetweenRings)
{
    std::string s = std::string(head) + "nodes: 8\nedges: |\n";

    for (int i = 0; i < 8; i++)
        s += "  " + std::to_string(i) + " " + std::to_string(i / 4 * 4 + (i + 1) % 4) + "\n";
    for (int i = 0; i < 4; i++)
        s += "  " + std::to_string(i) + ".s " + std::to_string(i + 4) + ".s\n";
    EXPECT_TRUE(circle("rings", s).empty());
    s += "routes: {others: shortest, by_hand: {node0.hub.s: 5, node4.hub.s: 1}}\n";
    EXPECT_FALSE(circle("crossing", s).empty());
}

/* Through the middle of a star packets go straight on from E to W and from A to B, but these chains
 * end at the next node: no link waits for itself. */
TEST_F(Deadlock, NeedsACycleOfDependencies)
{
    const std::string star = std::string(head) + "nodes: 6\nset: {node*.hub.ports: 6}\nedges: |\n"
                                                 "  0 1\n  0 2\n  0 3\n  0 4\n  0 5\n";
    std::vector<unsigned> cycle;

    EXPECT_TRUE(circle("star", star).empty());
    EXPECT_EQ(0u, sum.unrouted);
    cycle.resize(2 * topo.nlinks);
    EXPECT_EQ(0u, lab_topology_cycle(&topo, cycle.data()));
    EXPECT_TRUE(circle("star", star, { "node0.hub.bubble_tlps=1" }).empty());
    EXPECT_TRUE(circle("two rings in chains", star, { "node*.hub.*.link.pd_credits=504" }).empty());
}

} // namespace
