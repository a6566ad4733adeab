/*
 * The traffic generator: two of them on a cable against a closed form of PCI Express Base 3.0 that
 * is written here from the specification's constants alone, and values that are refused.
 */
#include "traffic/traffic.h"

#include "pcie/lossy/fault.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "tests/built.h"

namespace
{

traffic_config defaults()
{
    machine_param *rows = machine_table_create(traffic_kind.params, traffic_kind.groups);
    traffic_config c = {};

    for (const machine_param *row = rows; row->key != nullptr; row++)
        memcpy(reinterpret_cast<char *>(&c) + row->offset, &row->def, sizeof(row->def));
    free(rows);
    return c;
}

/** Two ends, each in a domain of its own, and a cable of two metres. */
struct Link {
    sim_config cfg = {};
    sim *simulation = nullptr;
    void *ends[2] = {};
    sim_error err = {};
    int rc = SIM_OK;

    explicit Link(const traffic_config &a, const traffic_config &b, sim_order order = {})
    {
        static const char *const paths[] = { "node0.a", "node1.b" };

        cfg.seed = 1, cfg.fingerprint = true, cfg.order = order;
        simulation = sim_create(&cfg);
        for (unsigned i = 0; i < 2 && rc == SIM_OK; i++) {
            machine_place place = {};

            place.dom = sim_domain_create(simulation, i == 0 ? "node0" : "node1");
            place.path = paths[i];
            rc = traffic_kind.create(&place, i == 0 ? &a : &b, &ends[i], &err);
        }
        if (rc == SIM_OK)
            rc = pcie_link_join(port(0), port(1), 10 * SIM_NS, &err);
        for (void *end : ends)
            rc = rc == SIM_OK ? traffic_kind.start(end, &err) : rc;
    }
    ~Link()
    {
        for (void *end : ends)
            traffic_kind.destroy(end);
        sim_destroy(simulation);
    }
    Link(const Link &) = delete;

    pcie_port *port(unsigned i) const
    {
        return static_cast<pcie_port *>(traffic_kind.port(ends[i], 0).end);
    }
    traffic_count counted(unsigned i) const { return traffic_counted(ends[i]); }

    /** Until each of the ends in the mask has measured. */
    void measure(unsigned receivers)
    {
        ASSERT_EQ(SIM_OK, rc) << err.text;
        for (sim_time_t t = SIM_US; t < 100 * SIM_MS; t += SIM_US) {
            (void)sim_run(simulation, t);
            if ((counted(0).ps != 0 || (receivers & 1) == 0) &&
                (counted(1).ps != 0 || (receivers & 2) == 0))
                return;
        }
        FAIL() << "nothing comes";
    }
    /** Payload in bytes per nanosecond, over both directions. */
    double rate() const
    {
        double sum = 0;

        for (unsigned i = 0; i < 2; i++)
            if (counted(i).ps != 0)
                sum += 1000 * static_cast<double>(counted(i).bytes) /
                       static_cast<double>(counted(i).ps);
        return sum;
    }
};

/* ---- the closed form ------------------------------------------------------------------ */

struct Case {
    unsigned gen, lanes, mps;
    bool read, both;
};

/* A read asks for several completions of each size that is tested. */
const unsigned READ_BYTES = 4096;

/** Bytes per nanosecond after line coding: 8b/10b, then 128b/130b. */
double raw_rate(const Case &c)
{
    const double gt[] = { 0, 2.5, 5, 8, 16, 32 };

    return gt[c.gen] * (c.gen <= 2 ? 8.0 / 10 : 128.0 / 130) / 8 * c.lanes;
}

/**
 * SKP ordered sets at their longest interval (4.2.7.3). Up to Gen2: COM and 3 SKP after 1538 symbol
 * times. Then a block of 16 symbols after 375 blocks, before which the data stream ends with an EDS
 * token of 4 symbols over all lanes at a block's end: half a block of idle symbols on average.
 */
double skp_share(const Case &c)
{
    return c.gen <= 2 ? 4.0 / 1538 : (16 + 4.0 / c.lanes + 8) / (375 * 16);
}

/** Symbol times before an ACK and an UpdateFC must be sent (tables 3-7 to 3-9 and 2-43 to 2-45). */
double latency_limit(const Case &c)
{
    double factor = c.mps <= 256 ? (c.lanes <= 4   ? 1.4
                                    : c.lanes == 8 ? 2.5
                                                   : 3.0)
                                 : (c.lanes <= 8 ? 1.0 : 2.0);

    return (c.mps + 28) * factor / c.lanes + (c.gen == 1 ? 19 : c.gen == 2 ? 70 : 115);
}

/* Beside header and payload a TLP has STP, sequence number, LCRC and END, from Gen3 on a token with
 * the sequence number, and LCRC: 8 symbols (3.6.2, 4.2.2.3). */
const double FRAMING = 8, HEADER_3DW = 12, HEADER_4DW = 16;
/* SDP, 6 and END, or a token of 2 and 6 (3.4.1, 4.2.2.3). */
const double DLLP = 8;

/**
 * Payload in bytes per nanosecond, over both directions. An ACK goes back once in the latency limit
 * while packets come, and an UpdateFC while credits are freed: completions have infinite ones.
 * Where requests come more seldom than that, each has both.
 */
double closed_form(const Case &c)
{
    double request = FRAMING + HEADER_4DW, payload = c.read ? READ_BYTES : c.mps;
    double symbols =
        c.read ? payload + payload / c.mps * (FRAMING + HEADER_3DW) : payload + request;
    double limit = latency_limit(c) * c.lanes; /* in symbols of the link */
    double acks = 0, updates = 0;

    if (c.read) {
        symbols += c.both ? request : 0;
        updates = DLLP / std::max(limit, symbols);
        acks = c.both ? DLLP / limit : updates;
    } else if (c.both) {
        acks = updates = DLLP / limit;
    }
    return raw_rate(c) * (1 - skp_share(c)) * (1 - acks - updates) * payload / symbols *
           (c.both ? 2 : 1);
}

traffic_config of_case(const Case &c, bool sends)
{
    traffic_config t = defaults();

    t.link.gen = c.gen, t.link.lanes = c.lanes, t.link.mps_bytes = c.mps;
    t.write_bytes = sends && !c.read ? c.mps : 0;
    t.read_bytes = sends && c.read ? READ_BYTES : 0;
    return t;
}

const std::vector<unsigned> PAYLOADS =
    test::SANITIZED ? std::vector<unsigned>{ 256 } : std::vector<unsigned>{ 128, 256, 512, 1024 };

std::vector<Case> all_cases()
{
    std::vector<Case> cases;

    for (unsigned gen = 1; gen <= 5; gen++)
        for (unsigned lanes : { 1u, 2u, 4u, 8u, 16u })
            for (unsigned mps : PAYLOADS)
                for (unsigned kind = 0; kind < 4; kind++)
                    cases.push_back({ gen, lanes, mps, (kind & 1) != 0, (kind & 2) != 0 });
    return cases;
}

struct Errors {
    double sum = 0, largest = 0;
    unsigned n = 0;
    std::string worst;

    void add(double error, const Case &c)
    {
        sum += std::abs(error);
        n++;
        if (std::abs(error) <= largest)
            return;
        largest = std::abs(error);
        worst = "Gen" + std::to_string(c.gen) + " x" + std::to_string(c.lanes) + " MPS " +
                std::to_string(c.mps) + (c.read ? " reads" : " writes");
    }
    double mean() const { return sum / n; }
};

/* One way the form is exact but for the phase of SKP ordered sets. Both ways DLLPs differ. An ACK
 * that is due waits for the end of the packet on the wire, so narrow links send fewer of them than
 * the form has. Eight packets are acknowledged before the limit, so wide links send more. */
TEST(Traffic, RatesAreThoseOfTheClosedForm)
{
    Errors one, both;

    for (const Case &c : all_cases()) {
        Link link(of_case(c, true), of_case(c, c.both));

        link.measure(c.both ? 3 : c.read ? 1 : 2);
        (c.both ? both : one).add(link.rate() / closed_form(c) - 1, c);
        EXPECT_EQ(0u, link.counted(0).wrong + link.counted(1).wrong);
    }
    EXPECT_LT(one.mean(), 0.001);
    EXPECT_LT(one.largest, 0.002) << one.worst;
    EXPECT_LT(both.mean(), 0.01);
    EXPECT_LT(both.largest, 0.025) << both.worst;
}

/* ---- what an end may be told ---------------------------------------------------------- */

TEST(Traffic, HeadersAreShorterBelow4GiB)
{
    const Case c = { 2, 8, 128, false, false };
    traffic_config a = of_case(c, true);

    a.address_bits = TRAFFIC_ADDRESS_32;
    Link link(a, of_case(c, false));
    link.measure(2);
    EXPECT_NEAR(
        1, link.rate() / (raw_rate(c) * (1 - skp_share(c)) * 128 / (128 + FRAMING + HEADER_3DW)),
        0.002);
}

TEST(Traffic, OneReadAtATimeWaitsForItsAnswer)
{
    const Case c = { 3, 8, 256, true, false };
    traffic_config a = of_case(c, true);

    a.read_bytes = 64;
    a.tags = 1;
    a.measure_bytes = 64 * 100;
    Link link(a, of_case(c, false));
    link.measure(1);
    const traffic_count got = link.counted(0);
    EXPECT_EQ(64u * 100, got.bytes);
    /* Four hard blocks, two cables, a request of 24 symbols and an answer of 84. After idle time
     * each of the two begins in lane 0, at the next symbol time, or behind DLLPs. */
    const double each = static_cast<double>(got.ps) / 100 / 1000;
    const double least = 4 * 5 + 2 * 10 + (24 + 84) / raw_rate(c);
    EXPECT_GE(each, least);
    EXPECT_LE(each, least + 2 * c.lanes / raw_rate(c));
}

TEST(Traffic, BytesAreCountedAsTheyAreEnabled)
{
    const Case c = { 2, 4, 128, false, false };
    traffic_config a = of_case(c, true), b = of_case(c, false);

    a.write_bytes = 6;
    a.read_bytes = 397; /* in pieces of 128, 128, 128 and 13 */
    a.warmup_bytes = b.warmup_bytes = 0;
    a.measure_bytes = 397 * 10, b.measure_bytes = 6 * 10;
    Link link(a, b);
    link.measure(3);
    EXPECT_EQ(397u * 10, link.counted(0).bytes);
    EXPECT_EQ(6u * 10, link.counted(1).bytes);
    EXPECT_EQ(0u, link.counted(0).wrong + link.counted(1).wrong);
}

TEST(Traffic, DependsOnNoTie)
{
    const Case c = { 3, 4, 128, true, true };
    traffic_config a = of_case(c, true), b = of_case(c, true);
    sim_fingerprint first = {};
    uint64_t ps = 0;

    a.write_bytes = 64;
    for (unsigned i = 0; i < 3; i++) {
        sim_order order = {};
        order.shuffle_ties = i == 1, order.shuffle_turns = i == 2, order.seed = i;
        Link link(a, b, order);

        link.measure(3);
        sim_fingerprint now = sim_fingerprint_of(link.simulation);
        if (i == 0)
            first = now, ps = link.counted(0).ps;
        EXPECT_EQ(first.wire, now.wire);
        EXPECT_EQ(ps, link.counted(0).ps);
    }
}

const machine_fault_kind *fault_kind(const char *name)
{
    const machine_fault_kind *kind = pcie_faults;

    while (strcmp(kind->name, name) != 0)
        kind++;
    return kind;
}

/* Each time some of the reads under way are lost, and their tags come back. */
TEST(Traffic, GoesOnAfterTheLinkWasDown)
{
    const Case c = { 3, 4, 256, true, true };
    traffic_config a = of_case(c, true);
    const unsigned times = 10;
    pcie_fault_values down = {};

    a.tags = 8;
    Link link(a, a);
    down.at_ps = down.every_ps = 50 * SIM_US, down.for_ps = 5 * SIM_US, down.times = times;
    ASSERT_EQ(SIM_OK,
              traffic_kind.fault(link.ends[0], link.port(0), fault_kind("down"), &down, &link.err))
        << link.err.text;
    (void)sim_run(link.simulation, (times + 1) * down.every_ps);
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t before = link.counted(i).received_bytes;

        (void)sim_run(link.simulation, (times + 2 + i) * down.every_ps);
        EXPECT_GT(link.counted(i).received_bytes, before + (1u << 16)) << i;
        EXPECT_EQ(0u, link.counted(i).wrong);
    }
}

/** The far end of a link: it answers each read with Unsupported Request. */
struct Refuser {
    mem_pool *pool = mem_pool_create();
    pcie_port *port = nullptr;

    Refuser(sim_domain *dom, const pcie_port_config &cfg, sim_error *err)
    {
        const pcie_port_user user = { received, [](void *, pcie_class) {}, nullptr, this };

        EXPECT_EQ(SIM_OK, pcie_port_create(dom, pool, "node1.b", &cfg, &user, &port, err));
    }
    ~Refuser()
    {
        pcie_port_destroy(port);
        mem_pool_destroy(pool);
    }
    Refuser(const Refuser &) = delete;
    static void received(void *user, pcie_tlp *tlp)
    {
        pcie_port *port = static_cast<Refuser *>(user)->port;
        const pcie_tlp cpl = pcie_tlp_answer(tlp, PCIE_CPL_UR);

        pcie_port_consume(port, pcie_tlp_class(tlp), pcie_tlp_data_credits(tlp));
        ASSERT_TRUE(pcie_port_can_send(port, PCIE_COMPLETION));
        pcie_port_send(port, &cpl);
    }
};

TEST(Traffic, AnErrorStatusEndsARead)
{
    const Case c = { 3, 4, 256, true, false };
    const sim_config cfg = {};
    traffic_config a = of_case(c, true);
    machine_place place = {};
    sim_error err = {};
    void *end = nullptr;

    a.tags = 4;
    sim *simulation = sim_create(&cfg);
    place.dom = sim_domain_create(simulation, "node0");
    place.path = "node0.a";
    ASSERT_EQ(SIM_OK, traffic_kind.create(&place, &a, &end, &err)) << err.text;
    {
        Refuser far(sim_domain_create(simulation, "node1"), a.link, &err);

        ASSERT_EQ(SIM_OK, pcie_link_join(static_cast<pcie_port *>(traffic_kind.port(end, 0).end),
                                         far.port, 10 * SIM_NS, &err));
        ASSERT_EQ(SIM_OK, traffic_kind.start(end, &err)) << err.text;
        (void)sim_run(simulation, 100 * SIM_US);
        EXPECT_LT(10 * a.tags, traffic_counted(end).refused);
        EXPECT_EQ(0u, traffic_counted(end).wrong);
        EXPECT_EQ(0u, traffic_counted(end).received_bytes);
    }
    traffic_kind.destroy(end);
    sim_destroy(simulation);
}

/* ---- what is refused ------------------------------------------------------------------ */

std::string refusal(traffic_config a)
{
    const Case c = { 2, 8, 256, false, false };
    Link link(a, of_case(c, false));

    EXPECT_EQ(SIM_ERR_CONFIG, link.rc);
    return link.err.text;
}

TEST(Traffic, RefusesWhatALinkCannotDo)
{
    const Case c = { 2, 8, 512, false, false };
    traffic_config a = of_case(c, true); /* the other end takes 256 bytes */

    EXPECT_EQ("node0.a: write_bytes = 512: expected at most 256, the link's Max_Payload_Size",
              refusal(a));
    a = of_case(c, true);
    a.link.nph_credits = 0;
    EXPECT_EQ("node0.a: link.nph_credits = 0: expected 1 .. 127", refusal(a));
    a = of_case(c, true);
    a.link.lanes = 3;
    EXPECT_EQ("node0.a: lanes = 3: expected 1, 2, 4, 8 or 16", refusal(a));
}

TEST(Traffic, RefusesFaultsOfCompletersItIsNot)
{
    const Case c = { 2, 8, 256, false, false };
    Link link(of_case(c, true), of_case(c, false));
    const pcie_fault_values none = {};

    EXPECT_EQ(SIM_ERR_CONFIG,
              traffic_kind.fault(link.ends[0], nullptr, fault_kind("silent"), &none, &link.err));
    EXPECT_STREQ("node0.a: silent: expected a fault of its port or link", link.err.text);
}

} // namespace
