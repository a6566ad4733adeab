/* Output that cannot be written: who learns of it, and how the run ends. */
#include "tests/tools/hubcc/programs.h"

namespace
{

TEST_F(Programs, OutputThatNobodyTakesIsAFailure)
{
    write("prog.c", "#include <stdio.h>\n"
                    "int main(int argc, char **argv) {\n"
                    "    fprintf(argc > 1 ? stderr : stdout, \"a line\\n\");\n"
                    "    return argc > 2 ? 3 : 0;\n"
                    "}\n");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(1, sh("hubrun -q -n 2 ./prog >/dev/full"));
    EXPECT_EQ("hubrun: stdout: No space left on device\n", errors);
    EXPECT_EQ(1, sh("hubrun -q -n 2 ./prog >&-"));
    EXPECT_EQ("hubrun: stdout: Bad file descriptor\n", errors);
    EXPECT_EQ(1, sh("hubrun -q -n 2 ./prog to-stderr 2>/dev/full"));
    EXPECT_EQ(3, sh("hubrun -q -n 2 ./prog to-stderr and-fail 2>/dev/full"));
    EXPECT_EQ(1, sh("./prog >/dev/full"));
    EXPECT_EQ(1, sh("hubrun --help >/dev/full"));
    EXPECT_EQ(0, sh("hubrun -q -n 2 ./prog to-stderr >/dev/full"));
}

/* As `| head -1` does: the run ends there, and does not go on for minutes. */
TEST_F(Programs, OutputThatNobodyReadsAnyMoreEndsTheRunQuietly)
{
    write("prog.c", "#include <stdio.h>\n"
                    "#include <unistd.h>\n"
                    "int main(void) {\n"
                    "    for (;;) {\n"
                    "        printf(\"a line\\n\");\n"
                    "        usleep(1);\n"
                    "    }\n"
                    "}\n");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("{ (trap '' PIPE; timeout 20 hubrun -n 2 ./prog); echo $? >status; } | "
                    "head -1"));
    EXPECT_EQ("a line\n", out);
    EXPECT_EQ("141\n", text("status"));
    EXPECT_EQ("", errors);
}

/* What a rank prints is handed on some time later, so the first line is taken. */
TEST_F(Programs, ARankSeesThatItsOutputFails)
{
    write("prog.c", "#include <errno.h>\n"
                    "#include <stdio.h>\n"
                    "#include <string.h>\n"
                    "#include <unistd.h>\n"
                    "int main(void) {\n"
                    "    printf(\"first\\n\");\n"
                    "    sleep(1);\n"
                    "    if (printf(\"second\\n\") < 0 || fflush(stdout) != 0)\n"
                    "        fprintf(stderr, \"printf: %s\\n\", strerror(errno));\n"
                    "    if (write(1, \"third\\n\", 6) < 0)\n"
                    "        perror(\"write\");\n"
                    "    return 0;\n"
                    "}\n");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(1, sh("hubrun -q -n 1 ./prog >/dev/full"));
    EXPECT_EQ("printf: No space left on device\nwrite: No space left on device\n"
              "hubrun: stdout: No space left on device\n",
              errors);
}

TEST_F(Programs, ARankMayCloseItsStreams)
{
    write("prog.c", "#include <stdio.h>\n"
                    "int main(void)\n"
                    "{\n"
                    "    FILE *file = fopen(\"file\", \"w\");\n"
                    "    fputs(\"text\", file);\n"
                    "    printf(\"a line\\n\");\n"
                    "    return fclose(stdin) | fclose(stdout) | fclose(stderr) | fclose(file);\n"
                    "}\n");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 2 ./prog && cat file")) << errors;
    EXPECT_EQ("a line\na line\ntext", out);
    EXPECT_EQ(1, sh("hubrun -q -n 2 ./prog >/dev/full"));
}

/* Its destructors run when it is unloaded, however its rank has ended. */
TEST_F(Programs, APrintingDestructorDoesNoHarm)
{
    write("prog.c", "#include <mpi.h>\n"
                    "#include <stdio.h>\n"
                    "#include <stdlib.h>\n"
                    "#include <unistd.h>\n"
                    "static char buffer[4096];\n"
                    "__attribute__((destructor)) static void bye(void)\n"
                    "{\n"
                    "    printf(\"destructor\\n\");\n"
                    "    fflush(stdout);\n"
                    "    (void)!write(1, \"destructor\\n\", 11);\n"
                    "}\n"
                    "int main(int argc, char **argv)\n"
                    "{\n"
                    "    int rank;\n"
                    "    setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));\n"
                    "    MPI_Init(&argc, &argv);\n"
                    "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                    "    printf(\"main\\n\");\n"
                    "    if (rank == 1 && argc > 1)\n"
                    "        alarm(1), sleep(9);\n"
                    "    sleep(3);\n"
                    "    MPI_Abort(MPI_COMM_WORLD, 2);\n"
                    "}\n");
    ASSERT_EQ(0, sh("hubcc -w prog.c -o prog")) << errors;
    for (const char *how : { "", " alarm" }) {
        EXPECT_EQ(2, sh(std::string("hubrun -q -n 2 ./prog") + how)) << errors;
        EXPECT_EQ("main\nmain\n", out) << how;
    }
}

TEST_F(Programs, FilesThatCannotBeWrittenAreNamed)
{
    write("prog.c", "#include <mpi.h>\n"
                    "int main(int argc, char **argv) {\n"
                    "    MPI_Init(&argc, &argv);\n"
                    "    return MPI_Finalize();\n"
                    "}\n");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    for (const char *option : { "--profile", "--timeline", "--pcap" }) {
        EXPECT_EQ(1, sh(std::string("hubrun -q -n 2 ") + option + "=/dev/full ./prog"));
        EXPECT_TRUE(has(errors, "hubrun: /dev/full: ")) << option << errors;
        EXPECT_TRUE(has(errors, "No space left on device\n")) << option << errors;
        EXPECT_EQ(1, sh(std::string("hubrun -q -n 2 ") + option + "=. ./prog"));
        EXPECT_TRUE(has(errors, "hubrun: .: Is a directory")) << option << errors;
        expect_no_empty_word(std::string(option) + "=");
    }
    ASSERT_EQ(0, sh("mkdir -p kept/prog && ln -s /dev/full kept/prog/statistics.json"));
    EXPECT_EQ(1, sh("hubrun -q -n 2 --out kept ./prog"));
    EXPECT_EQ("hubrun: kept/prog/statistics.json: could not be written in full: "
              "No space left on device\n",
              errors);
}

TEST_F(Programs, FilesMayNotGrowBeyondTheLimitOfTheShell)
{
    write("prog.c", "#include <mpi.h>\n"
                    "int main(int argc, char **argv) {\n"
                    "    MPI_Init(&argc, &argv);\n"
                    "    for (int i = 0; i < 2000; i++)\n"
                    "        MPI_Barrier(MPI_COMM_WORLD);\n"
                    "    return MPI_Finalize();\n"
                    "}\n");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    for (const char *option : { "--timeline", "--pcap" }) {
        EXPECT_EQ(1, sh(std::string("(ulimit -f 512; hubrun -q -n 2 ") + option + " x ./prog)"));
        EXPECT_EQ("hubrun: x: writing failed: File too large\n", errors) << option;
    }
    EXPECT_EQ(1, sh("(ulimit -f 1; hubrun -q -n 2 ./prog)")); /* a copy for each rank */
    EXPECT_EQ("hubrun: ./prog: copy of the program: File too large\n", errors);
    EXPECT_EQ(1, sh("(ulimit -f 1; hubsim params two-node >x)"));
    EXPECT_EQ("hubsim: standard output: could not be written in full: File too large\n", errors);
}

TEST_F(Programs, LinesForAClosedStreamAreInNoFile)
{
    write("prog.c", "#include <stdio.h>\n"
                    "int main(void) { return printf(\"a line\\n\") < 0; }\n");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(1, sh("hubrun -q -n 2 --pcap x ./prog >&-"));
    EXPECT_EQ("hubrun: stdout: Bad file descriptor\n", errors);
    EXPECT_EQ(1, sh("grep 'a line' x")) << out;
}

/* Its other end may never be opened. */
TEST_F(Programs, FifosAreRefusedAtOnce)
{
    write("prog.c", "#include <mpi.h>\n"
                    "int main(int argc, char **argv) {\n"
                    "    MPI_Init(&argc, &argv);\n"
                    "    return MPI_Finalize();\n"
                    "}\n");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog && mkfifo ff")) << errors;
    for (const char *arguments :
         { "./ff", "-m ./ff ./prog", "--faults ./ff ./prog", "--platform ./ff ./prog",
           "--mpi net,library=./ff ./prog", "--pcap ff ./prog", "--timeline ff ./prog",
           "--waves ff ./prog", "--profile=ff ./prog" }) {
        EXPECT_EQ(1, sh(std::string("timeout 10 hubrun -q -n 2 ") + arguments)) << arguments;
        EXPECT_TRUE(has(errors, "ff: ")) << arguments << errors;
    }
    EXPECT_EQ(0, sh("cat ff >copy & timeout 10 hubrun -q -n 2 --pcap=/dev/stdout ./prog >ff; wait;"
                    "test -s copy"))
        << errors;
}

/* By device and inode, before the program or the machine's file is emptied. */
TEST_F(Programs, OutputsSpareWhatTheRunReadsAndEachOther)
{
    const struct {
        const char *arguments, *line;
    } cases[] = {
        { "--timeline ./prog ./prog", "--timeline ./prog: the same file as the program ./prog" },
        { "--pcap link ./prog", "--pcap link: the same file as the program ./prog" },
        { "--profile=link ./prog", "--profile link: the same file as the program ./prog" },
        { "--pcap m.yaml -m m.yaml ./prog", "--pcap m.yaml: the same file as -m m.yaml" },
        { "--pcap f.yaml --faults f.yaml ./prog",
          "--pcap f.yaml: the same file as --faults f.yaml" },
        { "--pcap cables -m m.yaml ./prog",
          "--pcap cables: the same file as the machine's cables" },
        { "--pcap same --timeline ./same ./prog",
          "--timeline ./same: the same file as --pcap same" },
        { "--pcap x.matrix.csv --profile=x.csv ./prog",
          "--pcap x.matrix.csv: the same file as --profile x.matrix.csv" },
    };

    write("prog.c", "int main(void) { return 0; }\n");
    write("cables", "0 1 1000\n");
    write("m.yaml", "platform: hapacs-tca\nnodes: 2\nedges: cables\n");
    write("f.yaml", "faults: []\n");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog && ln prog link && cp -r . ../$(basename $PWD).kept"))
        << errors;
    for (const auto &c : cases) {
        EXPECT_EQ(1, sh(std::string("hubrun -q -n 2 ") + c.arguments)) << c.arguments;
        EXPECT_TRUE(has(errors, c.line)) << c.arguments << ": " << errors;
        EXPECT_EQ(0, sh("diff -r -x stderr . ../$(basename $PWD).kept")) << c.arguments << out;
    }
    EXPECT_EQ(1, sh("hubrun -q -n 2 --timeline ./none ./none; test ! -e none && exit 1"));
    EXPECT_EQ("hubrun: ./none: cannot read the program: No such file or directory\n", errors);
    EXPECT_EQ(0, sh("hubrun -q -n 2 --timeline /dev/null --pcap /dev/null ./prog")) << errors;
    EXPECT_EQ(0, sh("rm -r ../$(basename $PWD).kept"));
}

} // namespace
