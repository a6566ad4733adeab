/*
 * The transmitting half of a link's physical layer: when does a packet that is
 * ready now begin and end on the wire?
 *
 * Positions count symbols (bytes) of the whole link since time 0, so one symbol
 * time has `lanes` of them; only the end of a packet is turned into
 * picoseconds, and rounded once. A symbol time is 4 ns (Gen1), 2 ns (Gen2, both
 * 8b/10b), or 8 bits * 130/128 at 8, 16, 32 GT/s (128b/130b; the sync headers
 * are spread evenly).
 */
#ifndef PCIE_PHY_H
#define PCIE_PHY_H

#include "core/sim.h"

SIM_BEGIN_DECLS

/*
 * What a packet needs beside its header and payload is 8 symbols in every generation:
 * Gen1, 2: STP 1, sequence number 2, LCRC 4, END 1 (3.6, 4.2.1.2); a DLLP is SDP 1 + 6 + END 1.
 * Gen3 on: STP token with sequence number 4, LCRC 4 (4.2.2.3); a DLLP is SDP token 2 + 6.
 */
#define PCIE_TLP_FRAMING  8u
#define PCIE_DLLP_SYMBOLS 8u
/* Of one lane, from Gen3 on: the payload of a block of 130 bits. */
#define PCIE_BLOCK_SYMBOLS 16u

struct pcie_phy {
    uint64_t next_pos;       /* end of the last packet */
    sim_time_t free_ps;      /* the same in picoseconds, rounded down */
    uint64_t skp_due;        /* position from which the next SKP ordered set is due */
    uint64_t skp_interval;   /* positions between them */
    uint32_t ps_num, ps_den; /* picoseconds per symbol of the link */
    uint32_t lanes;          /* a power of two */
    uint32_t skp_symbols;    /* of one on all lanes */
    uint32_t skp_align;      /* it begins at a multiple of this ... */
    uint32_t skp_before;     /* ... after a token of this length */
};

/** @param skp_interval symbol times; 0: no SKP ordered sets */
void pcie_phy_init(struct pcie_phy *phy, uint32_t gen, uint32_t lanes, uint64_t skp_interval);

static inline sim_time_t pcie_phy_ps(const struct pcie_phy *phy, uint64_t symbols)
{
    /* Many links have whole picoseconds per symbol (Gen2 x8: 250), and dividing is slow. */
    return phy->ps_den == 1 ? symbols * phy->ps_num : symbols * phy->ps_num / phy->ps_den;
}

/** Nothing is sent until `until`; training has ended then, and SKP ordered sets are counted anew.
 */
void pcie_phy_hold(struct pcie_phy *phy, sim_time_t until);

/** Moves `start` behind the SKP ordered sets that are due. */
uint64_t pcie_phy_skip(struct pcie_phy *phy, uint64_t start);
/** The first column after an idle time in which a packet that is ready at `now` can begin. */
uint64_t pcie_phy_after_idle(struct pcie_phy *phy, sim_time_t now, uint64_t start);

/**
 * A packet of `symbols` (a multiple of 4) is ready at `now`. @return when its last symbol has left.
 *
 * It follows the packet before it directly, at any multiple of 4 symbols, or after idle begins in
 * lane 0 (4.2.1.2, 4.2.2.3). SKP ordered sets go between packets; those that fall into idle time
 * delay nothing.
 */
static inline sim_time_t pcie_phy_send(struct pcie_phy *phy, sim_time_t now, uint32_t symbols)
{
    uint64_t start = phy->next_pos;

    if (start >= phy->skp_due)
        start = pcie_phy_skip(phy, start);
    if (now > phy->free_ps)
        start = pcie_phy_after_idle(phy, now, start);
    phy->next_pos = start + symbols;
    phy->free_ps = pcie_phy_ps(phy, phy->next_pos);
    return phy->free_ps;
}

SIM_END_DECLS
#endif /* PCIE_PHY_H */
