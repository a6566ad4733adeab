/* Every workload in every configuration moves the right bytes, and gives the same in every order.
 */
#include "tests/built.h"
#include "tests/hosts/cluster.h"

#include <cstring>

namespace
{

using test::Cluster;
using test::ClusterConfig;
using Args = std::vector<std::string>;

/** The number after " key=" in a result line. */
uint64_t field(const std::string &line, const char *key)
{
    std::string want = std::string(" ") + key + "=";
    size_t at = line.find(want);

    EXPECT_NE(std::string::npos, at) << key << " in: " << line;
    return at == std::string::npos ? 0 : strtoull(line.c_str() + at + want.size(), nullptr, 10);
}

struct Outcome {
    int code;
    std::string line; /* the one result line, or what was said on stderr */
    sim_fingerprint print;
};

Outcome run(const char *program, const Args &args, unsigned nodes = 2, sim_order order = {})
{
    ClusterConfig cc;
    cc.nodes = nodes;
    cc.order = order;
    Cluster c(cc);
    Outcome r = {};
    unsigned results = 0;

    r.code = c.run_program(test::WORKLOADS + "/" + program + ".so", args);
    EXPECT_EQ(SIM_OK, r.code) << c.err.text;
    for (auto &l : c.lines) {
        results += l.text.rfind("result ", 0) == 0;
        r.line = l.text;
    }
    if (c.all_well())
        EXPECT_EQ(1u, results);
    else if (r.code == SIM_OK)
        r.code = c.result.ranks[0].exit_code;
    r.print = c.fingerprint();
    return r;
}

/** The run moves the right bytes, and no order of events and domains changes a time or a byte. */
Outcome expect_verified(const char *program, const Args &args, unsigned nodes = 2)
{
    Outcome first = run(program, args, nodes);

    EXPECT_EQ(SIM_OK, first.code) << first.line;
    EXPECT_EQ(1u, field(first.line, "verified")) << first.line;
    EXPECT_GT(field(first.line, "latency_ps_min"), 0u) << first.line;
    EXPECT_NE(0u, first.print.wire);
    for (const sim_order &order : test::all_orders()) {
        Outcome r = run(program, args, nodes, order);

        EXPECT_EQ(first.line, r.line);
        EXPECT_EQ(first.print.visible, r.print.visible) << first.line;
        EXPECT_EQ(first.print.wire, r.print.wire) << first.line;
    }
    return first;
}

const Args FEW = { "rounds=3", "warmup=1", "repeats=2" };

Args with(Args a, const Args &b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

TEST(Workloads, PingPongInEachModeAndMemory)
{
    for (const char *mode : { "dma-register", "dma-chain-host", "dma-chain-internal" })
        for (const char *src : { "src=cpu", "src=gpu0", "src=gpu1" })
            for (const char *dst : { "dst=cpu", "dst=gpu0", "dst=gpu1" })
                for (const char *bytes : { "bytes=8", "bytes=10000" })
                    expect_verified("pingpong",
                                    with(FEW, { std::string("mode=") + mode, src, dst, bytes }));
    for (const char *dst : { "dst=cpu", "dst=gpu0" })
        for (const char *bytes : { "bytes=4", "bytes=8", "bytes=4096" })
            expect_verified("pingpong", with(FEW, { "mode=pio", dst, bytes }));
}

TEST(Workloads, PingPongWithoutWaitingForItself)
{
    expect_verified("pingpong", with(FEW, { "notify_self=off" }));
    expect_verified("pingpong", with(FEW, { "notify_self=off", "mode=dma-chain-host" }));
}

TEST(Workloads, DmaChainInEachMode)
{
    for (const char *end : { "end=word", "end=state" }) {
        expect_verified("dma-chain", { "mode=dma-register", "bytes=512", end }, 1);
        for (const char *mode : { "mode=dma-chain-host", "mode=dma-chain-internal" })
            for (const char *src : { "src=cpu", "src=gpu0" })
                for (const char *dst : { "dst=cpu", "dst=gpu1" })
                    expect_verified("dma-chain", { mode, "bytes=512", "count=9", src, dst, end },
                                    1);
    }
}

TEST(Workloads, BlockStrideTouchesItsBlocksOnly)
{
    for (const char *mode : { "mode=dma-chain-host", "mode=dma-chain-internal" })
        for (const char *self : { "notify_self=on", "notify_self=off" })
            expect_verified("block-stride", with(FEW, { mode, self, "blocks=7", "block_bytes=48",
                                                        "pitch_bytes=176" }));
}

TEST(Workloads, StreamsOneWayAndBothWays)
{
    for (const char *channels : { "channels=1", "channels=4" })
        for (const char *both : { "both_ways=on", "both_ways=off" })
            expect_verified("streams", { channels, both, "bytes=20000", "repeats=2" });
}

TEST(Workloads, StoresAndCopies)
{
    expect_verified("pio-stream", { "bytes=2048" });
    expect_verified("pio-stream", { "bytes=2048", "dst=gpu0" });
    expect_verified("cuda-peer", with(FEW, { "bytes=100000", "uva=on" }), 1);
    expect_verified("cuda-peer", with(FEW, { "bytes=100000", "uva=off" }), 1);
    expect_verified("staged", with(FEW, { "bytes=100000" }));
}

const Args ONCE = { "repeats=1", "part_bytes=512" };

TEST(Workloads, AllgatherGivesEachRankEveryBlock)
{
    for (const char *memory : { "memory=cpu", "memory=gpu0" })
        for (const char *mode : { "mode=dma-chain-host", "mode=dma-chain-internal" })
            for (const char *bytes : { "bytes=16", "bytes=2064" }) {
                expect_verified("allgather", with(ONCE, { memory, mode, bytes }), 3);
                for (const char *order : { "order=up", "order=down" })
                    expect_verified(
                        "allgather",
                        with(ONCE, { memory, mode, bytes, order, "algorithm=doubling" }), 4);
            }
}

TEST(Workloads, BroadcastReachesEveryRank)
{
    for (const char *memory : { "memory=cpu", "memory=gpu0" })
        for (const char *algorithm : { "algorithm=ring", "algorithm=tree" })
            for (const char *bytes : { "bytes=8", "bytes=5000" })
                expect_verified("broadcast",
                                with(ONCE, { memory, algorithm, bytes, "segment_bytes=512" }), 5);
    expect_verified("broadcast", { "bytes=4096", "channels=1", "segment_bytes=256", "repeats=1" },
                    3);
}

TEST(Workloads, ExchangesAmongManyMoveEveryByte)
{
    for (const char *memory : { "memory=cpu", "memory=gpu0" })
        for (const char *mode : { "mode=dma-chain-host", "mode=dma-chain-internal" }) {
            expect_verified("all-to-all", with(ONCE, { memory, mode, "bytes=1040" }), 5);
            expect_verified("neighbour", with(ONCE, { memory, mode, "bytes=1040" }), 3);
            expect_verified("halo", with(ONCE, { memory, mode, "n=6" }), 4);
        }
    expect_verified("halo", with(ONCE, { "n=4", "shape=1x1x2", "channels=1" }), 2);
    expect_verified("halo", with(ONCE, { "n=4", "shape=3x1x2", "channels=3" }), 6);
}

TEST(Workloads, MessagesOfMpiMoveEveryByte)
{
    for (const char *receives : { "receives=called", "receives=preposted" })
        for (const char *bytes : { "bytes=0", "bytes=100000" })
            expect_verified("mpi-pingpong", with(FEW, { receives, bytes }));
    expect_verified("mpi-pingpong", with(FEW, { "src=gpu0", "dst=gpu1", "bytes=5000" }));
    expect_verified("mpi-pingpong",
                    with(FEW, { "src=gpu0", "dst=gpu0", "blocks=3", "block_bytes=64",
                                "pitch_bytes=200", "pack=copy" }));
    for (const char *pattern : { "pattern=one", "pattern=both", "pattern=rate" })
        expect_verified("mpi-bandwidth", { pattern, "bytes=3000", "count=100" });
}

TEST(Workloads, CollectivesOfMpiMoveEveryByte)
{
    for (const char *op : { "barrier", "broadcast", "reduce", "allreduce", "gather", "allgather",
                            "scatter", "alltoall" })
        expect_verified("mpi-collective", { std::string("op=") + op, "bytes=1000", "repeats=1" },
                        3);
    expect_verified("mpi-collective", { "op=alltoall", "memory=gpu0", "repeats=1" }, 5);
    for (const char *op : { "op=allreduce", "op=reduce" })
        expect_verified("mpi-collective",
                        { op, "type=double", "start=barrier", "rounds=3", "bytes=1000" }, 3);
}

TEST(Workloads, ExchangesBehindABarrierMoveEveryByte)
{
    for (const char *memory : { "memory=cpu", "memory=gpu0" }) {
        expect_verified("broadcast",
                        { memory, "start=barrier", "algorithm=tree", "pipeline=off", "rounds=3",
                          "bytes=4096", "channels=1" },
                        6);
        for (const char *own : { "own=there", "own=copied" })
            for (const char *lists : { "lists=kept", "lists=rewritten" })
                expect_verified("allgather",
                                { memory, "start=barrier", "algorithm=doubling", "order=up", own,
                                  lists, "rounds=3", "bytes=4096" },
                                4);
    }
}

TEST(Workloads, FacesOfAStencilComeToFourRanks)
{
    for (const char *rows : { "rows=board", "rows=copy" })
        for (const char *n : { "n=2", "n=16" })
            expect_verified("stencil", with(FEW, { rows, n }), 5);
}

/** The sums, residuals and ranks that the benchmark publishes, on any number of ranks. */
TEST(Workloads, KernelsComputeWhatIsPublished)
{
    const struct {
        const char *name;
        std::vector<unsigned> ranks;
    } kernels[] = { { "npb-ep", { 4 } },    { "npb-is", { 1, 4 } }, { "npb-cg", { 1, 2, 8 } },
                    { "npb-mg", { 1, 8 } }, { "npb-lu", { 1, 4 } }, { "npb-sp", { 1, 9 } },
                    { "npb-bt", { 4 } } };

    for (const auto &kernel : kernels) {
        uint64_t before = UINT64_MAX;

        for (unsigned n : kernel.ranks) {
            Outcome r = run(kernel.name, { "class=S" }, n);

            ASSERT_EQ(SIM_OK, r.code) << kernel.name << " on " << n << ": " << r.line;
            EXPECT_EQ(1u, field(r.line, "verified")) << kernel.name << " on " << n;
            EXPECT_LT(field(r.line, "latency_ps_min"), before) << kernel.name << " on " << n;
            before = field(r.line, "latency_ps_min");
        }
    }
}

/** As the original: with several ranks, two messages an axis in each of 14 exchanges, to itself
 * along an axis that is not shared. */
TEST(Workloads, MultigridExchangesAlongAllAxes)
{
    uint64_t three = field(run("npb-mg", { "class=S", "iterations=3" }, 4).line, "messages");
    uint64_t two = field(run("npb-mg", { "class=S", "iterations=2" }, 4).line, "messages");

    EXPECT_EQ(4u * 14 * 6, three - two);
}

/** Set-up, a first iteration without a clock and checks included, as in the published rates. */
TEST(Workloads, KernelsCountTheWholeProgram)
{
    Outcome lu = run("npb-lu", { "class=S", "iterations=2" }, 4);
    Outcome ep = run("npb-ep", { "class=S", "sample=2" }, 4);
    Outcome is = run("npb-is", { "class=S" }, 4);
    const uint64_t allreduce = 4 * 2, alltoall = 4 * 3, borders = 4;

    /* Faces: of the exact values for the forcing, of the first guess, after each iteration. */
    EXPECT_EQ((2 + 2) * 2 * borders + 2 * 2 * 10 * borders + 3 * allreduce,
              field(lu.line, "messages"));
    EXPECT_EQ(4 * allreduce, field(ep.line, "messages")); /* three sums, and the longest time */
    EXPECT_EQ(11 * (2 * alltoall + allreduce) + 2 * allreduce, field(is.line, "messages"));
    EXPECT_LT(field(is.line, "latency_ps_min"), field(is.line, "whole_ps"));
}

/** Iterations are alike: from a few of them the time and the messages of all follow. */
TEST(Workloads, ASampleOfAKernelTellsTheTimeOfAll)
{
    const struct {
        const char *name;
        unsigned ranks;
    } kernels[] = { { "npb-cg", 4 }, { "npb-mg", 4 }, { "npb-lu", 2 }, { "npb-sp", 4 } };

    for (const auto &kernel : kernels) {
        Outcome all = run(kernel.name, { "class=S" }, kernel.ranks);
        Outcome few = run(kernel.name, { "class=S", "sample=3" }, kernel.ranks);
        double exact = (double)field(all.line, "latency_ps_min");

        EXPECT_NEAR(exact, (double)field(few.line, "latency_ps_min"), 0.005 * exact) << kernel.name;
        EXPECT_EQ(field(all.line, "messages"), field(few.line, "messages")) << kernel.name;
        EXPECT_EQ(3u, field(few.line, "run")) << kernel.name;
    }
    EXPECT_EQ(run("npb-lu", { "class=S", "sample=2" }, 4).line,
              run("npb-lu", { "class=S", "sample=2" }, 4, test::all_orders().back()).line);
}

TEST(Workloads, DistanceCosts)
{
    uint64_t near =
        field(expect_verified("pingpong", with(FEW, { "mode=pio" })).line, "latency_ps_min");
    ClusterConfig cc;
    cc.nodes = 3;
    Cluster c(cc);
    const unsigned nodes[] = { 0, 2 };
    launch_config cfg = {};
    cfg.nranks = 2;
    cfg.nodes = nodes;

    ASSERT_EQ(SIM_OK,
              c.run_program(test::WORKLOADS + "/pingpong.so", with(FEW, { "mode=pio" }), cfg))
        << c.err.text;
    ASSERT_EQ(1u, c.lines.size());
    EXPECT_GT(field(c.lines[0].text, "latency_ps_min"), near);
}

/** Ghosts do not go along while they are written, and each sender writes memory of its own. */
TEST(Workloads, NoBytesOfTransfersAreUsedByOthers)
{
    const struct {
        const char *program;
        unsigned ranks;
        Args args;
    } runs[] = { { "halo", 2, { "n=8" } },
                 { "halo", 4, { "n=8", "channels=1" } },
                 { "halo", 8, { "n=8" } },
                 { "message", 4, {} },
                 { "message", 6, { "kind=2d" } } };

    for (auto &r : runs) {
        ClusterConfig cc;
        cc.nodes = r.ranks;
        Cluster c(cc);
        launch_config cfg = {};
        cfg.checks = HOST_CHECK_RACES;

        EXPECT_EQ(SIM_OK, c.run_program(test::WORKLOADS + "/" + r.program + ".so", r.args, cfg))
            << c.err.text;
        EXPECT_TRUE(c.all_well());
        EXPECT_EQ(std::vector<std::string>(), c.found) << r.program << " on " << r.ranks;
    }
}

TEST(Workloads, SizesMayHaveAUnit)
{
    EXPECT_EQ(4096u, field(run("pingpong", with(FEW, { "bytes=4KiB" })).line, "bytes"));
    EXPECT_EQ(4096u, field(run("all-to-all", { "bytes=4KiB", "repeats=1" }).line, "bytes"));
}

/** Channels and notifications are the node's: what ranks of one node would do with them is refused.
 */
TEST(Workloads, RanksThatDoNotFitAreToldInOneLine)
{
    const std::string shared = "2 ranks on one node: expected one on each";
    const struct {
        const char *program;
        std::vector<unsigned> nodes; /* one for each rank */
        std::string said;
    } bad[] = {
        { "allgather", { 0, 1, 0, 1 }, shared },
        { "broadcast", { 0, 0 }, shared },
        { "halo", { 0, 1, 1 }, shared },
        { "dma-chain", { 0, 0 }, shared },
        { "pingpong", { 1, 1 }, shared },
        { "pio-stream", { 0, 0 }, shared },
        { "block-stride", { 0, 0 }, shared },
        { "streams", { 0, 0 }, shared },
        { "staged", { 0, 0 }, shared },
        { "pingpong", { 0, 1, 0, 1 }, "4 ranks: expected 2" },
        { "streams", { 0 }, "1 ranks: expected 2" },
        { "message", { 0, 0, 1, 1 }, "ranks 2 and 3 on one node: expected one on each" },
        { "message", { 0 }, "1 ranks: expected at least 2" },
    };

    for (auto &b : bad) {
        Cluster c;
        launch_config cfg = {};
        unsigned told = 0, failed = 0;
        cfg.nranks = (unsigned)b.nodes.size();
        cfg.nodes = b.nodes.data();

        (void)c.run_program(test::WORKLOADS + "/" + b.program + ".so", {}, cfg);
        for (auto &l : c.lines) {
            EXPECT_EQ(0u, l.text.rfind(b.said, 0)) << b.program << ": " << l.text;
            told += l.error;
        }
        for (unsigned r = 0; r < c.result.nranks; r++)
            failed += c.result.ranks[r].ended && c.result.ranks[r].exit_code == 2;
        EXPECT_GE(told, 1u) << b.program;
        EXPECT_EQ(told, failed) << b.program;
    }
}

/** The sender, the receiver and one other may be on one node: only the others have that channel. */
TEST(Workloads, AMessageWithinItsNodeIsThere)
{
    for (const std::vector<unsigned> &nodes :
         { std::vector<unsigned>{ 0, 0 }, { 0, 0, 0 }, { 0, 1, 1, 0 } }) {
        Cluster c;
        launch_config cfg = {};
        cfg.nranks = (unsigned)nodes.size();
        cfg.nodes = nodes.data();

        EXPECT_EQ(SIM_OK, c.run_program(test::WORKLOADS + "/message.so", {}, cfg)) << c.err.text;
        ASSERT_EQ(1u, c.lines.size());
        EXPECT_EQ(1u, field(c.lines[0].text, "verified"));
    }
}

TEST(Workloads, BadArgumentsAreToldInOneLine)
{
    const struct {
        const char *program;
        Args args;
        const char *said;
    } bad[] = {
        { "pingpong", { "mode=fast" }, "mode=fast: expected pio|" },
        { "pingpong", { "bytes=x" }, "bytes=x: expected a whole number" },
        { "pingpong", { "bytes=4K" }, "bytes=4K: expected a whole number" },
        { "pingpong", { "rounds=4KiB" }, "rounds=4KiB: expected a whole number" },
        { "pingpong", { "bytes=-4" }, "bytes=-4: expected a whole number" },
        { "pingpong", { "bytes= -4" }, "bytes= -4: expected a whole number" },
        { "pingpong",
          { "bytes=17592186044417MiB" },
          "bytes=17592186044417MiB: expected a whole number" },
        { "pingpong",
          { "rounds=18446744073709551616" },
          "rounds=18446744073709551616: expected a whole number" },
        { "pingpong", { "bytes=0" }, "bytes=0: expected at least 1" },
        { "pingpong", { "byte=8" }, "byte=8: unknown key" },
        { "pingpong", { "fast" }, "fast: expected key=value" },
        { "pingpong", { "src=disk" }, "src=disk: expected cpu or gpu0" },
        { "pingpong", { "src=gpu4" }, "gpu4: expected cpu or gpu0 .. gpu1, the GPUs of the node" },
        { "mpi-pingpong", { "dst=gpu7" }, "gpu7: expected cpu or gpu0 .. gpu1, the GPUs of the" },
        { "dma-chain", { "count=0" }, "count=0: expected at least 1" },
        { "streams", { "channels=5" }, "1 .. 4 channels" },
        { "block-stride", { "pitch_bytes=4" }, "pitch_bytes of at least block_bytes" },
        { "allgather", { "bytes=24" }, "bytes=24: expected a multiple of 16" },
        { "broadcast", { "channels=5" }, "1 .. 4 channels" },
        { "halo", { "n=5" }, "n=5: expected an even number" },
        { "halo", { "shape=2x2x2" }, "shape=2x2x2: expected a product of 2" },
    };

    for (auto &b : bad) {
        Outcome r = run(b.program, b.args);

        EXPECT_EQ(2, r.code) << b.said;
        EXPECT_NE(std::string::npos, r.line.find(b.said)) << r.line;
    }
}

} // namespace
