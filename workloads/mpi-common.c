#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "mpi-common.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cuda_runtime.h>
#include <mpi.h>

void mpi_pair(void)
{
    int ranks = 0;

    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks), MPI_SUCCESS);
    if (ranks != 2)
        fail("%d ranks: expected 2", ranks);
}

void mpi_check_bytes(uint64_t bytes)
{
    if (bytes > UINT64_C(1) << 30)
        fail("bytes=%llu: expected at most 1 GiB", (unsigned long long)bytes);
}

void *mpi_memory(int memory, uint64_t n)
{
    void *p = NULL;

    if (memory == IN_HOST) {
        p = calloc(n + 1, 1);
        if (p == NULL)
            fail("out of memory");
        return p;
    }
    gpu_use(memory);
    CHECK(cudaMalloc(&p, n + 1), cudaSuccess);
    return p;
}

/* Of nothing there is nothing to move. */
void mpi_fill(void *p, uint64_t n, unsigned seed)
{
    if (n > 0)
        bytes_fill(p, n, seed);
}

void mpi_clear(void *p, uint64_t n)
{
    if (n > 0)
        bytes_clear(p, n);
}

int mpi_holds(const void *p, uint64_t n, unsigned seed)
{
    return n == 0 || bytes_ok(p, n, seed);
}

int mpi_all(int good)
{
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), MPI_SUCCESS);
    return good;
}

void mpi_gpu_rows(void *to, size_t to_pitch, void *from, size_t from_pitch, size_t width,
                  size_t rows)
{
    void *piece = to_pitch == width ? to : from;

    CHECK(cudaMemcpy(piece, piece, width * rows, cudaMemcpyDefault), cudaSuccess);
    for (size_t i = 0; i < rows; i++)
        memcpy((uint8_t *)to + i * to_pitch, (const uint8_t *)from + i * from_pitch, width);
}

double mpi_slowest(uint64_t warmup, uint64_t rounds, void (*call)(void *arg), void *arg)
{
    double sum = 0;

    for (uint64_t i = 0; i < warmup + rounds; i++) {
        double seconds;

        CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        seconds = MPI_Wtime();
        call(arg);
        seconds = MPI_Wtime() - seconds;
        CHECK(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD),
              MPI_SUCCESS);
        sum += i < warmup ? 0 : seconds;
    }
    return sum / (double)rounds;
}

void mpi_sleep_until(double time)
{
    double left = time - MPI_Wtime();
    struct timespec ts = { .tv_nsec = left > 0 ? (long)(left * 1e9) : 0 };

    (void)nanosleep(&ts, NULL);
    while (MPI_Wtime() < time)
        ;
}

void mpi_settle(void)
{
    /* longer than any message that sets these programs up takes on any network */
    const struct timespec later = { .tv_nsec = 2000000 };

    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    (void)nanosleep(&later, NULL);
    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}
