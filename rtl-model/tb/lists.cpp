#include "lists.h"

extern "C" {
#include "hub/internal.h"
}

#include <algorithm>
#include <cstring>

namespace
{
constexpr uint64_t kHostBase = 0x40000000, kTables = 0x50000000, kNear = 1 << 20;
constexpr unsigned kPlaces = 64; /* of descriptors, for each channel, in each memory */
} // namespace

uint64_t ListHost::self() const
{
    return plan.bar + plan.own + HUB_AREA_SELF * (plan.part / HUB_AREAS);
}

/* ---- lists ---- */

uint64_t ListHost::any_source(uint32_t bytes)
{
    uint64_t low = chance(50) ? random(16) : random(64) * 64;

    switch (careful ? (chance(15) ? 2 : 5 + random(15)) : random(20)) {
    case 0: /* another node's part, or a place that is no memory */
        return plan.bar + plan.place() + HUB_AREA_SELF * (plan.part / HUB_AREAS) + low;
    case 1: /* runs out of internal memory, or just does not */
        return self() + HUB_INTERNAL_OFFSET + HUB_INTERNAL_BYTES - (chance(50) ? bytes : 4 + low);
    case 2:
    case 3: /* an area of the own part */
        return plan.bar + plan.own + random(3) * (plan.part / HUB_AREAS) + random(64) * 4096 + low;
    case 4: /* the end of an area */
        return plan.bar + plan.own + (1 + random(2)) * (plan.part / HUB_AREAS) - 64 - low;
    case 5:
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
        return self() + HUB_INTERNAL_OFFSET + random(HUB_INTERNAL_BYTES / 2) + low;
    default:
        if (chance(40)) /* anywhere, with the window in few cases */
            return chance(5)
                       ? (UINT64_C(1) << 48) - 4096 + random(64) * 64 /* behind which none is */
                       : (random(UINT64_C(1) << (31 + random(17))) & ~UINT64_C(4095)) + low;
        return kHostBase + random(kNear / 4096) * 4096 + low;
    }
}

uint64_t ListHost::any_destination(uint32_t bytes, uint64_t source)
{
    uint64_t to = plan.bar + (careful ? plan.way() : plan.place());

    switch (careful ? (chance(25) ? 2 + random(5) : chance(15) ? 7 : 12) : random(24)) {
    case 0: /* no address of the window */
        to = kHostBase;
        break;
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
        to = plan.bar + plan.bound();
        break;
    case 1: /* the end of an area */
        to += plan.part / HUB_AREAS - 4096;
        break;
    case 2:
    case 3:
    case 4: /* the own memory */
        to = self() + HUB_INTERNAL_OFFSET + HUB_INTERNAL_BYTES / 2 +
             random(HUB_INTERNAL_BYTES / 2 - std::min(bytes, 16384u));
        break;
    case 5:
    case 6: /* back to the host */
        to = plan.bar + plan.own + random(3) * (plan.part / HUB_AREAS) + random(kNear);
        break;
    default:
        to += random(HUB_AREA_SELF) * (plan.part / HUB_AREAS) +
              random(chance(50) ? kNear : plan.part / HUB_AREAS);
        if (chance(30))
            to = (to & ~UINT64_C(4095)) + 4096 - random(256);
        break;
    }
    return !careful && chance(6) ? to : (to & ~UINT64_C(15)) | (source & 15);
}

/* Of all bits of a length few are set. */
uint32_t ListHost::sparse()
{
    if (chance(20)) /* one, of all */
        return UINT32_C(1) << random(32);
    return UINT32_C(1) << (2 + random(30)) | UINT32_C(1) << (2 + random(chance(60) ? 8 : 30)) |
           4 * static_cast<uint32_t>(random(64));
}

ListHost::Descriptor ListHost::any_descriptor()
{
    Descriptor d = {};
    bool status = chance(12);
    uint32_t dwords = 1 + static_cast<uint32_t>(random(chance(60)   ? 64
                                                       : chance(80) ? 400
                                                                    : plan.longest));
    bool endless = chance(5); /* it is broken off */
    uint32_t bytes = endless                 ? sparse()
                     : !careful && chance(4) ? static_cast<uint32_t>(random(40))
                                             : dwords * 4;
    uint64_t src = any_source(bytes), dst = any_destination(bytes, src);
    uint32_t burst = 0,
             gap = static_cast<uint32_t>(random(careful || chance(80) ? 300 : UINT32_MAX));

    if (chance(35)) /* not so many blocks that nothing else happens */
        burst = !careful && chance(4) ? 1 + static_cast<uint32_t>(random(99))
                                      : 4 * (1 + static_cast<uint32_t>(random(1 + dwords / 4))) +
                                            (chance(70) ? bytes / 8 & ~3u : 0);
    if (endless && chance(40))
        burst =
            chance(50) ? sparse() & ~(HUB_DESC_STATUS | HUB_DESC_PIPELINE) : 4 * (1 + dwords % 64);
    d.words[HUB_DESC_SRC_LO] = static_cast<uint32_t>(src);
    d.words[HUB_DESC_HI] =
        static_cast<uint32_t>(src >> 32 & 0xffff) | static_cast<uint32_t>(dst >> 32 << 16);
    d.words[HUB_DESC_DST_LO] = static_cast<uint32_t>(dst);
    d.words[HUB_DESC_SIZE] = bytes;
    d.words[HUB_DESC_BURST] =
        burst | (status ? HUB_DESC_STATUS : 0) | (chance(50) ? HUB_DESC_PIPELINE : 0);
    d.words[HUB_DESC_SRC_GAP] = gap;
    d.words[HUB_DESC_DST_GAP] =
        gap + 16 * static_cast<uint32_t>(random(8)) + (!careful && chance(4));
    return d;
}

/* Posted writes, each as long as it may be. */
void ListHost::store(uint64_t addr, const void *bytes, uint32_t n)
{
    const uint8_t *from = static_cast<const uint8_t *>(bytes);

    while (n != 0) {
        uint32_t piece = pcie_split(addr, n, pcie_port_mps(port));
        pcie_tlp tlp = pcie_tlp_write(pool, 0, addr, from, piece);

        made.push_back(tlp);
        addr += piece;
        from += piece;
        n -= piece;
    }
}

void ListHost::store_value(uint64_t addr, uint64_t value, bool in_halves)
{
    if (in_halves) {
        store(addr, &value, 4);
        store(addr + 4, reinterpret_cast<uint8_t *>(&value) + 4, 4);
    } else {
        store(addr, &value, 8);
    }
}

/* Source to status data lie side by side. */
void ListHost::set_registers(unsigned channel)
{
    uint64_t base = self() + HUB_DMA(channel), values[5];
    uint32_t bytes = !careful && chance(6) ? static_cast<uint32_t>(random(20))
                                           : 4 * (1 + static_cast<uint32_t>(random(300)));

    values[0] = any_source(bytes);
    values[1] = any_destination(bytes, values[0]);
    values[2] = bytes | (chance(20) ? (*rng)() << 32 : 0); /* of which the lower half counts */
    values[3] = chance(40) ? 0 : any_destination(8, random(16) == 0 ? random(16) : random(4) * 4);
    values[4] = (*rng)();
    if (chance(70)) {
        store(base + HUB_DMA_SRC, values, sizeof(values));
    } else {
        for (unsigned i = 0; i < 5; i++)
            store_value(base + 8 * i, values[i], chance(30));
    }
    if (chance(50))
        store_value(base + HUB_DMA_IRQ, UINT64_C(1) << random(64), chance(20));
}

/* A chain through both memories, and its start. */
void ListHost::write_list(unsigned channel)
{
    uint64_t table = kTables + (channel * 4 + random(4)) * 4096 + (chance(20) ? random(4096) : 0) +
                     (chance(30) ? (*rng)() << 32 : 0);
    unsigned n = 1 + static_cast<unsigned>(random(chance(70) ? 4 : 12));
    bool in_host = chance(50);
    std::vector<uint32_t> at;

    for (unsigned i = 0; i < n; i++) {
        if (chance(25))
            in_host = !in_host;
        at.push_back(in_host ? static_cast<uint32_t>(random(chance(20) ? HUB_DESC_END : kPlaces))
                             : HUB_DESC_INTERNAL |
                                   static_cast<uint32_t>(channel * kPlaces + random(kPlaces)));
    }
    at.push_back(HUB_DESC_END);
    if (chance(6)) /* nothing, nowhere, or a circle */
        at.back() = chance(30)   ? HUB_DESC_INTERNAL | (1000 + random(100))
                    : chance(50) ? HUB_DESC_END ^ 1u << random(31)
                                 : at[0];
    for (unsigned i = 0; i < n; i++) {
        Descriptor d = any_descriptor();

        d.words[HUB_DESC_NEXT] = at[i + 1];
        if ((at[i] & HUB_DESC_INTERNAL) != 0)
            store(self() + HUB_INTERNAL_OFFSET + (at[i] & ~HUB_DESC_INTERNAL) * HUB_DESC_BYTES,
                  d.words.data(), HUB_DESC_BYTES);
        else
            tables[(table & ~UINT64_C(4095)) + UINT64_C(1) * at[i] * HUB_DESC_BYTES] = d;
    }
    if (chance(70))
        set_registers(channel);
    else
        store_value(self() + HUB_DMA(channel) + HUB_DMA_STATUS_ADDR, 0, false);
    store_value(self() + HUB_DMA(channel) + HUB_DMA_TABLE, table, chance(20));
    store(self() + HUB_DMA(channel) + HUB_DMA_HEAD, &at[0], 4);
}

void ListHost::start(unsigned channel)
{
    uint64_t control = HUB_DMA_START_REG;

    careful = chance(60);
    if (chance(65)) {
        write_list(channel);
        return;
    }
    set_registers(channel);
    store_value(self() + HUB_DMA(channel) + HUB_DMA_CONTROL, control, chance(20));
}

/* ---- short transfers to bounds ---- */

/* A few bytes there, or one bit away. Mostly they have a way, and end in the area where they begin.
 */
ListHost::Descriptor ListHost::aimed()
{
    bool anywhere = chance(3);
    uint32_t bytes = 4 * (1 + static_cast<uint32_t>(random(chance(50) ? 1 : 8)));
    uint64_t offset, leave, dst, src;
    Descriptor d = {};

    for (unsigned tries = 0; tries < 16; tries++) {
        offset = plan.bound();
        uint32_t out = hub_route(hub, offset);

        if (anywhere ||
            ((out == OUT_SELF || (out != HUB_ROUTE_NONE && hub_leave(hub, out, offset, &leave))) &&
             hub_area(hub, offset) == hub_area(hub, offset + bytes - 1)))
            break;
    }
    dst = plan.bar + offset;
    src = self() + HUB_INTERNAL_OFFSET + HUB_INTERNAL_BYTES / 2 +
          random(HUB_INTERNAL_BYTES / 64) * 16 + (dst & 15);
    d.words[HUB_DESC_SRC_LO] = static_cast<uint32_t>(src);
    d.words[HUB_DESC_HI] =
        static_cast<uint32_t>(src >> 32 & 0xffff) | static_cast<uint32_t>(dst >> 32 << 16);
    d.words[HUB_DESC_DST_LO] = static_cast<uint32_t>(dst);
    d.words[HUB_DESC_SIZE] = bytes;
    d.words[HUB_DESC_BURST] = HUB_DESC_PIPELINE;
    return d;
}

/* By the registers, and its status to another bound: one packet has all of it, and the start. */
void ListHost::aim_once(unsigned channel)
{
    Descriptor d = aimed();
    uint64_t values[HUB_DMA_CONTROL / 8 + 1] = {}, hi = d.words[HUB_DESC_HI];

    values[HUB_DMA_SRC / 8] = (hi & 0xffff) << 32 | d.words[HUB_DESC_SRC_LO];
    values[HUB_DMA_DST / 8] = hi >> 16 << 32 | d.words[HUB_DESC_DST_LO];
    values[HUB_DMA_LENGTH / 8] = d.words[HUB_DESC_SIZE];
    if (chance(50))
        values[HUB_DMA_STATUS_ADDR / 8] = (plan.bar + plan.bound()) & ~UINT64_C(7);
    values[HUB_DMA_STATUS_DATA / 8] = (*rng)();
    values[HUB_DMA_CONTROL / 8] = HUB_DMA_START_REG;
    store(self() + HUB_DMA(channel), values, sizeof(values));
}

/* Many of them, one behind another in internal memory. */
void ListHost::aim(unsigned channel)
{
    uint32_t n = 1 + static_cast<uint32_t>(random(kPlaces)),
             at = HUB_DESC_INTERNAL | (channel * kPlaces);
    std::vector<Descriptor> list;

    if (chance(25)) {
        aim_once(channel);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        list.push_back(aimed());
        list.back().words[HUB_DESC_NEXT] = i + 1 < n ? at + i + 1 : HUB_DESC_END;
    }
    store(self() + HUB_INTERNAL_OFFSET + UINT64_C(1) * channel * kPlaces * HUB_DESC_BYTES,
          list.data(), n * HUB_DESC_BYTES);
    store(self() + HUB_DMA(channel) + HUB_DMA_HEAD, &at, sizeof(at));
}

/* All bits of the registers, which nothing uses before the next start. Halves of them come in all
 * lanes of the bus. */
void ListHost::try_registers(unsigned channel)
{
    uint32_t halves[HUB_DMA_CONTROL / 4];

    for (unsigned i = 0; i < 3; i++) {
        unsigned from = i == 0 ? 0 : static_cast<unsigned>(random(std::size(halves)));
        unsigned left = static_cast<unsigned>(std::size(halves)) - from;

        for (uint32_t &h : halves)
            h = static_cast<uint32_t>((*rng)());
        store(self() + HUB_DMA(channel) + 4 * from, halves,
              4 * (i == 0 ? left : 1 + static_cast<uint32_t>(random(left))));
    }
    store_value(self() + HUB_DMA(channel) + HUB_DMA_TABLE, (*rng)(), false);
    store_value(self() + HUB_DMA(channel) + HUB_DMA_IRQ, (*rng)(), false);
    for (uint32_t offset = 0; offset <= HUB_DMA_IRQ; offset += 8)
        read_register(channel, offset);
}

/* What a well-behaved driver does not do while a channel is busy. */
void ListHost::disturb(unsigned channel)
{
    uint64_t base = self() + HUB_DMA(channel);
    static const uint64_t bases[] = { 0, kHostBase, 0x3000000000 };
    uint32_t words[16];

    switch (random(9)) {
    case 0:
    case 8:
        store_value(base + HUB_DMA_CONTROL, HUB_DMA_ABORT | random(2), false);
        break;
    case 1:
    case 2:
        start(channel);
        break;
    case 3:
    case 4:
        store_value(self() + HUB_AREA_BASE(random(3)),
                    chance(70) ? bases[random(3)] : (*rng)() >> random(24), chance(20));
        break;
    case 5:
        set_registers(channel);
        break;
    case 6: /* all of its registers, in one packet: it starts twice, or not at all */
        for (uint32_t &w : words)
            w = static_cast<uint32_t>(chance(50) ? random(1024) : (*rng)());
        store(base + 4 * random(8), words, sizeof(words));
        break;
    default: /* over descriptors and data that are being read */
        for (uint32_t &w : words)
            w = static_cast<uint32_t>((*rng)());
        store(self() + HUB_INTERNAL_OFFSET + random(HUB_INTERNAL_BYTES - 64), words,
              1 + static_cast<uint32_t>(random(sizeof(words))));
        break;
    }
}

void ListHost::read_register(unsigned channel, uint32_t offset)
{
    pcie_tlp tlp = {};

    tlp.kind = PCIE_MRD;
    tlp.tag = static_cast<uint8_t>((*rng)());
    pcie_tlp_set_range(&tlp, self() + HUB_DMA(channel) + offset, 8);
    made.push_back(tlp);
}

/* How its last list has ended, or another register. */
void ListHost::look_at(unsigned channel)
{
    static const uint32_t shown[] = { HUB_DMA_STATE, HUB_DMA_BYTES };

    read_register(channel, chance(80) ? shown[random(2)] : static_cast<uint32_t>(8 * random(12)));
}

/* What has ended, or does not. */
bool ListHost::may_start(unsigned channel, sim_time_t now)
{
    bool ended = hub->dma[channel].chains != started[channel].ended;

    if (!ended && now < started[channel].until)
        return false;
    if (!ended && chance(60))
        store_value(self() + HUB_DMA(channel) + HUB_DMA_CONTROL, HUB_DMA_ABORT, false);
    started[channel] = { hub->dma[channel].chains, now + plan.patience_ps };
    return true;
}

std::vector<pcie_tlp> ListHost::act(sim_time_t now)
{
    unsigned channel = static_cast<unsigned>(random(HUB_DMA_CHANNELS));
    static const uint64_t bases[] = { kHostBase, 0x2000000000, 0x3000000000 };

    made.clear();
    if (plan.aims) {
        for (unsigned c = 0; c < HUB_DMA_CHANNELS; c++)
            if (may_start(c, now))
                aim(c);
        if (chance(10))
            look_at(channel);
    } else if (chance(12)) {
        disturb(channel);
    } else if (may_start(channel, now)) {
        if (chance(60))
            look_at(channel);
        if (chance(15))
            try_registers(channel);
        start(channel);
    }
    for (unsigned a = 0; a < HUB_AREA_SELF; a++) /* none stays closed for long */
        if (hub->area_base[a] == 0 && chance(10))
            store_value(self() + HUB_AREA_BASE(a), bases[a], false);
    return made;
}

/* ---- answers ---- */

void ListHost::fill(pcie_tlp *cpl, uint64_t addr, uint32_t lead)
{
    auto table = tables.find(addr);
    uint32_t n = cpl->length_dw * 4u;

    cpl->payload = mem_payload_alloc(pool, n);
    for (uint32_t i = 0; i < n; i++)
        cpl->payload->data[i] = static_cast<uint8_t>((*rng)());
    if (table != tables.end() && lead == 0)
        memcpy(cpl->payload->data, table->second.words.data(), std::min(n, HUB_DESC_BYTES));
}

std::vector<TimedTlp> ListHost::answer(const pcie_tlp *request, sim_time_t now)
{
    std::vector<TimedTlp> list;
    uint64_t addr;
    uint32_t left = pcie_tlp_range(request, &addr);
    uint32_t most = std::min(pcie_port_mps(port), 64u << random(7));
    sim_time_t when = now + random(chance(4) ? 3000000 : 300000);
    unsigned wrong = chance(plan.wrong) ? 1 + static_cast<unsigned>(random(9)) : 0;

    if (wrong == 1) /* never */
        return list;
    if (wrong == 2)
        when += plan.late_ps;
    while (left != 0) {
        uint32_t n = pcie_split_completion(addr, left, most);
        uint32_t lead = static_cast<uint32_t>(addr & 3);
        pcie_tlp cpl = pcie_tlp_answer(request, PCIE_CPL_SC);

        if (chance(30)) /* further than it has to be cut */
            n = std::min(left, static_cast<uint32_t>(most - (addr & (most - 1))));
        if (wrong >= 3 && chance(70)) {
            cpl.status = wrong == 3 ? PCIE_CPL_UR : wrong == 4 ? PCIE_CPL_CA : PCIE_CPL_SC;
            if (wrong <= 4 || wrong == 8) { /* the end of it, in the right form or another one */
                list.push_back({ when, cpl });
                return list;
            }
        }
        cpl.kind = PCIE_CPLD;
        cpl.byte_count = static_cast<uint16_t>(left);
        cpl.lower_addr = static_cast<uint8_t>(addr & 0x7f);
        cpl.length_dw = static_cast<uint16_t>((lead + n + 3) / 4);
        cpl.poisoned = wrong == 5;
        if (wrong == 6)
            cpl.byte_count = static_cast<uint16_t>(left + 4);
        if (wrong == 7 && chance(50)) /* another requester's, or completer's */
            (chance(50) ? cpl.requester_id : cpl.completer_id) ^= 1;
        if (wrong == 9) /* more than is missing, perhaps */
            cpl.length_dw = static_cast<uint16_t>(
                std::max<uint64_t>(cpl.length_dw, random(pcie_port_mps(port) / 4)));
        fill(&cpl, addr, lead);
        list.push_back({ when, cpl });
        when += random(chance(1) ? 2000000 : 20000);
        addr += n;
        left -= n;
    }
    return list;
}
