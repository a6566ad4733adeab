/* The first source that wants goes: ports in their order, then the hub's own. The others starve
 * while it keeps the output busy. */
#include "hub/arbiter/arbiter.h"

static uint32_t pick_first(const struct hub_contest *contest)
{
    return (uint32_t)__builtin_ctzll(contest->left);
}

const struct hub_arbiter hub_arbiter_fixed_priority = { .pick = pick_first };
