/*
 * Paired measurements: the cases take turns within one process, each round gives a
 * ratio, and the medians of the ratios count. A machine that is slow for a while is
 * slow for all cases.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>

#define BENCH_MAX_CASES 8

struct bench_case {
    const char *name;
    uint64_t (*run)(void *arg); /* runs one batch; @return operations done */
    void *arg;
    double ns;    /* result: median time of one operation */
    double ratio; /* result: median over the rounds of this case's time over that of case 0 */
};

/** Runs each case once unmeasured, then `rounds` (odd) rounds of all cases. */
void bench_compare(struct bench_case *cases, unsigned ncases, unsigned rounds);
/** True for `--smoke`: small sizes, nothing is judged; exits on any other argument. */
bool bench_smoke(int argc, char **argv);
/** Keeps a result alive, so that the compiler computes it. */
void bench_use(uint64_t value);
/** A fast random number, the same ones in each process. */
uint64_t bench_random(uint64_t *state);

#endif
