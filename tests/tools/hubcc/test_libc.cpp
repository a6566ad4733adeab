/* What a rank has of its own, though libc has it once for a process; and other libraries. */
#include "tests/tools/hubcc/programs.h"

namespace
{

TEST_F(Programs, TextsDatesAndNamesAreEachRanksOwn)
{
    write("prog.c", R"(
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char name[64];
    const char *text, *date;
    struct tm *tm;
    time_t when;
    clock_t t;
    int r;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    when = 86400 * (365 * r + 10);
    tm = gmtime(&when);
    text = strerror(r == 0 ? ENOENT : EACCES);
    date = ctime(&when);
    MPI_Barrier(MPI_COMM_WORLD); /* the others do the same */
    gethostname(name, sizeof(name));
    printf("%d %s %s %d %s\n", tm->tm_year, text, strchr(date, '1') != NULL ? "date" : "", getpid(),
           name);
    MPI_Barrier(MPI_COMM_WORLD);
    dprintf(1, "direct %d\n", r);
    if (write(1, "raw\n", 4) != 4)
        return 1;
    t = clock();
    select(0, NULL, NULL, NULL, &(struct timeval){ 0, 250000 });
    poll(NULL, 0, 250);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ 0, 500000000 }, NULL);
    printf("%.1f\n", (double)(clock() - t) / CLOCKS_PER_SEC);
    if (fork() != -1 || errno != ENOSYS) /* a child would go on with the whole machine */
        _exit(1);
    printf("%s of %s, %s of %s\n", getenv("PMI_RANK"), getenv("OMPI_COMM_WORLD_SIZE"),
           getenv("MV2_COMM_WORLD_LOCAL_RANK"), getenv("MPI_LOCALNRANKS"));
    MPI_Finalize();
    return 0;
}
)");
    for (const char *how : { "-O0", "-O2 -D_FORTIFY_SOURCE=2" }) {
        ASSERT_EQ(0, sh(std::string("hubcc ") + how + " prog.c -o prog")) << errors;
        EXPECT_EQ(0, sh("hubrun -q --label -n 2 --mpi net ./prog")) << errors;
        EXPECT_EQ("0: 70 No such file or directory date 1000 node0\n"
                  "1: 71 Permission denied date 1001 node1\n"
                  "0: direct 0\n0: raw\n1: direct 1\n1: raw\n0: 1.0\n0: 0 of 2, 0 of 1\n"
                  "1: 1.0\n1: 1 of 2, 0 of 1\n",
                  out);
    }
    EXPECT_EQ(0, sh("hubrun -q --label -n 2 --mpi net -m one-node ./prog")) << errors;
    EXPECT_NE(std::string::npos, out.find("1: 1 of 2, 1 of 2\n")) << out;
}

TEST_F(Programs, TheEnvironmentIsEachRanksOwn)
{
    write("prog.c", R"(
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define OF(name) (getenv(name) != NULL ? getenv(name) : "none")
int main(int argc, char **argv)
{
    static char text[32] = "PUT=first";
    int r;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    setenv("SET", r == 0 ? "zero" : "one", 1);
    setenv("SET", "kept as it was", 0);
    setenv("SHELL_S", "kept as it was", 0);
    if (r == 0)
        unsetenv("GONE");
    putenv(text);
    strcpy(text, "PUT=second"); /* which is part of the environment */
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%s %s %s %s", OF("SET"), OF("SHELL_S"), OF("GONE"), OF("PUT"));
    putenv("PUT");
    if (setenv("A=B", "", 1) != -1 || errno != EINVAL || unsetenv("") != -1)
        return 1;
    clearenv();
    setenv("LEFT", "", 1);
    printf(" %s %s %s [%s] %s\n", OF("PUT"), OF("SET"), OF("GONE"), OF("LEFT"), OF("PMI_RANK"));
    MPI_Finalize();
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc -Wall -Werror prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("SHELL_S=shell GONE=there hubrun -q -n 2 --mpi net ./prog")) << errors;
    EXPECT_EQ("zero shell none second none none none [] 0\n"
              "one shell there second none none none [] 1\n",
              out);
}

TEST_F(Programs, OptionsAreTakenApartAsByGlibc)
{
    ASSERT_EQ(0, sh("gcc " PROGRAMS "/options.c -o native && hubcc " PROGRAMS "/options.c -o prog"))
        << errors;
    ASSERT_EQ(0, sh("./native"));
    std::string native = out;
    ASSERT_EQ(0, sh("hubrun -q -n 1 -m one-node ./prog")) << errors;
    EXPECT_EQ(native, out);
    EXPECT_LT(5000u, out.size());
}

TEST_F(Programs, AnAuthorsOwnTcaLibraryTakesThePlaceOfOurs)
{
    ASSERT_EQ(0, sh("mkdir own"));
    write("own/tca-api.h", "#include <stdint.h>\nint tcaInit(void);\n"
                           "void tcaPutWord(uint64_t offset, uint64_t value);\n");
    write("own/tca.c", R"(
#include "hosts/host/host.h"
#include "hosts/driver/driver.h"
#include "tca-api.h"
int tcaInit(void)
{
    struct driver *d = driver_of(host_self());

    return d != NULL && d->has_hub ? 40 + (int)d->slot : -1;
}
void tcaPutWord(uint64_t offset, uint64_t value)
{
    struct host *h = host_self();
    struct driver *d = driver_of(h);
    uint64_t at = driver_window(d, !d->slot, 0, offset) - d->window_bus;

    h->bus->store(h, &d->window, at, &value, sizeof(value));
    h->bus->fence(h);
}
)");
    write("main.c", R"(
#include <mpi.h>
#include <peach2.h>
#include <stdio.h>
#include <tca-api.h>
int main(int argc, char **argv)
{
    struct peach2_buffer own, far;
    volatile uint64_t *word;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peach2_open();
    peach2_alloc(PEACH2_IN_HOST, 4096, &own);
    MPI_Sendrecv(&own, sizeof(own), MPI_BYTE, !rank, 0, &far, sizeof(far), MPI_BYTE, !rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    word = peach2_pointer(&own);
    printf("%d\n", tcaInit());
    tcaPutWord(far.offset, 99);
    while (*word != 99)
        ;
    MPI_Finalize();
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc --no-tca -Iown -O2 -c own/tca.c -o own/tca.o && "
                    "ar rcs own/libtca.a own/tca.o && "
                    "hubcc --no-tca -O2 -Iown main.c -o prog -Lown -ltca"))
        << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 2 ./prog")) << errors;
    EXPECT_EQ("40\n41\n", out);
    EXPECT_NE(0, sh("hubcc --no-tca -O2 -Iown main.c -o bare"));
    EXPECT_NE(std::string::npos, errors.find("undefined reference to `tcaInit'")) << errors;
}

TEST_F(Programs, ComputingTakesTimeOnlyWhereItIsAskedFor)
{
    write("prog.c", R"(
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    volatile double sum = 0;
    double t;

    MPI_Init(&argc, &argv);
    t = MPI_Wtime();
    for (int i = 1; i < 1000000; i++)
        sum += 1.0 / i;
    printf("%.0f\n", (MPI_Wtime() - t) * 1e6);
    MPI_Finalize();
    return 0;
}
)");
    const std::string run = "hubrun -q -n 1 -m one-node --compute ";

    ASSERT_EQ(0, sh("hubcc -O2 prog.c -o plain && hubcc -O2 --count prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 1 -m one-node ./prog")) << errors;
    EXPECT_EQ("0\n", out);
    EXPECT_EQ(0, sh(run + "counted ./prog")) << errors;
    EXPECT_EQ("1000\n", out); /* one block each turn, a nanosecond each */
    EXPECT_EQ(0, sh(run + "counted --block-time 500ps ./prog")) << errors;
    EXPECT_EQ("500\n", out);
    EXPECT_EQ(0, sh(run + "measured ./plain")) << errors;
    EXPECT_LT(100, std::stod(out));
    EXPECT_EQ(1, sh(run + "counted ./plain"));
    EXPECT_EQ("hubrun: ./plain: no block was counted: expected a program made by hubcc --count\n",
              errors);
    EXPECT_EQ(2, sh(run + "often ./plain"));
    EXPECT_EQ(0u, errors.find("hubrun: --compute often: expected none, measured or counted"));
}

/* docs/programs.md, "Programs that plan by a rehearsal" */
TEST_F(Programs, ARehearsalPlansWellWhereComputingTakesTime)
{
    auto number_behind = [this](const std::string &text) {
        size_t at = out.find(text);

        return at != std::string::npos ? std::stod(out.substr(at + text.size())) : -1;
    };

    ASSERT_EQ(0, sh("hubcc -O2 --count " PROGRAMS "/../../../../examples/rehearsal.c -o plan"))
        << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 2 --mpi peach2 ./plan 60 0")) << errors;
    EXPECT_LT(1e6, number_behind("planned: ")) << out;
    EXPECT_EQ(0, sh("hubrun -q -n 2 --mpi peach2 --compute counted ./plan 0.005")) << errors;
    EXPECT_LT(10, number_behind("loops=")) << out;
    EXPECT_NEAR(5000, number_behind("us="), 500) << out;
}

TEST_F(Programs, TheDebuggerFindsFunctionsLinesAndGlobalsOfEachRank)
{
    if (sh("command -v gdb") != 0)
        GTEST_SKIP() << "gdb is not installed";
    write("prog.c", "#include <mpi.h>\n"
                    "static int me, state = 5;\n"
                    "static void count_to(int n)\n"
                    "{\n"
                    "    state += n;\n"
                    "}\n"
                    "int main(int argc, char **argv)\n"
                    "{\n"
                    "    MPI_Init(&argc, &argv);\n"
                    "    MPI_Comm_rank(MPI_COMM_WORLD, &me);\n"
                    "    count_to(10 * (me + 1));\n"
                    "    count_to(1);\n"
                    "    MPI_Finalize();\n"
                    "    return 0;\n"
                    "}\n");
    write("commands", "set breakpoint pending on\nbreak count_to\nbreak prog.c:13 if me == 1\nrun\n"
                      "backtrace 2\ncontinue\nprint me\ndelete 1\ncontinue\nprint me\n"
                      "print state\ninfo sharedlibrary\nkill\n");
    ASSERT_EQ(0, sh("hubcc -g -O0 prog.c -o prog")) << errors;
    if (sh("gdb -batch -nx -ex run --args /bin/true") != 0 || out.find("exited") == out.npos)
        GTEST_SKIP() << "gdb cannot run a program here";
    sh("gdb -batch -nx -x commands --args $(command -v hubrun) -n 2 --mpi net ./prog");
    EXPECT_NE(std::string::npos, out.find("#0  count_to (n=10) at prog.c:5\n#1  "))
        << out << errors;
    EXPECT_NE(std::string::npos, out.find(" in main (argc=1, argv=")) << out;
    EXPECT_NE(std::string::npos, out.find("$1 = 0\n")) << out;
    EXPECT_NE(std::string::npos, out.find("main (argc=1, argv=0x")) << out;
    EXPECT_NE(std::string::npos, out.find("$2 = 1\n$3 = 26\n")) << out;
    EXPECT_NE(std::string::npos, out.find("/fd/")) << out;
}

} // namespace
