/*
 * Levels on the timeline: a slice for each stretch of a state that means work, a counter for
 * each length of a queue. What else models tell of themselves is for waves.
 */
#include "observe/timeline_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN UINT64_MAX /* no value has been told */

/** In which way a signal is shown; TRACK_NONE: as a counter, or not at all. */
static enum track_group group_of(const struct sim_signal *signal)
{
    switch (signal->use) {
    case SIM_SIGNAL_OUTPUT:
        return TRACK_OUT;
    case SIM_SIGNAL_STATE:
        return TRACK_STATE;
    default:
        return TRACK_NONE;
    }
}

static const char *state_name(const struct sim_signal *signal, uint64_t value)
{
    uint64_t n = 0;

    while (signal->states[n] != NULL && n < value)
        n++;
    return signal->states[n] != NULL ? signal->states[n] : "?";
}

/** Not what a place does most of the time. */
static bool means_work(const char *state)
{
    return strcmp(state, "idle") != 0 && strcmp(state, "up") != 0 && strcmp(state, "-") != 0;
}

/** "hub.w rx.p.queue" */
static char *counter_name(const char *where, const char *signal)
{
    const char *dot = strchr(where, '.');
    size_t n = strlen(where) + strlen(signal) + 2;
    char *name = malloc(n);

    if (name != NULL)
        snprintf(name, n, "%s %s", dot != NULL ? dot + 1 : where, signal);
    return name;
}

static struct timeline_level *add(struct observe_timeline *t, const struct sim_signal *signal,
                                  const char *where)
{
    struct timeline_level l = { .signal = signal, .where = where, .value = UNKNOWN };
    enum track_group group = group_of(signal);
    struct timeline_level *more =
        observe_grow(t->levels, t->nlevels, &t->levels_room, sizeof(*more));

    if (more == NULL)
        return NULL;
    t->levels = more;
    if (group != TRACK_NONE)
        l.track = tracks_at(&t->tracks, where, group, signal->name);
    else if (signal->use == SIM_SIGNAL_LENGTH)
        l.name = counter_name(where, signal->name);
    t->levels[t->nlevels] = l;
    return &t->levels[t->nlevels++];
}

static struct timeline_level *level_of(struct observe_timeline *t, const struct sim_signal *signal,
                                       const char *where)
{
    uint32_t *at = observe_map_at(&t->level_map, where, signal);
    struct timeline_level *l;

    if (at == NULL)
        return NULL;
    if (*at != 0)
        return &t->levels[*at - 1];
    l = add(t, signal, where);
    *at = l != NULL ? t->nlevels : 0;
    return l;
}

/** The state that `l` was in has ended. */
static void end_state(struct observe_timeline *t, const struct timeline_level *l, sim_time_t time)
{
    const char *state = l->value != UNKNOWN ? state_name(l->signal, l->value) : "-";

    if (time > l->since && means_work(state))
        (void)timeline_slice(t, l->track, state, "state", l->since, time, l->signal->meaning);
}

void timeline_level(void *arg, const struct sim_level *level)
{
    struct observe_timeline *t = arg;
    struct timeline_level *l = level_of(t, level->signal, level->where);

    if (l == NULL) {
        t->nomem = true;
        return;
    }
    if (l->value == level->value || (l->track == 0 && l->name == NULL))
        return;
    if (l->track != 0)
        end_state(t, l, level->from);
    else
        trace_counter(&t->trace, tracks_process(&t->tracks, l->where), l->name, level->from,
                      level->value);
    l->value = level->value;
    l->since = level->from;
}

void timeline_levels_end(struct observe_timeline *t)
{
    for (uint32_t i = 0; i < t->nlevels; i++)
        if (t->levels[i].track != 0)
            end_state(t, &t->levels[i], t->last);
}

void timeline_levels_fini(struct observe_timeline *t)
{
    for (uint32_t i = 0; i < t->nlevels; i++)
        free(t->levels[i].name);
    free(t->levels);
    observe_map_fini(&t->level_map);
}
