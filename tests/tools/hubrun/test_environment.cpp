/* What hubrun takes from its environment, and that it says so. */
#include "tests/tools/hubcc/programs.h"

namespace
{

class Environment : public Programs
{
  protected:
    void SetUp() override
    {
        Programs::SetUp();
        ASSERT_EQ(0, sh("hubcc --no-tca -O1 " PROGRAMS "/gpu.c -o gpu")) << errors;
    }
    bool said(const std::string &line) const
    {
        return ("\n" + errors).find("\nhubrun: " + line + "\n") != std::string::npos;
    }
    /** The words of the command that made a kept result. */
    std::string command(const std::string &result)
    {
        EXPECT_EQ(
            0, sh("sed -n '/^ *\"arguments\"/s/, / /gp' " + result + "/manifest.json | tr -d '\"'"))
            << errors;
        return out;
    }
    double microseconds() const
    {
        size_t at = out.find("us=");

        return at != std::string::npos ? std::stod(out.substr(at + 3)) : 0;
    }
};

TEST_F(Environment, TheVariableChoosesGpusLikeTheOption)
{
    const std::string lines = "rank 0 sees 3,1: 2, the first is GPU 3\n"
                              "rank 1 sees 3,1: 2, the first is GPU 3\n";

    EXPECT_EQ(0, sh("hubrun -n 2 --mpi net ./gpu")) << errors;
    EXPECT_EQ("rank 0 sees all: 4, the first is GPU 0\nrank 1 sees all: 4, the first is GPU 0\n",
              out);
    EXPECT_EQ(0, sh("CUDA_VISIBLE_DEVICES=3,1 hubrun -n 2 --mpi net ./gpu")) << errors;
    EXPECT_EQ(lines, out);
    EXPECT_TRUE(said("CUDA_VISIBLE_DEVICES=3,1: as with --visible-devices 3,1")) << errors;
    for (const char *how : { "--visible-devices 3,1", "-x CUDA_VISIBLE_DEVICES=3,1" }) {
        EXPECT_EQ(
            0, sh(std::string("CUDA_VISIBLE_DEVICES=2 hubrun -q -n 2 --mpi net ") + how + " ./gpu"))
            << errors;
        EXPECT_EQ(lines, out) << how;
        EXPECT_EQ("", errors);
    }
    EXPECT_EQ(0, sh("hubrun -q -n 2 --mpi net CUDA_VISIBLE_DEVICES=3,1 ./gpu")) << errors;
    EXPECT_EQ(lines, out);
    EXPECT_EQ(0, sh("hubrun -q -n 1 --visible-devices '' ./gpu")) << errors;
    EXPECT_EQ("rank 0 sees : no GPU\n", out);
}

TEST_F(Environment, AListThatCudaCutsShortIsNamed)
{
    EXPECT_EQ(0, sh("hubrun -n 1 --visible-devices 1,4,0 ./gpu")) << errors;
    EXPECT_EQ("rank 0 sees 1,4,0: 1, the first is GPU 1\n", out);
    EXPECT_TRUE(said("--visible-devices 1,4,0: ranks on node 0 see 1 of its 4 GPUs: expected "
                     "numbers from 0 to 3, each once"))
        << errors;
    EXPECT_EQ(0, sh("hubrun -n 1 -m mbcf-switch --visible-devices 0 ./gpu")) << errors;
    EXPECT_TRUE(said("--visible-devices 0: not used: no node of this machine has a GPU")) << errors;
    for (const char *list : { "7", "a", "0,0", "0,0,1" }) {
        EXPECT_EQ(0, sh(std::string("CUDA_VISIBLE_DEVICES=") + list + " hubrun -n 1 ./gpu"));
        EXPECT_EQ(std::string("rank 0 sees ") + list + ": no GPU\n", out);
        EXPECT_TRUE(said(std::string("--visible-devices ") + list +
                         ": ranks on node 0 see 0 of its 4 GPUs: expected numbers from 0 to 3, "
                         "each once"))
            << errors;
    }
}

TEST_F(Environment, EachRankMayChooseItsOwn)
{
    EXPECT_EQ(0, sh("hubrun -q -n 2 -m one-node --visible-devices 0,1 ./gpu choose")) << errors;
    EXPECT_EQ("rank 0 sees 3: 1, the first is GPU 3\nrank 1 sees 2: 1, the first is GPU 2\n", out);
}

/* What the choice is made for: GPUs 2 and 3 are on the adapter's socket, 0 and 1 beyond QPI. */
TEST_F(Environment, AGpuBesideTheAdapterIsWorthTheVariable)
{
    const std::string run = "hubrun -q -n 2 --mpi ib,gdr_limit=512KiB ./gpu 524288";
    double far, near;

    EXPECT_EQ(0, sh(run)) << errors;
    far = microseconds();
    EXPECT_EQ(0, sh("CUDA_VISIBLE_DEVICES=2 " + run)) << errors;
    near = microseconds();
    EXPECT_GT(near, 0);
    EXPECT_GT(far, 8 * near) << far << " and " << near;
}

TEST_F(Environment, AKeptResultHasTheChoiceAndNeedsNoVariable)
{
    ASSERT_EQ(0, sh("CUDA_VISIBLE_DEVICES=2 hubrun -q -n 2 --mpi net --out a ./gpu")) << errors;
    ASSERT_EQ(0, sh("hubrun -q -n 2 --mpi net --out b ./gpu")) << errors;
    EXPECT_NE(std::string::npos, command("a/gpu").find(" --visible-devices 2 ")) << out;
    EXPECT_EQ(std::string::npos, command("b/gpu").find("visible")) << out;
    EXPECT_EQ(0, sh("hubsim check a/gpu b/gpu")) << out << errors;
    EXPECT_EQ(0, sh("CUDA_VISIBLE_DEVICES=1 hubsim check a/gpu b/gpu")) << out << errors;
}

TEST_F(Environment, ExperimentsDoNotDependOnIt)
{
    const std::string run = "hubsim run ./peer.yaml --csv";

    write("peer.yaml", "description: a copy from GPU to GPU\n"
                       "workload: pingpong\n"
                       "platform: hapacs-tca\n"
                       "setup: { bytes: 8, src: gpu, dst: gpu, rounds: 2, repeats: 1 }\n"
                       "series:\n"
                       "  - { name: peer, api: cudaMemcpyPeer in one node, uva: on, nodes: 1 }\n");
    ASSERT_EQ(0, sh(run)) << errors;
    std::string without = out;
    ASSERT_EQ(0, sh("CUDA_VISIBLE_DEVICES=1 " + run)) << errors;
    EXPECT_EQ(without, out);
}

TEST_F(Environment, VariablesOfMvapich2AreTakenOnDemand)
{
    const std::string set = "MV2_IBA_EAGER_THRESHOLD=12K MV2_USE_GPUDIRECT=0 MV2_USE_CUDA=1 "
                            "MV2_COMM_WORLD_RANK=0 ";

    EXPECT_EQ(0, sh(set + "hubrun -n 2 --out a ./gpu")) << errors;
    EXPECT_TRUE(said("MV2_IBA_EAGER_THRESHOLD, MV2_USE_CUDA, MV2_USE_GPUDIRECT: not used: "
                     "--variables mvapich2 takes those that have a setting here"))
        << errors;
    EXPECT_EQ(std::string::npos, command("a/gpu").find("--mpi")) << out;
    EXPECT_EQ(0, sh(set + "hubrun -n 2 --variables mvapich2 --out b ./gpu")) << errors;
    EXPECT_TRUE(said("MV2_IBA_EAGER_THRESHOLD=12K: as with --mpi ib,eager_bytes=12288")) << errors;
    EXPECT_TRUE(said("MV2_USE_GPUDIRECT=0: as with --mpi ib,gdr=off")) << errors;
    EXPECT_TRUE(said("MV2_USE_CUDA: not used: no effect there, or no setting here")) << errors;
    EXPECT_NE(std::string::npos, command("b/gpu").find(" --mpi ib,eager_bytes=12288,gdr=off "))
        << out;
    EXPECT_EQ(0, sh(set + "hubrun -q -n 2 --variables mvapich2 ./gpu")) << errors;
    EXPECT_EQ("", errors);
}

/* Job scripts set them for InfiniBand, whatever is tried here. */
TEST_F(Environment, AVariableOfAnotherTransportHasNoMeaningAndALineSaysSo)
{
    const std::string set = "MV2_NUM_PORTS=2 MV2_USE_GDR=7 ";
    const std::string run = "hubrun -n 2 --variables mvapich2 ";

    EXPECT_EQ(0, sh(set + run + "--mpi eager_bytes=1024,peach2 --out a ./gpu")) << errors;
    EXPECT_TRUE(said("MV2_NUM_PORTS=2: no meaning over peach2: with --mpi ib it is rails"))
        << errors;
    EXPECT_TRUE(said("MV2_USE_GDR=7: no meaning over peach2: with --mpi ib it is gdr")) << errors;
    EXPECT_EQ(std::string::npos, errors.find("not used")) << errors;
    EXPECT_NE(std::string::npos, command("a/gpu").find(" --mpi eager_bytes=1024,peach2 ")) << out;
    EXPECT_EQ(0, sh(set + run + "-m mbcf-switch --out b ./gpu")) << errors;
    EXPECT_TRUE(said("MV2_NUM_PORTS=2: no meaning here: no node of this machine has an InfiniBand "
                     "adapter"))
        << errors;
    EXPECT_EQ(std::string::npos, command("b/gpu").find("--mpi")) << out;
}

TEST_F(Environment, WhatIsTypedCountsMore)
{
    EXPECT_EQ(0, sh("MV2_GPUDIRECT_LIMIT=524288 hubrun -q -n 2 --variables mvapich2 "
                    "--mpi library=mvapich2-gdr-2.2,rails=2 --out a ./gpu"))
        << errors;
    EXPECT_NE(std::string::npos,
              command("a/gpu").find(" --mpi ib,gdr_limit=524288,library=mvapich2-gdr-2.2,rails=2 "))
        << out;
    EXPECT_EQ(0,
              sh("MV2_USE_GPUDIRECT_GDRCOPY=0 hubrun -q -n 2 --variables mvapich2 --out d ./gpu"))
        << errors;
    EXPECT_NE(std::string::npos, command("d/gpu").find(" --mpi ib,gdrcopy=off ")) << out;
    EXPECT_EQ(0, sh("MV2_USE_GPUDIRECT_RECEIVE_LIMIT=8192 hubrun -q -n 2 --variables mvapich2 "
                    "--out c ./gpu"))
        << errors;
    EXPECT_NE(std::string::npos, command("c/gpu").find(" --mpi ib,gdr_receive_limit=8192 ")) << out;
    EXPECT_EQ(0, sh("MV2_NUM_PORTS=1 hubrun -q -n 2 --variables mvapich2 --mpi rails=2 --out b "
                    "./gpu"))
        << errors;
    EXPECT_NE(std::string::npos, command("b/gpu").find(" --mpi ib,rails=1,rails=2 ")) << out;
}

/* The limit is that of the setting: beyond it the copy engines carry the message. */
TEST_F(Environment, ASettingThatWasTakenHasItsEffect)
{
    const std::string run = "hubrun -q -n 2 --visible-devices 2 --variables mvapich2 ./gpu 524288";
    double adapter, staged;

    EXPECT_EQ(0, sh("MV2_GPUDIRECT_LIMIT=1M " + run)) << errors;
    adapter = microseconds();
    EXPECT_EQ(0, sh("MV2_GPUDIRECT_LIMIT=8K " + run)) << errors;
    staged = microseconds();
    EXPECT_EQ(0, sh("hubrun -q -n 2 --visible-devices 2 --mpi ib,gdr_limit=8192 ./gpu 524288"));
    EXPECT_EQ(microseconds(), staged);
    EXPECT_NE(adapter, staged);
}

TEST_F(Environment, AlgorithmsOfOpenMpiAreTakenWhereItsRulesAreOn)
{
    const std::string set = "OMPI_MCA_coll_tuned_allgather_algorithm=4 "
                            "OMPI_MCA_coll_tuned_alltoall_algorithm=4 ";
    const std::string run = "hubrun -n 2 --variables openmpi --algorithm bcast=chain ";

    EXPECT_EQ(0, sh(set + run + "--mca coll_tuned_use_dynamic_rules 1 --out a ./gpu")) << errors;
    EXPECT_TRUE(
        said("OMPI_MCA_coll_tuned_allgather_algorithm=4: as with --algorithm allgather=ring"))
        << errors;
    EXPECT_TRUE(said(
        "OMPI_MCA_coll_tuned_alltoall_algorithm: not used: no effect there, or no setting here"))
        << errors;
    EXPECT_NE(std::string::npos, command("a/gpu").find("--algorithm allgather=ring,bcast=chain "))
        << out;
    EXPECT_EQ(0, sh(set + run + "./gpu")) << errors;
    EXPECT_TRUE(said("OMPI_MCA_coll_tuned_allgather_algorithm, "
                     "OMPI_MCA_coll_tuned_alltoall_algorithm: not used: no effect there, or no "
                     "setting here"))
        << errors;
}

TEST_F(Environment, AValueThatIsNoneIsRefused)
{
    EXPECT_EQ(1, sh("MV2_GPUDIRECT_LIMIT=much hubrun -n 2 --variables mvapich2 ./gpu"));
    EXPECT_TRUE(said("MV2_GPUDIRECT_LIMIT=much: expected a number from 1, such as 8192, or 8K, 8M "
                     "and 8G for bytes"))
        << errors;
    for (const char *value : { "2", "yes", "-1" }) {
        EXPECT_EQ(
            1, sh(std::string("MV2_USE_GDR=") + value + " hubrun -n 2 --variables mvapich2 ./gpu"));
        EXPECT_TRUE(said(std::string("MV2_USE_GDR=") + value + ": expected 0 or 1")) << errors;
    }
    EXPECT_EQ(2, sh("hubrun -n 2 --variables mpich ./gpu"));
    EXPECT_EQ(0u, errors.find("hubrun: --variables mpich: expected mvapich2|openmpi")) << errors;
}

} // namespace
