/*
 * Kernels of a program, by what they compute. Device code is not compiled: a program says how many
 * operations a kernel has and how many bytes of GPU memory it moves. It may give a function that
 * computes the numbers. A kernel is taken up (key kernel.launch_ps of the GPU) and then lasts
 * as long as the longer one of
 *
 *     sp_operations / kernel.peak_sp_gflops + dp_operations / kernel.peak_dp_gflops
 *     (read_bytes + written_bytes) / kernel.memory_gb_per_s
 */
#ifndef HUB_KERNEL_H
#define HUB_KERNEL_H

#include "cuda_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hub_kernel {
    unsigned long long sp_operations, dp_operations; /* of single and of double precision */
    unsigned long long read_bytes, written_bytes;    /* of GPU memory: each byte once, as far as
                                                      * the GPU's caches keep it */
    void (*run)(void *arg); /* when the kernel ends; NULL: its numbers are of no account */
    void *arg;
};

/**
 * Starts a kernel on the current device, behind what the stream has; *what is copied. A GPU has one
 * kernel at a time, beside its copies. The function runs between two instructions of the program,
 * before anything of the stream that follows. It uses GPU memory, and what else the program does
 * not use until it waits for the stream; it calls nothing of this library, MPI or the clock.
 */
cudaError_t hubKernel(const struct hub_kernel *what, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif /* HUB_KERNEL_H */
