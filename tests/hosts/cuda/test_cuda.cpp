#include <cuda.h>
#include <cuda_runtime.h>

#include <cstring>
#include <vector>

#include "hosts/driver/driver.h"
#include "tests/hosts/cluster.h"

namespace
{

using test::Cluster;
using test::ClusterConfig;

void on_one_node(const std::function<int()> &fn)
{
    ClusterConfig cc;
    cc.nodes = 1;
    Cluster c(cc);
    c.expect_run(fn);
}

void *device(int gpu, size_t n)
{
    void *p = nullptr;

    EXPECT_EQ(cudaSuccess, cudaSetDevice(gpu));
    EXPECT_EQ(cudaSuccess, cudaMalloc(&p, n));
    return p;
}

std::vector<uint8_t> bytes(size_t n, unsigned seed)
{
    std::vector<uint8_t> v(n);

    for (size_t i = 0; i < n; i++)
        v[i] = (uint8_t)(i * 31 + (i >> 9) + seed);
    return v;
}

uint64_t now()
{
    return host_self()->cpu->time_ps(host_self());
}

/* Sizes around the pieces of a staged copy. */
const size_t SIZES[] = { 1, 8, 4095, 65536, 65537, 300001 };

TEST(Cuda, CopiesBetweenAllKindsOfMemory)
{
    on_one_node([] {
        for (size_t n : SIZES) {
            auto want = bytes(n, 3);
            std::vector<uint8_t> got(n);
            void *pinned = nullptr, *a = device(0, n), *b = device(0, n), *c = device(1, n);

            EXPECT_EQ(cudaSuccess, cudaMallocHost(&pinned, n));
            EXPECT_EQ(cudaSuccess, cudaMemcpy(a, want.data(), n, cudaMemcpyHostToDevice));
            EXPECT_EQ(0, memcmp(a, want.data(), n)) << n;
            EXPECT_EQ(cudaSuccess, cudaMemcpy(b, a, n, cudaMemcpyDeviceToDevice));
            EXPECT_EQ(cudaSuccess, cudaMemcpy(c, b, n, cudaMemcpyDefault));
            EXPECT_EQ(0, memcmp(c, want.data(), n)) << n;
            EXPECT_EQ(cudaSuccess, cudaMemcpy(pinned, c, n, cudaMemcpyDeviceToHost));
            EXPECT_EQ(0, memcmp(pinned, want.data(), n)) << n;
            EXPECT_EQ(cudaSuccess, cudaMemset(a, 0, n));
            EXPECT_EQ(cudaSuccess, cudaMemcpy(a, pinned, n, cudaMemcpyDefault));
            EXPECT_EQ(cudaSuccess, cudaMemcpy(got.data(), a, n, cudaMemcpyDeviceToHost));
            EXPECT_EQ(want, got) << n;
            EXPECT_EQ(cudaSuccess, cudaFreeHost(pinned));
            for (void *p : { a, b, c })
                EXPECT_EQ(cudaSuccess, cudaFree(p));
        }
        return 0;
    });
}

TEST(Cuda, PeersCopyDirectlyOnlyWhereThatWasEnabled)
{
    on_one_node([] {
        const size_t n = 200000;
        auto want = bytes(n, 5);
        void *a = device(0, n), *b = device(1, n);
        int can = 0;

        EXPECT_EQ(cudaSuccess, cudaMemcpy(a, want.data(), n, cudaMemcpyHostToDevice));
        uint64_t start = now();
        EXPECT_EQ(cudaSuccess, cudaMemcpyPeer(b, 1, a, 0, n));
        uint64_t staged = now() - start;
        EXPECT_EQ(0, memcmp(b, want.data(), n));

        EXPECT_EQ(cudaSuccess, cudaDeviceCanAccessPeer(&can, 0, 1));
        EXPECT_EQ(1, can);
        EXPECT_EQ(cudaSuccess, cudaDeviceEnablePeerAccess(0, 0));
        EXPECT_EQ(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(0, 0));
        memset(b, 0, n);
        start = now();
        EXPECT_EQ(cudaSuccess, cudaMemcpyPeer(b, 1, a, 0, n));
        EXPECT_LT(now() - start, staged);
        EXPECT_EQ(0, memcmp(b, want.data(), n));
        EXPECT_EQ(cudaSuccess, cudaDeviceDisablePeerAccess(0));
        EXPECT_EQ(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
        return 0;
    });
}

TEST(Cuda, PageableMemoryTakesLongerThanPinned)
{
    on_one_node([] {
        const size_t n = 1 << 20;
        std::vector<uint8_t> pageable(n, 1);
        void *pinned = nullptr, *a = device(0, n);

        EXPECT_EQ(cudaSuccess, cudaMallocHost(&pinned, n));
        for (bool down : { true, false }) {
            uint64_t times[2];
            void *hosts[] = { pinned, pageable.data() };
            for (int i = 0; i < 2; i++) {
                uint64_t start = now();
                EXPECT_EQ(cudaSuccess, down ? cudaMemcpy(a, hosts[i], n, cudaMemcpyDefault)
                                            : cudaMemcpy(hosts[i], a, n, cudaMemcpyDefault));
                times[i] = now() - start;
            }
            EXPECT_GT(times[1], times[0]);
            EXPECT_LT(times[1], 4 * times[0]); /* engine and CPU work side by side */
        }
        return 0;
    });
}

TEST(Cuda, ASmallCopyCostsSomeMicroseconds)
{
    on_one_node([] {
        void *pinned = nullptr, *a = device(0, 64);

        EXPECT_EQ(cudaSuccess, cudaMallocHost(&pinned, 64));
        uint64_t start = now();
        EXPECT_EQ(cudaSuccess, cudaMemcpy(a, pinned, 8, cudaMemcpyHostToDevice));
        EXPECT_GT(now() - start, 5 * SIM_US);
        EXPECT_LT(now() - start, 10 * SIM_US);
        return 0;
    });
}

/* As programs set up that name their device by the driver's calls. */
TEST(Cuda, DriverCallsNameDevicesAndContexts)
{
    on_one_node([] {
        CUdevice device = -1;
        CUcontext first = nullptr, second = nullptr, current = nullptr;
        CUmemorytype kind = CU_MEMORYTYPE_HOST;
        int count = 0, runtime = -1;

        EXPECT_EQ(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGet(&device, 0));
        EXPECT_EQ(CUDA_SUCCESS, cuInit(0));
        EXPECT_EQ(CUDA_SUCCESS, cuDeviceGetCount(&count));
        EXPECT_EQ(2, count);
        EXPECT_EQ(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 2));
        EXPECT_EQ(CUDA_SUCCESS, cuDeviceGet(&device, 1));
        EXPECT_EQ(CUDA_SUCCESS, cuCtxGetCurrent(&current));
        EXPECT_EQ(nullptr, current);
        EXPECT_EQ(CUDA_SUCCESS, cuCtxCreate(&second, 0, device));
        EXPECT_EQ(cudaSuccess, cudaGetDevice(&runtime));
        EXPECT_EQ(1, runtime);
        EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&first, 0));
        EXPECT_EQ(CUDA_SUCCESS, cuCtxGetCurrent(&current));
        EXPECT_EQ(second, current) << "retaining does not select";
        EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(first));
        EXPECT_EQ(CUDA_SUCCESS, cuCtxGetDevice(&device));
        EXPECT_EQ(0, device);
        EXPECT_EQ(CUDA_SUCCESS, cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                      (CUdeviceptr)::device(1, 64)));
        EXPECT_EQ(CU_MEMORYTYPE_DEVICE, kind);
        EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
                  cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        (CUdeviceptr)(uintptr_t)&kind));
        EXPECT_EQ(CUDA_SUCCESS, cuCtxSynchronize());
        EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRelease(0));
        EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(first));
        EXPECT_EQ(CUDA_SUCCESS, cuCtxDestroy(second));
        EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(second));
        return 0;
    });
}

/* The simulated device's own: another machine has others. */
TEST(Cuda, PropertiesAreThoseOfTheDevice)
{
    ClusterConfig cc;

    cc.nodes = 1;
    cc.gpu = { { "memory_bytes", 1 << 20 }, { "l2.bytes", 768 << 10 } };
    Cluster(cc).expect_run([] {
        const driver *d = driver_of(host_self());
        int buses[2];

        for (int device = 0; device < 2; device++) {
            cudaDeviceProp p;
            memset(&p, 0xff, sizeof(p));
            EXPECT_EQ(cudaSuccess, cudaGetDeviceProperties(&p, device));
            EXPECT_EQ(1u << 20, p.totalGlobalMem);
            EXPECT_EQ(768 << 10, p.l2CacheSize);
            const driver_function *fn = driver_find(d, 0x10de, 0x1021, (unsigned)device);
            EXPECT_NE(nullptr, fn) << "by which a driver knows the board";
            EXPECT_EQ(fn != nullptr ? fn->bdf : -1, p.pciBusID << 8 | p.pciDeviceID << 3);
            buses[device] = p.pciBusID;
            EXPECT_STREQ("Tesla K20Xm", p.name);
            EXPECT_EQ(35, 10 * p.major + p.minor);
            EXPECT_EQ(14, p.multiProcessorCount);
            EXPECT_NEAR(250e9, 2e3 * p.memoryClockRate * p.memoryBusWidth / 8, 1e9);
            EXPECT_EQ(2, p.asyncEngineCount);
            EXPECT_EQ((size_t)INT32_MAX, p.memPitch);
            EXPECT_EQ(512u, p.textureAlignment);
            EXPECT_EQ(1, p.concurrentKernels);
            EXPECT_EQ(0, p.canMapHostMemory) << "no call has the device's pointer to host memory";
            EXPECT_EQ(0, p.maxTexture1D) << "what nothing here has a value of";
        }
        EXPECT_NE(buses[0], buses[1]);
        return 0;
    });
}

TEST(Cuda, PropertiesOfNoDeviceAreRefused)
{
    on_one_node([] {
        cudaDeviceProp p = {};

        EXPECT_EQ(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 2));
        EXPECT_EQ(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, -1));
        EXPECT_EQ('\0', p.name[0]);
        EXPECT_EQ(cudaErrorInvalidDevice, cudaGetLastError());
        EXPECT_EQ(cudaErrorInvalidValue, cudaGetDeviceProperties(nullptr, 0));
        return 0;
    });
}

/* Both sides reach managed memory by one pointer, and cudaFree() takes it. */
TEST(Cuda, ManagedMemoryServesBothSides)
{
    on_one_node([] {
        void *p = nullptr, *a = device(0, 4096);

        EXPECT_EQ(cudaErrorInvalidValue, cudaMallocManaged(&p, 4096, 0));
        EXPECT_EQ(cudaSuccess, cudaMallocManaged(&p, 4096, cudaMemAttachGlobal));
        EXPECT_EQ(cudaSuccess, cudaMemset(p, 0x5a, 4096));
        EXPECT_EQ(0x5a, static_cast<uint8_t *>(p)[4095]);
        memset(p, 0x17, 4096);
        EXPECT_EQ(cudaSuccess, cudaMemcpy(a, p, 4096, cudaMemcpyDefault));
        EXPECT_EQ(0, memcmp(a, p, 4096));
        EXPECT_EQ(cudaSuccess, cudaFree(p));
        EXPECT_EQ(cudaErrorInvalidDevicePointer, cudaFree(p));
        return 0;
    });
}

TEST(Cuda, ErrorsAreReturnedAndRemembered)
{
    on_one_node([] {
        void *p = nullptr, *a = device(0, 64);
        char host[64];
        int count = 0, current = -1;

        EXPECT_EQ(cudaSuccess, cudaGetDeviceCount(&count));
        EXPECT_EQ(2, count);
        EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(2));
        EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(-1));
        EXPECT_EQ(cudaErrorInvalidDevice, cudaGetLastError());
        EXPECT_EQ(cudaSuccess, cudaGetLastError());
        EXPECT_EQ(cudaSuccess, cudaGetDevice(&current));
        EXPECT_EQ(0, current);
        EXPECT_EQ(cudaErrorMemoryAllocation, cudaMalloc(&p, (size_t)1 << 50));
        EXPECT_EQ(cudaErrorMemoryAllocation, cudaMalloc(&p, SIZE_MAX));
        EXPECT_EQ(cudaErrorMemoryAllocation, cudaMallocHost(&p, (size_t)1 << 50));
        EXPECT_EQ(cudaErrorInvalidValue, cudaMalloc(nullptr, 8));
        EXPECT_EQ(cudaErrorInvalidDevicePointer, cudaFree(host));
        EXPECT_EQ(cudaErrorInvalidDevicePointer, cudaFree((char *)a + 8));
        EXPECT_EQ(cudaErrorInvalidValue, cudaFreeHost(host));
        EXPECT_EQ(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, host, 8, cudaMemcpyDeviceToHost));
        EXPECT_EQ(cudaErrorInvalidMemcpyDirection,
                  cudaMemcpy(host, host, 8, cudaMemcpyHostToDevice));
        EXPECT_EQ(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, host, 8, (cudaMemcpyKind)9));
        EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(nullptr, host, 8, cudaMemcpyDefault));
        EXPECT_EQ(cudaErrorInvalidDevicePointer, cudaMemcpyPeer(a, 1, a, 0, 8));
        EXPECT_EQ(cudaErrorInvalidDevicePointer, cudaMemset(host, 0, 8));
        EXPECT_EQ(cudaErrorNotSupported, cudaHostRegister(host, 64, 0));
        EXPECT_EQ(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0)) << "itself";
        EXPECT_EQ(cudaSuccess, cudaMemcpy(a, host, 0, cudaMemcpyDefault));
        EXPECT_EQ(cudaSuccess, cudaFree(nullptr));
        EXPECT_STREQ("out of memory", cudaGetErrorString(cudaErrorMemoryAllocation));
        return 0;
    });
}

} // namespace
