#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_ROUNDS 101u

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double run_once(const struct bench_case *c)
{
    double start = now_ns();
    uint64_t operations = c->run(c->arg);

    return (now_ns() - start) / (double)operations;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
    qsort(values, n, sizeof(*values), by_value);
    return values[n / 2];
}

void bench_compare(struct bench_case *cases, unsigned ncases, unsigned rounds)
{
    static double ns[BENCH_MAX_CASES][MAX_ROUNDS], ratio[BENCH_MAX_CASES][MAX_ROUNDS];

    rounds = rounds < MAX_ROUNDS ? rounds : MAX_ROUNDS;
    for (unsigned c = 0; c < ncases; c++)
        (void)run_once(&cases[c]);
    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned c = 0; c < ncases; c++) {
            ns[c][r] = run_once(&cases[c]);
            ratio[c][r] = ns[c][r] / ns[0][r];
        }
    }
    for (unsigned c = 0; c < ncases; c++) {
        cases[c].ns = median(ns[c], rounds);
        cases[c].ratio = median(ratio[c], rounds);
    }
}

bool bench_smoke(int argc, char **argv)
{
    if (argc == 1)
        return false;
    if (argc == 2 && strcmp(argv[1], "--smoke") == 0)
        return true;
    fprintf(stderr, "usage: %s [--smoke]\n", argv[0]);
    exit(2);
}

void bench_use(uint64_t value)
{
    static volatile uint64_t sink;

    sink = value;
    (void)sink;
}

uint64_t bench_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15)); /* SplitMix64 */

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
