/* Round robin among the bits of a mask, the mechanism of every arbiter that takes turns. */
#ifndef SIM_CORE_ARBITER_H
#define SIM_CORE_ARBITER_H

#include "core/sim.h"

SIM_BEGIN_DECLS

struct sim_arbiter {
    uint64_t requests; /* who wants to be granted, one bit each */
    uint32_t turn;     /* below 64: who is asked first, one behind the last that was granted */
};

/** Whose turn it is of `left`: some of the requests, at least one. */
static inline uint32_t sim_arbiter_pick(const struct sim_arbiter *a, uint64_t left)
{
    uint64_t behind = left & (~UINT64_C(0) << a->turn);

    return (uint32_t)__builtin_ctzll(behind != 0 ? behind : left);
}

SIM_END_DECLS
#endif
