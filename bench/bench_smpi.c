/*
 * What a message costs here, beside SMPI (SimGrid), which runs the same source on simulated hosts:
 * 8 bytes between neighbours over PEACH2, and a sum of 8 bytes over 64 ranks. Built when Debian's
 * libsimgrid-dev is installed. Starts, of 0.01 and 0.1 s, are part of what is measured.
 */
#include "bench.h"
#include "process.h"

#include <stdio.h>

struct scenario {
    const char *ranks, *machine, *what;
    unsigned per_round; /* operations */
    unsigned rounds;
    char rounds_text[24], hubrun[4096];
};

static uint64_t run_ours(void *arg)
{
    const struct scenario *s = arg;
    const char *argv[] = { s->hubrun, "-q",     "-n",    s->ranks,       "-m",    s->machine,
                           "--mpi",   "peach2", PROGRAM, s->rounds_text, s->what, NULL };

    (void)process_run(argv);
    return (uint64_t)s->per_round * s->rounds;
}

static uint64_t run_smpi(void *arg)
{
    const struct scenario *s = arg;
    /* It talks on stderr. */
    const char *argv[] = { "/bin/sh",    "-c",           "exec \"$@\" 2>/dev/null",
                           "sh",         SMPIRUN,        "-np",
                           s->ranks,     "-platform",    PLATFORM,
                           SMPI_PROGRAM, s->rounds_text, s->what,
                           NULL };

    (void)process_run(argv);
    return (uint64_t)s->per_round * s->rounds;
}

static void compare(struct scenario *s, const char *name, unsigned repeats)
{
    struct bench_case cases[] = { { .name = "smpi", .run = run_smpi, .arg = s },
                                  { .name = "hubrun", .run = run_ours, .arg = s } };

    process_beside("hubrun", s->hubrun, sizeof(s->hubrun));
    (void)snprintf(s->rounds_text, sizeof(s->rounds_text), "%u", s->rounds);
    bench_compare(cases, 2, repeats);
    printf("%-12s %6s %10u %9.2f us %9.2f us %8.2f (at most 1)\n", name, s->ranks, s->rounds,
           cases[1].ns / 1e3, cases[0].ns / 1e3, cases[1].ratio);
}

int main(int argc, char **argv)
{
    bool smoke = bench_smoke(argc, argv);
    struct scenario turn = { "2", "two-node", NULL, 2, smoke ? 10 : 50000, "", "" };
    struct scenario sum = { "64", "subcluster16", "all", 1, smoke ? 2 : 500, "", "" };

    printf("8 bytes       ranks     rounds       hubrun         SMPI    ratio\n");
    compare(&turn, "message", smoke ? 1 : 5);
    compare(&sum, "allreduce", smoke ? 1 : 5);
    return 0;
}
