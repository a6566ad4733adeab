/* Chapter 11, one-sided communications: epochs that begin with a lock. */
#include "check.h"

#include <stdint.h>

#define N 2000

static int left, right;

/* All ranks draw numbers from rank 0's counter. */
static void draws(MPI_Win win)
{
    int64_t one = 1, was = -1, seen = -1;

    CHECK_OK(MPI_Win_lock_all(0, win), "11.5.3 lock_all");
    for (int i = 0; i < 10; i++) {
        int64_t now = -1;

        CHECK_OK(MPI_Fetch_and_op(&one, &now, MPI_INT64_T, 0, 0, MPI_SUM, win), "11.3.4 fetch");
        CHECK_OK(MPI_Win_flush(0, win), "11.5.4 flush");
        CHECK(now > was && now < 10 * check_size, "11.3.4 fetch_and_op counts: %d", (int)now);
        was = now;
    }
    CHECK_OK(MPI_Win_unlock_all(win), "11.5.3 unlock_all");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(&seen, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win);
    MPI_Win_unlock(0, win);
    CHECK(seen == 10 * check_size, "11.3.4 all have counted");
}

/* One of all takes the place. */
static void swaps(MPI_Win win)
{
    int64_t mine = check_rank + 1, nobody = 0, before = -1;
    int wins;

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    CHECK_OK(MPI_Compare_and_swap(&mine, &nobody, &before, MPI_INT64_T, 0, 1, win),
             "11.3.4 compare_and_swap");
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Compare_and_swap(&mine, &nobody, &before, MPI_DOUBLE, 0, 0, win),
                "11.3.4 a number that may not be swapped");
    MPI_Win_unlock(0, win);
    wins = before == 0;
    MPI_Allreduce(MPI_IN_PLACE, &wins, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(wins == 1, "11.3.4 one swaps: %d", wins);
}

/* Read, add, write: no other rank comes between. */
static void excludes(MPI_Win win, int64_t *counter)
{
    if (check_rank == 0)
        counter[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++) {
        int64_t value = -1;

        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win), "11.5.3 lock");
        MPI_Get(&value, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win);
        CHECK_OK(MPI_Win_flush(0, win), "11.5.4 flush");
        value++;
        MPI_Put(&value, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win);
        CHECK_OK(MPI_Win_unlock(0, win), "11.5.3 unlock");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(check_rank > 0 || counter[0] == 5 * check_size, "11.5.3 exclusive");
}

static void counters(void)
{
    int64_t *counter = NULL;
    MPI_Win win;

    CHECK_OK(MPI_Win_allocate(check_rank == 0 ? 16 : 0, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &counter,
                              &win),
             "11.2.2 allocate on one rank");
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (check_rank == 0)
        counter[0] = counter[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    draws(win);
    swaps(win);
    excludes(win, counter);
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_unlock(0, win), "11.5.3 unlock without lock");
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_flush(0, win), "11.5.4 flush without lock");
    CHECK_ERROR(MPI_ERR_LOCKTYPE, MPI_Win_lock(0, 0, 0, win), "11.5.3 no such lock");
    CHECK_OK(MPI_Win_free(&win), "11.2.5 free");
}

/* Who spins on his own memory must let others write there, whatever call he spins on. */
static void spins(void)
{
    enum { FETCH, LOCK, SYNC, LOCAL, WAYS, TURNS = 100000 };
    int *memory = NULL, one = 1, seen, turns;
    MPI_Win win;

    MPI_Win_allocate(WAYS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memset(memory, 0, WAYS * sizeof(int));
    for (int way = 0; way < WAYS; way++) {
        MPI_Barrier(MPI_COMM_WORLD); /* no lock for all meets an exclusive one */
        if (way != LOCK)
            MPI_Win_lock_all(0, win);
        else
            MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
        MPI_Accumulate(&one, 1, MPI_INT, right, way, 1, MPI_INT, MPI_REPLACE, win);
        if (way == LOCK)
            MPI_Win_unlock(right, win);
        for (turns = seen = 0; seen == 0 && turns < TURNS; turns++) {
            if (way == LOCK)
                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check_rank, 0, win);
            MPI_Fetch_and_op(NULL, &seen, MPI_INT, check_rank, way, MPI_NO_OP, win);
            if (way == FETCH)
                MPI_Win_flush(check_rank, win);
            else if (way == LOCAL)
                MPI_Win_flush_local_all(win);
            else if (way == SYNC)
                MPI_Win_sync(win);
            else
                MPI_Win_unlock(check_rank, win);
        }
        CHECK(seen == 1, "11.7.3 progress of others, %d", way);
        if (way != LOCK)
            MPI_Win_unlock_all(win);
    }
    MPI_Win_free(&win);
}

static void requests(void)
{
    int memory[N], from[N], got[N], ok = 1;
    MPI_Request rq[2];
    MPI_Win win;

    for (int i = 0; i < N; i++) {
        memory[i] = 7 * check_rank + i;
        from[i] = -i;
        got[i] = 0;
    }
    MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    CHECK_OK(MPI_Rget(got, N, MPI_INT, right, 0, N, MPI_INT, win, &rq[0]), "11.3.5 rget");
    CHECK_OK(MPI_Wait(&rq[0], MPI_STATUS_IGNORE), "11.3.5 wait");
    for (int i = 0; i < N; i++)
        ok &= got[i] == 7 * right + i;
    CHECK(ok, "11.3.5 what MPI_Rget got");
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    CHECK_OK(MPI_Rput(from, N / 2, MPI_INT, right, 0, N / 2, MPI_INT, win, &rq[0]), "11.3.5 rput");
    CHECK_OK(
        MPI_Raccumulate(from, N / 2, MPI_INT, right, N / 2, N / 2, MPI_INT, MPI_SUM, win, &rq[1]),
        "11.3.5 raccumulate");
    CHECK_OK(MPI_Waitall(2, rq, MPI_STATUSES_IGNORE), "11.3.5 waitall");
    CHECK(rq[0] == MPI_REQUEST_NULL && rq[1] == MPI_REQUEST_NULL, "11.3.5 waitall");
    CHECK_OK(MPI_Win_flush_all(win), "11.5.4 flush_all");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_sync(win), "11.5.4 sync");
    ok = 1;
    for (int i = 0; i < N / 2; i++)
        ok &= memory[i] == -i && memory[N / 2 + i] == 7 * check_rank + N / 2 + i - i;
    CHECK(ok, "11.3.5 what came");
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* How a target looks at its window, while others wait for it. */
enum looks { BY_SYNC, BY_PROBE, BY_RECEIVE, BY_BARRIER, LOOKS };

static void look(enum looks how, volatile int *mem, MPI_Win win)
{
    int value = 0, flag;

    if (how == BY_RECEIVE)
        MPI_Recv(&value, 1, MPI_INT, left, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (how == BY_BARRIER)
        MPI_Barrier(MPI_COMM_WORLD);
    while (value == 0) {
        value = mem[0];
        if (how == BY_SYNC)
            MPI_Win_sync(win);
        if (how == BY_PROBE)
            MPI_Iprobe(MPI_ANY_SOURCE, 42, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    CHECK(value == left + 1, "11.7 the target finds what was put");
}

/* Every second rank looks, the others put. The last one of an odd number does neither. */
static void progress(void)
{
    volatile int *mem;
    MPI_Win win;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
    for (int how = 0; how < LOOKS; how++) {
        int value = check_rank + 1;

        mem[0] = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        if (check_rank % 2 == 1) {
            look(how, mem, win);
        } else {
            if (check_rank + 1 < check_size) {
                MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
                MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, win);
                CHECK_OK(MPI_Win_flush(right, win),
                         "11.5.4 a flush ends whatever the target calls");
                if (how == BY_RECEIVE)
                    MPI_Send(&value, 1, MPI_INT, right, 41, MPI_COMM_WORLD);
                MPI_Win_unlock(right, win);
            }
            if (how == BY_BARRIER)
                MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "locks");
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    counters();
    spins();
    requests();
    progress();
    return check_end();
}
