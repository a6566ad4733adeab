/*
 * Round robin in which a source has as many grants of a round as its weight says. Who has a share
 * left goes before those that have none; when one without is granted, since no other is ready, a
 * round begins.
 */
#include "hub/arbiter/arbiter.h"

static uint32_t pick_weighted(const struct hub_contest *contest)
{
    uint64_t rich = 0;

    for (uint64_t left = contest->left; left != 0; left &= left - 1)
        if (contest->share[__builtin_ctzll(left)] != 0)
            rich |= left & -left;
    return sim_arbiter_pick(contest->turns, rich != 0 ? rich : contest->left);
}

static void begin_round(const struct hub_contest *contest)
{
    for (uint64_t left = contest->turns->requests; left != 0; left &= left - 1) {
        uint32_t source = (uint32_t)__builtin_ctzll(left);

        contest->share[source] = contest->weight[source];
    }
}

static void weighted_granted(const struct hub_contest *contest, uint32_t source)
{
    if (contest->share[source] == 0) {
        begin_round(contest);
        contest->share[source] = contest->weight[source];
    }
    contest->share[source]--;
}

const struct hub_arbiter hub_arbiter_weighted = { .pick = pick_weighted,
                                                  .granted = weighted_granted };
