#include "mpi-common.h"

#include <stdlib.h>

#include <cuda_runtime.h>
#include <mpi.h>

void mpi_pair(void)
{
    int ranks = 0;

    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks), MPI_SUCCESS);
    if (ranks != 2)
        fail("%d ranks: expected 2", ranks);
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
    CHECK(cudaSetDevice(memory), cudaSuccess);
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

void mpi_settle(void)
{
    const double later =
        2e-3; /* longer than any message of these programs' set-up on any network */
    double start = 0;

    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    start = MPI_Wtime() + later;
    while (MPI_Wtime() < start)
        ;
    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}
