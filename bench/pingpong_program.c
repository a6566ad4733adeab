/* bench_hubrun's scenario, as a program for hubcc and as a function: ROUNDS turns of BYTES both
 * ways by DMA. */
#include <mpi.h>
#include <stdlib.h>
#include <tca-api.h>

#ifndef PINGPONG_MAIN
#define PINGPONG_MAIN main
#endif

enum { CHANNEL = 0, SLOT = 3, TAG = 0x100, PLACE = tcaDMAUseInternal | tcaDMAUseNotifyInternal };

int PINGPONG_MAIN(int argc, char **argv);

static void check(tcaresult result)
{
    if (result != TCA_SUCCESS)
        abort();
}

int PINGPONG_MAIN(int argc, char **argv)
{
    long rounds = argc > 2 ? atol(argv[1]) : 1;
    size_t bytes = argc > 2 ? (size_t)atol(argv[2]) : 8;
    size_t half = (bytes + 63) / 64 * 64; /* out here, in behind it */
    tcaHandle own, both[2];
    void *memory = NULL;
    tcaDesc *list;
    int me;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    check(tcaInit());
    check(tcaMalloc(&memory, 2 * half, tcaMemoryCPU));
    check(tcaCreateHandle(&own, memory, 2 * half, tcaMemoryCPU));
    MPI_Allgather(&own, sizeof(own), MPI_BYTE, both, sizeof(own), MPI_BYTE, MPI_COMM_WORLD);
    list = tcaDescNew();
    check(tcaDescSetMemcpy(list, &both[!me], (off_t)half, &both[me], 0, bytes, PLACE | tcaDMANotify,
                           SLOT, TAG));
    check(tcaDescSet(list, CHANNEL));
    MPI_Barrier(MPI_COMM_WORLD);
    for (long turn = 0; turn < 2 * rounds; turn++) {
        if (turn % 2 == me)
            check(tcaStartDMADesc(CHANNEL));
        else
            check(tcaWaitDMARecvDesc(&both[!me], SLOT, TAG));
    }
    check(tcaWaitDMAC(CHANNEL));
    check(tcaDescFree(list));
    MPI_Finalize();
    return 0;
}
