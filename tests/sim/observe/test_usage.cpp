/* Use of links over time, held against statistics and against the packets themselves. */
#include "tests/sim/observe/messages.h"

#include "observe/fan.h"
#include "observe/usage.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace
{

using test::Cluster;
using test::ClusterConfig;
using test::Kind;
using test::MachineFile;
using test::Message;
using test::Messages;

using Place = std::pair<std::string, std::string>; /* where, side */

/** All windows, and all that was reported, of one run. */
struct Used {
    struct Span {
        sim_time_t from, to;
    };
    std::map<Place, std::array<uint64_t, OBSERVE_USES>> sums;
    std::map<std::string, uint64_t> stats;
    std::map<std::string, std::vector<Span>> wires; /* by port: packets, and stalls of the link */
    std::vector<Span> windows;
    sim_time_t end = 0;
    sim_probe probe = {};

    Used(const MachineFile &file, Messages &messages, sim_time_t window = 0, sim_order order = {})
    {
        observe_fan fan{};
        observe_usage *usage = observe_usage_create(window, &fan);
        ClusterConfig cfg = file.cluster();
        sim_error err = {};

        probe.mark = [](void *, const sim_mark *) -> uint64_t { return 1; };
        probe.hold = [](void *, const sim_hold *) {};
        probe.packet = [](void *arg, const sim_packet *p) {
            static_cast<Used *>(arg)->wires[p->where].push_back({ p->begin, p->end });
        };
        probe.stall = [](void *arg, const sim_stall *s) {
            if (std::string("tx") == s->side && s->cause < SIM_STALL_LINK)
                static_cast<Used *>(arg)->wires[s->where].push_back({ s->from, s->to });
        };
        probe.arg = this;
        observe_fan_add(&fan, &probe);
        cfg.order = order;
        cfg.probe = observe_fan_probe(&fan);
        {
            Cluster c(cfg);

            EXPECT_EQ(SIM_OK, c.run([&messages]() -> int {
                test::Rank r;
                test::Sender sender(r);

                sender.play(messages);
                r.barrier();
                return 0;
            })) << c.err.text;
            end = sim_reached(machine_sim(c.machine()));
            sim_stat_each(machine_sim(c.machine()), keep_stat, this);
        }
        EXPECT_EQ(SIM_OK, observe_usage_each(usage, end, keep, this, &err)) << err.text;
        observe_usage_destroy(usage);
    }
    static void keep_stat(void *arg, const char *path, const char *, const char *, uint64_t value)
    {
        static_cast<Used *>(arg)->stats[path] = value;
    }
    static void keep(void *arg, const observe_window *w)
    {
        Used *self = static_cast<Used *>(arg);
        auto &sum = self->sums[{ w->where, w->side }];

        self->windows.push_back({ w->from, w->to });
        for (unsigned i = 0; i < OBSERVE_USES; i++) {
            sum[i] += w->ps[i];
            EXPECT_LE(i < OBSERVE_STALL ? w->ps[i] : 0, w->to - w->from + 2)
                << w->where << "." << w->side << " " << observe_use_name(i) << " at " << w->from;
        }
    }
    uint64_t total(unsigned use) const
    {
        uint64_t ps = 0;

        for (const auto &[place, sum] : sums)
            ps += sum[use];
        return ps;
    }
    /** Windows hold what statistics do. */
    void expect_sums()
    {
        for (const auto &[place, sum] : sums) {
            const std::string path = place.first + "." + place.second + ".";

            for (unsigned i = 0; i < SIM_STALL_CAUSES; i++) {
                uint64_t stat = 0;
                const std::string name = path + observe_use_name(OBSERVE_STALL + i);

                for (const char *cls :
                     { "_ps", "_p_ps", "_np_ps", "_cpl_ps", "_p1_ps", "_again_ps" })
                    stat += stats.count(name + cls) != 0 ? stats[name + cls] : 0;
                EXPECT_EQ(stat, sum[OBSERVE_STALL + i]) << name;
            }
            /* A symbol of the adapter's Gen3 link takes no whole number of picoseconds. */
            if (place.second != "tx" || path.find(".ib.pcie.") != std::string::npos ||
                path.find(".host.p5.") != std::string::npos)
                continue;
            uint64_t symbols = stats[path + "wire_symbols"];
            uint64_t busy = sum[OBSERVE_PAYLOAD] + sum[OBSERVE_OVERHEAD] + sum[OBSERVE_DLLP] +
                            sum[OBSERVE_REPLAY];
            EXPECT_EQ(0u, busy % symbols) << path; /* whole picoseconds a symbol on these links */
            EXPECT_EQ(stats[path + "payload_bytes"] * (busy / symbols), sum[OBSERVE_PAYLOAD]);
        }
    }
    /** Packets on a wire and stalls of the link do not overlap. */
    void expect_one_thing_at_a_time()
    {
        EXPECT_FALSE(wires.empty());
        for (auto &[port, spans] : wires) {
            std::sort(spans.begin(), spans.end(), [](auto a, auto b) {
                return std::tie(a.from, a.to) < std::tie(b.from, b.to);
            });
            for (size_t i = 1; i < spans.size(); i++)
                ASSERT_LE(spans[i - 1].to, spans[i].from) << port << " " << i;
        }
    }
};

/** Traffic that meets: each node writes to the neighbour's neighbour, from memories of both kinds.
 */
Messages crowd(int nodes)
{
    Messages all;

    for (int i = 0; i < 6; i++) {
        Message m;

        m.kind = i % 2 != 0 ? Kind::Chain : Kind::Dma;
        m.from = i % nodes;
        m.to = (i + nodes / 2) % nodes;
        m.src_gpu = i % 3 == 0;
        m.bytes = 8192;
        m.count = m.kind == Kind::Chain ? 4 : 1;
        for (int other = 0; other < nodes; other++)
            if (other != m.from && other != m.to)
                m.others.push_back(other);
        all.push_back(m);
    }
    return all;
}

const std::vector<const char *> narrow = {
    "node*.hub.ddr.bytes=0",     "node*.hub.*.link.ph_credits=4", "node*.hub.*.link.pd_credits=64",
    "node*.hub.dma.read_tags=4", "node*.host.rc.memory_reads=2",  "node*.gpu*.reads=1"
};

const std::vector<const char *> errors = {
    "{link: node*.hub.e, bit_error_rate: 1e-5}",
    "{link: node*.hub.w, bit_error_rate: 3e-6}",
    "{link: node1.hub.e, flap: {at: 300us, for: 2us, every: 20us, times: 100}}",
};

TEST(Usage, WindowsAddUpToTheStatistics)
{
    MachineFile file("ring4", narrow);
    Messages all = crowd(4);
    Used used(file, all);

    used.expect_sums();
    for (unsigned cause :
         { SIM_STALL_CREDIT, SIM_STALL_LINK, SIM_STALL_ARBITER, SIM_STALL_TAG, SIM_STALL_MEMORY })
        EXPECT_NE(0u, used.total(OBSERVE_STALL + cause)) << observe_use_name(OBSERVE_STALL + cause);
}

/* Each picosecond of a link is a packet's, or counts under one cause, or nothing waits. */
TEST(Usage, ALinkIsNeverBusyAndStalledAtOnce)
{
    MachineFile file("ring4", narrow);
    Messages all = crowd(4);
    Used used(file, all);

    used.expect_one_thing_at_a_time();
}

/* The same where packets are lost and links train: replays, and waits for them. */
TEST(Usage, AccountsForALinkUnderFaults)
{
    MachineFile file("ring4", narrow, errors);
    Messages all = crowd(4);
    Used used(file, all);

    used.expect_one_thing_at_a_time();
    used.expect_sums();
    for (int use : { (int)OBSERVE_REPLAY, OBSERVE_STALL + SIM_STALL_DOWN })
        EXPECT_NE(0u, used.total((unsigned)use)) << observe_use_name((unsigned)use);
}

TEST(Usage, OfAnyWindowLengthIsTheSameInAll)
{
    MachineFile file("ring4", narrow);
    Messages first = crowd(4), second = crowd(4);
    Used chosen(file, first), fixed(file, second, 12345);

    EXPECT_EQ(chosen.end, fixed.end);
    for (const auto &[place, sum] : chosen.sums)
        for (unsigned i = 0; i < OBSERVE_USES; i++)
            EXPECT_TRUE(i == OBSERVE_SKP || sum[i] == fixed.sums[place][i])
                << place.first << " " << observe_use_name(i);
    for (const auto &w : fixed.windows)
        EXPECT_TRUE(w.from % 12345 == 0 && (w.to == fixed.end || w.to == w.from + 12345));
    sim_time_t length = chosen.windows[0].to - chosen.windows[0].from;
    EXPECT_GT(chosen.end / length, 199u);
    EXPECT_LE(chosen.end / length, 400u);
}

TEST(Usage, DoesNotDependOnTheOrderOfEventsAndDomains)
{
    MachineFile file("ring4", narrow);
    Messages all = crowd(4);
    Used plain(file, all);

    for (const sim_order &order : test::all_orders()) {
        Messages again = crowd(4);
        Used other(file, again, 0, order);

        for (const auto &[path, value] : plain.stats)
            EXPECT_EQ(value, other.stats[path]) << path;
        EXPECT_EQ(plain.sums, other.sums);
    }
}

TEST(Usage, RefusesTooManyWindows)
{
    MachineFile file("two-node");
    observe_fan fan{};
    observe_usage *usage = observe_usage_create(1, &fan);
    const sim_stall late = { "x", "tx", SIM_STALL_CREDIT, 10 * SIM_MS, 10 * SIM_MS + 5 };
    const sim_probe *probe = observe_fan_probe(&fan);
    sim_error err = {};

    probe->stall(probe->arg, &late);
    EXPECT_EQ(SIM_ERR_LIMIT, observe_usage_each(usage, 20 * SIM_MS, nullptr, nullptr, &err));
    EXPECT_STREQ("more than 1048576 windows of 1 ps: expected longer ones", err.text);
    observe_usage_destroy(usage);
}

} // namespace
