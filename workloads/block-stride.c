/*
 * Ping-pong of `blocks` blocks of `block_bytes`, one every `pitch_bytes`, between
 * ranks 0 and 1 by the TCA library: half of a round trip.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>
#include <mpi.h>
#include <peach2.h>
#include <tca-api.h>

#include "common.h"

enum { CHANNEL = 0, SLOT = 3, TAG = 0x100, SEED = 1 };

struct test {
    int me;
    uint64_t blocks, block_bytes, pitch_bytes, rounds, warmup, repeats;
    int src, dst;
    const char *mode, *notify, *notify_self;
    size_t extent;
    uint8_t *out, *in;
    tcaHandle *outs, *ins;
    int wait_self;
};

static void set_up(struct test *t)
{
    int internal = strcmp(t->mode, "dma-chain-internal") == 0;
    int flags = (internal ? tcaDMAUseInternal : 0) |
                ((t->notify[0] == '\0' ? internal : strcmp(t->notify, "internal") == 0)
                     ? tcaDMAUseNotifyInternal
                     : 0) |
                tcaDMANotify;
    tcaDesc *d = tcaDescNew();

    t->wait_self = strcmp(t->notify_self, "on") == 0;
    t->extent = (t->blocks - 1) * t->pitch_bytes + t->block_bytes;
    t->out = tca_memory(t->src, t->extent);
    t->in = tca_memory(t->dst, t->extent);
    t->outs = tca_publish(t->out, t->extent, t->src);
    t->ins = tca_publish(t->in, t->extent, t->dst);
    CHECK(tcaDescSetMemcpy2D(d, &t->ins[!t->me], 0, t->pitch_bytes, &t->outs[t->me], 0,
                             t->pitch_bytes, t->block_bytes, t->blocks,
                             flags | (t->wait_self ? tcaDMANotifySelf : 0), SLOT, TAG),
          TCA_SUCCESS);
    CHECK(tcaDescSet(d, CHANNEL), TCA_SUCCESS);
    CHECK(tcaDescFree(d), TCA_SUCCESS);
}

static void play(struct test *t, uint64_t rounds)
{
    for (uint64_t turn = 0; turn < 2 * rounds; turn++) {
        if ((int)(turn % 2) != t->me) {
            CHECK(tcaWaitDMARecvDesc(&t->ins[!t->me], SLOT, TAG), TCA_SUCCESS);
            continue;
        }
        CHECK(tcaStartDMADesc(CHANNEL), TCA_SUCCESS);
        if (t->wait_self)
            CHECK(tcaWaitDMARecvDesc(&t->outs[t->me], SLOT, TAG), TCA_SUCCESS);
    }
}

/* A block with some bytes on both sides that must stay as they are: between blocks lie up to
 * gigabytes.
 */
struct piece {
    size_t at, n;
};

static struct piece piece_of(const struct test *t, uint64_t block)
{
    size_t first = block * t->pitch_bytes, end = first + t->block_bytes;
    size_t gap = t->pitch_bytes - t->block_bytes;
    size_t guard = gap / 2 < 64 ? gap / 2 : 64;

    first -= first < guard ? first : guard;
    end += t->extent - end < guard ? t->extent - end : guard;
    return (struct piece){ first, end - first };
}

static int piece_ok(const struct test *t, struct piece p, const uint8_t *host)
{
    for (size_t i = 0; i < p.n; i++)
        if (host[i] != ((p.at + i) % t->pitch_bytes < t->block_bytes ? byte_of(SEED, p.at + i) : 0))
            return 0;
    return 1;
}

/* Bytes of the blocks are those of the source, bytes beside them are still zero. */
static int arrived(struct test *t)
{
    uint8_t *host = malloc(t->block_bytes + 128);
    int ok = 1, all = 0;

    if (host == NULL)
        fail("out of memory");
    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    for (uint64_t b = 0; b < t->blocks; b++) {
        struct piece p = piece_of(t, b);

        CHECK(cudaMemcpy(host, t->in + p.at, p.n, cudaMemcpyDefault), cudaSuccess);
        ok &= piece_ok(t, p, host);
    }
    free(host);
    CHECK(MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), MPI_SUCCESS);
    return all;
}

/* Device memory is memory of the process: nothing is simulated here. */
static void fill(struct test *t)
{
    for (uint64_t b = 0; b < t->blocks; b++) {
        struct piece p = piece_of(t, b);

        for (size_t i = p.at; i < p.at + p.n; i++)
            t->out[i] = byte_of(SEED, i);
        bytes_clear(t->in + p.at, p.n);
    }
}

static void run(struct test *t)
{
    struct times times;
    char more[96];
    int verified;

    times_init(&times, t->repeats);
    fill(t);
    for (uint64_t r = 0; r < t->repeats; r++) {
        uint64_t start;

        CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        play(t, t->warmup);
        start = peach2_time_ps();
        play(t, t->rounds);
        times_add(&times, half_round_ps(peach2_time_ps() - start, t->rounds));
    }
    verified = arrived(t);
    snprintf(more, sizeof(more), "blocks=%llu block_bytes=%llu pitch_bytes=%llu",
             (unsigned long long)t->blocks, (unsigned long long)t->block_bytes,
             (unsigned long long)t->pitch_bytes);
    if (t->me == 0)
        times_print(&times, t->blocks * t->block_bytes, verified, more);
}

int main(int argc, char **argv)
{
    struct test t = { .blocks = 16,
                      .block_bytes = 128,
                      .pitch_bytes = 2048,
                      .rounds = 100,
                      .warmup = 10,
                      .repeats = 5,
                      .src = 0,
                      .dst = 0,
                      .mode = "dma-chain-internal",
                      .notify = "",
                      .notify_self = "off" };
    const struct option options[] = {
        { .key = "mode", .text = &t.mode, .choices = "dma-chain-host|dma-chain-internal" },
        { .key = "blocks", .number = &t.blocks },
        { .key = "block_bytes", .number = &t.block_bytes },
        { .key = "pitch_bytes", .number = &t.pitch_bytes },
        { .key = "src", .memory = &t.src },
        { .key = "dst", .memory = &t.dst },
        { .key = "rounds", .number = &t.rounds },
        { .key = "warmup", .number = &t.warmup },
        { .key = "repeats", .number = &t.repeats },
        { .key = "notify", .text = &t.notify, .choices = "internal|host" },
        { .key = "notify_self", .text = &t.notify_self, .choices = "on|off" },
        OPTIONS_END
    };

    options_read(argc, argv, options);
    if (t.blocks == 0 || t.block_bytes == 0 || t.rounds == 0 || t.pitch_bytes < t.block_bytes)
        fail("expected blocks, block_bytes and rounds of at least 1, and pitch_bytes of at least "
             "block_bytes");
    CHECK(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &t.me), MPI_SUCCESS);
    tca_pair();
    CHECK(tcaInit(), TCA_SUCCESS);
    set_up(&t);
    run(&t);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
