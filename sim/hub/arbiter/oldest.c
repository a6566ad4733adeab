/* Who has waited longest goes first, and of those that came at one edge whose turn it is. A packet
 * that is new in a ring waits no longer than those in it. */
#include "hub/arbiter/arbiter.h"

static uint32_t pick_oldest(const struct hub_contest *contest)
{
    uint64_t first = UINT64_MAX, oldest = 0;

    for (uint64_t left = contest->left; left != 0; left &= left - 1) {
        uint32_t source = (uint32_t)__builtin_ctzll(left);

        if (contest->since[source] < first)
            oldest = 0;
        if (contest->since[source] <= first) {
            first = contest->since[source];
            oldest |= UINT64_C(1) << source;
        }
    }
    return sim_arbiter_pick(contest->turns, oldest);
}

const struct hub_arbiter hub_arbiter_oldest = { .pick = pick_oldest };
