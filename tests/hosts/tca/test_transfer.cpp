#include "tests/hosts/tca/rank.h"

#include "hosts/driver/driver.h"

namespace
{

using test::Cluster;
using test::ClusterConfig;
using test::Rank;

enum { CH = 0, SLOT = 3, TAG = 0x55 };
const int IN = tcaDMAUseInternal | tcaDMAUseNotifyInternal;
const int BOTH = tcaDMANotify | tcaDMANotifySelf;

struct Placement {
    int flags;
    tcaMemoryKind src, dst;
};

class TcaPlacement : public ::testing::TestWithParam<Placement>
{
};

/* Four turns of ping-pong, each with its own bytes; at the moment the wait returns they are there.
 */
TEST_P(TcaPlacement, PingPongDeliversBeforeItNotifies)
{
    const Placement how = GetParam();
    Cluster c;
    c.expect_run([&] {
        Rank r;
        const size_t n = 5000;
        uint8_t *out = r.memory(n, how.src), *in = r.memory(n, how.dst);
        auto outs = r.publish(out, n, how.src), ins = r.publish(in, n, how.dst);
        tcaDesc *d = tcaDescNew();
        EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &ins[!r.me], 0, &outs[r.me], 0, n,
                                                how.flags | BOTH, SLOT, TAG));
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, CH));
        r.barrier();
        for (int turn = 0; turn < 4; turn++) {
            if (turn % 2 == r.me) {
                test::fill(out, n, turn);
                EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
                EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&outs[r.me], SLOT, TAG));
            } else {
                EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&ins[!r.me], SLOT, TAG));
                EXPECT_EQ(0u, test::wrong_bytes(in, n, turn)) << "turn " << turn;
            }
        }
        EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(CH));
        EXPECT_EQ(TCA_SUCCESS, tcaDescFree(d));
        EXPECT_EQ(TCA_SUCCESS, tcaFree(out, how.src));
        EXPECT_EQ(TCA_SUCCESS, tcaFree(in, how.dst));
        return MPI_Finalize();
    });
}

INSTANTIATE_TEST_SUITE_P(
    All, TcaPlacement,
    ::testing::Values(Placement{ IN, tcaMemoryCPU, tcaMemoryCPU },
                      Placement{ IN, tcaMemoryGPU, tcaMemoryGPU },
                      Placement{ 0, tcaMemoryCPU, tcaMemoryCPU },
                      Placement{ 0, tcaMemoryGPU, tcaMemoryGPU },
                      Placement{ tcaDMAUseInternal, tcaMemoryCPU, tcaMemoryGPU },
                      Placement{ tcaDMAUseNotifyInternal, tcaMemoryGPU, tcaMemoryCPU },
                      Placement{ IN | tcaDMAPipeline, tcaMemoryGPU, tcaMemoryGPU }));

TEST(Tca, BlockStrideWithUnequalPitchesTouchesItsRowsOnly)
{
    for (int flags : { IN, 0 }) {
        Cluster c;
        c.expect_run([&] {
            Rank r;
            const size_t width = 48, rows = 37, src_pitch = 128, dst_pitch = 80, off = 16;
            const size_t n = 8192;
            uint8_t *out = r.memory(n, tcaMemoryGPU), *in = r.memory(n, tcaMemoryGPU);
            auto outs = r.publish(out, n, tcaMemoryGPU), ins = r.publish(in, n, tcaMemoryGPU);
            test::fill(out, n, 1);
            memset(in, 0xee, n);
            r.barrier();
            if (r.me == 0) {
                tcaDesc *d = tcaDescNew();
                EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy2D(d, &ins[1], off, dst_pitch, &outs[0],
                                                          2 * off, src_pitch, width, rows,
                                                          flags | tcaDMANotify, SLOT, TAG));
                EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, 2));
                EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(2));
                EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(2));
                tcaDescFree(d);
            } else {
                EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&ins[0], SLOT, TAG));
                size_t wrong = 0;
                for (size_t i = 0; i < n; i++) {
                    size_t row = i >= off ? (i - off) / dst_pitch : rows;
                    size_t col = i >= off ? (i - off) % dst_pitch : 0;
                    bool inside = row < rows && col < width;
                    uint8_t want =
                        inside ? test::pattern(1, 2 * off + row * src_pitch + col) : 0xee;
                    wrong += in[i] != want;
                }
                EXPECT_EQ(0u, wrong);
            }
            return MPI_Finalize();
        });
    }
}

TEST(Tca, AListRunsInOrderAndNotifiesOncePerNotifyingPut)
{
    Cluster c;
    c.expect_run([&] {
        Rank r;
        auto *buf = r.memory<uint64_t>(64, tcaMemoryCPU);
        auto h = r.publish(buf, 64 * 8, tcaMemoryCPU);
        if (r.me == 0) {
            tcaDesc *d = tcaDescNew();
            for (int i = 0; i < 8; i++)
                buf[2 * i] = 100 + i;
            for (int i = 0; i < 8; i++) /* all to the same place: the last one stays */
                EXPECT_EQ(TCA_SUCCESS,
                          tcaDescSetMemcpy(d, &h[1], 256, &h[0], 16 * i, 8,
                                           IN | (i % 2 != 0 ? tcaDMANotify : 0), SLOT, 7 + i));
            EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, 0));
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(0));
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(0));
            tcaDescFree(d);
        } else {
            for (int i = 7; i > 0; i -= 2) /* in any order of waiting */
                EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&h[0], SLOT, 7 + i));
            EXPECT_EQ(107u, buf[32]);
        }
        return MPI_Finalize();
    });
}

/* A sender that never waits for its receiver: no notification may be lost, no start dropped. */
TEST(Tca, NotificationsAreCountedAndStartsAreNeverLost)
{
    for (int self : { 0, (int)tcaDMANotifySelf }) {
        Cluster c;
        const int rounds = 20;
        c.expect_run([&] {
            Rank r;
            auto *buf = r.memory<uint64_t>(8192, tcaMemoryCPU);
            auto h = r.publish(buf, 65536, tcaMemoryCPU);
            if (r.me == 0) {
                tcaDesc *d = tcaDescNew();
                EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &h[1], 0, &h[0], 0, 16384,
                                                        IN | tcaDMANotify | self, SLOT, TAG));
                EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, 1));
                for (int i = 0; i < rounds; i++)
                    EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(1));
                EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(1));
                tcaDescFree(d);
            }
            r.barrier();
            for (int i = 0; r.me == 1 && i < rounds; i++)
                EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&h[0], SLOT, TAG));
            return MPI_Finalize();
        });
    }
}

/* More notifications than the ring has entries: the interrupt takes them out. */
TEST(Tca, UncollectedNotificationsNeverBlock)
{
    Cluster c;
    const int rounds = 1100; /* the ring has 4096 entries */
    c.expect_run([&] {
        Rank r;
        auto *buf = r.memory<uint64_t>(8, tcaMemoryCPU);
        auto h = r.publish(buf, 64, tcaMemoryCPU);
        if (r.me == 0) {
            tcaDesc *d = tcaDescNew();
            for (int i = 0; i < 4; i++)
                tcaDescSetMemcpy(d, &h[1], 0, &h[0], 0, 4, IN | tcaDMANotify, SLOT, TAG);
            EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, 0));
            for (int i = 0; i < rounds; i++)
                EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(0));
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(0));
            tcaDescFree(d);
        }
        r.barrier();
        for (int i = 0; r.me == 1 && i < 4 * rounds; i++)
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&h[0], SLOT, TAG));
        return MPI_Finalize();
    });
}

TEST(Tca, SettingABusyChannelDoesNotDisturbTheRunningList)
{
    Cluster c;
    c.expect_run([&] {
        Rank r;
        const size_t n = 1 << 18;
        uint8_t *buf = r.memory(2 * n, tcaMemoryCPU);
        auto h = r.publish(buf, 2 * n, tcaMemoryCPU);
        test::fill(buf, n, r.me == 0 ? 5 : 9);
        r.barrier();
        if (r.me == 0) {
            for (int i = 0; i < 6; i++) {
                tcaDesc *d = tcaDescNew();
                size_t off = (size_t)i * 4096;
                EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &h[1], n + off, &h[0], off, n / 2,
                                                        IN | tcaDMANotify, i, TAG));
                EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, 0)); /* the last one still runs */
                tcaDescFree(d);
                EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(0));
            }
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(0));
        } else {
            for (int i = 0; i < 6; i++)
                EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&h[0], i, TAG));
            EXPECT_EQ(0u, test::wrong_bytes(buf + n, n / 2 + 5 * 4096, 5));
        }
        return MPI_Finalize();
    });
}

TEST(Tca, AStartOnAnIdleChannelIsOneStore)
{
    Cluster c;
    c.expect_run([&] {
        Rank r;
        struct host *h = host_self();
        auto *buf = r.memory<uint64_t>(8, tcaMemoryCPU);
        auto hs = r.publish(buf, 64, tcaMemoryCPU);
        tcaDesc *d = tcaDescNew();
        tcaDescSetMemcpy(d, &hs[!r.me], 0, &hs[r.me], 0, 8, IN | BOTH, SLOT, TAG);
        tcaDescSet(d, 0);
        r.barrier();
        h->cpu->spend(h, 100 * SIM_US);
        for (int i = 0; i < 3; i++) {
            uint64_t before = h->cpu->time_ps(h);
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(0));
            /* the call and a posted store; a load over the bus takes 600 ns and more */
            EXPECT_LT(h->cpu->time_ps(h) - before, 100 * SIM_NS);
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&hs[r.me], SLOT, TAG));
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&hs[!r.me], SLOT, TAG));
        }
        tcaDescFree(d);
        return MPI_Finalize();
    });
}

TEST(Tca, CopiesWithinANodeBetweenItsMemories)
{
    Cluster c;
    c.expect_run([&] {
        Rank r;
        const size_t n = 70000;
        uint8_t *gpu = r.memory(n, tcaMemoryGPU), *other = r.memory(n, tcaMemoryGPU);
        uint8_t *cpu = r.memory(n, tcaMemoryCPU);
        tcaHandle hg, ho, hc;
        EXPECT_EQ(TCA_SUCCESS, tcaCreateHandle(&hg, gpu, n, tcaMemoryGPU));
        EXPECT_EQ(TCA_SUCCESS, tcaCreateHandle(&ho, other, n, tcaMemoryGPU));
        EXPECT_EQ(TCA_SUCCESS, tcaCreateHandle(&hc, cpu, n, tcaMemoryCPU));
        test::fill(cpu, n, r.me);
        tcaDesc *d = tcaDescNew();
        EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &hg, 0, &hc, 0, n, IN, 0, TAG));
        EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &ho, 0, &hg, 0, n, IN | tcaDMANotify, 1, TAG));
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, 3));
        EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(3));
        EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&hc, 1, TAG));
        EXPECT_EQ(0u, test::wrong_bytes(gpu, n, r.me));
        EXPECT_EQ(0u, test::wrong_bytes(other, n, r.me));
        tcaDescFree(d);
        return MPI_Finalize();
    });
}

/* A handle names pages beside its memory, too: they stay where they are when that is freed. */
TEST(Tca, FreeingGpuMemoryLeavesWhatLiesBesideItReachable)
{
    const size_t page = 65536;
    Cluster c;
    c.expect_run([&] {
        Rank r;
        uint8_t *gone = r.memory(page, tcaMemoryGPU);
        EXPECT_EQ(TCA_SUCCESS, tcaFree(gone, tcaMemoryGPU));
        tcaHandle wide;
        EXPECT_EQ(TCA_SUCCESS, tcaCreateHandle(&wide, gone, 3 * page, tcaMemoryGPU));
        uint8_t *low = r.memory(page, tcaMemoryGPU), *middle = r.memory(page, tcaMemoryGPU);
        uint8_t *high = r.memory(page, tcaMemoryGPU);
        EXPECT_EQ(gone, low);
        EXPECT_EQ(low + 2 * page, high);
        auto lows = r.publish(low, page, tcaMemoryGPU), highs = r.publish(high, page, tcaMemoryGPU);
        EXPECT_EQ(TCA_SUCCESS, tcaFree(middle, tcaMemoryGPU));
        test::fill(low, page, r.me);
        r.barrier();
        tcaDesc *d = tcaDescNew();
        EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &highs[!r.me], 0, &lows[r.me], 0, page,
                                                IN | tcaDMANotify, SLOT, TAG));
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, CH));
        EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
        EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&lows[!r.me], SLOT, TAG));
        EXPECT_EQ(0u, test::wrong_bytes(high, page, !r.me));
        EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(CH));
        tcaDescFree(d);
        return MPI_Finalize();
    });
}

TEST(Tca, PioArrivesInRisingOrder)
{
    for (enum host_mapping mapping : { HOST_UNCACHED, HOST_WRITE_COMBINING }) {
        launch_software sw = launch_software_default();
        launch_config cfg = {};
        Cluster c;

        sw.pio_mapping = mapping;
        cfg.software = &sw;
        c.expect_run(
            [&] {
                Rank r;
                const size_t n = 1000;
                uint8_t *buf = r.memory(n + 8, tcaMemoryCPU);
                auto h = r.publish(buf, n + 8, tcaMemoryCPU);
                auto *mark = reinterpret_cast<volatile uint64_t *>(buf + n);
                std::vector<uint8_t> msg(n + 8);
                uint64_t one = 1;
                tcaPIOHandle pio;
                EXPECT_EQ(TCA_SUCCESS, tcaSetPIORegion(&pio, &h[!r.me], 0, 8));
                test::fill(msg.data(), n, r.me);
                memcpy(msg.data() + n, &one, 8);
                EXPECT_EQ(TCA_SUCCESS, tcaSendPIO(&pio, 0, msg.data(), msg.size()));
                EXPECT_EQ(TCA_SUCCESS, tcaSendPIOCommit());
                while (*mark != 1)
                    host_self()->bus->wait_write(host_self(), mark, 8);
                EXPECT_EQ(0u, test::wrong_bytes(buf, n, !r.me));
                return MPI_Finalize();
            },
            cfg);
    }
}

TEST(Tca, EveryNodeOfARingReachesEveryOther)
{
    ClusterConfig cc;
    cc.nodes = 5;
    cc.closed_ring = true;
    Cluster c(cc);
    c.expect_run([&] {
        Rank r;
        const size_t n = 256;
        uint8_t *buf = r.memory(n * (r.size + 1), tcaMemoryGPU);
        auto h = r.publish(buf, n * (r.size + 1), tcaMemoryGPU);
        tcaDesc *d = tcaDescNew();
        test::fill(buf + n * r.size, n, r.me);
        for (int to = 0; to < r.size; to++)
            EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &h[to], n * r.me, &h[r.me], n * r.size, n,
                                                    IN | tcaDMANotify, SLOT, TAG));
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, 0));
        EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(0));
        for (int from = 0; from < r.size; from++) {
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&h[from], SLOT, TAG));
            EXPECT_EQ(0u, test::wrong_bytes(buf + n * from, n, from));
        }
        tcaDescFree(d);
        return MPI_Finalize();
    });
}

TEST(Tca, HandlesDoNotRunOutAndDescriptorsAreReused)
{
    Cluster c;
    c.expect_run([&] {
        Rank r;
        auto *buf = r.memory<uint64_t>(8, tcaMemoryGPU);
        for (int i = 0; i < 3000; i++) {
            tcaHandle h;
            tcaDesc *d = tcaDescNew();
            EXPECT_EQ(TCA_SUCCESS, tcaCreateHandle(&h, buf, 64, tcaMemoryGPU));
            EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &h, 16, &h, 0, 4, IN, SLOT, TAG));
            EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, i % 4));
            tcaDescFree(d);
        }
        return MPI_Finalize();
    });
}

} // namespace
