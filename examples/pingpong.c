/*
 * TCA in forty lines: two ranks store 8 bytes into each other's memory, in turn. The CPU stores
 * them itself (PIO), and the other one sees them by looking.
 *
 *   hubcc -O2 pingpong.c -o pingpong && hubrun -q -n 2 -m two-node ./pingpong
 */
#include <stdint.h>
#include <stdio.h>

#include <mpi.h>
#include <tca-api.h>

enum { ROUNDS = 100 };

int main(int argc, char **argv)
{
    int rank, ranks;
    void *memory;
    tcaHandle handles[2], mine; /* a handle names memory of any node */
    tcaPIOHandle theirs;
    double start;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) {
        fprintf(stderr, "pingpong: %d ranks: expected 2\n", ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (tcaInit() != TCA_SUCCESS || tcaMalloc(&memory, 8, tcaMemoryCPU) != TCA_SUCCESS ||
        tcaCreateHandle(&mine, memory, 8, tcaMemoryCPU) != TCA_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    volatile uint64_t *seen = memory;
    *seen = 0;
    MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, handles, sizeof(mine), MPI_BYTE, MPI_COMM_WORLD);
    if (tcaSetPIORegion(&theirs, &handles[!rank], 0, 8) != TCA_SUCCESS) /* stores leave the node */
        MPI_Abort(MPI_COMM_WORLD, 1);
    start = MPI_Wtime();
    for (uint64_t turn = 1; turn <= 2 * ROUNDS; turn++)
        if (turn % 2 == (uint64_t)rank) {
            tcaSendPIO(&theirs, 0, &turn, 8);
            tcaSendPIOCommit(); /* a board may keep the bytes until then */
        } else {
            while (*seen != turn)
                ;
        }
    if (rank == 0)
        printf("8 bytes: %.3f us one way\n", 1e6 * (MPI_Wtime() - start) / (2 * ROUNDS));
    MPI_Finalize();
    return 0;
}
