/* Where a rank's GPU memory lies, and what a message from there costs:  gpu [choose] [bytes] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>
#include <mpi.h>

#include "hosts/host/host.h"

/* As many programs do, whose launcher gives each rank its number on the node. */
static void choose(void)
{
    int local = atoi(getenv("MV2_COMM_WORLD_LOCAL_RANK"));
    char text[12];

    (void)snprintf(text, sizeof(text), "%d", 3 - local);
    setenv("CUDA_VISIBLE_DEVICES", text, 1);
}

static double microseconds(void *p, int bytes, int rank)
{
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (rank == 0)
        MPI_Send(p, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(p, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 1e6 * (MPI_Wtime() - start);
}

int main(int argc, char **argv)
{
    const char *seen;
    int rank, count = 0, bytes = argc > 1 ? atoi(argv[argc - 1]) : 0;
    double us = 0;
    void *p = NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && strcmp(argv[1], "choose") == 0)
        choose();
    MPI_Barrier(MPI_COMM_WORLD); /* each has set its own */
    seen = getenv("CUDA_VISIBLE_DEVICES");
    (void)cudaGetDeviceCount(&count);
    if (cudaMalloc(&p, (size_t)bytes + 1) != cudaSuccess) {
        printf("rank %d sees %s: no GPU\n", rank, seen);
        return MPI_Finalize();
    }
    printf("rank %d sees %s: %d, the first is GPU %u\n", rank, seen != NULL ? seen : "all", count,
           host_self()->memory->pointer(host_self(), p).gpu);
    if (bytes > 0)
        us = microseconds(p, bytes, rank);
    if (bytes > 0 && rank == 1)
        printf("result us=%.3f\n", us);
    return MPI_Finalize();
}
