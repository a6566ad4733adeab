/* hubrun --out: the result of a program of one's own, checked as a test of a library would do it.
 */
#include "programs.h"

namespace
{

const char *const program = "#include <mpi.h>\n"
                            "#include <stdio.h>\n"
                            "int main(int argc, char **argv) {\n"
                            "    int rank;\n"
                            "    double start;\n"
                            "    MPI_Init(&argc, &argv);\n"
                            "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                            "    start = MPI_Wtime();\n"
                            "    for (int i = 0; i < ROUNDS; i++) MPI_Barrier(MPI_COMM_WORLD);\n"
                            "    printf(\"result us=%.3f\\n\", 1e6 * (MPI_Wtime() - start));\n"
                            "    if (rank == 1) { puts(\"result us=7\"); }\n"
                            "    MPI_Finalize();\n"
                            "    return rank == 1 ? 3 : 0;\n"
                            "}\n";

TEST_F(Programs, ARowForEachResultThatARankPrints)
{
    write("p.c", program);
    ASSERT_EQ(0, sh("hubcc -O2 -DROUNDS=4 p.c -o p")) << errors;
    ASSERT_EQ(3, sh("hubrun -n 2 --out kept ./p")) << errors; /* a failing rank is a result */
    std::string table = text("kept/p/table.csv");
    EXPECT_EQ(0u, table.find("rank,result,node,end_us,status,lines,output,us\n0,0,0,")) << table;
    EXPECT_NE(std::string::npos, table.find("\n1,0,1,")) << table;
    EXPECT_NE(std::string::npos, table.find("\n1,1,1,")) << table;
    EXPECT_NE(std::string::npos,
              text("kept/p/manifest.json")
                  .find("\"arguments\": [\"-n\", \"2\", \"-m\", \"two-node\", \"./p\"],"));
}

TEST_F(Programs, AChangedProgramIsFoundByTheCheck)
{
    write("p.c", program);
    ASSERT_EQ(0, sh("hubcc -O2 -DROUNDS=4 p.c -o p")) << errors;
    ASSERT_EQ(3, sh("hubrun -n 2 --out kept ./p")) << errors;
    EXPECT_EQ(0, sh("hubsim check kept/p")) << errors;
    EXPECT_EQ("p: races with its own loads and stores are not seen: expected a program made by "
              "hubcc --races\np: passed, 3 points: 3 equal\n",
              out);
    EXPECT_EQ(std::string::npos, out.find("another one")) << out;
    ASSERT_EQ(0, sh("hubcc -O2 -DROUNDS=5 p.c -o p")) << errors;
    EXPECT_EQ(1, sh("hubsim check kept/p --out now")) << errors;
    EXPECT_NE(std::string::npos,
              out.find("\np: the program is another one than the result was made by\n"))
        << out;
    EXPECT_EQ(1, sh("hubsim diff kept/p now/p")) << errors;
    EXPECT_EQ(0u, out.find("program: ")) << out;
    EXPECT_EQ(1, sh("hubsim check kept/p --csv")) << errors;
    EXPECT_NE(std::string::npos, out.find("p,rank 0,value,us,")) << out;
    EXPECT_EQ(1, sh("hubsim check kept/p --band 900%")) << errors;
    EXPECT_NE(std::string::npos, out.find("  value    output")) << out;
    EXPECT_EQ(0, sh("hubsim check kept/p --band 900% --band output=any")) << out;
    ASSERT_EQ(0, sh("rm p")) << errors;
    EXPECT_EQ(2, sh("hubsim check kept/p")) << errors;
    EXPECT_EQ(0u, errors.find("hubsim: kept/p: cannot be run again (status 1): ./p")) << errors;
    EXPECT_EQ(errors.size() - 1, errors.find('\n'));
}

/* Arguments make a run another one: each can have its own folder, and the check runs it so. */
TEST_F(Programs, RunsOfOneProgramHaveNamesOfTheirOwn)
{
    write("p.c", "#include <stdio.h>\nint main(int argc, char **argv) { puts(argv[argc - 1]); }\n");
    ASSERT_EQ(0, sh("hubcc p.c -o p")) << errors;
    ASSERT_EQ(0, sh("hubrun -q -n 1 --out kept ./p")) << errors;
    ASSERT_EQ(0, sh("hubrun -q -n 1 --out kept --name p64 ./p 64")) << errors;
    EXPECT_EQ(0, sh("hubsim check kept/* --out now")) << errors;
    EXPECT_NE(std::string::npos, out.find("\np64: passed, 1 point: 1 equal\n")) << out;
    EXPECT_EQ(0, sh("hubsim diff kept/p64 now/p64")) << out << errors;
    for (const char *name : { "a/b", "." }) {
        EXPECT_EQ(2, sh(std::string("hubrun --out kept --name ") + name + " ./p")) << errors;
        EXPECT_NE(std::string::npos, errors.find(": expected the name of a folder\n")) << errors;
    }
    EXPECT_EQ(2, sh("hubrun --name p64 ./p")) << errors;
    EXPECT_NE(std::string::npos, errors.find("--name p64: expected --out DIR, too\n")) << errors;
}

/* As mpirun and mpiexec set variables and the folder: a result holds what the ranks have met. */
TEST_F(Programs, VariablesAndTheFolderOfTheRanksAreKept)
{
    write("p.c", "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n"
                 "    FILE *f = fopen(\"here\", \"r\");\n"
                 "    printf(\"%s %s %s %s %d\\n\", getenv(\"A\"), getenv(\"B\"), getenv(\"C\"), "
                 "getenv(\"OMPI_MCA_d\"), f != NULL);\n    return 0;\n}\n");
    write("sub/here", "");
    ASSERT_EQ(0, sh("hubcc p.c -o p")) << errors;
    ASSERT_EQ(0, sh("hubrun -q -n 1 --out $PWD/kept -x A=1 -genv B '2 3' --mca d 4 -wdir sub C=5 "
                    "../p"))
        << errors;
    EXPECT_EQ("1 2 3 5 4 1\n", out);
    EXPECT_NE(std::string::npos,
              text("kept/p/manifest.json")
                  .find("\"-x\", \"A=1\", \"-genv\", \"B\", \"2 3\", \"--mca\", \"d\", \"4\", "
                        "\"-wdir\", \"sub\", \"-genv\", \"C\", \"5\", \"../p\"]"))
        << text("kept/p/manifest.json");
    EXPECT_EQ(0, sh("hubsim check kept/p")) << out << errors;
    EXPECT_EQ(0, sh("hubsim check kept/p --out now && hubsim diff kept/p now/p")) << out << errors;
}

/* A check may be run where the variable has another value, or none, or has one now. */
TEST_F(Programs, AnExportedVariableKeepsTheValueThatItHad)
{
    write("p.c", "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n"
                 "    puts(getenv(\"A\") != NULL ? getenv(\"A\") : \"none\");\n"
                 "    puts(getenv(\"B\") != NULL ? getenv(\"B\") : \"none\");\n    return 0;\n}\n");
    ASSERT_EQ(0, sh("hubcc p.c -o p")) << errors;
    ASSERT_EQ(0, sh("A='1 2' hubrun -q -n 1 --out kept -x A -x B ./p")) << errors;
    EXPECT_EQ("1 2\nnone\n", out);
    EXPECT_NE(std::string::npos,
              text("kept/p/manifest.json")
                  .find("\"-genv\", \"A\", \"1 2\", \"--unset\", \"B\", \"./p\"]"))
        << text("kept/p/manifest.json");
    EXPECT_EQ(0, sh("hubsim check kept/p")) << out << errors;
    EXPECT_EQ(0, sh("A=3 hubsim check kept/p")) << out << errors;
    EXPECT_EQ(0, sh("B=3 hubsim check kept/p")) << out << errors;
    EXPECT_EQ(2, sh("hubrun -n 1 -x '' ./p"));
}

TEST_F(Programs, AParameterWithoutRoomForItsNameIsRefused)
{
    const std::string key(247, 'k');

    EXPECT_EQ(2, sh("hubrun -n 1 --mca " + key + " 1 ./p"));
    EXPECT_EQ(0u, errors.find("hubrun: --mca " + key + ": expected a name of less than 247 bytes"))
        << errors;
    EXPECT_EQ(1, sh("hubrun -n 1 --mca " + key.substr(1) + " 1 ./p")) << "there is no program";
}

/* A check runs the program with the bytes that it was kept with. */
TEST_F(Programs, ArgumentsAreKeptToTheByte)
{
    write("p.c", "#include <stdio.h>\nint main(int argc, char **argv) {\n"
                 "    for (; argc > 1; argc--) puts(argv[argc - 1]);\n    return 0;\n}\n");
    ASSERT_EQ(0, sh("hubcc p.c -o p")) << errors;
    write("words", "'a\tb' 'nl\nx' '\x01\x1b' '\x7f' '\\u0009 \"' '\xc3\xa9\xf0\x9f\x98\x80' "
                   "'\xc2\x80' 'x\xc2\x85y' 'x\xe2\x80\xa8y' '\xef\xbb\xbfx' '\xef\xbf\xbf'");
    ASSERT_EQ(0, sh("eval hubrun -n 1 --out kept ./p \"$(cat words)\"")) << errors;
    const std::string before = out;
    EXPECT_NE(std::string::npos, before.find("a\tb\n")) << before;
    EXPECT_EQ(0, sh("hubsim check kept/p")) << out << errors;
    ASSERT_EQ(0, sh("hubrun -n 1 --out kept ./p 'a b'")) << errors;
    EXPECT_NE(std::string::npos,
              errors.find("replaces the result of `hubrun -n 1 -m two-node ./p $'a\\011b' "
                          "$'nl\\012x' $'\\001\\033' $'\\177' "))
        << errors;
    ASSERT_EQ(0, sh("hubrun -q -n 1 --out kept --name 'nl\nx' ./p 'a b'")) << errors;
    EXPECT_EQ(0, sh("hubsim check 'kept/nl\nx'")) << out << errors;
    EXPECT_EQ("nl x: passed, 1 point: 1 equal\n", out.substr(out.rfind("nl x:"))) << out;
}

TEST_F(Programs, AnArgumentThatAResultCannotHoldIsRefused)
{
    write("p.c", "int main(void) { return 0; }\n");
    ASSERT_EQ(0, sh("hubcc p.c -o p")) << errors;
    EXPECT_EQ(0, sh("hubrun -n 1 ./p 'a\xff'")) << errors;
    EXPECT_EQ(1, sh("hubrun -n 1 --out kept ./p 'a\xff'"));
    EXPECT_EQ("hubrun: \"a\xff\": a result cannot hold this argument: expected UTF-8\n", errors);
    EXPECT_EQ("", out);
}

TEST_F(Programs, MoreVariablesThanAResultHoldsAreRefused)
{
    std::string all;

    for (int i = 0; i < 65; i++)
        all += " -x A=" + std::to_string(i);
    EXPECT_EQ(2, sh("hubrun -n 1" + all + " ./p"));
    EXPECT_EQ(0u, errors.find("hubrun: -x A=64: expected at most 64 of -x, ")) << errors;
}

TEST_F(Programs, AResultOfAnotherCommandIsNotReplacedWithoutARemark)
{
    const std::string remark = "hubrun: kept/p: replaces the result of `hubrun -n 1 -m two-node "
                               "./p 'a b'`: --name NAME keeps both\n";

    write("p.c", "int main(void) { return 0; }\n");
    ASSERT_EQ(0, sh("hubcc p.c -o p")) << errors;
    ASSERT_EQ(0, sh("hubrun -n 1 --out kept ./p 'a b'")) << errors;
    EXPECT_EQ(std::string::npos, errors.find("replaces")) << errors;
    ASSERT_EQ(0, sh("hubrun -n 1 --out kept ./p 'a b'")) << errors;
    EXPECT_EQ(std::string::npos, errors.find("replaces")) << errors;
    ASSERT_EQ(0, sh("hubrun -n 1 --out kept ./p")) << errors;
    EXPECT_NE(std::string::npos, errors.find(remark)) << errors;
    write("kept/p/manifest.json", "{}"); /* of an unknown command */
    ASSERT_EQ(0, sh("hubrun -n 1 --out kept ./p 7")) << errors;
    EXPECT_EQ(std::string::npos, errors.find("replaces")) << errors;
    ASSERT_EQ(0, sh("hubrun -q -n 1 --out kept ./p 8")) << errors;
    EXPECT_EQ("", errors);
}

/* A run may take hours. */
TEST_F(Programs, AFolderThatCannotBeWrittenIsRefusedBeforeTheRun)
{
    write("p.c", "#include <stdio.h>\nint main(void) { puts(\"ran\"); return 0; }\n");
    write("file", "");
    ASSERT_EQ(0, sh("hubcc p.c -o p")) << errors;
    EXPECT_EQ(1, sh("hubrun -n 1 --out /proc/x ./p"));
    EXPECT_EQ("", out);
    EXPECT_EQ(0u, errors.find("hubrun: /proc/x: ")) << errors;
    EXPECT_EQ(1, sh("hubrun -n 1 --out file ./p"));
    EXPECT_EQ("", out);
    EXPECT_EQ("hubrun: file/p: Not a directory: expected a folder to write to\n", errors);
}

/* The library alone shows no mistake of it, and nothing of the run is different. */
const char *const early = R"(#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    static int n[1024];
    MPI_Request request;
    int rank, early = argc > 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(n, 1024, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Irecv(n, 1024, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        if (!early) MPI_Wait(&request, MPI_STATUS_IGNORE);
        printf("%d\n", n[7]);
        if (early) MPI_Wait(&request, MPI_STATUS_IGNORE);
#ifdef STALLS
        MPI_Recv(n, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    }
    MPI_Finalize();
    return 0;
}
)";

TEST_F(Programs, ARaceFailsTheCheckWithBothPlaces)
{
    write("early.c", early);
    ASSERT_EQ(0, sh("hubcc --races -O2 early.c -o early")) << errors;
    ASSERT_EQ(0, sh("hubrun -n 2 --out kept ./early early")) << errors;
    EXPECT_EQ(1, sh("hubsim check kept/early --junit junit.xml --out now")) << errors;
    EXPECT_EQ(0u, out.find("early: rank 1 on node 1 at ")) << out;
    size_t use = out.find(": loads 4 bytes at 0x"), place = out.find(" at early+0x", use);
    EXPECT_NE(std::string::npos, out.find(", which MPI_Irecv of rank 1 at early+0x", place)) << out;
    EXPECT_NE(std::string::npos,
              out.find("\nearly: the program uses memory while a transfer does: --no-races does "
                       "not look for that\nearly: RACES, 1 race, 2 points: 2 equal\n"))
        << out;
    EXPECT_EQ(0, sh("xmllint --noout --schema " PROGRAMS "/../../cmd/junit.xsd junit.xml"))
        << errors << text("junit.xml");
    EXPECT_NE(std::string::npos, text("junit.xml").find("tests=\"3\" failures=\"1\" errors=\"0\""));
    EXPECT_EQ(1, sh("hubsim check kept/early --csv")) << errors;
    EXPECT_NE(std::string::npos, out.find("\nearly,,race,,,,,,\"rank 1 on node 1 at ")) << out;
    EXPECT_EQ(0, sh("hubsim check kept/early --no-races")) << errors;
    EXPECT_EQ("early: passed, 2 points: 2 equal\n", out);
    /* A result that has recorded it excuses it no more than hubrun did. */
    EXPECT_EQ(1, sh("hubsim check now/early")) << errors;
    EXPECT_EQ(1, sh("hubrun -n 2 --check races --out again ./early early"));
    EXPECT_EQ(1, sh("hubrun -q -n 2 --check all-races ./early early"));
    EXPECT_EQ(0, sh("diff -r now again")) << out;
}

/* The heap is not looked at again: what was found when the result was kept is in its summary. */
TEST_F(Programs, MistakesThatAResultWasKeptWithAreNamed)
{
    const std::string line = ": a write to offset 24 of a block of 24 bytes, found at p+0x";

    write("p.c", "#include <stdlib.h>\nint main(void) {\n    volatile char *p = malloc(24);\n"
                 "    p[24] = 1;\n    free((void *)p);\n    return 0;\n}\n");
    ASSERT_EQ(0, sh("hubcc -O1 p.c -o p")) << errors;
    ASSERT_EQ(1, sh("hubrun -q -n 1 --check heap --out kept ./p")) << errors;
    EXPECT_EQ(0, sh("hubsim check kept/p --junit junit.xml")) << errors;
    EXPECT_NE(std::string::npos, out.find("p: when it was kept: rank 0 on node 0 at ")) << out;
    EXPECT_NE(std::string::npos, out.find(line)) << out;
    EXPECT_NE(std::string::npos,
              out.find("\np: passed, kept with 1 mistake of the program, 1 point: 1 equal\n"))
        << out;
    EXPECT_EQ(0, sh("xmllint --noout --schema " PROGRAMS "/../../cmd/junit.xsd junit.xml"))
        << errors << text("junit.xml");
    EXPECT_NE(std::string::npos, text("junit.xml").find("tests=\"3\" failures=\"0\""));
    EXPECT_NE(std::string::npos, text("junit.xml").find("name=\"mistakes when it was kept\""));
    EXPECT_NE(std::string::npos, text("junit.xml").find(line));
}

/* --races at the link alone does not change files that were compiled before. */
TEST_F(Programs, WhatIsNotAnnouncedIsSaidAlsoWhenQuiet)
{
    write("early.c", early);
    ASSERT_EQ(0, sh("hubcc -O2 -c early.c && hubcc --races early.o -o early")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 2 --check races ./early early")) << errors;
    EXPECT_EQ("hubrun: races: loads and stores of ./early itself are not seen, or few of them: "
              "expected a program made by hubcc --races\n",
              errors);
    ASSERT_EQ(0, sh("hubcc --races -O2 early.c -o early")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 2 --check races ./early")) << errors;
    EXPECT_EQ("", errors);
}

/* The run without the check decides about values, the one with it about races. */
TEST_F(Programs, AResultThatDiffersKeepsItsRaces)
{
    write("early.c", early);
    ASSERT_EQ(0, sh("hubcc --races -O2 early.c -o early")) << errors;
    ASSERT_EQ(0, sh("hubrun -n 2 --out kept ./early early")) << errors;
    ASSERT_EQ(
        0, sh("sed -i 's/{/{ puts(\"another\");/' early.c && hubcc --races -O2 early.c -o early"))
        << errors;
    EXPECT_EQ(1, sh("hubsim check kept/early --out now")) << errors;
    EXPECT_NE(std::string::npos, out.find("\nearly: DIFFERS, 1 race, ")) << out;
    EXPECT_NE(std::string::npos, text("now/early/checks.json").find("\"found\": 1"));
}

TEST_F(Programs, WhatTheCheckForRacesRefusesIsComparedWithoutIt)
{
    write("early.c", early);
    ASSERT_EQ(0, sh("hubcc --races -O2 early.c -o early")) << errors;
    ASSERT_EQ(0, sh("hubrun -n 4 -m " PROGRAMS
                    "/../../../../examples/hubs/rails.yaml --place block:2 --mpi peach2 "
                    "--set 'node*.software.rank_hub=turn' --out kept ./early"))
        << errors;
    EXPECT_EQ(0, sh("hubsim check kept/early")) << errors;
    EXPECT_EQ(0u, out.find("early: not looked at for races: ")) << out;
    EXPECT_NE(std::string::npos, out.find("software.rank_hub = 0, not turn")) << out;
    EXPECT_NE(std::string::npos, out.find("\nearly: passed, ")) << out;
}

TEST_F(Programs, ARightProgramPassesAsItWas)
{
    write("early.c", early);
    ASSERT_EQ(0, sh("hubcc --races -O2 early.c -o early")) << errors;
    ASSERT_EQ(0, sh("hubrun -n 2 --out kept ./early")) << errors;
    EXPECT_EQ(0, sh("hubsim check kept/early --junit junit.xml")) << errors;
    EXPECT_EQ("early: passed, 2 points: 2 equal\n", out);
    EXPECT_NE(std::string::npos, text("junit.xml").find("name=\"races\"/>"));
}

/* The first lines of such a run are no error: the race, and what its ranks have printed. */
TEST_F(Programs, ARunWithoutResultIsExplainedByItsError)
{
    write("early.c", early);
    ASSERT_EQ(0, sh("hubcc --races -O2 early.c -o early")) << errors;
    ASSERT_EQ(0, sh("hubrun -n 2 --out kept ./early early")) << errors;
    ASSERT_EQ(0, sh("hubcc --races -O2 -DSTALLS early.c -o early")) << errors;
    EXPECT_EQ(2, sh("hubsim check kept/early")) << errors;
    EXPECT_EQ(
        0u, errors.find("hubsim: kept/early: cannot be run again (status 1): nothing is left that "
                        "could happen at "))
        << errors;
}

/* However much it prints: a file of it would end at the limit, with the first line. */
TEST_F(Programs, TheLastErrorOfARunThatPrintsALotIsFound)
{
    write("p.c", "#include <mpi.h>\n"
                 "#include <stdio.h>\n"
                 "int main(int argc, char **argv) {\n"
                 "    MPI_Init(&argc, &argv);\n"
                 "#ifdef STALLS\n"
                 "    for (int i = 0; i < 20000; i++)\n"
                 "        fprintf(stderr, \"line %d of many that ranks may print\\n\", i);\n"
                 "    MPI_Recv(&argc, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
                 "#endif\n"
                 "    MPI_Finalize();\n"
                 "}\n");
    ASSERT_EQ(0, sh("hubcc p.c -o p && hubrun -n 1 --out kept ./p")) << errors;
    ASSERT_EQ(0, sh("hubcc -DSTALLS p.c -o p")) << errors;
    EXPECT_EQ(2, sh("ulimit -f 400; hubsim check kept/p --no-races"));
    EXPECT_EQ(0u, errors.find("hubsim: kept/p: cannot be run again (status 1): nothing is left "
                              "that could happen at "))
        << errors;
}

TEST_F(Programs, AFailedPointOfASweepSaysWhatTheProgramHasSaidLast)
{
    write("p.c", "#include <mpi.h>\n"
                 "#include <stdio.h>\n"
                 "int main(int argc, char **argv) {\n"
                 "    MPI_Init(&argc, &argv);\n"
                 "    fprintf(stderr, \"p: %s is too many\\n\\n\", argv[1]);\n"
                 "    if (argv[1][2] == '1') return 3;\n"
                 "    if (argv[1][2] == '2') MPI_Abort(MPI_COMM_WORLD, 4);\n"
                 "    fprintf(stderr, \"rank 0 on node 0 at 1 us: p: as a library\\n\");\n"
                 "    return 5;\n"
                 "}\n");
    write("s.yaml", "program: ./p\nmachine: two-node\nranks: 1\nargs: {n: [1, 2, 3]}\n");
    ASSERT_EQ(0, sh("hubcc -O2 p.c -o p")) << errors;
    EXPECT_EQ(1, sh("hubsim sweep s.yaml --csv"));
    EXPECT_TRUE(has(out, "rank 0 ended with status 3: p: n=1 is too many\n")) << out;
    EXPECT_TRUE(has(out, "rank 0 ended with status 4: p: n=2 is too many: rank 0 on node 0 at "))
        << out;
    EXPECT_TRUE(has(out, ": exit code 4")) << out;
    EXPECT_TRUE(has(out, "ended with status 5: rank 0 on node 0 at 1 us: p: as a library\n"))
        << out;
}

TEST_F(Programs, WhatIsMeasuredHereCannotBeKept)
{
    EXPECT_EQ(2, sh("hubrun --compute measured --out kept ./p"));
    EXPECT_EQ(0u, errors.find("hubrun: --out kept: expected --compute none or counted"));
}

} // namespace
