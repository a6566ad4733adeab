/* What the hub in C sees and does, by its watch. */
#include "rig.h"

#include <algorithm>
#include <cstring>

uint32_t rig_source(const ForwardParams &p, uint32_t source)
{
    return source < SRC_LOCAL ? source / PCIE_CLASSES * p.classes + source % PCIE_CLASSES
                              : p.ports * p.classes + source - SRC_LOCAL;
}

namespace
{
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
        packet_of(from_edge, rig_source(rig->params, source), own_out(rig->params, out), tlp);

    rig->record.put.push_back(p);
    if (tlp->kind == PCIE_CFGRD0 || tlp->kind == PCIE_CFGWR0) {
        p.edge = rig->hub()->ports[out].request_edge;
        rig->record.requests.push_back(p);
    }
}

void on_granted(void *user, uint64_t edge, uint32_t source, uint32_t out, const pcie_tlp *tlp,
                bool in_ddr)
{
    Rig *rig = static_cast<Rig *>(user);

    rig->watch_race(source, edge);
    if (out == OUT_SELF && tlp->kind == PCIE_MRD)
        rig->look_beside(edge);
    rig->record.granted.push_back(
        packet_of(edge, rig_source(rig->params, source), own_out(rig->params, out), tlp));
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

void on_answered(void *user, bool expected, const pcie_tlp *cpl)
{
    Rig *rig = static_cast<Rig *>(user);
    std::vector<Answer> &list = rig->record.answers;
    Answer a = { hub_clock_edge(rig->hub()), kTimeout, {} };

    if (cpl != nullptr) {
        a.errors = !expected                    ? kUnexpected
                   : cpl->status == PCIE_CPL_CA ? kTargetAbort
                   : cpl->status != PCIE_CPL_SC ? kMasterAbort
                                                : 0;
        a.errors |= expected && cpl->poisoned ? kPoisoned : 0;
        pcie_tlp_encode(cpl, a.header.data());
    }
    if (list.empty() || list.back().edge != a.edge)
        list.push_back(a);
    else if (cpl == nullptr) /* behind the completion of this edge */
        list.back().errors |= kTimeout;
    else
        list.back() = { a.edge, a.errors | list.back().errors, a.header };
}

} // namespace

hub_watch rig_watch(Rig *rig)
{
    return { rig,        on_edge,  on_received, on_put,     on_granted,
             on_written, on_error, on_cleared,  on_answered };
}

/* At an edge at which the hub does nothing, too: what it could have seen then. */
void rig_sample(sim_event *ev)
{
    Rig *rig = reinterpret_cast<Sampler *>(ev)->rig;
    uint64_t edge = sim_clock_edge(&rig->hub()->clk, sim_now(rig->dom));

    if (rig->sampled != edge)
        rig->sample(edge);
    rig->record.edges = edge + 1;
    sim_schedule_by(rig->dom, ev, sim_clock_time(&rig->hub()->clk, edge + 1), SIM_TASK);
}

void Rig::show_port(State *s, unsigned p)
{
    const hub_port &hp = hub()->ports[p];
    const hub_edge &e = hp.edge;

    s->in.mps |= static_cast<uint32_t>(__builtin_ctz(hp.mps_bytes) - 7) << 3 * p;
    s->in.master |= static_cast<uint32_t>(e.masters) << p;
    s->in.up |= static_cast<uint32_t>(pcie_port_is_up(e.pcie)) << p;
    s->in.vc1 |= static_cast<uint32_t>(pcie_port_has_vc1(e.pcie)) << p;
    s->in.id[p] = e.function.id;
    s->in.memory |=
        static_cast<uint32_t>(e.role == HUB_ROOT ? hp.bringup == BRINGUP_DONE
                                                 : pcie_function_memory_enabled(&e.function))
        << p;
    for (unsigned c = 0; c < params.classes; c++) {
        pcie_credits now = pcie_port_credits(e.pcie, static_cast<pcie_class>(c));
        unsigned at = p * params.classes + c;

        s->in.tx_ready |= static_cast<uint32_t>(now.ready) << at;
        s->in.tx_empty |= static_cast<uint32_t>(now.empty) << at;
        s->in.tx_limit_h[at] = static_cast<uint8_t>(now.hdr);
        s->in.tx_limit_d[at] = static_cast<uint16_t>(now.data & 0xfff);
        s->in.tx_first_h[at] = static_cast<uint8_t>(now.hdr_first);
        s->in.tx_first_d[at] = now.data_first;
    }
    s->in.ddr_places[p] = hp.ddr_places;
}

State Rig::state_at(uint64_t edge)
{
    struct hub *h = hub();
    const pcie_function *host_fn = &h->ports[HUB_HOST].edge.function;
    State s;

    memset(static_cast<void *>(&s), 0, sizeof(s));
    s.edge = edge;
    for (unsigned p = 0; p < params.ports; p++)
        show_port(&s, p);
    s.in.date_line = h->date_line;
    s.in.msi = pcie_function_msi(host_fn, &s.in.msi_addr, &s.in.msi_data);
    s.in.bar = pcie_function_bar(host_fn, 0);
    s.in.mrrs = static_cast<uint32_t>(__builtin_ctz(pcie_function_mrrs(host_fn)) - 7);
    s.in.slot = h->slot;
    s.in.subcluster = h->subcluster;
    s.in.window_log2 = static_cast<uint32_t>(__builtin_ctzll(h->window_bytes));
    s.in.part_log2 = static_cast<uint32_t>(__builtin_ctzll(h->part_bytes));
    for (unsigned i = 0; i < params.ports * kPairs; i++) {
        const struct hub_range *r = hub_range(h, i / kPairs, i % kPairs);

        s.in.lower[i] = r != nullptr ? r->lower : straps.lower[i];
        s.in.upper[i] = r != nullptr ? r->upper : straps.upper[i];
    }
    return s;
}

/* A list that ended at the edge before, and what its channel lacks. */
void Rig::notice_channels(const State &s)
{
    const ForwardIn *before = record.states.empty() ? &s.in : &record.states.back().in;
    bool at_work = false;

    for (unsigned c = 0; c < HUB_DMA_CHANNELS; c++) {
        const struct hub_dma *d = &hub()->dma[c];
        uint32_t open = d->read_tail - d->read_head;
        bool failed = d->mode != DMA_IDLE && d->failed;
        bool reads = d->mode != DMA_IDLE && !failed && d->active && d->left != 0;
        bool no_tag = reads && open == params.dma.read_tags;
        bool no_window = reads && !no_tag && params.dma.window_bytes != 0 &&
                         d->bytes_in_flight >= params.dma.window_bytes;

        if (d->chains != last.chains[c])
            record.ended[d->failed && d->error == 0 ? 15 : d->error]++;
        if (failed && !last.failed[c] && d->error == 0 && open != 0)
            happen(kEventAbortInFlight);
        if (no_tag && !last.no_tag[c])
            happen(kEventNoTag);
        if (no_window && !last.no_window[c])
            happen(kEventNoWindow);
        last.chains[c] = d->chains;
        last.failed[c] = failed;
        last.no_tag[c] = no_tag;
        last.no_window[c] = no_window;
        at_work |= d->mode != DMA_IDLE;
    }
    if (at_work && (before->master & ~s.in.master & 1) != 0)
        happen(kEventMasterOff);
    if (at_work && before->mrrs != s.in.mrrs)
        happen(kEventNewMrrs);
    if (before->msi > s.in.msi)
        happen(kEventMsiOff);
}

/* docs/hub-spec.md, "Internal RAM": the race that is not decided ends a record. */
void Rig::watch_race(uint32_t source, uint64_t edge)
{
    const struct hub *h = hub();
    const hub_internal_read &read = h->internal_read;

    if (source < SRC_DMA_WRITE || h->internal_edge <= edge || read.descriptor != nullptr ||
        read.dma != &h->dma[source - SRC_DMA_WRITE])
        return;
    race.image.assign(h->internal, h->internal + sizeof(h->internal));
    race.begun = read.edge;
}

void Rig::notice_race(uint64_t edge)
{
    const hub_internal_read &read = hub()->internal_read;

    if (race.image.empty())
        return;
    if (memcmp(&race.image[read.at], &hub()->internal[read.at], read.bytes) != 0)
        race.undecided = std::min(race.undecided, edge);
    if (hub()->internal_edge <= edge || race.begun != read.edge)
        race.image.clear();
}

/* What has begun since the edge before. */
void Rig::notice(const State &s)
{
    const struct hub *h = hub();
    uint64_t lap = h->ring_head >> (h->ring_size & 0x1f);
    uint32_t full = 0, spill = 0;

    notice_channels(s);
    notice_race(s.edge);
    for (unsigned p = 0; p < params.ports; p++) {
        const hub_port &hp = h->ports[p];

        for (unsigned c = 0; c < params.classes; c++) {
            const rx_class &r = hp.edge.pcie->rx[c];
            bool is = r.hdr_total != 0 && r.hdr_held >= r.hdr_total;

            full |= static_cast<uint32_t>(is) << (p * params.classes + c);
            if (is && (last.full >> (p * params.classes + c) & 1) == 0)
                happen(static_cast<Event>(kEventPostedFull + c));
        }
        spill |= static_cast<uint32_t>(hp.in_ddr != 0 && hp.in_ddr == hp.ddr_places) << p;
    }
    happen(kEventSpillFull, __builtin_popcount(spill & ~last.spill));
    if (lap == last.lap + 1)
        happen(kEventRingWrap);
    last.full = full;
    last.spill = spill;
    last.lap = lap;
}

/* It holds a packet, or has one to make. */
bool Rig::has_work()
{
    const struct hub *h = hub();
    bool any = h->busy_dma != 0 || h->interrupts || h->notify_head != h->notify_tail ||
               h->receiving != 0 || !fifo_empty(&h->sink);

    for (const hub_fifo &f : h->fifo)
        any |= !fifo_empty(&f);
    return any;
}

void Rig::sample(uint64_t edge)
{
    const struct hub *h = hub();
    State s = state_at(edge);
    SelfState self = { edge, h->output[OUT_SELF].free_edge > edge, !hub_local_room(h) };

    notice(s);
    sampled = edge;
    if (record.work.empty() || record.work.back().any != has_work())
        record.work.push_back({ edge, has_work() });
    if (record.self.empty() || record.self.back().busy != self.busy ||
        record.self.back().local_full != self.local_full)
        record.self.push_back(self);
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
