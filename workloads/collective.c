#include "collective.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "mpi-common.h"

enum { PACKET = 256 }; /* payload of the board's packets */

/* ---- who is who ------------------------------------------------------------------ */

/*
 * Data descriptors in the board's memory need no fetch when a list starts. Those of notifications
 * are fetched while data moves and cost no stores there, so they lie in host memory; but a waiter
 * for GPU memory would have to flush then, and they lie in the board's as well.
 */
static int put_flags(const struct collective *c)
{
    int internal = c->notify[0] == '\0' ? c->memory != IN_HOST : strcmp(c->notify, "internal") == 0;

    return (strcmp(c->pipeline, "on") == 0 ? tcaDMAPipeline : 0) |
           (strcmp(c->mode, "dma-chain-internal") == 0 ? tcaDMAUseInternal : 0) |
           (internal ? tcaDMAUseNotifyInternal : 0);
}

void collective_init(struct collective *c, int *argc, char ***argv)
{
    if (c->channels == 0 || c->channels > CHANNELS || c->part_bytes < PACKET)
        fail("channels=%llu part_bytes=%llu: expected 1 .. 4 channels and parts of at least %d "
             "bytes",
             (unsigned long long)c->channels, (unsigned long long)c->part_bytes, PACKET);
    if (c->rounds == 0)
        fail("rounds=0: expected at least 1");
    c->flags = put_flags(c);
    CHECK(MPI_Init(argc, argv), MPI_SUCCESS);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &c->me), MPI_SUCCESS);
    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &c->ranks), MPI_SUCCESS);
    if (c->ranks < 2)
        fail("%d ranks: expected at least 2", c->ranks);
    tca_alone();
    CHECK(tcaInit(), TCA_SUCCESS);
}

/* ---- time --------------------------------------------------------------------------- */

/* A barrier lets ranks go some microseconds apart. Clocks agree, so they wait for a time. */
double collective_start_together(void)
{
    const double later = 50e-6;
    double start = 0;

    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    start = MPI_Wtime() + later;
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
    while (MPI_Wtime() < start)
        ;
    return start;
}

static uint64_t until_the_last(double start)
{
    double end = MPI_Wtime();

    CHECK(MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
    return (uint64_t)((end - start) * 1e12 + 0.5);
}

/** One exchange that all begin at one time. */
static uint64_t play_together(const struct exchange *x)
{
    double start = collective_start_together();

    x->play(x->arg);
    return until_the_last(start);
}

/** Exchanges one after the other, each behind a barrier. */
static uint64_t play_in_rounds(const struct collective *c, const struct exchange *x)
{
    return (uint64_t)(mpi_slowest(c->warmup, c->rounds, x->play, x->arg) * 1e12 + 0.5);
}

void collective_measure(struct collective *c, const struct exchange *x, uint64_t bytes,
                        const char *more)
{
    struct times times;
    int verified = 1, in_rounds = strcmp(c->start, "barrier") == 0;
    uint64_t warmup = in_rounds ? 0 : c->warmup;

    times_init(&times, c->repeats);
    for (uint64_t i = 0; i < warmup + c->repeats; i++) {
        uint64_t ps;
        int ok;

        x->fill(x->arg, (unsigned)i);
        ps = in_rounds ? play_in_rounds(c, x) : play_together(x);
        ok = x->arrived(x->arg, (unsigned)i);
        CHECK(MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), MPI_SUCCESS);
        verified &= ok;
        if (i >= warmup)
            times_add(&times, ps);
    }
    if (c->me == 0)
        times_print(&times, bytes, verified, more);
}

/* ---- parts ---------------------------------------------------------------------------- */

unsigned collective_parts(const struct collective *c, uint64_t n)
{
    uint64_t parts = n / c->part_bytes;

    return parts < 1 ? 1 : (unsigned)(parts < c->channels ? parts : c->channels);
}

struct part collective_part(uint64_t n, unsigned part, unsigned parts)
{
    uint64_t each = n / parts / PACKET * PACKET, at = part * each;

    return (struct part){ at, part + 1 == parts ? n - at : each };
}

/* ---- transfers -------------------------------------------------------------------------- */

tcaDesc *collective_list(void)
{
    tcaDesc *d = tcaDescNew();

    if (d == NULL)
        fail("out of memory");
    return d;
}

void collective_put(const struct collective *c, tcaDesc *list, tcaHandle *dst, uint64_t dst_at,
                    tcaHandle *src, uint64_t src_at, uint64_t n, int slot)
{
    CHECK(tcaDescSetMemcpy(list, dst, (off_t)dst_at, src, (off_t)src_at, n, c->flags | tcaDMANotify,
                           slot, TAG),
          TCA_SUCCESS);
}

void collective_put_rows(const struct collective *c, tcaDesc *list, tcaHandle *dst, uint64_t dst_at,
                         tcaHandle *src, uint64_t src_at, uint64_t pitch, uint64_t n, uint64_t rows,
                         int slot)
{
    CHECK(tcaDescSetMemcpy2D(list, dst, (off_t)dst_at, pitch, src, (off_t)src_at, pitch, n, rows,
                             c->flags | (slot != NO_SLOT ? tcaDMANotify : 0),
                             slot != NO_SLOT ? slot : 0, TAG),
          TCA_SUCCESS);
}

void collective_set(tcaDesc *list, int channel)
{
    CHECK(tcaDescSet(list, channel), TCA_SUCCESS);
}

void collective_start(int channel)
{
    CHECK(tcaStartDMADesc(channel), TCA_SUCCESS);
}

void collective_free(tcaDesc **lists, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        CHECK(tcaDescFree(lists[i]), TCA_SUCCESS);
    free(lists);
}

void collective_wait(tcaHandle *from, int slot)
{
    CHECK(tcaWaitDMARecvDesc(from, slot, TAG), TCA_SUCCESS);
}

void collective_traffic(const struct collective *c, unsigned step, int src, int dst, uint64_t bytes,
                        uint64_t blocks)
{
    if (c->me == 0 && strcmp(c->traffic, "on") == 0)
        printf("traffic step=%u src=%d dst=%d bytes=%llu blocks=%llu\n", step, src, dst,
               (unsigned long long)bytes, (unsigned long long)blocks);
}
