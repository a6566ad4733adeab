/* CUDA_SAFE_CALL(call): evaluates once; an error is printed on stderr and ends the program. */
#ifndef CUDA_HELP_H
#define CUDA_HELP_H

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

#ifndef CUDA_SAFE_CALL
#define CUDA_SAFE_CALL(...)                                                                        \
    do {                                                                                           \
        cudaError_t cuda_safe_code_ = (__VA_ARGS__);                                               \
        if (cuda_safe_code_ != cudaSuccess) {                                                      \
            fprintf(stderr, "%s:%d: CUDA error: %s\n", __FILE__, __LINE__,                         \
                    cudaGetErrorString(cuda_safe_code_));                                          \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)
#endif

#endif /* CUDA_HELP_H */
