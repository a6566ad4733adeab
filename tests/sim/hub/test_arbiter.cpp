/* Who gets an output of the hub that several want. */
#include "rig.h"

#include "hub/arbiter/arbiter.h"

namespace
{

/* ---- the decision ---- */

class Policy : public ::testing::Test
{
  protected:
    sim_arbiter turns = {};
    uint64_t since[64] = {};
    uint8_t weight[64], share[64] = {};

    Policy() { std::fill(weight, weight + 64, 1); }
    uint32_t pick(const hub_arbiter &by, uint64_t left)
    {
        const hub_contest contest = { left, &turns, since, weight, share };
        turns.requests = left;
        return by.pick(&contest);
    }
    uint32_t grant(const hub_arbiter &by, uint64_t left)
    {
        const uint32_t source = pick(by, left);
        const hub_contest contest = { left, &turns, since, weight, share };

        turns.turn = (source + 1) % 64;
        if (by.granted != nullptr)
            by.granted(&contest, source);
        return source;
    }
};

TEST_F(Policy, OldestIsWhoCameFirst)
{
    since[3] = 20, since[9] = 10, since[40] = 10;
    EXPECT_EQ(9u, pick(hub_arbiter_oldest, 1ull << 3 | 1ull << 9 | 1ull << 40));
    turns.turn = 10; /* among those of one edge */
    EXPECT_EQ(40u, pick(hub_arbiter_oldest, 1ull << 3 | 1ull << 9 | 1ull << 40));
    EXPECT_EQ(3u, pick(hub_arbiter_oldest, 1ull << 3));
}

TEST_F(Policy, FixedPriorityKnowsNoTurn)
{
    turns.turn = 4;
    for (unsigned i = 0; i < 3; i++)
        EXPECT_EQ(3u, grant(hub_arbiter_fixed_priority, 1ull << 3 | 1ull << 9));
}

TEST_F(Policy, WeightsAreSharesOfTheGrants)
{
    std::map<uint32_t, unsigned> granted;

    weight[3] = 5, weight[9] = 2;
    for (unsigned i = 0; i < 800; i++)
        granted[grant(hub_arbiter_weighted, 1ull << 3 | 1ull << 9 | 1ull << 40)]++;
    EXPECT_EQ((std::map<uint32_t, unsigned>{ { 3, 500 }, { 9, 200 }, { 40, 100 } }), granted);
    for (unsigned i = 0; i < 10; i++) /* alone it gets all */
        EXPECT_EQ(40u, grant(hub_arbiter_weighted, 1ull << 40));
}

/* ---- what comes of it: node 1's own writes and those that pass through it, all to node 2 ---- */

class Contest : public HubRig
{
  protected:
    static constexpr uint64_t kWrites = 500;

    /** @return of the first half that arrives, how many passed through */
    unsigned passed(sim_order order = {})
    {
        std::vector<std::pair<sim_time_t, bool>> arrived;

        build(3, order);
        for (uint64_t k = 0; k < kWrites; k++) {
            uint32_t words[64] = {};
            for (uint64_t from : { 0, 1 })
                hosts[from].write(area(2, HUB_AREA_GPU0) + (2 * k + from) * 256, words, 256);
        }
        run();
        for (const auto &[addr, time] : hosts[2].written)
            if (addr >= kGpu && addr < kGpu + 2 * kWrites * 256)
                arrived.push_back({ time, (addr - kGpu) / 256 % 2 == 0 });
        EXPECT_EQ(2 * kWrites, arrived.size());
        std::sort(arrived.begin(), arrived.end());
        return static_cast<unsigned>(
            std::count_if(arrived.begin(), arrived.begin() + kWrites,
                          [](const std::pair<sim_time_t, bool> &a) { return a.second; }));
    }
};

TEST_F(Contest, RoundRobinGivesHalfToWhatPasses)
{
    EXPECT_NEAR(kWrites / 2.0, passed(), kWrites / 20.0);
}

TEST_F(Contest, FixedPriorityStarvesWhatPasses)
{
    cfg.arbiter = HUB_ARBITER_fixed_priority; /* N comes before W */
    EXPECT_GT(kWrites / 10, passed());
}

TEST_F(Contest, OldestStarvesNobody)
{
    cfg.arbiter = HUB_ARBITER_oldest;
    EXPECT_NEAR(kWrites / 2.0, passed(), kWrites / 10.0);
}

/* A channel's next write has just come, what passes waits in a queue. */
TEST_F(Contest, OldestGivesMoreToAQueueThanItsTurns)
{
    const unsigned writes = 4 * 128;

    for (uint64_t arbiter : { HUB_ARBITER_round_robin, HUB_ARBITER_oldest }) {
        std::vector<std::pair<sim_time_t, bool>> arrived;
        uint32_t words[64] = {};

        cfg.arbiter = arbiter;
        build(3);
        for (unsigned ch = 0; ch < 4; ch++) {
            const uint64_t base = reg(1, HUB_DMA(ch));

            hosts[1].write64(base + HUB_DMA_SRC, kRam);
            hosts[1].write64(base + HUB_DMA_DST, area(2, HUB_AREA_HOST) + ch * 128 * 256);
            hosts[1].write64(base + HUB_DMA_LENGTH, 128 * 256);
            hosts[1].write64(base + HUB_DMA_CONTROL, HUB_DMA_START_REG);
        }
        for (unsigned k = 0; k < writes; k++)
            hosts[0].write(area(2, HUB_AREA_GPU0) + k * 256, words, 256);
        run();
        for (const auto &[addr, time] : hosts[2].written)
            arrived.push_back({ time, addr >= kGpu });
        std::sort(arrived.begin(), arrived.end());
        double passed = 0;
        for (unsigned k = 0; k < writes; k++)
            passed += arrived[k].second;
        if (arbiter == HUB_ARBITER_round_robin)
            EXPECT_NEAR(writes / 5.0, passed, writes / 20.0);
        else
            EXPECT_LT(writes * 0.6, passed);
        TearDown();
    }
}

TEST_F(Contest, WeightedGivesWhatPassesItsShare)
{
    cfg.arbiter = HUB_ARBITER_weighted;
    cfg.weight[HUB_PORT_w] = 3;
    EXPECT_NEAR(kWrites * 3 / 4.0, passed(), kWrites / 10.0);
}

TEST_F(Contest, OrderWithinATimeDoesNotShow)
{
    for (cfg.arbiter = 0; cfg.arbiter < HUB_ARBITER_COUNT; cfg.arbiter++) {
        struct sim_fingerprint plain = {};

        for (uint64_t k = 0; k < 5; k++) {
            (void)passed({ k % 2 != 0, k >= 2, k });
            if (k == 0)
                plain = sim_fingerprint_of(sim);
            EXPECT_EQ(plain.wire, sim_fingerprint_of(sim).wire) << cfg.arbiter << " " << k;
            TearDown();
        }
    }
}

} // namespace
