/*
 * GPU to GPU by way of both hosts: cudaMemcpy to the host, a TCA put from host to
 * host, cudaMemcpy to the GPU. Ping-pong between ranks 0 and 1: half of a round
 * trip.
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
    uint64_t bytes, rounds, warmup, repeats;
    uint8_t *gpu, *out, *in;
    tcaHandle *outs, *ins;
};

static void set_up(struct test *t)
{
    const int flags = tcaDMAUseInternal | tcaDMAUseNotifyInternal | tcaDMANotify;
    tcaDesc *d = tcaDescNew();

    t->gpu = tca_memory(0, t->bytes);
    t->out = tca_memory(IN_HOST, t->bytes);
    t->in = tca_memory(IN_HOST, t->bytes);
    t->outs = tca_publish(t->out, t->bytes, IN_HOST);
    t->ins = tca_publish(t->in, t->bytes, IN_HOST);
    CHECK(tcaDescSetMemcpy(d, &t->ins[!t->me], 0, &t->outs[t->me], 0, t->bytes, flags, SLOT, TAG),
          TCA_SUCCESS);
    CHECK(tcaDescSet(d, CHANNEL), TCA_SUCCESS);
    CHECK(tcaDescFree(d), TCA_SUCCESS);
}

static void play(struct test *t, uint64_t rounds)
{
    for (uint64_t turn = 0; turn < 2 * rounds; turn++) {
        if ((int)(turn % 2) == t->me) {
            CHECK(cudaMemcpy(t->out, t->gpu, t->bytes, cudaMemcpyDefault), cudaSuccess);
            CHECK(tcaStartDMADesc(CHANNEL), TCA_SUCCESS);
        } else {
            CHECK(tcaWaitDMARecvDesc(&t->ins[!t->me], SLOT, TAG), TCA_SUCCESS);
            CHECK(cudaMemcpy(t->gpu, t->in, t->bytes, cudaMemcpyDefault), cudaSuccess);
        }
    }
}

static void run(struct test *t)
{
    struct times times;
    int ok, all = 0;

    times_init(&times, t->repeats);
    if (t->me == 0)
        bytes_fill(t->gpu, t->bytes, SEED);
    for (uint64_t r = 0; r < t->repeats; r++) {
        uint64_t start;

        CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        play(t, t->warmup);
        start = peach2_time_ps();
        play(t, t->rounds);
        times_add(&times, half_round_ps(peach2_time_ps() - start, t->rounds));
    }
    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    ok = bytes_ok(t->gpu, t->bytes, SEED); /* on both: rank 0's bytes went there and back */
    CHECK(MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), MPI_SUCCESS);
    if (t->me == 0)
        times_print(&times, t->bytes, all, NULL);
}

int main(int argc, char **argv)
{
    struct test t = { .bytes = 4096, .rounds = 10, .warmup = 2, .repeats = 3 };
    const struct option options[] = { { .key = "bytes", .number = &t.bytes },
                                      { .key = "rounds", .number = &t.rounds },
                                      { .key = "warmup", .number = &t.warmup },
                                      { .key = "repeats", .number = &t.repeats },
                                      OPTIONS_END };

    options_read(argc, argv, options);
    if (t.bytes == 0 || t.rounds == 0)
        fail("%s=0: expected at least 1", t.bytes == 0 ? "bytes" : "rounds");
    CHECK(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &t.me), MPI_SUCCESS);
    tca_pair();
    CHECK(tcaInit(), TCA_SUCCESS);
    set_up(&t);
    run(&t);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
