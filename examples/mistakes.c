/* Mistakes that a run need not show: hubrun --check mpi ./mistakes */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, one = 1, all = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&one, 1, MPI_INT, rank, MPI_COMM_WORLD); /* root: expected the same on all ranks */
    if (rank == 0)
        MPI_Send(&one, 1, MPI_INT, 1, 5, MPI_COMM_WORLD); /* no rank receives it */
    MPI_Iallreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /* no MPI_Wait */
    MPI_Finalize();
    printf("rank %d ends\n", rank);
    return 0;
}
