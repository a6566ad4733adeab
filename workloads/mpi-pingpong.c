/*
 * Ping-pong between ranks 0 and 1 by MPI: half of a round trip of `rounds` messages each way.
 *
 *   receives=called     a blocking receive when its turn comes
 *   receives=preposted  both sides have posted the receive of the next message before they send
 */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "mpi-common.h"

struct test {
    int me;
    uint64_t bytes, rounds, warmup, repeats;
    int src, dst;
    const char *receives;
    int preposted;
    uint8_t *out, *in;
};

static void receive_post(struct test *t, MPI_Request *request)
{
    CHECK(MPI_Irecv(t->in, (int)t->bytes, MPI_BYTE, !t->me, 0, MPI_COMM_WORLD, request),
          MPI_SUCCESS);
}

static void send(struct test *t)
{
    CHECK(MPI_Send(t->out, (int)t->bytes, MPI_BYTE, !t->me, 0, MPI_COMM_WORLD), MPI_SUCCESS);
}

static void receive(struct test *t)
{
    CHECK(MPI_Recv(t->in, (int)t->bytes, MPI_BYTE, !t->me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          MPI_SUCCESS);
}

/** Rank 1 posts its next receive before it answers, so rank 0 never finds it late. */
static void play_preposted(struct test *t, MPI_Request *next, int last)
{
    if (t->me == 0) {
        send(t);
        CHECK(MPI_Wait(next, MPI_STATUS_IGNORE), MPI_SUCCESS);
        if (!last)
            receive_post(t, next);
        return;
    }
    CHECK(MPI_Wait(next, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (!last)
        receive_post(t, next);
    send(t);
}

static void play(struct test *t)
{
    if (t->me == 0) {
        send(t);
        receive(t);
    } else {
        receive(t);
        send(t);
    }
}

/** `rounds` of them. @return the time of all, on rank 0 */
static double measure(struct test *t)
{
    MPI_Request next = MPI_REQUEST_NULL;
    double start = 0;

    if (t->preposted)
        receive_post(t, &next);
    /* Both posts must have got through before the first message: a barrier alone would not tell
     * whether the peer has taken in what it was told. */
    mpi_settle();
    start = MPI_Wtime();
    for (uint64_t i = 0; i < t->rounds; i++) {
        if (t->preposted)
            play_preposted(t, &next, i + 1 == t->rounds);
        else
            play(t);
    }
    return MPI_Wtime() - start;
}

static void measure_all(struct test *t)
{
    struct times times;
    int verified = 1;

    times_init(&times, t->repeats);
    for (uint64_t i = 0; i < t->warmup + t->repeats; i++) {
        double seconds;

        mpi_fill(t->out, t->bytes, 2 * (unsigned)i + (unsigned)t->me);
        mpi_clear(t->in, t->bytes);
        seconds = measure(t);
        verified &= mpi_holds(t->in, t->bytes, 2 * (unsigned)i + (unsigned)!t->me);
        if (i >= t->warmup)
            times_add(&times, half_round_ps((uint64_t)(seconds * 1e12 + 0.5), t->rounds));
    }
    verified = mpi_all(verified);
    if (t->me == 0)
        times_print(&times, t->bytes, verified, NULL);
}

int main(int argc, char **argv)
{
    struct test t = { .bytes = 8,
                      .rounds = 100,
                      .warmup = 1,
                      .repeats = 10,
                      .src = IN_HOST,
                      .dst = IN_HOST,
                      .receives = "called" };
    const struct option options[] = {
        { .key = "bytes", .number = &t.bytes },
        { .key = "rounds", .number = &t.rounds },
        { .key = "warmup", .number = &t.warmup },
        { .key = "repeats", .number = &t.repeats },
        { .key = "src", .memory = &t.src },
        { .key = "dst", .memory = &t.dst },
        { .key = "receives", .text = &t.receives, .choices = "called|preposted" },
        OPTIONS_END
    };

    options_read(argc, argv, options);
    mpi_check_bytes(t.bytes);
    if (t.rounds == 0)
        fail("rounds=0: expected at least 1");
    t.preposted = t.receives[0] == 'p';
    CHECK(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &t.me), MPI_SUCCESS);
    mpi_pair();
    t.out = mpi_memory(t.src, t.bytes);
    t.in = mpi_memory(t.dst, t.bytes);
    measure_all(&t);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
