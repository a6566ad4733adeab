/* GASNet under hubrun: what --gasnet and the environment choose. */
#include "tests/tools/hubcc/programs.h"

#include <algorithm>
#include <sstream>

namespace
{

const std::string gasnet_head = "#define GASNET_SEQ\n#include <gasnet.h>\n";

/* Where the segment lies, how long it may be, and a long one that has come to the next rank. */
const char *const segment = R"(
#include <cuda_runtime.h>
#include <string.h>
static int come;
/* Memory of a GPU lies together. */
static int gpu_of(char *p)
{
    char *other;

    for (int i = 0; i < 4; i++)
        if (cudaSetDevice(i) == cudaSuccess && cudaMalloc((void **)&other, 4096) == cudaSuccess &&
            p - other < 1 << 28 && other - p < 1 << 28)
            return i;
    return -1;
}
static void take(gasnet_token_t token, void *data, size_t bytes)
{
    (void)token, (void)data;
    come = (int)bytes;
}
int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = { { 200, (gasneti_handler_fn)take } };
    static char from[9000], to[9000];
    gasnet_seginfo_t s[8];
    uintptr_t most;

    gasnet_init(&argc, &argv);
    most = gasnet_getMaxLocalSegmentSize();
    gasnet_attach(table, 1, 65536, 0);
    gasnet_getSegmentInfo(s, (int)gasnet_nodes());
    memset(from, 3, sizeof(from));
    gasnet_AMRequestLong0((gasnet_mynode() + 1) % gasnet_nodes(), 200, from, sizeof(from),
                          s[(gasnet_mynode() + 1) % gasnet_nodes()].addr);
    GASNET_BLOCKUNTIL(come == sizeof(from));
    if (cudaMemcpy(to, s[gasnet_mynode()].addr, sizeof(to), cudaMemcpyDefault) != cudaSuccess)
        memcpy(to, s[gasnet_mynode()].addr, sizeof(to));
    if (gasnet_mynode() == 0)
        printf("gpu %d, most %lu, %s\n", gpu_of(s[0].addr), (unsigned long)most,
               memcmp(from, to, sizeof(to)) == 0 ? "right" : "wrong");
    gasnet_exit(0);
}
)";

class Gasnet : public Programs
{
  protected:
    void program(const std::string &text)
    {
        write("prog.c", gasnet_head + text);
        ASSERT_EQ(0, sh("hubcc -O1 prog.c -o prog")) << errors;
    }
    void expect_out(const std::string &arguments, const std::string &lines)
    {
        EXPECT_EQ(0, sh("hubrun -q " + arguments + " ./prog")) << arguments << "\n" << errors;
        EXPECT_EQ(lines, out) << arguments;
    }
    void expect_refused(const std::string &arguments, const std::string &line)
    {
        EXPECT_NE(0, sh("hubrun " + arguments + " ./prog")) << arguments;
        EXPECT_EQ(line, errors) << arguments;
        EXPECT_EQ("", out);
    }
};

TEST_F(Gasnet, SegmentsLieWhereTheUserSays)
{
    program(segment);
    for (const char *transport : { "net", "ib", "peach2" }) {
        const std::string chosen = std::string("--gasnet ") + transport;

        expect_out(chosen + ",max_segment_bytes=128KiB", "gpu -1, most 131072, right\n");
        expect_out(chosen + ",segment=gpu1,max_segment_bytes=128KiB",
                   "gpu 1, most 131072, right\n");
    }
    /* That beside the adapter: GPUs 0 and 1 share a socket with the hub, 2 and 3 with the other. */
    expect_out("--gasnet peach2,segment=gpu,max_segment_bytes=1MiB",
               "gpu 0, most 1048576, right\n");
    expect_out("--gasnet ib,segment=gpu,max_segment_bytes=1MiB", "gpu 2, most 1048576, right\n");
    expect_out("--set 'node*.software.gasnet.segment=gpu3' "
               "--set 'node*.software.gasnet.max_segment_bytes=70000'",
               "gpu 3, most 69632, right\n");
    /* A node of the MBCF cluster has no GPU. */
    expect_out("-m mbcf-hub -n 2 --gasnet mbcf,max_segment_bytes=65536",
               "gpu -1, most 65536, right\n");
}

TEST_F(Gasnet, VariablesOfTheProgramCountBeforeSettings)
{
    program(segment);
    expect_out("-x GASNET_MAX_SEGSIZE=256K --gasnet net,max_segment_bytes=128KiB",
               "gpu -1, most 262144, right\n");
    expect_out("-x GASNET_MAX_SEGSIZE=0.5mb", "gpu -1, most 524288, right\n");
    EXPECT_EQ(0, sh("hubrun -q -x GASNET_VERBOSEENV=1 -x GASNET_BARRIER=AMDISSEM "
                    "-x GASNET_MAX_SEGSIZE=1G ./prog"));
    EXPECT_EQ("ENV parameter: GASNET_MAX_SEGSIZE = 1G\n"
              "ENV parameter: GASNET_EXITTIMEOUT = 0.0025 (default)\n"
              "ENV parameter: GASNET_EXITTIMEOUT_MAX = 0.36 (default)\n"
              "ENV parameter: GASNET_EXITTIMEOUT_MIN = 0.002 (default)\n"
              "ENV parameter: GASNET_EXITTIMEOUT_FACTOR = 0.00025 (default)\n"
              "ENV parameter: GASNET_BARRIER = AMDISSEM\n",
              errors);
    EXPECT_EQ(0, sh("hubrun -q -x GASNET_BARRIER=rdmadissem ./prog")) << errors;
    for (const auto &[variable, expected] :
         { std::pair("GASNET_MAX_SEGSIZE=much",
                     "expected a number of bytes, perhaps with K, M, G or T behind it"),
           std::pair("GASNET_MAX_SEGSIZE=1X",
                     "expected a number of bytes, perhaps with K, M, G or T behind it"),
           std::pair("GASNET_EXITTIMEOUT=soon", "expected 0 .. 1000000 seconds"),
           std::pair("GASNET_EXITTIMEOUT=-1", "expected 0 .. 1000000 seconds"),
           std::pair("GASNET_EXITTIMEOUT=2s", "expected 0 .. 1000000 seconds"),
           std::pair("GASNET_EXITTIMEOUT_MAX=nan", "expected 0 .. 1000000 seconds"),
           std::pair("GASNET_EXITTIMEOUT_MIN=inf", "expected 0 .. 1000000 seconds"),
           std::pair("GASNET_EXITTIMEOUT_FACTOR=1e7", "expected 0 .. 1000000 seconds"),
           std::pair("GASNET_BARRIER=TREE",
                     "expected DISSEM, AMDISSEM, RDMADISSEM or AMCENTRAL") }) {
        EXPECT_EQ(1, sh(std::string("hubrun -q -x ") + variable + " ./prog"));
        EXPECT_TRUE(begins(errors, "rank 0 on node 0 at 200.000000 us: gasnet_init at prog+"));
        EXPECT_TRUE(has(errors, std::string(": ") + variable + ": " + expected + "\n")) << errors;
    }
}

/* Without memory for what is to be done at the end, gasnet_init() fails. */
TEST_F(Gasnet, TheBeginningFailsWhereTheEndWouldBeMissed)
{
    program(R"(
#include <stdlib.h>
int main(int argc, char **argv)
{
    size_t bytes = (size_t)1 << 40;

    while (bytes >= 16)
        if (malloc(bytes) == NULL)
            bytes /= 2;
    puts(gasnet_ErrorName(gasnet_init(&argc, &argv)));
    fflush(stdout);
    return 0;
}
)");
    EXPECT_EQ(0, sh("hubrun -q -n 1 --gasnet net ./prog")) << errors;
    EXPECT_EQ("GASNET_ERR_RESOURCE\n", out) << errors;
}

/* One node ends the job with its code, the other one is in a barrier. */
TEST_F(Gasnet, TheStatusIsThatOfTheLine)
{
    program(R"(
#include <stdlib.h>
int main(int argc, char **argv)
{
    gasnet_init(&argc, &argv);
    gasnet_attach(NULL, 0, 0, 0);
    if (gasnet_mynode() == 1)
        gasnet_exit(atoi(argv[1]));
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_exit(0);
}
)");
    for (int code : { 0, 5 }) {
        const std::string text = std::to_string(code);

        EXPECT_EQ(code, sh("hubrun -n 2 ./prog " + text)) << errors;
        EXPECT_TRUE(begins(errors, "hubrun: rank 1 ended all 2 ranks with status " + text + " at "))
            << errors;
        EXPECT_EQ(1, std::count(errors.begin(), errors.end(), '\n')) << errors;
    }
}

/* Rank 0 ends, and the others never do. */
const char *const one_exits = R"(
int main(int argc, char **argv)
{
    gasnet_init(&argc, &argv);
    gasnet_attach(NULL, 0, 0, 0);
    if (gasnet_mynode() == 0)
        gasnet_exit(3);
    for (;;)
        gasnet_AMPoll();
}
)";

TEST_F(Gasnet, TheEndWaitsForOthersAsLongAsTheUserSays)
{
    program(one_exits);
    /* @return how long the first node has waited, to some microseconds */
    auto waits_us = [&](const std::string &variables) {
        EXPECT_EQ(3, sh("hubrun -q -n 2 -x GASNET_EXITTIMEOUT_MIN=0 " + variables + " ./prog"));
        size_t at = errors.find("rank 0 ended all 2 ranks with status 3 at ");

        EXPECT_NE(std::string::npos, at) << errors;
        return at != std::string::npos ? std::stod(errors.substr(at + 42)) - 200 : -1;
    };
    for (const auto &[variables, us] :
         { std::pair("-x GASNET_EXITTIMEOUT=0", 0.0), std::pair("-x GASNET_EXITTIMEOUT=0.01", 1e4),
           std::pair("-x GASNET_EXITTIMEOUT=1e-3 -x GASNET_EXITTIMEOUT_MAX=0", 1e3),
           std::pair("", 500.0), std::pair("-x GASNET_EXITTIMEOUT_MIN=0.003", 3500.0),
           std::pair("-x GASNET_EXITTIMEOUT_FACTOR=1000000", 3.6e5),
           std::pair("-x GASNET_EXITTIMEOUT_FACTOR=0.002", 4e3),
           std::pair("-x GASNET_EXITTIMEOUT_MAX=0.0001", 100.0) })
        EXPECT_NEAR(us, waits_us(variables), 30) << variables;
}

/* Rank 0 ends. Its handlers answer what has come before that with more than the ring of rank 1
 * holds, which never takes an answer. */
TEST_F(Gasnet, TheEndWaitsNoLongerForRoomThanForOthers)
{
    program(R"(
#include <unistd.h>
static char data[8192];
static void ask(gasnet_token_t token)
{
    gasnet_AMReplyMedium0(token, 201, data, sizeof(data));
}
static void answer(gasnet_token_t token, void *bytes, size_t n)
{
    (void)token, (void)bytes, (void)n;
}
int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = { { 200, (gasneti_handler_fn)ask },
                                      { 201, (gasneti_handler_fn)answer } };

    gasnet_init(&argc, &argv);
    gasnet_attach(table, 2, 0, 0);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (gasnet_mynode() == 0)
        gasnet_exit(3);
    for (int i = 0; i < 100; i++)
        gasnet_AMRequestShort0(0, 200);
    for (;;)
        sleep(1000);
}
)");
    EXPECT_EQ(3, sh("hubrun -q -n 2 -m ring4 --platform hapacs-tca -x GASNET_EXITTIMEOUT=0.01 "
                    "--max-time=1s --gasnet peach2 ./prog"));
    EXPECT_TRUE(begins(errors, "hubrun: rank 0 ended all 2 ranks with status 3 at 102")) << errors;
}

TEST_F(Gasnet, WhatDoesNotFitIsRefusedBeforeAnythingRuns)
{
    program("int main(void) { puts(\"runs\"); return 0; }\n");
    expect_refused("--gasnet token",
                   "hubrun: GASNet: transport = token: expected net or mbcf or tcp "
                   "or ib or peach2 or tca\n");
    expect_refused("--gasnet net,rings=2", "hubrun: GASNet: rings = 2: no such setting; `hubsim "
                                           "params` has them as gasnet.*\n");
    expect_refused(
        "--gasnet net,segment=disk",
        "hubrun: GASNet: segment = disk: expected host or gpu or gpu0 or gpu1 or gpu2 or "
        "gpu3 or gpu4 or gpu5 or gpu6 or gpu7\n");
    expect_refused("--gasnet net,max_segment_bytes=x",
                   "hubrun: GASNet: max_segment_bytes = x: expected a whole number, 0 .. "
                   "17179869184 bytes (or KiB, MiB, GiB)\n");
    expect_refused("--gasnet ib,segment=gpu4",
                   "hubrun: GASNet: segment = gpu4: node0: expected host, gpu or gpu0 .. gpu3, the "
                   "GPUs of the node\n");
    expect_refused("-m mbcf-hub --gasnet net,segment=gpu",
                   "hubrun: GASNet: segment = gpu: node0 has no GPU: expected host\n");
    expect_refused("--gasnet library=none",
                   "hubrun: GASNet: library = none: not found in gasnet/: `hubsim list` names what "
                   "is there\n");
    expect_no_empty_word("--gasnet ");
}

TEST_F(Gasnet, SettingsMayStandInAFile)
{
    program(segment);
    write("own.yaml", "description: of a test\nsettings:\n  transport: ib\n"
                      "  segment: { value: gpu, source: assumed }\n  max_segment_bytes: 1MiB\n");
    expect_out("--gasnet ./own.yaml", "gpu 2, most 1048576, right\n");
    expect_out("--gasnet max_segment_bytes=64KiB,./own.yaml,segment=gpu1",
               "gpu 1, most 65536, right\n");
    ASSERT_EQ(0, sh("mkdir -p gasnet && mv own.yaml gasnet"));
    EXPECT_EQ(0, sh("HUBSIM_PATH=. hubrun -q --gasnet own ./prog")) << errors;
    EXPECT_EQ("gpu 2, most 1048576, right\n", out);
    EXPECT_EQ(0, sh("HUBSIM_PATH=. hubsim list")) << errors;
    EXPECT_TRUE(has(out, "library     own  ")) << out;
    expect_refused("--gasnet gasnet/own.yaml,net",
                   "hubrun: GASNet: gasnet/own.yaml: its settings are for transport ib: expected "
                   "ib, not net\n");
    write("wrong.yaml", "description: x\nsettings:\n  rings: 2\n");
    expect_refused("--gasnet wrong.yaml",
                   "hubrun: wrong.yaml:3: GASNet: rings = 2: no such setting; `hubsim params` has "
                   "them as gasnet.*\n");
}

/* The most memory that the simulator has had, with all ranks in it, when each has stored `argv[2]`
 * bytes of its segment of `argv[1]` bytes; without a segment, of the program alone. */
const char *const memory = R"(
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}
static void print(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];

    while (status != NULL && fgets(line, sizeof(line), status) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0)
            printf("%ld\n", atol(line + 6));
}
int main(int argc, char **argv)
{
    gasnet_seginfo_t s[64];

    if (argc == 1) {
        sleep(1);
        print();
        return 0;
    }
    gasnet_init(&argc, &argv);
    gasnet_attach(NULL, 0, strtoul(argv[1], NULL, 10), 0);
    gasnet_getSegmentInfo(s, (int)gasnet_nodes());
    memset(s[gasnet_mynode()].addr, 1, strtoul(argv[2], NULL, 10));
    barrier();
    if (gasnet_mynode() == 0)
        print();
    barrier();
    gasnet_exit(0);
}
)";

class GasnetMemory : public Gasnet
{
  protected:
    double megabytes(const std::string &transport, int ranks, const std::string &arguments)
    {
        double most = 0;

        EXPECT_EQ(0, sh("hubrun -q -m subcluster16 -n " + std::to_string(ranks) + " --gasnet " +
                        transport + " ./prog " + arguments))
            << errors;
        std::istringstream in(out);
        for (double kb; in >> kb;)
            most = std::max(most, kb / 1024);
        return most;
    }
    double each(const std::string &transport, const std::string &arguments)
    {
        return (megabytes(transport, 64, arguments) - megabytes(transport, 1, arguments)) / 63;
    }
};

TEST_F(GasnetMemory, OfARankOfManyIsLittle)
{
    if (test::SANITIZED)
        GTEST_SKIP() << "the sanitizers' own memory is beside it";
    program(memory);
    double alone = each("net", "");

    EXPECT_GT(alone, 0);
    for (const char *transport : { "net", "peach2", "tca", "ib", "tca-2016", "ibv-2016" }) {
        double with = each(transport, "4096 0");

        EXPECT_GT(with, alone) << transport;
        EXPECT_LT(with - alone, 0.3) << transport;
    }
}

TEST_F(GasnetMemory, OfASegmentIsWhatIsTouched)
{
    if (test::SANITIZED)
        GTEST_SKIP() << "the sanitizers' own memory is beside it";
    program(memory);
    for (const char *transport : { "net", "tca" }) {
        double none = megabytes(transport, 16, "1073741824 0");
        double some = megabytes(transport, 16, "1073741824 4194304");

        EXPECT_LT(none, megabytes(transport, 16, "4096 0") + 1) << transport;
        EXPECT_NEAR(16 * 4, some - none, 4) << transport;
    }
}

} // namespace
