#include "rig.h"

#include "pcie/lossy/fault.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

/* How many values of Max_Payload_Size: each queue has room for one packet of the largest size, that
 * of posted packets for those of the bubble, and a place in DDR3 for one. */
unsigned Rig::most_mps() const
{
    unsigned units = std::min(params.units[0] / params.bubble, params.units[2]), n = 0;

    if (params.classes == kClasses)
        units = std::min(units, params.units[3]);
    if (params.ddr)
        units = std::min(units, params.largest);
    while (n < 6 && 8u << n <= units)
        n++;
    return n;
}

/* Mostly small ones, since they are many. Large ones need all ports of their route to have them. */
void Rig::choose_payloads()
{
    unsigned most = random(2) != 0 ? std::min(most_mps(), 2u) : most_mps();
    bool alike = random(2) != 0;
    uint64_t all = random(most);

    for (unsigned p = 0; p < params.ports; p++)
        cfg.port[p].mps_bytes = UINT64_C(128) << (alike ? all : random(most));
}

void Rig::configure_hub()
{
    machine_param *rows = machine_table_create(hub_kind.params, hub_kind.groups);

    for (const machine_param *p = rows; p->key != nullptr; p++)
        memcpy(reinterpret_cast<char *>(&cfg) + p->offset, &p->def, sizeof(uint64_t));
    free(rows);
    cfg.ports = params.ports;
    cfg.bus_bytes = params.bus_bytes;
    cfg.bus_gap_cycles = params.gap;
    cfg.receive_cycles = params.receive;
    cfg.route_cycles = params.route;
    cfg.output_cycles = params.output;
    cfg.bubble_tlps = params.bubble;
    cfg.clock_khz = random(4) != 0 ? between(249975, 250025) : between(100000, 300000);
    cfg.clock_phase_ps = random(4000);
    record.clock_khz = cfg.clock_khz;
    record.clock_phase_ps = cfg.clock_phase_ps;
    cfg.hard_block_ps = between(1000, random(2) != 0 ? 10000 : 100000);
    cfg.register_cycles = params.registers;
    cfg.bringup_cycles = between(2, 2000);
    if (params.ddr) {
        cfg.ddr_bytes = (params.ports - 1) * 128 * between(params.ddr_tlps / 4, params.ddr_tlps);
        cfg.ddr_chip_tlps = params.chip_tlps;
        cfg.ddr_bytes_per_cycle = params.ddr_bytes;
        cfg.ddr_cycles = params.ddr_cycles;
    }
    if (params.classes == kClasses) {
        cfg.vc1_ph_credits = params.headers[3];
        cfg.vc1_pd_credits = params.units[3];
        cfg.date_line[HUB_PORT_e] = traffic.seed & 1;
        cfg.date_line[HUB_PORT_a] = traffic.seed >> 1 & 1;
    }
    cfg.dma_start_cycles = params.dma.start;
    cfg.dma_decode_cycles = params.dma.decode;
    cfg.dma_fetch_internal_cycles = params.dma.fetch_internal;
    cfg.dma_fetch_host_cycles = params.dma.fetch_host;
    cfg.dma_prefetch = params.dma.prefetch;
    cfg.dma_read_tags = params.dma.read_tags;
    cfg.dma_window_bytes = params.dma.window_bytes;
    cfg.dma_read_bytes = params.dma.read_bytes;
    cfg.dma_read_issue_cycles = params.dma.read_issue;
    cfg.dma_completion_cycles = params.dma.completion;
    cfg.status_register_cycles = params.dma.status_register;
    cfg.status_host_cycles = params.dma.status_host;
    cfg.status_internal_cycles = params.dma.status_internal;
    cfg.completion_timeout_ps = (2 * params.dma.timeout - 1) * UINT64_C(500000000) / cfg.clock_khz;
    for (unsigned p = 0; p < params.ports; p++) {
        pcie_port_config *link = &cfg.port[p];

        if (p != HUB_HOST && random(4) == 0)
            cfg.role[p] = random(2) != 0 ? HUB_ROOT : HUB_ENDPOINT;
        link->gen = std::max(between(1, 3), between(1, 3));
        link->lanes = UINT64_C(1) << std::max(between(2, 4), between(2, 4));
        link->ph_credits = params.headers[0];
        link->pd_credits = params.units[0];
        link->nph_credits = params.headers[1];
        link->npd_credits = params.units[1];
        link->cplh_credits = params.headers[2];
        link->cpld_credits = params.units[2];
        link->tx_queue_tlps = between(1, 4);
    }
    choose_payloads();
}

/* Now and then it is down, or only trains anew. */
void Rig::fail_link(unsigned p)
{
    pcie_fault_values v = {};
    const machine_fault_kind *kind = pcie_faults;
    sim_error err = {};

    while (strcmp(kind->name, random(4) != 0 ? "down" : "flap") != 0)
        kind = kind[1].name != nullptr ? kind + 1 : pcie_faults;
    v.at_ps = begin + 4 * SIM_US + random(traffic.send_ps / 2);
    v.for_ps = 100000 + random(traffic.outage_ps);
    v.every_ps = v.for_ps + 2 * SIM_US + random(4 * SIM_US);
    v.times = 1 + random(8);
    ASSERT_EQ(SIM_OK, pcie_port_add_fault(far[p].port, kind, &v, &err)) << err.text;
}

/* An area holds registers and internal RAM. Mostly the window lies on the base of cables. */
void Rig::choose_window()
{
    unsigned most = random(8) == 0 ? 63 : 40;

    part_log2 = static_cast<unsigned>(between(27, most - 4));
    window_log2 = part_log2 + static_cast<unsigned>(between(3, std::min(13u, most - part_log2)));
    /* A descriptor has addresses of 48 bits. */
    bar = ((rng() >> (random(8) == 0 ? 0 : 17)) | HUB_CABLE_BASE) >> window_log2 << window_log2;
}

/* Some for each port and for none, in any order, with up to eight pairs of a port. */
void Rig::choose_stretches()
{
    unsigned slots = 1u << (window_log2 - part_log2), most = std::min(slots, 8 * params.ports);
    unsigned n =
        static_cast<unsigned>(std::max(between(params.ports, most), between(params.ports, most)));
    std::vector<unsigned> of, firsts = { 0 };

    for (unsigned i = 0; i < n; i++) {
        unsigned port = i < params.ports ? i : static_cast<unsigned>(random(params.ports + 1));

        of.push_back(std::count(of.begin(), of.end(), port) < kPairs ? port : params.ports);
    }
    std::shuffle(of.begin(), of.end(), rng);
    while (firsts.size() < n) {
        unsigned at = static_cast<unsigned>(random(slots));

        if (std::find(firsts.begin(), firsts.end(), at) == firsts.end())
            firsts.push_back(at);
    }
    std::sort(firsts.begin(), firsts.end());
    firsts.push_back(slots);
    for (unsigned i = 0; i < n; i++)
        stretches.push_back({ of[i], firsts[i], firsts[i + 1] - 1 });
    slot = static_cast<unsigned>(any_part(HUB_HOST) >> part_log2);
}

uint64_t Rig::any_part(int port)
{
    const Stretch *s;
    unsigned where = static_cast<unsigned>(random(4));

    do
        s = &stretches[random(stretches.size())];
    while (port >= 0 && s->port != static_cast<unsigned>(port));
    return (where == 0 ? s->first : where == 1 ? s->last : between(s->first, s->last)) << part_log2;
}

uint64_t Rig::near_bound()
{
    const struct hub_range *r = &hub()->ranges[random(hub()->nranges)];
    uint64_t at = random(2) != 0 ? r->lower : r->upper;

    if (random(4) == 0) /* or a pair that nothing uses */
        at = (random(2) != 0 ? straps.lower : straps.upper)[random(params.ports * kPairs)];
    return (at ^ random(8) ^ (random(2) != 0 ? UINT64_C(1) << random(window_log2) : 0)) &
           (hub()->window_bytes - 1);
}

void Rig::routes()
{
    machine_routes r = {};
    sim_error err = {};

    choose_window();
    choose_stretches();
    r.slot = slot;
    r.subcluster = static_cast<uint16_t>(rng());
    r.window_bytes = UINT64_C(1) << window_log2;
    r.part_bytes = UINT64_C(1) << part_log2;
    for (const Stretch &s : stretches)
        if (s.port < params.ports)
            r.ranges[r.nranges++] = { hub_port_names[s.port], s.first, s.last };
    ASSERT_EQ(SIM_OK, hub_kind.set_routes(component, &r, &err)) << err.text;
    disturb_routes();
}

/* Pairs begin and end anywhere, often with areas, overlap, leave gaps, and lie behind the window in
 * part; those that are not in use have any bits. */
void Rig::disturb_routes()
{
    uint64_t part = UINT64_C(1) << part_log2, window = UINT64_C(1) << window_log2;

    for (unsigned i = 0; i < hub()->nranges; i++) {
        struct hub_range *r = &hub()->ranges[i];

        if (r->lower <= slot * part && slot * part <= r->upper)
            continue;
        if (random(4) == 0)
            r->lower += random(2) != 0 ? random(HUB_AREAS) * area() : random(part);
        if (random(4) == 0)
            r->upper += random(2) != 0 ? random(HUB_AREAS) * area() : random(part);
        if (random(8) == 0) /* as good as none, or up to the end of the window */
            (random(2) != 0 ? r->lower : r->upper) = rng() | window;
        if (r->upper < r->lower)
            r->upper = UINT64_MAX;
    }
    for (unsigned i = 0; i < kMaxPorts * kPairs; i++) {
        straps.upper[i] = rng() >> random(64);
        straps.lower[i] =
            straps.upper[i] + 1 + random(2) * ((UINT64_MAX - straps.upper[i]) >> (1 + random(63)));
    }
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
    sim_event_init(&f.take, far_take);
    /* Room for one packet at least, and for much more elsewhere. */
    link.ph_credits = between(1, random(2) != 0 ? 12 : 127);
    link.pd_credits =
        std::min(link.mps_bytes / 16 * between(1, random(2) != 0 ? 6 : 60), UINT64_C(2047));
    link.nph_credits = between(1, 6);
    link.npd_credits = between(1, 4);
    link.cplh_credits = between(0, 6);
    link.cpld_credits = link.cplh_credits == 0 ? 0 : link.mps_bytes / 16 * between(1, 4);
    if (params.classes == kClasses &&
        (traffic.seed + 2 * p) % 7 != 0) { /* else it has no channel 1 */
        link.vc1_ph_credits = between(1, 12);
        link.vc1_pd_credits = link.mps_bytes / 16 * between(1, 6);
    }
    link.tx_latency_ps = random(random(2) != 0 ? 5000 : 50000);
    link.rx_latency_ps = random(random(2) != 0 ? 5000 : 50000);
    link.tx_queue_tlps = between(1, 8);
    texts.push_back("far" + std::to_string(p));
    ASSERT_EQ(SIM_OK,
              pcie_port_create(dom, pool, texts.back().c_str(), &link, &user, &f.port, &err))
        << err.text;
    ASSERT_EQ(SIM_OK,
              pcie_link_connect(f.port, static_cast<pcie_port *>(hub_kind.port(component, p).end),
                                random(20000), &err))
        << err.text;
    if (traffic.outage_ps != 0 && random(4) != 0)
        fail_link(p);
}

/* Anywhere, often below a power of two: then they carry. The ring is empty. */
void Rig::begin_counters()
{
    auto any = [this] { return (rng() >> random(64)) - (random(2) != 0 ? 0 : random(64)); };
    auto round = [this] { return (UINT64_C(1) << random(64)) - random(300); };
    ForwardBegin *b = &record.begin;

    for (uint64_t *value : { &b->ring_head, &b->ring_lost, &b->refused, &b->bytes[0], &b->bytes[1],
                             &b->bytes[2], &b->bytes[3] })
        *value = random(2) != 0 ? any() : round();
    b->ring_tail = b->ring_head;
    hub()->ring_head = hub()->ring_tail = b->ring_head;
    hub()->notify_lost = b->ring_lost;
    hub()->unsupported = b->refused;
    for (unsigned c = 0; c < HUB_DMA_CHANNELS; c++) {
        b->ended[c] = static_cast<uint32_t>(random(2) != 0 ? any() : round());
        hub()->dma[c].bytes = b->bytes[c];
        hub()->dma[c].chains = last.chains[c] = b->ended[c];
    }
}

/* Until then, so that the numbers of edges have many bits, and carry through many of them. */
void Rig::wait_long()
{
    sim_event late;

    sim_event_init(&late, [](sim_event *) {});
    sim_schedule_by(dom, &late, begin, SIM_TASK);
    (void)sim_run(sim, begin);
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
    /* Links count their symbols: picoseconds times some hundred have to fit into 64 bits. */
    begin = random(4) == 0   ? 0
            : random(2) != 0 ? rng() >> between(10, 40)
                             : UINT64_C(1) << between(25, 54);
    configure_hub();
    place.dom = dom;
    place.path = "node0.hub";
    ASSERT_EQ(SIM_OK, hub_kind.create(&place, &cfg, &component, &err)) << err.text;
    record.received.resize(params.ports);
    begin_counters();
    watch = rig_watch(this);
    hub_set_watch(component, &watch);
    far.resize(params.ports);
    for (unsigned p = 0; p < params.ports; p++)
        connect(p);
    routes();
}

/* The rules of outputs, by the sources as the core counts them. */
void Rig::look_at_rings()
{
    for (unsigned p = 0; p < params.ports; p++) {
        record.enters.push_back(0);
        record.endpoints |= static_cast<uint32_t>(cfg.role[p] == HUB_ENDPOINT) << p;
        for (uint32_t s = 0; s < HUB_SOURCES; s++)
            if (hub()->output[p].transit != 0 && !hub_goes_on(hub(), s, p) && params.bubble != 1 &&
                (s >= SRC_LOCAL ||
                 (s / PCIE_CLASSES < params.ports && s % PCIE_CLASSES < params.classes)))
                record.enters[p] |= UINT64_C(1) << rig_source(params, s);
    }
}

void Rig::run()
{
    sim_error err = {};
    struct hub *h = hub();
    ListPlan plan;

    wait_long();
    ASSERT_EQ(SIM_OK, hub_kind.start(component, &err)) << err.text;
    record.first = sim_clock_edge(&h->clk, begin);
    look_at_rings();
    EXPECT_EQ(params.dma.timeout, h->timeout_cycles);
    sampler.rig = this;
    plan.bar = bar;
    plan.part = UINT64_C(1) << part_log2;
    plan.own = slot * plan.part;
    plan.place = [this] { return any_part(); };
    plan.way = [this] { return any_part(static_cast<int>(random(params.ports))); };
    plan.bound = [this] { return near_bound(); };
    plan.late_ps = cfg.completion_timeout_ps;
    plan.wrong = traffic.wrong;
    plan.aims = traffic.aims;
    host.reset(new ListHost(plan, h, far[HUB_HOST].port, pool, &rng));
    sim_event_init(&sampler.ev, rig_sample);
    sim_schedule_by(dom, &sampler.ev, sim_clock_time(&h->clk, record.first), SIM_TASK);
    for (Far &f : far) {
        if (cfg.role[f.index] == HUB_ENDPOINT)
            f.configure();
        if (f.index == HUB_HOST)
            f.set_up();
        f.configured = true;
        sim_schedule_by(dom, &f.pump, begin + 3 * SIM_US + random(1000000), SIM_CLOCK);
    }
    (void)sim_run(sim, begin + traffic.send_ps + traffic.rest_ps);
    record.edges = std::min(record.edges, race.undecided);
    while (!record.granted.empty() && record.granted.back().edge >= record.edges)
        record.granted.pop_back();
    record.entries = h->notifications;
    record.lost = h->notify_lost - record.begin.ring_lost;
    happen(kEventRingLost, record.lost);
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

Record record_hub(const ForwardParams &params, const Traffic &traffic)
{
    Rig rig;

    rig.params = params;
    rig.traffic = traffic;
    rig.rng.seed(traffic.seed);
    rig.create();
    rig.run();
    std::stable_sort(rig.record.granted.begin(), rig.record.granted.end(),
                     [](const Packet &a, const Packet &b) {
                         return a.edge != b.edge ? a.edge < b.edge : a.out < b.out;
                     });
    return rig.record;
}
