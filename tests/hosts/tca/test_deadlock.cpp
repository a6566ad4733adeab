/* What `hubsim topology` predicts of machines whose buffers fill up, and what then happens. */
#include "tests/built.h"
#include "tests/hosts/machine_file.h"
#include "tests/hosts/tca/rank.h"

#include "tools/lab/topology/topology.h"

#include <algorithm>
#include <random>
#include <set>

namespace
{

using test::Cluster;
using test::MachineFile;
using test::Rank;

enum { CHANNELS = 4, SLOT = 3, TAG = 0x55 };
const size_t BLOCK = 8192;

/** What ranks hold that never end; never destroyed. */
struct Kept {
    std::deque<std::vector<tcaHandle>> handles;
    std::vector<tcaDesc *> lists;
};
Kept &kept = *new Kept;

/** Each rank puts a block to each other one, nearest first on one channel, furthest on another. */
int flood()
{
    Rank r;
    auto *mem = r.memory(BLOCK * r.size, tcaMemoryCPU);

    kept.handles.push_back(r.publish(mem, BLOCK * r.size, tcaMemoryCPU));
    auto &all = kept.handles.back();
    for (int ch = 0; ch < CHANNELS; ch++) {
        tcaDesc *d = tcaDescNew();

        kept.lists.push_back(d);
        for (int k = 1; k < r.size; k++) {
            int to = (r.me + (ch % 2 == 0 ? k : r.size - k)) % r.size;

            EXPECT_EQ(TCA_SUCCESS,
                      tcaDescSetMemcpy(d, &all[to], r.me * BLOCK, &all[r.me], r.me * BLOCK, BLOCK,
                                       tcaDMAUseInternal | tcaDMANotify, SLOT, TAG + ch));
        }
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, ch));
    }
    r.barrier();
    for (int ch = 0; ch < CHANNELS; ch++)
        EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(ch));
    for (int ch = 0; ch < CHANNELS; ch++)
        for (int k = 1; k < r.size; k++)
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&all[(r.me + k) % r.size], SLOT, TAG + ch));
    r.barrier();
    return 0;
}

/** The links of a circle, in their order from the first one by name on. */
using Circle = std::vector<std::string>;

Circle turned(Circle c)
{
    std::rotate(c.begin(), std::min_element(c.begin(), c.end()), c.end());
    return c;
}

Circle predicted(const MachineFile &file)
{
    lab_topology topo;
    sim_error err = {};
    Circle names;

    EXPECT_EQ(SIM_OK, attempt(&err, [&] { lab_topology_create(file.desc(), &topo); })) << err.text;
    std::vector<unsigned> links(2 * topo.nlinks);
    links.resize(lab_topology_deadlock(&topo, links.data()));
    for (unsigned l : links)
        names.push_back(std::string(topo.hubs[topo.links[l].from]) + "." + topo.links[l].port_from);
    lab_topology_fini(&topo);
    return names.empty() ? names : turned(names);
}

/** Empty: all ranks ended. */
Circle happened(const MachineFile &file)
{
    Cluster c(file.cluster());
    const std::string arrow = " -> ";
    Circle names;

    if (c.run(flood) == SIM_OK)
        return names;
    std::string text = c.err.text;
    size_t at = text.find("; deadlock: ");
    EXPECT_NE(std::string::npos, at) << text;
    for (at = text.find(' ', at + 3) + 1; at != std::string::npos;) {
        size_t end = text.find(arrow, at);

        names.push_back(text.substr(at, end == std::string::npos ? end : end - at));
        at = end == std::string::npos ? end : end + arrow.size();
    }
    EXPECT_EQ(names.front(), names.back());
    names.pop_back();
    return turned(names);
}

/* ---- rings ------------------------------------------------------------------------- */

const std::vector<const char *> small_buffers = { "node*.hub.ddr.bytes=0",
                                                  "node*.hub.*.link.ph_credits=4",
                                                  "node*.hub.*.link.pd_credits=64" };

std::vector<const char *> with(std::vector<const char *> sets, const char *more)
{
    sets.push_back(more);
    return sets;
}

TEST(Deadlock, OfARingIsTheOneThatWasPredicted)
{
    for (const char *name : { "ring8", "one-way-ring8", "dual-ring8" }) {
        MachineFile file(name, with(small_buffers, "node*.hub.bubble_tlps=1"));
        Circle circle = happened(file);

        EXPECT_FALSE(circle.empty()) << name;
        EXPECT_EQ(strcmp(name, "dual-ring8") == 0 ? 4u : 8u, circle.size()) << name;
        if (strcmp(name, "one-way-ring8") == 0) /* there is but this one */
            EXPECT_EQ(predicted(file), circle);
        else
            EXPECT_EQ(circle.size(), predicted(file).size());
    }
}

TEST(Deadlock, DoesNotComeWhereAPlaceStaysFree)
{
    for (const char *name : { "ring8", "one-way-ring8", "dual-ring8", "torus16" }) {
        MachineFile file(name, small_buffers);

        EXPECT_EQ(Circle(), predicted(file)) << name;
        EXPECT_EQ(Circle(), happened(file)) << name;
    }
}

/* The machines of docs/deadlock.md. */
TEST(Deadlock, ComesOrNotAsThePageTells)
{
    const std::vector<const char *> off = { "node*.hub.bubble_tlps=1", "node*.hub.ddr.bytes=0" };
    MachineFile small("small-buffers-ring8");

    EXPECT_EQ(8u, predicted(small).size());
    EXPECT_EQ(8u, happened(small).size()) << "one way round or the other";
    for (const char *name : { "date-line-ring8", "up-down-ring8" }) {
        MachineFile file(name, off);

        EXPECT_EQ(Circle(), predicted(file)) << name;
        EXPECT_EQ(Circle(), happened(file)) << name;
    }
}

const std::vector<const char *> two_channels = {
    "node*.hub.ddr.bytes=0",          "node*.hub.bubble_tlps=1",    "node*.hub.*.link.ph_credits=4",
    "node*.hub.*.link.pd_credits=64", "node*.hub.vc1.ph_credits=4", "node*.hub.vc1.pd_credits=64",
};

TEST(Deadlock, DoesNotComeWherePacketsChangeTheirChannelOnce)
{
    for (const char *name : { "ring8", "one-way-ring8" }) {
        MachineFile file(name, with(two_channels, "node5.hub.date_line.ew=1"));

        EXPECT_EQ(Circle(), predicted(file)) << name;
        EXPECT_EQ(Circle(), happened(file)) << name;
    }
    /* Rows of the torus have it at their first node, columns in the first row. */
    std::vector<const char *> lines = two_channels;
    for (const char *line :
         { "node0.hub.date_line.*=1", "node4.hub.date_line.ew=1", "node8.hub.date_line.ew=1",
           "node12.hub.date_line.ew=1", "node1.hub.date_line.ab=1", "node2.hub.date_line.ab=1" })
        lines.push_back(line);
    MachineFile but_one("torus16", lines);
    EXPECT_EQ(4u, predicted(but_one).size()) << "the last column has none";
    MachineFile all("torus16", with(lines, "node3.hub.date_line.ab=1"));
    EXPECT_EQ(Circle(), predicted(all));
    EXPECT_EQ(Circle(), happened(all));
}

TEST(Deadlock, ComesWhereNoHubIsTheDateLineOrEachIs)
{
    for (const char *line : { "node*.hub.date_line.ew=0", "node*.hub.date_line.ew=1" }) {
        MachineFile file("ring8", with(two_channels, line));

        EXPECT_EQ(8u, predicted(file).size()) << line;
        EXPECT_EQ(8u, happened(file).size()) << line;
    }
}

/* One hub asks for more places than its neighbour has: it waits for all of them. */
TEST(Deadlock, DoesNotComeFromAskingForTooMuch)
{
    MachineFile file("ring8", { "node*.hub.ddr.bytes=0", "node*.hub.bubble_tlps=4",
                                "node3.hub.bubble_tlps=2", "node3.hub.*.link.ph_credits=2",
                                "node3.hub.*.link.pd_credits=32" });

    EXPECT_EQ(Circle(), predicted(file));
    EXPECT_EQ(Circle(), happened(file));
}

/* ---- machines at random -------------------------------------------------------------- */

/** Hubs of six ports in a ring, with some more cables at random; each node's packets come to it
 * along a random tree. */
class RandomMachine
{
  public:
    explicit RandomMachine(unsigned seed) : rng_(seed)
    {
        nodes_ = 3 + pick(4);
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

const unsigned MACHINES = test::SANITIZED ? 20 : 60;

TEST(Deadlock, NeverComesWhereNoneIsPossible)
{
    unsigned safe = 0, possible = 0, came = 0;

    for (unsigned seed = 0; seed < MACHINES; seed++) {
        RandomMachine m(seed);
        unsigned headers = 3 + m.pick(3);
        std::vector<std::string> sets = {
            "node*.hub.bubble_tlps=" + std::to_string(1 + m.pick(3)),
            "node*.hub.*.link.ph_credits=" + std::to_string(headers),
            "node*.hub.*.link.pd_credits=" + std::to_string(headers * 16),
            "node*.hub.ddr.bytes=" + std::to_string(256 * m.pick(3)),
            "node*.hub.ddr.chip_tlps=" + std::to_string(1 + m.pick(2)),
            "node*.hub.ddr.cycles=" + std::to_string(m.pick(2) != 0 ? 50 : 1000),
            "node*.hub.vc1.ph_credits=" + std::to_string(2 * m.pick(2)),
            "node" + std::to_string(m.pick(3)) + ".hub.date_line.ew=1",
            "node" + std::to_string(m.pick(3)) + ".hub.date_line.ab=1",
        };
        std::vector<const char *> set;
        std::string text = m.text();

        for (const std::string &s : sets)
            set.push_back(s.c_str());
        MachineFile file(text, set);
        for (const std::string &s : sets)
            text += "\n" + s;
        SCOPED_TRACE(text);
        Circle before = predicted(file), circle = happened(file);

        safe += before.empty();
        possible += !before.empty();
        came += !circle.empty();
        if (before.empty()) {
            EXPECT_EQ(Circle(), circle);
        }
    }
    EXPECT_LT(MACHINES * 5 / 12, safe);
    EXPECT_LT(MACHINES / 5, possible);
    EXPECT_LT(possible / 2, came) << "or this floods nothing";
}

} // namespace
