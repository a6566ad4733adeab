/*
 * A second opinion on what `hubsim topology` and `hubsim run MACHINE` say without simulation: which
 * way do packets go? It reads the registers and keys of hubs, follows docs/hub-spec.md, and shares
 * nothing with tools/lab/topology and tools/lab/bounds; nor does what builds on it (drains.h,
 * carries.h). Hubs have six ports at most, and a node has one hub.
 */
#ifndef TESTS_TOOLS_LAB_REFERENCE_WAYS_H
#define TESTS_TOOLS_LAB_REFERENCE_WAYS_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
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

} // namespace reference
#endif /* TESTS_TOOLS_LAB_REFERENCE_WAYS_H */
