/*
 * CUDA-aware MPI: messages go from GPU memory to GPU memory, with the pointers that cudaMalloc()
 * gives. Each rank passes a block on to the next one, all at once.
 *
 *   hubcc -O2 gpu.c -o gpu
 *   hubrun -q -n 2 -m two-node ./gpu [bytes]              over the hubs
 *   hubrun -q -n 2 -m two-node --mpi ib ./gpu [bytes]     over InfiniBand
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>
#include <mpi.h>

enum { ROUNDS = 20 };

static void *device_memory(size_t bytes)
{
    void *p;

    if (cudaMalloc(&p, bytes) != cudaSuccess) {
        fprintf(stderr, "gpu: %s\n", cudaGetErrorString(cudaGetLastError()));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 0) : 65536;
    unsigned char *host = malloc(bytes + 1), *out, *in;
    double start;
    int bad = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    out = device_memory(bytes);
    in = device_memory(bytes);
    memset(host, rank + 1, bytes);
    cudaMemcpy(out, host, bytes, cudaMemcpyHostToDevice);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; i < ROUNDS; i++)
        MPI_Sendrecv(out, (int)bytes, MPI_BYTE, (rank + 1) % ranks, 0, in, (int)bytes, MPI_BYTE,
                     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("%zu bytes from GPU to GPU: %.3f us\n", bytes, 1e6 * (MPI_Wtime() - start) / ROUNDS);
    cudaMemcpy(host, in, bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < bytes; i++)
        bad += host[i] != (rank + ranks - 1) % ranks + 1;
    cudaFree(out);
    cudaFree(in);
    free(host);
    MPI_Finalize();
    return bad != 0;
}
