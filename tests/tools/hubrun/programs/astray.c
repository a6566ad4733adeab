/* Rank 0 puts 64 bytes into memory of rank 1, or so far behind it as the argument says. */
#include <stdlib.h>

#include <mpi.h>
#include <tca-api.h>

int main(int argc, char **argv)
{
    int flags = tcaDMAUseInternal | tcaDMAUseNotifyInternal;
    tcaDesc *list = tcaDescNew();
    tcaHandle mine, both[2];
    void *memory;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (tcaInit() != TCA_SUCCESS || tcaMalloc(&memory, 64, tcaMemoryCPU) != TCA_SUCCESS ||
        tcaCreateHandle(&mine, memory, 64, tcaMemoryCPU) != TCA_SUCCESS)
        return 2;
    MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, both, sizeof(mine), MPI_BYTE, MPI_COMM_WORLD);
    both[1].offset += strtoull(argv[1], NULL, 0);
    if (rank == 0 &&
        (tcaDescSetMemcpy(list, &both[1], 0, &mine, 0, 64, flags, 0, 0) != TCA_SUCCESS ||
         tcaDescSet(list, 0) != TCA_SUCCESS || tcaStartDMADesc(0) != TCA_SUCCESS ||
         tcaWaitDMAC(0) != TCA_SUCCESS))
        return 3;
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
