/* What looks like a mistake and is none. Any number of ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, next, prev;
static int one, got, all[64], counts[64], places[64];

static void messages(void)
{
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Status status;
    int n = sizeof(one) + MPI_BSEND_OVERHEAD;
    char *room = malloc((size_t)n);

    /* received in another order than sent */
    MPI_Isend(&one, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&one, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv(&got, 1, MPI_INT, prev, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    /* a handle that is freed: the message goes its way */
    MPI_Isend(&one, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Request_free(&requests[0]);
    MPI_Mprobe(prev, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);

    /* taken back: a receive, and a send that no rank has received */
    MPI_Irecv(&got, 1, MPI_INT, prev, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(&one, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Cancel(&requests[0]);
    MPI_Cancel(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    /* a persistent one that is not freed has nothing to complete */
    MPI_Send_init(&one, 1, MPI_INT, next, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Recv(&got, 1, MPI_INT, prev, 6, MPI_COMM_WORLD, &status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    MPI_Buffer_attach(room, n);
    MPI_Bsend(&one, 1, MPI_INT, next, 7, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, prev, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&room, &n);
    MPI_Sendrecv(&one, 1, MPI_INT, MPI_PROC_NULL, 8, &all, 1, MPI_INT, MPI_PROC_NULL, 8,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Ranks name what they give and get by unlike types and counts. */
static void collectives(void)
{
    MPI_Datatype pair;
    MPI_Request request;
    void *buffer = rank == 0 ? MPI_IN_PLACE : (void *)&one;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Bcast(all, rank == 0 ? 1 : 2, rank == 0 ? pair : MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) {
        counts[r] = r % 3;
        places[r] = 2 * r;
    }
    MPI_Gather(buffer, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(all, rank % 3, MPI_INT, all + 32, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(rank == 0 ? MPI_IN_PLACE : all, rank % 3, MPI_INT, all, counts, places, MPI_INT, 0,
                MPI_COMM_WORLD);
    MPI_Scatterv(all, counts, places, MPI_INT, all + 32, rank % 3, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_INT,
                   MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce_scatter(MPI_IN_PLACE, all, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) /* ranks r and s exchange (r + s) % 3 */
        counts[r] = (rank + r) % 3;
    MPI_Alltoallv(all, counts, places, MPI_INT, all + 32, counts, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Exscan(rank == 0 ? &one : MPI_IN_PLACE, all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Ireduce(rank == 0 ? MPI_IN_PLACE : (void *)&one, rank == 0 ? all : NULL, 1, MPI_INT,
                MPI_SUM, 0, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&pair);
}

/* Groups side by side, each with calls of its own. */
static void communicators(void)
{
    MPI_Comm half, both, merged, own;
    MPI_Group world, group;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    if (rank % 2 == 0)
        MPI_Barrier(half);
    MPI_Bcast(&one, 1, MPI_INT, 0, half);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &rank, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 1, &own);
    MPI_Barrier(own);
    for (int i = 0; i <= rank; i++)
        MPI_Barrier(MPI_COMM_SELF);
    if (size > 1) {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &both);
        MPI_Allgather(all, 1 + rank % 2, MPI_INT, all + 32, 2 - rank % 2, MPI_INT, both);
        MPI_Bcast(all, 1, MPI_INT, rank % 2 == 1 ? 0 : (rank == 0 ? MPI_ROOT : MPI_PROC_NULL),
                  both);
        MPI_Intercomm_merge(both, rank % 2, &merged);
        MPI_Barrier(merged);
        MPI_Comm_free(&merged);
        MPI_Comm_free(&both);
    }
    MPI_Comm_free(&own);
    MPI_Comm_free(&half);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void windows(void)
{
    MPI_Win win;
    MPI_Request request;

    MPI_Win_create(all, rank == 0 ? 8 : 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&one, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Win_lock_all(0, win);
        MPI_Rput(&one, 1, MPI_INT, next, 4, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Win_unlock_all(win);
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    prev = (rank + size - 1) % size;
    messages();
    collectives();
    communicators();
    windows();
    MPI_Finalize();
    return 0;
}
