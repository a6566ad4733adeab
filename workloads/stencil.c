/*
 * Rank 0 sends a face of its cube of n^3 doubles to each of ranks 1 to 4, and none replies: half of
 * the time of a round, which ends by a barrier behind the last one. Two faces are in one piece,
 * and go to ranks 1 and 3 by MPI. Those of ranks 2 and 4 are n rows of n doubles, one from each
 * plane:
 *
 *   rows=board  both go by the board, in one chain
 *   rows=copy   the GPU copies them together, MPI sends them, and the far GPU puts them in place
 *
 *   of=         the last barrier is shared out among so many rounds, where fewer are
 *               simulated; 0 = rounds
 */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include "mpi-common.h"

enum { RANKS = 5, CHANNEL = 0, SLOT = 0, TAG = 0x100 };

struct test {
    int me, memory;
    uint64_t n, rounds, of, warmup, repeats;
    const char *rows;
    int board;
    size_t row, plane, cube;
    uint8_t *cells, *packed[2];
    tcaHandle *all;
};

/** Where the face for a rank lies in rank 0's cube, and in the rank's own: across. */
static size_t face_at(const struct test *t, int rank, int there)
{
    int high = (rank == 2 || rank == 3) != there;

    return high ? (t->n - 1) * (rank % 2 == 1 ? t->plane : t->row) : 0;
}

static int is_plane(int rank)
{
    return rank % 2 == 1;
}

static void set_up(struct test *t)
{
    const int flags = tcaDMAUseInternal | tcaDMAUseNotifyInternal | tcaDMANotify | tcaDMANotifySelf;
    tcaDesc *list;

    t->cells = tca_memory(t->memory, t->cube);
    t->all = tca_publish(t->cells, t->cube, t->memory);
    for (int i = 0; i < 2 && !t->board; i++)
        t->packed[i] = mpi_memory(t->memory, t->plane);
    if (!t->board || t->me != 0)
        return;
    list = tcaDescNew();
    for (int to = 2; to < RANKS; to += 2)
        CHECK(tcaDescSetMemcpy2D(list, &t->all[to], (off_t)face_at(t, to, 1), t->plane, &t->all[0],
                                 (off_t)face_at(t, to, 0), t->plane, t->row, t->n, flags, SLOT,
                                 TAG),
              TCA_SUCCESS);
    CHECK(tcaDescSet(list, CHANNEL), TCA_SUCCESS);
    CHECK(tcaDescFree(list), TCA_SUCCESS);
}

static void begin_message(struct test *t, const void *from, int to, MPI_Request *request)
{
    CHECK(MPI_Isend(from, (int)(t->n * t->n), MPI_DOUBLE, to, 0, MPI_COMM_WORLD, request),
          MPI_SUCCESS);
}

static void rows_by_board(const struct test *t)
{
    CHECK(tcaStartDMADesc(CHANNEL), TCA_SUCCESS);
    CHECK(tcaWaitDMARecvDesc(&t->all[0], SLOT, TAG), TCA_SUCCESS);
}

static void rows_by_messages(struct test *t, MPI_Request *requests)
{
    for (int i = 0; i < 2; i++) {
        mpi_gpu_rows(t->packed[i], t->row, t->cells + face_at(t, 2 + 2 * i, 0), t->plane, t->row,
                     t->n);
        begin_message(t, t->packed[i], 2 + 2 * i, &requests[i]);
    }
}

static void send_all(struct test *t)
{
    MPI_Request requests[RANKS - 1];

    begin_message(t, t->cells + face_at(t, 1, 0), 1, &requests[0]);
    begin_message(t, t->cells + face_at(t, 3, 0), 3, &requests[1]);
    if (t->board)
        rows_by_board(t);
    else
        rows_by_messages(t, &requests[2]);
    CHECK(MPI_Waitall(t->board ? 2 : 4, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

static void receive_one(struct test *t)
{
    uint8_t *face = t->cells + face_at(t, t->me, 1);

    if (t->board && !is_plane(t->me)) {
        CHECK(tcaWaitDMARecvDesc(&t->all[0], SLOT, TAG), TCA_SUCCESS);
        return;
    }
    CHECK(MPI_Recv(is_plane(t->me) ? face : t->packed[0], (int)(t->n * t->n), MPI_DOUBLE, 0, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          MPI_SUCCESS);
    if (!is_plane(t->me))
        mpi_gpu_rows(face, t->plane, t->packed[0], t->row, t->row, t->n);
}

/** Is each cell of the face rank 0's, and each other one as it was? Device memory is memory of the
 * process. */
static int arrived(const struct test *t)
{
    size_t first = face_at(t, t->me, 1), from = face_at(t, t->me, 0);
    size_t pitch = is_plane(t->me) ? t->row : t->plane;
    int ok = 1;

    for (size_t i = 0; t->me != 0 && i < t->n; i++)
        for (size_t b = 0; b < t->row; b++)
            ok &= t->cells[first + i * pitch + b] == byte_of(1, from + i * pitch + b);
    return ok;
}

/** @return the time of a round */
static double measure(struct test *t)
{
    double start = 0, end;

    bytes_clear(t->cells, t->cube);
    if (t->me == 0)
        bytes_fill(t->cells, t->cube, 1);
    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    for (uint64_t i = 0; i < t->warmup + t->rounds; i++) {
        if (i == t->warmup) {
            CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
            start = MPI_Wtime();
        }
        if (t->me == 0)
            send_all(t);
        else
            receive_one(t);
    }
    end = MPI_Wtime();
    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    return (end - start) / (double)t->rounds +
           (MPI_Wtime() - end) / (double)(t->of != 0 ? t->of : t->rounds);
}

static void measure_all(struct test *t)
{
    struct times times;
    int verified = 1;

    times_init(&times, t->repeats);
    for (uint64_t i = 0; i < t->repeats; i++) {
        double seconds = measure(t);

        verified &= mpi_all(arrived(t));
        times_add(&times, half_round_ps((uint64_t)(seconds * 1e12 + 0.5), 1));
    }
    if (t->me == 0)
        times_print(&times, t->plane, verified, NULL);
}

int main(int argc, char **argv)
{
    struct test t = { .n = 32, .rounds = 100, .warmup = 10, .repeats = 10, .rows = "board" };
    const struct option options[] = { { .key = "n", .number = &t.n },
                                      { .key = "rows", .text = &t.rows, .choices = "board|copy" },
                                      { .key = "memory", .memory = &t.memory },
                                      { .key = "warmup", .number = &t.warmup },
                                      { .key = "rounds", .number = &t.rounds },
                                      { .key = "of", .number = &t.of },
                                      { .key = "repeats", .number = &t.repeats },
                                      OPTIONS_END };
    int ranks = 0;

    options_read(argc, argv, options);
    if (t.n < 2 || t.n % 2 != 0 || t.n > 512 || t.rounds == 0 || t.memory == IN_HOST)
        fail("n=%llu rounds=%llu: expected an even n of at most 512, rounds, and a GPU",
             (unsigned long long)t.n, (unsigned long long)t.rounds);
    CHECK(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &t.me), MPI_SUCCESS);
    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks), MPI_SUCCESS);
    if (ranks != RANKS)
        fail("%d ranks: expected %d", ranks, RANKS);
    t.board = strcmp(t.rows, "board") == 0;
    t.row = t.n * sizeof(double);
    t.plane = t.n * t.row;
    t.cube = t.n * t.plane;
    CHECK(tcaInit(), TCA_SUCCESS);
    set_up(&t);
    measure_all(&t);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
