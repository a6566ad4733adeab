/* What programs are returned when the hardware below them answers wrongly, late or not at all. */
#include "tests/hosts/tca/rank.h"

#include "hosts/host/host.h"
#include "pcie/lossy/misbehave.h"

#include <cuda_runtime.h>
#include <peach2.h>

namespace
{

using test::Cluster;
using test::ClusterConfig;
using test::Rank;

const int IN = tcaDMAUseInternal | tcaDMAUseNotifyInternal;
const sim_time_t timeout = 100 * SIM_US;

ClusterConfig hasty()
{
    ClusterConfig c;

    c.hub["completion_timeout_ps"] = timeout;
    c.host["rc.completion_timeout_ps"] = timeout;
    c.gpu["copy.completion_timeout_ps"] = timeout;
    return c;
}

pcie_misbehavior from(sim_time_t from_ps, pcie_misdeed deed)
{
    pcie_misbehavior how = {};

    how.deed = deed;
    how.from_ps = from_ps;
    how.to_ps = SIM_TIME_NEVER;
    return how;
}

/** Rank 0 sends 4 KB of GPU 0 to rank 1 with the GPU as `how` says; what it is returned. */
tcaresult put_from_gpu(const pcie_misbehavior &how, sim_time_t *took_p = nullptr)
{
    Cluster c(hasty());
    tcaresult told = TCA_SUCCESS;
    sim_error err = {};
    auto *gpu = static_cast<node_gpu *>(machine_component(c.machine(), 0, "gpu0", nullptr));

    EXPECT_EQ(SIM_OK, node_gpu_misbehave(gpu, &how, &err)) << err.text;
    EXPECT_EQ(SIM_OK, c.run([&] {
        Rank r;
        void *p = nullptr;
        EXPECT_EQ(TCA_SUCCESS, tcaMalloc(&p, 65536, tcaMemoryGPU));
        auto h = r.publish(p, 65536, tcaMemoryGPU);
        if (r.me == 0) {
            tcaDesc *d = tcaDescNew();
            EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &h[1], 0, &h[0], 0, 4096, IN, 0, 1));
            EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, 0));
            sim_time_t start = peach2_time_ps();
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(0));
            told = tcaWaitDMAC(0);
            if (took_p != nullptr)
                *took_p = peach2_time_ps() - start;
            EXPECT_EQ(TCA_SUCCESS, tcaDescFree(d));
        }
        return MPI_Finalize();
    })) << c.err.text;
    EXPECT_TRUE(c.all_well());
    return told;
}

TEST(TcaFaults, AListOfAGpuThatAnswersWronglyFails)
{
    pcie_misbehavior how = from(0, PCIE_POISONS);
    sim_time_t took = 0;

    how.skip = 1000000; /* never */
    EXPECT_EQ(TCA_SUCCESS, put_from_gpu(how));
    for (pcie_misdeed deed : { PCIE_POISONS, PCIE_ABORTS })
        EXPECT_EQ(TCA_ERROR_DMA, put_from_gpu(from(30 * SIM_US, deed))) << deed;
    EXPECT_EQ(TCA_ERROR_DMA, put_from_gpu(from(30 * SIM_US, PCIE_IS_SILENT), &took));
    EXPECT_GT(took, timeout);
    EXPECT_LT(took, timeout + 20 * SIM_US);
}

TEST(CudaFaults, ACopyOfPoisonedMemoryFailsAndSoDoesAllUpToAReset)
{
    Cluster c(hasty());
    sim_error err = {};
    auto *host = static_cast<node_host *>(machine_component(c.machine(), 0, "host", nullptr));
    pcie_misbehavior how = from(0, PCIE_POISONS);

    how.count = 1;
    EXPECT_EQ(SIM_OK, node_host_misbehave(host, &how, &err)) << err.text;
    EXPECT_EQ(SIM_OK, c.run([&] {
        void *device = nullptr, *memory = nullptr;
        EXPECT_EQ(cudaSuccess, cudaMalloc(&device, 4096));
        EXPECT_EQ(cudaSuccess, cudaMallocHost(&memory, 4096));
        bool broken = host_self()->rank == 0;
        cudaError_t want = broken ? cudaErrorUnknown : cudaSuccess;
        EXPECT_EQ(want, cudaMemcpy(device, memory, 4096, cudaMemcpyHostToDevice));
        EXPECT_EQ(want, cudaDeviceSynchronize());
        EXPECT_EQ(want, cudaGetLastError());
        EXPECT_EQ(cudaSuccess, cudaDeviceReset());
        EXPECT_EQ(cudaSuccess, cudaMemcpy(device, memory, 4096, cudaMemcpyHostToDevice));
        return 0;
    })) << c.err.text;
    EXPECT_TRUE(c.all_well());
}

} // namespace
