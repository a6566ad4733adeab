/* The order in which waves are written: signals by path, changes by time. */
#include <gtest/gtest.h>

#include "observe/waves.h"

#include <random>
#include <string>
#include <vector>

namespace
{

const sim_signal valid = { "tx.valid", 1, nullptr, SIM_SIGNAL_PLAIN, "" };
const sim_signal queue = { "tx.p.queue", 8, nullptr, SIM_SIGNAL_PLAIN, "" };

struct Written {
    std::string scopes; /* a path for each signal */
    std::vector<std::string> open;
    struct Change {
        sim_time_t time;
        uint32_t handle;
        uint64_t value;
        bool operator==(const Change &o) const
        {
            return time == o.time && handle == o.handle && value == o.value;
        }
    };
    std::vector<Change> changes;
    uint32_t signals = 0;

    static Written *of(void *arg) { return static_cast<Written *>(arg); }
    static void scope(void *arg, const char *name) { of(arg)->open.emplace_back(name); }
    static void upscope(void *arg) { of(arg)->open.pop_back(); }
    static uint32_t signal(void *arg, const sim_signal *, const char *name)
    {
        for (const std::string &s : of(arg)->open)
            of(arg)->scopes += s + ".";
        of(arg)->scopes += std::string(name) + " ";
        return ++of(arg)->signals;
    }
    static void change(void *arg, sim_time_t time, uint32_t handle, const sim_signal *,
                       uint64_t value)
    {
        of(arg)->changes.push_back({ time, handle, value });
    }
};

struct Waves {
    Written written;
    observe_fan fan{};
    observe_waves *waves;
    const sim_probe *probe;

    Waves()
    {
        const observe_wave_writer writer = { Written::scope, Written::upscope, Written::signal,
                                             Written::change, &written };
        waves = observe_waves_create(&writer, &fan);
        probe = observe_fan_probe(&fan);
    }
    ~Waves() { observe_waves_destroy(waves); }
    Waves(const Waves &) = delete;

    void level(const sim_signal &signal, const char *where, sim_time_t now, sim_time_t from,
               uint64_t value)
    {
        const sim_level l = { &signal, where, now, from, value };
        probe->level(probe->arg, &l);
    }
};

TEST(Waves, SignalsStandByPathAndNumber)
{
    Waves w;

    for (const char *where : { "node10.hub.e", "node2.hub.n", "node2.hub.e" })
        w.level(valid, where, 0, 0, 0);
    w.level(queue, "node2.hub.e", 0, 0, 0);
    ASSERT_EQ(SIM_OK, observe_waves_finish(w.waves));
    EXPECT_EQ("node2.hub.e.tx.p.queue node2.hub.e.tx.valid node2.hub.n.tx.valid "
              "node10.hub.e.tx.valid ",
              w.written.scopes);
    EXPECT_TRUE(w.written.open.empty());
}

/* A run that ends early is written when its machine is gone. */
TEST(Waves, NamesOfPlacesNeedNotLastUntilTheEnd)
{
    Waves w;
    char where[] = "node0.hub.e";

    w.level(valid, where, 0, 0, 0);
    memset(where, 'x', sizeof(where) - 1);
    ASSERT_EQ(SIM_OK, observe_waves_finish(w.waves));
    EXPECT_EQ("node0.hub.e.tx.valid ", w.written.scopes);
}

/* A grant reports when its beats will be over; the next one begins at that very time. */
TEST(Waves, WhatIsToldAheadWaits)
{
    Waves w;

    w.level(valid, "a", 0, 0, 0);
    w.level(valid, "b", 0, 0, 0);
    w.level(valid, "a", 100, 100, 1);
    w.level(valid, "a", 100, 172, 0);
    w.level(valid, "b", 150, 150, 1);
    w.level(valid, "a", 172, 172, 1);
    w.level(valid, "a", 172, 172, 1); /* no change */
    ASSERT_EQ(SIM_OK, observe_waves_finish(w.waves));
    EXPECT_EQ(
        (std::vector<Written::Change>{
            { 0, 1, 0 }, { 0, 2, 0 }, { 100, 1, 1 }, { 150, 2, 1 }, { 172, 1, 0 }, { 172, 1, 1 } }),
        w.written.changes);
}

/* Domains take turns within a lookahead of 1 us at most: their times go back and forth. */
TEST(Waves, ChangesOfDomainsComeInTheOrderOfTime)
{
    static const char *const places[] = { "node0", "node1", "node2", "node3" };
    std::mt19937 random(7);
    Waves w;
    uint64_t value[4] = { 0 };
    size_t told = 0;

    for (const char *place : places)
        w.level(queue, place, 0, 0, 0);
    for (sim_time_t window = 0; window < 200 * SIM_US; window += SIM_US)
        for (unsigned d = 0; d < 4; d++)
            for (sim_time_t t = window + random() % 1000; t < window + SIM_US;
                 t += 1 + random() % 50000, told++)
                w.level(queue, places[d], t, t, ++value[d] & 0xff);
    EXPECT_GT(w.written.changes.size(), told * 9 / 10); /* not kept until the end */
    ASSERT_EQ(SIM_OK, observe_waves_finish(w.waves));
    ASSERT_EQ(told + 4, w.written.changes.size());
    for (size_t i = 1; i < w.written.changes.size(); i++)
        ASSERT_LE(w.written.changes[i - 1].time, w.written.changes[i].time);
}

} // namespace
