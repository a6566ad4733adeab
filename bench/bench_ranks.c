/*
 * What ranks cost: time and memory of `hubrun` with a program that only begins and ends MPI, by 64
 * ranks and by one on the same machine, and by 64 ranks on a node each. What one rank more costs
 * is the difference.
 */
#include "bench.h"
#include "process.h"

#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 64, ROUNDS_MAX = 21 };

struct medians {
    double seconds, megabytes;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static struct medians measure(const char *hubrun, const char *machine, unsigned ranks,
                              unsigned rounds)
{
    double seconds[ROUNDS_MAX], megabytes[ROUNDS_MAX];
    char text[16];
    const char *argv[] = { hubrun, "-q", "-n", text, "-m", machine, "--mpi", "net", PROGRAM, NULL };

    (void)snprintf(text, sizeof(text), "%u", ranks);
    for (unsigned i = 0; i < rounds; i++) {
        struct process_use use = process_run(argv);

        seconds[i] = use.seconds;
        megabytes[i] = use.megabytes;
    }
    qsort(seconds, rounds, sizeof(*seconds), by_value);
    qsort(megabytes, rounds, sizeof(*megabytes), by_value);
    return (struct medians){ seconds[rounds / 2], megabytes[rounds / 2] };
}

int main(int argc, char **argv)
{
    static const char *const machines[] = { "subcluster16", "cluster64" };
    bool smoke = bench_smoke(argc, argv);
    unsigned rounds = smoke ? 1 : ROUNDS_MAX;
    char hubrun[4096];

    process_beside("hubrun", hubrun, sizeof(hubrun));
    printf("machine         one rank           64 ranks           each of 63 more\n");
    for (unsigned i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        struct medians one = measure(hubrun, machines[i], 1, rounds);
        struct medians all = measure(hubrun, machines[i], RANKS, rounds);

        printf("%-12s %6.3f s %6.1f MB %6.3f s %6.1f MB %8.2f ms %6.3f MB\n", machines[i],
               one.seconds, one.megabytes, all.seconds, all.megabytes,
               1e3 * (all.seconds - one.seconds) / (RANKS - 1),
               (all.megabytes - one.megabytes) / (RANKS - 1));
    }
    printf("expected: 64 ranks within 1 s, less than 1 MB each\n");
    return 0;
}
