#include "pcie/port/phy.h"

static uint64_t align_up(uint64_t pos, uint64_t align)
{
    return (pos + align - 1) & ~(align - 1);
}

void pcie_phy_init(struct pcie_phy *phy, uint32_t gen, uint32_t lanes, uint64_t skp_interval)
{
    uint64_t num, den, g;

    if (gen <= 2) { /* 10 bits at 2.5 or 5 GT/s */
        num = gen == 1 ? 4000 : 2000;
        den = lanes;
    } else { /* 8 * 130 / 128 bits at 8 GT/s are 8125/8 ps; half of it with each generation */
        num = 8125;
        den = (UINT64_C(8) << (gen - 3)) * lanes;
    }
    g = sim_gcd(num, den);
    *phy = (struct pcie_phy){ .ps_num = (uint32_t)(num / g),
                              .ps_den = (uint32_t)(den / g),
                              .lanes = lanes };
    phy->skp_interval = skp_interval * lanes;
    phy->skp_due = skp_interval != 0 ? phy->skp_interval : UINT64_MAX;
    if (gen <= 2) { /* COM and 3 SKP in each lane (4.2.7.1) */
        phy->skp_symbols = 4 * lanes;
        phy->skp_align = lanes;
    } else { /* the data stream ends with an EDS token at a block's end, then one block */
        phy->skp_symbols = PCIE_BLOCK_SYMBOLS * lanes; /* 12 SKP, SKP_END and 3 more (4.2.7.2) */
        phy->skp_align = phy->skp_symbols;
        phy->skp_before = 4;
    }
}

uint64_t pcie_phy_skip(struct pcie_phy *phy, uint64_t start)
{
    uint64_t n = (start - phy->skp_due) / phy->skp_interval + 1;

    phy->skp_due += n * phy->skp_interval;
    return align_up(start + phy->skp_before, phy->skp_align) + n * phy->skp_symbols;
}

uint64_t pcie_phy_after_idle(struct pcie_phy *phy, sim_time_t now, uint64_t start)
{
    if (now * phy->ps_den <= start * phy->ps_num) /* SKP ordered sets filled the gap */
        return start;
    start = align_up((now * phy->ps_den + phy->ps_num - 1) / phy->ps_num, phy->lanes);
    if (start >= phy->skp_due)
        phy->skp_due += ((start - phy->skp_due) / phy->skp_interval + 1) * phy->skp_interval;
    return start;
}

void pcie_phy_hold(struct pcie_phy *phy, sim_time_t until)
{
    uint64_t pos = (until * phy->ps_den + phy->ps_num - 1) / phy->ps_num;

    phy->next_pos = align_up(pos, phy->lanes);
    phy->free_ps = until;
    if (phy->skp_interval != 0)
        phy->skp_due = phy->next_pos + phy->skp_interval;
}
