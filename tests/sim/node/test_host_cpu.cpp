/* Cores: what each kind of operation costs and sends. */
#include "machine_fixture.h"

#include <cinttypes>

namespace
{

using namespace test;

constexpr uint64_t bar = UINT64_C(1) << 40;
constexpr uint64_t ram = UINT64_C(1) << 32;
/* Both directions: transmit and receive latency of host and device, no length. */
constexpr sim_time_t wire = 40000 + 50000;

Builder one_device(Values host = {}, Values device = {})
{
    Builder b;

    host.insert({ { "cores", 4 }, { "ram_bytes", 1 << 20 }, { "port.skip", 0 } });
    host.erase("port.skip");
    for (Values *v : { &host, &device })
        v->insert({ { "port.skp_interval_symbols", 0 }, { "port.skp_interval_blocks", 0 } });
    b.add(0, "host", &node_host_kind, host);
    b.add(0, "dev", device_kind(), device);
    b.link(0, "host", "p0", "dev", "up");
    return b;
}

void claim(Machine &m)
{
    ASSERT_EQ(SIM_OK, node_host_claim(m.host(), 0, bar, 1 << 20, &m.err)) << m.err.text;
}

using Times = std::vector<uint64_t>;

TEST(Store, UncachedArrivesAfterTheWayThroughRootComplexAndLink)
{
    Times t = in_all_orders(one_device(), [](Machine &m) {
        uint64_t value = 0x1122334455667788;
        claim(m);
        m.run_until(2 * SIM_US);
        sim_time_t start = m.now();
        Done d = store(m, bar + 8, &value, 8);
        const auto &seen = m.device("dev")->seen;

        EXPECT_EQ(start + 400, d.time);
        EXPECT_EQ(1u, seen.size());
        EXPECT_EQ(PCIE_MWR, seen[0].tlp.kind);
        EXPECT_EQ(bar + 8, seen[0].tlp.addr);
        EXPECT_EQ(0, memcmp(&value, seen[0].data.data(), 8));
        /* core 40 ns, root complex 30 ns, 4DW header and 8 bytes */
        EXPECT_EQ(gen2x8(start + 70000, 16 + 8, wire), seen[0].time);
        return Times{ seen[0].time - start };
    });
    EXPECT_GT(t[0], 160000u);
}

TEST(Store, UncachedStoresLeaveOneEachInterval)
{
    in_all_orders(one_device(), [](Machine &m) {
        uint64_t n = 0;
        Times t;
        Done d(m);

        claim(m);
        sim_time_t start = m.now();
        d.then = [&] {
            if (++n < 100)
                node_core_store(m.core(), bar + 8 * n, &n, 8, NODE_UNCACHED, Done::call, &d);
        };
        node_core_store(m.core(), bar, &n, 8, NODE_UNCACHED, Done::call, &d);
        m.run();
        const auto &seen = m.device("dev")->seen;
        EXPECT_EQ(100u, seen.size());
        for (size_t i = 0; i < seen.size(); i++) {
            EXPECT_EQ(bar + 8 * i, seen[i].tlp.addr) << "in order";
            t.push_back(seen[i].time);
        }
        EXPECT_EQ(99 * 80000u, t[99] - t[0]);
        /* The core waits once 36 stores are in its buffer. */
        EXPECT_EQ(start + (99 - 36) * 80000u + 400, d.time);
        return t;
    });
}

TEST(Store, AStalledDeviceStopsTheCoreWithoutLosingAStore)
{
    /* 8 posted headers at the device, 8 in the port's queue, 32 on the way, 36 in the buffer. */
    in_all_orders(one_device({ { "cpu.store_uc_interval_ps", 1000 } },
                             { { "hold", 1 }, { "port.ph_credits", 8 } }),
                  [](Machine &m) {
                      uint64_t n = 0;
                      Done d(m);

                      claim(m);
                      d.then = [&] {
                          if (++n < 200)
                              node_core_store(m.core(), bar + 8 * n, &n, 8, NODE_UNCACHED,
                                              Done::call, &d);
                      };
                      node_core_store(m.core(), bar, &n, 8, NODE_UNCACHED, Done::call, &d);
                      m.run();
                      EXPECT_EQ(8u + 8 + 32 + 36, n);
                      EXPECT_EQ(8u, m.device("dev")->seen.size());
                      m.device("dev")->release();
                      m.run();
                      EXPECT_EQ(200u, n);
                      const auto &seen = m.device("dev")->seen;
                      EXPECT_EQ(200u, seen.size());
                      for (size_t i = 0; i < seen.size(); i++)
                          EXPECT_EQ(bar + 8 * i, seen[i].tlp.addr);
                      return n;
                  });
}

TEST(WriteCombining, AFullLineLeavesAsOneWriteOfItsSize)
{
    in_all_orders(one_device(), [](Machine &m) {
        uint8_t line[64];
        for (unsigned i = 0; i < 64; i++)
            line[i] = (uint8_t)(i * 3);
        claim(m);
        for (unsigned i = 0; i < 64; i += 8) {
            EXPECT_TRUE(m.device("dev")->seen.empty());
            store(m, bar + 128 + i, line + i, 8, NODE_WRITE_COMBINING);
        }
        const auto &seen = m.device("dev")->seen;
        EXPECT_EQ(1u, seen.size());
        EXPECT_EQ(16, seen[0].tlp.length_dw);
        EXPECT_EQ(bar + 128, seen[0].tlp.addr);
        EXPECT_EQ(0, memcmp(line, seen[0].data.data(), 64));
        return seen[0].time;
    });
}

TEST(WriteCombining, AFenceFlushesWithHolesAsSeveralWrites)
{
    in_all_orders(one_device(), [](Machine &m) {
        const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7 };
        claim(m);
        store(m, bar + 5, bytes, 7, NODE_WRITE_COMBINING);  /* 5 .. 11 */
        store(m, bar + 20, bytes, 1, NODE_WRITE_COMBINING); /* 20 */
        EXPECT_TRUE(m.device("dev")->seen.empty()) << "nothing leaves by itself";
        operate(m, [&](Done *d) { node_core_fence(m.core(), Done::call, d); });
        const auto &seen = m.device("dev")->seen;
        EXPECT_EQ(2u, seen.size());
        EXPECT_EQ(bar + 4, seen[0].tlp.addr);
        EXPECT_EQ(0xe, seen[0].tlp.first_be);
        EXPECT_EQ(0xf, seen[0].tlp.last_be);
        EXPECT_EQ(bar + 20, seen[1].tlp.addr);
        EXPECT_EQ(0x1, seen[1].tlp.first_be);
        EXPECT_EQ(0, seen[1].tlp.last_be);
        return seen[1].time;
    });
}

/* As x86's: what a fence holds back are stores, not loads. */
TEST(WriteCombining, StoresBehindAFenceWaitUntilTheLineIsAcceptedButLoadsDoNot)
{
    in_all_orders(one_device({ { "cpu.load_memory_ps", 10000 } }), [](Machine &m) {
        const uint8_t line[64] = {};
        Times t;
        Done d(m);

        claim(m);
        sim_time_t start = m.now();
        d.then = [&] {
            t.push_back(m.now() - start);
            if (t.size() == 1)
                node_core_fence(m.core(), Done::call, &d);
            else if (t.size() == 2)
                node_core_load(m.core(), ram, 8, Done::call, &d);
            else if (t.size() == 3)
                node_core_store(m.core(), bar, line, 64, NODE_WRITE_COMBINING, Done::call, &d);
        };
        node_core_store(m.core(), bar, line, 64, NODE_WRITE_COMBINING, Done::call, &d);
        m.run();
        EXPECT_EQ((Times{ 400, 5400, 15400, 80400 }), t);
        return t;
    });
}

TEST(WriteCombining, AnUncachedStoreAndALoadComeAfterEarlierCombinedOnes)
{
    in_all_orders(one_device(), [](Machine &m) {
        uint64_t v = 7;
        claim(m);
        store(m, bar, &v, 8, NODE_WRITE_COMBINING);
        store(m, bar + 256, &v, 8, NODE_UNCACHED);
        store(m, bar + 64, &v, 8, NODE_WRITE_COMBINING);
        load(m, bar + 512, 8);
        const auto &seen = m.device("dev")->seen;
        EXPECT_EQ(4u, seen.size());
        EXPECT_EQ(bar, seen[0].tlp.addr);
        EXPECT_EQ(bar + 256, seen[1].tlp.addr);
        EXPECT_EQ(bar + 64, seen[2].tlp.addr);
        EXPECT_EQ(PCIE_MRD, seen[3].tlp.kind);
        return seen[3].time;
    });
}

TEST(WriteCombining, TheOldestBufferGoesWhenAllAreInUse)
{
    in_all_orders(one_device({ { "cpu.wc_buffers", 2 } }), [](Machine &m) {
        uint64_t v = 7;
        claim(m);
        store(m, bar + 64, &v, 8, NODE_WRITE_COMBINING);
        store(m, bar, &v, 8, NODE_WRITE_COMBINING);
        sim_time_t start = m.now();
        Done d = store(m, bar + 128, &v, 8, NODE_WRITE_COMBINING);
        EXPECT_EQ(start + 80000 + 400, d.time) << "the buffer drains first";
        EXPECT_EQ(1u, m.device("dev")->seen.size());
        EXPECT_EQ(bar + 64, m.device("dev")->seen[0].tlp.addr);
        return d.time;
    });
}

TEST(WriteCombining, StreamsAtBuffersTimesLineOverDrainTime)
{
    /* 10 * 64 bytes each 80 ns = 8 GB/s, less than Gen3 x16 takes. */
    in_all_orders(one_device({}, { { "port.gen", 3 }, { "port.lanes", 16 } }), [](Machine &m) {
        uint8_t line[64] = {};
        uint64_t n = 0;
        Done d(m);

        claim(m);
        d.then = [&] {
            if (++n < 1000)
                node_core_store(m.core(), bar + 64 * n, line, 64, NODE_WRITE_COMBINING, Done::call,
                                &d);
        };
        node_core_store(m.core(), bar, line, 64, NODE_WRITE_COMBINING, Done::call, &d);
        m.run();
        const auto &seen = m.device("dev")->seen;
        EXPECT_EQ(1000u, seen.size());
        double bytes_per_ps = 64.0 * 999 / (double)(seen.back().time - seen.front().time);
        EXPECT_NEAR(0.008, bytes_per_ps, 0.008 * 0.02);
        return seen.back().time;
    });
}

TEST(Load, RoundTripIsTheSumOfItsParts)
{
    in_all_orders(one_device(), [](Machine &m) {
        claim(m);
        m.run_until(2 * SIM_US);
        sim_time_t start = m.now();
        Done d = load(m, bar + 0x10, 8);
        sim_time_t there = gen2x8(start + 40000 + 30000, 16, wire);
        sim_time_t back = gen2x8(there + 100000, 12 + 8, wire);
        EXPECT_EQ(there, m.device("dev")->seen[0].time);
        EXPECT_EQ(back + 60000, d.time);
        EXPECT_EQ(UINT64_C(0x1716151413121110), d.value);
        return d.time - start;
    });
}

TEST(Load, SmallSizesPickTheirBytes)
{
    Machine m(one_device());
    claim(m);
    EXPECT_EQ(0x13u, load(m, bar + 0x13, 1).value);
    EXPECT_EQ(0x1716u, load(m, bar + 0x16, 2).value);
    EXPECT_EQ(0x17161514u, load(m, bar + 0x14, 4).value);
}

TEST(Load, NobodyThereOrAnErrorGivesAllOnesAndCounts)
{
    in_all_orders(one_device(), [](Machine &m) {
        Times t;
        claim(m);
        EXPECT_EQ(UINT64_MAX, load(m, bar - 4096, 4).value) << "unclaimed";
        EXPECT_EQ(1u, m.stat("node0.host.failed_loads"));
        m.device("dev")->status = PCIE_CPL_UR;
        EXPECT_EQ(UINT64_MAX, load(m, bar, 4).value);
        m.device("dev")->status = PCIE_CPL_CA;
        EXPECT_EQ(UINT64_MAX, load(m, bar, 8).value);
        EXPECT_EQ(3u, m.stat("node0.host.failed_loads"));
        m.device("dev")->status = PCIE_CPL_SC;
        EXPECT_EQ(0x03020100u, load(m, bar, 4).value) << "and the core goes on";
        uint32_t v = 1;
        store(m, bar - 4096, &v, 4);
        EXPECT_EQ(1u, m.stat("node0.host.dropped_stores"));
        return m.now();
    });
}

TEST(Load, FromDramIsSampledAtItsEnd)
{
    Machine m(one_device());
    *m.ram(ram + 64) = 0x55;
    sim_time_t start = m.now();
    Done d = load(m, ram + 64, 1);
    EXPECT_EQ(start + 80000, d.time);
    EXPECT_EQ(0x55u, d.value);
}

TEST(Load, PollingLoopJitterIsSeededAndOnlyForRepeatedAddresses)
{
    auto times = [](uint64_t seed) {
        Machine m(one_device({ { "cpu.poll_jitter_ps", 50000 } }), {}, seed);
        std::vector<sim_time_t> t;
        claim(m);
        for (int i = 0; i < 6; i++) {
            m.run_until((i + 2) * 2 * SIM_US);
            sim_time_t start = m.now();
            t.push_back(load(m, bar + (i == 0 ? 8 : 0), 4).time - start);
        }
        return t;
    };
    auto a = times(1), again = times(1), b = times(2);
    EXPECT_EQ(a, again);
    EXPECT_NE(a, b);
    EXPECT_EQ(a[0], b[0]) << "first load of an address";
    EXPECT_EQ(a[1], b[1]) << "first load of an address";
    for (int i = 2; i < 6; i++)
        EXPECT_LE(a[i], a[1] + 50000 + 2000 * 2);
}

TEST(Poll, SeesAWriteOfADeviceAfterItIsVisible)
{
    in_all_orders(one_device(), [](Machine &m) {
        Done d(m);
        Device *dev = m.device("dev");
        claim(m);
        m.run_until(2 * SIM_US);
        sim_time_t start = column(m.now());
        node_core_poll(m.core(), ram + 128, 8, Done::call, &d);
        dev->out.push_back(dev->write(ram + 64, { 1, 2, 3, 4 })); /* not watched */
        dev->out.push_back(dev->write(ram + 132, { 9, 0, 0, 0 }));
        dev->wake_at(start);
        m.run();
        EXPECT_TRUE(d.done);
        EXPECT_EQ(9, *m.ram(ram + 132));
        sim_time_t arrival = start + 2 * (8 + 16 + 4) * 250 + wire;
        EXPECT_EQ(arrival + 100000 + 60000, d.time);
        return d.time;
    });
}

TEST(Poll, SeesAStoreOfAnotherCore)
{
    Machine m(one_device());
    Done d(m), s(m);
    uint32_t v = 5;
    sim_time_t start = m.now();
    node_core_poll(m.core(0), ram, 4, Done::call, &d);
    node_core_store(m.core(1), ram, &v, 4, NODE_UNCACHED, Done::call, &s);
    m.run();
    EXPECT_EQ(start + 5000 + 60000, d.time);
}

TEST(Poll, OfSeveralWordsEndsAtTheFirstWriteOrTheDeadline)
{
    for (sim_time_t after : { sim_time_t(0), 4 * SIM_NS, 6 * SIM_NS }) {
        in_all_orders(one_device(), [&](Machine &m) {
            node_poll_word words[3] = {};
            Done d(m), s(m), t(m);
            uint32_t v = 5;
            sim_time_t start = m.now();

            for (unsigned i = 0; i < 3; i++) {
                words[i].watch.addr = ram + 64 * i;
                words[i].watch.size = 4;
            }
            node_core_poll_any(m.core(0), words, 3, after == 0 ? SIM_TIME_NEVER : start + after,
                               Done::call, &d);
            node_core_store(m.core(1), ram + 128, &v, 4, NODE_UNCACHED, Done::call, &s);
            node_core_store(m.core(2), ram, &v, 4, NODE_UNCACHED, Done::call, &t);
            m.run();
            EXPECT_TRUE(d.done);
            EXPECT_EQ(after == 4 * SIM_NS ? 1u : 0u, d.value);
            EXPECT_EQ(start + (after == 4 * SIM_NS ? after : 5 * SIM_NS + 60 * SIM_NS), d.time);
            EXPECT_FALSE(words[0].watch.armed || words[1].watch.armed || words[2].watch.armed);
            return Times{ d.time - start };
        });
    }
}

TEST(Core, TimeStampCounterCountsItsClock)
{
    Machine m(one_device({ { "tsc_khz", 2600000 }, { "cpu.tsc_read_ps", 10000 } }));
    m.run_until(3 * SIM_US);
    sim_time_t start = m.now();
    Done a = operate(m, [&](Done *d) { node_core_tsc(m.core(), Done::call, d); });
    EXPECT_EQ(start + 10000, a.time);
    EXPECT_EQ(a.time * 26 / 10000, a.value);
    operate(m, [&](Done *d) { node_core_spend(m.core(), 123456, Done::call, d); });
    Done b = operate(m, [&](Done *d) { node_core_tsc(m.core(), Done::call, d); });
    EXPECT_EQ(123456u + 10000, b.time - a.time);
    EXPECT_EQ(b.time * 26 / 10000, b.value);
}

TEST(Core, AHeldCoreStandsStillUntilItIsReleasedAsOftenAsItWasHeld)
{
    Machine m(one_device());
    Done works(m), waits(m), first(m), second(m), third(m);
    sim_time_t start = m.now();

    first.then = [&] {
        node_core_hold(m.core(0));
        node_core_hold(m.core(0));
        node_core_hold(m.core(1));
        EXPECT_TRUE(node_core_held(m.core(0)));
    };
    second.then = [&] { node_core_release(m.core(0)); };
    third.then = [&] {
        node_core_release(m.core(0));
        node_core_release(m.core(1));
        EXPECT_FALSE(node_core_held(m.core(0)));
    };
    node_core_spend(m.core(0), 10000, Done::call, &works);
    node_core_poll_any(m.core(1), nullptr, 0, start + 5000, Done::call, &waits);
    node_core_spend(m.core(2), 2000, Done::call, &first);
    node_core_spend(m.core(3), 6000, Done::call, &second);
    m.run_until(start + 6000);
    node_core_spend(m.core(2), 3000, Done::call, &third);
    m.run();
    EXPECT_EQ(start + 6000, second.time);
    EXPECT_EQ(start + 9000 + 8000, works.time) << "8 ns were left when it was held";
    EXPECT_EQ(start + 9000, waits.time) << "its deadline passed meanwhile";
}

TEST(Core, AContextAboveItWorksWhileItStandsStill)
{
    in_all_orders(one_device(), [](Machine &m) {
        Done below(m), above(m);
        uint64_t value = 7;
        node_core *core = m.core(1), *over = node_core_above(core);

        EXPECT_NE(nullptr, over);
        EXPECT_NE(over, node_core_above(m.core(2)));
        EXPECT_EQ(nullptr, node_core_above(over));
        claim(m);
        m.run_until(2 * SIM_US);
        sim_time_t start = m.now();
        node_core_spend(core, 10000, Done::call, &below);
        node_core_hold(core);
        above.then = [&] { node_core_release(core); };
        node_core_store(over, bar, &value, 8, NODE_UNCACHED, Done::call, &above);
        m.run();
        EXPECT_EQ(start + 400, above.time);
        EXPECT_EQ(start + 400 + 10000, below.time);
        EXPECT_EQ(1u, m.device("dev")->seen.size());
        return Times{ below.time - start };
    });
}

/* Completions find whatever context has asked: one above a core, and that of a single core's
 * interrupts. */
TEST(Core, EachContextLoadsFromDevices)
{
    for (uint64_t cores : { 1, 4 }) {
        in_all_orders(one_device({ { "cores", cores } }), [](Machine &m) {
            node_core *contexts[] = { m.core(), node_core_above(m.core()),
                                      node_host_interrupt_core(m.host()) };
            Times t;

            claim(m);
            m.run_until(2 * SIM_US);
            for (node_core *context : contexts) {
                sim_time_t start = m.now();
                Done d = operate(
                    m, [&](Done *d) { node_core_load(context, bar + 8, 8, Done::call, d); });
                EXPECT_NE(UINT64_MAX, d.value);
                EXPECT_LT(d.time - start, SIM_US);
                t.push_back(d.time - start);
            }
            return t;
        });
    }
}

TEST(Configuration, ReachesTheDeviceAndGivesItItsNumber)
{
    in_all_orders(one_device(), [](Machine &m) {
        EXPECT_EQ(0u, config(m, true, 0x100, 0x10, 0xfffffff0).value);
        const Seen s = m.device("dev")->seen[0];
        EXPECT_EQ(PCIE_CFGWR0, s.tlp.kind);
        EXPECT_EQ(0x100, s.tlp.completer_id);
        EXPECT_EQ(0x10u, s.tlp.addr);
        EXPECT_EQ((std::vector<uint8_t>{ 0xf0, 0xff, 0xff, 0xff }), s.data);
        EXPECT_EQ(0x13121110u, config(m, false, 0x100, 0x10).value);
        EXPECT_EQ(0x0e028086u, config(m, false, 0x000, 0).value) << "root port 0";
        EXPECT_EQ(0x00020200u, config(m, false, 1 << 3, 0x18).value) << "secondary bus of port 1";
        EXPECT_EQ(UINT64_MAX, config(m, false, 0x200, 0).value) << "nothing plugged in";
        EXPECT_EQ(UINT64_MAX, config(m, false, 0x108, 0).value) << "no device 1";
        EXPECT_EQ(UINT64_MAX, config(m, false, 0x2000, 0).value) << "no such bus";
        m.device("dev")->status = PCIE_CPL_UR;
        EXPECT_EQ(UINT64_MAX, config(m, false, 0x100, 0).value);
        EXPECT_EQ(0u, m.stat("node0.host.failed_loads")) << "probing is no error";
        return m.now();
    });
}

TEST(Interrupt, AWriteToTheMessageAddressRunsTheHandler)
{
    in_all_orders(one_device(), [](Machine &m) {
        struct Irq {
            Machine *m;
            Times seen;
        } irq = { &m, {} };
        Device *dev = m.device("dev");
        m.run_until(2 * SIM_US);
        node_host_set_irq(
            m.host(),
            [](void *arg, uint32_t vector) {
                Irq *i = static_cast<Irq *>(arg);
                i->seen.push_back(vector);
                i->seen.push_back(i->m->now());
            },
            &irq);
        sim_time_t start = column(m.now());
        dev->out.push_back(dev->write(node_host_msi_address(m.host()), { 0x21, 0x01, 0, 0 }));
        dev->out.push_back(dev->write(node_host_msi_address(m.host()), { 0x22, 0, 0, 0 }));
        dev->wake_at(start);
        m.run();
        sim_time_t first = start + (8 + 12 + 4) * 250 + wire + 100000 + 1500000;
        EXPECT_EQ((Times{ 0x121, first, 0x22, first + 6000 }), irq.seen);
        return irq.seen;
    });
}

} // namespace
