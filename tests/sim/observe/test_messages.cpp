/* Ten thousand random messages: the parts of each add up to what its program measured. */
#include "tests/built.h"
#include "tests/sim/observe/messages.h"

#include "tools/lab/topology/topology.h"

namespace
{

using test::Kind;
using test::MachineFile;
using test::Message;
using test::Messages;
using test::Observed;

const int PER_MACHINE = test::SANITIZED ? 120 : 1440, WITH_FAULTS = test::SANITIZED ? 500 : 1000;

int below(std::mt19937_64 &random, int n)
{
    return (int)(random() % (uint64_t)n);
}

Message random_message(std::mt19937_64 &random, int nodes)
{
    Message m;

    m.kind = (Kind)below(random, 4);
    m.from = below(random, nodes);
    m.to = below(random, nodes);
    if (m.kind == Kind::Pio && m.to == m.from) /* a hub sends nothing back where it came from */
        m.to = (m.from + 1) % nodes;
    m.src_gpu = below(random, 2) != 0;
    m.dst_gpu = below(random, 2) != 0;
    m.host_table = below(random, 3) == 0;
    m.bytes = (size_t)8 << below(random, m.kind == Kind::Pio ? 5 : 10);
    m.bytes += m.bytes > 64 && m.kind != Kind::Pio ? 4 * (size_t)below(random, 8) : 0;
    m.count = m.kind == Kind::Chain || m.kind == Kind::Blocks ? 1 + (size_t)below(random, 5) : 1;
    m.pitch = (m.bytes + 15) / 16 * 16 + 16 * (size_t)below(random, 64);
    for (int n = 0; n < nodes && below(random, 2) == 0; n++) {
        int other = below(random, nodes);

        if (other != m.from && other != m.to && m.others.size() < 3 &&
            std::find(m.others.begin(), m.others.end(), other) == m.others.end())
            m.others.push_back(other);
    }
    return m;
}

std::string text(const Message &m)
{
    static const char *const kinds[] = { "pio", "dma", "chain", "blocks" };

    return std::string(kinds[(int)m.kind]) + " " + std::to_string(m.count) + " x " +
           std::to_string(m.bytes) + " pitch " + std::to_string(m.pitch) + " node" +
           std::to_string(m.from) + (m.src_gpu ? " gpu" : " cpu") + " to node" +
           std::to_string(m.to) + (m.dst_gpu ? " gpu" : " cpu") + (m.host_table ? " host" : "") +
           " others " + std::to_string(m.others.size());
}

/** From the begin to the end, one after the other, none empty; nothing is left unexplained. */
void expect_exact(const Message &m, const std::vector<Observed::Part> &parts)
{
    sim_time_t at = m.begin, sum = 0;

    ASSERT_FALSE(parts.empty());
    for (const auto &p : parts) {
        EXPECT_EQ(at, p.from);
        EXPECT_LT(p.from, p.to) << p.stage;
        EXPECT_NE("not traced", p.kind) << p.where << " " << p.to - p.from;
        EXPECT_NE("asleep", p.stage) << p.where;
        at = p.to;
        sum += p.to - p.from;
    }
    EXPECT_EQ(m.end, at);
    EXPECT_EQ(m.end - m.begin, sum);
}

/** The packet on which the receiver waited at last crossed each cable of the route, in order. */
void expect_route(const lab_topology &topo, const Message &m,
                  const std::vector<Observed::Part> &parts)
{
    size_t at = parts.size();
    std::vector<std::pair<std::string, std::string>> crossed;

    for (unsigned hub = (unsigned)m.from; hub != (unsigned)m.to;) {
        const lab_topo_link &link = topo.links[topo.next[hub * topo.nhubs + (unsigned)m.to]];

        crossed.emplace_back(std::string(topo.hubs[hub]) + "." + link.port_from,
                             std::string(topo.hubs[link.to]) + "." + link.port_to);
        hub = link.to;
    }
    for (size_t k = crossed.size(); k-- > 0;) { /* from the end: what came last */
        auto is = [&](const char *stage, const std::string &where) {
            while (at-- > 0)
                if (parts[at].stage == stage && parts[at].where == where)
                    return true;
            return false;
        };

        ASSERT_TRUE(is("hard IP, in", crossed[k].second)) << crossed[k].second;
        ASSERT_TRUE(is("serialisation", crossed[k].first)) << crossed[k].first;
        ASSERT_TRUE(
            is("routing", k > 0 ? crossed[k - 1].second : std::string(topo.hubs[m.from]) + ".n"))
            << k;
    }
}

/** On an idle machine no part of a small message waits. */
void expect_no_waits(const std::vector<Observed::Part> &parts, bool polls_by_link)
{
    for (const char *kind : { "credit wait", "arbiter wait", "internal bus", "read limit" })
        EXPECT_EQ(0u, test::total(parts, kind)) << kind;
    for (const auto &p : parts)
        EXPECT_TRUE(p.kind != "link busy" || p.stage == "behind a DLLP" || polls_by_link)
            << p.where;
}

class Random : public testing::TestWithParam<const char *>
{
};

TEST_P(Random, MessagesAreExplainedToThePicosecond)
{
    std::mt19937_64 random(sim_path_hash(GetParam()));
    MachineFile file(GetParam());
    const machine_desc *desc = file.cluster().desc;
    lab_topology topo = {};
    sim_error err = {};

    ASSERT_EQ(SIM_OK, attempt(&err, [&] { lab_topology_create(desc, &topo); })) << err.text;
    for (int done = 0; done < PER_MACHINE; done += 120) {
        Messages messages;

        for (int i = 0; i < 120; i++)
            messages.push_back(random_message(random, (int)desc->nnodes));
        Observed run(file, messages);
        for (const Message &m : messages) {
            std::vector<Observed::Part> parts = run.explain(m);

            SCOPED_TRACE(text(m));
            expect_exact(m, parts);
            expect_route(topo, m, parts);
            if (m.kind == Kind::Pio && m.others.empty())
                expect_no_waits(parts, m.dst_gpu);
            if (testing::Test::HasFailure())
                break;
        }
        if (testing::Test::HasFailure())
            break;
    }
    lab_topology_fini(&topo);
}

/* The same while links lose packets, replay them and train. No wait is left without an explanation,
 * and what the faults cost is reported. */
TEST(Faults, MessagesAreExplainedToThePicosecond)
{
    std::mt19937_64 random(1);
    MachineFile file(
        "ring4", {},
        { "{link: node*.hub.e, bit_error_rate: 1e-5}", "{link: node*.hub.n, bit_error_rate: 3e-6}",
          "{link: node*.hub.w, drop: {tlp: 40}}",
          "{link: node1.hub.e, flap: {at: 400us, for: 1us, every: 30us, times: 10000}}" });
    std::map<std::string, unsigned> seen;

    for (int done = 0; done < WITH_FAULTS && !testing::Test::HasFailure(); done += 100) {
        Messages messages;

        for (int i = 0; i < 100; i++)
            messages.push_back(random_message(random, 4));
        Observed run(file, messages);
        for (const Message &m : messages) {
            std::vector<Observed::Part> parts = run.explain(m);

            SCOPED_TRACE(text(m));
            expect_exact(m, parts);
            for (const auto &p : parts)
                seen[p.stage]++;
            if (testing::Test::HasFailure())
                break;
        }
    }
    for (const char *stage :
         { "replay", "lost, until NAK", "lost, until replay timer", "link training" })
        EXPECT_NE(0u, seen[stage]) << stage;
}

INSTANTIATE_TEST_SUITE_P(Machines, Random,
                         testing::Values("two-node", "line3", "ring4", "ring8", "one-way-ring8",
                                         "dual-ring8", "torus16"));

} // namespace
