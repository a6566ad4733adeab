/* The copy engines of a GPU, and the bells that start them. */
#include "gpu_fixture.h"

#include "pcie/lossy/fault.h"

namespace
{

using namespace test;

struct CopyDone {
    Machine *m;
    Times times;

    static void call(void *arg)
    {
        CopyDone *c = static_cast<CopyDone *>(arg);
        c->times.push_back(c->m->now());
    }
};

TEST(Copy, InsideTheDeviceTakesSetUpAndSizeOverRate)
{
    in_all_orders(with_gpu({ { "copy.local_bytes_per_us", 50000 } }), [](Machine &m) {
        CopyDone done = { &m, {} };
        auto v = pattern(100000);
        std::copy(v.begin(), v.end(), node_gpu_bytes(m.gpu()));
        sim_time_t start = m.now();
        start_copy(m.gpu(), {}, device_end(1 << 20), device_end(0), v.size(), CopyDone::call,
                   &done);
        start_copy(m.gpu(), {}, device_end(1 << 21), device_end(1 << 20), v.size(), CopyDone::call,
                   &done);
        m.run();
        EXPECT_EQ((Times{ start + 3000000, start + 6000000 }), done.times);
        EXPECT_EQ(0, memcmp(v.data(), node_gpu_bytes(m.gpu()) + (1 << 21), v.size()));
        return done.times;
    });
}

TEST(Copy, ToAndFromHostMemoryKeepsEveryByteAtAnyAlignment)
{
    for (uint64_t shift : { 0u, 1u, 5u, 255u, 4095u }) {
        in_all_orders(with_gpu(), [&](Machine &m) {
            CopyDone done = { &m, {} };
            auto v = pattern(20001, (unsigned)shift);
            set_up(m);
            std::copy(v.begin(), v.end(), m.ram(ram + 4096 + shift));
            start_copy(m.gpu(), {}, device_end(page + 3), bus_end(ram + 4096 + shift), v.size(),
                       CopyDone::call, &done);
            start_copy(m.gpu(), { NODE_GPU_COPY, 1 }, bus_end(ram + (1 << 20) + shift),
                       device_end(page + 3), v.size(), CopyDone::call, &done);
            start_copy(m.gpu(), {}, bus_end(ram + (1 << 21) + 7), bus_end(ram + 4096 + shift),
                       v.size(), CopyDone::call, &done);
            m.run();
            EXPECT_EQ(3u, done.times.size());
            EXPECT_EQ(0, memcmp(v.data(), node_gpu_bytes(m.gpu()) + page + 3, v.size()));
            EXPECT_EQ(0, memcmp(v.data(), m.ram(ram + (1 << 20) + shift), v.size()));
            EXPECT_EQ(0, memcmp(v.data(), m.ram(ram + (1 << 21) + 7), v.size()));
            EXPECT_EQ(0, *m.ram(ram + (1 << 21) + 6));
            EXPECT_EQ(0, *m.ram(ram + (1 << 21) + 7 + v.size()));
            EXPECT_EQ(0u, m.stat("node0.gpu.copy_errors"));
            return done.times;
        });
    }
}

/* The engine passes gaps of device memory in no time. */
TEST(Copy, GathersAndScattersRowsOfTheDevice)
{
    const uint64_t rows = 37, row = 1000, pitch = 3 * row + 7, far = 1 << 20;
    auto way = [&](uint64_t out_row, uint64_t in_row) {
        return in_all_orders(with_gpu(), [&](Machine &m) {
            CopyDone done = { &m, {} };
            auto v = pattern(rows * pitch);
            set_up(m);
            std::copy(v.begin(), v.end(), node_gpu_bytes(m.gpu()));
            start_copy(m.gpu(), {}, bus_end(ram + 3), device_end(0, out_row, pitch), rows * row,
                       CopyDone::call, &done);
            start_copy(m.gpu(), { NODE_GPU_COPY_OUT, 1 }, device_end(far + 5, in_row, pitch),
                       bus_end(ram + 3), rows * row, CopyDone::call, &done);
            m.run();
            for (uint64_t i = 0; i < rows * (out_row != 0 && in_row != 0); i++) {
                EXPECT_EQ(0, memcmp(&v[i * pitch], m.ram(ram + 3 + i * row), row)) << i;
                EXPECT_EQ(0,
                          memcmp(&v[i * pitch], node_gpu_bytes(m.gpu()) + far + 5 + i * pitch, row))
                    << i;
                EXPECT_EQ(0, node_gpu_bytes(m.gpu())[far + 5 + i * pitch + row]) << i;
            }
            return done.times;
        });
    };
    EXPECT_EQ(way(0, 0), way(row, row));
}

/* Two engines: both ways at once take as long as the longer one, but for what they share of the
 * link. One waits for the other only where it has to. */
TEST(Copy, OneEngineForEachWay)
{
    auto both = [](uint64_t out, uint64_t in, uint64_t after) {
        Machine m(with_gpu({ { "copy.bus_bytes_per_us", 1000 } }));
        CopyDone done = { &m, {} };
        set_up(m);
        sim_time_t start = m.now();
        start_copy(m.gpu(), {}, device_end(0), bus_end(ram), in, CopyDone::call, &done);
        start_copy(m.gpu(), { NODE_GPU_COPY, after }, bus_end(ram + (1 << 20)), device_end(1 << 20),
                   out, CopyDone::call, &done);
        m.run();
        return done.times.back() - start;
    };
    sim_time_t alone = both(64, 100000, 0);
    EXPECT_NEAR(100.0e6, (double)alone, 3e6) << "1000 bytes each microsecond, and the set-up";
    EXPECT_NEAR((double)alone, (double)both(100000, 100000, 0), 1e6);
    EXPECT_NEAR((double)(2 * alone), (double)both(100000, 100000, 1), 1e6);
}

/** A core stores lines to the BAR one after the other; `then` is called once `before` bytes have
 * been stored and are on their way. It lives until the machine has run. */
struct Stores {
    Machine *m;
    std::vector<uint8_t> bytes;
    size_t before;
    unsigned core;
    std::function<void()> then;
    size_t at = 0;

    static void call(void *arg, uint64_t)
    {
        Stores *s = static_cast<Stores *>(arg);
        size_t from = s->at, size = std::min<size_t>(64, s->bytes.size() - from);

        if (from == s->before)
            s->then();
        if (size == 0)
            return;
        s->at += size;
        node_core_store(s->m->core(s->core), bar + from, s->bytes.data() + from, (uint32_t)size,
                        NODE_WRITE_COMBINING, call, s);
    }
};

/** A GPU that takes a write each microsecond, so that stores wait in the root complex. */
Builder slow_writes()
{
    return with_gpu(
        { { "write_interval_ps", SIM_US }, { "write_ack_ps", SIM_US }, { "port.ph_credits", 4 } });
}

/* A copy comes behind what its core has stored, and what another core had stored before; a bell
 * that is not on the way of stores comes first. */
TEST(Copy, BeginsBehindWhatCoresHaveStored)
{
    constexpr size_t bytes = 60 * 64 + 8; /* the last ones wait for more of their line */
    enum Bell { NOT_ON_THE_WAY, OF_THE_CORE, OF_ITS_OTHER_CONTEXT, OF_ANOTHER_CORE };
    auto good = [&](Machine &m, Bell bell, Times *times) {
        CopyDone done = { &m, {} };
        Stores stores = { &m, pattern(bytes), bytes, bell == OF_ANOTHER_CORE ? 1u : 0u, {} };
        Done fence(m);

        set_up(m);
        fence.then = [&] {
            node_core *from = bell == OF_ITS_OTHER_CONTEXT ? node_core_above(m.core()) : m.core();
            node_gpu_job *job = node_gpu_copy(m.gpu(), {}, bus_end(ram), device_end(0), bytes,
                                              CopyDone::call, &done);

            if (bell == NOT_ON_THE_WAY)
                node_gpu_ring(job, 0);
            else
                node_core_ring(from, 0, node_gpu_ring, job);
        };
        stores.then = [&] {
            if (bell != OF_ANOTHER_CORE)
                return fence.then();
            node_core_fence(m.core(1), Done::call, &fence); /* before others may know of them */
        };
        Stores::call(&stores, 0);
        m.run();
        Done last(m);
        node_core_fence(m.core(), Done::call, &last); /* the rest of a line */
        m.run();
        EXPECT_EQ(1u, done.times.size());
        EXPECT_EQ(0, memcmp(stores.bytes.data(), node_gpu_bytes(m.gpu()), bytes));
        *times = done.times;
        return memcmp(stores.bytes.data(), m.ram(ram), bytes) == 0;
    };
    for (Bell bell : { OF_THE_CORE, OF_ITS_OTHER_CONTEXT, OF_ANOTHER_CORE })
        in_all_orders(slow_writes(), [&](Machine &m) {
            Times times;

            EXPECT_TRUE(good(m, bell, &times)) << bell;
            return times;
        });
    Machine m(slow_writes());
    Times times;
    EXPECT_FALSE(good(m, NOT_ON_THE_WAY, &times));
}

/* A core that goes on storing does not delay a copy that it began before. */
TEST(Copy, DoesNotWaitForLaterStores)
{
    constexpr unsigned lines = 400, before = 10;

    in_all_orders(slow_writes(), [&](Machine &m) {
        CopyDone done = { &m, {} };
        Stores stores = { &m, pattern(lines * 64), before * 64, 0, {} };

        set_up(m);
        stores.then = [&] {
            node_core_ring(m.core(), 0, node_gpu_ring,
                           node_gpu_copy(m.gpu(), {}, bus_end(ram), device_end(0), before * 64,
                                         CopyDone::call, &done));
        };
        Stores::call(&stores, 0);
        m.run_until(200 * SIM_US);
        EXPECT_EQ(1u, done.times.size());
        EXPECT_EQ(0, memcmp(stores.bytes.data(), m.ram(ram), before * 64));
        EXPECT_GT(lines * 64, stores.at) << "all was stored before the copy was looked at";
        m.run();
        EXPECT_EQ(0, memcmp(stores.bytes.data(), node_gpu_bytes(m.gpu()), lines * 64));
        return done.times;
    });
}

/* Nor do stores to one device delay the bell of another, once they have left the core: 32 may. */
TEST(Copy, DoesNotWaitForStoresToAnotherDevice)
{
    constexpr unsigned lines = 30;

    in_all_orders(slow_writes(), [&](Machine &m) {
        Done rung[2] = { Done(m), Done(m) };
        Stores stores = { &m, pattern(lines * 64), lines * 64, 0, {} };

        set_up(m);
        stores.then = [&] {
            for (unsigned port : { 0, 1 })
                node_core_ring(m.core(), port, Done::call, &rung[port]);
        };
        Stores::call(&stores, 0);
        m.run();
        EXPECT_EQ(lines, rung[0].value) << "of posted packets";
        EXPECT_EQ(0u, rung[1].value);
        EXPECT_GT(rung[0].time, rung[1].time + 2 * SIM_US);
        return Times{ rung[0].time, rung[1].time };
    });
}

/** With its GPU's link down for a while. */
Builder with_outage(Builder b, sim_time_t at, sim_time_t lasts, std::vector<uint64_t> *values,
                    machine_fault_desc *fault)
{
    const machine_fault_kind *down = pcie_faults;

    while (strcmp(down->name, "down") != 0)
        down++;
    for (const machine_param *p = down->params; p->key != nullptr; p++)
        values->push_back(strcmp(p->key, "at") == 0    ? at
                          : strcmp(p->key, "for") == 0 ? lasts
                                                       : p->def);
    *fault = {};
    fault->component = "gpu", fault->port = "pcie";
    fault->kind = down;
    fault->values = values->data();
    b.desc.nfaults = 1;
    b.desc.faults = fault;
    return b;
}

/** A bell of core 0, and a copy within the GPU that waits for it. */
void ring_copy(Machine &m, CopyDone *done)
{
    node_core_ring(
        m.core(), 0, node_gpu_ring,
        node_gpu_copy(m.gpu(), {}, device_end(page), device_end(0), 64, CopyDone::call, done));
}

/* What is lost with the link never comes: no copy waits for it. No page is pinned, which is one to
 * writes. */
TEST(Copy, DoesNotWaitForWhatTheLinkHasLost)
{
    constexpr sim_time_t down_at = 20 * SIM_US, down_for = 5 * SIM_US;
    constexpr unsigned lines = 30, later = 10;
    std::vector<uint64_t> values;
    machine_fault_desc fault;
    Builder b = with_outage(slow_writes(), down_at, down_for, &values, &fault);

    in_all_orders(b, [&](Machine &m) {
        CopyDone done = { &m, {} };
        Stores stores = { &m, pattern(lines * 64), lines * 64, 0, {} };

        EXPECT_EQ(SIM_OK, node_host_claim(m.host(), 0, bar, 1 << 22, nullptr));
        stores.then = [&] { ring_copy(m, &done); };
        Stores::call(&stores, 0);
        m.run_until(down_at);
        EXPECT_EQ(0u, done.times.size());
        m.run_until(down_at + SIM_US);
        Done during(m);
        node_core_store(m.core(), bar, &stores.bytes[0], 64, NODE_WRITE_COMBINING, Done::call,
                        &during);
        m.run_until(down_at + 2 * SIM_US);
        ring_copy(m, &done); /* behind a store that is lost, too */
        m.run();
        EXPECT_EQ(2u, done.times.size());
        uint64_t taken = m.stat("node0.gpu.unpinned_writes");
        EXPECT_GT(lines, taken) << "nothing was lost";
        sim_time_t start = m.now();
        Stores more = { &m, pattern(later * 64), later * 64, 0, {} };
        more.then = stores.then; /* what is handed over is counted from the new start of the link */
        Stores::call(&more, 0);
        m.run();
        EXPECT_EQ(3u, done.times.size());
        EXPECT_LT(start + (later - 1) * SIM_US, done.times.back());
        EXPECT_EQ(taken + later, m.stat("node0.gpu.unpinned_writes"));
        return done.times;
    });
}

/* Nothing else wakes the GPU then. */
TEST(Copy, GoesOnWhenTheOnlyStoreBeforeItIsLost)
{
    constexpr sim_time_t begin = 20 * SIM_US;
    sim_time_t way = 0; /* from the bell to its port */
    std::vector<uint64_t> values;
    machine_fault_desc fault;
    auto run = [&](Machine &m) {
        CopyDone done = { &m, {} };
        Done rung(m);
        const std::vector<uint8_t> line = pattern(64);

        EXPECT_EQ(SIM_OK, node_host_claim(m.host(), 0, bar, 1 << 22, nullptr));
        m.run_until(begin);
        sim_time_t start = m.now();
        Done stored(m);
        node_core_store(m.core(), bar, line.data(), 64, NODE_WRITE_COMBINING, Done::call, &stored);
        node_core_ring(m.core(), 0, Done::call, &rung);
        ring_copy(m, &done);
        m.run();
        way = rung.time - start;
        EXPECT_EQ(1u, done.times.size());
        EXPECT_GT(start + 2 * SIM_US, done.times.at(0));
        return m.stat("node0.gpu.unpinned_writes");
    };
    const Values gpu = { { "copy.setup_ps", 1000 } }; /* is over before */
    Machine up(with_gpu(gpu));
    EXPECT_EQ(1u, run(up));
    Builder b = with_outage(with_gpu(gpu), begin + way + 10000, 5 * SIM_US, &values, &fault);
    in_all_orders(b, [&](Machine &m) {
        EXPECT_EQ(0u, run(m)) << "it came";
        return way;
    });
}

TEST(Copy, BandwidthIsThatOfTheLinkOrOfTheReadsInFlight)
{
    auto per_mib = [](Values v, bool to_device) {
        Machine m(with_gpu(v));
        CopyDone done = { &m, {} };
        set_up(m);
        node_gpu_end dev = device_end(0), mem = bus_end(ram);
        for (uint64_t n : { 1u << 20, 1u << 21 })
            start_copy(m.gpu(), {}, to_device ? dev : mem, to_device ? mem : dev, n, CopyDone::call,
                       &done);
        sim_time_t start = m.now();
        m.run();
        return (double)(done.times[1] - done.times[0]) - (double)(done.times[0] - start);
    };
    double writes = (1 << 20) / 256.0 * (8 + 16 + 256) * 250;
    EXPECT_NEAR(writes, per_mib({}, false), 0.02 * writes);
    double completions = (1 << 20) / 64.0 * (8 + 12 + 64) * 250;
    EXPECT_NEAR(completions, per_mib({}, true), 0.02 * completions);
    /* Two requests of 512 bytes: round trip of link, DRAM, and eight completions. */
    double trip = 24 * 250 + wire_gpu + 200000 + 8 * 84 * 250 + wire_gpu;
    double few = (1 << 20) / 1024.0 * trip;
    EXPECT_NEAR(few, per_mib({ { "copy.tags", 2 } }, true), 0.08 * few);
}

TEST(Copy, ToAPeerGoesThroughTheRootComplex)
{
    Builder b = with_gpu();
    b.add(0, "gpu1", &node_gpu_kind, { { "memory_bytes", 1 << 23 }, { "bar_bytes", 1 << 22 } });
    b.link(0, "host", "p2", "gpu1", "pcie");
    in_all_orders(b, [](Machine &m) {
        CopyDone done = { &m, {} };
        uint64_t at;
        auto v = pattern(100000);
        set_up(m);
        m.configure(2, UINT64_C(3) << 40, 1 << 22);
        EXPECT_EQ(SIM_OK, node_gpu_pin(m.gpu("gpu1"), 8 * page, 4 * page, &at));
        std::copy(v.begin(), v.end(), node_gpu_bytes(m.gpu()) + 64);
        start_copy(m.gpu(), {}, bus_end((UINT64_C(3) << 40) + at), device_end(64), v.size(),
                   CopyDone::call, &done);
        m.run();
        EXPECT_EQ(0, memcmp(v.data(), node_gpu_bytes(m.gpu("gpu1")) + 8 * page, v.size()));
        start_copy(m.gpu(), {}, device_end(1 << 20), bus_end((UINT64_C(3) << 40) + at), v.size(),
                   CopyDone::call, &done);
        m.run();
        EXPECT_EQ(0, memcmp(v.data(), node_gpu_bytes(m.gpu()) + (1 << 20), v.size()));
        return done.times;
    });
}

/* Its writes wait for a slow peer; only a read of the engine's own comes behind them. */
TEST(Copy, ToAPeerEndsWhenItsBytesAreThere)
{
    constexpr uint64_t far = UINT64_C(3) << 40;
    constexpr size_t bytes = 8192;
    struct End {
        Machine *m;
        std::vector<uint8_t> v;
        unsigned ended = 0;
        bool there = false;

        static void call(void *arg)
        {
            End *e = static_cast<End *>(arg);
            e->ended++;
            e->there = memcmp(e->v.data(), node_gpu_bytes(e->m->gpu("gpu1")), bytes) == 0;
        }
    };
    Builder b = with_gpu();
    b.add(0, "gpu1", &node_gpu_kind,
          { { "memory_bytes", 1 << 23 },
            { "bar_bytes", 1 << 22 },
            { "write_interval_ps", SIM_US },
            { "port.ph_credits", 4 } });
    b.link(0, "host", "p2", "gpu1", "pcie");
    auto run = [&](Machine &m, bool peer) {
        End end = { &m, pattern(bytes) };
        uint64_t at;

        set_up(m);
        m.configure(2, far, 1 << 22);
        EXPECT_EQ(SIM_OK, node_gpu_pin(m.gpu("gpu1"), 0, 4 * page, &at));
        std::copy(end.v.begin(), end.v.end(), node_gpu_bytes(m.gpu()));
        start_copy(m.gpu(), {}, bus_end(far + at, peer), device_end(0), bytes, End::call, &end);
        m.run();
        EXPECT_EQ(1u, end.ended);
        EXPECT_EQ(0u, node_gpu_failed_copies(m.gpu()));
        EXPECT_EQ(0, memcmp(end.v.data(), node_gpu_bytes(m.gpu("gpu1")), bytes));
        return end.there;
    };
    in_all_orders(b, [&](Machine &m) {
        EXPECT_TRUE(run(m, true));
        return m.now();
    });
    Machine m(b);
    EXPECT_FALSE(run(m, false));
}

TEST(Copy, AFailedReadIsCountedAndShowsAllOnes)
{
    in_all_orders(with_gpu(), [](Machine &m) {
        CopyDone done = { &m, {} };
        set_up(m);
        start_copy(m.gpu(), {}, device_end(0), bus_end(UINT64_C(1) << 45), 1000, CopyDone::call,
                   &done);
        m.run();
        EXPECT_EQ(1u, done.times.size());
        EXPECT_EQ(2u, m.stat("node0.gpu.copy_errors"));
        for (unsigned i = 0; i < 1000; i++)
            EXPECT_EQ(0xff, node_gpu_bytes(m.gpu())[i]);
        return done.times;
    });
}

} // namespace
