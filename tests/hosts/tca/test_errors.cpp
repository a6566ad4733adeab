#include "tests/hosts/tca/rank.h"

#include <cuda_runtime.h>
#include <tca-help.h>

namespace
{

using test::Cluster;
using test::ClusterConfig;
using test::Rank;

const int IN = tcaDMAUseInternal | tcaDMAUseNotifyInternal;

/** Runs on rank 0 of two; the other one only takes part in the set-up. */
void on_rank_0(const std::function<void(Rank &, tcaHandle *mine, tcaHandle *other)> &fn)
{
    Cluster c;
    c.expect_run([&] {
        Rank r;
        void *p = nullptr;
        EXPECT_EQ(TCA_SUCCESS, tcaMalloc(&p, 65536, tcaMemoryCPU));
        auto h = r.publish(p, 65536, tcaMemoryCPU);
        if (r.me == 0)
            fn(r, &h[0], &h[1]);
        return MPI_Finalize();
    });
}

TEST(TcaErrors, NothingWorksBeforeInit)
{
    Cluster c;
    c.expect_run([&] {
        void *p;
        tcaHandle h = {};
        EXPECT_EQ(TCA_ERROR_NOT_INITIALIZED, tcaMalloc(&p, 8, tcaMemoryCPU));
        EXPECT_EQ(TCA_ERROR_NOT_INITIALIZED, tcaStartDMADesc(0));
        EXPECT_EQ(TCA_ERROR_NOT_INITIALIZED, tcaWaitDMARecvDesc(&h, 0, 1));
        EXPECT_EQ(TCA_ERROR_NOT_INITIALIZED, tcaSendPIOCommit());
        return 0;
    });
}

TEST(TcaErrors, WithoutABoardInitSaysSo)
{
    ClusterConfig cc;
    cc.hubs = false;
    Cluster c(cc);
    c.expect_run([&] {
        EXPECT_EQ(TCA_ERROR_NOT_SUPPORTED, tcaInit());
        return 0;
    });
}

TEST(TcaErrors, SizesAndAlignment)
{
    on_rank_0([](Rank &, tcaHandle *mine, tcaHandle *other) {
        tcaDesc *d = tcaDescNew();
        auto put = [&](off_t dst, off_t src, size_t n) {
            return tcaDescSetMemcpy(d, other, dst, mine, src, n, IN, 0, 1);
        };
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(0, 0, 0));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(0, 0, 6));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(4, 0, 8));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(8, 16, 8));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(-16, 0, 16));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(0, -16, 16));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(0, 0, 65540));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(65536, 0, 4));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(0, 0, SIZE_MAX - 3));
        EXPECT_EQ(TCA_SUCCESS, put(0, 0, 65536));
        EXPECT_EQ(TCA_SUCCESS, put(20, 36, 4));
        tcaDescFree(d);
    });
}

TEST(TcaErrors, ShapesOfBlockStride)
{
    on_rank_0([](Rank &, tcaHandle *mine, tcaHandle *other) {
        tcaDesc *d = tcaDescNew();
        auto put = [&](size_t dst_pitch, size_t src_pitch, size_t width, size_t count) {
            return tcaDescSetMemcpy2D(d, other, 0, dst_pitch, mine, 0, src_pitch, width, count, IN,
                                      0, 1);
        };
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(64, 64, 32, 0));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(64, 64, 0, 2));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(64, 64, 30, 2));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(16, 64, 32, 2));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(64, 16, 32, 2));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(64, 72, 32, 2));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(64, 64, 32, 1025));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(64, SIZE_MAX - 63, 32, 3));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, put(64, 64, 32, SIZE_MAX));
        EXPECT_EQ(TCA_SUCCESS, put(64, 80, 32, 2));
        EXPECT_EQ(TCA_SUCCESS, put(64, 64, 64, 1024));
        EXPECT_EQ(TCA_SUCCESS, put(0, 3, 64, 1)); /* one row has no pitch */
        tcaDescFree(d);
    });
}

TEST(TcaErrors, HandlesFlagsSlotsAndChannels)
{
    on_rank_0([](Rank &, tcaHandle *mine, tcaHandle *other) {
        tcaDesc *d = tcaDescNew();
        tcaHandle junk = {};
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescSetMemcpy(d, other, 0, other, 0, 8, IN, 0, 1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescSetMemcpy(d, &junk, 0, mine, 0, 8, IN, 0, 1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescSetMemcpy(d, nullptr, 0, mine, 0, 8, IN, 0, 1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescSetMemcpy(d, other, 0, nullptr, 0, 8, IN, 0, 1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE,
                  tcaDescSetMemcpy(nullptr, other, 0, mine, 0, 8, IN, 0, 1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescSetMemcpy(d, other, 0, mine, 0, 8, 0x40, 0, 1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescSetMemcpy(d, other, 0, mine, 0, 8, IN, -1, 1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescSetMemcpy(d, other, 0, mine, 0, 8, IN, 65536, 1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescSet(d, 0)) << "an empty list";
        EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, other, 0, mine, 0, 8, IN, 65535, -1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescSet(d, 4));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescSet(d, -1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescSet(nullptr, 0));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaStartDMADesc(0)) << "nothing installed";
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaStartDMADesc(4));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaWaitDMAC(-1));
        EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(0)) << "never used";
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaWaitDMARecvDesc(&junk, 0, 1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaWaitDMARecvDesc(mine, -1, 1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDestroyHandle(other));
        EXPECT_EQ(TCA_SUCCESS, tcaDestroyHandle(mine));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDestroyHandle(mine));
        tcaDescFree(d);
    });
}

TEST(TcaErrors, Memory)
{
    on_rank_0([](Rank &, tcaHandle *, tcaHandle *) {
        void *p = nullptr;
        uint64_t on_stack[2];
        tcaHandle h;
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaMalloc(&p, 8, (tcaMemoryKind)9));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaMalloc(nullptr, 8, tcaMemoryCPU));
        EXPECT_EQ(TCA_ERROR_OUT_OF_MEMORY, tcaMalloc(&p, SIZE_MAX, tcaMemoryGPU));
        EXPECT_EQ(TCA_ERROR_OUT_OF_MEMORY, tcaMalloc(&p, (size_t)1 << 40, tcaMemoryCPU));
        EXPECT_EQ(TCA_ERROR_OUT_OF_MEMORY, tcaMalloc(&p, (size_t)1 << 40, tcaMemoryGPU));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaCreateHandle(&h, on_stack, 16, tcaMemoryCPU));
        EXPECT_EQ(TCA_SUCCESS, tcaMalloc(&p, 0, tcaMemoryCPU));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaCreateHandle(&h, p, 16, tcaMemoryGPU));
        EXPECT_EQ(TCA_SUCCESS, tcaCreateHandle(&h, p, 0, tcaMemoryCPU));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaFree(p, tcaMemoryGPU));
        EXPECT_EQ(TCA_SUCCESS, tcaFree(p, tcaMemoryCPU));
        EXPECT_EQ(TCA_SUCCESS, tcaMalloc(&p, 8, tcaMemoryGPU));
        EXPECT_EQ(TCA_SUCCESS, tcaCreateHandle(&h, (char *)p + 16, 8, tcaMemoryGPU));
        for (size_t k = 0; k < 16; k++) /* around the end of all addresses, to before `p` */
            EXPECT_EQ(TCA_ERROR_INVALID_VALUE,
                      tcaCreateHandle(&h, (char *)p + 16, SIZE_MAX - k, tcaMemoryGPU));
        EXPECT_EQ(TCA_SUCCESS, tcaFree(p, tcaMemoryGPU));
        EXPECT_EQ(TCA_SUCCESS, tcaMalloc(&p, 64, tcaMemoryCPU));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE,
                  tcaCreateHandle(&h, (char *)p + 16, SIZE_MAX - 1, tcaMemoryCPU));
        EXPECT_EQ(TCA_SUCCESS, tcaFree(p, tcaMemoryCPU));
        EXPECT_EQ(TCA_SUCCESS, tcaFree(nullptr, tcaMemoryGPU));
    });
}

TEST(TcaErrors, AHandleDoesNotReachFromOneGpuToTheNext)
{
    on_rank_0([](Rank &, tcaHandle *, tcaHandle *) {
        void *p[2] = {};
        tcaHandle h;
        for (int gpu : { 1, 0 }) {
            EXPECT_EQ(cudaSuccess, cudaSetDevice(gpu));
            EXPECT_EQ(TCA_SUCCESS, tcaMalloc(&p[gpu], 64, tcaMemoryGPU));
        }
        ASSERT_LT(p[0], p[1]);
        size_t between = (size_t)((char *)p[1] - (char *)p[0]);
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaCreateHandle(&h, p[0], between + 64, tcaMemoryGPU));
    });
}

TEST(TcaErrors, AListTooLongForInternalMemory)
{
    on_rank_0([](Rank &, tcaHandle *mine, tcaHandle *other) {
        tcaDesc *d = tcaDescNew();
        for (int i = 0; i < 1024; i++)
            EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, other, 0, mine, 0, 8, IN, 0, 1));
        EXPECT_EQ(TCA_ERROR_OUT_OF_MEMORY, tcaDescSet(d, 0)) << "with the last word 1025";
        tcaDescFree(d);
        d = tcaDescNew();
        for (int i = 0; i < 1023; i++)
            EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, other, 0, mine, 0, 8, IN, 0, 1));
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, 0));
        EXPECT_EQ(TCA_ERROR_OUT_OF_MEMORY, tcaDescSet(d, 1));
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, 0)) << "takes the place of what it replaces";
        EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(0));
        EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(0));
        tcaDescFree(d);
    });
}

TEST(TcaErrors, Pio)
{
    on_rank_0([](Rank &, tcaHandle *mine, tcaHandle *other) {
        tcaPIOHandle pio;
        tcaHandle gpu;
        void *p = nullptr;
        char buf[16] = {};
        EXPECT_EQ(TCA_SUCCESS, tcaMalloc(&p, 64, tcaMemoryGPU));
        EXPECT_EQ(TCA_SUCCESS, tcaCreateHandle(&gpu, p, 64, tcaMemoryGPU));
        EXPECT_EQ(TCA_ERROR_NOT_SUPPORTED, tcaSetPIORegion(&pio, &gpu, 0, 8));
        EXPECT_EQ(TCA_ERROR_NOT_SUPPORTED, tcaSetPIORegion(&pio, mine, 0, 8));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSetPIORegion(&pio, other, 65537, 8));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSetPIORegion(&pio, other, -1, 8));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSetPIORegion(nullptr, other, 0, 8));
        EXPECT_EQ(TCA_SUCCESS, tcaSetPIORegion(&pio, other, 65536 - 64, 8));
        EXPECT_EQ(TCA_SUCCESS, tcaSendPIO(&pio, 48, buf, 16)) << "beyond n, within the handle";
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSendPIO(&pio, 56, buf, 16));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSendPIO(&pio, SIZE_MAX, buf, 16));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSendPIO(&pio, 0, nullptr, 16));
        EXPECT_EQ(TCA_SUCCESS, tcaSendPIOCommit());
    });
}

/* Four lists of more notifications than the ring and the places behind it hold, to a node whose
 * interrupts come too late for it. */
TEST(TcaErrors, LostNotificationsEndTheProgramAndSayWhy)
{
    enum { CHANNELS = 4, SENT = (4096 + 256) / CHANNELS + 1 };
    ClusterConfig cc;
    cc.host["cpu.irq_ps"] = SIM_MS;
    cc.host["rc.memory_read_ps"] = 1000; /* so that lists are fast */
    Cluster c(cc);
    std::string text;

    EXPECT_EQ(SIM_OK, c.run([] {
        Rank r;
        { /* what a rank holds when it is ended is lost */
            auto all = r.publish(r.memory(8, tcaMemoryCPU), 8, tcaMemoryCPU);
            for (int ch = 0; r.me == 0 && ch < CHANNELS; ch++) {
                tcaDesc *d = tcaDescNew();
                for (int k = 0; k < SENT; k++)
                    EXPECT_EQ(TCA_SUCCESS,
                              tcaDescSetMemcpy(d, &all[1], 0, &all[0], 0, 8, tcaDMANotify, ch, k));
                EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, ch));
            }
        }
        for (int ch = 0; r.me == 0 && ch < CHANNELS; ch++)
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(ch));
        while (MPI_Wtime() < 0.02) /* reads no notification */
            ;
        return MPI_Finalize();
    }));
    EXPECT_TRUE(c.result.aborted);
    EXPECT_EQ(1u, c.result.abort_rank);
    EXPECT_EQ(1, c.result.ranks[0].exit_code);
    for (const Cluster::Line &line : c.lines)
        text += line.text;
    EXPECT_EQ(
        "the hub has lost 4 notifications: more came than its ring of 4096 entries and the 256 "
        "places behind it can hold until this node reads them",
        text);
}

TEST(TcaErrors, EveryCodeHasAText)
{
    for (int code = TCA_SUCCESS; code <= TCA_ERROR_DMA; code++)
        EXPECT_STRNE("unknown error", tcaGetErrorString(code));
    EXPECT_STREQ("unknown error", tcaGetErrorString(99));
}

} // namespace
