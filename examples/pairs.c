/*
 * Bandwidth of many ranks at once: each rank of the first half sends to its partner in the second
 * half, and rank 0 prints what all pairs have moved in the time of the slowest one.
 *
 *   hubcc -O2 pairs.c -o pairs
 *   hubrun -n 4 --place block:2 -m two-node --mpi peach2 ./pairs
 */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

enum { BYTES = 1 << 20, MESSAGES = 8 };

int main(int argc, char **argv)
{
    char *memory = calloc(1, BYTES);
    double took, slowest;
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks % 2 != 0 || memory == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    took = MPI_Wtime();
    for (int i = 0; i < MESSAGES; i++) {
        if (rank < ranks / 2)
            MPI_Send(memory, BYTES, MPI_BYTE, rank + ranks / 2, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(memory, BYTES, MPI_BYTE, rank - ranks / 2, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    took = MPI_Wtime() - took;
    MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d pairs: %.0f MB/s\n", ranks / 2, 1e-6 * BYTES * MESSAGES * (ranks / 2) / slowest);
    MPI_Finalize();
    free(memory);
    return 0;
}
