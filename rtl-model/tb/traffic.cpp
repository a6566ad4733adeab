/* What far ends send: random packets of all kinds. */
#include "rig.h"

#include <algorithm>
#include <cstring>

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
    tlp.completer_id = id;
    tlp.addr = reg;
    fill(&tlp);
    memcpy(tlp.payload->data, &value, 4);
    send(tlp);
}

/* Anywhere, in the lower 4 GiB as often as not. */
void Far::configure_msi()
{
    config_write(PCIE_CFG_MSI + 4, static_cast<uint32_t>(rig->rng()));
    config_write(PCIE_CFG_MSI + 8, chance(50) ? 0 : static_cast<uint32_t>(rig->rng()));
    config_write(PCIE_CFG_MSI + 12, static_cast<uint32_t>(rig->rng()));
}

/* The hub's end is an endpoint. */
void Far::configure()
{
    id = static_cast<uint16_t>(rig->rng());
    config_write(PCIE_CFG_BAR(0), static_cast<uint32_t>(base()));
    config_write(PCIE_CFG_BAR(1), static_cast<uint32_t>(base() >> 32));
    configure_msi();
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
                                { HUB_ERRORS(0), 0x10 },
                                { HUB_ERRORS(0), 0x30 },
                                { HUB_ROUTE_LOWER(0, 0), 0x300 },
                                { HUB_ROUTE_LOWER(0, 0), 0xc00 },
                                { HUB_DMA(0), 0x60 },
                                { HUB_DMA(1), 0x60 },
                                { HUB_DMA(2), 0x60 },
                                { HUB_DMA(3), 0x60 },
                                { HUB_DMA(0), 0x400 },
                                { 0x2000, 16 },
                                { HUB_INTERNAL_OFFSET - 16, 16 } };

uint32_t Far::any_register()
{
    const Register &r = kRegisters[random(std::size(kRegisters))];

    return r.offset + 4 * random(r.bytes / 4);
}

uint32_t Far::any_lead()
{
    return 4 * static_cast<uint32_t>(random(4));
}

/* Behind `lead` bytes of anything, so that a register is in any lane of the bus. */
void Far::write_words(pcie_tlp *tlp, uint32_t reg, std::vector<uint64_t> words, uint32_t lead)
{
    pcie_tlp_set_range(tlp, self() + reg - lead, lead + static_cast<uint32_t>(words.size() * 8));
    fill(tlp);
    memcpy(tlp->payload->data + lead, words.data(), words.size() * 8);
    if (chance(10)) /* the lower halves, and the last upper one in part */
        tlp->last_be = chance(50) ? 0x3 : 0x7;
}

/* A ring of few entries, in host memory or on the chip, or of many, with any bits beside them. */
void Far::make_ring(pcie_tlp *tlp)
{
    bool internal = chance(40);
    uint64_t at = internal ? random(HUB_INTERNAL_BYTES) : rig->rng() & (chance(50) ? ~0u : ~0ull);

    write_words(tlp, HUB_RING_BASE,
                { at,
                  internal     ? random(7) | HUB_RING_INTERNAL
                  : chance(10) ? rig->rng() & ~(UINT64_C(0) + HUB_RING_INTERNAL)
                               : random(7),
                  rig->hub()->ring_head });
}

/* What lies on the chip, or in the host's memory. */
void Far::make_transfer(pcie_tlp *tlp)
{
    uint64_t from = rig->bar - base() + self() + HUB_INTERNAL_OFFSET;

    if (chance(50))
        from = 0x40000000 + random(256) * 4096;
    write_words(tlp, HUB_DMA(random(HUB_DMA_CHANNELS)) + HUB_DMA_SRC,
                { from, rig->bar + rig->any_part() + random(256) * 4096,
                  4u * (1 + random(400)) + (chance(30) ? rig->rng() << 32 : 0) });
}

/* Any bytes of registers, in one packet of some beats. */
void Far::write_anything(pcie_tlp *tlp)
{
    uint32_t reg, dwords = chance(60) ? 1 + random(2) : 1 + random(24);

    do /* channels are not for any values */
        reg = any_register();
    while (reg + dwords * 4 > HUB_DMA(0) && reg < HUB_DMA(HUB_DMA_CHANNELS));
    pcie_tlp_set_range(tlp, self() + reg, dwords * 4);
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
        write_words(tlp, HUB_NOTIFY, { rig->rng() }, chance(20) ? any_lead() : 0);
        return;
    }
    if (what < t.notes + t.tails) {
        write_words(tlp, HUB_RING_TAIL, { rig->hub()->ring_head - random(4) });
        return;
    }
    switch (chance(t.routes) ? 0 : random(10)) {
    case 0:
        write_words(tlp, HUB_AREA_BASE(random(3)),
                    { chance(70) ? bases[random(3)] : rig->rng() >> random(24) });
        break;
    case 1:
        if (chance(50)) /* cleared by the same beat, perhaps */
            write_words(tlp, HUB_IRQ_RAISE, { rig->rng(), rig->rng() });
        else
            write_words(tlp, HUB_IRQ_RAISE, { UINT64_C(1) << random(32) }, any_lead());
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

        pcie_tlp_set_range(tlp, self() + HUB_INTERNAL_OFFSET + at,
                           pcie_split(at, n, pcie_port_mps(port) - 4));
        fill(tlp);
        stored = at;
    }
    }
}

/* It reads registers, internal memory, or what is not to be read. */
void Far::make_read(pcie_tlp *tlp)
{
    uint64_t at = random(HUB_INTERNAL_BYTES);

    tlp->kind = PCIE_MRD;
    if (chance(50)) /* what was written last */
        at = stored;
    if (chance(60))
        pcie_tlp_set_range(tlp, self() + (any_register() & ~(chance(60) ? 7u : 0u)),
                           chance(90) ? 4 + 4 * random(2) : 12);
    else if (chance(10))
        pcie_tlp_set_range(tlp, base() + rig->any_part(), 8);
    else if (chance(5)) /* beyond its end */
        pcie_tlp_set_range(tlp, self() + HUB_INTERNAL_OFFSET + HUB_INTERNAL_BYTES - 4 * random(2),
                           8);
    else
        pcie_tlp_set_range(tlp, self() + HUB_INTERNAL_OFFSET + at,
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
    if (tlp->kind == PCIE_IORD || tlp->kind == PCIE_IOWR) {
        tlp->first_be = 0xf;
    } else {
        tlp->msg_code = static_cast<uint8_t>(rig->rng());
        tlp->msg_routing = static_cast<uint8_t>(random(6));
    }
    tlp->length_dw = tlp->kind == PCIE_MSG ? 0 : 1;
    if (tlp->kind == PCIE_IOWR || tlp->kind == PCIE_MSGD)
        fill(tlp);
    tlp->poisoned = tlp->payload != nullptr && chance(20);
}

/* To where no BAR claims anything, with 3 double words perhaps. */
void Far::stray(pcie_tlp *tlp)
{
    if (chance(50))
        tlp->addr -= base();
    else
        tlp->addr ^= UINT64_C(1) << (rig->window_log2 + random(64 - rig->window_log2));
}

void Far::make_write()
{
    const Traffic &t = rig->traffic;
    pcie_tlp tlp = {};
    uint64_t at;
    uint32_t mps = pcie_port_mps(port);

    tlp.kind = PCIE_MWR;
    if (chance(t.to_self)) {
        write_self(&tlp);
    } else {
        at = base() + rig->any_part(t.target) + random(HUB_AREA_SELF) * rig->area() +
             rig->random(chance(50) ? 1 << 20 : rig->area() - 8192);
        if (t.target < 0 && chance(t.bounds))
            at = base() + rig->near_bound();
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
        stray(&tlp);
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
            if (chance(3))
                stray(&tlp);
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
