/* A ping-pong by PIO whose waiting loop is written in the way that the argument names. */
#include <mpi.h>
#include <peach2.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TURNS 100

static struct peach2_buffer buf, far;
static volatile uint64_t *mine;
static int me;

static void put(uint64_t offset, uint64_t v)
{
    peach2_store(peach2_window(&far, offset), &v, 8);
    peach2_commit();
}

static void wait_for(const char *how, uint64_t v)
{
    uint64_t n, old;

    if (strcmp(how, "library") == 0)
        peach2_wait_word(mine, 8, v);
    else if (strcmp(how, "volatile") == 0)
        while (*mine != v)
            ;
    else if (strcmp(how, "low-byte") == 0)
        while (*(volatile uint8_t *)mine != (uint8_t)v)
            ;
    else if (strcmp(how, "counter") == 0)
        for (n = 0; *mine != v && n < 10000000; n++)
            ;
    else if (strcmp(how, "flags") == 0)
        while (*mine != v && mine[8] == 0 && mine[16] == 0)
            ;
    else if (strcmp(how, "unrolled") == 0)
        while (*mine != v && *mine != v) /* NOLINT(misc-redundant-expression): two places */
            ;
    else if (strcmp(how, "timer") == 0)
        for (double end = MPI_Wtime() + 1e-3; *mine != v && MPI_Wtime() < end;)
            ;
    else if (strcmp(how, "atomic") == 0)
        while (atomic_load_explicit((volatile _Atomic uint64_t *)mine, memory_order_acquire) != v)
            ;
    else if (strcmp(how, "builtin") == 0)
        while (__atomic_load_n(mine, __ATOMIC_ACQUIRE) != v)
            ;
    else if (strcmp(how, "compare") == 0)
        for (old = v; !__atomic_compare_exchange_n(mine, &old, v, 0, 5, 5); old = v)
            ;
    else if (strcmp(how, "add") == 0)
        while (__atomic_fetch_add(mine, 0, __ATOMIC_SEQ_CST) != v)
            ;
}

int main(int argc, char **argv)
{
    double t;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    peach2_open();
    peach2_alloc(PEACH2_IN_HOST, 4096, &buf);
    MPI_Sendrecv(&buf, sizeof(buf), MPI_BYTE, !me, 0, &far, sizeof(far), MPI_BYTE, !me, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mine = peach2_pointer(&buf);
    MPI_Barrier(MPI_COMM_WORLD);
    t = MPI_Wtime();
    for (uint64_t i = 1; i <= TURNS; i++) {
        if (me == 0)
            put(0, i);
        wait_for(argv[1], i);
        if (argc > 2)
            MPI_Wtime();
        if (me == 1)
            put(0, i);
    }
    if (me == 0)
        printf("%.3f ns\n", (MPI_Wtime() - t) * 1e9 / (2 * TURNS));
    MPI_Finalize();
    return 0;
}
