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

void npb_charge_random(uint64_t numbers)
{
    hub_work(HUB_LOOP_RANDOM, numbers / 2);
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

static void take(struct npb *n, enum npb_mark at)
{
    MPIX_Hub_counts c;

    CHECK(MPIX_Hub_counters(&c), MPI_SUCCESS);
    n->time[at] = MPI_Wtime();
    n->counts[at] =
        (struct npb_counts){ (double)c.messages, (double)c.bytes, (double)c.write_bytes };
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
    take(n, NPB_BEGAN);
}

void npb_start(struct npb *n)
{
    struct npb_counts *began = &n->counts[NPB_BEGAN];
    const struct npb_counts *before = &n->counts[NPB_STARTED], *after = &n->counts[NPB_FIRST];

    n->done = 0;
    take(n, NPB_STARTED);
    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    take(n, NPB_FIRST);
    began->messages += after->messages - before->messages; /* the barrier is not the kernel's */
    began->bytes += after->bytes - before->bytes;
    began->write_bytes += after->write_bytes - before->write_bytes;
    take(n, NPB_STARTED);
    take(n, NPB_FIRST);
    take(n, NPB_LAST);
}

int npb_next(struct npb *n)
{
    n->done++;
    if (n->done == 1)
        take(n, NPB_FIRST);
    if (n->done == n->run)
        take(n, NPB_LAST);
    return n->done < n->run;
}

int npb_whole(const struct npb *n)
{
    return n->run == n->iterations;
}

/** From one mark to a later one, with the iterations between that were left out; `of`: a value of
 * each mark. */
static double extend(const struct npb *n, const double *of, enum npb_mark from, enum npb_mark to)
{
    uint64_t left = n->iterations - n->run;
    double each = left > 0 ? (of[NPB_LAST] - of[NPB_FIRST]) / (double)(n->run - 1) : 0;

    return of[to] - of[from] + each * (double)left;
}

/** The longest of all ranks counts, as the benchmark has it. */
static double longest(double seconds)
{
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD),
          MPI_SUCCESS);
    return seconds;
}

void npb_stop(struct npb *n)
{
    n->time[NPB_STOPPED] = MPI_Wtime();
    n->seconds = longest(extend(n, n->time, NPB_STARTED, NPB_STOPPED));
}

void npb_end(struct npb *n, int verified)
{
    double of[3][NPB_MARKS], sums[3], whole;

    take(n, NPB_ENDED);
    whole = longest(extend(n, n->time, NPB_BEGAN, NPB_ENDED));
    for (unsigned i = 0; i < NPB_MARKS; i++) {
        of[0][i] = n->counts[i].messages;
        of[1][i] = n->counts[i].bytes;
        of[2][i] = n->counts[i].write_bytes;
    }
    for (unsigned i = 0; i < 3; i++)
        sums[i] = extend(n, of[i], NPB_BEGAN, NPB_ENDED);
    CHECK(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &verified, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), MPI_SUCCESS);
    if (n->me == 0)
        printf("result bytes=%.0f messages=%.0f write_bytes=%.0f whole_ps=%.0f iterations=%llu "
               "run=%llu latency_ps_min=%.0f latency_ps_median=%.0f verified=%d\n",
               sums[1], sums[0], sums[2], whole * 1e12, (unsigned long long)n->iterations,
               (unsigned long long)n->run, n->seconds * 1e12, n->seconds * 1e12, verified);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
}
