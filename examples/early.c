/*
 * TCA, with a mistake: rank 1 reads what rank 0 puts into its memory, and waits for nothing but a
 * barrier, which takes another route. `hubrun --check races` shows it (docs/races.md).
 *
 *   hubcc --races -O2 early.c -o early
 *   hubrun -n 2 -m two-node --check races ./early [wait]
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <mpi.h>
#include <tca-api.h>

enum { WORDS = 8192, BYTES = WORDS * 8, CHANNEL = 0, SLOT = 1, TAG = 1 };

/* Rank 0 puts all of its memory into that of rank 1. */
static void put(tcaHandle *to, tcaHandle *from)
{
    tcaDesc *list = tcaDescNew();

    tcaDescSetMemcpy(list, to, 0, from, 0, BYTES, tcaDMAUseInternal | tcaDMANotify, SLOT, TAG);
    tcaDescSet(list, CHANNEL);
    tcaStartDMADesc(CHANNEL);
    tcaDescFree(list);
}

int main(int argc, char **argv)
{
    int waits = argc > 1 && strcmp(argv[1], "wait") == 0, rank, ranks;
    tcaHandle mine, all[2];
    uint64_t *words, sum = 0;
    void *memory;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) {
        fprintf(stderr, "early: %d ranks: expected 2\n", ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    tcaInit();
    tcaMalloc(&memory, BYTES, tcaMemoryCPU);
    words = memory;
    for (int i = 0; i < WORDS; i++)
        words[i] = rank == 0 ? 1 : 0;
    tcaCreateHandle(&mine, memory, BYTES, tcaMemoryCPU);
    MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all, sizeof(mine), MPI_BYTE, MPI_COMM_WORLD);

    if (rank == 0)
        put(&all[1], &all[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        if (waits)
            tcaWaitDMARecvDesc(&all[0], SLOT, TAG);
        for (int i = 0; i < WORDS; i++)
            sum += words[i];
        printf("%llu of %d words have come\n", (unsigned long long)sum, WORDS);
    }
    MPI_Finalize();
    return 0;
}
