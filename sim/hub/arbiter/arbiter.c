/* The arbiters, and what they are shown. */
#include "hub/internal.h"

static uint32_t pick_in_turn(const struct hub_contest *contest)
{
    return sim_arbiter_pick(contest->turns, contest->left);
}

const struct hub_arbiter hub_arbiter_round_robin = { .pick = pick_in_turn };

static const struct hub_arbiter *const arbiters[HUB_ARBITER_COUNT] = {
#define ARBITER(name, text) &hub_arbiter_##name,
    HUB_ARBITERS(ARBITER)
};

#define ARBITER_TEXT(name, text) text
const char hub_arbiter_choices[] = HUB_ARBITERS(ARBITER_TEXT);

static struct hub_contest contest_for(struct hub *hub, uint32_t out, uint64_t left)
{
    return (struct hub_contest){ .left = left,
                                 .turns = &hub->output[out].arbiter,
                                 .since = hub->contest.since,
                                 .weight = hub->contest.weight,
                                 .share = hub->contest.share[out] };
}

uint32_t hub_arbiter_pick(struct hub *hub, uint32_t out, uint64_t left)
{
    struct hub_contest contest = contest_for(hub, out, left);

    for (; left != 0; left &= left - 1) {
        uint32_t source = (uint32_t)__builtin_ctzll(left);

        hub->contest.since[source] = fifo_head(&hub->fifo[source])->edge;
    }
    return hub->arbiter->pick(&contest);
}

void hub_arbiter_granted(struct hub *hub, uint32_t out, uint32_t source)
{
    struct hub_contest contest = contest_for(hub, out, 0);

    if (hub->arbiter->granted != NULL)
        hub->arbiter->granted(&contest, source);
}

void hub_arbiter_init(struct hub *hub)
{
    uint8_t *weight = hub->contest.weight;

    hub->arbiter = arbiters[hub->cfg.arbiter];
    hub->in_turn = hub->cfg.arbiter == HUB_ARBITER_round_robin;
    for (uint32_t source = 0; source < HUB_SOURCES; source++)
        weight[source] = (uint8_t)hub->cfg.weight_dma;
    weight[SRC_LOCAL] = (uint8_t)hub->cfg.weight_local;
    for (uint32_t source = 0; source < SRC_LOCAL; source++)
        weight[source] = (uint8_t)hub->cfg.weight[source / PCIE_CLASSES];
}
