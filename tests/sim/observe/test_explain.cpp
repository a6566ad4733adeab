/* What holds for explanations besides that they add up. */
#include "tests/sim/observe/messages.h"

namespace
{

using test::Kind;
using test::MachineFile;
using test::Message;
using test::Messages;
using test::Observed;

Messages samples(int nodes)
{
    Messages all;

    for (int i = 0; i < 12; i++) {
        Message m;

        m.kind = (Kind)(i % 4);
        m.to = 1 + i % (nodes - 1);
        m.src_gpu = i % 3 == 0;
        m.dst_gpu = i % 5 == 0;
        m.host_table = i % 2 != 0;
        m.bytes = (size_t)8 << i % 5 * (m.kind == Kind::Pio ? 1 : 2);
        m.count = m.kind == Kind::Chain || m.kind == Kind::Blocks ? 3 : 1;
        m.pitch = m.bytes + 32;
        if (i % 2 != 0)
            m.others = { (m.to + 1) % nodes != 0 ? (m.to + 1) % nodes : 2 };
        all.push_back(m);
    }
    return all;
}

/* Observing must not move anything. */
TEST(Explain, ChangesNothing)
{
    MachineFile file("ring4");
    Messages seen = samples(4), unseen = samples(4);
    Observed with(file, seen), without(file, unseen, false);

    EXPECT_EQ(without.fingerprint().visible, with.fingerprint().visible);
    EXPECT_EQ(without.fingerprint().wire, with.fingerprint().wire);
    for (size_t i = 0; i < seen.size(); i++) {
        EXPECT_EQ(unseen[i].begin, seen[i].begin) << i;
        EXPECT_EQ(unseen[i].end, seen[i].end) << i;
    }
}

TEST(Explain, DoesNotDependOnTheOrderOfEventsAndDomains)
{
    MachineFile file("ring4");
    Messages first = samples(4);
    Observed plain(file, first);

    for (const sim_order &order : test::all_orders()) {
        Messages again = samples(4);
        Observed other(file, again, true, order);

        for (size_t i = 0; i < first.size(); i++)
            EXPECT_EQ(plain.explain(first[i]), other.explain(again[i])) << i;
    }
}

/* One way round a ring, so that there are up to seven hops. Clock edges: a cable's end falls
 * anywhere between two of them. */
TEST(Explain, GrowsByOneTransitWithEachHop)
{
    MachineFile file("one-way-ring8");
    Messages all(7);

    for (int i = 0; i < 7; i++)
        all[i].to = 1 + i;
    Observed run(file, all);
    for (int i = 1; i < 7; i++) {
        auto nearer = run.explain(all[i - 1]), farther = run.explain(all[i]);

        for (const char *kind : { "hard IP", "cable", "hub core" })
            EXPECT_GT(test::total(farther, kind), test::total(nearer, kind)) << i << " " << kind;
        for (const char *kind : { "CPU", "root complex", "memory", "poll" })
            EXPECT_EQ(test::total(farther, kind), test::total(nearer, kind)) << i << " " << kind;
        sim_time_t transit = (all[i].end - all[i].begin) - (all[i - 1].end - all[i - 1].begin);
        EXPECT_GE(transit, 200 * SIM_NS) << i;
        EXPECT_LE(transit, 300 * SIM_NS) << i;
    }
}

/* A change of a parameter is found where it was made. */
TEST(Explain, ShowsALongerCableAsCable)
{
    const std::string two = "platform: hapacs-tca\nnodes: 2\ncables:\n"
                            "  - {from: node0.hub.e, to: node1.hub.w, length_mm: ";
    Messages near(1), far(1);
    MachineFile short_cable(two + "1000}\n"), long_cable(two + "9000}\n");
    Observed a(short_cable, near), b(long_cable, far);
    auto near_parts = a.explain(near[0]), far_parts = b.explain(far[0]);

    EXPECT_EQ(40 * SIM_NS, test::total(far_parts, "cable") - test::total(near_parts, "cable"));
    EXPECT_EQ(40 * SIM_NS, (far[0].end - far[0].begin) - (near[0].end - near[0].begin));
}

TEST(Explain, FindsWaitsForCreditsUnderLoad)
{
    MachineFile file("ring8", { "node*.hub.ddr.bytes=0", "node*.hub.*.link.ph_credits=4",
                                "node*.hub.*.link.pd_credits=64" });
    Messages all(1);

    all[0].kind = Kind::Dma;
    all[0].bytes = 16384;
    all[0].to = 3;
    all[0].others = { 1, 2, 4 };
    Observed run(file, all);
    EXPECT_GT(test::total(run.explain(all[0]), "credit wait"), 0u);
}

/* Marks of libraries take no time: what is spent behind them counts as their phase, from the very
 * beginning on. */
TEST(Explain, NamesThePhasesThatALibraryReports)
{
    MachineFile file("two-node");
    observer *obs = observe_create(1000000);
    test::ClusterConfig cfg = file.cluster();
    observe_breakdown b = {};
    sim_error err = {};
    uint64_t from = 0, to = 0;

    cfg.probe = observe_probe(obs);
    {
        test::Cluster c(cfg);

        EXPECT_EQ(SIM_OK, c.run([&]() -> int {
            host *h = host_self();

            if (h->rank != 0)
                return 0;
            h->cpu->spend(h, 777); /* before it begins */
            from = h->cpu->time_ps(h);
            host_phase(h, HOST_PHASE_CALL);
            h->cpu->spend(h, 2000);
            host_phase(h, HOST_PHASE_CACHE);
            host_phase(h, HOST_PHASE_DOORBELL); /* nothing was looked for */
            h->cpu->spend(h, 300);
            h->cpu->spend(h, 200);
            to = h->cpu->time_ps(h);
            return 0;
        }));
        ASSERT_EQ(SIM_OK, observe_explain(obs, "node0.host.core0", from, to, &b, &err)) << err.text;
        EXPECT_EQ(2500u, to - from);
        ASSERT_EQ(2u, b.n);
        EXPECT_STREQ("call", b.parts[0].phase);
        EXPECT_EQ(2000u, b.parts[0].to - b.parts[0].from);
        EXPECT_STREQ("doorbell", b.parts[1].phase);
        EXPECT_EQ(500u, b.parts[1].to - b.parts[1].from);
        EXPECT_STREQ("library call", b.parts[1].stage->name);
        observe_breakdown_fini(&b);
    }
    observe_destroy(obs);
}

TEST(Explain, SaysWhichCoreIsUnknown)
{
    MachineFile file("two-node");
    Messages all(1);
    observer *obs = observe_create(1000);
    observe_breakdown b = {};
    sim_error err = {};

    EXPECT_EQ(SIM_ERR_CONFIG, observe_explain(obs, "node7.host.core0", 0, 1, &b, &err));
    EXPECT_STREQ("node7.host.core0: nothing has been observed of it", err.text);
    observe_destroy(obs);
}

TEST(Explain, RefusesWhenThereWereTooManyMarks)
{
    MachineFile file("two-node");
    Messages all(1);
    observer *obs = observe_create(1000);
    test::ClusterConfig cfg = file.cluster();
    observe_breakdown b = {};
    sim_error err = {};

    cfg.probe = observe_probe(obs);
    {
        test::Cluster c(cfg);

        EXPECT_EQ(SIM_OK, c.run([]() -> int {
            test::Rank r;
            test::Sender s(r);

            r.barrier();
            return 0;
        }));
    }
    EXPECT_EQ(SIM_ERR_LIMIT, observe_explain(obs, "node0.host.core0", 0, 1, &b, &err));
    EXPECT_STREQ("more than 1000 marks: expected a shorter message", err.text);
    observe_destroy(obs);
}

} // namespace
