/*
 * A second opinion on what `hubsim topology` and `hubsim run MACHINE` say without simulation: which
 * packets may wait for each other for ever, and what a route carries at best. It reads the
 * registers and keys of hubs, follows docs/hub-spec.md, and shares nothing with tools/lab/topology
 * and tools/lab/bounds. Hubs have six ports at most, and a node has one hub.
 */
#ifndef TESTS_TOOLS_LAB_REFERENCE_H
#define TESTS_TOOLS_LAB_REFERENCE_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "hosts/launch/launch.h"
#include "machine/machine.h"

namespace reference
{

const unsigned NONE = UINT32_MAX;

/** One direction of a cable. */
struct Link {
    unsigned from, to; /* nodes */
    char out, in;      /* ports */
    char beside, on;   /* what goes straight on by it comes in by `beside`, and goes on by `on` */
};

/** The channels of a route, in their order: 2 * link + virtual channel. */
using Way = std::vector<unsigned>;

class Machine
{
  public:
    explicit Machine(const machine_desc *desc) : desc_(desc), n_(desc->nnodes), values_(n_)
    {
        for (unsigned node = 0; node < n_; node++)
            read_values(node);
        for (unsigned i = 0; i < desc->ncables; i++) {
            const machine_link_desc &c = desc->cables[i];

            add_link(c.node_a, c.port_a[0], c.node_b, c.port_b[0]);
            add_link(c.node_b, c.port_b[0], c.node_a, c.port_a[0]);
        }
        read_registers();
        for (unsigned from = 0; from < n_; from++)
            for (unsigned to = 0; to < n_; to++)
                if (from != to && joined(from, to))
                    walk(from, to);
    }
    unsigned nodes() const { return n_; }
    unsigned channels() const { return 2 * (unsigned)links.size(); }
    const Way &way(unsigned from, unsigned to) const { return ways_[from * n_ + to]; }
    bool joined(unsigned a, unsigned b) const { return subcluster_[a] == subcluster_[b]; }

    uint64_t value(unsigned node, const std::string &key) const { return values_[node].at(key); }
    uint64_t at_port(unsigned node, char port, const std::string &key) const
    {
        return value(node, port + (".link." + key));
    }
    /** The lower one of what a hub and the first root port say of the link between them. */
    uint64_t to_host(unsigned node, const std::string &key) const
    {
        uint64_t own = value(node, "host.p0.port." + key);

        return std::min(at_port(node, 'n', key),
                        own != MACHINE_UNSAID ? own : value(node, "host.port." + key));
    }
    bool has_vc1(const Link &l) const
    {
        return l.beside != '\0' && l.on != '\0' && value(l.from, "vc1.ph_credits") != 0 &&
               value(l.to, "vc1.ph_credits") != 0;
    }
    /** The receive buffer at the end of a channel; 0: without end. */
    uint64_t headers(unsigned channel) const
    {
        const Link &l = links[channel / 2];

        return channel % 2 != 0 ? value(l.to, "vc1.ph_credits") : at_port(l.to, l.in, "ph_credits");
    }
    uint64_t data(unsigned channel) const
    {
        const Link &l = links[channel / 2];

        return channel % 2 != 0 ? value(l.to, "vc1.pd_credits") : at_port(l.to, l.in, "pd_credits");
    }
    /** The largest packet on the link, in units of data credits. */
    uint64_t largest(unsigned channel) const
    {
        const Link &l = links[channel / 2];

        return std::min(at_port(l.from, l.out, "mps_bytes"), at_port(l.to, l.in, "mps_bytes")) / 16;
    }
    uint64_t bubble(unsigned channel) const
    {
        return value(links[channel / 2].from, "bubble_tlps");
    }
    bool carries_ring(unsigned channel) const { return links[channel / 2].beside != '\0'; }
    bool straight(unsigned before, unsigned channel) const
    {
        const Link &in = links[before / 2], &out = links[channel / 2];

        return in.to == out.from && in.on == out.out;
    }
    std::vector<Link> links;

  private:
    /** By which port does a packet go straight on that came in by this one? '\0': by none */
    char partner(unsigned node, char port) const
    {
        const std::string ports = "newsab", pairs = "ewab";
        size_t at = pairs.find(port);

        if (at == std::string::npos)
            return '\0';
        char other = pairs[at ^ 1];
        return std::max(ports.find(port), ports.find(other)) < value(node, "ports") ? other : '\0';
    }
    void read_values(unsigned node)
    {
        const machine_node_desc &nd = desc_->nodes[node];

        for (unsigned i = 0; i < nd.ncomponents; i++)
            for (const machine_value *v = nd.components[i].values; v->param != nullptr; v++)
                if (strcmp(nd.components[i].name, "hub") == 0)
                    values_[node][v->param->key] = v->value;
                else if (strcmp(nd.components[i].name, "host") == 0)
                    values_[node][std::string("host.") + v->param->key] = v->value;
    }
    void add_link(unsigned from, char out, unsigned to, char in)
    {
        links.push_back({ from, to, out, in, partner(from, out), partner(to, in) });
    }
    /** Which port each hub's routing unit selects for each part of the window. */
    void read_registers()
    {
        launch_memory *memory = launch_memory_create();
        struct machine *m = nullptr;
        sim_config cfg = {};
        sim_error err = {};

        cfg.seed = 1;
        ASSERT_EQ(SIM_OK, machine_create(desc_, &cfg, launch_memory_map, memory, &m, &err))
            << err.text;
        for (unsigned node = 0; node < n_; node++) {
            subcluster_.push_back(machine_routes_of(m, node, "hub")->subcluster);
            slot_.push_back(machine_routes_of(m, node, "hub")->slot);
        }
        for (unsigned at = 0; at < n_; at++)
            for (unsigned to = 0; to < n_; to++) {
                const machine_kind *kind;
                void *hub = machine_component(m, at, "hub", &kind);
                const char *port = joined(at, to) ? kind->route(hub, slot_[to]) : nullptr;

                port_.push_back(port != nullptr ? port[0] : '\0');
            }
        machine_destroy(m);
        launch_memory_destroy(memory);
        ways_.resize((size_t)n_ * n_);
    }
    unsigned link_at(unsigned node, char port) const
    {
        for (unsigned i = 0; i < links.size(); i++)
            if (links[i].from == node && links[i].out == port)
                return i;
        ADD_FAILURE() << "no cable at node " << node << " " << port;
        return NONE;
    }
    /** Does what leaves by this link change to channel 1? */
    bool crosses(const Link &l) const
    {
        return value(l.from, l.out == 'e' || l.out == 'w' ? "date_line.ew" : "date_line.ab") != 0;
    }
    void walk(unsigned from, unsigned to)
    {
        Way &w = ways_[from * n_ + to];

        for (unsigned at = from; at != to; at = links[w.back() / 2].to) {
            unsigned link = link_at(at, port_[at * n_ + to]);
            bool stays =
                !w.empty() && link != NONE && w.back() % 2 != 0 && straight(w.back(), 2 * link);

            if (link == NONE || w.size() == n_) {
                ADD_FAILURE() << "no way from node " << from << " to node " << to;
                w.clear();
                return;
            }
            w.push_back(2 * link + (has_vc1(links[link]) && (stays || crosses(links[link]))));
        }
    }
    const machine_desc *desc_;
    unsigned n_;
    std::vector<std::unordered_map<std::string, uint64_t>> values_; /* by node */
    std::vector<unsigned> subcluster_, slot_;
    std::vector<char> port_; /* [at * nodes + to] */
    std::vector<Way> ways_;
};

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

/* ---- bounds ------------------------------------------------------------------------- */

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
#endif /* TESTS_TOOLS_LAB_REFERENCE_H */
