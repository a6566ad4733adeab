#include "dma_record.h"

#include "lists.h"

extern "C" {
#include "hub/internal.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>

namespace
{
constexpr uint64_t kPart = UINT64_C(32) << 30, kBar = UINT64_C(2) << 40;
constexpr unsigned kSlots = 16, kClasses = PCIE_CLASSES;
/* Slots behind each port; behind the last ones there is nothing. */
constexpr unsigned kSlotPort[kSlots] = { 0, 1, 1, 1, 2, 2, 2, 2, 3, 4, 4, 5, 5, 99, 99, 99 };

struct Rig;

/* One far end: it takes packets, sends what it has at its time, and stores to internal memory. */
struct Far {
    sim_event pump;
    struct {
        sim_event ev;
        Far *far;
    } take;
    Rig *rig;
    unsigned index;
    pcie_port *port;
    std::deque<pcie_tlp> out;                  /* as soon as may be, */
    std::multimap<sim_time_t, pcie_tlp> later; /* and at these times */
    sim_time_t next_store = 0, next_act = 0;
    struct Held {
        sim_time_t time;
        pcie_class cls;
        uint32_t units;
    };
    std::deque<Held> held;

    void wake(sim_time_t when);
    void config_write(uint32_t reg, uint32_t value);
    void configure();
    void store();
    void received(pcie_tlp *tlp);
    uint64_t base() const { return index == HUB_HOST ? kBar : HUB_CABLE_BASE; }
};

struct Sampler {
    sim_event ev;
    Rig *rig;
};

struct Rig {
    DmaParams params;
    DmaTraffic traffic;
    std::mt19937_64 rng;
    struct sim *sim;
    sim_domain *dom;
    mem_pool *pool;
    hub_config cfg = {};
    void *component = nullptr;
    std::deque<Far> far;
    std::unique_ptr<ListHost> host;
    DmaRecord record;
    Sampler sampler;
    hub_watch watch;
    struct Seen {
        uint32_t ended, error, irq, reads;
    } seen[HUB_DMA_CHANNELS] = {};
    std::deque<std::string> texts;

    struct hub *hub() { return static_cast<struct hub *>(component); }
    uint64_t random(uint64_t n) { return n == 0 ? 0 : rng() % n; }
    uint64_t between(uint64_t low, uint64_t high) { return low + random(high - low + 1); }
    void create();
    void configure_hub();
    void routes();
    void connect(unsigned port);
    void sample_state(uint64_t edge);
    void sample_beat(uint64_t edge);
    void sample_channels();
    void run();
    ~Rig();
};

DmaPacket packet_of(uint64_t edge, uint32_t out, const pcie_tlp *tlp)
{
    DmaPacket p = { edge, out, {}, {} };

    pcie_tlp_encode(tlp, p.header.data());
    if (tlp->payload != nullptr)
        p.data.assign(tlp->payload->data, tlp->payload->data + pcie_tlp_data_bytes(tlp));
    return p;
}

/* ---- far ends ---- */

void Far::wake(sim_time_t when)
{
    sim_schedule_by(rig->dom, &pump, std::max(when, sim_now(rig->dom)), SIM_CLOCK);
}

void Far::config_write(uint32_t reg, uint32_t value)
{
    pcie_tlp tlp = {};

    tlp.kind = PCIE_CFGWR0;
    tlp.first_be = 0xf;
    tlp.length_dw = 1;
    tlp.completer_id = 0x0100;
    tlp.addr = reg;
    tlp.payload = mem_payload_alloc(rig->pool, 4);
    memcpy(tlp.payload->data, &value, 4);
    out.push_back(tlp);
}

/* The hub's end is an endpoint. */
void Far::configure()
{
    config_write(PCIE_CFG_BAR(0), static_cast<uint32_t>(base()));
    config_write(PCIE_CFG_BAR(1), static_cast<uint32_t>(base() >> 32));
    config_write(PCIE_CFG_DEVICE_CONTROL, static_cast<uint32_t>(rig->random(6)) << 12);
    config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER);
    wake(0);
}

void Far::store()
{
    uint64_t at = rig->random(20) == 0 ? rig->random(8192) : rig->random(HUB_INTERNAL_BYTES - 4096);
    uint32_t n = 1 + static_cast<uint32_t>(rig->random(pcie_port_mps(port) - 4));
    uint8_t bytes[4096];

    for (uint32_t i = 0; i < n; i++)
        bytes[i] = static_cast<uint8_t>(rig->rng());
    at += base() + HUB_AREA_SELF * (kPart / HUB_AREAS) + HUB_INTERNAL_OFFSET;
    out.push_back(pcie_tlp_write(rig->pool, 0, at, bytes, pcie_split(at, n, 4096)));
}

void Far::received(pcie_tlp *tlp)
{
    sim_time_t now = sim_now(rig->dom), when = now + rig->random(rig->traffic.hold_ps + 1);

    if (!held.empty())
        when = std::max(when, held.back().time);
    held.push_back({ when, pcie_tlp_class(tlp), pcie_tlp_data_credits(tlp) });
    sim_schedule_by(rig->dom, &take.ev, held.front().time, SIM_TASK);
    if (tlp->kind == PCIE_CFGRD0 || tlp->kind == PCIE_CFGWR0) {
        pcie_tlp cpl = pcie_tlp_answer(tlp, PCIE_CPL_SC);

        if (tlp->kind == PCIE_CFGRD0) {
            uint32_t id = HUB_DEVICE_ID << 16 | HUB_VENDOR_ID;

            cpl.kind = PCIE_CPLD;
            cpl.length_dw = 1;
            cpl.payload = mem_payload_alloc(rig->pool, 4);
            memcpy(cpl.payload->data, &id, 4);
        }
        later.insert({ now, cpl });
        wake(now);
    } else if (tlp->kind == PCIE_MRD) { /* a channel asks */
        for (const TimedTlp &t : rig->host->answer(tlp, now)) {
            later.insert({ t.time, t.tlp });
            wake(t.time);
        }
    }
    pcie_tlp_drop(tlp);
}

void far_received(void *user, pcie_tlp *tlp)
{
    static_cast<Far *>(user)->received(tlp);
}

void far_ready(void *user, pcie_class)
{
    static_cast<Far *>(user)->wake(0);
}

void far_pump(sim_event *ev)
{
    Far *f = reinterpret_cast<Far *>(ev);
    Rig *rig = f->rig;
    sim_time_t now = sim_now(rig->dom), next = SIM_TIME_NEVER;
    std::deque<pcie_tlp> blocked;

    if (now < rig->traffic.send_ps && now >= f->next_store && rig->traffic.stores_ps != 0) {
        if (f->next_store != 0)
            f->store();
        f->next_store = now + 1 + rig->random(rig->traffic.stores_ps);
    }
    if (f->index == HUB_HOST && now < rig->traffic.send_ps && now >= f->next_act) {
        if (f->next_act != 0 && f->out.size() < 40)
            for (const pcie_tlp &tlp : rig->host->act(now))
                f->out.push_back(tlp);
        f->next_act = now + 1 + rig->random(rig->traffic.pause_ps);
    }
    while (!f->out.empty() && pcie_port_can_send(f->port, pcie_tlp_class(&f->out.front()))) {
        pcie_port_send(f->port, &f->out.front());
        f->out.pop_front();
    }
    while (!f->later.empty() && f->later.begin()->first <= now &&
           pcie_port_can_send(f->port, PCIE_COMPLETION)) {
        pcie_port_send(f->port, &f->later.begin()->second);
        f->later.erase(f->later.begin());
    }
    if (!f->later.empty() && f->later.begin()->first > now)
        next = f->later.begin()->first;
    if (now < rig->traffic.send_ps) {
        if (rig->traffic.stores_ps != 0)
            next = std::min(next, f->next_store);
        if (f->index == HUB_HOST)
            next = std::min(next, f->next_act);
    }
    if (next != SIM_TIME_NEVER)
        f->wake(next);
}

void far_take(sim_event *ev)
{
    Far *f = reinterpret_cast<decltype(Far::take) *>(ev)->far;

    while (!f->held.empty() && f->held.front().time <= sim_now(f->rig->dom)) {
        pcie_port_consume(f->port, f->held.front().cls, f->held.front().units);
        f->held.pop_front();
    }
    if (!f->held.empty())
        sim_schedule_by(f->rig->dom, ev, f->held.front().time, SIM_TASK);
}

/* ---- what the channels see ---- */

void Rig::sample_state(uint64_t edge)
{
    struct hub *h = hub();
    const pcie_function *fn = &h->ports[HUB_HOST].edge.function;
    DmaState s;

    memset(static_cast<void *>(&s), 0, sizeof(s));
    s.bar_base = pcie_function_bar(fn, 0);
    memcpy(s.area_base, h->area_base, sizeof(s.area_base));
    for (unsigned i = 0; i < params.ports * kDmaPairs; i++) {
        const struct hub_range *r = hub_range(h, i / kDmaPairs, i % kDmaPairs);

        s.lower[i] = r != nullptr ? r->lower : UINT64_MAX;
        s.upper[i] = r != nullptr ? r->upper : 0;
    }
    s.window_log2 = static_cast<uint32_t>(__builtin_ctzll(h->window_bytes));
    s.part_log2 = static_cast<uint32_t>(__builtin_ctzll(h->part_bytes));
    s.slot = h->slot;
    s.memory = pcie_function_memory_enabled(fn);
    s.id = fn->id;
    s.mrrs = static_cast<uint32_t>(__builtin_ctz(pcie_function_mrrs(fn)) - 7);
    for (unsigned p = 0; p < params.ports; p++)
        s.mps |= static_cast<uint32_t>(__builtin_ctz(h->ports[p].mps_bytes) - 7) << 3 * p;
    if (record.states.empty() || memcmp(&record.states.back().second, &s, sizeof(s)) != 0)
        record.states.push_back({ edge, s });
}

/* The beat of a write to SELF that takes effect at this edge. */
void Rig::sample_beat(uint64_t edge)
{
    const struct hub_self_write *w = &hub()->write;
    DmaBeat b = { edge, 0, {}, 0 };

    if (w->tlp.payload == nullptr || w->edge > edge)
        return;
    b.addr = w->in_area + w->dw * UINT64_C(4);
    for (unsigned i = 0; i < params.bus_bytes / 4 && w->dw + i < w->tlp.length_dw; i++) {
        unsigned dw = w->dw + i;
        uint32_t be = dw == 0                       ? w->tlp.first_be
                      : dw == w->tlp.length_dw - 1u ? w->tlp.last_be
                                                    : 0xf;

        memcpy(&b.data[4 * i], &w->tlp.payload->data[4 * dw], 4);
        b.enable |= be << 4 * i;
    }
    record.beats.push_back(b);
}

void Rig::sample_channels()
{
    struct hub *h = hub();
    pcie_function *fn = &h->ports[HUB_HOST].edge.function;
    uint32_t errors = pcie_function_read(fn, PCIE_AER_UNCORRECTABLE);
    static const char *const names[] = { "",      "length", "align",   "source", "dest",
                                         "fetch", "busy",   "timeout", "poison", "abort" };
    DmaEdge e = {};

    for (unsigned c = 0; c < HUB_DMA_CHANNELS; c++) {
        const struct hub_dma *d = &h->dma[c];
        Seen now = { d->chains, d->error, static_cast<uint32_t>(d->irq), d->read_tail };

        if (now.ended != seen[c].ended) {
            e.irq |= seen[c].irq;
            record.events[d->failed ? d->error == 0 ? "aborted" : "failed" : "done"]++;
        }
        if (now.error != seen[c].error)
            record.events[names[now.error]]++;
        if (now.reads != seen[c].reads)
            record.events["reads"]++;
        seen[c] = now;
    }
    e.unexpected = (errors >> PCIE_ERR_UNEXPECTED & 1) != 0;
    e.timeout = (errors >> PCIE_ERR_TIMEOUT & 1) != 0;
    record.events["unexpected"] += e.unexpected;
    pcie_function_write(fn, PCIE_AER_UNCORRECTABLE, UINT32_MAX, 0xf);
    e.read_addr = static_cast<uint16_t>(random(HUB_DMA_CHANNELS) << 8 |
                                        (random(2) != 0 ? HUB_DMA_STATE : 8 * random(13)));
    e.value = dma_read_register(&h->dma[e.read_addr >> 8], e.read_addr & 0xff);
    record.edges.push_back(e);
}

void on_edge(void *user, uint64_t edge)
{
    Rig *rig = static_cast<Rig *>(user);

    rig->sample_state(edge);
    rig->sample_beat(edge);
}

void on_received(void *, uint64_t, uint32_t, const pcie_tlp *) {}

void on_put(void *user, uint32_t source, uint32_t out, const pcie_tlp *tlp, uint64_t from_edge)
{
    Rig *rig = static_cast<Rig *>(user);

    if (source < SRC_DMA_READ)
        return;
    if (out >= HUB_MAX_PORTS)
        out = rig->params.ports + out - HUB_MAX_PORTS;
    rig->record.put[source - SRC_DMA_READ].push_back(packet_of(from_edge, out, tlp));
}

void on_granted(void *user, uint64_t edge, uint32_t source, uint32_t out, const pcie_tlp *tlp)
{
    DmaRecord *record = &static_cast<Rig *>(user)->record;

    if (source >= SRC_DMA_READ)
        record->granted[source - SRC_DMA_READ].push_back(packet_of(edge, out, tlp));
    if (out == OUT_SINK)
        record->completions.push_back(packet_of(edge, source / kClasses, tlp));
}

void on_error(void *, uint32_t, uint32_t, bool, const pcie_tlp *) {}
void on_cleared(void *, uint32_t, uint32_t, uint32_t) {}

/* Behind each edge. */
void on_sample(sim_event *ev)
{
    Rig *rig = reinterpret_cast<Sampler *>(ev)->rig;
    uint64_t edge = sim_clock_edge(&rig->hub()->clk, sim_now(rig->dom));

    EXPECT_EQ(edge, rig->record.edges.size());
    rig->sample_channels();
    sim_schedule_by(rig->dom, ev, sim_clock_time(&rig->hub()->clk, edge + 1), SIM_TASK);
}

/* ---- the machine ---- */

void Rig::configure_hub()
{
    machine_param *rows = machine_table_create(hub_kind.params, hub_kind.groups);

    for (const machine_param *p = rows; p->key != nullptr; p++)
        memcpy(reinterpret_cast<char *>(&cfg) + p->offset, &p->def, sizeof(uint64_t));
    free(rows);
    cfg.ports = params.ports;
    cfg.bus_bytes = params.bus_bytes;
    cfg.bus_gap_cycles = params.gap;
    cfg.output_cycles = params.output;
    cfg.clock_khz = between(0, 1) != 0 ? 250025 : between(100000, 300000);
    cfg.clock_phase_ps = random(8000);
    cfg.hard_block_ps = between(1000, 100000);
    cfg.bringup_cycles = 1;
    cfg.dma_start_cycles = params.start;
    cfg.dma_decode_cycles = params.decode;
    cfg.dma_fetch_internal_cycles = params.fetch_internal;
    cfg.dma_fetch_host_cycles = params.fetch_host;
    cfg.dma_prefetch = params.prefetch;
    cfg.dma_read_tags = params.read_tags;
    cfg.dma_read_bytes = params.read_bytes;
    cfg.dma_read_issue_cycles = params.read_issue;
    cfg.dma_completion_cycles = params.completion;
    cfg.status_register_cycles = params.status_register;
    cfg.status_host_cycles = params.status_host;
    cfg.status_internal_cycles = params.status_internal;
    cfg.completion_timeout_ps = (2 * params.timeout - 1) * UINT64_C(500000000) / cfg.clock_khz;
    for (unsigned p = 0; p < params.ports; p++) {
        pcie_port_config *link = &cfg.port[p];

        link->gen = between(1, 3);
        link->lanes = UINT64_C(1) << between(2, 4);
        link->mps_bytes = UINT64_C(128) << random(3);
        link->tx_queue_tlps = between(1, 4);
    }
}

void Rig::routes()
{
    machine_routes r = {};
    sim_error err = {};

    r.slot = 0;
    r.window_bytes = kSlots * kPart;
    r.part_bytes = kPart;
    for (unsigned slot = 0; slot < kSlots; slot++)
        if (kSlotPort[slot] < params.ports)
            r.ranges[r.nranges++] = { hub_port_names[kSlotPort[slot]], slot, slot };
    ASSERT_EQ(SIM_OK, hub_kind.set_routes(component, &r, &err)) << err.text;
}

void Rig::connect(unsigned p)
{
    Far &f = far[p];
    pcie_port_config link = cfg.port[p];
    pcie_port_user user = { far_received, far_ready, nullptr, &f };
    sim_error err = {};

    f.rig = this;
    f.index = p;
    sim_event_init(&f.pump, far_pump);
    sim_event_init(&f.take.ev, far_take);
    f.take.far = &f;
    link.ph_credits = between(2, 12);
    link.pd_credits = link.mps_bytes / 16 * between(2, 6);
    link.tx_latency_ps = random(50000);
    link.rx_latency_ps = random(50000);
    link.tx_queue_tlps = between(1, 8);
    texts.push_back("far" + std::to_string(p));
    ASSERT_EQ(SIM_OK,
              pcie_port_create(dom, pool, texts.back().c_str(), &link, &user, &f.port, &err))
        << err.text;
    ASSERT_EQ(SIM_OK,
              pcie_link_connect(f.port, static_cast<pcie_port *>(hub_kind.port(component, p).end),
                                random(20000), &err))
        << err.text;
}

void Rig::create()
{
    sim_config sc = {};
    sim_error err = {};
    machine_place place = {};

    sc.seed = traffic.seed;
    sim = sim_create(&sc);
    dom = sim_domain_create(sim, "node0");
    pool = mem_pool_create();
    configure_hub();
    place.dom = dom;
    place.path = "node0.hub";
    ASSERT_EQ(SIM_OK, hub_kind.create(&place, &cfg, &component, &err)) << err.text;
    watch = { this, on_edge, on_received, on_put, on_granted, nullptr, on_error, on_cleared };
    hub_set_watch(component, &watch);
    far.resize(params.ports);
    for (unsigned p = 0; p < params.ports; p++)
        connect(p);
    routes();
}

void Rig::run()
{
    sim_error err = {};
    struct hub *h = hub();
    ListPlan plan;

    ASSERT_EQ(SIM_OK, hub_kind.start(component, &err)) << err.text;
    EXPECT_EQ(params.timeout, h->timeout_cycles);
    plan.bar = kBar;
    plan.part = kPart;
    plan.slots = 0;
    while (kSlotPort[plan.slots] < params.ports)
        plan.slots++;
    plan.late_ps = cfg.completion_timeout_ps;
    plan.wrong = traffic.wrong;
    plan.longest = traffic.longest;
    host.reset(new ListHost(plan, h, far[HUB_HOST].port, pool, &rng));
    for (unsigned a = 0; a < HUB_AREA_SELF; a++)
        h->area_base[a] = 0x40000000 + a * UINT64_C(0x1000000000);
    /* So that an Unexpected Completion shows in its own bit. */
    pcie_function_write(&h->ports[HUB_HOST].edge.function, PCIE_AER_CORRECTABLE_MASK, 0, 0xf);
    sampler.rig = this;
    sim_event_init(&sampler.ev, on_sample);
    sim_schedule_by(dom, &sampler.ev, sim_clock_time(&h->clk, 0), SIM_TASK);
    for (Far &f : far) {
        f.next_store = f.next_act = 3 * SIM_US + random(1000000);
        if (cfg.role[f.index] == HUB_ENDPOINT)
            f.configure();
        f.wake(f.next_act);
    }
    (void)sim_run(sim, traffic.send_ps + 20 * SIM_US);
}

Rig::~Rig()
{
    if (component != nullptr)
        hub_kind.destroy(component);
    for (Far &f : far)
        pcie_port_destroy(f.port);
    mem_pool_destroy(pool);
    sim_destroy(sim);
}
} // namespace

DmaRecord record_dma(const DmaParams &params, const DmaTraffic &traffic)
{
    Rig rig;

    rig.params = params;
    rig.traffic = traffic;
    rig.rng.seed(traffic.seed);
    rig.create();
    rig.run();
    return rig.record;
}
