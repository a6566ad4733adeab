#include "hosts/cuda/internal.h"

#include <stdlib.h>

static void release_rank(void *rank)
{
    cuda_gdr_release(rank);
    cuda_streams_free(rank);
    free(rank);
}

/** Failures up to now do not count for this rank. */
static void forget_failures(struct cuda_rank *cr)
{
    for (unsigned gpu = 0; gpu < cr->d->ngpus; gpu++)
        cr->device[gpu].failed = cr->h->gpus->failures(cr->h, gpu);
}

struct cuda_rank *cuda_enter(enum host_cost cost)
{
    struct host *h = host_self();
    struct cuda_rank *cr;

    if (h == NULL || driver_visible(h)->n == 0)
        return NULL;
    cr = host_state_of(h->states, release_rank);
    if (cr == NULL) {
        cr = calloc(1, sizeof(*cr));
        if (cr == NULL)
            return NULL;
        cr->h = h;
        cr->d = driver_of(h);
        cr->seen = driver_visible(h);
        forget_failures(cr);
        host_state_add(&h->states, &cr->kept, release_rank);
    }
    host_spend_cost(h, cost);
    return cr;
}

bool cuda_gpu_of(const struct cuda_rank *cr, int device, unsigned *gpu_p)
{
    if (cr == NULL || device < 0 || (unsigned)device >= cr->seen->n)
        return false;
    *gpu_p = cr->seen->gpus[device];
    return true;
}

int cuda_device_of(const struct cuda_rank *cr, unsigned gpu)
{
    unsigned device = 0;

    while (device < cr->seen->n && cr->seen->gpus[device] != gpu)
        device++;
    return (int)device;
}

uint64_t cuda_give(struct cuda_rank *cr, unsigned gpu, struct host_copy_end dst,
                   struct host_copy_end src, uint64_t bytes, uint64_t after)
{
    cr->device[gpu].used = true;
    return cr->h->gpus->copy(cr->h, gpu, dst, src, bytes, after);
}

/** Has a copy of a GPU that this rank uses failed? */
static bool has_failed(const struct cuda_rank *cr)
{
    for (unsigned gpu = 0; gpu < cr->d->ngpus; gpu++) {
        const struct cuda_device *d = &cr->device[gpu];

        if (d->used && cr->h->gpus->failures(cr->h, gpu) != d->failed)
            return true;
    }
    return false;
}

/* Failed copies make every later call fail, as an error of a real device does, up to a reset. */
cudaError_t cuda_leave(struct cuda_rank *cr, cudaError_t code)
{
    if (cr == NULL)
        return cudaErrorNoDevice;
    if (code == cudaSuccess && has_failed(cr))
        code = cudaErrorUnknown;
    if (code != cudaSuccess)
        cr->last = code;
    return code;
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "no error";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInvalidDevice:
        return "invalid device ordinal";
    case cudaErrorInvalidValue:
        return "invalid argument";
    case cudaErrorInvalidPitchValue:
        return "invalid pitch argument";
    case cudaErrorInvalidDevicePointer:
        return "invalid device pointer";
    case cudaErrorInvalidMemcpyDirection:
        return "invalid copy direction for memcpy";
    case cudaErrorInvalidResourceHandle:
        return "invalid resource handle";
    case cudaErrorNotReady:
        return "device not ready";
    case cudaErrorNoDevice:
        return "no CUDA-capable device is detected";
    case cudaErrorPeerAccessAlreadyEnabled:
        return "peer access is already enabled";
    case cudaErrorPeerAccessNotEnabled:
        return "peer access has not been enabled";
    case cudaErrorHostMemoryAlreadyRegistered:
        return "part or all of the requested memory range is already mapped";
    case cudaErrorHostMemoryNotRegistered:
        return "pointer does not correspond to a registered memory region";
    case cudaErrorNotSupported:
        return "operation not supported";
    default:
        return "unknown error";
    }
}

cudaError_t cudaGetLastError(void)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CALL);
    cudaError_t last;

    if (cr == NULL)
        return cudaErrorNoDevice;
    last = cr->last;
    cr->last = cudaSuccess;
    return last;
}

static cudaError_t answer_number(struct cuda_rank *cr, int *number_p, int number)
{
    if (number_p == NULL)
        return cuda_leave(cr, cudaErrorInvalidValue);
    *number_p = number;
    return cuda_leave(cr, cudaSuccess);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);

    if (cr != NULL)
        return answer_number(cr, count, (int)cr->seen->n);
    if (count != NULL)
        *count = 0;
    return cudaErrorNoDevice;
}

cudaError_t cudaSetDevice(int device)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    unsigned gpu;

    if (!cuda_gpu_of(cr, device, &gpu))
        return cuda_leave(cr, cudaErrorInvalidDevice);
    cr->h->gpu = gpu;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);

    return cr != NULL ? answer_number(cr, device, cuda_device_of(cr, cr->h->gpu))
                      : cudaErrorNoDevice;
}

/* The copies and kernels of all devices: there is no more to a device here. */
cudaError_t cudaDeviceSynchronize(void)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);

    if (cr != NULL)
        cuda_settle_all(cr);
    return cuda_leave(cr, cudaSuccess);
}

cudaError_t cudaDeviceReset(void)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);

    if (cr != NULL) {
        cuda_settle_all(cr);
        forget_failures(cr);
    }
    return cuda_leave(cr, cudaSuccess);
}

/* ---- memory ---------------------------------------------------------------- */

static cudaError_t take_memory(void **p, size_t n, bool device)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    size_t bytes = n != 0 ? n : 1;
    void *got = NULL;

    if (cr == NULL || p == NULL)
        return cuda_leave(cr, cudaErrorInvalidValue);
    host_spend_cost(cr->h, HOST_COST_SYSCALL);
    if (!device)
        got = cr->h->memory->alloc(cr->h, bytes, HOST_PAGE);
    else if (n <= SIZE_MAX - HOST_GPU_PAGE)
        /* Whole pages, so that pinning one allocation for the board never touches another. */
        got = cr->h->gpus->alloc(cr->h, cr->h->gpu, host_round_up(bytes, HOST_GPU_PAGE),
                                 HOST_GPU_PAGE);
    if (got == NULL)
        return cuda_leave(cr, cudaErrorMemoryAllocation);
    *p = got;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **p, size_t n)
{
    return take_memory(p, n, true);
}

cudaError_t cudaMallocHost(void **p, size_t n)
{
    return take_memory(p, n, false);
}

cudaError_t cudaFree(void *p)
{
    const struct host_place place = HOST_PLACE_OF_CALLER();
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);

    if (cr == NULL || p == NULL)
        return cuda_leave(cr, cudaSuccess);
    cuda_settle_all(cr);
    host_spend_cost(cr->h, HOST_COST_SYSCALL);
    return cuda_leave(cr,
                      cuda_free(cr, p, place) != 0 ? cudaSuccess : cudaErrorInvalidDevicePointer);
}

cudaError_t cudaMallocManaged(void **p, size_t n, unsigned flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return cuda_leave(cuda_enter(HOST_COST_CUDA_CALL), cudaErrorInvalidValue);
    return cudaMallocHost(p, n);
}

cudaError_t cudaHostAlloc(void **p, size_t n, unsigned flags)
{
    (void)flags;
    return cudaMallocHost(p, n);
}

cudaError_t cudaFreeHost(void *p)
{
    const struct host_place place = HOST_PLACE_OF_CALLER();
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);

    if (cr == NULL || p == NULL)
        return cuda_leave(cr, cudaSuccess);
    cuda_settle_all(cr);
    if (cr->h->memory->pointer(cr->h, p).kind != HOST_PINNED)
        return cuda_leave(cr, cudaErrorInvalidValue);
    return cuda_leave(cr, cuda_free(cr, p, place) != 0 ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostRegister(void *p, size_t n, unsigned flags)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);

    (void)flags;
    if (cr == NULL || p == NULL || n == 0)
        return cuda_leave(cr, cudaErrorInvalidValue);
    return cuda_leave(cr, cr->h->memory->pointer(cr->h, p).kind == HOST_PINNED
                              ? cudaErrorHostMemoryAlreadyRegistered
                              : cudaErrorNotSupported);
}

cudaError_t cudaHostUnregister(void *p)
{
    (void)p;
    return cuda_leave(cuda_enter(HOST_COST_CUDA_CALL), cudaErrorHostMemoryNotRegistered);
}

/* ---- peers ------------------------------------------------------------------ */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    unsigned gpu;

    if (can == NULL || !cuda_gpu_of(cr, device, &gpu) || !cuda_gpu_of(cr, peer, &gpu))
        return cuda_leave(cr, cudaErrorInvalidDevice);
    *can = device != peer;
    return cudaSuccess;
}

static cudaError_t set_peer(int peer, bool on)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    uint8_t *mask;
    unsigned gpu;

    if (!cuda_gpu_of(cr, peer, &gpu) || gpu == cr->h->gpu)
        return cuda_leave(cr, cudaErrorInvalidDevice);
    mask = &cr->peers[cr->h->gpu];
    if (((*mask & 1u << gpu) != 0) == on)
        return cuda_leave(cr,
                          on ? cudaErrorPeerAccessAlreadyEnabled : cudaErrorPeerAccessNotEnabled);
    *mask ^= (uint8_t)(1u << gpu);
    host_spend_cost(cr->h, HOST_COST_SYSCALL);
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    return flags != 0 ? cuda_leave(cuda_enter(HOST_COST_CUDA_CALL), cudaErrorInvalidValue)
                      : set_peer(peer, true);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return set_peer(peer, false);
}
