/*
 * The driver's calls. Ranks share nothing of a device but its memory and engines, so a context is
 * no more than a device that somebody uses.
 */
#include "hosts/cuda/include/cuda.h"
#include "hosts/cuda/internal.h"

/** NULL and the reason before cuInit(). */
static struct cuda_rank *enter_driver(CUresult *code_p)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);

    *code_p = CUDA_SUCCESS;
    if (cr == NULL || !cr->driver) {
        *code_p = cr == NULL ? CUDA_ERROR_NO_DEVICE : CUDA_ERROR_NOT_INITIALIZED;
        return NULL;
    }
    return cr;
}

static bool is_context(const struct cuda_rank *cr, CUcontext context)
{
    for (unsigned gpu = 0; gpu < cr->d->ngpus; gpu++)
        if (context == &cr->contexts[gpu])
            return context->uses != 0;
    return false;
}

CUresult cuInit(unsigned flags)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);

    if (cr == NULL)
        return CUDA_ERROR_NO_DEVICE;
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    cr->driver = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    if (version == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    CUresult code;
    struct cuda_rank *cr = enter_driver(&code);

    if (cr != NULL && count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (cr != NULL)
        *count = (int)cr->seen->n;
    return code;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    CUresult code;
    struct cuda_rank *cr = enter_driver(&code);
    unsigned gpu;

    if (cr == NULL)
        return code;
    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!cuda_gpu_of(cr, ordinal, &gpu))
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

/* ---- contexts ------------------------------------------------------------- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    CUresult code;
    struct cuda_rank *cr = enter_driver(&code);
    unsigned gpu;

    if (cr == NULL)
        return code;
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!cuda_gpu_of(cr, device, &gpu))
        return CUDA_ERROR_INVALID_DEVICE;
    cr->contexts[gpu].uses++;
    *context = &cr->contexts[gpu];
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    CUresult code;
    struct cuda_rank *cr = enter_driver(&code);
    unsigned gpu;

    if (cr == NULL)
        return code;
    if (!cuda_gpu_of(cr, device, &gpu))
        return CUDA_ERROR_INVALID_DEVICE;
    if (cr->contexts[gpu].uses == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    cr->contexts[gpu].uses--;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device)
{
    CUresult code;

    (void)flags; /* how the CPU waits: as the runtime does */
    code = cuDevicePrimaryCtxRetain(context, device);
    return code == CUDA_SUCCESS ? cuCtxSetCurrent(*context) : code;
}

CUresult cuCtxDestroy(CUcontext context)
{
    CUresult code;
    struct cuda_rank *cr = enter_driver(&code);

    if (cr == NULL)
        return code;
    if (!is_context(cr, context))
        return CUDA_ERROR_INVALID_CONTEXT;
    cuda_settle_all(cr);
    context->uses--;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    CUresult code;
    struct cuda_rank *cr = enter_driver(&code);

    if (cr == NULL)
        return code;
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *context = cr->contexts[cr->h->gpu].uses != 0 ? &cr->contexts[cr->h->gpu] : NULL;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    CUresult code;
    struct cuda_rank *cr = enter_driver(&code);

    if (cr == NULL)
        return code;
    if (!is_context(cr, context))
        return CUDA_ERROR_INVALID_CONTEXT;
    cr->h->gpu = (unsigned)(context - cr->contexts);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    CUcontext context = NULL;
    CUresult code = cuCtxGetCurrent(&context);

    if (code != CUDA_SUCCESS)
        return code;
    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return context == NULL || cudaGetDevice(device) != cudaSuccess ? CUDA_ERROR_INVALID_CONTEXT
                                                                   : CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    CUresult code;
    struct cuda_rank *cr = enter_driver(&code);

    if (cr == NULL)
        return code;
    cuda_settle_all(cr);
    return cuda_leave(cr, cudaSuccess) == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

/* ---- pointers ------------------------------------------------------------- */

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer)
{
    CUresult code;
    struct cuda_rank *cr = enter_driver(&code);
    struct host_pointer hp;

    if (cr == NULL)
        return code;
    hp = cr->h->memory->pointer(cr->h,
                                (void *)(uintptr_t)pointer); // NOLINT(performance-no-int-to-ptr)
    if (data == NULL || hp.kind == HOST_PAGEABLE)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = &cr->contexts[hp.kind == HOST_GPU ? hp.gpu : cr->h->gpu];
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(CUmemorytype *)data = hp.kind == HOST_GPU ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = pointer;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}
