/* hubrun on several processes, which mpirun starts: the bytes of one. */
#include "tests/tools/hubcc/programs.h"

namespace
{

const std::string exchange = R"(#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static char bytes[20000];
    double mine, sum;
    int rank, n;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 1; i < 8; i++) {
        mine = rank * i;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Sendrecv_replace(bytes, 2500 * i, MPI_CHAR, (rank + i) % n, 1, (rank + n - i) % n, 1,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("rank %d: %g at %.3f us\n", rank, sum, MPI_Wtime() * 1e6);
    }
    if (argc > 1 && atoi(argv[1]) == rank)
        exit(3);
    if (argc > 2 && atoi(argv[2]) == rank)
        MPI_Recv(bytes, 1, MPI_CHAR, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (argc > 3 && atoi(argv[3]) == rank)
        MPI_Abort(MPI_COMM_WORLD, 9);
    MPI_Finalize();
    return 0;
}
)";

class Processes : public Programs
{
  protected:
    void SetUp() override
    {
        Programs::SetUp();
        if (sh("command -v mpirun && test -e " + test::BIN + "/../lib/hubsim/hubsim_parallel.so") !=
            0)
            GTEST_SKIP() << "Open MPI is not installed";
        write("prog.c", exchange);
        ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    }

    /** hubrun on so many processes, which may be more than there are processors. */
    static std::string on(unsigned processes)
    {
        return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
               "timeout 200 mpirun --oversubscribe -n " +
               std::to_string(processes) + " hubrun ";
    }

    void expect_same(const std::string &words)
    {
        const int status = sh("hubrun " + words);
        const std::string lines = out, said = errors;

        ASSERT_NE(lines, "") << said;
        for (unsigned p = 2; p <= 4; p++) {
            EXPECT_EQ(status, sh(on(p) + words)) << p << " processes: " << errors;
            EXPECT_EQ(lines, out) << p << " processes";
            EXPECT_TRUE(begins(errors, said))
                << p << " processes: " << errors << "\nalone: " << said;
        }
    }
};

TEST_F(Processes, HaveTheLinesAndFingerprintsOfOne)
{
    expect_same("-m ring8 --fingerprint ./prog");
    expect_same("-m torus16 --fingerprint --mpi peach2 --profile ./prog");
    expect_same("-m subcluster16 -n 32 --mpi ib --fingerprint ./prog");
    expect_same("-m ring8 -n 5 --mpi net --fingerprint ./prog");
    expect_same("-m mbcf-switch16 --mpi mbcf --fingerprint ./prog");
}

TEST_F(Processes, EndAsOneDoes)
{
    expect_same("-m ring8 ./prog 6");
    expect_same("-m ring8 ./prog -1 -1 5");
    expect_same("-m ring8 --max-time 500us ./prog");
}

TEST_F(Processes, TellOfAStandstill)
{
    EXPECT_EQ(1, sh(on(2) + "-m ring8 ./prog -1 5")) << errors;
    EXPECT_TRUE(has(errors, "nothing is left that could happen")) << errors;
    EXPECT_TRUE(has(errors, "rank 5 on node 5")) << errors;
}

TEST_F(Processes, OneThatIsKilledEndsAll)
{
    write("forever.c", "#include <mpi.h>\nint main(int c, char **v)\n{\n    MPI_Init(&c, &v);\n"
                       "    for (;;)\n        MPI_Barrier(MPI_COMM_WORLD);\n}\n");
    ASSERT_EQ(0, sh("hubcc forever.c -o forever")) << errors;
    /* 124: it went on until its time was over */
    const int status =
        sh("{ sleep 2; pkill -KILL -n -f 'hubrun.*forever'; } & " + on(2) + "-m ring8 ./forever");

    EXPECT_NE(0, status) << errors;
    EXPECT_NE(124, status) << errors;
}

TEST_F(Processes, OnesWithOtherInputsAreRefused)
{
    const std::string both = on(1) + "-m ring8 ./prog : -n 1 hubrun ";

    EXPECT_NE(0, sh(both + "-m ring4 -n 8 --place 4x2 ./prog"));
    EXPECT_TRUE(has(errors, "different machines, seeds or builds: expected the same")) << errors;
    EXPECT_NE(0, sh(both + "-m ring8 ./prog 3"));
    EXPECT_TRUE(has(errors, "different programs, arguments or options: expected the same"))
        << errors;
    EXPECT_NE(0, sh(both + "-m ring8 --seed 2 ./prog"));
    EXPECT_TRUE(has(errors, "different machines, seeds or builds: expected the same")) << errors;
}

TEST_F(Processes, WhatNeedsAllNodesInOneSaysSo)
{
    EXPECT_NE(0, sh(on(2) + "-m ring8 --timeline t.json ./prog"));
    EXPECT_TRUE(has(errors, "--timeline and the like: expected one process")) << errors;
    EXPECT_NE(0, sh(on(2) + "-m ring8 --check races ./prog"));
    EXPECT_TRUE(has(errors, "--check races: expected one process")) << errors;
}

} // namespace
