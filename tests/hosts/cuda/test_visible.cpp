/* CUDA_VISIBLE_DEVICES: which GPUs of a node are a rank's devices, and in which order. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <tca-api.h>

#include <vector>

#include "hosts/driver/driver.h"
#include "tests/hosts/cluster.h"

namespace
{

using test::Cluster;
using test::ClusterConfig;

std::vector<unsigned> parsed(const char *text, unsigned ngpus = 4)
{
    uint8_t gpus[DRIVER_GPUS];
    unsigned n = driver_visible_parse(text, ngpus, gpus);

    return { gpus, gpus + n };
}

/* CUDA C++ Programming Guide, "CUDA Environment Variables", has the first three. */
TEST(Visible, AListCountsUpToItsFirstWrongEntry)
{
    using list = std::vector<unsigned>;

    EXPECT_EQ((list{ 2, 1 }), parsed("2,1"));
    EXPECT_EQ((list{ 0, 2 }), parsed("0,2,-1,1"));
    EXPECT_EQ(list{}, parsed(""));
    EXPECT_EQ((list{ 0, 1, 2, 3 }), parsed(nullptr));
    EXPECT_EQ((list{ 3, 0 }), parsed(" 3 , 0\t"));
    EXPECT_EQ((list{ 1 }), parsed("1,4,0"));
    EXPECT_EQ((list{ 1 }), parsed("1,,0"));
    EXPECT_EQ((list{ 1 }), parsed("1,"));
    EXPECT_EQ(list{}, parsed("99999999999999999999"));
    EXPECT_EQ(list{}, parsed("GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"));
    EXPECT_EQ(list{}, parsed("1,2,1"));
    EXPECT_EQ(list{}, parsed(nullptr, 0));
    EXPECT_EQ(list{}, parsed("0", 0));
}

void on_one_node(const char *visible, const std::function<int()> &fn)
{
    ClusterConfig cc;
    launch_config cfg = {};

    cc.nodes = 1;
    cfg.visible = visible;
    Cluster(cc).expect_run(fn, cfg);
}

/** The GPU of the node that holds this memory. */
unsigned gpu_of(const void *p)
{
    host_pointer hp = host_self()->memory->pointer(host_self(), p);

    EXPECT_EQ(HOST_GPU, hp.kind);
    return hp.gpu;
}

void *device_memory()
{
    void *p = nullptr;

    EXPECT_EQ(cudaSuccess, cudaMalloc(&p, 64));
    return p;
}

TEST(Visible, DevicesAreCountedInTheOrderOfTheList)
{
    on_one_node("1,0", [] {
        int n = 0, now = -1, can = 0;

        EXPECT_EQ(cudaSuccess, cudaGetDeviceCount(&n));
        EXPECT_EQ(2, n);
        EXPECT_EQ(cudaSuccess, cudaGetDevice(&now));
        EXPECT_EQ(0, now);
        void *first = device_memory();
        EXPECT_EQ(1u, gpu_of(first));
        EXPECT_EQ(cudaSuccess, cudaSetDevice(1));
        EXPECT_EQ(cudaSuccess, cudaGetDevice(&now));
        EXPECT_EQ(1, now);
        void *second = device_memory();
        EXPECT_EQ(0u, gpu_of(second));
        EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(2));
        EXPECT_EQ(cudaSuccess, cudaMemcpyPeer(second, 1, first, 0, 64));
        EXPECT_EQ(cudaErrorInvalidDevicePointer, cudaMemcpyPeer(second, 0, first, 1, 64));
        EXPECT_EQ(cudaSuccess, cudaDeviceCanAccessPeer(&can, 0, 1));
        EXPECT_EQ(1, can);
        EXPECT_EQ(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0)) << "itself";
        EXPECT_EQ(cudaSuccess, cudaDeviceEnablePeerAccess(0, 0));
        return 0;
    });
}

TEST(Visible, OthersAreNotThere)
{
    on_one_node("1", [] {
        int n = 0, can = 0;

        EXPECT_EQ(cudaSuccess, cudaGetDeviceCount(&n));
        EXPECT_EQ(1, n);
        EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(1));
        EXPECT_EQ(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 1));
        EXPECT_EQ(1u, gpu_of(device_memory()));
        return 0;
    });
    on_one_node("", [] {
        int n = -1;
        void *p = nullptr;

        EXPECT_EQ(cudaErrorNoDevice, cudaGetDeviceCount(&n));
        EXPECT_EQ(0, n);
        EXPECT_EQ(cudaErrorNoDevice, cudaMalloc(&p, 64));
        EXPECT_EQ(CUDA_ERROR_NO_DEVICE, cuInit(0));
        EXPECT_EQ(TCA_SUCCESS, tcaInit());
        EXPECT_EQ(TCA_ERROR_NOT_SUPPORTED, tcaMalloc(&p, 64, tcaMemoryGPU));
        return 0;
    });
}

TEST(Visible, DriverCallsNameTheSameDevices)
{
    on_one_node("1,0", [] {
        CUdevice device = -1;
        CUcontext context = nullptr, of_memory = nullptr;
        int n = 0;

        EXPECT_EQ(CUDA_SUCCESS, cuInit(0));
        EXPECT_EQ(CUDA_SUCCESS, cuDeviceGetCount(&n));
        EXPECT_EQ(2, n);
        EXPECT_EQ(CUDA_SUCCESS, cuCtxCreate(&context, 0, 1));
        EXPECT_EQ(CUDA_SUCCESS, cuCtxGetDevice(&device));
        EXPECT_EQ(1, device);
        void *p = device_memory();
        EXPECT_EQ(0u, gpu_of(p));
        EXPECT_EQ(CUDA_SUCCESS,
                  cuPointerGetAttribute(&of_memory, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)p));
        EXPECT_EQ(context, of_memory);
        EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRelease(1));
        EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(1));
        return 0;
    });
}

/* As with the real library, which takes its memory from CUDA. */
TEST(Visible, TheFirstIsWhereTcaTakesMemoryBeforeAnyCallOfCuda)
{
    on_one_node("1,0", [] {
        void *p = nullptr;

        EXPECT_EQ(TCA_SUCCESS, tcaInit());
        EXPECT_EQ(TCA_SUCCESS, tcaMalloc(&p, 64, tcaMemoryGPU));
        EXPECT_EQ(1u, gpu_of(p));
        EXPECT_EQ(cudaSuccess, cudaSetDevice(1));
        EXPECT_EQ(TCA_SUCCESS, tcaMalloc(&p, 64, tcaMemoryGPU));
        EXPECT_EQ(0u, gpu_of(p));
        return 0;
    });
}

} // namespace
