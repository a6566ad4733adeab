/* The root complex: DRAM behind it, peer-to-peer, limits, order, back-pressure. */
#include "machine_fixture.h"

namespace
{

using namespace test;

constexpr uint64_t ram = UINT64_C(1) << 32;
constexpr uint64_t bar_a = UINT64_C(1) << 40, bar_b = UINT64_C(2) << 40;
constexpr sim_time_t wire = 40000 + 50000;
using Times = std::vector<uint64_t>;

/** Devices a at p0 and b at p1. */
Builder two_devices(Values host = {}, Values a = {}, Values b_values = {})
{
    Builder b;

    host.insert({ { "cores", 2 }, { "ram_bytes", 1 << 20 } });
    for (Values *v : { &host, &a, &b_values })
        v->insert({ { "port.skp_interval_symbols", 0 }, { "port.skp_interval_blocks", 0 } });
    b.add(0, "host", &node_host_kind, host);
    b.add(0, "a", device_kind(), a);
    b.add(0, "b", device_kind(), b_values);
    b.link(0, "host", "p0", "a", "up");
    b.link(0, "host", "p1", "b", "up");
    return b;
}

void configure(Machine &m)
{
    m.configure(0, bar_a, 1 << 20);
    m.configure(1, bar_b, 1 << 20);
    for (const char *name : { "a", "b" })
        m.device(name)->seen.clear();
}

std::vector<uint8_t> bytes_of(size_t n, unsigned seed = 1)
{
    std::vector<uint8_t> v(n);

    for (size_t i = 0; i < n; i++)
        v[i] = (uint8_t)(i * 7 + seed);
    return v;
}

sim_time_t send(Machine &m, Device *dev, std::vector<pcie_tlp> tlps)
{
    sim_time_t start = column(m.now() + 100 * SIM_NS);

    dev->out.insert(dev->out.end(), tlps.begin(), tlps.end());
    dev->wake_at(start);
    return start;
}

TEST(Memory, WritesLandInOrderAndOnlyEnabledBytes)
{
    in_all_orders(two_devices(), [](Machine &m) {
        Device *a = m.device("a");
        configure(m);
        memset(m.ram(ram), 0xee, 64);
        pcie_tlp holes = a->write(ram + 32, { 1, 2, 3, 4, 5, 6, 7, 8 });
        holes.first_be = 0x9;
        holes.last_be = 0x6;
        send(m, a, { a->write(ram + 3, bytes_of(10)), a->write(ram + 4, { 0x77 }), holes });
        m.run();
        std::vector<uint8_t> want(64, 0xee), b = bytes_of(10);
        std::copy(b.begin(), b.end(), want.begin() + 3);
        want[4] = 0x77;
        want[32] = 1, want[35] = 4, want[37] = 6, want[38] = 7;
        EXPECT_EQ(want, std::vector<uint8_t>(m.ram(ram), m.ram(ram) + 64));
        return m.now();
    });
}

TEST(Memory, AReadCompletesInPiecesThatEndAtTheirBoundary)
{
    for (uint32_t piece : { 64u, 128u, 256u }) {
        in_all_orders(two_devices({ { "rc.completion_bytes", piece } }), [&](Machine &m) {
            Device *a = m.device("a");
            auto data = bytes_of(1024);
            configure(m);
            std::copy(data.begin(), data.end(), m.ram(ram));
            sim_time_t start = send(m, a, { a->read(ram + 30, 600, 5) });
            m.run();
            auto got = a->of_kind(PCIE_CPLD);
            uint32_t at = 30;
            sim_time_t arrival = start + (8 + 16) * 250 + wire;
            EXPECT_EQ(gen2x8(arrival + 200000, 12 + got[0].data.size(), wire), got[0].time);
            for (const Seen &s : got) {
                uint32_t n = std::min(piece - at % piece, 630 - at);
                EXPECT_EQ(5, s.tlp.tag);
                EXPECT_EQ(0x100, s.tlp.requester_id);
                EXPECT_EQ(630 - at, s.tlp.byte_count);
                EXPECT_EQ(at & 0x7f, s.tlp.lower_addr);
                EXPECT_EQ(0, memcmp(data.data() + at, s.data.data() + at % 4, n));
                at += n;
            }
            EXPECT_EQ(630u, at);
            return got.back().time;
        });
    }
}

TEST(Memory, PiecesFollowEachOtherAtTheCompleterInterval)
{
    in_all_orders(two_devices({ { "rc.completion_interval_ps", 50000 } }), [](Machine &m) {
        Device *a = m.device("a");
        Times t;
        configure(m);
        send(m, a, { a->read(ram, 128, 1), a->read(ram + 128, 128, 2) });
        m.run();
        for (const Seen &s : a->of_kind(PCIE_CPLD))
            t.push_back(s.time);
        EXPECT_EQ(4u, t.size());
        for (size_t i = 1; i < t.size(); i++)
            EXPECT_NEAR(50000.0, (double)(t[i] - t[i - 1]), 2000.0);
        return t;
    });
}

TEST(Memory, ReadsInProgressLimitTheRate)
{
    /* n reads of 64 bytes in flight at the completer: n * 64 / memory_read_ps. */
    for (unsigned n : { 1u, 4u }) {
        in_all_orders(two_devices({ { "rc.memory_reads", n } }), [&](Machine &m) {
            Device *a = m.device("a");
            std::vector<pcie_tlp> reads;
            configure(m);
            for (unsigned i = 0; i < 200; i++)
                reads.push_back(a->read(ram + i * 64, 64, (uint8_t)i));
            send(m, a, reads);
            m.run();
            auto got = a->of_kind(PCIE_CPLD);
            EXPECT_EQ(200u, got.size());
            EXPECT_NEAR(199.0 * 200000 / n, (double)(got.back().time - got.front().time), 200000);
            return got.back().time;
        });
    }
}

TEST(Memory, AReadNeverPassesAnEarlierWriteOfItsPort)
{
    /* Reading takes no time, writing takes long. */
    in_all_orders(two_devices({ { "rc.memory_read_ps", 0 }, { "rc.memory_write_ps", 900000 } }),
                  [](Machine &m) {
                      Device *a = m.device("a");
                      configure(m);
                      send(m, a, { a->write(ram, bytes_of(64, 9)), a->read(ram, 64, 1) });
                      m.run();
                      EXPECT_EQ(bytes_of(64, 9), a->of_kind(PCIE_CPLD)[0].data);
                      return m.now();
                  });
}

TEST(Memory, ALoadOfADeviceNeverPassesItsEarlierWrites)
{
    in_all_orders(two_devices({ { "rc.memory_write_ps", 900000 } }, { { "answer_ps", 1000000 } }),
                  [](Machine &m) {
                      Device *a = m.device("a");
                      Done d(m);
                      uint8_t seen = 0;
                      configure(m);
                      d.then = [&] { seen = *m.ram(ram); };
                      node_core_load(m.core(), bar_a, 4, Done::call, &d);
                      a->out.push_back(a->write(ram, { 0x42 }));
                      a->wake_at(m.now() + 900 * SIM_NS); /* before the completion */
                      m.run();
                      EXPECT_EQ(0x42, seen);
                      return d.time;
                  });
}

TEST(Memory, WhatNobodyClaimsIsDroppedOrAnsweredWithUnsupportedRequest)
{
    in_all_orders(two_devices(), [](Machine &m) {
        Device *a = m.device("a");
        configure(m);
        send(m, a,
             { a->write(UINT64_C(1) << 45, { 1, 2, 3, 4 }), a->read(UINT64_C(1) << 45, 4, 1),
               a->read(bar_a, 4, 2), /* its own */
               a->read(ram + (1 << 20), 8, 3) /* behind the end of DRAM */ });
        m.run();
        auto got = a->of_kind(PCIE_CPL);
        EXPECT_EQ(3u, got.size());
        for (const Seen &s : got)
            EXPECT_EQ(PCIE_CPL_UR, s.tlp.status);
        EXPECT_EQ(1u, m.stat("node0.host.rc.unclaimed_writes"));
        EXPECT_EQ(3u, m.stat("node0.host.rc.unclaimed_reads"));
        return m.now();
    });
}

TEST(Memory, AReadWithoutEnabledBytesGetsOneDoubleWord)
{
    Machine m(two_devices());
    Device *a = m.device("a");
    configure(m);
    pcie_tlp flush = a->read(ram, 4, 1);
    flush.first_be = 0;
    send(m, a, { flush });
    m.run();
    ASSERT_EQ(1u, a->of_kind(PCIE_CPLD).size());
    EXPECT_EQ(1, a->of_kind(PCIE_CPLD)[0].tlp.byte_count);
    EXPECT_EQ(1, a->of_kind(PCIE_CPLD)[0].tlp.length_dw);
}

/* ---- peer to peer ---------------------------------------------------------------- */

TEST(PeerToPeer, AWriteGoesThroughAfterItsLatency)
{
    in_all_orders(two_devices(), [](Machine &m) {
        Device *a = m.device("a"), *b = m.device("b");
        configure(m);
        sim_time_t start = send(m, a, { a->write(bar_b + 64, bytes_of(128)) });
        m.run();
        sim_time_t arrival = start + (8 + 16 + 128) * 250 + wire;
        EXPECT_EQ(1u, b->seen.size());
        EXPECT_EQ(gen2x8(arrival + 120000, 16 + 128, wire), b->seen[0].time);
        EXPECT_EQ(bytes_of(128), b->seen[0].data);
        EXPECT_EQ(0x100, b->seen[0].tlp.requester_id);
        return b->seen[0].time;
    });
}

TEST(PeerToPeer, AReadTakesTheLatencyEachWay)
{
    in_all_orders(two_devices(), [](Machine &m) {
        Device *a = m.device("a"), *b = m.device("b");
        configure(m);
        sim_time_t start = send(m, a, { a->read(bar_b + 64, 128, 7) });
        m.run();
        sim_time_t arrival = start + (8 + 16) * 250 + wire;
        sim_time_t there = gen2x8(arrival + 120000, 16, wire);
        sim_time_t back = gen2x8(there + 100000, 12 + 128, wire);
        EXPECT_EQ(there, b->seen[0].time);
        EXPECT_EQ(gen2x8(back + 120000, 12 + 128, wire), a->seen[0].time);
        EXPECT_EQ(7, a->seen[0].tlp.tag);
        return a->seen[0].time;
    });
}

/** Reads `count` times 256 bytes of b from a. @return first and last arrival of a completion */
std::pair<sim_time_t, sim_time_t> stream_reads(Machine &m, unsigned count, uint32_t bytes = 256)
{
    Device *a = m.device("a");
    std::vector<pcie_tlp> reads;

    for (unsigned i = 0; i < count; i++)
        reads.push_back(a->read(bar_b + i * 256 % 65536, bytes, (uint8_t)i));
    send(m, a, reads);
    m.run();
    auto got = a->of_kind(PCIE_CPLD);
    EXPECT_EQ(count, got.size());
    return { got.front().time, got.back().time };
}

TEST(PeerToPeer, BandwidthIsTheLimitOverTheRoundTrip)
{
    /* A slot is taken when the read leaves the receive buffer, and given back when its last
     * completion goes to the port: 120 ns, link, 100 ns in the device, link, 120 ns. */
    for (unsigned limit : { 1u, 2u, 4u }) {
        in_all_orders(two_devices({ { "rc.p2p_read_bytes", limit * 256 } }), [&](Machine &m) {
            configure(m);
            auto t = stream_reads(m, 200);
            double slot = 120000 + (24 * 250 + wire) + 100000 + ((20 + 256) * 250 + wire) + 120000;
            double want = 199.0 * slot / limit;
            EXPECT_NEAR(want, (double)(t.second - t.first), 0.02 * want) << limit;
            EXPECT_GT(m.stat("node0.host.rc.p2p_wait_ps"), 0u);
            return t;
        });
    }
}

TEST(PeerToPeer, TheLimitCountsWholeLinesOfWhatReadsAskFor)
{
    /* Those of 64 bytes and of 4 take one line each; a longer one may go beyond the limit. */
    for (auto [bytes, reads] : { std::pair{ 4u, 8u }, { 64u, 8u }, { 128u, 4u }, { 192u, 3u } }) {
        in_all_orders(two_devices({ { "rc.p2p_read_bytes", 512 } }),
                      [&, n = bytes, slots = reads](Machine &m) {
                          configure(m);
                          auto t = stream_reads(m, 160, n);
                          double answer = (20.0 + n) * 250 + wire;
                          double slot = 120000 + (24 * 250 + wire) + 100000 + answer + 120000;
                          double want = 159.0 * slot / slots;
                          EXPECT_NEAR(want, (double)(t.second - t.first), 0.05 * want) << n;
                          return t;
                      });
    }
}

TEST(PeerToPeer, WithoutAHarmfulLimitTheLinkDecides)
{
    in_all_orders(two_devices({ { "rc.p2p_read_bytes", 65536 } }), [&](Machine &m) {
        configure(m);
        auto t = stream_reads(m, 200);
        double want = 199.0 * (20 + 256) * 250;
        EXPECT_NEAR(want, (double)(t.second - t.first), 0.03 * want);
        return t;
    });
}

TEST(PeerToPeer, AReadThatWaitsHoldsUpThoseBehindItButNoWrites)
{
    in_all_orders(two_devices({ { "rc.p2p_read_bytes", 64 } }, {}, { { "answer_ps", 5000000 } }),
                  [](Machine &m) {
                      Device *a = m.device("a");
                      configure(m);
                      send(m, a,
                           { a->read(bar_b, 64, 1), a->read(bar_b, 64, 2), a->read(ram, 64, 3),
                             a->write(ram, { 1 }) });
                      Done d(m);
                      node_core_poll(m.core(), ram, 4, Done::call, &d);
                      m.run();
                      auto got = a->of_kind(PCIE_CPLD);
                      EXPECT_EQ(3u, got.size());
                      EXPECT_EQ(1, got[0].tlp.tag);
                      EXPECT_GT(got[1].time, got[0].time) << "waited for the first to end";
                      EXPECT_EQ(3, got[1].tlp.tag)
                          << "left the buffer with the second, but DRAM is near";
                      EXPECT_LT(d.time, got[0].time);
                      return got.back().time;
                  });
}

TEST(PeerToPeer, TwoRequestersShareTheLimitFairly)
{
    Builder b = two_devices({ { "rc.p2p_read_bytes", 512 } });
    b.add(0, "c", device_kind(),
          { { "port.skp_interval_symbols", 0 }, { "port.skp_interval_blocks", 0 } });
    b.link(0, "host", "p2", "c", "up");
    in_all_orders(b, [](Machine &m) {
        Device *a = m.device("a"), *c = m.device("c");
        configure(m);
        m.configure(2, UINT64_C(3) << 40, 1 << 20);
        for (unsigned i = 0; i < 100; i++) {
            a->out.push_back(a->read(bar_b, 256, (uint8_t)i));
            c->out.push_back(c->read(bar_b, 256, (uint8_t)i));
        }
        a->seen.clear();
        c->seen.clear();
        sim_time_t start = column(m.now() + SIM_US);
        a->wake_at(start);
        c->wake_at(start);
        m.run();
        EXPECT_EQ(100u, a->seen.size());
        EXPECT_EQ(100u, c->seen.size());
        double ta = (double)(a->seen.back().time - start),
               tc = (double)(c->seen.back().time - start);
        EXPECT_NEAR(1.0, ta / tc, 0.02);
        return Times{ a->seen.back().time, c->seen.back().time };
    });
}

TEST(PeerToPeer, AcrossSocketsHasItsOwnLatencyAndLimit)
{
    in_all_orders(two_devices({ { "p1.socket", 1 }, { "rc.socket_reads", 2 } }), [](Machine &m) {
        Device *a = m.device("a"), *b = m.device("b");
        configure(m);
        sim_time_t start = send(m, a, { a->write(bar_b, bytes_of(64)) });
        m.run();
        sim_time_t arrival = start + (8 + 16 + 64) * 250 + wire;
        EXPECT_EQ(gen2x8(arrival + 120000 + 150000, 16 + 64, wire), b->seen[0].time);
        auto t = stream_reads(m, 100);
        double slot = 2 * 270000 + (24 * 250 + wire) + 100000 + ((20 + 256) * 250 + wire);
        EXPECT_NEAR(99.0 * slot / 2, (double)(t.second - t.first), 0.02 * 99.0 * slot / 2);
        return t;
    });
}

/* When the last of 20 writes to b comes, and when a flag behind them is seen in DRAM. */
std::pair<sim_time_t, sim_time_t> crossing(uint64_t socket, uint64_t interval)
{
    return in_all_orders(
        two_devices({ { "p1.socket", socket }, { "rc.socket_write_interval_ps", interval } }),
        [](Machine &m) {
            Device *a = m.device("a"), *b = m.device("b");
            std::vector<pcie_tlp> tlps;
            Done d(m);

            configure(m);
            node_core_poll(m.core(), ram, 4, Done::call, &d);
            for (unsigned i = 0; i < 20; i++)
                tlps.push_back(a->write(bar_b + 64 * i, bytes_of(64)));
            tlps.push_back(a->write(ram, { 1 }));
            sim_time_t start = send(m, a, tlps);
            m.run();
            EXPECT_EQ(20u, b->seen.size());
            return std::make_pair(b->seen.back().time - start, d.time - start);
        });
}

TEST(PeerToPeer, WritesCrossTheSocketsOneByOneAndAFlagBehindThemWaits)
{
    const auto free = crossing(1, 0), slow = crossing(1, 800000), near = crossing(0, 800000);

    EXPECT_EQ(near, crossing(0, 0)) << "nothing crosses";
    EXPECT_NEAR(19 * 800000.0, (double)(slow.first - free.first), 20 * (64 + 24) * 250.0);
    EXPECT_NEAR(19 * 800000.0, (double)(slow.second - free.second), 20 * (64 + 24) * 250.0);
}

/* The last target has nothing left when the flag comes; the one before it has. */
TEST(PeerToPeer, AFlagWaitsForWritesToEveryDevice)
{
    Builder b = two_devices({ { "p1.socket", 1 }, { "rc.socket_write_interval_ps", 800000 } });

    b.add(0, "c", device_kind());
    b.link(0, "host", "p2", "c", "up");
    in_all_orders(b, [](Machine &m) {
        Device *a = m.device("a");
        std::vector<pcie_tlp> tlps;
        Done d(m);

        configure(m);
        m.configure(2, UINT64_C(3) << 40, 1 << 20);
        node_core_poll(m.core(), ram, 4, Done::call, &d);
        for (unsigned i = 0; i < 20; i++)
            tlps.push_back(a->write(bar_b + 64 * i, bytes_of(64)));
        tlps.push_back(a->write(UINT64_C(3) << 40, bytes_of(64)));
        tlps.push_back(a->write(ram, { 1 }));
        send(m, a, tlps);
        m.run();
        EXPECT_GT(d.time, m.device("b")->seen.back().time - wire - (24 + 64) * 250);
        EXPECT_LT(m.device("c")->seen.back().time, m.device("b")->seen[2].time) << "it waits alone";
        return d.time;
    });
}

/* What core 0 and device b, whose root port is on `socket`, take: a store of the core to b and a
 * load of it, a write of b to DRAM that a loop sees, and a read of DRAM. */
Times accesses(uint64_t socket, unsigned core, unsigned memory)
{
    return in_all_orders(two_devices({ { "p1.socket", socket } }), [&](Machine &m) {
        Device *b = m.device("b");
        uint64_t value = 1;
        Times t;
        Done d(m);

        configure(m);
        node_host_home(m.host(), memory, UINT64_MAX, 1);
        m.run_until(column(m.now() + SIM_US));
        sim_time_t start = m.now();
        store(m, bar_b, &value, 8, NODE_UNCACHED, core);
        m.run();
        t.push_back(b->seen[0].time - start);
        m.run_until(column(m.now() + SIM_US));
        start = m.now();
        t.push_back(load(m, bar_b + 8, 8, core).time - start);
        node_core_poll(m.core(core), ram, 4, Done::call, &d);
        start = send(m, b, { b->write(ram, { 1 }) });
        m.run();
        t.push_back(d.time - start);
        b->seen.clear();
        start = send(m, b, { b->read(ram, 64, 1) });
        m.run();
        t.push_back(b->seen[0].time - start);
        return t;
    });
}

TEST(Sockets, CoresAndMemoryAreFartherFromPortsOfTheOtherOne)
{
    const Times near = accesses(0, 0, 0), across = accesses(1, 0, 0);
    const uint64_t hop = 30000;

    EXPECT_EQ((Times{ near[0] + hop, near[1] + 2 * hop, near[2] + hop, near[3] + 2 * hop }),
              across);
    EXPECT_EQ(near, accesses(1, 1, 1)); /* core 1 is on socket 1 */
    EXPECT_EQ((Times{ near[0], near[1], near[2] + hop, near[3] + 2 * hop }), accesses(1, 1, 0));
}

TEST(PeerToPeer, AFlagInDramMayOvertakeDataBehindTheRootComplexAlone)
{
    in_all_orders(two_devices({ { "rc.p2p_write_ps", 900000 } }), [](Machine &m) {
        Device *a = m.device("a"), *b = m.device("b");
        Done d(m);
        configure(m);
        node_core_poll(m.core(), ram, 4, Done::call, &d);
        send(m, a, { a->write(bar_b, bytes_of(64)), a->write(ram, { 1 }) });
        m.run();
        EXPECT_GT(d.time, b->seen[0].time - wire - (24 + 64) * 250) << "it waits until they leave,";
        EXPECT_LT(d.time, b->seen[0].time + 200000) << "and not longer";
        return d.time;
    });
}

TEST(PeerToPeer, ACompletionNeverPassesAnEarlierWriteOfItsPath)
{
    /* b writes to a, then answers a's read: the completion pushes the write ahead of itself. */
    in_all_orders(two_devices({ { "rc.p2p_write_ps", 900000 }, { "rc.p2p_read_ps", 1000 } }, {},
                              { { "answer_ps", 1000000 } }),
                  [](Machine &m) {
                      Device *a = m.device("a"), *b = m.device("b");
                      configure(m);
                      sim_time_t start = send(m, a, { a->read(bar_b, 64, 1) });
                      b->out.push_back(b->write(bar_a, { 1 }));
                      b->wake_at(start + 900 * SIM_NS);
                      m.run();
                      EXPECT_EQ(2u, a->seen.size());
                      EXPECT_EQ(PCIE_MWR, a->seen[0].tlp.kind);
                      EXPECT_EQ(PCIE_CPLD, a->seen[1].tlp.kind);
                      return a->seen[1].time;
                  });
}

TEST(PeerToPeer, AReadNeverPassesAnEarlierWriteOfItsPath)
{
    in_all_orders(two_devices({ { "rc.p2p_write_ps", 900000 }, { "rc.p2p_read_ps", 1000 } }),
                  [](Machine &m) {
                      Device *a = m.device("a"), *b = m.device("b");
                      configure(m);
                      send(m, a, { a->write(bar_b, bytes_of(64)), a->read(bar_b, 64, 1) });
                      m.run();
                      EXPECT_EQ(PCIE_MWR, b->seen[0].tlp.kind);
                      EXPECT_EQ(PCIE_MRD, b->seen[1].tlp.kind);
                      return a->seen[0].time;
                  });
}

TEST(PeerToPeer, ABlockedTargetHoldsCreditsAndLosesNothing)
{
    in_all_orders(two_devices({ { "port.ph_credits", 16 } }, {}, { { "hold", 1 } }),
                  [](Machine &m) {
                      Device *a = m.device("a"), *b = m.device("b");
                      std::vector<pcie_tlp> writes;
                      b->cfg.hold = 0;
                      configure(m);
                      b->cfg.hold = 1;
                      for (unsigned i = 0; i < 300; i++)
                          writes.push_back(a->write(bar_b + 4 * i, { (uint8_t)i, 0, 0, 0 }));
                      writes.push_back(a->write(ram, { 1, 0, 0, 0 }));
                      send(m, a, writes);
                      m.run();
                      EXPECT_EQ(64u, b->seen.size()) << "as many as b has credits";
                      EXPECT_EQ(0, *m.ram(ram)) << "stuck behind the blocked ones";
                      EXPECT_EQ(301u - 64 - 8 - 16 - 8, a->out.size())
                          << "b's buffer, queue to b, receive buffer of p0, queue of a";
                      b->release();
                      m.run();
                      EXPECT_EQ(300u, b->seen.size());
                      for (unsigned i = 0; i < b->seen.size(); i++)
                          EXPECT_EQ(bar_b + 4 * i, b->seen[i].tlp.addr);
                      EXPECT_EQ(1, *m.ram(ram));
                      return m.now();
                  });
}

/* Those in the port's queue have left the root complex, not its port. */
TEST(PeerToPeer, AFlagWaitsForWritesThatLackCreditsOfTheDevice)
{
    in_all_orders(two_devices({}, {}, { { "hold", 1 } }), [](Machine &m) {
        Device *a = m.device("a"), *b = m.device("b");
        std::vector<pcie_tlp> writes;
        Done d(m);

        b->cfg.hold = 0;
        configure(m);
        b->cfg.hold = 1;
        node_core_poll(m.core(), ram, 4, Done::call, &d);
        for (unsigned i = 0; i < 66; i++)
            writes.push_back(a->write(bar_b + 4 * i, { (uint8_t)i, 0, 0, 0 }));
        writes.push_back(a->write(ram, { 1, 0, 0, 0 }));
        send(m, a, writes);
        m.run();
        EXPECT_EQ(64u, b->seen.size()) << "as many as b has credits";
        EXPECT_EQ(0u, a->out.size());
        EXPECT_EQ(0, *m.ram(ram));
        b->release();
        m.run();
        EXPECT_EQ(66u, b->seen.size());
        EXPECT_EQ(1, *m.ram(ram));
        EXPECT_LT(d.time, b->seen.back().time + 200000);
        return d.time;
    });
}

/* A stream to a device that never ends does not hold a flag up that came in the middle of it. */
TEST(PeerToPeer, AFlagWaitsForNoWriteThatCameBehindIt)
{
    in_all_orders(two_devices({ { "p1.port.lanes", 1 } }), [](Machine &m) {
        Device *a = m.device("a"), *b = m.device("b");
        std::vector<pcie_tlp> writes;
        Done d(m);

        configure(m);
        node_core_poll(m.core(), ram, 4, Done::call, &d);
        for (unsigned i = 0; i < 40; i++) {
            writes.push_back(a->write(bar_b + 64 * i, bytes_of(64)));
            if (i == 10)
                writes.push_back(a->write(ram, { 1, 0, 0, 0 }));
        }
        send(m, a, writes);
        m.run();
        EXPECT_EQ(40u, b->seen.size());
        EXPECT_GT(d.time, b->seen[10].time - wire - (24 + 64) * 2000);
        EXPECT_LT(d.time, b->seen[12].time);
        return d.time;
    });
}

TEST(PeerToPeer, CpuAndDeviceShareAPortInTurn)
{
    in_all_orders(two_devices({ { "cpu.store_uc_interval_ps", 1000 } }), [](Machine &m) {
        Device *a = m.device("a"), *b = m.device("b");
        uint64_t n = 0;
        Done d(m);
        configure(m);
        for (unsigned i = 0; i < 200; i++)
            a->out.push_back(a->write(bar_b + 65536, bytes_of(256)));
        a->wake_at(m.now() + 1000);
        d.then = [&] {
            if (++n < 200)
                node_core_store(m.core(), bar_b + 8 * n, &n, 8, NODE_UNCACHED, Done::call, &d);
        };
        node_core_store(m.core(), bar_b, &n, 8, NODE_UNCACHED, Done::call, &d);
        m.run();
        EXPECT_EQ(400u, b->seen.size());
        return b->seen.back().time;
    });
}

/** When a write of 128 bytes by `from`, to `to` behind the other port, arrives after `start`. */
sim_time_t write_across(Machine &m, const char *from, const char *to, uint64_t bar)
{
    Device *a = m.device(from), *b = m.device(to);

    configure(m);
    sim_time_t start = send(m, a, { a->write(bar + 64, bytes_of(128)) });
    m.run();
    EXPECT_EQ(1u, b->seen.size());
    return b->seen.empty() ? 0 : b->seen[0].time - start;
}

TEST(Ports, OneMayDifferFromTheOthers)
{
    const uint64_t packet = 8 + 16 + 128, x8 = packet * 250, x2 = packet * 1000;
    const Values p1 = { { "p1.port.lanes", 2 },
                        { "p1.port.tx_latency_ps", 70000 },
                        { "p1.port.rx_latency_ps", 60000 } };
    Builder b = two_devices(p1);

    in_all_orders(b, [&](Machine &m) {
        sim_time_t taken = write_across(m, "a", "b", bar_b);

        EXPECT_EQ(column(x8 + wire + 120000) + x2 + wire + 30000, taken) << "out by p1";
        return taken;
    });
    in_all_orders(b, [&](Machine &m) {
        sim_time_t taken = write_across(m, "b", "a", bar_a);

        EXPECT_EQ(column(x2 + wire + 20000 + 120000) + x8 + wire, taken) << "in by p1";
        return taken;
    });
}

TEST(Ports, WhatIsSaidOfAllHoldsWhereNothingIsSaidOfOne)
{
    const uint64_t packet = 8 + 16 + 128;

    in_all_orders(two_devices({ { "port.lanes", 4 }, { "p1.port.lanes", 2 } }), [&](Machine &m) {
        sim_time_t taken = write_across(m, "a", "b", bar_b);

        EXPECT_EQ(column(packet * 500 + wire + 120000) + packet * 1000 + wire, taken);
        return taken;
    });
}

TEST(Ports, AMistakeIsWhereItWasMade)
{
    Machine m(two_devices({ { "p1.port.lanes", 3 }, { "port.lanes", 4 } }));

    EXPECT_EQ(SIM_ERR_CONFIG, m.code);
    EXPECT_EQ(0, strncmp(m.err.text, "test.yaml:", 10)) << m.err.text;
    EXPECT_NE(nullptr, strstr(m.err.text, "node0.host.p1: lanes = 3: expected 1, 2, 4, 8 or 16"))
        << m.err.text;
}

TEST(Ports, OneMayHaveFewerCredits)
{
    in_all_orders(two_devices({ { "p0.port.ph_credits", 16 } }, {}, { { "hold", 1 } }),
                  [](Machine &m) {
                      Device *a = m.device("a"), *b = m.device("b");
                      std::vector<pcie_tlp> writes;

                      b->cfg.hold = 0;
                      configure(m);
                      b->cfg.hold = 1;
                      for (unsigned i = 0; i < 300; i++)
                          writes.push_back(a->write(bar_b + 4 * i, { (uint8_t)i, 0, 0, 0 }));
                      send(m, a, writes);
                      m.run();
                      EXPECT_EQ(300u - 64 - 8 - 16 - 8, a->out.size())
                          << "b's buffer, queue to b, receive buffer of p0, queue of a";
                      return m.now();
                  });
}

TEST(Claims, RefuseOverlapsAndOddSizes)
{
    Machine m(two_devices());
    auto claim = [&](unsigned port, uint64_t base, uint64_t size) {
        m.err = {};
        return node_host_claim(m.host(), port, base, size, &m.err);
    };

    EXPECT_EQ(SIM_OK, claim(0, bar_a, UINT64_C(512) << 30));
    EXPECT_EQ(SIM_ERR_CONFIG, claim(1, bar_a + (UINT64_C(511) << 30), UINT64_C(2) << 30));
    EXPECT_STREQ("node0.host.p1: window of 0x80000000 bytes at 0x17fc0000000 overlaps one of p0 at "
                 "0x10000000000",
                 m.err.text);
    EXPECT_EQ(SIM_ERR_CONFIG, claim(1, ram, 4096)) << "DRAM";
    EXPECT_EQ(SIM_ERR_CONFIG, claim(1, 0xfee00000, 4096)) << "interrupts";
    EXPECT_EQ(SIM_ERR_CONFIG, claim(1, bar_b + 1, 4096));
    EXPECT_EQ(SIM_ERR_CONFIG, claim(1, bar_b, 0));
    EXPECT_EQ(SIM_ERR_CONFIG, claim(8, bar_b, 4096));
    EXPECT_EQ(SIM_OK, claim(1, bar_b, 4096));
}

TEST(Strays, CompletionsThatNobodyAskedForAreCounted)
{
    Machine m(two_devices());
    Device *a = m.device("a");
    configure(m);
    pcie_tlp cpl = {};
    cpl.kind = PCIE_CPL;
    cpl.byte_count = 4;
    for (uint16_t id : { 0x0000, 0x0200, 0x0100, 0x0900 }) {
        cpl.requester_id = id;
        a->out.push_back(cpl);
    }
    a->wake_at(m.now() + 1000);
    m.run();
    EXPECT_EQ(4u, m.stat("node0.host.rc.stray_completions"));
    EXPECT_EQ(0x03020100u, load(m, bar_a, 4).value) << "and nothing is stuck";
}

} // namespace
