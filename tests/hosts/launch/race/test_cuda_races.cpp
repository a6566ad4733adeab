/* Calls of CUDA that use memory of a GPU while something else does (race_cuda.c). */
#include "tests/hosts/launch/race/run_case.h"

namespace
{
using test::functions_at;
using test::run_case;
using test::Seen;

/** What is done in which function, and which call had begun what it meets? */
struct Expected {
    const char *name, *rank, *use, *in, *before;
};

class CudaRace : public testing::TestWithParam<Expected>
{
};

TEST_P(CudaRace, IsFoundWithBothPlaces)
{
    const Expected &e = GetParam();
    Seen seen = run_case(e.name, HOST_CHECK_RACES), without = run_case(e.name, 0);
    size_t end = 0;

    EXPECT_EQ(without.visible, seen.visible);
    EXPECT_EQ(without.wire, seen.wire);
    EXPECT_EQ(1u, seen.mistakes);
    ASSERT_EQ(1u, seen.found.size()) << testing::PrintToString(seen.found);
    const std::string &line = seen.found[0];
    EXPECT_EQ(0u, line.find(std::string(e.rank) + " on node ")) << line;
    EXPECT_NE(std::string::npos, line.find(std::string(" us: ") + e.use + " bytes at ")) << line;
    EXPECT_EQ(e.in, functions_at(line, 0, &end).at(0)) << line;
    EXPECT_EQ(end, line.find(std::string(", which ") + e.before + " of rank ")) << line;
}

INSTANTIATE_TEST_SUITE_P(
    All, CudaRace,
    testing::Values(Expected{ "copies_from_received", "rank 1", "cudaMemcpy: loads 8192",
                              "copy_out", "MPI_Irecv" },
                    Expected{ "copies_to_sent", "rank 0", "cudaMemcpyAsync: stores 8192", "copy_in",
                              "MPI_Isend" },
                    Expected{ "copies_inside_to_sent", "rank 0", "cudaMemcpyPeer: stores 8192",
                              "copy_inside", "MPI_Isend" },
                    Expected{ "clears_sent", "rank 0", "cudaMemset: stores 8192", "clear",
                              "MPI_Isend" },
                    Expected{ "frees_sent_of_gpu", "rank 0", "cudaFree: frees 65536", "give_back",
                              "MPI_Isend" },
                    Expected{ "copies_received_rows", "rank 1", "cudaMemcpy2D: loads 64",
                              "copy_rows", "MPI_Irecv" },
                    Expected{ "copies_from_put", "rank 1", "cudaMemcpy: loads 8192", "copy_out",
                              "tcaStartDMADesc" },
                    Expected{ "clears_source_of_put", "rank 0", "cudaMemset: stores 8192", "clear",
                              "tcaStartDMADesc" },
                    Expected{ "frees_destination_of_put", "rank 1", "cudaFree: frees 65536",
                              "give_back", "tcaStartDMADesc" }),
    [](const auto &param) { return param.param.name; });

TEST(CudaRaces, AreNoneWhereTheProgramWaits)
{
    for (const char *name : { "ok_copies_from_sent", "ok_after_completion",
                              "ok_copies_between_rows", "ok_copies_after_put" })
        EXPECT_EQ(std::vector<std::string>(), run_case(name, HOST_CHECK_RACES).found) << name;
}

} // namespace
