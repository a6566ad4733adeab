/* hubrun --check heap changes nothing but what it reports. */
#include "tests/tools/hubcc/programs.h"

namespace
{

class CheckHeap : public Programs
{
  protected:
    void SetUp() override
    {
        Programs::SetUp();
        ASSERT_EQ(0, sh("hubcc -O1 " PROGRAMS "/churn.c -o churn")) << errors;
    }
};

/* Adapters of InfiniBand pin the blocks, and remember what they have pinned. */
TEST_F(CheckHeap, LeavesTimesAndPacketsAsTheyAre)
{
    for (const char *how : { "-m ring4 --mpi ib", "-m ring4 --mpi ib,progress=helper",
                             "-m ring4 --mpi peach2", "-m mbcf-switch --mpi mbcf" }) {
        const std::string run = std::string("hubrun -n 2 --fingerprint ") + how;

        ASSERT_EQ(0, sh(run + " ./churn")) << errors;
        const std::string lines = out, ends = errors;
        EXPECT_EQ(0, sh(run + " --check heap ./churn")) << errors;
        EXPECT_EQ(lines, out) << how;
        EXPECT_EQ(ends, errors) << how;
        EXPECT_EQ(std::string::npos, out.find("wrong")) << out;
    }
}

/* The rank goes on, since no instruction of its own was wrong. */
TEST_F(CheckHeap, FindsWhatADeviceWritesAfterFree)
{
    if (test::SANITIZED)
        GTEST_SKIP() << "the sanitizer reports accesses itself";
    EXPECT_EQ(0, sh("hubrun -q -n 2 -m ring4 --mpi ib ./churn late")) << errors;
    EXPECT_EQ(1, sh("hubrun -q -n 2 -m ring4 --mpi ib --check heap ./churn late"));
    EXPECT_EQ(0u, errors.find("hubrun: rank 0 on node 0 at ")) << errors;
    EXPECT_NE(
        std::string::npos,
        errors.find(
            " us: access by a device or a thread to offset 0 of a freed block of 1000000 bytes; "
            "allocated at churn+0x"))
        << errors;
}

TEST_F(CheckHeap, IsWhatTheCompilerNamesInsteadOfAddressSanitizer)
{
    EXPECT_EQ(2, sh("hubcc -fsanitize=address " PROGRAMS "/churn.c -o checked"));
    EXPECT_EQ("hubcc: -fsanitize=address: its run-time takes a process for one program, which "
              "hubrun does not: expected none, or -fsanitize=undefined; hubrun --check heap finds "
              "what is wrong with blocks of malloc\n",
              errors);
}

} // namespace
