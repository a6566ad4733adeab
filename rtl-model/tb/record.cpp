#include "record.h"

#include "lists.h"

extern "C" {
#include "hub/internal.h"
#include "pcie/port/port_impl.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <random>

namespace
{
constexpr uint64_t kPart = UINT64_C(32) << 30, kBar = UINT64_C(2) << 40;
constexpr unsigned kSlots = 16;
constexpr uint64_t kAlien = UINT64_C(1) << 45; /* so far behind its base no BAR claims anything */
/* Slots behind each port; behind the last ones there is nothing. */
constexpr unsigned kSlotPort[kSlots] = { 0, 1, 1, 1, 2, 2, 2, 2, 3, 4, 4, 5, 5, 99, 99, 99 };

struct Rig;

/* One far end. */
struct Far {
    sim_event pump, take; /* `pump` first: see far_of() */
    Rig *rig;
    unsigned index;
    pcie_port *port;
    std::deque<pcie_tlp> out;
    struct Held {
        sim_time_t time;
        pcie_class cls;
        uint32_t units;
    };
    std::deque<Held> held;
    std::vector<TimedTlp> later; /* what is to be sent, by its time */
    bool configured = false;

    unsigned random(unsigned n);
    bool chance(unsigned percent) { return random(100) < percent; }
    void send(const pcie_tlp &tlp);
    void config_write(uint32_t reg, uint32_t value);
    void configure();
    void set_up();
    void make_packet();
    void make_write();
    void write_self(pcie_tlp *tlp);
    uint32_t any_register();
    void write_words(pcie_tlp *tlp, uint32_t reg, std::vector<uint64_t> words);
    void write_anything(pcie_tlp *tlp);
    void make_ring(pcie_tlp *tlp);
    void make_transfer(pcie_tlp *tlp);
    void make_read(pcie_tlp *tlp);
    void make_stranger(pcie_tlp *tlp);
    void fill(pcie_tlp *tlp);
    void choose_class(pcie_tlp *tlp);
    void answer(const pcie_tlp *request);
    void send_later(const TimedTlp &t);
    void received(pcie_tlp *tlp);
    uint64_t base() const { return index == HUB_HOST ? kBar : HUB_CABLE_BASE; }
};

struct Sampler {
    sim_event ev;
    Rig *rig;
};

struct Rig {
    ForwardParams params;
    Traffic traffic;
    std::mt19937_64 rng;
    struct sim *sim;
    sim_domain *dom;
    mem_pool *pool;
    hub_config cfg = {};
    void *component = nullptr;
    std::deque<Far> far;
    Record record;
    Sampler sampler;
    hub_watch watch;
    uint64_t sampled = UINT64_MAX; /* the last edge with a sample */
    std::unique_ptr<ListHost> host;
    uint32_t chains[HUB_DMA_CHANNELS] = {}; /* at that edge */
    std::deque<std::string> texts;

    struct hub *hub() { return static_cast<struct hub *>(component); }
    uint64_t random(uint64_t n) { return n == 0 ? 0 : rng() % n; }
    uint64_t between(uint64_t low, uint64_t high) { return low + random(high - low + 1); }
    void create();
    void configure_hub();
    void routes();
    void connect(unsigned port);
    void sample(uint64_t edge);
    void look_beside(uint64_t edge);
    void run();
    ~Rig();
};

uint32_t own_source(const ForwardParams &p, uint32_t source)
{
    return source < SRC_LOCAL ? source / PCIE_CLASSES * p.classes + source % PCIE_CLASSES
                              : p.ports * p.classes + source - SRC_LOCAL;
}

uint32_t own_out(const ForwardParams &p, uint32_t out)
{
    return out < HUB_MAX_PORTS ? out : p.ports + out - HUB_MAX_PORTS;
}

Packet packet_of(uint64_t edge, uint32_t source, uint32_t out, const pcie_tlp *tlp)
{
    Packet p = { edge, source, out, true, false, {}, {} };

    pcie_tlp_encode(tlp, p.header.data());
    if (tlp->payload != nullptr)
        p.data.assign(tlp->payload->data, tlp->payload->data + pcie_tlp_data_bytes(tlp));
    return p;
}

/* ---- far ends ---- */

unsigned Far::random(unsigned n)
{
    return static_cast<unsigned>(rig->random(n));
}

void Far::send(const pcie_tlp &tlp)
{
    out.push_back(tlp);
    sim_schedule_by(rig->dom, &pump, sim_now(rig->dom), SIM_CLOCK);
}

void Far::fill(pcie_tlp *tlp)
{
    tlp->payload = mem_payload_alloc(rig->pool, tlp->length_dw * 4u);
    for (unsigned i = 0; i < tlp->length_dw * 4u; i++)
        tlp->payload->data[i] = static_cast<uint8_t>(rig->rng());
}

/* Writes of the class of channel 1 are for links that have one. */
void Far::choose_class(pcie_tlp *tlp)
{
    if (chance(30))
        tlp->tc = random(8) & 7;
    if (tlp->kind == PCIE_MWR && tlp->tc == PCIE_TC_VC1)
        tlp->tc = 0;
    if (tlp->kind == PCIE_MWR && pcie_port_has_vc1(port) && chance(50))
        tlp->tc = PCIE_TC_VC1;
}

void Far::config_write(uint32_t reg, uint32_t value)
{
    pcie_tlp tlp = {};

    tlp.kind = PCIE_CFGWR0;
    tlp.first_be = 0xf;
    tlp.length_dw = 1;
    tlp.completer_id = 0x0100;
    tlp.addr = reg;
    fill(&tlp);
    memcpy(tlp.payload->data, &value, 4);
    send(tlp);
}

/* The hub's end is an endpoint. */
void Far::configure()
{
    config_write(PCIE_CFG_BAR(0), static_cast<uint32_t>(base()));
    config_write(PCIE_CFG_BAR(1), static_cast<uint32_t>(base() >> 32));
    config_write(PCIE_CFG_MSI + 4, 0xfee00000);
    config_write(PCIE_CFG_MSI, PCIE_MSI_ENABLE);
    config_write(PCIE_CFG_DEVICE_CONTROL, random(6) << 12);
    config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER);
}

/* Registers as a driver leaves them. */
void Far::set_up()
{
    for (auto [reg, value] : { std::pair<uint32_t, uint64_t>{ HUB_AREA_BASE(0), 0x40000000 },
                               { HUB_IRQ_MASK, UINT32_MAX },
                               { HUB_RING_BASE, 0x7000000000 },
                               { HUB_RING_SIZE, 6 } }) {
        pcie_tlp tlp = {};

        tlp.kind = PCIE_MWR;
        write_words(&tlp, reg, { value });
        tlp.last_be = 0xf;
        send(tlp);
    }
}

struct Register {
    uint32_t offset, bytes;
};
/* One after another; reads begin anywhere in them, writes go on behind them. */
const Register kRegisters[] = { { HUB_ID, 0x18 },
                                { HUB_IRQ_RAISE, 0x18 },
                                { HUB_UR_COUNT, 8 },
                                { HUB_AREA_BASE(0), 0x20 },
                                { HUB_NOTIFY, 0x30 },
                                { HUB_ROUTE_MASK, 8 },
                                { HUB_ERRORS(0), 0x30 },
                                { HUB_ROUTE_LOWER(0, 0), 0xc00 },
                                { HUB_DMA(0), 0x400 },
                                { 0x2000, 16 },
                                { HUB_INTERNAL_OFFSET - 16, 16 } };

uint32_t Far::any_register()
{
    const Register &r = kRegisters[random(std::size(kRegisters))];

    return r.offset + 4 * random(r.bytes / 4);
}

void Far::write_words(pcie_tlp *tlp, uint32_t reg, std::vector<uint64_t> words)
{
    pcie_tlp_set_range(tlp, base() + HUB_AREA_SELF * (kPart / HUB_AREAS) + reg,
                       static_cast<uint32_t>(words.size() * 8));
    fill(tlp);
    memcpy(tlp->payload->data, words.data(), words.size() * 8);
    if (chance(10)) /* the lower halves, and the last upper one in part */
        tlp->last_be = chance(50) ? 0x3 : 0x7;
}

/* A ring of few entries, in host memory or on the chip. */
void Far::make_ring(pcie_tlp *tlp)
{
    bool internal = chance(40);
    uint64_t at = internal ? random(HUB_INTERNAL_BYTES) : rig->rng() & (chance(50) ? ~0u : ~0ull);

    write_words(tlp, HUB_RING_BASE,
                { at, random(7) | (internal ? HUB_RING_INTERNAL : 0u), rig->hub()->ring_head });
}

/* What lies on the chip, or in the host's memory. */
void Far::make_transfer(pcie_tlp *tlp)
{
    uint64_t from = kBar + HUB_AREA_SELF * (kPart / HUB_AREAS) + HUB_INTERNAL_OFFSET;

    if (chance(50))
        from = 0x40000000 + random(256) * 4096;
    write_words(tlp, HUB_DMA(random(HUB_DMA_CHANNELS)) + HUB_DMA_SRC,
                { from, kBar + random(13) * kPart + random(256) * 4096, 4u * (1 + random(400)) });
}

/* Any bytes of registers, in one packet of some beats. */
void Far::write_anything(pcie_tlp *tlp)
{
    uint32_t reg, dwords = chance(60) ? 1 + random(2) : 1 + random(24);

    do /* channels are not for any values */
        reg = any_register();
    while (reg + dwords * 4 > HUB_DMA(0) && reg < HUB_DMA(HUB_DMA_CHANNELS));
    pcie_tlp_set_range(tlp, base() + HUB_AREA_SELF * (kPart / HUB_AREAS) + reg, dwords * 4);
    fill(tlp);
    if (chance(30))
        tlp->first_be = static_cast<uint8_t>(dwords == 1 ? random(16) : 0xf << random(4) & 0xf);
    if (dwords > 1 && chance(30))
        tlp->last_be = static_cast<uint8_t>(0xf >> random(4));
}

/* What changes registers, so that the hub sends something itself or takes other routes. */
void Far::write_self(pcie_tlp *tlp)
{
    static const uint64_t bases[] = { 0, 0x40000000, 0x3000000000 };
    const Traffic &t = rig->traffic;
    uint32_t channel = HUB_DMA(random(HUB_DMA_CHANNELS));
    unsigned what = random(100);

    if (what < t.notes) {
        write_words(tlp, HUB_NOTIFY, { rig->rng() });
        return;
    }
    if (what < t.notes + t.tails) {
        write_words(tlp, HUB_RING_TAIL, { rig->hub()->ring_head - random(4) });
        return;
    }
    switch (chance(t.routes) ? 0 : random(10)) {
    case 0:
        write_words(tlp, HUB_AREA_BASE(random(3)), { bases[random(3)] });
        break;
    case 1:
        if (chance(50)) /* cleared by the same beat, perhaps */
            write_words(tlp, HUB_IRQ_RAISE, { rig->rng(), rig->rng() });
        else
            write_words(tlp, HUB_IRQ_RAISE, { UINT64_C(1) << random(32) });
        break;
    case 2:
        write_words(tlp, HUB_IRQ_STATUS, { chance(50) ? rig->rng() : ~UINT64_C(0) });
        break;
    case 3:
        write_words(tlp, HUB_IRQ_MASK, { chance(30) ? rig->rng() : ~UINT64_C(0) });
        break;
    case 4:
        make_ring(tlp);
        break;
    case 5:
        write_anything(tlp);
        break;
    case 6:
        make_transfer(tlp);
        break;
    case 7:
        write_words(tlp, channel + HUB_DMA_IRQ, { UINT64_C(1) << random(4) });
        break;
    case 8:
        write_words(tlp, channel + HUB_DMA_CONTROL, { HUB_DMA_START_REG });
        break;
    default: {
        uint32_t n = 1 + random(pcie_port_mps(port));
        uint64_t at = random(HUB_INTERNAL_BYTES - 4096);

        pcie_tlp_set_range(tlp,
                           base() + HUB_AREA_SELF * (kPart / HUB_AREAS) + HUB_INTERNAL_OFFSET + at,
                           pcie_split(at, n, pcie_port_mps(port) - 4));
        fill(tlp);
    }
    }
}

/* It reads registers, internal memory, or what is not to be read. */
void Far::make_read(pcie_tlp *tlp)
{
    uint64_t self = base() + HUB_AREA_SELF * (kPart / HUB_AREAS);
    uint64_t at = random(HUB_INTERNAL_BYTES);

    tlp->kind = PCIE_MRD;
    if (chance(60))
        pcie_tlp_set_range(tlp, self + (any_register() & ~(chance(60) ? 7u : 0u)),
                           chance(90) ? 4 + 4 * random(2) : 12);
    else if (chance(10))
        pcie_tlp_set_range(tlp, base() + random(kSlots) * kPart, 8);
    else if (chance(5)) /* beyond its end */
        pcie_tlp_set_range(tlp, self + HUB_INTERNAL_OFFSET + HUB_INTERNAL_BYTES - 4 * random(2), 8);
    else
        pcie_tlp_set_range(tlp, self + HUB_INTERNAL_OFFSET + at,
                           pcie_split(at, random(chance(10) ? 4097 : 600),
                                      HUB_INTERNAL_BYTES - static_cast<uint32_t>(at)));
}

/* I/O requests and messages, which nothing here takes. */
void Far::make_stranger(pcie_tlp *tlp)
{
    static const uint8_t kinds[] = { PCIE_IORD, PCIE_IOWR, PCIE_MSG, PCIE_MSGD };

    tlp->kind = kinds[random(4)];
    tlp->addr = rig->rng() & 0xfffffffc;
    tlp->attr = 0;
    if (tlp->kind == PCIE_IORD || tlp->kind == PCIE_IOWR)
        tlp->first_be = 0xf;
    else
        tlp->msg_code = static_cast<uint8_t>(rig->rng());
    tlp->length_dw = tlp->kind == PCIE_MSG ? 0 : 1;
    if (tlp->kind == PCIE_IOWR || tlp->kind == PCIE_MSGD)
        fill(tlp);
    tlp->poisoned = tlp->payload != nullptr && chance(20);
}

void Far::make_write()
{
    const Traffic &t = rig->traffic;
    pcie_tlp tlp = {};
    uint64_t at, slot = random(kSlots);
    uint32_t mps = pcie_port_mps(port);

    tlp.kind = PCIE_MWR;
    if (chance(t.to_self)) {
        write_self(&tlp);
    } else {
        while (t.target >= 0 && kSlotPort[slot] != static_cast<unsigned>(t.target))
            slot = random(kSlots);
        at = base() + slot * kPart + random(HUB_AREA_SELF) * (kPart / HUB_AREAS) + random(1 << 20);
        /* Small ones, whole ones, and those that are cut short by a page. */
        pcie_tlp_set_range(&tlp, at,
                           pcie_split(at, 1 + random(chance(40) ? 40 : mps - 4), mps - 4));
        if (chance(30)) {
            at &= ~UINT64_C(4095);
            pcie_tlp_set_range(&tlp, at, mps);
        }
        fill(&tlp);
    }
    if (chance(1))
        tlp.addr += kAlien;
    tlp.requester_id = static_cast<uint16_t>(rig->rng());
    tlp.tag = static_cast<uint8_t>(rig->rng());
    tlp.attr = random(8) & 7;
    tlp.poisoned = chance(2);
    choose_class(&tlp);
    send(tlp);
}

void Far::make_packet()
{
    unsigned what = random(100);
    pcie_tlp tlp = {};

    if (what >= rig->traffic.reads + rig->traffic.answers) {
        make_write();
        return;
    }
    tlp.requester_id = static_cast<uint16_t>(rig->rng());
    tlp.tag = static_cast<uint8_t>(rig->rng() % 128 + 128 * (random(8) == 0));
    if (what < rig->traffic.reads) {
        if (chance(95))
            make_read(&tlp);
        else
            make_stranger(&tlp);
        if (tlp.kind == PCIE_MRD) {
            tlp.attr = random(8) & 7;
            tlp.addr += chance(3) ? kAlien : 0;
        }
    } else { /* an answer, mostly to nothing */
        tlp.kind = chance(70) ? PCIE_CPLD : PCIE_CPL;
        tlp.byte_count = 4;
        tlp.lower_addr = 0;
        if (tlp.kind == PCIE_CPLD) {
            tlp.length_dw = static_cast<uint16_t>(1 + random(pcie_port_mps(port) / 4));
            tlp.byte_count = static_cast<uint16_t>(tlp.length_dw * 4);
            fill(&tlp);
        }
    }
    choose_class(&tlp);
    send(tlp);
}

void Far::answer(const pcie_tlp *request)
{
    uint64_t addr = request->addr;
    uint32_t left = request->length_dw * 4u;

    while (left != 0) {
        uint32_t n = pcie_split_completion(addr, left, 128);
        pcie_tlp cpl = pcie_tlp_answer(request, PCIE_CPL_SC);

        cpl.kind = PCIE_CPLD;
        cpl.byte_count = static_cast<uint16_t>(left);
        cpl.lower_addr = addr & 0x7f;
        cpl.length_dw = static_cast<uint16_t>(n / 4);
        fill(&cpl);
        send(cpl);
        addr += n;
        left -= n;
    }
}

void Far::send_later(const TimedTlp &t)
{
    later.insert(
        std::upper_bound(later.begin(), later.end(), t,
                         [](const TimedTlp &a, const TimedTlp &b) { return a.time < b.time; }),
        t);
    sim_schedule_by(rig->dom, &pump, later.front().time, SIM_CLOCK);
}

void Far::received(pcie_tlp *tlp)
{
    const Traffic &t = rig->traffic;
    sim_time_t when = sim_now(rig->dom) + rig->random(t.hold_ps + 1);

    if (t.stop_ps != 0 && chance(1))
        when += t.stop_ps;
    if (!held.empty())
        when = std::max(when, held.back().time);
    held.push_back({ when, pcie_tlp_class(tlp), pcie_tlp_data_credits(tlp) });
    sim_schedule_by(rig->dom, &take, held.front().time, SIM_TASK);
    if (tlp->kind == PCIE_CFGRD0 || tlp->kind == PCIE_CFGWR0) {
        pcie_tlp cpl = pcie_tlp_answer(tlp, PCIE_CPL_SC);

        if (tlp->kind == PCIE_CFGRD0) {
            uint32_t id = HUB_DEVICE_ID << 16 | HUB_VENDOR_ID;

            cpl.kind = PCIE_CPLD;
            cpl.length_dw = 1;
            fill(&cpl);
            memcpy(cpl.payload->data, &id, 4);
        }
        send(cpl);
    } else if (tlp->kind == PCIE_MRD && t.lists != 0) { /* a channel asks */
        for (const TimedTlp &cpl : rig->host->answer(tlp, sim_now(rig->dom)))
            send_later(cpl);
    } else if (tlp->kind == PCIE_MRD) {
        answer(tlp);
    }
    pcie_tlp_drop(tlp);
}

void far_received(void *user, pcie_tlp *tlp)
{
    static_cast<Far *>(user)->received(tlp);
}

void far_ready(void *user, pcie_class)
{
    Far *f = static_cast<Far *>(user);

    sim_schedule_by(f->rig->dom, &f->pump, sim_now(f->rig->dom), SIM_CLOCK);
}

void far_pump(sim_event *ev)
{
    Far *f = reinterpret_cast<Far *>(ev);
    Rig *rig = f->rig;
    sim_time_t now = sim_now(rig->dom);
    bool pause = false;

    for (; !f->later.empty() && f->later.front().time <= now; f->later.erase(f->later.begin()))
        f->out.push_back(f->later.front().tlp);
    if (!f->later.empty())
        sim_schedule_by(rig->dom, ev, f->later.front().time, SIM_CLOCK);
    while (!pause) {
        if (f->out.empty()) {
            if (now >= rig->traffic.send_ps || !f->configured)
                break;
            if (f->index == HUB_HOST && f->chance(1)) /* interrupts on and off */
                f->config_write(PCIE_CFG_MSI, f->chance(70) ? PCIE_MSI_ENABLE : 0);
            if (f->index == HUB_HOST && f->chance(rig->traffic.lists))
                for (const pcie_tlp &tlp : rig->host->act(now))
                    f->out.push_back(tlp);
            else
                f->make_packet();
            pause = f->chance(rig->traffic.idle);
        }
        while (!f->out.empty() && pcie_port_can_send(f->port, pcie_tlp_class(&f->out.front()))) {
            pcie_port_send(f->port, &f->out.front());
            f->out.pop_front();
        }
        if (!f->out.empty())
            return; /* far_ready() goes on */
    }
    if (now < rig->traffic.send_ps)
        sim_schedule_by(rig->dom, ev, now + 1000 + rig->random(f->chance(10) ? 2000000 : 100000),
                        SIM_CLOCK);
}

void far_take(sim_event *ev)
{
    Far *f = SIM_CONTAINER_OF(ev, Far, take);

    while (!f->held.empty() && f->held.front().time <= sim_now(f->rig->dom)) {
        pcie_port_consume(f->port, f->held.front().cls, f->held.front().units);
        f->held.pop_front();
    }
    if (!f->held.empty())
        sim_schedule_by(f->rig->dom, ev, f->held.front().time, SIM_TASK);
}

/* ---- what the hub sees ---- */

void on_edge(void *user, uint64_t edge)
{
    static_cast<Rig *>(user)->sample(edge);
}

void on_received(void *user, uint64_t edge, uint32_t port, const pcie_tlp *tlp)
{
    Rig *rig = static_cast<Rig *>(user);
    Packet p = packet_of(edge, port, pcie_tlp_class(tlp), tlp);
    const hub_edge &e = rig->hub()->ports[port].edge;

    p.hit = e.role == HUB_ROOT || pcie_function_claims(&e.function, tlp->addr) == 0;
    rig->record.received[port].push_back(p);
}

void on_put(void *user, uint32_t source, uint32_t out, const pcie_tlp *tlp, uint64_t from_edge)
{
    Rig *rig = static_cast<Rig *>(user);

    Packet p =
        packet_of(from_edge, own_source(rig->params, source), own_out(rig->params, out), tlp);

    if (tlp->kind == PCIE_CFGRD0 || tlp->kind == PCIE_CFGWR0) {
        p.edge = rig->hub()->ports[out].request_edge;
        rig->record.requests.push_back(p);
    }
}

void on_granted(void *user, uint64_t edge, uint32_t source, uint32_t out, const pcie_tlp *tlp,
                bool in_ddr)
{
    Rig *rig = static_cast<Rig *>(user);

    if (out == OUT_SELF && tlp->kind == PCIE_MRD)
        rig->look_beside(edge);
    rig->record.granted.push_back(
        packet_of(edge, own_source(rig->params, source), own_out(rig->params, out), tlp));
    rig->record.granted.back().in_ddr = in_ddr;
}

void on_written(void *user, uint64_t edge, uint32_t port, uint32_t units)
{
    static_cast<Rig *>(user)->record.written.push_back({ edge, port, units });
}

void on_error(void *user, uint32_t port, uint32_t error, bool advisory, const pcie_tlp *tlp)
{
    Rig *rig = static_cast<Rig *>(user);
    Fault f = { hub_clock_edge(rig->hub()), port, error, advisory, {} };

    pcie_tlp_encode(tlp, f.header.data());
    rig->record.faults.push_back(f);
}

void on_cleared(void *user, uint32_t port, uint32_t half, uint32_t bits)
{
    Rig *rig = static_cast<Rig *>(user);

    if (port < rig->params.ports)
        rig->record.cleared.push_back({ hub_clock_edge(rig->hub()), 2 * port + half, bits });
}

/* At an edge at which the hub does nothing, too: what it could have seen then. */
void on_sample(sim_event *ev)
{
    Rig *rig = reinterpret_cast<Sampler *>(ev)->rig;
    uint64_t edge = sim_clock_edge(&rig->hub()->clk, sim_now(rig->dom));

    if (rig->sampled != edge)
        rig->sample(edge);
    rig->record.edges = edge + 1;
    sim_schedule_by(rig->dom, ev, sim_clock_time(&rig->hub()->clk, edge + 1), SIM_TASK);
}

void Rig::sample(uint64_t edge)
{
    struct hub *h = hub();
    State s;

    for (unsigned c = 0; c < HUB_DMA_CHANNELS; c++) { /* a list that ended at the edge before */
        const struct hub_dma *d = &h->dma[c];

        if (d->chains != chains[c])
            record.ended[d->failed && d->error == 0 ? 15 : d->error]++;
        chains[c] = d->chains;
    }
    sampled = edge;
    memset(static_cast<void *>(&s), 0, sizeof(s));
    s.edge = edge;
    for (unsigned p = 0; p < params.ports; p++) {
        pcie_port *port = h->ports[p].edge.pcie;

        pcie_port_settle(port);
        s.in.mps |= static_cast<uint32_t>(__builtin_ctz(h->ports[p].mps_bytes) - 7) << 3 * p;
        s.in.master |= static_cast<uint32_t>(h->ports[p].edge.masters) << p;
        s.in.up |= static_cast<uint32_t>(port->up) << p;
        s.in.vc1 |= static_cast<uint32_t>(pcie_port_has_vc1(port)) << p;
        s.in.id[p] = h->ports[p].edge.function.id;
        s.in.memory |=
            static_cast<uint32_t>(h->ports[p].edge.role == HUB_ROOT
                                      ? h->ports[p].bringup == BRINGUP_DONE
                                      : pcie_function_memory_enabled(&h->ports[p].edge.function))
            << p;
        for (unsigned c = 0; c < params.classes; c++) {
            const tx_class *q = &port->tx[c];
            unsigned at = p * params.classes + c;

            s.in.tx_ready |= static_cast<uint32_t>(q->count < port->queue_tlps) << at;
            s.in.tx_empty |= static_cast<uint32_t>(q->count == 0) << at;
            s.in.tx_limit_h[at] = static_cast<uint8_t>(q->hdr_avail);
            s.in.tx_limit_d[at] = static_cast<uint16_t>(q->data_avail & 0xfff);
            s.in.tx_first_h[at] = static_cast<uint8_t>(q->hdr_total);
            s.in.tx_first_d[at] = q->data_total;
        }
    }
    s.in.date_line = h->date_line;
    for (unsigned p = 0; p < params.ports; p++)
        s.in.ddr_places[p] = h->ports[p].ddr_places;
    s.in.msi = pcie_function_msi(&h->ports[HUB_HOST].edge.function, &s.in.msi_addr, &s.in.msi_data);
    s.in.bar = pcie_function_bar(&h->ports[HUB_HOST].edge.function, 0);
    s.in.mrrs = static_cast<uint32_t>(
        __builtin_ctz(pcie_function_mrrs(&h->ports[HUB_HOST].edge.function)) - 7);
    s.in.slot = h->slot;
    s.in.subcluster = h->subcluster;
    s.in.window_log2 = static_cast<uint32_t>(__builtin_ctzll(h->window_bytes));
    s.in.part_log2 = static_cast<uint32_t>(__builtin_ctzll(h->part_bytes));
    for (unsigned i = 0; i < params.ports * kPairs; i++) {
        const struct hub_range *r = hub_range(h, i / kPairs, i % kPairs);

        s.in.lower[i] = r != nullptr ? r->lower : UINT64_MAX;
        s.in.upper[i] = r != nullptr ? r->upper : 0;
    }
    if (record.states.empty() || memcmp(&record.states.back().in, &s.in, sizeof(s.in)) != 0)
        record.states.push_back(s);
}

void Rig::look_beside(uint64_t edge)
{
    Beside b = { edge, {} };

    for (unsigned p = 0; p < params.ports; p++) {
        const pcie_function *fn = &hub()->ports[p].edge.function;

        b.aer[p] = pcie_function_read(fn, PCIE_AER_UNCORRECTABLE) |
                   static_cast<uint64_t>(pcie_function_read(fn, PCIE_AER_CORRECTABLE)) << 32;
    }
    record.beside.push_back(b);
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
    cfg.receive_cycles = params.receive;
    cfg.route_cycles = params.route;
    cfg.output_cycles = params.output;
    cfg.bubble_tlps = params.bubble;
    cfg.clock_khz = between(0, 1) != 0 ? 250025 : between(100000, 300000);
    cfg.clock_phase_ps = random(8000);
    cfg.hard_block_ps = between(1000, 100000);
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
    cfg.dma_read_bytes = params.dma.read_bytes;
    cfg.dma_read_issue_cycles = params.dma.read_issue;
    cfg.dma_completion_cycles = params.dma.completion;
    cfg.status_register_cycles = params.dma.status_register;
    cfg.status_host_cycles = params.dma.status_host;
    cfg.status_internal_cycles = params.dma.status_internal;
    cfg.completion_timeout_ps = (2 * params.dma.timeout - 1) * UINT64_C(500000000) / cfg.clock_khz;
    for (unsigned p = 0; p < params.ports; p++) {
        pcie_port_config *link = &cfg.port[p];

        link->gen = between(1, 3);
        link->lanes = UINT64_C(1) << between(2, 4);
        link->mps_bytes = UINT64_C(128) << random(2);
        link->ph_credits = params.headers[0];
        link->pd_credits = params.units[0];
        link->nph_credits = params.headers[1];
        link->npd_credits = params.units[1];
        link->cplh_credits = params.headers[2];
        link->cpld_credits = params.units[2];
        link->tx_queue_tlps = between(1, 4);
    }
}

void Rig::routes()
{
    machine_routes r = {};
    sim_error err = {};

    r.slot = 0;
    r.subcluster = 0x1234;
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
    sim_event_init(&f.take, far_take);
    /* Room for one packet at least, and for much more elsewhere. */
    link.ph_credits = between(1, 12);
    link.pd_credits = link.mps_bytes / 16 * between(1, 6);
    link.nph_credits = between(1, 6);
    link.npd_credits = between(1, 4);
    link.cplh_credits = between(0, 6);
    link.cpld_credits = link.cplh_credits == 0 ? 0 : link.mps_bytes / 16 * between(1, 4);
    if (params.classes == kClasses &&
        (traffic.seed + 2 * p) % 7 != 0) { /* else it has no channel 1 */
        link.vc1_ph_credits = between(1, 12);
        link.vc1_pd_credits = link.mps_bytes / 16 * between(1, 6);
    }
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
    record.received.resize(params.ports);
    watch = { this, on_edge, on_received, on_put, on_granted, on_written, on_error, on_cleared };
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
    EXPECT_EQ(params.dma.timeout, h->timeout_cycles);
    sampler.rig = this;
    plan.bar = kBar;
    plan.part = kPart;
    plan.slots = 0;
    while (kSlotPort[plan.slots] < params.ports)
        plan.slots++;
    plan.late_ps = cfg.completion_timeout_ps;
    plan.wrong = traffic.wrong;
    host.reset(new ListHost(plan, h, far[HUB_HOST].port, pool, &rng));
    sim_event_init(&sampler.ev, on_sample);
    sim_schedule_by(dom, &sampler.ev, sim_clock_time(&h->clk, 0), SIM_TASK);
    for (Far &f : far) {
        if (cfg.role[f.index] == HUB_ENDPOINT)
            f.configure();
        if (f.index == HUB_HOST)
            f.set_up();
        f.configured = true;
        sim_schedule_by(dom, &f.pump, 3 * SIM_US + random(1000000), SIM_CLOCK);
    }
    (void)sim_run(sim, traffic.send_ps + 20 * SIM_US);
    record.entries = h->notifications;
    record.lost = h->notify_lost;
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
