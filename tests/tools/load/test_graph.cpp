/* The graph of a machine file: edge lists, routes, the order of window parts. */
#include "config_test.h"

namespace
{

struct hub_values {
    uint64_t ports, role[6];
};

const machine_kind *const *hub_kinds()
{
#define ROLE(name, i, def)                                                                         \
    {                                                                                              \
        name ".role", "choice", 0, 1, def, offsetof(hub_values, role[i]), "end", "endpoint|root"   \
    }
    static const machine_param params[] = { { "ports", "1", 2, 6, 4, offsetof(hub_values, ports),
                                              "ports", nullptr },
                                            ROLE("n", 0, 0),
                                            ROLE("e", 1, 0),
                                            ROLE("w", 2, 1),
                                            ROLE("s", 3, 0),
                                            ROLE("a", 4, 0),
                                            ROLE("b", 5, 1),
                                            MACHINE_PARAM_END };
    static const char *const ports[] = { "n", "e", "w", "s", "a", "b", nullptr };
    static machine_kind box = *test_kinds()[0], hub = {};
    static const machine_kind *const kinds[] = { &box, &hub, nullptr };

    hub.name = "hub.c";
    hub.params = params;
    hub.config_bytes = sizeof(hub_values);
    hub.ports = hub.plugs = ports;
    hub.set_routes = [](void *, const machine_routes *, sim_error *) -> int { return SIM_OK; };
    return kinds;
}

class Graph : public ConfigTest
{
  protected:
    void SetUp() override
    {
        ConfigTest::SetUp();
        kinds = hub_kinds();
        write("platforms/small.yaml", "components:\n"
                                      "  cpu: {kind: box}\n"
                                      "  hub: {kind: hub.c}\n"
                                      "links:\n"
                                      "  - {from: cpu.a, to: hub.n}\n");
    }
    static std::string machine_of(unsigned nodes, const std::string &rest)
    {
        return "platform: small\nnodes: " + std::to_string(nodes) + "\n" + rest;
    }
    const machine_desc &desc() const { return *load_machine_desc(machine); }
    /** "0.e-1.w 2000" for each cable. */
    std::vector<std::string> cables() const
    {
        std::vector<std::string> all;

        for (unsigned i = 0; i < desc().ncables; i++) {
            const machine_link_desc &l = desc().cables[i];
            all.push_back(std::to_string(l.node_a) + "." + l.port_a + "-" +
                          std::to_string(l.node_b) + "." + l.port_b + " " +
                          std::to_string(l.length_mm));
        }
        return all;
    }
    std::vector<unsigned> order() const
    {
        return { desc().slot_order, desc().slot_order + desc().nnodes };
    }
    uint64_t role(unsigned node, unsigned port) const { return value(node, 1, 1 + port).value; }
};

using Texts = std::vector<std::string>;
using Nodes = std::vector<unsigned>;

TEST_F(Graph, ACableJoinsTwoComponents)
{
    EXPECT_EQ("machines/m.yaml:4:5: node0.hub: expected ports of two components",
              message(machine_of(2, "cables:\n  - {from: node0.hub.e, to: node0.hub.w}\n")));
    EXPECT_EQ(SIM_OK, load(machine_of(2, "cables:\n  - {from: node0.hub.e, to: node1.hub.w}\n")))
        << err.text;
}

TEST_F(Graph, EachRouterHasItsHost)
{
    static machine_kind box = *kinds[0], hub = *kinds[1];
    static const machine_kind *const guarded[] = { &box, &hub, nullptr };

    hub.host_port = "n";
    kinds = guarded;
    EXPECT_EQ(SIM_OK, load(machine_of(2, "edges: |\n  0 1\n"))) << err.text;
    for (const char *links : { "links: []\n", "links:\n  - {from: cpu.a, to: hub.e}\n" }) {
        write("platforms/small.yaml", std::string("components:\n"
                                                  "  cpu: {kind: box}\n"
                                                  "  hub: {kind: hub.c}\n") +
                                          links);
        EXPECT_EQ("platforms/small.yaml:3:3: hub: node0.hub has no host: expected a link from one "
                  "to its port n",
                  message(machine_of(2, "")));
    }
    /* the host of the one hub is a hub */
    EXPECT_EQ("platforms/small.yaml:3:3: hub: node0.hub has no host: expected a link from one to "
              "its port n",
              message(machine_of(2, "cables:\n  - {from: node0.hub.n, to: node1.hub.w}\n")));
}

TEST_F(Graph, EdgesTakeTheFirstPairOfEndpointAndRoot)
{
    ASSERT_EQ(SIM_OK, load(machine_of(4, "edges: |\n  0 1\n  1 2 500\n\n  2 3 # closes below\n"
                                         "  0 3\n  0 2\n")))
        << err.text;
    EXPECT_EQ(
        (Texts{ "0.e-1.w 2000", "1.e-2.w 500", "2.e-3.w 2000", "0.w-3.e 2000", "0.s-2.s 2000" }),
        cables());
    EXPECT_EQ(0u, role(0, 3)) << "of two endpoints the second becomes the root";
    EXPECT_EQ(1u, role(2, 3));
    EXPECT_EQ(0u, role(1, 3));
}

TEST_F(Graph, EdgesMayNameTheirPorts)
{
    ASSERT_EQ(SIM_OK, load(machine_of(3, "edges: |\n  0 1\n  0.e 2.e 10\n"
                                         "set: {node*.hub.ports: 6}\n")))
        << err.text;
    EXPECT_EQ((Texts{ "0.w-1.e 2000", "0.e-2.e 10" }), cables()) << "a named port is not taken";
    EXPECT_EQ(0u, role(0, 1));
    EXPECT_EQ(1u, role(2, 1));
}

TEST_F(Graph, EdgesMayStandInAFileOfTheirOwn)
{
    write("machines/g.txt", "0 1 100\n1 2 200\n");
    ASSERT_EQ(SIM_OK, load(machine_of(3, "edges: g.txt\nedges.length_mm: 5\n"))) << err.text;
    EXPECT_EQ((Texts{ "0.e-1.w 100", "1.e-2.w 200" }), cables());
    write("machines/g.txt", "0 1\n1 7\n");
    EXPECT_EQ("machines/g.txt:2:1: 1 7: 7: expected a node, 0 .. 2, or a node and a port, 0.e",
              message(machine_of(3, "edges: g.txt\n")));
    std::filesystem::create_symlink("loop.txt", folder + "/machines/loop.txt");
    for (auto [file, why] : { std::pair("none.txt", "no such file"), std::pair(".", "a folder"),
                              std::pair("loop.txt", "Too many levels of symbolic links") })
        EXPECT_EQ("machines/m.yaml:3:1: edges = " + std::string(file) + ": " + why +
                      ": expected a line for each cable, as 0 1 1000, or a file of such lines",
                  message(machine_of(3, "edges: " + std::string(file) + "\n")));
}

TEST_F(Graph, LengthsOfEdgesCanBeSet)
{
    const std::string text = machine_of(3, "edges: |\n  0 1\n  1 2 200\n");

    ASSERT_EQ(SIM_OK, load(text, { "edges.length_mm=7" })) << err.text;
    EXPECT_EQ((Texts{ "0.e-1.w 7", "1.e-2.w 200" }), cables());
    ASSERT_EQ(SIM_OK, load(text, { "cable*.length_mm=9" })) << err.text;
    EXPECT_EQ((Texts{ "0.e-1.w 9", "1.e-2.w 9" }), cables());
}

TEST_F(Graph, WrongEdgesAreToldInOneLine)
{
    EXPECT_EQ("machines/m.yaml:5:1: 1: expected two nodes and a length in mm, or without it",
              message(machine_of(2, "edges: |\n  0 1\n  1\n")));
    EXPECT_EQ("machines/m.yaml:4:1: 0 1 2 3: expected two nodes and a length in mm, or without it",
              message(machine_of(2, "edges: |\n  0 1 2 3\n")));
    EXPECT_EQ("machines/m.yaml:4:1: 1 1: expected two different nodes",
              message(machine_of(2, "edges: |\n  1 1\n")));
    EXPECT_EQ("machines/m.yaml:4:1: 0 1 1m: 1m: expected a whole number, 0 .. 1000000 mm",
              message(machine_of(2, "edges: |\n  0 1 1m\n")));
    for (const std::string edge : { "0.x 1", "0.a 1", "1 0.a" })
        EXPECT_EQ("machines/m.yaml:4:1: " + edge + ": expected the port n, e, w or s of hub",
                  message(machine_of(2, "edges: |\n  " + edge + "\n")));
    EXPECT_EQ("machines/m.yaml:4:1: 0.x 1: expected the port n, e, w, s or a of hub",
              message(machine_of(2, "edges: |\n  0.x 1\nset: {node0.hub.ports: 5}\n")));
    EXPECT_EQ("machines/m.yaml:7:1: 0 4: node0.hub: none of its 4 ports is free for this cable: "
              "expected fewer cables, or set: node*.hub.ports",
              message(machine_of(5, "edges: |\n  0 1\n  0 2\n  0 3\n  0 4\n")));
    EXPECT_EQ("machines/m.yaml:3:1: edges: expected text (edges: |) with a line for each cable",
              message(machine_of(2, "edges: [0 1]\n")));
}

/* Sets are read behind cables, and a set may give a hub more ports. */
TEST_F(Graph, ACableNamesAPortThatItsHubHas)
{
    const std::string a = machine_of(2, "cables:\n  - {from: node0.hub.s, to: node1.hub.a}\n");
    const std::string x = machine_of(2, "cables:\n  - {from: node0.hub.s, to: node1.hub.x}\n");

    EXPECT_EQ("machines/m.yaml:4: node1.hub.a: expected the port n, e, w or s of hub", message(a));
    EXPECT_EQ("machines/m.yaml:4: node1.hub.x: expected the port n, e, w or s of hub", message(x));
    ASSERT_EQ(SIM_OK, load(a + "set: {node1.hub.ports: 5}\n")) << err.text;
    EXPECT_EQ((Texts{ "0.s-1.a 0" }), cables());
    EXPECT_EQ("machines/m.yaml:4: node1.hub.x: expected the port n, e, w, s or a of hub",
              message(x + "set: {node1.hub.ports: 5}\n"));
    EXPECT_EQ("machines/m.yaml:4: node1.hub.x: expected the port n, e, w, s, a or b of hub",
              message(x, { "node*.hub.ports=6" }));
}

/* Where a node has two hubs, a line is a cable for each of them, or for the one that it names. */
TEST_F(Graph, EdgesJoinTheHubsOfANode)
{
    auto hubs = [&] {
        Texts all;

        for (unsigned i = 0; i < desc().ncables; i++)
            all.push_back(std::string(desc().cables[i].component_a) + "-" +
                          desc().cables[i].component_b + " " + cables()[i]);
        return all;
    };
    write("platforms/two.yaml", "components:\n"
                                "  cpu: {kind: box}\n"
                                "  hub0: {kind: hub.c}\n"
                                "  hub1: {kind: hub.c}\n"
                                "links:\n"
                                "  - {from: cpu.a, to: hub0.n}\n"
                                "  - {from: cpu.b, to: hub1.n}\n");
    const std::string two = "platform: two\nnodes: 2\nedges: |\n  ";

    ASSERT_EQ(SIM_OK, load(two + "0 1 70\n  0.s 1.s\n")) << err.text;
    EXPECT_EQ((Texts{ "hub0-hub0 0.e-1.w 70", "hub1-hub1 0.e-1.w 70", "hub0-hub0 0.s-1.s 2000",
                      "hub1-hub1 0.s-1.s 2000" }),
              hubs());
    ASSERT_EQ(SIM_OK, load(two + "0.hub1 1.hub0\n  0.hub0.e 1.hub0.s\n")) << err.text;
    EXPECT_EQ((Texts{ "hub1-hub0 0.e-1.w 2000", "hub0-hub0 0.e-1.s 2000" }), hubs());
    ASSERT_EQ(SIM_OK, load("platform: two\nring: 2\nset: { node*.hub0.ports: 6 }\n")) << err.text;
    EXPECT_EQ((Texts{ "hub0-hub0 0.e-1.w 2000", "hub1-hub1 0.e-1.w 2000", "hub0-hub0 1.e-0.w 2000",
                      "hub1-hub1 1.e-0.w 2000" }),
              hubs());
    EXPECT_EQ(
        "machines/m.yaml:4:1: 0.hub0 1: hubs of node0: 1, of node1: 2: expected the hub, as 1.hub0",
        message(two + "0.hub0 1\n"));
    EXPECT_EQ("machines/m.yaml:4:1: 0.hub2 1: expected the port n, e, w or s of hub0",
              message(two + "0.hub2 1\n"));
    EXPECT_EQ("machines/m.yaml:4:1: 0.hub1.x 1.hub1: expected the port n, e, w or s of hub1",
              message(two + "0.hub1.x 1.hub1\n"));
}

TEST_F(Graph, ANodeOfAnEdgeHasAHub)
{
    write("platforms/bare.yaml", "components:\n  cpu: {kind: box}\nlinks: []\n");
    EXPECT_EQ("machines/m.yaml:4:1: 0 1: node0 has no hub: expected a node with one",
              message("platform: bare\nnodes: 2\nedges: |\n  0 1\n"));
}

TEST_F(Graph, PartsFollowTheRing)
{
    const std::string jumbled = machine_of(8, "edges: |\n  0 2\n  2 4\n  4 6\n  6 7\n  7 5\n  5 3\n"
                                              "  3 1\n  1 0\n");

    ASSERT_EQ(SIM_OK, load(jumbled)) << err.text;
    EXPECT_EQ((Nodes{ 0, 2, 4, 6, 7, 5, 3, 1 }), order());
    ASSERT_EQ(SIM_OK, load(jumbled + "slots: nodes\n")) << err.text;
    EXPECT_EQ(nullptr, desc().slot_order);
    ASSERT_EQ(SIM_OK, load(jumbled + "slots: [7, 6, 5, 4, 3, 2, 1, 0]\n")) << err.text;
    EXPECT_EQ((Nodes{ 7, 6, 5, 4, 3, 2, 1, 0 }), order());
    EXPECT_EQ("machines/m.yaml:12:12: 0: expected each node once; it is also in line 12",
              message(jumbled + "slots: [0, 0, 5, 4, 3, 2, 1, 0]\n"));
    EXPECT_EQ("machines/m.yaml:12:1: slots: expected ring, nodes, or a list of all 8 nodes",
              message(jumbled + "slots: [0, 1]\n"));
}

TEST_F(Graph, RoutesNameAPolicy)
{
    const std::string ring = machine_of(3, "edges: |\n  0 1\n  1 2\n  2 0\n");

    ASSERT_EQ(SIM_OK, load(ring + "routes: shortest\n")) << err.text;
    EXPECT_EQ(0u, desc().routing.ndimensions);
    EXPECT_FALSE(desc().routing.by_hand);
    ASSERT_EQ(SIM_OK, load(ring + "routes: {one_way: e}\n")) << err.text;
    ASSERT_EQ(1u, desc().routing.ndimensions);
    EXPECT_STREQ("e", desc().routing.dimensions[0].ports[0]);
    EXPECT_EQ(nullptr, desc().routing.dimensions[0].ports[1]);
    EXPECT_EQ(7u, desc().routing.line);
    ASSERT_EQ(SIM_OK, load(machine_of(3, "edges: |\n  0 1\n  1 2\n  2 0\n  0.s 1.s\n") +
                           "routes: {dimensions: [[e, w], s]}\n"))
        << err.text;
    ASSERT_EQ(2u, desc().routing.ndimensions);
    EXPECT_STREQ("w", desc().routing.dimensions[0].ports[1]);
    EXPECT_STREQ("s", desc().routing.dimensions[1].ports[0]);
}

TEST_F(Graph, RoutesMayBeGivenByHand)
{
    const std::string ring = machine_of(3, "edges: |\n  0 1\n  1 2\n  2 0\n");

    ASSERT_EQ(SIM_OK, load(ring + "routes:\n  by_hand:\n    node0.hub.e: 1-2\n"
                                  "    node2.hub.w: [0, 1]\n"))
        << err.text;
    EXPECT_TRUE(desc().routing.by_hand);
    ASSERT_EQ(3u, desc().routing.nhand);
    EXPECT_EQ(1u, desc().routing.hand[0].first);
    EXPECT_EQ(2u, desc().routing.hand[0].last);
    EXPECT_EQ(9u, desc().routing.hand[0].line);
    EXPECT_EQ(2u, desc().routing.hand[2].node);
    EXPECT_STREQ("w", desc().routing.hand[2].port);
    EXPECT_EQ(1u, desc().routing.hand[2].last);
    ASSERT_EQ(SIM_OK, load(ring + "routes: {others: shortest, by_hand: {node0.hub.e: 2}}\n"));
    EXPECT_FALSE(desc().routing.by_hand);
}

TEST_F(Graph, WrongRoutesAreToldInOneLine)
{
    const std::string two = machine_of(2, "edges: |\n  0 1\n");
    const std::string at = "machines/m.yaml:5:";

    EXPECT_EQ(at +
                  "1: routes = longest: expected shortest, {one_way: PORT}, {dimensions: [...]} or "
                  "{by_hand: {...}}",
              message(two + "routes: longest\n"));
    EXPECT_EQ(at + "10: one_way = x: expected a port of the hubs",
              message(two + "routes: {one_way: x}\n"));
    EXPECT_EQ(at + "10: one_way = s: expected a port with a cable: no hub has one at s",
              message(two + "routes: {one_way: s}\n"));
    EXPECT_EQ(at + "10: dimensions = e: expected a list of lists of ports, [[e, w], [a, b]]",
              message(two + "routes: {dimensions: e}\n"));
    EXPECT_EQ(at + "22: dimensions: expected one of one_way and dimensions",
              message(two + "routes: {one_way: e, dimensions: [e]}\n"));
    EXPECT_EQ(at + "20: node0.hub.e = 2: expected nodes, 0 .. 1, as 3, 0-2 or [3, 5-7]",
              message(two + "routes: {by_hand: {node0.hub.e: 2}}\n"));
    EXPECT_EQ(at + "20: node0.hub.e: expected a node, as 3, 0-2 or [3, 5-7]",
              message(two + "routes: {by_hand: {node0.hub.e: []}, others: shortest}\n"));
    EXPECT_EQ(at + "10: by_hand: expected ports and the nodes they lead to, node0.hub.e: "
                   "[1, 4-7]",
              message(two + "routes: {by_hand: {}, others: shortest}\n"));
    EXPECT_EQ(at + "20: node0.cpu.b = 1: expected the port of a hub",
              message(two + "routes: {by_hand: {node0.cpu.b: 1}}\n"));
    EXPECT_EQ(at + "20: node0.hub.b = 1: expected the port n, e, w or s of hub",
              message(two + "routes: {by_hand: {node0.hub.b: 1}}\n"));
    EXPECT_EQ(at + "20: node7.hub.b = 1: expected node0 .. node1, component and port, node0.hub.e",
              message(two + "routes: {by_hand: {node7.hub.b: 1}}\n"));
    EXPECT_EQ(at + "10: others = longest: expected shortest",
              message(two + "routes: {others: longest}\n"));
}

TEST_F(Graph, ValuesAreSetOfPortsWithALink)
{
    const std::string two = machine_of(2, "edges: |\n  0 1\n") + "set: {";

    EXPECT_EQ("machines/m.yaml:5:7: node1.hub.s.role = root: no link is at node1.hub.s: expected a "
              "port with one",
              message(two + "node1.hub.s.role: root}\n"));
    EXPECT_EQ(SIM_OK, load(two + "node1.hub.w.role: root}\n")) << err.text;
    EXPECT_EQ(SIM_OK, load(two + "node*.hub.*.role: root}\n")) << err.text;
    EXPECT_EQ("--set node1.hub.s.role=root: no link is at node1.hub.s: expected a port with one",
              message(machine_of(2, "edges: |\n  0 1\n"), { "node1.hub.s.role=root" }));
    EXPECT_EQ(SIM_OK, load(machine_of(2, "edges: |\n  0 1\n"), { "node*.hub.[sw].role=root" }))
        << err.text;
}

/* ---- shapes ---- */

/* All that a machine is made of, without the places where it was written. */
class Shapes : public Graph
{
  protected:
    std::string all(const std::string &text)
    {
        std::string s;

        if (load(text) != SIM_OK)
            return err.text;
        for (const std::string &c : cables())
            s += c + "\n";
        for (unsigned n : order())
            s += std::to_string(n) + " ";
        for (unsigned i = 0; i < desc().routing.ndimensions; i++) {
            const machine_dimension &d = desc().routing.dimensions[i];
            for (unsigned k = 0; d.ports[k] != nullptr; k++)
                s += std::string(k == 0 ? "\n" : " ") + d.ports[k];
        }
        load_machine_each(
            machine,
            [](void *arg, const char *path, const machine_value *v) {
                *static_cast<std::string *>(arg) +=
                    std::string("\n") + path + "." + v->param->key + " " + std::to_string(v->value);
            },
            &s);
        return s;
    }
    std::string shape(const std::string &text) { return all("platform: small\n" + text); }
};

TEST_F(Shapes, AreWhatIsWrittenByHand)
{
    EXPECT_EQ(all(machine_of(3, "edges: |\n  0.e 1.w\n  1.e 2.w\n  2.e 0.w\n")),
              shape("ring: 3\n"));
    EXPECT_EQ(all(machine_of(3, "edges: |\n  0.e 1.w\n  1.e 2.w\n")), shape("chain: 3\n"));
    EXPECT_EQ(all(machine_of(6, "edges: |\n  0.e 1.w\n  1.e 2.w\n  2.e 0.w\n  3.e 4.w\n  4.e 5.w\n"
                                "  5.e 3.w\n  0.s 3.s\n  1.s 4.s\n  2.s 5.s\n")),
              shape("dual-ring: 6\n"));
    EXPECT_EQ(
        all(machine_of(6, "edges: |\n  0.e 1.w\n  1.e 2.w\n  2.e 0.w\n  3.e 4.w\n  4.e 5.w\n"
                          "  5.e 3.w\n  0.a 3.b\n  1.a 4.b\n  2.a 5.b\n  3.a 0.b\n  4.a 1.b\n"
                          "  5.a 2.b\n"
                          "routes: {dimensions: [[e, w], [a, b]]}\nset: {node*.hub.ports: 6}\n")),
        shape("torus: [3, 2]\n"));
    EXPECT_EQ(
        all(machine_of(6, "edges: |\n  0.e 1.w\n  1.e 2.w\n  3.e 4.w\n  4.e 5.w\n  0.a 3.b\n"
                          "  1.a 4.b\n  2.a 5.b\n"
                          "routes: {dimensions: [[e, w], [a, b]]}\nset: {node*.hub.ports: 6}\n")),
        shape("mesh: [3, 2]\n"));
    EXPECT_EQ(all(machine_of(6, "edges: |\n  0 1\n  0 2\n  0 3\n  0 4\n  0 5\n"
                                "set: {node*.hub.ports: 6}\n")),
              shape("star: 6\n"));
    EXPECT_EQ(all(machine_of(7, "edges: |\n  0 1\n  0 2\n  1 3\n  1 4\n  2 5\n  2 6\n")),
              shape("tree: [2, 3]\n"));
}

TEST_F(Shapes, LeaveTheRestToTheFile)
{
    EXPECT_EQ(all(machine_of(6, "edges: |\n  0.e 1.w\n  1.e 2.w\n  2.e 0.w\n  3.e 4.w\n  4.e 5.w\n"
                                "  5.e 3.w\n  0.a 3.b\n  1.a 4.b\n  2.a 5.b\n  3.a 0.b\n  4.a 1.b\n"
                                "  5.a 2.b\nedges.length_mm: 500\nset: {node*.hub.ports: 6}\n")),
              shape("torus: [3, 2]\nroutes: shortest\nedges.length_mm: 500\n"));
    EXPECT_EQ(shape("ring: 3\nedges.length_mm: 500\n"),
              shape("ring: 3\nedges: {length_mm: 500}\n"));
    EXPECT_EQ(all(machine_of(3, "edges: |\n  0.e 1.w\n  1.e 2.w\ncables:\n"
                                "  - {from: node0.hub.s, to: node2.hub.a}\n"
                                "set: {node*.hub.ports: 5}\n")),
              shape("chain: 3\ncables:\n  - {from: node0.hub.s, to: node2.hub.a}\n"
                    "set: {node*.hub.ports: 5}\n"));
    /* a window of as many parts, unless the file says another */
    ASSERT_EQ(SIM_OK, load("platform: small\nring: 20\n")) << err.text;
    EXPECT_EQ(32u, desc().window_bytes / desc().part_bytes);
    ASSERT_EQ(SIM_OK, load("platform: small\nring: 20\nwindow.parts: 64\n")) << err.text;
    EXPECT_EQ(64u, desc().window_bytes / desc().part_bytes);
}

TEST_F(Shapes, BadOnesAreNamed)
{
    const std::pair<const char *, const char *> bad[] = {
        { "ring: 1", "m.yaml:2:1: ring = 1: expected a whole number, 2 .. 256" },
        { "torus: [4]", "m.yaml:2:1: torus: expected two numbers, torus: [4, 3]" },
        { "torus: 4", "m.yaml:2:1: torus = 4: expected two numbers, torus: [4, 3]" },
        { "mesh: [4, x]", "m.yaml:2:11: mesh = x: expected a whole number, 2 .. 128" },
        { "dual-ring: 7", "m.yaml:2:1: dual-ring = 7: expected a multiple of 2" },
        { "torus: [5, 300]", "m.yaml:2:12: torus = 300: expected a whole number, 2 .. 128" },
        { "torus: [20, 20]", "m.yaml:2:1: torus: 400" TOO_MANY },
        { "tree: [4, 9]", "m.yaml:2:1: tree: 87381" TOO_MANY },
        { "ring: 300", "m.yaml:2:1: ring = 300: 300" TOO_MANY },
        { "dual-ring: 258", "m.yaml:2:1: dual-ring = 258: 258" TOO_MANY },
        { "star: 7", "m.yaml:2:1: star = 7: expected a whole number, 2 .. 6" },
        { "ring: 4\nstar: 4", "m.yaml:3:1: star = 4: expected one shape, and ring: is there" },
        { "ring: 4\nnodes: 4",
          "m.yaml:3:1: nodes = 4: expected no nodes beside ring:, which says it" },
        { "ring: 4\nedges: |\n  0 1",
          "m.yaml:3:1: edges = 0 1: expected no edges beside ring:, which says it" },
        { "ring: 4\nedges: {length: 5}",
          "m.yaml:3:9: edges.length = 5: missing unit: expected edges.length_mm" },
        { "ring: 4\nedges: {length_mm: 5}\nedges.length_mm: 6",
          "m.yaml:4:1: edges.length_mm = 6: expected each key once; it is also in line 3" },
        { "star: 4\ncables:\n  - {from: node0.hub.e, to: node1.hub.w}\n  - {from: node0.hub.s, to: "
          "node2.hub.s}",
          "m.yaml:2:1: 0 2: node0.hub: none of its 4 ports is free for this cable: expected fewer "
          "cables, "
          "or set: node*.hub.ports" },
    };

    for (const auto &[text, expected] : bad)
        EXPECT_EQ(std::string("machines/") + expected,
                  message(std::string("platform: small\n") + text + "\n"));
}

} // namespace
