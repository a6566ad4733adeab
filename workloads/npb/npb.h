/*
 * What the kernels after the NAS Parallel Benchmarks share. They are written from the problem
 * descriptions (RNR-94-007, NAS-95-020) and have the messages of release 2.3: sizes, order and
 * partners; classes S and W. They compute their results and charge the platform for that.
 *
 * Iterations of a kernel are alike, so the time of all follows from a few. With sample=K the
 * first K are run, and those after the first stand for the rest. Results can then not be verified.
 */
#ifndef WORKLOADS_NPB_H
#define WORKLOADS_NPB_H

#include <hub-work.h>
#include <mpi.h>
#include <stdint.h>

#include "../common.h"

/** Messages of all ranks. */
struct npb_counts {
    double messages, bytes, write_bytes; /* write_bytes: that went by remote write */
};

/** In a run. */
enum npb_mark {
    NPB_BEGAN, /* MPI */
    NPB_STARTED,
    NPB_FIRST, /* ended, of the iterations */
    NPB_LAST,  /* that is run */
    NPB_STOPPED,
    NPB_ENDED, /* nothing is left to do */
    NPB_MARKS
};

struct npb {
    int me, ranks;
    int is_w;            /* class W; else S */
    uint64_t iterations; /* in the whole kernel */
    uint64_t sample;     /* run at most; 0: all */
    uint64_t run;        /* that will be run: fewer when a sample is enough */
    uint64_t done;
    double time[NPB_MARKS];
    struct npb_counts counts[NPB_MARKS];
    double seconds; /* from start to stop, all iterations */
};

/** Arguments class=, iterations=, sample=, and MPI. `s` and `w`: the iterations of the classes. */
void npb_init(struct npb *n, int *argc, char ***argv, uint64_t s, uint64_t w);
/** Another number of iterations, from which `run` follows. */
void npb_limit(struct npb *n, uint64_t iterations);
/** All ranks begin. */
void npb_start(struct npb *n);
/** At the end of each iteration. @return 1 while there are more */
int npb_next(struct npb *n);
/** 1: the sums are those of the whole kernel, so there is something to verify. */
int npb_whole(const struct npb *n);
/** Ends the time; the longest of all ranks counts, as the benchmark has it. Collective. */
void npb_stop(struct npb *n);
/** Prints the result and ends the program's use of MPI: time from start to stop; messages and
 * `whole_ps` of the whole program, with what it does before and behind. */
void npb_end(struct npb *n, int verified);

/** 1 when |value / right - 1| <= 1e-8 for all of them: the benchmark's own measure. */
int npb_near(unsigned count, const double *values, const double *right);
/** The same on all ranks. */
double npb_sum(double value);
void *npb_alloc(uint64_t n, uint64_t size);
/** log2 of the ranks; ends the program when they are no power of two up to `max`. */
int npb_log2_ranks(const struct npb *n, int max);

/* The generator: x = a x mod 2^46, as numbers between 0 and 1. */
#define NPB_A UINT64_C(1220703125) /* 5^13 */
/** What making them takes: as much as the functions of a number, together an operation of EP. */
void npb_charge_random(uint64_t numbers);
double npb_random(uint64_t *x);
/** x after `steps` numbers. */
uint64_t npb_skip(uint64_t x, uint64_t steps);

#endif /* WORKLOADS_NPB_H */
