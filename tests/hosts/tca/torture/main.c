/* torture SEED [PHASES [verbose]]: see torture.h; with a third argument each operation is printed.
 */
#include "torture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void doing(struct torture *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(t->doing, sizeof(t->doing), format, args);
    va_end(args);
    if (t->verbose)
        printf("%10.3f us, rank %d, phase %d, round %d: %s\n", 1e6 * MPI_Wtime(), t->me, t->phase,
               t->round, t->doing);
}

void fail(const struct torture *t, const char *format, ...)
{
    char text[600];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    (void)fprintf(stderr, "torture: seed %llu, %d ranks: rank %d, phase %d, round %d, %s: %s\n",
                  (unsigned long long)t->seed, t->ranks, t->me, t->phase, t->round, t->doing, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static void report(struct torture *t, int phases, double seconds)
{
    unsigned long own[6] = { t->count.puts,  t->count.bytes,   t->count.notifications,
                             t->count.stale, t->count.refused, t->count.pio };
    unsigned long all[6];

    MPI_Allreduce(own, all, 6, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (t->me == 0)
        printf("seed %llu, %d ranks, %d phases: %lu puts of %lu bytes, %lu notifications and %lu "
               "left, %lu PIO calls, %lu calls refused, %.3f us\n",
               (unsigned long long)t->seed, t->ranks, phases, all[0], all[1], all[2], all[3],
               all[5], all[4], 1e6 * seconds);
}

int main(int argc, char **argv)
{
    static struct torture torture; /* each rank has its own */
    struct torture *t = &torture;
    int phases = argc > 2 ? atoi(argv[2]) : 10;
    double begin;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &t->me);
    MPI_Comm_size(MPI_COMM_WORLD, &t->ranks);
    if (argc < 2 || t->ranks > RANKS_MAX || phases < 1 || phases > PHASES_MAX) {
        (void)fprintf(stderr, "usage: torture SEED [PHASES [verbose]], on 1 to %d ranks\n",
                      RANKS_MAX);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    t->seed = strtoull(argv[1], NULL, 0);
    t->verbose = argc > 3;
    t->scratch = malloc(1 << 20);
    doing(t, "initialising");
    TCA(t, tcaInit());
    begin = MPI_Wtime();
    refuse_unset(t);
    for (; t->phase < phases; t->phase++)
        run_phase(t);
    report(t, phases, MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
