/* Which packets may wait for each other for ever? */
#ifndef TESTS_TOOLS_LAB_REFERENCE_DRAINS_H
#define TESTS_TOOLS_LAB_REFERENCE_DRAINS_H

#include <set>

#include "tests/tools/lab/reference/ways.h"

namespace reference
{

/*
 * Which channels drain, that is, get empty when no more packets are sent? A deadlock is possible
 * where one does not.
 *
 * A channel drains when each one does that its packets may want next. Without a cycle of
 * dependencies all of them drain, the last ones first (Dally and Seitz 1987).
 *
 * A ring is a cycle of channels. It drains as a whole when those channels do that its packets may
 * leave it for, and when it is never full. Packets in it then move towards the free place. Who
 * enters leaves one (bubble flow control: Puente and others, "The Adaptive Bubble Router", 2001).
 * That needs three things:
 *   - Packets stay in the ring by going straight on, and in no other way.
 *   - Each hub of it asks for two places or more before one enters. A place is one only where the
 *     buffer has two headers at least, and data of the largest packet for each header.
 *   - All others that come into it enter, and so ask. Packets that go straight on do not ask, even
 *     where they come from the other virtual channel.
 */
class Drains
{
  public:
    explicit Drains(const Machine &m) : m_(m), next_(m.channels()), before_(m.channels())
    {
        for (unsigned from = 0; from < m.nodes(); from++)
            for (unsigned to = 0; to < m.nodes(); to++)
                add(m.way(from, to));
        for (unsigned c = 0; c < m.channels(); c++)
            find_ring(c);
        for (bool moved = true; moved;)
            moved = step();
    }
    bool deadlock_possible() const { return !stuck().empty(); }
    /** Channels that may never get empty. */
    std::set<unsigned> stuck() const
    {
        std::set<unsigned> s;

        for (unsigned c = 0; c < m_.channels(); c++)
            if (drained_.count(c) == 0)
                s.insert(c);
        return s;
    }
    const std::set<unsigned> &next(unsigned channel) const { return next_[channel]; }

  private:
    using Ring = std::set<unsigned>;

    bool endless(unsigned c) const { return m_.headers(c) == 0 && m_.data(c) == 0; }
    void add(const Way &w)
    {
        for (size_t i = 0; i + 1 < w.size(); i++) {
            before_[w[i + 1]].insert(w[i]);
            if (w[i + 1] % 2 != 0 || !endless(w[i + 1])) /* what takes all is not waited for */
                next_[w[i]].insert(w[i + 1]);
        }
    }
    unsigned straight_after(unsigned c) const
    {
        for (unsigned out : next_[c])
            if (m_.straight(c, out))
                return out;
        return NONE;
    }
    void find_ring(unsigned first)
    {
        Ring ring = { first };
        unsigned c = straight_after(first);

        for (; c != NONE && ring.insert(c).second; c = straight_after(c))
            ;
        if (c == first && stays_open(ring))
            rings_.push_back(ring);
    }
    bool has_places(unsigned c) const
    {
        return m_.bubble(c) > 1 && m_.headers(c) > 1 &&
               (m_.data(c) == 0 || m_.data(c) >= m_.headers(c) * m_.largest(c));
    }
    /** Does a place always stay free in it? */
    bool stays_open(const Ring &ring) const
    {
        for (unsigned c : ring) {
            if (!has_places(c))
                return false;
            for (unsigned before : before_[c])
                if (m_.straight(before, c) != (ring.count(before) != 0))
                    return false;
        }
        return true;
    }
    bool all_drain(const std::set<unsigned> &channels, const Ring &but) const
    {
        return std::all_of(channels.begin(), channels.end(),
                           [&](unsigned c) { return drained_.count(c) != 0 || but.count(c) != 0; });
    }
    bool step()
    {
        size_t n = drained_.size();

        for (unsigned c = 0; c < m_.channels(); c++)
            if (all_drain(next_[c], {}))
                drained_.insert(c);
        for (const Ring &ring : rings_)
            if (std::all_of(ring.begin(), ring.end(),
                            [&](unsigned c) { return all_drain(next_[c], ring); }))
                drained_.insert(ring.begin(), ring.end());
        return drained_.size() != n;
    }
    const Machine &m_;
    std::vector<std::set<unsigned>> next_, before_; /* by channel */
    std::vector<Ring> rings_;                       /* in which a place always stays free */
    std::set<unsigned> drained_;
};

/** The same of links whatever their channels, buffers and hubs do: is there a cycle at all? */
inline bool has_cycle(const Machine &m)
{
    std::vector<std::set<unsigned>> next(m.links.size());
    std::set<unsigned> done;
    size_t n;

    for (unsigned from = 0; from < m.nodes(); from++)
        for (unsigned to = 0; to < m.nodes(); to++)
            for (size_t i = 0; i + 1 < m.way(from, to).size(); i++)
                next[m.way(from, to)[i] / 2].insert(m.way(from, to)[i + 1] / 2);
    do {
        n = done.size();
        for (unsigned l = 0; l < next.size(); l++)
            if (std::includes(done.begin(), done.end(), next[l].begin(), next[l].end()))
                done.insert(l);
    } while (done.size() != n);
    return n != next.size();
}

} // namespace reference
#endif /* TESTS_TOOLS_LAB_REFERENCE_DRAINS_H */
