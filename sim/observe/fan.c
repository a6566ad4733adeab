#include "observe/fan.h"

static uint64_t pass_mark(void *arg, const struct sim_mark *mark)
{
    struct observe_fan *fan = arg;

    for (unsigned i = 0; i < fan->n; i++)
        if (fan->to[i].mark != NULL)
            (void)fan->to[i].mark(fan->to[i].arg, mark);
    return ++fan->marks;
}

static void pass_hold(void *arg, const struct sim_hold *hold)
{
    struct observe_fan *fan = arg;

    for (unsigned i = 0; i < fan->n; i++)
        fan->to[i].hold(fan->to[i].arg, hold);
}

static void pass_level(void *arg, const struct sim_level *level)
{
    struct observe_fan *fan = arg;

    for (unsigned i = 0; i < fan->n; i++)
        if (fan->to[i].level != NULL)
            fan->to[i].level(fan->to[i].arg, level);
}

static void pass_packet(void *arg, const struct sim_packet *packet)
{
    struct observe_fan *fan = arg;

    for (unsigned i = 0; i < fan->n; i++)
        if (fan->to[i].packet != NULL)
            fan->to[i].packet(fan->to[i].arg, packet);
}

static void pass_stall(void *arg, const struct sim_stall *stall)
{
    struct observe_fan *fan = arg;

    for (unsigned i = 0; i < fan->n; i++)
        if (fan->to[i].stall != NULL)
            fan->to[i].stall(fan->to[i].arg, stall);
}

static uint64_t ignore_mark(void *arg, const struct sim_mark *mark)
{
    (void)arg;
    (void)mark;
    return 1;
}

static void ignore_hold(void *arg, const struct sim_hold *hold)
{
    (void)arg;
    (void)hold;
}

void observe_fan_add(struct observe_fan *fan, const struct sim_probe *probe)
{
    struct sim_probe *to = &fan->to[fan->n];

    SIM_ASSERT(fan->n < OBSERVE_FAN_MAX);
    fan->n++;
    *to = *probe;
    if (to->mark == NULL && (to->level != NULL || to->stall != NULL))
        to->mark = ignore_mark;
    if (to->hold == NULL)
        to->hold = ignore_hold;
    fan->probe.arg = fan;
    fan->probe.hold = pass_hold;
    if (to->mark != NULL)
        fan->probe.mark = pass_mark;
    if (to->level != NULL)
        fan->probe.level = pass_level;
    if (to->packet != NULL)
        fan->probe.packet = pass_packet;
    if (to->stall != NULL)
        fan->probe.stall = pass_stall;
}

const struct sim_probe *observe_fan_probe(const struct observe_fan *fan)
{
    if (fan->n == 1)
        return &fan->to[0];
    return fan->n != 0 ? &fan->probe : NULL;
}
