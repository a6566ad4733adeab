/*
 * Machines for tests: built from a few lines, with a scripted endpoint that
 * records what reaches it and answers reads. Each scenario runs in the fast
 * order, with ties shuffled, with turns shuffled, and with both.
 */
#ifndef TESTS_MACHINE_FIXTURE_H
#define TESTS_MACHINE_FIXTURE_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "node/gpu.h"
#include "node/host.h"

namespace test
{

/* ---- a scripted endpoint ----------------------------------------------------- */

struct device_config {
    uint64_t hold; /* 1: nothing received is consumed until release() */
    uint64_t answer_ps;
    pcie_port_config port;
};

/** A TLP as it was seen, with its time. */
struct Seen {
    sim_time_t time;
    pcie_tlp tlp;
    std::vector<uint8_t> data;
};

struct Device {
    sim_domain *dom;
    mem_pool *pool;
    pcie_port *port;
    device_config cfg;
    std::vector<Seen> seen;
    std::deque<pcie_tlp> out; /* to be sent, as the port takes them */
    std::deque<std::pair<sim_time_t, pcie_tlp>> answers;
    std::vector<std::pair<pcie_class, uint32_t>> held;
    bool silent = false; /* answers no reads */
    uint8_t status = PCIE_CPL_SC;
    uint16_t id = 0; /* from configuration writes */
    struct Hook {
        sim_event ev;
        Device *self;
    } pump_hook, answer_hook;

    void wake_at(sim_time_t t) { sim_schedule_by(dom, &pump_hook.ev, t, SIM_CLOCK); }
    /** In order; what is blocked is passed by other classes, but nothing passes a posted one. */
    void pump()
    {
        bool blocked[PCIE_CLASSES] = {};

        for (size_t i = 0; i < out.size() && !blocked[PCIE_POSTED];) {
            pcie_class cls = pcie_tlp_class(&out[i]);

            if (blocked[cls] || !pcie_port_can_send(port, cls)) {
                blocked[cls] = true;
                i++;
                continue;
            }
            pcie_port_send(port, &out[i]);
            out.erase(out.begin() + (long)i);
        }
    }
    pcie_tlp write(uint64_t addr, const std::vector<uint8_t> &bytes)
    {
        pcie_tlp t = {};
        t.kind = PCIE_MWR;
        t.requester_id = id;
        pcie_tlp_set_range(&t, addr, (uint32_t)bytes.size());
        t.payload = mem_payload_alloc(pool, t.length_dw * 4u);
        memset(t.payload->data, 0, t.length_dw * 4u);
        memcpy(t.payload->data + (addr & 3), bytes.data(), bytes.size());
        return t;
    }
    pcie_tlp read(uint64_t addr, uint32_t bytes, uint8_t tag)
    {
        pcie_tlp t = {};
        t.kind = PCIE_MRD;
        t.requester_id = id;
        t.tag = tag;
        pcie_tlp_set_range(&t, addr, bytes);
        return t;
    }
    void release()
    {
        for (auto &h : held)
            pcie_port_consume(port, h.first, h.second);
        held.clear();
        cfg.hold = 0;
    }
    std::vector<Seen> of_kind(int kind) const
    {
        std::vector<Seen> all;
        for (const Seen &s : seen)
            if (s.tlp.kind == kind)
                all.push_back(s);
        return all;
    }
    void answer(const pcie_tlp &request)
    {
        pcie_tlp c = {};
        uint64_t first;
        uint32_t n = pcie_tlp_range(&request, &first);

        c.kind = status == PCIE_CPL_SC && request.kind != PCIE_CFGWR0 ? PCIE_CPLD : PCIE_CPL;
        c.status = status;
        c.requester_id = request.requester_id;
        c.completer_id = id;
        c.tag = request.tag;
        c.byte_count = 4;
        if (request.kind == PCIE_MRD) {
            c.byte_count = (uint16_t)n;
            c.lower_addr = first & 0x7f;
        }
        if (c.kind == PCIE_CPLD) {
            c.length_dw = request.length_dw;
            c.payload = mem_payload_alloc(pool, c.length_dw * 4u);
            for (uint32_t i = 0; i < c.length_dw * 4u; i++)
                c.payload->data[i] = (uint8_t)(request.addr + i);
        }
        answers.emplace_back(sim_now(dom) + cfg.answer_ps, c);
        sim_schedule_by(dom, &answer_hook.ev, answers.front().first, SIM_CLOCK);
    }
};

inline void device_pump(sim_event *ev)
{
    SIM_CONTAINER_OF(ev, Device::Hook, ev)->self->pump();
}

inline void device_answer(sim_event *ev)
{
    Device *d = SIM_CONTAINER_OF(ev, Device::Hook, ev)->self;

    while (!d->answers.empty() && d->answers.front().first <= sim_now(d->dom)) {
        d->out.push_back(d->answers.front().second);
        d->answers.pop_front();
    }
    if (!d->answers.empty())
        sim_schedule_by(d->dom, &d->answer_hook.ev, d->answers.front().first, SIM_CLOCK);
    d->pump();
}

inline void device_received(void *user, pcie_tlp *tlp)
{
    Device *d = static_cast<Device *>(user);
    Seen s = { sim_now(d->dom), *tlp, {} };
    pcie_class cls = pcie_tlp_class(tlp);

    if (tlp->payload != nullptr)
        s.data.assign(tlp->payload->data, tlp->payload->data + pcie_tlp_data_bytes(tlp));
    if (tlp->kind == PCIE_CFGWR0)
        d->id = tlp->completer_id;
    if (d->cfg.hold != 0)
        d->held.emplace_back(cls, pcie_tlp_data_credits(tlp));
    else
        pcie_port_consume(d->port, cls, pcie_tlp_data_credits(tlp));
    s.tlp.payload = nullptr;
    d->seen.push_back(s);
    if (cls == PCIE_NONPOSTED && !d->silent)
        d->answer(*tlp);
    pcie_tlp_drop(tlp);
}

inline void device_ready(void *user, pcie_class)
{
    Device *d = static_cast<Device *>(user);

    sim_schedule_by(d->dom, &d->pump_hook.ev, sim_now(d->dom), SIM_CLOCK);
}

inline int device_create(const machine_place *place, const void *config, void **component_p,
                         sim_error *err)
{
    Device *d = new Device();
    pcie_port_user user = { device_received, device_ready, nullptr, d };

    d->dom = place->dom;
    d->cfg = *static_cast<const device_config *>(config);
    d->pool = mem_pool_create();
    sim_event_init(&d->pump_hook.ev, device_pump);
    sim_event_init(&d->answer_hook.ev, device_answer);
    d->pump_hook.self = d->answer_hook.self = d;
    int code = pcie_port_create(d->dom, d->pool, place->path, &d->cfg.port, &user, &d->port, err);
    if (code != SIM_OK) {
        mem_pool_destroy(d->pool);
        delete d;
        return code;
    }
    *component_p = d;
    return SIM_OK;
}

inline void device_destroy(void *component)
{
    Device *d = static_cast<Device *>(component);

    pcie_port_destroy(d->port);
    mem_pool_destroy(d->pool);
    delete d;
}

inline machine_port device_port(void *component, unsigned)
{
    return { "pcie", static_cast<Device *>(component)->port, pcie_link_join };
}

inline const machine_kind *device_kind()
{
    static const machine_param params[] = {
        { "hold", "1", 0, 1, 0, offsetof(device_config, hold), "consume nothing", nullptr },
        { "answer_ps", "ps", 0, SIM_MS, 100000, offsetof(device_config, answer_ps), "to answer",
          nullptr },
        MACHINE_PARAM_END
    };
    static const pcie_port_config defaults = [] {
        pcie_port_config c = {};

        c.tx_latency_ps = c.rx_latency_ps = 50000;
        return c;
    }();
    static const machine_group groups[] = { { "port.", nullptr, pcie_port_params,
                                              offsetof(device_config, port), 0, &defaults, false },
                                            {} };
    static const char *const ports[] = { "up", nullptr };
    static const machine_kind kind = [] {
        machine_kind k = {};

        k.name = "test.device";
        k.summary = "scripted";
        k.params = params;
        k.groups = groups;
        k.config_bytes = sizeof(device_config);
        k.ports = ports;
        k.create = device_create;
        k.port = device_port;
        k.destroy = device_destroy;
        return k;
    }();
    return &kind;
}

/* ---- building machines --------------------------------------------------------- */

using Values = std::map<std::string, uint64_t>;

struct Builder {
    struct Component {
        std::string name;
        const machine_kind *kind;
        std::shared_ptr<machine_param> rows;
        std::vector<machine_value> values; /* and one without a row */
    };
    struct Link {
        unsigned node_a, node_b;
        std::string component_a, port_a, component_b, port_b;
        uint64_t length_mm;
        unsigned line;
    };
    std::vector<std::deque<Component>> nodes;
    std::vector<std::deque<Link>> links;
    std::deque<Link> cables;
    machine_desc desc = {};

    Builder()
    {
        desc.name = "test";
        desc.ps_per_m = 5000;
        desc.net_latency_ps = 500000;
        desc.net_bytes_per_us = 1000;
    }

    void add(unsigned node, const char *name, const machine_kind *kind, const Values &values = {})
    {
        Component c = {
            name, kind, { machine_table_create(kind->params, kind->groups), free }, {}
        };
        size_t used = 0;

        if (nodes.size() <= node) {
            nodes.resize(node + 1);
            links.resize(node + 1);
        }
        for (const machine_param *p = c.rows.get(); p->key != nullptr; p++) {
            auto it = values.find(p->key);
            machine_value v = {};

            v.param = p;
            v.value = it != values.end() ? it->second : p->def;
            if (it != values.end()) {
                v.file = "test.yaml";
                v.line = 10 + (unsigned)c.values.size();
                used++;
            }
            c.values.push_back(v);
        }
        EXPECT_EQ(values.size(), used) << name << ": unknown key";
        c.values.push_back({});
        nodes[node].push_back(std::move(c));
    }
    void link(unsigned node, const char *a, const char *port_a, const char *b, const char *port_b,
              uint64_t mm = 0, unsigned line = 0)
    {
        links[node].push_back({ node, node, a, port_a, b, port_b, mm, line });
    }
    void cable(unsigned node_a, const char *a, const char *port_a, unsigned node_b, const char *b,
               const char *port_b, uint64_t mm = 1000)
    {
        cables.push_back({ node_a, node_b, a, port_a, b, port_b, mm, 7 });
    }
};

/** A machine with the description that it refers to. */
struct Machine {
    std::vector<std::vector<machine_component_desc>> components;
    std::vector<std::vector<machine_link_desc>> links;
    std::vector<machine_node_desc> nodes;
    std::vector<machine_link_desc> cables;
    Builder b;
    machine *m = nullptr;
    sim_error err = {};
    int code;

    static machine_link_desc plain(const Builder::Link &l)
    {
        machine_link_desc d = {};

        d.node_a = l.node_a, d.node_b = l.node_b;
        d.component_a = l.component_a.c_str(), d.port_a = l.port_a.c_str();
        d.component_b = l.component_b.c_str(), d.port_b = l.port_b.c_str();
        d.length_mm = l.length_mm;
        d.file = l.line != 0 ? "test.yaml" : nullptr;
        d.line = l.line;
        return d;
    }

    Machine(const Builder &builder, const sim_order &order = {}, uint64_t seed = 1,
            bool fingerprint = true)
        : b(builder)
    {
        sim_config cfg = { seed, fingerprint, order, nullptr, true };

        components.resize(b.nodes.size());
        links.resize(b.nodes.size());
        for (size_t i = 0; i < b.nodes.size(); i++) {
            machine_node_desc n = {};

            for (auto &c : b.nodes[i])
                components[i].push_back({ c.name.c_str(), c.kind, c.values.data() });
            for (auto &l : b.links[i])
                links[i].push_back(plain(l));
            n.platform = "test";
            n.ncomponents = (unsigned)components[i].size();
            n.components = components[i].data();
            n.nlinks = (unsigned)links[i].size();
            n.links = links[i].data();
            nodes.push_back(n);
        }
        for (auto &l : b.cables)
            cables.push_back(plain(l));
        b.desc.nnodes = (unsigned)nodes.size();
        b.desc.nodes = nodes.data();
        b.desc.ncables = (unsigned)cables.size();
        b.desc.cables = cables.data();
        code = machine_create(&b.desc, &cfg, nullptr, nullptr, &m, &err);
        if (code == SIM_OK) {
            EXPECT_EQ(b.desc.nfaults != 0 ? SIM_ERR_LIMIT : SIM_OK, sim_run(machine_sim(m), SIM_US))
                << "links come up, and only planned faults are left";
        }
    }
    ~Machine() { machine_destroy(m); }
    Machine(const Machine &) = delete;
    Machine &operator=(const Machine &) = delete;

    node_host *host(unsigned node = 0)
    {
        return static_cast<node_host *>(machine_component(m, node, "host", nullptr));
    }
    node_gpu *gpu(const char *name = "gpu", unsigned node = 0)
    {
        return static_cast<node_gpu *>(machine_component(m, node, name, nullptr));
    }
    Device *device(const char *name, unsigned node = 0)
    {
        return static_cast<Device *>(machine_component(m, node, name, nullptr));
    }
    node_core *core(unsigned core = 0, unsigned node = 0)
    {
        return node_host_core(host(node), core);
    }
    uint8_t *ram(uint64_t addr, unsigned node = 0)
    {
        mem_ram *ram = node_host_ram(host(node));
        return ram->bytes + (addr - ram->base);
    }
    sim_time_t now(unsigned node = 0) { return sim_now(machine_domain(m, node)); }
    void run() { ASSERT_EQ(SIM_OK, sim_run(machine_sim(m), SIM_TIME_NEVER - 1)); }
    void run_until(sim_time_t t) { (void)sim_run(machine_sim(m), t); }
    uint64_t stat(const std::string &path)
    {
        std::pair<const std::string *, uint64_t> found = { &path, UINT64_MAX };

        sim_stat_each(
            machine_sim(m),
            [](void *arg, const char *p, const char *, const char *, uint64_t value) {
                auto *f = static_cast<std::pair<const std::string *, uint64_t> *>(arg);
                if (*f->first == p)
                    f->second = value;
            },
            &found);
        EXPECT_NE(UINT64_MAX, found.second) << path;
        return found.second;
    }
    /** Gives the device behind root port `port` its bus number, BAR 0 and the right to work. */
    void configure(unsigned port, uint64_t bar, uint64_t size);
};

/** The end of an operation: its value and time. */
struct Done {
    sim_domain *dom = nullptr;
    bool done = false;
    uint64_t value = 0;
    sim_time_t time = 0;
    std::function<void()> then;

    static void call(void *arg, uint64_t value)
    {
        Done *d = static_cast<Done *>(arg);

        d->done = true;
        d->value = value;
        d->time = sim_now(d->dom);
        if (d->then)
            d->then();
    }
    explicit Done(Machine &m, unsigned node = 0) : dom(machine_domain(m.m, node)) {}
};

/** One operation from start to end; the simulation runs until nothing is left. */
inline Done operate(Machine &m, const std::function<void(Done *)> &start, unsigned node = 0)
{
    Done d(m, node);

    start(&d);
    EXPECT_FALSE(d.done) << "done inside the call";
    m.run();
    EXPECT_TRUE(d.done);
    return d;
}

inline Done load(Machine &m, uint64_t addr, uint32_t size, unsigned core = 0)
{
    return operate(m, [&](Done *d) { node_core_load(m.core(core), addr, size, Done::call, d); });
}

inline Done store(Machine &m, uint64_t addr, const void *bytes, uint32_t size,
                  node_mapping mapping = NODE_UNCACHED, unsigned core = 0)
{
    return operate(m, [&](Done *d) {
        node_core_store(m.core(core), addr, bytes, size, mapping, Done::call, d);
    });
}

inline Done config(Machine &m, bool write, uint16_t bdf, uint32_t reg, uint32_t value = 0)
{
    return operate(
        m, [&](Done *d) { node_core_config(m.core(), write, bdf, reg, value, Done::call, d); });
}

inline void Machine::configure(unsigned port, uint64_t bar, uint64_t size)
{
    uint16_t bdf = (uint16_t)((port + 1) << 8);

    config(*this, true, bdf, 0x10, (uint32_t)bar);
    config(*this, true, bdf, 0x14, (uint32_t)(bar >> 32));
    config(*this, true, bdf, 0x04, 6);
    ASSERT_EQ(SIM_OK, node_host_claim(host(), port, bar, size, &err)) << err.text;
}

/* ---- all orders ------------------------------------------------------------------ */

/**
 * Runs the scenario in each order on a new machine. What it returns, and both fingerprints, must
 * not depend on the order. @return what the scenario returned
 */
template <typename Scenario> auto in_all_orders(const Builder &b, Scenario scenario)
{
    const sim_order orders[] = {
        {}, { true, false, 1 }, { true, false, 2 }, { false, true, 3 }, { true, true, 4 }
    };
    decltype(scenario(std::declval<Machine &>())) first{};
    sim_fingerprint print = {};

    for (const sim_order &order : orders) {
        Machine m(b, order);

        EXPECT_EQ(SIM_OK, m.code) << m.err.text;
        if (m.code != SIM_OK)
            break;
        auto result = scenario(m);
        sim_fingerprint p = sim_fingerprint_of(machine_sim(m.m));
        if (&order == orders) {
            first = result;
            print = p;
            continue;
        }
        EXPECT_EQ(first, result) << "ties " << order.shuffle_ties << " turns "
                                 << order.shuffle_turns << " seed " << order.seed;
        EXPECT_EQ(print.visible, p.visible) << order.seed;
        EXPECT_EQ(print.wire, p.wire) << order.seed;
    }
    return first;
}

/* ---- closed forms ------------------------------------------------------------------ */

/** Gen2: columns of 2 ns; a packet begins at a column after idle time. */
inline sim_time_t column(sim_time_t t)
{
    return (t + 1999) / 2000 * 2000;
}

/** From `t`, when an idle Gen2 x8 link gets a TLP of so many header and data bytes, to its
 * arrival. */
inline sim_time_t gen2x8(sim_time_t t, uint64_t bytes, sim_time_t latency)
{
    return column(t) + (8 + bytes) * 250 + latency;
}

/** Ends of copies. */
inline node_gpu_end device_end(uint64_t at, uint64_t row_bytes = 0, uint64_t pitch = 0)
{
    node_gpu_end end = {};

    end.device = true;
    end.addr = at;
    end.row_bytes = row_bytes;
    end.pitch = pitch;
    return end;
}
inline node_gpu_end bus_end(uint64_t addr, bool peer = false)
{
    node_gpu_end end = {};

    end.addr = addr;
    end.peer = peer;
    return end;
}

/** A copy that is behind no write of the bus. */
inline void start_copy(node_gpu *gpu, node_gpu_after after, node_gpu_end dst, node_gpu_end src,
                       uint64_t bytes, node_gpu_done_fn done, void *arg)
{
    node_gpu_ring(node_gpu_copy(gpu, after, dst, src, bytes, done, arg), 0);
}

} // namespace test
#endif /* TESTS_MACHINE_FIXTURE_H */
