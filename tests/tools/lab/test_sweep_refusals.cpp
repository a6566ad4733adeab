/* Sweeps: what is refused, and where. */
#include "sweep_fixture.h"

namespace
{

using namespace test;

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

} // namespace
