#include "hosts/cuda/include/hub-kernel.h"

#include "hosts/cuda/internal.h"

cudaError_t hubKernel(const struct hub_kernel *what, cudaStream_t stream)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    struct cuda_last *last = cuda_stream(cr, stream);
    struct host_kernel kernel;

    if (last == NULL)
        return cuda_leave(cr, cudaErrorInvalidResourceHandle);
    if (what == NULL)
        return cuda_leave(cr, cudaErrorInvalidValue);
    kernel = (struct host_kernel){ what->sp_operations, what->dp_operations, what->read_bytes,
                                   what->written_bytes, what->run,           what->arg };
    return cuda_leave(cr, cuda_start_kernel(cr, last, &kernel));
}
