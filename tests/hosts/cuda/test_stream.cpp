/* Streams, events and copies that go on while the CPU does something else. */
#include <cuda_runtime.h>

#include <cstring>
#include <vector>

#include "tests/hosts/cluster.h"

namespace
{

using test::Cluster;
using test::ClusterConfig;

const size_t N = 1 << 18;

uint64_t now()
{
    return host_self()->cpu->time_ps(host_self());
}

void compute(uint64_t ps)
{
    host_self()->cpu->spend(host_self(), ps);
}

uint64_t time_of(const std::function<void()> &fn)
{
    uint64_t start = now();

    fn();
    return now() - start;
}

/** Memory of one rank: pinned host memory with a pattern, the same without, and both GPUs'. */
struct Buffers {
    uint8_t *pinned = nullptr, *back = nullptr, *gpu[2] = {}, *other = nullptr;
    cudaStream_t s = nullptr, t = nullptr;

    Buffers()
    {
        EXPECT_EQ(cudaSuccess, cudaMallocHost((void **)&pinned, N));
        EXPECT_EQ(cudaSuccess, cudaMallocHost((void **)&back, N));
        EXPECT_EQ(cudaSuccess, cudaMalloc((void **)&other, N));
        for (int g : { 1, 0 }) {
            EXPECT_EQ(cudaSuccess, cudaSetDevice(g));
            EXPECT_EQ(cudaSuccess, cudaMalloc((void **)&gpu[g], N));
        }
        EXPECT_EQ(cudaSuccess, cudaStreamCreate(&s));
        EXPECT_EQ(cudaSuccess, cudaStreamCreate(&t));
        fill(1);
    }
    void fill(unsigned seed)
    {
        for (size_t i = 0; i < N; i++)
            pinned[i] = (uint8_t)(i * 31 + (i >> 9) + seed);
    }
    void async(void *dst, const void *src, cudaStream_t stream, size_t n = N)
    {
        EXPECT_EQ(cudaSuccess, cudaMemcpyAsync(dst, src, n, cudaMemcpyDefault, stream));
    }
    void sync(cudaStream_t stream) { EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream)); }
};

void on_one_node(const std::function<void(Buffers &b)> &fn, const test::Values &host = {})
{
    ClusterConfig cc;
    cc.nodes = 1;
    cc.host = host;
    Cluster c(cc);
    c.expect_run([&] {
        Buffers b;
        fn(b);
        return 0;
    });
}

TEST(CudaStream, ACopyGoesOnWhileTheCpuComputes)
{
    on_one_node([](Buffers &b) {
        uint64_t copy = time_of([&] {
            b.async(b.gpu[0], b.pinned, b.s);
            b.sync(b.s);
        });
        uint64_t both = time_of([&] {
            b.async(b.gpu[0], b.pinned, b.s);
            compute(copy);
            b.sync(b.s);
        });
        EXPECT_GT(copy, 25 * SIM_US); /* at less than 10 GB/s */
        EXPECT_LT(both, copy + 10 * SIM_US);
        EXPECT_LT(time_of([&] { b.async(b.gpu[0], b.pinned, b.s); }), 10 * SIM_US);
        EXPECT_GT(time_of([&] { b.sync(b.s); }), copy - 20 * SIM_US);
        EXPECT_EQ(0, memcmp(b.gpu[0], b.pinned, N));
    });
}

TEST(CudaStream, TheEnginesOfTwoGpusWorkSideBySide)
{
    on_one_node([](Buffers &b) {
        uint64_t one = time_of([&] {
            b.async(b.gpu[0], b.pinned, b.s);
            b.sync(b.s);
        });
        uint64_t same = time_of([&] {
            b.async(b.gpu[0], b.pinned, b.s);
            b.async(b.gpu[0], b.pinned, b.t);
            EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
        });
        uint64_t two = time_of([&] {
            b.async(b.gpu[0], b.pinned, b.s);
            b.async(b.gpu[1], b.pinned, b.t);
            EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
        });
        EXPECT_GT(same, one * 18 / 10);
        EXPECT_LT(two, one * 15 / 10);
        EXPECT_EQ(0, memcmp(b.gpu[1], b.pinned, N));
    });
}

TEST(CudaStream, AGpuCopiesBothWaysAtOnceButForOneStream)
{
    on_one_node([](Buffers &b) {
        uint64_t in = time_of([&] {
            b.async(b.gpu[0], b.pinned, b.s);
            b.sync(b.s);
        });
        uint64_t both = time_of([&] {
            b.async(b.gpu[0], b.pinned, b.s);
            b.async(b.back, b.other, b.t);
            EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
        });
        uint64_t started = time_of([&] {
            b.async(b.gpu[0], b.pinned, b.s);
            b.async(b.back, b.gpu[0], b.s);
        });
        uint64_t rest = time_of([&] { b.sync(b.s); });
        EXPECT_LT(both, in * 13 / 10);
        EXPECT_LT(started, in / 2) << "the host does not wait for the first";
        EXPECT_GT(started + rest, in * 16 / 10);
        EXPECT_EQ(0, memcmp(b.back, b.pinned, N));
    });
}

/* Each copy needs the bytes of the one before; engines change on the way. */
TEST(CudaStream, CopiesOfAStreamAreMadeInOrder)
{
    for (bool direct : { true, false })
        on_one_node([&](Buffers &b) {
            if (direct) {
                EXPECT_EQ(cudaSuccess, cudaDeviceEnablePeerAccess(1, 0));
            }
            for (unsigned round = 2; round < 5; round++) {
                b.fill(round);
                b.async(b.gpu[0], b.pinned, b.s);
                EXPECT_EQ(cudaSuccess, cudaMemcpyPeerAsync(b.gpu[1], 1, b.gpu[0], 0, N, b.s));
                b.async(b.other, b.gpu[1], b.s);
                b.async(b.back, b.other, b.s);
                b.sync(b.s);
                EXPECT_EQ(0, memcmp(b.back, b.pinned, N)) << round;
            }
        });
}

/* Writes to a peer may wait for their way to its socket, where a core's read passes them. */
TEST(CudaStream, WhatWasCopiedToAPeerOnTheOtherSocketIsThere)
{
    const test::Values host = { { "p2.socket", 1 }, { "rc.socket_write_interval_ps", 853000 } };
    constexpr size_t bytes = 16384;

    on_one_node(
        [](Buffers &b) {
            EXPECT_EQ(cudaSuccess, cudaDeviceEnablePeerAccess(1, 0));
            b.async(b.gpu[0], b.pinned, b.s);
            EXPECT_EQ(cudaSuccess, cudaMemcpyPeerAsync(b.gpu[1], 1, b.gpu[0], 0, bytes, b.s));
            b.async(b.back, b.gpu[1], b.s, bytes);
            b.sync(b.s);
            EXPECT_EQ(0, memcmp(b.back, b.pinned, bytes));
            b.fill(2);
            EXPECT_EQ(cudaSuccess, cudaMemcpy(b.gpu[0], b.pinned, bytes, cudaMemcpyDefault));
            EXPECT_EQ(cudaSuccess, cudaMemcpyPeer(b.gpu[1], 1, b.gpu[0], 0, bytes));
            EXPECT_EQ(0, memcmp(b.gpu[1], b.pinned, bytes));
        },
        host);
}

/* As with CUDA, a copy that would go on behind an allocation is refused as a whole. */
TEST(CudaStream, CopiesEndWithTheirAllocation)
{
    on_one_node([](Buffers &b) {
        uint8_t *gpu = nullptr;

        EXPECT_EQ(cudaSuccess, cudaMalloc((void **)&gpu, 65536));
        EXPECT_EQ(cudaSuccess, cudaMemcpy(gpu, b.pinned, 65536, cudaMemcpyDefault));
        for (size_t n : { (size_t)65536 + 1, (size_t)1 << 33, SIZE_MAX }) {
            EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(gpu, b.pinned, n, cudaMemcpyDefault)) << n;
            EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(b.pinned, gpu, n, cudaMemcpyDefault)) << n;
            EXPECT_EQ(cudaErrorInvalidValue,
                      cudaMemcpyAsync(gpu, b.pinned, n, cudaMemcpyDefault, b.s))
                << n;
            EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpyPeer(b.gpu[1], 1, gpu, 0, n)) << n;
            EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(gpu, 0, n)) << n;
            EXPECT_EQ(cudaErrorInvalidValue,
                      cudaMemcpy2D(gpu, 2 * n, b.pinned, n, 1, 3, cudaMemcpyDefault))
                << n;
        }
        EXPECT_EQ(0, memcmp(gpu, b.pinned, 65536));
        EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(gpu + 1, b.pinned, 65536, cudaMemcpyDefault));
        EXPECT_EQ(cudaSuccess, cudaFree(gpu));
        EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(gpu, b.pinned, 1, cudaMemcpyDefault));
    });
}

TEST(CudaStream, ReadyMeansThatTheBytesAreThere)
{
    on_one_node([](Buffers &b) {
        b.async(b.gpu[0], b.pinned, b.s);
        b.async(b.back, b.gpu[0], b.s);
        EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(b.s));
        EXPECT_EQ(cudaSuccess, cudaStreamQuery(b.t)) << "has nothing to do";
        EXPECT_NE(0, memcmp(b.back, b.pinned, N));
        while (cudaStreamQuery(b.s) == cudaErrorNotReady)
            ;
        EXPECT_EQ(0, memcmp(b.back, b.pinned, N));
        EXPECT_EQ(cudaSuccess, cudaGetLastError()) << "not ready is no error";
    });
}

TEST(CudaStream, ACopyWithoutAStreamComesAfterAllStreams)
{
    on_one_node([](Buffers &b) {
        b.async(b.gpu[1], b.pinned, b.s);
        b.async(b.gpu[0], b.pinned, b.t);
        EXPECT_EQ(cudaSuccess, cudaMemcpy(b.back, b.gpu[1], N, cudaMemcpyDefault));
        EXPECT_EQ(0, memcmp(b.back, b.pinned, N));
        EXPECT_EQ(cudaSuccess, cudaStreamQuery(b.t));
        b.async(b.gpu[0], b.pinned, nullptr);
        EXPECT_EQ(cudaSuccess, cudaStreamDestroy(b.t)) << "its work goes on";
        EXPECT_EQ(cudaSuccess, cudaFree(b.gpu[0])) << "waits for the copy";
    });
}

TEST(CudaStream, PageableMemoryIsCopiedAtOnceAndInOrder)
{
    on_one_node([](Buffers &b) {
        std::vector<uint8_t> pageable(N);
        b.async(b.gpu[0], b.pinned, b.s);
        b.async(pageable.data(), b.gpu[0], b.s);
        EXPECT_EQ(0, memcmp(pageable.data(), b.pinned, N)) << "without any waiting";
        EXPECT_EQ(cudaSuccess, cudaMemset(b.gpu[0], 0, N));
        b.async(b.gpu[0], pageable.data(), b.s);
        b.async(b.back, b.gpu[0], b.s);
        b.sync(b.s);
        EXPECT_EQ(0, memcmp(b.back, b.pinned, N));
    });
}

TEST(CudaStream, EventsMeasureTheEngineNotTheCpu)
{
    on_one_node([](Buffers &b) {
        cudaEvent_t first, second;
        float ms = -1;
        EXPECT_EQ(cudaSuccess, cudaEventCreate(&first));
        EXPECT_EQ(cudaSuccess, cudaEventCreate(&second));
        EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, first, second));
        EXPECT_EQ(cudaSuccess, cudaEventQuery(first)) << "never recorded";
        uint64_t copy = time_of([&] {
            EXPECT_EQ(cudaSuccess, cudaEventRecord(first, b.s));
            b.async(b.gpu[0], b.pinned, b.s);
            EXPECT_EQ(cudaSuccess, cudaEventRecord(second, b.s));
            EXPECT_EQ(cudaErrorNotReady, cudaEventQuery(second));
            EXPECT_EQ(cudaErrorNotReady, cudaEventElapsedTime(&ms, first, second));
            EXPECT_EQ(cudaSuccess, cudaEventSynchronize(second));
        });
        compute(SIM_MS); /* after the end: not part of it */
        EXPECT_EQ(cudaSuccess, cudaEventElapsedTime(&ms, first, second));
        EXPECT_NEAR((double)copy / (double)SIM_MS, ms, 0.005);
        EXPECT_EQ(cudaSuccess, cudaEventElapsedTime(&ms, second, first));
        EXPECT_LT(ms, 0);
        EXPECT_EQ(cudaSuccess, cudaEventRecord(first, b.s));
        b.async(b.gpu[0], b.pinned, b.s);
        EXPECT_EQ(cudaSuccess, cudaEventRecord(second, b.s));
        EXPECT_EQ(cudaSuccess, cudaEventDestroy(second)) << "before it comes";
        EXPECT_EQ(cudaSuccess, cudaEventDestroy(first));
        EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventSynchronize(first));
        b.sync(b.s);
    });
}

TEST(CudaStream, RowsWithGapsTouchNothingBetween)
{
    on_one_node([](Buffers &b) {
        const size_t width = 300, height = 50, dpitch = 512, spitch = 384;
        size_t wrong = 0;
        memset(b.back, 0xee, N);
        EXPECT_EQ(cudaSuccess, cudaMemset(b.gpu[0], 0xdd, N));
        EXPECT_EQ(cudaSuccess, cudaMemcpy2D(b.gpu[0], dpitch, b.pinned, spitch, width, height,
                                            cudaMemcpyHostToDevice));
        EXPECT_EQ(cudaSuccess, cudaMemcpy2DAsync(b.back, dpitch, b.gpu[0], dpitch, dpitch, height,
                                                 cudaMemcpyDeviceToHost, b.s));
        EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(b.s));
        b.sync(b.s);
        for (size_t i = 0; i < dpitch * (height + 1); i++) {
            size_t row = i / dpitch, col = i % dpitch;
            uint8_t want = row >= height ? 0xee : col < width ? b.pinned[row * spitch + col] : 0xdd;
            wrong += b.back[i] != want;
        }
        EXPECT_EQ(0u, wrong);
        EXPECT_EQ(cudaErrorInvalidPitchValue,
                  cudaMemcpy2D(b.gpu[0], 8, b.pinned, 64, 16, 2, cudaMemcpyDefault));
        EXPECT_EQ(cudaSuccess, cudaMemcpy2D(b.gpu[0], 8, b.pinned, 64, 16, 0, cudaMemcpyDefault));
    });
}

TEST(CudaStream, WrongHandlesAndArgumentsAreRefused)
{
    on_one_node([](Buffers &b) {
        auto wrong = (cudaStream_t)b.pinned;
        EXPECT_EQ(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
        EXPECT_EQ(cudaErrorInvalidValue, cudaEventCreate(nullptr));
        EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(wrong));
        EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaStreamQuery(wrong));
        EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaStreamDestroy(nullptr));
        EXPECT_EQ(cudaErrorInvalidResourceHandle,
                  cudaMemcpyAsync(b.gpu[0], b.pinned, 8, cudaMemcpyDefault, wrong));
        EXPECT_EQ(cudaErrorInvalidMemcpyDirection,
                  cudaMemcpyAsync(b.gpu[0], b.pinned, 8, cudaMemcpyDeviceToHost, b.s));
        EXPECT_EQ(cudaErrorInvalidDevicePointer,
                  cudaMemcpyPeerAsync(b.gpu[0], 1, b.gpu[1], 1, 8, b.s));
        EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventRecord(nullptr, b.s));
        EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventDestroy(nullptr));
        EXPECT_EQ(cudaSuccess, cudaMemcpyAsync(b.gpu[0], b.pinned, 0, cudaMemcpyDefault, b.s));
        EXPECT_EQ(cudaSuccess, cudaStreamDestroy(b.s));
        EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaStreamDestroy(b.s));
    });
}

} // namespace
