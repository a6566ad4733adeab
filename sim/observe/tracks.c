#include "observe/timeline_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_ROOM 320u

/* Tracks of a process are shown by group, in the order of a packet's way from a core outwards, then
 * as they came, each with its lanes. */
#define GROUP_TRACKS (UINT32_C(1) << 24)
#define TRACK_LANES  64u
enum { SORT_CABLE = 5 };
static const uint32_t sort_of[] = {
    [TRACK_CORE] = 0,  [TRACK_KIND] = 1, [TRACK_WIRE] = 2,
    [TRACK_STATE] = 3, [TRACK_OUT] = 4,  [TRACK_STALL] = 6,
};

void tracks_fini(struct tracks *ts)
{
    for (uint32_t i = 0; i < ts->n; i++)
        free(ts->all[i].name);
    free(ts->all);
    free((void *)ts->processes);
    observe_map_fini(&ts->map);
}

/* ---- processes ------------------------------------------------------------------------- */

/** Nodes by their number, others behind them. */
static uint32_t sort_of_process(const char *name)
{
    size_t digits = strcspn(name, "0123456789");

    return name[digits] != '\0' ? (uint32_t)strtoul(name + digits, NULL, 10) : 1000000;
}

static bool same_node(const char *a, const char *b)
{
    size_t n = strcspn(a, ".");

    return strcspn(b, ".") == n && memcmp(a, b, n) == 0;
}

uint32_t tracks_process(struct tracks *ts, const char *where)
{
    char name[NAME_ROOM];

    for (uint32_t i = 0; i < ts->nprocesses; i++)
        if (same_node(ts->processes[i], where))
            return i + 1;
    if (!observe_grow(&ts->processes, ts->nprocesses, &ts->processes_room, sizeof(const char *)))
        return 0;
    ts->processes[ts->nprocesses++] = where;
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(where, "."), where);
    return trace_process(ts->trace, name, sort_of_process(name));
}

/* ---- tracks ---------------------------------------------------------------------------- */

/** "node3.hub.e" without the node. */
static const char *name_within(const char *where)
{
    const char *dot = strchr(where, '.');

    return dot != NULL ? dot + 1 : where;
}

static void name_track(const char *where, enum track_group group, const char *other, char *name)
{
    switch (group) {
    case TRACK_WIRE:
        snprintf(name, NAME_ROOM, "%s \u2192 %s", name_within(where),
                 same_node(where, other) ? name_within(other) : other);
        break;
    case TRACK_OUT:
        snprintf(name, NAME_ROOM, "%s out", name_within(where));
        break;
    case TRACK_STALL:
        snprintf(name, NAME_ROOM, "%s.%s waits", name_within(where), other);
        break;
    case TRACK_KIND:
        snprintf(name, NAME_ROOM, "%s %s", name_within(where), other);
        break;
    case TRACK_STATE: /* "dma0.state" */
        snprintf(name, NAME_ROOM, "%s.%.*s", name_within(where), (int)strcspn(other, "."), other);
        break;
    case TRACK_NONE:
    case TRACK_CORE:
        snprintf(name, NAME_ROOM, "%s", name_within(where));
        break;
    }
}

/** A lane of `name`. @return its number; 0: out of memory */
static uint32_t add_track(struct tracks *ts, uint32_t pid, const char *name, uint32_t sort,
                          uint32_t lane)
{
    char full[NAME_ROOM + 16];
    char *copy = NULL;

    if (pid != 0 && observe_grow(&ts->all, ts->n, &ts->room, sizeof(*ts->all)))
        copy = observe_join(name, "", "");
    if (copy == NULL)
        return 0;
    snprintf(full, sizeof(full), lane == 0 ? "%s" : "%s (%u)", name, lane + 1);
    ts->all[ts->n] = (struct track){
        .thread = trace_thread(ts->trace, pid, full, sort + lane),
        .lane = lane,
        .sort = sort,
        .name = copy,
    };
    return ++ts->n;
}

uint32_t tracks_at(struct tracks *ts, const char *where, enum track_group group, const char *other)
{
    static const char groups[TRACK_KIND + 1] = { 0 }; /* stand for those that have no kind */
    bool by_name = group == TRACK_KIND || group == TRACK_STALL || group == TRACK_STATE;
    const char *which = by_name ? other : &groups[group];
    uint32_t *at = observe_map_at(&ts->map, where, which);
    char name[NAME_ROOM];
    uint32_t sort, number;

    if (at == NULL)
        return 0;
    if (*at != 0)
        return *at;
    name_track(where, group, other, name);
    sort = group == TRACK_WIRE && !same_node(where, other) ? SORT_CABLE : sort_of[group];
    number = add_track(ts, tracks_process(ts, where), name,
                       sort * GROUP_TRACKS + ts->n * TRACK_LANES, 0);
    *at = number;
    return number;
}

uint32_t tracks_take(struct tracks *ts, uint32_t track, sim_time_t from, sim_time_t to)
{
    while (track_of(ts, track)->end > from) {
        const struct track *t = track_of(ts, track);
        uint32_t next = t->next;

        if (next == 0) {
            next = add_track(ts, t->thread.pid, t->name, t->sort, t->lane + 1);
            if (next == 0)
                return 0;
            track_of(ts, track)->next = next;
        }
        track = next;
    }
    track_of(ts, track)->end = to;
    return track;
}
