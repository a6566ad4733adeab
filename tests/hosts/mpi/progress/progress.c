/*
 * Who waits for a rank that is silent, for a second, after a call of MPI?
 *
 *   progress list                                    names of all cases
 *   progress CASE BYTES plain|asleep|computing       prints a time in us, and interrupts by helpers
 *
 * One rank goes on at once to its next call of MPI, or sleeps before, or computes. Printed is when
 * the last one of the other ranks was done, from the time at which all began. What has not
 * completed when the silence begins is called "pending:X".
 */
#include <mpi-hub.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hosts/loops/include/hub-work.h"

#define RANKS   4
#define BYTES   (1 << 20)            /* the longest message */
#define GO      99                   /* tag */
#define SILENCE UINT64_C(1000000000) /* ns */

enum silence { PLAIN, ASLEEP, COMPUTING };

static int me, bytes;
static enum silence silence;
static uint64_t start_ns, ended_ns, helped;
static char *in, *out;
static MPI_Win win;
static char *shown; /* the window's memory */

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
    uint64_t now = now_ns(), left = ns > now ? ns - now : 0;
    struct timespec t = { (time_t)(left / 1000000000u), (long)(left % 1000000000u) };

    nanosleep(&t, NULL);
}

/* What an operation takes is the platform's: measured first. */
static void compute_until(uint64_t ns)
{
    uint64_t before = now_ns(), after;

    hub_work(HUB_LOOP_COUNTING, 100000);
    after = now_ns();
    if (after > before && ns > after)
        hub_work(HUB_LOOP_COUNTING, (ns - after) * 100000 / (after - before));
}

/** The silent rank's second; or it waits in MPI for words of so many others. */
static void hush(int others)
{
    if (silence == ASLEEP)
        sleep_until(now_ns() + SILENCE);
    else if (silence == COMPUTING)
        compute_until(now_ns() + SILENCE);
    for (int i = 0; silence == PLAIN && i < others; i++)
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/** Another rank has what it waited for. It is out of the way until all have, in each run. */
static void ended(int silent)
{
    ended_ns = now_ns();
    sleep_until(start_ns + 3 * SILENCE);
    if (silence == PLAIN)
        MPI_Send(NULL, 0, MPI_BYTE, silent, GO, MPI_COMM_WORLD);
}

/* ---- a sender falls silent; rank 1 receives ---------------------------------------------- */

static void receive(void)
{
    if (me != 1)
        return;
    MPI_Recv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ended(0);
}

#define BLOCKING(NAME, CALL)                                                                       \
    static void NAME(void)                                                                         \
    {                                                                                              \
        if (me == 0) {                                                                             \
            CALL(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);                                      \
            hush(1);                                                                               \
        }                                                                                          \
        receive();                                                                                 \
    }
BLOCKING(send, MPI_Send)
BLOCKING(ssend, MPI_Ssend)

static void rsend(void)
{
    MPI_Request rq;

    if (me == 1) {
        MPI_Irecv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &rq);
        MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        MPI_Wait(&rq, MPI_STATUS_IGNORE);
        ended(0);
    } else if (me == 0) {
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        hush(1);
    }
}

static char *attach(void)
{
    int room = 2 * (BYTES + MPI_BSEND_OVERHEAD);
    char *buffer = malloc((size_t)room);

    MPI_Buffer_attach(buffer, room);
    return buffer;
}

static void bsend_detach(void)
{
    int size;

    if (me == 0) {
        char *buffer = attach();

        MPI_Bsend(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Buffer_detach(&buffer, &size);
        hush(1);
        free(buffer);
    }
    receive();
}

/* By each of the functions that report the end of a request. */
#define NONBLOCKING(NAME, START, END)                                                              \
    static void NAME(void)                                                                         \
    {                                                                                              \
        MPI_Request rq[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };                                \
        int flag = 0, index, indices[2];                                                           \
                                                                                                   \
        (void)flag, (void)index, (void)indices;                                                    \
        if (me == 0) {                                                                             \
            START(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, rq);                                 \
            END;                                                                                   \
            hush(1);                                                                               \
        }                                                                                          \
        receive();                                                                                 \
    }
NONBLOCKING(isend_wait, MPI_Isend, MPI_Wait(rq, MPI_STATUS_IGNORE))
NONBLOCKING(isend_waitall, MPI_Isend, MPI_Waitall(2, rq, MPI_STATUSES_IGNORE))
NONBLOCKING(isend_waitany, MPI_Isend, MPI_Waitany(2, rq, &index, MPI_STATUS_IGNORE))
NONBLOCKING(isend_waitsome, MPI_Isend, MPI_Waitsome(2, rq, &index, indices, MPI_STATUSES_IGNORE))
NONBLOCKING(isend_test, MPI_Isend, while (!flag) MPI_Test(rq, &flag, MPI_STATUS_IGNORE))
NONBLOCKING(isend_testall, MPI_Isend, while (!flag) MPI_Testall(2, rq, &flag, MPI_STATUSES_IGNORE))
NONBLOCKING(isend_testany, MPI_Isend,
            while (!flag) MPI_Testany(2, rq, &index, &flag, MPI_STATUS_IGNORE))
NONBLOCKING(isend_testsome, MPI_Isend,
            while (flag != 1) MPI_Testsome(2, rq, &flag, indices, MPI_STATUSES_IGNORE))
NONBLOCKING(isend_status, MPI_Isend,
            while (!flag) MPI_Request_get_status(*rq, &flag, MPI_STATUS_IGNORE))
NONBLOCKING(issend_wait, MPI_Issend, MPI_Wait(rq, MPI_STATUS_IGNORE))

static void start_wait(void)
{
    MPI_Request rq;

    if (me == 0) {
        MPI_Send_init(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &rq);
        MPI_Start(&rq);
        MPI_Wait(&rq, MPI_STATUS_IGNORE);
        hush(1);
        MPI_Request_free(&rq);
    }
    receive();
}

static void sendrecv(void)
{
    if (me > 1)
        return;
    MPI_Sendrecv(out, bytes, MPI_BYTE, 1 - me, 0, in, bytes, MPI_BYTE, 1 - me, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    me == 0 ? hush(1) : ended(0);
}

static void sendrecv_replace(void)
{
    if (me > 1)
        return;
    MPI_Sendrecv_replace(in, bytes, MPI_BYTE, 1 - me, 0, 1 - me, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    me == 0 ? hush(1) : ended(0);
}

/* ---- a receiver falls silent; rank 1 sends ------------------------------------------------- */

static void give(void)
{
    if (me != 1)
        return;
    MPI_Ssend(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    ended(0);
}

static void recv(void)
{
    if (me == 0) {
        MPI_Recv(in, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        hush(1);
    }
    give();
}

static void irecv_wait(void)
{
    MPI_Request rq;

    if (me == 0) {
        MPI_Irecv(in, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &rq);
        MPI_Wait(&rq, MPI_STATUS_IGNORE);
        hush(1);
    }
    give();
}

static void mprobe_mrecv(void)
{
    MPI_Message message;

    if (me == 0) {
        MPI_Mprobe(1, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(in, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        hush(1);
    }
    give();
}

/* ---- a rank of a collective falls silent ---------------------------------------------------- */

static int counts[RANKS], displs[RANKS];

#define COLLECTIVE(NAME, QUIET, CALL)                                                              \
    static void NAME(void)                                                                         \
    {                                                                                              \
        CALL;                                                                                      \
        me == (QUIET) ? hush(RANKS - 1) : ended(QUIET);                                            \
    }
#define WORLD MPI_COMM_WORLD
COLLECTIVE(barrier, 2, MPI_Barrier(WORLD))
COLLECTIVE(bcast_root, 0, MPI_Bcast(in, bytes, MPI_BYTE, 0, WORLD))
COLLECTIVE(bcast, 2, MPI_Bcast(in, bytes, MPI_BYTE, 0, WORLD))
COLLECTIVE(gather, 2, MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, WORLD))
COLLECTIVE(gatherv, 2, MPI_Gatherv(out, bytes, MPI_BYTE, in, counts, displs, MPI_BYTE, 0, WORLD))
COLLECTIVE(scatter_root, 0, MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, WORLD))
COLLECTIVE(scatter, 2, MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, WORLD))
COLLECTIVE(scatterv_root, 0,
           MPI_Scatterv(out, counts, displs, MPI_BYTE, in, bytes, MPI_BYTE, 0, WORLD))
COLLECTIVE(allgather, 2, MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, WORLD))
COLLECTIVE(allgatherv, 2, MPI_Allgatherv(out, bytes, MPI_BYTE, in, counts, displs, MPI_BYTE, WORLD))
COLLECTIVE(alltoall, 2, MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, WORLD))
COLLECTIVE(alltoallv, 2,
           MPI_Alltoallv(out, counts, displs, MPI_BYTE, in, counts, displs, MPI_BYTE, WORLD))
COLLECTIVE(reduce, 2, MPI_Reduce(out, in, bytes, MPI_BYTE, MPI_BOR, 0, WORLD))
COLLECTIVE(allreduce, 2, MPI_Allreduce(out, in, bytes, MPI_BYTE, MPI_BOR, WORLD))
COLLECTIVE(reduce_scatter, 2, MPI_Reduce_scatter(out, in, counts, MPI_BYTE, MPI_BOR, WORLD))
COLLECTIVE(reduce_scatter_block, 2,
           MPI_Reduce_scatter_block(out, in, bytes, MPI_BYTE, MPI_BOR, WORLD))
COLLECTIVE(scan, 0, MPI_Scan(out, in, bytes, MPI_BYTE, MPI_BOR, WORLD))
COLLECTIVE(exscan, 0, MPI_Exscan(out, in, bytes, MPI_BYTE, MPI_BOR, WORLD))

static void comm_dup(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(WORLD, &comm);
    me == 2 ? hush(RANKS - 1) : ended(2);
    MPI_Comm_free(&comm);
}

#define STARTED(NAME, QUIET, CALL)                                                                 \
    static void NAME(void)                                                                         \
    {                                                                                              \
        MPI_Request rq;                                                                            \
                                                                                                   \
        CALL;                                                                                      \
        MPI_Wait(&rq, MPI_STATUS_IGNORE);                                                          \
        me == (QUIET) ? hush(RANKS - 1) : ended(QUIET);                                            \
    }
STARTED(ibarrier_wait, 2, MPI_Ibarrier(WORLD, &rq))
STARTED(ibcast_wait, 0, MPI_Ibcast(in, bytes, MPI_BYTE, 0, WORLD, &rq))
STARTED(iallreduce_wait, 2, MPI_Iallreduce(out, in, bytes, MPI_BYTE, MPI_BOR, WORLD, &rq))
STARTED(ialltoall_wait, 2, MPI_Ialltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, WORLD, &rq))

/* ---- one-sided ------------------------------------------------------------------------------ */

#define FENCED(NAME, QUIET, CALL)                                                                  \
    static void NAME(void)                                                                         \
    {                                                                                              \
        MPI_Win_fence(0, win);                                                                     \
        if (me == 1)                                                                               \
            CALL;                                                                                  \
        MPI_Win_fence(0, win);                                                                     \
        me == (QUIET) ? hush(RANKS - 1) : ended(QUIET);                                            \
    }
FENCED(put_fence, 1, MPI_Put(out, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, win))
FENCED(put_fence_target, 0, MPI_Put(out, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, win))
FENCED(get_fence, 1, MPI_Get(in, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, win))
FENCED(get_fence_target, 0, MPI_Get(in, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, win))
FENCED(accumulate_fence, 1,
       MPI_Accumulate(out, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, MPI_BOR, win))

static void put_complete(void) /* the origin is silent after its epoch, or the target */
{
    MPI_Group world, one;
    int other = 1 - me;

    if (me > 1)
        return;
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, &other, &one);
    if (me == 0) {
        MPI_Win_start(one, 0, win);
        MPI_Put(out, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, win);
        MPI_Win_complete(win);
        hush(1);
    } else {
        MPI_Win_post(one, 0, win);
        MPI_Win_wait(win);
        ended(0);
    }
    MPI_Group_free(&one);
    MPI_Group_free(&world);
}

/* The last byte is there: the target looks at its memory. */
static void wait_shown(void)
{
    volatile char *last = shown + (bytes > 0 ? bytes - 1 : 0);

    while (bytes > 0 && *last != out[bytes - 1])
        MPI_Win_sync(win);
    ended(0);
}

#define LOCKED(NAME, BEGIN, END, REST)                                                             \
    static void NAME(void)                                                                         \
    {                                                                                              \
        if (me == 0) {                                                                             \
            BEGIN;                                                                                 \
            MPI_Put(out, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, win);                             \
            END;                                                                                   \
            hush(1);                                                                               \
            REST;                                                                                  \
        }                                                                                          \
        if (me == 1) {                                                                             \
            MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, win);                               \
            wait_shown();                                                                          \
            MPI_Win_unlock(1, win);                                                                \
        }                                                                                          \
    }
LOCKED(put_unlock, MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win), MPI_Win_unlock(1, win), )
LOCKED(put_flush, MPI_Win_lock_all(0, win), MPI_Win_flush(1, win), MPI_Win_unlock_all(win))

/* ---- what has not completed ------------------------------------------------------------------ */

#define PENDING(NAME, START)                                                                       \
    static void NAME(void)                                                                         \
    {                                                                                              \
        MPI_Request rq;                                                                            \
                                                                                                   \
        if (me == 0) {                                                                             \
            START(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &rq);                                \
            hush(1);                                                                               \
            MPI_Wait(&rq, MPI_STATUS_IGNORE);                                                      \
        }                                                                                          \
        receive();                                                                                 \
    }
PENDING(isend, MPI_Isend)
PENDING(issend, MPI_Issend)

static void bsend(void)
{
    int size;

    if (me == 0) {
        char *buffer = attach();

        MPI_Bsend(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        hush(1);
        MPI_Buffer_detach(&buffer, &size);
        free(buffer);
    }
    receive();
}

static void start(void)
{
    MPI_Request rq;

    if (me == 0) {
        MPI_Send_init(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &rq);
        MPI_Start(&rq);
        hush(1);
        MPI_Wait(&rq, MPI_STATUS_IGNORE);
        MPI_Request_free(&rq);
    }
    receive();
}

/* The sender waits for what a receiver says that has called, and not waited. */
static void irecv(void)
{
    MPI_Request rq;

    if (me == 0) {
        MPI_Irecv(in, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &rq);
        hush(1);
        MPI_Wait(&rq, MPI_STATUS_IGNORE);
    }
    give();
}

/* Its message is there before it begins. */
static void irecv_late(void)
{
    MPI_Request rq;

    if (me == 0) {
        sleep_until(start_ns + 10 * 1000000);
        MPI_Irecv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &rq);
        hush(1);
        MPI_Wait(&rq, MPI_STATUS_IGNORE);
    }
    give();
}

#define ICOLL(NAME, QUIET, CALL)                                                                   \
    static void NAME(void)                                                                         \
    {                                                                                              \
        MPI_Request rq;                                                                            \
                                                                                                   \
        CALL;                                                                                      \
        if (me == (QUIET))                                                                         \
            hush(RANKS - 1);                                                                       \
        MPI_Wait(&rq, MPI_STATUS_IGNORE);                                                          \
        if (me != (QUIET))                                                                         \
            ended(QUIET);                                                                          \
    }
ICOLL(ibarrier, 2, MPI_Ibarrier(WORLD, &rq))
ICOLL(ibcast, 0, MPI_Ibcast(in, bytes, MPI_BYTE, 0, WORLD, &rq))
ICOLL(iallgather, 2, MPI_Iallgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, WORLD, &rq))
ICOLL(iallreduce, 2, MPI_Iallreduce(out, in, bytes, MPI_BYTE, MPI_BOR, WORLD, &rq))
ICOLL(ialltoall, 2, MPI_Ialltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, WORLD, &rq))

/* The target of a passive epoch is silent from before it on. */
static void passive(void)
{
    if (me == 0)
        hush(1);
    if (me != 1)
        return;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(out, bytes, MPI_BYTE, 0, 0, bytes, MPI_BYTE, win);
    MPI_Win_unlock(0, win);
    ended(0);
}

#define CASE(NAME, TEXT)                                                                           \
    {                                                                                              \
        NAME, TEXT                                                                                 \
    }
static const struct test {
    void (*run)(void);
    const char *name;
} tests[] = {
    CASE(send, "Send"),
    CASE(ssend, "Ssend"),
    CASE(rsend, "Rsend"),
    CASE(bsend_detach, "Bsend+Buffer_detach"),
    CASE(isend_wait, "Isend+Wait"),
    CASE(isend_waitall, "Isend+Waitall"),
    CASE(isend_waitany, "Isend+Waitany"),
    CASE(isend_waitsome, "Isend+Waitsome"),
    CASE(isend_test, "Isend+Test"),
    CASE(isend_testall, "Isend+Testall"),
    CASE(isend_testany, "Isend+Testany"),
    CASE(isend_testsome, "Isend+Testsome"),
    CASE(isend_status, "Isend+Request_get_status"),
    CASE(issend_wait, "Issend+Wait"),
    CASE(start_wait, "Start+Wait"),
    CASE(sendrecv, "Sendrecv"),
    CASE(sendrecv_replace, "Sendrecv_replace"),
    CASE(recv, "Recv"),
    CASE(irecv_wait, "Irecv+Wait"),
    CASE(mprobe_mrecv, "Mprobe+Mrecv"),
    CASE(barrier, "Barrier"),
    CASE(bcast_root, "Bcast,root"),
    CASE(bcast, "Bcast"),
    CASE(gather, "Gather"),
    CASE(gatherv, "Gatherv"),
    CASE(scatter_root, "Scatter,root"),
    CASE(scatter, "Scatter"),
    CASE(scatterv_root, "Scatterv,root"),
    CASE(allgather, "Allgather"),
    CASE(allgatherv, "Allgatherv"),
    CASE(alltoall, "Alltoall"),
    CASE(alltoallv, "Alltoallv"),
    CASE(reduce, "Reduce"),
    CASE(allreduce, "Allreduce"),
    CASE(reduce_scatter, "Reduce_scatter"),
    CASE(reduce_scatter_block, "Reduce_scatter_block"),
    CASE(scan, "Scan"),
    CASE(exscan, "Exscan"),
    CASE(comm_dup, "Comm_dup"),
    CASE(ibarrier_wait, "Ibarrier+Wait"),
    CASE(ibcast_wait, "Ibcast+Wait"),
    CASE(iallreduce_wait, "Iallreduce+Wait"),
    CASE(ialltoall_wait, "Ialltoall+Wait"),
    CASE(put_fence, "Put+Win_fence"),
    CASE(put_fence_target, "Put+Win_fence,target"),
    CASE(get_fence, "Get+Win_fence"),
    CASE(get_fence_target, "Get+Win_fence,target"),
    CASE(accumulate_fence, "Accumulate+Win_fence"),
    CASE(put_complete, "Put+Win_complete"),
    CASE(put_unlock, "Put+Win_unlock"),
    CASE(put_flush, "Put+Win_flush"),
    CASE(isend, "pending:Isend"),
    CASE(issend, "pending:Issend"),
    CASE(bsend, "pending:Bsend"),
    CASE(start, "pending:Start"),
    CASE(irecv, "pending:Irecv"),
    CASE(irecv_late, "pending:Irecv,late"),
    CASE(ibarrier, "pending:Ibarrier"),
    CASE(ibcast, "pending:Ibcast"),
    CASE(iallgather, "pending:Iallgather"),
    CASE(iallreduce, "pending:Iallreduce"),
    CASE(ialltoall, "pending:Ialltoall"),
    CASE(passive, "pending:Win_lock,target"),
};

/* All begin at one time. @return when the last one of the others was done, in ns from then on. */
static uint64_t run(const struct test *t)
{
    const uint64_t ms = 1000000;
    uint64_t took, most;
    MPIX_Hub_counts counted;

    memset(out, 1, (size_t)bytes * RANKS);
    for (int r = 0; r < RANKS; r++) {
        counts[r] = bytes;
        displs[r] = r * bytes;
    }
    MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shown, &win);
    memset(shown, 0, (size_t)bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    start_ns = (now_ns() / (100 * ms) + 2) * 100 * ms;
    sleep_until(start_ns);
    t->run();
    took = ended_ns > start_ns ? ended_ns - start_ns : 0;
    MPIX_Hub_counters(&counted);
    MPI_Allreduce(&took, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&counted.helped, &helped, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return most;
}

static const struct test *find(const char *name)
{
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        if (strcmp(name, tests[i].name) == 0)
            return &tests[i];
    return NULL;
}

static int list(void)
{
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        puts(tests[i].name);
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = { "plain", "asleep", "computing" };
    const struct test *t = argc == 4 ? find(argv[1]) : NULL;
    uint64_t took;

    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return list();
    if (t == NULL)
        return 2;
    bytes = atoi(argv[2]);
    while (silence < COMPUTING && strcmp(argv[3], kinds[silence]) != 0)
        silence++;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    in = calloc(RANKS, BYTES);
    out = calloc(RANKS, BYTES);
    took = run(t);
    if (me == 0)
        printf("%.3f %llu\n", (double)took * 1e-3, (unsigned long long)helped);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
