/*
 * Packets in a machine without time: hubs do what docs/hub-spec.md allows, in any order. As many
 * packets enter as may, and then those on their way go on as far as they can. What is left then is
 * in a deadlock. So one that is found is possible, however seldom it may come; where none is found,
 * there may be one.
 */
#ifndef TESTS_TOOLS_LAB_REFERENCE_PLAY_H
#define TESTS_TOOLS_LAB_REFERENCE_PLAY_H

#include <deque>
#include <random>

#include "tests/tools/lab/reference/drains.h"

namespace reference
{

class Play
{
    static const unsigned TRIES = 1500;

  public:
    Play(const Machine &m, unsigned seed) : m_(m), rng_(seed), state_(m.channels())
    {
        for (unsigned c = 0; c < m.channels(); c++) {
            state_[c].headers = m.headers(c) != 0 ? m.headers(c) : UINT32_MAX;
            state_[c].data = m.data(c) != 0 ? m.data(c) : UINT32_MAX;
            state_[c].largest = m.largest(c);
            state_[c].bubble = m.carries_ring(c) ? m.bubble(c) : 1;
        }
    }
    /** Does a machine with nothing but packets of these routes come to a deadlock? */
    bool stops(const std::vector<const Way *> &ways)
    {
        bool leave = pick(2) != 0; /* at first: do packets at their end leave? */
        bool small = pick(2) != 0; /* are some of them small? */

        for (Channel &c : state_) {
            c.sent = false;
            c.buffer.clear();
            c.units = 0;
        }
        for (unsigned idle = 0, tries = 0; idle < 4 * m_.channels() && tries < TRIES; tries++) {
            bool moved = enter(*ways[pick((unsigned)ways.size())], small);

            moved |= advance(pick(m_.channels()), leave);
            idle = moved ? 0 : idle + 1;
        }
        for (bool moved = true; moved;) {
            moved = false;
            for (unsigned c = 0; c < m_.channels(); c++)
                moved |= advance(c, true);
        }
        return std::any_of(state_.begin(), state_.end(),
                           [](const Channel &c) { return c.sent || !c.buffer.empty(); });
    }

  private:
    struct Packet {
        const Way *way;
        unsigned at; /* in the way */
        uint64_t units;
    };
    struct Channel {
        uint64_t headers, data, largest, bubble; /* constant */
        bool sent = false;                       /* by the hub, and `packet` waits for credits */
        Packet packet;
        std::deque<Packet> buffer;
        uint64_t units = 0; /* in the buffer */
    };
    unsigned pick(unsigned n) { return (unsigned)(rng_() % n); }
    static bool room(const Channel &c, uint64_t packets, uint64_t units)
    {
        return c.buffer.size() + packets <= c.headers && c.units + units <= c.data;
    }
    /** The hub grants it, if its rules allow that. */
    bool grant(const Packet &p, bool straight)
    {
        Channel &c = state_[(*p.way)[p.at]];

        if (c.sent || (!straight && c.bubble > 1 && !c.buffer.empty() &&
                       !room(c, c.bubble, c.bubble * c.largest)))
            return false;
        c.sent = true;
        c.packet = p;
        return true;
    }
    bool enter(const Way &way, bool small)
    {
        uint64_t largest = UINT64_MAX;

        for (unsigned c : way)
            largest = std::min(largest, state_[c].largest);
        return grant({ &way, 0, small && pick(2) != 0 ? 1 : largest }, false);
    }
    /** Over the link, and out of the buffer behind it. */
    bool advance(unsigned channel, bool may_end)
    {
        Channel &c = state_[channel];
        bool moved = c.sent && room(c, 1, c.packet.units);

        if (moved) {
            c.buffer.push_back(c.packet);
            c.units += c.packet.units;
            c.sent = false;
        }
        if (c.buffer.empty())
            return moved;
        Packet p = c.buffer.front();
        bool ends = ++p.at == p.way->size();
        if (ends ? !may_end : !grant(p, m_.straight(channel, (*p.way)[p.at])))
            return moved;
        c.buffer.pop_front();
        c.units -= p.units;
        return true;
    }
    const Machine &m_;
    std::mt19937 rng_;
    std::vector<Channel> state_;
};

/** All routes of the machine. */
inline std::vector<const Way *> all_ways(const Machine &m)
{
    std::vector<const Way *> ways;

    for (unsigned from = 0; from < m.nodes(); from++)
        for (unsigned to = 0; to < m.nodes(); to++)
            if (!m.way(from, to).empty())
                ways.push_back(&m.way(from, to));
    return ways;
}

/** Those that lead along two neighbours of some cycle among the channels that may not drain. */
inline std::vector<const Way *> ways_of_a_cycle(const Machine &m, const Drains &d,
                                                std::mt19937 &rng)
{
    std::set<unsigned> stuck = d.stuck();
    std::set<std::pair<unsigned, unsigned>> cycle;
    std::vector<unsigned> path;
    std::vector<const Way *> ways;
    unsigned at = *std::next(stuck.begin(), (long)(rng() % stuck.size()));

    while (std::find(path.begin(), path.end(), at) == path.end()) {
        std::vector<unsigned> on;

        path.push_back(at);
        for (unsigned c : d.next(at))
            if (stuck.count(c) != 0)
                on.push_back(c);
        at = on[rng() % on.size()];
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), at));
    for (size_t i = 0; i < path.size(); i++)
        cycle.insert({ path[i], path[(i + 1) % path.size()] });
    for (const Way *w : all_ways(m))
        for (size_t i = 0; i + 1 < w->size(); i++)
            if (cycle.count({ (*w)[i], (*w)[i + 1] }) != 0) {
                ways.push_back(w);
                break;
            }
    return ways;
}

} // namespace reference
#endif /* TESTS_TOOLS_LAB_REFERENCE_PLAY_H */
