/*
 * The rules that keep a ring moving, without time: every state that a small ring can come to, by
 * every order of what its hubs may do. The hubs themselves are held to these rules by
 * test_ring.cpp.
 */
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace
{

/** The rules of a ring of `hubs`; a packet takes one header and one or two units of data. */
struct Rules {
    unsigned hubs, headers, data;
    unsigned enter;         /* largest packets that must find room where one enters the ring */
    unsigned sizes = 1;     /* 1: all are of the largest size, 2; 2: of size 1 too */
    unsigned ddr = 0;       /* places outside of the buffer, for who finds a packet waiting */
    bool asks_later = true; /* who found DDR3 full goes there when it has room */
    bool date_line = false; /* at hub 0: two channels, each with such a buffer */
};

/** In the buffers of each hub, oldest first: hops left, size, whether it waits in DDR3. */
struct Packet {
    uint8_t hops, size, in_ddr;
};
using Queue = std::vector<Packet>;
using State = std::vector<Queue>; /* [channel * hubs + hub] */

class Search
{
  public:
    explicit Search(const Rules &rules) : r(rules) {}
    /** @return can it come to a state in which packets are under way and none can move? */
    bool stands_still()
    {
        std::vector<State> todo = { State((r.date_line ? 2 : 1) * r.hubs) };

        while (!todo.empty()) {
            State s = todo.back();
            size_t before = todo.size();

            todo.pop_back();
            if (!seen.insert(key(s)).second)
                continue;
            for (unsigned at = 0; at < s.size(); at++) {
                move(s, at, &todo);
                overflow(s, at, &todo);
            }
            if (todo.size() + 1 == before && !empty(s))
                return true;
            for (unsigned hub = 0; hub < r.hubs; hub++)
                enter(s, hub, &todo);
        }
        return false;
    }

  private:
    static bool empty(const State &s)
    {
        for (const Queue &q : s)
            if (!q.empty())
                return false;
        return true;
    }
    static std::string key(const State &s)
    {
        std::string k;

        for (const Queue &q : s) {
            for (const Packet &p : q)
                k += static_cast<char>(1 + p.hops * 8 + p.size * 2 + p.in_ddr);
            k += '\0';
        }
        return k;
    }
    /** Headers and data that the buffer has left. */
    bool room(const Queue &q, unsigned packets, unsigned units) const
    {
        unsigned headers = 0, data = 0;

        for (const Packet &p : q)
            if (!p.in_ddr)
                headers++, data += p.size;
        return headers + packets <= r.headers && data + units <= r.data;
    }
    unsigned on_chip(const Queue &q) const
    {
        unsigned n = 0;

        for (const Packet &p : q)
            n += !p.in_ddr;
        return n;
    }
    bool has_one_for_ddr(const Queue &q) const
    {
        return on_chip(q) > 1 && q.size() - on_chip(q) < r.ddr;
    }
    void arrive(State *s, unsigned to, Packet p) const
    {
        Queue *q = &(*s)[to];

        q->push_back(p);
        if (!r.asks_later)
            q->back().in_ddr = has_one_for_ddr(*q);
    }
    /** The second packet on the chip asks. */
    void overflow(const State &s, unsigned at, std::vector<State> *todo) const
    {
        State t = s;
        unsigned chip = 0;

        if (!r.asks_later || !has_one_for_ddr(s[at]))
            return;
        for (Packet &p : t[at])
            if (!p.in_ddr && ++chip == 2)
                p.in_ddr = 1;
        todo->push_back(t);
    }
    /** The buffer that hub `at` sends to: the one from which it comes, or a channel further. */
    unsigned next(unsigned channel, unsigned hub) const
    {
        return (r.date_line && hub == 0 ? 1 : channel) * r.hubs + (hub + 1) % r.hubs;
    }
    void move(const State &s, unsigned at, std::vector<State> *todo)
    {
        unsigned to = next(at / r.hubs, at % r.hubs);
        State t = s;

        if (s[at].empty())
            return;
        Packet p = s[at].front();
        if (p.hops != 0 && !room(s[to], 1, p.size))
            return;
        t[at].erase(t[at].begin());
        if (p.hops != 0)
            arrive(&t, to, { static_cast<uint8_t>(p.hops - 1), p.size, 0 });
        todo->push_back(t);
    }
    void enter(const State &s, unsigned hub, std::vector<State> *todo)
    {
        unsigned to = next(0, hub);

        if (!room(s[to], r.enter, 2 * r.enter))
            return;
        for (uint8_t hops = 0; hops + 1u < r.hubs; hops++)
            for (uint8_t size = r.sizes == 1 ? 2 : 1; size <= 2; size++) {
                State t = s;

                arrive(&t, to, { hops, size, 0 });
                todo->push_back(t);
            }
    }
    Rules r;
    std::unordered_set<std::string> seen;
};

bool stands_still(const Rules &rules)
{
    return Search(rules).stands_still();
}

TEST(RingStates, WhoEntersMustLeaveAPlaceFree)
{
    for (unsigned headers : { 2, 3 }) {
        EXPECT_TRUE(stands_still({ 3, headers, 2 * headers, 1 }));
        EXPECT_FALSE(stands_still({ 3, headers, 2 * headers, 2 }));
    }
    EXPECT_FALSE(stands_still({ 3, 2, 4, 2, 2 })) << "of any size";
}

TEST(RingStates, ScrapsOfSpaceAreNoPlace)
{
    EXPECT_TRUE(stands_still({ 3, 4, 5, 2, 2 }));
    EXPECT_TRUE(stands_still({ 4, 4, 4, 2, 2 })) << "a whole number of places, but more headers";
}

TEST(RingStates, WhoComesBackFromDDR3MustLeaveItsPlaceToOthers)
{
    Rules rules = { 3, 3, 6, 2, 1, 1, false };

    EXPECT_TRUE(stands_still(rules));
    rules.asks_later = true;
    EXPECT_FALSE(stands_still(rules));
}

TEST(RingStates, ADateLineNeedsNoFreePlace)
{
    Rules rules = { 3, 1, 2, 1 };

    EXPECT_TRUE(stands_still(rules));
    rules.date_line = true;
    EXPECT_FALSE(stands_still(rules));
}

} // namespace
