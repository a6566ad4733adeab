/* Messages of 8 bytes, for any MPI: message_program ROUNDS [all]. Turns between ranks 0 and 1, or
 * sums over all ranks. */
#include <mpi.h>
#include <stdlib.h>

static void turn(int me, double *x)
{
    if (me == 0) {
        MPI_Send(x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (me == 1) {
        MPI_Recv(x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1, me;
    double x = 1, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < rounds; i++) {
        if (argc > 2)
            MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        else
            turn(me, &x);
    }
    MPI_Finalize();
    return 0;
}
