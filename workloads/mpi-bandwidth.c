/*
 * Messages one after the other by MPI, between ranks 0 and 1; the time ends with a synchronisation.
 *
 *   pattern=one   rank 0 sends, rank 1 receives (one call after the other)
 *   pattern=both  both send and receive at once: bytes of both directions count
 *   pattern=rate  windows of 64 non-blocking messages: what matters is their number
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "mpi-common.h"

enum { WINDOW = 64 };

struct test {
    int me;
    uint64_t bytes, count, rounds, warmup, repeats;
    int src, dst;
    const char *pattern;
    uint8_t *out, *in;
};

static void one(const struct test *t)
{
    for (uint64_t i = 0; i < t->count; i++) {
        if (t->me == 0)
            CHECK(MPI_Send(t->out, (int)t->bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        else
            CHECK(MPI_Recv(t->in, (int)t->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                  MPI_SUCCESS);
    }
}

/* The send first: where a long message asks, a receive that answers before the other direction has
 * asked lets that one's answer wait behind the data, and the two go one after the other. */
static void both(const struct test *t)
{
    for (uint64_t i = 0; i < t->count; i++) {
        MPI_Request requests[2];

        CHECK(MPI_Isend(t->out, (int)t->bytes, MPI_BYTE, !t->me, 0, MPI_COMM_WORLD, &requests[0]),
              MPI_SUCCESS);
        CHECK(MPI_Irecv(t->in, (int)t->bytes, MPI_BYTE, !t->me, 0, MPI_COMM_WORLD, &requests[1]),
              MPI_SUCCESS);
        CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    }
}

static void rate(const struct test *t)
{
    MPI_Request requests[WINDOW];

    for (uint64_t done = 0; done < t->count;) {
        int n = t->count - done < WINDOW ? (int)(t->count - done) : WINDOW;

        for (int i = 0; i < n; i++) {
            if (t->me == 0)
                CHECK(
                    MPI_Isend(t->out, (int)t->bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[i]),
                    MPI_SUCCESS);
            else
                CHECK(MPI_Irecv(t->in, (int)t->bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[i]),
                      MPI_SUCCESS);
        }
        CHECK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        done += (uint64_t)n;
    }
}

static double measure(const struct test *t)
{
    double start;

    mpi_settle();
    start = MPI_Wtime();
    if (t->pattern[0] == 'o')
        one(t);
    else if (t->pattern[0] == 'b')
        both(t);
    else
        rate(t);
    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    return MPI_Wtime() - start;
}

static void measure_all(struct test *t)
{
    bool both_ways = t->pattern[0] == 'b';
    uint64_t messages = t->count * (both_ways ? 2 : 1);
    struct times times;
    char more[32];
    int verified = 1;

    times_init(&times, t->repeats);
    for (uint64_t i = 0; i < t->warmup + t->repeats; i++) {
        double seconds;

        mpi_fill(t->out, t->bytes, 2 * (unsigned)i + (unsigned)t->me);
        mpi_clear(t->in, t->bytes);
        seconds = measure(t);
        if (t->me == 1 || both_ways)
            verified &= mpi_holds(t->in, t->bytes, 2 * (unsigned)i + (unsigned)!t->me);
        if (i >= t->warmup)
            times_add(&times, (uint64_t)(seconds * 1e12 + 0.5));
    }
    verified = mpi_all(verified);
    (void)snprintf(more, sizeof(more), "messages=%llu", (unsigned long long)messages);
    if (t->me == 0)
        times_print(&times, t->bytes * messages, verified, more);
}

int main(int argc, char **argv)
{
    struct test t = { .bytes = 8,
                      .count = 1024,
                      .rounds = 1,
                      .warmup = 1,
                      .repeats = 1,
                      .src = IN_HOST,
                      .dst = IN_HOST,
                      .pattern = "one" };
    const struct option options[] = {
        { .key = "bytes", .number = &t.bytes },
        { .key = "count", .number = &t.count },
        { .key = "rounds", .number = &t.rounds }, /* each stream is timed alone */
        { .key = "warmup", .number = &t.warmup },
        { .key = "repeats", .number = &t.repeats },
        { .key = "src", .memory = &t.src },
        { .key = "dst", .memory = &t.dst },
        { .key = "pattern", .text = &t.pattern, .choices = "one|both|rate" },
        OPTIONS_END
    };

    options_read(argc, argv, options);
    mpi_check_bytes(t.bytes);
    if (t.count == 0)
        fail("count=0: expected at least 1");
    CHECK(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &t.me), MPI_SUCCESS);
    mpi_pair();
    t.out = mpi_memory(t.src, t.bytes);
    t.in = mpi_memory(t.dst, t.bytes);
    measure_all(&t);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
