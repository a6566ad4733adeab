#include "observe/fan.h"

static uint64_t pass_mark(void *arg, const struct sim_mark *mark)
{
    struct observe_fan *fan = arg;

    for (unsigned i = 0; i < fan->n; i++)
        if (fan->to[i]->mark != NULL)
            (void)fan->to[i]->mark(fan->to[i]->arg, mark);
    return ++fan->marks;
}

static void pass_hold(void *arg, const struct sim_hold *hold)
{
    struct observe_fan *fan = arg;

    for (unsigned i = 0; i < fan->n; i++)
        if (fan->to[i]->mark != NULL)
            fan->to[i]->hold(fan->to[i]->arg, hold);
}

static void pass_level(void *arg, const struct sim_level *level)
{
    struct observe_fan *fan = arg;

    for (unsigned i = 0; i < fan->n; i++)
        if (fan->to[i]->level != NULL)
            fan->to[i]->level(fan->to[i]->arg, level);
}

static void pass_packet(void *arg, const struct sim_packet *packet)
{
    struct observe_fan *fan = arg;

    for (unsigned i = 0; i < fan->n; i++)
        if (fan->to[i]->packet != NULL)
            fan->to[i]->packet(fan->to[i]->arg, packet);
}

static void pass_stall(void *arg, const struct sim_stall *stall)
{
    struct observe_fan *fan = arg;

    for (unsigned i = 0; i < fan->n; i++)
        if (fan->to[i]->stall != NULL)
            fan->to[i]->stall(fan->to[i]->arg, stall);
}

void observe_fan_init(struct observe_fan *fan)
{
    *fan = (struct observe_fan){
        .probe = { .hold = pass_hold, .arg = fan },
    };
}

void observe_fan_add(struct observe_fan *fan, const struct sim_probe *probe)
{
    SIM_ASSERT(fan->n < OBSERVE_FAN_MAX);
    fan->to[fan->n++] = probe;
    if (probe->mark != NULL)
        fan->probe.mark = pass_mark;
    if (probe->level != NULL)
        fan->probe.level = pass_level;
    if (probe->packet != NULL)
        fan->probe.packet = pass_packet;
    if (probe->stall != NULL)
        fan->probe.stall = pass_stall;
}

const struct sim_probe *observe_fan_probe(const struct observe_fan *fan)
{
    if (fan->n == 1)
        return fan->to[0];
    return fan->n != 0 ? &fan->probe : NULL;
}

uint64_t observe_ignore_mark(void *arg, const struct sim_mark *mark)
{
    (void)arg;
    (void)mark;
    return 1;
}

void observe_ignore_hold(void *arg, const struct sim_hold *hold)
{
    (void)arg;
    (void)hold;
}
