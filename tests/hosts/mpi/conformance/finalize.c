/* MPI 3.1, 8.7.1: MPI_Finalize() completes what was begun, with or without a handle left. */
#include "check.h"

#define LONG 400000

static char out[3][LONG], in[3][LONG];

static void fill(void)
{
    for (int i = 0; i < 3; i++)
        memset(out[i], 16 * i + check_rank % 16, LONG);
}

/* To the next rank: by requests that are freed at once, and out of the attached buffer. */
static void begin(int bytes)
{
    int next = (check_rank + 1) % check_size, prev = (check_rank + check_size - 1) % check_size;
    MPI_Request rq;

    for (int i = 0; i < 3; i++) {
        MPI_Irecv(in[i], bytes, MPI_BYTE, prev, i, MPI_COMM_WORLD, &rq);
        CHECK_OK(MPI_Request_free(&rq), "3.7.3 an active receive");
    }
    MPI_Isend(out[0], bytes, MPI_BYTE, next, 0, MPI_COMM_WORLD, &rq);
    CHECK_OK(MPI_Wait(&rq, MPI_STATUS_IGNORE), "3.7.3 its send");
    MPI_Isend(out[1], bytes, MPI_BYTE, next, 1, MPI_COMM_WORLD, &rq);
    CHECK_OK(MPI_Request_free(&rq), "3.7.3 an active send");
    CHECK_OK(MPI_Bsend(out[2], bytes, MPI_BYTE, next, 2, MPI_COMM_WORLD), "3.6 a buffered send");
}

static void look(int bytes)
{
    int prev = (check_rank + check_size - 1) % check_size;

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < bytes; k += bytes - 1)
            CHECK(in[i][k] == 16 * i + prev % 16, "8.7.1 byte %d of message %d", k, i);
}

int main(int argc, char **argv)
{
    static char buffer[LONG + MPI_BSEND_OVERHEAD];

    check_begin(&argc, &argv, "finalize");
    MPI_Buffer_attach(buffer, sizeof(buffer));
    fill();
    begin(LONG);
    MPI_Finalize();
    look(LONG);
    if (check_rank == 0)
        printf("finalize: %d checks passed, %d failed on rank 0\n", check_counts[0],
               check_counts[1]);
    return check_counts[1] != 0;
}
