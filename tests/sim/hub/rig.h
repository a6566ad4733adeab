/*
 * Two or more hubs on cables, each with a small host of the test's own on its N
 * port. The host answers reads from an array after a fixed latency, takes writes
 * into the array, and sends what a test wants.
 */
#ifndef TESTS_HUB_RIG_H
#define TESTS_HUB_RIG_H

#include "hub/hub.h"
#include "pcie/port/config.h"
#include "regs/hub_regs.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

constexpr uint64_t kWindow = UINT64_C(512) << 30, kPart = UINT64_C(32) << 30;
constexpr uint64_t kBar = UINT64_C(2) << 40;      /* where each host puts the window */
constexpr uint64_t kRam = UINT64_C(0x100000000);  /* base of the host's array */
constexpr uint64_t kGpu = UINT64_C(0x3000000000); /* a second array, "GPU 0" */
constexpr uint64_t kMsi = UINT64_C(0xfee00000);
constexpr uint32_t kBytes = 1 << 21;

inline uint64_t part(unsigned slot)
{
    return kBar + slot * kPart;
}
inline uint64_t area(unsigned slot, unsigned a)
{
    return part(slot) + a * (kPart / HUB_AREAS);
}
inline uint64_t reg(unsigned slot, uint64_t offset)
{
    return area(slot, HUB_AREA_SELF) + offset;
}

struct FakeHost;
struct HostEvent {
    struct sim_event ev;
    FakeHost *host;
};

/** A packet that came, with the time of its last symbol. */
struct Seen {
    sim_time_t time;
    pcie_tlp tlp; /* payload NULL */
    std::vector<uint8_t> data;
};

struct FakeHost {
    sim_domain *dom;
    mem_pool *pool;
    pcie_port *port;
    HostEvent event;
    std::deque<std::pair<sim_time_t, pcie_tlp>> later; /* answers */
    std::deque<pcie_tlp> out;
    sim_time_t read_ps = 200000;
    uint32_t completion_bytes = 128;
    std::vector<uint8_t> ram = std::vector<uint8_t>(kBytes), gpu = std::vector<uint8_t>(kBytes);
    std::vector<uint32_t> interrupts;
    std::map<uint8_t, pcie_tlp> answers;    /* completions received, by tag, payload kept */
    std::map<uint64_t, sim_time_t> written; /* when an address was last the start of a write */
    std::vector<std::pair<sim_time_t, pcie_tlp>> answered; /* all of them, and when */
    uint64_t reads = 0, read_bytes_max = 0, fetches = 0;   /* fetches: reads of 32 bytes */
    bool silent = false;                                   /* takes reads and never answers */
    uint8_t status = PCIE_CPL_SC;                          /* of its answers */
    uint64_t poisons = UINT64_MAX;     /* the completion for this address is poisoned */
    std::vector<pcie_tlp> asked;       /* reads that were not answered */
    uint8_t next_tag = 0, classes = 0; /* Traffic Classes seen */
    bool records = false;              /* keeps what comes in `seen` */
    bool neighbour = false;            /* stands at a cable: has no memory, only records */
    std::vector<Seen> seen;

    uint8_t *at(uint64_t addr)
    {
        if (addr >= kRam && addr < kRam + kBytes)
            return &ram[addr - kRam];
        if (addr >= kGpu && addr < kGpu + kBytes)
            return &gpu[addr - kGpu];
        return nullptr;
    }
    static void received(void *user, pcie_tlp *tlp)
    {
        FakeHost *h = static_cast<FakeHost *>(user);

        h->classes |= tlp->tc;
        pcie_port_consume(h->port, pcie_tlp_class(tlp), pcie_tlp_data_credits(tlp));
        if (h->records || h->neighbour)
            h->record(tlp);
        if (tlp->kind == PCIE_MWR && !h->neighbour)
            h->take_write(tlp);
        else if (tlp->kind == PCIE_MRD)
            h->take_read(tlp);
        else
            h->take_answer(tlp);
        if (tlp->kind == PCIE_MWR || tlp->kind == PCIE_MRD)
            pcie_tlp_drop(tlp);
    }
    void take_answer(pcie_tlp *tlp)
    {
        answers[tlp->tag] = *tlp;
        answered.push_back({ sim_now(dom), *tlp });
    }
    void record(const pcie_tlp *tlp)
    {
        seen.push_back({ sim_now(dom), *tlp, {} });
        if (tlp->payload != nullptr)
            seen.back().data.assign(tlp->payload->data,
                                    tlp->payload->data + pcie_tlp_data_bytes(tlp));
        seen.back().tlp.payload = nullptr;
    }
    void take_write(pcie_tlp *tlp)
    {
        uint64_t first;
        uint32_t n = pcie_tlp_range(tlp, &first);

        written[first] = sim_now(dom);
        if (tlp->addr == kMsi) {
            interrupts.push_back(tlp->payload->data[0]);
            return;
        }
        ASSERT_NE(nullptr, at(first)) << std::hex << first;
        memcpy(at(first), tlp->payload->data + (first - tlp->addr), n);
    }
    void take_read(pcie_tlp *tlp)
    {
        uint32_t left = tlp->length_dw * 4u;
        uint64_t addr = tlp->addr;

        reads++;
        fetches += left == HUB_DESC_BYTES;
        read_bytes_max = std::max<uint64_t>(read_bytes_max, left);
        if (silent) {
            asked.push_back(*tlp);
            return;
        }
        if (at(addr) == nullptr || status != PCIE_CPL_SC) {
            pcie_tlp cpl = {};
            cpl.kind = PCIE_CPL;
            cpl.status = status != PCIE_CPL_SC ? status : (uint8_t)PCIE_CPL_UR;
            cpl.tag = tlp->tag;
            cpl.requester_id = tlp->requester_id;
            cpl.byte_count = 4;
            later.push_back({ sim_now(dom) + read_ps, cpl });
            left = 0;
        }
        if (left != 0)
            left = pcie_tlp_range(tlp, &addr);
        while (left != 0) {
            uint32_t n = pcie_split_completion(addr, left, completion_bytes);
            uint32_t lead = addr & 3;
            pcie_tlp cpl = {};
            cpl.kind = PCIE_CPLD;
            cpl.tag = tlp->tag;
            cpl.requester_id = tlp->requester_id;
            cpl.byte_count = static_cast<uint16_t>(left);
            cpl.lower_addr = addr & 0x7f;
            cpl.length_dw = static_cast<uint16_t>((lead + n + 3) / 4);
            cpl.payload = pcie_payload(pool, lead, at(addr), n);
            cpl.poisoned = addr == poisons;
            later.push_back({ sim_now(dom) + read_ps, cpl });
            addr += n;
            left -= n;
        }
        sim_schedule_by(dom, &event.ev, later.front().first, SIM_CLOCK);
    }
    static void ready(void *user, enum pcie_class)
    {
        FakeHost *h = static_cast<FakeHost *>(user);
        sim_schedule_by(h->dom, &h->event.ev, sim_now(h->dom), SIM_CLOCK);
    }
    static void pump(struct sim_event *ev)
    {
        FakeHost *h = reinterpret_cast<HostEvent *>(ev)->host;

        while (!h->later.empty() && h->later.front().first <= sim_now(h->dom)) {
            h->out.push_back(h->later.front().second);
            h->later.pop_front();
        }
        while (!h->out.empty() && pcie_port_can_send(h->port, pcie_tlp_class(&h->out.front()))) {
            pcie_port_send(h->port, &h->out.front());
            h->out.pop_front();
        }
        if (!h->later.empty())
            sim_schedule_by(h->dom, &h->event.ev, h->later.front().first, SIM_CLOCK);
    }
    void send(pcie_tlp tlp)
    {
        out.push_back(tlp);
        sim_schedule_by(dom, &event.ev, sim_now(dom), SIM_CLOCK);
    }
    void write(uint64_t addr, const void *bytes, uint32_t n)
    {
        pcie_tlp tlp = {};
        tlp.kind = PCIE_MWR;
        pcie_tlp_set_range(&tlp, addr, n);
        tlp.payload = mem_payload_alloc(pool, tlp.length_dw * 4u);
        memcpy(tlp.payload->data + (addr & 3), bytes, n);
        send(tlp);
    }
    void write64(uint64_t addr, uint64_t v) { write(addr, &v, 8); }
    uint8_t read(uint64_t addr, uint32_t n)
    {
        pcie_tlp tlp = {};
        tlp.kind = PCIE_MRD;
        tlp.tag = next_tag++;
        pcie_tlp_set_range(&tlp, addr, n);
        send(tlp);
        return tlp.tag;
    }
    void config_write(uint32_t r, uint32_t v)
    {
        pcie_tlp tlp = {};
        tlp.kind = PCIE_CFGWR0;
        tlp.tag = next_tag++;
        tlp.first_be = 0xf;
        tlp.length_dw = 1;
        tlp.completer_id = 0x0100;
        tlp.addr = r;
        tlp.payload = mem_payload_alloc(pool, 4);
        memcpy(tlp.payload->data, &v, 4);
        send(tlp);
    }
};

class HubRig : public ::testing::Test
{
  protected:
    struct sim *sim = nullptr;
    std::vector<void *> hubs;
    std::vector<FakeHost> hosts;
    std::vector<sim_domain *> doms;
    hub_config cfg;

    HubRig() { cfg = defaults(); }
    static hub_config defaults()
    {
        hub_config c = {};
        machine_param *rows = machine_table_create(hub_kind.params, hub_kind.groups);

        for (const machine_param *p = rows; p->key != nullptr; p++)
            memcpy(reinterpret_cast<char *>(&c) + p->offset, &p->def, sizeof(uint64_t));
        free(rows);
        return c;
    }
    std::function<void()> before_start; /* called before the first hub starts */
    unsigned date_line = UINT_MAX;      /* the node whose hub is that of the ring */
    bool closed = false; /* the last E joins the first W, and all routes go round by E */
    const char *east = "e", *west = "w";      /* ports of the chain */
    sim_time_t host_ps = 50000;               /* latency of a host's port, each way */
    std::function<void(unsigned)> before_hub; /* called before the hub of a node is made */
    /* A chain of n nodes: E of node i to W of node i + 1, `wire_ps` long. */
    void build(unsigned n, sim_order order = {}, sim_time_t wire_ps = 15000)
    {
        sim_config sc = {};
        sim_error err = {};

        sc.fingerprint = true;
        sc.check_order = true;
        sc.order = order;
        sim = sim_create(&sc);
        hubs.resize(n);
        hosts.resize(n);
        for (unsigned i = 0; i < n; i++) {
            std::string path = "node" + std::to_string(i) + ".hub";
            doms.push_back(sim_domain_create(sim, ("node" + std::to_string(i)).c_str()));
            machine_place place = {};
            place.dom = doms[i];
            place.path = strdup_(path);
            place.node = i;
            cfg.date_line[HUB_PORT_e] = i == date_line;
            if (before_hub)
                before_hub(i);
            ASSERT_EQ(SIM_OK, hub_kind.create(&place, &cfg, &hubs[i], &err)) << err.text;
            plug_host(hosts[i], i, "n");
        }
        for (unsigned i = 0; i < n; i++) {
            if (i + 1 < n || closed) {
                ASSERT_EQ(SIM_OK,
                          pcie_link_connect(end(i, east), end((i + 1) % n, west), wire_ps, &err));
            }
        }
        for (unsigned i = 0; i < n; i++) { /* each root finds its neighbour */
            route(i, n);
            if (i == 0 && before_start)
                before_start();
            ASSERT_EQ(SIM_OK, hub_kind.start(hubs[i], &err)) << err.text;
        }
        for (unsigned i = 0; i < n; i++)
            configure(i);
        run();
    }
    const char *strdup_(const std::string &s)
    {
        texts.push_back(s);
        return texts.back().c_str();
    }
    /** Joins it to a port of hub i. */
    void plug_host(FakeHost &h, unsigned i, const char *port)
    {
        pcie_port_config pc = cfg.port[0];
        pcie_port_user user = { FakeHost::received, FakeHost::ready, nullptr, &h };
        sim_error err = {};

        pc.tx_latency_ps = pc.rx_latency_ps = host_ps;
        h.dom = doms[i];
        h.pool = mem_pool_create();
        sim_event_init(&h.event.ev, FakeHost::pump);
        h.event.host = &h;
        ASSERT_EQ(SIM_OK,
                  pcie_port_create(h.dom, h.pool, strdup_("host" + std::to_string(i) + port), &pc,
                                   &user, &h.port, &err));
        ASSERT_EQ(SIM_OK, pcie_link_connect(h.port, end(i, port), 1000, &err)) << err.text;
    }
    pcie_port *end(unsigned i, const char *name)
    {
        return static_cast<pcie_port *>(hub_kind.port(hubs[i], hub_port_find(name)).end);
    }
    void route(unsigned i, unsigned n)
    {
        machine_routes r = {};
        sim_error err = {};

        r.slot = i;
        r.window_bytes = kWindow;
        r.part_bytes = kPart;
        r.ranges[r.nranges++] = { "n", i, i };
        if (i + 1 < n)
            r.ranges[r.nranges++] = { east, i + 1, n - 1 };
        if (i > 0)
            r.ranges[r.nranges++] = { closed ? east : west, 0, i - 1 };
        ASSERT_EQ(SIM_OK, hub_kind.set_routes(hubs[i], &r, &err)) << err.text;
    }
    void configure(unsigned i)
    {
        FakeHost &h = hosts[i];

        h.config_write(PCIE_CFG_BAR(0), static_cast<uint32_t>(kBar));
        h.config_write(PCIE_CFG_BAR(1), static_cast<uint32_t>(kBar >> 32));
        h.config_write(PCIE_CFG_MSI + 4, static_cast<uint32_t>(kMsi));
        h.config_write(PCIE_CFG_MSI + 12, 7);
        h.config_write(PCIE_CFG_MSI, PCIE_MSI_ENABLE);
        h.config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER);
        h.write64(reg(i, HUB_AREA_BASE(HUB_AREA_HOST)), kRam);
        h.write64(reg(i, HUB_AREA_BASE(HUB_AREA_GPU0)), kGpu);
    }
    void run() { ASSERT_EQ(SIM_OK, sim_run(sim, SIM_TIME_NEVER - 1)); }
    uint64_t load(unsigned i, uint64_t addr, uint32_t n = 8)
    {
        uint8_t tag = hosts[i].read(addr, n);
        uint64_t v = 0;

        run();
        EXPECT_EQ(1u, hosts[i].answers.count(tag)) << "no completion";
        if (hosts[i].answers[tag].status != PCIE_CPL_SC)
            return UINT64_MAX;
        memcpy(&v, hosts[i].answers[tag].payload->data + (addr & 3), n);
        return v;
    }
    void fill(std::vector<uint8_t> &bytes, uint64_t seed)
    {
        for (size_t k = 0; k < bytes.size(); k++)
            bytes[k] = static_cast<uint8_t>((k * 2654435761u + seed) >> 11);
    }
    void TearDown() override
    {
        for (void *h : hubs)
            hub_kind.destroy(h);
        for (FakeHost &h : hosts) {
            pcie_port_destroy(h.port);
            mem_pool_destroy(h.pool);
        }
        sim_destroy(sim);
        sim = nullptr;
        hubs.clear();
        hosts.clear();
        doms.clear();
    }

  private:
    std::deque<std::string> texts;
};

#endif
