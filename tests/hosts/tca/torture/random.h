/* A generator of our own: every rank derives the same plan from the same key, on every machine. */
#ifndef TORTURE_RANDOM_H
#define TORTURE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_mix(uint64_t x) /* splitmix64 */
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t random_next(struct random *r)
{
    r->state += 0x9e3779b97f4a7c15u;
    return random_mix(r->state);
}

static inline struct random random_key(uint64_t seed, uint64_t phase, uint64_t use)
{
    return (struct random){ random_mix(random_mix(random_mix(seed + 1) + phase) + use) };
}

/** 0 to n - 1. */
static inline size_t random_below(struct random *r, size_t n)
{
    return n == 0 ? 0 : (size_t)(random_next(r) % n);
}

/** True in one of n cases. */
static inline bool random_one_in(struct random *r, size_t n)
{
    return random_below(r, n) == 0;
}

/** low to high, all orders of magnitude alike. */
static inline size_t random_scale(struct random *r, size_t low, size_t high)
{
    size_t top = low;

    while (top < high && !random_one_in(r, 6))
        top *= 2;
    if (top > high)
        top = high;
    return low + random_below(r, top - low + 1);
}
#endif /* TORTURE_RANDOM_H */
