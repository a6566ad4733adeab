/* Machines for comparisons: small graphs, and machines of up to 16 nodes at random. */
#ifndef TESTS_TOOLS_LAB_REFERENCE_SAMPLES_H
#define TESTS_TOOLS_LAB_REFERENCE_SAMPLES_H

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/hosts/machine_file.h"
#include "tests/hosts/tca/random_machine.h"

namespace reference
{

/* ---- graphs --------------------------------------------------------------------------- */

/** Cables of a graph of so many nodes, a bit for each pair: 01, 02, 12, 03, 13, 23, ... */
using Mask = uint32_t;

inline unsigned bit_of(unsigned a, unsigned b)
{
    return std::max(a, b) * (std::max(a, b) - 1) / 2 + std::min(a, b);
}

inline bool has_cable(Mask graph, unsigned a, unsigned b)
{
    return a != b && (graph >> bit_of(a, b) & 1) != 0;
}

inline bool is_connected(Mask graph, unsigned nodes)
{
    unsigned reached = 1, before = 0;

    while (reached != before) {
        before = reached;
        for (unsigned a = 0; a < nodes; a++)
            for (unsigned b = 0; (reached >> a & 1) != 0 && b < nodes; b++)
                reached |= (unsigned)has_cable(graph, a, b) << b;
    }
    return reached == (1u << nodes) - 1;
}

/** All connected graphs, or with `classes` one of each class of isomorphic ones. */
inline std::vector<Mask> connected_graphs(unsigned nodes, bool classes)
{
    Mask end = Mask(1) << nodes * (nodes - 1) / 2;
    std::vector<bool> seen(end);
    std::vector<Mask> graphs;

    for (Mask graph = 0; graph < end; graph++) {
        if (seen[graph] || !is_connected(graph, nodes))
            continue;
        std::vector<unsigned> to(nodes);

        graphs.push_back(graph);
        std::iota(to.begin(), to.end(), 0);
        do {
            Mask same = 0;

            for (unsigned a = 1; classes && a < nodes; a++)
                for (unsigned b = 0; b < a; b++)
                    same |= Mask(has_cable(graph, a, b)) << bit_of(to[a], to[b]);
            seen[same] = classes;
        } while (classes && std::next_permutation(to.begin(), to.end()));
    }
    return graphs;
}

/** With its nodes in this order. */
inline std::string graph_text(Mask graph, const std::vector<unsigned> &order)
{
    unsigned nodes = (unsigned)order.size();
    std::string s = "platform: ./examples/hubs/node-eight.yaml\nnodes: " + std::to_string(nodes) +
                    "\nedges: |\n";

    for (unsigned a = 1; a < nodes; a++)
        for (unsigned b = 0; b < a; b++)
            if (has_cable(graph, a, b))
                s += "  " + std::to_string(order[b]) + " " + std::to_string(order[a]) + "\n";
    return s + "set: { node*.hub.ports: 6 }\n";
}

/* ---- at random ------------------------------------------------------------------------- */

class Random
{
  public:
    explicit Random(unsigned seed, unsigned most = 16) : rng_(seed), most_(most)
    {
        draw(seed);
        choose_buffers();
        choose_lines();
        choose_cables();
        drop_idle();
    }
    std::string text;
    std::vector<std::string> sets;
    unsigned nodes = 0;

  private:
    unsigned pick(unsigned n) { return (unsigned)(rng_() % n); }
    bool one_in(unsigned n) { return pick(n) == 0; }
    std::string number(unsigned least, unsigned most)
    {
        return std::to_string(least + pick(most - least + 1));
    }
    std::string any_hub() { return "node" + std::to_string(pick(nodes)) + ".hub."; }
    std::string any_link()
    {
        std::string hub = any_hub();

        return hub + "newsab"[pick(6)] + ".link.";
    }
    void set(const std::string &key, const std::string &value)
    {
        sets.push_back(key + "=" + value);
    }

    void shape(const std::string &key, unsigned n, const std::string &numbers = "")
    {
        nodes = n;
        text = "platform: hapacs-tca\n" + key + ": " +
               (numbers.empty() ? std::to_string(n) : numbers) + "\n";
    }
    void grid(const std::string &key)
    {
        unsigned a = 2 + pick(most_ / 2 - 1), b = 2 + pick(std::max(1u, most_ / a - 1));

        shape(key, a * b, "[" + std::to_string(a) + ", " + std::to_string(b) + "]");
    }
    void ring()
    {
        static const char *const routes[] = { "", "routes: {one_way: e}\n",
                                              "routes: {one_way: w}\n" };

        shape("ring", 3 + pick(most_ - 2));
        text += routes[pick(3)];
    }
    void two_rings()
    {
        static const char *const routes[] = { "", "routes: {dimensions: [[s], [e, w]]}\n",
                                              "routes: {dimensions: [[e, w], [s]]}\n" };

        shape("dual-ring", 2 * (2 + pick(most_ / 2 - 1)));
        text += routes[pick(3)];
        if (text.find("routes:") == std::string::npos && one_in(2)) /* a pair crosses first */
            text += "routes: {others: shortest, by_hand: {node0.hub.s: " +
                    std::to_string(nodes / 2 + 1) + "}}\n";
    }
    /** A tree, or with further cables a graph, whose edges take the first ports that fit. */
    void graph(unsigned more)
    {
        std::vector<unsigned> free;

        nodes = 2 + pick(most_ - 1);
        text = "platform: hapacs-tca\nnodes: " + std::to_string(nodes) + "\nedges: |\n";
        for (unsigned i = 0; i < nodes; i++) {
            free.push_back(5);
            if (i > 0 && !cable(free, i, pick(i)))
                cable(free, i, i - 1);
        }
        for (; more > 0; more--)
            cable(free, pick(nodes), pick(nodes));
        if (one_in(3))
            text += "slots: nodes\n";
    }
    bool cable(std::vector<unsigned> &free, unsigned a, unsigned b)
    {
        if (a == b || free[a] == 0 || free[b] == 0)
            return false;
        free[a]--;
        free[b]--;
        text += "  " + std::to_string(a) + " " + std::to_string(b) + " " + number(1, 9) + "000\n";
        return true;
    }
    void draw(unsigned seed)
    {
        switch (pick(9)) {
        case 0:
        case 8:
            ring();
            break;
        case 1:
            two_rings();
            break;
        case 2:
            grid("torus");
            break;
        case 3:
            grid("mesh");
            break;
        case 4:
            graph(0);
            break;
        case 5:
            graph(1 + pick(10));
            break;
        default:
            nodes = 3 + pick(most_ - 2);
            text = test::RandomMachine(seed, nodes).text();
        }
        set("node*.hub.ports", "6");
        set("node*.hub.ddr.bytes", "0");
    }
    void choose_buffers()
    {
        unsigned bubble = 1 + pick(3), headers = bubble + pick(4);
        unsigned largest = one_in(4) ? 8 : 16; /* units of 16 bytes */
        unsigned data = headers * largest;

        if (largest == 8) {
            set("node*.hub.*.link.mps_bytes", "128");
            set("node*.host.port.mps_bytes", "128");
        }
        if (one_in(4)) /* more headers than places */
            data = std::max(bubble * largest, data - 1 - pick(largest));
        set("node*.hub.bubble_tlps", std::to_string(bubble));
        if (one_in(6))
            set(any_hub() + "bubble_tlps", "1");
        set("node*.hub.*.link.ph_credits", std::to_string(headers));
        set("node*.hub.*.link.pd_credits", std::to_string(one_in(6) ? 0 : data));
        for (unsigned more = one_in(5) ? 1 + pick(3) : 0; more > 0; more--) { /* without end */
            std::string link = any_link();

            set(link + "ph_credits", "0");
            if (!one_in(3))
                set(link + "pd_credits", "0");
        }
    }
    /** Virtual channels and date lines. */
    void choose_lines()
    {
        unsigned headers = 1 + pick(4), scrap = one_in(2) ? pick(15) : 0;
        unsigned data = std::max(16u, headers * 16 - scrap);

        if (one_in(2))
            return;
        set("node*.hub.vc1.ph_credits", std::to_string(headers));
        set("node*.hub.vc1.pd_credits", std::to_string(one_in(3) ? 0 : data));
        if (one_in(4))
            set(any_hub() + "vc1.ph_credits", "0");
        if (one_in(6))
            set("node*.hub.date_line.ew", "1");
        for (unsigned lines = pick(5); lines > 0; lines--) {
            std::string hub = any_hub();

            set(hub + (one_in(3) ? "date_line.ab" : "date_line.ew"), "1");
        }
    }
    /** Cables and hubs that differ. */
    void choose_cables()
    {
        for (unsigned n = pick(6); n > 0; n--) {
            std::string link = any_link();

            set(link + "lanes", std::to_string(1u << pick(5)));
            set(link + "gen", number(1, 5));
        }
        for (unsigned n = pick(3); n > 0; n--) {
            std::string hub = any_hub();

            set(hub + "bus_bytes", std::to_string(16u << pick(3)));
            set(hub + "bus_gap_cycles", number(0, 3));
            set(hub + "clock_khz", number(100, 300) + "000");
        }
        for (unsigned n = pick(3); n > 0; n--) {
            std::string hub = any_hub(), node = hub.substr(0, hub.find('.'));

            set(node + ".host.p0.port.lanes", std::to_string(1u << pick(5)));
            set(node + ".host.p0.port.gen", number(1, 5));
        }
    }
    /** Ports that were chosen and have no cable: their values would be refused. */
    void drop_idle()
    {
        test::MachineFile file(text, { "node*.hub.ports=6" });
        auto idle = [&](const std::string &s) {
            unsigned node = 0;
            char port[] = "n";

            if (sscanf(s.c_str(), "node%u.hub.%1[ewsab].link.", &node, port) != 2)
                return false;
            for (unsigned i = 0; i < file.desc()->ncables; i++) {
                const machine_link_desc &l = file.desc()->cables[i];

                if ((l.node_a == node && strcmp(l.port_a, port) == 0) ||
                    (l.node_b == node && strcmp(l.port_b, port) == 0))
                    return false;
            }
            return true;
        };

        sets.erase(std::remove_if(sets.begin(), sets.end(), idle), sets.end());
    }
    std::mt19937 rng_;
    unsigned most_;
};

} // namespace reference
#endif /* TESTS_TOOLS_LAB_REFERENCE_SAMPLES_H */
