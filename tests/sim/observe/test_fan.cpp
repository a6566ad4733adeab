/* Several observers of one simulation receive the same reports. */
#include <gtest/gtest.h>

#include "observe/fan.h"

#include <vector>

namespace
{

struct Heard {
    std::vector<sim_time_t> marks, holds;
    std::vector<uint64_t> levels;
    std::vector<sim_time_t> packets;
    unsigned stalls = 0;
    sim_probe probe{};

    Heard() { probe.mark = mark, probe.hold = hold, probe.arg = this; }
    Heard(const Heard &) = delete;

    static uint64_t mark(void *arg, const sim_mark *m)
    {
        auto *self = static_cast<Heard *>(arg);
        self->marks.push_back(m->time);
        return self->marks.size();
    }
    static void hold(void *arg, const sim_hold *h)
    {
        static_cast<Heard *>(arg)->holds.push_back(h->from);
    }
    static void level(void *arg, const sim_level *l)
    {
        static_cast<Heard *>(arg)->levels.push_back(l->value);
    }
    static void packet(void *arg, const sim_packet *p)
    {
        static_cast<Heard *>(arg)->packets.push_back(p->begin);
    }
    static void stall(void *arg, const sim_stall *) { static_cast<Heard *>(arg)->stalls++; }
};

const sim_stage stage = { "x", SIM_KIND_CPU, SIM_STAGE_PLAIN, nullptr, "" };
const sim_signal signal_of_test = { "x", 1, nullptr, SIM_SIGNAL_PLAIN, "" };

void tell(const sim_probe *probe)
{
    EXPECT_EQ(1u, sim_probe_mark(probe, &stage, "a", 10, 0));
    EXPECT_EQ(2u, sim_probe_mark(probe, &stage, "a", 20, 1));
    sim_probe_hold(probe, &stage, "a", 0, 5, 7);
    sim_probe_level(probe, &signal_of_test, "a", 30, 1);
}

TEST(Fan, TellsEachObserverEverythingWithTheSameIds)
{
    Heard a, b;
    observe_fan fan{};

    b.probe.level = Heard::level;
    observe_fan_add(&fan, &a.probe);
    observe_fan_add(&fan, &b.probe);
    tell(observe_fan_probe(&fan));
    EXPECT_EQ((std::vector<sim_time_t>{ 10, 20 }), a.marks);
    EXPECT_EQ(a.marks, b.marks);
    EXPECT_EQ((std::vector<sim_time_t>{ 5 }), a.holds);
    EXPECT_EQ(a.holds, b.holds);
    EXPECT_TRUE(a.levels.empty());
    EXPECT_EQ((std::vector<uint64_t>{ 1 }), b.levels);
}

TEST(Fan, TellsPacketsToThoseWhoAsk)
{
    Heard a, b;
    observe_fan fan{};
    sim_packet packet = {};

    b.probe.packet = Heard::packet;
    packet.begin = 40;
    observe_fan_add(&fan, &a.probe);
    EXPECT_EQ(nullptr, observe_fan_probe(&fan)->packet);
    observe_fan_add(&fan, &b.probe);
    observe_fan_probe(&fan)->packet(observe_fan_probe(&fan)->arg, &packet);
    EXPECT_TRUE(a.packets.empty());
    EXPECT_EQ((std::vector<sim_time_t>{ 40 }), b.packets);

    observe_fan other{};
    b.probe.mark = nullptr; /* packets alone */
    observe_fan_add(&other, &a.probe);
    observe_fan_add(&other, &b.probe);
    tell(observe_fan_probe(&other));
    EXPECT_EQ(2u, a.marks.size());
    EXPECT_TRUE(b.marks.empty());
}

TEST(Fan, TellsStallsToThoseWhoAsk)
{
    Heard a, b;
    observe_fan fan{};
    const sim_stall stall = {};

    b.probe.stall = Heard::stall;
    observe_fan_add(&fan, &a.probe);
    observe_fan_add(&fan, &b.probe);
    observe_fan_probe(&fan)->stall(observe_fan_probe(&fan)->arg, &stall);
    EXPECT_EQ(0u, a.stalls);
    EXPECT_EQ(1u, b.stalls);
}

TEST(Fan, OfOneIsThatOneAndOfNoneIsNothing)
{
    Heard a;
    observe_fan fan{};

    EXPECT_EQ(nullptr, observe_fan_probe(&fan));
    observe_fan_add(&fan, &a.probe);
    EXPECT_EQ(a.probe.arg, observe_fan_probe(&fan)->arg);
    tell(observe_fan_probe(&fan));
}

} // namespace
