/*
 * TCA: a halo exchange. Each rank has N x N cells with a border around them, and puts its first and
 * last column into the borders of its neighbours in a ring. A column is N pieces of 8 bytes, which
 * one transfer of rows (a block-stride transfer) carries.
 *
 *   hubcc -O2 halo.c -o halo
 *   hubrun -q -n 4 -m ring4 ./halo [N]
 */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>
#include <tca-api.h>

enum { LEFT, RIGHT, SIDES, CHANNELS = 4, ROUNDS = 10 };

#define CHECK(call)                                                                                \
    do {                                                                                           \
        tcaresult result_ = (call);                                                                \
        if (result_ != TCA_SUCCESS) {                                                              \
            fprintf(stderr, "halo: %s: %s\n", #call, tcaGetErrorString(result_));                  \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

static int rank, ranks, n,
    pitch; /* a row has n cells, two of the border, and two that fill it up */
static int channel[SIDES];
static double *cells;

static size_t offset(int row, int column)
{
    return 8 * ((size_t)row * (size_t)pitch + (size_t)column);
}

/* Channels are the node's, so each of its ranks takes two of its own. */
static void take_channels(void)
{
    MPI_Comm node;
    int place;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &place);
    MPI_Comm_free(&node);
    if (SIDES * (place + 1) > CHANNELS) {
        fprintf(stderr, "halo: expected %d ranks on a node at most\n", CHANNELS / SIDES);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int side = 0; side < SIDES; side++)
        channel[side] = SIDES * place + side;
}

/* The channel of a side will put the column there into the neighbour's border at the other side.
 * Notifications are the node's as well: the tag is the rank that it is for. */
static void prepare(int side, tcaHandle *from, tcaHandle *to, int neighbour)
{
    int flags = tcaDMAUseInternal | tcaDMAUseNotifyInternal | tcaDMANotify;
    int column = side == LEFT ? 1 : n, border = side == LEFT ? n + 1 : 0;
    tcaDesc *list = tcaDescNew();

    CHECK(tcaDescSetMemcpy2D(list, to, (off_t)offset(1, border), offset(1, 0), from,
                             (off_t)offset(1, column), offset(1, 0), 8, (size_t)n, flags, side,
                             neighbour));
    CHECK(tcaDescSet(list, channel[side]));
    CHECK(tcaDescFree(list));
}

/* What lies in a column of some rank after so many rounds. */
static double value(int of, int row, int column, int round)
{
    return (of + ranks) % ranks * 1000 + row + 0.5 * column + 0.001 * round;
}

static int wrong(int round)
{
    int bad = 0;

    for (int row = 1; row <= n; row++) {
        bad += cells[offset(row, 0) / 8] != value(rank - 1, row, n, round);
        bad += cells[offset(row, n + 1) / 8] != value(rank + 1, row, 1, round);
    }
    return bad;
}

int main(int argc, char **argv)
{
    void *memory;
    tcaHandle mine, *all;
    int bad = 0, left, right;
    double start, us = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    n = argc > 1 ? atoi(argv[1]) : 64;
    if (ranks < 2 || n < 2 || n % 2 != 0) { /* source and destination agree modulo 16 bytes */
        fprintf(stderr, "halo: expected 2 ranks or more, and an even N from 2 on\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    pitch = n + 4;
    CHECK(tcaInit());
    CHECK(tcaMalloc(&memory, offset(n + 2, 0), tcaMemoryCPU));
    CHECK(tcaCreateHandle(&mine, memory, offset(n + 2, 0), tcaMemoryCPU));
    cells = memory;
    all = malloc(sizeof(mine) * (size_t)ranks);
    MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all, sizeof(mine), MPI_BYTE, MPI_COMM_WORLD);
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    take_channels();
    prepare(LEFT, &mine, &all[left], left);
    prepare(RIGHT, &mine, &all[right], right);
    for (int round = 0; round < ROUNDS; round++) {
        for (int row = 1; row <= n; row++)
            for (int column = 1; column <= n; column++)
                cells[offset(row, column) / 8] = value(rank, row, column, round);
        MPI_Barrier(MPI_COMM_WORLD); /* all have read their borders of the round before */
        start = MPI_Wtime();
        CHECK(tcaStartDMADesc(channel[LEFT]));
        CHECK(tcaStartDMADesc(channel[RIGHT]));
        CHECK(tcaWaitDMARecvDesc(&all[right], LEFT, rank));
        CHECK(tcaWaitDMARecvDesc(&all[left], RIGHT, rank));
        us += 1e6 * (MPI_Wtime() - start) / ROUNDS;
        CHECK(tcaWaitDMAC(channel[LEFT])); /* the own columns may be written again */
        CHECK(tcaWaitDMAC(channel[RIGHT]));
        bad += wrong(round);
    }
    if (rank == 0)
        printf("%d ranks, columns of %d cells: %.3f us an exchange, %d wrong\n", ranks, n, us, bad);
    free(all);
    MPI_Finalize();
    return bad != 0;
}
