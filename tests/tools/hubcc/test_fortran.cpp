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
    EXPECT_EQ(3, sh("echo typed | hubrun --label -q -n 2 --mpi net ./prog given")) << errors;
    EXPECT_EQ("0: unit0 typed 0   1.0  1.0 T\n1: unit1 given 11   1.0  1.0 T\n"
              "0: no end of line 1000\n1: no end of line 1000\n",
              out);
    EXPECT_EQ(0u, errors.find("0: to stderr\n1: to stderr\n1: STOP 3\n")) << errors;
}

TEST_F(Fortran, WhatPassesBetweenTheLanguagesIsRight)
{
    ASSERT_EQ(0, sh("hubf90 -w -O1 " PROGRAMS "/bindings.f90 -o prog")) << errors;
    for (const char *n : { "1", "4" }) {
        EXPECT_EQ(0, sh(std::string("hubrun -q -m ring4 -n ") + n + " ./prog")) << errors;
        EXPECT_EQ("0 failed\n", out);
    }
}

TEST_F(Fortran, TheModuleOfFortran2008HasItsTypesAndTakesSectionsOfArrays)
{
    ASSERT_EQ(0, sh("hubf90 -Wall -O2 " PROGRAMS "/f08.f90 -o prog")) << errors;
    EXPECT_EQ("", errors);
    EXPECT_EQ(0, sh("hubrun -q -m ring4 -n 4 ./prog")) << errors;
    EXPECT_EQ("0 failed\n", out);
    EXPECT_EQ(1, sh("hubrun -q -n 1 ./prog errors-are-fatal"));
    EXPECT_NE(std::string::npos,
              errors.find(": MPI_Iallgather leaves its buffer in use, a section of an "
                          "array: expected one without gaps"))
        << errors;
}

TEST_F(Fortran, AStoreBeforeAReceiveIsCompleteIsARace)
{
    write("early.f90",
          "program early\n"
          "  use mpi\n"
          "  integer :: me, request, code, x(1000), y(1000) = 1\n"
          "  call MPI_Init(code)\n"
          "  call MPI_Comm_rank(MPI_COMM_WORLD, me, code)\n"
          "  call MPI_Irecv(x, 1000, MPI_INTEGER, 1 - me, 0, MPI_COMM_WORLD, request, code)\n"
          "  if (me == 1) x(7) = 7\n"
          "  call MPI_Send(y, 1000, MPI_INTEGER, 1 - me, 0, MPI_COMM_WORLD, code)\n"
          "  call MPI_Wait(request, MPI_STATUS_IGNORE, code)\n"
          "  print *, x(7)\n"
          "  call MPI_Finalize(code)\n"
          "end program\n");
    ASSERT_EQ(0, sh("hubf90 --races -O0 early.f90 -o early")) << errors;
    EXPECT_EQ(1, sh("hubrun -q -n 2 --check races ./early"));
    EXPECT_NE(std::string::npos, errors.find(": stores 4 bytes at 0x")) << errors;
    EXPECT_EQ(std::string::npos, errors.find("rank 0")) << errors;
}

/* As the NAS Parallel Benchmarks are written: fixed form, a header with common blocks, a file that
 * is read where there is one, a solver between sweeps of messages, a Makefile with its own
 * variables. */
TEST_F(Fortran, AProgramOfCommonBlocksFindsItsSolutionOnAnyNumberOfRanks)
{
    write("parts.h", "      include 'mpif.h'\n"
                     "      integer me, np, left, right, lo, hi, n\n"
                     "      parameter (n = 64)\n"
                     "      common /part/ me, np, left, right, lo, hi\n"
                     "      double precision u(0:n+1), r(0:n+1), spare(4000000)\n"
                     "      common /fields/ u, r, spare\n");
    write("main.f", R"(
      program main
      implicit none
      include 'parts.h'
      integer ierr, step, steps, iost
      double precision norm, total
      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, me, ierr)
      call mpi_comm_size(mpi_comm_world, np, ierr)
      steps = 10
      if (me .eq. 0) then
        open (unit=2, file='input.data', status='old', iostat=iost)
        if (iost .eq. 0) then
          read (2,*) steps
          close (2)
        endif
      endif
      call mpi_bcast(steps, 1, mpi_integer, 0, mpi_comm_world, ierr)
      call setup
      do step = 1, steps
        call exchange
        call relax(norm)
      enddo
      call mpi_reduce(norm, total, 1, mpi_double_precision, mpi_sum, 0,
     >                mpi_comm_world, ierr)
      if (me .eq. 0) write (*, 100) steps, dsqrt(total)
  100 format(' Steps = ', i6, '  residual = ', 1pe14.7)
      call mpi_finalize(ierr)
      end

      subroutine setup
      implicit none
      include 'parts.h'
      integer i
      lo = 1 + me * n / np
      hi = (me + 1) * n / np
      left = me - 1
      right = me + 1
      if (me .eq. 0) left = mpi_proc_null
      if (me .eq. np - 1) right = mpi_proc_null
      do i = 0, n + 1
        u(i) = 0
        r(i) = 0
      enddo
      spare(4000000) = me
      end
)");
    write("sweep.f", R"(
      subroutine exchange
      implicit none
      include 'parts.h'
      integer request(4), status(mpi_status_size, 4), ierr
      call mpi_irecv(u(lo-1), 1, mpi_double_precision, left, 1,
     >               mpi_comm_world, request(1), ierr)
      call mpi_irecv(u(hi+1), 1, mpi_double_precision, right, 2,
     >               mpi_comm_world, request(2), ierr)
      call mpi_isend(u(hi), 1, mpi_double_precision, right, 1,
     >               mpi_comm_world, request(3), ierr)
      call mpi_isend(u(lo), 1, mpi_double_precision, left, 2,
     >               mpi_comm_world, request(4), ierr)
      call mpi_waitall(4, request, status, ierr)
      end

      subroutine relax(norm)
      implicit none
      include 'parts.h'
      integer i
      double precision norm
      norm = 0
      do i = lo, hi
        r(i) = (1.0d0 + u(i-1) - 2 * u(i) + u(i+1)) / 2
        norm = norm + r(i) * r(i)
      enddo
      do i = lo, hi
        u(i) = u(i) + r(i)
      enddo
      end
)");
    write("Makefile", "MPIF77 = mpif77\nFLINK = $(MPIF77)\nFMPI_LIB = -L. -lmpi -lm\n"
                      "prog: main.o sweep.o\n\t$(FLINK) -O2 -o $@ main.o sweep.o $(FMPI_LIB)\n"
                      "%.o: %.f parts.h\n\t$(MPIF77) -c -O2 $<\n");
    ASSERT_EQ(0, sh("make -s MPIF77=hubf77")) << errors;
    EXPECT_EQ(0, sh("./prog && hubrun -q -n 4 -m ring4 ./prog && echo 200 >input.data && "
                    "hubrun -q -n 1 -m one-node ./prog && hubrun -q -np 6 -m ring4 ./prog"))
        << errors;
    EXPECT_EQ(" Steps =     10  residual =  3.8124004E+00\n"
              " Steps =     10  residual =  3.8124004E+00\n"
              " Steps =    200  residual =  2.8795754E+00\n"
              " Steps =    200  residual =  2.8795754E+00\n",
              out);
}

/* What newer compilers refuse by themselves: buffers of two types, a parameter in hexadecimal. */
TEST_F(Fortran, WhatOldProgramsWriteCompilesAsItIs)
{
    write("old.f", R"(
      program old
      implicit none
      integer ierr, whole
      include 'mpif.h'
      integer*8 mask
      parameter (mask = x'00003fffffffffff')
      double precision part
      whole = iand(mask / 2 + 5, 255_8)
      part = 0.5
      call mpi_init(ierr)
      call mpi_bcast(whole, 1, mpi_integer, 0, mpi_comm_world, ierr)
      call mpi_bcast(part, 1, mpi_double_precision, 0, mpi_comm_world,
     >               ierr)
      write (*, '(i4, f5.1)') whole, part
      call mpi_finalize(ierr)
      end
)");
    ASSERT_EQ(0, sh("hubf77 -O2 old.f -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 1 -m one-node ./prog")) << errors;
    EXPECT_EQ("   4  0.5\n", out);
}

/* In fixed and in free form, by header and by each module; undeclared, they would be REAL. */
TEST_F(Fortran, SumsAndDifferencesOfAddressesAreOfTheirKind)
{
    const char *body = "      integer ierr, pair(2)\n"
                       "      integer(kind=MPI_ADDRESS_KIND) a, b, c\n"
                       "      call MPI_Init(ierr)\n"
                       "      call MPI_Get_address(pair(1), a, ierr)\n"
                       "      call MPI_Get_address(pair(2), b, ierr)\n"
                       "      c = 4\n"
                       "      if (MPI_Aint_add(a, c) .ne. b) stop 1\n"
                       "      if (MPI_Aint_diff(b, a) .ne. c) stop 2\n"
                       "      if (PMPI_Aint_diff(a, PMPI_Aint_add(b, c)) .ne. -8) stop 3\n"
                       "      call MPI_Finalize(ierr)\n"
                       "      end\n";
    std::string header = "      program sums\n      include 'mpif.h'\n";

    write("fixed.f", header + body);
    write("free.f90", header + body);
    write("module.f90", std::string("program sums\n use mpi\n implicit none\n") + body);
    write("f08.f90", std::string("program sums\n use mpi_f08\n implicit none\n") + body);
    for (const char *file : { "fixed.f", "free.f90", "module.f90", "f08.f90" }) {
        ASSERT_EQ(0, sh(std::string("hubf90 -O1 ") + file + " -o prog")) << file << errors;
        EXPECT_EQ(0, sh("hubrun -q -n 1 -m one-node ./prog")) << file << errors;
    }
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
