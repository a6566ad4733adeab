/*
 * A stream of CPU stores from rank 0 into rank 1's memory: the time from the
 * first store until rank 1 has seen the last word.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include <peach2.h>

#include "common.h"

enum { SEED = 1 };

struct test {
    int me;
    uint64_t bytes, warmup, rounds, repeats;
    int dst;
    struct peach2_buffer in[2];
    uint8_t *message;
};

/* The last word is the number of the stream; see pingpong.c. */
static unsigned long long stream(struct test *t, uint64_t number)
{
    size_t at = t->bytes - 8;

    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (t->me == 0) {
        unsigned long long start = peach2_time_ps();

        memcpy(t->message + at, &number, 8);
        peach2_store(peach2_window(&t->in[1], 0), t->message, t->bytes);
        peach2_commit();
        return start;
    }
    if (t->dst == IN_HOST)
        peach2_wait_word((char *)peach2_pointer(&t->in[1]) + at, 8, number);
    else
        peach2_poll(&t->in[1], at, 8, number);
    return peach2_time_ps();
}

static uint64_t timed(struct test *t, uint64_t number)
{
    unsigned long long own = stream(t, number), both[2];

    CHECK(MPI_Allgather(&own, 1, MPI_UNSIGNED_LONG_LONG, both, 1, MPI_UNSIGNED_LONG_LONG,
                        MPI_COMM_WORLD),
          MPI_SUCCESS);
    return both[1] - both[0];
}

static void run(struct test *t)
{
    struct times times;
    int ok = 1, all = 0;

    times_init(&times, t->repeats);
    for (uint64_t i = 0; i < t->warmup; i++)
        (void)timed(t, i + 1);
    for (uint64_t i = 0; i < t->repeats; i++)
        times_add(&times, timed(t, t->warmup + i + 1));
    if (t->me == 1 && t->bytes > 8)
        ok = bytes_ok(peach2_pointer(&t->in[1]), t->bytes - 8, SEED);
    CHECK(MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), MPI_SUCCESS);
    if (t->me == 0)
        times_print(&times, t->bytes, all, NULL);
}

int main(int argc, char **argv)
{
    struct test t = { .bytes = 4096, .warmup = 1, .rounds = 1, .repeats = 3, .dst = IN_HOST };
    const struct option options[] = {
        { .key = "bytes", .number = &t.bytes },
        { .key = "dst", .memory = &t.dst },
        { .key = "warmup", .number = &t.warmup },
        { .key = "rounds", .number = &t.rounds }, /* each is timed alone: one is as good */
        { .key = "repeats", .number = &t.repeats },
        OPTIONS_END
    };
    struct peach2_buffer own;

    options_read(argc, argv, options);
    if (t.bytes == 0 || t.bytes % 8 != 0)
        fail("bytes=%llu: expected a multiple of 8", (unsigned long long)t.bytes);
    CHECK(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &t.me), MPI_SUCCESS);
    tca_pair();
    CHECK(peach2_open(), 0);
    CHECK(peach2_alloc(t.dst, t.bytes, &own), 0);
    CHECK(MPI_Allgather(&own, sizeof(own), MPI_BYTE, t.in, sizeof(own), MPI_BYTE, MPI_COMM_WORLD),
          MPI_SUCCESS);
    if (peach2_window(&t.in[1], 0) == 0)
        fail("dst: no area of the window reaches this memory");
    t.message = malloc(t.bytes);
    if (t.message == NULL)
        fail("out of memory");
    for (size_t i = 0; i < t.bytes; i++)
        t.message[i] = byte_of(SEED, i);
    run(&t);
    free(t.message);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
