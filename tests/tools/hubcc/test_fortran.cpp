/* Fortran programs as their authors build and run them: hubf90, then hubrun. */
#include "tests/tools/hubcc/programs.h"

namespace
{

class Fortran : public Programs
{
  protected:
    void SetUp() override
    {
        Programs::SetUp();
        if (sh("command -v gfortran") != 0)
            GTEST_SKIP() << "gfortran is not installed";
    }
};

TEST_F(Fortran, UnitsArgumentsTimeAndTheEndAreEachRanksOwn)
{
    ASSERT_EQ(0, sh("hubf90 -O2 " PROGRAMS "/units.f90 -o prog")) << errors;
    EXPECT_EQ(3, sh("echo typed | hubrun --label -q -n 2 ./prog given")) << errors;
    EXPECT_EQ("0: unit0 typed 0   1.0  1.0 T\n1: unit1 given 11   1.0  1.0 T\n"
              "0: no end of line 1000\n1: no end of line 1000\n",
              out);
    EXPECT_EQ(0u, errors.find("0: to stderr\n1: to stderr\n1: STOP 3\n")) << errors;
}

TEST_F(Fortran, ProgramsOfSeveralLanguagesAreOne)
{
    write("part.f90", "subroutine part(x)\n double precision :: x(3)\n x = x + 1\n"
                      " print *, 'from Fortran', nint(sum(x))\nend subroutine\n");
    write("main.c", "#include <mpi.h>\nvoid part_(double *x);\n"
                    "int main(void)\n{\n    double x[3] = { 1, 2, 3 };\n"
                    "    MPI_Init(0, 0);\n    part_(x);\n    MPI_Finalize();\n    return 0;\n}\n");
    ASSERT_EQ(0, sh("hubf90 -c part.f90 && hubcc -c main.c && hubcc main.o part.o -o prog "
                    "-lgfortran && hubf90 main.o part.o -o again -lm"))
        << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 2 ./prog")) << errors;
    EXPECT_EQ(" from Fortran           9\n from Fortran           9\n", out);
}

} // namespace
