/*
 * Mistakes of MPI, each by its name:  mistakes NAME
 * Two ranks; what `hubrun --check mpi` reports of each is in test_check.cpp.
 */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONG 4000000 /* bytes, more than goes without an answer */

static int rank;
static int ints[8], more[8];
static char *bytes;

/* ---- collectives ---- */

static void different_calls(void)
{
    if (rank == 0)
        MPI_Bcast(ints, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

static void different_order(void)
{
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(ints, more, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void different_roots(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(ints, 1, MPI_INT, rank, MPI_COMM_WORLD);
}

static void different_operations(void)
{
    MPI_Allreduce(ints, more, 1, MPI_INT, rank == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
}

static void different_sizes(void)
{
    MPI_Bcast(ints, rank == 0 ? 2 : 4, MPI_INT, 0, MPI_COMM_WORLD);
}

static void different_sides(void)
{
    MPI_Allgather(ints, 1, MPI_INT, more, rank == 0 ? 2 : 1, MPI_INT, MPI_COMM_WORLD);
}

static void different_counts(void)
{
    const int counts[2] = { 1, 3 }, places[2] = { 0, 1 };

    MPI_Gatherv(ints, 1, MPI_INT, more, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
}

static void different_all_to_all(void)
{
    const int give[2] = { 1, 1 }, get[2] = { rank == 0 ? 1 : 2, 1 };
    const int places[2] = { 0, 2 };

    MPI_Alltoallv(ints, give, places, MPI_INT, more, get, places, MPI_INT, MPI_COMM_WORLD);
}

static void one_does_not_block(void)
{
    MPI_Request request;

    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void forgotten_barrier(void)
{
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Comm pair(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "pair");
    MPI_Barrier(comm);
    return comm;
}

static void left_out_early(void)
{
    MPI_Comm comm = pair();

    if (rank == 0)
        MPI_Bcast(ints, 1, MPI_INT, 0, comm);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void left_out_late(void)
{
    MPI_Comm comm = pair();
    double start = MPI_Wtime();

    while (rank == 0 && MPI_Wtime() < start + 1e-3)
        continue;
    if (rank == 0)
        MPI_Bcast(ints, 1, MPI_INT, 0, comm);
}

static void different_creation(void)
{
    MPI_Comm comm;

    if (rank == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
}

static void different_window_calls(void)
{
    MPI_Win win;

    MPI_Win_create(ints, sizeof(ints), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (rank == 0)
        MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void different_window_calls_named(void)
{
    MPI_Win win;

    MPI_Win_create(ints, sizeof(ints), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "borders");
    if (rank == 0)
        MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void waits_elsewhere(void)
{
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Recv(ints, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- messages ---- */

static void never_received(void)
{
    if (rank == 0)
        MPI_Send(ints, 2, MPI_INT, 1, 3, MPI_COMM_WORLD);
}

/* With the same call to the same rank, some of them another kind of message. */
static void never_received_often(void)
{
    for (int i = 0; rank == 0 && i < 12; i++)
        MPI_Send(ints, 1, MPI_INT, 1, i == 4 || i == 6 ? 3 : 4, MPI_COMM_WORLD);
}

static void other_root_often(void)
{
    for (int i = 0; i < 5; i++)
        MPI_Bcast(ints, 1, MPI_INT, rank, MPI_COMM_WORLD);
}

static void never_received_long(void)
{
    if (rank == 0)
        MPI_Send(bytes, LONG, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
}

static void never_received_buffered(void)
{
    static char room[4096];
    int size;

    MPI_Buffer_attach(room, sizeof(room));
    if (rank == 0)
        MPI_Bsend(ints, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    MPI_Buffer_detach(room, &size);
}

static void never_received_freed(void)
{
    MPI_Comm comm = pair();

    if (rank == 0)
        MPI_Send(ints, 1, MPI_INT, 1, 5, comm);
    MPI_Comm_free(&comm);
}

static void other_tag(void)
{
    if (rank == 0)
        MPI_Send(ints, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(ints, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void only_probed(void)
{
    MPI_Message message;

    if (rank == 0)
        MPI_Send(ints, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
    else
        MPI_Mprobe(0, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
}

/* ---- requests ---- */

static void send_not_completed(void)
{
    MPI_Request request;

    if (rank == 0)
        MPI_Isend(ints, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
    else
        MPI_Recv(ints, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void requests_left_by_all(void)
{
    for (int i = 0; i < 3; i++) {
        MPI_Request request;

        MPI_Isend(ints, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &request);
        MPI_Irecv(ints + 1, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD, &request);
    }
    for (int i = 0; i < 3; i++)
        MPI_Recv(ints + 2, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receive_not_completed(void)
{
    MPI_Request request;

    if (rank == 1)
        MPI_Irecv(ints, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
}

static void collective_not_completed(void)
{
    MPI_Request request;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (rank == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void persistent_not_completed(void)
{
    MPI_Request request;

    if (rank == 0) {
        MPI_Send_init(ints, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
    } else {
        MPI_Recv(ints, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void receive_freed(void)
{
    MPI_Request request;

    if (rank == 1) {
        MPI_Irecv(ints, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    }
}

static void no_finalize(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    exit(0);
}

static void one_exits(void)
{
    if (rank == 1)
        exit(0);
}

static const struct {
    const char *name;
    void (*fn)(void);
} mistakes[] = {
#define MISTAKE(NAME)                                                                              \
    {                                                                                              \
#NAME, NAME                                                                                \
    }
    MISTAKE(different_calls),
    MISTAKE(different_order),
    MISTAKE(different_roots),
    MISTAKE(different_operations),
    MISTAKE(different_sizes),
    MISTAKE(different_sides),
    MISTAKE(different_counts),
    MISTAKE(different_all_to_all),
    MISTAKE(one_does_not_block),
    MISTAKE(forgotten_barrier),
    MISTAKE(left_out_early),
    MISTAKE(left_out_late),
    MISTAKE(different_creation),
    MISTAKE(different_window_calls),
    MISTAKE(different_window_calls_named),
    MISTAKE(waits_elsewhere),
    MISTAKE(never_received),
    MISTAKE(never_received_often),
    MISTAKE(other_root_often),
    MISTAKE(never_received_long),
    MISTAKE(never_received_buffered),
    MISTAKE(never_received_freed),
    MISTAKE(other_tag),
    MISTAKE(only_probed),
    MISTAKE(send_not_completed),
    MISTAKE(requests_left_by_all),
    MISTAKE(receive_not_completed),
    MISTAKE(collective_not_completed),
    MISTAKE(persistent_not_completed),
    MISTAKE(receive_freed),
    MISTAKE(no_finalize),
    MISTAKE(one_exits),
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bytes = calloc(1, LONG);
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++)
        if (strcmp(mistakes[i].name, argv[1]) == 0)
            mistakes[i].fn();
    MPI_Finalize();
    return 0;
}
