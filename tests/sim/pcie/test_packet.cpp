/* What a link reports to an observer of the packets on its wires. */
#include "link_fixture.h"
#include "pcie/tlp/packet.h"

namespace
{

using test::End;
using test::Pair;

struct Seen {
    sim_packet_kind kind;
    std::string where, toward;
    uint32_t flags, seq, bytes;
    sim_time_t begin, end;
    pcie_dllp dllp;
    uint64_t hash; /* the TLP's */
};

struct Watch {
    std::vector<Seen> seen;
    uint64_t marks = 0;
    sim_probe probe{};

    Watch()
    {
        probe.arg = this;
        probe.mark = [](void *arg, const sim_mark *) { return ++static_cast<Watch *>(arg)->marks; };
        probe.hold = [](void *, const sim_hold *) {};
        probe.packet = [](void *arg, const sim_packet *packet) {
            const pcie_packet *p = pcie_packet_of(packet);
            Seen s = { packet->kind,
                       packet->where,
                       packet->toward,
                       packet->flags,
                       p->seq,
                       0,
                       packet->begin,
                       packet->end,
                       {},
                       0 };

            if (packet->kind == SIM_PACKET_DLLP)
                s.dllp = *p->dllp;
            else
                s.hash = pcie_tlp_hash(p->tlp),
                s.bytes = pcie_tlp_header_bytes(p->tlp) + pcie_tlp_data_bytes(p->tlp);
            static_cast<Watch *>(arg)->seen.push_back(s);
        };
    }
    std::vector<Seen> from(const std::string &port) const
    {
        std::vector<Seen> some;
        for (const Seen &s : seen)
            if (s.where == port)
                some.push_back(s);
        return some;
    }
};

void send_some(End &end, unsigned n)
{
    static const int kinds[] = { PCIE_MWR, PCIE_CPLD, PCIE_MRD, PCIE_CPL, PCIE_CFGWR0 };

    for (unsigned i = 0; i < n; i++)
        end.add(kinds[i % 5], 1 + i * 13 % 128);
}

class Packets : public ::testing::Test
{
  protected:
    Watch watch;
    std::unique_ptr<Pair> pair;

    void run(const sim_probe *probe, pcie_port_config cfg)
    {
        sim_config sim = {};

        sim.probe = probe;
        pair = std::make_unique<Pair>(sim);
        pair->join(cfg, cfg, 3000);
        send_some(pair->a, 200);
        send_some(pair->b, 100);
        pair->a.kick();
        pair->b.kick();
        pair->run();
        pair->settle();
    }
};

TEST_F(Packets, AreAllThatThePortsCount)
{
    pcie_port_config cfg = test::wide_config(2, 8, 128);
    test::set_credits(&cfg, 4, 16);
    run(&watch.probe, cfg);

    for (const char *port : { "a", "b" }) {
        uint64_t tlps = 0, dllps = 0, symbols = 0;

        for (const Seen &s : watch.from(port)) {
            (s.kind == SIM_PACKET_TLP ? tlps : dllps)++;
            symbols += (s.end - s.begin) / 250; /* Gen2 x8: 4 GB/s */
        }
        EXPECT_EQ(pair->stat(std::string(port) + ".tx.tlps"), tlps);
        EXPECT_EQ(pair->stat(std::string(port) + ".tx.dllps"), dllps);
        EXPECT_EQ(pair->stat(std::string(port) + ".tx.wire_symbols"), symbols);
    }
}

TEST_F(Packets, FollowEachOtherOnTheWireAndTakeTheirSymbols)
{
    pcie_port_config cfg = test::wide_config(3, 4, 256); /* no whole picoseconds a symbol */
    test::set_credits(&cfg, 8, 64);
    run(&watch.probe, cfg);

    for (const char *port : { "a", "b" }) {
        sim_time_t free = 0;

        for (const Seen &s : watch.from(port)) {
            const uint64_t symbols =
                8 + (s.kind == SIM_PACKET_TLP ? s.bytes : 0); /* framing; a DLLP has 8 in all */
            EXPECT_LE(free, s.begin);
            EXPECT_NEAR(static_cast<double>(symbols) * 8 * 130 / 128 / 32 * 1000,
                        static_cast<double>(s.end - s.begin), 1);
            EXPECT_EQ(0u, s.flags);
            EXPECT_NE(s.where, s.toward);
            free = s.end;
        }
    }
}

TEST_F(Packets, BeginWithTheInitialisationOfFlowControl)
{
    pcie_port_config cfg = test::wide_config(2, 8, 128);
    cfg.ph_credits = 5, cfg.pd_credits = 17, cfg.nph_credits = 6, cfg.npd_credits = 7;
    run(&watch.probe, cfg);

    const std::vector<Seen> first = watch.from("a");
    ASSERT_GT(first.size(), 6u);
    for (unsigned i = 0; i < 6; i++) {
        EXPECT_EQ(SIM_PACKET_DLLP, first[i].kind);
        EXPECT_EQ(i < 3 ? PCIE_DLLP_INITFC1 : PCIE_DLLP_INITFC2, first[i].dllp.type);
        EXPECT_EQ(i % 3, first[i].dllp.cls);
    }
    EXPECT_EQ(5, first[0].dllp.hdr);
    EXPECT_EQ(17, first[0].dllp.data);
    EXPECT_EQ(7, first[1].dllp.data);
    EXPECT_EQ(0, first[2].dllp.hdr);
}

TEST_F(Packets, CarryWhatArrives)
{
    pcie_port_config cfg = test::wide_config(2, 8, 128);
    run(&watch.probe, cfg);

    size_t i = 0;
    for (const Seen &s : watch.from("a")) {
        if (s.kind != SIM_PACKET_TLP)
            continue;
        ASSERT_LT(i, pair->b.got.size());
        EXPECT_EQ(i & 0xfff, s.seq);
        EXPECT_EQ(pair->b.got[i].hash, s.hash);
        i++;
    }
    EXPECT_EQ(pair->b.got.size(), i);
}

TEST_F(Packets, AreToldToWhoWantsNothingElse)
{
    pcie_port_config cfg = test::wide_config(2, 8, 128);
    run(&watch.probe, cfg);
    const size_t n = watch.seen.size();
    const uint64_t marks = watch.marks;

    watch.probe.mark = nullptr;
    run(&watch.probe, cfg);
    EXPECT_EQ(2 * n, watch.seen.size());
    EXPECT_EQ(marks, watch.marks);
}

TEST_F(Packets, AreNotChangedByBeingSeen)
{
    pcie_port_config cfg = test::wide_config(2, 8, 128);
    test::set_credits(&cfg, 4, 16);
    run(&watch.probe, cfg);
    const std::vector<test::Arrival> seen = pair->b.got;
    run(nullptr, cfg);

    ASSERT_EQ(pair->b.got.size(), seen.size());
    for (size_t i = 0; i < seen.size(); i++) /* the id is the observer's when there is one */
        EXPECT_TRUE(pair->b.got[i].time == seen[i].time && pair->b.got[i].hash == seen[i].hash);
}

} // namespace
