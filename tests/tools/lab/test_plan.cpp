#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "tests/tools/attempt.h"
#include "tools/lab/workload/plan.h"
#include "tools/lab/workload/plan_parts.h"

namespace
{

class Plan : public testing::Test
{
  protected:
    void TearDown() override { load_arena_fini(&arena); }
    int plan(const char *workload, const char *text, const char *platform = "plat")
    {
        err = {};
        p = {};
        return attempt(&err, [&] {
            lab_setup setup = lab_setup_parse(text, "t.csv:2", &arena);
            lab_point point = { "t.csv:2", platform, workload, &setup, nullptr };

            p = lab_plan_make(&point, &protocol, &arena);
        });
    }
    std::string run(const char *workload, const char *text, const char *platform = "plat")
    {
        EXPECT_EQ(SIM_OK, plan(workload, text, platform)) << err.text;
        return lab_run_text(&p.runs[0], &arena);
    }
    std::string message(const char *workload, const char *text)
    {
        EXPECT_EQ(SIM_ERR_CONFIG, plan(workload, text));
        return err.text;
    }
    begun_arena arena;
    lab_protocol protocol = { 1, 10, 3, 0 };
    lab_plan p = {};
    sim_error err = {};
};

TEST_F(Plan, SetupAloneMakesTheRun)
{
    EXPECT_EQ("two-node platform=plat pingpong bytes=8 mode=pio src=cpu dst=gpu0 "
              "warmup=1 rounds=10 "
              "repeats=3 @0 @1 seed=0",
              run("pingpong", "bytes=8;mode=pio;src=cpu-store;dst=gpu;nodes=2;hops=1;rounds=100;"
                              "poll=cpu-reads-mapped-gpu-memory;repeats=100;reduce=min"));
    EXPECT_EQ("one-node platform=plat dma-chain mode=dma-chain-host bytes=4096 count=128 src=gpu0 "
              "dst=gpu1 warmup=1 rounds=10 repeats=3 @0 seed=0",
              run("dma-chain", "bytes=4096;count=128;mode=dma-chain-host;src=gpu;"
                               "dst=gpu-other-same-node;nodes=1;timing=driver-tsc"));
    EXPECT_EQ(4096u * 128, p.bytes);
}

TEST_F(Plan, KernelsHaveARankOnEachNode)
{
    EXPECT_EQ("ring4 platform=plat npb-cg class=S sample=10 @0 @1 @2 @3 seed=0",
              run("npb-cg", "class=S;nodes=4"));
    EXPECT_EQ("one-node platform=plat npb-cg class=S sample=10 @0 seed=0",
              run("npb-cg", "class=S;nodes=1"));
}

TEST_F(Plan, TheLibraryAndTheNetworkOfAClusterAreOfTheRow)
{
    auto text = [&](const char *platform, const char *workload, const char *words) {
        EXPECT_EQ(SIM_OK, plan(workload, words, platform)) << err.text;
        return std::string(lab_run_text(&p.runs[0], &arena));
    };

    EXPECT_EQ("mbcf-hub platform=mbcf mpi-pingpong bytes=64 src=cpu dst=cpu receives=preposted "
              "warmup=1 rounds=1 repeats=3 @0 @1 --mpi mbcf,requests=off seed=0",
              text("mbcf-hub", "mpi-pingpong",
                   "bytes=64;api=nsr;duplex=half;nodes=2;reduce=min;receives=preposted"));
    EXPECT_EQ("mbcf-switch platform=mbcf mpi-bandwidth bytes=1048576 count=8 pattern=one src=cpu "
              "dst=cpu warmup=1 rounds=1 repeats=3 @0 @1 seed=0",
              text("mbcf-switch", "mpi-bandwidth", "bytes=1048576;api=sr;duplex=full;nodes=2"));
    EXPECT_EQ(8u << 20, p.bytes);
    EXPECT_EQ("mbcf-switch-half platform=mbcf-sunos npb-cg class=W iterations=15 sample=10 @0 @1 "
              "seed=0",
              text("mbcf-switch", "npb-cg",
                   "api=mpich;nodes=2;size=7000;iterations=15;class=W;version=2.3;"
                   "net=switching-hub;duplex=half"));
    EXPECT_EQ("mbcf-hub platform=mbcf mbcf-oneway bytes=4 op=fifo warmup=1 rounds=1 repeats=3 @0 "
              "@1 seed=0",
              text("mbcf-hub", "mbcf-oneway", "bytes=4;op=fifo;api=mbcf;duplex=half;nodes=2"));
}

TEST_F(Plan, HimenoRunsOnAllNodesOfItsRow)
{
    const char *row = "size=small;split=i;iterations=1000;nodes=4;";
    const std::string four = " @0 @1 @2 @3 ";

    EXPECT_EQ("ring4 platform=plat himeno library=gasnet size=small split=i iterations=1000 "
              "gpu=gpu@hub sample=10" +
                  four + "--gasnet tca-2016,segment=gpu,fault=on seed=0",
              run("himeno", (std::string(row) + "system=gasnet-tca;"
                                                "completion=poll performance counter")
                                .c_str()));
    EXPECT_EQ("ring4 platform=plat himeno library=mpi size=small split=i iterations=1000 "
              "gpu=gpu@ib sample=10" +
                  four + "--mpi library=mvapich2-gdr-2016 seed=0",
              run("himeno", (std::string(row) + "system=mpi-ib").c_str()));
}

/* Its GPU is then on the side of the hub, too. */
TEST_F(Plan, ALongGoesOverTheHubUnlessItsRowSaysOtherwise)
{
    const char *row = "bytes=8;src=gpu;dst=gpu;nodes=2;op=am-long";
    const std::string hub = run("gasnet-am-long", row);

    EXPECT_NE(std::string::npos, hub.find(" src=gpu@hub "));
    EXPECT_EQ(hub, run("gasnet-am-long", (std::string(row) + ";system=gasnet-tca").c_str()));
    EXPECT_NE(std::string::npos,
              run("gasnet-am-long", (std::string(row) + ";system=gasnet-ib").c_str())
                  .find(" src=gpu@ib "));
}

TEST_F(Plan, AllThatARowSaysOfMpiOverInfiniBandCounts)
{
    const char *run_of = "two-node platform=plat mpi-pingpong bytes=8 ";
    const char *rounds = " receives=called warmup=1 rounds=10 repeats=3 @0 @1 --mpi library=";
    auto expect = [&](const char *words, std::string memories, std::string mpi) {
        EXPECT_EQ(run_of + memories + rounds + mpi + " seed=0",
                  run("mpi-pingpong", (std::string("bytes=8;nodes=2;") + words).c_str()));
    };
    auto refused = [&](const char *words, const char *why) {
        EXPECT_EQ(std::string("t.csv:2: setup ") + why,
                  message("mpi-pingpong", (std::string("bytes=8;nodes=2;") + words).c_str()));
    };

    expect("api=mvapich2-gdr-2.2;src=gpu;dst=gpu;gpu=peach2-side;rails=2;gdr_limit=524288",
           "src=gpu@hub dst=gpu@hub",
           "mvapich2-gdr-2.2,gdr_limit=524288,rails=2 --set node*.ib.ports=2");
    expect("api=mvapich2-1.9b;gdr=off;net=ib-fdr10;src=gpu;dst=gpu", "src=gpu@ib dst=gpu@ib",
           "mvapich2,gdr=off --set node*.ib.link.speed=fdr10");
    expect("system=mpi-ib;op=send-recv;ports=1;src=cpu;dst=gpu-across-qpi", "src=cpu dst=gpu@!ib",
           "mvapich2-gdr-2016,rails=1");
    expect("api=mvapich2-gdr-2.2;gdr_limit=default-8192;src=gpu", "src=gpu@ib dst=cpu",
           "mvapich2-gdr-2.2,gdr_limit=8192");
    expect("api=mvapich2-gdr-2.2;gdr_limit=default;gdr_receive_limit=default;src=gpu",
           "src=gpu@ib dst=cpu", "mvapich2-gdr-2.2");
    expect("api=mvapich2-gdr-2.2;gdr_receive_limit=8192;gpu=across-qpi;src=gpu;dst=gpu",
           "src=gpu@hub dst=gpu@hub",
           "mvapich2-gdr-2.2,gdr_receive_limit=8192 --set node*.software.rank_socket=0");
    expect("api=mvapich2-gdr-2.2;gdr=on;gdrcopy=off;src=gpu", "src=gpu@ib dst=cpu",
           "mvapich2-gdr-2.2,gdr=on,gdrcopy=off");
    expect("api=mpi-gdr;memory=gpu", "src=gpu@ib dst=gpu@ib", "mvapich2-gdr-2.0");
    expect("api=mpi-gdr;net=ib-qdr-dual;gdr_limit=0;src=gpu-other-same-node",
           "src=gpu@ib+1 dst=cpu",
           "mvapich2-gdr-2.0,gdr_limit=1,rails=2 --set node*.ib.link.speed=qdr --set "
           "node*.ib.ports=2");
    EXPECT_EQ(
        "two-node platform=plat mpi-bandwidth bytes=1048576 count=8 pattern=both src=gpu@ib "
        "dst=gpu@ib warmup=1 rounds=1 repeats=3 @0 @1 --mpi library=mvapich2-gdr-2.2 seed=0",
        run("mpi-bandwidth", "bytes=1048576;api=mvapich2-gdr;direction=both;src=gpu;dst=gpu"));
    EXPECT_EQ(16u << 20, p.bytes) << "both directions count";
    EXPECT_EQ(2u, p.directions);

    EXPECT_EQ("two-node platform=plat mpi-pingpong blocks=64 block_bytes=512 pitch_bytes=32768 "
              "src=gpu@ib dst=gpu@ib warmup=1 rounds=10 repeats=3 @0 @1 --mpi "
              "library=mvapich2-gdr-2.2 seed=0",
              run("block-stride", "n=64;api=mvapich2-gdr-2.2;src=gpu;dst=gpu"));
    EXPECT_EQ(32768u, p.bytes);

    EXPECT_EQ("two-node platform=plat mpi-pingpong blocks=4 block_bytes=32 pitch_bytes=128 "
              "pack=copy src=gpu@ib dst=gpu@ib warmup=1 rounds=10 repeats=3 @0 @1 --mpi "
              "library=mvapich2-gdr-2.2 seed=0",
              run("block-stride", "n=4;api=mvapich2-gdr-2.2;src=gpu;dst=gpu;"
                                  "method=pack and unpack by GPU kernel"));
    EXPECT_EQ(std::string::npos, run("block-stride", "n=4;api=mvapich2-gdr-2.2;src=gpu;dst=gpu;"
                                                     "method=MPI_Type_vector")
                                     .find("pack="));
    EXPECT_EQ("t.csv:2: setup method=MPI_Type_vector: expected nothing, or api= an MPI library "
              "beside it",
              message("block-stride", "n=4;method=MPI_Type_vector"));
    refused("api=mpi;gdr_limit=some", "gdr_limit=some: expected a whole number, default, or "
                                      "default-N");
    refused("api=openmpi", "api=openmpi: expected an MPI library of configs/mpi");
    refused("rails=2", "api=(absent): expected an MPI library of configs/mpi");
    refused("api=mpi;net=ib-hdr", "net=ib-hdr: expected ib, ib-sdr, ib-ddr, ib-qdr, ib-fdr10, "
                                  "ib-fdr or ib-edr, or one of these with -dual");
    refused("api=mpi;rails=3", "rails=3: expected 1 or 2");
    refused("api=mpi;rails=1;ports=2", "ports=2: expected 1 or 2, as rails and net");
    refused("api=mpi;net=ib-qdr-dual;rails=1", "rails=1: expected 2, as net");
    refused("api=mpi;mpi=peach2", "mpi=peach2: expected nothing beside a library over InfiniBand");
    refused("api=mpi;duplex=half", "duplex=half: expected full: InfiniBand has no other");
    refused("api=mpi;uva=off", "uva=off: expected on: MPI knows memories by their addresses");
    refused("api=mpi;op=put", "op=put: expected send-recv");
    refused("api=mpi;count=8", "count=8: expected nothing here: it is of mpi-bandwidth");
    refused("api=mpi;src=cpu-store", "src=cpu-store: expected cpu, or a GPU");
    EXPECT_EQ("t.csv:2: setup gdr=on: expected nothing, or api= an MPI library beside it",
              message("pingpong", "bytes=8;gdr=on"));
    EXPECT_EQ("two-node platform=plat pingpong bytes=8 mode=dma-register src=gpu@!hub dst=cpu "
              "warmup=1 rounds=10 repeats=3 @0 @1 seed=0",
              run("pingpong", "bytes=8;mode=dma-register;src=gpu;dst=cpu;gpu=ib-side"));
}

TEST_F(Plan, EachWordOfInfiniBandNamesALibraryOverIt)
{
    for (const lab_word *w = lab_words_ib; w->key != nullptr; w++) {
        const bool is_switch = w->values != nullptr && strcmp(w->values, "on|off") == 0;
        const std::string said = std::string(w->key) + (is_switch ? "=on" : "=1");

        EXPECT_EQ("t.csv:2: setup " + said + ": expected nothing, or api= an MPI library beside it",
                  message("pingpong", ("bytes=8;" + said).c_str()));
        EXPECT_EQ("t.csv:2: setup api=(absent): expected an MPI library of configs/mpi",
                  message("mpi-pingpong", ("bytes=8;nodes=2;" + said).c_str()));
    }
}

TEST_F(Plan, RowsOfManyRanksSayWhereTheyRunAndHowTheyAreTimed)
{
    const std::string group = "src=gpu;dst=gpu;barrier=before-each;rank_k_on_node=k+1;nodes=4;";
    const std::string ranks = " warmup=1 rounds=10 repeats=3 @0 @1 @2 @3";
    const std::string library = " --mpi library=mvapich2-gdr-2.2";
    auto row = [&](const char *workload, const char *words) {
        return run(workload, (group + words).c_str());
    };
    auto refused = [&](const char *workload, std::string words, std::string why) {
        EXPECT_EQ("t.csv:2: setup " + why, message(workload, (group + words).c_str()));
    };

    EXPECT_EQ("subcluster16 platform=plat broadcast bytes=8 memory=gpu@hub mode=dma-chain-internal "
              "notify=internal pipeline=off start=barrier algorithm=tree channels=1" +
                  ranks + library + " --set node*.software.rank_socket=0 seed=0",
              row("bcast", "bytes=8;api=tca;gpu=peach2-side;mode=dma-chain-internal;"
                           "algo=binomial-tree with one chained start per parent"));
    EXPECT_EQ("subcluster16 platform=plat allgather bytes=16 memory=gpu@hub "
              "mode=dma-chain-internal notify=internal pipeline=off start=barrier "
              "algorithm=doubling order=up lists=kept own=copied" +
                  ranks + library + " --set node*.software.rank_socket=0 seed=0",
              row("allgather", "bytes_per_rank=16;api=tca;notify_self=on;gpu=peach2-side;"
                               "algo=recursive-doubling and the first step also copies the own "
                               "block locally"));
    EXPECT_EQ(64u, p.bytes);
    EXPECT_EQ("subcluster16 platform=plat mpi-collective op=broadcast bytes=8 memory=gpu@ib "
              "start=barrier" +
                  ranks + library + ",gdr_limit=524288 seed=0",
              row("bcast", "bytes=8;api=mvapich2-gdr-2.2;gdr_limit=524288;gpu=ib-side"));
    EXPECT_EQ("subcluster16 platform=plat mpi-collective op=allgather bytes=16 memory=gpu@ib "
              "start=barrier" +
                  ranks + library + " seed=0",
              row("allgather", "bytes_per_rank=16;api=mvapich2-gdr-2.2;gpu=ib-side"));
    EXPECT_EQ("subcluster16 platform=plat mpi-collective op=allreduce bytes=8 memory=gpu@ib "
              "start=barrier type=double" +
                  ranks + library + " seed=0",
              row("allreduce", "bytes=8;api=mvapich2-gdr-2.2;op=sum of doubles"));
    EXPECT_EQ("two-node platform=plat mpi-collective op=allreduce bytes=8 memory=cpu warmup=1 "
              "rounds=10 repeats=3 @0 @1" +
                  library + " seed=0",
              run("allreduce", "bytes=8;api=mvapich2-gdr-2.2"))
        << "all ranks at once, on the smallest machine, where the row says no more";

    refused("allreduce", "bytes=8;api=tca", "api=tca: expected an MPI library of configs/mpi");
    refused("bcast", "bytes=8;api=gasnet",
            "api=gasnet: expected tca, or an MPI library of configs/mpi");
    refused("bcast", "bytes=8;api=mvapich2-gdr-2.2;mode=dma-chain-host",
            "mode=dma-chain-host: expected nothing beside an MPI library");
    refused("bcast", "bytes=8;api=tca;algo=ring",
            "algo=ring: expected binomial-tree with one chained start per parent");
}

/* The program that describes itself has the same name. */
TEST_F(Plan, AnAllgatherWithoutALibraryIsTheProgramOfThatName)
{
    EXPECT_EQ("t.csv:2: setup bytes_per_rank=16: unknown key",
              message("allgather", "bytes_per_rank=16;nodes=4"));
    EXPECT_STREQ("allgather", (plan("allgather", "bytes=16;nodes=4"), p.runs[0].program));
}

TEST_F(Plan, AStencilHasItsRanksWhereTheRowSaysAndItsRowsByBoardOrMessage)
{
    const std::string both = "api=two contiguous faces by mvapich2-gdr-2.2 and two block-stride "
                             "faces in one TCA chain;",
                      mpi = "api=mvapich2-gdr-2.2 with GPU kernels packing two faces;";
    const std::string rounds = " warmup=1 rounds=10 repeats=3";

    EXPECT_EQ("subcluster16 platform=plat stencil n=2 rows=board memory=gpu@hub" + rounds +
                  " @1 @0 @2 @3 @4 --mpi "
                  "library=mvapich2-gdr-2.2,gdr_receive_limit=8192,gdrcopy=off --set "
                  "node*.software.rank_socket=0 seed=0",
              run("stencil", (both + "n=2;bytes=32;gpu=peach2-side;gdr_receive_limit=8192;nodes=5;"
                                     "placement=2|1|3|4|5 or 15|16|14|13|12")
                                 .c_str()));
    EXPECT_EQ(
        "subcluster16 platform=plat stencil n=2 rows=copy memory=gpu@ib of=100" + rounds +
            " @0 @1 @2 @3 @4 --mpi library=mvapich2-gdr-2.2 seed=0",
        run("stencil", (mpi + "n=2;gpu=ib-side;nodes=5;rounds=100;placement=1|2|3|4|5").c_str()));
    EXPECT_EQ(run("stencil", (mpi + "n=2;nodes=5;placement=1|2|3|4|5").c_str()),
              run("stencil", (mpi + "n=2;nodes=5;placement=1,2,3,4,5").c_str()));
    EXPECT_EQ("t.csv:2: setup placement=1|2: expected a node for each of nodes",
              message("stencil", (mpi + "n=2;nodes=5;placement=1|2").c_str()));
    EXPECT_EQ("t.csv:2: setup placement=0|2: expected nodes such as 2|1|3 or 2,1,3, from 1",
              message("stencil", (mpi + "n=2;nodes=2;placement=0|2").c_str()));
    EXPECT_EQ("t.csv:2: setup bytes=8: expected n * n doubles",
              message("stencil", (mpi + "n=2;bytes=8;nodes=5").c_str()));
}

TEST_F(Plan, FaultsArePartOfTheRunAndTakeAsManyRoundsAsTheSetupSays)
{
    EXPECT_EQ("two-node platform=plat pingpong bytes=8 mode=pio src=cpu dst=cpu warmup=2 rounds=1 "
              "repeats=500 @0 @1 --faults some.yaml --faults {link: 'node*.hub.[ewsab]', "
              "bit_error_rate: 1e-9} seed=0",
              run("pingpong", "bytes=8;mode=pio;warmup=2;rounds=1;repeats=500;faults=some.yaml;"
                              "bit_error_rate=1e-9"));
    EXPECT_EQ("two-node platform=plat pingpong bytes=8 mode=pio src=cpu dst=cpu warmup=2 rounds=1 "
              "repeats=500 @0 @1 --faults {link: 'node0.hub.n', bit_error_rate: 2e-9} seed=0",
              run("pingpong", "bytes=8;mode=pio;warmup=2;rounds=1;repeats=500;bit_error_rate=2e-9;"
                              "fault_links=node0.hub.n"));
    EXPECT_EQ("two-node platform=plat pingpong bytes=8 mode=pio src=cpu dst=cpu warmup=2 rounds=1 "
              "repeats=500 @0 @1 seed=0",
              run("pingpong",
                  "bytes=8;mode=pio;warmup=2;rounds=1;repeats=500;bit_error_rate=0;faults=none"));
    EXPECT_EQ("t.csv:2: setup bit_error_rate=1e-19: expected a rate, 0 .. 1e-1, such as 1e-9",
              message("pingpong", "bytes=8;mode=pio;bit_error_rate=1e-19"));
}

TEST_F(Plan, ACubeGivesTheShapeOfABlockStride)
{
    std::string whole = run("block-stride", "n=64;blocks=64;block_bytes=512;pitch_bytes=32768;"
                                            "bytes=32768;mode=dma-chain-internal;src=gpu;dst=gpu");
    EXPECT_EQ(32768u, p.bytes);
    EXPECT_EQ(whole, run("block-stride", "n=64;mode=dma-chain-internal;src=gpu;dst=gpu"));
    EXPECT_EQ("t.csv:2: setup bytes=8: expected blocks * block_bytes",
              message("block-stride", "n=64;bytes=8"));
    EXPECT_EQ("t.csv:2: setup pitch_bytes=8: expected at least block_bytes",
              message("block-stride", "n=64;pitch_bytes=8"));
}

TEST_F(Plan, AProgramThatDescribesItselfGetsItsKeys)
{
    EXPECT_EQ("ring4 platform=plat halo n=8 shape=2x2x1 mode=dma-chain-internal memory=gpu0 "
              "traffic=on warmup=1 rounds=10 repeats=3 @3 @2 @1 @0 seed=0",
              run("halo", "nodes=4;n=8;shape=2x2x1;memory=gpu;place=3,2,1,0"));
    EXPECT_EQ(0u, p.directions) << "its traffic bounds it";
    run("halo", "nodes=4;n=8;mode=dma");
    EXPECT_EQ(2u, p.nruns);
    EXPECT_NE(std::string::npos,
              run("himeno", "nodes=4;gasnet=ib,segment=gpu").find(" @3 --gasnet ib,segment=gpu "));
    EXPECT_EQ("t.csv:2: setup nodes=1: expected 2..64", message("halo", "nodes=1;n=8"));
    EXPECT_EQ("t.csv:2: setup mode=pio: expected dma|dma-chain-host|dma-chain-internal",
              message("halo", "nodes=4;mode=pio"));
    EXPECT_EQ("t.csv:2: setup hops=2: unknown key", message("halo", "nodes=4;hops=2"));
}

TEST_F(Plan, AFileWithoutADescriptionIsNoWorkload)
{
    for (const char *name : { "./CMakeLists.txt", "./nothing", "/proc/self/exe", ".", "/dev/null" })
        EXPECT_NE(std::string::npos,
                  message(name, "nodes=2").find("or the path of a program that describes itself"));
}

TEST_F(Plan, DistanceChoosesTheMachineAndTheRanks)
{
    EXPECT_EQ(0u, run("pingpong", "bytes=8;hops=2").rfind("line3 ", 0));
    EXPECT_EQ(2u, p.runs[0].nodes[1]);
    EXPECT_EQ(0u, run("pingpong", "bytes=8;hops=2;nodes=4").rfind("ring4 ", 0));
    EXPECT_EQ(0u, run("pingpong", "bytes=8;hops=3").rfind("ring8 ", 0));
    EXPECT_EQ(0u, run("pingpong", "bytes=8;nodes=16").rfind("subcluster16 ", 0));
    run("pingpong", "bytes=8;hops=5");
    EXPECT_EQ(15u, p.runs[0].nodes[1]);
    EXPECT_EQ("t.csv:2: setup nodes=17: expected at most 16, or the key machine beside it",
              message("pingpong", "bytes=8;nodes=17"));
    EXPECT_EQ("t.csv:2: setup hops=9: expected 1 .. 5, or the key machine beside it",
              message("pingpong", "bytes=8;hops=9"));
}

TEST_F(Plan, ABareLinkRunsNoProgram)
{
    EXPECT_EQ("two-ends platform=- - --set node*.a.write_bytes=512 --set node*.a.read_bytes=0 "
              "--set node*.b.write_bytes=512 --set node*.b.read_bytes=0 "
              "--set node*.[ab].link.gen=3 --set node*.[ab].link.mps_bytes=512 seed=0",
              run("bare-link", "direction=both;gen=3;mps_bytes=512", nullptr));
    EXPECT_EQ(nullptr, p.runs[0].program);
    EXPECT_EQ("two-ends platform=- - --set node*.a.write_bytes=0 --set node*.a.read_bytes=512 "
              "--set node*.b.write_bytes=0 --set node*.b.read_bytes=0 seed=0",
              run("bare-link", "request=read", nullptr));
    EXPECT_EQ("t.csv:2: setup lanes=3: expected 1|2|4|8|16", message("bare-link", "lanes=3"));
    EXPECT_EQ("t.csv:2: setup request=swap: expected write|read",
              message("bare-link", "request=swap"));
    EXPECT_EQ("t.csv:2: setup nodes=2: expected nothing: a bare link has two ends",
              message("bare-link", "nodes=2"));
}

TEST_F(Plan, AnyDmaIsTheFastestOfAllModes)
{
    run("pingpong", "bytes=8;mode=dma;src=gpu;dst=gpu");
    EXPECT_EQ(3u, p.nruns);
    run("block-stride", "n=8;mode=dma"); /* the registers hold one piece only */
    EXPECT_EQ(2u, p.nruns);
}

TEST_F(Plan, LargeTransfersNeedFewerRounds)
{
    protocol = { 2, 8, 3, 1 << 20 };
    auto ends = [&](const char *bytes) {
        std::string text = run("pingpong", (std::string("mode=pio;bytes=") + bytes).c_str());
        size_t at = text.find("warmup=");
        return text.substr(at, text.find(" @") - at);
    };
    EXPECT_EQ("warmup=1 rounds=8 repeats=3", ends("8"));
    EXPECT_EQ("warmup=1 rounds=5 repeats=3", ends("65536"));
    EXPECT_EQ("warmup=1 rounds=1 repeats=2", ends("524288"));
    EXPECT_EQ("warmup=1 rounds=1 repeats=1", ends("4194304"));
    protocol = {};
    EXPECT_EQ("warmup=1 rounds=100 repeats=10", ends("4194304"));
}

TEST_F(Plan, OtherWaysHaveProgramsOfTheirOwn)
{
    EXPECT_EQ("two-node platform=plat streams bytes=64 mode=dma-chain-internal channels=4 "
              "both_ways=on src=cpu dst=cpu warmup=1 rounds=10 repeats=3 @0 @1 seed=0",
              run("stream", "bytes=64;channels=4;direction=both;mode=dma-chain-internal"));
    EXPECT_EQ(64u * 4 * 2, p.bytes);
    EXPECT_EQ("two-node platform=plat pio-stream bytes=64 dst=cpu warmup=1 rounds=10 repeats=3 @0 "
              "@1 seed=0",
              run("stream", "bytes=64;mode=pio"));
    EXPECT_EQ("t.csv:2: setup channels=2: expected one stream of stores",
              message("stream", "bytes=64;mode=pio;channels=2"));
    EXPECT_EQ("two-node platform=plat staged bytes=64 warmup=1 rounds=10 repeats=3 @0 @1 seed=0",
              run("pingpong", "bytes=64;staging=host;src=gpu;dst=gpu"));
    EXPECT_EQ("one-node platform=plat cuda-peer bytes=64 uva=off warmup=1 rounds=10 repeats=3 @0 "
              "seed=0",
              run("pingpong", "bytes=64;api=cudaMemcpyPeer in one node;uva=off"));
}

TEST_F(Plan, TheLinkAloneIsAClosedForm)
{
    ASSERT_EQ(SIM_OK, plan("dma-chain", "gen=2;lanes=8;payload_bytes=256;tlp_overhead_bytes=24;"
                                        "mode=link-only"));
    EXPECT_EQ(0u, p.nruns);
    EXPECT_NEAR(4e9 * 256 / 280, p.closed_form, 1);
    EXPECT_EQ("t.csv:2: setup gen=6: expected a link that exists",
              message("dma-chain", "gen=6;lanes=8;payload_bytes=256;mode=link-only"));
}

TEST_F(Plan, MpiWithoutPlatformAndMachineHasNoNetwork)
{
    for (const char *workload : { "mpi-collective", "mpi-pingpong", "mpi-bandwidth", "npb-cg" }) {
        lab_setup setup = {};
        lab_point point = { "t.yaml:4", nullptr, workload, &setup, nullptr };

        auto make = [&] {
            err = {};
            return attempt(&err, [&] { p = lab_plan_make(&point, &protocol, &arena); });
        };

        EXPECT_EQ(SIM_ERR_CONFIG, make());
        EXPECT_EQ(std::string("t.yaml:4: workload = ") + workload +
                      ": expected a platform or a machine beside it, which says what network its "
                      "MPI is on",
                  err.text);
        point.machine = "two-node";
        EXPECT_EQ(SIM_OK, make()) << err.text;
    }
}

TEST_F(Plan, APlaceThatNoRankCanHaveIsLocated)
{
    EXPECT_EQ("t.csv:2: setup place=0: expected a node for each rank, with commas",
              message("mpi-collective", "nodes=2;place=0"));
}

TEST_F(Plan, WhatIsNotKnownIsAnError)
{
    EXPECT_EQ("t.csv:2: setup byts=8: unknown key, did you mean bytes?",
              message("pingpong", "byts=8"));
    EXPECT_EQ("t.csv:2: setup versus_apy=8: unknown key, did you mean api?",
              message("pingpong", "versus_apy=8"));
    EXPECT_EQ("t.csv:2: setup bytes=8B: expected a whole number, such as 4096 or 4KiB",
              message("pingpong", "bytes=8B"));
    EXPECT_EQ("t.csv:2: setup rounds=4KiB: expected a whole number, at least 1",
              message("pingpong", "rounds=4KiB"));
    EXPECT_EQ("t.csv:2: setup mode=dmas: expected "
              "pio|dma|dma-register|dma-chain-host|dma-chain-internal",
              message("pingpong", "mode=dmas"));
    EXPECT_EQ(
        "t.csv:2: setup mode=dma-register: expected pio|dma|dma-chain-host|dma-chain-internal",
        message("stream", "bytes=8;mode=dma-register"));
    EXPECT_EQ("t.csv:2: setup api=gasnet: expected tca or cudaMemcpyPeer",
              message("pingpong", "bytes=8;api=gasnet"));
    EXPECT_EQ(
        "t.csv:2: workload = nosuch: expected pingpong, dma-chain, block-stride, mpi-pingpong, "
        "stream, mpi-bandwidth, mpi-collective, npb-ep, npb-mg, npb-cg, npb-is, npb-lu, npb-sp, "
        "npb-bt, mbcf-oneway, mbcf-stream, bcast, allreduce, stencil, gasnet-am-long, bare-link, "
        "all-to-all, "
        "allgather, broadcast, gasnet-cache, gasnet-flood, gasnet-modes, gasnet-staging, halo, "
        "himeno, "
        "neighbour, or "
        "the path of a program that describes itself",
        message("nosuch", "bytes=8"));
    EXPECT_EQ("t.csv:2: setup bytes=(absent): expected a multiple of 4, at least 4",
              message("pingpong", "mode=dma"));
}

/* What `hubsim params WORKLOAD` shows. */
TEST_F(Plan, EachKeyOfAWorkloadIsShownOnceWithItsMeaning)
{
    struct all {
        std::vector<std::string> workloads;
    } all;

    lab_workload_each(
        [](void *arg, const char *name, const char *) {
            static_cast<struct all *>(arg)->workloads.push_back(name);
        },
        &all);
    EXPECT_LT(15u, all.workloads.size());
    for (const std::string &workload : all.workloads) {
        std::set<std::string> seen;
        lab_table table;

        ASSERT_TRUE(lab_workload_keys(workload.c_str(), &table));
        for (unsigned i = 0; i < table.nrows; i++) {
            const std::string key = lab_table_get(&table, i, 0),
                              values = lab_table_get(&table, i, 1);

            EXPECT_TRUE(seen.insert(key).second) << workload << " " << key;
            EXPECT_STRNE("", lab_table_get(&table, i, 4)) << workload << " " << key;
            if (values.find("whole") != std::string::npos || values.find("1..") == 0)
                EXPECT_STRNE("", lab_table_get(&table, i, 2)) << workload << " " << key;
        }
        lab_table_fini(&table);
    }
}

TEST_F(Plan, TheDefaultsThatAreShownAreThose)
{
    const std::pair<const char *, std::string> cases[] = {
        { "pingpong", "bytes=64" },
        { "stream", "bytes=64" },
        { "dma-chain", "bytes=64" },
        { "block-stride", "blocks=2;block_bytes=8;pitch_bytes=16" },
        { "mpi-bandwidth", "bytes=64" },
        { "bare-link", "gen=2" },
    };

    for (const auto &[workload, setup] : cases) {
        lab_table table;

        ASSERT_TRUE(lab_workload_keys(workload, &table));
        for (unsigned i = 0; i < table.nrows; i++) {
            const std::string key = lab_table_get(&table, i, 0),
                              value = lab_table_get(&table, i, 3);

            if (value.empty() || value.find(' ') != std::string::npos || value == "n" ||
                setup.find(key + "=") != std::string::npos || key == "net" || key == "gdr_limit" ||
                key == "gdr_receive_limit") /* of rows over InfiniBand */
                continue;
            EXPECT_EQ(run(workload, setup.c_str()),
                      run(workload, (setup + ";" + key + "=" + value).c_str()))
                << workload << " " << key;
        }
        lab_table_fini(&table);
    }
}

} // namespace
