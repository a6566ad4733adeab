#include <peach2.h>

#include <cstring>
#include <vector>

#include "hosts/driver/driver.h"
#include "tests/hosts/cluster.h"

namespace
{

using test::Cluster;
using test::ClusterConfig;

/* What ranks of one test exchange outside of the machine. */
struct Board {
    std::vector<peach2_buffer> buffers = std::vector<peach2_buffer>(4);
};

unsigned me()
{
    return host_self()->rank;
}
void later(uint64_t ps)
{
    host_self()->cpu->spend(host_self(), ps);
}

TEST(Peach2, BootAssignsAlignedAddressesThatDoNotOverlap)
{
    Cluster c;
    c.expect_run([] {
        const struct driver *d = driver_of(host_self());
        std::vector<std::pair<uint64_t, uint64_t>> used;

        for (unsigned i = 0; i < d->nfunctions; i++)
            for (auto &bar : d->functions[i].bar)
                if (bar.bytes != 0) {
                    EXPECT_EQ(0u, bar.bus % bar.bytes);
                    for (auto &u : used)
                        EXPECT_TRUE(bar.bus >= u.first + u.second ||
                                    u.first >= bar.bus + bar.bytes);
                    used.emplace_back(bar.bus, bar.bytes);
                }
        EXPECT_EQ(3u, used.size());
        EXPECT_EQ(UINT64_C(512) << 30, d->window_bytes);
        EXPECT_EQ(HUB_ID_MAGIC, (uint32_t)peach2_read(HUB_ID));
        EXPECT_EQ(d->area_base[0], peach2_read(HUB_AREA_BASE(0)));
        EXPECT_EQ(d->gpus[1].bar_bus, peach2_read(HUB_AREA_BASE(2)));
        return 0;
    });
}

TEST(Peach2, WithoutABoardOpenSaysSo)
{
    ClusterConfig cc;
    cc.hubs = false;
    Cluster c(cc);
    c.expect_run([] {
        EXPECT_EQ(PEACH2_ERR_NO_HUB, peach2_open());
        return 0;
    });
}

TEST(Peach2, ARemoteLoadReturnsAllOnesAndIsCounted)
{
    Cluster c;
    Board board;
    c.expect_run([&] {
        EXPECT_EQ(0, peach2_open());
        EXPECT_EQ(0, peach2_alloc(PEACH2_IN_HOST, 64, &board.buffers[me()]));
        later(20 * SIM_US);
        uint64_t before = peach2_read(HUB_UR_COUNT);
        EXPECT_EQ(UINT64_MAX, peach2_load(peach2_window(&board.buffers[!me()], 0), 8));
        EXPECT_EQ(0xffffffffu, (uint32_t)peach2_load(peach2_window(&board.buffers[!me()], 8), 4));
        EXPECT_EQ(before + 2, peach2_read(HUB_UR_COUNT));
        return 0;
    });
}

TEST(Peach2, StoresReachHostAndGpuMemoryOfAnotherNode)
{
    Cluster c;
    for (int gpu : { PEACH2_IN_HOST, 0, 1 }) {
        Cluster fresh;
        Board board;
        fresh.expect_run([&] {
            EXPECT_EQ(0, peach2_open());
            EXPECT_EQ(0, peach2_alloc(gpu, 256, &board.buffers[me()]));
            later(20 * SIM_US);
            uint64_t msg[4] = { 11, 22, 33, me() + 1 };
            peach2_store(peach2_window(&board.buffers[!me()], 64), msg, sizeof(msg));
            peach2_commit();
            auto *p = static_cast<uint64_t *>(peach2_pointer(&board.buffers[me()]));
            if (gpu == PEACH2_IN_HOST)
                peach2_wait_word(p + 11, 8, !me() + 1);
            else
                peach2_poll(&board.buffers[me()], 88, 8, !me() + 1);
            EXPECT_EQ(11u, p[8]);
            EXPECT_EQ(22u, p[9]);
            EXPECT_EQ(33u, p[10]);
            return 0;
        });
    }
}

TEST(Peach2, AnInterruptRegisterOfAnotherNodeCallsItsDriver)
{
    Cluster c;
    c.expect_run([] {
        struct driver *d = driver_of(host_self());
        EXPECT_EQ(0, peach2_open());
        if (me() == 0) {
            uint64_t bits = 0x30;
            later(50 * SIM_US);
            peach2_store(driver_window(d, 1, HUB_AREA_SELF, HUB_IRQ_RAISE), &bits, 8);
            return 0;
        }
        uint64_t before = peach2_time_ps();
        EXPECT_EQ(0x10u, driver_wait_irq(host_self(), d, 0x10));
        EXPECT_GT(peach2_time_ps() - before, 50 * SIM_US);
        EXPECT_EQ(0x20u, driver_wait_irq(host_self(), d, 0x20)) << "came with the other one";
        EXPECT_EQ(0u, peach2_read(HUB_IRQ_STATUS));
        return 0;
    });
}

TEST(Peach2, ABitOfAHelperRingsThatOfItsRankAndNoOther)
{
    struct Rank {
        struct host *h;
        unsigned asked, ran;
    };
    Cluster c;
    launch_config cfg = {};

    cfg.nranks = 3; /* the first and the last are on one node */
    c.expect_run(
        [] {
            Rank mine = { host_self(), 0, 0 };
            struct driver *d = driver_of(mine.h);
            uint32_t bit = driver_helper_bit(me() / 2);

            EXPECT_EQ(0, peach2_open());
            if (me() == 1) {
                uint64_t bits = 0x10 | driver_helper_bit(0);
                later(50 * SIM_US);
                peach2_store(driver_window(d, 0, HUB_AREA_SELF, HUB_IRQ_RAISE), &bits, 8);
                later(50 * SIM_US);
                bits = driver_helper_bit(1);
                peach2_store(driver_window(d, 0, HUB_AREA_SELF, HUB_IRQ_RAISE), &bits, 8);
                return 0;
            }
            const host_helper above = {
                [](void *arg) { return ++static_cast<Rank *>(arg)->asked > 0; },
                [](void *arg) { static_cast<Rank *>(arg)->ran++; },
                &mine,
            };
            const driver_helper helper = { mine.h, bit, nullptr, nullptr };
            EXPECT_TRUE(mine.h->cpu->set_helper(mine.h, &above));
            EXPECT_TRUE(driver_helper_add(d, &helper));
            later(80 * SIM_US);
            EXPECT_EQ(me() == 0 ? 1u : 0u, mine.ran);
            later(70 * SIM_US);
            EXPECT_EQ(1u, mine.ran);
            EXPECT_EQ(1u, mine.asked);
            if (me() == 0) {
                EXPECT_EQ(0x10u, driver_wait_irq(mine.h, d, 0x10)) << "is no process's";
            }
            return 0;
        },
        cfg);
}

TEST(Peach2, ANodeHasRoomForAsManyHelpersAsItSays)
{
    Cluster c;
    ASSERT_EQ(SIM_OK, c.run([] {
        struct driver *d = driver_of(host_self());
        const driver_helper helper = { host_self(), 0, nullptr, nullptr };
        for (unsigned i = 0; i < DRIVER_HELPERS; i++)
            EXPECT_TRUE(driver_helper_add(d, &helper));
        EXPECT_FALSE(driver_helper_add(d, &helper));
        return 0;
    }));
    EXPECT_TRUE(c.all_well());
}

TEST(Peach2, AFailingTransferIsReportedAndTheChannelWorksAgain)
{
    Cluster c;
    c.expect_run([] {
        peach2_buffer a, b;
        EXPECT_EQ(0, peach2_open());
        EXPECT_EQ(0, peach2_alloc(PEACH2_IN_HOST, 4096, &a));
        EXPECT_EQ(0, peach2_alloc(PEACH2_IN_HOST, 4096, &b));
        EXPECT_EQ(0, peach2_register(0, peach2_window(&b, 4), a.bus, 64, { 0, 0 })) << "alignment";
        peach2_register_start(0);
        EXPECT_EQ(PEACH2_ERR_DMA, peach2_wait(0));
        memset(peach2_pointer(&a), 7, 4096);
        EXPECT_EQ(0, peach2_register(0, peach2_window(&b, 0), a.bus, 64, { 0, 0 }));
        peach2_register_start(0);
        EXPECT_EQ(0, peach2_wait(0));
        EXPECT_EQ(0, memcmp(peach2_pointer(&a), peach2_pointer(&b), 64));
        EXPECT_EQ(PEACH2_ERR_INVALID, peach2_register(4, 0, 0, 0, { 0, 0 }));
        EXPECT_EQ(PEACH2_ERR_INVALID, peach2_alloc(2, 64, &a)) << "no such GPU";
        EXPECT_EQ(PEACH2_ERR_NOMEM, peach2_alloc(PEACH2_IN_HOST, (size_t)1 << 40, &a));
        return 0;
    });
}

TEST(Peach2, ChainsInBothMemoriesMoveTheirBlocks)
{
    for (int internal : { 0, 1 }) {
        Cluster c;
        c.expect_run([&] {
            peach2_buffer a, b, flag;
            std::vector<peach2_transfer> list(100);
            EXPECT_EQ(0, peach2_open());
            EXPECT_EQ(0, peach2_alloc(0, 65536, &a));
            EXPECT_EQ(0, peach2_alloc(PEACH2_IN_HOST, 65536, &b));
            EXPECT_EQ(0, peach2_alloc(PEACH2_IN_HOST, 64, &flag));
            auto *from = static_cast<uint8_t *>(peach2_pointer(&a));
            auto *to = static_cast<uint8_t *>(peach2_pointer(&b));
            for (size_t i = 0; i < 65536; i++)
                from[i] = (uint8_t)(i * 13 + (i >> 8));
            for (size_t i = 0; i < list.size(); i++)
                list[i] = { peach2_window(&b, 640 * i), a.bus + 320 * i, 320, 0, 0, 0 };
            EXPECT_EQ(0, peach2_chain(2, internal, list.data(), (unsigned)list.size(),
                                      { peach2_window(&flag, 0), 99 }));
            peach2_chain_start(2);
            peach2_wait_word(static_cast<uint64_t *>(peach2_pointer(&flag)), 8, 99);
            size_t wrong = 0;
            for (size_t i = 0; i < list.size(); i++)
                wrong += memcmp(to + 640 * i, from + 320 * i, 320) != 0;
            EXPECT_EQ(0u, wrong);
            return 0;
        });
    }
}

} // namespace
