/* Non-blocking collectives: 5.12 of MPI-3.1. */
#include "check.h"

#define N 6

/* Waits in one of several ways. */
static void finish(MPI_Request *rq, int way)
{
    int flag = 0;

    if (way % 3 == 0)
        CHECK_OK(MPI_Wait(rq, MPI_STATUS_IGNORE), "5.12 wait");
    else if (way % 3 == 1)
        CHECK_OK(MPI_Waitall(1, rq, MPI_STATUSES_IGNORE), "5.12 wait for all");
    else
        while (!flag)
            MPI_Test(rq, &flag, MPI_STATUS_IGNORE);
    CHECK(*rq == MPI_REQUEST_NULL, "5.12 the request is gone");
}

static int sum(int base)
{
    return base * check_size + check_size * (check_size - 1) / 2;
}

static int out[64 * N], in[64 * N], counts[64], displs[64];

/* Block b of rank r begins with 1000 r + N b; nothing has been received. */
static void fill(void)
{
    for (int r = 0; r < check_size; r++) {
        counts[r] = N;
        displs[r] = N * r;
    }
    for (int i = 0; i < check_size * N; i++)
        out[i] = 1000 * check_rank + i;
    memset(in, -1, sizeof(in));
}

/* Finishes the request; `in` then has block `block` of each of the first `blocks` ranks. */
static void received(MPI_Request *rq, int way, int block, int blocks, const char *text)
{
    int bad = 0;

    finish(rq, way);
    for (int i = 0; i < blocks * N; i++)
        bad += in[i] != 1000 * (i / N) + N * block + i % N;
    CHECK(bad == 0, "%s: %d of %d are wrong", text, bad, blocks * N);
    memset(in, -1, sizeof(in));
}

static void rooted(void)
{
    int n = check_size, root = n - 1, all = check_rank == root ? n : 0;
    MPI_Request rq;

    CHECK_OK(MPI_Ibarrier(MPI_COMM_WORLD, &rq), "5.12.1 barrier");
    finish(&rq, 0);
    in[0] = check_rank == root ? 42 : -1;
    CHECK_OK(MPI_Ibcast(in, 1, MPI_INT, root, MPI_COMM_WORLD, &rq), "5.12.2 broadcast");
    finish(&rq, 1);
    CHECK(in[0] == 42, "5.12.2 everybody has it");
    fill();
    CHECK_OK(MPI_Igather(out, N, MPI_INT, in, N, MPI_INT, root, MPI_COMM_WORLD, &rq),
             "5.12.3 gather");
    received(&rq, 2, 0, all, "5.12.3 the root has all");
    CHECK_OK(MPI_Igatherv(out, N, MPI_INT, in, counts, displs, MPI_INT, root, MPI_COMM_WORLD, &rq),
             "5.12.3 gatherv");
    received(&rq, 0, 0, all, "5.12.3 the root has all, v");
    CHECK_OK(MPI_Iscatter(out, N, MPI_INT, in, N, MPI_INT, 0, MPI_COMM_WORLD, &rq),
             "5.12.4 scatter");
    received(&rq, 1, check_rank, 1, "5.12.4 each has its block");
    CHECK_OK(MPI_Iscatterv(out, counts, displs, MPI_INT, in, N, MPI_INT, 0, MPI_COMM_WORLD, &rq),
             "5.12.4 scatterv");
    received(&rq, 2, check_rank, 1, "5.12.4 each has its block, v");
}

static void rootless(void)
{
    MPI_Datatype types[64];
    MPI_Request rq;
    int n = check_size;

    fill();
    CHECK_OK(MPI_Iallgather(out, N, MPI_INT, in, N, MPI_INT, MPI_COMM_WORLD, &rq),
             "5.12.5 allgather");
    received(&rq, 0, 0, n, "5.12.5 all have all");
    CHECK_OK(MPI_Iallgatherv(out, N, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD, &rq),
             "5.12.5 allgatherv");
    received(&rq, 1, 0, n, "5.12.5 all have all, v");
    CHECK_OK(MPI_Ialltoall(out, N, MPI_INT, in, N, MPI_INT, MPI_COMM_WORLD, &rq),
             "5.12.6 all to all");
    received(&rq, 2, check_rank, n, "5.12.6 a block from each");
    CHECK_OK(MPI_Ialltoallv(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT,
                            MPI_COMM_WORLD, &rq),
             "5.12.6 all to all, v");
    received(&rq, 0, check_rank, n, "5.12.6 a block from each, v");
    for (int r = 0; r < n; r++) {
        types[r] = MPI_INT;
        displs[r] *= (int)sizeof(int);
    }
    CHECK_OK(
        MPI_Ialltoallw(out, counts, displs, types, in, counts, displs, types, MPI_COMM_WORLD, &rq),
        "5.12.6 all to all, w");
    received(&rq, 1, check_rank, n, "5.12.6 a block from each, w");
}

static void each_sum(void)
{
    int n = check_size, out[64], in[64], counts[64], bad = 0;
    MPI_Request rq;

    for (int i = 0; i < 64; i++) {
        out[i] = check_rank + i;
        counts[i] = i % 2; /* also none */
    }
    CHECK_OK(MPI_Ireduce(out, in, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &rq), "5.12.7 reduce");
    finish(&rq, 0);
    for (int i = 0; check_rank == 0 && i < 3; i++)
        bad += in[i] != sum(i);
    CHECK(bad == 0, "5.12.7 the root has the sum");
    CHECK_OK(MPI_Iallreduce(out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &rq), "5.12.8 allreduce");
    finish(&rq, 1);
    for (int i = 0; i < 3; i++)
        bad += in[i] != sum(i);
    CHECK(bad == 0, "5.12.8 all have the sum");
    CHECK_OK(MPI_Ireduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &rq),
             "5.12.9 reduce and scatter, blocks");
    finish(&rq, 2);
    CHECK(in[0] == sum(check_rank), "5.12.9 the own block");
    in[0] = -1;
    CHECK_OK(MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &rq),
             "5.12.10 reduce and scatter");
    finish(&rq, 0);
    CHECK(in[0] == (check_rank % 2 ? sum(check_rank / 2) : -1), "5.12.10 those that get one");
    CHECK_OK(MPI_Iscan(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &rq), "5.12.11 scan");
    finish(&rq, 1);
    CHECK(in[0] == check_rank * (check_rank + 1) / 2, "5.12.11 up to the own rank");
    in[0] = -1;
    CHECK_OK(MPI_Iexscan(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &rq), "5.12.12 exscan");
    finish(&rq, 2);
    CHECK(check_rank == 0 || in[0] == check_rank * (check_rank - 1) / 2,
          "5.12.12 up to the one before");
    for (int r = 0; r < n; r++)
        in[r] = r == check_rank ? 7 * r : -1;
    CHECK_OK(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &rq),
             "5.12.5 in place");
    finish(&rq, 0);
    for (int r = 0; r < n; r++)
        bad += in[r] != 7 * r;
    CHECK(bad == 0, "5.12.5 in place, all");
}

/* Many at once, on two communicators, waited for in another order, with messages of the program and
 * blocking collectives between. */
static void at_once(void)
{
    enum { MANY = 12 };
    int in[MANY], out[MANY], value = -1, all = 0, next = (check_rank + 1) % check_size;
    int last = (check_rank + check_size - 1) % check_size, index, done = 0, bad = 0;
    MPI_Request rq[MANY + 2];
    MPI_Comm twin;

    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &rq[MANY]);
    for (int i = 0; i < MANY; i++) {
        MPI_Comm comm = i % 2 ? twin : MPI_COMM_WORLD;
        out[i] = check_rank + i;
        in[i] = i % 3 == 1 && check_rank == i % check_size ? 900 + i : -1;
        if (i % 3 == 0)
            MPI_Iallreduce(&out[i], &in[i], 1, MPI_INT, MPI_SUM, comm, &rq[i]);
        else if (i % 3 == 1)
            MPI_Ibcast(&in[i], 1, MPI_INT, i % check_size, comm, &rq[i]);
        else
            MPI_Iscan(&out[i], &in[i], 1, MPI_INT, MPI_MAX, comm, &rq[i]);
    }
    MPI_Isend(&check_rank, 1, MPI_INT, next, 77, MPI_COMM_WORLD, &rq[MANY + 1]);
    CHECK_OK(MPI_Allreduce(&check_rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
             "5.12 a blocking one among them");
    CHECK(all == sum(0), "5.12 its result");
    CHECK_OK(MPI_Barrier(twin), "5.12 and another");
    for (int k = 0; k < MANY + 2; k++) {
        MPI_Waitany(MANY + 2, rq, &index, MPI_STATUS_IGNORE);
        done += index != MPI_UNDEFINED;
    }
    CHECK(done == MANY + 2, "5.12 each ends once");
    CHECK(value == last, "5.12 a receive from anybody sees no collective");
    for (int i = 0; i < MANY; i++)
        bad += in[i] != (i % 3 == 0 ? sum(i) : i % 3 == 1 ? 900 + i : check_rank + i);
    CHECK(bad == 0, "5.12 each its own result");
    MPI_Comm_free(&twin);
}

/* Handles may go while the operation is on its way. */
static void freed_early(void)
{
    int n = check_size, in[64 * 2], bad = 0;
    MPI_Request rq, two[2];
    MPI_Datatype pair;
    MPI_Comm twin;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    in[2 * check_rank] = check_rank;
    in[2 * check_rank + 1] = -check_rank;
    CHECK_OK(MPI_Iallgather(MPI_IN_PLACE, 0, pair, in, 1, pair, twin, &rq), "5.12 begin");
    CHECK_OK(MPI_Type_free(&pair), "5.12 free its datatype");
    CHECK_OK(MPI_Comm_free(&twin), "5.12 free its communicator");
    CHECK_OK(MPI_Wait(&rq, MPI_STATUS_IGNORE), "5.12 end");
    for (int r = 0; r < n; r++)
        bad += in[2 * r] != r || in[2 * r + 1] != -r;
    CHECK(bad == 0, "5.12 all is there");
    /* waited for in an order that differs between ranks */
    MPI_Ibarrier(MPI_COMM_WORLD, &two[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &two[1]);
    CHECK_OK(MPI_Wait(&two[check_rank % 2], MPI_STATUS_IGNORE), "5.12 one of two");
    CHECK_OK(MPI_Wait(&two[1 - check_rank % 2], MPI_STATUS_IGNORE), "5.12 the other");
}

/* A large one goes on while the program only exchanges messages. */
static void progress(void)
{
    enum { LONG = 30000 };
    int *big = malloc(LONG * sizeof(int)), bad = 0, flag = 0, turns = 0;
    int next = (check_rank + 1) % check_size, last = (check_rank + check_size - 1) % check_size;
    MPI_Request rq;

    for (int i = 0; i < LONG; i++)
        big[i] = check_rank == 0 ? 3 * i : -1;
    MPI_Ibcast(big, LONG, MPI_INT, 0, MPI_COMM_WORLD, &rq);
    for (int i = 0; i < 20; i++) {
        int in = -1;
        MPI_Sendrecv(&i, 1, MPI_INT, next, 8, &in, 1, MPI_INT, last, 8, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        bad += in != i;
    }
    while (!flag && turns++ < 10000000)
        MPI_Test(&rq, &flag, MPI_STATUS_IGNORE);
    CHECK(flag, "5.12 testing alone makes it end");
    for (int i = 0; i < LONG; i++)
        bad += big[i] != 3 * i;
    CHECK(bad == 0, "5.12 nothing is mixed up");
    free(big);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "nonblocking");
    rooted();
    rootless();
    each_sum();
    at_once();
    freed_early();
    progress();
    return check_end();
}
