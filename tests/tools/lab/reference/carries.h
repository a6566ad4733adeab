/* What does a route carry at best? */
#ifndef TESTS_TOOLS_LAB_REFERENCE_CARRIES_H
#define TESTS_TOOLS_LAB_REFERENCE_CARRIES_H

#include "tests/tools/lab/reference/ways.h"

namespace reference
{

/** Symbols of a write beside its payload: framing 2, sequence number 2, header of 4 DW, LCRC 4. */
const double OVERHEAD = 24;

/** Bytes per second of the slower end: 8b/10b up to Gen2, 128b/130b from Gen3 on. */
inline double link_rate(uint64_t gen, uint64_t lanes)
{
    const double gigabits[] = { 2.5 * 8 / 10, 5.0 * 8 / 10, 8.0 * 128 / 130, 16.0 * 128 / 130,
                                32.0 * 128 / 130 };

    return gigabits[gen - 1] * 1e9 / 8 * (double)lanes;
}

/** Payload in bytes per second in one direction: the slowest link, or bus of a hub, of the route
 * from host to host. No packet has more than `most` bytes. */
inline double one_way(const Machine &m, unsigned from, unsigned to, uint64_t most = UINT64_MAX)
{
    uint64_t payload = std::min(m.to_host(from, "mps_bytes"), m.to_host(to, "mps_bytes"));
    double slowest = 1e18;
    std::vector<unsigned> hubs = { from };

    for (unsigned c : m.way(from, to)) {
        payload = std::min(payload, 16 * m.largest(c));
        hubs.push_back(m.links[c / 2].to);
    }
    payload = std::min(payload, most);
    auto add_link = [&](uint64_t gen, uint64_t lanes) {
        slowest = std::min(slowest,
                           link_rate(gen, lanes) * (double)payload / ((double)payload + OVERHEAD));
    };
    for (unsigned hub : { from, to })
        add_link(m.to_host(hub, "gen"), m.to_host(hub, "lanes"));
    for (unsigned c : m.way(from, to)) {
        const Link &l = m.links[c / 2];

        add_link(std::min(m.at_port(l.from, l.out, "gen"), m.at_port(l.to, l.in, "gen")),
                 std::min(m.at_port(l.from, l.out, "lanes"), m.at_port(l.to, l.in, "lanes")));
    }
    for (unsigned hub : hubs) { /* a beat for the header, those of the data, and the gap */
        uint64_t width = m.value(hub, "bus_bytes");
        uint64_t cycles = 1 + (payload + width - 1) / width + m.value(hub, "bus_gap_cycles");

        slowest = std::min(slowest, (double)payload * (double)m.value(hub, "clock_khz") * 1e3 /
                                        (double)cycles);
    }
    return slowest;
}

/** A message and its answer, one after the other. */
inline double there_and_back(const Machine &m, unsigned from, unsigned to)
{
    return 2 / (1 / one_way(m, from, to) + 1 / one_way(m, to, from));
}

} // namespace reference
#endif /* TESTS_TOOLS_LAB_REFERENCE_CARRIES_H */
