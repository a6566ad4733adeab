/* A link whose ends are in two simulations, run in step, against one in a single simulation. */
#include "link_fixture.h"

#include "pcie/port/outside.h"

namespace
{

using test::Arrival;
using test::End;
using test::Pair;

constexpr sim_time_t kWire = 3001;
constexpr int kPackets = 400;

/** An end with a simulation of its own. */
struct Half {
    sim *s = nullptr;
    End end;
    Half *other = nullptr;
    pcie_outside_end far = {};
    pcie_outside outside = {};

    explicit Half(const char *name)
    {
        sim_config cfg = {};

        s = sim_create(&cfg);
        end.dom = sim_domain_create(s, name);
    }
    ~Half()
    {
        pcie_port_destroy(end.port);
        end.port = nullptr;
        sim_destroy(s);
    }

    template <sim_channel *pcie_outside::*Where>
    static void bring(void *arg, const void *record, uint32_t bytes)
    {
        auto *half = static_cast<Half *>(arg);
        sim_channel *to = half->other->outside.*Where;

        memcpy(sim_channel_reserve(to, bytes), record, bytes);
        sim_channel_send(to, sim_now(half->end.dom) + kWire);
    }

    int connect(sim_error *err)
    {
        pcie_outside_show(other->end.port, &far);
        outside.sent_tlp = bring<&pcie_outside::tlps>;
        outside.sent_dllps = bring<&pcie_outside::dllps>;
        outside.arg = this;
        return pcie_outside_connect(end.port, &far, &outside, err);
    }
};

pcie_port_config narrow()
{
    pcie_port_config c = test::wide_config(2, 4, 256);

    test::set_credits(&c, 3, 16 * 3);
    test::set_default_skp(&c);
    c.tx_queue_tlps = 2;
    c.replay_tlps = 5;
    return c;
}

/* Both ends send, and take what comes after a time that depends on it. */
void load(End *end)
{
    for (int i = 0; i < kPackets; i++) {
        const int kinds[] = { PCIE_MWR, PCIE_MRD, PCIE_CPLD, PCIE_MWR };
        int kind = kinds[i % 4];

        end->add(kind, kind == PCIE_MRD ? 64 : 4u * (1 + static_cast<uint32_t>(i * 37) % 64));
    }
    end->consume_delay = [](const pcie_tlp &tlp) { return 1000 + tlp.length_dw * 4001u; };
    end->kick();
}

/* Turns of both, each of which runs just what is due. */
void run_in_step(Half *a, Half *b)
{
    for (;;) {
        sim_time_t now = std::min(sim_next(a->s), sim_next(b->s));

        if (now == SIM_TIME_NEVER)
            return;
        (void)sim_run(a->s, now);
        (void)sim_run(b->s, now);
        ASSERT_LE(sim_now(a->end.dom), now);
        ASSERT_LE(sim_now(b->end.dom), now);
    }
}

TEST(Outside, PacketsComeWhenTheyDoInOneSimulation)
{
    Pair one;
    Half a("a"), b("b");
    sim_error err = {};

    one.join(narrow(), narrow(), kWire);
    load(&one.a);
    load(&one.b);
    one.run();

    a.other = &b;
    b.other = &a;
    ASSERT_EQ(SIM_OK, a.end.open(a.end.dom, "a", narrow()));
    ASSERT_EQ(SIM_OK, b.end.open(b.end.dom, "b", narrow()));
    ASSERT_EQ(SIM_OK, a.connect(&err)) << err.text;
    ASSERT_EQ(SIM_OK, b.connect(&err)) << err.text;
    load(&a.end);
    load(&b.end);
    run_in_step(&a, &b);

    ASSERT_EQ(size_t{ kPackets }, one.a.got.size());
    ASSERT_EQ(size_t{ kPackets }, one.b.got.size());
    EXPECT_EQ(one.a.got, a.end.got);
    EXPECT_EQ(one.b.got, b.end.got);
}

TEST(Outside, TheLinkTakesTheSmallerValuesOfBothEnds)
{
    Half a("a"), b("b");
    pcie_port_config large = narrow(), small = narrow();
    sim_error err = {};

    a.other = &b;
    b.other = &a;
    large.mps_bytes = 512;
    small.mps_bytes = 128;
    ASSERT_EQ(SIM_OK, a.end.open(a.end.dom, "a", large));
    ASSERT_EQ(SIM_OK, b.end.open(b.end.dom, "b", small));
    ASSERT_EQ(SIM_OK, a.connect(&err)) << err.text;
    EXPECT_EQ(128u, pcie_port_mps(a.end.port));
    EXPECT_TRUE(pcie_port_connected(a.end.port));
    EXPECT_EQ(SIM_ERR_CONFIG, a.connect(&err));
    EXPECT_STREQ("a to b: a is connected already", err.text);
}

TEST(Outside, LatenciesBelowANanosecondAndTwoRootsAreRefused)
{
    Half a("a"), b("b");
    pcie_port_config fast = narrow();
    sim_error err = {}, roots = {};

    a.other = &b;
    fast.rx_latency_ps = 999;
    ASSERT_EQ(SIM_OK, a.end.open(a.end.dom, "a", fast));
    ASSERT_EQ(SIM_OK, b.end.open(b.end.dom, "b", narrow()));
    EXPECT_EQ(SIM_ERR_CONFIG, a.connect(&err));
    EXPECT_STREQ("a: rx_latency_ps = 999: expected at least 1000, for a link to another simulation",
                 err.text);
    pcie_port_set_facing(a.end.port, PCIE_ROOT_END);
    pcie_port_set_facing(b.end.port, PCIE_ROOT_END);
    EXPECT_EQ(SIM_ERR_CONFIG, a.connect(&roots));
    EXPECT_STREQ("a to b: both are the root of their link: expected one of each role", roots.text);
}

} // namespace
