/* Chapter 14, profiling: a program may have an MPI function of its own, which calls the PMPI one.
 */
#include "check.h"

static int sends, barriers;

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buf, count, type, dest, tag, comm);
}

int MPI_Barrier(MPI_Comm comm)
{
    barriers++;
    return PMPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    int right, left, got = -1, rank = -1;

    check_begin(&argc, &argv, "profile");
    CHECK(barriers == 0, "14.2.1 the library does not call the program's MPI_Barrier");
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(rank == check_rank, "14.2.1 PMPI_Comm_rank is MPI_Comm_rank");
    if (check_size > 1) {
        MPI_Send(&rank, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
        PMPI_Recv(&got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(sends == 1, "14.2.1 MPI_Send is the program's");
        CHECK(got == left, "14.2.1 its PMPI_Send sends");
        PMPI_Send(&rank, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
        MPI_Recv(&got, 1, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(sends == 1, "14.2.1 PMPI_Send is not the program's");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(barriers == 1, "14.2.1 MPI_Barrier is the program's");
    CHECK(PMPI_Wtime() > 0 && PMPI_Wtick() > 0, "14.2.1 PMPI_Wtime and PMPI_Wtick");
    return check_end();
}
