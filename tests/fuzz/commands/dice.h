/* Random choices of which each follows from the seed (SplitMix64). */
#ifndef DICE_H
#define DICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dice {
    uint64_t state;
};

static inline uint64_t dice_next(struct dice *dice)
{
    uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/** @return 0 .. n - 1; 0 of nothing */
static inline size_t dice_below(struct dice *dice, size_t n)
{
    return n == 0 ? 0 : (size_t)(dice_next(dice) % n);
}

static inline bool dice_one_in(struct dice *dice, size_t n)
{
    return dice_below(dice, n) == 0;
}

#endif /* DICE_H */
