/* The control network: latency, bandwidth, order. */
#include "machine_fixture.h"

namespace
{

using namespace test;
using Times = std::vector<uint64_t>;

Builder hosts(unsigned n, uint64_t latency_ps, uint64_t bytes_per_us, Values values = {})
{
    Builder b;

    values.insert({ { "cores", 1 }, { "ram_bytes", 1 << 16 }, { "net.latency_ps", 100000 } });
    for (unsigned i = 0; i < n; i++)
        b.add(i, "host", &node_host_kind, values);
    b.desc.net_latency_ps = latency_ps;
    b.desc.net_bytes_per_us = bytes_per_us;
    return b;
}

struct Inbox {
    Machine *m;
    unsigned node;
    std::vector<std::pair<sim_time_t, unsigned>> when; /* and from whom */
    std::vector<std::vector<uint8_t>> what;

    Inbox(Machine &machine, unsigned n) : m(&machine), node(n)
    {
        node_net_set_receiver(
            node_host_net(m->host(n)),
            [](void *arg, unsigned from, const void *bytes, uint32_t size) {
                Inbox *in = static_cast<Inbox *>(arg);
                const uint8_t *p = static_cast<const uint8_t *>(bytes);
                in->when.emplace_back(in->m->now(in->node), from);
                in->what.emplace_back(p, p + size);
            },
            this);
    }
};

std::vector<uint8_t> bytes_of(size_t n, unsigned seed)
{
    std::vector<uint8_t> v(n);

    for (size_t i = 0; i < n; i++)
        v[i] = (uint8_t)(i * 31 + i / 251 + seed);
    return v;
}

using Letters = std::vector<std::pair<unsigned, std::vector<uint8_t>>>; /* to whom, what */

/** One task of node `from` sends all of them at once. */
void send(Machine &m, unsigned from, const Letters &letters)
{
    struct Task {
        node_host *host;
        Letters letters;
    };

    node_core_spend(
        m.core(0, from), 0,
        [](void *arg, uint64_t) {
            std::unique_ptr<Task> t(static_cast<Task *>(arg));
            for (auto &l : t->letters)
                node_net_send(node_host_net(t->host), l.first, l.second.data(),
                              (uint32_t)l.second.size());
        },
        new Task{ m.host(from), letters });
}

TEST(Net, AMessageTakesLatencyPlusSizeOverBandwidth)
{
    for (uint32_t size : { 0u, 1u, 4096u, 4097u, 1000000u }) {
        in_all_orders(hosts(2, 500000, 3200), [&](Machine &m) {
            Inbox in(m, 1);
            auto v = bytes_of(size, 3);
            sim_time_t start = m.now(0);

            send(m, 0, { { 1, v } });
            m.run();
            EXPECT_EQ(1u, in.what.size());
            EXPECT_EQ(v, in.what[0]);
            EXPECT_EQ(start + 600000 + size * SIM_US / 3200, in.when[0].first) << size;
            return in.when;
        });
    }
}

TEST(Net, ATransmitterServesAllItsMessagesInOrder)
{
    in_all_orders(hosts(3, 500000, 1000), [](Machine &m) {
        Inbox one(m, 1), two(m, 2);
        sim_time_t start = m.now(0);

        send(m, 0, { { 1, bytes_of(10000, 1) }, { 2, bytes_of(500, 2) }, { 1, bytes_of(7, 3) } });
        m.run();
        EXPECT_EQ(start + 600000 + 10500 * 1000u, two.when[0].first);
        EXPECT_EQ(2u, one.when.size());
        EXPECT_EQ(start + 600000 + 10000 * 1000u, one.when[0].first);
        EXPECT_EQ(bytes_of(7, 3), one.what[1]);
        EXPECT_EQ(start + 600000 + 10507 * 1000u, one.when[1].first);
        return one.when;
    });
}

TEST(Net, ManyMessagesFromAllNodesArriveOnceAndByteForByte)
{
    in_all_orders(hosts(4, 1000, 1000), [](Machine &m) {
        std::vector<std::unique_ptr<Inbox>> in;

        for (unsigned i = 0; i < 4; i++)
            in.push_back(std::make_unique<Inbox>(m, i));
        for (unsigned from = 0; from < 4; from++) {
            Letters letters;
            for (unsigned round = 0; round < 20; round++)
                for (unsigned to = 0; to < 4; to++)
                    if (from != to)
                        letters.emplace_back(to, bytes_of(round * 977, from * 16 + to + round));
            send(m, from, letters);
        }
        m.run();
        std::vector<std::pair<sim_time_t, unsigned>> all;
        for (unsigned to = 0; to < 4; to++) {
            unsigned next[4] = {};
            EXPECT_EQ(60u, in[to]->what.size());
            for (size_t i = 0; i < in[to]->what.size(); i++) {
                unsigned from = in[to]->when[i].second, round = next[from]++;
                EXPECT_EQ(bytes_of(round * 977, from * 16 + to + round), in[to]->what[i]);
            }
            all.insert(all.end(), in[to]->when.begin(), in[to]->when.end());
        }
        return all;
    });
}

TEST(Net, MessagesOfOneInstantAreHandedOverByNumberOfTheirSender)
{
    in_all_orders(hosts(5, 1000, 1000), [](Machine &m) {
        Inbox in(m, 0);

        for (unsigned from = 4; from >= 1; from--)
            send(m, from, { { 0, bytes_of(100, from) } });
        m.run();
        EXPECT_EQ(4u, in.when.size());
        for (unsigned i = 0; i < 4; i++)
            EXPECT_EQ(i + 1, in.when[i].second);
        return in.when;
    });
}

TEST(Net, TheSlowerOfHostAndNetworkSetsTheRate)
{
    Machine m(hosts(2, 1000, 5000, { { "net.bytes_per_us", 100 } }));
    Inbox in(m, 1);
    sim_time_t start = m.now(0);

    send(m, 0, { { 1, bytes_of(1000, 1) } });
    m.run();
    EXPECT_EQ(start + 101000 + 1000 * 10000u, in.when[0].first);
}

} // namespace
