/*
 * Levels on the timeline: a slice for each stretch of a state that means work, a counter for
 * each length of a queue. What else models report of themselves is for waves.
 */
#include "observe/timeline_impl.h"

#include <stdlib.h>
#include <string.h>

/** In which way a signal is shown; TRACK_NONE: as a counter, or not at all. */
static enum track_group group_of(const struct sim_signal *signal)
{
    switch (signal->use) {
    case SIM_SIGNAL_OUTPUT:
        return TRACK_OUT;
    case SIM_SIGNAL_STATE:
    case SIM_SIGNAL_LINK:
        return TRACK_STATE;
    default:
        return TRACK_NONE;
    }
}

/** What a place does most of the time is not shown. */
static bool signal_rests(const struct sim_signal *signal, uint64_t value)
{
    return signal->use == SIM_SIGNAL_STATE ? value == 0 : signal->states[value + 1] == NULL;
}

static void add_level(struct observe_timeline *t, struct timeline_level *l,
                      const struct sim_level *level)
{
    const struct sim_signal *signal = level->signal;
    const char *where = level->where, *dot = strchr(where, '.');
    enum track_group group = group_of(signal);

    *l = (struct timeline_level){ .signal = signal, .where = where };
    if (group != TRACK_NONE)
        l->track = tracks_at(&t->tracks, where, group, signal->name);
    else if (signal->use == SIM_SIGNAL_LENGTH) /* "hub.w rx.p.queue" */
        l->name = observe_join(dot != NULL ? dot + 1 : where, " ", signal->name);
}

/** The state that `l` was in has ended. */
static void end_state(struct observe_timeline *t, const struct timeline_level *l, sim_time_t time)
{
    if (l->known && time > l->since && !signal_rests(l->signal, l->value))
        (void)timeline_slice(t, l->track, l->signal->states[l->value], "state", l->since, time,
                             l->signal->meaning);
}

void timeline_level(void *arg, const struct sim_level *level)
{
    struct observe_timeline *t = arg;
    struct timeline_level *l = observe_table_at(&t->levels, level->where, level->signal);

    if (l == NULL) {
        t->nomem = true;
        return;
    }
    if (l->signal == NULL)
        add_level(t, l, level);
    if ((l->known && l->value == level->value) || (l->track == 0 && l->name == NULL))
        return;
    if (l->track != 0)
        end_state(t, l, level->from);
    else
        trace_counter(&t->trace, tracks_process(&t->tracks, l->where), l->name, level->from,
                      level->value);
    l->known = true;
    l->value = level->value;
    l->since = level->from;
}

void timeline_levels_end(struct observe_timeline *t)
{
    const struct timeline_level *levels = t->levels.items;

    for (uint32_t i = 0; i < t->levels.n; i++)
        if (levels[i].track != 0)
            end_state(t, &levels[i], t->last);
}

void timeline_levels_fini(struct observe_timeline *t)
{
    struct timeline_level *levels = t->levels.items;

    for (uint32_t i = 0; i < t->levels.n; i++)
        free(levels[i].name);
    observe_table_fini(&t->levels);
}
