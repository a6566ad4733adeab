/* Signals mean ranks, never the process that simulates them. */
#include "tests/tools/hubcc/programs.h"

namespace
{

class Signals : public Programs
{
  protected:
    void SetUp() override
    {
        Programs::SetUp();
        ASSERT_EQ(0, sh("hubcc -g -O1 -w " PROGRAMS "/signals.c -o prog")) << errors;
    }
    /** `end` is the last line on stderr up to the time. */
    void expect_end(const std::string &options, int status, const std::string &end)
    {
        EXPECT_EQ(status, sh("hubrun -q " + options)) << options << errors;
        EXPECT_NE(std::string::npos, errors.find("hubrun: " + end + " at ")) << options << errors;
    }
};

TEST_F(Signals, RunTheHandlersOfTheirRank)
{
    EXPECT_EQ(0, sh("hubrun -q -n 1 -m one-node ./prog handlers")) << errors;
    EXPECT_EQ("0: kill last=10 count=1\n0: raise last=10 count=2\n0: sigaction last=10 count=2\n"
              "0: blocked last=0 count=2\n0: suspended last=10 count=3\n0: waited last=0 count=3\n",
              out);
}

TEST_F(Signals, OfTimersComeInSimulatedTime)
{
    EXPECT_EQ(0, sh("hubrun -q -n 2 ./prog timers | sort")) << errors;
    EXPECT_EQ("0: four of them 0.550\n0: paused 2.000\n0: slept 1.000\n"
              "1: four of them 0.550\n1: paused 2.000\n1: slept 1.000\n",
              out);
}

/* Over transports that poll memory and that sleep. */
TEST_F(Signals, ReachARankThatWaitsForAMessage)
{
    for (const char *how : { "-m ring4 --mpi peach2", "-m ring4 --mpi ib", "-m ring4 --mpi net",
                             "-m mbcf-switch --mpi mbcf", "-m mbcf-switch -p mbcf-sunos" }) {
        EXPECT_EQ(0, sh(std::string("hubrun -q -n 2 ") + how + " ./prog in-receive")) << errors;
        EXPECT_EQ("1: left at 1.0\n", out) << how;
    }
}

/* -D_FORTIFY_SOURCE has other names for jumps. */
TEST_F(Signals, MayBeLeftByJumpsThatRestoreTheMask)
{
    ASSERT_EQ(0, sh("hubcc -O2 -D_FORTIFY_SOURCE=2 -w " PROGRAMS "/signals.c -o fortified"))
        << errors;
    for (const char *prog : { "./prog", "./fortified" }) {
        EXPECT_EQ(0, sh(std::string("hubrun -q -n 1 ") + prog + " jumps")) << errors;
        EXPECT_EQ("0: left at 1.0\n0: left at 2.0\n0: left at 3.0\n0: slept until 5.0\n"
                  "0: masks 11 17 14 at 8.0\n",
                  out);
    }
}

TEST_F(Signals, MayBeLeftByJumpsThatLeaveTheCall)
{
    EXPECT_EQ(1, sh("hubrun -q -n 1 ./prog jump-and-wait"));
    EXPECT_NE(std::string::npos, errors.find(" us: sleeping\n")) << errors;
}

/* What a call has left half done is asked no more. */
TEST_F(Signals, MayNotCommunicateWhereTheyInterruptMpi)
{
    auto refused = [&](const std::string &network, const std::string &how) {
        EXPECT_EQ(1, sh("hubrun -q -n 2 --mpi " + network + " ./prog " + how));
        EXPECT_NE(std::string::npos,
                  errors.find(" us: MPI: communication in a signal's handler that has "
                              "interrupted another call of MPI, after a jump out of one, or "))
            << errors;
        EXPECT_EQ(how[0] == 'j', out.find(": of 2\n") != std::string::npos) << out;
    };

    for (const char *how : { "jump-and-send", "look-in-handler", "error-in-handler",
                             "error-out-of-handler", "cancel-in-handler" })
        refused("peach2", how);
    for (const char *network : { "ib", "net", "peach2,progress=helper" })
        refused(network, "jump-and-send");
    EXPECT_EQ(14, sh("hubrun -q -n 1 ./prog abort-in-handler")) << errors;
    EXPECT_EQ("0: gives up at 1.0\n", out);
}

TEST_F(Signals, AreNotNeededToJumpOutOfAnErrorHandler)
{
    for (const char *how : { "calls", "helper" }) {
        EXPECT_EQ(0, sh(std::string("hubrun -q -n 2 --mpi peach2,progress=") + how +
                        " ./prog out-of-error"))
            << errors;
        EXPECT_NE(std::string::npos, out.find("0: rank, sum 1\n")) << out;
    }
}

TEST_F(Signals, HaveTimesOfAnyLength)
{
    EXPECT_EQ(0, sh("timeout 20 hubrun -q -n 1 ./prog limits")) << errors;
    EXPECT_EQ("0: after 1 s, 1 s and 2.5 s 4.5\n0: and five times 1 s 9.5, 5 handlers\n"
              "0: raised in its handler 3\n",
              out);
}

TEST_F(Signals, EndASleepOfPselectAndPpoll)
{
    const std::string one = "0: after 1.0 s, 1 handlers\n0: after 2.0 s, 0 handlers\n";

    EXPECT_EQ(0, sh("timeout 20 hubrun -q -n 1 ./prog polls")) << errors;
    EXPECT_EQ(one + one, out);
}

TEST_F(Signals, ReachARankInALoopOfSystemCalls)
{
    EXPECT_EQ(0, sh("timeout 20 hubrun -q -n 1 ./prog turns")) << errors;
    EXPECT_EQ("0: turns\n", out);
}

TEST_F(Signals, ReachARankThatComputesBeforeItWaits)
{
    ASSERT_EQ(0, sh("hubcc --count -w " PROGRAMS "/signals.c -o counted")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 2 --compute counted --block-time 100ns ./counted computing"))
        << errors;
    EXPECT_EQ("0: before sleep 1\n0: before pause, and at its end 5, in all 3\n"
              "0: before receiving 1\n0: before sigsuspend 1\n",
              out);
}

TEST_F(Signals, ReachRanksOfTheNodeAndNobodyElse)
{
    expect_end("-n 2 -m one-node ./prog neighbours", 137,
               "rank 1 on node 0 was ended by signal 9 (Killed)");
    EXPECT_EQ("0: from the neighbour last=10 count=0\n", out);
    expect_end("-n 2 -m one-node ./prog group", 143,
               "rank 1 on node 0 was ended by signal 15 (Terminated)");
}

TEST_F(Signals, EndTheRankThatDoesNotHandleThem)
{
    expect_end("-n 2 ./prog kill", 137, "rank 1 on node 1 was ended by signal 9 (Killed)");
    for (const char *how : { "alarm", "alarm-in-receive" })
        expect_end(std::string("-n 2 ./prog ") + how, 142,
                   "rank 1 on node 1 was ended by signal 14 (Alarm clock)");
}

/* An interval timer would go on for ever, and so would the run of the rank that waits for it. */
TEST_F(Signals, OfTimersEndWithTheirRank)
{
    EXPECT_EQ(1, sh("hubrun -q -n 2 --max-time 100s ./prog ticks-exit")) << errors;
    EXPECT_NE(std::string::npos, errors.find("nothing is left that could happen at 2")) << errors;
    EXPECT_EQ(142, sh("hubrun -q -n 2 --max-time 100s ./prog ticks-kill")) << errors;
    EXPECT_NE(std::string::npos, errors.find("nothing is left that could happen at 100209."))
        << errors;
}

TEST_F(Signals, OfAbortAndAssertNameRankAndPlace)
{
    expect_end("-n 2 ./prog abort", 134, "rank 1 on node 1 was ended by signal 6 (Aborted)");
    EXPECT_EQ(0u, errors.find("rank 1 on node 1 at ")) << errors;
    size_t at = errors.find(" us: aborted at prog+0x");
    ASSERT_NE(std::string::npos, at) << errors;
    at = errors.find("0x", at);
    EXPECT_EQ(0, sh("addr2line -f -e prog " + errors.substr(at, errors.find('\n', at) - at)));
    EXPECT_EQ(0u, out.find("ends\n")) << out;
    expect_end("-n 2 ./prog assert", 134, "rank 1 on node 1 was ended by signal 6 (Aborted)");
    EXPECT_NE(std::string::npos, errors.find(": ends: Assertion `rank != 1' failed.\nrank 1 on "))
        << errors;
    EXPECT_EQ(0u, errors.find("prog: ")) << errors;
}

TEST_F(Signals, MayHaveNamesOfTheProgramsOwn)
{
    write("own.c", "#include <stdio.h>\n"
                   "int pause(int x) { return x + 1; }\n"
                   "int kill(void) { return 7; }\n"
                   "int main(void) { printf(\"%d %d\\n\", pause(1), kill()); return 0; }\n");
    ASSERT_EQ(0, sh("hubcc own.c -o own && ./own")) << errors;
    EXPECT_EQ("2 7\n", out);
}

} // namespace
