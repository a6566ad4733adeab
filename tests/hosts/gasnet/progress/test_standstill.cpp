/* What is said of a run of GASNet that cannot go on: which rank waits in which call for whom. */
#include "tests/tools/hubcc/programs.h"

#include <regex>

namespace
{

class GasnetStandstill : public Programs
{
  protected:
    void SetUp() override
    {
        Programs::SetUp();
        ASSERT_EQ(0, sh("hubcc -O1 -DGASNET_SEQ " STANDSTILL " -o standstill")) << errors;
    }
    /** @return the rank's line from behind the time on, and without the place of its call */
    std::string line_of(unsigned rank)
    {
        const std::regex line("hubrun: rank " + std::to_string(rank) +
                              " on node [0-9]+ at [0-9.]+ us: (.*)");
        std::smatch found;

        EXPECT_TRUE(std::regex_search(errors, found, line)) << errors;
        return std::regex_replace(found.str(1), std::regex(" at standstill\\+0x[0-9a-f]+"), "");
    }
    void run(const std::string &conduit, const std::string &what)
    {
        EXPECT_EQ(1, sh("hubrun -n 3 -m ring4 --patience=1 --mpi net --gasnet " + conduit +
                        " ./standstill " + what))
            << errors;
        EXPECT_FALSE(has(errors, "--check")) << what << "\n" << errors;
        EXPECT_TRUE(has(errors, "3 of 3 have not ended")) << what << "\n" << errors;
    }
    void expect(const std::string &conduit, const std::string &what,
                const std::vector<std::string> &lines)
    {
        run(conduit, what);
        for (unsigned r = 0; r < lines.size(); r++)
            EXPECT_EQ(lines[r], line_of(r)) << what << " over " << conduit;
    }
};

const char *const block = "in GASNET_BLOCKUNTIL, waiting for a message from any rank";

TEST_F(GasnetStandstill, NamesWhoWaitsForMessages)
{
    for (const char *conduit : { "net", "tca", "ib" }) {
        expect(conduit, "block", { block, block, block });
        expect(conduit, "reply",
               { block, block,
                 "in gasnet_barrier_wait, waiting for a message from rank 1, round 1 of 2 of "
                 "barrier 2 (anonymous)" });
        expect(conduit, "attach",
               { "in gasnet_attach, waiting for gasnet_attach() of rank 1",
                 "in MPI_Recv, waiting for a message from any rank with tag 9 on MPI_COMM_WORLD" });
    }
}

/* Simulated time goes on in such a loop, so it is given up by the processor's time. */
TEST_F(GasnetStandstill, EndsLoopsThatPollForEver)
{
    for (const char *conduit : { "net", "tca", "ib" }) {
        expect(conduit, "poll together",
               { "in gasnet_barrier_wait, waiting for a message from rank 1, round 2 of 2 of "
                 "barrier 2 (anonymous)",
                 "polling with gasnet_AMPoll for a message from any rank" });
        EXPECT_TRUE(has(errors, "hubrun: nothing but polling happens at ")) << errors;
    }
    expect("net", "try", { "polling with gasnet_try_syncnb_all for an operation with rank 1" });
    expect("net", "try-some",
           { "polling with gasnet_try_syncnb_some for one of some operations with several ranks" });
    expect("net", "try-last",
           { "polling with gasnet_try_syncnb_some for an operation with rank 1" });
    expect("net", "barrier-try together",
           { "polling with gasnet_barrier_try for a message from rank 1, round 2 of 2 of barrier 2 "
             "(anonymous)",
             block,
             "polling with gasnet_barrier_try for a message from rank 1, round 1 of 2 of barrier 2 "
             "(anonymous)" });
}

/* Such a loop waits for a handler. */
TEST_F(GasnetStandstill, EndsLoopsOfCallsWithNothingOpen)
{
    for (const auto &[what, call] : { std::pair("wait-none", "gasnet_wait_syncnb"),
                                      std::pair("wait-none-all", "gasnet_wait_syncnb_all"),
                                      std::pair("wait-none-some", "gasnet_wait_syncnb_some"),
                                      std::pair("wait-no-implicit", "gasnet_wait_syncnbi_all"),
                                      std::pair("wait-no-puts", "gasnet_wait_syncnbi_puts"),
                                      std::pair("wait-no-gets", "gasnet_wait_syncnbi_gets"),
                                      std::pair("wait-no-collective", "gasnet_coll_wait_sync"),
                                      std::pair("wait-no-collectives", "gasnet_coll_wait_sync_all"),
                                      std::pair("try-none", "gasnet_try_syncnb"),
                                      std::pair("try-no-implicit", "gasnet_try_syncnbi_all"),
                                      std::pair("try-no-collective", "gasnet_coll_try_sync") })
        expect("net", what,
               { std::string("polling with ") + call + " for a message from any rank" });
    expect("tca", "wait-no-implicit",
           { "polling with gasnet_wait_syncnbi_all for a message from any rank" });
}

TEST_F(GasnetStandstill, NamesTheBarrierThatARankHasNotEntered)
{
    for (const char *conduit : { "net", "tca", "ib" })
        expect(conduit, "barrier together",
               { "in gasnet_barrier_wait, waiting for a message from rank 1, round 2 of 2 of "
                 "barrier 2 (anonymous)",
                 block,
                 "in gasnet_barrier_wait, waiting for a message from rank 1, round 1 of 2 of "
                 "barrier 2 (anonymous)" });
    expect("net", "coll together",
           { "in gasnet_coll_wait_sync, waiting for a message from rank 1, collective 1 of "
             "GASNET_TEAM_ALL" });
    expect("net", "coll-barrier together",
           { "in gasnet_coll_barrier, waiting for a message from rank 1, collective 1 of "
             "GASNET_TEAM_ALL" });
}

/* Over InfiniBand adapters do these alone. */
TEST_F(GasnetStandstill, NamesWhoDoesNotAnswer)
{
    for (const char *conduit : { "net", "tca" }) {
        expect(conduit, "put", { "in gasnet_put, waiting for an answer from rank 1" });
        expect(conduit, "value", { "in gasnet_get_val, waiting for a value from rank 1" });
        expect(conduit, "handle",
               { "in gasnet_wait_syncnb, waiting for an operation with rank 1" });
        expect(conduit, "handles",
               { "in gasnet_wait_syncnb_all, waiting for an operation with rank 1, and 1 more" });
        expect(conduit, "some",
               { "in gasnet_wait_syncnb_some, waiting for one of some operations with several "
                 "ranks" });
        expect(conduit, "implicit",
               { "in gasnet_wait_syncnbi_all, waiting for implicit operations with rank 2" });
        expect(conduit, "implicits",
               { "in gasnet_wait_syncnbi_gets, waiting for implicit operations with several "
                 "ranks" });
    }
}

/* The control network has no rings: what it carries waits in the nodes' memory. */
TEST_F(GasnetStandstill, NamesWhoDoesNotEmptyItsRing)
{
    for (const char *conduit : { "tca", "ib", "peach2" })
        expect(conduit, "ring",
               { "in gasnet_AMRequestMedium0, waiting for room for a message to rank 1",
                 "in MPI_Recv, waiting for a message from any rank with tag 9 on MPI_COMM_WORLD" });
}

} // namespace
