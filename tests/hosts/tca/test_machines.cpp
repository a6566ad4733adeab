/* Transfers on machines of many shapes: what software sees of their routes and windows. */
#include "tests/hosts/machine_file.h"
#include "tests/hosts/tca/rank.h"

#include "regs/hub_regs.h"

#include <peach2.h>

namespace
{

using test::Cluster;
using test::MachineFile;
using test::Rank;

enum { CH = 0, SLOT = 3, TAG = 0x55 };
const size_t BYTES = 256;

/** Each rank puts a block of its own into each other one's memory, and checks what it got. */
int all_to_all()
{
    Rank r;
    size_t wrong = 0;
    auto *out = r.memory(BYTES * r.size, tcaMemoryCPU);
    auto *in = r.memory(BYTES * r.size, tcaMemoryGPU);
    auto outs = r.publish(out, BYTES * r.size, tcaMemoryCPU);
    auto ins = r.publish(in, BYTES * r.size, tcaMemoryGPU);
    tcaDesc *d = tcaDescNew();

    for (int to = 0; to < r.size; to++)
        test::fill(out + to * BYTES, BYTES, r.me * 64 + to);
    for (int k = 1; k < r.size; k++) {
        int to = (r.me + k) % r.size;

        EXPECT_EQ(TCA_SUCCESS,
                  tcaDescSetMemcpy(d, &ins[to], r.me * BYTES, &outs[r.me], to * BYTES, BYTES,
                                   tcaDMAUseInternal | tcaDMANotify, SLOT, TAG));
    }
    EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, CH));
    EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
    for (int from = 0; from < r.size; from++)
        if (from != r.me) {
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&ins[from], SLOT, TAG));
            wrong += test::wrong_bytes(in + from * BYTES, BYTES, from * 64 + r.me);
        }
    EXPECT_EQ(0u, wrong);
    EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(CH));
    tcaDescFree(d);
    r.barrier();
    return wrong == 0 ? 0 : 1;
}

const char ring_of_8[] = "platform: hapacs-tca\nnodes: 8\n"
                         "edges: |\n  0 2\n  2 4\n  4 6\n  6 7\n  7 5\n  5 3\n  3 1\n  1 0\n";

TEST(Machines, PartsOfTheWindowNeedNotFollowTheNodes)
{
    for (const char *slots : { "slots: ring\n", "slots: nodes\n",
                               "slots: [7, 0, 6, 1, 5, 2, 4, 3]\n", "window.parts: 64\n" }) {
        MachineFile file(std::string(ring_of_8) + slots);
        Cluster c(file.cluster());

        SCOPED_TRACE(slots);
        EXPECT_EQ(SIM_OK, c.run(all_to_all)) << c.err.text;
        EXPECT_TRUE(c.all_well());
    }
}

class Shapes : public testing::TestWithParam<const char *>
{
};

TEST_P(Shapes, CarryPutsBetweenAllPairs)
{
    MachineFile file(GetParam());
    Cluster c(file.cluster());

    EXPECT_EQ(SIM_OK, c.run(all_to_all)) << c.err.text;
    EXPECT_TRUE(c.all_well());
}

INSTANTIATE_TEST_SUITE_P(Machines, Shapes,
                         testing::Values("chain8", "dual-ring8", "subcluster16", "one-way-ring8",
                                         "torus16", "platform: hapacs-tca\ntorus: [3, 9]\n",
                                         "platform: hapacs-tca\nmesh: [2, 12]\n"));

/* A shape, and its nodes, cables and routes as a person writes them. */
struct Written {
    const char *shape;
    unsigned nodes;
    const char *edges, *rest;
};

void PrintTo(const Written &w, std::ostream *os)
{
    *os << w.shape;
}

class WrittenShapes : public testing::TestWithParam<Written>
{
  protected:
    sim_fingerprint print_of(const std::string &text)
    {
        MachineFile file("platform: hapacs-tca\n" + text);
        Cluster c(file.cluster());

        EXPECT_EQ(SIM_OK, c.run(all_to_all)) << c.err.text;
        EXPECT_TRUE(c.all_well());
        return c.fingerprint();
    }
};

TEST_P(WrittenShapes, RunAsTheListOfTheirCables)
{
    const Written &w = GetParam();
    sim_fingerprint shape = print_of(std::string(w.shape) + "\n");
    sim_fingerprint list =
        print_of("nodes: " + std::to_string(w.nodes) + "\nedges: |\n  " + w.edges + "\n" + w.rest);
    sim_fingerprint other = print_of(std::string(w.shape) + "\nedges: {length_mm: 9000}\n");

    EXPECT_EQ(list.visible, shape.visible);
    EXPECT_EQ(list.wire, shape.wire);
    EXPECT_EQ(list.edge, shape.edge);
    EXPECT_NE(other.edge, shape.edge) << "longer cables are seen";
}

#define ROW_FIRST "routes: {dimensions: [[e, w], [a, b]]}\nset: {node*.hub.ports: 6}\n"

INSTANTIATE_TEST_SUITE_P(
    Machines, WrittenShapes,
    testing::Values(
        Written{ "ring: 4", 4, "0.e 1.w\n  1.e 2.w\n  2.e 3.w\n  3.e 0.w", "" },
        Written{ "chain: 4", 4, "0.e 1.w\n  1.e 2.w\n  2.e 3.w", "" },
        Written{ "dual-ring: 6", 6,
                 "0.e 1.w\n  1.e 2.w\n  2.e 0.w\n  3.e 4.w\n  4.e 5.w\n  5.e 3.w\n"
                 "  0.s 3.s\n  1.s 4.s\n  2.s 5.s",
                 "" },
        Written{ "torus: [3, 2]", 6,
                 "0.e 1.w\n  1.e 2.w\n  2.e 0.w\n  3.e 4.w\n  4.e 5.w\n  5.e 3.w\n"
                 "  0.a 3.b\n  1.a 4.b\n  2.a 5.b\n  3.a 0.b\n  4.a 1.b\n  5.a 2.b",
                 ROW_FIRST },
        Written{ "mesh: [3, 2]", 6,
                 "0.e 1.w\n  1.e 2.w\n  3.e 4.w\n  4.e 5.w\n  0.a 3.b\n  1.a 4.b\n  2.a 5.b",
                 ROW_FIRST },
        Written{ "star: 5", 5, "0.e 1.w\n  0.w 2.e\n  0.s 3.w\n  0.a 4.w",
                 "set: {node*.hub.ports: 5}\n" },
        Written{ "tree: [2, 3]", 7,
                 "0.e 1.w\n  0.w 2.e\n  1.e 3.w\n  1.s 4.w\n  2.w 5.e\n  2.s 6.w", "" }));

/* Nodes keep their numbers: only their parts of the window lie in another order. */
TEST(Machines, PartsFollowTheColumnsOfATorusWhoseRowsAreTooManyForTheHubs)
{
    const std::vector<unsigned> rows = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
    const std::vector<unsigned> columns = { 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11 };
    const std::string torus = "platform: hapacs-tca\ntorus: [4, 3]\n";

    for (auto &[pairs, order] :
         { std::pair("node*.hub.route_pairs=4", rows), { "node*.hub.route_pairs=3", columns } }) {
        MachineFile file(torus, { pairs });
        const unsigned *got = file.desc()->slot_order;

        EXPECT_EQ(order, std::vector<unsigned>(got, got + 12)) << pairs;
        EXPECT_EQ(SIM_OK, Cluster(file.cluster()).run([] { return 0; })) << pairs;
    }
}

/* What is reported of one cable while the hubs come up has no order to reports of the other. */
TEST(Machines, TwoHubsMayBeJoinedByCablesOfManyLengths)
{
    for (const char *mm : { "100 5000", "5000 100", "100 100" }) {
        std::string first(mm, strchr(mm, ' ')), second(strchr(mm, ' ') + 1);
        MachineFile file("platform: hapacs-tca\nnodes: 2\nset: { node*.hub.ports: 6 }\nedges: |\n"
                         "  0.e 1.w " +
                         first + "\n  0.a 1.b " + second + "\n  1.e 0.w\n");
        Cluster c(file.cluster());

        EXPECT_EQ(SIM_OK, c.run(all_to_all)) << c.err.text;
        EXPECT_TRUE(c.all_well());
    }
}

TEST(Machines, HubsOfSixPortsShowThem)
{
    MachineFile file("torus16");
    Cluster c(file.cluster());

    EXPECT_EQ(SIM_OK, c.run([]() -> int {
        EXPECT_EQ(0, peach2_open());
        EXPECT_EQ(6u, peach2_read(HUB_ID) >> 32 & 0xff);
        EXPECT_EQ(0x37u, peach2_read(HUB_LINK_STATUS)) << "all but s";
        if (peach2_slot() == 0) { /* a reaches the rows below, in the own column */
            EXPECT_EQ(UINT64_C(4) << 35, peach2_read(HUB_ROUTE_LOWER(4, 0)));
            EXPECT_EQ((UINT64_C(5) << 35) - 1, peach2_read(HUB_ROUTE_UPPER(4, 0)));
            EXPECT_EQ(UINT64_C(12) << 35, peach2_read(HUB_ROUTE_LOWER(5, 0)));
        }
        return 0;
    })) << c.err.text;
    EXPECT_TRUE(c.all_well());
}

std::string refusal(const std::string &text, const std::vector<const char *> &sets = {})
{
    MachineFile file(text, sets);
    sim_config cfg = {};
    sim_error err = {};
    machine *m = nullptr;
    launch_memory *memory = launch_memory_create();

    EXPECT_EQ(SIM_ERR_CONFIG,
              machine_create(file.cluster().desc, &cfg, launch_memory_map, memory, &m, &err));
    launch_memory_destroy(memory);
    return err.text;
}

TEST(Machines, WaysThatTheHubsCannotTakeAreRefusedWithPlaceAndPort)
{
    const std::string ring = ring_of_8;

    EXPECT_EQ("--set: node0.hub.w: route_pairs = 2: its routes take more ranges of window "
              "parts: expected parts in the order of the ring (slots)",
              refusal(ring + "slots: [0, 1, 2, 3, 4, 5, 6, 7]\n", { "node*.hub.route_pairs=2" }));
    EXPECT_EQ("test.yaml:14: node2.hub.w: the route to node6.hub goes round for ever: node2.hub.w, "
              "node0.hub.e, node2.hub",
              refusal(ring + "routes:\n  others: shortest\n  by_hand: {node2.hub.w: 6}\n"));
    EXPECT_EQ("test.yaml:12: node1.hub: no port leads to node0.hub (the route from node1.hub): "
              "expected a route for each pair that cables join",
              refusal(ring + "routes: {by_hand: {node2.hub.w: 0-7}}\n"));
    EXPECT_EQ("test.yaml:12: node0.hub.s: the route to node3.hub begins at a port without a cable "
              "to another hub",
              refusal(ring + "routes: {others: shortest, by_hand: {node0.hub.s: 3}}\n"));
    EXPECT_EQ(
        "test.yaml:12: node0.hub.w: the route to node2.hub begins at e, too: expected one port",
        refusal(ring + "routes: {others: shortest, by_hand: {node0.hub.e: [1-3], "
                       "node0.hub.w: [2]}}\n"));
    EXPECT_EQ(
        "test.yaml:12: node0.hub.e = 0: expected another node, with a hub that cables join to "
        "node0.hub",
        refusal(ring + "routes: {others: shortest, by_hand: {node0.hub.e: [1, 0]}}\n"));
    EXPECT_EQ(
        "test.yaml:6: node0.hub.e = 2-3: expected another node, with a hub that cables join to "
        "node0.hub",
        refusal("platform: hapacs-tca\nnodes: 4\nedges: |\n  0.e 1.w\n  2.e 3.w\n"
                "routes: {others: shortest, by_hand: {node0.hub.e: 2-3}}\n"));
    EXPECT_EQ(
        "test.yaml:4: node0.hub.s to node1.hub.s: both are the endpoint of their link: expected "
        "one of each role",
        refusal("platform: hapacs-tca\nnodes: 2\ncables:\n"
                "  - {from: node0.hub.s, to: node1.hub.s}\n"));
    EXPECT_EQ("test.yaml:3: node0.hub: 8 hubs are joined, but the window has 4 parts",
              refusal(ring + "window.parts: 4\n"));
}

/* ---- sub-clusters ------------------------------------------------------------------ */

TEST(SubClusters, AreReachedByMpiOnly)
{
    MachineFile file("platform: hapacs-tca\nnodes: 4\nedges: |\n  0 1\n  2 3\n");
    Cluster c(file.cluster());

    c.expect_run([]() -> int {
        Rank r;
        int partner = r.me ^ 1, stranger = r.me ^ 2, value = r.me, got = -1;
        auto *mem = r.memory<uint64_t>(8, tcaMemoryCPU);
        auto all = r.publish(mem, 64, tcaMemoryCPU);
        tcaDesc *d = tcaDescNew();
        tcaPIOHandle pio;

        EXPECT_EQ(unsigned(r.me / 2), peach2_subcluster());
        EXPECT_EQ(all[r.me].node, all[stranger].node) << "the same part of different windows";
        EXPECT_EQ(TCA_ERROR_NOT_SUPPORTED, tcaDescSetMemcpy(d, &all[stranger], 0, &all[r.me], 0, 8,
                                                            tcaDMANotify, SLOT, TAG));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE,
                  tcaDescSetMemcpy(d, &all[r.me], 0, &all[stranger], 0, 8, 0, SLOT, TAG))
            << "a source must be one's own";
        EXPECT_EQ(TCA_ERROR_NOT_SUPPORTED, tcaSetPIORegion(&pio, &all[stranger], 0, 8));
        EXPECT_EQ(TCA_ERROR_NOT_SUPPORTED, tcaWaitDMARecvDesc(&all[stranger], SLOT, TAG));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDestroyHandle(&all[stranger]));
        EXPECT_EQ(TCA_SUCCESS, tcaSetPIORegion(&pio, &all[partner], 0, 8));
        MPI_Sendrecv(&value, 1, MPI_INT, stranger, 0, &got, 1, MPI_INT, stranger, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        EXPECT_EQ(stranger, got);
        tcaDescFree(d);
        r.barrier();
        return 0;
    });
}

TEST(SubClusters, OfTheWholeMachineWorkSideBySide)
{
    MachineFile file("cluster64");
    Cluster c(file.cluster());

    EXPECT_EQ(SIM_OK, c.run([]() -> int {
        Rank r;
        const int first = r.me / 16 * 16, to = first + (r.me + 5) % 16;
        const int from = first + (r.me + 11) % 16;
        auto *mem = r.memory<uint64_t>(4, tcaMemoryCPU);
        auto all = r.publish(mem, 32, tcaMemoryCPU);
        tcaDesc *d = tcaDescNew();

        mem[0] = 1000 + r.me;
        EXPECT_EQ(TCA_ERROR_NOT_SUPPORTED,
                  tcaDescSetMemcpy(d, &all[(r.me + 16) % 64], 16, &all[r.me], 0, 8, 0, SLOT, TAG));
        EXPECT_EQ(TCA_SUCCESS,
                  tcaDescSetMemcpy(d, &all[to], 16, &all[r.me], 0, 8, tcaDMANotify, SLOT, TAG));
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, CH));
        EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
        EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&all[from], SLOT, TAG));
        EXPECT_EQ(1000u + from, mem[2]);
        r.barrier();
        tcaDescFree(d);
        return 0;
    })) << c.err.text;
    EXPECT_TRUE(c.all_well());
}

/* ---- hops ---------------------------------------------------------------------------- */

/** Picoseconds from a CPU's store of 8 bytes in node 0 until a program in node `to` sees them. */
std::vector<sim_time_t> one_way(const MachineFile &file, const std::vector<int> &nodes)
{
    static std::vector<sim_time_t> sent, seen;
    Cluster c(file.cluster());

    sent.assign(nodes.size(), 0);
    seen.assign(nodes.size(), 0);
    EXPECT_EQ(SIM_OK, c.run([&]() -> int {
        Rank r;
        auto *mem = r.memory<uint64_t>(1, tcaMemoryCPU);
        auto all = r.publish(mem, 8, tcaMemoryCPU);

        *mem = 0;
        for (size_t i = 0; i < nodes.size(); i++) {
            r.barrier();
            if (r.me == 0) {
                uint64_t one = 1;
                tcaPIOHandle pio;

                /* The receiver leaves the barrier later, but is there by then. */
                for (double t = MPI_Wtime(); MPI_Wtime() - t < 20e-6;)
                    ;
                EXPECT_EQ(TCA_SUCCESS, tcaSetPIORegion(&pio, &all[nodes[i]], 0, 8));
                host_self()->cpu->spend(host_self(), 20 * SIM_US); /* the other one polls by then */
                sent[i] = peach2_time_ps();
                EXPECT_EQ(TCA_SUCCESS, tcaSendPIO(&pio, 0, &one, 8));
            } else if (r.me == nodes[i]) {
                peach2_wait_word(mem, 8, 1);
                seen[i] = peach2_time_ps();
            }
        }
        r.barrier();
        return 0;
    })) << c.err.text;
    for (size_t i = 0; i < nodes.size(); i++)
        seen[i] -= sent[i];
    return seen;
}

const sim_time_t TRANSIT_MIN = 200 * SIM_NS, TRANSIT_MAX = 300 * SIM_NS;

/* The published transit of one chip, from hop to hop. */
void expect_transits(const std::vector<sim_time_t> &latency)
{
    for (size_t i = 1; i < latency.size(); i++) {
        EXPECT_LE(TRANSIT_MIN, latency[i] - latency[i - 1]) << "hop " << i + 1;
        EXPECT_GE(TRANSIT_MAX, latency[i] - latency[i - 1]) << "hop " << i + 1;
    }
}

std::string one_way_by_hand()
{
    std::string s = "platform: hapacs-tca\nnodes: 8\nedges: |\n"
                    "  0 1\n  1 2\n  2 3\n  3 4\n  4 5\n  5 6\n  6 7\n  7 0\n"
                    "routes:\n  by_hand:\n";

    for (int i = 0; i < 8; i++)
        s += "    node" + std::to_string(i) + ".hub.e: 0-7\n";
    return s;
}

TEST(Hops, EachOfOneToSevenAddsOneTransit)
{
    std::vector<sim_time_t> by_hand =
        one_way(MachineFile(one_way_by_hand()), { 1, 2, 3, 4, 5, 6, 7 });

    ASSERT_EQ(7u, by_hand.size());
    EXPECT_LT(500 * SIM_NS, by_hand[0]);
    EXPECT_GT(1200 * SIM_NS, by_hand[0]);
    expect_transits(by_hand);
    EXPECT_EQ(by_hand, one_way(MachineFile("one-way-ring8"), { 1, 2, 3, 4, 5, 6, 7 }));
}

TEST(Hops, OverSAddOneTransitToo)
{
    /* 2 over e; 10 over e and s; 12 over e, e and s; 8 over s alone */
    std::vector<sim_time_t> t = one_way(MachineFile("subcluster16"), { 2, 10, 12, 8 });

    expect_transits({ t[0], t[1], t[2] });
    EXPECT_NEAR((double)t[0], (double)t[3], 4000) << "alike but for the phase of the hubs' clock";
}

/* ---- stalls ------------------------------------------------------------------------ */

const size_t BLOCK = 16384;

/** What ranks hold that never end; never destroyed. */
struct Kept {
    std::deque<std::vector<tcaHandle>> handles;
    std::vector<tcaDesc *> lists;
};
Kept &kept = *new Kept;

/** All ranks send to all others at once, and wait for all. */
int flood()
{
    Rank r;
    auto *mem = r.memory(BLOCK * r.size, tcaMemoryCPU);

    kept.handles.push_back(r.publish(mem, BLOCK * r.size, tcaMemoryCPU));
    auto &all = kept.handles.back();
    tcaDesc *d = tcaDescNew();

    kept.lists.push_back(d);
    for (int k = 1; k < r.size; k++)
        EXPECT_EQ(TCA_SUCCESS,
                  tcaDescSetMemcpy(d, &all[(r.me + k) % r.size], r.me * BLOCK, &all[r.me],
                                   r.me * BLOCK, BLOCK, tcaDMANotify, SLOT, TAG));
    EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, CH));
    EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
    for (int k = 1; k < r.size; k++)
        EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&all[(r.me + k) % r.size], SLOT, TAG));
    r.barrier();
    return 0;
}

std::vector<std::string> stall_of(Cluster &c)
{
    std::vector<std::string> lines;

    machine_stall_report(
        c.machine(), 100,
        [](void *arg, const char *line) {
            static_cast<std::vector<std::string> *>(arg)->push_back(line);
        },
        &lines);
    return lines;
}

TEST(Stall, OfAFullRingIsToldAsTheCircleThatItIs)
{
    MachineFile file("one-way-ring8",
                     { "node*.hub.bubble_tlps=1", "node*.hub.ddr.bytes=0",
                       "node*.hub.w.link.ph_credits=4", "node*.hub.w.link.pd_credits=32" });
    Cluster c(file.cluster());

    EXPECT_EQ(SIM_ERR_STALLED, c.run(flood));
    EXPECT_NE(std::string::npos, std::string(c.err.text).find("nothing is left that could happen"))
        << c.err.text;
    EXPECT_NE(std::string::npos, std::string(c.err.text).find("in tcaWaitDMARecvDesc"))
        << c.err.text;
    std::string circle = "; deadlock: ";
    for (unsigned i = 0; i <= 8; i++)
        circle += (i > 0 ? " -> node" : "node") + std::to_string(i % 8) + ".hub.e";
    EXPECT_NE(std::string::npos, std::string(c.err.text).find(circle)) << c.err.text;
    std::vector<std::string> lines = stall_of(c);
    ASSERT_EQ(16u, lines.size()) << "a DMA channel and a full buffer in each hub";
    EXPECT_EQ(0u, lines[0].find("node0.hub.dma0: a write for node"));
    for (unsigned i = 1; i <= 8; i++) { /* from hub to hub, and round */
        std::string at = "node" + std::to_string(i % 8) + ".hub",
                    to = "node" + std::to_string((i + 1) % 8) + ".hub";

        EXPECT_EQ(0u, lines[i].find(at + ".w: full, first a write for node")) << lines[i];
        EXPECT_NE(std::string::npos,
                  lines[i].find(" credits of the link " + at + ".e -> " + to + ".w"))
            << lines[i];
        EXPECT_EQ(i == 8,
                  lines[i].find("a circle, each waits for the next for ever") != std::string::npos)
            << lines[i];
    }
}

TEST(Stall, WithoutAPacketThatWaitsTellsNone)
{
    MachineFile file("two-node");
    Cluster c(file.cluster());

    EXPECT_EQ(SIM_ERR_STALLED, c.run([]() -> int {
        Rank r;
        auto *mem = r.memory(64, tcaMemoryCPU);

        kept.handles.push_back(r.publish(mem, 64, tcaMemoryCPU));
        return tcaWaitDMARecvDesc(&kept.handles.back()[!r.me], SLOT, TAG); /* no rank sends */
    }));
    EXPECT_NE(std::string::npos,
              std::string(c.err.text)
                  .find("rank 0 on node 0 is in tcaWaitDMARecvDesc (part 1, slot "
                        "3, tag 0x55)"))
        << c.err.text;
    EXPECT_TRUE(stall_of(c).empty());
    EXPECT_EQ(std::string::npos, std::string(c.err.text).find("deadlock")) << c.err.text;
}

TEST(Stall, OfAWaitForTheWrongSlotTellsWhatHasCome)
{
    MachineFile file("two-node");
    Cluster c(file.cluster());

    EXPECT_EQ(SIM_ERR_STALLED, c.run([]() -> int {
        Rank r;
        auto *mem = r.memory(64, tcaMemoryCPU);
        tcaHandle *all;
        tcaDesc *d = tcaDescNew();

        kept.handles.push_back(r.publish(mem, 64, tcaMemoryCPU)); /* one rank never returns */
        all = kept.handles.back().data();
        if (r.me == 0)
            return tcaWaitDMARecvDesc(&all[1], 2, 7);
        for (int slot : { 4, 1 })
            EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &all[0], 0, &all[1], 32, 16,
                                                    tcaDMAUseInternal | tcaDMANotify, slot, 7));
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, CH));
        EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
        EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(CH));
        return tcaDescFree(d);
    }));
    EXPECT_NE(std::string::npos,
              std::string(c.err.text)
                  .find("rank 0 on node 0 is in tcaWaitDMARecvDesc (part 1, slot 2, tag 0x7; "
                        "from there slot 1, tag 0x7 has come), polling memory"))
        << c.err.text;
}

/* Each puts to the one before it, and waits for that one in place of the one behind it. */
TEST(Stall, OfAWaitForAnotherRankTellsWhereTheNotificationHasComeFrom)
{
    MachineFile file("ring4");
    Cluster c(file.cluster());

    EXPECT_EQ(SIM_ERR_STALLED, c.run([]() -> int {
        Rank r;
        auto *mem = r.memory(64, tcaMemoryCPU);
        int before = (r.me + r.size - 1) % r.size;
        tcaHandle *all;
        tcaDesc *d = tcaDescNew();

        kept.handles.push_back(r.publish(mem, 64, tcaMemoryCPU)); /* no rank returns */
        all = kept.handles.back().data();
        EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &all[before], 0, &all[r.me], 32, 16,
                                                tcaDMAUseInternal | tcaDMANotify, 1, 7));
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, CH));
        tcaDescFree(d);
        EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
        return tcaWaitDMARecvDesc(&all[before], 1, 7);
    }));
    EXPECT_NE(std::string::npos,
              std::string(c.err.text)
                  .find("rank 0 on node 0 is in tcaWaitDMARecvDesc (part 3, slot 1, tag 0x7; from "
                        "part 1 slot 1, tag 0x7 has come), polling memory"))
        << c.err.text;
}

/* Both put to the other rank, and wait with the handle that the put has read from. */
TEST(Stall, OfAWaitWithTheOwnHandleTellsWhereTheNotificationHasComeFrom)
{
    MachineFile file("two-node");
    Cluster c(file.cluster());

    EXPECT_EQ(SIM_ERR_STALLED, c.run([]() -> int {
        Rank r;
        auto *mem = r.memory(64, tcaMemoryCPU);
        tcaHandle *all;
        tcaDesc *d = tcaDescNew();

        kept.handles.push_back(r.publish(mem, 64, tcaMemoryCPU)); /* no rank returns */
        all = kept.handles.back().data();
        EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &all[!r.me], 0, &all[r.me], 32, 16,
                                                tcaDMAUseInternal | tcaDMANotify, 2, 7));
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, CH));
        tcaDescFree(d);
        EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
        return tcaWaitDMARecvDesc(&all[r.me], 2, 7);
    }));
    EXPECT_NE(std::string::npos,
              std::string(c.err.text)
                  .find("rank 0 on node 0 is in tcaWaitDMARecvDesc (part 0, that of its own node, "
                        "slot 2, tag 0x7; from part 1 slot 2, tag 0x7 has come), polling memory"))
        << c.err.text;
}

} // namespace
