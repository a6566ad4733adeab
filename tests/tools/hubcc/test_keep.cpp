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
    EXPECT_EQ("p: passed, 3 points: 3 equal\n", out);
    ASSERT_EQ(0, sh("hubcc -O2 -DROUNDS=5 p.c -o p")) << errors;
    EXPECT_EQ(1, sh("hubsim check kept/p --csv")) << errors;
    EXPECT_NE(std::string::npos, out.find("p,rank 0,value,us,")) << out;
    ASSERT_EQ(0, sh("rm p")) << errors;
    EXPECT_EQ(2, sh("hubsim check kept/p")) << errors;
    EXPECT_EQ(0u, errors.find("hubsim: kept/p: cannot be run again (status 1): ./p")) << errors;
    EXPECT_EQ(errors.size() - 1, errors.find('\n'));
}

TEST_F(Programs, WhatIsMeasuredHereCannotBeKept)
{
    EXPECT_EQ(2, sh("hubrun --compute measured --out kept ./p"));
    EXPECT_EQ(0u, errors.find("hubrun: --out kept: expected --compute none or counted"));
}

} // namespace
