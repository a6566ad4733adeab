/* hubrun --check mpi: each mistake is found with its places, and programs without one stay so. */
#include <regex>

#include "tests/tools/hubcc/programs.h"

namespace
{

struct Mistake {
    const char *name;
    std::vector<std::string> lines; /* regular expressions, in this order; AT: where a call is */
    size_t found = lines.size();
};

std::ostream &operator<<(std::ostream &out, const Mistake &m)
{
    return out << m.name;
}

const std::string AT = " at mistakes\\+0x[0-9a-f]+";
const std::string WORLD = " on MPI_COMM_WORLD";

/** "hubrun: rank 1 on node 1 at 210.1 us: CALL at mistakes+0x123" */
std::string head(int rank, const std::string &call, const std::string &at = AT)
{
    return "hubrun: rank " + std::to_string(rank) + " on node " + std::to_string(rank) +
           " at [0-9.]+ us: " + call + at;
}

/** "CALL at mistakes+0x123 on rank 0 at 210.1 us" */
std::string place(int rank, const std::string &call)
{
    return call + AT + " on rank " + std::to_string(rank) + " at [0-9.]+ us";
}

/** What two ranks differ in: `what` stands between both calls, the later one first. Rank 1 is the
 * first to leave MPI_Init(). */
std::string differ(const std::string &call, int number, const std::string &what,
                   const std::string &other, int rank = 0, const std::string &comm = WORLD)
{
    return head(rank, call) + ", collective " + std::to_string(number) + comm + what + " " +
           place(1 - rank, other);
}

std::string left(const std::string &call, int bytes, int tag, const std::string &comm = WORLD)
{
    return head(0, call) + ": a message of " + std::to_string(bytes) +
           " bytes to rank 1 with tag " + std::to_string(tag) + comm + " was ";
}

const std::string BEFORE = "not received before " + place(1, "MPI_Finalize");

const Mistake mistakes[] = {
    { "different_calls", { differ("MPI_Bcast", 1, ", but", "MPI_Barrier") } },
    { "different_order", { differ("MPI_Barrier", 1, ", but", "MPI_Allreduce") } },
    { "different_roots", { differ("MPI_Bcast", 2, ": root = 1, but 0 in", "MPI_Bcast", 1) } },
    { "different_operations",
      { differ("MPI_Allreduce", 1, ": MPI_SUM, but MPI_MAX in", "MPI_Allreduce") } },
    { "different_sizes", { differ("MPI_Bcast", 1, ": 8 bytes, but 16 in", "MPI_Bcast") } },
    { "different_sides",
      { head(0, "MPI_Allgather") + ", collective 1" + WORLD + ": 4 bytes are sent, 8 received" } },
    { "different_counts",
      { differ("MPI_Gatherv", 1, ": 12 bytes from rank 1, which gives 4 in", "MPI_Gatherv") } },
    { "different_all_to_all",
      { differ("MPI_Alltoallv", 1, ": 4 bytes for rank 1, which takes 8 in", "MPI_Alltoallv") } },
    { "one_does_not_block", { differ("MPI_Barrier", 1, ", but", "MPI_Ibarrier") } },
    { "forgotten_barrier", { differ("MPI_Barrier", 1, ", but", "MPI_Finalize") } },
    { "left_out_early",
      { differ("MPI_Finalize", 2, " has not been called, but", "MPI_Bcast", 1, " on pair") } },
    { "left_out_late", { differ("MPI_Bcast", 2, ", but", "MPI_Finalize", 0, " on pair") } },
    { "different_creation", { differ("MPI_Comm_dup", 1, ", but", "MPI_Comm_split") } },
    { "different_window_calls",
      { differ("MPI_Win_fence", 2, ", but", "MPI_Win_free", 0, " on a window") } },
    { "different_window_calls_named",
      { differ("MPI_Win_fence", 2, ", but", "MPI_Win_free", 0, " on borders") } },
    { "waits_elsewhere",
      { head(0, "MPI_Barrier") + ", collective 1" + WORLD + ": not called by rank 1" } },
    { "never_received", { left("MPI_Send", 8, 3) + BEFORE } },
    { "never_received_often",
      { left("MPI_Send", 4, 4) + BEFORE, left("MPI_Send", 4, 3) + BEFORE,
        left("MPI_Send", 4, 4) + BEFORE + "; the last of 9 more",
        left("MPI_Send", 4, 3) + BEFORE + "; one more" },
      12 },
    { "other_root_often",
      { differ("MPI_Bcast", 1, ": root = 0, but 1 in", "MPI_Bcast"),
        differ("MPI_Bcast", 5, ": root = 0, but 1 in", "MPI_Bcast") + "; the last of 4 more" },
      5 },
    { "never_received_long", { left("MPI_Send", 4000000, 3) + BEFORE } },
    { "never_received_buffered", { left("MPI_Bsend", 4, 4) + BEFORE } },
    { "never_received_freed", { left("MPI_Send", 4, 5, " on pair") + BEFORE } },
    { "other_tag", { left("MPI_Send", 4, 1) + "never received" } },
    { "only_probed", { left("MPI_Send", 4, 6) + BEFORE } },
    { "send_not_completed",
      { head(0, "MPI_Finalize") + ": no call has completed a request that began in " +
        place(0, "MPI_Isend") + ", 4 bytes to rank 1 with tag 7" + WORLD } },
    { "requests_left_by_all",
      { head(0, "MPI_Finalize") + ": no call has completed a request that began in " +
            place(0, "MPI_Isend") + ", 4 bytes to rank 1 with tag 7" + WORLD,
        head(0, "MPI_Finalize") + ": no call has completed a request that began in " +
            place(0, "MPI_Irecv") + ", from MPI_PROC_NULL with tag 8" + WORLD,
        head(1, "MPI_Finalize") + ": no call has completed a request that began in " +
            place(1, "MPI_Isend") + ", 4 bytes to rank 0 with tag 7" + WORLD +
            "; the last of 5 more, on ranks 0 to 1",
        head(1, "MPI_Finalize") + ": no call has completed a request that began in " +
            place(1, "MPI_Irecv") + ", from MPI_PROC_NULL with tag 8" + WORLD +
            "; the last of 5 more, on ranks 0 to 1" },
      12 },
    { "receive_not_completed",
      { head(1, "MPI_Finalize") +
        ": no call has completed a request, which has no message, that began in " +
        place(1, "MPI_Irecv") + ", from any rank with any tag" + WORLD } },
    { "collective_not_completed",
      { head(1, "MPI_Finalize") + ": no call has completed a request that began in " +
        place(1, "MPI_Ibarrier") + "," + WORLD } },
    { "persistent_not_completed",
      { head(0, "MPI_Finalize") + ": no call has completed a request that began in " +
        place(0, "MPI_Start") + ", 4 bytes to rank 1 with tag 8" + WORLD } },
    { "receive_freed",
      { head(1, "MPI_Finalize") + ": no message has come for a receive that began in " +
        place(1, "MPI_Irecv") + ", from rank 0 with tag 9" + WORLD } },
    { "no_finalize",
      { "hubrun: rank 0 on node 0 at 12[0-9][0-9]\\.[0-9]+ us: ends without MPI_Finalize",
        head(1, "ends", "") + " without MPI_Finalize; one more" } },
    { "one_exits", { head(1, "ends", "") + " without MPI_Finalize" } },
};

class Check : public Programs, public testing::WithParamInterface<Mistake>
{
};

TEST_P(Check, FindsWithBothPlaces)
{
    const std::vector<std::string> &lines = GetParam().lines;
    std::string all;

    EXPECT_NE(
        0, sh(std::string("hubrun -q --check mpi -n 2 " CHECKED "/mistakes ") + GetParam().name));
    for (const std::string &line : lines)
        all += line + "\n";
    EXPECT_TRUE(std::regex_search(errors, std::regex(all))) << all << errors;
    EXPECT_NE(std::string::npos, errors.find("hubrun: --check has found " +
                                             std::to_string(GetParam().found) + " mistake"))
        << errors;
}
INSTANTIATE_TEST_SUITE_P(Mistakes, Check, testing::ValuesIn(mistakes),
                         [](const testing::TestParamInfo<Mistake> &info) {
                             return std::string(info.param.name);
                         });

using Checked = Programs;

/* The same network and numbers of ranks, as the tests of the standard have them. */
TEST_F(Checked, ValidProgramsHaveNoMistake)
{
    for (const char *machine : { "-m ring8", "-m ring8 --mpi ib", "-m mbcf-switch --mpi mbcf" })
        for (const char *ranks : { "1", "2", "5", "8" }) {
            EXPECT_EQ(0, sh(std::string("hubrun -q --check mpi ") + machine + " -n " + ranks +
                            " " CHECKED "/valid"))
                << machine << " -n " << ranks << ": " << errors;
            EXPECT_EQ("", errors) << machine << " -n " << ranks;
        }
}

/* The address is that of the call: it has the line of its source. */
TEST_F(Checked, PlacesAreCalls)
{
    EXPECT_EQ(0, sh("hubrun -q --check mpi -n 2 " CHECKED "/mistakes never_received 2>&1 | "
                    "sed -n 's/.*MPI_Send at mistakes+\\(0x[0-9a-f]*\\):.*/\\1/p' | "
                    "addr2line -f -e " CHECKED "/mistakes"));
    EXPECT_EQ(0u, out.find("never_received\n")) << out;
}

/* Nothing is sent for the check, and it takes no simulated time. */
TEST_F(Checked, DoesNotChangeTheRun)
{
    const std::string run = "hubrun --fingerprint -n 5 -m ring8 ";
    const std::string program = CHECKED "/../signatures_collectives cases=20";
    std::string with;

    ASSERT_EQ(0, sh(run + "--check mpi " + program)) << errors;
    with = errors;
    ASSERT_EQ(0, sh(run + program)) << errors;
    EXPECT_EQ(errors, with);
    EXPECT_NE(std::string::npos, errors.find("fingerprint")) << errors;
}

/* Without the option nothing is looked for. */
TEST_F(Checked, IsAnOption)
{
    EXPECT_EQ(0, sh("hubrun -q -n 2 " CHECKED "/mistakes never_received"));
    EXPECT_EQ("", errors);
}

} // namespace
