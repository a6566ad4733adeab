/* The network that MPI takes when none is named. */
#include "tests/tools/hubcc/programs.h"

namespace
{

const char *const hello = "#include <mpi.h>\n"
                          "#include <stdio.h>\n"
                          "int main(int argc, char **argv) {\n"
                          "    int rank;\n"
                          "    MPI_Init(&argc, &argv);\n"
                          "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                          "    printf(\"hello %d\\n\", rank);\n"
                          "    return MPI_Finalize();\n"
                          "}\n";

class Network : public Programs
{
  protected:
    void SetUp() override
    {
        Programs::SetUp();
        write("hello.c", hello);
        ASSERT_EQ(0, sh("hubcc hello.c -o hello")) << errors;
    }
    void expect_said(const std::string &options, const std::string &said)
    {
        EXPECT_EQ(0, sh("hubrun " + options + " ./hello")) << errors;
        EXPECT_EQ(0u, errors.find("hubrun: " + said + "; --mpi chooses another\nhubrun: "))
            << options << ": " << errors;
    }
};

/* Who sends by other devices, or has chosen hub 0, misses no other hub. */
TEST_F(Network, AnIdleHubIsRemarkedWhereRanksSendByHubs)
{
    const struct {
        const char *options;
        bool remarked;
    } cases[] = { { "", true },
                  { "--mpi peach2", true },
                  { "--mpi net", false },
                  { "--set node*.software.rank_hub=0", false } };

    for (const auto &c : cases) {
        EXPECT_EQ(0,
                  sh(std::string("hubrun -m " PROGRAMS "/../../../../examples/hubs/rails.yaml ") +
                     c.options + " ./hello"))
            << errors;
        EXPECT_EQ(c.remarked, errors.find("no rank uses it") != std::string::npos)
            << c.options << ": " << errors;
    }
}

TEST_F(Network, IsTheFirstThatAllNodesHave)
{
    expect_said("-m ring4", "MPI over peach2 (the hubs of this machine)");
    expect_said("-n 2 -m mbcf-switch --set 'node*.software.mpi.transport=own'",
                "MPI over mbcf (the Ethernet of this machine)");
}

TEST_F(Network, IsFoundByWhatNodesAreMadeOf)
{
    write("ib.yaml", "components:\n"
                     "  host: { kind: host }\n"
                     "  ib: { kind: ib.hca, port: { gen: 3, lanes: 8 } }\n"
                     "  software: { kind: software }\n"
                     "links:\n"
                     "  - { from: host.p0, to: ib.pcie, length_mm: 200 }\n");
    write("bare.yaml", "components:\n"
                       "  host: { kind: host }\n"
                       "  software: { kind: software }\n"
                       "links: []\n");
    write("two.yaml", "nodes: 2\nplatform: ./ib.yaml\n");
    expect_said("-m two.yaml", "MPI over ib (the InfiniBand adapters of this machine)");
    expect_said("-m two.yaml -p ./bare.yaml", "MPI over net (the control network of this machine)");
}

/* As in cluster64, whose sub-clusters have hubs that no cable joins. */
TEST_F(Network, JoinsAllNodes)
{
    write("halves.yaml", "nodes: 4\nplatform: hapacs-tca\nedges: |\n  0 1\n  2 3\n");
    expect_said("-m halves.yaml", "MPI over ib (the InfiniBand adapters of this machine)");
}

TEST_F(Network, IsNamedOnlyWhereItWasNotChosen)
{
    for (const char *how : { "-n 2 --mpi net", "-n 2 -q", "-n 2 -m mbcf-switch",
                             "-n 2 --set 'node*.software.mpi.transport=ib'" }) {
        EXPECT_EQ(0, sh(std::string("hubrun ") + how + " ./hello")) << errors;
        EXPECT_EQ(std::string::npos, errors.find("MPI over")) << how << ": " << errors;
    }
    EXPECT_EQ(0, sh("./hello"));
    EXPECT_EQ("hello 0\n", out);
    EXPECT_EQ("", errors);
}

TEST_F(Network, StaysWhatItWasWhereOnlyItsSettingsAreGiven)
{
    expect_said("-n 2 --mpi eager_bytes=1", "MPI over peach2 (the hubs of this machine)");
    EXPECT_EQ(0, sh("hubrun -n 2 -m mbcf-switch --mpi requests=off ./hello")) << errors;
    EXPECT_EQ(std::string::npos, errors.find("MPI over")) << errors;
}

TEST_F(Network, IsNotTheHubsOfAProgramThatDrivesThem)
{
    write("tca.c", "#include <mpi.h>\n"
                   "#include <tca-api.h>\n"
                   "int main(int argc, char **argv) {\n"
                   "    MPI_Init(&argc, &argv);\n"
                   "    tcaInit();\n"
                   "    return MPI_Finalize();\n"
                   "}\n");
    ASSERT_EQ(0, sh("hubcc tca.c -o hello")) << errors;
    expect_said("-n 2", "MPI over net (the control network of this machine)");
}

TEST_F(Network, IsThatOfTheMachineForNamesThatOnlyLookLikeOurs)
{
    write("other.c", "#include <mpi.h>\n"
                     "int driver_of_a_printer(void) __attribute__((weak));\n"
                     "int tcache(void) __attribute__((weak));\n"
                     "int main(int argc, char **argv) {\n"
                     "    MPI_Init(&argc, &argv);\n"
                     "    if (driver_of_a_printer != 0 || tcache != 0)\n"
                     "        return driver_of_a_printer() + tcache();\n"
                     "    return MPI_Finalize();\n"
                     "}\n");
    ASSERT_EQ(0, sh("hubcc other.c -o hello")) << errors;
    expect_said("-n 2", "MPI over peach2 (the hubs of this machine)");
}

TEST_F(Network, IsNoPartOfAResult)
{
    ASSERT_EQ(0, sh("hubrun -n 2 --out a ./hello && hubrun -q -n 2 --out b ./hello")) << errors;
    EXPECT_EQ(text("a/hello/table.csv"), text("b/hello/table.csv"));
    EXPECT_EQ(0, sh("hubsim check a/hello")) << errors;
}

TEST_F(Network, OfAnotherMachineIsRefusedWithTheNode)
{
    const char *const lacking[][2] = {
        { "ring4 --mpi mbcf", "transport mbcf: node 0 has no Ethernet adapter" },
        { "ring4 --mpi net,rails=2",
          "MPI: rails=2: a setting of transport ib alone: expected ib, not net" },
        { "ring4 --mpi gdr=off,peach2",
          "MPI: gdr=off: a setting of transport ib alone: expected ib, not peach2" },
        { "ring4 --mpi peach2,library=mvapich2",
          "MPI: library=mvapich2: its settings are for transport ib: expected ib, not peach2" },
        { "ring4 --mpi tcp", "transport tcp: node 0 has no Ethernet adapter" },
        { "mbcf-switch --mpi peach2", "transport peach2: node 0 has no hub" },
        { "mbcf-switch --mpi ib", "transport ib: node 0 has no InfiniBand adapter" },
    };

    for (auto [how, why] : lacking) {
        EXPECT_EQ(1, sh(std::string("hubrun -n 2 -m ") + how + " ./hello")) << errors;
        EXPECT_NE(std::string::npos, errors.find(why)) << how << ": " << errors;
    }
}

/* As where a program of GASNet is given --mpi, and one of MPI --gasnet. */
TEST_F(Network, ThatNobodyUsesIsSaid)
{
    const std::string no_mpi = "not used: the program has not called MPI_Init()\n";
    const std::string no_gasnet = "not used: the program has not called gasnet_init()\n";

    write("gasnet.c", "#define GASNET_SEQ\n"
                      "#include <gasnet.h>\n"
                      "int main(int argc, char **argv) {\n"
                      "    gasnet_init(&argc, &argv);\n"
                      "    gasnet_attach(NULL, 0, 0, 0);\n"
                      "    gasnet_exit(argc > 1);\n"
                      "}\n");
    ASSERT_EQ(0, sh("hubcc gasnet.c -o gasnet")) << errors;
    ASSERT_EQ(0, sh("hubrun -n 2 --mpi ib,rails=2 --gasnet net ./gasnet")) << errors;
    EXPECT_TRUE(begins(errors, "hubrun: --mpi ib,rails=2: " + no_mpi + "hubrun: 2 ranks ended "))
        << errors;
    ASSERT_EQ(0, sh("hubrun -n 2 --algorithm bcast=chain ./gasnet")) << errors;
    EXPECT_TRUE(begins(errors, "hubrun: --algorithm bcast=chain: " + no_mpi)) << errors;
    ASSERT_EQ(0, sh("hubrun -n 2 --variables mvapich2 ./gasnet")) << errors;
    EXPECT_TRUE(has(errors, "hubrun: --variables mvapich2: " + no_mpi)) << errors;
    ASSERT_EQ(0, sh("hubrun -n 2 --mpi net --gasnet tca ./hello")) << errors;
    EXPECT_TRUE(begins(errors, "hubrun: --gasnet tca: " + no_gasnet + "hubrun: 2 ranks ended "))
        << errors;
    for (const char *how : { "-q --mpi ib ./gasnet", "-q --gasnet tca ./hello" }) {
        EXPECT_EQ(0, sh(std::string("hubrun -n 2 ") + how)) << errors;
        EXPECT_EQ("", errors) << how;
    }
    /* Who fails may do so before. */
    EXPECT_EQ(1, sh("hubrun -n 2 --mpi ib ./gasnet fails"));
    EXPECT_EQ(std::string::npos, errors.find("not used")) << errors;
}

} // namespace
