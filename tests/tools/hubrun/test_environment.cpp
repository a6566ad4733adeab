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

} // namespace
