/* Where the wire hits packets. */
#include "pcie/lossy/lossy_impl.h"

#include <stdio.h>

/* ---- where bits are hit ---- */

#define LN2_Q32 UINT64_C(2977044472) /* ln 2 in units of 2^-32 */

/**
 * -ln(u / 2^64) in units of 2^-32, by the bits of log2: each squaring of the mantissa shows one
 * more. No floating point, so that all machines draw the same.
 */
static uint64_t minus_ln(uint64_t u)
{
    unsigned zeros;
    uint64_t m, log2 = 0;

    if (u == 0)
        u = 1;
    zeros = (unsigned)__builtin_clzll(u);
    m = u << zeros >> 32; /* 1 <= m / 2^31 < 2 */
    for (unsigned i = 0; i < 32; i++) {
        m = m * m >> 31;
        log2 <<= 1;
        if (m >> 32 != 0) {
            log2 |= 1;
            m >>= 1;
        }
    }
    /* log2(u / 2^64) = -(zeros + 1) + log2 / 2^32 */
    log2 = ((uint64_t)(zeros + 1) << 32) - log2;
    return (log2 >> 32) * LN2_Q32 + ((log2 & UINT32_MAX) * LN2_Q32 >> 32);
}

/** a * b / 2^32 for a < 2^39; UINT64_MAX when that is too large. */
static uint64_t scale(uint64_t a, uint64_t b)
{
    uint64_t high = a >> 32, low = a & UINT32_MAX;

    if (high != 0 && b > (UINT64_MAX >> 1) / high)
        return UINT64_MAX;
    return high * b + low * (b >> 32) + (low * (b & UINT32_MAX) >> 32);
}

/**
 * A bit is hit with probability p = ber / 10^18, so clean bits before a hit are geometric:
 * floor(ln U / ln(1 - p)). Keeps 1 / -ln(1 - p), of which the series p + p^2 / 2 + ... is enough up
 * to one in ten.
 */
static void set_rate(struct fault_wire *w, uint64_t ber_e18)
{
    uint64_t power = ber_e18, lambda = ber_e18, rest;

    w->ber_e18 = ber_e18;
    if (ber_e18 == 0)
        return;
    for (uint64_t k = 2; power > k; k++) { /* p^k, from factors in units of 10^-9 */
        power = (power / 1000000000) * (ber_e18 / 1000000000);
        lambda += power / k;
    }
    w->per_nat[0] = PCIE_BER_UNIT / lambda;
    rest = PCIE_BER_UNIT % lambda;
    w->per_nat[1] = 0;
    for (unsigned i = 0; i < 32; i++) { /* rest < lambda < 2^57 */
        rest <<= 1;
        w->per_nat[1] = w->per_nat[1] << 1 | (rest >= lambda ? 1 : 0);
        rest -= rest >= lambda ? lambda : 0;
    }
}

static uint64_t draw_clean_bits(struct fault_wire *w)
{
    uint64_t nats, whole;

    if (w->ber_e18 == 0)
        return UINT64_MAX;
    nats = minus_ln(sim_stream_next(&w->stream)); /* < 64 ln 2 * 2^32 < 2^38 */
    whole = scale(nats, w->per_nat[0]);
    return whole == UINT64_MAX ? whole : whole + (nats * (w->per_nat[1] >> 7) >> 57);
}

static bool is_over(const struct pcie_fault_burst *burst, sim_time_t now)
{
    return now >= burst->at_ps + burst->duration_ps;
}

/** The rate at this time. Gaps have no memory: where the rate changes, the next one is drawn anew.
 */
static void update_rate(struct fault_wire *w, sim_time_t now)
{
    uint64_t ber = w->line_ber_e18;

    while (w->burst < w->burst_count && is_over(&w->bursts[w->burst], now))
        w->burst++;
    if (w->burst < w->burst_count && now >= w->bursts[w->burst].at_ps)
        ber = w->bursts[w->burst].ber_e18;
    if (ber == w->ber_e18)
        return;
    set_rate(w, ber);
    w->clean_bits = draw_clean_bits(w);
}

bool pcie_wire_hits(struct fault_wire *w, sim_time_t now, uint64_t bits)
{
    if (w->burst_count != 0)
        update_rate(w, now);
    if (w->clean_bits < bits)
        return true;
    if (w->clean_bits != UINT64_MAX)
        w->clean_bits -= bits;
    return false;
}

/** One bit of a packet is hit. */
static uint32_t hit_bit(const struct wire_shape *shape, uint64_t bit, uint8_t *bytes)
{
    uint64_t symbol = bit / shape->symbol_bits;
    uint32_t place = (uint32_t)(bit % shape->symbol_bits);

    if (symbol < shape->framing)
        return shape->symbol_bits == 8 ? DAMAGE_FRAMING : DAMAGE_LOST;
    symbol -= shape->before;
    if (symbol >= shape->n || place >= 8) /* END; two of the ten bits have no place in the byte */
        return DAMAGE_CODE;
    bytes[symbol] ^= (uint8_t)(1u << place);
    return DAMAGE_BYTES;
}

uint32_t pcie_wire_damage(struct fault_wire *w, const struct wire_shape *shape, uint8_t *bytes)
{
    uint64_t bits = (uint64_t)shape->symbols * shape->symbol_bits, at = w->clean_bits, gap;
    uint32_t damage = 0;

    while (at < bits) {
        damage |= hit_bit(shape, at, bytes);
        w->bit_errors++;
        gap = draw_clean_bits(w);
        at = gap >= UINT64_MAX - bits ? UINT64_MAX : at + 1 + gap;
    }
    w->clean_bits = at == UINT64_MAX ? at : at - bits;
    return damage;
}

uint32_t pcie_wire_flip(struct fault_wire *w, uint8_t *bytes, uint32_t n)
{
    uint64_t bit = sim_stream_below(&w->stream, UINT64_C(8) * n);

    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    return DAMAGE_BYTES;
}

int pcie_wire_next(struct fault_wire *w, enum pcie_fault_packet kind)
{
    uint64_t n = ++w->sent[kind];

    for (size_t i = 0; i < w->nth_count; i++)
        if (w->nth[i].packet == kind && w->nth[i].n == n)
            return (int)w->nth[i].effect;
    return FAULT_NONE;
}

/** sim_hash_bytes() of eight bytes of 0, the seed that faults once had of their own. It stays, for
 * another would change kept results and fingerprints. */
#define FAULT_SEED UINT64_C(0x5fbf6fa9b2ce9694)

void pcie_wire_start(struct pcie_port *p)
{
    struct fault_wire *w = &p->lossy->wire;
    char path[256];

    snprintf(path, sizeof(path), "%s.faults", p->path);
    sim_stream_init(&w->stream, sim_seed(p->dom) ^ FAULT_SEED, path);
    set_rate(w, w->line_ber_e18);
    w->clean_bits = draw_clean_bits(w);
}
