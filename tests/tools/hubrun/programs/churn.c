/* Sends from blocks of malloc() that come and go, in all sizes; with an argument, frees one that a
 * message still comes to. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned sum(const unsigned char *p, int n)
{
    unsigned s = 0;

    for (int i = 0; i < n; i++)
        s = s * 31 + p[i];
    return s;
}

static void exchange(int me, int round)
{
    int n = 100 + round * round * 701 % 300000;
    unsigned char *out = malloc((size_t)n + 5), *in = malloc((size_t)n);

    if (round % 3 == 0) {
        n -= n / 4;
        in = realloc(in, (size_t)n);
    }
    memset(out, round + me, (size_t)n + 5);
    MPI_Sendrecv(out + 5, n, MPI_BYTE, !me, round, in, n, MPI_BYTE, !me, round, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (in[0] != (unsigned char)(round + !me) || sum(in, n) != sum(in, n - 1) * 31 + in[0])
        printf("%d: round %d: wrong\n", me, round);
    free(round % 2 == 0 ? out : in);
    free(round % 2 == 0 ? in : out);
}

static void receive_too_late(int me)
{
    int n = 1000000;
    char *p = calloc(1, (size_t)n);
    MPI_Request request;

    if (me == 0)
        MPI_Irecv(p, n, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        MPI_Isend(p, n, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
    if (me == 0)
        free(p);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (me == 1)
        free(p);
}

int main(int argc, char **argv)
{
    int me;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (argc > 1)
        receive_too_late(me);
    for (int round = 0; argc == 1 && round < 60; round++)
        exchange(me, round);
    printf("%d: %.9f\n", me, MPI_Wtime());
    MPI_Finalize();
    return 0;
}
