/* Clocks, random streams and fingerprints: small and without state of their own. */
#include "core/internal.h"

#include <string.h>

uint64_t sim_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t r = a % b;

        a = b;
        b = r;
    }
    return a;
}

/* In kHz the reduced period is at most 10^9 / 10^7, so no product below leaves 64 bits. */
void sim_clock_init(struct sim_clock *clk, uint64_t khz)
{
    const uint64_t ps_per_ms = UINT64_C(1000000000);
    uint64_t g;

    SIM_ASSERT(khz >= 1 && khz <= 10000000);
    g = sim_gcd(ps_per_ms, khz);
    clk->ps_num = ps_per_ms / g;
    clk->ps_den = khz / g;
    clk->phase_ps = 0;
}

/* Edge n of a clock without a phase. */
static sim_time_t cycles_last(const struct sim_clock *clk, uint64_t n)
{
    if (clk->ps_den == 1) /* most clocks: the period is whole picoseconds, nothing to divide */
        return n * clk->ps_num;
    return n / clk->ps_den * clk->ps_num + n % clk->ps_den * clk->ps_num / clk->ps_den;
}

uint64_t sim_clock_cycles(const struct sim_clock *clk, sim_time_t duration)
{
    uint64_t n;

    if (clk->ps_den == 1)
        return (duration + clk->ps_num - 1) / clk->ps_num;
    n = duration / clk->ps_num * clk->ps_den + duration % clk->ps_num * clk->ps_den / clk->ps_num;
    /* Edges are rounded down, so so many cycles may be enough already. */
    return cycles_last(clk, n) >= duration ? n : n + 1;
}

sim_time_t sim_clock_time(const struct sim_clock *clk, uint64_t edge)
{
    return clk->phase_ps + cycles_last(clk, edge);
}

uint64_t sim_clock_edge(const struct sim_clock *clk, sim_time_t t)
{
    return t > clk->phase_ps ? sim_clock_cycles(clk, t - clk->phase_ps) : 0;
}

static inline uint64_t rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

void sim_stream_init(struct sim_stream *st, uint64_t seed, const char *path)
{
    uint64_t x = seed ^ sim_path_hash(path);

    for (int i = 0; i < 4; i++) {
        x += UINT64_C(0x9e3779b97f4a7c15);
        st->s[i] = mix(x);
    }
}

uint64_t sim_stream_next(struct sim_stream *st)
{
    uint64_t *s = st->s;
    uint64_t result = rotl(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

/* Rejection keeps it uniform; the first draw nearly always serves. */
uint64_t sim_stream_below(struct sim_stream *st, uint64_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n;
    uint64_t x;

    do {
        x = sim_stream_next(st);
    } while (x >= limit);
    return x % n;
}

uint64_t sim_path_hash(const char *path)
{
    return sim_hash_bytes(0, path, strlen(path));
}

static inline uint64_t load64(const unsigned char *p, size_t n)
{
    uint64_t x = 0;

    for (size_t i = 0; i < n; i++)
        x |= (uint64_t)p[i] << (8 * i);
    return x;
}

uint64_t sim_hash_bytes(uint64_t seed, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t h = mix(seed ^ (n * UINT64_C(0x9e3779b97f4a7c15)));

    for (; n >= 8; p += 8, n -= 8)
        h = rotl(h ^ (load64(p, 8) * UINT64_C(0x87c37b91114253d5)), 29) * 5 + 0x52dce729;
    if (n != 0)
        h = rotl(h ^ (load64(p, n) * UINT64_C(0x87c37b91114253d5)), 29) * 5 + 0x52dce729;
    return mix(h);
}

static uint64_t hash_of_event(uint64_t when, uint64_t where, uint64_t value)
{
    return mix(mix(when ^ where) + value * UINT64_C(0x9e3779b97f4a7c15));
}

void sim_visible(struct sim_domain *dom, uint64_t where, uint64_t value)
{
    if (dom->sim->cfg.fingerprint)
        dom->print.visible += hash_of_event(dom->now, where, value);
}

void sim_wire(struct sim_domain *dom, uint64_t where, uint64_t value)
{
    if (dom->sim->cfg.fingerprint)
        dom->print.wire += hash_of_event(dom->now, where, value);
}

void sim_edge(struct sim_domain *dom, uint64_t where, uint64_t edge, uint64_t value)
{
    if (dom->sim->cfg.fingerprint)
        dom->print.edge += hash_of_event(edge, where, value);
}

struct sim_fingerprint sim_domain_fingerprint(const struct sim_domain *dom)
{
    return dom->print;
}

void sim_fingerprint_join(struct sim_fingerprint *all, const struct sim_fingerprint *next)
{
    all->visible = mix(all->visible + next->visible);
    all->wire = mix(all->wire + next->wire);
    all->edge = mix(all->edge + next->edge);
}

struct sim_fingerprint sim_fingerprint_of(const struct sim *sim)
{
    struct sim_fingerprint all = { 0, 0, 0 };

    for (uint32_t i = 0; i < sim->ndomains; i++)
        sim_fingerprint_join(&all, &sim->domains[i]->print);
    return all;
}
