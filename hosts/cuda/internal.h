/* Inside of the CUDA library. */
#ifndef CUDA_INTERNAL_H
#define CUDA_INTERNAL_H

#include "hosts/cuda/include/cuda_runtime.h"
#include "hosts/driver/driver.h"

/** Pageable memory is copied through two pinned buffers of this size in turns. */
#define CUDA_BOUNCE_BYTES 65536u

/** Of one rank, made at its first call. */
struct cuda_rank {
    struct host *h;
    struct driver *d;
    cudaError_t last;
    uint8_t *bounce;            /* two buffers; NULL until needed */
    uint8_t peers[DRIVER_GPUS]; /* by device: bit per device that it may access */
};

/** NULL outside a rank, without memory, or without a GPU. Costs `cost`. */
struct cuda_rank *cuda_enter(enum host_cost cost);
/** Remembers the code for cudaGetLastError(). */
cudaError_t cuda_leave(struct cuda_rank *cr, cudaError_t code);

#endif /* CUDA_INTERNAL_H */
