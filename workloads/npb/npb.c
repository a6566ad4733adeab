#include "npb.h"

#include <math.h>
#include <mpi-hub.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- numbers ----------------------------------------------------------------------- */

#define BITS46 ((UINT64_C(1) << 46) - 1)

double npb_random(uint64_t *x)
{
    *x = *x * NPB_A & BITS46;
    return (double)*x * 0x1p-46;
}

uint64_t npb_skip(uint64_t x, uint64_t steps)
{
    uint64_t a = NPB_A;

    for (; steps > 0; steps >>= 1, a = a * a & BITS46)
        if (steps & 1)
            x = x * a & BITS46;
    return x;
}

void *npb_alloc(uint64_t n, uint64_t size)
{
    void *p = calloc(n + 1, size);

    if (p == NULL)
        fail("out of memory");
    return p;
}

int npb_near(unsigned count, const double *values, const double *right)
{
    for (unsigned i = 0; i < count; i++)
        if (!(fabs(values[i] / right[i] - 1) <= 1e-8))
            return 0;
    return 1;
}

double npb_sum(double value)
{
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    return value;
}

int npb_log2_ranks(const struct npb *n, int max)
{
    int log2 = 0;

    while (1 << log2 < n->ranks)
        log2++;
    if (1 << log2 != n->ranks || n->ranks > max)
        fail("%d ranks: expected a power of two up to %d", n->ranks, max);
    return log2;
}

/* ---- time -------------------------------------------------------------------------- */

void npb_limit(struct npb *n, uint64_t iterations)
{
    uint64_t sample = n->sample == 1 ? 2 : n->sample; /* one begins, another one is measured */

    n->iterations = iterations;
    n->run = sample != 0 && sample < iterations ? sample : iterations;
}

void npb_init(struct npb *n, int *argc, char ***argv, uint64_t s, uint64_t w)
{
    const char *class = "S";
    const struct option options[] = { { .key = "class", .text = &class, .choices = "S|W" },
                                      { .key = "iterations", .number = &n->iterations },
                                      { .key = "sample", .number = &n->sample },
                                      OPTIONS_END };

    *n = (struct npb){ .iterations = 0 };
    options_read(*argc, *argv, options);
    n->is_w = class[0] == 'W';
    if (n->iterations == 0)
        n->iterations = n->is_w ? w : s;
    npb_limit(n, n->iterations);
    CHECK(MPI_Init(argc, argv), MPI_SUCCESS);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &n->me), MPI_SUCCESS);
    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &n->ranks), MPI_SUCCESS);
}

static void count(struct npb *n, unsigned at)
{
    MPIX_Hub_counts c;

    CHECK(MPIX_Hub_counters(&c), MPI_SUCCESS);
    n->counts[at] =
        (struct npb_counts){ (double)c.messages, (double)c.bytes, (double)c.write_bytes };
}

static void take(struct npb *n, unsigned at)
{
    n->time[at] = MPI_Wtime();
    count(n, at);
}

void npb_start(struct npb *n)
{
    n->done = 0;
    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    take(n, 0);
    take(n, 1);
    take(n, 2);
}

int npb_next(struct npb *n)
{
    n->done++;
    if (n->done == 1)
        take(n, 1);
    if (n->done == n->run)
        take(n, 2);
    return n->done < n->run;
}

int npb_whole(const struct npb *n)
{
    return n->run == n->iterations;
}

/** What came before the first one is no part of it. */
static void count_from_start(struct npb *n)
{
    const struct npb_counts before = n->counts[0];

    for (unsigned i = 0; i < sizeof(n->counts) / sizeof(n->counts[0]); i++) {
        n->counts[i].messages -= before.messages;
        n->counts[i].bytes -= before.bytes;
        n->counts[i].write_bytes -= before.write_bytes;
    }
}

/** Of the whole: what came until the end, and the iterations that were left out. */
static double extend(const struct npb *n, double start, double first, double last, double end)
{
    uint64_t left = n->iterations - n->run;

    return end - start + (left > 0 ? (last - first) / (double)(n->run - 1) * (double)left : 0);
}

void npb_stop(struct npb *n)
{
    n->time[3] = MPI_Wtime();
    n->seconds = extend(n, n->time[0], n->time[1], n->time[2], n->time[3]);
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &n->seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD),
          MPI_SUCCESS);
    count(n, 3);
    count_from_start(n);
}

void npb_end(struct npb *n, int verified)
{
    struct npb_counts *c = n->counts;
    double sums[3];

    sums[0] = extend(n, 0, c[1].messages, c[2].messages, c[3].messages);
    sums[1] = extend(n, 0, c[1].bytes, c[2].bytes, c[3].bytes);
    sums[2] = extend(n, 0, c[1].write_bytes, c[2].write_bytes, c[3].write_bytes);
    CHECK(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &verified, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), MPI_SUCCESS);
    if (n->me == 0)
        printf("result bytes=%.0f messages=%.0f write_bytes=%.0f iterations=%llu run=%llu "
               "latency_ps_min=%.0f latency_ps_median=%.0f verified=%d\n",
               sums[1], sums[0], sums[2], (unsigned long long)n->iterations,
               (unsigned long long)n->run, n->seconds * 1e12, n->seconds * 1e12, verified);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
}
