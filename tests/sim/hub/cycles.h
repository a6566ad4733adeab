/*
 * One hub between a host at N and neighbours at E and W, on links so fast that times are edges.
 * What is sent a cycle before edge n (up to 128 bytes) has its first beat at edge n. A packet
 * arrives less than a cycle behind the end of its last beat, so the edge of its grant is known.
 */
#ifndef TESTS_HUB_CYCLES_H
#define TESTS_HUB_CYCLES_H

#include "rig.h"

constexpr uint64_t kCable = UINT64_C(1) << 40; /* base of the window on a cable */

class Cycles : public HubRig
{
  protected:
    static constexpr sim_time_t kCycle = 4000;
    static constexpr unsigned kEast = 1, kWest = 2; /* slots of the neighbours */
    FakeHost east_, west_;

    Cycles()
    {
        cfg.hard_block_ps = 0;
        cfg.bubble_tlps = 1;
        cfg.role[HUB_PORT_w] = HUB_ENDPOINT;
        for (auto &p : cfg.port) {
            p.gen = 5;
            p.lanes = 16;
            p.tx_latency_ps = p.rx_latency_ps = 0;
            p.skp_interval_blocks = 0;
        }
        host_ps = 0;
        before_start = [this] { join_neighbours(); };
    }
    void make()
    {
        build(1);
        hosts[0].records = true;
        for (FakeHost *h : { &hosts[0], &east_, &west_ })
            h->seen.clear();
    }
    void TearDown() override
    {
        for (FakeHost *h : { &east_, &west_ }) {
            pcie_port_destroy(h->port);
            mem_pool_destroy(h->pool);
            *h = FakeHost();
        }
        HubRig::TearDown();
        steps_.clear();
    }
    FakeHost &host() { return hosts[0]; }
    /** An edge to begin with, when all is quiet. */
    uint64_t soon() { return sim_reached(sim) / kCycle + 100; }
    void at(uint64_t edge, std::function<void()> fn)
    {
        steps_.emplace_back();
        sim_event_init(&steps_.back().ev, Step::run);
        steps_.back().fn = std::move(fn);
        sim_schedule_at(doms[0], &steps_.back().ev, edge * kCycle, SIM_ARRIVE);
    }
    /** `fn` sends packets; the first one has its first beat at that edge. */
    void beat(uint64_t edge, std::function<void()> fn) { at(edge - 1, std::move(fn)); }

    /** An address on a cable. */
    static uint64_t cable(uint64_t window_addr) { return window_addr - kBar + kCable; }
    uint64_t beats(uint64_t data) const { return 1 + (data + cfg.bus_bytes - 1) / cfg.bus_bytes; }
    uint64_t granted(const Seen &s) const { return s.time / kCycle - beats(s.data.size()); }
    /** Edges at which packets for a host or neighbour were granted. */
    std::vector<uint64_t> grants(const FakeHost &h) const
    {
        std::vector<uint64_t> all;

        for (const Seen &s : h.seen)
            all.push_back(granted(s));
        return all;
    }
    /** The same of those of a kind. */
    std::vector<uint64_t> grants(const FakeHost &h, unsigned kind) const
    {
        std::vector<uint64_t> all;

        for (const Seen &s : h.seen)
            if (s.tlp.kind == kind)
                all.push_back(granted(s));
        return all;
    }
    /** The edge at which SELF was granted the read of HUB_DMA_CLOCK with this tag. */
    uint64_t clock(uint8_t tag)
    {
        uint64_t v = 0;

        EXPECT_EQ(1u, host().answers.count(tag)) << "no completion";
        memcpy(&v, host().answers[tag].payload->data, 8);
        return v;
    }
    uint8_t read_clock() { return host().read(reg(0, HUB_DMA(0) + HUB_DMA_CLOCK), 8); }
    void write_bytes(FakeHost &h, uint64_t addr, uint32_t n)
    {
        std::vector<uint8_t> bytes(n);

        fill(bytes, addr);
        h.write(addr, bytes.data(), n);
    }
    /** From a first beat to the grant by a port, and by SELF or SINK, where nothing is in the way.
     */
    uint64_t to_port() const { return to_self() + cfg.output_cycles; }
    uint64_t to_self() const { return cfg.receive_cycles + cfg.route_cycles; }
    /** From a first beat of a write of a register to its effect. */
    uint64_t to_effect() const { return to_self() + 1; }

  private:
    struct Step {
        sim_event ev;
        std::function<void()> fn;

        static void run(sim_event *ev) { reinterpret_cast<Step *>(ev)->fn(); }
    };
    std::deque<Step> steps_;

    void join_neighbours()
    {
        machine_routes r = {};
        sim_error err = {};

        r.window_bytes = kWindow;
        r.part_bytes = kPart;
        r.ranges[r.nranges++] = { "e", kEast, kEast };
        r.ranges[r.nranges++] = { "w", kWest, kWest };
        ASSERT_EQ(SIM_OK, hub_kind.set_routes(hubs[0], &r, &err)) << err.text;
        for (auto &[h, port] :
             std::vector<std::pair<FakeHost *, const char *>>{ { &east_, "e" }, { &west_, "w" } }) {
            h->dom = doms[0];
            h->neighbour = true;
            plug_host(*h, 0, port);
            h->config_write(PCIE_CFG_BAR(0), static_cast<uint32_t>(kCable));
            h->config_write(PCIE_CFG_BAR(1), static_cast<uint32_t>(kCable >> 32));
            h->config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER);
        }
    }
};

#endif
