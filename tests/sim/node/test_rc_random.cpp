/*
 * Random traffic between DRAM, cores and three devices over short queues and few
 * credits: nothing is lost, made twice or reordered on its path, nothing gets
 * stuck, and no order of events shows.
 */
#include "machine_fixture.h"

#include <random>

namespace
{

using namespace test;

constexpr uint64_t ram = UINT64_C(1) << 32;
constexpr unsigned devices = 3;
constexpr unsigned operations = 150; /* each device's and core's */

uint64_t bar(unsigned i)
{
    return (i + 1) * (UINT64_C(1) << 40);
}

std::string name(unsigned i)
{
    return std::string("d") + std::to_string(i);
}

Builder tight()
{
    const Values port = { { "port.ph_credits", 4 },    { "port.pd_credits", 32 },
                          { "port.nph_credits", 2 },   { "port.cplh_credits", 4 },
                          { "port.cpld_credits", 32 }, { "port.tx_queue_tlps", 2 },
                          { "port.replay_tlps", 4 } };
    Values host = port;
    Builder b;

    host.insert({ { "cores", 2 },
                  { "ram_bytes", 1 << 20 },
                  { "rc.p2p_read_bytes", 512 },
                  { "rc.socket_reads", 1 },
                  { "rc.memory_reads", 2 },
                  { "rc.memory_write_ps", 300000 },
                  { "cpu.store_buffers", 3 },
                  { "cpu.posted_writes", 2 },
                  { "cpu.store_uc_interval_ps", 5000 },
                  { "p2.socket", 1 } });
    b.add(0, "host", &node_host_kind, host);
    for (unsigned i = 0; i < devices; i++) {
        b.add(0, name(i).c_str(), device_kind(), port);
        b.link(0, "host", (std::string("p") + std::to_string(i)).c_str(), name(i).c_str(), "up",
               100 * i);
    }
    return b;
}

struct Traffic {
    Machine &m;
    std::mt19937_64 rng;
    std::map<std::pair<unsigned, unsigned>, uint32_t> sent;       /* (from, to): writes */
    std::vector<uint64_t> asked = std::vector<uint64_t>(devices); /* bytes to be read */
    Done store_done, load_done;
    unsigned stores = 0, loads = 0;

    Traffic(Machine &machine, uint64_t seed)
        : m(machine), rng(seed), store_done(machine), load_done(machine)
    {
    }

    /** A write says who sent it and which one on its path it is. */
    std::vector<uint8_t> mark(unsigned from, unsigned to)
    {
        uint32_t n = sent[{ from, to }]++;
        std::vector<uint8_t> v(8 + 4 * (rng() % 32));

        v[0] = (uint8_t)from;
        memcpy(&v[4], &n, 4);
        return v;
    }
    void fill(unsigned from)
    {
        Device *d = m.device(name(from).c_str());

        for (unsigned i = 0; i < operations; i++) {
            unsigned to = (unsigned)(rng() % (devices + 1));
            uint64_t offset = (rng() % 4096) * 8;

            if (to == from)
                continue;
            uint64_t at = to == devices ? ram : bar(to);
            if (rng() % 2 != 0) {
                /* Writes to DRAM have a slot for each sender: the last one must stay. */
                std::vector<uint8_t> v = mark(from, to);
                d->out.push_back(d->write(to == devices ? at + 65536 + from * 1024 : at, v));
            } else {
                uint32_t n = 64 + 4 * (uint32_t)(rng() % 16);

                at += offset % 32768;
                n = pcie_split(at, n, n);
                d->out.push_back(d->read(at, n, (uint8_t)i));
                asked[from] += n;
            }
        }
        d->wake_at(m.now() + 1 + rng() % 5000);
    }
    void next_store()
    {
        if (stores++ == operations)
            return;
        unsigned to = (unsigned)(rng() % devices);
        std::vector<uint8_t> v = mark(devices, to);
        node_core_store(m.core(0), bar(to) + 8, v.data(), 8, NODE_UNCACHED, Done::call,
                        &store_done);
    }
    void next_load()
    {
        if (loads++ == operations)
            return;
        unsigned to = (unsigned)(loads % devices);
        node_core_load(m.core(1), bar(to) + 8 * loads, 8, Done::call, &load_done);
    }
    void check_device(unsigned i)
    {
        Device *d = m.device(name(i).c_str());
        uint32_t next[devices + 1] = {};
        uint64_t bytes = 0;

        for (const Seen &s : d->seen) {
            if (s.tlp.kind == PCIE_MWR) {
                uint32_t n;
                memcpy(&n, &s.data[4], 4);
                ASSERT_EQ(next[s.data[0]]++, n) << "from " << (int)s.data[0] << " to " << i;
            }
            if (s.tlp.kind == PCIE_CPLD)
                bytes += s.data.size();
            if (s.tlp.kind == PCIE_CPL) {
                EXPECT_EQ(PCIE_CPL_SC, s.tlp.status);
            }
        }
        for (unsigned from = 0; from <= devices; from++)
            EXPECT_EQ((sent[{ from, i }]), next[from]) << "from " << from << " to " << i;
        EXPECT_TRUE(d->out.empty()) << i;
        EXPECT_EQ(asked[i], bytes) << i;
        uint32_t last;
        memcpy(&last, m.ram(ram + 65536 + i * 1024) + 4, 4);
        EXPECT_EQ((sent[{ i, devices }]), last + 1) << "the last write to DRAM stays";
    }
};

TEST(RootComplex, RandomTrafficIsCompleteAndInOrder)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        in_all_orders(tight(), [&](Machine &m) {
            Traffic t(m, seed);

            for (unsigned i = 0; i < devices; i++)
                m.configure(i, bar(i), 1 << 20);
            for (unsigned i = 0; i < devices; i++) {
                m.device(name(i).c_str())->seen.clear();
                t.fill(i);
            }
            t.store_done.then = [&] { t.next_store(); };
            t.load_done.then = [&] { t.next_load(); };
            t.next_store();
            t.next_load();
            m.run();
            EXPECT_EQ(operations + 1, t.stores);
            EXPECT_EQ(operations + 1, t.loads);
            EXPECT_EQ(0u, m.stat("node0.host.failed_loads"));
            EXPECT_EQ(0u, m.stat("node0.host.rc.stray_completions"));
            std::vector<sim_time_t> times;
            for (unsigned i = 0; i < devices; i++) {
                t.check_device(i);
                for (const Seen &s : m.device(name(i).c_str())->seen)
                    times.push_back(s.time);
            }
            return times;
        });
    }
}

} // namespace
