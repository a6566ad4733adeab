// One simulation on several processes, which are threads here: each has a simulation of its own and
// hands parcels to the others through memory.
#include "core/group.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace
{

using Bytes = std::vector<unsigned char>;

/** Where the members of a group leave parcels for each other. */
class Exchange
{
  public:
    explicit Exchange(uint32_t n) : n_(n), boxes_(n * n) {}

    int swap(uint32_t self, sim_parcel *out, sim_parcel *in)
    {
        for (uint32_t p = 0; p < n_; p++)
            if (p != self)
                boxes_[self * n_ + p].assign(out[p].bytes, out[p].bytes + out[p].used);
        if (!meet())
            return SIM_ERR_IO;
        for (uint32_t p = 0; p < n_; p++) {
            const Bytes &box = boxes_[p * n_ + self];

            in[p].used = 0;
            if (p != self && !box.empty())
                memcpy(sim_parcel_room(&in[p], box.size()), box.data(), box.size());
        }
        return meet() ? SIM_OK : SIM_ERR_IO;
    }

    void leave()
    {
        const std::lock_guard<std::mutex> lock(mutex_);

        gone_ = true;
        all_.notify_all();
    }

  private:
    bool meet()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        const uint64_t round = round_;

        if (++arrived_ == n_) {
            arrived_ = 0;
            round_++;
            all_.notify_all();
        }
        all_.wait(lock, [&] { return round_ != round || gone_; });
        return round_ != round;
    }

    uint32_t n_;
    std::vector<Bytes> boxes_;
    std::mutex mutex_;
    std::condition_variable all_;
    uint32_t arrived_ = 0;
    uint64_t round_ = 0;
    bool gone_ = false;
};

/** One process of a group. */
struct Member {
    Exchange *exchange;
    uint32_t self;

    sim_group group(uint32_t processes) { return { processes, self, swap, this }; }
    static int swap(void *arg, sim_parcel *out, sim_parcel *in)
    {
        auto *m = static_cast<Member *>(arg);

        return m->exchange->swap(m->self, out, in);
    }
};

/** What a run leaves; the same in each process. */
struct Outcome {
    int code = 0;
    sim_time_t reached = 0, later = 0;
    sim_fingerprint print = {};
    uint64_t events = 0, left = 0;
    std::vector<uint64_t> stats;

    bool operator==(const Outcome &o) const
    {
        return code == o.code && reached == o.reached && later == o.later &&
               print.visible == o.print.visible && print.wire == o.print.wire &&
               events == o.events && left == o.left && stats == o.stats;
    }
};

/** A network of domains that answer what they get by messages to others, at random. */
class Network
{
  public:
    struct Shape {
        unsigned domains;
        uint64_t seed;
        uint64_t budget;  // messages that each domain sends by itself
        unsigned parts;   // so many domains end the run when they have sent them; 0: none
        sim_time_t slice; // sim_run() by so much at once; 0: to the end
    };

    Network(const Shape &shape, const sim_order &order) : shape_(shape), nodes_(shape.domains)
    {
        sim_config cfg = {};
        sim_error err = {};
        sim_stream wiring;

        cfg.seed = shape.seed;
        cfg.fingerprint = true;
        cfg.order = order;
        sim_ = sim_create(&cfg);
        sim_stream_init(&wiring, shape.seed, "wiring");
        for (unsigned i = 0; i < shape.domains; i++)
            make_node(i);
        for (unsigned i = 0; i < shape.domains; i++)
            for (unsigned k = 0; k < 3; k++) {
                unsigned to =
                    (i + 1 + (unsigned)sim_stream_below(&wiring, shape.domains)) % shape.domains;
                sim_channel_config ch = {
                    nodes_[i].dom, nodes_[to].dom, SIM_NS + sim_stream_below(&wiring, 9 * SIM_NS),
                    on_message,    &nodes_[to],    k == 2
                };

                nodes_[i].out.push_back(sim_channel_create(&ch, &err));
                if (k == 2)
                    nodes_[to].lazy.push_back(nodes_[i].out.back());
            }
    }
    Network(const Network &) = delete;
    Network &operator=(const Network &) = delete;
    ~Network() { sim_destroy(sim_); }

    struct sim *sim() { return sim_; }

    Outcome run()
    {
        Outcome o;
        sim_time_t until = 0;

        for (Node &n : nodes_)
            sim_schedule_in(n.dom, &n.tick, 1, SIM_CLOCK);
        sim_expect(sim_, shape_.parts);
        do {
            until = shape_.slice != 0 ? until + shape_.slice : SIM_TIME_NEVER;
            o.code = sim_run(sim_, until);
        } while (o.code == SIM_ERR_LIMIT && until < 3 * SIM_MS);
        o.reached = sim_reached(sim_);
        o.left = sim_parts_left(sim_);
        EXPECT_EQ(sim_gather(sim_), SIM_OK);
        o.print = sim_fingerprint_of(sim_);
        o.events = sim_events_run(sim_);
        sim_stat_each(
            sim_,
            [](void *arg, const char *, const char *, const char *, uint64_t value) {
                static_cast<Outcome *>(arg)->stats.push_back(value);
            },
            &o);
        // It goes on as one that has not been gathered does.
        (void)sim_run(sim_, o.reached + 100 * SIM_NS);
        o.later = sim_reached(sim_);
        return o;
    }

  private:
    struct Node {
        Network *network;
        sim_domain *dom;
        sim_event tick; // first: on_tick() finds the node by it
        sim_stream random;
        uint64_t got, sent, where;
        unsigned index;
        std::vector<sim_channel *> out, lazy;
    };

    void make_node(unsigned i)
    {
        Node &n = nodes_[i];
        const std::string name = "node" + std::to_string(i);

        n.network = this;
        n.index = i;
        n.dom = sim_domain_create(sim_, name.c_str());
        n.got = n.sent = 0;
        n.where = sim_path_hash(name.c_str());
        sim_stream_init(&n.random, shape_.seed, name.c_str());
        sim_event_init(&n.tick, on_tick);
        sim_stat_register(n.dom, &n.got, (name + ".got").c_str(), "1", "messages");
    }

    static Node *node_of(sim_event *ev)
    {
        return reinterpret_cast<Node *>(reinterpret_cast<char *>(ev) - offsetof(Node, tick));
    }

    static void send(Node *n, uint32_t words, uint64_t hops)
    {
        sim_channel *ch = n->out[sim_stream_below(&n->random, n->out.size())];
        auto *record = static_cast<uint64_t *>(sim_channel_reserve(ch, words * 8));

        record[0] = hops;
        for (uint32_t i = 1; i < words; i++)
            record[i] = sim_stream_next(&n->random);
        sim_wire(n->dom, n->where, sim_hash_bytes(0, record, words * 8));
        sim_channel_send(ch, sim_now(n->dom));
    }

    static void on_tick(sim_event *ev)
    {
        Node *n = node_of(ev);
        const Shape &shape = n->network->shape_;

        for (sim_channel *ch : n->lazy)
            sim_channel_settle(ch);
        if (n->sent++ == shape.budget) {
            if (n->index < shape.parts)
                sim_part_ended(n->dom, sim_now(n->dom));
            for (sim_channel *ch : n->lazy)
                sim_channel_listen(ch, true);
            return;
        }
        send(n, 1 + (uint32_t)sim_stream_below(&n->random, 200), 3);
        sim_schedule_in(n->dom, &n->tick, sim_stream_below(&n->random, 30 * SIM_NS), SIM_CLOCK);
    }

    static void on_message(void *arg, const void *record, uint32_t bytes)
    {
        Node *n = static_cast<Node *>(arg);
        uint64_t hops;

        memcpy(&hops, record, sizeof(hops));
        n->got++;
        sim_visible(n->dom, n->where, sim_hash_bytes(n->got, record, bytes));
        if (hops > 0)
            send(n, 1 + (uint32_t)(n->got % 5), hops - 1);
    }

    Shape shape_;
    struct sim *sim_;
    std::vector<Node> nodes_;
};

Outcome alone(const Network::Shape &shape, const sim_order &order = {})
{
    return Network(shape, order).run();
}

std::vector<Outcome> together(const Network::Shape &shape, uint32_t processes, uint64_t seed)
{
    Exchange exchange(processes);
    std::vector<Outcome> outcomes(processes);
    std::vector<std::thread> threads;
    std::vector<uint32_t> owner(shape.domains);
    sim_stream partition;

    sim_stream_init(&partition, seed, "partition");
    for (uint32_t &o : owner)
        o = (uint32_t)sim_stream_below(&partition, processes);
    for (uint32_t p = 0; p < processes; p++)
        threads.emplace_back([&, p] {
            Member member = { &exchange, p };
            const sim_group group = member.group(processes);
            Network network(shape, {});

            EXPECT_EQ(sim_join(network.sim(), &group, owner.data()), SIM_OK);
            outcomes[p] = network.run();
        });
    for (std::thread &t : threads)
        t.join();
    return outcomes;
}

void expect_same(const Network::Shape &shape)
{
    const Outcome one = alone(shape);

    EXPECT_GT(one.events, shape.domains * shape.budget);
    EXPECT_TRUE(alone(shape, { true, true, 5 }) == one)
        << "the model depends on the order of turns";
    for (uint32_t processes = 1; processes <= 4; processes++)
        for (const Outcome &o : together(shape, processes, shape.seed + processes))
            EXPECT_TRUE(o == one) << processes << " processes: code " << o.code << " and "
                                  << one.code << ", reached " << o.reached << " and " << one.reached
                                  << ", later " << o.later << " and " << one.later << ", events "
                                  << o.events << " and " << one.events;
}

TEST(Group, ProcessesGetWhatOneGets)
{
    for (uint64_t seed = 1; seed <= 12; seed++)
        expect_same({ 2 + (unsigned)seed, seed, 40, 0, 0 });
}

TEST(Group, PartsInAnyProcessEndTheRun)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        const Network::Shape shape = { 9, seed, 30, 1 + (unsigned)seed % 9, 0 };

        expect_same(shape);
        EXPECT_EQ(alone(shape).left, 0U);
    }
}

TEST(Group, SlicesOfTimeChangeNothing)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        Network::Shape shape = { 7, seed, 60, 0, 0 };
        const Outcome whole = alone(shape);

        shape.slice = 50 * SIM_NS + seed;
        expect_same(shape);
        EXPECT_EQ(alone(shape).print.visible, whole.print.visible);
        shape.parts = 7;
        expect_same(shape);
    }
}

TEST(Group, WordsAreJoinedAndGathered)
{
    constexpr uint32_t processes = 3;
    Exchange exchange(processes);
    std::vector<std::thread> threads;

    for (uint32_t p = 0; p < processes; p++)
        threads.emplace_back([&, p] {
            Member member = { &exchange, p };
            const sim_group group = member.group(processes);
            const sim_config cfg = {};
            struct sim *sim = sim_create(&cfg);
            const uint32_t owner[] = { 2, 0 };
            uint64_t sums[] = { p, 10 }, least[] = { 7 - p, p };
            sim_domain *a = sim_domain_create(sim, "a"), *b = sim_domain_create(sim, "b");
            char text[] = "process 0";
            sim_error err = {};
            std::string all;
            bool same;

            EXPECT_EQ(sim_join(sim, &group, owner), SIM_OK);
            EXPECT_EQ(sim_is_here(a), p == 2);
            EXPECT_EQ(sim_is_here(b), p == 0);
            EXPECT_EQ(sim_sum(sim, sums, 2), SIM_OK);
            EXPECT_EQ(sums[0], 3U);
            EXPECT_EQ(sums[1], 30U);
            EXPECT_EQ(sim_compare(sim, 7, &same), SIM_OK);
            EXPECT_TRUE(same);
            EXPECT_EQ(sim_compare(sim, p == 1 ? 8 : 7, &same), SIM_OK);
            EXPECT_FALSE(same);
            EXPECT_EQ(sim_least(sim, least, 2), SIM_OK);
            EXPECT_EQ(least[0], 5U);
            EXPECT_EQ(least[1], 0U);
            text[8] = (char)('0' + p);
            EXPECT_EQ(sim_allgather(
                          sim, text, sizeof(text),
                          [](void *arg, const unsigned char *bytes, size_t n) {
                              static_cast<std::string *>(arg)->append(
                                  reinterpret_cast<const char *>(bytes), n - 1);
                          },
                          &all),
                      SIM_OK);
            EXPECT_EQ(all, "process 0process 1process 2");
            if (p != 0)
                (void)sim_error_set(&err, SIM_ERR_LIMIT, "no %u", p);
            EXPECT_EQ(sim_agree(sim, p != 0 ? SIM_ERR_LIMIT : SIM_OK, &err), SIM_ERR_LIMIT);
            EXPECT_STREQ(err.text, "no 1");
            sim_destroy(sim);
        });
    for (std::thread &t : threads)
        t.join();
}

TEST(Group, AProcessThatIsGoneEndsTheRun)
{
    Exchange exchange(2);
    Member member = { &exchange, 0 };
    const sim_group group = member.group(2);
    const uint32_t owner[] = { 0, 1 };
    const sim_config cfg = {};
    struct sim *sim = sim_create(&cfg);

    (void)sim_domain_create(sim, "a");
    (void)sim_domain_create(sim, "b");
    ASSERT_EQ(sim_join(sim, &group, owner), SIM_OK);
    exchange.leave();
    EXPECT_EQ(sim_run(sim, SIM_MS), SIM_ERR_IO);
    sim_destroy(sim);
}

} // namespace
