/* Runs that do not end by themselves: what is printed, and what the status is. */
#include <regex>

#include "tests/tools/hubcc/programs.h"

namespace
{

TEST_F(Programs, APollThatNothingCanEndIsReported)
{
    ASSERT_EQ(0, sh("hubcc -O2 " PROGRAMS "/loops.c -o prog")) << errors;
    for (const char *how : { "endless", "endless-flags" }) {
        EXPECT_EQ(1, sh(std::string("hubrun -n 2 ./prog ") + how));
        EXPECT_NE(std::string::npos, errors.find("hubrun: nothing is left that could happen at "))
            << errors;
        EXPECT_NE(std::string::npos, errors.find(" us: polling 8 bytes at 0x")) << errors;
        EXPECT_NE(std::string::npos, errors.find(", which hold 0x0 at prog+0x")) << errors;
        EXPECT_NE(std::string::npos, errors.find("; 2 of 2 have not ended")) << errors;
    }
    /* It counts: the machine is idle, but its end is not known. */
    EXPECT_EQ(1, sh("hubrun --patience 1 -n 1 ./prog endless-counter"));
    EXPECT_NE(std::string::npos, errors.find("hubrun: nothing but polling happens at ")) << errors;
}

/* A signal handler may not leave the stacks of the sanitizers. */
class Endless : public Programs
{
  protected:
    void SetUp() override
    {
        Programs::SetUp();
        if (test::SANITIZED)
            GTEST_SKIP() << "they take the signals for their own";
    }
};

TEST_F(Endless, ARankThatNeverReturnsIsEndedAndNamed)
{
    ASSERT_EQ(0, sh("hubcc -O2 " PROGRAMS "/loops.c -o prog")) << errors;
    for (const char *how : { "endless-own", "endless-empty" }) {
        EXPECT_EQ(124, sh(std::string("hubrun --label --patience 1 -n 2 --mpi net ./prog ") + how))
            << errors;
        EXPECT_NE(std::string::npos,
                  errors.find(" us: computes without a call that takes simulated time at prog+0x"))
            << errors;
        EXPECT_NE(std::string::npos, errors.find("hubrun: rank 0 ended all 2 ranks with status 124 "
                                                 "at "))
            << errors;
    }
}

TEST_F(Endless, ASignalTellsWhereEachRankIs)
{
    /* The signal comes once the program has left a file before its loop. */
    const std::string begun = " & n=0; until test -e begun || [ $((n += 1)) -gt 1000 ]; do "
                              "sleep 0.02; done; sleep 0.1; rm begun; kill -s ";

    ASSERT_EQ(0, sh("hubcc -O2 " PROGRAMS "/loops.c -o prog")) << errors;
    EXPECT_EQ(130, sh("hubrun -n 2 --mpi net ./prog endless-counter" + begun + "INT $!; wait $!"));
    EXPECT_EQ(0u, errors.find("hubrun: rank 0 on node 0 at ")) << errors;
    EXPECT_NE(std::string::npos, errors.find("hubrun: rank 1 on node 1 at ")) << errors;
    EXPECT_NE(std::string::npos, errors.find(" us: polling 8 bytes at 0x")) << errors;
    EXPECT_EQ(143, sh("hubrun -n 1 --mpi net ./prog endless-empty" + begun + "TERM $!; wait $!"));
    EXPECT_NE(std::string::npos, errors.find("interrupted in a computation at prog+0x")) << errors;
}

TEST_F(Programs, ACallWithoutAPlaceForItsResultIsNamed)
{
    write("prog.c", "#include <mpi.h>\n"
                    "int main(int argc, char **argv)\n{\n"
                    "    if (argc == 2)\n        MPI_Initialized(0);\n"
                    "    MPI_Init(&argc, &argv);\n"
                    "    if (argc > 2) MPI_Send(&argc, 1, MPI_INT, 4, 0, MPI_COMM_WORLD);\n"
                    "    MPI_Comm_rank(MPI_COMM_WORLD, 0);\n"
                    "    MPI_Finalize();\n    return 0;\n}\n");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(1, sh("hubrun -n 1 ./prog"));
    EXPECT_NE(std::string::npos, errors.find("\nrank 0 on node 0 at ")) << errors;
    EXPECT_NE(std::string::npos, errors.find(" us: MPI_Comm_rank: rank = NULL\n")) << errors;
    EXPECT_EQ(1, sh("hubrun -n 1 ./prog to 4"));
    EXPECT_TRUE(std::regex_search(
        errors, std::regex(" us: MPI_Send at prog\\+0x[0-9a-f]+: dest = 4: expected 0 .. 0\n")))
        << errors;
    EXPECT_EQ(1, sh("hubrun -n 1 ./prog early"));
    EXPECT_NE(std::string::npos, errors.find(" us: MPI_Initialized: flag = NULL\n")) << errors;
}

TEST_F(Programs, ThreadsOfAProgramThatStillRunEndWithIt)
{
    write("prog.c", R"(
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static volatile long turns[4];
static void *work(void *turn)
{
    for (;;) {
        ++*(volatile long *)turn;
        free(malloc(50));
    }
    return NULL;
}
int main(void)
{
    for (int i = 0; i < 4; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, work, (void *)&turns[i]) != 0)
            return 1;
    }
    usleep(100);
    exit(3);
}
)");
    ASSERT_EQ(0, sh("hubcc -Wall -Werror prog.c -o prog -pthread")) << errors;
    for (int i = 0; i < 2; i++)
        ASSERT_EQ(3, sh("hubrun -n 4 -m ring4 ./prog")) << errors;
}

TEST_F(Programs, AThreadOfAProgramLeavesTheRanksSignalsAlone)
{
    write("prog.c", R"(
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static void seen(int sig)
{
    printf("signal %d\n", sig);
}
static void *work(void *arg)
{
    struct itimerval left;
    sigset_t set;
    int sig;

    sigfillset(&set);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0 || time(NULL) < 1000000 || usleep(1) != 0 ||
        sleep(0) != 0 || alarm(7) != 0 || getitimer(ITIMER_REAL, &left) != -1 || errno != ENOSYS)
        return arg;
    errno = 0;
    if (kill(getpid(), SIGTERM) != -1 || raise(SIGTERM) != -1 || kill(0, SIGTERM) != -1 ||
        pause() != -1 || errno != ENOSYS)
        return arg;
    return sigwait(&set, &sig) == ENOSYS ? NULL : arg;
}
int main(void)
{
    void *failed = NULL;
    pthread_t thread;

    signal(SIGALRM, seen);
    if (pthread_create(&thread, NULL, work, "failed") != 0 || pthread_join(thread, &failed) != 0 ||
        failed != NULL)
        return 1;
    alarm(1);
    printf("%u left\n", sleep(3));
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc -Wall -Werror prog.c -o prog -pthread")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 1 -m one-node ./prog")) << errors;
    EXPECT_EQ("signal 14\n2 left\n", out);
}

TEST_F(Programs, ConstructorsAndDestructorsHaveSignalsAndAClockThatStands)
{
    write("prog.c", R"(
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
__attribute__((constructor)) static void begins(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGTERM, SIG_IGN);
    alarm(1);
    printf("%ld %u\n", (long)time(NULL), sleep(1));
}
__attribute__((destructor)) static void ends(void)
{
    time(NULL);
    sleep(1);
    raise(SIGTERM);
}
int main(void)
{
    raise(SIGTERM);
    return sleep(3);
}
)");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 1 -m one-node ./prog")) << errors;
    EXPECT_EQ("0 0\n", out);
}

TEST_F(Programs, AThreadOfAProgramMayEndIt)
{
    write("prog.c", R"(
#include <pthread.h>
#include <stdlib.h>
static void *work(void *how)
{
    if (how == NULL)
        abort();
    exit(5);
}
int main(int argc, char **argv)
{
    pthread_t thread;

    return pthread_create(&thread, NULL, work, argc > 1 ? argv[1] : NULL) ||
           pthread_join(thread, NULL);
}
)");
    ASSERT_EQ(0, sh("hubcc -w prog.c -o prog -pthread")) << errors;
    EXPECT_EQ(134, sh("hubrun -q -n 2 ./prog"));
    EXPECT_EQ("ended by a thread that the program started, or while it was loaded\n", errors);
    EXPECT_EQ(5, sh("hubrun -q -n 2 ./prog exit")) << errors;
}

TEST_F(Programs, AbortEndsAllRanksWithItsStatus)
{
    write("prog.c", R"(
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        printf("before");
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (rank == 0)
        for (;;)
            MPI_Wtime();
    MPI_Recv(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(3, sh("hubrun --label -n 3 --mpi net -m ring4 ./prog"));
    EXPECT_EQ("1: before\n", out);
    EXPECT_EQ(0u, errors.find("1: rank 1 on node 1 at ")) << errors;
    EXPECT_TRUE(
        std::regex_search(errors, std::regex(": MPI_Abort at prog\\+0x[0-9a-f]+: exit code 3\n"
                                             "hubrun: rank 1 ended all 3 ranks with status 3 at ")))
        << errors;
}

/* A shell would take 256 for 0. */
TEST_F(Programs, AStatusThatAShellCannotSeeIsSaid)
{
    write("prog.c", R"(
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    if (argc == 2)
        return atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Abort(MPI_COMM_WORLD, atoi(argv[1]));
}
)");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(255, sh("hubrun -n 1 ./prog 255"));
    EXPECT_TRUE(begins(errors, "hubrun: rank 0 ended with status 255 at ")) << errors;
    EXPECT_EQ(1, sh("hubrun -n 1 ./prog 256"));
    EXPECT_TRUE(begins(errors, "hubrun: rank 0 ended with status 256 (that of hubrun is 1) at "))
        << errors;
    EXPECT_EQ(2, sh("hubrun -n 1 ./prog 258"));
    EXPECT_TRUE(begins(errors, "hubrun: rank 0 ended with status 258 (that of hubrun is 2) at "))
        << errors;
    EXPECT_EQ(255, sh("hubrun -n 1 ./prog -1"));
    EXPECT_TRUE(has(errors, "status -1 (that of hubrun is 255) at ")) << errors;
    EXPECT_EQ(1, sh("hubrun -n 1 --mpi net ./prog 256 abort"));
    EXPECT_TRUE(has(errors, "\nhubrun: rank 0 ended all 1 rank with status 256 (that of hubrun is "
                            "1) at "))
        << errors;
}

} // namespace
