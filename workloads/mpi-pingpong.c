/*
 * Ping-pong between ranks 0 and 1 by MPI: half of a round trip of `rounds` messages each way.
 *
 *   receives=called     a blocking receive when its turn comes
 *   receives=preposted  both sides have posted the receive of the next message before they send
 *   blocks=             so many blocks of block_bytes=, one every pitch_bytes=, as
 *                       MPI_Type_vector() has them, instead of `bytes` in one piece
 *   pack=copy           such blocks travel in one piece: the sender's GPU copies them together, and
 *                       the receiver's puts them in place
 */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "mpi-common.h"

struct test {
    int me;
    uint64_t bytes, rounds, warmup, repeats;
    uint64_t blocks, block_bytes, pitch_bytes;
    int src, dst;
    MPI_Datatype type; /* of `count` elements */
    int count;
    const char *receives, *pack;
    uint8_t *packed; /* NULL: messages go from where they are */
    int preposted;
    uint8_t *out, *in;
};

static void receive_post(struct test *t, MPI_Request *request)
{
    CHECK(MPI_Irecv(t->in, t->count, t->type, !t->me, 0, MPI_COMM_WORLD, request), MPI_SUCCESS);
}

static void send(struct test *t)
{
    if (t->packed != NULL)
        mpi_gpu_rows(t->packed, t->block_bytes, t->out, t->pitch_bytes, t->block_bytes, t->blocks);
    CHECK(MPI_Send(t->packed != NULL ? t->packed : t->out, t->count, t->type, !t->me, 0,
                   MPI_COMM_WORLD),
          MPI_SUCCESS);
}

static void receive(struct test *t)
{
    CHECK(MPI_Recv(t->packed != NULL ? t->packed : t->in, t->count, t->type, !t->me, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          MPI_SUCCESS);
    if (t->packed != NULL)
        mpi_gpu_rows(t->in, t->pitch_bytes, t->packed, t->block_bytes, t->block_bytes, t->blocks);
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
    /* Both posts must have got through before the first message: a barrier alone does not
     * mean that the peer has taken in what it got. */
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

static void fill(struct test *t, unsigned seed)
{
    for (uint64_t b = 0; b < t->blocks; b++) {
        mpi_fill(t->out + b * t->pitch_bytes, t->block_bytes, seed + (unsigned)b);
        mpi_clear(t->in + b * t->pitch_bytes, t->block_bytes);
    }
}

static int holds(const struct test *t, unsigned seed)
{
    int good = 1;

    for (uint64_t b = 0; b < t->blocks; b++)
        good &= mpi_holds(t->in + b * t->pitch_bytes, t->block_bytes, seed + (unsigned)b);
    return good;
}

static void measure_all(struct test *t)
{
    struct times times;
    int verified = 1;

    times_init(&times, t->repeats);
    for (uint64_t i = 0; i < t->warmup + t->repeats; i++) {
        double seconds;

        fill(t, 2 * (unsigned)i + (unsigned)t->me);
        seconds = measure(t);
        verified &= holds(t, 2 * (unsigned)i + (unsigned)!t->me);
        if (i >= t->warmup)
            times_add(&times, half_round_ps((uint64_t)(seconds * 1e12 + 0.5), t->rounds));
    }
    verified = mpi_all(verified);
    if (t->me == 0)
        times_print(&times, t->bytes, verified, NULL);
}

/** One block of all bytes, if nothing else was said. @return bytes from the first to the last. */
static uint64_t shape(struct test *t)
{
    if (t->blocks == 0) {
        t->blocks = 1;
        t->block_bytes = t->pitch_bytes = t->bytes;
    }
    if (t->pitch_bytes < t->block_bytes)
        fail("pitch_bytes=%llu: expected at least block_bytes=%llu",
             (unsigned long long)t->pitch_bytes, (unsigned long long)t->block_bytes);
    mpi_check_bytes(t->blocks);
    mpi_check_bytes(t->pitch_bytes);
    t->bytes = t->blocks * t->block_bytes;
    mpi_check_bytes(t->bytes);
    t->type = MPI_BYTE;
    t->count = (int)t->bytes;
    return (t->blocks - 1) * t->pitch_bytes + t->block_bytes;
}

static void set_type(struct test *t)
{
    if (t->blocks == 1 || t->packed != NULL)
        return;
    CHECK(MPI_Type_vector((int)t->blocks, (int)t->block_bytes, (int)t->pitch_bytes, MPI_BYTE,
                          &t->type),
          MPI_SUCCESS);
    CHECK(MPI_Type_commit(&t->type), MPI_SUCCESS);
    t->count = 1;
}

int main(int argc, char **argv)
{
    struct test t = { .bytes = 8,
                      .rounds = 100,
                      .warmup = 1,
                      .repeats = 10,
                      .src = IN_HOST,
                      .dst = IN_HOST,
                      .receives = "called",
                      .pack = "type" };
    const struct option options[] = {
        { .key = "bytes", .number = &t.bytes },
        { .key = "rounds", .number = &t.rounds },
        { .key = "warmup", .number = &t.warmup },
        { .key = "repeats", .number = &t.repeats },
        { .key = "src", .memory = &t.src },
        { .key = "dst", .memory = &t.dst },
        { .key = "blocks", .number = &t.blocks },
        { .key = "block_bytes", .number = &t.block_bytes },
        { .key = "pitch_bytes", .number = &t.pitch_bytes },
        { .key = "pack", .text = &t.pack, .choices = "type|copy" },
        { .key = "receives", .text = &t.receives, .choices = "called|preposted" },
        OPTIONS_END
    };
    uint64_t extent;

    options_read(argc, argv, options);
    extent = shape(&t);
    if (t.rounds == 0)
        fail("rounds=0: expected at least 1");
    t.preposted = t.receives[0] == 'p';
    if (t.pack[0] == 'c' && (t.preposted || t.src == IN_HOST || t.dst != t.src))
        fail("pack=copy: expected receives=called, and src and dst the same GPU");
    CHECK(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &t.me), MPI_SUCCESS);
    mpi_pair();
    if (t.pack[0] == 'c')
        t.packed = mpi_memory(t.src, t.bytes);
    set_type(&t);
    t.out = mpi_memory(t.src, extent);
    t.in = mpi_memory(t.dst, extent);
    measure_all(&t);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
