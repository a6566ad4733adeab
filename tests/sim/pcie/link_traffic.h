/* Random traffic for both ends of a link, and what must hold of its arrivals. */
#ifndef TESTS_PCIE_LINK_TRAFFIC_H
#define TESTS_PCIE_LINK_TRAFFIC_H

#include "link_fixture.h"

#include <algorithm>

namespace test
{

/** Injects at random times, on a grid on which arrivals, timers and credits fall as well. */
struct Traffic {
    End *end;
    sim_stream st;
    unsigned left;
    sim_event ev;
    uint32_t mps;

    void start(End *e, uint64_t seed, unsigned n, uint32_t max)
    {
        end = e, left = n, mps = max;
        sim_stream_init(&st, seed, "traffic");
        sim_event_init(&ev, [](sim_event *v) {
            reinterpret_cast<Traffic *>(reinterpret_cast<char *>(v) - offsetof(Traffic, ev))
                ->step();
        });
        sim_schedule_in(e->dom, &ev, 0, SIM_CLOCK);
        /* A third at once, in the event of the arrival; others later, in SIM_CLOCK. */
        e->consume_delay = [this](const pcie_tlp &) {
            uint64_t slow = sim_stream_below(&st, 3) * 150, fast = sim_stream_below(&st, 8);
            return slow == 0 ? 0 : (slow + fast) * SIM_NS;
        };
    }
    void step()
    {
        static const int kinds[] = { PCIE_MWR, PCIE_MWR,    PCIE_CPLD,   PCIE_CPLD,
                                     PCIE_MRD, PCIE_CFGWR0, PCIE_CFGRD0, PCIE_CPL };

        for (uint64_t n = sim_stream_below(&st, 6); n > 0 && left > 0; n--, left--) {
            int kind = kinds[sim_stream_below(&st, 8)];
            bool data = kind == PCIE_MWR || kind == PCIE_CPLD;

            end->add(kind, data ? (uint32_t)(1 + sim_stream_below(&st, mps)) : 4);
        }
        end->kick();
        if (left > 0)
            sim_schedule_in(end->dom, &ev, sim_stream_below(&st, 200) * SIM_NS + SIM_NS, SIM_CLOCK);
    }
};

/** Every id once; each class in order; nothing before a posted request that was sent earlier. */
inline void expect_legal(const std::vector<Arrival> &got, unsigned n)
{
    uint64_t last[3] = {};
    std::vector<bool> seen(n, false);
    uint64_t posted_seen = 0;
    std::vector<uint64_t> posted;

    ASSERT_EQ(n, got.size());
    for (const Arrival &r : got) {
        if (r.cls == PCIE_POSTED)
            posted.push_back(r.id);
    }
    std::sort(posted.begin(), posted.end());
    for (const Arrival &r : got) {
        ASSERT_LT(r.id, n);
        EXPECT_FALSE(seen[r.id]) << "twice: " << r.id;
        seen[r.id] = true;
        EXPECT_LE(last[r.cls], r.id) << "class " << r.cls;
        last[r.cls] = r.id;
        if (r.cls == PCIE_POSTED) {
            posted_seen++;
        } else if (posted_seen < posted.size()) {
            EXPECT_LT(r.id, posted[posted_seen]) << "passed a posted request";
        }
    }
}

} // namespace test

#endif
