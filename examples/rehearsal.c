/*
 * A program that plans its loops by a rehearsal, as the Himeno benchmark does. Each loop relaxes a
 * cube of N cells a side, exchanges its borders in one direction, and adds up what has changed.
 *
 *   hubcc -O2 --count rehearsal.c -o rehearsal
 *   hubrun -q -n 2 --compute counted ./rehearsal SECONDS     as many loops as fill this time
 *   hubrun -q -n 2 ./rehearsal SECONDS LOOPS                 so many
 */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#define N 32

static float p[N + 2][N + 2][N + 2], next[N + 2][N + 2][N + 2];

static double relax(void)
{
    double change = 0;

    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            for (int k = 1; k <= N; k++) {
                float mean = (p[i - 1][j][k] + p[i + 1][j][k] + p[i][j - 1][k] + p[i][j + 1][k] +
                              p[i][j][k - 1] + p[i][j][k + 1]) /
                             6;
                float d = mean - p[i][j][k];

                change += (double)d * d;
                next[i][j][k] = p[i][j][k] + 0.8f * d;
            }
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            for (int k = 1; k <= N; k++)
                p[i][j][k] = next[i][j][k];
    return change;
}

static double jacobi(int loops, int down, int up, double *seconds_p)
{
    enum { PLANE = (N + 2) * (N + 2) };
    double start, change, all = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; i < loops; i++) {
        change = relax();
        MPI_Sendrecv(p[N], PLANE, MPI_FLOAT, up, 0, p[0], PLANE, MPI_FLOAT, down, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(p[1], PLANE, MPI_FLOAT, down, 0, p[N + 1], PLANE, MPI_FLOAT, up, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    start = MPI_Wtime() - start;
    MPI_Allreduce(&start, seconds_p, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    double target = argc > 1 ? atof(argv[1]) : 0.01, seconds;
    int rank, ranks, loops;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < (N + 2) * (N + 2) * (N + 2); i++)
        (&p[0][0][0])[i] = (float)(i % 97);
#define JACOBI(loops)                                                                              \
    jacobi(loops, rank > 0 ? rank - 1 : MPI_PROC_NULL,                                             \
           rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, &seconds)
    (void)JACOBI(3);
    loops = (int)(target / (seconds / 3));
    if (rank == 0)
        printf("rehearsal: %.1f us, planned: %d loops\n", 1e6 * seconds, loops);
    if (argc > 2)
        loops = atoi(argv[2]);
    if (loops > 0)
        (void)JACOBI(loops);
    if (rank == 0 && loops > 0)
        printf("result loops=%d us=%.1f\n", loops, 1e6 * seconds);
    return MPI_Finalize();
}
