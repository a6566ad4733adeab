/* 3.5: messages that come around the end of another call, after which their receiver computes. With
 * progress=helper their senders do not wait for it, whenever they begin. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, nanosleep */
#include <stdbool.h>
#include <time.h>

#include "check.h"

#define SILENT_US 1000
#define STEP_NS   20
#define STEPS     400
#define LIMIT_US  500 /* tcp's signals and interrupts take 155 us each */

static long now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_until(long ns)
{
    long left = ns - now_ns();
    const struct timespec t = { left / 1000000000, left % 1000000000 };

    if (left > 0)
        nanosleep(&t, NULL);
}

/* Rank 2 begins so many ns after rank 0, which is silent for a millisecond behind a call that has
 * sent to rank 1. @return what rank 2 has waited, in us */
static long one_message(long start_ns, long after_ns)
{
    MPI_Request rq;
    char byte = 0;
    long from;

    sleep_until(start_ns + (check_rank == 2 ? after_ns : 0));
    from = now_ns();
    if (check_rank == 0) {
        MPI_Ssend(&byte, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Irecv(&byte, 1, MPI_BYTE, 2, 1, MPI_COMM_WORLD, &rq);
        sleep_until(start_ns + SILENT_US * 1000);
        MPI_Wait(&rq, MPI_STATUS_IGNORE);
    } else if (check_rank == 1) {
        MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (check_rank == 2) {
        MPI_Ssend(&byte, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    return (now_ns() - from) / 1000;
}

int main(int argc, char **argv)
{
    MPI_Request pending;
    long start_ns;
    int ignored;
    bool helped = true;

    check_begin(&argc, &argv, "arrivals");
    if (check_size >= 3) {
        MPI_Irecv(&ignored, 1, MPI_INT, MPI_ANY_SOURCE, 777, MPI_COMM_WORLD, &pending);
        start_ns = now_ns() + 1000000;
        MPI_Bcast(&start_ns, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        for (long i = -1; i < STEPS && helped; i++) {
            long after_ns = i < 0 ? 200000 : i * STEP_NS;
            long us = one_message(start_ns + (i + 1) * 4 * SILENT_US * 1000, after_ns);

            if (i < 0) /* amid the silence: with progress=calls there is nothing to see */
                helped = us < LIMIT_US;
            else if (check_rank == 2)
                CHECK(us < LIMIT_US, "a message %ld ns after the call began waits %ld us", after_ns,
                      us);
            MPI_Bcast(&helped, 1, MPI_C_BOOL, 2, MPI_COMM_WORLD);
        }
        MPI_Cancel(&pending);
        MPI_Wait(&pending, MPI_STATUS_IGNORE);
    }
    return check_end();
}
