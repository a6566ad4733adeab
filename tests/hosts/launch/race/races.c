/*
 * races CASE: two ranks that use memory while a transfer does, or that wait before (a name that
 * begins with `ok_`). Exit status 2: no such case.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "races.h"

int me;
uint64_t *mine;
tcaHandle handles[2], gpus[2];
void *on_gpu;
uint64_t seen;
MPI_Request request, other_request;
uint64_t buffer[WORDS], other_buffer[WORDS];

static void need(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "%s failed\n", what);
    exit(3);
}

static void set_up(void)
{
    void *p;
    tcaHandle own;

    need(tcaInit() == TCA_SUCCESS, "tcaInit");
    need(tcaMalloc(&p, (size_t)2 * BYTES, tcaMemoryCPU) == TCA_SUCCESS, "tcaMalloc");
    mine = p;
    memset(mine, 0, (size_t)2 * BYTES);
    need(tcaCreateHandle(&own, mine, (size_t)2 * BYTES, tcaMemoryCPU) == TCA_SUCCESS, "handle");
    MPI_Allgather(&own, sizeof(own), MPI_BYTE, handles, sizeof(own), MPI_BYTE, MPI_COMM_WORLD);
}

void set_up_gpus(void)
{
    tcaHandle own;

    need(tcaMalloc(&on_gpu, BYTES, tcaMemoryGPU) == TCA_SUCCESS, "tcaMalloc of a GPU");
    need(tcaCreateHandle(&own, on_gpu, BYTES, tcaMemoryGPU) == TCA_SUCCESS, "handle of a GPU");
    MPI_Allgather(&own, sizeof(own), MPI_BYTE, gpus, sizeof(own), MPI_BYTE, MPI_COMM_WORLD);
}

void put(int channel, size_t from, size_t n, int flags, int slot)
{
    tcaDesc *d = tcaDescNew();

    need(tcaDescSetMemcpy(d, &handles[!me], (off_t)(BYTES + from * 8), &handles[me],
                          (off_t)(from * 8), n * 8, IN | flags, slot, TAG) == TCA_SUCCESS,
         "tcaDescSetMemcpy");
    need(tcaDescSet(d, channel) == TCA_SUCCESS, "tcaDescSet");
    need(tcaStartDMADesc(channel) == TCA_SUCCESS, "tcaStartDMADesc");
    tcaDescFree(d);
}

void put_two(void)
{
    tcaDesc *d = tcaDescNew();

    tcaDescSetMemcpy(d, &handles[!me], BYTES, &handles[me], 0, BYTES / 2, IN, SLOT, TAG);
    tcaDescSetMemcpy(d, &handles[!me], BYTES + BYTES / 2, &handles[me], BYTES / 2, 64,
                     IN | tcaDMANotify, SLOT, TAG);
    tcaDescSet(d, 0);
    tcaStartDMADesc(0);
    tcaDescFree(d);
}

void put_rows(void)
{
    tcaDesc *d = tcaDescNew();

    tcaDescSetMemcpy2D(d, &handles[!me], BYTES, EVERY * 8, &handles[me], 0, EVERY * 8, 8,
                       WORDS / EVERY, IN | tcaDMANotify, SLOT, TAG);
    tcaDescSet(d, 0);
    tcaStartDMADesc(0);
    tcaDescFree(d);
}

void arrived(int slot)
{
    tcaWaitDMARecvDesc(&handles[!me], slot, TAG);
}

void sent(int slot)
{
    tcaWaitDMARecvDesc(&handles[me], slot, TAG);
}

void load(size_t word)
{
    seen += mine[word];
}

void await(size_t word, uint64_t value)
{
    const volatile uint64_t *at = &mine[word];

    while (*at != value)
        ;
}

void end(void)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const struct race_case *const all[] = { race_puts,        race_loops,   race_messages,
                                            race_collectives, race_windows, race_meets,
                                            race_freed,       race_many,    race_pairs,
                                            race_channels,    race_cuda };
    int code = 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    set_up();
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        for (const struct race_case *c = all[i]; c->name != NULL; c++) {
            if (strcmp(c->name, name) != 0)
                continue;
            c->run();
            code = 0;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return code;
}
