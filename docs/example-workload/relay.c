/*
 * A message from rank to rank, and back to the first one: each rank sends it on when it has come.
 * The program describes itself, so an experiment may say `workload: ./relay`.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hubsim-workload.h>
#include <mpi.h>

HUBSIM_WORKLOAD = {
    .summary = "A message from rank to rank",
    .prints = "latency_ps_min, latency_ps_median, bytes, verified",
    .keys = { { "nodes", "2..64", "1", "2", "ranks, one on each" },
              { "bytes", "1..1048576", "B", "64", "of the message" },
              { "fill", "zeros|count", "", "count", "what the message holds" },
              { "repeats", HUBSIM_NUMBER, "1", "", "rounds that are timed" } },
};

struct relay {
    int me, ranks, bytes, zeros;
    unsigned char *message;
};

static unsigned char byte_at(const struct relay *r, int i)
{
    return (unsigned char)(r->zeros ? 0 : i % 251);
}

/* Rank 0 begins, and ends. */
static void pass_on(const struct relay *r)
{
    int next = (r->me + 1) % r->ranks, last = (r->me + r->ranks - 1) % r->ranks;

    if (r->me == 0)
        MPI_Send(r->message, r->bytes, MPI_BYTE, next, 0, MPI_COMM_WORLD);
    MPI_Recv(r->message, r->bytes, MPI_BYTE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (r->me != 0)
        MPI_Send(r->message, r->bytes, MPI_BYTE, next, 0, MPI_COMM_WORLD);
}

static double measure(const struct relay *r, int *good)
{
    double start, seconds;

    for (int i = 0; i < r->bytes; i++)
        r->message[i] = r->me == 0 ? byte_at(r, i) : 0xff;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    pass_on(r);
    seconds = MPI_Wtime() - start;
    for (int i = 0; i < r->bytes; i++)
        *good &= r->message[i] == byte_at(r, i);
    return seconds;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* What moves, for the bound: one step after the other. And what it takes. */
static void print_result(const struct relay *r, double *seconds, int repeats, int good)
{
    qsort(seconds, (size_t)repeats, sizeof(*seconds), compare);
    for (int i = 0; i < r->ranks; i++)
        printf("traffic step=%d src=%d dst=%d bytes=%d\n", i, i, (i + 1) % r->ranks, r->bytes);
    printf("result bytes=%d latency_ps_min=%.0f latency_ps_median=%.0f verified=%d\n", r->bytes,
           seconds[0] * 1e12, seconds[repeats / 2] * 1e12, good);
}

/* "bytes=64" -> "64" */
static const char *argument(int argc, char **argv, const char *key, const char *absent)
{
    size_t n = strlen(key);

    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], key, n) == 0 && argv[i][n] == '=')
            return argv[i] + n + 1;
    return absent;
}

int main(int argc, char **argv)
{
    struct relay r = { .bytes = atoi(argument(argc, argv, "bytes", "64")) };
    int repeats = atoi(argument(argc, argv, "repeats", "3")), good = 1;
    double *seconds = malloc((size_t)repeats * sizeof(*seconds));

    r.zeros = strcmp(argument(argc, argv, "fill", "count"), "zeros") == 0;
    r.message = malloc((size_t)r.bytes);
    if (seconds == NULL || r.message == NULL)
        return 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.me);
    MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
    for (int i = 0; i < repeats; i++)
        seconds[i] = measure(&r, &good);
    if (r.me == 0)
        print_result(&r, seconds, repeats, good);
    return MPI_Finalize();
}
