/*
 * What GASNet costs beside MPI, each a program run by hubrun: a Short and its reply between
 * neighbours, a barrier of 64 ranks, and the memory of a rank and of a segment.
 */
#include "bench.h"
#include "process.h"

#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 64, WORDS_MAX = 16, MEMORY_ROUNDS = 5 };

static char hubrun[4096], rounds_text[24];

/** The words behind `hubrun -q`, up to NULL. */
struct command {
    const char *words[WORDS_MAX];
    uint64_t rounds;
};

static struct process_use run(const struct command *c)
{
    const char *argv[WORDS_MAX + 3] = { hubrun, "-q" };
    unsigned n = 2;

    for (unsigned i = 0; i < WORDS_MAX && c->words[i] != NULL; i++)
        argv[n++] = c->words[i];
    argv[n] = NULL;
    return process_run(argv);
}

static uint64_t run_rounds(void *arg)
{
    const struct command *c = arg;

    (void)snprintf(rounds_text, sizeof(rounds_text), "%llu", (unsigned long long)c->rounds);
    (void)run(c);
    return c->rounds;
}

/** The first one is what the second one is compared with. */
static void compare(const char *what, struct command *mpi, struct command *gasnet, uint64_t rounds,
                    unsigned repeats, double limit)
{
    struct bench_case cases[] = { { .name = "mpi", .run = run_rounds, .arg = mpi },
                                  { .name = "gasnet", .run = run_rounds, .arg = gasnet } };

    mpi->rounds = gasnet->rounds = rounds;
    bench_compare(cases, 2, repeats);
    printf("%-36s %9.2f us %9.2f us %7.2f (at most %.1f)\n", what, cases[1].ns / 1e3,
           cases[0].ns / 1e3, cases[1].ratio, limit);
}

static void compare_barriers(const char *network, unsigned repeats, uint64_t rounds)
{
    struct command mpi = {
        { "-n", "64", "-m", "subcluster16", "--mpi", network, BARRIER, rounds_text }, 0
    };
    struct command gasnet = {
        { "-n", "64", "-m", "subcluster16", "--gasnet", network, GASNET, rounds_text, "barrier" }, 0
    };
    char what[64];

    (void)snprintf(what, sizeof(what), "barrier of 64 ranks, %s and %s", network, network);
    compare(what, &mpi, &gasnet, rounds, repeats, 1.0);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double megabytes(const char *network, const char *ranks, const char *what,
                        const char *segment_bytes)
{
    const struct command c = { { "-n", ranks, "-m", "subcluster16", "--gasnet", network, GASNET,
                                 "0", what, segment_bytes },
                               0 };
    double all[MEMORY_ROUNDS];

    for (unsigned i = 0; i < MEMORY_ROUNDS; i++)
        all[i] = run(&c).megabytes;
    qsort(all, MEMORY_ROUNDS, sizeof(*all), by_value);
    return all[MEMORY_ROUNDS / 2];
}

/** One of RANKS, without the program itself. */
static double megabytes_each(const char *network)
{
    double with =
        megabytes(network, "64", "nothing", "65536") - megabytes(network, "1", "nothing", "65536");
    double alone = megabytes(network, "64", "alone", "0") - megabytes(network, "1", "alone", "0");

    return (with - alone) / (RANKS - 1);
}

static void measure_memory(const char *network)
{
    double large = megabytes(network, "16", "nothing", "1073741824");
    double small = megabytes(network, "16", "nothing", "65536");

    printf("%-8s a rank of 64: %6.3f MB (at most 0.3); 16 segments of 1 GiB: %6.1f MB more than of "
           "64 KiB\n",
           network, megabytes_each(network), large - small);
}

int main(int argc, char **argv)
{
    static const char *const networks[] = { "net", "tca", "peach2", "ib" };
    bool smoke = bench_smoke(argc, argv);
    struct command mpi = { { "-n", "2", "-m", "two-node", "--mpi", "peach2", MESSAGE, rounds_text },
                           0 };
    struct command gasnet = {
        { "-n", "2", "-m", "two-node", "--gasnet", "tca", GASNET, rounds_text, "short" }, 0
    };

    process_beside("hubrun", hubrun, sizeof(hubrun));
    printf("                                           GASNet          MPI   ratio\n");
    compare("Short and reply, tca and peach2", &mpi, &gasnet, smoke ? 10 : 50000, smoke ? 1 : 11,
            1.5);
    for (unsigned i = 0; i < (smoke ? 1 : sizeof(networks) / sizeof(networks[0])); i++)
        compare_barriers(networks[i], smoke ? 1 : 7, smoke ? 2 : 500);
    for (unsigned i = 0; i < (smoke ? 1 : sizeof(networks) / sizeof(networks[0])); i++)
        measure_memory(networks[i]);
    return 0;
}
