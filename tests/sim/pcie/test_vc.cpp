/* Virtual channel 1: a buffer and credits of its own for posted requests of its Traffic Class. */
#include "link_faults.h"
#include "link_fixture.h"
#include "pcie/tlp/packet.h"

#include <random>

namespace
{

using test::Arrival;
using test::End;
using test::Pair;

pcie_port_config two_channels(uint64_t headers)
{
    pcie_port_config c = test::wide_config(2, 8, 256);

    c.ph_credits = c.vc1_ph_credits = headers;
    c.pd_credits = c.vc1_pd_credits = headers * 16;
    return c;
}

void add(End &e, unsigned tc, int kind = PCIE_MWR)
{
    pcie_tlp t = e.make(kind, 64);

    t.tc = static_cast<uint8_t>(tc);
    e.todo.push_back(t);
}

std::vector<uint64_t> ids(const End &e)
{
    std::vector<uint64_t> all;

    for (const Arrival &a : e.got)
        all.push_back(a.id);
    return all;
}

TEST(Channels, OneWithoutCreditsDoesNotStopTheOther)
{
    for (unsigned blocked : { 0, 1 }) {
        Pair p;

        p.b.consume = false;
        p.join(two_channels(2), two_channels(2));
        for (unsigned tc : { blocked, blocked, blocked, blocked, 1 - blocked, 1 - blocked })
            add(p.a, tc);
        p.a.kick();
        p.run();
        EXPECT_EQ((std::vector<uint64_t>{ 0, 1, 4, 5 }), ids(p.b)) << blocked;
    }
}

/* Table 2-34 orders the packets of one channel. */
TEST(Channels, ReadsPassTheWritesOfTheOtherOnly)
{
    for (unsigned blocked : { 0, 1 }) {
        Pair p;

        p.b.consume = false;
        p.join(two_channels(1), two_channels(1));
        add(p.a, blocked);
        add(p.a, blocked);
        add(p.a, 0, PCIE_MRD);
        p.a.kick();
        p.run();
        EXPECT_EQ(blocked == 0 ? 1u : 2u, p.b.got.size());
    }
}

TEST(Channels, NeedBothEnds)
{
    Pair p, q;
    pcie_port_config one = two_channels(4);

    one.vc1_ph_credits = 0;
    p.join(two_channels(4), one);
    EXPECT_FALSE(pcie_port_has_vc1(p.a.port));
    EXPECT_FALSE(pcie_port_has_vc1(p.b.port));
    q.join(two_channels(4), two_channels(9));
    EXPECT_TRUE(pcie_port_has_vc1(q.a.port));
}

TEST(Channels, OtherTrafficClassesAreMappedToChannel0)
{
    Pair p;

    p.b.consume = false;
    p.join(two_channels(1), two_channels(1));
    for (unsigned tc : { 7, 2, 0 })
        add(p.a, tc);
    p.a.kick();
    p.run();
    EXPECT_EQ(1u, p.b.got.size());
}

/* Small buffers that are freed late, in a random mix, with bit errors and without: each channel
 * keeps its order and loses none. */
TEST(Channels, KeepTheirOrderAndTheirCredits)
{
    for (uint64_t ber_e18 : { 0u, 1u << 30, 1u << 31 }) {
        std::mt19937 rng(1);
        test::Faults faults;
        Pair p;
        std::map<int, uint64_t> last;

        p.b.consume_delay = [&](const pcie_tlp &) { return 1 + rng() % (400 * SIM_NS); };
        p.join(two_channels(3), two_channels(3));
        faults.ber_e18 = ber_e18 * 10000; /* 2e-5 at most */
        for (const End *e : { &p.a, &p.b })
            faults.give(e->port);
        for (unsigned i = 0; i < 3000; i++)
            add(p.a, rng() % 2);
        p.a.kick();
        p.run();
        ASSERT_EQ(3000u, p.b.got.size());
        for (const Arrival &a : p.b.got) {
            EXPECT_LE(last[a.cls], a.id);
            last[a.cls] = a.id;
        }
        EXPECT_EQ(2u, last.size());
    }
}

TEST(Channels, HaveFlowControlPacketsOfTheirOwn)
{
    std::vector<pcie_dllp> seen;
    sim_config cfg = {};
    sim_probe probe = {};

    probe.arg = &seen;
    probe.packet = [](void *arg, const sim_packet *packet) {
        if (packet->kind == SIM_PACKET_DLLP && strcmp(packet->where, "a") == 0)
            static_cast<std::vector<pcie_dllp> *>(arg)->push_back(*pcie_packet_of(packet)->dllp);
    };
    cfg.probe = &probe;
    Pair p(cfg);
    p.join(two_channels(5), two_channels(5));
    add(p.b, 1);
    p.b.kick();
    p.run();
    unsigned vc1 = 0;
    for (const pcie_dllp &d : seen)
        if (pcie_dllp_is_flow_control(d.type) && d.vc == 1) {
            vc1++;
            EXPECT_EQ(PCIE_POSTED, d.cls);
            EXPECT_EQ(d.type == PCIE_DLLP_UPDATEFC ? 6 : 5, d.hdr) << "of all times (2.6.1)";
        }
    EXPECT_EQ(3u, vc1) << "two to begin with, and one update";
}

} // namespace
