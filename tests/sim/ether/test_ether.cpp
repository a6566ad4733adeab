/* Adapters, the repeater hub and the switch against the closed forms of IEEE 802.3. */
#include "../node/machine_fixture.h"

#include "ether/ether.h"

using test::Builder;
using test::Machine;

namespace
{

constexpr sim_time_t BYTE = 80000;              /* at 100 Mbit/s */
constexpr sim_time_t PHY = 30000, WIRE = 25000; /* default; 5 m of cable */
constexpr sim_time_t CYCLE = 40000;             /* the bus's */

using Settings = std::map<std::string, uint64_t>;

/** A driver that sends what it is given and notes what it gets. */
struct Nic {
    struct Got {
        sim_time_t time;
        unsigned from;
        std::vector<uint8_t> data;
    };
    ether_adapter *a;
    sim_domain *dom;
    unsigned node;
    std::deque<std::vector<uint8_t>> out;
    std::vector<Got> got;

    void send(unsigned to, size_t bytes, uint8_t fill = 0)
    {
        std::vector<uint8_t> frame(bytes - ETHER_FCS_BYTES, fill);

        ether_address(to, &frame[0]);
        ether_address(node, &frame[6]);
        out.push_back(frame);
    }
    void push()
    {
        while (!out.empty() && ether_adapter_post(a, out[0].data(), (uint32_t)out[0].size()))
            out.pop_front();
        if (!out.empty())
            ether_adapter_want_room(a, 1);
    }
    static void irq(void *arg)
    {
        auto *nic = static_cast<Nic *>(arg);
        const uint8_t *data;
        uint32_t bytes;

        while ((data = ether_adapter_frame(nic->a, &bytes)) != nullptr) {
            nic->got.push_back({ sim_now(nic->dom), data[11], { data, data + bytes } });
            ether_adapter_release(nic->a);
        }
        nic->push();
        ether_adapter_listen(nic->a);
    }
};

enum class Net { REPEATER, SWITCH, SWITCH_HALF, CABLE };

/** Nodes with an adapter each, and what joins them. */
struct Lan {
    std::unique_ptr<Machine> m;
    std::vector<std::unique_ptr<Nic>> nics;

    explicit Lan(unsigned n, Net net, Settings nic = {}, Settings box = {}, sim_order order = {})
    {
        Builder b;
        bool half = net == Net::REPEATER || net == Net::SWITCH_HALF;

        nic["duplex"] = half;
        for (unsigned i = 0; i < n; i++)
            b.add(i, "nic", &ether_adapter_kind, nic);
        if (net == Net::REPEATER)
            b.add(n, "net", &ether_repeater_kind, box);
        if (net == Net::SWITCH || net == Net::SWITCH_HALF) {
            box["duplex"] = half;
            b.add(n, "net", &ether_switch_kind, box);
        }
        if (net == Net::CABLE)
            b.cable(0, "nic", "cable", 1, "nic", "cable", 5000);
        for (unsigned i = 0; net != Net::CABLE && i < n; i++)
            b.cable(i, "nic", "cable", n, "net", ("p" + std::to_string(i)).c_str(), 5000);
        m = std::make_unique<Machine>(b, order);
        EXPECT_EQ(SIM_OK, m->code) << m->err.text;
        for (unsigned i = 0; m->code == SIM_OK && i < n; i++) {
            auto *a = static_cast<ether_adapter *>(machine_component(m->m, i, "nic", nullptr));

            nics.push_back(std::make_unique<Nic>());
            nics[i]->a = a;
            nics[i]->dom = machine_domain(m->m, i);
            nics[i]->node = i;
            ether_adapter_set_irq(a, Nic::irq, nics[i].get());
            ether_adapter_listen(a);
        }
    }
    uint64_t stat(unsigned node, const std::string &name)
    {
        return m->stat("node" + std::to_string(node) + ".nic." + name);
    }
};

sim_time_t edge_after(sim_time_t t) /* where a bus grants what is asked for at t */
{
    return ((t + CYCLE - 1) / CYCLE + 1) * CYCLE;
}

sim_time_t burst(size_t bytes)
{
    return (8 + (bytes + 3) / 4) * CYCLE;
}

/** From the driver's store to the first bit on the cable, for a frame of one burst. */
sim_time_t start_of(sim_time_t posted, size_t bytes)
{
    return edge_after(edge_after(posted + 200000) + burst(16)) + burst(bytes);
}

/** From the last bit at the far adapter to its host's interrupt: one burst of data, one more. */
sim_time_t interrupt_of(sim_time_t end, size_t bytes)
{
    sim_time_t data = edge_after(end - 4 * BYTE) + burst(bytes);

    return edge_after(std::max(data, end)) + burst(16) + 500001;
}

TEST(Ether, OneWayThroughARepeaterIsExact)
{
    Lan lan(2, Net::REPEATER);
    sim_time_t posted = lan.m->now(0);

    lan.nics[0]->send(1, 64, 7);
    lan.nics[0]->push();
    lan.m->run();
    ASSERT_EQ(1u, lan.nics[1]->got.size());
    const sim_time_t end = start_of(posted, 60) + (8 + 64) * BYTE + 2 * (2 * PHY + WIRE) + 400000;
    EXPECT_EQ(interrupt_of(end, 60), lan.nics[1]->got[0].time);
    EXPECT_EQ(60u, lan.nics[1]->got[0].data.size());
    EXPECT_EQ(7, lan.nics[1]->got[0].data[59]);
    EXPECT_TRUE(lan.nics[0]->got.empty());
}

TEST(Ether, OneWayThroughASwitchIsExact)
{
    Lan lan(2, Net::SWITCH);
    sim_time_t posted = lan.m->now(0);

    lan.nics[0]->send(1, 64);
    lan.nics[0]->push();
    lan.m->run();
    ASSERT_EQ(1u, lan.nics[1]->got.size());
    const sim_time_t end = start_of(posted, 60) + 2 * ((8 + 64) * BYTE + 2 * PHY + WIRE) + 5000000;
    EXPECT_EQ(interrupt_of(end, 60), lan.nics[1]->got[0].time);
}

TEST(Ether, ShortFramesAreFilledUp)
{
    Lan lan(2, Net::CABLE);

    lan.nics[0]->send(1, 22); /* four bytes of data */
    lan.nics[0]->push();
    lan.m->run();
    EXPECT_EQ(64u, lan.stat(0, "tx.bytes"));
    EXPECT_EQ(64u, lan.stat(1, "rx.bytes"));
    ASSERT_EQ(1u, lan.nics[1]->got.size());
    EXPECT_EQ(18u, lan.nics[1]->got[0].data.size());
}

/* Preamble, frame and gap, one after the other: 148,809 a second of the least size. */
TEST(Ether, FramesFollowEachOtherAtTheRateOfTheCable)
{
    for (Net net : { Net::CABLE, Net::SWITCH }) {
        for (size_t bytes : { 64u, 512u, 1518u }) {
            const unsigned n = 30;
            Lan lan(2, net);

            for (unsigned i = 0; i < n; i++)
                lan.nics[0]->send(1, bytes);
            lan.nics[0]->push();
            lan.m->run();
            ASSERT_EQ(n, lan.nics[1]->got.size());
            const double spacing =
                double(lan.nics[1]->got[n - 1].time - lan.nics[1]->got[4].time) / (n - 5);
            EXPECT_NEAR(double((8 + bytes + 12) * BYTE), spacing, 2 * CYCLE) << bytes;
        }
    }
}

/* Who has just sent wins the next collisions more often, for a while ("capture"): shares are fair
 * in the long run only. */
TEST(Ether, TwoSendersShareARepeaterFairly)
{
    const unsigned n = 6000;
    Lan lan(3, Net::REPEATER);
    unsigned from[2] = { 0, 0 };

    for (unsigned i = 0; i < n; i++)
        for (unsigned s = 0; s < 2; s++)
            lan.nics[s]->send(2, 100, (uint8_t)i);
    for (unsigned s = 0; s < 2; s++)
        lan.nics[s]->push();
    lan.m->run();
    const auto &got = lan.nics[2]->got;
    uint64_t given_up = lan.stat(0, "tx.excess_collisions") + lan.stat(1, "tx.excess_collisions");
    ASSERT_EQ(2 * n, got.size() + given_up);
    for (unsigned i = 0; i < n; i++)
        from[got[i].from]++;
    EXPECT_GT(from[0], n / 4) << "of the first half";
    EXPECT_GT(from[1], n / 4);
    EXPECT_GT(lan.stat(0, "tx.collisions"), 20u);
    EXPECT_GT(lan.m->stat("node3.net.collisions"), 20u);
    EXPECT_EQ(0u, lan.stat(0, "tx.late_collisions") + lan.stat(1, "tx.late_collisions"));
    EXPECT_EQ(0u, lan.stat(2, "rx.lost") + lan.stat(2, "rx.missed"));
}

/* A collision ends when its senders have jammed, and costs less than a slot time and a gap. */
TEST(Ether, SendersOfOneMomentCollideAndTryAgain)
{
    Lan lan(3, Net::REPEATER);

    lan.nics[0]->send(2, 200, 1);
    lan.nics[1]->send(2, 200, 2);
    lan.nics[0]->push();
    lan.nics[1]->push();
    lan.m->run();
    EXPECT_EQ(2u, lan.nics[2]->got.size());
    EXPECT_EQ(lan.stat(0, "tx.collisions"), lan.stat(1, "tx.collisions"));
    EXPECT_GE(lan.stat(0, "tx.collisions"), 1u);
}

/* A sender that is alone never defers: the same rate in half duplex. */
TEST(Ether, OneSenderHasTheRepeaterToItself)
{
    const unsigned n = 30;
    Lan lan(2, Net::REPEATER);

    for (unsigned i = 0; i < n; i++)
        lan.nics[0]->send(1, 1518);
    lan.nics[0]->push();
    lan.m->run();
    ASSERT_EQ(n, lan.nics[1]->got.size());
    EXPECT_EQ(0u, lan.stat(0, "tx.collisions"));
    EXPECT_NEAR(double((8 + 1518 + 12) * BYTE * (n - 1)),
                double(lan.nics[1]->got[n - 1].time - lan.nics[1]->got[0].time), 2 * CYCLE);
}

TEST(Ether, ASwitchDropsWhatItsQueueCannotHold)
{
    const unsigned n = 100;
    Lan lan(3, Net::SWITCH, {}, { { "queue_frames", 8 } });

    lan.nics[2]->send(0, 64); /* so that the switch knows where it is */
    lan.nics[2]->push();
    lan.m->run();
    for (unsigned i = 0; i < n; i++)
        for (unsigned s = 0; s < 2; s++)
            lan.nics[s]->send(2, 1000);
    for (unsigned s = 0; s < 2; s++)
        lan.nics[s]->push();
    lan.m->run();
    uint64_t drops = lan.m->stat("node3.net.p2.queue.drops");
    EXPECT_GT(drops, 50u);
    EXPECT_EQ(2 * n, lan.nics[2]->got.size() + drops);
    EXPECT_EQ(8u, lan.m->stat("node3.net.p2.queue.peak"));
    EXPECT_EQ(0u, lan.nics[1]->got.size()) << "none was meant for it";
}

TEST(Ether, HalfDuplexPortsOfASwitchCarryBothWaysInTurn)
{
    const unsigned n = 100;
    Lan lan(2, Net::SWITCH_HALF);

    for (unsigned i = 0; i < n; i++)
        for (unsigned s = 0; s < 2; s++)
            lan.nics[s]->send(1 - s, 700);
    for (unsigned s = 0; s < 2; s++)
        lan.nics[s]->push();
    lan.m->run();
    const auto &got = lan.nics[0]->got;
    EXPECT_EQ(n, got.size());
    EXPECT_EQ(n, lan.nics[1]->got.size());
    EXPECT_GT(std::max(got[n - 1].time, lan.nics[1]->got[n - 1].time),
              (2 * n - 1) * (8 + 700 + 12) * BYTE);
    EXPECT_GT(lan.m->stat("node2.net.p0.tx.collisions"), 0u);
}

TEST(Ether, FramesAreLostAsOftenAsAskedFor)
{
    const unsigned n = 2000;
    Lan lan(2, Net::CABLE, { { "rx.loss_ppm", 100000 } });

    for (unsigned i = 0; i < n; i++)
        lan.nics[0]->send(1, 64);
    lan.nics[0]->push();
    lan.m->run();
    EXPECT_EQ(n, lan.nics[1]->got.size() + lan.stat(1, "rx.lost"));
    EXPECT_NEAR(0.1 * n, (double)lan.stat(1, "rx.lost"), 50);
}

TEST(Ether, AnOrderOfEventsLeavesNoTrace)
{
    sim_fingerprint first = {};

    for (unsigned i = 0; i < 4; i++) {
        Lan lan(3, Net::REPEATER, {}, {}, { (i & 1) != 0, (i & 2) != 0, i });

        for (unsigned k = 0; k < 60; k++)
            for (unsigned s = 0; s < 3; s++)
                lan.nics[s]->send((s + 1) % 3, 64 + 20 * k, (uint8_t)k);
        for (unsigned s = 0; s < 3; s++)
            lan.nics[s]->push();
        lan.m->run();
        const sim_fingerprint print = sim_fingerprint_of(machine_sim(lan.m->m));
        if (i == 0)
            first = print;
        EXPECT_EQ(first.wire, print.wire) << i;
        EXPECT_NE(0u, print.wire);
    }
}

TEST(Ether, ASlowBusIsRefused)
{
    Builder b;

    b.add(0, "nic", &ether_adapter_kind, { { "bus.khz", 5000 } });
    Machine m(b);
    EXPECT_EQ(SIM_ERR_CONFIG, m.code);
    EXPECT_STREQ("test.yaml:21: node0.nic.bus.khz = 5000: its bursts move 12 bytes/us, expected "
                 "twice the cable's, 25",
                 m.err.text);
}

/* A bit of 333 ps would make each frame 0.1 % too short. */
TEST(Ether, ARateWhoseBitTakesNoWholePicosecondsIsRefused)
{
    for (const machine_kind *kind :
         { &ether_adapter_kind, &ether_repeater_kind, &ether_switch_kind }) {
        Builder b;
        b.add(0, "net", kind, { { "rate_mbps", 3000 } });
        Machine m(b);
        EXPECT_EQ(SIM_ERR_CONFIG, m.code) << kind->name;
        EXPECT_NE(nullptr, strstr(m.err.text, "node0.net.rate_mbps = 3000: expected a divisor of "
                                              "1000000"))
            << m.err.text;
    }
}

TEST(Ether, EndsOfDifferentModesDoNotJoin)
{
    Builder b;

    b.add(0, "nic", &ether_adapter_kind, { { "duplex", 0 } });
    b.add(1, "net", &ether_repeater_kind, {});
    b.cable(0, "nic", "cable", 1, "net", "p0");
    Machine m(b);
    EXPECT_EQ(SIM_ERR_CONFIG, m.code);
    EXPECT_NE(nullptr, strstr(m.err.text, "duplex = full: node0.nic: expected that of "
                                          "node1.net.p0, half"))
        << m.err.text;
}

} // namespace
