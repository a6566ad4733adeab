/*
 * TCA: two ranks put bytes into each other's memory by the board's DMA, in turn. MPI only carries
 * the handles that describe the memories.
 *
 *   hubcc -O2 put.c -o put
 *   hubrun -n 2 -m two-node ./put [bytes] [cpu|gpu]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include <tca-api.h>

enum { CHANNEL = 0, SLOT = 3, TAG = 1, ROUNDS = 100 };

#define CHECK(call)                                                                                \
    do {                                                                                           \
        tcaresult result_ = (call);                                                                \
        if (result_ != TCA_SUCCESS) {                                                              \
            fprintf(stderr, "put: %s: %s\n", #call, tcaGetErrorString(result_));                   \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

/* Memory that the board reaches, and its handle. */
static void provide(size_t bytes, tcaMemoryKind kind, tcaHandle *handle)
{
    void *memory;

    CHECK(tcaMalloc(&memory, bytes, kind));
    CHECK(tcaCreateHandle(handle, memory, bytes, kind));
}

/* Channel CHANNEL will put all of `from` into `to`, and notify both nodes when it is there. */
static void prepare(tcaHandle *to, tcaHandle *from, size_t bytes)
{
    int flags = tcaDMAUseInternal | tcaDMAUseNotifyInternal | tcaDMANotify | tcaDMANotifySelf;
    tcaDesc *list = tcaDescNew();

    CHECK(tcaDescSetMemcpy(list, to, 0, from, 0, bytes, flags, SLOT, TAG));
    CHECK(tcaDescSet(list, CHANNEL));
    CHECK(tcaDescFree(list));
}

static void play(int first, tcaHandle *mine, tcaHandle *theirs)
{
    for (int turn = 0; turn < 2 * ROUNDS; turn++) {
        if (turn % 2 == !first) {
            CHECK(tcaStartDMADesc(CHANNEL));
            CHECK(tcaWaitDMARecvDesc(mine, SLOT, TAG)); /* the own memory may be written again */
        } else {
            CHECK(tcaWaitDMARecvDesc(theirs, SLOT, TAG)); /* the other's bytes are here */
        }
    }
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 0) : 8;
    tcaMemoryKind kind = argc > 2 && strcmp(argv[2], "gpu") == 0 ? tcaMemoryGPU : tcaMemoryCPU;
    tcaHandle out, in, theirs[2];
    int rank, ranks;
    double start;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) {
        fprintf(stderr, "put: %d ranks: expected 2\n", ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    CHECK(tcaInit());
    provide(bytes, kind, &out);
    provide(bytes, kind, &in);
    MPI_Allgather(&in, sizeof(in), MPI_BYTE, theirs, sizeof(in), MPI_BYTE, MPI_COMM_WORLD);
    if (theirs[0].node == theirs[1].node) { /* which has one channel of that number */
        fprintf(stderr, "put: 2 ranks on one node: expected one on each\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    prepare(&theirs[!rank], &out, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    play(rank == 0, &out, &theirs[!rank]);
    if (rank == 0)
        printf("%zu bytes: %.3f us one way\n", bytes, 1e6 * (MPI_Wtime() - start) / (2 * ROUNDS));
    MPI_Finalize();
    return 0;
}
