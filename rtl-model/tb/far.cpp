/* Far ends: they send when they may, take what comes after a random time, and answer. */
#include "rig.h"

#include <algorithm>
#include <cstring>

unsigned Far::random(unsigned n)
{
    return static_cast<unsigned>(rig->random(n));
}

void Far::send(const pcie_tlp &tlp)
{
    out.push_back(tlp);
    if (!pumping)
        sim_schedule_by(rig->dom, &pump, sim_now(rig->dom), SIM_CLOCK);
}
uint64_t Far::base() const
{
    return index == HUB_HOST ? rig->bar : HUB_CABLE_BASE;
}
uint64_t Far::self() const
{
    return base() + (static_cast<uint64_t>(rig->slot) << rig->part_log2) +
           HUB_AREA_SELF * rig->area();
}
/* At any time; what is off is on again by one of the next writes. */
void Far::configure_again()
{
    config_write(PCIE_CFG_COMMAND,
                 (chance(90) ? PCIE_COMMAND_MEMORY : 0) | (chance(70) ? PCIE_COMMAND_MASTER : 0));
    if (chance(20)) /* with the next write */
        id = static_cast<uint16_t>(rig->rng());
    if (index == HUB_HOST && chance(20))
        configure_msi();
    if (index == HUB_HOST && chance(50))
        config_write(PCIE_CFG_MSI, chance(70) ? PCIE_MSI_ENABLE : 0);
    if (chance(50))
        config_write(PCIE_CFG_DEVICE_CONTROL, random(6) << 12);
    if (chance(80))
        config_write(PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER);
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
            uint32_t identity = HUB_DEVICE_ID << 16 | HUB_VENDOR_ID;

            cpl.kind = PCIE_CPLD;
            cpl.length_dw = 1;
            fill(&cpl);
            memcpy(cpl.payload->data, &identity, 4);
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

/* Packets from before the link was down are in the hub's queues. */
static bool holds_stale(const pcie_port *hub_end)
{
    uint32_t n = 0;

    for (unsigned c = 0; pcie_port_is_lossy(hub_end) && c < PCIE_CLASSES; c++)
        n += hub_end->lossy_ops->stale(hub_end, static_cast<pcie_class>(c));
    return n != 0;
}

/* Until it has a pause, or what is next may not be sent. @return whether it had one */
bool Far::send_some(sim_time_t now)
{
    bool pause = false;

    while (!pause) {
        if (holds_stale(rig->hub()->ports[index].edge.pcie)) /* the IP waits for them */
            return true;
        if (out.empty()) {
            if (now >= rig->begin + rig->traffic.send_ps || !configured)
                return true;
            if (rig->cfg.role[index] == HUB_ENDPOINT && random(index == HUB_HOST ? 80 : 150) == 0)
                configure_again();
            if (index == HUB_HOST && chance(rig->traffic.lists))
                for (const pcie_tlp &tlp : rig->host->act(now))
                    out.push_back(tlp);
            else
                make_packet();
            pause = chance(rig->traffic.idle);
        }
        while (!out.empty() && pcie_port_can_send(port, pcie_tlp_class(&out.front()))) {
            pcie_port_send(port, &out.front());
            out.pop_front();
        }
        if (!out.empty())
            return false; /* far_ready() goes on */
    }
    return true;
}

void far_pump(sim_event *ev)
{
    Far *f = reinterpret_cast<Far *>(ev);
    Rig *rig = f->rig;
    sim_time_t now = sim_now(rig->dom);
    bool paused;

    for (; !f->later.empty() && f->later.front().time <= now; f->later.erase(f->later.begin()))
        f->out.push_back(f->later.front().tlp);
    if (!f->later.empty())
        sim_schedule_by(rig->dom, ev, f->later.front().time, SIM_CLOCK);
    f->pumping = true;
    paused = f->send_some(now);
    f->pumping = false;
    if (paused && now < rig->begin + rig->traffic.send_ps)
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
