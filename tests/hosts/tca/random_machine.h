/* Machines with routes by hand, at random. */
#ifndef TESTS_HOSTS_TCA_RANDOM_MACHINE_H
#define TESTS_HOSTS_TCA_RANDOM_MACHINE_H

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace test
{

/** Hubs of six ports in a ring, with some more cables at random; each node's packets come to it
 * along a random tree. */
class RandomMachine
{
  public:
    /** @param nodes 0: three to six */
    explicit RandomMachine(unsigned seed, unsigned nodes = 0) : rng_(seed)
    {
        nodes_ = nodes != 0 ? nodes : 3 + pick(4);
        used_.resize(nodes_);
        for (unsigned i = 0; i < nodes_; i++)
            join(i, (i + 1) % nodes_);
        for (unsigned extra = pick(4); extra > 0; extra--) {
            unsigned a = pick(nodes_), b = pick(nodes_);

            if (a != b)
                join(a, b);
        }
        for (unsigned to = 0; to < nodes_; to++)
            grow_tree(to);
    }
    std::string text() const
    {
        std::string s = "platform: hapacs-tca\nnodes: " + std::to_string(nodes_) + "\nedges: |\n";

        for (const auto &c : cables_)
            s += "  " + end(c.a, c.port_a) + " " + end(c.b, c.port_b) + "\n";
        s += "slots: nodes\nroutes:\n  by_hand:\n";
        for (const auto &w : ways_) {
            s += "    node" + std::to_string(w.first.first) + ".hub." + w.first.second + ": [";
            for (size_t i = 0; i < w.second.size(); i++)
                s += (i > 0 ? ", " : "") + std::to_string(w.second[i]);
            s += "]\n";
        }
        return s + "set: { node*.hub.ports: 6 }\n";
    }
    unsigned pick(unsigned n) { return static_cast<unsigned>(rng_() % n); }

  private:
    struct Cable {
        unsigned a, b;
        char port_a, port_b;
    };
    static std::string end(unsigned node, char port) { return std::to_string(node) + "." + port; }
    void join(unsigned a, unsigned b)
    {
        char pa = free_port(a), pb = free_port(b);

        if (pa == 0 || pb == 0)
            return;
        used_[a].insert(pa);
        used_[b].insert(pb);
        cables_.push_back({ a, b, pa, pb });
    }
    char free_port(unsigned node)
    {
        std::string free;

        for (char p : std::string("ewsab"))
            if (used_[node].count(p) == 0)
                free += p;
        return free.empty() ? 0 : free[pick(static_cast<unsigned>(free.size()))];
    }
    /** Adds cables to the tree at random until all nodes hang from it. */
    void grow_tree(unsigned to)
    {
        std::set<unsigned> in = { to };

        while (in.size() < nodes_) {
            const Cable &c = cables_[pick(static_cast<unsigned>(cables_.size()))];

            if (in.count(c.a) == in.count(c.b))
                continue;
            unsigned leaf = in.count(c.a) != 0 ? c.b : c.a;
            ways_[{ leaf, leaf == c.a ? c.port_a : c.port_b }].push_back(to);
            in.insert(leaf);
        }
    }
    std::mt19937 rng_;
    unsigned nodes_;
    std::vector<std::set<char>> used_;
    std::vector<Cable> cables_;
    std::map<std::pair<unsigned, char>, std::vector<unsigned>> ways_;
};

} // namespace test
#endif /* TESTS_HOSTS_TCA_RANDOM_MACHINE_H */
