/*
 * MPI: a number goes round all ranks, each of which adds its own.
 *
 *   hubcc -O2 ring.c -o ring
 *   hubrun -n 4 -m ring4 ./ring [rounds]
 */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

enum { TAG = 1 };

static long go_round(long sum, int rank, int ranks)
{
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;

    if (rank == 0)
        MPI_Send(&sum, 1, MPI_LONG, next, TAG, MPI_COMM_WORLD);
    MPI_Recv(&sum, 1, MPI_LONG, before, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += rank;
    if (rank != 0)
        MPI_Send(&sum, 1, MPI_LONG, next, TAG, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks, rounds = argc > 1 ? atoi(argv[1]) : 100;
    double start;
    long sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2 || rounds < 1) {
        if (rank == 0)
            fprintf(stderr, "ring: expected 2 ranks or more, and 1 round or more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    go_round(0, rank, ranks); /* the first one also sets up what MPI needs */
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; i < rounds; i++)
        sum = go_round(sum, rank, ranks);
    if (rank == 0)
        printf("%d ranks: sum %ld, %.3f us from rank to rank\n", ranks, sum,
               1e6 * (MPI_Wtime() - start) / rounds / ranks);
    MPI_Finalize();
    return 0;
}
