/* What a program may ask about a device. */
#include "hosts/cuda/internal.h"

/*
 * The board that a simulated GPU stands for, by the name that the driver has for its PCI device
 * (10de:1021). Clocks, 2688 cores, which are 14 times 192, and the width of memory: NVIDIA, "Tesla
 * K20X GPU Accelerator Board Specification", BD-06397-001. Cores of a multiprocessor, limits of
 * kernels and alignment of textures: CUDA C Programming Guide, compute capability 3.5. No kernel
 * runs here, and no time comes from these numbers.
 */
static const struct cudaDeviceProp k20x = {
    .name = "Tesla K20Xm",
    .major = 3,
    .minor = 5,
    .multiProcessorCount = 14,
    .clockRate = 732000,
    .memoryClockRate = 2600000,
    .memoryBusWidth = 384,
    .warpSize = 32,
    .maxThreadsPerBlock = 1024,
    .maxThreadsDim = { 1024, 1024, 64 },
    .maxGridSize = { INT32_MAX, 65535, 65535 },
    .maxThreadsPerMultiProcessor = 2048,
    .regsPerBlock = 65536,
    .regsPerMultiprocessor = 65536,
    .sharedMemPerBlock = 49152,
    .sharedMemPerMultiprocessor = 49152,
    .totalConstMem = 65536,
    .memPitch = INT32_MAX,
    .textureAlignment = 512,
    .concurrentKernels = 1,
    .unifiedAddressing = 1,
    .managedMemory = 1,
    .deviceOverlap = 1,
    .asyncEngineCount = HOST_COPY_ENGINES,
};

static int int_of(uint64_t bytes)
{
    return bytes < INT32_MAX ? (int)bytes : INT32_MAX;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    unsigned gpu;
    uint16_t bdf;

    if (!cuda_gpu_of(cr, device, &gpu))
        return cuda_leave(cr, cudaErrorInvalidDevice);
    if (prop == NULL)
        return cuda_leave(cr, cudaErrorInvalidValue);
    *prop = k20x;
    prop->totalGlobalMem = cr->h->gpus->memory_bytes(cr->h, gpu);
    prop->l2CacheSize = int_of(cr->h->gpus->cache_bytes(cr->h, gpu));
    bdf = cr->h->gpus->bdf(cr->h, gpu);
    prop->pciBusID = bdf >> 8;
    prop->pciDeviceID = bdf >> 3 & 31;
    return cuda_leave(cr, cudaSuccess);
}
