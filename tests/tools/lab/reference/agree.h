/* What the product says of a machine beside what the reference says. */
#ifndef TESTS_TOOLS_LAB_REFERENCE_AGREE_H
#define TESTS_TOOLS_LAB_REFERENCE_AGREE_H

#include "tests/hosts/machine_file.h"
#include "tests/tools/lab/reference/carries.h"
#include "tests/tools/lab/reference/play.h"

#include "tools/lab/bounds/bounds_route.h"
#include "tools/lab/topology/topology.h"

namespace reference
{

/** Machines, and what became of them. */
struct Count {
    unsigned machines, with_cycle, possible, played, bounds;
};

inline std::vector<unsigned> cycle_of(unsigned (*find)(lab_topology *, unsigned *),
                                      lab_topology *topo)
{
    std::vector<unsigned> links(2 * topo->nlinks);

    links.resize(find(topo, links.data()));
    return links;
}

/** A program of two ranks may use the faster direction alone. */
inline void compare_run(const machine_desc *desc, const Machine &m, unsigned a, unsigned b,
                        bool stores)
{
    uint64_t most = stores ? 8 : UINT64_MAX; /* uncached */
    double expected = std::max(one_way(m, a, b, most), one_way(m, b, a, most));
    lab_run run = {};
    lab_bound bound = {};
    sim_error err = {};

    run.program = "pingpong";
    run.nranks = 2;
    run.nodes[0] = a;
    run.nodes[1] = b;
    ASSERT_EQ(SIM_OK, attempt(&err, [&] { bound = lab_run_bound(desc, &run, stores); }));
    EXPECT_NEAR(expected, bound.bytes_per_s, expected * 1e-12)
        << "run on " << a << " and " << b << (stores ? ", stores" : "");
}

inline void compare_bounds(const machine_desc *desc, const lab_topology &topo, const Machine &m,
                           Count *count)
{
    for (unsigned a = 0; a < m.nodes(); a++)
        for (unsigned b = a + 1; b < m.nodes(); b++) {
            if (!m.joined(a, b))
                continue;
            double there_back = there_and_back(m, a, b);
            EXPECT_NEAR(there_back, lab_exchange_bound(desc, &topo, a, b).bytes_per_s,
                        there_back * 1e-12)
                << a << " and " << b;
            count->bounds++;
        }
}

/** The abstract machine may come to a deadlock only where one is possible. */
inline void compare_play(const Machine &m, const Drains &drains, unsigned rounds, Count *count)
{
    bool possible = drains.deadlock_possible(), stopped = false;
    std::mt19937 rng(1);
    Play play(m, 1);

    for (unsigned i = 0; i < rounds && !stopped; i++)
        stopped = play.stops(possible ? ways_of_a_cycle(m, drains, rng) : all_ways(m));
    count->played += stopped;
    if (!possible) {
        EXPECT_FALSE(stopped);
    }
}

inline void compare(const std::string &text, const std::vector<std::string> &sets, unsigned rounds,
                    Count *count)
{
    std::vector<const char *> set;
    std::string trace = text;
    lab_topology topo = {};
    sim_error err = {};

    for (const std::string &s : sets) {
        set.push_back(s.c_str());
        trace += "--set " + s + "\n";
    }
    SCOPED_TRACE(trace);
    test::MachineFile file(text, set);
    ASSERT_EQ(SIM_OK, file.code);
    ASSERT_EQ(SIM_OK, attempt(&err, [&] { lab_topology_create(file.desc(), &topo); })) << err.text;
    Machine m(file.desc());
    if (testing::Test::HasFatalFailure())
        return;
    Drains drains(m);
    std::vector<unsigned> cycle = cycle_of(lab_topology_cycle, &topo);
    std::vector<unsigned> deadlock = cycle_of(lab_topology_deadlock, &topo);
    std::set<unsigned> stuck = drains.stuck();

    EXPECT_EQ(has_cycle(m), !cycle.empty()) << "dependency cycle";
    EXPECT_EQ(drains.deadlock_possible(), !deadlock.empty()) << "possible deadlock";
    for (unsigned link : deadlock)
        EXPECT_NE(0u, stuck.count(2 * link) + stuck.count(2 * link + 1)) << "link " << link;
    compare_bounds(file.desc(), topo, m, count);
    compare_run(file.desc(), m, m.nodes() - 1, 0, count->machines % 2 != 0);
    compare_play(m, drains, rounds, count);
    count->machines++;
    count->with_cycle += !cycle.empty();
    count->possible += drains.deadlock_possible();
    lab_topology_fini(&topo);
}

} // namespace reference
#endif /* TESTS_TOOLS_LAB_REFERENCE_AGREE_H */
