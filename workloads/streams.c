/*
 * Transfers of rank 0 (and 1) that are all under way at once, by the TCA library:
 * the time from the first start until the last has arrived.
 *
 *   channels=4        on so many channels, each its own `bytes`
 *   both_ways=on      rank 1 sends as much to rank 0 at the same time
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include <peach2.h>
#include <tca-api.h>

#include "common.h"

enum { TAG = 0x100, SEED = 1, CHANNELS_MAX = 4 };

struct test {
    int me;
    uint64_t bytes, channels, warmup, rounds, repeats;
    int src, dst;
    const char *mode, *both_ways;
    uint8_t *out, *in;
    tcaHandle *outs, *ins;
};

static int sends(const struct test *t)
{
    return t->me == 0 || strcmp(t->both_ways, "on") == 0;
}

static int receives(const struct test *t)
{
    return t->me == 1 || strcmp(t->both_ways, "on") == 0;
}

static void set_up(struct test *t)
{
    uint64_t all = t->bytes * t->channels;
    int flags = strcmp(t->mode, "dma-chain-internal") == 0
                    ? tcaDMAUseInternal | tcaDMAUseNotifyInternal
                    : 0;

    t->out = tca_memory(t->src, all);
    t->in = tca_memory(t->dst, all);
    t->outs = tca_publish(t->out, all, t->src);
    t->ins = tca_publish(t->in, all, t->dst);
    for (uint64_t c = 0; c < t->channels && sends(t); c++) {
        tcaDesc *d = tcaDescNew();
        off_t at = (off_t)(c * t->bytes);

        CHECK(tcaDescSetMemcpy(d, &t->ins[!t->me], at, &t->outs[t->me], at, t->bytes,
                               flags | tcaDMANotify, (int)c, TAG),
              TCA_SUCCESS);
        CHECK(tcaDescSet(d, (int)c), TCA_SUCCESS);
        CHECK(tcaDescFree(d), TCA_SUCCESS);
    }
}

/* @return when all that this rank receives has arrived; the clock is that of the machine. */
static uint64_t transfer(struct test *t)
{
    for (uint64_t c = 0; c < t->channels && sends(t); c++)
        CHECK(tcaStartDMADesc((int)c), TCA_SUCCESS);
    for (uint64_t c = 0; c < t->channels && receives(t); c++)
        CHECK(tcaWaitDMARecvDesc(&t->ins[!t->me], (int)c, TAG), TCA_SUCCESS);
    return receives(t) ? peach2_time_ps() : 0;
}

static uint64_t timed(struct test *t)
{
    unsigned long long times[2], ends[2]; /* starts as 2^63 - start, so that one maximum does */
    const unsigned long long far = 1ULL << 62;

    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    times[0] = sends(t) ? far - peach2_time_ps() : 0;
    times[1] = transfer(t);
    CHECK(MPI_Allreduce(times, ends, 2, MPI_UNSIGNED_LONG_LONG, MPI_MAX, MPI_COMM_WORLD),
          MPI_SUCCESS);
    return ends[1] - (far - ends[0]);
}

static int arrived(struct test *t)
{
    int ok = !receives(t) || bytes_ok(t->in, t->bytes * t->channels, SEED), all = 0;

    CHECK(MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), MPI_SUCCESS);
    return all;
}

static void run(struct test *t)
{
    uint64_t ways = strcmp(t->both_ways, "on") == 0 ? 2 : 1;
    struct times times;
    char more[64];
    int verified;

    times_init(&times, t->repeats);
    bytes_fill(t->out, t->bytes * t->channels, SEED);
    bytes_clear(t->in, t->bytes * t->channels);
    for (uint64_t i = 0; i < t->warmup; i++)
        (void)timed(t);
    for (uint64_t i = 0; i < t->repeats; i++)
        times_add(&times, timed(t));
    verified = arrived(t);
    snprintf(more, sizeof(more), "channels=%llu both_ways=%s", (unsigned long long)t->channels,
             t->both_ways);
    if (t->me == 0)
        times_print(&times, t->bytes * t->channels * ways, verified, more);
}

int main(int argc, char **argv)
{
    struct test t = { .bytes = 65536,
                      .channels = 1,
                      .warmup = 1,
                      .rounds = 1,
                      .repeats = 5,
                      .src = IN_HOST,
                      .dst = IN_HOST,
                      .mode = "dma-chain-internal",
                      .both_ways = "off" };
    const struct option options[] = {
        { .key = "mode", .text = &t.mode, .choices = "dma-chain-host|dma-chain-internal" },
        { .key = "bytes", .number = &t.bytes },
        { .key = "channels", .number = &t.channels },
        { .key = "both_ways", .text = &t.both_ways, .choices = "on|off" },
        { .key = "src", .memory = &t.src },
        { .key = "dst", .memory = &t.dst },
        { .key = "warmup", .number = &t.warmup },
        { .key = "rounds", .number = &t.rounds }, /* each is timed alone: one is as good */
        { .key = "repeats", .number = &t.repeats },
        OPTIONS_END
    };

    options_read(argc, argv, options);
    if (t.bytes == 0 || t.channels == 0 || t.channels > CHANNELS_MAX)
        fail("bytes=%llu channels=%llu: expected at least 1 byte and 1 .. 4 channels",
             (unsigned long long)t.bytes, (unsigned long long)t.channels);
    CHECK(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &t.me), MPI_SUCCESS);
    tca_pair();
    CHECK(tcaInit(), TCA_SUCCESS);
    set_up(&t);
    run(&t);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
