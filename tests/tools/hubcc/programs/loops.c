/* Loops over memory that devices write, on one node, by argument; each prints how it ended. */
#include <mpi.h>
#include <peach2.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static struct peach2_buffer buf;
static volatile uint64_t *mine, *flag;
static volatile uint64_t own;
static uint64_t turns; /* a counter in memory */

static double us(void)
{
    struct timeval t;

    gettimeofday(&t, NULL);
    return (double)t.tv_sec * 1e6 + (double)t.tv_usec;
}

static void timed(const char *how)
{
    double t = MPI_Wtime(), u = us();
    uint64_t n = 0, seen = 0;

    if (strcmp(how, "counter") == 0)
        for (n = 0; n < 1000000 && !*flag; n++)
            ;
    if (strcmp(how, "short") == 0)
        for (n = 0; n < 10 && !*flag; n++)
            ;
    if (strcmp(how, "memory") == 0) {
        for (turns = 0; turns < 1000000 && !*flag;)
            turns++;
        n = turns;
    }
    if (strcmp(how, "nested") == 0)
        for (int outer = 0; outer < 100; outer++)
            for (int inner = 0; inner < 1000 && !*flag; inner++)
                n++;
    if (strcmp(how, "wtime") == 0)
        while (!*flag && MPI_Wtime() < t + 500e-6)
            ;
    if (strcmp(how, "gettimeofday") == 0)
        while (!*flag && us() < u + 500)
            ;
    if (strcmp(how, "scan") == 0)
        for (int i = 0; i < 10 && seen == 0; i++)
            for (n = 0; n < 512; n++)
                seen |= mine[n];
    if (strcmp(how, "own") == 0)
        for (own = 0; own < 100000; own++)
            n++;
    printf("%s %llu %.0f\n", how, (unsigned long long)n, (MPI_Wtime() - t) * 1e6);
}

static void endless(const char *how)
{
    if (strncmp(how, "endless", 7) == 0) {
        FILE *begun = fopen("begun", "w");

        if (begun == NULL || fclose(begun) != 0)
            exit(1);
    }
    if (strcmp(how, "endless") == 0)
        while (!*flag)
            ;
    if (strcmp(how, "endless-flags") == 0)
        for (uint64_t any = 0; any == 0;)
            for (int i = 0; i < 20; i++)
                any |= mine[16 * i];
    if (strcmp(how, "endless-counter") == 0)
        for (turns = 0; !*flag; turns++)
            ;
    if (strcmp(how, "endless-own") == 0)
        while (!own)
            ;
    if (strcmp(how, "endless-empty") == 0)
        for (;;)
            ;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    peach2_open();
    peach2_alloc(PEACH2_IN_HOST, 65536, &buf);
    flag = mine = peach2_pointer(&buf);
    for (int i = 1; i < argc; i++) {
        timed(argv[i]);
        fflush(stdout);
        endless(argv[i]);
    }
    MPI_Finalize();
    return 0;
}
