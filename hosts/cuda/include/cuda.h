/*
 * CUDA's driver calls for programs that set up their device by them before they use the runtime:
 * initialisation, devices, contexts, kinds of pointers. A rank has one context for each device,
 * which is also the primary one; the current context is the runtime's current device.
 */
#ifndef HUBSIM_CUDA_H
#define HUBSIM_CUDA_H

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_VERSION 7050

/* Numbers as in CUDA 7.5. */
typedef enum cudaError_enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_UNKNOWN = 999
} CUresult;

typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef unsigned long long CUdeviceptr;

enum CUctx_flags_enum { CU_CTX_SCHED_AUTO = 0 };

typedef enum CUmemorytype_enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 } CUmemorytype;

/* The type of the answer follows. */
typedef enum CUpointer_attribute_enum {
    CU_POINTER_ATTRIBUTE_CONTEXT = 1,       /* CUcontext */
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,   /* CUmemorytype */
    CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3 /* CUdeviceptr */
} CUpointer_attribute;

/** To be called first. `flags` must be 0. */
CUresult cuInit(unsigned flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGet(CUdevice *device, int ordinal);

/** Makes the device current. */
CUresult cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
/** NULL where the current device has no context. */
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxSynchronize(void);

/** CUDA_ERROR_INVALID_VALUE for memory that CUDA knows nothing of. */
CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer);

#ifdef __cplusplus
}
#endif
#endif /* HUBSIM_CUDA_H */
