/* docs/hub-spec.md: notifications and their ring, edge by edge. */
#include "cycles.h"

#include "hub/queue.h"

namespace
{

using Edges = std::vector<uint64_t>;

class Notify : public Cycles
{
  protected:
    static constexpr uint64_t kRing = kRam + 0x6000, kEntries = 8;
    static constexpr uint64_t kEach = 3; /* two beats and a gap: SELF takes one in so many cycles */

    void make_ring(uint64_t mask = 0)
    {
        make();
        host().write64(reg(0, HUB_RING_BASE), kRing);
        host().write64(reg(0, HUB_RING_SIZE), 3);
        host().write64(reg(0, HUB_IRQ_MASK), mask);
        run();
        host().seen.clear();
    }
    void notify(FakeHost &h, unsigned from, unsigned to)
    {
        for (uint64_t k = from; k <= to; k++)
            h.write64(&h == &host() ? reg(0, HUB_NOTIFY) : cable(reg(0, HUB_NOTIFY)), k);
    }
    void take(uint64_t entries) { host().write64(reg(0, HUB_RING_TAIL), entries); }
    /** What was appended so far, in the order in which it came. */
    std::vector<uint64_t> entries()
    {
        std::vector<uint64_t> all;

        for (const Seen &s : host().seen) {
            if (s.tlp.kind != PCIE_MWR || s.data.size() != 8)
                continue;
            uint64_t v = 0;
            memcpy(&v, s.data.data(), 8);
            EXPECT_EQ(kRing + all.size() % kEntries * 8, s.tlp.addr);
            EXPECT_EQ(all.size() / kEntries % 2 == 0, v >> 63 != 0) << "lap";
            all.push_back(v & ~(UINT64_C(1) << 63));
        }
        return all;
    }
    static std::vector<uint64_t> up_to(uint64_t n)
    {
        std::vector<uint64_t> all;

        for (uint64_t k = 1; k <= n; k++)
            all.push_back(k);
        return all;
    }
};

/* The store that takes entries out comes behind nine that wait, by the same queue. */
TEST_F(Notify, AFullRingLetsTheHostsOwnStoresPass)
{
    make_ring();
    uint64_t n = soon();
    beat(n, [&] {
        notify(host(), 1, 17);
        take(8);
    });
    run();
    uint64_t taken = n + to_effect() + 17 * kEach;
    ASSERT_EQ(up_to(16), entries());
    Edges all = grants(host(), PCIE_MWR);
    for (uint64_t k = 0; k < 8; k++) {
        EXPECT_EQ(n + to_effect() + k * kEach + cfg.output_cycles, all[k]);
        EXPECT_EQ(taken + 1 + cfg.bus_gap_cycles + cfg.output_cycles + k * kEach, all[8 + k]);
    }
    EXPECT_EQ(16u, load(0, reg(0, HUB_RING_HEAD)));
}

TEST_F(Notify, AFullRingLetsPacketsForOthersPass)
{
    for (unsigned count : { 2u, 20u }) {
        make_ring();
        uint64_t n = soon();
        beat(n, [&] {
            notify(east_, 1, count);
            east_.write64(cable(area(kWest, 0)), 1);
            east_.write64(cable(area(0, HUB_AREA_GPU0)), 9);
        });
        run();
        uint64_t behind = std::max(n + 2 * count + to_port(), n + to_self() + count * kEach);
        EXPECT_EQ(Edges{ behind }, grants(west_)) << count;
        EXPECT_EQ(9, host().gpu[0]);
        TearDown();
    }
}

TEST_F(Notify, OneThatComesStaysBehindThoseThatWait)
{
    make_ring();
    beat(soon(), [&] {
        notify(host(), 1, 18);
        take(8);
        notify(host(), 19, 19);
    });
    run();
    EXPECT_EQ(up_to(16), entries());
    take(16);
    run();
    EXPECT_EQ(up_to(19), entries());
}

/* At one edge one is appended and one comes, to a place that has just become free. */
TEST_F(Notify, PlacesBesideTheRingAreUsedAgain)
{
    make_ring();
    notify(east_, 1, kEntries + HUB_RING_WAITS);
    run();
    EXPECT_EQ(0u, load(0, reg(0, HUB_RING_LOST)));
    for (uint64_t k = 1; k <= 30; k++) {
        take(k);
        run();
        notify(east_, kEntries + HUB_RING_WAITS + k, kEntries + HUB_RING_WAITS + k);
        run();
    }
    EXPECT_EQ(0u, load(0, reg(0, HUB_RING_LOST)));
    for (uint64_t taken = 38; taken <= kEntries + HUB_RING_WAITS + 30; taken += kEntries) {
        take(taken);
        run();
    }
    EXPECT_EQ(up_to(kEntries + HUB_RING_WAITS + 30), entries());
}

TEST_F(Notify, WhatFindsNoPlaceIsLostCountedAndReported)
{
    make_ring(HUB_IRQ_LOST);
    uint64_t n = soon(), most = kEntries + HUB_RING_WAITS;
    beat(n, [&] { notify(east_, 1, static_cast<unsigned>(most) + 5); });
    run();
    EXPECT_EQ(5u, load(0, reg(0, HUB_RING_LOST)));
    EXPECT_EQ(HUB_IRQ_LOST, load(0, reg(0, HUB_IRQ_STATUS)) & HUB_IRQ_LOST);
    ASSERT_EQ(1u, host().interrupts.size());
    EXPECT_EQ(n + to_effect() + most * kEach + cfg.output_cycles,
              grants(host(), PCIE_MWR)[kEntries]);
    for (uint64_t taken = kEntries; taken <= most; taken += kEntries) {
        take(taken);
        run();
    }
    host().seen.erase(host().seen.begin() + kEntries); /* not an entry: 4 bytes, the interrupt */
    EXPECT_EQ(up_to(most), entries());
    EXPECT_EQ(most, load(0, reg(0, HUB_RING_HEAD)));
}

/* Half of the ring: at the edge at which the entry is appended. */
TEST_F(Notify, HalfAFullRingInterruptsOnce)
{
    make_ring(HUB_IRQ_RING);
    uint64_t n = soon();
    beat(n, [&] { notify(host(), 1, 6); });
    run();
    ASSERT_EQ(1u, host().interrupts.size());
    EXPECT_EQ(kMsi, host().seen[4].tlp.addr) << "behind the fourth entry";
    EXPECT_EQ(n + to_effect() + 3 * kEach + cfg.output_cycles + kEach, granted(host().seen[4]));
}

/* The host takes entries slowly, so the local queue has room for few of them. A store that comes
 * meanwhile gets its answer before the last ones. */
TEST_F(Notify, ThoseThatWaitLeaveRoomForAnswers)
{
    const unsigned waiting = 200;

    cfg.port[HUB_HOST].gen = 1;
    cfg.port[HUB_HOST].lanes = 1;
    make_ring(~HUB_IRQ_RING);
    notify(east_, 1, kEntries + waiting);
    run();
    uint64_t n = soon();
    at(n, [&] { east_.write64(cable(reg(0, HUB_RING_SIZE)), 8); });
    at(n + 2 * waiting, [&] { east_.write64(cable(reg(0, HUB_IRQ_RAISE)), 1); });
    run();
    ASSERT_EQ(kEntries + waiting + 1, host().seen.size());
    size_t interrupt = 0;
    while (host().seen[interrupt].tlp.addr != kMsi)
        interrupt++;
    EXPECT_LT(kEntries + HUB_LOCAL_TLPS - HUB_ANSWERS_TLPS, interrupt);
    EXPECT_GT(kEntries + waiting, interrupt);
}

} // namespace
